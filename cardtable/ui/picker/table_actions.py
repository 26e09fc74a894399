"""Actions on the tables of the picker: rename, abandon and restore them, and recover sessions after a crash."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from textual.app import App

from cardtable.engine.errors import CardtableError
from cardtable.store import passwords, paths, profiles, recovered_sessions, session_files, unfinished_tables
from cardtable.store.recovered_sessions import RecoveredSession
from cardtable.store.summaries import Summary
from cardtable.store.unfinished_tables import AbandonedStack, list_nicks_allowed_to_abandon
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import join_or
from cardtable.wording.tables import (
    OVER,
    describe_recovered,
    explain_abandonment,
    format_current_round,
    format_table_title,
)


class TableActions:
    """Changes to tables, with the dialogs that they need; errors are shown as notifications."""

    def __init__(self, preferences: Preferences, on_change: Callable[[Path | None], None]) -> None:
        """Prepare the actions.

        ``on_change`` is called after each change, with the path of the session to which the cursor is to move, or
        ``None``.
        """
        self._preferences, self._on_change = preferences, on_change
        self.abandoned: Final = AbandonedStack()

    def rename(self, app: App[Any], summary: Summary) -> None:
        """Ask for a name and give it to the table; an empty name removes the present one."""

        def on_answer(name: str | None) -> None:
            if name is not None and name != summary.name:
                self._apply_change(app, lambda: unfinished_tables.rename(summary, name))

        self._ask(
            app,
            "Name of the table",
            f"{format_table_title(summary)}, round {format_current_round(summary)}.",
            "name the table",
            "go back",
            on_answer,
            initial_text=summary.name,
            empty_label="remove the name" if summary.name else "",
        )

    def abandon(self, app: App[Any], summary: Summary, refusal: str = "") -> None:
        """Abandon a session, after a confirmation if the settings ask for one.

        If the players at the table have passwords that are still to be entered, one of these is required. ``refusal``
        is the reason why the last password was refused; empty if none was.
        """
        nicks = list_nicks_allowed_to_abandon(summary)

        async def on_answer(typed: str | None) -> None:
            if typed is None:
                return
            if nicks and (error := await asyncio.to_thread(profiles.verify_any_password, nicks, typed)):
                self.abandon(app, summary, error)
            else:
                self._apply_change(app, lambda: self.abandoned.abandon(summary.path))

        if not nicks and not self._preferences.settings.confirm:
            self._apply_change(app, lambda: self.abandoned.abandon(summary.path))
            return
        back = f"{self._preferences.appearance.keys.format_label('take_back')} undoes that until you quit."
        round_text = f", round {format_current_round(summary)}" if summary.header else ""
        asked = f" The password of {join_or(nicks)} is needed." if nicks else ""
        self._ask(
            app,
            f"Abandon {format_table_title(summary)}{round_text}?",
            f"{refusal}{refusal and '. '}{explain_abandonment(summary)} {back}{asked}",
            "abandon it",
            "keep it",
            on_answer,
            initial_text="" if nicks else None,
            masked=bool(nicks),
        )

    def take_back(self, app: App[Any]) -> None:
        """Restore the session that was abandoned last."""
        last = self.abandoned.last
        self._apply_change(app, self.abandoned.restore_last, last and paths.sessions_folder() / last.name)

    def _apply_change(self, app: App[Any], change: Callable[[], object], cursor_path: Path | None = None) -> None:
        try:
            change()
        except CardtableError as error:
            app.notify(error.full_message, markup=False, severity="error")
        self._on_change(cursor_path)

    def _ask(
        self,
        app: App[Any],
        heading: str,
        text: str,
        yes_label: str,
        no_label: str,
        on_answer: Callable[[str | None], None] | Callable[[str | None], Awaitable[None]],
        *,
        initial_text: str | None = None,
        empty_label: str = "",
        masked: bool = False,
    ) -> None:
        from cardtable.ui.toolkit.dialog import Dialog  # noqa: PLC0415 - lazy: startup, after the picker

        most = passwords.MAX_CHARACTERS if masked else session_files.MAX_NAME_LENGTH
        look = self._preferences.appearance
        dialog = Dialog(
            look,
            heading,
            text,
            yes_label,
            no_label,
            initial_text=initial_text,
            empty_label=empty_label,
            max_length=most,
            masked=masked,
        )
        app.push_screen(dialog, on_answer)


class RecoveryPrompts:
    """Dialogs that offer to continue recovered sessions, one after the other."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._pending: list[RecoveredSession] = []

    def begin(self) -> None:
        """Search for recovered sessions and ask about the first.

        The player is notified of copies that differ from their session and were set aside.
        """
        for complaint in recovered_sessions.set_aside_diverged():
            self._context.app.notify(complaint, markup=False, severity="warning")
        self._pending = recovered_sessions.list_recoverable()
        self._ask_next()

    def _ask_next(self) -> None:
        if not self._pending:
            return
        from cardtable.ui.toolkit.dialog import Dialog  # noqa: PLC0415 - lazy: startup, rarely needed

        stray = self._pending.pop(0)

        async def on_answer(answer: str | None) -> None:
            if answer is None:
                self._ask_next()
                return
            try:
                path = await asyncio.to_thread(recovered_sessions.restore, stray)
            except CardtableError as error:
                self._context.show_error(error)
            else:
                self._resume(stray.session, path)

        title = "A session was saved elsewhere"
        dialog = Dialog(
            self._context.preferences.appearance,
            title,
            describe_recovered(stray),
            "continue it",
            "keep it for later",
        )
        self._context.app.push_screen(dialog, on_answer)

    def _resume(self, session: Summary, path: Path) -> None:
        """Resume a session after its file was restored to ``path``; a finished one is only reported."""
        if session.state == "over":
            self._context.app.notify(OVER)
        elif session.real_cards:
            self._context.show("score_table", path)
        else:
            self._context.resume_session(path)
