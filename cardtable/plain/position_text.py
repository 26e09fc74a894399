"""How things stand, in sentences: what the table shows at a glance on the screens."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from cardtable.engine.cards import Card
from cardtable.engine.game import Action, AnyGame, Seat, Sides, View, Zone
from cardtable.engine.tricks import TrickView
from cardtable.games import part
from cardtable.plain.action_menu import Choices, choices, listed
from cardtable.plain.speech_text import (
    PlainTextSpec,
    by_seat,
    by_side,
    card,
    cards,
    hand,
    letters,
    sentence,
    spoken,
    together,
)
from cardtable.plain.turn_text import usual
from cardtable.robots.kit.hint_spec import YOURSELF
from cardtable.wording.players import Names, of_side

_ALWAYS_TOLD: Final = ("hand", "trick", "stack", "pile", "blind", "stock", "taken")
"""Places of cards that are told of in every game."""


def situation(game: AnyGame, view: View, names: Names) -> list[str]:
    """All that the seat of ``view`` can see beside its hand, and what ``turn`` tells it; in sentences."""
    told = [_round(game, view, names)]
    if view.playing:
        told += _spoken(game).about(view, names)
        told += _tricks(game, view, names)
        zones = game.scene(view)
        told += _others(zones, view, names)
        if (trick := game.trick(view)) and trick.lying:
            told.append(f"in the trick: {_played(trick.lying, names)}")
        asked = view.turn == view.seat and _spoken(game).turn is not None
        for zone in zones:
            told += [] if asked and zone.name == "stack" else _zone(zone, names)
    told.append(f"totals: {by_side(names, view.totals, game.sides_of(view))}")
    return [sentence(text) for text in told]


def turn(game: AnyGame, view: View, names: Names) -> list[str]:
    """How it stands for the seat to act, and why it has just these choices; a line, if there is anything to say."""
    own = _spoken(game).turn
    told = [sentence(text) for text in (own(view, names) if own else usual(game, view, names))]
    return [" ".join(told)] if told else []


def own(game: AnyGame, view: View) -> str:
    """The cards of the seat of ``view``, in a sentence."""
    return sentence(f"your hand: {_held(game, view)}")


def hands(game: AnyGame, views: Sequence[View], names: Names) -> list[str]:
    """The hands of the seats of ``views``, which lie open; in sentences."""
    return [sentence(f"{names[view.seat]}: {_held(game, view)}") for view in views]


def _held(game: AnyGame, view: View) -> str:
    """The cards in the hand of the seat of ``view``."""
    held = [zone.cards for zone in game.scene(view) if zone.name == "hand" and zone.seat == view.seat]
    return hand([c for zone in held for c in zone if c is not None])


def places(
    names: Names, ranks: Sequence[int], results: Sequence[int], totals: Sequence[int], sides: Sides = ()
) -> list[str]:
    """Who came in where, with what total, and how many times it counted; in sentences.  Who plays together is one."""
    told = []
    seats = [(side[0], together(of_side(names, side))) for side in sides] or list(enumerate(names))
    for rank, name, result, total in sorted([(ranks[s], name, results[s], totals[s]) for s, name in seats]):
        times = f", {result // total} times {total}" if total and result != total else ""
        told.append(sentence(f"place {rank}: {name}, {letters(f'{result}{times}')}"))
    return told


def previous_trick(game: AnyGame, view: View, names: Names) -> list[str]:
    """Who played what to the trick before, and who took it; nothing where there is none.

    Once the round is over that is its last trick.
    """
    trick = game.trick(view)
    if trick is None or not trick.last:
        return []
    told = [f"the {'previous' if view.playing else 'last'} trick: {_played(trick.last, names)}"]
    if view.playing:
        told.append(f"the lead after it: {names[trick.leader]}")
    return [sentence(text) for text in told]


def possible(game: AnyGame, view: View) -> Choices:
    """What the seat of ``view`` may do, each action as it is called."""
    called = _spoken(game).called
    return choices(view.legal, lambda action: called(view, action) or _called(action))


def _called(action: Action) -> str:
    """What an action is called after its kind, where its game does not say it."""
    return spoken(YOURSELF.told(action.description) or action.argument_text if action.notation else action.kind)


def to_choose(game: AnyGame, view: View, names: Names) -> list[str]:
    """What the seat of ``view`` may do, with what that means; in sentences."""
    return listed(possible(game, view), partial(_spoken(game).explained, view, names))


def contracts_left(game: AnyGame, view: View, names: Names) -> list[str]:
    """What everybody has still to name or declare, in sentences; a contract that was led is gone."""
    left = _spoken(game).left(view)
    return [sentence(f"contracts left, {names[seat]}: {told}") for seat, told in enumerate(left)]


def _spoken(game: AnyGame) -> PlainTextSpec[View]:
    found = part(game.about.key, "plain_text")
    spoken: PlainTextSpec[View] = found.SPOKEN if found else PlainTextSpec(partial(_usual, game))
    return spoken


def _usual(game: AnyGame, view: View, names: Names) -> Iterator[str]:
    """What every game tells, of one that has no words of its own."""
    if named := game.contract(view):
        yield f"the contract: {named.words}"
    if begun := game.dealer_or_declarer(view):
        yield f"{begun[0]}: {names[begun[1]]}"
    for zone in game.scene(view):
        known = [c for c in zone.cards if c is not None]
        if known and zone.name not in _ALWAYS_TOLD:
            whose = "" if zone.seat is None else f", {names[zone.seat]}"
            yield f"{zone.name}{whose}: {cards(known)}"


def _tricks(game: AnyGame, view: View, names: Names) -> Iterator[str]:
    """The bids, and the tricks taken once all bids are made."""
    bids = game.bids(view)
    if bids:
        yield f"bids: {by_seat(names, ['none' if bid is None else bid for bid in bids.made])}"
    if isinstance(view, TrickView) and not (bids and None in bids.made):
        yield f"tricks taken: {by_seat(names, view.won)}"


def _round(game: AnyGame, view: View, names: Names) -> str:
    return f"{game.about.title}, round {view.round}" if view.round else f"{game.about.title} with {', '.join(names)}"


def _played(cards: Sequence[tuple[Seat, Card]], names: Names) -> str:
    """Cards of a trick with who played them."""
    return ", ".join([f"{names[seat]} {card(c)}" for seat, c in cards])


def _others(zones: Sequence[Zone], view: View, names: Names) -> Iterator[str]:
    """How many cards the others hold, and which of them everybody knows."""
    hands = {zone.seat: zone.cards for zone in zones if zone.name == "hand"}
    others = [seat for seat in range(len(names)) if seat != view.seat]
    yield f"cards in hand: {', '.join([f'{names[seat]} {len(hands[seat])}' for seat in others])}"
    for seat in others:
        known = [c for c in hands[seat] if c is not None]
        if known:
            yield f"{names[seat]} has {cards(known)}"


def _zone(zone: Zone, names: Names) -> Iterator[str]:
    """What lies somewhere; of a stack its top card, of cards face down their number."""
    known = [c for c in zone.cards if c is not None]
    if zone.name == "stack":
        if known:
            yield f"on top of the stack: {card(known[-1])}"
    elif zone.name == "pile":
        yield f"the pile, its top first: {', '.join(map(card, reversed(known))) or 'no card'}"
    elif zone.name in ("blind", "stock"):
        yield f"the {zone.name}: {len(zone.cards)} face down"
    elif zone.name == "taken" and zone.seat is not None and known:
        yield f"taken by {names[zone.seat]}: {cards(known)}"
