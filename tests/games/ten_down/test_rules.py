"""Ten Down: the worked examples of its rules, and a situation for each rule.

Seat 0 bids and leads first in the first round. Hands that are not given in full are filled up with the lowest cards
left.
"""

import pytest
from msgspec.structs import replace

from cardtable.engine import journal, replay
from cardtable.engine.cards import COPY_OFFSET, cards
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES
from cardtable.games.ten_down.rules import CARDS_BY_ROOM, score_bid
from tests.notation import ScriptedGame
from tests.records.archive_sessions import make_header, play_at_random


def start_session(seats=4, after=0, room=5, **options):
    """Start a session and play `after` rounds in which all bid 0."""
    game = ScriptedGame("ten_down", seats, room=room, **options)
    for _ in range(after):
        play_zero_bid_round(game)
    return game


def play_zero_bid_round(game):
    """Play a round in which all bid 0."""
    rounds = len(game.table.scores)
    with game.checked_at_end():
        begin_round(game, trump="S")
        while len(game.table.scores) == rounds:
            game.do(game.legal()[0])


def begin_round(game, *hands, trump, bids=""):
    """Deal a round, draw the trump suit and make these bids."""
    number = CARDS_BY_ROOM[game.view(0).options.room] - len(game.table.scores)
    game.deal(*hands, number=number).do(f"trump {trump}")
    return game.do(", ".join(f"bid {bid}" for bid in bids.split())) if bids else game


def play_out(game, *hands):
    """Play the round out: each seat plays the first legal card of its list, otherwise the first legal card."""
    rounds = len(game.table.scores)
    while len(game.table.scores) == rounds:
        legal, hand = game.legal(), hands[game.turn].split() if game.turn < len(hands) else []
        game.do(next((f"play {card}" for card in hand if f"play {card}" in legal), legal[0]))
    return game


# The worked examples


@pytest.mark.parametrize(("bid", "made", "points"), [(3, 3, 13), (3, 4, 4), (0, 0, 10), (0, 2, 2), (5, 0, 0)])
def test_example_1_points(bid, made, points):
    assert score_bid(bid, made) == points


def test_example_1_at_the_table():
    hands = "AS KS QS 7C 8C", "7D 8D 9D AC KC"
    game = play_out(begin_round(start_session(), *hands, trump="S", bids="3 0 5 0"), *hands)
    assert game.score.figures == ((3, 3), (0, 2), (5, 0), (0, 0))
    assert game.score.points == (13, 2, 0, 10)
    hands = "AS KS QS JS 8C", "7D 8D 9D AC KC"
    game = play_out(begin_round(start_session(), *hands, trump="S", bids="3 0 0 0"), *hands)
    assert (game.score.figures[0], game.score.points[0]) == ((3, 4), 4)


def test_example_2_first_of_identical_cards_wins():
    hands = "AS 7D", "AS 8D", "TS 9D", "KS TD"
    game = begin_round(start_session(after=3), *hands, trump="H", bids="0 0 0 0").do(
        "play KS, play AS, play AS, play TS"
    )
    assert game.score.figures[0][1] == 1
    game = begin_round(reach_three_card_round(), *hands, trump="H", bids="0 0 0 0")
    assert game.do("play AS, play AS, play TS, play KS").turn == 0
    game = begin_round(
        reach_three_card_round(), "9C 7D 8D", "7H 8D 9D", "9C 9D TD", "7H TD JD", trump="H", bids="0 0 0 0"
    )
    assert game.do("play 9C, play 7H, play 9C, play 7H").turn == 1


def reach_three_card_round():
    """Start a session in which seat 0 is the first to lead in a round of three cards."""
    return start_session(seats=4, after=4, room=50)


@pytest.mark.parametrize(
    ("room", "rounds", "tricks"), [("training", 10, 55), (5, 5, 15), (50, 7, 28), (500, 8, 36), (1000, 10, 55)]
)
def test_example_3_rounds_of_session(room, rounds, tricks):
    game, seen = start_session(seats=2, room=room), []
    while game.turn != OVER:
        play_zero_bid_round(game)
        seen.append(game.view(0).cards)
    assert seen == [*range(rounds, 0, -1)]
    assert sum(game.view(0).taken) == tricks


def test_example_4_totals_are_multiplied_by_rank():
    game = create_final_state(4, totals=(90, 68, 68, 39), taken=(20, 18, 8, 9))
    assert game.results() == (360, 204, 136, 39)
    assert game.ranks() == (1, 2, 3, 4)


def test_example_5_lower_seat_wins_complete_tie():
    game = create_final_state(2, totals=(44, 44), taken=(14, 14), room=50)
    assert game.results() == (88, 44)
    assert game.ranks() == (1, 2)


def test_complete_tie_goes_to_whoever_came_first():
    game = create_final_state(3, totals=(44, 50, 44), taken=(14, 9, 14))
    game.set_arrivals((2, 0, 1))
    assert (game.ranks(), game.results()) == ((3, 1, 2), (44, 150, 88))
    assert game.copy().ranks() == game.ranks()
    assert game.view(0).ties == ((0, 2),)
    assert create_final_state(3, totals=(44, 50, 44), taken=(14, 9, 15)).view(0).ties == ()


@pytest.mark.parametrize(
    ("arrivals", "ranks", "results"), [((2, 1, 0), (2, 1, 3), (32, 48, 13)), ((), (1, 2, 3), (48, 32, 13))]
)
def test_journal_decides_a_tie_by_the_order_of_coming(arrivals, ranks, results):
    head = make_header("ten_down", "Anna Bob Cleo", seed=38, room=5)
    head, lines = replace(head, arrivals=arrivals), []
    table = play_at_random(head, lines)
    assert (table.ranks, table.totals) == (ranks, results)
    assert (table.view(0).ties, table.raw_totals) == (((0, 1),), (16, 16, 13))
    read = journal.read(journal.encode(head, lines))
    assert (replay.load(read, GAMES).ranks, read.header) == (ranks, head)
    other = replace(head, arrivals=() if arrivals else (2, 1, 0))
    read = journal.read(journal.encode(other, lines))
    with pytest.raises(JournalError, match="the final totals are not the sum of the rounds"):
        replay.load(read, GAMES)


def create_final_state(seats, totals, taken, room="training"):
    """Return the state at the end of a session."""
    state = ScriptedGame("ten_down", seats, totals, room=room).table.state
    state.taken = taken
    return state


# The session


def test_trump_is_drawn_between_deal_and_bids():
    game = start_session().deal(number=5)
    assert (game.turn, game.view(0).playing, game.view(0).trump) == (CHANCE, True, None)
    with pytest.raises(IllegalAction):
        game.do("deal 7C")
    game.do("trump H")
    assert (game.turn, game.view(3).trump) == (0, 2)
    assert game.format_notes(2) == [(None, "hearts are trump")]


def test_more_tricks_break_tie():
    assert create_final_state(3, totals=(30, 30, 31), taken=(6, 7, 2)).ranks() == (3, 2, 1)


# Identical cards


def test_reason_for_second_identical_card():
    game = begin_round(start_session(), "QH QH 9C 9C AS", trump="S", bids="0 0 0 0")
    assert game.game.explain_illegal(game.view(0), cards("QH") << COPY_OFFSET) == "Your two QH are identical"


def test_log_entry_of_second_identical_card():
    game = begin_round(start_session(), "AS", "AS", trump="H", bids="0 0 0 0").do("play AS")
    assert game.format_notes(3) == [(0, "AS")]
    assert game.do("play AS").format_notes(3) == [(1, "plays AS (second copy)")]


# What a seat knows


def test_views_do_not_distinguish_copies():
    """Seat 2 holds an ace of spades; the other one lies before or after it in the deal."""
    worlds = ("AS 7C", "KS 7C", ""), ("KS 7C", "AS 7C", ""), ("KS 7C", "KS 7C", ""), ("KS 7C", "QS 7C", "AS 7D")
    views = [
        begin_round(start_session(), one, two, "AS KH QS JS TS", four, trump="H").view(2) for one, two, four in worlds
    ]
    assert views[0] == views[1] == views[2] == views[3]
    assert len(set(map(repr, views))) == 1


def test_other_copy_is_imagined_anywhere():
    game = begin_round(start_session(seats=3, room="training"), "AS", trump="H")
    places = {next((s for s in (1, 2) if world.hands[s] & cards("AS")), None) for world in game.sample_states(0, 60)}
    assert places == {None, 1, 2}


def test_reasons_of_illegal_plays():
    game = begin_round(start_session(), "7D", trump="C")
    assert game.explain_illegal("7D") == "You must bid first"
    game.do("bid 0, bid 0, bid 0, bid 0")
    assert game.explain_illegal("AS") == "You do not hold that card"
