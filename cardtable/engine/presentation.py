"""What is shown and told alike in all games, and the zones and log entries of games that do not write their own."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cardtable.engine.cards import Cards, face_down, iter_cards, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.drawing import Draw
from cardtable.engine.game import MAX_SEATS, Action, Event, Game, Note, S, Seat, V, View, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, Drew, PlayedCard
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.engine.view_fields import list_fields

_ENDS_DOUBLED: Final = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
"""Verbs of one syllable whose last consonant is doubled before *-ing*: *let*, *drop*."""


def hands_seen(seat: Seat, hand: Cards, sizes: Sequence[int]) -> tuple[Zone, ...]:
    """Return the hands as zones: ``hand``, the hand of ``seat``, face up, the others face down.

    In a public view, in which ``hand`` is empty, all hands are face down. ``sizes``: number of cards in each hand.
    """
    own = {seat: tuple(iter_cards(hand))} if hand else {}
    return tuple([Zone("hand", s, own.get(s, face_down(size))) for s, size in enumerate(sizes)])


def list_zones(view: View) -> Iterator[Zone]:
    """Yield the hands, the stock, and for each field with a card or a tuple of cards a zone with its name.

    A tuple of tuples is by seat, and a private field belongs to the seat of the view.
    """
    if view.sizes:
        yield from hands_seen(view.seat, view.hand, view.sizes)
    for field in list_fields(type(view), View):
        value, name = field.read(view), field.name.replace("_", " ")
        if field.name == "stock_size":
            yield Zone("stock", None, face_down(view.stock_size))
        elif field.is_zone and field.is_by_seat:
            yield from [Zone(name, seat, cards) for seat, cards in enumerate(value)]
        elif field.is_zone:
            cards = value if isinstance(value, tuple) else () if value is None else (value,)
            yield Zone(name, view.seat if field.is_private else None, cards)


SEAT_NAMES: Final = tuple([f"seat {seat}" for seat in range(MAX_SEATS)])
"""Names of the seats in texts for which the names of the players are not known."""


def explain_refusal(game: Game[S, V], view: V, cards: Cards) -> str:
    """Explain to the player why these cards cannot be chosen now, or why a choice without cards cannot be made."""
    return game.explain_illegal(view, cards) if view.turn == view.seat else "It is not your turn"


def find_open_cards(zones: Iterable[Zone]) -> Cards:
    return mask_of(card for zone in zones for card in zone.cards if card is not None)


def find_seen_cards(view: View) -> Cards:
    """Return the cards that the fields of a view show, without the hand."""
    seen = 0
    for field in list_fields(type(view), View):
        if field.find_cards:
            seen |= field.find_cards(field.read(view))
    return seen


def narrate_event(event: Event, before: View, after: View) -> tuple[Note, ...]:
    """Return the log entry of a deal or an action for one seat, from its views before and after the event.

    The entry of an action has its verb and ``argument_text``, or the number of its cards if neither view shows them.
    """
    seat = before.turn
    if isinstance(event, Deal):
        sizes = {size for size in after.sizes if size}
        return (Dealt(None, after.round, sizes.pop() if len(sizes) == 1 else None),)
    if isinstance(event, Play):
        return (PlayedCard(seat, event.card),)
    if isinstance(event, Draw):
        return (Drew(seat, 1, tuple(iter_cards(after.hand & ~before.hand))),)
    if not isinstance(event, Action):
        return ()
    cards, phrase = event.cards_used(), event.argument_text
    if cards & ~(before.hand | after.hand | find_seen_cards(before) | find_seen_cards(after)):
        phrase = format_count(cards.bit_count(), "card")
    third_person, second_person = [f"{verb} {phrase}".rstrip() for verb in (to_third_person(event.verb), event.verb)]
    return (CustomLogEntry(seat, third_person, second_person),)


def to_third_person(verb: str) -> str:
    """Return the form of a verb after a name, as in ``passes`` and ``lays away``."""
    first, *rest = verb.split()
    if first.endswith(("s", "x", "ch", "sh", "o")):
        first += "es"
    elif first.endswith("y") and first[-2:-1] not in "aeiou":
        first = first[:-1] + "ies"
    else:
        first += "s"
    return " ".join([first, *rest])


def to_gerund(verb: str) -> str:
    """Return the form of a verb as a subject, as in ``taking`` and ``letting go``."""
    first, *rest = verb.split()
    if first.endswith("e") and not first.endswith("ee"):
        first = first[:-1]
    elif _ENDS_DOUBLED.fullmatch(first):
        first += first[-1]
    return " ".join([f"{first}ing", *rest])
