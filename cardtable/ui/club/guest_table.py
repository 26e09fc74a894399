"""The table of a guest: as at home, and who is there."""

from collections.abc import Callable
from typing import Final

from cardtable.club.guest_run import GuestRun
from cardtable.club.visiting import Visiting
from cardtable.club.wire import FromGuest
from cardtable.play.seen import Stage
from cardtable.ui.club.company import CompanyPage
from cardtable.ui.keys.scopes import Key
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.table.screen import TableScreen

ANOTHER_SESSION: Final = "Another session is offered: {new} plays it, {leave} leaves"
A_SEAT: Final = "You are offered a seat: {watch}, then Enter, to sit down"


class GuestTable(TableScreen):
    """Plays one session at a host."""

    def __init__(self, room: Room, run: GuestRun, visiting: Visiting, ask: Callable[[FromGuest], None]) -> None:
        super().__init__(room, run)
        self._sits, self._visiting, self._ask = run, visiting, ask
        self._company: CompanyPage | None = None
        self._offered = ""

    def heard(self) -> None:
        """Something has come from the host."""
        if self.is_attached:
            self.driver.heard()

    def told(self) -> None:
        """The club has said something."""
        if self.is_attached:
            self.driver.listen()

    def news(self) -> None:
        """The club has other people, or does not do what was asked."""
        if self._company and self._company.is_attached:
            self._company.repaint()

    def _show(self) -> None:
        if (offer := self._offer()) != self._offered:
            self._offered = self.driver.showing.banner = offer
        super()._show()
        self.news()

    def _offer(self) -> str:
        """What she is offered and has not taken."""
        own, again = self._sits.people, self._sits.again
        if own and again and own[0] not in again:
            return ANOTHER_SESSION
        return A_SEAT if any(place.offered == self._visiting.nick for place in self._sits.places) else ""

    def word(self, key: Key) -> str:
        """What the key does here."""
        if key.name in ("play", "choose") and self.frame.stage is Stage.SESSION_END:
            return "to the lobby"
        return {"new": "another session", "leave": "to the lobby"}.get(key.name) or super().word(key)

    def action_company(self) -> None:
        """Who is at the table, and what can be done about seats."""
        self._company = CompanyPage(self._room, self._visiting, self._sits, self._ask)
        self.app.push_screen(PageScreen(self._company))

    def action_new_session(self, same_deal: bool) -> None:  # noqa: ARG002 - there is no same deal in a club
        """Another session of those who are there."""
        self.action_company()
