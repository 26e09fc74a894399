"""Sessions that the club of this home plays: gone on with, copied, repaired, renamed."""

import re
from random import Random

import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES, KEYS
from cardtable.store import club_sessions, paths, sessions, summaries
from cardtable.store.club_sessions import PlayedAtClub
from cardtable.store.journal_file import JournalFile
from cardtable.testing.cases import play_random_action
from tests.store.playing import CLUB, NOW, lines

SHORT = {"rummy": {"limit": 500}}


def in_second_round(game="gurka", host=CLUB, now=NOW):
    """The path of a session of two people and robots in its second round."""
    about, rng = GAMES[game], Random(1)
    seats = [Occupant("Anna"), Occupant("Cara"), Occupant("Bo", "steady"), Occupant("Cy", "steady")][
        : about.about.usual_seats
    ]
    session = sessions.create(about, seats, about.options(**SHORT.get(game, {})), 7, now=now, host_id=host)
    while not session.referee.scores:
        play_random_action(session.referee, rng)
    session.referee.advance()
    session.close()
    return session.path


@pytest.mark.parametrize("game", KEYS)
def test_finished_rounds_go_on_at_home_with_another_seed(game):
    path = in_second_round(game)
    read = journal.read(path.read_bytes())
    finished = 1 + club_sessions.count_finished_entries(read)
    for number in (None, len(read.entries) + 1, finished + 1):
        with pytest.raises(PlayedAtClub):
            sessions.fork(path, number)
    copied = sessions.fork(path, finished)
    copied.referee.advance()
    deals = [line for line in lines(copied.path.read_bytes()) if b'"deal ' in line]
    before = [line for line in lines(path.read_bytes()) if b'"deal ' in line]
    assert deals[0].split(b",")[0] == before[0].split(b",")[0]
    assert deals[1].split(b",")[0] != before[1].split(b",")[0]
    assert (copied.header.host, copied.header.seed == 7) == (None, False)


def test_old_session_goes_on_from_a_finished_round_with_another_seed(home):
    home.mkdir()
    paths.club_file().write_text('{"club":1}')
    path = in_second_round(host=None)
    read = journal.read(path.read_bytes())
    copied = sessions.fork(path, 1 + club_sessions.count_finished_entries(read))
    assert copied.header.seed != 7


def test_damaged_club_session_is_repaired_for_the_club_only():
    path = in_second_round()
    whole = lines(path.read_bytes())
    path.write_bytes(b"".join([*whole, whole[-1], whole[-1]]))
    with pytest.raises(PlayedAtClub, match=r"the lines before the damage are session \S+ now; open the club") as told:
        sessions.fork(path, len(whole))
    id_ = re.search(r"session (\S+) now", str(told.value))[1]
    repaired = summaries.summarize_full(paths.sessions_folder() / f"{id_}.jsonl")
    assert repaired.is_club_only
    assert repaired.header.host == CLUB
    session = sessions.resume_at_club(repaired.path)
    assert session.read_only_reason is None
    assert session.referee.randomness is not None


def test_session_begun_at_home_belongs_to_the_club_once_it_is_played_there():
    path = in_second_round(host=None)
    assert not summaries.summarize(path).is_club_only
    for _ in range(2):
        session = sessions.resume_at_club(path)
        session.close()
    said = [entry.line.say for entry in journal.read(path.read_bytes()).entries if entry.line.say]
    assert said == [club_sessions.AT_CLUB]
    assert summaries.summarize(path).is_club_only
    assert session.referee.randomness is None, "an open journal keeps its rule"
    for way in (sessions.resume, sessions.open_read_only, sessions.fork):
        with pytest.raises(PlayedAtClub):
            way(path)


def test_club_session_can_be_named_and_given_up_at_home():
    path = in_second_round()
    sessions.rename(path, "Friday")
    assert summaries.summarize(path).name == "Friday"
    there = sessions.abandon(path)
    assert summaries.summarize(there).is_club_only
    for way in (sessions.resume, sessions.open_read_only, sessions.fork):
        with pytest.raises(PlayedAtClub):
            way(there)
    assert sessions.resume_at_club(sessions.restore(there)).read_only_reason is None


def test_reveal_that_cannot_be_written_opens_nothing(monkeypatch):
    path = in_second_round()
    with monkeypatch.context() as full_disk:
        full_disk.setattr(JournalFile, "_write_unsaved", refuse)
        with pytest.raises(CardtableError, match="No space left"):
            sessions.reveal_hands(path)
    assert summaries.summarize_full(path).is_club_only


def refuse(_file):
    raise OSError(28, "No space left on device")
