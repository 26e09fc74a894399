"""What the seats of a trick game know of other hands: shown voids, cards picked up, and cards that a field names."""

from random import Random

import pytest

from cardtable.engine.cards import ACE, BIT, OF_RANK, OF_SUIT, SUIT, Card, highest, iter_cards, lowest, mask_of, pack_of
from cardtable.engine.tricks import PLAY
from cardtable.plain.speech_text import describe_trick_turn
from cardtable.ui.game_view.trick_game import format_follow_prompt
from tests.toy import loner
from tests.toy.eights import EightsState, EightsView
from tests.toy.layaway import LAY, Options


class AnyCardState(EightsState):
    """Eights in which every card may be played to a trick of hearts, and any trump instead of another suit."""

    def playable(self, hand):
        return hand if self.led == OF_SUIT[2] else super().playable(hand) | hand & OF_SUIT[3]


def deal(state):
    state.apply(state.draw_chance(Random(1)))
    return state


@pytest.mark.parametrize(
    ("led", "played", "lacks"), [(0, 1, True), (0, 3, False), (2, 1, False)], ids=["discard", "trump", "no duty"]
)
def test_only_a_card_against_the_duty_shows_a_void(led, played, lacks):
    state = deal(AnyCardState(2, Options()))
    state.hands = [OF_SUIT[led], OF_SUIT[played]]
    state.apply(PLAY[lowest(OF_SUIT[led])])
    state.apply(PLAY[lowest(OF_SUIT[played])])
    assert state.excluded_cards == [0, OF_SUIT[led] if lacks else 0]


def test_double_pack_is_refused():
    state = type("DoubleState", (EightsState,), {"pack": pack_of("789TJQKA", copies=2)})(2, Options())
    with pytest.raises(AssertionError, match="only games without tricks"):
        deal(state)


def test_any_card_is_legal_where_nobody_has_to_follow_suit():
    state = deal(AnyCardState(2, Options()))
    state.hands = [OF_SUIT[2], OF_SUIT[1] | BIT[highest(OF_SUIT[2])]]
    state.hands[0] &= ~state.hands[1]
    state.apply(PLAY[lowest(OF_SUIT[2])])
    assert mask_of([play.card for play in state.legal()]) == state.hands[1]
    assert format_follow_prompt(state.view(1), "") == ("Play a card.", "")


def test_drawn_card_may_be_of_a_suit_that_the_hand_lacked():
    state = deal(EightsState(3, Options()))
    state.stock = tuple(iter_cards(state.pack & ~sum(state.hands)))
    suit = OF_SUIT[SUIT[state.stock[0]]]
    state.hands[0] &= ~suit
    state.dealt, state.excluded_cards[0] = tuple(state.hands), suit
    state.draw(0)
    state.assert_invariants()


def test_card_picked_up_is_known_until_the_hand_discards():
    state = deal(loner.GAME.start(4, loner.Options()))
    turned, taker = mask_of(state.turned), state.turn
    view = state.copy().view(1 - taker)
    state.apply(loner.TAKE)
    held = [hand & turned for hand in loner.GAME.imagine(state.view(1 - taker), Random(1)).hands]
    assert [bool(cards) for cards in held] == [seat == taker for seat in range(4)]
    state.apply(LAY(iter_cards(state.hands[taker] & ~turned)[0]))
    assert state.view(1 - taker).picked_up == view.picked_up == (0,) * 4


def test_card_laid_on_the_table_leaves_what_is_known_of_the_hand():
    state = deal(loner.GAME.start(4, loner.Options()))
    turned, taker = mask_of(state.turned), state.turn
    state.apply(loner.TAKE)
    state.lay(taker, turned)
    assert not state.hands[taker] & turned
    assert state.picked_up == (0,) * 4
    assert state.remembered == (0,) * 4


class CalledView(EightsView, frozen=True):
    called: Card


class CalledState(AnyCardState, EightsState):
    """Eights in which a field names an ace that is in a hand."""

    view_type = CalledView

    @property
    def called(self):
        return lowest(self.hands[1] & OF_RANK[ACE])


def test_field_that_names_a_card_of_a_hand_needs_not_held():
    state = deal(CalledState(4, Options()))
    with pytest.raises(ValueError, match="annotate it with `NOT_HELD`"):
        CalledState.imagine(state.view(0), Random(1))


def test_jack_of_the_other_suit_leads_trumps():
    state = deal(loner.GAME.start(4, loner.Options()))
    state.apply(loner.LEAVE)
    state.trump, jack = 0, iter_cards(loner.find_trumps(0) & ~OF_SUIT[0])[0]
    state.hands[state.turn] |= mask_of([jack])
    state.apply(PLAY[jack])
    view = state.view(state.turn)
    assert "Bo led trumps" in " ".join(describe_trick_turn(loner.GAME, view, ("Bo", "Al", "Cy", "Di")))
