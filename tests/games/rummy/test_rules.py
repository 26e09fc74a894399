"""Rummy: the worked examples of its rules, and a situation for each rule.

Seat 0 starts the first round.  Hands that are not told in full are filled up with cards that do
not go together; the first card of ``then`` is turned up.
"""

import pytest

from cardtable.engine.cards import PACK_52, RANKS, SUITS, card, cards, iter_cards, names
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Line, SessionResult
from cardtable.engine.referee import IllegalAction
from cardtable.games.rummy.rules.melds import COMBINATION_POINTS, COMBINATIONS, ORDERED_CARDS, sum_points
from tests.notation import ScriptedGame

SCATTERED = [f"{rank}{SUITS[(number + shift) % 4]}" for shift in range(4) for number, rank in enumerate(RANKS)]
"""The pack; of the first thirteen cards, as of the next, no three go together."""


def sitting(*hands, then="", **options):
    return dealt(ScriptedGame("rummy", 2, **options).do("first 0"), *hands, then=then)


def dealt(game, *hands, then=""):
    """Deal these hands; what is not told is of cards that do not go together."""
    spare = [card for card in SCATTERED if card not in " ".join([*hands, then])]
    told = []
    for seat in range(2):
        hand = hands[seat].split() if seat < len(hands) else []
        missing = 13 - len(hand)
        told.append(" ".join(hand + spare[:missing]))
        del spare[:missing]
    return game.deal(*told, then=" ".join([*then.split(), *spare]), number=13)


def melds(text):
    """What a combination of these cards counts; ``None`` if there is none."""
    counted = {names(ORDERED_CARDS[one]): COMBINATION_POINTS[one] for one in COMBINATIONS}
    return counted.get(text)


def legal(game, kind):
    """What may be done of a kind, without its word."""
    return [text.partition(" ")[2] for text in game.legal() if text.startswith(f"{kind} ")]


def dropped(game, *cards_):
    """The players draw from the stock in turn, and drop these cards."""
    for one in cards_:
        game.do(f"stock, drop {one}")
    return game


def laid(game, *combinations):
    """The seat to act draws from the stock, and lays combinations."""
    game.do("stock")
    for combination in combinations:
        game.do(f"meld {combination}")
    return game


def passed(game):
    """The seat to act draws from the stock, if it has not drawn, and drops that card."""
    if not game.view().drew:
        game.do("stock")
    return game.do(f"drop {names([game.view().drawn])}")


# The worked examples


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("AC AD AH", 45),
        ("AC AD AH AS", 60),
        ("AS 2S 3S", 6),
        ("QH KH AH", 35),
        ("9D TD JD", 29),
        ("KC AC 2C", None),
        ("QC KC AC 2C", None),
        ("2C 3D 4C", None),
        ("2C 3C", None),
        ("AD AC AH", None),
        ("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", 85),
        ("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", 99),
        ("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", None),
    ],
)
def test_example_1_what_combinations_count(text, points):
    assert melds(text) == points


def test_example_2_the_melds_less_the_hand():
    low = "AC 2C 3C 4C 2D 3D 4D AH 2H 3H 4H AS 7S"
    out = "5C 6C 7C 8C 5D 6D 7D 8D 5H 6H 7H 8H 9H"
    game = sitting(low, out, then="KC KD KH KS")
    laid(game, "AC 2C 3C 4C", "2D 3D 4D", "AH 2H 3H 4H").do("drop KD")
    laid(game, "5C 6C 7C 8C", "5D 6D 7D 8D", "5H 6H 7H 8H 9H").do("drop KH")
    assert game.score.figures[0] == (29, 22)
    assert game.score.points[0] == 7
    assert 9 - sum_points(cards("KC QD 5H")) == -16


def test_example_3_the_deepest_card_must_be_used():
    game = sitting("9H 2S 5H", "KD 9C 9D", then="5C")
    dropped(game, "9H", "KD", "2S")
    assert game.view().pile == tuple(map(card, ["5C", "9H", "KD", "2S"]))
    assert legal(game, "take") == ["1", "3"]
    game.do("take 3")
    assert legal(game, "drop") == []
    assert game.why_not("KD") == "9H must be melded or added first"
    game.do("meld 9C 9D 9H")
    assert "KD" in legal(game, "drop")
    without = dropped(sitting("9H 2S 5H", "KD 9C 8D", then="5C"), "9H", "KD", "2S")
    assert legal(without, "take") == ["1"]
    assert without.why_not("9H") == "You could not use 9H in this turn"


def test_example_4_a_card_added_to_what_the_opponent_laid():
    game = passed(laid(sitting("QS QH QD", "QC 2C"), "QD QH QS")).do("stock")
    assert legal(game, "add") == ["QC 1"]
    game.do("add QC 1")
    assert game.view().laid == (30, 10)
    assert game.view().owners == (0,)
    assert names(ORDERED_CARDS[game.view().table[0]]) == "QC QD QH QS"


def test_example_5_a_king_and_then_an_ace_on_top():
    game = passed(laid(sitting("TS JS QS", "KS AS 2S 2C"), "TS JS QS")).do("stock")
    assert legal(game, "add") == ["KS 1"]
    game.do("add KS 1")
    assert (game.view().laid, legal(game, "add")) == ((30, 10), ["AS 1"])
    game.do("add AS 1")
    assert (game.view().laid, legal(game, "add")) == ((30, 25), [])


def test_example_6_a_low_ace_ends_the_sequence_below():
    game = passed(laid(sitting("2H 3H 4H", "AH KH 5H 2C"), "2H 3H 4H")).do("stock")
    assert legal(game, "add") == ["5H 1", "AH 1"]
    game.do("add AH 1")
    assert (game.view().laid, legal(game, "add")) == ((9, 1), ["5H 1"])


TENS = "TC TD TH"
QUICK = "TS JS QS 9D TD JD QD AC 2C 3C 4C 5C 6C"
"""Three sequences which count 30, 39 and 21."""


def out_at_once(game):
    """Seat 0 lays ``QUICK`` and drops the card that was drawn."""
    return passed(laid(game, "TS JS QS", "9D TD JD QD", "AC 2C 3C 4C 5C 6C"))


def test_example_7_the_higher_total_wins_if_one_has_reached_the_limit():
    loses = out_at_once(sitting(QUICK, "KC QH", totals=(17, 300)))
    assert (loses.table.totals[0], loses.turn, loses.table.ranks) == (107, OVER, (2, 1))


@pytest.mark.parametrize(("totals", "over"), [((107, 109), True), ((104, 104), False), ((99, 98), False)])
def test_example_7_the_session_goes_on_while_totals_are_equal(totals, over):
    points = out_at_once(sitting(QUICK)).score.points
    before = tuple(total - more for total, more in zip(totals, points, strict=True))
    game = out_at_once(sitting(QUICK, totals=before))
    assert game.table.totals == totals
    assert game.turn == (OVER if over else CHANCE)
    if over:
        assert game.table.ranks == (2, 1)


@pytest.mark.parametrize("limit", [200, 500])
def test_another_limit_ends_the_session_later(limit):
    before = out_at_once(sitting(QUICK)).score.points
    just = out_at_once(sitting(QUICK, totals=(limit - before[0], 0), limit=limit))
    assert (just.table.totals[0], just.turn) == (limit, OVER)
    less = out_at_once(sitting(QUICK, totals=(limit - before[0] - 1, 0), limit=limit))
    assert (less.table.totals[0], less.turn) == (limit - 1, CHANCE)


def test_example_8_the_turn_of_the_last_face_down_card_is_played_to_its_end():
    game = sitting("AS AH AD")
    for _ in range(24):
        passed(game)
    assert (game.view().stock, game.table.playing) == (1, True)
    game.do("stock")
    assert (game.view().stock, game.table.playing) == (0, True)
    before = game.view()
    game.do("meld AD AH AS")
    assert game.table.playing
    passed(game)
    assert not game.table.playing
    assert str(game.score.title) == "no stock"
    assert game.score.points[0] == 45 - sum_points(before.hand & ~cards("AS AH AD") & ~(1 << before.drawn))


# The draw


def test_the_deal_leaves_one_card_face_up_and_25_face_down():
    game = sitting("AS", "AH", then="KD 9C")
    view = game.view(0)
    assert (view.sizes, names(view.pile), view.stock, game.turn) == ((13, 13), "KD", 25, 0)
    assert game.legal() == ["stock", "take 1"]
    game.do("stock")
    assert "9C" in game.hand(0)
    assert (game.format_notes(0), game.format_notes(1)) == ([(0, "draws 9C")], [(0, "draws a card")])


@pytest.mark.parametrize("first", [0, 1])
def test_who_starts_is_drawn_and_alternates_with_the_round(first):
    game = dealt(ScriptedGame("rummy", 2, limit=500).do(f"first {first}"))
    assert game.turn == first
    game.table.void("clock")
    dealt(game, *(["", QUICK] if first else [QUICK]))
    assert game.turn == first
    dealt(out_at_once(game))
    assert game.turn == 1 - first


def test_a_card_taken_alone_may_not_be_dropped():
    game = sitting("AS", "AH", then="KD").do("take 1")
    assert "KD" not in legal(game, "drop")
    assert len(legal(game, "drop")) == 13
    assert game.why_not("KD") == "A card taken alone may not be dropped in the same turn"


def test_a_card_taken_alone_need_not_be_used_and_may_be_dropped_later():
    game = passed(sitting("AS", "AH", then="KD").do("take 1, drop AS")).do("stock")
    assert "KD" in legal(game, "drop")


def test_the_deepest_card_may_be_added_with_the_help_of_a_card_between():
    game = sitting("TH JH QH AH 5S", "KH 2C 7D", then="3C")
    laid(game, "TH JH QH").do("drop AH, stock, drop 2C")
    dropped(game, "5S")
    assert "3" in legal(game, "take")
    game.do("take 3")
    assert game.view().must == card("AH")
    assert names(game.view().pile) == "3C"
    assert legal(game, "add") == ["KH 1"]
    game.do("add KH 1, add AH 1")
    assert game.view().must is None


def test_twenty_turns_that_begin_with_the_top_card_are_enough():
    game = sitting("AS KS", "AH KH", then="KD")
    for turn in range(20):
        assert "take 1" in game.legal()
        game.do("take 1")
        game.do("drop " + legal(game, "drop")[turn % 3])
    assert "take 1" not in game.legal()
    assert "stock" in game.legal()
    assert game.why_not(names(game.view().pile[-1:])).startswith("The last 20 turns took the top card alone")
    game.do("stock")
    game.do("drop " + legal(game, "drop")[0])
    assert "take 1" in game.legal()


# Melds and additions


def test_every_combination_in_the_hand_may_be_melded_in_one_spelling():
    game = sitting("5C 6C 7C 8C 9C 9D 9H 9S").do("stock")
    found = legal(game, "meld")
    assert [text for text in found if "9D" not in text and "9H" not in text] == [
        "5C 6C 7C", "5C 6C 7C 8C", "5C 6C 7C 8C 9C", "6C 7C 8C", "6C 7C 8C 9C", "7C 8C 9C",
    ]  # fmt: skip
    assert [text for text in found if "9D" in text or "9H" in text] == [
        "9C 9D 9H", "9C 9D 9H 9S", "9C 9D 9S", "9C 9H 9S", "9D 9H 9S",
    ]  # fmt: skip


def test_thirteen_cards_of_a_suit_have_two_spellings():
    hearts = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
    game = sitting(hearts).do("stock")
    longest = [text for text in legal(game, "meld") if text.count(" ") == 12]
    assert sorted(longest) == sorted([hearts, "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"])
    assert game.do(f"meld {longest[0]}").view().laid == (99, 0)


def test_an_ace_goes_on_top_of_two_to_king():
    game = sitting("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH").do("stock, meld 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH")
    assert legal(game, "add") == ["AH 1"]
    assert game.do("add AH 1").view().laid == (99, 0)


def test_combinations_are_numbered_in_the_order_in_which_they_were_laid():
    game = laid(sitting("AS AH AD 2S", "5C 6C 7C 4C 8C", then="9S"), "AD AH AS").do("drop 2S")
    laid(game, "5C 6C 7C")
    assert (game.view().owners, legal(game, "add")) == ((0, 1), ["4C 2", "8C 2", "AC 1"])
    game.do("add 8C 2, add 4C 2")
    assert names(ORDERED_CARDS[game.view().table[1]]) == "4C 5C 6C 7C 8C"


def test_one_card_may_fit_two_combinations():
    game = laid(sitting("2H 3H 4H 5C 5D 5S 5H", then="9S TS"), "2H 3H 4H", "5C 5D 5S")
    assert legal(game, "add") == ["5H 1", "5H 2"]


def test_nobody_lays_down_what_would_leave_only_the_card_taken_alone():
    hand = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"
    game = sitting(f"{hand} AH", then="9S").do("take 1")
    assert f"meld {hand}" in game.legal()
    game.do(f"meld {hand}")
    assert game.legal() == ["drop AH"]
    game = sitting("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC AS KS", then="9S").do("take 1")
    game.do("meld 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC")
    assert legal(game, "drop") == ["AS", "KS"]


def test_a_meld_is_refused_after_which_the_turn_could_not_be_completed():
    game = dropped(sitting("9C 9D 8C 7C 6C 2C 9H", "AS KD 9S", then="5D"), "9H", "AS").do("take 2")
    assert game.view().must == card("9H")
    assert "6C 7C 8C" in legal(game, "meld")
    assert "7C 8C 9C" not in legal(game, "meld")
    assert game.why_not("7C 8C 9C") == "9H could not be used after that"
    assert game.do("meld 6C 7C 8C").legal() == ["meld 9C 9D 9H"]


# Taken cards that must be kept


def kept(taken_cards):
    """Seat 0 takes 5C 9H KD 2S for 9C 9D 9H."""
    game = sitting("9H 2S 5H", "KD 9C 9D", then="5C", taken_cards=taken_cards)
    return dropped(game, "9H", "KD", "2S").do("take 3, meld 9C 9D 9H")


def test_taken_cards_may_be_dropped_or_not():
    assert {"KD", "2S"} <= set(legal(kept("free"), "drop"))
    game = kept("must-keep")
    assert not {"KD", "2S"} & set(legal(game, "drop"))
    assert legal(game, "drop")
    assert game.why_not("KD") == "Cards taken in this turn may not be dropped"


# The end of a round


def test_a_round_ends_as_soon_as_a_hand_is_empty():
    game = sitting("TS JS QS 9D TD JD QD AC 2C 3C 4C 5C 6C", then="KH KS")
    laid(game, "TS JS QS", "9D TD JD QD", "AC 2C 3C 4C 5C 6C")
    assert game.table.playing
    game.do("add KS 1")
    assert not game.table.playing
    assert str(game.score.title) == "out"
    assert game.score.figures[0] == (100, 0)
    assert game.format_notes(1)[1] == (0, "is out")


def test_the_hands_lie_open_after_a_round():
    game = out_at_once(sitting(QUICK))
    hands = [zone.cards for zone in game.game.scene(game.view(0)) if zone.name == "hand"]
    assert [len(hand) for hand in hands] == [0, 13]
    assert None not in hands[1]


def last_round(game):
    """Seat 1 starts round 50, and seat 0 is out."""
    state = game.table._state
    state.finished, state.first = 49, 1
    game.table.scores.extend([None] * 49)
    return out_at_once(dealt(game, QUICK))


def test_the_session_is_over_after_round_50():
    game = ScriptedGame("rummy", 2).do("first 0")
    last_round(game)
    assert game.turn == OVER


def test_equal_totals_share_the_rank_after_round_50():
    points = out_at_once(sitting(QUICK)).score.points
    game = ScriptedGame("rummy", 2, totals=(-points[0], -points[1])).do("first 0")
    last_round(game)
    assert (game.turn, game.table.totals, game.table.ranks) == (OVER, (0, 0), (1, 1))


# What everybody knows


def test_cards_taken_from_the_face_up_pile_are_known_until_they_are_gone():
    game = sitting("AS", "AH 2S", then="KD").do("take 1, drop AS")
    assert game.view(1).shown == (1 << card("KD"), 0)
    assert game.game.scene(game.view(1))[0].cards == (card("KD"), *[None] * 12)
    assert all("KD" in names(iter_cards(world.hands[0])) for world in game.sample_states(1))
    game.do("stock, drop 2S, stock, drop KD")
    assert game.view(1).shown == (0, 0)


def test_who_took_a_card_can_use_it_in_every_world():
    game = sitting("9H 2S 5H", "KD 9C 9D 6S", then="5C")
    dropped(game, "9H", "KD", "2S").do("take 3")
    worlds = game.sample_states(0, tries=200)
    for world in worlds:
        mine = names(iter_cards(world.hands[1])).split()
        nines = sum(card in mine for card in ("9C", "9D", "9S"))
        run = {"7H", "8H"} <= set(mine) or {"8H", "TH"} <= set(mine) or {"TH", "JH"} <= set(mine)
        assert nines >= 2 or run
    assert len({world.hands[1] for world in worlds}) > 100


def test_what_is_hidden_may_be_anywhere():
    game = sitting("AS", "AH 2S", then="KD").do("take 1, drop AS")
    where = [world.hands[0] & cards("QC") != 0 for world in game.sample_states(1, tries=400)]
    assert 0.25 < sum(where) / len(where) < 0.45
    for world in game.sample_states(1, tries=3):
        assert world.hands[0] | world.hands[1] | sum(1 << c for c in (*world.pile, *world.stock)) == PACK_52


# The clock


def test_who_has_no_time_left_loses_whatever_the_points_are():
    game = dealt(out_at_once(sitting(QUICK, limit=500, clock=5)))
    assert game.turn == 1
    before = game.table.totals
    game.table.forfeit(1, "clock")
    assert (game.turn, game.table.totals, game.table.ranks, game.table.ended) == (OVER, before, (1, 2), True)
    assert game.view(0).forfeited == 1
    game = dealt(out_at_once(sitting(QUICK, limit=500, clock=5)), "", "AC").do("stock, drop AC")
    game.table.apply_line(Line(forfeit=0, why="clock"))
    game.table.apply_line(Line(end=SessionResult(game.table.totals, (2, 1), 0)))
    assert game.table.totals[0] > game.table.totals[1]


def test_without_clocks_nobody_loses_by_them():
    game = sitting("AS")
    with pytest.raises(IllegalAction, match="played without clocks"):
        game.table.forfeit(0, "clock")
    assert (game.turn, game.table.playing) == (0, True)


# Words


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("AC 2C", "A meld needs at least three cards"),
        ("2C 4C 6C", "That is neither a sequence of one suit nor a group"),
        ("AS", "You do not hold that card"),
        ("", "Drop a card to end your turn"),
    ],
)
def test_reasons_after_the_draw(text, why):
    assert sitting("AC 2C 4C 6C", "AS").do("stock").why_not(text) == why


def test_reasons_before_the_draw():
    game = sitting("AC", "AS", then="KD")
    assert game.why_not("AC") == "Draw first, from the stock or the face-up pile"
    assert game.game.explain_illegal(game.view(1), cards("AS")) == "It is not your turn"
    assert game.do("take 1").why_not("AS") == "You do not hold that card"


def test_what_happens_is_told():
    game = ScriptedGame("rummy", 2).do("first 1")
    assert game.format_notes(0) == [(1, "starts the first round")]
    dealt(game, "QD", "AS AH AD QC QH QS", then="KD")
    assert game.format_notes(0) == [(None, "round 1: 13 cards each"), (None, "KD is turned up")]
    assert game.do("take 1").format_notes(0) == [(1, "takes KD")]
    assert game.do("meld QC QH QS").format_notes(0) == [(1, "melds QC QH QS")]
    assert game.do("drop AS").format_notes(0) == [(1, "drops AS")]
    assert game.do("stock, add QD 1").format_notes(1) == [(0, "adds QD to meld 1")]
