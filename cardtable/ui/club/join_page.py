"""Page on which a player joins a club: one joined before, or one at a typed address."""

from functools import partial
from typing import Final

from textual.screen import Screen

from cardtable.club.addresses import format_club_address, parse_club_address
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.installation import format_install_command
from cardtable.store import club_tokens
from cardtable.store.club_tokens import VisitedClub
from cardtable.ui.keys.bindings import JOIN_CLUB, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    FormPage,
    FormRow,
    make_bright_row,
    make_heading_row,
    make_input_row,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.ui.toolkit.text_input import TextInput

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
    header_texts = ("Join a club",)

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._visited = club_tokens.list_visited()
        self._address_input = TextInput(MAX_ADDRESS_LENGTH)
        self._error: str | None = None

    def list_rows(self) -> list[FormRow]:
        known = [make_heading_row("Clubs you have joined"), *map(self._create_club_row, self._visited), EMPTY_ROW]
        return [
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

    def _create_club_row(self, club: VisitedClub) -> FormRow:
        address = format_club_address(club.url)

        def draw(area: BlockArea) -> None:
            area.write(_INDENT, 0, sanitize(club.name, _ADDRESS_COLUMN - _INDENT - 2), area.name_ink, bold=True)
            area.write(_ADDRESS_COLUMN, 0, sanitize(address, area.width - _ADDRESS_COLUMN), area.quiet_ink)

        return FormRow(name=club.url, draw=draw, on_press=partial(self._join, address))

    def _create_address_row(self) -> FormRow:
        row = make_input_row(ADDRESS_ROW, self._address_input, _EXAMPLES, self._join_typed, {})
        row.on_edit = self._clear_error
        return row

    def _clear_error(self) -> None:
        self._error = None

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


class MissingLibrariesPage(FormPage):
    """Page with the command that installs the libraries of clubs, which is too long for a notice that goes away."""

    SCOPE = JOIN_CLUB
    header_texts = ("Clubs",)

    def list_rows(self) -> list[FormRow]:
        text = "A club needs more libraries. Quit the program, run this command, and come back:"
        return [make_text_row(text), EMPTY_ROW, make_bright_row(format_install_command("club"), _INDENT)]

    def list_footer_keys(self) -> FooterKeys:
        return {"leave": "back"}


def create_screen(context: PageContext) -> Screen[None]:
    """Return the screen with the page that joins a club.

    Raises ``CardtableError`` if a host runs this program for a guest.
    """
    if club_tokens.is_hosted_client():
        raise CardtableError("this program runs at the host of a club, and cannot join another one")
    try:
        import websockets  # noqa: F401, PLC0415 - lazy: optional, checks the installation
    except ImportError:
        return PageScreen(MissingLibrariesPage(context))
    return PageScreen(JoinClubPage(context))
