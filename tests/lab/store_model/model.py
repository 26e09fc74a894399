"""Model of the store: each operation as the system calls that the functions of ``cardtable.store`` make.

A function of this file has the name of the function that it stands for. It yields the calls in order, receives their
results, and decides by nothing else. ``test_model.py`` compares the calls with those of the store.
"""

from contextlib import suppress
from typing import NamedTuple
from zlib import crc32

from tests.lab.store_model.disk import RUBBISH, Call, DiskError, Status

SESSION = "S.jsonl"
UNFINISHED, ARCHIVED = f"sessions/{SESSION}", f"archive/{SESSION}"
SESSION_FOLDERS = ("sessions", "archive")
INDEX = "archive/index.jsonl"
PROFILES = "profiles.json"
SETTINGS = "settings.toml"
HEAD = "head"
"""First line of the index."""
PERSON = "Anna"
"""Name of the person to erase."""
HEADER = f"header {PERSON}"
END = "end"
"""Label of the line that ends a session."""


class Process:
    """Running program: its number, and what it remembers outside of its functions."""

    def __init__(self, number):
        self.number = number
        self.synced_folders = {"home"}
        """Folders whose names it has flushed; the parent of the home is not part of the model."""


class Violation(AssertionError):
    """Something that must hold does not."""


class Line(NamedTuple):
    """Line of a journal."""

    label: str
    crc: int
    """Checksum of this line and all before it."""
    names_person: bool = False
    """True if the line has the name of the person to erase."""


class Damaged(Exception):
    """Error for a journal that is damaged before its last line."""


def acknowledge(*acknowledgement):
    """Return the note that something counts: a line, a value, the place of a session, or the erasure of a person."""
    return Call("", "note", "acknowledge", acknowledgement)


def seal(lines, *added):
    """Return lines to append to a journal, made from their labels."""
    crc, sealed = lines[-1].crc if lines else 0, []
    for label in added:
        crc = crc32(label.encode(), crc)
        sealed.append(Line(label, crc, PERSON in label))
    return tuple(sealed)


def make_journal(*labels):
    return seal((), *labels)


def parse(lines):
    """Return the valid lines of a journal; an invalid last line is left out. Raises ``Damaged``."""
    crc = 0
    for number, line in enumerate(lines):
        if not isinstance(line, Line) or line.crc != crc32(line.label.encode(), crc):
            if number + 1 < len(lines):
                raise Damaged
            return lines[:-1]
        crc = line.crc
    return lines


def is_over(lines):
    return any(line.label == END for line in lines)


# cardtable.store.atomic_io


def read(path):
    file = yield Call("atomic_io.open_regular", "open", path)
    return (yield Call("atomic_io.read_first", "read", file))


def flush(file):
    yield Call("atomic_io.flush", "flush", file)


def lock(file):
    return (yield Call("atomic_io.lock", "lock", file))


def unlock_and_close(file):
    yield Call("atomic_io.unlock_and_close", "unlock", file)


def append(path, lines):
    file = yield Call("atomic_io.append", "open", path)
    yield Call("atomic_io.append", "write", file, lines)


def sync_folder(folder):
    yield Call("atomic_io.sync_folder", "flush", folder)


def write_new(path, lines):
    file = yield Call("atomic_io.write_new", "open", path, "new")
    if lines:
        yield Call("atomic_io.write_new", "write", file, lines)
    yield Call("atomic_io.write_new", "flush", file)


def write_beside(path, suffix, lines):
    number = 1
    while True:
        target = path.replace(".jsonl", suffix if number == 1 else f".{number}{suffix}")
        try:
            yield from write_new(target, lines)
        except DiskError:
            number += 1
        else:
            yield from sync_folder(get_parent(path))
            return


def write_temp(process, path, lines):
    target = yield from prepare_temp_path(process, path)
    yield from write_new(target, lines)
    return target


def prepare_temp_path(process, path):
    target = f"{path}.{process.number}.new"
    with suppress(DiskError):
        yield Call("atomic_io._prepare_temp_path", "unlink", target)
    return target


def replace(temp_path, path):
    yield Call("atomic_io.replace", "rename", temp_path, path)


def write_atomically(process, path, lines):
    yield from replace((yield from write_temp(process, path, lines)), path)
    yield from sync_folder(get_parent(path))


def write_personal(process, path, lines):
    if (yield Call("atomic_io.write_personal", "stat", path)):
        old = yield from read(path)
        yield from write_atomically(process, f"{path}.bak", old)
    yield from write_atomically(process, path, lines)


def move(process, path, folder, *, locked=None):
    target, opened = f"{folder}/{get_name(path)}", []
    try:
        if locked is None:
            locked = yield from open_locked(path, opened)
            yield from flush(locked)
        if (yield Call("atomic_io.move", "stat", target)):
            if not (yield from remove_copy(path, target, locked=locked)):
                raise DiskError("EEXIST")
            yield from close_all(opened)
            return target
        try:
            yield Call("atomic_io.move", "rename", path, target)
        except DiskError as error:
            if error.args != ("EXDEV",):
                raise
            yield from move_across(process, path, target, locked)
    except DiskError:
        yield from close_all(opened)
        raise
    yield from close_all(opened)
    yield from sync_folder(folder)
    yield from sync_folder(get_parent(path))
    return target


def move_across(process, path, target, source):
    written = yield from prepare_temp_path(process, target)
    copy = yield Call("atomic_io._move_across", "open", written, "new")
    yield from lock(copy)
    lines = yield Call("atomic_io._move_across", "read", source)
    yield Call("atomic_io._move_across", "write", copy, lines)
    yield Call("atomic_io._move_across", "flush", copy)
    yield from replace(written, target)
    yield from sync_folder(get_parent(target))
    yield Call("atomic_io._move_across", "unlink", path)
    yield from unlock_and_close(copy)


def remove_copy(path, other, *, locked=None):
    path_status, other_status = (
        (yield Call("atomic_io.remove_copy", "stat", path)),
        (yield Call("atomic_io.remove_copy", "stat", other)),
    )
    if not path_status or not other_status:
        raise DiskError("ENOENT")
    opened = []
    try:
        first = locked or (yield from open_locked(path, opened))
        second = yield from open_locked(other, opened)
        size = (yield Call("atomic_io.remove_copy", "stat", first)).size
        is_copy = size <= (yield Call("atomic_io.remove_copy", "stat", second)).size
        if is_copy:
            one = yield Call("atomic_io._iter_blocks", "read", first)
            two = yield Call("atomic_io._iter_blocks", "read", second)
            is_copy = two[: len(one)] == one
        if is_copy:
            yield Call("atomic_io.remove_copy", "flush", second)
            yield Call("atomic_io.remove_copy", "flush", get_parent(other))
            yield Call("atomic_io.remove_copy", "unlink", path)
    except DiskError:
        yield from close_all(opened)
        raise
    yield from close_all(opened)
    if is_copy:
        yield from sync_folder(get_parent(path))
    return is_copy


def open_locked(path, opened):
    file = yield Call("atomic_io.open_locked", "open", path)
    opened.append(file)
    if not (yield from lock(file)):
        raise DiskError("EAGAIN")
    status = yield Call("atomic_io.open_locked", "stat", path)
    if status is None or status.inode != file.inode:
        raise DiskError("EBUSY" if status else "ENOENT")
    return file


def close_all(opened):
    for file in reversed(opened):
        yield from unlock_and_close(file)


def get_parent(path):
    return path.rpartition("/")[0] or "home"


def get_name(path):
    return path.rpartition("/")[2]


def is_journal(path):
    """Return True for the path of a session in one of the session folders."""
    return path.startswith(("sessions/", "archive/")) and path.endswith(".jsonl") and path != INDEX


def names_person(line):
    """Return True if a line of a journal, of the index or of the profiles has the name of the person to erase."""
    if isinstance(line, Row):
        return any(map(names_person, line.facts))
    return line.names_person if isinstance(line, Line) else isinstance(line, frozenset) and PERSON in line


# cardtable.store.paths


def create_folder(process, folder):
    if (yield Call("paths.create_folder", "stat", folder)):
        yield from sync_folder_name(process, folder)
        return
    yield from create_folder(process, get_parent(folder))
    with suppress(DiskError):
        yield Call("paths.create_folder", "mkdir", folder)
    yield from sync_folder(get_parent(folder))
    process.synced_folders.add(folder)


def sync_folder_name(process, folder):
    if folder not in process.synced_folders:
        yield Call("paths.sync_folder_name", "flush", get_parent(folder))
        process.synced_folders.add(folder)


# cardtable.store.journal_file


class JournalFile:
    """Journal that a process has open; the attributes have the names of the store's class."""

    def __init__(self, process, path, lines=()):
        self.process, self.path, self.data = process, path, lines
        self.read_only = self.is_created = False
        self.file = None
        self.saved = 0
        self.torn_tail = ()
        self.size = 0

    def open(self):
        opened = []
        try:
            self.file = yield from open_locked(self.path, opened)
        except DiskError:
            yield from close_all(opened)
            raise

    def open_locked(self):
        try:
            yield from self.open()
        except DiskError as error:
            if error.args != ("EAGAIN",):
                raise
            self.read_only = True
            self.data = yield from read(self.path)
        else:
            self.data = yield Call("journal_file._StoredFile.read", "read", self.file)
            yield Call("journal_file._StoredFile.read", "flush", self.file)
            yield Call("journal_file._StoredFile.read", "flush", get_parent(self.path))
            yield from sync_folder_name(self.process, get_parent(self.path))
        self.saved = self.size = len(self.data)
        self.is_created = True

    def close(self):
        if self.file:
            yield from unlock_and_close(self.file)
            self.file = None

    def append(self, *labels):
        self.data += seal(self.data, *labels)
        yield from self.save()

    def save(self):
        """Raises ``DiskError`` where the store sets ``save_error``."""
        if not self.is_created:
            yield from self.write_whole()
            yield from self.open()
            return
        if self.file is None:
            yield from self.open()
        yield from self.check_unchanged()
        if self.torn_tail:
            yield from write_beside(self.path, ".torn", self.torn_tail)
            self.torn_tail = ()
        if self.size > self.saved:
            yield Call("journal_file._StoredFile._truncate", "truncate", self.file, self.saved)
            self.size = self.saved
            yield from flush(self.file)
        while self.saved < len(self.data):
            yield Call("journal_file._StoredFile._write", "write", self.file, self.data[self.saved : self.saved + 1])
            yield from flush(self.file)
            self.saved = self.size = self.saved + 1

    def check_unchanged(self):
        status = yield Call("journal_file._StoredFile._check_unchanged", "stat", self.path)
        if status is None:
            raise DiskError("ENOENT")
        if status.inode != self.file.inode or status.size != self.size:
            raise DiskError("EBUSY")
        lines = yield Call("journal_file._StoredFile._check_unchanged", "read", self.file)
        if lines[: self.saved] != self.data[: self.saved]:
            raise DiskError("EBUSY")

    def write_whole(self):
        yield from create_folder(self.process, get_parent(self.path))
        if (yield Call("journal_file.JournalFile._write_whole", "stat", self.path)):
            raise DiskError("EEXIST")
        temp = yield from write_temp(self.process, self.path, self.data)
        yield from replace(temp, self.path)
        yield from sync_folder(get_parent(self.path))
        self.is_created = True
        self.saved = self.size = len(self.data)

    def move(self, folder):
        yield from create_folder(self.process, folder)
        self.path = yield from move(self.process, self.path, folder, locked=self.file)
        status = yield Call("journal_file._StoredFile.move", "stat", self.path)
        if self.file and status.inode != self.file.inode:
            yield from self.close()


def open_journal(process, path):
    """Return the open journal of a session that can be continued, or ``None``."""
    file = JournalFile(process, path)
    try:
        yield from file.open_locked()
    except DiskError:
        return None
    lines = parse(file.data)
    if file.read_only or is_over(lines):
        yield from file.close()
        return None
    return file


# cardtable.store.sessions


def create(process, path=UNFINISHED):
    """Begin a session; it counts when the call returns."""
    file = JournalFile(process, path, make_journal(HEADER))
    yield from file.save()
    yield acknowledge("line", get_name(path), HEADER)
    return file


def resume(process, path=UNFINISHED):
    """Continue a session; return ``None`` if another program has it, or if it is not there or over."""
    file = yield from open_journal(process, path)
    if file:
        lines = parse(file.data)
        file.torn_tail, file.data, file.saved = file.data[len(lines) :], lines, len(lines)
        yield from file.save()
    return file


def record(file, label):
    """Record a line. A decision, an undo and the end are lines alike."""
    yield from file.append(label)
    if label == END:
        with suppress(DiskError):  # the next listing tries it again
            yield from file.move("archive")
    yield acknowledge("line", get_name(file.path), label)


def close(file):
    yield from file.save()
    yield from file.close()


def move_journal(process, path, folder):
    """Abandon or restore a session, if no other program has it open."""
    file = JournalFile(process, path)
    try:
        yield from file.open_locked()
    except DiskError:
        return
    if not file.read_only:
        yield from file.move(folder)
        yield from file.close()
        yield acknowledge("place", get_name(file.path))


# cardtable.store.summaries


def list_journals(folder):
    entries = yield Call("paths.list_files", "list", folder)
    return [path for path, _ in entries or () if path.endswith(".jsonl") and path != INDEX]


def finish_moves():
    for path in (yield from list_journals("sessions")):
        archived = f"archive/{get_name(path)}"
        if (yield Call("summaries.finish_moves", "stat", archived)):
            try:
                if not (yield from remove_copy(path, archived)):
                    yield from remove_copy(archived, path)
            except DiskError:
                pass


def list_unfinished(process):
    yield from finish_moves()
    journals = yield from list_journals("sessions")
    archived = yield Call("summaries._iter_unfinished_files", "list", "archive")
    unfinished = []
    for path in journals:
        copy = f"archive/{get_name(path)}"
        if copy in [other for other, _ in archived]:
            own, other = (yield from read_copy(path)), (yield from read_copy(copy))
            if own is None or (other is not None and is_archived_current(own, other)):
                continue
        try:
            lines = parse((yield from read(path)))
            if not is_over(lines):
                unfinished.append(path)
            else:
                yield from create_folder(process, "archive")
                yield from move(process, path, "archive")
        except DiskError:
            pass
    return unfinished


def read_copy(path):
    try:
        return parse((yield from read(path)))
    except (DiskError, Damaged):
        return None


def is_archived_current(unfinished, archived):
    """Return True if ``summaries._choose_between_folders`` chooses the file in the archive."""
    if is_over(archived):
        return unfinished == archived or unfinished[: len(archived)] != archived
    return len(archived) > len(unfinished) and archived[: len(unfinished)] == unfinished


# cardtable.store.home_folder


def remove_stale():
    drafts = []
    for folder in ("home", "sessions", "archive"):
        entries = yield Call("paths.list_files", "list", folder)
        drafts += [path for path, _ in entries if path.endswith(".new")]
    for path in drafts:
        number = int(path.split(".")[-2])
        if not (yield Call("home_folder._is_possibly_running", "kill", number)):
            with suppress(DiskError):
                yield Call("home_folder.remove_stale_files", "unlink", path)


# cardtable.store.json_file, profiles and settings


def hold_home_lock(process):
    yield from create_folder(process, "home")
    file = yield Call("json_file.home_lock", "open", "home.lock", "create")
    yield Call("json_file.home_lock", "lock", file, "wait")
    return file


def read_value(path):
    """Return the value of a file that is replaced as a whole: a set of strings, empty if there is no file."""
    try:
        lines = yield from read(path)
    except DiskError:
        return frozenset()
    if len(lines) != 1 or lines == (RUBBISH,):
        raise Violation(f"{path} is half a file")
    return lines[0]


def change_profiles(process, update):
    locked = yield from hold_home_lock(process)
    value = yield from read_value(PROFILES)
    changed = update(value)
    if changed != value:
        yield from write_personal(process, PROFILES, (changed,))
    yield from unlock_and_close(locked)


def save_profile(process, name):
    yield from change_profiles(process, lambda value: value | {name})
    yield acknowledge("value", PROFILES, name)


def save_settings(process, name):
    locked = yield from hold_home_lock(process)
    value = yield from read_value(SETTINGS)
    yield from create_folder(process, "home")
    yield from write_personal(process, SETTINGS, (value | {name},))
    yield from unlock_and_close(locked)
    yield acknowledge("value", SETTINGS, name)


# cardtable.store.archive_index


class Row(NamedTuple):
    """Facts about a journal in the index."""

    path: str
    status: Status
    facts: tuple


def list_summaries(process):
    """List the archive, and save what is new in its index."""
    try:
        head, *lines = (yield from read(INDEX)) or [None]
    except DiskError:
        head, lines = None, []
    rows = {line.path: line for line in lines if isinstance(line, Row)} if head == HEAD else {}
    size = 1 + len(lines) if head == HEAD and len(rows) == len(lines) else None
    yield from finish_moves()
    files = []
    for folder in ("archive", "sessions"):
        listed = yield Call("archive_index._list_files", "list", folder)
        files += [(path, status) for path, status in listed if path.endswith(".jsonl") and path != INDEX]
    gone = rows.keys() - {path for path, _ in files}
    for path in gone:
        del rows[path]
    size = None if gone else size
    new = []
    for path, status in files:
        if path in rows and rows[path].status == status:
            yield Call("", "note", "trust", rows[path])
            continue
        try:
            row = Row(path, status, parse((yield from read(path))))
        except DiskError:
            continue
        if (yield from flush_unchanged(path, status)):
            rows[path] = row
            new.append(row)
    if new or gone:
        yield from save_cache(process, size, rows, new)


def flush_unchanged(path, status):
    try:
        file = yield Call("archive_index.flush_unchanged", "open", path)
        current = yield Call("archive_index.flush_unchanged", "stat", file)
        yield Call("archive_index.flush_unchanged", "flush", file)
    except DiskError:
        return False
    return current == status


def save_cache(process, size, rows, new):
    locked = yield from hold_home_lock(process)
    status = size and (yield Call("archive_index.FileCache.save", "stat", INDEX))
    is_appended = status and status.size == size
    current = []
    for row in new if is_appended else rows.values():
        file_status = yield Call("archive_index.FileCache._is_current", "stat", row.path)
        current += [row] if file_status == row.status else []
    if is_appended:
        yield from append(INDEX, tuple(current))
    else:
        yield from create_folder(process, "archive")
        yield from write_atomically(process, INDEX, (HEAD, *current))
    yield from unlock_and_close(locked)


# cardtable.store.erasure


def erase(process):
    """Erase the person, as the host's administrator does. It counts unless a session is open in another program."""
    yield from read_value(PROFILES)
    busy = False
    for path in [*(yield from list_journals("sessions")), *(yield from list_journals("archive"))]:
        try:
            busy = (yield from erase_in_file(process, path)) or busy
        except DiskError:
            return
    if busy:
        return
    for folder in ("sessions", "archive"):
        yield Call("erasure._iter_leftovers", "list", folder)
    yield Call("home_folder.list_copies", "list", "home")
    locked = yield from hold_home_lock(process)
    if (yield Call("erasure.erase_sessions", "stat", INDEX)):
        yield from write_atomically(process, INDEX, ())
    yield from unlock_and_close(locked)
    yield from change_profiles(process, lambda value: value - {PERSON})
    if (yield Call("erasure.remove_backup", "stat", f"{PROFILES}.bak")):
        yield Call("erasure.remove_backup", "unlink", f"{PROFILES}.bak")
        yield Call("erasure.remove_backup", "flush", "home")
    yield acknowledge("erased", PERSON)


def erase_in_file(process, path):
    """Return True if another program has the file open."""
    old = yield from read(path)
    lines = parse(old)
    if not any(line.names_person for line in lines):
        return False
    new = make_journal(*[line.label.replace(PERSON, "Erased") for line in lines])
    file = yield Call("erasure._erase_in_file", "open", path)
    try:
        is_busy = not (yield from lock(file)) or (yield from read(path)) != old
        if not is_busy:
            yield from write_atomically(process, path, new)
    except DiskError:
        yield from unlock_and_close(file)
        raise
    yield from unlock_and_close(file)
    return is_busy
