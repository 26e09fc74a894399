"""Rikiki: the worked examples of its rules, and a situation for each rule.

Seat 0 deals the first round. Hands that are not given in full are filled up with the lowest cards left.
"""

from cardtable.engine.cards import names
from cardtable.engine.game import OVER
from tests.notation import ScriptedGame

LOW = [f"{rank}{suit}" for rank in "2345" for suit in "CDH"]
"""Low cards: a seat that holds the first of these and does not lead a suit of its own wins no trick."""


def start_session(after=0, **options):
    """Start a session and play `after` rounds in which all bid 0 and seat 0 makes 0."""
    game = ScriptedGame("rikiki", 4, **options)
    for _ in range(after):
        play_trickless_round(game, 0)
    return game


def play_trickless_round(game, bid):
    """Play a round in which seat 0 bids `bid` and wins no trick; the others bid 0."""
    rounds = len(game.table.scores)
    number = game.view(0).options.list_hand_sizes()[rounds]
    with game.checked_at_end():
        game.deal(" ".join([*LOW, "2S"][:number]), then="" if number == 13 else "2S", number=number)
        for _ in range(4):
            game.do(f"bid {bid if game.turn == 0 else 0}")
        while len(game.table.scores) == rounds:
            game.do(game.legal()[0])


def format_bids(*numbers):
    return [f"bid {number}" for number in numbers]


# The worked examples


def test_example_1_points():
    game = start_session(after=1, bonuses="off")
    game.deal("2H 3H", "AC KC", "2D 3D", "2S 3S", then="QC", number=2).do("bid 2, bid 0, bid 1, bid 0")
    game.do("play AC, play 2D, play 2S, play 2H")
    assert game.score.figures == ((0, 0), (2, 2), (0, 0), (1, 0))
    assert game.score.points == (10, 14, 10, -2)
    game = start_session(after=4, bonuses="off").deal("AC KC QC JC TC", then="2C", number=5)
    assert play_highest_clubs_first(game.do("bid 3, bid 0, bid 0, bid 0")).score.points[0] == -4, "bid 3, made 5"
    game = start_session(after=4, bonuses="off").deal("AC KC QC JC 2D", "AD TC 9C 8C 7C", then="2C", number=5)
    play_highest_clubs_first(game.do("bid 0, bid 3, bid 0, bid 0"))
    assert game.score.figures == ((0, 4), (3, 1), (0, 0), (0, 0))
    assert game.score.points == (-8, -4, 10, 10)
    game = start_session(after=12, bonuses="off").deal("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", number=13)
    assert play_highest_clubs_first(game.do("bid 13, bid 0, bid 1, bid 0")).score.points == (36, 10, -2, 10)


def play_highest_clubs_first(game):
    """Play the round out, the highest clubs first, otherwise the lowest card."""
    rounds = len(game.table.scores)
    order = "AKQJT98765432"
    while len(game.table.scores) == rounds:
        game.do(min(game.legal(), key=lambda text: (text[-1] != "C", order.index(text[-2]))))
    return game


def test_example_2_last_bidder():
    game = start_session(after=4).deal(number=5)
    assert game.do("bid 1, bid 2, bid 0").legal() == format_bids(0, 1, 3, 4, 5)
    assert game.explain_illegal() == "Not 2: the bids can't total 5"
    game = start_session(after=4).deal(number=5)
    assert game.do("bid 3, bid 3, bid 1").legal() == format_bids(0, 1, 2, 3, 4, 5)
    game = start_session(after=3).deal(number=4)
    assert game.do("bid 1, bid 2, bid 0").legal() == format_bids(0, 1, 2, 3, 4)


def test_example_3_rounds_of_session():
    game, seen = start_session(), []
    while game.turn != OVER:
        play_trickless_round(game, 0)
        view = game.view(0)
        seen.append((view.cards, view.dealer, view.trump_card is not None))
    assert len(seen) == 28
    assert [seen[number - 1] for number in (1, 12, 13, 16, 17, 28)] == [
        (1, 0, True),
        (12, 3, True),
        (13, 0, False),
        (13, 3, False),
        (12, 0, True),
        (1, 3, True),
    ]
    assert [number for number, (*_, trump) in enumerate(seen, 1) if not trump] == [13, 14, 15, 16]


def test_example_4_trump_wins_trick():
    game = start_session(after=2).deal("3D 4S 5S", "6H 7H 8H", "AC 9H TH", "2D 6S 7S", then="AD", number=3)
    game.do("bid 1, bid 1, bid 0, bid 0, play AC, play 2D")
    assert game.legal() == ["play 3D", "play 4S", "play 5S"]
    game.do("play 3D, play 6H")
    assert (game.turn, game.view(0).won) == (0, (1, 0, 0, 0))
    game = start_session(after=2).deal("KC 4S 5S", "3D 7H 8H", "AC 9H TH", "2D 6S 7S", then="AD", number=3)
    game.do("bid 1, bid 1, bid 0, bid 0, play AC, play 2D, play KC, play 3D")
    assert (game.turn, game.view(0).won) == (1, (0, 1, 0, 0))


def test_example_5_zero_bid_in_every_round():
    game = start_session(after=28)
    assert game.turn == OVER
    totals = game.table.totals
    assert totals[0] == max(totals) == 350
    assert game.table.ranks == tuple(1 + sum(other > total for other in totals) for total in totals)
    assert list_bonuses(game) == {
        10: [("ten in a row", 20)],
        16: [("no-trump four", 10)],
        20: [("ten in a row", 20), ("few misses", 20)],
    }


def test_example_6_miss_restarts_row():
    game = start_session(after=9)
    play_trickless_round(game, 1)
    for _ in range(10):
        play_trickless_round(game, 0)
    assert list_bonuses(game) == {16: [("no-trump four", 10)], 20: [("ten in a row", 20)]}


def list_bonuses(game):
    """Return the bonuses of seat 0 by round."""
    earned = {number: score.bonuses[0] for number, score in enumerate(game.table.scores, 1)}
    return {number: [(bonus.name, bonus.points) for bonus in some] for number, some in earned.items() if some}


# Play


def deal_three_cards():
    """Deal round 3, trump clubs: seat 2 leads and holds QH; seat 3 has hearts, seat 0 has none."""
    game = start_session(after=2).deal("3D 4D 5S", "KH KS KD", "QH 6D 7D", "2H 9H AS", then="TC", number=3)
    return game.do("bid 0, bid 0, bid 0, bid 0")


def test_turned_up_card_only_shows_trump():
    game = deal_three_cards()
    assert names([game.view(0).trump_card]) == "TC"
    zones = {zone.name: zone for zone in game.game.scene(game.view(0)) if zone.seat is None}
    assert names(zones["trump"].cards) == "TC"


# Points, bonuses, the end


def test_bonus_for_ten_misses_in_a_row_at_most_twice():
    game = ScriptedGame("rikiki", 4)
    for _ in range(28):
        play_trickless_round(game, 1)
    assert list_bonuses(game) == {10: [("ten misses running", 20)], 20: [("ten misses running", 20)]}
    assert game.table.totals[0] == 28 * -2 + 40


def test_bonus_for_few_misses_after_20th_success():
    game = ScriptedGame("rikiki", 4)
    for number in range(1, 29):
        play_trickless_round(game, 1 if number in (2, 4, 6, 8, 12, 14, 18, 22) else 0)
    assert list_bonuses(game) == {28: [("few misses", 20)]}, "8 misses are fewer than 9"


def test_miss_without_trump_loses_no_trump_bonus():
    game = start_session(after=14)
    play_trickless_round(game, 1)
    play_trickless_round(game, 0)
    assert list_bonuses(game) == {10: [("ten in a row", 20)]}


def test_short_session():
    game = start_session(length="short")
    seen = []
    while game.turn != OVER:
        play_trickless_round(game, 0)
        seen.append(game.view(0).cards)
    assert seen == [1, 2, 3, 4, 5, 6, 13, 13, 13, 13, 6, 5, 4, 3, 2, 1]
    assert list_bonuses(game) == {10: [("ten in a row", 20), ("no-trump four", 10)], 12: [("few misses", 20)]}
    assert game.table.totals[0] == 160 + 50


# What a seat knows, and words


def test_reasons_of_illegal_plays():
    game = start_session(after=2).deal("3D 4D 5S", number=3)
    assert game.explain_illegal("AS") == "You must bid first"
    game = deal_three_cards()
    assert game.explain_illegal("AS") == "You do not hold that card"
