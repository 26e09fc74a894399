"""Table screen, which connects the widget of the table with controller, overlays, keys and mouse; also for lessons."""

import asyncio
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from textual import events, work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.worker import Worker

from cardtable.session.playable_session import PlayableSession
from cardtable.session.session_events import SessionOver
from cardtable.session.session_runner import SessionRunner
from cardtable.store import session_setup
from cardtable.store.sessions import Session
from cardtable.ui.keys.bindings import AnyKeyBinding, AnyKeyBindings
from cardtable.ui.keys.input_guard import Clock, TableGuard, forward_key, is_shown
from cardtable.ui.keys.table_keys import TABLE, TableKeyState, build_labels
from cardtable.ui.table.input import Click, Mouse, TableKeys
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.cursor import LEAVING_NOTE
from cardtable.ui.table.model.evaluation_tasks import SessionEndTask
from cardtable.ui.table.model.view_model import CardTexts, TableFrame, TableViewModel
from cardtable.ui.table.overlay_stack import OverlayStack
from cardtable.ui.table.paint.table_widget import TableWidget
from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import ResizeFix, compute_event_age, find_key_name, run_with_questions, start_worker
from cardtable.ui.toolkit.painting.canvas import ErrorBoundary

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.session.playable_session import PromptedSession


async def begin_next_session(context: PageContext, table: "TableScreen", same_deal: bool) -> None:
    """Begin another session with the seats and house rules of ``table``.

    If the current session has not ended and the setting ``confirm`` is on, the player is asked first; the session
    remains in the picker. The question is skipped while work is unsaved, because the navigation then asks about that
    work. ``same_deal`` repeats the deals of the current session.
    """
    next_setup = session_setup.create_rematch(table.session, same_deal=same_deal)
    without_question = table.session.referee.ended or not context.preferences.settings.confirm
    if not (without_question or await context.unsaved_work.has_unsaved()):
        title = "The same deal again" if same_deal else "A new session"
        text = "This session is not over. It stays saved: you can continue it from the picker."
        if not table.is_current or not await context.confirm(title, text, "deal the cards", "keep playing"):
            return
    context.begin(next_setup)


DIGITS: Final = frozenset("0123456789")
_CONFIRM_KEY: Final = "play"
"""Name of the key binding that confirms, by default Enter."""


class TableScreen(ErrorBoundary, ResizeFix, Screen[None]):
    """Screen on which one session is played or watched."""

    def __init__(self, context: PageContext, session: PlayableSession, clock: Clock = monotonic) -> None:
        """Create the screen for ``session``; ``clock`` returns the seconds in which the input guard measures time."""
        super().__init__()
        preferences = context.preferences
        self._page_context, self._preferences = context, preferences
        self.view = TableWidget(preferences.appearance)
        self.view_model = TableViewModel(session, preferences, self.show)
        self.cursor = self.view_model.cursor
        self.controller = TableController(self.view_model, context.robot_client)
        self._end_task = SessionEndTask(self.view_model, context.session_evaluator)
        self._overlays = OverlayStack(self.view, self.controller)
        self.guard = TableGuard(lambda: preferences.settings.key_guard, clock, self._call_after_repaint)
        self.table_keys = TableKeys(self._overlays, self._leave, self._sit_down)
        self._mouse = Mouse(self._overlays, self.guard, self.press)
        self._play_worker: Worker[None] | None = None
        self._is_leaving = False
        """True while a navigation to another screen is pending.

        Keys are then ignored, because they are meant for that screen.
        """
        self._was_awaiting_input = False
        """True if input was awaited at the last update.

        The terminal beeps when this becomes True and the setting ``beep`` is on.
        """

    @property
    def session(self) -> Session:
        """Session that is played in this program; must not be read at a club table."""
        return self.controller.local.session

    @property
    def frame(self) -> TableFrame:
        return self.view_model.frame

    def compose(self) -> ComposeResult:
        self.view.frame = self.frame
        yield self.view

    def on_mount(self) -> None:
        self.view.focus()
        self._play_worker = self.run_worker(self._play)
        self.view.call_after_refresh(self.controller.first_paint.set)
        self.view.call_after_refresh(self.show_aim)
        self.view.call_after_refresh(self._show_card_texts)

    async def _play(self) -> None:
        try:
            await self.controller.run()
        except Exception as error:
            self.report_error(error)

    @work(group="card texts")
    async def _show_card_texts(self) -> None:
        """Show what the cards do in the first sessions of a player at this terminal, unless a key has been used."""
        playable = self.controller.playable
        if not (self.frame.game.has_card_texts and playable.people):
            return
        is_first = await asyncio.to_thread(session_setup.is_first_session, playable.header, playable.people)
        if is_first and self.frame.card_texts is CardTexts.NONE:
            self.view_model.show(card_texts=CardTexts.SPECIAL)

    def show_aim(self) -> None:
        """Show the aim of a game that is played for the first time, and offer its lessons, until a key is pressed."""
        frame = self.frame
        aim = session_setup.take_aim_at_first_start(frame.game.about)
        if aim and frame.view.round <= 1:
            from cardtable.session.lessons import should_offer_lessons  # noqa: PLC0415 - lazy: startup

            offers = frame.is_local and should_offer_lessons(frame.game.about.key, self._page_context.nick)
            self.view_model.show(aim=aim, offers_lessons=offers)

    def _hide_aim(self) -> None:
        if self.frame.aim and not self.frame.has_curtain:
            self.view_model.show(aim="", offers_lessons=False)

    async def on_unmount(self) -> None:
        self._overlays.stop()
        if self._play_worker:
            self._play_worker.cancel()
        await self._end_task.stop()
        await self.controller.close()

    def show(self) -> None:
        """Update the screen after a change of the session or of the cursor."""
        frame = self.frame
        self._overlays.sync_with_frame(frame)
        if self.is_current:
            self._end_task.start()
        if not frame.waiting:
            self._mouse.cancel_drag()
        is_awaiting_input = frame.handover_seat is not None if frame.has_curtain else frame.waiting
        if is_awaiting_input and not self._was_awaiting_input and self._preferences.settings.beep:
            self.app.bell()
        self._was_awaiting_input = is_awaiting_input
        self.view.is_animated = self.view_model.pacing.is_animated
        self.view.frame = frame
        self.view.repaint()
        self.guard.check_prompt(frame, hidden=not (self.is_current and self._overlays.shows_prompt))

    def _call_after_repaint(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` after the next repaint.

        Input that already waits at the terminal at that time is recorded, because it was not meant for the new picture.
        """

        def on_painted() -> None:
            note_waiting_input(self.app)
            callback()

        self.view.call_after_refresh(on_painted)

    async def on_key(self, event: events.Key) -> None:
        """Handle a key.

        A key while the curtain has just been painted is ignored. Otherwise the overlay's text input comes first; then a
        confirming key that the input guard rejects is ignored; a key may close the overlay; the key's binding is run;
        and digits choose bids and ranks.
        """
        if self._is_leaving or forward_key(event, self):
            return
        self._hide_aim()
        self._mouse.handle_notches()
        self.view.end_motion()
        name, overlay = find_key_name(event), self.view.overlay
        key = self._preferences.appearance.keys.find(self.SCOPE, name)
        is_confirm = key is not None and key.name == _CONFIRM_KEY
        pressed_at = self.guard.press_key("enter" if is_confirm else name, compute_event_age(event))
        was_covered = not self._overlays.keys_reach_table
        if self.guard.is_blocked(pressed_at) and self._overlays.shows_prompt:
            pass
        elif overlay is not None and overlay.handle_key(event.key, event.character, key):
            self.show()
        elif is_confirm and (self.guard.is_key_held or not self.guard.accepts(pressed_at)):
            pass
        elif overlay is not None and overlay.is_closed_by(key.name if key else ""):
            self._overlays.pop()
        elif key:
            await self._run_key(key)
        elif name in DIGITS and self._overlays.keys_reach_table and self.frame.waiting:
            self._overlays.close_hint()
            self.cursor.handle_digit(name)
        else:
            return
        event.stop()
        event.prevent_default()
        if is_confirm and was_covered and self._overlays.keys_reach_table:
            self.guard.report_surprise(self.frame)

    @property
    def _is_inactive(self) -> bool:
        """True if another screen is active or being opened; a quick click that arrives here was meant for it."""
        return self._is_leaving or not is_shown(self)

    @property
    def SCOPE(self) -> AnyKeyBindings:  # noqa: N802 - a constant of other screens
        return self._overlays.scope

    def on_paste(self, event: events.Paste) -> None:
        if self.guard.is_blocked(self.guard.compute_time(compute_event_age(event))) and self._overlays.shows_prompt:
            return
        if self.view.overlay is not None and self.view.overlay.paste(event.text):
            self.show()

    async def press(self, key: AnyKeyBinding) -> None:
        """Run the key's action for the mouse or the command palette, if the key is enabled."""
        if self.is_enabled(key):
            await self._run_key(key)

    async def _run_key(self, key: AnyKeyBinding) -> None:
        """Run the key's action if it has an effect now.

        A refused ``take_back`` shows the reason, and the key of the queen how to leave, since it closes other pages.
        """
        overlay = self.view.overlay
        if not self._has_effect(key):
            if key.name == "take_back" and self._overlays.keys_reach_table:
                self.controller.take_back()  # shows the reason
            elif key.name == "queen" and self._overlays.keys_reach_table:
                self.cursor.show_message(LEAVING_NOTE)
            return
        if overlay is not None and key.action.startswith("overlay."):
            await overlay.run_action(key.action)
            self.show()
        elif key.action.startswith("table."):
            if overlay is not None and overlay.should_yield_to(key.name):
                self._overlays.close_hint()
            await self.table_keys.run_action(key.action)
        else:
            await run_with_questions(self.app, self.app.run_action, key.action, self)

    def is_enabled(self, key: AnyKeyBinding) -> bool:
        """Return True if the mouse and the command palette offer the key.

        They offer every key that has an effect, except those that lift a curtain, which must be pressed on the
        keyboard.
        """
        lifts_curtain = self.frame.has_curtain and self._overlays.shows_prompt and key.name == _CONFIRM_KEY
        return not lifts_curtain and self._has_effect(key)

    def _has_effect(self, key: AnyKeyBinding) -> bool:
        """Return True if the key is in the current scope and has an effect now."""
        overlay = self.view.overlay
        if key not in self.SCOPE.keys:  # the command palette may list keys of an earlier screen
            return False
        if overlay is not None and overlay.scope is not None:
            return overlay.scope.is_enabled(key.name, overlay)
        state = TableKeyState(self.frame, not self._overlays.keys_reach_table, self._overlays.has_hint)
        return TABLE.is_enabled(key.name, state)

    def label_for(self, key: AnyKeyBinding) -> str:
        in_hint = self._overlays.has_hint
        labels = build_labels(self.frame, in_hint=in_hint) if self.SCOPE is TABLE else {}
        return labels.get(key.name, key.label)

    def action_hint(self) -> None:
        self._overlays.open_hint()

    def action_learn(self) -> None:
        self._open_page("game_lessons", self.frame.game.about.key)

    def action_rest(self) -> None:
        """Claim the rest of the round: play it out if it can no longer change the points."""
        start_worker(self, "rest", self.controller.claim_rest)

    def action_stand_in(self) -> None:
        """Let a robot play for the disconnected player whose turn it is; implemented by the screen of club sessions."""
        raise NotImplementedError

    def action_company(self) -> None:
        """Show the people at a club table; implemented by the screen of club sessions."""
        raise NotImplementedError

    @work(group="last deal", exclusive=True)
    async def action_last_deal(self) -> None:
        if await self._overlays.open_last_deal():
            self.guard.report_surprise(self.frame)

    def action_replay(self) -> None:
        """Open the replay at the cursor of the last deal, or at the first round if that overlay is closed."""
        from cardtable.ui.table.last_deal import LastDeal  # noqa: PLC0415 - lazy: startup

        overlay = self.view.overlay
        if isinstance(overlay, LastDeal):
            steps = overlay.cursor.row.steps
            step = steps[min(overlay.cursor.column, len(steps) - 1)] if steps else len(overlay.round.steps)
            self._open_page("replay", self.controller.playable.journal_path, overlay.round.number, step)
        else:
            self._open_page("replay", self.controller.playable.journal_path, 1)

    def action_review(self) -> None:
        self._open_page("review", self.controller.playable.journal_path)

    def action_best_decision(self) -> None:
        """Open the review at the player's best decision."""
        lines = self.frame.end_lines
        if lines is not None:
            self._open_page("review", self.controller.playable.journal_path, None, lines.best_decision)

    def action_share(self) -> None:
        """Copy the result of a deal of the day to the clipboard of the terminal, and show it."""
        lines = self.frame.end_lines
        if lines is not None:
            self.app.copy_to_clipboard("\n".join(lines.share))
            self._overlays.toggle_overlay("share")

    async def action_clear_messages(self) -> None:
        """Clear the messages from the screen after a confirmation; the journal retains them."""
        seat, text = self.frame.seat, "They disappear from this screen. The session's file still has them."
        is_confirmed = await self._page_context.confirm("Clear all messages?", text, "clear them", "keep them")
        if is_confirmed and self.frame.seat == seat and not self.frame.has_curtain:
            self.view_model.forget_messages()
            self.show()

    def action_help(self) -> None:
        self._overlays.open_key_sheet()

    def action_rules(self) -> None:
        self._open_page("rules", self.frame.game.about.key, self.frame.view.options)

    async def on_screen_suspend(self) -> None:
        """Stop the evaluation of a finished session, which the other screen may be doing itself."""
        await self._end_task.stop()

    def on_screen_resume(self) -> None:
        """Reload the settings, which another program may have changed, and treat the prompt as new."""
        self._preferences.reload()
        self.guard.forget_prompt()
        self.show()

    def action_new_session(self, same_deal: bool) -> None:
        self._navigate(partial(self._page_context.run_later, begin_next_session, self._page_context, self, same_deal))

    async def action_save_elsewhere(self) -> None:
        """Ask for another folder in which the session continues; enabled while saving fails."""
        assert self.session.save_error is not None
        await self._page_context.unsaved_work.ask_folder(self.session.save_error, self.controller.save_into)

    def action_leave(self) -> None:
        """Cancel a drag, or the choice of cards or an option, or go back to the cards; else leave the table."""
        if self._mouse.cancel_drag():
            return
        frame = self.frame
        if frame.needs_confirmation or (frame.waiting and frame.hand.chosen):
            self.cursor.clear_selection()
        elif frame.in_optional_box:
            self.cursor.switch_area()
        else:
            self._leave()

    def _leave(self) -> None:
        self._navigate(partial(self._page_context.leave, self))

    def _sit_down(self) -> None:
        self._navigate(partial(self._page_context.resume_session, self.session.path))

    def _open_page(self, page: str, *arguments: object) -> None:
        self._navigate(partial(self._page_context.show, page, *arguments))

    def _navigate(self, navigation: Callable[[], object]) -> None:
        """Run a navigation, unless one is pending: its key may be pressed again before the other screen is shown."""
        if not self._is_leaving:
            self._is_leaving = True
            navigation()
            self.app.call_later(self._end_navigation)

    def _end_navigation(self) -> None:
        self._is_leaving = False

    def on_resize(self, _event: events.Resize) -> None:
        """End a drag and all motion, and treat the prompt as new, because everything is at another place."""
        self._mouse.cancel_drag()
        self.view.end_motion()
        self.guard.report_surprise(self.frame)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if not self._is_inactive:
            self.guard.press_button(compute_event_age(event))
            self._hide_aim()
            self._mouse.press_button(event.x, event.y, event.button)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._mouse.drag_to(event.x, event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._mouse.release_button(event.x, event.y)

    async def on_click(self, event: events.Click) -> None:
        if not self._is_inactive:
            await self._mouse.click(Click(event.x, event.y, event.button, event.chain))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._handle_wheel(1, event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._handle_wheel(-1, event)

    def _handle_wheel(self, step: int, event: events.MouseEvent) -> None:
        """Count notches of the mouse wheel that arrive together, and schedule their handling once."""
        if self._mouse.count_notch(step, event.x, event.y):
            self.call_later(self._mouse.handle_notches)


def create_screen(context: PageContext, session: Session) -> TableScreen:
    """Return the table screen of a session that is played here, registered for unsaved work."""
    table = TableScreen(context, SessionRunner(session))
    context.unsaved_work.register(table, table.controller)
    context.last_session = session
    return table


class PromptedTable(TableScreen):
    """Table screen on which a player reads and answers; ``on_finished`` is called once at the end."""

    def __init__(self, context: PageContext, session: "PromptedSession") -> None:
        super().__init__(context, session)
        self._prompted = session
        self._has_finished = False

    def show(self) -> None:
        super().show()
        if isinstance(self._prompted.pending, SessionOver) and self.is_current and not self._has_finished:
            self._has_finished = True
            self.call_later(run_with_questions, self.app, self.on_finished)

    async def on_finished(self) -> None:
        """Leave the table, or offer what can follow."""
        raise NotImplementedError

    def show_aim(self) -> None:
        """Show nothing: the texts tell what to do."""

    def action_hint(self) -> None:
        """Show the text of the question again, or the hint where no question is asked."""
        if self.frame.question:
            self.controller.read_text_again(self._prompted)
        else:
            super().action_hint()
