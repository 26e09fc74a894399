"""Table screen of a session that a club hosts, and the page of the people at that table."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from time import monotonic
from traceback import walk_tb
from typing import Final

from cardtable.club.client.client import ClubClient, format_round_call
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import (
    AdmitSpectators,
    ClientMessage,
    DeclineRematch,
    EndWait,
    GiveSeat,
    SendAway,
    SitDown,
    TableInfo,
    VoteRematch,
    VoteSubstitute,
)
from cardtable.engine.errors import POSITION_ERRORS, GameFailed
from cardtable.engine.game import Seat
from cardtable.engine.text_format import sanitize
from cardtable.robots.kit.levels import LEVELS
from cardtable.session.session_events import Stage
from cardtable.ui.club.people_pages import (
    ClubPage,
    InvitationPage,
    create_action_row,
    create_talk_row,
)
from cardtable.ui.keys.bindings import COMPANY, AnyKeyBinding
from cardtable.ui.keys.input_guard import Clock
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    ColumnStops,
    FormRow,
    make_choice_row,
    make_heading_row,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen, ask, start_worker
from cardtable.wording.terms import describe_leaving, format_loss, format_terms

STOPS: Final = ColumnStops(3, 24, 30)
REPLACEMENT_LEVELS: Final = LEVELS[1:]
"""Levels of the robots that can take over a seat permanently."""


class PeoplePage(ClubPage):
    """Page that lists the people at a table and offers the actions that concern seats and absent players."""

    SCOPE = COMPANY

    def __init__(
        self, context: PageContext, client: ClubClient, send: Callable[[ClientMessage], None], session: RemoteSession
    ) -> None:
        super().__init__(context, client, send)
        self._session = session
        self._receiver_indices: dict[Seat, int] = {}
        """Index into ``_receivers`` of the receiver that is selected for each seat; it is taken modulo their number."""
        self._draws_seats = False

    @property
    def _table_info(self) -> TableInfo | None:
        return self._client.tables.get(self._session.table)

    @property
    def _game_master(self) -> str:
        return self._table_info.master if self._table_info else ""

    @property
    def _is_game_master(self) -> bool:
        return self._game_master == self._client.nick

    @property
    def header_texts(self) -> Sequence[str]:
        context = ", ".join(filter(None, ("who is at the table", format_terms(self._session.header.terms))))
        return self._session.game.about.title, context, self._client.nick

    def list_rows(self) -> list[FormRow]:
        """Return the occupants, the spectators and the actions that this player can take."""
        rows = [make_heading_row("At the table")]
        rows += [
            self._create_person_row(info.name, self._describe_seat(seat))
            for seat, info in enumerate(self._session.seat_infos)
        ]
        if self._session.spectators:
            rows += [make_heading_row("Watching"), *map(self._create_spectator_row, self._session.spectators)]
        actions = [*self._list_action_rows(), *self._list_access_rows()]
        rows += [EMPTY_ROW, *actions]
        action_names = [row.name for row in actions if row.name is not None]
        if action_names and self.cursor not in [row.name for row in rows if row.name is not None]:
            self.cursor = action_names[0]
        return rows

    def _create_person_row(self, nick: str, text: str) -> FormRow:
        """Return the row of a person at the table, described by ``text``; the talk of others can be hidden."""
        is_robot = any(info.name == nick and info.robot and not info.away for info in self._session.seat_infos)
        if is_robot or nick == self._client.nick:
            return make_text_row(sanitize(text), 3)
        return create_talk_row(self._client, nick, text)

    def _create_spectator_row(self, nick: str) -> FormRow:
        """Return the row of a spectator, whom the game master can send away unless they own a seat."""
        row = self._create_person_row(nick, nick)
        if self._is_game_master and nick not in [info.name for info in self._session.seat_infos]:
            row.on_press = partial(self._send, SendAway(self._session.table, nick))
            row.keys = {"play": "send away for good", **row.keys}
        return row

    def _list_access_rows(self) -> list[FormRow]:
        """Return the rows by which the game master decides who may watch."""
        info = self._table_info
        if info is None or not self._is_game_master:
            return []
        text = "Open the table to spectators" if info.no_spectators else "Close the table to spectators"
        admit = AdmitSpectators(info.table, admitted=info.no_spectators)
        rows = [self._create_action_row(text, admit, "spectators")]
        if info.private:
            text = "Invite people to watch, or withdraw invitations"
            rows.append(create_action_row("invite", text, self._invite, "open"))
        return rows

    def _invite(self) -> None:
        """Open the page of the invitations to the table."""
        page = InvitationPage(self.context, self._client, self._send, self._session.table)
        self.app.push_screen(PageScreen(page))

    def _describe_seat(self, seat: Seat) -> str:
        info, seconds = self._session.seat_infos[seat], self._session.absences.get(seat)
        remarks = ["game master"] if info.name == self._game_master else []
        if reason := self._session.lost.get(seat):
            remarks += [format_loss(reason), "a robot plays on"]
        elif info.robot:
            remarks.append("away, a robot plays" if info.away else "robot")
        elif info.away:
            remarks.append(f"away, the table waits another {seconds} s" if seconds else "away")
        return ", ".join([self._format_name(seat), *remarks])

    def _list_action_rows(self) -> list[FormRow]:
        """Return a row for each action that this player can take at the present stage of the session."""
        stage = self._session.stage
        if stage is Stage.SESSION_END:
            return self._list_rematch_rows()
        rows = [
            self._create_action_row(
                f"Sit down in {self._format_name(seat)}'s seat", SitDown(self._session.table, seat), seat
            )
            for seat, info in enumerate(self._session.seat_infos)
            if info.offered == self._client.nick
        ]
        stop_waiting = self._create_action_row("Stop waiting", EndWait(self._session.table), "wait")
        if self._session.is_rated:  # whoever is away too long loses, and nobody has a say in it
            return [stop_waiting] if self._is_game_master and stage is Stage.ROUND_END else []
        absences = self._session.absences
        if self._session.people:
            rows += [self._create_robot_row(seat) for seat, seconds in absences.items() if not seconds]
        if self._is_game_master and (stage is Stage.ROUND_END or any(absences.values())):
            rows.append(stop_waiting)
        if self._is_game_master and stage is Stage.ROUND_END:
            away = [seat for seat, info in enumerate(self._session.seat_infos) if info.away]
            rows += [self._create_give_row(seat) for seat in away if seat not in self._session.lost]
        rematch = self._list_rematch_rows()
        return [*rematch, *rows] if self._session.rematch_seats else [*rows, *rematch]

    def _format_name(self, seat: Seat) -> str:
        return sanitize(self._session.seat_infos[seat].name, 20)

    def _create_robot_row(self, seat: Seat) -> FormRow:
        name = self._format_name(seat)
        text = f"Have a robot play for {name} until {name} is back, once all here agree"
        return self._create_action_row(text, VoteSubstitute(self._session.table, seat), ("robot", seat))

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
        sitting = [info.name for info in self._session.seat_infos]
        nicks = dict.fromkeys([*self._session.spectators, *self._client.lobby.present_nicks])
        return [
            *[("", level) for level in REPLACEMENT_LEVELS],
            *[(nick, REPLACEMENT_LEVELS[0]) for nick in nicks if nick not in sitting],
        ]

    def _list_rematch_rows(self) -> list[FormRow]:
        agreed, table, own = self._session.rematch_seats, self._session.table, self._session.people
        is_over = self._session.stage is Stage.SESSION_END
        if not self._session.has_own_seat:
            return []
        if not agreed and self._is_game_master:

            def step(_by: int) -> None:
                self._draws_seats = not self._draws_seats

            row = make_choice_row(
                "again",
                "Another session",
                "random seats" if self._draws_seats else "seats as they are",
                step,
                STOPS,
                help_text="" if is_over else "Once all who are here agree, it begins, and this one stays unfinished.",
                indent=3,
            )
            row.on_press = partial(self._send, VoteRematch(table, self._draws_seats))
            row.keys = {"play": "offer it", "left right": "places"}
            return [row]
        if not agreed:
            text = f"{self._game_master} can offer another session."
            return [make_text_row(text, 3)] if is_over and self._game_master else []
        if own[0] not in agreed:
            accept = "Play another session" if is_over else "Play another session; this one stays unfinished"
            decline = [] if is_over else [self._create_action_row("Rather play on", DeclineRematch(table), "decline")]
            return [self._create_action_row(accept, VoteRematch(table), "again"), *decline]
        voters = "stay" if is_over else "are here"
        rows = [make_text_row(f"The new session starts once all who {voters} have agreed.", 3)]
        if agreed[0] == own[0] and not is_over:
            rows.append(self._create_action_row("Withdraw the offer", DeclineRematch(table), "decline"))
        return rows

    def _create_action_row(self, text: str, message: ClientMessage, row_name: object) -> FormRow:
        return create_action_row(str(row_name), text, partial(self._send, message), "do it")

    def move_cursor_to(self, name: Hashable) -> None:
        """Move the cursor, and remove the reason why the last request was refused."""
        self._client.refusal = ""
        super().move_cursor_to(name)


ROUND_CALL: Final = "{{leave}}, then Enter: check in. {}"
REMATCH_OFFER: Final = "A new session is offered: {new} plays it, {leave} leaves"
EARLY_OFFER: Final = "A new session is offered, this one unfinished: {new} to answer"
_SHOWING_PACKAGES: Final = (
    "cardtable.engine",
    "cardtable.games",
    "cardtable.ui.game_view",
    "cardtable.ui.round_view",
    "cardtable.ui.table",
)
"""Packages whose code shows positions."""
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
        self._leave_question: Dialog | None = None
        self._is_undrawable = False

    def leave_after(self, error: Exception) -> bool:
        """Return to the lobby, which shows the reason, if the position that the host has sent cannot be drawn.

        Return False for an error in whose calls no position is shown, such as in a page above the table.
        """
        modules = [str(frame.f_globals.get("__name__")) for frame, _ in walk_tb(error.__traceback__)]
        shows_position = any(module.startswith(_SHOWING_PACKAGES) for module in modules)
        if not isinstance(error, (GameFailed, *POSITION_ERRORS)) or not shows_position:
            return False
        if not self._is_undrawable:
            self._is_undrawable = True
            if self._play_worker:
                self._play_worker.cancel()
            self._client.leave_undrawable_table(self._remote_session, error)
            self._page_context.leave(self)
        return True

    async def on_unmount(self) -> None:
        """Leave at once, even if the host has not answered a request; Textual calls the handler of the parent, too."""
        self._remote_session.stop_waiting()

    def update_session(self) -> None:
        """Show what the host has sent, or that the connection is lost, unless the screen is closed."""
        if self.is_attached:
            self.controller.on_remote_data()

    def update_chat(self) -> None:
        """Show new chat messages, unless the screen is closed."""
        if self.is_attached:
            self.call_later(self.controller.on_message)  # its errors are those of this screen, not of the visit

    def show(self) -> None:
        if self._is_undrawable:
            return
        if (offer := self._format_offer()) != self._shown_offer:
            self._shown_offer = offer
            self.view_model.update(notice=offer)
        self.view_model.update(can_play_again=self.can_play_again)
        super().show()
        if self._leave_question and not self._remote_session.loses_by_leaving:
            self._leave_question.action_refuse()
        if self._people_page and self._people_page.is_attached:
            self._people_page.update_content()

    def _format_offer(self) -> str:
        """Return the banner for an offer that the player has not accepted yet, or an empty string if there is none.

        The call to a round of a tournament comes first, then the offer of another session, then that of a seat. Those
        of hidden people have no banner.
        """
        if call := self._client.round_call:
            return ROUND_CALL.format(format_round_call(call))
        session, row = self._remote_session, self._client.tables.get(self._remote_session.table)
        own, agreed = session.people, session.rematch_seats
        if session.has_own_seat and agreed and own[0] not in agreed and not session.is_hidden_seat(agreed[0]):
            return REMATCH_OFFER if session.stage is Stage.SESSION_END else EARLY_OFFER
        is_offered = any(info.offered == self._client.nick for info in session.seat_infos)
        return SEAT_OFFER if is_offered and not (row and self._client.hidden_people.is_hidden(row.master)) else ""

    @property
    def can_play_again(self) -> bool:
        """True if another session can be offered or accepted, which nobody does in a tournament."""
        session, row = self._remote_session, self._client.tables.get(self._remote_session.table)
        is_allowed = self.frame.is_over or not session.is_rated
        return row is not None and bool(row.master) and session.has_own_seat and is_allowed

    def label_for(self, key: AnyKeyBinding) -> str:
        if key.name in ("play", "choose") and self.frame.is_over:
            return "to the lobby"
        return {"new": "another session", "leave": "to the lobby"}.get(key.name) or super().label_for(key)

    def _leave(self) -> None:
        """Leave the table; a rated session only after a question, since whoever stays away loses it."""
        if self._preferences.settings.confirm and self._remote_session.loses_by_leaving:
            self._page_context.run_later(self._leave_after_question)
        else:
            super()._leave()

    async def _leave_after_question(self) -> None:
        row = self._client.tables.get(self._remote_session.table)
        if not self.is_current or row is None:
            return
        look, text = self._preferences.appearance, describe_leaving(row.grace)
        self._leave_question = Dialog(look, "Leave a rated session?", text, "leave", "keep playing")
        if await ask(self._leave_question) is not None:
            super()._leave()

    def action_stand_in(self) -> None:
        start_worker(self, "stand in", self.controller.request_stand_in, self._remote_session.request_substitute)

    def action_company(self) -> None:
        """Open the page of the people at the table."""
        self._client.refusal = ""
        self._people_page = PeoplePage(self._page_context, self._client, self._send, self._remote_session)
        self.app.push_screen(PageScreen(self._people_page))

    def action_new_session(self, same_deal: bool) -> None:  # noqa: ARG002 - a club has no repeated deals
        """Open the page of the people at the table, on which another session can be offered or accepted."""
        self.action_company()
