"""Mouse input at the table and its overlays."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.cards import BIT, Card, iter_cards
from cardtable.engine.game import Action
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.card_animation import fan, gap
from cardtable.ui.game_view.hand_cursor import MAT, PointAction, PointCard, PointOption, ScrollToCard
from cardtable.ui.table.model.controller import GuardState, TableController
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.stack import OverlayStack
from cardtable.ui.table.paint.panel import ScrollMessages
from cardtable.ui.table.paint.table_view import TableView
from cardtable.ui.toolkit.footer import Press
from cardtable.ui.toolkit.keys.bindings import TABLE, KeyBinding, find_binding
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, Sprite
from cardtable.ui.toolkit.painting.layout import grid_of


class Clicks:
    """Handler of clicks on cards and options."""

    def __init__(self, look: Callable[[], TableViewState], cursor: Cursor, act: Callable[[Action], None]) -> None:
        self._look, self._cursor, self._act = look, cursor, act

    def click(self, target: Hashable | None, times: int) -> None:
        """Handle a click on a mouse target; ``times`` is 1 for a single click, 2 for a double click."""
        frame = self._look()
        if isinstance(target, PointOption):
            self._option(target.index)
        elif isinstance(target, PointAction):
            self._action(target.action)
        elif isinstance(target, PointCard):
            self._card(target, times)
        elif isinstance(target, ScrollToCard):
            self._cursor.go_to_card(target.card)
            self._cursor.moved()
        elif target == MAT and frame.waiting and frame.hand.chosen:
            self._cursor.confirm()

    def scrolls(self, canvas: Canvas) -> bool:
        """Return True if the hand is wider than the screen, so that the mouse wheel moves along it."""
        return any(isinstance(spot.target, ScrollToCard) for spot in canvas.hit_boxes)

    def wheel(self, steps: int) -> None:
        self._cursor.scroll(steps)

    def confirm(self) -> None:
        """Confirm the option under the cursor, for the right button in games whose view has ``right_confirms``."""
        frame = self._look()
        if frame.waiting and frame.decision and frame.piece.right_confirms:
            self._cursor.go_to_option(frame.option)
            self._cursor.confirm()

    def _option(self, index: int) -> None:
        frame = self._look()
        assert frame.decision is not None
        is_selected, is_aimed = frame.in_box and frame.option == index, frame.moved_by_player
        self._cursor.go_to_option(index)
        self._select_or_perform(
            is_selected, is_aimed, frame.decision.commit if frame.decision.actions[index] is not None else ""
        )

    def _action(self, action: Action) -> None:
        """Perform an action shown on the mat; if the decision box has an option for it, click that option."""
        frame = self._look()
        if action not in frame.view.legal:
            self._cursor.refuse(action.cards_used())
        elif not frame.waiting:
            return
        elif action in frame.box_actions:
            self._option(frame.box_actions.index(action))
        else:
            self._act(action)

    def _card(self, target: PointCard, times: int) -> None:
        frame, cursor = self._look(), self._cursor
        if not frame.waiting or cursor.only_box([target.card]):
            return
        if target.card not in frame.hand.cards:
            cursor.refuse(BIT[target.card])
            return
        if frame.hand.has_multi_card_actions and (times == 1 or frame.hand.chosen & ~BIT[target.card]):
            cursor.go_to_card(target.card)
            cursor.toggle()
            return
        is_selected, is_aimed = not frame.in_box and frame.hand.at == target.card, frame.moved_by_player
        cursor.go_to_card(target.card)
        self._select_or_perform(is_selected, is_aimed, "play it" if frame.hand.can_select(target.card) else "")

    def _select_or_perform(self, is_selected: bool, aimed: bool, does: str) -> None:
        """Select the target of a click, or perform it if the player had selected it before.

        ``description`` completes "Click again to ..." in the prompt; "" if the action is forbidden, whose reason is
        then shown.
        """
        cursor = self._cursor
        cursor.moved()
        if is_selected and aimed:
            cursor.confirm()
        elif not does:
            cursor.say_why_not()
        elif is_selected:
            cursor.say(f"Click again to {does}")


class _Drag(msgspec.Struct):
    card: Card
    x: int
    y: int
    """Cell at which the button was pressed (``x``, ``y``)."""
    held: Canvas | None = None
    """Picture of the dragged cards; ``None`` until the pointer moves."""


class Dragging:
    """Handler of drag and drop for cards of the hand."""

    def __init__(self, look: Callable[[], TableViewState], cursor: Cursor, act: Callable[[Action], None]) -> None:
        self._look, self._cursor, self._act = look, cursor, act
        self._drag: _Drag | None = None
        self.dragged = False
        """True if the last button release ended a drag; the click event that follows it is then ignored."""

    def press(self, target: Hashable | None, x: int, y: int) -> None:
        """Register a button press; a drag may begin if ``target`` is a card of the hand."""
        frame, self.dragged = self._look(), False
        able = frame.waiting and isinstance(target, PointCard) and target.card in frame.hand.cards
        self._drag = _Drag(target.card, x, y) if able and isinstance(target, PointCard) else None

    def move(self, canvas: Canvas, x: int, y: int) -> list[Sprite] | None:
        """Return sprites that show the dragged cards at this cell, and gaps where they were.

        Returns ``None`` if no card is dragged.
        """
        drag = self._drag
        if drag is None or not self._cursor.waiting:
            return None
        if drag.held is None:
            if (x, y) == (drag.x, drag.y):
                return None
            drag.held = self._take_up(drag.card, canvas)
        gaps = [
            gap(canvas, bounds) for card in self._dragged_cards(drag.card) if (bounds := canvas.card_bounds.get(card))
        ]
        return [*gaps, Sprite(x - drag.held.width // 2, y - drag.held.height // 2, drag.held)]

    def drop(self) -> bool:
        """Cancel the drag; return False if no card was dragged."""
        drag, self._drag = self._drag, None
        self.dragged = drag is not None and drag.held is not None
        return self.dragged

    def release(self, canvas: Canvas, x: int, y: int) -> bool:
        """End the drag, and play cards that are dropped on the mat; return False if no card was dragged."""
        drag, self._drag = self._drag, None
        if drag is None:
            return False
        self.dragged = drag.held is not None
        if drag.held is None:
            return False
        target = canvas.hit_test(x, y)
        if self._cursor.waiting and self._is_on_mat(target):
            for card in self._dragged_cards(drag.card):  # the animation starts here
                bounds = canvas.card_bounds.get(card)
                if bounds:
                    canvas.card_bounds[card] = bounds._replace(x=x - bounds.width // 2, y=y - bounds.height // 2)
            self._play(drag.card, target)
        return True

    def _dragged_cards(self, card: Card) -> list[Card]:
        """Return all chosen cards if ``card`` is one of them, else only ``card``."""
        chosen = self._cursor.hand.chosen
        return iter_cards(chosen) if chosen & BIT[card] else [card]

    def _take_up(self, card: Card, canvas: Canvas) -> Canvas:
        hand = self._cursor.hand
        dimmed = not hand.can_select(card) and not hand.chosen
        if hand.can_select(card):
            self._cursor.go_to_card(card)
            self._cursor.moved()
        return fan(canvas, self._dragged_cards(card), grid_of(canvas).card, card_faces.CardLook(dimmed=dimmed))

    def _is_on_mat(self, target: Hashable | None) -> bool:
        """Return True if the target is the mat, an action on it or a card that is not in the hand."""
        of_pile = isinstance(target, PointCard) and target.card not in self._cursor.hand.cards
        return target == MAT or isinstance(target, PointAction) or of_pile

    def _play(self, card: Card, target: Hashable | None) -> None:
        frame = self._look()
        if self._cursor.only_box([card]):
            return
        if (
            isinstance(target, PointAction)
            and target.action.cards_used() == BIT[card]
            and target.action in frame.view.legal
        ):
            self._act(target.action)
            return
        self._cursor.go_along(card)
        self._cursor.confirm()


LEFT: Final = 1
RIGHT: Final = 3
"""Numbers of the left and the right mouse button in Textual's events."""
ROWS: Final = 2
"""Number of rows that one notch of the mouse wheel scrolls."""


class Click(NamedTuple):
    """Press and release of a mouse button at one cell."""

    x: int
    y: int
    button: int
    times: int
    """1 for a single click, 2 for a double click."""


class Mouse:
    """Mouse handler of one table and its overlays."""

    def __init__(
        self,
        view: TableView,
        driver: TableController,
        cursor: Cursor,
        covers: OverlayStack,
        prompt: GuardState,
        act: Callable[[Action], None],
        press: Callable[[KeyBinding], Awaitable[None]],
    ) -> None:
        """``press`` runs the action of a clicked key, if it is enabled."""
        self._view, self._driver, self._covers = view, driver, covers
        self._prompt, self._press = prompt, press
        self._clicks = Clicks(lambda: driver.frame, cursor, act)
        self._dragging = Dragging(lambda: driver.frame, cursor, act)
        self._pressed = 0.0
        """Time of the last button press, by the clock of the input guard."""
        self._turned = 0
        """Notches of the mouse wheel that have not been handled yet, negative if it was turned up."""
        self._over_messages = False
        """True if the last notch was turned over the messages of the panel."""

    def down(self, x: int, y: int, button: int, at: float) -> None:
        """Handle a button press at time ``pressed_at``; the left button may begin a drag."""
        self.roll()
        self._view.land()
        self._pressed, self._dragging.dragged = at, False
        if self._covers.top is None and button == LEFT and self._prompt.guard.accepts(at, click=True):
            self._dragging.press(self._view.canvas.hit_test(x, y), x, y)

    def move(self, x: int, y: int) -> None:
        """Move the dragged cards, if any, with the pointer."""
        sprites = self._dragging.move(self._view.canvas, x, y)
        if sprites is not None:
            self._view.set_sprites(sprites)

    def up(self, x: int, y: int) -> None:
        """Handle a button release, which may end a drag."""
        if self._dragging.release(self._view.canvas, x, y):
            self._view.set_sprites(())

    def drop(self) -> bool:
        """Cancel the drag; return False if no card was dragged."""
        dragged = self._dragging.drop()
        if dragged:
            self._view.set_sprites(())
        return dragged

    async def click(self, click: Click) -> None:
        """Handle a click: on the table, to end a pause, or in or beside an overlay.

        The click is ignored at the end of a drag, and if the input guard rejects the time of the button press.
        """
        if self._dragging.dragged or not self._prompt.guard.accepts(self._pressed, click=True):
            return
        target, scope, cover = self._view.canvas.hit_test(click.x, click.y), self._covers.scope, self._covers.top
        target = None if isinstance(target, ScrollMessages) else target  # a target of the mouse wheel only
        if scope is not TABLE and isinstance(target, Press):
            if target in [key.name for key in scope]:
                await self._press(find_binding(scope, target))
        elif cover is not None and cover.pointed_at(target):
            self._covers.show()
        elif cover is None or (self._covers.has_hint and target == Press("play")):
            await self._click_table(target, click)
        else:
            self._covers.pop()
            self._prompt.surprises(self._driver.frame)
            if cover.view is not None and target not in (None, Press("leave")):
                await self._click_table(target, click)

    async def _click_table(self, target: Hashable | None, click: Click) -> None:
        stage = self._driver.frame.stage
        if self._driver.skip_pause():
            return
        if isinstance(target, Press):
            await self._press(find_binding(TABLE, target))
        elif stage is Stage.PLAY and click.button == RIGHT:
            self._clicks.confirm()
        elif stage is Stage.PLAY and click.button == LEFT:
            self._clicks.click(target, click.times)
        elif stage not in (Stage.PLAY, Stage.CURTAIN):
            await self._press(find_binding(TABLE, "play"))

    def wheel(self, step: int, x: int, y: int) -> bool:
        """Count a notch of the mouse wheel; return True if the caller has to schedule ``handle_notches``.

        Notches can arrive faster than the screen is painted, therefore ``handle_notches`` handles all of them at once.
        """
        self._over_messages = isinstance(self._view.canvas.hit_test(x, y), ScrollMessages)
        self._turned += step
        return self._turned == step

    def roll(self) -> None:
        """Handle the counted notches: scroll the overlay or the messages, or move along a long hand."""
        steps, self._turned = self._turned, 0
        if not steps:
            return
        self._view.land()
        if not self._covers.keys_reach_table:
            self._covers.scroll(steps * ROWS)
        elif self._over_messages:
            self._view.scroll_messages(steps * ROWS)
        elif self._clicks.scrolls(self._view.canvas):
            self._covers.close_hint()
            self._clicks.wheel(steps)
