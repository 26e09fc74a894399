"""Two machines whose homes a program synchronises: every session stays, and is listed once."""

import os
from contextlib import contextmanager
from random import Random

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.store import archive_index, sessions, summaries
from tests.budgets import get_trials
from tests.store.playing import create_session, play_randomly
from tests.store.test_copies import COPY_NAMES

ACTS = 25
"""Acts of an evening."""
SYNCHRONISED_NAMES = [name for name in COPY_NAMES if "{}" in name]
INDEX_START = b'{"kept":'
"""Beginning of the archive's index, and of copies of it."""
TEMP_NAMES = (".{}.part", ".syncthing.{}.tmp", "~{}.tmp", "{}.partial", ".{}.Xy3kQz")
"""Names of files that such programs have half written."""


@contextmanager
def refused_if_both_differ():
    """Accept that a session is not moved into a folder that has another version of it."""
    try:
        yield
    except CardtableError as error:
        if "a different version of it" not in str(error):
            raise


class Machine:
    """Home of a machine."""

    def __init__(self, folder, monkeypatch):
        self.folder, self._monkeypatch = folder, monkeypatch
        folder.mkdir()

    def use(self):
        """Let the store use this home."""
        self._monkeypatch.setenv("CARDTABLE_HOME", str(self.folder))

    def read_files(self):
        """Return the content of all files, by their paths in the home."""
        return {
            path.relative_to(self.folder): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path.suffix != ".lock"
        }

    def read_journals(self):
        """Return the content of all files that are named like sessions, by their paths in the home."""
        files = self.read_files().items()
        return {
            path: data
            for path, data in files
            if path.suffix == ".jsonl" and not path.name.startswith(".") and not data.startswith(INDEX_START)
        }

    def write(self, path, data, time=None):
        """Write or delete a file, as a program that synchronises folders does: whole, by renaming."""
        target = self.folder / path
        if data is None:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(exist_ok=True)
        written = target.with_name(f".{target.name}.received")
        written.write_bytes(data)
        if time:
            os.utime(written, ns=(time, time))
        written.replace(target)


class Synchronisation:
    """Program that brings the homes of two machines to the same state, and keeps both versions of a conflict."""

    def __init__(self, machines, rng):
        self.machines, self.rng = machines, rng
        self.last = {}

    def run(self, share):
        """Bring a random share of all files to the same state.

        Files of one name in several folders go together: half a move that meets the opposite move on the other machine
        would delete both files, whatever moves them.
        """
        contents = [machine.read_files() for machine in self.machines]
        every = sorted({*contents[0], *contents[1], *self.last})
        names = sorted({path.name for path in every})
        chosen = {name for name in names if self.rng.random() < share}
        for path in every:
            if path.name in chosen:
                self._bring_together(path, *[files.get(path) for files in contents])

    def _bring_together(self, path, first, second):
        last = self.last.get(path)
        if first != last and second != last and first != second:
            first = self._solve_conflict(path, first, second)
        elif first == last:
            first = second
        for machine in self.machines:
            self._send(machine, path, first)
        self.last[path] = first

    def _solve_conflict(self, path, first, second):
        """Return the version that keeps the name; the other one gets the name of a copy on both machines."""
        if first is None or second is None:
            return second if first is None else first
        winner, loser = self.rng.sample([first, second], 2)
        copy = self._find_free_path(path)
        for machine in self.machines:
            self._send(machine, copy, loser)
        self.last[copy] = loser
        return winner

    def _find_free_path(self, path):
        """Return the path of a copy that does not exist on either machine."""
        names = [
            *self.rng.sample(SYNCHRONISED_NAMES, len(SYNCHRONISED_NAMES)),
            *[f"{{}} {number}" for number in range(3, 100)],
        ]
        paths = [path.with_name(name.format(path.stem) + path.suffix) for name in names]
        return next(free for free in paths if not any((machine.folder / free).exists() for machine in self.machines))

    def _send(self, machine, path, data):
        target = machine.folder / path
        if (target.read_bytes() if target.exists() else None) == data:
            return
        if data and self.rng.random() < 0.1:  # an earlier attempt was interrupted
            name = self.rng.choice(TEMP_NAMES).format(path.name)
            machine.write(path.with_name(name), data[: self.rng.randrange(len(data))])
        times = [(each.folder / path).stat().st_mtime_ns for each in self.machines if (each.folder / path).exists()]
        machine.write(path, data, self.rng.choice([*times, None]))


class Evening:
    """Acts on two machines, and the journals that players were told to be saved."""

    def __init__(self, machines, rng):
        self.machines, self.rng = machines, rng
        self.tool = Synchronisation(machines, rng)
        self.saved = {}
        """All saved versions of each session."""

    def act(self):
        """Do something on one of the machines, or synchronise them."""
        machine = self.rng.choice(self.machines)
        machine.use()
        acts = (self.begin, self.play, self.play, self.play, self.finish, self.abandon, self.restore)
        self.rng.choice((*acts, self.synchronise, self.synchronise, self.synchronise))()

    def synchronise(self):
        """Synchronise all files, or a part of them, as if the connection were lost."""
        self.tool.run(self.rng.choice((0.3, 1)))

    def begin(self):
        session = create_session("rikiki", self.rng.randrange(1000))
        self.play_on(session, 3)

    def play(self):
        self.continue_session(self.rng.randint(1, 4))

    def finish(self):
        self.continue_session(10_000)

    def continue_session(self, decisions):
        if listed := summaries.list_unfinished():
            session = sessions.resume(self.rng.choice(listed).path)
            self.play_on(session, decisions)

    def play_on(self, session, decisions):
        play_randomly(session.referee, self.rng, decisions)
        session.close()
        assert session.save_error is None
        self.saved.setdefault(session.header.id, set()).add(bytes(session.file.data))

    def abandon(self):
        if listed := summaries.list_unfinished():
            with refused_if_both_differ():
                sessions.abandon(self.rng.choice(listed).path)

    def restore(self):
        if listed := [each for each in archive_index.list_summaries() if each.state == "abandoned"]:
            with refused_if_both_differ():
                sessions.restore(self.rng.choice(listed).path)

    def check(self):
        """Check that nothing is lost, and that each machine lists each session once.

        Listing moves finished sessions into the archive.
        """
        journals = [machine.read_journals() for machine in self.machines]
        every_file = {data for files in journals for data in files.values()}
        for versions in self.saved.values():
            for version in versions:
                assert any(data.startswith(version) for data in every_file)
        for machine, files in zip(self.machines, journals, strict=True):
            machine.use()
            listed = archive_index.list_summaries()
            archive_index.list_copies()
            assert all(each.error is None for each in listed), [each.error for each in listed]
            assert sorted(each.id for each in listed) == sorted(
                {journal.read(data).header.id for data in files.values()}
            )
            for each in listed:
                own = each.path.read_bytes()
                assert not any(data.startswith(own) and len(data) > len(own) for data in files.values())
                assert summaries.find_path(each.id) == each.path
            assert {each.id for each in summaries.list_unfinished()} == {
                each.id for each in listed if each.state == "open"
            }
            after = machine.read_journals().values()
            assert {*after} <= {*files.values()}
            assert all(any(data.startswith(before) for data in after) for before in files.values())


def test_synchronised_homes_lose_no_session(short, tmp_path, monkeypatch):
    for number in range(get_trials("synchronised")):
        rng = Random(f"synchronised {number}")
        monkeypatch.setattr(os, "urandom", rng.randbytes)  # ids of sessions
        machines = [Machine(tmp_path / f"{name}{number}", monkeypatch) for name in "ab"]
        evening = Evening(machines, rng)
        for act in range(ACTS):
            try:
                evening.act()
                evening.check()
            except (AssertionError, CardtableError) as error:
                error.add_note(f"evening {number}, act {act}")
                raise
