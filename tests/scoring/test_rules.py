"""The scoring examples of the rules pages, entered into score tables; and what is refused, with the reason."""

import pytest

from cardtable.engine.journal import SessionResult
from cardtable.scoring.round_entry import RoundEntry
from cardtable.scoring.score_table import ScoreTableLine
from tests.scoring.tables import NAMES, enter, played, refused, table

OTHER = SessionResult(totals=(0, 0, 0, 0), ranks=(1, 1, 1, 1))


def points(score_table, **entered):
    return enter(score_table, **entered).points


def totals(score_table, *rounds):
    for entered in rounds:
        enter(score_table, **entered)
    return score_table.sheet.running_totals


# Rifki


@pytest.mark.promise(
    "Scores of real card games",
    "A score table has the points, totals and places of the game's own rules, under every house rule.",
)
def test_rifki_example_1():
    kept = table("rifki")
    assert points(kept, contract="erkek", taken=(3, 0, 4, 1)) == (-180, 0, -240, -60)
    assert points(kept, contract="koz", taken=(7, 3, 2, 1)) == (350, 150, 100, 50)


@pytest.mark.promise("Scores of real card games", "An impossible entry is refused with the reason.")
def test_rifki_example_9_and_the_sums_of_all_contracts():
    kept = table("rifki")
    assert refused(kept, contract="kupa", taken=(6, 4, 2, 0)) == "12 of 13 hearts: 1 still missing"
    assert refused(kept, contract="kupa", taken=(6, 4, 2, 2)) == "14 of 13 hearts: 1 too many"
    sums = {"rifki": 1, "kupa": 13, "erkek": 8, "el-almaz": 13, "kiz": 4, "son-iki": 2, "koz": 13}
    worth = {}
    for contract, together in sums.items():
        assert f"{together - 1} of {together} " in refused(kept, contract=contract, taken=(together - 1, 0, 0, 0))
        assert refused(kept, contract=contract, taken=(together + 1, 0, 0, 0)).endswith(f"at most {together} each")
        worth[contract] = sum(points(table("rifki"), contract=contract, taken=(together, 0, 0, 0)))
    assert 2 * sum(value for name, value in worth.items() if name != "koz") + 8 * worth["koz"] == 0


def test_rifki_declarers_take_turns_to_the_right_or_to_the_left():
    assert [table("rifki", first=1).sheet.find_round_seat(number) for number in range(1, 6)] == [1, 0, 3, 2, 1]
    assert [table("rifki", direction="clockwise").sheet.find_round_seat(number) for number in range(1, 5)] == [
        0,
        1,
        2,
        3,
    ]


ALL = {"kiz": (4, 0, 0, 0), "erkek": (8, 0, 0, 0), "kupa": (13, 0, 0, 0), "rifki": (1, 0, 0, 0), "koz": (13, 0, 0, 0)}


def declare(kept, *contracts):
    for contract in contracts:
        enter(kept, contract=contract, taken=ALL[contract])


def test_rifki_offers_only_what_is_left():
    kept = table("rifki")
    declare(kept, "kiz", "kiz")
    assert refused(kept, contract="kiz", taken=ALL["kiz"]) == "Kiz has been played twice already"
    declare(kept, "koz", "koz", "koz", "koz", "koz", "koz", "koz", "koz")
    both = "this player has declared both trump contracts"
    assert refused(kept, contract="koz", taken=ALL["koz"]) == both
    assert "nothing that can be chosen" in refused(kept, contract="dance", taken=(1, 0, 0, 0))


def test_rifki_example_7_after_three_negatives_there_is_only_koz():
    kept = table("rifki")
    declare(kept, "kiz", "koz", "koz", "koz", "erkek", "koz", "koz", "koz", "kupa", "erkek", "kupa", "rifki")
    assert kept.sheet.next_seat == 0
    assert refused(kept, contract="rifki", taken=ALL["rifki"]).startswith(
        "this player has declared all 3 negative contracts"
    )
    asked = kept.sheet.create_questions({})
    assert [option.key for option in asked.choices[0].options if not option.closed_reason] == ["koz"]
    declare(kept, "koz")


# King


def test_king_examples_1_to_4():
    assert points(table("king"), contract="no-hearts", by="cards", hearts=(5, 0, 3, 1)) == (-20, 0, -12, -4)
    jar = {
        "tricks": (3, 4, 2, 0), "hearts": (4, 3, 2, 0), "queens": (2, 1, 1, 0), "jacks": (1, 2, 1, 0),
        "king_of_hearts": (1, 0, 0, 0), "last_tricks": (2, 0, 0, 0),
    }  # fmt: skip
    assert points(table("king"), contract="neg-jar", by="cards", **jar) == (-127, -55, -34, 0)
    assert points(table("king"), contract="poz-jar", by="cards", **jar) == (127, 55, 34, 0)
    assert points(table("king", first=2), contract="spades", tricks=(0, 0, 5, 0)) == (16, 16, 60, 16)


def test_king_counts_what_is_in_jars_once_and_all_else_four_times():
    kept = table("king")
    assert totals(kept, {"contract": "no-king", "by": "cards", "king_of_hearts": (1, 0, 0, 0)}) == (-144, 0, 0, 0)
    kept.apply(ScoreTableLine(round={"contract": "poz-jar", "by": "points", "points": (0, 216, 0, 0)}))
    assert kept.sheet.running_totals == (-144, 216, 0, 0)


def test_king_examples_7_and_8_offers_are_entered_by_their_points():
    assert points(table("king"), contract="no-tricks", by="points", points=(0, 4, 20, 12)) == (0, -4, -20, -12)
    assert points(table("king"), contract="no-last-two", by="points", points=(36, 0, 0, 0)) == (-36, 0, 0, 0)
    assert (
        refused(table("king"), contract="no-tricks", by="points", points=(0, 4, 20, 11))
        == "35 of 36 points: 1 still missing"
    )


def test_king_offers_only_what_the_dealer_has_left():
    kept = table("king")
    for _ in range(4):
        enter(kept, contract="no-king", by="cards", king_of_hearts=(1, 0, 0, 0))
    assert (
        refused(kept, contract="no-king", by="cards", king_of_hearts=(1, 0, 0, 0))
        == "this dealer has already played No King"
    )
    for _ in range(8):
        enter(kept, contract="miser", tricks=tuple(9 * (seat == kept.sheet.next_seat) for seat in range(4)))
    assert "both positive contracts" in refused(kept, contract="hearts", tricks=(9, 0, 0, 0))
    assert refused(kept, contract="neg-jar", by="cards", tricks=(9, 0, 0, 0)).startswith("hearts:")


# Rikiki and Ten Down


def test_rikiki_example_1():
    kept = table("rikiki", bonuses="off")
    for _ in range(12):
        enter(kept, trump="-", bids=(0, 0, 0, 0), tricks=(kept.sheet.count_cards(), 0, 0, 0))
    assert points(kept, bids=(2, 0, 3, 13), tricks=(2, 0, 1, 10)) == (14, 10, -4, -6)
    assert points(kept, bids=(13, 0, 3, 0), tricks=(13, 0, 0, 0)) == (36, 10, -6, 10)


def test_rikiki_example_5_bonuses():
    kept = table("rikiki")
    for number in range(28):
        trump = {} if 12 <= number < 16 else {"trump": "H"}
        enter(kept, **trump, bids=(0, 0, 0, 0), tricks=(0, kept.sheet.count_cards(), 0, 0))
    assert kept.sheet.totals[0] == 350
    assert kept.sheet.is_over


def test_a_sum_that_the_last_bidder_may_not_make_is_warned_of_and_counted():
    kept = table("rikiki", hook="always")
    entry = RoundEntry(kept.sheet, NAMES[:4])
    for digit in "1" + "0100":
        entry.type_digit(digit)
    assert "0 is forbidden: the sum would be 1" in entry.validate().message
    entry.type_digit("1")
    assert entry.validate().can_save
    assert entry.validate().message.startswith("But the last bid")
    assert enter(kept, **entry.build_round()).points == (-2, -2, 10, 10)


def test_tricks_must_be_as_many_as_there_are_cards():
    assert refused(table("rikiki"), trump="-", bids=(0,) * 4, tricks=(0,) * 4) == "0 of 1 tricks: 1 still missing"
    assert refused(table("ten_down"), trump="C", bids=(0,) * 4, tricks=(4, 4, 3, 0)) == "11 of 10 tricks: 1 too many"
    assert refused(table("rikiki"), trump="-", bids=(2, 0, 0, 0), tricks=(1, 0, 0, 0)) == "bids: at most 1 each"


def test_ten_down_examples_1_and_3_to_5():
    kept = table("ten_down")
    assert points(kept, trump="-", bids=(3, 3, 0, 0), tricks=(3, 4, 0, 3)) == (13, 4, 10, 3)
    for room, rounds in {"training": 10, 5: 5, 50: 7, 500: 8, 1000: 10}.items():
        assert table("ten_down", room=room).sheet.rounds == rounds
    two = table("ten_down", 2, room=50)
    for _ in range(7):
        cards = two.sheet.count_cards()
        enter(two, trump="-", bids=(cards // 2, cards - cards // 2), tricks=(cards // 2, cards - cards // 2))
    assert two.sheet.running_totals == (82, 86)
    assert (two.sheet.totals, two.sheet.ranks) == ((82, 172), (2, 1))


# Gurka, Bridge, Rummy


def test_gurka_examples_5_and_6():
    assert points(table("gurka"), last=(13, 7, 13, 2)) == (13, 0, 13, 0)
    assert points(table("gurka"), last=(2, 2, 2, 2)) == (2, 2, 2, 2)
    kept = table("gurka")
    assert totals(kept, {"last": (14, 0, 0, 0)}, {"last": (14, 0, 0, 0)}, {"last": (2, 0, 0, 0)}) == (30, 0, 0, 0)
    assert not kept.sheet.is_over
    assert totals(kept, {"last": (0, 9, 0, 9)}, {"last": (3, 0, 0, 0)}) == (33, 9, 0, 9)
    assert (kept.sheet.is_over, kept.sheet.ranks) == (True, (4, 2, 1, 2))


def test_gurka_refuses_what_no_card_is_worth():
    assert refused(table("gurka"), last=(1, 0, 0, 0)) == "a card counts 2 to 14: J 11, Q 12, K 13, A 14"
    assert refused(table("gurka"), last=(0, 0, 0, 0)).startswith("somebody has the highest card")
    assert refused(table("gurka"), last=(15, 0, 0, 0)) == "last cards: at most 14 each"


def bridge(hands, jacks="none", times=1, by=0, ended="out"):
    return {"ended": ended, "by": str(by), "jacks": jacks, "times": str(times), "hands": hands}


def test_bridge_examples_1_to_3_and_12():
    assert points(table("bridge"), **bridge((0, 55, 0, 0))) == (0, 55, 0, 0)
    assert points(table("bridge"), **bridge((0, 55, 0, 0), times=2)) == (0, 110, 0, 0)
    start = bridge((30, 50, 80), by=1, ended="bridge")
    assert totals(table("bridge", 3), start, bridge((0, 15, 30), "2 minus")) == (-10, 65, 110)
    kept = table("bridge", 3)
    assert totals(kept, start, bridge((0, 15, 30), "2 plus")) == (30, 105, 150)
    assert (kept.sheet.is_over, kept.sheet.ranks) == (True, (1, 2, 3))
    assert totals(table("bridge"), bridge((0, 110, 0, 0)), bridge((0, 15, 0, 0))) == (0, 0, 0, 0)
    over = table("bridge")
    assert totals(over, bridge((0, 110, 0, 0)), bridge((0, 30, 0, 0))) == (0, 140, 0, 0)
    assert over.sheet.is_over
    assert points(table("bridge"), **bridge((10, 0, 0, 0), "2 minus", ended="bridge")) == (-30, 0, 0, 0)


def test_bridge_the_highest_total_starts_and_what_cannot_be_is_refused():
    kept = table("bridge")
    enter(kept, **bridge((0, 30, 50, 50)))
    assert kept.sheet.next_seat == 2
    assert refused(kept, **bridge((0, 5, 0, 0))) == "cards in hand count 10, 15 or 20 each, and 6 to 9 nothing"
    assert refused(kept, **bridge((10, 0, 0, 0))) == "in hand: at most 260 each"  # who is out holds nothing
    assert "there is no 'jacks'" in refused(kept, **bridge((0, 0, 0, 0), ended="no cards"))
    assert "jacks" in refused(table("bridge", jacks="minus"), **bridge((0, 0, 0, 0), "1 plus"))


def test_rummy_examples_2_and_7():
    assert points(table("rummy"), melds=(29, 9), hand=(22, 25)) == (7, -16)
    kept = table("rummy")
    assert totals(kept, {"melds": (104, 104), "hand": (0, 0)}) == (104, 104)
    assert not kept.sheet.is_over
    assert totals(kept, {"melds": (3, 5), "hand": (0, 0)}) == (107, 109)
    assert (kept.sheet.is_over, kept.sheet.ranks) == (True, (2, 1))
    assert "cannot come to more than 396" in refused(table("rummy"), melds=(200, 200), hand=(0, 0))


# Changes


@pytest.mark.promise("Scores of real card games", "Any number of rounds can be undone and entered again.")
@pytest.mark.parametrize("game", ["rifki", "king", "bridge", "rikiki"])
def test_rounds_are_taken_back_as_often_as_wanted_and_entered_again(game):
    engine, first, rounds = played(game, 1)
    kept = table(game, first=first)
    states = []
    for entered in rounds:
        states.append((kept.sheet.running_totals, kept.sheet.next_seat))
        kept.apply(ScoreTableLine(round=entered))
    for before in reversed(states):
        kept.apply(ScoreTableLine(undo=1))
        assert (kept.sheet.running_totals, kept.sheet.next_seat) == before
    assert not kept.can_undo
    with pytest.raises(ValueError, match="cannot be taken back"):
        kept.apply(ScoreTableLine(undo=1))
    for entered in rounds:
        kept.apply(ScoreTableLine(round=entered))
    assert kept.sheet.totals == engine.totals


def test_a_round_is_put_right_and_the_change_taken_back():
    kept = table("rifki")
    enter(kept, contract="kiz", taken=(4, 0, 0, 0))
    enter(kept, contract="koz", taken=(13, 0, 0, 0))
    kept.apply(ScoreTableLine(round={"contract": "erkek", "taken": (0, 8, 0, 0)}, number=1))
    assert kept.sheet.running_totals == (650, -480, 0, 0)
    kept.apply(ScoreTableLine(undo=1))
    assert kept.sheet.running_totals == (250, 0, 0, 0)
    with pytest.raises(ValueError, match="there is no round 3"):
        kept.apply(ScoreTableLine(round={"contract": "kiz", "taken": (4, 0, 0, 0)}, number=3))


def test_a_change_that_makes_a_later_round_impossible_is_refused():
    kept = table("rifki")
    for contract, most in [("kiz", 4), ("erkek", 8), ("kiz", 4)]:
        enter(kept, contract=contract, taken=(most, 0, 0, 0))
    with pytest.raises(ValueError, match="round 3 would not fit: Kiz has been played twice already"):
        kept.apply(ScoreTableLine(round={"contract": "kiz", "taken": (4, 0, 0, 0)}, number=2))
    assert kept.sheet.running_totals == (-1280, 0, 0, 0)


def test_the_end_is_closed_once_and_only_with_the_results():
    engine, first, rounds = played("rifki", 2)
    kept = table("rifki", first=first)
    for entered in rounds:
        with pytest.raises(ValueError, match="the session is not over"):
            kept.apply(ScoreTableLine(end=OTHER))
        kept.apply(ScoreTableLine(round=entered))
    with pytest.raises(ValueError, match="not what the rounds come to"):
        kept.apply(ScoreTableLine(end=OTHER))
    with pytest.raises(ValueError, match="the session is over"):
        kept.apply(ScoreTableLine(round=rounds[0]))
    end = kept.create_end_line()
    assert (end.end.totals, end.end.ranks) == (engine.totals, engine.ranks)
    kept.apply(end)
    for line in (end, ScoreTableLine(undo=1), ScoreTableLine(round=rounds[0])):
        with pytest.raises(ValueError, match="the session is over"):
            kept.apply(line)
    kept.apply(ScoreTableLine(name="Friday"))
