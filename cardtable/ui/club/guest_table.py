"""Table screen of a remote session, and the page of the people at that table."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cardtable.club.client.client import ClubClient
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import ClientMessage, EndWait, GiveSeat, PlayAgain, SitDown, StandIn
from cardtable.engine.game import Seat
from cardtable.engine.text_format import sanitize
from cardtable.robots.kit.levels import LEVELS
from cardtable.session.session_events import Stage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit import scroll_list
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, ColumnStops, FormPage, FormRow, choice, heading, words
from cardtable.ui.toolkit.keys.bindings import COMPANY, KeyBinding
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN

STOPS: Final = ColumnStops(3, 24, 30)
GIVEN: Final = LEVELS[1:]
"""Robot levels that can take over a seat permanently."""


class CompanyPage(FormPage):
    """Page that lists the people at a table and offers actions on seats."""

    ABOUT = "among the people of a table"
    SCOPE = COMPANY

    def __init__(
        self, context: PageContext, client: ClubClient, session: RemoteSession, ask: Callable[[ClientMessage], None]
    ) -> None:
        """Prepare the page; ``send`` sends a request to the host."""
        super().__init__(context)
        self._visiting, self._sits, self._ask = client, session, ask
        self._to: dict[Seat, int] = {}
        """Index into ``_receivers`` of the receiver selected for each seat that is to be given away."""
        self._lot = False

    @property
    def _master(self) -> str:
        row = self._visiting.tables.get(self._sits.table)
        return row.master if row else ""

    @property
    def _is_master(self) -> bool:
        return self._master == self._visiting.nick

    def columns(self, canvas: Canvas) -> list[Column]:
        """Return the occupants, the spectators and the actions available to this player."""
        seats = [words(self._words(seat), 3) for seat in range(len(self._sits.places))]
        looking = [heading("Watching"), words(sanitize(", ".join(self._sits.looking_on)), 3)]
        lines = [heading("At the table"), *seats, *(looking if self._sits.looking_on else []), EMPTY_ROW, *self._acts()]
        return [Column(MARGIN, canvas.width - 2 * MARGIN, lines)]

    def _words(self, seat: Seat) -> str:
        place = self._sits.places[seat]
        name, left = sanitize(place.name, 20), self._sits.away.get(seat)
        remarks = ["game master"] if place.name == self._master else []
        if place.robot:
            remarks.append("away, a robot plays" if place.away else "robot")
        elif place.away:
            remarks.append(f"away, the table waits another {left} s" if left else "away")
        return ", ".join([name, *remarks])

    def _acts(self) -> list[FormRow]:
        """Return a row for each action that is available to this player in the present stage of the session."""
        stage = self._sits.stage
        if stage is Stage.SESSION_END:
            return self._another_session()
        lines = [self._does(f"Sit down in {self._called(seat)}'s seat", SitDown(self._sits.table, seat), seat)
                 for seat, place in enumerate(self._sits.places) if place.offered == self._visiting.nick]  # fmt: skip
        away = self._sits.away
        if self._sits.people:
            lines += [self._robot(seat) for seat, left in away.items() if not left]
        if not self._is_master:
            return lines
        if stage is Stage.ROUND_END or any(away.values()):
            lines.append(self._does("Wait no longer", EndWait(self._sits.table), "wait"))
        if stage is Stage.ROUND_END:
            lines += [self._giving(seat) for seat, place in enumerate(self._sits.places) if place.away]
        return lines

    def _called(self, seat: Seat) -> str:
        return sanitize(self._sits.places[seat].name, 20)

    def _robot(self, seat: Seat) -> FormRow:
        text = f"Have a robot play for {self._called(seat)} until {self._called(seat)} is back, once all here want it"
        return self._does(text, StandIn(self._sits.table, seat), ("robot", seat))

    def _giving(self, seat: Seat) -> FormRow:
        to = self._receivers
        at = self._to.get(seat, 0) % len(to)
        nick, level = to[at]
        name, value = self._called(seat), f"offered to {nick}" if nick else f"to a {level} robot"

        def step(by: int) -> None:
            self._to[seat] = at + by

        row = choice(("give", seat), f"{name}'s seat", value, step, STOPS)
        row.on_press = partial(self._ask, GiveSeat(self._sits.table, seat, nick, level))
        row.keys = (("play", "give it for good"), ("left right", "to whom"))
        return row

    @property
    def _receivers(self) -> Sequence[tuple[str, str]]:
        """Possible receivers of a seat, each as (nick, level); the nick is empty for a robot.

        People qualify if they are in the club or watch the table, and have no seat at it.
        """
        sitting = [place.name for place in self._sits.places]
        here = dict.fromkeys([*self._sits.looking_on, *self._visiting.people])
        return [*[("", level) for level in GIVEN], *[(nick, GIVEN[0]) for nick in here if nick not in sitting]]

    def _another_session(self) -> list[FormRow]:
        again, table, own = self._sits.rematch_seats, self._sits.table, self._sits.people
        if not own:
            return []
        if not again and self._is_master:

            def step(_by: int) -> None:
                self._lot = not self._lot

            row = choice(
                "again", "Another session", "places by lot" if self._lot else "places as they are", step, STOPS
            )
            row.on_press = partial(self._ask, PlayAgain(table, self._lot))
            row.keys = (("play", "offer it"), ("left right", "places"))
            return [row]
        if not again:
            return [words(f"{self._master} can offer another session.", 3)]
        if own[0] not in again:
            return [self._does("Play another session", PlayAgain(table), "again")]
        return [words("Another session begins once all who stay have agreed.", 3)]

    def _does(self, text: str, message: ClientMessage, name: object) -> FormRow:
        def draw(where: scroll_list.Place) -> None:
            where.text(3, 0, text, where.name, bold=where.at)

        return FormRow(name=str(name), draw=draw, on_press=partial(self._ask, message), keys=(("play", "do it"),))

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        paint_page_header(canvas, self._sits.game.about.title, "who is at the table", self._visiting.nick)
        if refused := self._visiting.refusal:
            canvas.text(MARGIN, canvas.height - 2, sanitize(refused, canvas.width - 2 * MARGIN), canvas.theme.inks.loss)
        return [*self.line.keys, ("leave", "back")]

    def action_open(self) -> None:
        """Run the action under the cursor."""
        self.action_press()


ANOTHER_SESSION: Final = "Another session is offered: {new} plays it, {leave} leaves"
A_SEAT: Final = "You are offered a seat: {watch}, then Enter, to sit down"


class GuestTable(TableScreen):
    """Table screen of a session that a club hosts."""

    def __init__(
        self, context: PageContext, session: RemoteSession, client: ClubClient, ask: Callable[[ClientMessage], None]
    ) -> None:
        super().__init__(context, session)
        self._sits, self._visiting, self._ask = session, client, ask
        self._company: CompanyPage | None = None
        self._offered = ""

    def session_changed(self) -> None:
        """Update the table after the host has sent events or changes of the session."""
        if self.is_attached:
            self.driver.on_remote_data()

    def chat_changed(self) -> None:
        """Update the table after new chat messages."""
        if self.is_attached:
            self.driver.on_remote_message()

    def club_changed(self) -> None:
        """Repaint the open page of the people after a change in the club or a refused request."""
        if self._company and self._company.is_attached:
            self._company.repaint()

    def _show(self) -> None:
        if (offer := self._offer()) != self._offered:
            self._offered = self.driver.view_model.banner = offer
        super()._show()
        self.club_changed()

    def _offer(self) -> str:
        """Return the banner for an offer that the player has not answered yet; empty if there is none."""
        own, again = self._sits.people, self._sits.rematch_seats
        if own and again and own[0] not in again:
            return ANOTHER_SESSION
        return A_SEAT if any(place.offered == self._visiting.nick for place in self._sits.places) else ""

    def label_for(self, key: KeyBinding) -> str:
        if key.name in ("play", "choose") and self.frame.stage is Stage.SESSION_END:
            return "to the lobby"
        return {"new": "another session", "leave": "to the lobby"}.get(key.name) or super().label_for(key)

    def action_company(self) -> None:
        """Open the page of the people at the table."""
        self._company = CompanyPage(self._page_context, self._visiting, self._sits, self._ask)
        self.app.push_screen(PageScreen(self._company))

    def action_new_session(self, same_deal: bool) -> None:  # noqa: ARG002 - a club has no repeated deals
        """Open the page of the people at the table, where another session can be offered."""
        self.action_company()
