"""Result of a deal of the day in three lines."""

from datetime import date

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.records.archive import find_last_daily_session
from cardtable.records.review import DuplicateResult
from cardtable.store import paths
from cardtable.wording.session_end import DailyResult, load_daily_result
from tests.records.archive_sessions import archive_random_session, write_daily_session

EXPERT = "than an expert on the same deal"
DAY = date(2026, 11, 26)
BID, PLAIN = GAMES["rikiki"], GAMES["gurka"]


def compare(own, experts, rounds=28):
    return DuplicateResult(rounds, own, experts, None, 4, (own - experts) / rounds, is_difference=False)


@pytest.mark.parametrize(
    ("result", "same_deals", "lines"),
    [
        (
            DailyResult(BID, DAY, 2, 4, 214, 19, 28, 3),
            compare(214, 198.2),
            [f"2nd of 4 with 214 points, 16 better {EXPERT}", "19 of 28 bids made, 3 days in a row"],
        ),
        (
            DailyResult(BID, DAY, 1, 4, 1, 0, 28, 1),
            compare(1, 2),
            [f"1st of 4 with 1 point, 1 worse {EXPERT}", "0 of 28 bids made, 1 day in a row"],
        ),
        (
            DailyResult(PLAIN, DAY, 4, 4, 38, 5, 28),
            compare(38, 30),
            [f"4th of 4 with 38 points, 8 worse {EXPERT}", "5 of 28 rounds won"],
        ),
        (
            DailyResult(PLAIN, DAY, 1, 4, -3, 5, 28),
            compare(-3, -3.4),
            ["1st of 4 with -3 points, level with an expert on the same deal", "5 of 28 rounds won"],
        ),
        (
            DailyResult(BID, DAY, 2, 4, 214, 19, 28),
            compare(90, 70, 12),
            ["2nd of 4 with 214 points", "19 of 28 bids made"],
        ),
        (DailyResult(PLAIN, DAY, 2, 2, 90, 0, 1, 2), None, ["2nd of 2 with 90 points", "1 round, 2 days in a row"]),
    ],
    ids=["better", "worse", "lowest wins", "level", "experts not done", "one round"],
)  # fmt: skip
def test_lines_to_share(result, same_deals, lines):
    first = f"cardtable, deal of the day, 26 Nov 2026: {result.game.about.title}"
    assert result.format_lines(same_deals) == [first, *lines]
    assert all(line.isascii() and len(line) < 80 for line in result.format_lines(same_deals))


def test_result_is_read_from_the_journal():
    path = write_daily_session(DAY)
    result = load_daily_result(path, streak=4)
    assert (result.day, result.game.about.key, result.players, result.rounds, result.streak) == (
        DAY,
        "rikiki",
        4,
        28,
        4,
    )
    assert find_last_daily_session("Anna") == path


@pytest.mark.parametrize("kind", ["unfinished", "other deal"])
def test_no_result_to_share(kind):
    if kind == "unfinished":
        path = write_daily_session(DAY, is_over=False)
    else:
        archive_random_session("gurka", "Anna random random random", id_="s")
        path = paths.archive_folder() / "s.jsonl"
    with pytest.raises(CardtableError, match="is not over" if kind == "unfinished" else "no deal of the day"):
        load_daily_result(path)
    with pytest.raises(CardtableError, match="Anna has not finished"):
        find_last_daily_session("Anna")
