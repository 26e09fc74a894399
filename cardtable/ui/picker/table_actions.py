"""Actions on the tables of the picker: rename, give up and restore them, and recover sessions after a crash."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from textual.app import App

from cardtable.engine.errors import CardtableError
from cardtable.store import passwords, paths, profiles, recovered_sessions, session_files
from cardtable.store.recovered_sessions import RecoveredSession
from cardtable.store.sessions import AbandonedStack, nicks_requiring_password
from cardtable.store.summaries import Summary
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import join_or
from cardtable.wording.tables import OVER, given_up, recovered_text, round_of, title


class TableActions:
    """Changes to tables, with the dialogs that they need; errors are shown as notifications."""

    def __init__(self, preferences: Preferences, changed: Callable[[Path | None], None]) -> None:
        """Prepare the actions.

        ``on_change`` is called after each change, with the path of the session to which the cursor is to move, or
        ``None``.
        """
        self._preferences, self._changed = preferences, changed
        self.put_away: Final = AbandonedStack()

    def rename(self, app: App[Any], summary: Summary) -> None:
        """Ask for a name and give it to the table; an empty name removes the present one."""

        def answered(name: str | None) -> None:
            if name is not None and name != summary.name:
                from cardtable.store import table_names  # noqa: PLC0415 - lazy: startup, rarely needed

                self._do(app, lambda: table_names.rename(summary, name))

        self._ask(
            app,
            "The name of the table",
            f"{title(summary)}, round {round_of(summary)}.",
            "names the table",
            "goes back",
            answered,
            field=summary.name,
            empty="takes the name away" if summary.name else "",
        )

    def give_up(self, app: App[Any], summary: Summary, said: str = "") -> None:
        """Give up a session, after a confirmation if the settings ask for one.

        If the players at the table have passwords that are still to be entered, one of these is required. ``refusal``
        is the reason why the last password was refused; empty if none was.
        """
        nicks = nicks_requiring_password(summary)

        async def answered(typed: str | None) -> None:
            if typed is None:
                return
            if nicks and (why := await asyncio.to_thread(profiles.give_one, nicks, typed)):
                self.give_up(app, summary, why)
            else:
                self._do(app, lambda: self.put_away.give_up(summary.path))

        if not nicks and not self._preferences.settings.confirm:
            self._do(app, lambda: self.put_away.give_up(summary.path))
            return
        back = f"{self._preferences.look.keys.label('take_back')} takes it back until you quit."
        where = f", round {round_of(summary)}" if summary.header else ""
        asked = f" The password of {join_or(nicks)} is needed." if nicks else ""
        self._ask(
            app,
            f"Give up {title(summary)}{where}?",
            f"{said}{said and '. '}{given_up(summary)} {back}{asked}",
            "gives it up",
            "keeps it",
            answered,
            field="" if nicks else None,
            secret=bool(nicks),
        )

    def take_back(self, app: App[Any]) -> None:
        """Restore the session that was given up last."""
        last = self.put_away.last
        self._do(app, self.put_away.take_back, last and paths.sessions() / last.name)

    def _do(self, app: App[Any], do: Callable[[], object], then: Path | None = None) -> None:
        try:
            do()
        except CardtableError as error:
            app.notify(error.whole, markup=False, severity="error")
        self._changed(then)

    def _ask(
        self,
        app: App[Any],
        heading: str,
        text: str,
        yes: str,
        no: str,
        answered: Callable[[str | None], None] | Callable[[str | None], Awaitable[None]],
        *,
        field: str | None = None,
        empty: str = "",
        secret: bool = False,
    ) -> None:
        from cardtable.ui.toolkit.dialog import Dialog  # noqa: PLC0415 - lazy: startup, after the picker

        most = passwords.MOST_CHARACTERS if secret else session_files.MOST_NAME
        look = self._preferences.look
        dialog = Dialog(look, heading, text, yes, no, field=field, empty=empty, most=most, secret=secret)
        app.push_screen(dialog, answered)


class RecoveryPrompts:
    """Dialogs that offer to continue recovered sessions, one after the other."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._left: list[RecoveredSession] = []

    def begin(self) -> None:
        """Search for recovered sessions and ask about the first.

        The player is notified of copies that differ from their session and were set aside.
        """
        for complaint in recovered_sessions.set_aside_diverged():
            self._context.app.notify(complaint, markup=False, severity="warning")
        self._left = recovered_sessions.list_recoverable()
        self._ask()

    def _ask(self) -> None:
        if not self._left:
            return
        from cardtable.ui.toolkit.dialog import Dialog  # noqa: PLC0415 - lazy: startup, rarely needed

        stray = self._left.pop(0)

        async def answered(answer: str | None) -> None:
            if answer is None:
                self._ask()
                return
            try:
                path = await asyncio.to_thread(recovered_sessions.restore, stray)
            except CardtableError as error:
                self._context.show_error(error)
            else:
                self._go_on(stray.session, path)

        title = "A session is kept elsewhere"
        dialog = Dialog(
            self._context.preferences.look, title, recovered_text(stray), "goes on with it", "keeps it for later"
        )
        self._context.app.push_screen(dialog, answered)

    def _go_on(self, session: Summary, path: Path) -> None:
        """Resume a session after its file was restored to ``path``; a finished one is only reported."""
        if session.state == "over":
            self._context.app.notify(OVER)
        elif session.real_cards:
            self._context.show("score_table", path)
        else:
            self._context.resume_session(path)
