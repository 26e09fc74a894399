"""Archive in plain text: list, filters, one session, replay, review, export."""

import re
from contextlib import closing

import pytest

from cardtable.records import review_worker
from cardtable.store import profiles
from tests.journal_times import set_last_played
from tests.plain.answers import split_answers
from tests.plain.test_picker import create_session
from tests.plain.test_scores import create_score_table
from tests.records.archive_sessions import archive_random_session
from tests.records.review_journals import record_session, search_few_worlds

DAY = 86_400
NOON = 1_800_000_000


@pytest.fixture
def five_sessions():
    """Archive five sessions: three finished, one abandoned, one in progress."""
    archive_random_session("rummy", "Anna steady", id_="20261120-120000-rummy-0001", ended=NOON)
    archive_random_session("king", "Anna Tom novice steady", id_="20261119-120000-king-0002", ended=NOON - DAY)
    archive_random_session(
        "gurka", "expert steady steady steady", id_="20261118-120000-gurka-0003", ended=NOON - 2 * DAY
    )
    archive_random_session(
        "gurka", "Anna steady steady steady", id_="20251117-120000-gurka-0004", ended=NOON - 365 * DAY, rounds=1
    )
    with closing(create_session("bridge", "Anna", "Ada", actions=5)) as session:
        path = session.path
    set_last_played(path, NOON + DAY)
    profiles.sign_in("Anna")


def list_games(part):
    """Return the games in a list of the archive, in its order."""
    return [line.split(": ", 1)[1].split(",")[0] for line in part if line[0].isdecimal()]


@pytest.mark.parametrize(
    ("typed", "heading", "games"),
    [
        ("", "Archive: 5 sessions, the newest first.", ["Bridge", "Rummy", "King", "Gurka", "Gurka"]),
        ("find gurka expert", "Archive: 1 of 5 sessions, with gurka expert, the newest first.", ["Gurka"]),
        ("game Ten_Down", "Archive: 0 of 5 sessions, Ten Down, the newest first.", []),
        ("player tom", "Archive: 1 of 5 sessions, Tom, the newest first.", ["King"]),
        ("result given up", "Archive: 1 of 5 sessions, abandoned, the newest first.", ["Gurka"]),
        ("result open", "Archive: 1 of 5 sessions, open, the newest first.", ["Bridge"]),
        ("when 2026", "Archive: 1 of 5 sessions, 2026, the newest first.", ["Gurka"]),
        ("order oldest", "Archive: 5 sessions, the oldest first.", ["Gurka", "Gurka", "King", "Rummy", "Bridge"]),
        ("order game", "Archive: 5 sessions, by game.", ["Bridge", "Gurka", "Gurka", "King", "Rummy"]),
    ],
)
def test_filters_and_orders(plain, five_sessions, typed, heading, games):
    part = split_answers(plain(typed=["archive", typed]))[1]
    assert part[0] == heading
    assert list_games(part) == games


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("game whist", "No game is called 'whist'; the games are "),
        ("player Zoe", "No player is called 'Zoe'; the players are Anna, Tom."),
        ("result lost", "No result is called 'lost'; the results are won, not won, open, abandoned."),
        ("order best", "No order is called 'best'; "),
        ("when noon", "No span is called 'noon'; "),
        ("9", 'I don\'t know "9" here. Type a number from the list, or help.'),
        ("find nothing like it", "Archive: 0 of 5 sessions, with nothing like it, the newest first."),
        ("more", "That is the whole list."),
        ("help", "Type the number of a session to see its result, "),
    ],
)
def test_unknown_filters_and_numbers(plain, five_sessions, typed, expected):
    assert split_answers(plain(typed=["archive", typed]))[1][0].startswith(expected)


def test_empty_archive(plain):
    result = plain(typed=["archive", "back", "quit"])
    assert split_answers(result)[0] == ["There are no sessions yet. Type back, then the number of a game to start one."]
    assert result.out.count("cardtable: choose a number") == 2


def test_long_list_is_printed_in_pages_of_ten(plain):
    for number in range(12):
        archive_random_session("gurka", "Anna steady steady steady", id_=f"20261118-120000-gurka-{number:04}", rounds=1)
    first, second, _ = split_answers(plain(typed=["archive", "more"]))
    assert (len(list_games(first)), len(list_games(second))) == (10, 2)
    assert first[-1] == "Type more for the next of 2 sessions, a number, or help."


def test_session_has_result_sheet_and_replay(plain, five_sessions):
    replies = split_answers(
        plain(typed=["archive king", "1", "sheet", "replay 40", "replay x", "help", "sing", "back", "back"])
    )
    assert replies[1][0].startswith("King, 14 Jan 2027 ")
    assert replies[1][1].startswith("1st: ")
    assert "Bo (novice)" in "".join(replies[1])
    assert replies[1][-1] == "Type sheet, replay, review, export, help or back."
    assert len(replies[2]) == 41
    assert replies[2][0].startswith("Round 1, ")
    assert replies[3][0] == "King: Anna, Tom, Bo, Bo."
    assert replies[3][1].startswith("Round 40, ")
    assert replies[4] == ["Replay takes the number of a round, such as replay 3, or nothing for all rounds."]
    assert replies[5][0] == "sheet: the score sheet, round by round."
    assert replies[6] == ['I don\'t know "sing" here. Type sheet, replay, review, export, help or back.']
    assert replies[7][0].startswith("Archive: 1 of 5 sessions")
    assert replies[8][0].startswith("cardtable:")


def test_unfinished_session_continues_unless_abandoned(plain, five_sessions):
    replies = split_answers(plain(typed=["archive", "1", "replay", "go on", "quit"]))
    assert replies[1][-1] == "Type go on, sheet, replay, export, help or back."
    assert replies[2] == ["There is nothing to replay yet: it is still being played, and no round is over."]
    assert replies[3][0].startswith("Bridge. Around the table, clockwise: ")
    replies = split_answers(plain(typed=["archive", "5", "go on"]))
    assert "abandoned" in replies[1][0]
    assert replies[2][0].startswith('I don\'t know "go on" here.')


def test_score_table_continues_and_is_read_when_over(plain):
    with closing(create_score_table()) as opened:
        opened.enter_round({"contract": "rifki", "taken": (1, 0, 0, 0)})
    replies = split_answers(plain(typed=["archive rifki", "1", "sheet", "replay", "go on", "back"]))
    assert replies[1][-1] == "Type go on, sheet, export, help or back."
    assert replies[2][0].startswith("Round 1, Rifki. Anna: taken 1, points minus 320, ")
    assert replies[3][0].startswith('I don\'t know "replay" here.')
    assert replies[4][0] == "Rifki with real cards: Anna, Tom, Ida, Lea."
    assert replies[5][0].startswith("Archive: 1 of 1 session, with rifki, ")


def test_export_of_a_session_in_play_names_the_way(plain, five_sessions):
    replies = split_answers(plain(typed=["archive bridge", "1", "export csv", "export csv open"]))
    assert replies[2][0].endswith("would reveal hands; type export csv open to save it anyway.")
    assert replies[3][0].startswith("Saved as ")


@pytest.fixture
def reviewed_session(home, monkeypatch):
    """Archive a session of a random robot in the seat that is reviewed."""
    search_few_worlds(monkeypatch, 6)
    (home / "archive").mkdir(parents=True, exist_ok=True)
    (home / "archive" / "20261120-083728-gurka-0001.jsonl").write_bytes(record_session("gurka", "random", limit=21))


def test_review_lists_worst_decisions_first(plain, reviewed_session):
    replies = split_answers(plain(typed=["archive", "1", "review", "1", "99", "back", "review Nobody", "quit"]))
    review = replies[2]
    assert review[0].startswith("An expert checks each decision and plays the same deals; this takes minutes.")
    assert "100 percent done." in review
    summary = next(line for line in review if "cost something" in line)
    assert "decisions of Anna" in summary
    worst = next(line for line in review if line.startswith("1: Round "))
    assert re.fullmatch(r"1: Round \d, trick \d: \w+ of \w+ cost \d+\.\d points; \w+ of \w+ was better\.", worst)
    assert any(line.startswith("The same deals: Anna ") for line in review)
    assert any(line.startswith("In hand: ") for line in replies[3])
    assert sum("what was chosen" in line for line in replies[3]) == 1
    assert replies[4][0].startswith('I don\'t know "99" here. Type a number from 1 to ')
    assert replies[5][-1].startswith("Type sheet, replay, review")
    assert replies[6][0].startswith("Nobody called 'Nobody' played in it")


def test_stopped_review_continues(plain, reviewed_session, monkeypatch):
    one_more = review_worker.compute_next_piece

    def stop_halfway(session, review, **order):
        if review.done_count == session.step_count // 2:
            raise KeyboardInterrupt
        return one_more(session, review, **order)

    monkeypatch.setattr(review_worker, "compute_next_piece", stop_halfway)
    answer = split_answers(plain(typed=["archive", "1", "review", "quit"]))
    assert "Stopped. Type review to continue from there." in answer[2]
    monkeypatch.setattr(review_worker, "compute_next_piece", one_more)
    answer = split_answers(plain(typed=["archive", "1", "review", "quit"]))[2]
    assert "10 percent done." not in answer, "the review continues where it was stopped"
    assert "100 percent done." in answer
