"""Table screen of a session that a club hosts, and the page of the people at that table."""

from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
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
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_choice_row,
    make_heading_row,
    make_text_row,
)
from cardtable.ui.toolkit.keys.bindings import COMPANY, FooterKeys, KeyBinding
from cardtable.ui.toolkit.keys.input_guard import Clock
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN

STOPS: Final = ColumnStops(3, 24, 30)
REPLACEMENT_LEVELS: Final = LEVELS[1:]
"""Levels of the robots that can take over a seat permanently."""


class PeoplePage(FormPage):
    """Page that lists the people at a table and offers the actions that concern seats and absent players."""

    SCOPE = COMPANY

    def __init__(
        self, context: PageContext, client: ClubClient, session: RemoteSession, send: Callable[[ClientMessage], None]
    ) -> None:
        """Create the page; ``send`` sends a request to the host without waiting for the result."""
        super().__init__(context)
        self._client, self._session, self._send = client, session, send
        self._receiver_indices: dict[Seat, int] = {}
        """Index into ``_receivers`` of the receiver that is selected for each seat; it is taken modulo their number."""
        self._draws_seats = False

    @property
    def _game_master(self) -> str:
        row = self._client.tables.get(self._session.table)
        return row.master if row else ""

    @property
    def _is_game_master(self) -> bool:
        return self._game_master == self._client.nick

    def build_columns(self, canvas: Canvas) -> list[Column]:
        """Return one column with the occupants, the spectators and the actions that this player can take."""
        seats = [make_text_row(self._describe_seat(seat), 3) for seat in range(len(self._session.seat_infos))]
        looking = [make_heading_row("Watching"), make_text_row(sanitize(", ".join(self._session.spectators)), 3)]
        lines = [
            make_heading_row("At the table"),
            *seats,
            *(looking if self._session.spectators else []),
            EMPTY_ROW,
            *self._list_action_rows(),
        ]
        return [Column(MARGIN, canvas.width - 2 * MARGIN, lines)]

    def _describe_seat(self, seat: Seat) -> str:
        place = self._session.seat_infos[seat]
        name, left = sanitize(place.name, 20), self._session.absences.get(seat)
        remarks = ["game master"] if place.name == self._game_master else []
        if place.robot:
            remarks.append("away, a robot plays" if place.away else "robot")
        elif place.away:
            remarks.append(f"away, the table waits another {left} s" if left else "away")
        return ", ".join([name, *remarks])

    def _list_action_rows(self) -> list[FormRow]:
        """Return a row for each action that this player can take at the present stage of the session."""
        stage = self._session.stage
        if stage is Stage.SESSION_END:
            return self._list_rematch_rows()
        lines = [
            self._create_action_row(
                f"Sit down in {self._format_name(seat)}'s seat", SitDown(self._session.table, seat), seat
            )
            for seat, place in enumerate(self._session.seat_infos)
            if place.offered == self._client.nick
        ]
        away = self._session.absences
        if self._session.people:
            lines += [self._create_robot_row(seat) for seat, left in away.items() if not left]
        if not self._is_game_master:
            return lines
        if stage is Stage.ROUND_END or any(away.values()):
            lines.append(self._create_action_row("Stop waiting", EndWait(self._session.table), "wait"))
        if stage is Stage.ROUND_END:
            lines += [self._create_give_row(seat) for seat, place in enumerate(self._session.seat_infos) if place.away]
        return lines

    def _format_name(self, seat: Seat) -> str:
        return sanitize(self._session.seat_infos[seat].name, 20)

    def _create_robot_row(self, seat: Seat) -> FormRow:
        text = (
            f"Have a robot play for {self._format_name(seat)} until "
            f"{self._format_name(seat)} is back, once all here agree"
        )
        return self._create_action_row(text, StandIn(self._session.table, seat), ("robot", seat))

    def _create_give_row(self, seat: Seat) -> FormRow:
        receivers = self._receivers
        index = self._receiver_indices.get(seat, 0) % len(receivers)
        nick, level = receivers[index]
        name, value = self._format_name(seat), f"offered to {nick}" if nick else f"to a {level} robot"

        def select_receiver(offset: int) -> None:
            self._receiver_indices[seat] = index + offset

        row = make_choice_row(("give", seat), f"{name}'s seat", value, select_receiver, STOPS)
        row.on_press = partial(self._send, GiveSeat(self._session.table, seat, nick, level))
        row.keys = {"play": "give it away for good", "left right": "to whom"}
        return row

    @property
    def _receivers(self) -> Sequence[tuple[str, str]]:
        """Possible receivers of a seat as pairs of nick and level; the nick is empty for a robot.

        A person can receive a seat if they are in the club or watch the table, and do not sit at it. The level in a
        person's pair has no effect.
        """
        sitting = [place.name for place in self._session.seat_infos]
        here = dict.fromkeys([*self._session.spectators, *self._client.present_nicks])
        return [
            *[("", level) for level in REPLACEMENT_LEVELS],
            *[(nick, REPLACEMENT_LEVELS[0]) for nick in here if nick not in sitting],
        ]

    def _list_rematch_rows(self) -> list[FormRow]:
        again, table, own = self._session.rematch_seats, self._session.table, self._session.people
        if not own:
            return []
        if not again and self._is_game_master:

            def step(_by: int) -> None:
                self._draws_seats = not self._draws_seats

            row = make_choice_row(
                "again", "Another session", "random seats" if self._draws_seats else "seats as they are", step, STOPS
            )
            row.on_press = partial(self._send, PlayAgain(table, self._draws_seats))
            row.keys = {"play": "offer it", "left right": "places"}
            return [row]
        if not again:
            return [make_text_row(f"{self._game_master} can offer another session.", 3)]
        if own[0] not in again:
            return [self._create_action_row("Play another session", PlayAgain(table), "again")]
        return [make_text_row("The new session starts once all who stay have agreed.", 3)]

    def _create_action_row(self, text: str, message: ClientMessage, row_name: object) -> FormRow:
        def draw(area: scroll_list.BlockArea) -> None:
            area.write(3, 0, text, area.name_ink, bold=area.has_cursor)

        return FormRow(name=str(row_name), draw=draw, on_press=partial(self._send, message), keys={"play": "do it"})

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, self._session.game.about.title, "who is at the table", self._client.nick)
        if refused := self._client.refusal:
            canvas.write(
                MARGIN, canvas.height - 2, sanitize(refused, canvas.width - 2 * MARGIN), canvas.theme.inks.loss
            )
        return {**self.current_row.keys, **self.SCOPE.footer}

    def action_open(self) -> None:
        """Run the action of the row under the cursor."""
        self.action_press()


REMATCH_OFFER: Final = "A new session is offered: {new} plays it, {leave} leaves"
SEAT_OFFER: Final = "You are offered a seat: {watch}, then Enter, to sit down"


class ClubTableScreen(TableScreen):
    """Table screen of a session that a club hosts, for a player or a spectator."""

    def __init__(
        self,
        context: PageContext,
        session: RemoteSession,
        client: ClubClient,
        send: Callable[[ClientMessage], None],
        clock: Clock = monotonic,
    ) -> None:
        super().__init__(context, session, clock)
        self._remote_session, self._client, self._send = session, client, send
        self._people_page: PeoplePage | None = None
        self._shown_offer = ""

    def update_session(self) -> None:
        """Show what the host has sent, or that the connection is lost, unless the screen is closed."""
        if self.is_attached:
            self.controller.on_remote_data()

    def update_chat(self) -> None:
        """Show new chat messages, unless the screen is closed."""
        if self.is_attached:
            self.controller.on_remote_message()

    def update_people(self) -> None:
        """Repaint the page of the people if it is open, after a change in the club or a refused request."""
        if self._people_page and self._people_page.is_attached:
            self._people_page.repaint()

    def show(self) -> None:
        if (offer := self._format_offer()) != self._shown_offer:
            self._shown_offer = self.controller.view_model.banner = offer
        super().show()
        self.update_people()

    def _format_offer(self) -> str:
        """Return the banner for an offer that the player has not accepted yet, or an empty string if there is none.

        The offer of another session precedes the offer of a seat.
        """
        own, again = self._remote_session.people, self._remote_session.rematch_seats
        if own and again and own[0] not in again:
            return REMATCH_OFFER
        return (
            SEAT_OFFER if any(place.offered == self._client.nick for place in self._remote_session.seat_infos) else ""
        )

    def label_for(self, key: KeyBinding) -> str:
        if key.name in ("play", "choose") and self.frame.stage is Stage.SESSION_END:
            return "to the lobby"
        return {"new": "another session", "leave": "to the lobby"}.get(key.name) or super().label_for(key)

    def action_stand_in(self) -> None:
        request = self._remote_session.request_substitute
        self.run_worker(self.controller.request_stand_in(request), group="stand in")

    def action_company(self) -> None:
        """Open the page of the people at the table."""
        self._people_page = PeoplePage(self._page_context, self._client, self._remote_session, self._send)
        self.app.push_screen(PageScreen(self._people_page))

    def action_new_session(self, same_deal: bool) -> None:  # noqa: ARG002 - a club has no repeated deals
        """Open the page of the people at the table, on which another session can be offered or accepted."""
        self.action_company()
