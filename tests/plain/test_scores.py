"""Score table of a game with real cards, in plain text."""

from contextlib import closing

import pytest

from cardtable.games import GAMES
from cardtable.plain.speech_text import to_ascii
from cardtable.store import archive_index, score_tables, summaries
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.plain.answers import split_prompts
from tests.scoring.tables import NAMES, play_session_with_entries

SETUP_LINES = ("Anna Tom Ida Lea", "")
"""Answers to the questions for names and the first player; an empty line means the first name."""


FOUR_ROUND_LINES = [typed for cards in range(1, 5) for typed in ("", "0 0 0 0", f"0 0 0 {cards}")]
"""Answers for the first four rounds of Rikiki, with one to four cards."""


def iter_answers(sheet, entered):
    """Yield the lines that enter a round: numbers of options, then counts of all seats."""
    asked = sheet.create_questions({name: value for name, value in entered.items() if isinstance(value, str)})
    for choice in asked.choices:
        yield str(1 + [option.key for option in choice.options].index(entered[choice.name]))
    for row in asked.rows:
        yield " ".join([str(entered[row.name][seat]) for seat in row.seats])


def create_score_table(game="rifki", names=NAMES[:4], first=0):
    """Create an open score table."""
    return score_tables.create(GAMES[game], names, GAMES[game].options(), first)


@pytest.mark.parametrize("key", GAMES_WITH_SCORE_SHEET)
def test_entered_session_has_the_expected_result(plain, key):
    engine, first, rounds = play_session_with_entries(key, 1)
    with closing(score_tables.create(engine.game, NAMES[: engine.seats], engine.options, first)) as opened:
        id_, sheet, typed = opened.path.stem, opened.table, []
        for entered in rounds:
            typed += iter_answers(sheet.sheet, entered)
            sheet.sheet.add(entered)
    result = plain("score", id_, typed=[*typed, "finish", "quit"])
    assert result.code == 0
    assert "The session is over." in result.lines
    assert "The sheet has moved to the archive." in result.lines
    [summary] = archive_index.list_finished()
    assert (summary.state, summary.totals, summary.ranks) == ("over", engine.totals, engine.ranks)
    best = engine.ranks.index(1)
    assert f"\n1st: {NAMES[best]}, {to_ascii(str(engine.totals[best]))}" in result.out


def test_new_table_requests_game_names_and_house_rules(plain):
    result = plain(
        "score", typed=["whist", "rif", "Anna Tom", "anna tom ida anna", *SETUP_LINES, "clockwise", "short", "quit"]
    )
    lines = [line for line in result.lines if line not in ("> ", "")]
    assert lines[0].startswith("Which game do you play with real cards? 1 Rikiki, 2 King, 3 Rifki")
    assert "Type a number from 1 to 7." in lines
    assert "You typed 2 names; 4 can play." in lines
    assert "Anna: Anna is already playing." in lines
    assert "Who starts? 1 Anna, 2 Tom, 3 Ida, 4 Lea. An empty line means Anna." in lines
    assert lines[-3:] == [
        "Round 1 of 12: Anna declares.",
        "Contract: 1 Rifki, 2 Kiz, 3 Erkek, 4 Kupa, 5 Son Iki, 6 El Almaz, 7 Koz.",
        "Everything is saved.",
    ]
    [summary] = summaries.list_unfinished()
    assert summary.header.options["direction"] == "clockwise"
    assert summary.header.options["length"] == "short"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["kupa", "2 2 2"], "Round 1, Kupa. Anna: taken 2, points minus 60, total minus 60; "),
        (["kupa", "lea 13"], "Round 1, Kupa. Anna: taken 0, points 0, total 0; "),
        (["4", "2 2", "9"], "Round 1, Kupa. Anna: taken 2, points minus 60, total minus 60; "),
        (["4", "2 2"], "4 of 13 hearts: 9 still missing."),
        (["4", "9 9"], "18 of 13 hearts: 5 too many."),
        (["4", "14"], "Hearts: at most 13 each."),
        (["4", "1 2 3 4 5"], "Type the numbers in that order with spaces between them, or each after its name, such"),
        (["4", "Anna Tom"], "Type the numbers in that order with spaces between them, or each after its name, such"),
        (["1", "lea 1", "1", "0 1", "1"], "Rifki has been played twice already."),
        (["9"], "Type a number from 1 to 7."),
        (["undo"], "What you were entering was dropped."),
    ],
)
def test_answers_are_accepted_or_corrected(plain, typed, expected):
    result = plain(
        "score", "rifki", typed=[*SETUP_LINES, "", "", *(["4", *typed] if typed == ["undo"] else typed), "quit"]
    )
    assert expected in result.out


def test_undo_change_and_print_rounds(plain):
    with closing(create_score_table()) as opened:
        opened.enter_round({"contract": "rifki", "taken": (1, 0, 0, 0)})
        id_ = opened.path.stem
    typed = ["round 2", "round 1", "kupa", "2 2 2", "sheet", "undo", "undo", "undo", "finish", "help", "rules", "quit"]
    result = plain("score", id_, typed=typed)
    assert result.lines[:3] == [
        "Rifki with real cards: Anna, Tom, Ida, Lea.",
        "Type help for what can be typed.",
        "Totals: Anna minus 320, Tom 0, Ida 0, Lea 0.",
    ]
    answers = split_prompts(result)
    assert "Type round and a number from 1 to 1." in answers[1]
    assert answers[2].startswith("Round 1 of 20 again: Anna declares.\n")
    sheet = answers[5]
    assert sheet.startswith("Round 1, Kupa. Anna: taken 2, points minus 60, total minus 60; ")
    assert "Left to declare, Anna: negative 2, koz 2." in sheet
    assert "Each negative twice: Rifki 2, Kiz 2, Erkek 2, Kupa 1, Son Iki 2, El Almaz 2." in sheet
    assert answers[6].startswith("The last round or change has been undone.\nTotals: Anna minus 320, ")
    assert answers[7].startswith("The last round or change has been undone.\nRound 1 of 20: Anna declares.\n")
    assert answers[8].startswith("There is nothing to undo.\n")
    assert answers[9].startswith("This session is not over: it ends after 20 rounds; ")
    assert answers[10].startswith("Answer each question with a number")
    assert answers[11].startswith("Rifki\n")


def test_list_rename_and_close(plain):
    with closing(create_score_table()) as opened:
        id_ = opened.path.stem
    result = plain(typed=["1", "rename Friday", "names", "Zoe Max Eva Kim", "back", "2", "quit"])
    assert 'The table is now called "Friday".' in result.lines
    assert '1: Score table for real cards: Rifki "Friday", round 1 of 20, just now. Zoe 0, Max 0, Eva 0, Kim 0.' in (
        result.lines
    )
    assert "Rikiki. Around the table" in result.out, "the other entries keep their numbers"
    with closing(score_tables.resume(summaries.find_path(id_))):
        result = plain("score", id_, typed=["quit"])
    assert "this score table is read-only: it is open in another program" in result.out.lower()


def test_cancelled_score_table_is_not_created(plain):
    result = plain(typed=["score rifki", "back", "score whist", "score", "quit"])
    assert "No score table was started." in result.lines
    assert "No game is called 'whist'; the games are " in result.out
    assert summaries.list_unfinished() == []


@pytest.mark.parametrize(
    ("key", "typed", "expected"),
    [
        (
            "rikiki",
            [],
            "Trump: 1 not recorded, 2 clubs, 3 diamonds, 4 hearts, 5 spades. An empty line means not recorded.",
        ),
        ("rikiki", ["hearts", "1 0 0 0", "1"], "Round 1, 1 card, hearts are trump. Anna: bid 1, taken 1, points 12, "),
        ("rikiki", ["", "1 0 0 0", "1"], "Round 1, 1 card. Anna: bid 1, taken 1, points 12, total 12; "),
        ("rikiki", [*FOUR_ROUND_LINES, "", "0 0 0 5"], "But the bids can't total 5."),
        ("king", [], "Contract: 1 No Tricks, 2 No Hearts, "),
        ("king", [], ", 9 Trump clubs, 10 Trump diamonds, 11 Trump hearts, 12 Trump spades, "),
        ("bridge", ["", "tom"], "Jacks: 1 none, 2 minus 20, 3 minus 40, "),
        ("bridge", ["", "tom", ""], "Times: 1 to 9. An empty line means 1."),
        ("bridge", ["", "tom", "", ""], "In hand: Anna, Ida, Lea?"),
        ("gurka", [], "Last cards: Anna, Tom, Ida, Lea? Anyone left out has 0."),
        (
            "gurka",
            ["tom 11"],
            "Round 1, jack high. Anna: last 0, points 0, total 0; Tom: last jack, points 11, total 11; ",
        ),
    ],
)
def test_questions_and_rounds_in_words(plain, key, typed, expected):
    with closing(create_score_table(key)) as opened:
        id_ = opened.path.stem
    assert expected in plain("score", id_, typed=[*typed, "quit"]).out
