"""Keyboard and mouse input at the table: actions of its key bindings, clicks, drags and the wheel."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace
from textual.geometry import Size

from cardtable.engine.cards import BIT, Card, iter_cards
from cardtable.engine.game import Action
from cardtable.session.session_events import Stage
from cardtable.store.settings import SETTINGS, HandOrder
from cardtable.ui.game_view.hand_cursor import (
    MAT,
    HintRow,
    PointAction,
    PointCard,
    PointKind,
    PointOption,
    ScrollToCard,
)
from cardtable.ui.game_view.motion import create_blank, paint_fan
from cardtable.ui.keys.bindings import ActionDispatcher, AnyKeyBinding
from cardtable.ui.keys.input_guard import TableGuard
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.table.model.view_model import CardTexts, PlaybackControls, TableFrame
from cardtable.ui.table.overlay_stack import OverlayStack
from cardtable.ui.table.paint import board
from cardtable.ui.table.paint.panel import ScrollMessages
from cardtable.ui.toolkit.page import KeyTarget
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, Sprite
from cardtable.ui.toolkit.painting.layout import WHEEL_ROWS, compute_layout, get_layout, list_fitting_sizes
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.log_entries import format_coach_note


def advance_setting(
    preferences: Preferences, name: str, size: tuple[int, int], hand_orders: Sequence[HandOrder]
) -> str:
    """Change a setting to its next value, and return a description of that value.

    ``size`` is the terminal's size in columns and rows; card sizes that do not fit are skipped, and so are orders of
    the hand that the game does not know.
    """
    setting, current = SETTINGS[name], getattr(preferences.chosen, name)
    largest = ""
    if name == "card_size":
        largest, *smaller = list_fitting_sizes(*size)
        setting = replace(setting, values=("auto", *smaller))
        current = current if current in smaller else "auto"
    elif name == "hand_order":
        setting = replace(setting, values=hand_orders)
        current = current if current in hand_orders else "usual"
    value = setting.step_value(current, 1)
    preferences.change(**{name: value})
    text = f"{setting.label}: {setting.format_value(value)}"
    return f"{text}, here {setting.format_value(largest)}" if value == "auto" else text


MAX_ROWS: Final = 1_000_000
"""More rows than any overlay has, to scroll to its end."""


class TableKeys(ActionDispatcher):
    """Actions of the key bindings that stay on the table; those that open other screens belong to ``TableScreen``."""

    def __init__(self, overlays: OverlayStack, leave: Callable[[], None], sit_down: Callable[[], None]) -> None:
        """``leave`` closes the table at the end of a session, ``sit_down`` continues one that has been watched."""
        self._overlays, self._leave, self._sit_down = overlays, leave, sit_down
        self._controller, self._view_model = overlays.controller, overlays.controller.view_model
        self._cursor = self._view_model.cursor

    @property
    def _frame(self) -> TableFrame:
        return self._view_model.frame

    @property
    def _size(self) -> Size:
        return self._overlays.view.size

    def action_move(self, step: int) -> None:
        """Move the cursor left (-1) or right (1).

        While robots are watched, the viewing seat changes instead.
        """
        if self._frame.playback:
            self._view_model.move_viewing_seat(step)
        else:
            self._cursor.move(step)

    def action_walk(self, step: int) -> None:
        self._cursor.move_any(step)

    def action_end(self, step: int) -> None:
        """Move to the first (-1) or last (1) playable card or option, or scroll an overlay to its end."""
        if self._overlays.keys_reach_table:
            self._cursor.move_to_end(step)
        else:
            self._overlays.scroll(step * MAX_ROWS)

    def action_climb(self, step: int) -> None:
        """Move up (-1) or down (1) in the hint, the decision box or the hand, or scroll an overlay."""
        if self._overlays.has_hint:
            self._controller.hint_task.move_selection(step)
        elif self._overlays.keys_reach_table:
            self._cursor.move_vertical(step)
        else:
            self._overlays.scroll(step)

    def action_page(self, step: int) -> None:
        self._overlays.scroll(step * (self._size[1] // 2))

    def action_rank(self, rank: int) -> None:
        self._cursor.go_to_rank(rank)

    def action_switch(self) -> None:
        """Move between decision box and hand, turn an overlay over, or view the next seat while robots are watched."""
        if not self._overlays.keys_reach_table:
            self._overlays.turn_over()
        elif self._frame.playback:
            self._view_model.move_viewing_seat(1)
        else:
            self._cursor.switch_area()

    def action_choose(self) -> None:
        """Mark the card under the cursor in games with actions of several cards."""
        self._cursor.toggle_card()

    def action_commit(self) -> None:
        """Make a proposed change, continue after a pause, perform the selected choice of a hint, or play what is at the
        cursor.
        """
        if change := self._cursor.proposed_change:
            self._controller.submit(change)
        elif not self._continue() and not self._perform_hint():
            self._controller.submit(self._cursor.confirm() or self._controller.count_refusal())

    def _perform_hint(self) -> bool:
        """Perform the selected action of an open hint, if advice has arrived; return False if no hint is open."""
        if self._overlays.has_hint:
            self._controller.submit(self._frame.hint_action)
        return self._overlays.has_hint

    def _continue(self) -> bool:
        """End a pause, or continue at a curtain, after a round, a session, a text or a robot's failure.

        Returns False if the table was not waiting in this way.
        """
        if self._controller.skip_pause():
            return True
        frame = self._frame
        is_paused = not frame.is_in_play or frame.robot_failed or frame.is_reading
        if frame.is_over:
            self._leave()
        elif frame.can_sit_down:
            self._sit_down()
        elif is_paused:
            self._controller.proceed()
        return is_paused or frame.can_sit_down

    def action_clear(self) -> None:
        self._cursor.clear_selection()

    def action_take_back(self) -> None:
        """Clear the marks of cards, which no decision has used yet; without any, take back the last decision."""
        if self._frame.waiting and self._frame.hand.chosen:
            self._cursor.clear_selection()
        else:
            self._controller.take_back()

    def action_give_card(self) -> None:
        self._cursor.propose("Take an extra card?", self._controller.local.give_card)

    def action_finish_round(self) -> None:
        self._cursor.propose("Let robots finish the round?", self._controller.local.finish_round)

    def action_look_at(self, name: str) -> None:
        self._overlays.toggle_overlay(name)

    def action_uncover(self) -> None:
        self._overlays.pop()

    def action_step_back(self) -> None:
        self._overlays.close_innermost()

    def action_messages(self) -> None:
        self._overlays.open_messages()

    def action_explain_card(self) -> None:
        """Hide the line on the card under the cursor, or show it for each card if there is none.

        Where no card can be explained, the prompt says why.
        """
        frame = self._frame
        if not frame.can_explain_card:
            reason = "Move to a card of your hand first"
            if not frame.game.has_card_texts:
                reason = f"In {frame.game.about.title} no card does anything special."
            elif frame.decision and not frame.hand.selectable:
                reason = f"First {frame.decision.commit}; then {{explain_card}} explains a card"
            self._cursor.show_message(reason)
            return
        self._view_model.show(card_texts=CardTexts.NONE if frame.card_text else CardTexts.ALL)

    def action_turn(self, name: str) -> None:
        self._cursor.show_message(self._advance_setting(name))

    def _advance_setting(self, name: str) -> str:
        return advance_setting(self._view_model.preferences, name, self._size, self._frame.game_view.hand_orders)

    def action_coach(self) -> None:
        text = self._advance_setting("coach")
        level = self._view_model.preferences.settings.coach
        unrated = level != "off" and self._controller.local.is_rated_so_far
        self._cursor.show_message(format_coach_note(speaks_of_all=level == "all") if unrated else text)

    def action_open_hands(self) -> None:
        """Show or hide open hands on the table; on a screen without room for them, open or close an overlay."""
        has_room = board.has_room_for_hands(compute_layout(*self._size), len(self._frame.names))
        self._view_model.show(shows_open_hands=not (has_room and self._frame.shows_open_hands))
        if not has_room:
            self._overlays.toggle_overlay("open_hands")

    def action_pause(self) -> None:
        self._controller.change_playback(PlaybackControls.toggle_pause)

    def action_step(self) -> None:
        """End the current pause and let the watched robots make one more decision, then pause."""
        self._controller.skip_pause()
        self._controller.change_playback(PlaybackControls.request_step)

    def action_faster(self, by: int) -> None:
        self._controller.change_playback(partial(PlaybackControls.change_speed, by=by))


LEFT_BUTTON: Final = 1
RIGHT_BUTTON: Final = 3
"""Numbers of the left and the right mouse button in Textual's events."""
_HINT_KEYS: Final = (KeyTarget("play"), KeyTarget("hint"), KeyTarget("down"))
"""Keys in the footer of a hint that do not close it."""


class Click(NamedTuple):
    """Press and release of a mouse button at one cell."""

    x: int
    y: int
    button: int
    times: int
    """1 for a single click, 2 for a double click."""


class _Drag(msgspec.Struct):
    card: Card
    x: int
    y: int
    """Cell at which the button was pressed (``x``, ``y``)."""
    picture: Canvas | None = None
    """Picture of the dragged cards; ``None`` until the pointer moves."""


class Mouse:
    """Mouse handler of one table and its overlays."""

    def __init__(
        self, overlays: OverlayStack, guard: TableGuard, press: Callable[[AnyKeyBinding], Awaitable[None]]
    ) -> None:
        """``press`` runs the action of a clicked key, if it is enabled."""
        self._overlays, self._guard, self._press = overlays, guard, press
        self._view, self._controller = overlays.view, overlays.controller
        self._cursor = overlays.controller.view_model.cursor
        self._drag: _Drag | None = None
        """Card of the hand on which the button is held down; ``None`` if there is none."""
        self._has_dragged = False
        """True if the last button release ended a drag; the click event that follows it is then ignored."""
        self._pending_notches = 0
        """Notches of the mouse wheel that have not been handled yet, negative if it was turned up."""
        self._is_over_messages = False
        """True if the last notch was turned over the messages of the panel."""

    @property
    def _frame(self) -> TableFrame:
        return self._controller.frame

    def press_button(self, x: int, y: int, button: int) -> None:
        """Handle a button press; the left button may begin to drag a card of the hand."""
        self.handle_notches()
        self._view.end_motion()
        self._has_dragged = False
        if self._overlays.top is None and button == LEFT_BUTTON and self._guard.accepts_click:
            frame, target, self._drag = self._frame, self._view.canvas.hit_test(x, y), None
            if frame.waiting and isinstance(target, PointCard) and target.card in frame.hand.cards:
                self._drag = _Drag(target.card, x, y)

    def drag_to(self, x: int, y: int) -> None:
        """Move the dragged cards with the pointer, and leave gaps where they were; without a drag, lift a card."""
        drag, canvas = self._drag, self._view.canvas
        if drag is None or not self._cursor.waiting:
            target, hand = canvas.hit_test(x, y), self._cursor.hand
            card = target.card if isinstance(target, PointCard) and self._overlays.top is None else None
            self._view.lift_card(card if self._cursor.waiting and card is not None and hand.can_select(card) else None)
            return
        if drag.picture is None:
            if (x, y) == (drag.x, drag.y):
                return
            drag.picture = self._pick_up(drag.card, canvas)
        found = [canvas.card_bounds.get(card) for card in self._find_dragged_cards(drag.card)]
        gaps = [create_blank(canvas, bounds) for bounds in found if bounds]
        cards = Sprite(x - drag.picture.width // 2, y - drag.picture.height // 2, drag.picture)
        self._view.set_sprites([*gaps, cards])

    def release_button(self, x: int, y: int) -> None:
        """Handle a button release, which may end a drag: cards that are dropped on the mat are played."""
        drag, target = self._drag, self._view.canvas.hit_test(x, y)
        if drag and self.cancel_drag() and self._cursor.waiting and self._is_on_mat(target):
            card_bounds = self._view.canvas.card_bounds
            for card in self._find_dragged_cards(drag.card):  # the animation starts here
                if bounds := card_bounds.get(card):
                    card_bounds[card] = bounds._replace(x=x - bounds.width // 2, y=y - bounds.height // 2)
            self._controller.submit(self._drop_card(drag.card, target))

    def cancel_drag(self) -> bool:
        """Cancel the drag; return False if no card was dragged."""
        drag, self._drag = self._drag, None
        self._has_dragged = drag is not None and drag.picture is not None
        if self._has_dragged:
            self._view.set_sprites(())
        return self._has_dragged

    def _find_dragged_cards(self, card: Card) -> list[Card]:
        """Return all chosen cards if ``card`` is one of them, else only ``card``."""
        chosen = self._cursor.hand.chosen
        return iter_cards(chosen) if chosen & BIT[card] else [card]

    def _pick_up(self, card: Card, canvas: Canvas) -> Canvas:
        hand = self._cursor.hand
        dimmed = not hand.can_select(card) and not hand.chosen
        if hand.can_select(card):
            self._cursor.go_to_card(card)
            self._cursor.register_move()
        cards, look = self._find_dragged_cards(card), card_faces.CardLook(dimmed=dimmed)
        return paint_fan(canvas, cards, get_layout(canvas).card, look)

    def _is_on_mat(self, target: Hashable | None) -> bool:
        """Return True if the target is the mat, an action on it or a card that is not in the hand."""
        is_on_pile = isinstance(target, PointCard) and target.card not in self._cursor.hand.cards
        return target == MAT or isinstance(target, PointAction) or is_on_pile

    def _drop_card(self, card: Card, target: Hashable | None) -> Action | None:
        if self._cursor.reject_hand_play([card]):
            return None
        action = target.action if isinstance(target, PointAction) else None
        if action is not None and action.cards_used() == BIT[card] and action in self._frame.view.legal:
            return action
        if not self._cursor.hand.chosen and self._cursor.hand.list_kinds_at(card):
            self._cursor.go_to_card(card)
            self._cursor.choose_kind(self._cursor.hand.list_kinds_at(card)[-1])
        else:
            self._cursor.add_card(card)
        if isinstance(target, PointCard) and self._cursor.hand.can_select(target.card):
            self._cursor.add_cards(BIT[card] | BIT[target.card])
        return self._commit()

    def _commit(self) -> Action | None:
        """Choose what is under the cursor, as Enter does; a choice that the rules refuse is counted."""
        action = self._cursor.confirm()
        if action is None:
            self._controller.submit(self._controller.count_refusal())
        return action

    async def click(self, click: Click) -> None:
        """Handle a click: on the table, to end a pause, or in or beside an overlay.

        The click is ignored at the end of a drag, and if the input guard rejects the time of the button press.
        """
        if self._has_dragged or not self._guard.accepts_click:
            return
        target, scope, overlay = self._view.canvas.hit_test(click.x, click.y), self._overlays.scope, self._overlays.top
        target = None if isinstance(target, ScrollMessages) else target  # a target of the mouse wheel only
        if scope is not TABLE and isinstance(target, KeyTarget):
            if target in [key.name for key in scope.keys]:
                await self._press(scope.find(target))
        elif overlay is not None and overlay.handle_click(target):
            self._controller.view_model.show()
        elif isinstance(target, HintRow):
            await self._click_hint_row(target.index)
        elif overlay is None or (self._overlays.has_hint and target in _HINT_KEYS):
            await self._click_table(target, click)
        elif self._overlays.has_hint and target not in (None, KeyTarget("leave")):
            self._overlays.close_hint()
            self._guard.report_surprise(self._frame)
            await self._click_table(target, click)
        else:
            self._overlays.pop()
            self._guard.report_surprise(self._frame)

    async def _click_hint_row(self, row: int) -> None:
        """Select a choice of the hint, or perform it if the player had selected it before."""
        frame = self._frame
        if frame.hint_row == row and frame.moved_by_player:
            await self._press(TABLE.find("play"))
            return
        self._controller.hint_task.select_row(row)
        if frame.waiting:
            self._cursor.show_message("Click again to choose it")

    async def _click_table(self, target: Hashable | None, click: Click) -> None:
        frame = self._frame
        stage = frame.stage
        if self._controller.skip_pause():
            return
        if isinstance(target, KeyTarget):
            await self._press(TABLE.find(target))
        elif frame.is_reading:
            await self._press(TABLE.find("play"))
        elif stage is Stage.PLAY and click.button == RIGHT_BUTTON:
            self._controller.submit(self._confirm())
        elif stage is Stage.PLAY and click.button == LEFT_BUTTON:
            self._controller.submit(self._click_target(target, click.times))
        elif stage not in (Stage.PLAY, Stage.CURTAIN):
            await self._press(TABLE.find("play"))

    def _click_target(self, target: Hashable | None, times: int) -> Action | None:
        """Handle a click on cards and options, and return the action that it chooses.

        ``times`` is 1 for a single click, 2 for a double click.
        """
        frame = self._frame
        if isinstance(target, PointOption):
            return self._click_option(target.index)
        if isinstance(target, PointAction):
            return self._click_action(target.action)
        if isinstance(target, PointCard):
            return self._click_card(target, times)
        if isinstance(target, PointKind):
            return self._click_kind(target.kind)
        if isinstance(target, ScrollToCard):
            self._cursor.go_to_card(target.card)
            self._cursor.register_move()
        elif target == MAT and frame.waiting and frame.hand.chosen:
            return self._commit()
        return None

    def _confirm(self) -> Action | None:
        """Confirm the option under the cursor, for the right button in games with ``right_click_confirms``."""
        frame = self._frame
        if frame.waiting and frame.decision and frame.game_view.right_click_confirms:
            self._cursor.go_to_option(frame.option)
            return self._cursor.confirm()
        return None

    def _click_option(self, index: int) -> Action | None:
        frame = self._frame
        if not frame.waiting or frame.decision is None:  # a decision has just been made, and its box is still painted
            return None
        is_selected, is_aimed = frame.in_box and frame.option == index, frame.moved_by_player
        self._cursor.go_to_option(index)
        verb = "" if frame.decision.actions[index] is None else frame.decision.commit
        return self._select_or_confirm(is_selected, is_aimed, verb)

    def _click_action(self, action: Action) -> Action | None:
        """Choose an action shown on the mat; if the decision box has an option for it, click that option."""
        frame = self._frame
        if action not in frame.view.legal:
            self._cursor.show_cards_error(action.cards_used())
            return None
        if action in frame.box_actions:
            return self._click_option(frame.box_actions.index(action))
        if frame.waiting and action.cards_used():
            is_selected, is_aimed = frame.hand.target == action, frame.moved_by_player
            self._cursor.point_at(action)
            return self._select_or_confirm(is_selected, is_aimed, action.verb)
        return action if frame.waiting else None

    def _click_kind(self, kind: str) -> Action | None:
        """Choose a kind of actions in the bar above the hand; in place of one whose cards are on the mat, an option.

        A click on the chosen kind acts like Enter.
        """
        frame = self._frame
        if not frame.waiting:
            return None
        is_selected, is_aimed = frame.pointed.kind == kind, frame.moved_by_player
        if frame.hand.selectable:
            if not (is_selected and frame.hand.chosen):  # marked cards stay marked
                self._cursor.choose_kind(kind)
            return self._select_or_confirm(is_selected, is_aimed, "do it")
        actions = [action for action in frame.view.legal if action.kind == kind]
        return self._click_action(frame.pointed.action if is_selected and frame.pointed.action else actions[0])

    def _click_card(self, target: PointCard, times: int) -> Action | None:
        frame, cursor = self._frame, self._cursor
        if not frame.waiting or cursor.reject_hand_play([target.card]):
            return None
        if target.card not in (*frame.hand.cards, *frame.hand.table):
            cursor.show_cards_error(BIT[target.card])
            return None
        can_mark = frame.hand.selects_cards and frame.hand.can_mark(target.card)
        if can_mark and not frame.hand.kind and (times == 1 or frame.hand.chosen & ~BIT[target.card]):
            cursor.go_to_card(target.card)
            cursor.toggle_card()
            return None
        is_selected, is_aimed = not frame.in_box and frame.hand.at == target.card, frame.moved_by_player
        cursor.go_to_card(target.card)
        if frame.hand.kind in cursor.hand.list_kinds_at(target.card):
            cursor.choose_kind(frame.hand.kind)
        return self._select_or_confirm(is_selected, is_aimed, "play it" if frame.hand.can_select(target.card) else "")

    def _select_or_confirm(self, is_selected: bool, moved_by_player: bool, description: str) -> Action | None:
        """Select the target of a click, or confirm it if the player had selected it before.

        ``description`` completes "Click again to ..." in the prompt; "" if the action is forbidden, whose reason is
        then shown.
        """
        cursor = self._cursor
        if is_selected and moved_by_player:
            return self._commit()
        cursor.register_move()
        if not description:
            cursor.show_selection_error()
        elif is_selected:
            cursor.show_message(f"Click again to {description}")
        return None

    def count_notch(self, step: int, x: int, y: int) -> bool:
        """Count a notch of the mouse wheel; return True if the caller has to schedule ``handle_notches``.

        Notches can arrive faster than the screen is painted, therefore ``handle_notches`` handles all of them at once.
        """
        self._is_over_messages = isinstance(self._view.canvas.hit_test(x, y), ScrollMessages)
        self._pending_notches += step
        return self._pending_notches == step

    def handle_notches(self) -> None:
        """Handle the counted notches: scroll the overlay or the messages, or move along a long hand."""
        steps, self._pending_notches = self._pending_notches, 0
        if not steps:
            return
        self._view.end_motion()
        if not self._overlays.keys_reach_table:
            self._overlays.scroll(steps * WHEEL_ROWS)
        elif self._is_over_messages:
            self._view.scroll_messages(steps * WHEEL_ROWS)
        elif any(isinstance(spot.target, ScrollToCard) for spot in self._view.canvas.hit_boxes):
            self._overlays.close_hint()
            self._cursor.move_by_wheel(steps)
