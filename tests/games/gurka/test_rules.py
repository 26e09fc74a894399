"""Gurka: the worked examples of its rules, and a situation for each rule.

Seat 0 deals the first round and leads.  Hands that are not told in full are filled up with the lowest cards left.
"""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from cardtable.engine import replay
from cardtable.engine.cards import ACE, OF_RANK, PACK_52, RANK, cards, iter_cards, mask_of, names
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES
from cardtable.games.gurka.rules import CARDS_FROM, LOWER_CARDS, GurkaState, Options, imagine
from tests.notation import ScriptedGame


def dealt(*hands, seats=4, **options):
    """The first round; seat 0 leads."""
    return ScriptedGame("gurka", seats, **options).deal(*hands, number=7)


def plays(texts):
    return sorted(f"play {text}" for text in texts.split())


def down_to(game, *left):
    """A round in which every card heads until these are left to each seat; no ace falls before."""
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


def test_example_1_head_or_play_the_lowest():
    game = dealt("9C", "3C 5D 9H 9S QD KC AH").do("play 9C")
    assert game.legal() == plays("3C 9H 9S QD KC AH")
    assert game.why_not("5D") == "Play a nine or higher, or your lowest"
    with pytest.raises(IllegalAction):
        game.do("play 5D")


def test_example_2_any_of_the_lowest_that_are_equally_low():
    game = dealt("KC", "4S 4H 8D JC 9C TC QC").do("play KC")
    assert game.legal() == plays("4S 4H")
    assert game.why_not("JC") == "You cannot head the king: play your lowest"


def test_example_3_under_an_ace_only_the_lowest():
    game = dealt("6C", "AC", "2C JD AH 3D 4D 5D 6D").do("play 6C, play AC")
    assert game.legal() == plays("2C")
    assert game.why_not("AH") == "An ace is down: play your lowest card"
    game = down_to(ScriptedGame("gurka", 4), "AC 3H 4H", "KC AD AH", "2D 3D 4D", "2C 3C 4C").do("play AC")


def test_example_4_the_last_of_the_highest_takes_the_trick_and_leads():
    game = dealt("9C", "9D", "4C 5C 6C 7C 8C 5D 6D", "9H").do("play 9C, play 9D, play 4C, play 9H")
    assert (game.turn, game.view(0).won) == (3, (0, 0, 0, 1))
    game = dealt("5C", "5D 6D 7D 8D 9D TD JD", "3C 4C 4D 4H 4S 6C 7C", "2C").do("play 5C, play 5D, play 3C, play 2C")
    assert (game.turn, game.view(0).won) == (1, (0, 1, 0, 0))
    assert game.format_notes(0) == [(3, "2C, the lowest"), (1, "takes the trick")]


def test_example_5_everybody_with_the_highest_last_card_scores_it():
    game = down_to(ScriptedGame("gurka", 4), "KC", "7C", "KD", "2C")
    assert game.score.points == (13, 0, 13, 0)
    assert game.score.figures == ((13,), (7,), (13,), (2,))
    assert down_to(ScriptedGame("gurka", 4), "2C", "2D", "2H", "2S").score.points == (2, 2, 2, 2)


def test_example_6_a_total_over_the_limit_ends_the_session():
    game = down_to(ScriptedGame("gurka", 4, totals=(17, 22, 18, 9)), "KC", "7C", "QD", "2C")
    assert (game.table.totals, game.turn) == ((30, 22, 18, 9), CHANCE)
    game = down_to(ScriptedGame("gurka", 4, totals=(20, 20, 10, 4)), "KC", "KD", "QD", "2C")
    assert (game.table.totals, game.turn) == ((33, 33, 10, 4), OVER)
    assert game.table.ranks == (3, 3, 2, 1)


# The deal and the play


@pytest.mark.parametrize("seats", [4, 6])
def test_everybody_gets_seven_cards_and_the_dealer_leads_any(seats):
    game = dealt("2C 3D 4H 5S TC KD AS", seats=seats)
    assert game.view().sizes == (7,) * seats
    assert (game.turn, game.legal()) == (0, plays("2C 3D 4H 5S TC KD AS"))
    assert game.view().options.seats == seats


@pytest.mark.parametrize("seats", [4, 6])
def test_the_deal_moves_on_by_a_seat_a_round(seats):
    game, last = ScriptedGame("gurka", seats, limit=50), ["2C", "2D", "3C", "3D", "4C", "4D"][:seats]
    for number in range(seats + 1):
        assert down_to(game, *last).view(0).dealer == number % seats


def test_a_lowest_card_that_is_high_enough_heads_like_any_other():
    game = dealt("2C", "5C 6C 7C 8C 9C TC JC").do("play 2C, play 5C")
    assert game.view(0).best_card == cards("5C").bit_length() - 1
    assert game.format_notes(2) == [(1, "heads with 5C")]
    assert game.view(0).excluded_cards == (0, 0, 0, 0), "it may have been any card"


def test_suits_mean_nothing():
    game = dealt("2C", "3D", "4H", "5S").do("play 2C, play 3D, play 4H, play 5S")
    assert game.turn == 3


def test_an_ace_binds_also_the_seat_after_an_ace_that_headed():
    game = dealt("6C", "AC", "KC AH AD", "2D").do("play 6C, play AC")
    assert game.format_notes(3) == [(1, "heads with AC"), (None, "an ace: from here on lowest cards only")]
    assert "play AH" not in game.legal()


def test_an_ace_that_had_to_be_played_takes_the_trick_from_the_one_before():
    game = down_to(ScriptedGame("gurka", 4), "AD AH", "2S 3S", "2D 3D", "AC 2C").do("play AC")
    assert game.legal() == plays("AD AH")
    game.do("play AD")
    assert game.format_notes(2) == [(0, "AD, the lowest")]
    assert game.do("play 2S, play 2D").format_notes(2)[:2] == [(2, "2D, the lowest"), (0, "takes the trick")]
    assert game.score.points == (14, 0, 0, 0)


def test_the_last_trick_plays_itself_and_counts_for_the_last_of_the_highest():
    game = down_to(ScriptedGame("gurka", 4), "KC", "7C", "KD", "2C")
    assert (game.turn, game.view(0).playing, game.view(0).hand) == (CHANCE, False, 0)
    assert sum(game.view(0).won) == 7
    assert (game.view(0).last_leader, names(game.view(0).last_trick)) == (2, "KD 2C KC 7C")
    assert game.format_notes(0)[-3:] == [(0, "takes the last trick"), (0, "+13 in round 1"), (2, "+13 in round 1")]
    assert str(game.score.title) == "KC"


@pytest.mark.parametrize(
    ("card", "points"),
    [("2C", 2), ("3C", 3), ("9C", 9), ("TC", 10), ("JC", 11), ("QC", 12), ("KC", 13), ("AC", 14)],
)
def test_what_the_highest_last_card_scores(card, points):
    assert down_to(ScriptedGame("gurka", 4), card, "2D", "2H", "2S").score.points[0] == points


def test_a_session_of_six():
    game = down_to(ScriptedGame("gurka", 6), "QC", "7C", "QD", "2C", "QH", "AC")
    assert game.score.points == (0, 0, 0, 0, 0, 14)
    game = down_to(ScriptedGame("gurka", 6, totals=(20, 0, 20, 1, 30, 30)), "QC", "7C", "QD", "2C", "8H", "8C")
    assert (game.turn, game.table.ranks) == (OVER, (5, 1, 5, 2, 3, 3))


def test_a_void_round_counts_for_nothing():
    game = down_to(ScriptedGame("gurka", 4), "KC", "7C", "KD", "2C").deal(number=7).do("play 9C")
    game.table.void("clock")
    assert (game.turn, game.table.round, game.table.tricks) == (CHANCE, 2, (0, 0, 0, 0))
    assert game.deal(number=7).turn == 1, "the same dealer"
    assert game.table.totals == (13, 0, 13, 0)


# Options


@pytest.mark.parametrize(
    ("rule", "led", "headed"),
    [
        ("any", "2C", "2C"),
        ("led-only", "2C", "2C AD AH"),
        ("off", "2C AD AH", "2C AD AH"),
    ],
)
def test_the_ace_rule(rule, led, headed):
    game = dealt("AC", "2C 3C 4C 5C 6C AD AH", ace_rule=rule).do("play AC")
    assert game.legal() == plays(led)
    game = dealt("6D", "AC", "2C 3C 4C 5C 6C AD AH", ace_rule=rule).do("play 6D, play AC")
    assert game.legal() == plays(headed)


def test_an_ace_that_was_led_is_called_so():
    game = dealt("AC", "2C 3C 4C 5C 6C AD AH", ace_rule="led-only").do("play AC")
    assert game.why_not("AD") == "An ace was led: play your lowest card"


def test_who_can_head_must_if_it_is_so_agreed():
    game = dealt("9C", "3C 5D 9H 9S QD KC AH", must_head="on").do("play 9C")
    assert game.legal() == plays("9H 9S QD KC AH")
    assert game.why_not("3C") == "You must head: play a nine or higher"
    game = dealt("KC", "4S 4H 8D JC 9C TC QC", must_head="on").do("play KC")
    assert game.legal() == plays("4S 4H"), "who cannot head plays a lowest card"
    game = dealt("AC", "4S 4H 8D JC 9C TC AD", must_head="on").do("play AC")
    assert game.legal() == plays("4S 4H"), "where the ace rule binds, it goes first"
    game = dealt("AC", "4S 4H 8D JC 9C TC AD", must_head="on", ace_rule="off").do("play AC")
    assert game.legal() == plays("AD")
    assert game.why_not("4S") == "You must head: play an ace"


@pytest.mark.parametrize("limit", [21, 30, 50])
def test_the_limit(limit):
    game = down_to(ScriptedGame("gurka", 4, limit=limit, totals=(limit - 9, 0, 0, 0)), "9C", "2C", "2D", "2H")
    assert (game.table.totals[0], game.turn) == (limit, CHANCE)
    game = down_to(ScriptedGame("gurka", 4, limit=limit, totals=(limit - 8, 0, 0, 0)), "9C", "2C", "2D", "2H")
    assert (game.table.totals[0], game.turn) == (limit + 1, OVER)


@pytest.mark.parametrize("minutes", ["off", 1, 10])
def test_the_round_clock_changes_no_rule(minutes):
    game = dealt("2C 3D 4H 5S TC KD AS", round_clock=minutes)
    assert (game.view(0).options.round_clock, len(game.legal())) == (minutes, 7)


@pytest.mark.parametrize(("told", "seats"), [({"seats": 6}, 4), ({"seats": 4}, 6)])
def test_a_header_whose_option_contradicts_its_seats_is_refused(told, seats):
    with pytest.raises(ValueError, match=f"option seats is {told['seats']}, but there are {seats} seats"):
        replay.create_referee(header(told, seats), GAMES)


@pytest.mark.parametrize("seats", [4, 6])
def test_a_header_without_the_option_has_that_of_its_seats(seats):
    assert replay.create_referee(header({}, seats), GAMES).options.seats == seats


def header(options, seats):
    who = tuple(Occupant(f"Seat{seat}", "random") for seat in range(seats))
    return Header(cardtable=1, id="x", game="gurka", created="", seed=1, options=options, seats=who)


# What a seat knows


def test_who_plays_a_lowest_card_holds_nothing_lower():
    game = dealt("KC", "4S 4H 8D JC 9C TC QC", "2D").do("play KC, play 4S")
    assert game.view(0).excluded_cards == (0, LOWER_CARDS[2], 0, 0)
    worlds = game.sample_states(0)
    assert not any(world.hands[1] & LOWER_CARDS[2] for world in worlds)
    assert any(world.hands[1] & OF_RANK[2] for world in worlds), "another 4 it may have"
    assert any(world.hands[1] & OF_RANK[ACE] for world in worlds), "and it may have been able to head"


def test_who_was_forced_under_an_ace_holds_nothing_lower():
    game = dealt("AC", "9C TC JC QC KC KD KH").do("play AC, play 9C")
    assert game.view(3).excluded_cards[1] == LOWER_CARDS[RANK[cards("9C").bit_length() - 1]]
    assert not any(world.hands[1] & LOWER_CARDS[7] for world in game.sample_states(3))


def test_who_had_to_head_and_did_not_holds_nothing_as_high():
    game = dealt("JC", "4S 4H 8D 9D 9C TC TD", must_head="on").do("play JC, play 4S")
    assert game.view(0).excluded_cards[1] == LOWER_CARDS[2] | CARDS_FROM[9]
    assert not any(world.hands[1] & CARDS_FROM[9] for world in game.sample_states(0))
    bound = dealt("AC", "9C TC JC QC KC KD AD", must_head="on").do("play AC, play 9C")
    assert bound.view(0).excluded_cards[1] == LOWER_CARDS[7], "an ace left no choice"


def test_who_heads_or_leads_tells_nothing():
    game = dealt("5C", "9D", "JD").do("play 5C, play 9D, play JD")
    assert game.view(3).excluded_cards == (0, 0, 0, 0)
    assert any(world.hands[1] & LOWER_CARDS[7] for world in game.sample_states(3))


@pytest.mark.parametrize("options", [{}, {"ace_rule": "led-only", "must_head": "on"}, {"ace_rule": "off", "seats": 6}])
def test_what_has_happened_could_have_happened_in_every_imagined_world(options):
    rng, before = Random(7), GurkaState(Options(**options))
    before.apply(before.draw_chance(rng))
    now, happened = before.copy(), []
    while now.playing:
        for seat in range(now.seats):
            world = before.copy()
            world.dealt = imagine(now.view(seat), rng).dealt
            world.hands = list(world.dealt)
            for play in happened:
                assert play in world.legal()
                world.apply(play)
            assert world.view(seat) == now.view(seat)
        happened.append(rng.choice(now.legal()))
        now.apply(happened[-1])


def test_near_the_end_every_hand_that_may_be_is_imagined_equally_often():
    """One player has played a lowest card, the others have told nothing: all his pairs of other cards are alike."""
    for seed in range(200):
        rng, state = Random(seed), GurkaState(Options())
        state.apply(state.draw_chance(rng))
        while state.hands[state.turn].bit_count() > 2:
            state.apply(rng.choice(state.legal()))
        view = state.view(state.turn)
        told = [seat for seat in range(4) if seat != view.seat and view.excluded_cards[seat]]
        if len(told) == 1 and view.sizes[told[0]] == 2:
            break
    seat = told[0]
    pool = iter_cards(PACK_52 & ~view.hand & ~sum(view.played) & ~view.excluded_cards[seat])
    pairs, rng = [mask_of(pair) for pair in combinations(pool, 2)], Random(1)
    met = Counter(imagine(view, rng).hands[seat] for _ in range(100 * len(pairs)))
    assert set(met) == set(pairs)
    assert max(abs(number - 100) for number in met.values()) < 55


def test_what_was_shown_is_forgotten_with_the_round():
    game = down_to(ScriptedGame("gurka", 4), "KC", "7C", "KD", "2C").deal(number=7)
    assert game.view(0).excluded_cards == (0, 0, 0, 0)


@pytest.mark.parametrize("option", ["off", "on"])
def test_the_others_hands_are_in_no_view(option):
    game = dealt("2C 3D 4H 5S TC KD AS", open_hands=option)
    hands = {zone.seat: zone.cards for zone in game.game.scene(game.view(0)) if zone.name == "hand"}
    assert names(hands[0]) == "2C TC 3D KD 4H 5S AS"
    assert [hands[seat] for seat in (1, 2, 3)] == [(None,) * 7] * 3


# Words


def test_refusals_say_why():
    game = dealt("2C 3D 4H 5S TC KD AS")
    assert game.why_not("9H") == "You do not hold that card"
    assert game.game.explain_illegal(game.view(1), cards("9H")) == "It is not your turn"


def test_a_trick_is_told():
    game = dealt("6C", "4S 5S 7S 8S 9S TS JS", "6D", "AC")
    assert game.format_notes(2) == [(None, "round 1: 7 cards each")]
    assert game.do("play 6C").format_notes(2) == [(0, "leads 6C")]
    assert game.do("play 4S").format_notes(2) == [(1, "4S, the lowest")]
    assert game.do("play 6D").format_notes(2) == [(2, "heads with 6D")]
    assert game.do("play AC").format_notes(2) == [(3, "heads with AC"), (3, "takes the trick")]
