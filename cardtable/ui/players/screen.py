"""Players page, where players register, sign in and out, change their profiles and passwords, or are removed."""

import asyncio
from collections.abc import Hashable
from functools import partial
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.store import profiles, seating
from cardtable.store.profiles import InvalidProfile, Profile
from cardtable.ui.keys.bindings import PLAYERS, FooterKeys
from cardtable.ui.players.model import (
    REMOVE_PASSWORD,
    LineKind,
    PlayerForm,
    PlayerLine,
    PlayersModel,
    Purpose,
    paint_facts,
)
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, make_single_column, make_text_row
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, get_layout
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.players import PASSWORD_REMOVAL_WARNING, REMOVAL_WARNING

_KEEPS: Final = "keep the player"
_LIST_WIDTH: Final = 42
_LARGE_LIST_WIDTH: Final = 66
"""Width of the list in a normal and in a large terminal, in columns."""
_DESCRIPTION_OFFSET: Final = 10
"""Distance between the beginning of a name and of its description, in columns."""


class PlayersPage(FormPage):
    """Page with the list of players at the left, and facts or a form at the right.

    In a small terminal the form replaces the list. Rows of the list are named by their index.
    """

    SCOPE = PLAYERS

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.model = PlayersModel(context.nick)
        self.form: PlayerForm | None = None
        """Open form; ``None`` while the cursor is in the list."""
        self.model.reload()
        self._select_player(context.nick)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        layout = get_layout(canvas)
        form = self.form.list_rows(layout) if self.form else []
        if layout.tiny:
            return make_single_column(canvas, form or self._create_list_rows())
        left = _LARGE_LIST_WIDTH if layout.large else _LIST_WIDTH
        panel = Column(left, canvas.width - left - MARGIN, form, has_panel=True)
        return [Column(MARGIN, left - 2 * MARGIN, self._create_list_rows()), panel]

    def _create_list_rows(self) -> list[FormRow]:
        model, lines = self.model, [FormRow(draw=self._paint_heading), EMPTY_ROW]
        for number, line in enumerate(model.lines):
            lines += [EMPTY_ROW] if number > 0 and line.kind is not model.lines[number - 1].kind else []
            on_press = self.action_use if model.has_enter_action else None
            name = None if self.form else number
            lines.append(FormRow(name=name, draw=partial(self._paint_line, line=line), on_press=on_press))
        if model.load_error:
            lines += [EMPTY_ROW, make_text_row(model.load_error, INDENT, is_error=True)]
        return lines

    def _paint_heading(self, area: BlockArea) -> None:
        area.write(INDENT, 0, "Players", area.canvas.theme.inks.text, bold=True)
        area.write_right(0, "credits" if self.model.profile_store.players else "", area.quiet_ink)

    def _paint_line(self, area: BlockArea, line: PlayerLine) -> None:
        inks, model = area.canvas.theme.inks, self.model
        if line.name == model.nick:
            area.write(1, 0, "\u2022", inks.text, bold=True)
        area.write(INDENT, 0, line.name, area.name_ink, bold=True)
        profile = model.profile_store.find(line.name) if line.kind is LineKind.PROFILE else None
        if profile:
            area.write_right(0, str(profile.credits), inks.text)
        status = "signed in" if profile and line.name == model.nick else line.kind.value
        area.write(INDENT + _DESCRIPTION_OFFSET, 0, status, area.muted_ink)

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        columns, model = self.get_columns(canvas), self.model
        if len(columns) > 1 and not self.form:
            paint_facts(canvas, model, columns[1].x + INDENT, columns[1].width - INDENT)
        paint_page_header(canvas, "Players", right=model.nick)
        if self.form:
            return {"up down": "line", "play": "do it", "leave": "back"}
        enter = "sign in" if model.can_sign_in else "sign out" if model.can_sign_out else ""
        return {**self.SCOPE.footer, "play": enter, "new": "new" if model.profile else "new player"}

    @property
    def shows_list(self) -> bool:
        return self.form is None

    @property
    def selected_profile(self) -> Profile | None:
        """Profile under the cursor; ``None`` if there is none, or a form is open."""
        return self.model.profile if self.form is None else None

    @property
    def can_use(self) -> bool:
        """True if Enter has an effect: in a form, or on a player who can be signed in or out."""
        return self.form is not None or self.model.has_enter_action

    def move_cursor_to(self, name: Hashable) -> None:
        if isinstance(name, int):
            self.model.move_to(name)
        elif self.form and isinstance(name, str):
            self.form.move_to(name)
        super().move_cursor_to(name)

    def _show_form(self, form: PlayerForm | None) -> None:
        """Open a form; with ``None``, return to the list."""
        self.is_edited = self.is_edited and form is self.form
        self.form, self.cursor = form, form.cursor if form else self.model.cursor
        self.on_changed()

    def _select_player(self, nick: str) -> None:
        self.model.move_to_name(nick)
        self._show_form(None)

    def action_page(self, step: int) -> None:
        """Scroll the ledger by half the height of the screen, up (-1) or down (1)."""
        self.model.ledger_offset = max(self.model.ledger_offset + step * (self.size.height // 2), 0)
        self.repaint()

    def action_ask(self, form: str) -> None:
        """Open the form of a purpose; ``form`` is the name of a member of ``Purpose``."""
        purpose = Purpose[form]
        self._show_form(PlayerForm(purpose, None if purpose is Purpose.REGISTER else self.model.profile))

    async def action_ask_once(self) -> None:
        """Toggle whether the player's password is asked for once per run or at each turn.

        Asking for it once requires the password.
        """
        profile = self.model.profile
        if profile is None or not profile.ask_once:
            self.action_ask("ASK_ONCE")
            return
        try:
            await asyncio.to_thread(partial(profiles.set_ask_once, profile.nick, once=False))
        except CardtableError as error:
            self.app.notify(str(error), markup=False, severity="error")
        self.model.reload()
        self.repaint()

    async def action_remove(self) -> None:
        """Remove the player under the cursor after two questions; if it was the current one, continue as a guest."""
        profile = self.model.profile
        if profile is None or not await self._confirm_removal(profile):
            return
        self.model.reload()
        if profile.nick == self.model.nick:
            self._switch_player(seating.GUEST)
        self._show_form(None)

    async def _confirm_removal(self, profile: Profile) -> bool:
        """Ask twice whether to remove a player, at last for the password or the nick; return True if they are gone."""
        nick, has_password = profile.nick, profile.password is not None
        text = REMOVAL_WARNING.format(profile.credits)
        if not await self.context.confirm(f"Remove {nick}?", text, "continue", _KEEPS):
            return False

        def remove(typed: str) -> str | None:
            if not has_password and typed != nick:
                return "That is not the nick"
            try:
                profiles.remove(nick, typed)
            except InvalidProfile as error:
                if error.field != "old":
                    raise
                return str(error)
            return None

        text = f"This cannot be undone. Type {f'the password of {nick}' if has_password else nick} to confirm."
        try:
            return await self.context.ask_until_accepted(
                f"Really remove {nick}?", text, "removes", _KEEPS, remove, masked=has_password
            )
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
            return isinstance(error, InvalidProfile)

    async def action_use(self) -> None:
        """Submit the open form; in the list, sign in the player under the cursor, or sign out.

        A player with a password gets a form that asks for it.
        """
        model, form = self.model, self.form
        if form:
            if form.cursor != REMOVE_PASSWORD or await self._confirm_password_removal(form):
                await self._submit(form)
        elif model.profile and model.profile.is_locked:
            self.action_ask("SIGN_IN")
        else:
            await self._sign_in(seating.GUEST if model.can_sign_out else model.line.name)

    async def _confirm_password_removal(self, form: PlayerForm) -> bool:
        text = PASSWORD_REMOVAL_WARNING.format(form.nick)
        return await self.context.confirm("Remove the password?", text, "remove it", "keep it")

    async def _submit(self, form: PlayerForm) -> None:
        nick = await asyncio.to_thread(form.submit)
        if nick is None:
            self._show_form(form)
            return
        self.model.reload()
        if form.nick == self.model.nick or form.purpose in (Purpose.REGISTER, Purpose.SIGN_IN):
            self._switch_player(nick)
        else:
            self._select_player(nick)

    async def _sign_in(self, name: str) -> None:
        """Sign in a player without a password, or the guest.

        If this cannot be saved, it lasts until the program ends.
        """
        try:
            await asyncio.to_thread(profiles.sign_in, None if name == seating.GUEST else name)
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
        self.model.reload()
        self._switch_player(name)

    def _switch_player(self, nick: str) -> None:
        self.model.nick = nick
        self._select_player(nick)
        self.context.player.switch_to(nick)

    async def action_leave(self) -> None:
        """Return from the form to the list, after a confirmation if fields were edited.

        From the list, leave the page.
        """
        if self.form:
            if not self.is_edited or await self.confirm_discard():
                self._show_form(None)
        else:
            await super().action_leave()


def create_screen(context: PageContext) -> PageScreen:
    return PageScreen(PlayersPage(context))
