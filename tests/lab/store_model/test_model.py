"""The model of the store: it holds in every state, planted faults are found, and the store makes the model's calls."""

import os
from contextlib import contextmanager
from unittest.mock import ANY

import msgspec
import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import archive_index, erasure, home_folder, paths, profiles, sessions, settings, summaries
from cardtable.store.settings import Settings
from tests.budgets import LONG
from tests.lab.store_model import model
from tests.lab.store_model.disk import RUBBISH, DiskError, Failure, File, Status
from tests.lab.store_model.faults import Delay, EarlyUnlock, Omission
from tests.lab.store_model.model import ARCHIVED, PROFILES, UNFINISHED, Process
from tests.lab.store_model.scenarios import (
    FINISHED_LINES,
    SCENARIOS,
    UNFINISHED_LINES,
    abandon,
    begin_and_play,
    bid,
    finish,
    make_disk,
    make_program,
    restore,
    start,
)
from tests.lab.store_model.search import Search
from tests.store.playing import NOW, create_finished_journal, split_lines
from tests.store.processes import get_ended_pid
from tests.store.system_calls import recording

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.mark.parametrize("name", BY_NAME)
def test_model_holds_in_every_state(name):
    result = Search(BY_NAME[name], failures=2 if LONG else 1).run()
    assert result.counterexample is None, str(result.counterexample)
    assert result.states > 500


JOURNAL, STATUS_CHECK = "journal_file._StoredFile", lambda locked: Status(locked and locked.inode, 0, 0)
PLANTED = {
    "a new file is not flushed":
        (Omission("atomic_io.write_new", "flush"), "save a profile | save a profile", "half a file"),
    "a new file is flushed after the rename":
        (Delay("atomic_io.write_new", "flush", until="rename"), "save a profile | read", "half a file"),
    "a new file is written after the rename":
        (Delay("atomic_io.write_new", "write", "flush", until="rename"), "save a profile | read", "half a file"),
    "the folder is not flushed after a rename":
        (Omission("atomic_io.sync_folder", "flush"), "begin a session", "session S.jsonl is lost"),
    "a line is not flushed":
        (Omission("atomic_io.flush", "flush"), "play | play", "acknowledged lines are lost"),
    "a line is acknowledged before it is flushed":
        (Delay("atomic_io.flush", "flush", until="note"), "play | play", "acknowledged lines are lost"),
    "the lock of a journal is ignored":
        (Omission("atomic_io.lock", "lock", result=True), "play | play", "reports EBUSY"),
    "the lock of a journal is released before it is written":
        (EarlyUnlock(before="write"), "play | play", "two programs write one session"),
    "the lock of the home is released before the file is replaced":
        (EarlyUnlock(before="rename"), "save a profile | save a profile", "has lost"),
    "a replaced journal is not noticed":
        (Omission("atomic_io.open_locked", "stat", result=STATUS_CHECK), "erase | play", "reports EBUSY"),
    "a torn line is not cut off":
        (Omission(f"{JOURNAL}._truncate", "truncate"), "play | play after a torn line", "reports EBUSY"),
    "what a killed program has written is not flushed":
        (Omission(f"{JOURNAL}.read", "flush"), "play | play", "damaged"),
    "the name of a found folder is not flushed":
        (Omission("paths.sync_folder_name", "flush"), "begin two sessions in a new home", "is lost"),
    "a finished session is moved without its lock":
        (Omission("atomic_io.lock", "lock", result=True), "finish | start", "reports ENOENT"),
    "an original is deleted before its copy is durable":
        (Omission("atomic_io.remove_copy", "flush"), "abandon to another disk | start", "is lost"),
    "the original goes first when a file is moved to another disk":
        (Delay("atomic_io.replace", "rename", until="unlink"), "abandon to another disk | start", "is lost"),
    "temporary files of running programs are deleted":
        (Omission("home_folder._is_possibly_running", "kill", result=False), "begin a session | start",
         "reports ENOENT"),
    "facts of a changing journal are kept in the index":
        (Omission("archive_index.flush_unchanged", "flush"), "list the archive | play", "the index is wrong"),
    "a removed backup is not durable":
        (Omission("erasure.remove_backup", "flush"), "erase | play", "erased person"),
    "facts that were erased are written to the index":
        (Omission("archive_index.FileCache._is_current", "stat", result=ANY), "erase | list the archive",
         "names an erased person"),
}  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED)
def test_planted_fault_is_found(planted):
    fault, scenario, violation = PLANTED[planted]
    counterexample = Search(BY_NAME[scenario], fault).run().counterexample
    assert counterexample is not None
    assert violation in counterexample.violation
    assert str(counterexample).splitlines()[1].startswith("  program ")


NOT_MODELLED = {
    "credit_ledger.pay_out",
    "erasure._contains",  # reports about the erasure
    "erasure._find_free_number",
    "paths.is_in_archive",
    "profiles.add_profile_ids",
    "profiles.get_player_key",
    "player_progress.ProgressStore.remove_player",  # as profiles.json
    "session_files.read_first_line",  # the order of the sessions
    "summaries._get_fingerprint",
    "summaries._read_last_played",
    "tournaments.convert_people",
}
"""Functions whose calls are no part of the model: they decide nothing about the files of the model."""
CALLS_NOT_MODELLED = {
    ("atomic_io.open_regular", "stat"),  # links
    ("atomic_io.resolve_links", "stat"),
    ("home_folder.remove_stale_files", "stat"),
    ("atomic_io.sync_folder", "open"),  # a folder is opened to flush it
}
OTHER_FILES = ("archive/figures.jsonl", "lessons.json", "puzzles.json", "tournaments.json")
"""Files that are written as others of the model are."""


def list_model_calls(program, disk):
    """Return the calls of a program that runs alone."""
    disk = disk.start(0)
    calls, running, result = [], program(Process(0)), None
    number = 0
    try:
        while True:
            call = running.throw(DiskError(result.error)) if isinstance(result, Failure) else running.send(result)
            result = None
            if call.name != "note":
                disk, result = disk.execute(0, number, call)
            number += 1
            if call.target == "trust" or (call.name == "stat" and isinstance(call.target, File)):
                continue
            path = f"{call.path} -> {call.value}" if call.name == "rename" else call.path
            calls.append((call.function, call.name, "" if call.name == "note" else path))
    except StopIteration:
        return calls


def list_store_calls(recorder):
    """Return the recorded calls that the model has; a file that is read or written in several blocks counts once."""
    calls = []
    for call in recorder.calls:
        is_skipped = (
            NOT_MODELLED & {*call.functions}
            or call.path.startswith(OTHER_FILES)
            or (call.functions and (call.functions[0], call.name) in CALLS_NOT_MODELLED)
            or (call.name in ("read", "write") and call in calls[-2:])
        )
        if not is_skipped:
            calls.append(call)
    return calls


@contextmanager
def modelled(program, files, id_="", **disk):
    """Assert that the store makes the calls of a program of the model, in the functions that the model names."""
    with recording(**({"S": id_} if id_ else {})) as recorder:
        yield recorder
    compare(recorder, program, make_disk(files, **disk))


def compare(recorder, program, disk):
    """Assert that these are the calls of a program of the model, in the functions that the model names."""
    expected = list_model_calls(program, disk)
    made = list_store_calls(recorder)
    assert [(call.name, call.path) for call in made] == [(name, path) for _, name, path in expected]
    for call, (function, name, path) in zip(made, expected, strict=True):
        assert not function or function in call.functions, f"{name} {path}"


@pytest.fixture(autouse=True)
def usual_user(monkeypatch):
    """Root looks at the owner of the home first."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


@pytest.fixture
def folders(short):
    """The folders of the home, which exist."""
    for folder in (paths.sessions_folder(), paths.archive_folder()):
        paths.create_folder(folder)


def create_open_session(nick="Anna"):
    """Create a session with a header and a deal, and return its path."""
    rules = GAMES["rikiki"].options()
    seats = (Occupant(nick), *[Occupant(robot, "random") for robot in ("Ada", "Bob", "Cy")])
    session = sessions.create(GAMES["rikiki"], seats, rules, 7, now=NOW)
    session.referee.advance()
    session.close()
    return session.path


def create_finished_session(folder, *, without_end=False):
    """Create a session that is over, and put its file into a folder; ``without_end`` leaves out its last line."""
    data = create_finished_journal()
    (path,) = paths.archive_folder().glob("2*.jsonl")
    path.unlink()
    new_path = folder / path.name
    new_path.write_bytes(b"".join(split_lines(data)[:-1]) if without_end else data)
    return new_path


def test_store_makes_the_calls_of_a_new_session(short):
    paths.create_folder(paths.home())
    id_ = "20261120-083728-rikiki-7f3a"
    game = GAMES["rikiki"]
    with modelled(begin_and_play, {}, id_, folders=()) as recorder:
        rules = game.options()
        session = sessions.create(game, [Occupant("Ada", "random")] * 4, rules, 7, now=NOW, id_=id_)
        recorder.note()
        session.referee.advance()
        recorder.note()
        session.referee.say("undo")
        recorder.note()
        session.close()


@pytest.mark.parametrize("torn", [b"", b'{"sea'])
def test_store_makes_the_calls_of_resuming(folders, torn):
    path = create_open_session()
    with path.open("ab") as file:
        file.write(torn)
    with modelled(bid, {UNFINISHED: (*UNFINISHED_LINES, RUBBISH) if torn else UNFINISHED_LINES}, path.stem) as recorder:
        session = sessions.resume(path)
        session.referee.say("on")
        recorder.note()
        session.close()


def test_store_makes_the_calls_of_taking_back(folders):
    path = create_open_session()
    session = sessions.resume(path)
    session.referee.play(session.referee.turn, session.referee.state.legal()[0])
    session.close()
    with modelled(bid, {UNFINISHED: UNFINISHED_LINES}, path.stem) as recorder:
        session = sessions.resume(path)
        session.referee.undo(1)
        recorder.note()
        session.close()


def test_store_makes_the_calls_of_a_locked_session(folders):
    path = create_open_session()
    session = sessions.resume(path)
    with recording(S=path.stem) as recorder:
        assert sessions.resume(path).read_only_reason
    disk = make_disk({UNFINISHED: UNFINISHED_LINES})
    session.close()
    compare(recorder, bid, disk._replace(locks=frozenset({File((-1, 0), UNFINISHED, 1, 0)})))


def test_store_makes_the_calls_of_the_end(folders):
    path = create_finished_session(paths.sessions_folder(), without_end=True)
    with modelled(finish, {UNFINISHED: UNFINISHED_LINES}, path.stem) as recorder:
        session = sessions.resume(path)
        assert session.referee.ended
        recorder.note()
        session.referee.say("well played")
        recorder.note()
        session.close()


def test_store_makes_the_calls_of_abandoning_and_restoring(folders):
    path = create_open_session()
    with modelled(abandon, {UNFINISHED: UNFINISHED_LINES}, path.stem) as recorder:
        archived = sessions.abandon(path)
        recorder.note()
    with modelled(restore, {ARCHIVED: UNFINISHED_LINES}, path.stem) as recorder:
        sessions.restore(archived)
        recorder.note()


def test_store_makes_the_calls_of_a_move_to_another_disk(folders, two_disks):
    path = create_open_session()
    with modelled(abandon, {UNFINISHED: UNFINISHED_LINES}, path.stem, is_split=True) as recorder:
        sessions.abandon(path)
        recorder.note()


@pytest.mark.parametrize(
    ("files", "prepare"),
    [
        ({UNFINISHED: UNFINISHED_LINES}, create_open_session),
        ({UNFINISHED: FINISHED_LINES}, lambda: create_finished_session(paths.sessions_folder())),
    ],
    ids=["unfinished", "finished"],
)
def test_store_makes_the_calls_of_a_start(folders, files, prepare):
    path = prepare()
    ended = str(get_ended_pid())
    path.with_name(f"{path.name}.{ended}.new").write_bytes(b"")
    with recording(**{"S": path.stem, "7": ended}) as recorder:
        home_folder.remove_stale_files()
        summaries.list_unfinished()
    compare(recorder, start, make_disk({**files, f"{UNFINISHED}.7.new": ()}))


def test_store_makes_the_calls_of_a_session_in_both_folders(folders):
    path = create_open_session()
    (paths.archive_folder() / path.name).write_bytes(split_lines(path.read_bytes())[0])
    with modelled(start, {UNFINISHED: UNFINISHED_LINES, ARCHIVED: UNFINISHED_LINES[:1]}, path.stem):
        home_folder.remove_stale_files()
        summaries.list_unfinished()


def test_store_makes_the_calls_of_a_profile(home):
    profiles.register("Bob")
    with modelled(make_program(model.save_profile, "Cara"), {PROFILES: (frozenset({"Bob"}),)}) as recorder:
        profiles.PROFILES.update(lambda store: msgspec.structs.replace(store, signed_in=None))
        recorder.note()


def test_store_makes_the_calls_of_settings(home):
    settings.save(Settings(), Settings(robot_pace=1.0))
    with modelled(make_program(model.save_settings, "b"), {model.SETTINGS: (frozenset({"a"}),)}) as recorder:
        settings.save(Settings(), Settings(robot_pace=1.5))
        recorder.note()


def test_store_makes_the_calls_of_the_index(folders):
    path = create_finished_session(paths.archive_folder())
    with recording(S=path.stem) as recorder:
        archive_index.list_summaries()
    disk = make_disk({ARCHIVED: FINISHED_LINES})
    compare(recorder, model.list_summaries, disk)
    path.write_bytes(path.read_bytes() + b" ")
    with recording(S=path.stem) as recorder:
        archive_index.list_summaries()
    row = model.Row(ARCHIVED, Status((-1, 0), 1, 0), ())
    compare(recorder, model.list_summaries, make_disk({ARCHIVED: FINISHED_LINES, model.INDEX: (model.HEAD, row)}))


def test_store_makes_the_calls_of_an_erasure(folders):
    profiles.register("Anna")
    path = create_open_session("Anna")
    archive_index.list_summaries()
    with recording(S=path.stem) as recorder:
        erasure.erase_sessions("Anna")
        erasure.erase_profile("Anna")
        recorder.note()
    row = model.Row(UNFINISHED, Status((-1, 0), 2, 0), UNFINISHED_LINES)
    files = {UNFINISHED: UNFINISHED_LINES, PROFILES: (frozenset({"Anna"}),), model.INDEX: (model.HEAD, row)}
    compare(recorder, model.erase, make_disk(files))
