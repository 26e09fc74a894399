"""People of a club: invitations, whose talk is hidden, and the dialogs for a player's own account and return.

The rows of other pages of a club that are about people are made here, too.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Final

from cardtable.club.client.client import CREDENTIAL_QUESTIONS, ClubClient
from cardtable.club.protocol import (
    AskDevices,
    AskDeviceWord,
    ChangePassword,
    ClientMessage,
    DeviceInfo,
    DeviceWord,
    InviteToTable,
    Register,
    RenameSelf,
    Report,
    SayTo,
    SignIn,
    TableInfo,
    WithdrawDevice,
)
from cardtable.club.table_text import explain_device_word, format_device, format_game_title, list_people
from cardtable.engine.text_format import capitalize_first, fold, sanitize
from cardtable.session.session_events import MAX_TALK_LENGTH
from cardtable.store import passwords
from cardtable.store.seating import normalize_nick
from cardtable.ui.keys.bindings import CLUB_PEOPLE, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    FormPage,
    FormRow,
    make_heading_row,
    make_input_row,
    make_nick_input,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.painting.canvas import Canvas, truncate
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea

TALK_ROW: Final = "talk of "
"""Beginning of the name of a row on which the talk of a person can be hidden; the nick follows."""


def create_action_row(
    name: Hashable, text: str, on_press: Callable[[], object] | None, key_label: str, *below: str
) -> FormRow:
    """Return a row with a text and lines ``below`` it; Enter does what ``key_label`` states in the footer."""

    def draw(area: BlockArea) -> None:
        area.write(INDENT, 0, sanitize(text), area.name_ink, bold=area.has_cursor)
        for number, line in enumerate(below, 1):
            area.write(INDENT, number, sanitize(line), area.muted_ink)

    keys = {"play": key_label} if key_label else {}
    return FormRow(name=name, rows=1 + len(below), draw=draw, on_press=on_press, keys=keys)


def create_talk_row(client: ClubClient, nick: str, text: str, on_press: Callable[[], object] | None = None) -> FormRow:
    """Return the row of a person whose talk can be hidden; ``text`` describes the person.

    Enter calls ``on_press``, to say something to the person alone.
    """
    is_hidden = client.hidden_people.is_hidden(nick)
    text = f"{text}, talk hidden" if is_hidden else text
    row = create_action_row(f"{TALK_ROW}{nick}", text, on_press, "talk" if on_press else "")
    row.keys = {"choose": f"{'show' if is_hidden else 'hide'} their talk", **row.keys}
    return row


def list_people_rows(client: ClubClient, count: int, width: int) -> list[FormRow]:
    """Return rows with the people at the club and the games at which they sit.

    They are ``count`` people at most, each in one row of ``width`` columns.
    """
    places = {
        info.name: f"at {format_game_title(table_info.game)}"
        for table_info in client.tables.values()
        for info in table_info.seats
        if not (info.away or info.robot)
    }
    texts = [
        ", ".join([person, *(["you"] if nick == client.nick else []), *([places[nick]] if nick in places else [])])
        for nick, person in zip(client.lobby.present_nicks, list_people(client), strict=True)
    ]
    if len(texts) > count:
        texts = [*texts[: count - 1], f"and {len(texts) - count + 1} more"]
    rows = [make_text_row(truncate(text, width - INDENT - 1), INDENT) for text in texts]
    return [make_heading_row("People"), *rows] if rows else []


def paint_refusal(canvas: Canvas, client: ClubClient) -> None:
    """Paint the reason why the host has refused the last request above the footer, if there is one."""
    if client.refusal:
        text = sanitize(client.refusal, canvas.width - 2 * MARGIN)
        canvas.write(MARGIN, canvas.height - 2, text, canvas.theme.inks.loss)


class ClubPage(FormPage):
    """Page with what a club tells, which the lobby below it keeps up to date."""

    def __init__(self, context: PageContext, client: ClubClient, send: Callable[[ClientMessage], None]) -> None:
        """Create the page; ``send`` sends a request without waiting for the result."""
        super().__init__(context)
        self._client, self._send = client, send

    def update_content(self) -> None:
        """Show a change in the club, an answer of the host, or why a request was refused."""
        self.repaint()

    def list_footer_keys(self) -> FooterKeys:
        return {**self.current_row.keys, **self.SCOPE.footer}

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        keys = super().paint_body(canvas)
        paint_refusal(canvas, self._client)
        return keys

    def action_choose(self) -> None:
        """Hide or show the talk of the person under the cursor."""
        nick = str(self.cursor).removeprefix(TALK_ROW)
        if nick != self.cursor:
            self._client.set_hidden(nick, is_hidden=not self._client.hidden_people.is_hidden(nick))
            self.repaint()


class ClubPeoplePage(ClubPage):
    """Page that lists the people of a club, to talk to one of them, hide their talk or report it."""

    SCOPE = CLUB_PEOPLE

    @property
    def header_texts(self) -> Sequence[str]:
        return "People", "talk to one of them, or hide their talk", self._client.nick

    def list_rows(self) -> list[FormRow]:
        client = self._client
        others = [nick for nick in client.lobby.present_nicks if nick != client.nick]
        absent = [nick for nick in client.hidden_people.nicks if fold(nick) not in map(fold, others)]
        rows = [make_heading_row("In the club"), make_text_row(sanitize(f"{client.nick} (you)"), 3)]
        for nick in others:
            text = f"{nick} (guest)" if nick in client.lobby.guest_nicks else nick
            rows.append(create_talk_row(client, nick, text, partial(self._say_to, nick)))
            if any(talk.to and talk.who == nick for talk in client.talk):
                report = f"Report to the host what {nick} has said to you alone"
                rows.append(create_action_row(f"report {nick}", report, partial(self._report, nick), "report it"))
        if absent:
            rows += [EMPTY_ROW, make_heading_row("Not here")]
            rows += [create_talk_row(client, nick, nick) for nick in absent]
        return rows

    async def _say_to(self, nick: str) -> None:
        title = f"What do you say to {nick}?"
        limit = MAX_TALK_LENGTH
        if said := await self.context.ask_text(title, "Nobody else reads it.", "say it", "back", max_length=limit):
            self._send(SayTo(nick, said))

    async def _report(self, nick: str) -> None:
        text = "The host then reads your latest messages from them. They are not told."
        if await self.context.confirm(f"Report {nick}?", text, "report them", "back"):
            self._send(Report(nick))


class InvitationPage(ClubPage):
    """Page on which the game master of a private table invites people and withdraws invitations."""

    SCOPE = CLUB_PEOPLE

    def __init__(
        self, context: PageContext, client: ClubClient, send: Callable[[ClientMessage], None], table: str
    ) -> None:
        """Create the page of the table with the id ``table``."""
        super().__init__(context, client, send)
        self._table = table
        self._nick_input = make_nick_input()

    @property
    def header_texts(self) -> Sequence[str]:
        row = self._client.tables.get(self._table)
        title = format_game_title(row.game) if row else "Private table"
        return title, "who may come to this private table", self._client.nick

    def list_rows(self) -> list[FormRow]:
        row = self._client.tables.get(self._table)
        if row is None:
            return [make_text_row("The table is closed.", 3)]
        present = [nick for nick in self._client.lobby.present_nicks if nick not in row.invited]
        return [
            make_heading_row("Invited"),
            *[self._create_invited_row(row, nick) for nick in row.invited],
            EMPTY_ROW,
            make_heading_row("Others in the club" if present else "Others"),
            *[
                create_action_row(f"person {nick}", nick, partial(self._invite, nick, withdrawn=False), "invite")
                for nick in present
            ],
            make_input_row(
                "nick", self._nick_input, "nick of somebody who is not here", self._invite_typed, {"play": "invite"}
            ),
        ]

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

    def _invite(self, nick: str, *, withdrawn: bool) -> None:
        self._send(InviteToTable(self._table, nick, withdrawn))


class AccountPage(ClubPage):
    """Page on which people change their nick and withdraw devices, and guests join on other devices."""

    SCOPE = CLUB_PEOPLE

    @property
    def header_texts(self) -> Sequence[str]:
        return "Your account", "nick and devices", self._client.nick

    def list_rows(self) -> list[FormRow]:
        rows = [create_action_row("nick", "Change your nick", self._change_nick, "change it")]
        if not self._client.lobby.is_member:
            text = "Join on another device, too"
            rows.append(create_action_row("device", text, partial(self._send, AskDeviceWord()), text.lower()))
        devices = [*map(self._create_device_row, self._client.devices)]
        return [*rows, EMPTY_ROW, make_heading_row("Devices"), *devices]

    def _create_device_row(self, device: DeviceInfo) -> FormRow:
        text = capitalize_first(format_device(device))
        if device.is_present:
            return make_text_row(text, INDENT)
        return create_action_row(f"device {device.id}", text, partial(self._withdraw, device), "withdraw it")

    async def _withdraw(self, device: DeviceInfo) -> None:
        text = f"{capitalize_first(format_device(device))}. It is disconnected, and no longer comes back by itself."
        if await self.context.confirm("Withdraw this device?", text, "withdraw it", "keep it"):
            self._send(WithdrawDevice(device.id))

    async def _change_nick(self) -> None:
        text = "You can change it once in a season, or in 90 days without one. Nobody else can take the old one."
        nick = await self.context.ask_text("Which nick?", text, "change it", "keep it", initial_text=self._client.nick)
        if nick is not None:
            self._send(RenameSelf(normalize_nick(nick)))


_STAY_GUEST_LABEL: Final = "stay a guest"
_KEEP_LABEL: Final = "keep the old one"


async def _ask_new_password(context: PageContext, text: str, yes_label: str, no_label: str) -> str | None:
    """Ask for a new password and its repetition until both are equal and acceptable, or the player cancels.

    ``text`` explains the purpose of the password. ``yes_label`` and ``no_label`` describe the effects of the last
    answer and of cancelling.
    """
    while True:
        password = await context.ask_text("Choose a password", text, "continue", no_label, masked=True)
        if password is None:
            return None
        error = passwords.find_password_error(password, password)
        if not error:
            text = "Type the same password, so that a typing mistake does not lock you out."
            repetition = await context.ask_text("Repeat the password", text, yes_label, no_label, masked=True)
            if repetition is None:
                return None
            error = passwords.find_password_error(password, repetition)
        if not error:
            return password
        text = f"{capitalize_first(error)}."


async def ask_credential(
    context: PageContext, credential: str, refusal: str, nick: str, empty_label: str
) -> str | None:
    """Ask the player for a credential that the club requires at log-in; return ``None`` if the player cancels.

    ``credential`` is a key of ``CREDENTIAL_QUESTIONS``. ``refusal`` is the reason why the previous answer was refused;
    it is empty at the first attempt. ``nick`` is the initial text if a nick is requested. ``empty_label`` describes the
    effect of an empty answer.
    """
    title, text = CREDENTIAL_QUESTIONS[credential]
    text, nick = f"{capitalize_first(refusal)}." if refusal else text, nick if credential == "nick" else ""
    is_password = credential == "password"
    return await context.ask_text(
        title, text, "join", "leave", initial_text=nick, empty_label=empty_label, masked=is_password
    )


async def ask_registration(context: PageContext, nick: str) -> Register | None:
    """Ask a guest for a password to become a player under ``nick``; return ``None`` if the guest cancels."""
    text = f"With it {nick} is yours here, and your sessions are rated."
    password = await _ask_new_password(context, text, "register", _STAY_GUEST_LABEL)
    return None if password is None else Register(password)


async def ask_sign_in(context: PageContext) -> SignIn | None:
    """Ask a guest for the nick and the password of a player; return ``None`` if the guest cancels."""
    text = "The nick that you have as a player here."
    nick = await context.ask_text("Who are you?", text, "continue", _STAY_GUEST_LABEL)
    if nick is None:
        return None
    text = "The one that you have at this club."
    password = await context.ask_text("What is your password?", text, "sign in", _STAY_GUEST_LABEL, masked=True)
    return None if password is None else SignIn(nick, password)


async def ask_password_change(context: PageContext) -> ChangePassword | None:
    """Ask a player for the old and a new password; return ``None`` if the player cancels."""
    text = "The password that you have at this club now."
    old = await context.ask_text("What is your password?", text, "continue", _KEEP_LABEL, masked=True)
    if old is None:
        return None
    text = "A password has at least 8 characters and no spaces."
    password = await _ask_new_password(context, text, "continue", _KEEP_LABEL)
    if password is None:
        return None
    text = "They then need the new password, and so do browsers and ssh on this one."
    revokes = await context.confirm("Log out your other devices?", text, "log them out", "leave them logged in")
    return ChangePassword(old, password, revoke_others=revokes)


def show_device_word(context: PageContext, word: DeviceWord) -> None:
    """Show a word by which the guest joins on another device, with the ways to use it."""
    text = "\n\n".join(explain_device_word(word, "it"))
    context.app.push_screen(Dialog(context.preferences.appearance, sanitize(word.word, 40), text, "done", "close"))


def list_account_rows(client: ClubClient, context: PageContext, send: Callable[[ClientMessage], None]) -> list[FormRow]:
    """Return the rows by which people change what the club knows of them, and guests become players."""

    def create_row(name: str, text: str, ask_request: Callable[[], Awaitable[ClientMessage | None]]) -> FormRow:
        async def ask_and_send() -> None:
            request = await ask_request()
            if request is not None:
                send(request)

        return create_action_row(name, text, ask_and_send, text.lower())

    if not client.connection.is_connected:
        return []

    def show_account() -> None:
        send(AskDevices())
        context.app.push_screen(PageScreen(AccountPage(context, client, send)))

    rows = [create_action_row("account", "Your nick and devices", show_account, "change them")]
    if client.can_send_password and client.lobby.is_member:
        rows.append(create_row("change password", "Change your password", partial(ask_password_change, context)))
    elif client.can_send_password:
        register = partial(ask_registration, context, client.nick)
        rows += [
            create_row("register", "Become a player here, with a password", register),
            create_row("sign in", "Sign in as the player you are", partial(ask_sign_in, context)),
        ]
    return rows
