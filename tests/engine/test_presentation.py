"""What is told and shown of a game that does not say it itself: Layaway, in which cards are laid away face down."""

from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import NAME, iter_cards
from cardtable.engine.log_entries import CustomLogEntry, Dealt, Drew, PlayedCard
from cardtable.engine.presentation import list_zones, narrate_event, to_gerund, to_third_person
from cardtable.engine.tricks import Play
from tests.toy import scopetta
from tests.toy.layaway import DRAW, GAME


def start():
    state = GAME.start(2, GAME.options())
    state.apply(state.draw_chance(Random(1)))
    return state


def narrate(state, event):
    """Apply an event and return what each seat is told of it, and last a spectator."""
    before = [state.view(seat) for seat in (0, 1)]
    state.apply(event)
    after = [state.view(seat) for seat in (0, 1)]
    pairs = [*zip(before, after, strict=True), (before[0].public_view(), after[0].public_view())]
    return [GAME.narrate(event, *pair) for pair in pairs]


@pytest.mark.parametrize(
    ("verb", "third_person", "gerund"),
    [
        ("lay", "lays", "laying"), ("pass", "passes", "passing"), ("go", "goes", "going"),
        ("carry", "carries", "carrying"), ("throw in", "throws in", "throwing in"), ("take", "takes", "taking"),
        ("let", "lets", "letting"), ("see", "sees", "seeing"), ("end", "ends", "ending"),
    ],
)  # fmt: skip
def test_forms_of_verbs(verb, third_person, gerund):
    assert (to_third_person(verb), to_gerund(verb)) == (third_person, gerund)


def test_cards_face_down_are_named_to_their_seat_only():
    state = start()
    lay = state.legal()[0]
    own, *others = narrate(state, lay)
    assert own == (CustomLogEntry(0, f"lays {NAME[lay.card]}", f"lay {NAME[lay.card]}"),)
    assert others == [(CustomLogEntry(0, "lays 1 card", "lay 1 card"),)] * 2
    assert (state.view(0).laid, state.view(1).laid, state.view(0).public_view().laid) == (lay.cards_used(), 0, 0)


def test_plays_and_draws_are_told():
    state = start()
    new = GAME.start(2, GAME.options())
    assert narrate(new, new.draw_chance(Random(1)))[0] == (Dealt(None, 1),)
    while not isinstance(state.legal()[0], Play):
        state.apply(state.legal()[0])
    play = state.legal()[0]
    assert narrate(state, play) == [(PlayedCard(0, play.card),)] * 3
    top, seat = state.stock[0], state.turn
    notes = narrate(state, DRAW)
    assert notes[seat] == (Drew(seat, 1, (top,)),)
    assert notes[1 - seat] == notes[2] == (Drew(seat, 1),)


def test_captures_are_told_with_the_cards_of_the_table():
    state = scopetta.GAME.start(2, scopetta.GAME.options())
    state.apply(state.draw_chance(Random(1)))
    capture = state.legal()[0]
    before = state.view(1)
    state.apply(capture)
    note = CustomLogEntry(0, "captures 2D with 2C", "capture 2D with 2C")
    assert narrate_event(capture, before, state.view(1)) == (note,)


def test_public_views_show_hands_face_down():
    zones = list_zones(start().view(1).public_view())
    assert [zone.cards for zone in zones if zone.name == "hand"] == [(None,) * 5, (None,) * 4]


def test_fields_with_cards_in_order_are_zones():
    view = start().view(1)
    zones = [(zone.name, zone.seat, zone.cards) for zone in list_zones(replace(view, laid=1))]
    hands = [("hand", 0, (None,) * 5), ("hand", 1, tuple(iter_cards(view.hand)))]
    assert zones == [*hands, ("pile", None, view.pile), ("stock", None, (None,) * view.stock_size)]
