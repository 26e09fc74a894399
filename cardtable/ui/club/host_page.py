"""Page that opens a club from the running program, and shows the invitation while the club is open."""

import sys
from typing import TYPE_CHECKING, Final

from textual.screen import Screen

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.installation import format_missing_club_libraries
from cardtable.store import club_tokens
from cardtable.ui.keys.bindings import OPEN_TO_OTHERS, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    ColumnStops,
    FormPage,
    FormRow,
    make_bright_row,
    make_button_row,
    make_choice_row,
    make_heading_row,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen
from cardtable.wording.players import format_club_name

if TYPE_CHECKING:  # needs the club's optional libraries
    from cardtable.ui.club.local_server import LocalServer

PORTS: Final = (7036, 7046, 7056, 7066, 0)
"""WebSocket ports to choose from; 0 selects any free port for each endpoint.

The ssh endpoint uses the next higher port, and the browser endpoint the one after that.
"""
STOPS: Final = ColumnStops(3, 20, 30)
MAX_LINE_LENGTH: Final = 160
"""Maximum length of a line of the invitation, the log or an error, in characters."""


class OpenToOthersPage(FormPage):
    """Page with the form for opening a club, or with the invitation, the people and the log of the open club."""

    SCOPE = OPEN_TO_OTHERS
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, server: "LocalServer") -> None:
        from cardtable.ui.club.local_server import ClubRows  # noqa: PLC0415 - lazy: startup, and needs the server

        super().__init__(context)
        self._server, self._club_rows = server, ClubRows(self, server)
        self._answers = {"network": False, "code": True, "web": False, "ssh": False}
        """Answers to the questions with yes and no, by the name of the row."""
        self._port, self._error, self._is_opening = PORTS[0], "", False
        server.on_change = self._on_server_change

    def on_mount(self) -> None:
        self._club_rows.start()

    def _on_server_change(self) -> None:
        self.repaint()
        if self.is_attached:
            self._club_rows.start_refresh()

    # Painting

    @property
    def header_texts(self) -> tuple[str, str]:
        return "Open to others", "" if self._server.invitation else "a club on this machine"

    def list_rows(self) -> list[FormRow]:
        return self._list_invitation_rows() if self._server.invitation else self._list_form_rows()

    def _list_form_rows(self) -> list[FormRow]:
        answers, is_windows = self._answers, sys.platform == "win32"  # without pseudo-terminals, which ssh needs
        whom = "others on my network" if answers["network"] else "this machine only"
        code = self._server.code if answers["code"] else "none"
        ssh = "not on Windows" if is_windows else "yes" if answers["ssh"] else "no"
        rows = [
            make_text_row(
                "Others can join, see the tables, sit down and play as long as this program runs.", STOPS.label
            ),
            EMPTY_ROW,
            self._create_answer_row("network", "For", whom, bold=True),
            *([self._create_answer_row("code", "The code", code)] if answers["network"] else []),
            self._create_answer_row("web", "In a browser", "yes" if answers["web"] else "no"),
            self._create_answer_row("ssh", "By ssh", ssh, read_only=is_windows),
            make_choice_row("port", "Port", str(self._port or "any free one"), self._step_port, STOPS),
            EMPTY_ROW,
            make_button_row("open", "Opening ..." if self._is_opening else "Open the club", self._open, STOPS, {}),
        ]
        if self._error:
            error = sanitize(self._error, MAX_LINE_LENGTH)
            rows += [EMPTY_ROW, make_text_row(error, STOPS.label, is_error=True)]
        return rows

    def _create_answer_row(
        self, name: str, label: str, value: str, *, bold: bool = False, read_only: bool = False
    ) -> FormRow:
        def toggle(_step: int) -> None:
            self._answers[name] = not self._answers[name]

        return make_choice_row(None if read_only else name, label, value, toggle, STOPS, bold=bold)

    def _list_invitation_rows(self) -> list[FormRow]:
        heading, *invitation = self._server.invitation
        warning = self._server.disk_warning
        log_lines = [*self._server.log][-max(self.canvas.height - len(invitation) - 12, 3) :]
        return [
            make_heading_row(sanitize(heading, MAX_LINE_LENGTH), STOPS.label),
            make_text_row("Tell the others:", STOPS.label),
            EMPTY_ROW,
            *[make_bright_row(sanitize(line, MAX_LINE_LENGTH), STOPS.label + 2) for line in invitation],
            EMPTY_ROW,
            *([make_text_row(f"Attention: {warning}.", STOPS.label, is_error=True), EMPTY_ROW] if warning else []),
            make_button_row("lobby", "To the lobby", self._enter_lobby, STOPS, {}),
            make_button_row("close", "Close the club", self._close, STOPS, {}),
            EMPTY_ROW,
            *self._club_rows.list_rows(),
            EMPTY_ROW,
            *([make_heading_row("Log", STOPS.label)] if log_lines else []),
            *[make_text_row(sanitize(line, MAX_LINE_LENGTH), STOPS.label + 2) for line in log_lines],
        ]

    def list_footer_keys(self) -> FooterKeys:
        row = self.current_row
        unused = {"left right": ""} if row.on_step is None else {"play": ""} if row.on_press is None else {}
        return {**self.SCOPE.footer, **unused, **row.keys}

    async def action_leave(self) -> None:
        """Close the page; what was entered into the form is not lost while the club is open."""
        if self._server.invitation:
            self.is_edited = False
        await super().action_leave()

    # Actions

    def _step_port(self, step: int) -> None:
        self._port = PORTS[(PORTS.index(self._port) + step) % len(PORTS)]

    def _open(self) -> None:
        if self._is_opening:
            return
        self._is_opening, self._error = True, ""
        nick, port, answers = self.context.nick, self._port, self._answers
        self._server.start(
            format_club_name(nick),
            on_network=answers["network"],
            code=self._server.code if answers["network"] and answers["code"] else "",
            port=port,
            ssh_port=(port and port + 1) if answers["ssh"] else None,
            web_port=(port and port + 2) if answers["web"] else None,
        )
        self.context.close_hosted_club = self._server.stop
        self.app.call_later(self.app.run_worker, self._finish_opening)

    async def _finish_opening(self) -> None:
        try:
            await self._server.wait_until_open()
        except (CardtableError, ImportError) as error:
            self.context.close_hosted_club = None
            self._error = format_missing_club_libraries() if isinstance(error, ImportError) else str(error)
        else:
            self.cursor, self.is_edited = "lobby", False
        self._is_opening = False
        self.repaint()

    def _close(self) -> None:
        self.app.call_later(self.app.run_worker, self.context.close_club)

    def _enter_lobby(self) -> None:
        """Enter the open club, or return to its lobby if the lobby is open below this page.

        The player enters under their own nick if the club accepts the owner's token for it; otherwise the lobby asks
        for a nick.
        """
        from cardtable.club.server.accounts import get_owner_token  # noqa: PLC0415 - lazy: optional, the club's libraries
        from cardtable.ui.club.lobby import LobbyPage  # noqa: PLC0415 - lazy: optional, the club's libraries

        pages = [screen.page for screen in self.app.screen_stack if isinstance(screen, PageScreen)]
        self.context.leave(self.screen)
        if any(isinstance(page, LobbyPage) and page.is_connected_to(self._server.url) for page in pages):
            return
        token = get_owner_token(self.context.nick, self._server.owner_token)
        nick = self.context.nick if token else ""
        self.app.call_later(self.context.show, "club", self._server.url, nick, self._server.required_code, token)


def create_screen(context: PageContext) -> Screen[None]:
    """Return the screen with the page that opens a club.

    Raises ``CardtableError`` if a host runs this program for a guest.
    """
    if club_tokens.is_hosted_client():
        raise CardtableError("this program already runs at the host of a club, and cannot open another one")
    try:
        from cardtable.ui.club.local_server import LocalServer  # noqa: PLC0415 - lazy: optional, the club's libraries
    except ImportError:
        from cardtable.ui.club.join_page import MissingLibrariesPage  # noqa: PLC0415 - lazy: startup

        return PageScreen(MissingLibrariesPage(context))
    return PageScreen(OpenToOthersPage(context, context.get_page_state(LocalServer)))
