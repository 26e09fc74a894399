"""Actions on the tables of the picker: rename, abandon and restore them, and recover sessions after a crash."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, profiles, session_files, unfinished_tables
from cardtable.store.summaries import Summary
from cardtable.store.unfinished_tables import AbandonedStack, list_nicks_allowed_to_abandon
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.questions import ask
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

    def __init__(self, context: PageContext, on_change: Callable[[Path | None], None]) -> None:
        """Prepare the actions.

        ``on_change`` is called after each change, with the path of the session to which the cursor is to move, or
        ``None``.
        """
        self._context, self._on_change = context, on_change
        self.abandoned: Final = AbandonedStack()

    async def rename(self, summary: Summary) -> None:
        """Ask for a name and give it to the table; an empty name removes the present one."""
        dialog = Dialog(
            self._context.preferences.appearance,
            "Name of the table",
            f"{format_table_title(summary)}, round {format_current_round(summary)}.",
            "name the table",
            "go back",
            initial_text=summary.name,
            empty_label="remove the name" if summary.name else "",
            max_length=session_files.MAX_NAME_LENGTH,
        )
        name = await ask(dialog)
        if name is not None and name != summary.name:
            self._apply_change(lambda: unfinished_tables.rename(summary, name))

    async def abandon(self, summary: Summary) -> None:
        """Abandon a session, after a confirmation if the settings ask for one.

        If the players at the table have passwords that are still to be entered, one of these is required.
        """
        if await self._confirm_abandonment(summary):
            self._apply_change(lambda: self.abandoned.abandon(summary.path))

    async def _confirm_abandonment(self, summary: Summary) -> bool:
        preferences, nicks = self._context.preferences, list_nicks_allowed_to_abandon(summary)
        round_text = f", round {format_current_round(summary)}" if summary.header else ""
        title = f"Abandon {format_table_title(summary)}{round_text}?"
        take_back = preferences.appearance.keys.format_label("take_back")
        text = f"{explain_abandonment(summary)} {take_back} undoes that until you quit."
        if nicks:
            text = f"{text} The password of {join_or(nicks)} is needed."
            verify = partial(profiles.verify_any_password, nicks)
            return await self._context.ask_until_accepted(title, text, "abandon it", "keep it", verify)
        return not preferences.settings.confirm or await self._context.confirm(title, text, "abandon it", "keep it")

    def take_back(self) -> None:
        """Restore the session that was abandoned last."""
        last = self.abandoned.last
        self._apply_change(self.abandoned.restore_last, last and paths.sessions_folder() / last.name)

    def _apply_change(self, change: Callable[[], object], cursor_path: Path | None = None) -> None:
        try:
            change()
        except CardtableError as error:
            self._context.app.notify(error.full_message, markup=False, severity="error")
        self._on_change(cursor_path)


async def offer_recovery(context: PageContext) -> None:
    """Offer to continue recovered sessions, one after the other, until the player continues one.

    The player is notified of copies that differ from their session and were set aside.
    """
    for complaint in unfinished_tables.set_aside_diverged():
        context.app.notify(complaint, markup=False, severity="warning")
    for stray in unfinished_tables.list_recoverable():
        title, text = "A session was saved elsewhere", describe_recovered(stray)
        if not await context.confirm(title, text, "continue it", "keep it for later"):
            continue
        try:
            path = await asyncio.to_thread(unfinished_tables.restore_recovered, stray)
        except CardtableError as error:
            context.show_error(error)
        else:
            _resume(context, stray.session, path)
        return


def _resume(context: PageContext, session: Summary, path: Path) -> None:
    """Resume a session after its file was restored to ``path``; a finished one is only reported."""
    if session.state == "over":
        context.app.notify(OVER)
    elif session.real_cards:
        context.show("score_table", path)
    else:
        context.resume_session(path)
