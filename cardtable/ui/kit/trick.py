"""The trick in the middle, the same in every trick game."""

from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from cardtable.engine.cards import BIT, OF_SUIT, SUIT, SUIT_WORDS, Card
from cardtable.engine.contract import Event
from cardtable.engine.tricks import Play, TrickView
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import Layout, trick_card, trick_places

T = TypeVar("T", bound=TrickView)

CLOCKWISE: Final = 1
COUNTER_CLOCKWISE: Final = -1


def paint(
    canvas: Canvas,
    grid: Layout,
    view: TrickView,
    winning: int | None,
    *,
    step: int = CLOCKWISE,
) -> None:
    """Cards before the seats that played them, a star on the one that takes the trick as it stands.

    ``winning`` is its index in the trick.  The place of the own card is shown while it is owed.
    """
    seats = len(view.totals)
    places, size = trick_places(grid, seats), trick_card(grid, seats)
    for i, which in enumerate(view.trick):
        x, y = places[(view.leader + step * i - view.seat) % seats]
        card_faces.card(canvas, x, y, size, which, card_faces.CardLook(leads=i == winning))
    if view.turn >= 0 and step * (view.seat - view.leader) % seats >= len(view.trick):
        x, y = places[0]
        canvas.fill(x, y, size.width, size.height, canvas.theme.grounds.slot)
    if step == COUNTER_CLOCKWISE:
        arrows(canvas, grid)


def arrows(canvas: Canvas, grid: Layout) -> None:
    """In each corner of the mat where play goes from there."""
    mat, ink = grid.mat, canvas.theme.inks.arrow
    in_x, in_y = (6, 3) if grid.large else (4, 2)
    for x, top, bottom in ((mat.x + in_x, "↙", "↘"), (mat.right - in_x, "↖", "↗")):
        canvas.text(x, mat.y + in_y, top, ink)
        canvas.text(x, mat.bottom - in_y, bottom, ink)


def asked(view: TrickView, goal: str) -> tuple[str, ...]:
    """What who must follow is to do, how, and what for."""
    if not view.trick:
        return "You lead.", goal
    led = SUIT[view.trick[0]]
    if view.hand & OF_SUIT[led]:
        return f"Follow {SUIT_WORDS[led]}s.", goal
    return f"No {SUIT_WORDS[led]}:", "any card", goal


def frames(event: Event, before: T, after: T) -> tuple[T, ...]:
    """What stays on the table a while: a full trick, and the last one that played itself."""
    shown: list[T] = []
    full: Sequence[Card] = ()
    if isinstance(event, Play) and len(before.trick) == len(before.totals) - 1:
        full = (*before.trick, event.card)
        hand = before.hand & ~BIT[event.card] if before.turn == before.seat else before.hand
        shown.append(replace(before, hand=hand, trick=full, turn=-1, legal=()))
    if after.finished > before.finished and after.last_trick not in (full, before.last_trick):
        shown.append(_with_last_trick(replace(after, playing=True, hand=0, totals=before.totals)))
    return tuple(shown)


def _with_last_trick(view: T) -> T:
    return replace(view, leader=view.last_leader, trick=view.last_trick, turn=-1, legal=())


def last(view: T) -> T | None:
    """The view with the previous trick on the table; ``None`` without one."""
    return _with_last_trick(view) if view.last_trick else None
