"""Positions in plain text: sentences that describe what the screens show at a glance."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from cardtable.engine.cards import Card
from cardtable.engine.game import Action, AnyGame, Seat, Sides, View, Zone
from cardtable.engine.tricks import TrickView
from cardtable.games import import_submodule
from cardtable.plain.action_menu import Choices, choices, describe_choices
from cardtable.plain.speech_text import (
    PlainTextSpec,
    by_seat,
    by_side,
    card,
    cards,
    hand,
    sentence,
    to_ascii,
    to_spoken,
    together,
)
from cardtable.plain.turn_text import default_turn_text
from cardtable.robots.kit.hint_spec import YOURSELF
from cardtable.wording.players import Names, names_of_side

_COMMON_ZONES: Final = ("hand", "trick", "stack", "pile", "blind", "stock", "taken")
"""Names of the zones that are described for every game."""


def situation(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the position as the seat of `view` sees it, without its hand and the text of ``turn``; in sentences."""
    texts = [_describe_round(game, view, names)]
    if view.playing:
        texts += _plain_text_spec(game).about(view, names)
        texts += _describe_tricks(game, view, names)
        zones = game.scene(view)
        texts += _describe_other_hands(zones, view, names)
        if (trick := game.trick(view)) and trick.lying:
            texts.append(f"in the trick: {_describe_trick(trick.lying, names)}")
        has_turn_text = view.turn == view.seat and _plain_text_spec(game).turn is not None
        for zone in zones:
            texts += [] if has_turn_text and zone.name == "stack" else _describe_zone(zone, names)
    texts.append(f"totals: {by_side(names, view.totals, game.sides_of(view))}")
    return [sentence(text) for text in texts]


def turn(game: AnyGame, view: View, names: Names) -> list[str]:
    """Explain the turn to the seat to act: situation and reasons for its choices; at most one line."""
    own = _plain_text_spec(game).turn
    texts = [sentence(text) for text in (own(view, names) if own else default_turn_text(game, view, names))]
    return [" ".join(texts)] if texts else []


def own(game: AnyGame, view: View) -> str:
    """Describe the hand of the seat of `view`, in a sentence."""
    return sentence(f"your hand: {_describe_hand(game, view)}")


def hands(game: AnyGame, views: Sequence[View], names: Names) -> list[str]:
    """Describe the open hands of the seats of `views`, in sentences."""
    return [sentence(f"{names[view.seat]}: {_describe_hand(game, view)}") for view in views]


def _describe_hand(game: AnyGame, view: View) -> str:
    """Describe the cards in the hand of the seat of `view`."""
    held = [zone.cards for zone in game.scene(view) if zone.name == "hand" and zone.seat == view.seat]
    return hand([c for zone in held for c in zone if c is not None])


def places(
    names: Names, ranks: Sequence[int], results: Sequence[int], totals: Sequence[int], sides: Sides = ()
) -> list[str]:
    """Describe the final ranking with totals and their multiples, in sentences; partners share a line."""
    texts = []
    seats = [(side[0], together(names_of_side(names, side))) for side in sides] or list(enumerate(names))
    for rank, name, result, total in sorted([(ranks[s], name, results[s], totals[s]) for s, name in seats]):
        times = f", {result // total} times {total}" if total and result != total else ""
        texts.append(sentence(f"place {rank}: {name}, {to_ascii(f'{result}{times}')}"))
    return texts


def previous_trick(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the previous trick and its winner, or after the round its last trick; empty if there is none."""
    trick = game.trick(view)
    if trick is None or not trick.last:
        return []
    texts = [f"the {'previous' if view.playing else 'last'} trick: {_describe_trick(trick.last, names)}"]
    if view.playing:
        texts.append(f"the lead after it: {names[trick.leader]}")
    return [sentence(text) for text in texts]


def possible(game: AnyGame, view: View) -> Choices:
    """Return the legal actions of the seat of `view`, with names."""
    called = _plain_text_spec(game).called
    return choices(view.legal, lambda action: called(view, action) or _default_name(action))


def _default_name(action: Action) -> str:
    """Return the default name of an action after its kind."""
    return to_spoken(YOURSELF.told(action.description) or action.argument_text if action.notation else action.kind)


def to_choose(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the legal actions of the seat of `view`, with explanations; in sentences."""
    return describe_choices(possible(game, view), partial(_plain_text_spec(game).explained, view, names))


def contracts_left(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the contracts that each seat has still to name, in sentences; a contract in play is not included."""
    left = _plain_text_spec(game).contracts_left(view)
    return [sentence(f"contracts left, {names[seat]}: {texts}") for seat, texts in enumerate(left)]


def _plain_text_spec(game: AnyGame) -> PlainTextSpec[View]:
    module = import_submodule(game.about.key, "plain_text")
    spoken: PlainTextSpec[View] = module.SPOKEN if module else PlainTextSpec(partial(_default_about, game))
    return spoken


def _default_about(game: AnyGame, view: View, names: Names) -> Iterator[str]:
    """Describe the contract, dealer or declarer, and special zones of a game without a text of its own."""
    if named := game.contract(view):
        yield f"the contract: {named.words}"
    if begun := game.dealer_or_declarer(view):
        yield f"{begun[0]}: {names[begun[1]]}"
    for zone in game.scene(view):
        known = [c for c in zone.cards if c is not None]
        if known and zone.name not in _COMMON_ZONES:
            owner = "" if zone.seat is None else f", {names[zone.seat]}"
            yield f"{zone.name}{owner}: {cards(known)}"


def _describe_tricks(game: AnyGame, view: View, names: Names) -> Iterator[str]:
    """Describe the bids, and the tricks taken once all bids are made."""
    bids = game.bids(view)
    if bids:
        yield f"bids: {by_seat(names, ['none' if bid is None else bid for bid in bids.made])}"
    if isinstance(view, TrickView) and not (bids and None in bids.made):
        yield f"tricks taken: {by_seat(names, view.won)}"


def _describe_round(game: AnyGame, view: View, names: Names) -> str:
    return f"{game.about.title}, round {view.round}" if view.round else f"{game.about.title} with {', '.join(names)}"


def _describe_trick(cards: Sequence[tuple[Seat, Card]], names: Names) -> str:
    """Describe the cards of a trick, with the players."""
    return ", ".join([f"{names[seat]} {card(c)}" for seat, c in cards])


def _describe_other_hands(zones: Sequence[Zone], view: View, names: Names) -> Iterator[str]:
    """Describe the number of cards that the others hold, and those that are known."""
    hands = {zone.seat: zone.cards for zone in zones if zone.name == "hand"}
    others = [seat for seat in range(len(names)) if seat != view.seat]
    yield f"cards in hand: {', '.join([f'{names[seat]} {len(hands[seat])}' for seat in others])}"
    for seat in others:
        known = [c for c in hands[seat] if c is not None]
        if known:
            yield f"{names[seat]} has {cards(known)}"


def _describe_zone(zone: Zone, names: Names) -> Iterator[str]:
    """Describe a zone: of a stack the top card, of cards face down their number."""
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
