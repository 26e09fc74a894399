"""Dragging a card: from the own hand to the middle of the table, where it is played."""

from collections.abc import Callable, Hashable

import msgspec

from cardtable.engine.cards import BIT, Card, each
from cardtable.engine.contract import Action
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas, Stamp
from cardtable.ui.draw.layout import grid_of
from cardtable.ui.kit.moving import fan, gap
from cardtable.ui.kit.pointing import MAT, PointAction, PointCard
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.frame import Frame


class _Drag(msgspec.Struct):
    card: Card
    x: int
    y: int
    """Where the button was pressed."""
    held: Canvas | None = None
    """What is under the pointer, once it has moved."""


class Dragging:
    """Follows the mouse from the press of its button on a card to the release."""

    def __init__(self, look: Callable[[], Frame], cursor: Cursor, act: Callable[[Action], None]) -> None:
        self._look, self._cursor, self._act = look, cursor, act
        self._drag: _Drag | None = None
        self.dragged = False
        """Whether a card was dragged when the button was last let go: what follows is no click."""

    def press(self, target: Hashable | None, x: int, y: int) -> None:
        """The button is pressed; a card of the own hand may be dragged from now on."""
        frame, self.dragged = self._look(), False
        able = frame.waiting and isinstance(target, PointCard) and target.card in frame.hand.cards
        self._drag = _Drag(target.card, x, y) if able and isinstance(target, PointCard) else None

    def move(self, canvas: Canvas, x: int, y: int) -> list[Stamp] | None:
        """What lies over the table now that the pointer is here; nothing if no card is dragged."""
        drag = self._drag
        if drag is None or not self._cursor.waiting:
            return None
        if drag.held is None:
            if (x, y) == (drag.x, drag.y):
                return None
            drag.held = self._take_up(drag.card, canvas)
        gaps = [gap(canvas, lain) for card in self._with(drag.card) if (lain := canvas.lain.get(card))]
        return [*gaps, Stamp(x - drag.held.width // 2, y - drag.held.height // 2, drag.held)]

    def drop(self) -> bool:
        """Let go of the card where it was, whatever the button does then; whether one was dragged."""
        drag, self._drag = self._drag, None
        self.dragged = drag is not None and drag.held is not None
        return self.dragged

    def release(self, canvas: Canvas, x: int, y: int) -> bool:
        """The button is let go: in the middle the card is played.  Whether a card was dragged."""
        drag, self._drag = self._drag, None
        if drag is None:
            return False
        self.dragged = drag.held is not None
        if drag.held is None:
            return False
        target = canvas.at(x, y)
        if self._cursor.waiting and self._in_the_middle(target):
            for card in self._with(drag.card):  # from here it moves on to its place
                lain = canvas.lain.get(card)
                if lain:
                    canvas.lain[card] = lain._replace(x=x - lain.width // 2, y=y - lain.height // 2)
            self._play(drag.card, target)
        return True

    def _with(self, card: Card) -> list[Card]:
        """The cards that go along: those chosen, if it is one of them."""
        chosen = self._cursor.hand.chosen
        return each(chosen) if chosen & BIT[card] else [card]

    def _take_up(self, card: Card, canvas: Canvas) -> Canvas:
        hand = self._cursor.hand
        dimmed = not hand.may(card) and not hand.chosen
        if hand.may(card):
            self._cursor.go_to_card(card)
            self._cursor.moved()
        return fan(canvas, self._with(card), grid_of(canvas).card, card_faces.CardLook(dimmed=dimmed))

    def _in_the_middle(self, target: Hashable | None) -> bool:
        """Whether it is on the mat; a card there is a card of the face-up pile."""
        of_pile = isinstance(target, PointCard) and target.card not in self._cursor.hand.cards
        return target == MAT or isinstance(target, PointAction) or of_pile

    def _play(self, card: Card, target: Hashable | None) -> None:
        frame = self._look()
        if self._cursor.only_box([card]):
            return
        if isinstance(target, PointAction) and target.action.uses() == BIT[card] and target.action in frame.view.legal:
            self._act(target.action)
            return
        self._cursor.go_along(card)
        self._cursor.commit()
