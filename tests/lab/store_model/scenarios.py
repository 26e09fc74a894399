"""Scenarios of the model: programs that run on one home at the same time, and what is on the disk at the beginning."""

from collections.abc import Callable, Iterator

from tests.lab.store_model.disk import FOLDER, RUBBISH, Call, Content, Disk
from tests.lab.store_model.model import (
    ARCHIVED,
    END,
    HEADER,
    PERSON,
    PROFILES,
    SESSION_FOLDERS,
    UNFINISHED,
    Process,
    close,
    create,
    erase,
    list_summaries,
    list_unfinished,
    make_journal,
    move_journal,
    read_value,
    record,
    remove_stale,
    resume,
    save_profile,
    save_settings,
)
from tests.lab.store_model.search import Program, Scenario

UNFINISHED_LINES = make_journal(HEADER, "bid 0")
FINISHED_LINES = make_journal(HEADER, "bid 0", END)


def make_program(operation: Callable[..., Iterator[Call]], *arguments: str) -> Program:
    """Return the program that does one operation."""

    def program(process: Process) -> Iterator[Call]:
        yield from operation(process, *arguments)

    return program


def start(process):
    """Tidy up and list the tables, as a program does when it is started."""
    yield from remove_stale()
    return (yield from list_unfinished(process))


def start_and_play(process):
    """Start, and continue the session."""
    for path in (yield from start(process)):
        yield from play(process, path, f"again {process.number}")


def list_and_play(process):
    """List the archive from the index, start, and continue the session."""
    yield from list_summaries(process)
    yield from start_and_play(process)


def play_on(process, *labels):
    """Continue the session, if possible, and record lines."""
    yield from play(process, UNFINISHED, *labels)


def play(process, path, *labels):
    file = yield from resume(process, path)
    if file:
        for label in labels:
            yield from record(file, label)
        yield from close(file)


def begin_and_play(process):
    """Begin a session; decide, and take the decision back."""
    file = yield from create(process)
    yield from record(file, "bid 1")
    yield from record(file, "undo 1")
    yield from close(file)


def read_profiles(_process):
    yield from read_value(PROFILES)
    yield from read_value(f"{PROFILES}.bak")


def make_disk(files, folders=SESSION_FOLDERS, *, is_split=False):
    """Return a disk with files that are durable. ``files`` maps their paths to their lines."""
    contents = [((-1, number), Content(lines, lines)) for number, lines in enumerate(files.values())]
    names = {path: (-1, number) for number, path in enumerate(files)} | dict.fromkeys(("home", *folders), FOLDER)
    return Disk(tuple(contents), tuple(sorted(names.items())), is_split=is_split)


EMPTY = make_disk({})
UNFINISHED_SESSION = make_disk({UNFINISHED: UNFINISHED_LINES})
TWO_DISKS = make_disk({UNFINISHED: UNFINISHED_LINES}, is_split=True)
SESSION_OF_PERSON = make_disk({UNFINISHED: UNFINISHED_LINES, PROFILES: (frozenset({PERSON}),)})
abandon = make_program(move_journal, UNFINISHED, "archive")
restore = make_program(move_journal, ARCHIVED, "sessions")
bid = make_program(play_on, "bid a")
finish = make_program(play_on, END, "well played")


def make_scenario(name: str, disk: Disk, *programs: Program) -> Scenario:
    return Scenario(name, disk, programs, list_and_play if list_summaries in programs else start_and_play)


SCENARIOS = (
    make_scenario("begin a session", EMPTY, begin_and_play),
    make_scenario(
        "begin two sessions in a new home",
        make_disk({}, ()),
        make_program(create),
        make_program(create, "sessions/T.jsonl"),
    ),
    make_scenario("begin a session | start", EMPTY, begin_and_play, start),
    make_scenario("play | play", UNFINISHED_SESSION, bid, make_program(play_on, "bid b")),
    make_scenario(
        "play | play after a torn line",
        make_disk({UNFINISHED: (*UNFINISHED_LINES, RUBBISH)}),
        bid,
        make_program(play_on, "bid b"),
    ),
    make_scenario("finish | start", UNFINISHED_SESSION, finish, start),
    make_scenario("abandon | restore", UNFINISHED_SESSION, abandon, restore),
    make_scenario("abandon | play", UNFINISHED_SESSION, abandon, bid),
    make_scenario("restore | start", make_disk({ARCHIVED: UNFINISHED_LINES}), restore, start_and_play),
    make_scenario("start | start after a crash", make_disk({UNFINISHED: FINISHED_LINES}), start, start),
    make_scenario(
        "start | play with the session in both folders",
        make_disk({UNFINISHED: UNFINISHED_LINES, ARCHIVED: UNFINISHED_LINES[:1]}),
        start,
        bid,
    ),
    make_scenario("abandon to another disk | start", TWO_DISKS, abandon, start),
    make_scenario("finish on another disk | start", TWO_DISKS, finish, start),
    make_scenario(
        "save a profile | save a profile",
        make_disk({PROFILES: (frozenset({"Bob"}),)}),
        make_program(save_profile, "Cara"),
        make_program(save_profile, "Dan"),
    ),
    make_scenario(
        "save a profile | read",
        make_disk({PROFILES: (frozenset({"Bob"}),)}),
        make_program(save_profile, "Cara"),
        read_profiles,
    ),
    make_scenario(
        "save settings | save settings",
        EMPTY,
        make_program(save_settings, "robot_pace"),
        make_program(save_settings, "beep"),
    ),
    make_scenario("list the archive | play", UNFINISHED_SESSION, list_summaries, bid),
    make_scenario("list the archive | finish", UNFINISHED_SESSION, list_summaries, make_program(play_on, END)),
    make_scenario(
        "list the archive | list the archive", make_disk({ARCHIVED: FINISHED_LINES}), list_summaries, list_summaries
    ),
    make_scenario("erase | play", SESSION_OF_PERSON, erase, bid),
    make_scenario("erase | abandon", UNFINISHED_SESSION, erase, abandon),
    make_scenario("erase | start", make_disk({UNFINISHED: FINISHED_LINES}), erase, start),
    make_scenario("erase | list the archive", make_disk({ARCHIVED: FINISHED_LINES}), erase, list_summaries),
    make_scenario("erase | save a profile", SESSION_OF_PERSON, erase, make_program(save_profile, "Dan")),
)
