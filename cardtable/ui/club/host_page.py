"""Page that opens a club to others from the running program, and shows the invitation while the club is open."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual.screen import Screen

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.store import club_tokens, seating
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    choice,
    heading,
    paint_button,
    words,
)
from cardtable.ui.toolkit.keys.bindings import OPEN_TO_OTHERS
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import Place

if TYPE_CHECKING:  # needs the club's optional libraries
    from cardtable.ui.club.local_server import OwnClub

STOPS: Final = ColumnStops(3, 20, 30)
PORTS: Final = (7036, 7046, 7056, 7066, 0)
"""WebSocket ports to choose from; ssh uses the next port, and browsers the one after it. 0 selects free ports."""
MISSING: Final = "a club needs more libraries: pip install 'cardtable[club]'"
MOST: Final = 160
"""Maximum length of a log line, in characters."""


class OpenToOthersPage(FormPage):
    """Page with the form of a club to be opened, or with the invitation and the log of the open club."""

    ABOUT = "at opening to others"
    SCOPE = OPEN_TO_OTHERS
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, club: "OwnClub") -> None:
        super().__init__(context)
        self._club = club
        self._lan = self._ssh = self._web = self._opening = False
        self._coded, self._port, self._trouble = True, PORTS[0], ""
        club.changed = self.repaint

    # Painting

    def columns(self, canvas: Canvas) -> list[Column]:
        lines = self._invitation(canvas.height) if self._club.invitation else self._form()
        return [Column(MARGIN, canvas.width - 2 * MARGIN, lines)]

    def _form(self) -> list[FormRow]:
        whom = "others on my network" if self._lan else "this machine only"
        code = self._club.code if self._coded else "none"
        lines = [
            words("Others come in, see the tables, sit down and play, as long as this program runs.", STOPS.label),
            EMPTY_ROW,
            choice("whom", "For", whom, self._turn_lan, STOPS, bold=True),
            *([choice("code", "The code", code, self._turn_code, STOPS)] if self._lan else []),
            choice("web", "In a browser", "yes" if self._web else "no", self._turn_web, STOPS),
            choice("ssh", "By ssh", "yes" if self._ssh else "no", self._turn_ssh, STOPS, fixed=sys.platform == "win32"),
            choice("port", "Port", str(self._port or "any that is free"), self._next_port, STOPS),
            EMPTY_ROW,
            self._button("open", "Opening ..." if self._opening else "Open the club", self._open),
        ]
        return (
            [*lines, EMPTY_ROW, words(sanitize(self._trouble, MOST), STOPS.label, loss=True)]
            if self._trouble
            else lines
        )

    def _invitation(self, height: int) -> list[FormRow]:
        is_open, *invitation = self._club.invitation
        last = [*self._club.told][-max(height - len(invitation) - 12, 1) :]
        return [
            heading(sanitize(is_open, MOST), STOPS.label),
            words("Tell the others:", STOPS.label),
            EMPTY_ROW,
            *[_bright(sanitize(line, MOST)) for line in invitation],
            EMPTY_ROW,
            self._button("lobby", "To the lobby", self._to_the_lobby),
            self._button("close", "Close the club", self._close),
            EMPTY_ROW,
            *([heading("What has happened", STOPS.label)] if last else []),
            *[words(sanitize(line, MOST), STOPS.label + 2) for line in last],
        ]

    def _button(self, name: str, text: str, does: Callable[[], object]) -> FormRow:
        def draw(area: Place) -> None:
            paint_button(area, STOPS.label, STOPS.wide, text, name)

        return FormRow(name=name, draw=draw, on_press=does, is_highlighted=False)

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        paint_page_header(canvas, "Open to others", "" if self._club.invitation else "a club on this machine")
        change = () if self.line.on_press else (("left right", "change"),)
        return [("up down", "choose"), *change, *([("play", "do it")] if self.line.on_press else []), ("leave", "back")]

    # Form

    def _turn_lan(self, _step: int) -> None:
        self._lan = not self._lan

    def _turn_code(self, _step: int) -> None:
        self._coded = not self._coded

    def _turn_web(self, _step: int) -> None:
        self._web = not self._web

    def _turn_ssh(self, _step: int) -> None:
        self._ssh = not self._ssh

    def _next_port(self, step: int) -> None:
        self._port = PORTS[(PORTS.index(self._port) + step) % len(PORTS)]

    # Actions

    def _open(self) -> None:
        if self._opening:
            return
        self._opening, self._trouble = True, ""
        me, port = self.context.nick, self._port
        self._club.begin(
            "The club" if me == seating.GUEST else f"The club of {me}",
            lan=self._lan,
            code=self._club.code if self._lan and self._coded else "",
            port=port,
            ssh=(port and port + 1) if self._ssh else None,
            web=(port and port + 2) if self._web else None,
        )
        self.context.close_hosted_club = self._club.close
        self.app.call_later(self.app.run_worker, self._opened)

    async def _opened(self) -> None:
        try:
            await self._club.opened()
        except (CardtableError, ImportError) as error:
            self.context.close_hosted_club = None
            self._trouble = MISSING if isinstance(error, ImportError) else str(error)
        else:
            self.cursor, self.is_edited = "lobby", False
        self._opening = False
        self.repaint()

    def _close(self) -> None:
        self.app.call_later(self.app.run_worker, self.context.close_club)

    def _to_the_lobby(self) -> None:
        """Enter the open club, or return to its lobby if that is open below this page.

        The player enters under their nick if the club accepts it from its owner; otherwise the lobby asks for a nick.
        """
        from cardtable.club.server.accounts import owner_token_for  # noqa: PLC0415 - lazy: optional, the club's libraries
        from cardtable.ui.club.lobby import LobbyPage  # noqa: PLC0415 - lazy: optional, the club's libraries

        pages = [screen.page for screen in self.app.screen_stack if isinstance(screen, PageScreen)]
        self.context.leave(self.screen)
        if any(isinstance(page, LobbyPage) and page.is_in(self._club.url) for page in pages):
            return
        token = owner_token_for(self.context.nick, self._club.owner_token)
        nick = self.context.nick if token else ""
        self.app.call_later(self.context.show, "club", self._club.url, nick, self._club.asked, token)


def _bright(text: str) -> FormRow:
    """Return a row of emphasised text."""
    return FormRow(rows=0, help_text=text, indent=STOPS.label + 2, stressed=len(text.split()))


def screen(context: PageContext) -> Screen[None]:
    """Return the page that opens a club.

    Raises CardtableError if this program itself runs at the host of a club, or if the club's libraries are missing.
    """
    if club_tokens.at_the_host():
        raise CardtableError("this program runs at the host of a club already, and cannot open another one")
    try:
        from cardtable.ui.club.local_server import OwnClub  # noqa: PLC0415 - lazy: optional, the club's libraries
    except ImportError:
        raise CardtableError(MISSING) from None
    return PageScreen(OpenToOthersPage(context, context.page_state(OwnClub)))
