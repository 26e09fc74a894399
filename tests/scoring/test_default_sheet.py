"""The score with real cards of games that have no sheet: points round by round, and no other question."""

import pytest
from msgspec.structs import replace

from cardtable.games import GAMES
from cardtable.scoring import score_table
from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.scoring.score_table import ScoreTableLine, can_be_scored, get_sheet_class, list_scoring_rules
from tests.scoring.tables import NAMES, enter, played, refused, table


@pytest.fixture(autouse=True)
def no_sheets(monkeypatch):
    monkeypatch.setattr(score_table, "import_submodule", lambda *_: None)


@pytest.mark.promise(
    "Scores of real card games",
    "A game of another package is scored by the points of each round; partners share one figure.",
)
@pytest.mark.parametrize("key", ["rifki", "rikiki"])
def test_a_session_comes_to_the_same_totals_and_places_and_is_over_when_it_is(key):
    engine, first, _ = played(key, 1)
    kept = table(key, engine.seats, first)
    for score in engine.scores:
        assert not kept.sheet.is_over
        kept.apply(ScoreTableLine(round={"points": score.points}))
    assert (kept.sheet.is_over, kept.sheet.totals, kept.sheet.ranks) == (True, engine.totals, engine.ranks)


def test_a_game_that_does_not_say_when_it_is_over_is_not_scored():
    assert [key for key in GAMES if not can_be_scored(key)] == ["bridge", "rummy"]
    with pytest.raises(ValueError, match="Bridge cannot be scored with real cards"):
        get_sheet_class("bridge")


def test_all_house_rules_are_asked_but_those_that_no_score_depends_on():
    assert [rule.name for rule in list_scoring_rules(GAMES["king"])] == ["king_drop", "offers"]


def test_a_figure_may_be_below_nought_and_has_an_end():
    kept = table("rifki")
    assert enter(kept, points=(-130, 0, 26, 0)).totals == (-130, 0, 26, 0)
    assert refused(kept, points=(1000, 0, 0, 0)) == refused(kept, points=(-1000, 0, 0, 0)) == "points: at most 999 each"


@pytest.mark.promise(
    "Scores of real card games",
    "A game of another package is scored by the points of each round; partners share one figure.",
)
def test_partners_have_one_figure(monkeypatch):
    rifki = replace(GAMES["rifki"], sides=lambda *_: ((0, 2), (1, 3)))
    monkeypatch.setattr(score_table, "GAMES", {"rifki": rifki})
    kept = table("rifki")
    assert kept.sheet.create_questions({}).rows[0].seats == (0, 1)
    assert enter(kept, points=(62, -40, 0, 0)).totals == (62, -40, 62, -40)
    assert kept.sheet.compute_ranks() == (1, 2, 1, 2)
    assert refused(kept, points=(0, 0, 5, 0)) == "points: at most 999 each"


@pytest.mark.parametrize(
    ("keys", "count"), [("26", 26), ("-26", -26), ("26-", -26), ("-2-6", 26), ("--3", 3), ("-0", 0), ("-1000", -100)]
)
def test_a_minus_before_a_number_or_after_it(keys, count):
    entry = RoundEntry(table("rifki").sheet, NAMES[:4])
    for key in keys:
        if key == "-":
            entry.toggle_sign()
        else:
            entry.type_digit(key)
    assert entry.get_counts(entry.find_row(EntryField("points", 0)))[0] == count
    entry.move_to(EntryField("points", 0))
    entry.toggle_sign()
    entry.delete_back()
    assert not entry.is_negative
    assert entry.get_typed_counts(entry.find_row(EntryField("points", 0)))[0] == count, "the minus alone was rubbed out"
