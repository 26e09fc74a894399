"""Pages of the people of a club: invitations, and whose talk is hidden. Rows of the pages of a club."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Final

from cardtable.club.client.client import ClubClient
from cardtable.club.protocol import ClientMessage, InviteToTable, TableInfo
from cardtable.club.table_text import format_game_title
from cardtable.engine.text_format import fold, sanitize
from cardtable.store.seating import normalize_nick
from cardtable.ui.keys.bindings import CLUB_PEOPLE, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    FormPage,
    FormRow,
    make_heading_row,
    make_nick_input,
    make_single_column,
    make_text_row,
)
from cardtable.ui.toolkit.page import paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

TALK_ROW: Final = "talk of "
"""Beginning of the name of a row on which the talk of a person can be hidden; the nick follows."""


def create_action_row(name: Hashable, text: str, on_press: Callable[[], object], key_label: str) -> FormRow:
    """Return a row with a text; Enter does what ``key_label`` states in the footer."""

    def draw(area: BlockArea) -> None:
        area.write(3, 0, sanitize(text), area.name_ink, bold=area.has_cursor)

    return FormRow(name=name, draw=draw, on_press=on_press, keys={"play": key_label})


def create_input_row(
    name: Hashable, text_input: TextInput, placeholder: str, on_press: Callable[[], object], keys: FooterKeys
) -> FormRow:
    """Return a row in which text is typed; ``placeholder`` stands in it while it is empty."""

    def draw(area: BlockArea) -> None:
        x, width = area.x + 3, area.width - 4
        paint_text_input(area.canvas, x, area.y, width, text_input, placeholder, has_focus=area.has_cursor)

    return FormRow(name=name, draw=draw, text_input=text_input, on_press=on_press, keys=keys)


def create_talk_row(client: ClubClient, nick: str, text: str) -> FormRow:
    """Return the row of a person whose talk can be hidden; ``text`` describes the person."""
    is_hidden = client.hidden_people.is_hidden(nick)

    def draw(area: BlockArea) -> None:
        area.write(3, 0, sanitize(f"{text}, talk hidden" if is_hidden else text), area.name_ink, bold=area.has_cursor)

    return FormRow(
        name=f"{TALK_ROW}{nick}", draw=draw, keys={"choose": f"{'show' if is_hidden else 'hide'} their talk"}
    )


def toggle_talk(client: ClubClient, row_name: Hashable) -> None:
    """Hide or show the talk of the person whose row has this name; nothing happens for any other row."""
    nick = str(row_name).removeprefix(TALK_ROW)
    if nick != row_name:
        client.set_hidden(nick, is_hidden=not client.hidden_people.is_hidden(nick))


def paint_refusal(canvas: Canvas, client: ClubClient) -> None:
    """Paint the reason why the host has refused the last request above the footer, if there is one."""
    if client.refusal:
        text = sanitize(client.refusal, canvas.width - 2 * MARGIN)
        canvas.write(MARGIN, canvas.height - 2, text, canvas.theme.inks.loss)


class ClubPeoplePage(FormPage):
    """Page that lists the people of a club, on which the talk of each of them can be hidden."""

    SCOPE = CLUB_PEOPLE

    def __init__(self, context: PageContext, client: ClubClient) -> None:
        super().__init__(context)
        self._client = client

    def build_columns(self, canvas: Canvas) -> list[Column]:
        client = self._client
        guests = set(client.lobby.guest_nicks)
        others = [nick for nick in client.lobby.present_nicks if nick != client.nick]
        absent = [nick for nick in client.hidden_people.nicks if fold(nick) not in map(fold, others)]
        rows = [
            make_heading_row("In the club"),
            make_text_row(sanitize(f"{client.nick} (you)"), 3),
            *[create_talk_row(client, nick, f"{nick} (guest)" if nick in guests else nick) for nick in others],
        ]
        if absent:
            rows += [EMPTY_ROW, make_heading_row("Not here")]
            rows += [create_talk_row(client, nick, nick) for nick in absent]
        return make_single_column(canvas, rows)

    def action_choose(self) -> None:
        """Hide or show the talk of the person under the cursor."""
        toggle_talk(self._client, self.cursor)
        self.repaint()

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "People", "hide what somebody says", self._client.nick)
        return {**self.current_row.keys, **self.SCOPE.footer}


class InvitationPage(FormPage):
    """Page on which the game master of a private table invites people and withdraws invitations."""

    SCOPE = CLUB_PEOPLE

    def __init__(
        self, context: PageContext, client: ClubClient, table: str, send: Callable[[ClientMessage], None]
    ) -> None:
        """Create the page of the table with the id ``table``; ``send`` sends a request without waiting."""
        super().__init__(context)
        self._client, self._table, self._send = client, table, send
        self._nick_input = make_nick_input()

    @property
    def _table_info(self) -> TableInfo | None:
        return self._client.tables.get(self._table)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        row = self._table_info
        if row is None:
            return make_single_column(canvas, [make_text_row("The table is closed.", 3)])
        present = [nick for nick in self._client.lobby.present_nicks if nick not in row.invited]
        rows = [
            make_heading_row("Invited"),
            *[self._create_invited_row(row, nick) for nick in row.invited],
            EMPTY_ROW,
            make_heading_row("Others in the club" if present else "Others"),
            *[
                create_action_row(f"person {nick}", nick, partial(self._invite, nick, withdrawn=False), "invite")
                for nick in present
            ],
            create_input_row(
                "nick", self._nick_input, "nick of somebody who is not here", self._invite_typed, {"play": "invite"}
            ),
        ]
        return make_single_column(canvas, rows)

    def _create_invited_row(self, table_info: TableInfo, nick: str) -> FormRow:
        has_seat = any(info.name == nick for info in table_info.seats)
        remarks = ["game master"] if nick == table_info.master else ["has a seat"] if has_seat else []
        remarks += [] if nick in self._client.lobby.present_nicks else ["not here"]
        text = ", ".join([nick, *remarks])
        if nick == table_info.master or (has_seat and (table_info.playing or table_info.resuming)):
            return make_text_row(sanitize(text), 3)
        withdraw = partial(self._invite, nick, withdrawn=True)
        return create_action_row(f"person {nick}", text, withdraw, "withdraw the invitation")

    def _invite_typed(self) -> None:
        if self._nick_input.text:
            self._invite(normalize_nick(self._nick_input.text), withdrawn=False)
            self._nick_input.clear()

    async def action_choose(self) -> None:
        """Do what Enter does."""
        await self.action_press()

    def _invite(self, nick: str, *, withdrawn: bool) -> None:
        self._send(InviteToTable(self._table, nick, withdrawn))

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        row = self._table_info
        title = format_game_title(row.game) if row else "Private table"
        paint_page_header(canvas, title, "who may come to this private table", self._client.nick)
        paint_refusal(canvas, self._client)
        return {**self.current_row.keys, **self.SCOPE.footer}
