"""Rummy: the worked examples of its rules, and a situation for each rule.

Seat 0 starts the first round. Hands that are not given in full are filled up with cards that form no combination; the
first card of `then` is turned up.
"""

import pytest

from cardtable.engine.cards import PACK_52, RANKS, SUITS, card, cards, iter_cards, names
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import ForfeitLine, ResultLine, SessionResult
from cardtable.games.rummy.rules.melds import COMBINATION_POINTS, COMBINATIONS, ORDERED_CARDS, sum_points
from tests.notation import ScriptedGame

SCATTERED = [f"{rank}{SUITS[(number + shift) % 4]}" for shift in range(4) for number, rank in enumerate(RANKS)]
"""The pack in an order in which no three of the first thirteen cards, nor of the next, form a combination."""


def start_round(*hands, then="", **options):
    return deal_round(ScriptedGame("rummy", 2, **options).do("first 0"), *hands, then=then)


def deal_round(game, *hands, then=""):
    """Deal these hands, filled up with cards that form no combination."""
    spare = [card for card in SCATTERED if card not in " ".join([*hands, then])]
    notes = []
    for seat in range(2):
        hand = hands[seat].split() if seat < len(hands) else []
        missing = 13 - len(hand)
        notes.append(" ".join(hand + spare[:missing]))
        del spare[:missing]
    return game.deal(*notes, then=" ".join([*then.split(), *spare]), number=13)


def count_combination(text):
    """Return the points of the combination of these cards; `None` if there is none."""
    counted = {names(ORDERED_CARDS[one]): COMBINATION_POINTS[one] for one in COMBINATIONS}
    return counted.get(text)


def list_legal(game, kind):
    """Return the legal actions of a kind, without its word."""
    return [text.partition(" ")[2] for text in game.legal() if text.startswith(f"{kind} ")]


def draw_and_drop(game, *cards_):
    """Let the players draw from the stock in turn and drop these cards."""
    for one in cards_:
        game.do(f"stock, drop {one}")
    return game


def draw_and_meld(game, *combinations):
    """Let the seat on turn draw from the stock and meld these combinations."""
    game.do("stock")
    for combination in combinations:
        game.do(f"meld {combination}")
    return game


def drop_drawn_card(game):
    """Let the seat on turn draw from the stock, unless it has drawn, and drop the drawn card."""
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
def test_example_1_points_of_combinations(text, points):
    assert count_combination(text) == points


def test_example_2_melds_minus_hand():
    low = "AC 2C 3C 4C 2D 3D 4D AH 2H 3H 4H AS 7S"
    out = "5C 6C 7C 8C 5D 6D 7D 8D 5H 6H 7H 8H 9H"
    game = start_round(low, out, then="KC KD KH KS")
    draw_and_meld(game, "AC 2C 3C 4C", "2D 3D 4D", "AH 2H 3H 4H").do("drop KD")
    draw_and_meld(game, "5C 6C 7C 8C", "5D 6D 7D 8D", "5H 6H 7H 8H 9H").do("drop KH")
    assert game.score.figures[0] == (29, 22)
    assert game.score.points[0] == 7
    assert 9 - sum_points(cards("KC QD 5H")) == -16


def test_example_3_deepest_card_must_be_used():
    game = start_round("9H 2S 5H", "KD 9C 9D", then="5C")
    draw_and_drop(game, "9H", "KD", "2S")
    assert game.view().pile == tuple(map(card, ["5C", "9H", "KD", "2S"]))
    assert list_legal(game, "take") == ["1", "3"]
    game.do("take 3")
    assert list_legal(game, "drop") == []
    assert game.explain_illegal("KD") == "You must meld or lay off 9H first"
    game.do("meld 9C 9D 9H")
    assert "KD" in list_legal(game, "drop")
    without = draw_and_drop(start_round("9H 2S 5H", "KD 9C 8D", then="5C"), "9H", "KD", "2S")
    assert list_legal(without, "take") == ["1"]
    assert without.explain_illegal("9H") == "You couldn't meld or lay off 9H this turn"


def test_example_4_laying_off_on_opponents_meld():
    game = drop_drawn_card(draw_and_meld(start_round("QS QH QD", "QC 2C"), "QD QH QS")).do("stock")
    assert list_legal(game, "add") == ["QC 1"]
    game.do("add QC 1")
    assert game.view().laid == (30, 10)
    assert game.view().owners == (0,)
    assert names(ORDERED_CARDS[game.view().table[0]]) == "QC QD QH QS"


def test_example_5_laying_off_king_then_ace():
    game = drop_drawn_card(draw_and_meld(start_round("TS JS QS", "KS AS 2S 2C"), "TS JS QS")).do("stock")
    assert list_legal(game, "add") == ["KS 1"]
    game.do("add KS 1")
    assert (game.view().laid, list_legal(game, "add")) == ((30, 10), ["AS 1"])
    game.do("add AS 1")
    assert (game.view().laid, list_legal(game, "add")) == ((30, 25), [])


def test_example_6_low_ace_ends_sequence():
    game = drop_drawn_card(draw_and_meld(start_round("2H 3H 4H", "AH KH 5H 2C"), "2H 3H 4H")).do("stock")
    assert list_legal(game, "add") == ["5H 1", "AH 1"]
    game.do("add AH 1")
    assert (game.view().laid, list_legal(game, "add")) == ((9, 1), ["5H 1"])


QUICK = "TS JS QS 9D TD JD QD AC 2C 3C 4C 5C 6C"
"""Three sequences which count 30, 39 and 21."""


def go_out_at_once(game):
    """Let seat 0 meld `QUICK` and drop the drawn card."""
    return drop_drawn_card(draw_and_meld(game, "TS JS QS", "9D TD JD QD", "AC 2C 3C 4C 5C 6C"))


def test_example_7_higher_total_wins_at_limit():
    loses = go_out_at_once(start_round(QUICK, "KC QH", totals=(17, 300)))
    assert (loses.table.totals[0], loses.turn, loses.table.ranks) == (107, OVER, (2, 1))


@pytest.mark.parametrize(("totals", "over"), [((107, 109), True), ((104, 104), False), ((99, 98), False)])
def test_example_7_session_continues_at_equal_totals(totals, over):
    points = go_out_at_once(start_round(QUICK)).score.points
    before = tuple(total - more for total, more in zip(totals, points, strict=True))
    game = go_out_at_once(start_round(QUICK, totals=before))
    assert game.table.totals == totals
    assert game.turn == (OVER if over else CHANCE)
    if over:
        assert game.table.ranks == (2, 1)


def test_example_8_turn_of_last_stock_card_is_completed():
    game = start_round("AS AH AD")
    for _ in range(24):
        drop_drawn_card(game)
    assert (game.view().stock, game.table.playing) == (1, True)
    game.do("stock")
    assert (game.view().stock, game.table.playing) == (0, True)
    before = game.view()
    game.do("meld AD AH AS")
    assert game.table.playing
    drop_drawn_card(game)
    assert not game.table.playing
    assert str(game.score.title) == "no stock"
    assert game.score.points[0] == 45 - sum_points(before.hand & ~cards("AS AH AD") & ~(1 << before.drawn))


# The draw


def test_deal_leaves_one_card_face_up():
    game = start_round("AS", "AH", then="KD 9C")
    view = game.view(0)
    assert (view.sizes, names(view.pile), view.stock, game.turn) == ((13, 13), "KD", 25, 0)
    assert game.legal() == ["stock", "take 1"]
    game.do("stock")
    assert "9C" in game.hand(0)
    assert (game.format_notes(0), game.format_notes(1)) == ([(0, "draws 9C")], [(0, "draws a card")])


def test_top_card_is_barred_after_twenty_such_turns():
    game = start_round("AS KS", "AH KH", then="KD")
    for turn in range(20):
        assert "take 1" in game.legal()
        game.do("take 1")
        game.do("drop " + list_legal(game, "drop")[turn % 3])
    assert "take 1" not in game.legal()
    assert "stock" in game.legal()
    assert game.explain_illegal(names(game.view().pile[-1:])).startswith("The last 20 turns took the top card alone")
    game.do("stock")
    game.do("drop " + list_legal(game, "drop")[0])
    assert "take 1" in game.legal()


# The end of a round


def play_round_50(game):
    """Play round 50: seat 1 starts, and seat 0 goes out."""
    state = game.table.state
    state.finished, state.first = 49, 1
    game.table.scores.extend([None] * 49)
    return go_out_at_once(deal_round(game, QUICK))


def test_equal_totals_share_rank_after_round_50():
    points = go_out_at_once(start_round(QUICK)).score.points
    game = ScriptedGame("rummy", 2, totals=(-points[0], -points[1])).do("first 0")
    play_round_50(game)
    assert (game.turn, game.table.totals, game.table.ranks) == (OVER, (0, 0), (1, 1))


# What everybody knows


def test_taken_cards_are_known_until_dropped():
    game = start_round("AS", "AH 2S", then="KD").do("take 1, drop AS")
    assert game.view(1).shown == (1 << card("KD"), 0)
    assert game.game.scene(game.view(1))[0].cards == (card("KD"), *[None] * 12)
    assert all("KD" in names(iter_cards(world.hands[0])) for world in game.sample_states(1))
    game.do("stock, drop 2S, stock, drop KD")
    assert game.view(1).shown == (0, 0)


def test_imagined_hand_can_use_taken_card():
    game = start_round("9H 2S 5H", "KD 9C 9D 6S", then="5C")
    draw_and_drop(game, "9H", "KD", "2S").do("take 3")
    worlds = game.sample_states(0, tries=200)
    for world in worlds:
        mine = names(iter_cards(world.hands[1])).split()
        nines = sum(card in mine for card in ("9C", "9D", "9S"))
        run = {"7H", "8H"} <= set(mine) or {"8H", "TH"} <= set(mine) or {"TH", "JH"} <= set(mine)
        assert nines >= 2 or run
    assert len({world.hands[1] for world in worlds}) > 100


def test_hidden_cards_are_imagined_anywhere():
    game = start_round("AS", "AH 2S", then="KD").do("take 1, drop AS")
    in_hand = [world.hands[0] & cards("QC") != 0 for world in game.sample_states(1, tries=400)]
    assert 0.25 < sum(in_hand) / len(in_hand) < 0.45
    for world in game.sample_states(1, tries=3):
        assert world.hands[0] | world.hands[1] | sum(1 << c for c in (*world.pile, *world.stock)) == PACK_52


# The clock


def test_forfeit_on_time_loses_session():
    game = deal_round(go_out_at_once(start_round(QUICK, limit=500, clock=5)))
    assert game.turn == 1
    before = game.table.totals
    game.table.forfeit(1, "clock")
    assert (game.turn, game.table.totals, game.table.ranks, game.table.ended) == (OVER, before, (1, 2), True)
    assert game.view(0).forfeited == 1
    game = deal_round(go_out_at_once(start_round(QUICK, limit=500, clock=5)), "", "AC").do("stock, drop AC")
    game.table.apply_line(ForfeitLine(0, "clock"))
    game.table.apply_line(ResultLine(SessionResult(game.table.totals, (2, 1), 0)))
    assert game.table.totals[0] > game.table.totals[1]


# Words


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("AC 2C", "A meld needs at least three cards"),
        ("2C 4C 6C", "That is neither a sequence of one suit nor a group"),
        ("AS", "You do not hold that card"),
        ("", "Discard a card to end your turn"),
    ],
)
def test_reasons_after_the_draw(text, reason):
    assert start_round("AC 2C 4C 6C", "AS").do("stock").explain_illegal(text) == reason


def test_taken_card_may_not_be_dropped_at_once():
    game = start_round("AS", "AH", then="KD").do("take 1")
    assert "KD" not in list_legal(game, "drop")
    assert game.explain_illegal("KD") == "You can't discard a card that you took alone this turn"


def test_reasons_before_the_draw():
    game = start_round("AC", "AS", then="KD")
    assert game.explain_illegal("AC") == "Draw first, from the stock or the face-up pile"
    assert game.do("take 1").explain_illegal("AS") == "You do not hold that card"
