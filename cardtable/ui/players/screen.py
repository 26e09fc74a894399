"""Players page, where players register, sign in and out, change their profiles and passwords, or are removed."""

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final

from textual import work
from textual.app import App

from cardtable.engine.errors import CardtableError
from cardtable.store import passwords, profiles, seating
from cardtable.store.profiles import InvalidProfile, Profile
from cardtable.ui.players.form import PlayerForm, Purpose
from cardtable.ui.players.model import Kind, PlayerLine, Players, paint_facts
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, words
from cardtable.ui.toolkit.keys.bindings import PLAYERS, KeyBinding
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, grid_of
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.ui.toolkit.scroll_list import INDENT, Place
from cardtable.wording.players import REMOVED

_KEEPS: Final = "keeps the player"


def ask(app: App[Any], appearance: Appearance, profile: Profile, removed: Callable[[str], None]) -> None:
    """Ask twice whether to remove a player; after the removal, call ``on_removed`` with the player's nick."""

    def answered(yes: str | None) -> None:
        if yes is not None:
            _ask_again(app, appearance, profile, removed)

    text = REMOVED.format(profile.credits)
    app.push_screen(Dialog(appearance, f"Remove {profile.nick}?", text, "goes on", _KEEPS), answered)


def _ask_again(
    app: App[Any], appearance: Appearance, profile: Profile, removed: Callable[[str], None], said: str = ""
) -> None:
    """Ask for the password or else the nick of the player to confirm, then remove the player.

    ``refusal`` is the reason why the last answer was refused; empty if none was.
    """
    nick, secret = profile.nick, profile.password is not None

    async def answered(typed: str | None) -> None:
        if typed is None:
            return
        if not secret and typed != nick:
            _ask_again(app, appearance, profile, removed, "That is not the nick. ")
            return
        try:
            await asyncio.to_thread(profiles.remove, nick, typed)
        except InvalidProfile as error:
            if error.field == "old":
                _ask_again(app, appearance, profile, removed, f"{error}. ")
                return
            app.notify(error.whole, markup=False, severity="error")
        except CardtableError as error:
            app.notify(error.whole, markup=False, severity="error")
            return
        removed(nick)

    takes = f"Type the password of {nick} to confirm." if secret else f"Type {nick} to confirm."
    text, most = f"{said}Nothing brings the player back. {takes}", passwords.MOST_CHARACTERS
    dialog = Dialog(appearance, f"Really remove {nick}?", text, "removes", _KEEPS, field="", most=most, secret=secret)
    app.push_screen(dialog, answered)


_LEFT: Final = 42
_LARGE_LEFT: Final = 66
"""Width of the list in a normal and in a large terminal, in columns."""
_WHAT: Final = 10
"""Distance between the beginning of a name and of its description, in columns."""


class PlayersPage(FormPage):
    """Page with the list of players at the left, and facts or a form at the right.

    In a small terminal the form replaces the list. Rows of the list are named by their index.
    """

    ABOUT = "among the players"
    SCOPE = PLAYERS

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.players = Players(context.nick)
        self.form: PlayerForm | None = None
        """Open form; ``None`` while the cursor is in the list."""
        self.players.read()
        self._find(context.nick)

    def columns(self, canvas: Canvas) -> list[Column]:
        grid = grid_of(canvas)
        form = self.form.lines(grid) if self.form else []
        if grid.tiny:
            return [Column(MARGIN, canvas.width - 2 * MARGIN, form or self._list())]
        left = _LARGE_LEFT if grid.large else _LEFT
        panel = Column(left, canvas.width - left - MARGIN, form, panel=True)
        return [Column(MARGIN, left - 2 * MARGIN, self._list()), panel]

    def _list(self) -> list[FormRow]:
        players, lines = self.players, [FormRow(draw=self._paint_heading), EMPTY_ROW]
        for number, line in enumerate(players.lines):
            lines += [EMPTY_ROW] if number > 0 and line.kind is not players.lines[number - 1].kind else []
            does = self._use_clicked if players.enters else None
            name = None if self.form else number
            lines.append(FormRow(name=name, draw=partial(self._paint_line, line=line), on_press=does))
        return [*lines, *([EMPTY_ROW, words(players.trouble, INDENT, loss=True)] if players.trouble else [])]

    def _paint_heading(self, area: Place) -> None:
        area.text(INDENT, 0, "Players", area.canvas.theme.inks.text, bold=True)
        area.right(0, "credits" if self.players.book.players else "", area.quiet)

    def _paint_line(self, area: Place, line: PlayerLine) -> None:
        inks, players = area.canvas.theme.inks, self.players
        if line.name == players.me:
            area.text(1, 0, "\u2022", inks.text, bold=True)
        area.text(INDENT, 0, line.name, area.name, bold=True)
        profile = players.book.find(line.name) if line.kind is Kind.PROFILE else None
        if profile:
            area.right(0, str(profile.credits), inks.text)
        what = "signed in" if profile and line.name == players.me else line.kind.value
        area.text(INDENT + _WHAT, 0, what, area.muted)

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        columns, players = self.shown(canvas), self.players
        if len(columns) > 1 and not self.form:
            paint_facts(canvas, players, columns[1].x + INDENT, columns[1].width - INDENT)
        paint_page_header(canvas, "Players", right=players.me)
        if self.form:
            return [("up down", "line"), ("play", "do it"), ("leave", "back")]
        profile = players.profile
        known, asks = profile is not None, [("ask_once", "ask once")] if profile and profile.password else []
        enter = ([("play", "sign in")] if players.signs_in else []) + (
            [("play", "sign out")] if players.signs_out else []
        )
        own = [("new", "new"), ("rename", "nick"), ("password", "password"), ("remove", "remove")]
        return [*enter, *(own if known else [("new", "new player")]), ("leave", "back"), *asks]

    def is_enabled(self, key: KeyBinding) -> bool:
        profile = self.players.profile
        if key.name in ("left", "right", "rub_out", "clear", "next_field", "field_before"):
            return self.form is not None
        if key.name == "ask_once":
            return self.form is None and profile is not None and profile.password is not None
        if key.name in ("new", "rename", "password", "remove", "page_up", "page_down", "close"):
            return self.form is None and (profile is not None or key.name in ("new", "close"))
        return key.name not in ("play", "choose") or self.form is not None or self.players.enters

    def move_cursor_to(self, name: Hashable) -> None:
        if isinstance(name, int):
            self.players.go(name)
        elif self.form and isinstance(name, str):
            self.form.go(name)
        super().move_cursor_to(name)

    def _show_form(self, form: PlayerForm | None) -> None:
        """Open a form; with ``None``, return to the list."""
        self.is_edited = self.is_edited and form is self.form
        self.form, self.cursor = form, form.at if form else self.players.cursor
        self.changed()

    def _find(self, nick: str) -> None:
        self.players.find(nick)
        self._show_form(None)

    def action_page(self, step: int) -> None:
        """Scroll the ledger by half the height of the screen, up (-1) or down (1)."""
        self.players.back = max(self.players.back + step * (self.size.height // 2), 0)
        self.repaint()

    def action_ask(self, form: str) -> None:
        """Open the form of a purpose; ``form`` is the name of a member of ``Purpose``."""
        purpose = Purpose[form]
        self._show_form(PlayerForm(purpose, None if purpose is Purpose.REGISTER else self.players.profile))

    async def action_ask_once(self) -> None:
        """Toggle whether the player's password is asked for once per run or at each turn.

        Asking for it once requires the password.
        """
        profile = self.players.profile
        if profile is None or not profile.ask_once:
            self.action_ask("ASK_ONCE")
            return
        try:
            await asyncio.to_thread(partial(profiles.ask_once, profile.nick, once=False))
        except CardtableError as error:
            self.app.notify(str(error), markup=False, severity="error")
        self.players.read()
        self.repaint()

    def action_remove(self) -> None:
        if self.players.profile:
            ask(self.app, self.look, self.players.profile, self._removed)

    def _removed(self, nick: str) -> None:
        """Update the page after a removal; if the current player was removed, continue as a guest."""
        self.players.read()
        if nick == self.players.me:
            self._become(seating.GUEST)
        self._show_form(None)

    async def action_use(self) -> None:
        """Submit the open form; in the list, sign in the player under the cursor, or sign out.

        A player with a password gets a form that asks for it.
        """
        players, form = self.players, self.form
        if form:
            self._answered(form, await asyncio.to_thread(form.submit))
        elif players.profile and players.profile.locked:
            self.action_ask("SIGN_IN")
        else:
            await self._sign_in(seating.GUEST if players.signs_out else players.line.name)

    def _answered(self, form: PlayerForm, nick: str | None) -> None:
        if nick is None:
            self._show_form(form)
            return
        self.players.read()
        if form.nick == self.players.me or form.purpose in (Purpose.REGISTER, Purpose.SIGN_IN):
            self._become(nick)
        else:
            self._find(nick)

    async def _sign_in(self, name: str) -> None:
        """Sign in a player without a password, or the guest; if this cannot be saved, it lasts until the program ends."""
        try:
            await asyncio.to_thread(profiles.sign_in, None if name == seating.GUEST else name)
        except CardtableError as error:
            self.app.notify(error.whole, markup=False, severity="error")
        self.players.read()
        self._become(name)

    def _become(self, nick: str) -> None:
        self.players.me = nick
        self._find(nick)
        self.context.player.become(nick)

    def action_leave(self) -> None:
        """Return from the form to the list, after a confirmation if fields were edited; from the list, leave the page."""
        if self.form and self.is_edited:
            self.ask_to_discard(partial(self._show_form, None))
        elif self.form:
            self._show_form(None)
        else:
            super().action_leave()

    @work(group="sign in", exclusive=True)
    async def _use_clicked(self) -> None:
        await self.action_use()


def screen(context: PageContext) -> PageScreen:
    return PageScreen(PlayersPage(context))
