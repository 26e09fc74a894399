"""Score tables: the scoring examples of the rules pages, refusals, undo and corrections."""

import pytest

from cardtable.engine.journal import SessionResult
from cardtable.scoring.round_entry import RoundEntry
from cardtable.scoring.score_table import ScoreTableLine
from tests.scoring.tables import NAMES, create_table, enter_round, get_refusal, play_session_with_entries

WRONG_RESULT = SessionResult(totals=(0, 0, 0, 0), ranks=(1, 1, 1, 1))


# Rifki

SUMS = {"rifki": 1, "kupa": 13, "erkek": 8, "el-almaz": 13, "kiz": 4, "son-iki": 2, "koz": 13}
"""Number of penalty cards, or tricks, of each contract."""


def test_rifki_example_9_sums_of_contracts():
    table = create_table("rifki")
    assert get_refusal(table, contract="kupa", taken=(6, 4, 2, 0)) == "12 of 13 hearts: 1 still missing"
    assert get_refusal(table, contract="kupa", taken=(6, 4, 2, 2)) == "14 of 13 hearts: 1 too many"
    worth = {}
    for contract, together in SUMS.items():
        assert f"{together - 1} of {together} " in get_refusal(table, contract=contract, taken=(together - 1, 0, 0, 0))
        assert get_refusal(table, contract=contract, taken=(together + 1, 0, 0, 0)).endswith(f"at most {together} each")
        worth[contract] = sum(enter_round(create_table("rifki"), contract=contract, taken=(together, 0, 0, 0)).points)
    assert 2 * sum(value for name, value in worth.items() if name != "koz") + 8 * worth["koz"] == 0


def test_rifki_order_of_declarers():
    assert [create_table("rifki", first=1).sheet.find_round_seat(number) for number in range(1, 6)] == [1, 0, 3, 2, 1]
    clockwise = create_table("rifki", direction="clockwise").sheet
    assert [clockwise.find_round_seat(number) for number in range(1, 5)] == [0, 1, 2, 3]


EXTREME_COUNTS = {name: (most, 0, 0, 0) for name, most in SUMS.items()}


def enter_contracts(table, *contracts):
    for contract in contracts:
        enter_round(table, contract=contract, taken=EXTREME_COUNTS[contract])


def test_rifki_refuses_used_contracts():
    table = create_table("rifki")
    enter_contracts(table, "kiz", "kiz")
    assert get_refusal(table, contract="kiz", taken=EXTREME_COUNTS["kiz"]) == "Kiz has been played twice already"
    enter_contracts(table, "koz", "koz", "koz", "koz", "koz", "koz", "koz", "koz")
    both = "this player has declared both trump contracts"
    assert get_refusal(table, contract="koz", taken=EXTREME_COUNTS["koz"]) == both
    assert "choose one of the options" in get_refusal(table, contract="dance", taken=(1, 0, 0, 0))


def test_rifki_example_7_only_koz_after_three_negatives():
    table = create_table("rifki")
    enter_contracts(table, "kiz", "koz", "koz", "koz", "erkek", "koz", "koz", "koz", "kupa", "erkek", "kupa", "rifki")
    assert table.sheet.next_seat == 0
    assert get_refusal(table, contract="rifki", taken=EXTREME_COUNTS["rifki"]).startswith(
        "this player has declared all 3 negative contracts"
    )
    asked = table.sheet.create_questions({})
    assert [option.key for option in asked.choices[0].options if not option.closed_reason] == ["koz"]
    enter_contracts(table, "koz")


def test_rifki_short_session():
    table = create_table("rifki", length="short")
    assert table.sheet.end_condition == "ends after 12 rounds; above 0: safe, below 0: sunk"
    enter_contracts(table, "kiz", "koz", "koz", "koz", "erkek", "kiz", "erkek", "kupa")
    assert get_refusal(table, contract="kupa", taken=EXTREME_COUNTS["kupa"]) == (
        "this player has declared both negative contracts"
    )
    enter_contracts(table, "koz")
    assert (
        get_refusal(table, contract="koz", taken=EXTREME_COUNTS["koz"]) == "this player has declared a trump contract"
    )
    enter_contracts(table, "rifki", "rifki", "kupa")
    assert table.sheet.is_over


# King


def test_king_short_session():
    table, all_points = create_table("king", length="short"), {"by": "points", "points": (36, 0, 0, 0)}
    assert table.sheet.end_condition.startswith("ends after 20 rounds; ")
    for contract in ("no-king", "no-jacks", "no-tricks"):
        for _ in range(4):
            enter_round(table, contract=contract, **all_points)
    asked = table.sheet.create_questions({}).choices[0]
    closed = {option.key: option.closed_reason for option in asked.options if option.closed_reason}
    all_three = "this dealer has already played all 3 negative contracts"
    assert closed == {
        "no-king": all_three.replace("all 3 negative contracts", "No King"),
        "no-jacks": all_three.replace("all 3 negative contracts", "No Jacks"),
        "no-tricks": all_three.replace("all 3 negative contracts", "No Tricks"),
        **dict.fromkeys(("no-hearts", "no-queens", "no-last-two"), all_three),
    }
    enter_round(table, contract="poz-jar", by="points", points=(216, 0, 0, 0))
    enter_round(table, contract="miser", tricks=(0, 9, 0, 0))
    remaining_counts = {row.label: row.remaining for row in table.sheet.create_remaining_tables()[0].rows}
    assert remaining_counts["Neg Jar"] == ((0, 1), (1, 1), (1, 1), (1, 1))
    assert (remaining_counts["Negative"][0], remaining_counts["Jar"], remaining_counts["Positive"][:2]) == (
        (0, 3), ((0, 1), (1, 1), (1, 1), (1, 1)), ((1, 1), (0, 1)),
    )  # fmt: skip
    for _ in range(2):
        enter_round(
            table, contract="miser", tricks=tuple(9 if seat == table.sheet.next_seat else 0 for seat in range(4))
        )
    reasons = {option.key: option.closed_reason for option in table.sheet.create_questions({}).choices[0].options}
    assert (reasons["neg-jar"], reasons["clubs"]) == ("this dealer has already played a jar", None)


def test_king_refuses_used_contracts():
    table = create_table("king")
    for _ in range(4):
        enter_round(table, contract="no-king", by="cards", king_of_hearts=(1, 0, 0, 0))
    assert (
        get_refusal(table, contract="no-king", by="cards", king_of_hearts=(1, 0, 0, 0))
        == "this dealer has already played No King"
    )
    for _ in range(8):
        enter_round(table, contract="miser", tricks=tuple(9 * (seat == table.sheet.next_seat) for seat in range(4)))
    assert "both positive contracts" in get_refusal(table, contract="hearts", tricks=(9, 0, 0, 0))
    assert get_refusal(table, contract="neg-jar", by="cards", tricks=(9, 0, 0, 0)).startswith("hearts:")


# Rikiki and others


def test_rikiki_warns_of_forbidden_sum_of_bids():
    table = create_table("rikiki", hook="always")
    entry = RoundEntry(table.sheet, NAMES[:4])
    for digit in "1" + "0100":
        entry.type_digit(digit)
    assert "the bids can't total 1" in entry.validate().message
    entry.type_digit("1")
    assert entry.validate().can_save
    assert entry.validate().message.startswith("But the bids can't total 1")
    assert enter_round(table, **entry.build_round()).points == (-2, -2, 10, 10)


@pytest.mark.parametrize(
    ("game", "entered", "reason"),
    [
        ("rikiki", {"trump": "-", "bids": (0,) * 4, "tricks": (0,) * 4}, "0 of 1 tricks: 1 still missing"),
        ("rikiki", {"trump": "-", "bids": (2, 0, 0, 0), "tricks": (1, 0, 0, 0)}, "bids: at most 1 each"),
        ("ten_down", {"trump": "C", "bids": (0,) * 4, "tricks": (4, 4, 3, 0)}, "11 of 10 tricks: 1 too many"),
        ("gurka", {"last": (1, 0, 0, 0)}, "a card counts 2 to 14: J 11, Q 12, K 13, A 14"),
        ("gurka", {"last": (0,) * 4}, "somebody has the highest card"),
        ("gurka", {"last": (15, 0, 0, 0)}, "last cards: at most 14 each"),
        ("rummy", {"melds": (200, 200), "hand": (0, 0)}, "cannot come to more than 396"),
    ],
)
def test_impossible_round_is_refused(game, entered, reason):
    assert reason in get_refusal(create_table(game), **entered)


# Bridge


def create_bridge_entry(hands, jacks="none", times=1, by=0, ended="out"):
    return {"ended": ended, "by": str(by), "jacks": jacks, "times": str(times), "hands": hands}


def test_bridge_next_starter_and_refusals():
    table = create_table("bridge")
    enter_round(table, **create_bridge_entry((0, 30, 50, 50)))
    assert table.sheet.next_seat == 2
    assert (
        get_refusal(table, **create_bridge_entry((0, 5, 0, 0)))
        == "cards in hand count 10, 15 or 20 each, and 6 to 9 nothing"
    )
    assert (
        get_refusal(table, **create_bridge_entry((10, 0, 0, 0))) == "in hand: at most 260 each"
    )  # who is out holds nothing
    assert "there is no 'jacks'" in get_refusal(table, **create_bridge_entry((0, 0, 0, 0), ended="no cards"))
    assert "jacks" in get_refusal(create_table("bridge", jacks="minus"), **create_bridge_entry((0, 0, 0, 0), "1 plus"))


# Changes


@pytest.mark.parametrize("game", ["rifki", "king", "bridge", "rikiki"])
def test_undo_of_all_rounds_and_reentry(game):
    engine, first, rounds = play_session_with_entries(game, 1)
    table = create_table(game, first=first)
    states = []
    for entered in rounds:
        states.append((table.sheet.running_totals, table.sheet.next_seat))
        table.apply(ScoreTableLine(round=entered))
    for before in reversed(states):
        table.apply(ScoreTableLine(undo=1))
        assert (table.sheet.running_totals, table.sheet.next_seat) == before
    assert not table.can_undo
    with pytest.raises(ValueError, match="cannot be undone"):
        table.apply(ScoreTableLine(undo=1))
    for entered in rounds:
        table.apply(ScoreTableLine(round=entered))
    assert table.sheet.totals == engine.totals


def test_correction_of_round_and_its_undo():
    table = create_table("rifki")
    enter_round(table, contract="kiz", taken=(4, 0, 0, 0))
    enter_round(table, contract="koz", taken=(13, 0, 0, 0))
    table.apply(ScoreTableLine(round={"contract": "erkek", "taken": (0, 8, 0, 0)}, number=1))
    assert table.sheet.running_totals == (650, -480, 0, 0)
    table.apply(ScoreTableLine(undo=1))
    assert table.sheet.running_totals == (250, 0, 0, 0)
    with pytest.raises(ValueError, match="there is no round 3"):
        table.apply(ScoreTableLine(round={"contract": "kiz", "taken": (4, 0, 0, 0)}, number=3))


def test_refuses_correction_that_invalidates_later_round():
    table = create_table("rifki")
    for contract, most in [("kiz", 4), ("erkek", 8), ("kiz", 4)]:
        enter_round(table, contract=contract, taken=(most, 0, 0, 0))
    with pytest.raises(ValueError, match="round 3 would not fit: Kiz has been played twice already"):
        table.apply(ScoreTableLine(round={"contract": "kiz", "taken": (4, 0, 0, 0)}, number=2))
    assert table.sheet.running_totals == (-1280, 0, 0, 0)


def test_end_needs_results_and_closes_table():
    engine, first, rounds = play_session_with_entries("rifki", 2)
    table = create_table("rifki", first=first)
    for entered in rounds:
        with pytest.raises(ValueError, match="the session is not over"):
            table.apply(ScoreTableLine(end=WRONG_RESULT))
        table.apply(ScoreTableLine(round=entered))
    with pytest.raises(ValueError, match="not the sum of the rounds"):
        table.apply(ScoreTableLine(end=WRONG_RESULT))
    with pytest.raises(ValueError, match="the session is over"):
        table.apply(ScoreTableLine(round=rounds[0]))
    end = table.create_end_line()
    assert (end.end.totals, end.end.ranks) == (engine.totals, engine.ranks)
    table.apply(end)
    for line in (end, ScoreTableLine(undo=1), ScoreTableLine(round=rounds[0])):
        with pytest.raises(ValueError, match="the session is over"):
            table.apply(line)
    table.apply(ScoreTableLine(name="Friday"))
