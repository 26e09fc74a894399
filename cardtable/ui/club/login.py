"""Joining a club: the page of the clubs and their addresses, and the dialogs for credentials and passwords."""

from functools import partial
from typing import Final

from textual.screen import Screen

from cardtable.club.addresses import format_club_address, parse_club_address
from cardtable.club.client.client import CREDENTIAL_QUESTIONS
from cardtable.club.protocol import ChangePassword, DeviceWord, Register, SignIn
from cardtable.club.table_text import explain_device_word
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.installation import format_missing_club_libraries
from cardtable.store import club_tokens, passwords
from cardtable.store.club_tokens import VisitedClub
from cardtable.ui.keys.bindings import JOIN_CLUB, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    FormPage,
    FormRow,
    make_heading_row,
    make_single_column,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.questions import ask
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

ADDRESS_ROW: Final = "address"
"""Name of the row with the text input."""
MAX_ADDRESS_LENGTH: Final = 200
_INDENT: Final = 3
_ADDRESS_COLUMN: Final = 32
"""Column of a visited club's address, beside its name."""
_EXAMPLES: Final = "for example 192.168.1.5, or cards.example.org:7036"


class JoinClubPage(FormPage):
    """Page with the clubs that the player has visited, the last one first, and a text input for another address."""

    SCOPE = JOIN_CLUB

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._visited = club_tokens.list_visited()
        self._address_input = TextInput(MAX_ADDRESS_LENGTH)
        self._error: str | None = None

    def build_columns(self, canvas: Canvas) -> list[Column]:
        known = [make_heading_row("Clubs you have joined"), *map(self._create_club_row, self._visited), EMPTY_ROW]
        lines = [
            *(known if self._visited else []),
            make_heading_row("Address of another club" if self._visited else "Address of the club"),
            self._create_address_row(),
            *([make_text_row(self._error, _INDENT, is_error=True)] if self._error else []),
            EMPTY_ROW,
            make_text_row(
                "The person who opened the club can tell you its address. To open a club yourself, choose "
                '"Open to others" among all commands.'
            ),
        ]
        return make_single_column(canvas, lines)

    def _create_club_row(self, club: VisitedClub) -> FormRow:
        address = format_club_address(club.url)

        def draw(area: BlockArea) -> None:
            area.write(_INDENT, 0, sanitize(club.name, _ADDRESS_COLUMN - _INDENT - 2), area.name_ink, bold=True)
            area.write(_ADDRESS_COLUMN, 0, sanitize(address, area.width - _ADDRESS_COLUMN), area.quiet_ink)

        return FormRow(name=club.url, draw=draw, on_press=partial(self._join, address))

    def _create_address_row(self) -> FormRow:
        def draw(area: BlockArea) -> None:
            x, width = area.x + _INDENT, area.width - _INDENT - 1
            paint_text_input(area.canvas, x, area.y, width, self._address_input, _EXAMPLES, has_focus=area.has_cursor)

        return FormRow(
            name=ADDRESS_ROW,
            draw=draw,
            text_input=self._address_input,
            on_edit=self._clear_error,
            on_press=self._join_typed,
        )

    def _clear_error(self) -> None:
        self._error = None

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "Join a club")
        return self.SCOPE.footer

    def _join_typed(self) -> None:
        """Join the club at the typed address, which is shown first in the form that is used if it looks different."""
        self._join(self._address_input.text.strip())

    def _join(self, address: str) -> None:
        """Leave this page, and open the lobby of the club at an address; show an error if it has not the form of one.

        An address with characters other than ASCII is first shown as it is used, so that no credentials go to a name
        that only looks right.
        """
        from cardtable.club.credentials import find_credentials  # noqa: PLC0415 - lazy: startup

        try:
            url = parse_club_address(address)
        except ValueError as error:
            text = str(error)
            self._error = f"{capitalize_first(text)}." if address else "Type the address of the club first."
            return
        if not address.isascii():
            self._address_input = TextInput(MAX_ADDRESS_LENGTH, format_club_address(url))
            self._error = "The address is read like this. Enter joins the club there."
            return
        self.context.leave(self.screen)
        self.app.call_later(self.context.show, "club", url, *find_credentials(url))


def create_screen(context: PageContext) -> Screen[None]:
    """Return the screen with the page that joins a club.

    Raises ``CardtableError`` if a host runs this program for a guest, or if the club's libraries are not installed.
    """
    if club_tokens.is_hosted_client():
        raise CardtableError("this program runs at the host of a club, and cannot join another one")
    try:
        import websockets  # noqa: F401, PLC0415 - lazy: optional, checks the installation
    except ImportError:
        raise CardtableError(format_missing_club_libraries()) from None
    return PageScreen(JoinClubPage(context))


_STAY_GUEST_LABEL: Final = "stay a guest"
_KEEP_LABEL: Final = "keep the old one"


async def _ask_password(context: PageContext, title: str, text: str, yes_label: str, no_label: str) -> str | None:
    """Ask for a password; return ``None`` if the player cancels."""
    return await ask(
        Dialog(context.preferences.appearance, title, text, yes_label, no_label, initial_text="", masked=True)
    )


async def _ask_new_password(context: PageContext, text: str, yes_label: str, no_label: str) -> str | None:
    """Ask for a new password and its repetition until both are equal and acceptable, or the player cancels.

    ``text`` explains the purpose of the password. ``yes_label`` and ``no_label`` describe the effects of the last
    answer and of cancelling.
    """
    while True:
        password = await _ask_password(context, "Choose a password", text, "continue", no_label)
        if password is None:
            return None
        wrong = passwords.find_password_error(password, password)
        if not wrong:
            text = "Type the same password, so that a typing mistake does not lock you out."
            repetition = await _ask_password(context, "Repeat the password", text, yes_label, no_label)
            if repetition is None:
                return None
            wrong = passwords.find_password_error(password, repetition)
        if not wrong:
            return password
        text = f"{capitalize_first(wrong)}."


async def ask_credential(
    context: PageContext, credential: str, refusal: str, nick: str, empty_label: str
) -> str | None:
    """Ask the player for a credential that the club requires at log-in; return ``None`` if the player cancels.

    ``credential`` is a key of ``CREDENTIAL_QUESTIONS``. ``refusal`` is the reason why the previous answer was refused;
    it is empty at the first attempt. ``nick`` is the initial text if a nick is requested. ``empty_label`` describes the
    effect of an empty answer.
    """
    title, text = CREDENTIAL_QUESTIONS[credential]
    return await ask(
        Dialog(
            context.preferences.appearance,
            title,
            f"{capitalize_first(refusal)}." if refusal else text,
            "join",
            "leave",
            initial_text=nick if credential == "nick" else "",
            empty_label=empty_label,
            masked=credential == "password",
        )
    )


async def ask_registration(context: PageContext, nick: str) -> Register | None:
    """Ask a guest for a password to become a player under ``nick``; return ``None`` if the guest cancels."""
    text = f"With it {nick} is yours here, and your sessions are rated."
    password = await _ask_new_password(context, text, "register", _STAY_GUEST_LABEL)
    return None if password is None else Register(password)


async def ask_sign_in(context: PageContext) -> SignIn | None:
    """Ask a guest for the nick and the password of a player; return ``None`` if the guest cancels."""
    text = "The nick that you have as a player here."
    nick = await ask(
        Dialog(context.preferences.appearance, "Who are you?", text, "continue", _STAY_GUEST_LABEL, initial_text="")
    )
    if nick is None:
        return None
    text = "The one that you have at this club."
    password = await _ask_password(context, "What is your password?", text, "sign in", _STAY_GUEST_LABEL)
    return None if password is None else SignIn(nick, password)


async def ask_password_change(context: PageContext) -> ChangePassword | None:
    """Ask a player for the old and a new password; return ``None`` if the player cancels."""
    text = "The password that you have at this club now."
    old = await _ask_password(context, "What is your password?", text, "continue", _KEEP_LABEL)
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
