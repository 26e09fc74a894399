"""Planted leaks: whatever a view or a log entry tells of a hidden card is found, with the seat and both worlds."""

from typing import Any

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import NAME, OF_RANK, OF_SUIT, RANK, RANK_WORDS, SUIT, card, highest, iter_cards, lowest
from cardtable.engine.chance import Deal
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.tricks import Play
from cardtable.testing import GameTests
from cardtable.testing.cases import Case, LawFailure
from cardtable.testing.worlds import compare_twins
from tests.overriding import override
from tests.toy import layaway
from tests.toy.layaway import GAME, LIMIT, VALUE, Lay, LayawayState, LayawayView

SEEDS = range(10)
RED = OF_SUIT[1] | OF_SUIT[2]
ACES, HEARTS, QUEEN = OF_RANK[12], OF_SUIT[2], 1 << card("QS")


class LeakyView(LayawayView, frozen=True):
    """View with one more field, in which a leak can be planted."""

    extra: Any = None
    keeps: tuple[str, ...] = ()
    """Private fields that the public view shows."""

    def public_view(self):
        return replace(super().public_view(), **{name: getattr(self, name) for name in self.keeps})


def next_hand(state, seat):
    return state.hands[(seat + 1) % state.seats]


def next_laid(state, seat):
    return state.laid[(seat + 1) % state.seats]


def turn_legal(state):
    return state.legal() if state.turn >= 0 else ()


def has_published_lacks(state):
    """Return up to which value each seat lacks cards, even if it has not said so yet."""
    left = LIMIT - state.count
    pairs = zip(state.lacks_up_to, state.hands, strict=True)
    return tuple([left if hand and VALUE[lowest(hand)] > left else value for value, hand in pairs])


def find_lowest_values(state, seat):
    hand = next_hand(state, seat)
    return min([VALUE[c] for c in iter_cards(hand)], default=0)


FIELDS = {
    # what another hand is like
    "highest rank of a hand": lambda s, seat: {"extra": RANK[highest(next_hand(s, seat))]},
    "lowest value of a hand": lambda s, seat: {"extra": find_lowest_values(s, seat)},
    "number of aces in a hand": lambda s, seat: {"extra": (next_hand(s, seat) & ACES).bit_count()},
    "sum of a hand": lambda s, seat: {"extra": sum(VALUE[c] for c in iter_cards(next_hand(s, seat)))},
    "whole hand": lambda s, seat: {"extra": next_hand(s, seat)},
    "hand in words": lambda s, seat: {"extra": " ".join([NAME[c] for c in iter_cards(next_hand(s, seat))])},
    "odd number of red cards": lambda s, seat: {"extra": (next_hand(s, seat) & RED).bit_count() % 2},
    "void": lambda s, seat: {"extra": not next_hand(s, seat) & HEARTS},
    "holder of the queen": lambda s, seat: {"extra": [bool(hand & QUEEN) for hand in s.hands].count(True)},
    "pair in a hand": lambda s, seat: {"extra": len({RANK[c] for c in iter_cards(next_hand(s, seat))})},
    # what is in no hand
    "top of the stock": lambda s, seat: {"extra": s.stock[:1]},
    "bottom of the stock": lambda s, seat: {"extra": s.stock[-1:]},
    "suit of the next card": lambda s, seat: {"extra": [SUIT[c] for c in s.stock[:1]]},
    "card laid away": lambda s, seat: {"extra": next_laid(s, seat)},
    "colour of the card laid away": lambda s, seat: {"extra": bool(next_laid(s, seat) & RED)},
    # what another seat may do
    "actions of another seat": lambda s, seat: {"extra": tuple(map(str, turn_legal(s)))},
    "number of actions of another seat": lambda s, seat: {"extra": len(turn_legal(s))},
    "that another seat can play": lambda s, seat: {"extra": any(isinstance(a, Play) for a in turn_legal(s))},
    # a size
    "size of a tuple": lambda s, seat: {"extra": (None,) * (next_hand(s, seat) & RED).bit_count()},
    "size of the stock": lambda s, seat: {"stock_size": len(s.stock) + (next_hand(s, seat) & HEARTS).bit_count()},
    "size of a hand": lambda s, seat: {"sizes": tuple([(hand & ~ACES).bit_count() for hand in s.hands])},
    # an order
    "order of the stock": lambda s, seat: {"extra": s.stock[1:] > s.stock[:1]},
    "order of the seats": lambda s, seat: {"extra": sorted(range(s.seats), key=lambda each: s.hands[each])},
    "order of a mapping": lambda s, seat: {"extra": dict.fromkeys(sorted(range(s.seats), key=s.hands.__getitem__))},
    # equal values that look different
    "type of a number": lambda s, seat: {"extra": 1 if next_hand(s, seat) & ACES else True},
    "sign of zero": lambda s, seat: {"extra": 0.0 if next_hand(s, seat) & ACES else -0.0},
    # timing of publication
    "what a seat lacks before it has said so": lambda s, seat: {"lacks_up_to": has_published_lacks(s)},
    "cards laid away once all have laid": lambda s, seat: {"extra": all(s.laid) and s.laid},
    "last card of a hand": lambda s, seat: {"extra": [hand for hand in s.hands if hand.bit_count() == 1]},
    "hand of five cards": lambda s, seat: {"extra": [hand for hand in s.hands if hand.bit_count() == 5]},
    "hand at the first position": lambda s, seat: {"extra": not any(s.laid) and next_hand(s, seat)},
    "hand in the last round": lambda s, seat: {"extra": s.round == 3 and next_hand(s, seat)},
    "hand while the count is high": lambda s, seat: {"extra": s.count > 25 and next_hand(s, seat)},
    "hand after the stock was used": lambda s, seat: {"extra": len(s.pile) > 6 and next_hand(s, seat)},
    # to some seats only
    "hand to the seat to act": lambda s, seat: {"extra": s.turn == seat and next_hand(s, seat)},
    "hand to the last seat": lambda s, seat: {"extra": seat == s.seats - 1 and next_hand(s, seat)},
    # to spectators only
    "hand to spectators": lambda s, seat: {"keeps": ("hand",)},
    "actions to spectators": lambda s, seat: {"keeps": ("legal",)},
    "card laid away to spectators": lambda s, seat: {"keeps": ("laid",)},
}
"""Functions that return the changed fields of a view, given the state and the seat."""


def custom(text):
    return CustomLogEntry(None, text, text)


def tell_rank(event, before, after):
    rank = RANK_WORDS[RANK[event.card]] if isinstance(event, Lay) else ""
    return (CustomLogEntry(before.turn, f"lays a {rank} away", f"lay a {rank} away"),) if rank else ()


NOTES = {
    "rank in words": tell_rank,
    "colour in words": lambda event, before, after: (
        [custom("red" if RED >> event.card & 1 else "black")] if isinstance(event, Lay) else ()
    ),
    "entry only for an ace": lambda event, before, after: (
        [custom("it was an ace")] if isinstance(event, Lay) and RANK[event.card] == 12 else ()
    ),
    "number of entries": lambda event, before, after: (
        [custom("away")] * (1 + RANK[event.card]) if isinstance(event, Lay) else ()
    ),
    "bottom card of a deal": lambda event, before, after: (
        [custom(f"the last card is a {RANK_WORDS[RANK[event.order[-1]]]}")] if isinstance(event, Deal) else ()
    ),
    "good deal": lambda event, before, after: (
        [custom("what a deal")] if isinstance(event, Deal) and RANK[event.order[-1]] > 5 else ()
    ),
    "card laid away, to spectators": lambda event, before, after: (
        [CustomLogEntry(before.turn, "shows {}", "show {}", (event.card,))]
        if isinstance(event, Lay) and before.seat == before.turn
        else ()
    ),
}
"""Functions that return additional log entries of an event."""


def plant_field(leak):
    """Return Layaway with a leak in the view."""

    class LeakyState(LayawayState):
        def view(self, seat):
            view = super().view(seat)
            fields = {name: getattr(view, name) for name in LayawayView.__struct_fields__}
            return LeakyView(**fields | (leak(self, seat) if self.playing and all(self.hands) else {}))

    return override(GAME, view=LeakyView, start=LeakyState)


def plant_note(leak):
    """Return Layaway with additional log entries."""

    def narrate(event, before, after):
        return (*layaway.GAME.narrate(event, before, after), *leak(event, before, after))

    return override(GAME, narrate=narrate)


def find_leak(game):
    """Return the failure of the law for authors, of the usual size."""
    laws = type("TestLeaky", (GameTests,), {"game": game})()
    with pytest.raises(LawFailure) as caught:
        laws.test_no_seat_can_tell_twin_worlds_apart()
    return caught.value


@pytest.mark.parametrize("leak", FIELDS.values(), ids=FIELDS)
def test_leak_by_a_field_is_named(leak):
    failure = find_leak(plant_field(leak))
    assert failure.field.endswith(" of the view")
    assert failure.seat in range(8)
    one, other = failure.worlds
    assert one != other
    assert "what to do" in str(failure)


@pytest.mark.parametrize("leak", NOTES.values(), ids=NOTES)
def test_leak_by_a_log_entry_is_named(leak):
    failure = find_leak(plant_note(leak))
    assert failure.field == "the log entries of narrate"
    assert failure.seat in range(8)
    one, other = failure.worlds
    assert one != other


@pytest.mark.parametrize("seed", SEEDS)
def test_premature_publication_is_detected_with_every_seed(seed):
    game = plant_field(FIELDS["what a seat lacks before it has said so"])
    with pytest.raises(LawFailure, match=r"a difference: seat . can tell .. from .. by the field lacks_up_to"):
        compare_twins(Case(game, 3, layaway.Options()), seed, 250)


def test_failure_names_field_cards_and_places():
    failure = find_leak(plant_field(FIELDS["whole hand"]))
    assert failure.field == "the field extra of the view"
    one, other = failure.worlds
    assert "in the hand of seat" in one
    assert "extra = " in one
    assert "extra = " in other


def test_no_leak_is_found_in_the_game_itself():
    assert sum([compare_twins(Case(GAME, 3, layaway.Options()), seed, 250) for seed in SEEDS])
    assert len(FIELDS) + len(NOTES) >= 40
