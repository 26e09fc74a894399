"""Score table of games without a score sheet: the points of each round only."""

import pytest

from cardtable.games import GAMES
from cardtable.scoring import score_table
from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.scoring.score_table import ScoreTableLine, can_be_scored, explain_missing_score_table, get_sheet_class
from tests.overriding import override
from tests.scoring.tables import NAMES, create_table, enter_round, get_refusal, play_session_with_entries
from tests.toy import pegging


@pytest.fixture(autouse=True)
def hide_score_sheets(monkeypatch):
    monkeypatch.setattr(score_table, "import_submodule", lambda *_: None)


@pytest.mark.parametrize("key", ["rifki", "rikiki"])
def test_totals_and_end_match_engine(key):
    engine, first, _ = play_session_with_entries(key, 1)
    table = create_table(key, engine.seats, first)
    for score in engine.scores:
        assert not table.sheet.is_over
        table.apply(ScoreTableLine(round={"points": score.points}))
    assert (table.sheet.is_over, table.sheet.totals, table.sheet.ranks) == (True, engine.totals, engine.ranks)


def test_game_without_known_end_cannot_be_scored():
    assert [key for key in GAMES if not can_be_scored(key)] == ["bridge", "rummy"]
    reason = "Bridge cannot be scored with real cards: its end does not follow from the totals"
    with pytest.raises(ValueError, match=reason):
        get_sheet_class("bridge")


def test_negative_points_and_largest_figure():
    table = create_table("rifki")
    assert enter_round(table, points=(-130, 0, 26, 0)).totals == (-130, 0, 26, 0)
    assert (
        get_refusal(table, points=(1000, 0, 0, 0))
        == get_refusal(table, points=(-1000, 0, 0, 0))
        == "points: at most 999 each"
    )


def test_partners_share_one_figure(monkeypatch):
    rifki = override(GAMES["rifki"], sides=lambda *_: ((0, 2), (1, 3)))
    monkeypatch.setattr(score_table, "GAMES", {"rifki": rifki})
    table = create_table("rifki")
    assert table.sheet.create_questions({}).rows[0].seats == (0, 1)
    assert enter_round(table, points=(62, -40, 0, 0)).totals == (62, -40, 62, -40)
    assert table.sheet.compute_ranks() == (1, 2, 1, 2)
    assert get_refusal(table, points=(0, 0, 5, 0)) == "points: at most 999 each"


@pytest.mark.parametrize(
    ("keys", "count"), [("26", 26), ("-26", -26), ("26-", -26), ("-2-6", 26), ("--3", 3), ("-0", 0), ("-1000", -100)]
)
def test_minus_before_or_after_number(keys, count):
    entry = RoundEntry(create_table("rifki").sheet, NAMES[:4])
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


def test_game_with_points_during_a_round_needs_its_own_sheet(monkeypatch):
    monkeypatch.setattr(score_table, "GAMES", {"pegging": pegging.GAME})
    monkeypatch.setattr(score_table, "ABOUT", {"pegging": pegging.GAME.about})
    message = "Pegging cannot be scored with real cards: its end does not follow from the totals"
    assert (can_be_scored("pegging"), explain_missing_score_table("pegging")) == (False, message)
    with pytest.raises(ValueError, match=message):
        get_sheet_class("pegging")
    assert pegging.PeggingState(2, pegging.Options()).is_over_at(1, (2, 0)) is None
