"""The table of a game that has no part for it: what every game tells, where players look for it."""

from functools import partial

from cardtable.engine.cards import Card
from cardtable.engine.contract import AnyGame, Event, Seat, View, Zone, nothing
from cardtable.engine.tricks import TrickView
from cardtable.engine.words import counted
from cardtable.robots.kit.lesson import name
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.card_faces import CHIP
from cardtable.ui.draw.layout import Layout, trick_card, trick_places
from cardtable.ui.kit import trick
from cardtable.ui.kit.deciding import Decision, Option, listed
from cardtable.ui.kit.piece import AnyPiece, HeaderFacts, Names, Piece, Plate, Row, Section, by_suit, hand_size
from cardtable.ui.kit.pointing import Pointed


def usual_piece(game: AnyGame) -> AnyPiece:
    """What the table screen asks about such a game."""
    return Piece(
        header=partial(_header, game),
        plate=partial(_plate, game),
        sections=partial(_sections, game),
        prompt=_prompt,
        middle=partial(_middle, game),
        decision=_decision,
        order=_order,
        next_round=_next_round,
        previous_trick=_previous_trick,
        frames=_frames,
        tricks=game.trick is not nothing,
    )


def _header(game: AnyGame, view: View) -> HeaderFacts:
    rounds = f" of {view.options.rounds}" if view.options.rounds else ""
    stand = game.trick(view) if view.playing else None
    return HeaderFacts(f"round {view.round}{rounds}", (f"trick {stand.number}",) if stand else ())


def _plate(game: AnyGame, view: View, seat: Seat) -> Plate:
    """The bid and what was made of it, else the cards in hand; who has led, or begun the round."""
    bids, stand = game.bids(view), game.trick(view)
    begun, bid = game.begun_by(view), bids.made[seat] if bids else None
    led = stand is not None and stand.lying[:1] and stand.leader == seat
    role = "led" if led else begun[0] if begun and begun[1] == seat else ""
    held = counted(hand_size(game, view, seat), "card")
    return Plate(held if bids is None or bid is None else f"{bids.won[seat]} of {bid}", role)


def _sections(game: AnyGame, view: View, names: Names) -> tuple[Section, ...]:
    """What was named, and the totals."""
    seats = [(view.seat + i) % len(names) for i in range(len(names))]
    totals = Section("Totals", rows=tuple([Row(names[s], (str(view.totals[s]),), own=s == view.seat) for s in seats]))
    named = game.contract(view)
    return (Section(named.words), totals) if named else (totals,)


def _prompt(view: View, _pointed: Pointed) -> tuple[str, str]:
    return "Your turn:", " or ".join(dict.fromkeys(action.kind for action in view.legal))


def _middle(game: AnyGame, canvas: Canvas, grid: Layout, view: View, _pointed: Pointed, names: Names) -> None:
    """The trick, or else a line for everything that lies on the table."""
    stand, seats = game.trick(view), len(view.totals)
    if stand:
        places, size = trick_places(grid, seats), trick_card(grid, seats)
        for seat, card in stand.lying:
            card_faces.card(canvas, *places[(seat - view.seat) % seats], size, card)
        return
    zones = [zone for zone in game.scene(view) if zone.name != "hand" and zone.cards]
    for y, zone in zip(range(grid.mat.y + 1, grid.mat.bottom, 2), zones, strict=False):
        whose = "" if zone.seat is None else f", {names[zone.seat]}"
        _paint_zone(canvas, grid, y, zone, f"{zone.name}{whose}")


def _paint_zone(canvas: Canvas, grid: Layout, y: int, zone: Zone, label: str) -> None:
    """How many cards lie there face down, and as many of the last ones that lie open as there is room for."""
    seen: list[Card] = [card for card in zone.cards if card is not None]
    hidden = len(zone.cards) - len(seen)
    x = canvas.text(grid.mat.x + 2, y, f"{label} {hidden}" if hidden else label, canvas.theme.inks.muted) + 2
    for i, card in enumerate(seen[-max((grid.mat.right - x) // CHIP.width, 1) :]):
        card_faces.card(canvas, x + i * CHIP.width, y, CHIP, card)


def _decision(view: View, _names: Names) -> Decision | None:
    """Whatever can be chosen without pointing at cards."""
    said = [action for action in view.legal if not action.uses()]
    options = tuple([Option(name(action), action) for action in said])
    return listed("Your choice", options, cards_first=len(said) < len(view.legal)) if said else None


def _order(view: View) -> list[Card]:
    return by_suit(view.hand)


def _next_round(view: View, _names: Names) -> tuple[Row, ...]:
    return (Row(f"round {view.finished + 1}"),)


def _previous_trick(view: View) -> View | None:
    return trick.last(view) if isinstance(view, TrickView) else None


def _frames(event: Event, before: View, after: View) -> tuple[View, ...]:
    if isinstance(before, TrickView) and isinstance(after, TrickView):
        return trick.frames(event, before, after)
    return ()
