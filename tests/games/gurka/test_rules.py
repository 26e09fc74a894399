"""Gurka: the worked examples of its rules, and a situation for each rule.

Seat 0 deals the first round and leads. Hands that are not given in full are filled up with the lowest cards left.
"""

import pytest

from cardtable.engine import replay
from cardtable.engine.cards import ACE, OF_RANK, PACK_52, RANK, iter_cards, names
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES
from tests.notation import ScriptedGame


def deal_round(*hands, seats=4, **options):
    """Deal the first round; seat 0 leads."""
    return ScriptedGame("gurka", seats, **options).deal(*hands, number=7)


def format_plays(texts):
    return sorted(f"play {text}" for text in texts.split())


def play_down_to(game, *left):
    """Play a round in which every card heads and no ace falls, until each seat has the cards of `left`."""
    seats, named = len(left), " ".join(left).split()
    spare = [c for c in iter_cards(PACK_52 & ~OF_RANK[ACE]) if names([c]) not in named]
    rising = names(sorted(spare, key=lambda c: RANK[c])).split()
    hands = [cards.split() for cards in left]
    leader, order = len(game.table.scores) % seats, []
    for trick in range(7 - len(hands[0])):
        for i in range(seats):
            hands[(leader + i) % seats].append(rising[seats * trick + i])
        order += rising[seats * trick : seats * (trick + 1)]
        leader = (leader - 1) % seats
    game.deal(*map(" ".join, hands), number=7)
    return game.do(", ".join(f"play {card}" for card in order))


# The worked examples


def test_example_1_head_or_play_lowest():
    game = deal_round("9C", "3C 5D 9H 9S QD KC AH").do("play 9C")
    assert game.legal() == format_plays("3C 9H 9S QD KC AH")
    assert game.explain_illegal("5D") == "Play a nine or higher, or your lowest"
    with pytest.raises(IllegalAction):
        game.do("play 5D")


def test_example_2_choice_among_equally_low_cards():
    game = deal_round("KC", "4S 4H 8D JC 9C TC QC").do("play KC")
    assert game.legal() == format_plays("4S 4H")
    assert game.explain_illegal("JC") == "You can't head the king: play your lowest card"


def test_example_3_only_lowest_under_ace():
    game = deal_round("6C", "AC", "2C JD AH 3D 4D 5D 6D").do("play 6C, play AC")
    assert game.legal() == format_plays("2C")
    assert game.explain_illegal("AH") == "Ace in the trick: play your lowest card"
    game = play_down_to(ScriptedGame("gurka", 4), "AC 3H 4H", "KC AD AH", "2D 3D 4D", "2C 3C 4C").do("play AC")
    assert game.legal() == format_plays("KC")


def test_example_4_last_of_highest_wins_and_leads():
    game = deal_round("9C", "9D", "4C 5C 6C 7C 8C 5D 6D", "9H").do("play 9C, play 9D, play 4C, play 9H")
    assert (game.turn, game.view(0).won) == (3, (0, 0, 0, 1))
    game = deal_round("5C", "5D 6D 7D 8D 9D TD JD", "3C 4C 4D 4H 4S 6C 7C", "2C").do(
        "play 5C, play 5D, play 3C, play 2C"
    )
    assert (game.turn, game.view(0).won) == (1, (0, 1, 0, 0))
    assert game.format_notes(0) == [(3, "plays 2C (lowest)"), (1, "takes the trick")]


def test_example_5_all_with_highest_last_card_score():
    game = play_down_to(ScriptedGame("gurka", 4), "KC", "7C", "KD", "2C")
    assert game.score.points == (13, 0, 13, 0)
    assert game.score.figures == ((13,), (7,), (13,), (2,))
    assert play_down_to(ScriptedGame("gurka", 4), "2C", "2D", "2H", "2S").score.points == (2, 2, 2, 2)


def test_example_6_total_over_limit_ends_session():
    game = play_down_to(ScriptedGame("gurka", 4, totals=(17, 22, 18, 9)), "KC", "7C", "QD", "2C")
    assert (game.table.totals, game.turn) == ((30, 22, 18, 9), CHANCE)
    game = play_down_to(ScriptedGame("gurka", 4, totals=(20, 20, 10, 4)), "KC", "KD", "QD", "2C")
    assert (game.table.totals, game.turn) == ((33, 33, 10, 4), OVER)
    assert game.table.ranks == (3, 3, 2, 1)


# Options


def test_reason_under_led_ace():
    game = deal_round("AC", "2C 3C 4C 5C 6C AD AH", ace_rule="led-only").do("play AC")
    assert game.explain_illegal("AD") == "An ace was led: play your lowest card"


@pytest.mark.parametrize(("options", "seats"), [({"seats": 6}, 4), ({"seats": 4}, 6)])
def test_rejects_header_with_contradictory_seats(options, seats):
    with pytest.raises(ValueError, match=f"option seats is {options['seats']}, but there are {seats} seats"):
        replay.create_referee(create_header(options, seats), GAMES)


@pytest.mark.parametrize("seats", [4, 6])
def test_header_without_seats_option_counts_seats(seats):
    assert replay.create_referee(create_header({}, seats), GAMES).options.seats == seats


def create_header(options, seats):
    occupants = tuple(Occupant(f"Seat{seat}", "random") for seat in range(seats))
    return Header(cardtable=3, id="x", game="gurka", created="", seed=1, options=options, seats=occupants)


# Words


def test_must_head():
    game = deal_round("9C", "3C 5D 9H 9S QD KC AH", must_head="on").do("play 9C")
    assert game.legal() == format_plays("9H 9S QD KC AH")
    assert game.explain_illegal("3C") == "You must head: play a nine or higher"


def test_reasons_of_illegal_plays():
    game = deal_round("2C 3D 4H 5S TC KD AS")
    assert game.explain_illegal("9H") == "You do not hold that card"
