"""Ten Down: the worked examples of its rules, and a situation for each rule.

Seat 0 bids and leads first in the first round.  Hands that are not told in full are filled up with the lowest cards
left.
"""

import pytest

from cardtable.engine.cards import COPY_OFFSET, OF_SUIT, cards, names
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.referee import IllegalAction
from cardtable.games.ten_down.rules import CARDS_BY_ROOM, find_unseen_cards, score_bid
from tests.notation import ScriptedGame


def sitting(seats=4, after=0, room=5, **options):
    """A session of which ``after`` rounds have been played, in each of which all bid 0."""
    game = ScriptedGame("ten_down", seats, room=room, **options)
    for _ in range(after):
        plain_round(game)
    return game


def plain_round(game):
    """A round in which all bid 0."""
    begin(game, trump="S")
    rounds = len(game.table.scores)
    while len(game.table.scores) == rounds:
        game.do(game.legal()[0])


def begin(game, *hands, trump, bids=""):
    """Deal what the round has, draw the trump suit, and let these be bid."""
    number = CARDS_BY_ROOM[game.view(0).options.room] - len(game.table.scores)
    game.deal(*hands, number=number).do(f"trump {trump}")
    return game.do(", ".join(f"bid {bid}" for bid in bids.split())) if bids else game


def play_out(game, *hands):
    """Play the round out; the seats play what is legal in the order of these hands, else the first in order."""
    rounds = len(game.table.scores)
    while len(game.table.scores) == rounds:
        legal, told = game.legal(), hands[game.turn].split() if game.turn < len(hands) else []
        game.do(next((f"play {card}" for card in told if f"play {card}" in legal), legal[0]))
    return game


# The worked examples


@pytest.mark.parametrize(("bid", "made", "points"), [(3, 3, 13), (3, 4, 4), (0, 0, 10), (0, 2, 2), (5, 0, 0)])
def test_example_1_the_points(bid, made, points):
    assert score_bid(bid, made) == points


def test_example_1_at_the_table():
    hands = "AS KS QS 7C 8C", "7D 8D 9D AC KC"
    game = play_out(begin(sitting(), *hands, trump="S", bids="3 0 5 0"), *hands)
    assert game.score.figures == ((3, 3), (0, 2), (5, 0), (0, 0))
    assert game.score.points == (13, 2, 0, 10)
    hands = "AS KS QS JS 8C", "7D 8D 9D AC KC"
    game = play_out(begin(sitting(), *hands, trump="S", bids="3 0 0 0"), *hands)
    assert (game.score.figures[0], game.score.points[0]) == ((3, 4), 4)


def test_example_2_of_two_identical_cards_the_first_takes_the_trick():
    hands = "AS 7D", "AS 8D", "TS 9D", "KS TD"
    game = begin(sitting(after=3), *hands, trump="H", bids="0 0 0 0").do("play KS, play AS, play AS, play TS")
    assert game.score.figures[0][1] == 1
    game = begin(three_rounds_gone(), *hands, trump="H", bids="0 0 0 0")
    assert game.do("play AS, play AS, play TS, play KS").turn == 0
    game = begin(three_rounds_gone(), "9C 7D 8D", "7H 8D 9D", "9C 9D TD", "7H TD JD", trump="H", bids="0 0 0 0")
    assert game.do("play 9C, play 7H, play 9C, play 7H").turn == 1


def three_rounds_gone():
    """Seat 0 leads first to three cards."""
    return sitting(seats=4, after=4, room=50)


@pytest.mark.parametrize(
    ("room", "rounds", "tricks"), [("training", 10, 55), (5, 5, 15), (50, 7, 28), (500, 8, 36), (1000, 10, 55)]
)
def test_example_3_the_rounds_of_a_session(room, rounds, tricks):
    game, seen = sitting(seats=2, room=room), []
    while game.turn != OVER:
        plain_round(game)
        seen.append(game.view(0).cards)
    assert seen == [*range(rounds, 0, -1)]
    assert sum(game.view(0).taken) == tricks


def test_example_4_the_totals_are_multiplied_by_rank():
    game = ended(4, totals=(90, 68, 68, 39), taken=(20, 18, 8, 9))
    assert game.results() == (360, 204, 136, 39)
    assert game.ranks() == (1, 2, 3, 4)


def test_example_5_equal_in_all_the_lower_seat_is_first():
    game = ended(2, totals=(44, 44), taken=(14, 14), room=50)
    assert game.results() == (88, 44)
    assert game.ranks() == (1, 2)


def ended(seats, totals, taken, room="training"):
    """The state in which a session has ended."""
    state = ScriptedGame("ten_down", seats, totals, room=room).table._state
    state.taken = taken
    return state


# The session


def test_the_first_bidder_leads_first_and_moves_on_each_round():
    game = sitting(seats=3, after=1)
    begin(game, trump="C")
    assert (game.turn, game.view(0).first) == (1, 1)
    assert game.do("bid 0, bid 0, bid 0").turn == 1
    assert begin(sitting(seats=3, after=3), trump="C").turn == 0


def test_trump_is_drawn_after_the_deal_and_before_the_bids():
    game = sitting().deal(number=5)
    assert (game.turn, game.view(0).playing, game.view(0).trump) == (CHANCE, True, None)
    with pytest.raises(IllegalAction):
        game.do("deal 7C")
    game.do("trump H")
    assert (game.turn, game.view(3).trump) == (0, 2)
    assert game.format_notes(2) == [(None, "hearts are trump")]


def test_the_table_draws_the_trump_suit_by_itself():
    game = sitting()
    game.table.advance()
    assert (game.turn, game.view(0).trump in range(4)) == (0, True)


def test_the_best_total_wins_after_the_last_round():
    game = sitting(seats=3, after=5)
    assert game.turn == OVER
    rank = game.table.ranks
    assert sorted(rank) == [1, 2, 3]
    assert game.table.totals == tuple(total * (4 - r) for total, r in zip(game.table.raw_totals, rank, strict=True))


def test_more_tricks_break_a_tie():
    assert ended(3, totals=(30, 30, 31), taken=(6, 7, 2)).ranks() == (3, 2, 1)


def test_a_void_round_counts_for_nothing_and_the_same_seat_begins():
    game = begin(sitting(after=1), trump="C", bids="1")
    game.table.void("clock")
    assert (game.turn, game.table.round, game.view(0).playing, game.view(0).trump) == (CHANCE, 2, False, None)
    assert begin(game, trump="D").turn == 1


# Bidding


def test_every_bid_is_open():
    game = begin(sitting(), trump="C", bids="2 3 0")
    assert game.legal() == [f"bid {number}" for number in range(6)]
    assert game.view(3).bids == (2, 3, 0, None)


def test_with_the_hook_the_bids_may_not_add_up():
    game = begin(sitting(hook="on"), trump="C", bids="2 1 0")
    assert game.legal() == ["bid 0", "bid 1", "bid 3", "bid 4", "bid 5"]
    assert game.why_not() == "2 is forbidden: the sum would be 5"
    game = begin(sitting(hook="on"), trump="C", bids="5 1 0")
    assert len(game.legal()) == 6
    game = begin(sitting(seats=2, after=4, hook="on"), trump="C", bids="1")
    assert game.legal() == ["bid 1"], "in a round of one card, too"


def test_a_round_of_one_card_is_bidding_only():
    game = begin(sitting(after=4), "7D", "AC", "AD", "7H", trump="H", bids="0 1 1 1")
    assert game.turn == OVER
    assert game.score.figures == ((0, 0), (1, 0), (1, 0), (1, 1))
    assert game.score.points == (10, 0, 0, 11)


# Play


def test_suit_must_be_followed_if_it_can_but_nobody_must_beat_or_trump():
    game = begin(sitting(), "TD", "7D AD 9C 9H 9S", "AC AH KC KH KS", trump="H", bids="0 0 0 0").do("play TD")
    assert game.legal() == ["play 7D", "play AD"]
    assert game.why_not("9H") == "You must follow diamonds"
    with pytest.raises(IllegalAction):
        game.do("play 9C")
    game.do("play 7D")
    assert game.legal() == ["play AC", "play AH", "play KC", "play KH", "play KS"], "no diamonds: anything"


def test_the_highest_trump_takes_the_trick_and_its_winner_leads():
    game = begin(three_rounds_gone(), "AD", "7H", "9H", "AH", trump="H", bids="0 0 0 0")
    game.do("play AD, play 7H, play 9H, play AH")
    assert (game.turn, game.view(0).won) == (3, (0, 0, 0, 1))
    assert game.told(1) == [(3, "AH"), (3, "takes the trick")]


def test_the_last_trick_plays_itself():
    game = begin(sitting(after=3), "7C 8C", "AC KC", "9C TC", "JC QC", trump="D", bids="0 0 0 0")
    game.do("play QC, play 7C, play AC, play 9C")
    assert (game.turn, len(game.table.scores)) == (CHANCE, 4)
    assert names(game.view(0).last_trick) == "KC TC JC 8C"
    assert game.told(0)[-5:] == [
        (1, "takes the last trick"),
        *[(seat, f"+{points} in round 4") for seat, points in enumerate((10, 2, 10, 10))],
    ]


@pytest.mark.parametrize("minutes", ["off", 1, 10])
def test_the_round_clock_changes_no_rule(minutes):
    game = begin(sitting(round_clock=minutes), trump="C")
    assert (game.view(0).options.round_clock, len(game.legal())) == (minutes, 6)


# Identical cards


@pytest.mark.parametrize(("identical", "taker"), [("first", 0), ("last", 2)])
def test_the_option_says_which_of_two_identical_cards_takes_the_trick(identical, taker):
    game = sitting(after=4, room=50, identical=identical)
    begin(game, "AS", "KS", "AS", "7S", trump="H", bids="0 0 0 0").do("play AS, play KS, play AS, play 7S")
    assert game.turn == taker
    assert game.format_notes(1)[-1] == (taker, "takes the trick")


@pytest.mark.parametrize(("identical", "taker"), [("first", 1), ("last", 3)])
def test_two_identical_trumps_on_a_suit_led(identical, taker):
    game = sitting(after=4, room=50, identical=identical)
    begin(game, "AC", "9H 9D 8D", "AC", "9H TD 7S", trump="H", bids="0 0 0 0")
    assert game.do("play AC, play 9H, play AC, play 9H").turn == taker


def test_two_identical_cards_in_a_hand_are_one_choice():
    game = begin(sitting(), "QH QH 9C 9C AS", trump="S", bids="0 0 0 0")
    assert game.hand(0) == "9C QH AS 9C QH"
    assert game.legal() == ["play 9C", "play AS", "play QH"]
    game.do("play QH")
    assert game.hand(0) == "9C QH AS 9C"


def test_the_other_of_two_identical_cards_is_told_to_be_no_choice_of_its_own():
    game = begin(sitting(), "QH QH 9C 9C AS", trump="S", bids="0 0 0 0")
    assert game.game.explain_illegal(game.view(0), cards("QH") << COPY_OFFSET) == "Your two QH are one choice"


def test_the_second_of_two_identical_cards_in_a_trick_is_told():
    game = begin(sitting(), "AS", "AS", trump="H", bids="0 0 0 0").do("play AS")
    assert game.format_notes(3) == [(0, "AS")]
    assert game.do("play AS").format_notes(3) == [(1, "AS, the second")]


def test_identical_cards_are_each_shown_once():
    game = begin(sitting(), "AS", "AS KS 9C 8C 7C", trump="H", bids="0 0 0 0").do("play AS")
    zones = {(zone.name, zone.seat): zone.cards for zone in game.game.scene(game.view(1))}
    assert names(zones["trick", None]) == "AS"
    shown = [card for cards_ in zones.values() for card in cards_ if card is not None]
    assert len(shown) == len(set(shown)) == 6
    zones = {(zone.name, zone.seat): zone.cards for zone in game.game.scene(game.do("play AS").view(2))}
    assert names(zones["trick", None]) == "AS AS"
    assert len(set(zones["trick", None])) == 2


# What a seat knows


def test_nobody_can_tell_which_of_two_identical_cards_somebody_holds():
    """Seat 2 holds an ace of spades, and the other one lies elsewhere: before or after it in the deal."""
    worlds = ("AS 7C", "KS 7C", ""), ("KS 7C", "AS 7C", ""), ("KS 7C", "KS 7C", ""), ("KS 7C", "QS 7C", "AS 7D")
    views = [begin(sitting(), one, two, "AS KH QS JS TS", four, trump="H").view(2) for one, two, four in worlds]
    assert views[0] == views[1] == views[2] == views[3]
    assert len(set(map(repr, views))) == 1


def test_the_other_copy_of_a_card_may_lie_anywhere():
    game = begin(sitting(seats=3, room="training"), "AS", trump="H")
    places = {next((s for s in (1, 2) if world.hands[s] & cards("AS")), None) for world in game.sample_states(0, 60)}
    assert places == {None, 1, 2}


def test_a_card_of_which_both_copies_were_seen_is_in_no_other_hand():
    game = begin(sitting(), "AS 7C 8C 9C TC", "AS KS", trump="H", bids="0 0 0 0").do("play AS, play AS")
    assert not any(world.hands[seat] & cards("AS") for world in game.sample_states(2) for seat in range(4))
    assert not find_unseen_cards(game.view(2)) & (cards("AS") | cards("AS") << COPY_OFFSET)


def test_who_does_not_follow_is_known_to_be_void():
    game = begin(sitting(), "AS", "9C 8C 7C 7D 8D", trump="H", bids="0 0 0 0").do("play AS, play 9C")
    assert game.view(2).excluded_cards == (0, OF_SUIT[3], 0, 0)
    both = OF_SUIT[3] | OF_SUIT[3] << COPY_OFFSET
    assert not any(world.hands[1] & both for world in game.sample_states(2))


@pytest.mark.parametrize("option", ["off", "on"])
def test_the_others_hands_are_in_no_view(option):
    game = begin(sitting(seats=3, open_hands=option), "7D 8D 9S", trump="C")
    hands = {zone.seat: zone.cards for zone in game.game.scene(game.view(0)) if zone.name == "hand"}
    assert len(hands[0]) == 5
    assert [hands[seat] for seat in (1, 2)] == [(None,) * 5] * 2


def test_refusals_say_why():
    game = begin(sitting(), "7D", trump="C")
    assert game.why_not("7D") == "You must bid first"
    assert game.game.explain_illegal(game.view(1), cards("7D")) == "It is not your turn"
    game.do("bid 0, bid 0, bid 0, bid 0")
    assert game.why_not("AS") == "You do not hold that card"


def test_a_round_is_told():
    game = sitting(after=4).deal("7D", number=1)
    assert game.format_notes(1) == [(None, "round 5: 1 card each")]
    assert game.do("trump H, bid 0").format_notes(1) == [(0, "bids 0")]
    assert sitting().deal(number=5).format_notes(1) == [(None, "round 1: 5 cards each")]
