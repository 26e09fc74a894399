"""Model of a disk behind a page cache: files, folders, locks, and what a power failure may leave of them.

It promises what POSIX and journaling file systems promise, and no more:

- ``flush`` of a file makes its bytes durable, but not its name; ``flush`` of a folder makes the names in it durable.
- Unflushed bytes may be there, be missing or be rubbish, each line on its own, up to any size.
- Unflushed changes of names take effect in any order that keeps the order of the changes of each name; a rename takes
  effect as a whole, also from one folder to another.
- A lock belongs to one opening of a file, and ends with the process.

A file is a tuple of lines, and a line is any hashable value. All objects are immutable.
"""

from collections.abc import Hashable, Iterator
from functools import cache
from itertools import product
from typing import Final, NamedTuple

RUBBISH: Final = "rubbish"
"""Line of which not all bytes have reached the disk."""
FOLDER: Final = ("folder", 0)
"""Inode of every folder."""


class DiskError(Exception):
    """Error of a system call; the argument is the name of its ``errno``."""


class Call(NamedTuple):
    """System call of a process, with the function of ``cardtable.store`` that makes it."""

    function: str
    name: str
    """``open``, ``read``, ``write``, ``flush``, ``truncate``, ``rename``, ``unlink``, ``mkdir``, ``stat``, ``list``,
    ``lock``, ``unlock``, ``kill`` (is a process running?), or ``note``, a call that the store's user makes.
    """
    target: "str | File | int"
    """Path, open file, or number of a process."""
    value: Hashable = None
    """Lines to write, number of lines to keep, new path, or flag of the call."""

    @property
    def path(self) -> str:
        return self.target.path if isinstance(self.target, File) else str(self.target)


class Failure(NamedTuple):
    """Result of a call that fails."""

    error: str
    """Name of the ``errno``."""


class File(NamedTuple):
    """Open file of a process."""

    inode: tuple[int, int]
    path: str
    """Path at the time of opening."""
    process: int
    number: int


class Status(NamedTuple):
    """Result of ``stat``."""

    inode: tuple
    size: int
    stamp: int
    """Time of the last change: it grows with every change of the file."""


class Content(NamedTuple):
    """Bytes of a file, with the changes that are not durable."""

    lines: tuple = ()
    durable: tuple = ()
    unflushed: tuple = ()
    """Lines to append, and numbers of lines to truncate to."""
    stamp: int = 0


class Disk(NamedTuple):
    """Files, names and locks."""

    contents: tuple = ()
    """Pairs of inode and content."""
    names: tuple = ()
    """Pairs of path and inode that are durable."""
    renames: tuple = ()
    """Changes of names that are not durable, in order; each is a tuple of pairs of path and inode or ``None``."""
    locks: frozenset = frozenset()
    """Open files that are locked."""
    processes: frozenset = frozenset()
    """Running processes."""
    is_split: bool = False
    """True if every folder is on a disk of its own, so that no file can be renamed into another folder."""

    @property
    def paths(self):
        """Map the paths to inodes, as running processes see them."""
        return get_paths(self.names, self.renames)

    def get_lines(self, path):
        """Return the lines of a file, or ``None`` if it does not exist."""
        inode = self.paths.get(path)
        return None if inode is None else dict(self.contents).get(inode, Content()).lines

    def get_status(self, path):
        """Return the status of a file that exists."""
        return self._get_status(self.paths[path])

    def start(self, process):
        return self._replace(processes=self.processes | {process})

    def end(self, process):
        """End a process, by itself or by a kill: its locks are released."""
        locks = frozenset(file for file in self.locks if file.process != process)
        return self._replace(processes=self.processes - {process}, locks=locks)

    def execute(self, process, number, call):
        """Return the disk after a call, and its result. ``number`` is unique among the calls of the process.

        The result is a ``Failure`` if the call fails. If it blocks, ``None`` is returned instead of both.
        """
        try:
            return getattr(self, f"_{call.name}")(call, process, number)
        except DiskError as error:
            return self, Failure(error.args[0])

    def _open(self, call, process, number):
        disk, inode = self, self.paths.get(call.target)
        if inode is None:
            if call.value not in ("create", "new"):
                raise DiskError("ENOENT")
            inode = (process, number)
            disk = disk.change_names((call.target, inode)).change_content(inode, Content())
        elif call.value == "new":
            raise DiskError("EEXIST")
        return disk, File(inode, call.target, process, number)

    def _read(self, call, _process, _number):
        return self, dict(self.contents)[call.target.inode].lines

    def _write(self, call, _process, _number):
        old = dict(self.contents)[call.target.inode]
        new = Content(old.lines + call.value, old.durable, old.unflushed + call.value, old.stamp + 1)
        return self.change_content(call.target.inode, new), None

    def _truncate(self, call, _process, _number):
        old = dict(self.contents)[call.target.inode]
        new = Content(old.lines[: call.value], old.durable, (*old.unflushed, call.value), old.stamp + 1)
        return self.change_content(call.target.inode, new), None

    def _flush(self, call, _process, _number):
        if isinstance(call.target, File):
            old = dict(self.contents)[call.target.inode]
            return self.change_content(call.target.inode, Content(old.lines, old.lines, (), old.stamp)), None
        done, left = [], []
        for change in reversed(self.renames):  # a change is durable if a later one of the same name is
            names = {path for path, _ in change}
            is_in_folder = any(get_folder(path) == call.target for path in names)
            (done if is_in_folder or any(names & {path for path, _ in later} for later in done) else left).append(
                change
            )
        names = apply_changes(dict(self.names), reversed(done))
        return self._replace(names=tuple(sorted(names.items())), renames=tuple(reversed(left))), None

    def _rename(self, call, _process, _number):
        inode = self.paths.get(call.target)
        if inode is None:
            raise DiskError("ENOENT")
        if self.is_split and get_folder(call.target) != get_folder(call.value):
            raise DiskError("EXDEV")
        return self.change_names((call.target, None), (call.value, inode)), None

    def _unlink(self, call, _process, _number):
        if call.target not in self.paths:
            raise DiskError("ENOENT")
        return self.change_names((call.target, None)), None

    def _mkdir(self, call, _process, _number):
        if call.target in self.paths:
            raise DiskError("EEXIST")
        return self.change_names((call.target, FOLDER)), None

    def _stat(self, call, _process, _number):
        inode = call.target.inode if isinstance(call.target, File) else self.paths.get(call.target)
        return self, None if inode is None else self._get_status(inode)

    def _list(self, call, _process, _number):
        entries = sorted(self.paths.items())
        children = [(path, inode) for path, inode in entries if get_folder(path) == call.target]
        return self, tuple(
            (path, self._get_status(inode) if path.endswith(".jsonl") else None) for path, inode in children
        )

    def _get_status(self, inode):
        content = dict(self.contents).get(inode, Content())
        return Status(inode, len(content.lines), content.stamp)

    def _lock(self, call, _process, _number):
        if any(file.inode == call.target.inode and file != call.target for file in self.locks):
            return None if call.value == "wait" else (self, False)
        return self._replace(locks=self.locks | {call.target}), True

    def _unlock(self, call, _process, _number):
        return self._replace(locks=self.locks - {call.target}), None

    def _kill(self, call, _process, _number):
        return self, call.target in self.processes

    def change_content(self, inode, content):
        return self._replace(contents=tuple(sorted({**dict(self.contents), inode: content}.items())))

    def change_names(self, *change):
        """Add a change of names. Changes that do not depend on each other are sorted, so that equal disks are equal."""
        renames, place = [*self.renames], len(self.renames)
        while place and not depends(change, renames[place - 1]) and repr(change) < repr(renames[place - 1]):
            place -= 1
        renames.insert(place, change)
        return self._replace(renames=tuple(renames))

    def lose_power(self):
        """Return all disks that a power failure at this moment may leave."""
        left = lose_power(self.contents, self.names, self.renames)
        return [disk._replace(is_split=self.is_split) for disk in left]


def depends(change, earlier):
    """Return True if two changes have a name in common, so that their order is kept."""
    return bool({path for path, _ in change} & {path for path, _ in earlier})


def get_folder(path):
    return path.rpartition("/")[0] or "home"


@cache
def get_paths(names, renames):
    return apply_changes(dict(names), renames)


def apply_changes(paths, changes):
    for change in changes:
        for path, inode in change:
            if inode is None:
                paths.pop(path, None)
            else:
                paths[path] = inode
    return paths


@cache
def lose_power(contents, names, renames):
    """Return all disks that a power failure may leave, without duplicates."""
    disks = set()
    for changes in iter_surviving_changes(renames):
        paths = apply_changes(dict(names), changes)
        paths = {path: inode for path, inode in paths.items() if get_folder(path) in ("home", *paths)}
        files = {inode: content for inode, content in contents if inode in paths.values()}
        for lines in product(*[iter_surviving_lines(content) for content in files.values()]):
            left = [
                (inode, Content(some, some, (), files[inode].stamp)) for inode, some in zip(files, lines, strict=True)
            ]
            disks.add(Disk(tuple(left), tuple(sorted(paths.items()))))
    return disks


def iter_surviving_changes(changes):
    """Yield the subsets of changes of names that may survive: each with the earlier ones that it depends on."""
    for flags in product((True, False), repeat=len(changes)):
        subset = [change for change, flag in zip(changes, flags, strict=True) if flag]
        lost = [(place, change) for place, change in enumerate(changes) if not flags[place]]
        if not any(
            flag and any(place < later and depends(changes[later], change) for place, change in lost)
            for later, flag in enumerate(flags)
        ):
            yield subset


def iter_surviving_lines(content) -> Iterator[tuple]:
    """Yield the lines of a file that may survive, without duplicates."""
    survivors = {content.durable}
    states = {content.durable}
    for change in content.unflushed:
        if isinstance(change, int):
            states = {lines[:change] for lines in states}
        else:
            states = {(*lines, line) for lines in states for line in (change, RUBBISH)}
        survivors |= states
    return iter(sorted({merge_rubbish(lines) for lines in survivors}, key=repr))


def merge_rubbish(lines):
    """Return the lines with rubbish at the end counted once, since it may look like a single line."""
    while lines[-2:] == (RUBBISH, RUBBISH):
        lines = lines[:-1]
    return lines
