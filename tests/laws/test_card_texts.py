"""What games say that a card does, compared with what the state does with it."""

import re
from collections import Counter
from random import Random

import pytest

from cardtable.engine.cards import ACE, BIT, JACK, OF_RANK, OF_SUIT, RANK, SIX, SUIT, SUIT_WORDS, card, iter_cards
from cardtable.engine.drawing import DRAW
from cardtable.engine.game import CHANCE
from cardtable.engine.tricks import PLAY, Play
from cardtable.games import GAMES, KEYS
from cardtable.games.bridge.rules.actions import BRIDGE, DONE, EIGHTS_ACTIONS, JACKS_ACTIONS, SUIT_ACTIONS
from cardtable.games.gurka.rules import find_lowest_cards
from cardtable.games.king.rules.actions import Kind
from cardtable.games.rummy.rules.actions import Drop, Meld
from cardtable.testing.cases import iter_random_positions
from tests.laws.sessions import CASES_BY_GAME

MAX_SESSIONS = 60
"""Number of sessions in which every text must occur at least once."""
KH, AH = card("KH"), card("AH")


def iter_explained_cards(key):
    """Yield the state, the card and the text for each card of the seat to act that is explained, in random sessions."""
    game = GAMES[key]
    for seed in range(MAX_SESSIONS):
        cases = CASES_BY_GAME[key]
        for position in iter_random_positions(cases[seed % len(cases)], seed):
            state = position.state
            if state.turn >= 0:
                view = state.view(state.turn)
                for card in iter_cards(view.hand):
                    if text := game.explain_card(view, card):
                        yield state, card, text


def check_texts(key, checks):
    """Check each text by the function of the pattern that it matches; every pattern must occur."""
    met = Counter()
    for state, each, text in iter_explained_cards(key):
        [(pattern, check)] = [(pattern, check) for pattern, check in checks.items() if re.fullmatch(pattern, text)]
        if check(state, each, text) is not False:
            met[pattern] += 1
        if len(met) == len(checks) and min(met.values()) > 5:
            break
    assert set(met) == set(checks)


def play(state, card):
    """Return the state after a play, or `None` if the card cannot be played."""
    if PLAY[card] not in state.legal():
        return None
    clone = state.copy()
    clone.apply(PLAY[card])
    return clone


# Bridge


def end_turn(state, card, *choices):
    """Return the state after the turn that `held` ends, with the first possible of the choices, and all draws."""
    seat, clone = state.turn, play(state, card)
    if clone is None:
        return None
    for action in (DONE, *choices):
        if clone.turn == seat and action in clone.legal():
            clone.apply(action)
            break
    while clone.turn == CHANCE and clone.finished == state.finished:
        clone.apply(clone.draw_chance(Random(1)))
    return clone


def list_drawn(state, clone):
    """Return the number of cards that each seat has drawn, the cards of a finished round included."""
    hands = clone.view(0).counted or clone.hands
    return [after.bit_count() - before.bit_count() for before, after in zip(state.hands, hands, strict=True)]


def count_last(state, card):
    """Return the number of cards of the last rank played in the turn, with `held`."""
    return 1 + sum(RANK[each] == RANK[card] for each in state.played)


def is_out(state, clone):
    return clone.finished > state.finished or clone.finisher == state.turn


def must_cover(state, card, text):
    clone = play(state, card)
    if clone is None:
        return False
    fits = OF_SUIT[SUIT[card]] | OF_RANK[JACK] | OF_RANK[SIX]
    assert SUIT_WORDS[SUIT[card]] in text
    assert clone.turn == state.turn
    assert DONE not in clone.legal()
    plays = [action.card for action in clone.legal() if isinstance(action, Play)]
    assert sorted(plays) == sorted(iter_cards(clone.hands[state.turn] & fits))
    assert plays or DRAW in clone.legal()
    return True


def is_not_out(state, card, _text):
    clone = play(state, card)
    if clone is None:
        return False
    assert clone.legal()[0] == DRAW
    assert clone.finisher is None
    return True


def may_call_bridge(state, card, _text):
    clone = play(state, card)
    return clone is not None and BRIDGE in clone.legal()


def names_suit(state, card, _text):
    clone = play(state, card)
    if clone is None:
        assert state.played
        assert RANK[state.played[-1]] not in (SIX, JACK)
        return False
    assert set(SUIT_ACTIONS) <= set(clone.legal())
    return True


def draws(each, skipped, share=False):
    """Return a check that the players after the mover draw and are skipped."""

    def check(state, card, _text):
        clone = end_turn(state, card, EIGHTS_ACTIONS[int(share)])
        if clone is None or clone.turn < 0 or clone.finished > state.finished:
            return False
        seats, mover, number = len(state.hands), state.turn, count_last(state, card)
        others = [(mover + step) % seats for step in range(1, seats)]
        passed = [others[step % len(others)] for step in range(number if share or not each else 1)] if skipped else []
        drawn = [0] * seats
        drawn[mover] = -1
        for seat in passed if share else [others[0]] * number:
            drawn[seat] += each
        assert list_drawn(state, clone) == drawn
        assert clone.turn == ((passed[-1] + 1) % seats if passed else others[0])
        return True

    return check


def ends_round(state, card, text):
    clone = end_turn(state, card, *EIGHTS_ACTIONS)
    if clone is None:
        return False
    assert is_out(state, clone)
    number, next_seat = count_last(state, card), (state.turn + 1) % len(state.hands)
    stated = {"a card": 1, "2 cards": 2, "7s": number, "8s": 2 * number}
    expected = next((most for words, most in stated.items() if words in text), 0)
    drawn = list_drawn(state, clone)[next_seat]
    assert drawn == expected or not (clone.blind or drawn > expected), "no card may be left"
    return True


def counts_jacks(state, card, text):
    clone = play(state, card)
    if clone is None:
        return False
    worth = 20 * count_last(state, card) * clone.multiplier
    by_text = {"20 off for you, or": None, "with 20 points off": -1, "20 points more for all": 1, "is over": 0}
    sign = next(sign for words, sign in by_text.items() if words in text)
    for chosen_sign, action in ((-1, JACKS_ACTIONS[0]), (1, JACKS_ACTIONS[1])) if sign is None else ((sign, None),):
        scored = clone.copy()
        if action:
            scored.apply(action)
        jacks = [figures[1] * clone.multiplier for figures in scored.score.figures]
        mine = [seat == state.turn for seat in range(len(jacks))]
        assert jacks == [
            (-worth if own else 0) if chosen_sign < 0 else (0 if own else worth * chosen_sign) for own in mine
        ]
    return True


def test_bridge():
    check_texts("bridge", {
        "Cover it this turn with .*": must_cover,
        "You are not out with a 6: .*": is_not_out,
        "The fourth of its rank .*": may_call_bridge,
        "Fits on any card; .*": names_suit,
        "The next player draws a card for each 7.": draws(1, skipped=False),
        "The next player draws 2 cards and is skipped.": draws(2, skipped=True),
        "The other player draws 2 cards, and you play again.": draws(2, skipped=True),
        "Then you choose who draws for all your 8s.": lambda state, card, _text: (
            (clone := play(state, card)) is not None and set(EIGHTS_ACTIONS) <= set(clone.legal())
        ),
        "The next player draws 2 cards for each of your 8s.": draws(2, skipped=True),
        "One more player draws 2 cards and is skipped.": draws(2, skipped=True, share=True),
        "(You have another turn|The next player is skipped|One more player is skipped).": draws(0, skipped=True),
        "You go out, and the (round is over|next player still draws .*).": lambda state, card, text: (
            counts_jacks if RANK[card] == JACK else ends_round
        )(state, card, text),
        "You go out(: 20 off|,? with 20 points).*": counts_jacks,
    })  # fmt: skip


# Games of tricks


def sum_stated(key, state, card):
    """Return the points that the texts state for the cards of the trick that `held` completes."""
    stated = 0
    for each in (*state.trick, card):
        text = GAMES[key].explain_card(state.view(state.turn), each) or ""
        if match := re.match(r"(Costs|Brings) its taker (\d+)", text):
            stated += int(match[2]) if match[1] == "Brings" else -int(match[2])
    return stated


def completes_trick(state, card):
    """Return the state after a play that completes a trick, unless the round may end with it; otherwise `None`."""
    few = sum(state.won) < state.cards - 2
    return play(state, card) if len(state.trick) == 3 and few else None


def scores_in_king(state, card, text):
    clone, contract = completes_trick(state, card), state.contract
    assert text.partition(";")[0].rstrip(".").endswith("×4") == (contract.kind is not Kind.JAR)
    if clone is None:
        return False
    before, after = sum(state.points), sum(clone.points)
    assert after - before - contract.tricks == sum_stated("king", state, card)
    return True


def falls_if_possible(state, card, _text):
    """Check the duty to play the king of hearts when its holder cannot follow suit."""
    plays = [action for action in state.legal() if isinstance(action, Play)]
    if not plays or not state.led or BIT[card] & state.led or state.hands[state.turn] & state.led:
        return False
    assert plays == [PLAY[KH]]
    return True


def forces_king(state, card, _text):
    """Check that the next player must play the king of hearts on the ace; give it to that player if needed."""
    if state.led not in (0, OF_SUIT[SUIT[AH]]) or len(state.trick) == 3 or not (clone := play(state, card)):
        return False
    holder = next(seat for seat, hand in enumerate(clone.hands) if hand & BIT[KH])
    if holder != clone.turn:
        swapped = iter_cards(clone.hands[clone.turn])[0]
        for seat, bits in ((holder, BIT[KH] | BIT[swapped]), (clone.turn, BIT[KH] | BIT[swapped])):
            clone.hands[seat] ^= bits
    assert [action for action in clone.legal() if isinstance(action, Play)] == [PLAY[KH]]
    return True


def cannot_be_led(state, card, _text):
    if state.led:
        return False
    assert PLAY[card] not in state.legal()
    return True


def beats_other_suits(state, card, _text):
    order = state.contract.order if hasattr(state.contract, "order") else state.order
    others = [each for each in range(52) if SUIT[each] != SUIT[card]]
    assert all(order.winner((each, card)) == 1 for each in others)


def heads_suit(state, card, text):
    suited = [each for each in iter_cards(OF_SUIT[SUIT[card]] & state.pack) if each != card]
    assert all(state.contract.order.winner((each, card)) == int("highest" in text) for each in suited)


def test_king():
    check_texts("king", {
        r"(Costs|Brings) its taker \d+( ×4)?.": scores_in_king,
        r"Costs its taker (36 ×4|40); play it at the first chance.": lambda *groups: (
            scores_in_king(*groups), falls_if_possible(*groups)
        )[1],
        "Costs its taker 4; in a heart trick it forces KH out.": lambda *groups: (
            scores_in_king(*groups), forces_king(*groups)
        )[1],
        "In a heart trick it forces KH out.": forces_king,
        "May not be led while you hold another suit.": cannot_be_led,
        "A trump: .*": beats_other_suits,
        "The (highest|lowest) card of its suit in this contract.": heads_suit,
    })  # fmt: skip


def scores_in_rifki(state, card, _text):
    if state.led and not state.hands[state.turn] & state.led:
        plays = [action.card for action in state.legal()]
        assert all(BIT[each] & state.penalties for each in plays), "void in the suit led, penalty cards must be played"
    clone = completes_trick(state, card)
    if clone is None:
        return False
    units = sum(clone.counts) - sum(state.counts)
    assert units * state.contract.worth == sum_stated("rifki", state, card)
    return True


def test_rifki():
    check_texts("rifki", {
        r"Costs its taker \d+; it must go under a higher card.": scores_in_rifki,
        "In a heart trick it forces KH out.": forces_king,
        "May not be led until a heart has been (discarded|played).": cannot_be_led,
        "A trump: .*": beats_other_suits,
    })  # fmt: skip


# Gurka


def binds_the_next(state, card, _text):
    clone = play(state, card)
    if clone is None:
        return False
    assert {action.card for action in clone.legal()} == set(iter_cards(find_lowest_cards(clone.hands[clone.turn])))
    return True


def binds_only_if_led(state, card, _text):
    assert state.trick
    clone = play(state, card)
    if clone is None or len(state.trick) == len(state.hands) - 1:
        return False
    assert clone.bound == state.bound
    return True


def test_gurka():
    check_texts("gurka", {
        "All who play after it must play their lowest card.": binds_the_next,
        "Only an ace that is led makes the others play low.": binds_only_if_led,
    })  # fmt: skip


# Rummy


def must_be_used(state, _card, _text):
    assert not any(isinstance(action, Drop) for action in state.legal())


def cannot_be_discarded(state, card, _text):
    assert Drop(card) not in state.legal()


def counts_as_stated(state, card, _text):
    """Check the points of melds with the ace, low or high."""
    checked = False
    for action in state.legal():
        if isinstance(action, Meld) and action.cards_used() & BIT[card]:
            clone = state.copy()
            clone.apply(action)
            others = [min(RANK[each] + 2, 10) for each in iter_cards(action.cards_used()) if RANK[each] != ACE]
            aces = action.cards_used().bit_count() - len(others)
            low = len({SUIT[each] for each in iter_cards(action.cards_used())}) == 1 and 2 in others
            laid = clone.laid[state.turn] if clone.playing else None
            if laid is not None:
                assert laid - state.laid[state.turn] == sum(others) + (1 if low else 15 * aces)
                checked = True
    return checked


def test_rummy():
    check_texts("rummy", {
        "Meld it or lay it off before you discard.": must_be_used,
        "Taken in this turn: you may not discard it now.": cannot_be_discarded,
        "Counts 15, but 1 where it is low in a sequence.": counts_as_stated,
    })  # fmt: skip


@pytest.mark.parametrize("key", [key for key in KEYS if not GAMES[key].has_card_texts])
def test_games_without_texts(key):
    assert key in ("rikiki", "ten_down")
