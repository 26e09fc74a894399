"""``play`` and ``resume``: the session and the flags with which the program opens."""

import itertools
import json
from pathlib import Path

import pytest

from cardtable.cli import launch
from tests.cli.playing import PEOPLE, write_session
from tests.journal_times import set_last_played

NEWER, OLDER = "20261120-083728-rikiki-7f3a", "20261119-193200-rikiki-11bb"


@pytest.fixture
def opened_flags():
    """Return the list of flags with which the program was opened."""
    return []


@pytest.fixture
def opened_sessions(opened_flags, monkeypatch):
    """Return the list of sessions with which the program was opened; each is closed at once."""
    sessions = []

    def open_program(session, flags=None, _page=None):
        sessions.append(session)
        opened_flags.append(flags)
        if session is not None:
            session.close()

    monkeypatch.setattr(launch, "require_terminal", lambda: None)
    monkeypatch.setattr(launch, "open_screen", open_program)
    return sessions


def write_unfinished_session(home, id_, when):
    """Write an unfinished session that was last played at ``when``."""
    path = write_session(home / "sessions" / f"{id_}.jsonl", PEOPLE, decisions=1, id_=id_)
    set_last_played(path, when)
    return path


def test_picker_opens_without_a_command(cardtable, opened_sessions):
    assert cardtable().code == 0
    assert opened_sessions == [None]


def test_play_draws_seats_from_the_seed(cardtable, opened_sessions):
    for seed in [*range(12), 0]:
        cardtable("play", "rikiki", "--seed", seed)
    places = [session.header.people for session in opened_sessions]
    assert len({tuple(place) for place in places}) == 4
    assert places[0] == places[-1]


def test_play_preserves_given_seats(cardtable, opened_sessions):
    cardtable("play", "rikiki", "--seats", "random,me,person:Anna,novice")
    seats = [(occupant.robot or occupant.name) for occupant in opened_sessions[0].header.seats]
    assert seats == ["random", "Guest", "Anna", "novice"]


def test_resume_opens_the_latest_session(cardtable, opened_sessions, home):
    write_unfinished_session(home, NEWER, 1_000_000)
    write_unfinished_session(home, OLDER, 2_000_000)
    (home / "sessions" / "20261121-000000-rikiki-0bad.jsonl").write_bytes(b"no journal\n" * 2)
    assert cardtable("resume").code == 0
    assert opened_sessions[0].header.id == OLDER


def test_resume_by_beginning_of_id(cardtable, opened_sessions, home):
    write_unfinished_session(home, NEWER, 1_000_000)
    write_unfinished_session(home, OLDER, 2_000_000)
    assert cardtable("resume", "20261120").code == 0
    assert opened_sessions[0].header.id == NEWER
    assert "several" in cardtable("resume", "2026").read_error(1)


def test_resume_of_path_outside_home_opens_a_copy(cardtable, opened_sessions, home):
    path = write_session(Path("from-a-friend.jsonl"), PEOPLE, rounds=2, decisions=1)
    before = path.read_bytes()
    assert cardtable("resume", path).code == 0
    copy = opened_sessions[0]
    assert copy.path.parent == home / "sessions"
    assert copy.header.id != NEWER
    assert json.loads(copy.path.read_bytes().split(b"\n")[0])["from"] == {"id": NEWER, "line": before.count(b"\n")}
    assert cardtable("verify", copy.header.id).out.startswith(f"ok {copy.header.id} rikiki rounds=2")
    assert path.read_bytes() == before


def test_resume_of_damaged_session_offers_a_copy(cardtable, opened_sessions, home):
    path = write_unfinished_session(home, NEWER, 1_000_000)
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:6], *lines[7:]])
    path.write_bytes(damaged)
    error = cardtable("resume", NEWER).read_error(1)
    assert f"{path.name}:7: " in error
    assert "resume --copy" in error
    assert not opened_sessions
    assert cardtable("resume", NEWER, "--copy").code == 0
    assert opened_sessions[0].header.id != NEWER
    assert path.read_bytes() == damaged
    assert len(opened_sessions[0].path.read_bytes().splitlines()) == 6


def test_resume_of_finished_session_fails(cardtable, opened_sessions, home):
    write_session(home / "archive" / f"{NEWER}.jsonl", PEOPLE, rounds=28)
    assert "over" in cardtable("resume", NEWER).read_error(1)
    assert not opened_sessions


def test_conflicting_copy_resumes_as_a_new_session(cardtable, opened_sessions, home):
    own = write_session(home / "sessions" / f"{NEWER}.jsonl", PEOPLE, decisions=3)
    apart = write_session(home / "sessions" / f"{NEWER} (conflicted copy).jsonl", PEOPLE, rounds=2, message="not here")
    before = own.read_bytes(), apart.read_bytes()
    for arguments in ((str(apart),), ("--copy", str(apart))):
        assert cardtable("resume", *arguments).code == 0
        session = opened_sessions.pop()
        assert (session.header.origin.id, session.path.parent) == (NEWER, home / "sessions")
    assert (own.read_bytes(), apart.read_bytes()) == before
    assert cardtable("resume", NEWER).code == 0
    assert opened_sessions.pop().path == own


@pytest.mark.parametrize("loop", ["given.jsonl", "home/sessions"])
def test_loop_of_symbolic_links_is_reported(cardtable, home, tmp_path, loop):
    home.mkdir()
    (tmp_path / loop).symlink_to(tmp_path / loop)
    write_session(tmp_path / "whole.jsonl", PEOPLE)
    commands = ("resume", "review --seat 0", "reveal --yes")
    for name, command in itertools.product(("given.jsonl", "whole.jsonl"), commands):
        result = cardtable(*command.split(), "--plain", tmp_path / name)
        assert result.code in (0, 1)
        assert "crashed" not in result.err


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        ("--ascii", {"ascii": True}), ("--mono", {"mono": True}), ("--no-mouse", {"mouse": False}),
        ("--mono play rikiki", {"mono": True}), ("play rikiki --mono", {"mono": True}),
        ("--ascii play rikiki --no-mouse --mono --seed 3", {"ascii": True, "mono": True, "mouse": False}),
        ("--ascii play rikiki --ascii", {"ascii": True}), ("play rikiki", {}),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("opened_sessions")
def test_flags_before_or_after_a_command(cardtable, opened_flags, arguments, flags):
    assert cardtable(*arguments.split()).code == 0
    assert opened_flags == [flags]
