"""Rows and pages with which the host of a club, opened from the running program, keeps order in it."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import astuple

from cardtable.club.administration import (
    Announce,
    AnyCommand,
    Approve,
    BanPerson,
    ChangeCode,
    CloseTable,
    Done,
    Forget,
    Invite,
    Kick,
    MutePerson,
    PresentPerson,
    Reject,
    Restriction,
    RevokeTokens,
    SetApproval,
    Unban,
    Unmute,
    shorten_table_id,
)
from cardtable.club.protocol import RequestFailed, ServerMessage
from cardtable.club.server.limits import LIMITS
from cardtable.club.table_text import format_stage, format_time
from cardtable.engine.text_format import capitalize_first, format_count, sanitize
from cardtable.ui.keys.bindings import OPEN_TO_OTHERS, FooterKeys
from cardtable.ui.toolkit import scroll_list
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_bright_row,
    make_choice_row,
    make_heading_row,
    make_single_column,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.questions import ask
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

if TYPE_CHECKING:  # needs the club's optional libraries
    from cardtable.ui.club.local_server import LocalServer

STOPS: Final = ColumnStops(3, 20, 30)
REFRESH_SECONDS: Final = 1.0
"""Interval at which the people and tables of the open club are read, in seconds."""
MAX_MESSAGE_LENGTH: Final = 180
MAX_LINE_LENGTH: Final = 160
"""Maximum length of a line of an invitation, in characters."""
MAX_REASON_LENGTH: Final = 120
_HOUR: Final = 3600
PERIODS: Final = (
    ("1 hour", _HOUR),
    ("2 hours", 2 * _HOUR),
    ("1 day", 24 * _HOUR),
    ("7 days", 7 * 24 * _HOUR),
    ("ever", None),
)
"""Durations of a ban or mute: name and number of seconds."""
_BACK: Final = "go back"


class KeeperActs:
    """Acts of the host in the open club, whose results are shown on a page."""

    def __init__(self, page: FormPage, server: "LocalServer") -> None:
        self._page, self._server, self._is_refreshing = page, server, False

    def start(self) -> None:
        """Read the people and tables of the open club at intervals while the page exists."""
        self._page.set_interval(REFRESH_SECONDS, self.start_refresh)
        self.start_refresh()

    def start_refresh(self) -> None:
        """Read the people and tables of the club anew, and show them."""
        if not self._is_refreshing:
            self._is_refreshing = True
            self._page.run_worker(self._refresh(), group="refresh")

    async def _refresh(self) -> None:
        try:
            await self._server.refresh()
        finally:
            self._is_refreshing = False
        self._page.repaint()

    def execute(self, command: AnyCommand) -> None:
        """Give a command to the club, and show the result."""

        async def run() -> None:
            self.show_result(await self._server.execute(command))
            await self._refresh()

        self._page.run_worker(run(), group="keeper")

    def show_result(self, result: ServerMessage | None) -> None:
        """Show the result of a command in a notification."""
        match result:
            case RequestFailed(reason):
                self._page.app.notify(capitalize_first(sanitize(reason)), markup=False, severity="warning")
            case Done(text, details=()):
                self._page.app.notify(sanitize(text, 400), markup=False)
            case _:
                pass

    async def confirm(self, title: str, text: str, yes_label: str, command: AnyCommand) -> None:
        """Ask for confirmation, and give a command to the club after it."""
        if await self._page.context.confirm(title, text, yes_label, _BACK):
            self.execute(command)

    async def ask_text(
        self,
        title: str,
        text: str,
        yes_label: str,
        create_command: Callable[[str], AnyCommand],
        *,
        empty_label: str = "",
    ) -> None:
        """Ask for a line of text, and give the command that ``create_command`` creates with it to the club.

        ``empty_label`` describes the effect of an empty line; if it is empty, there must be a text.
        """
        dialog = Dialog(
            self._page.appearance,
            title,
            text,
            yes_label,
            _BACK,
            initial_text="",
            empty_label=empty_label,
            max_length=MAX_REASON_LENGTH,
        )
        answer = await ask(dialog)
        if answer is not None:
            self.execute(create_command(answer))


def create_action_row(name: object, text: str, on_press: Callable[[], object], key_label: str) -> FormRow:
    """Return a row with an action, which Enter runs; ``key_label`` describes it in the footer."""

    def draw(area: scroll_list.BlockArea) -> None:
        area.write(3, 0, text, area.name_ink, bold=area.has_cursor)

    return FormRow(name=name, draw=draw, on_press=on_press, keys={"play": key_label, "left right": ""})


def create_fact_row(
    name: object, title: str, facts: str, remark: str, on_press: Callable[[], object], key_label: str
) -> FormRow:
    """Return a row with a title, facts about it and a remark at the right; Enter calls ``on_press``."""

    def draw(area: scroll_list.BlockArea) -> None:
        begins = area.write_right(0, remark, area.quiet_ink) if remark else area.width
        end = area.write(3, 0, sanitize(title, 40), area.name_ink, bold=area.has_cursor) - area.x
        area.write(
            max(end + 1, 12), 0, sanitize(facts), area.muted_ink, max_width=max(begins - max(end + 1, 12) - 1, 0)
        )

    return FormRow(name=name, draw=draw, on_press=on_press, keys={"play": key_label, "left right": ""})


def create_person_row(person: PresentPerson, on_press: Callable[[], object]) -> FormRow:
    """Return the row of a person in the club."""
    doors = ", ".join(dict.fromkeys([f"{each.door} {each.address}" for each in person.connections]))
    tables = ", ".join(map(shorten_table_id, person.tables))
    kind = "player" if person.is_member else "guest"
    facts = ", ".join(filter(None, ("muted" if person.is_muted else "", kind, tables, doors)))
    since = f"since {format_time(person.connections[0].since)}" if person.connections else ""
    return create_fact_row(("person", person.nick), person.nick, facts, since, on_press, "what to do")


class ClubRows(KeeperActs):
    """Rows of the page of an open club: newcomers, people, tables, bans and what concerns the whole club."""

    def __init__(self, page: FormPage, server: "LocalServer") -> None:
        super().__init__(page, server)
        self._message_input = TextInput(MAX_MESSAGE_LENGTH)
        self._personal_invitation: Done | None = None
        """Invitation that was created last; ``None`` if none was."""
        self._answers: dict[str, int] = {}
        """Selected answer to each newcomer, by nick: 0 to let them in, 1 to refuse them."""

    def list_rows(self) -> list[FormRow]:
        return [
            *self._list_newcomer_rows(),
            *self._list_people_rows(),
            *self._list_table_rows(),
            *self._list_ban_rows(),
            *self._list_club_rows(),
        ]

    def _list_newcomer_rows(self) -> list[FormRow]:
        """Return a row for each newcomer who waits, and for each choice between letting them in and not."""
        rows = []
        for each in self._server.people.approval.newcomers:
            name, index = ("newcomer", each.nick, each.address), self._answers.get(each.nick, 0)
            command = (Approve, Reject)[index](each.nick, each.address)
            row = make_choice_row(
                name,
                each.nick,
                ("let them in", "refuse for an hour")[index],
                partial(self._step_answer, each.nick),
                STOPS,
            )
            row.on_press, row.keys = partial(self.execute, command), {"play": "do it"}
            row.help_text, row.indent = f"from {each.address} since {format_time(each.since)}", STOPS.value
            rows.append(row)
        return [make_heading_row("Waiting to be let in", STOPS.label), *rows, EMPTY_ROW] if rows else []

    def _step_answer(self, nick: str, _step: int) -> None:
        self._answers[nick] = 1 - self._answers.get(nick, 0)

    def _list_people_rows(self) -> list[FormRow]:
        people = self._server.people.people
        rows = [create_person_row(each, partial(self._open_person, each.nick)) for each in people]
        return [make_heading_row("Here", STOPS.label), *(rows or [make_text_row("Nobody.", STOPS.label)]), EMPTY_ROW]

    def _open_person(self, nick: str) -> None:
        page = PersonPage(self._page.context, self._server, nick)
        self._page.app.push_screen(PageScreen(page))

    def _list_table_rows(self) -> list[FormRow]:
        rows = []
        for row in self._server.tables:
            people = ", ".join([place.name for place in row.places if place.name and not place.robot])
            close = partial(self._ask_to_close, row.table)
            facts = f"{format_stage(row)}, {people or 'nobody'}"
            rows.append(
                create_fact_row(("table", row.table), shorten_table_id(row.table), facts, "", close, "close it")
            )
        return [make_heading_row("Tables", STOPS.label), *rows, EMPTY_ROW] if rows else []

    async def _ask_to_close(self, table: str) -> None:
        await self.ask_text(
            f"Close the table {shorten_table_id(table)}?",
            "Its session can be resumed. A reason that its people read; it may be empty.",
            "close it",
            lambda reason: CloseTable(table, reason),
            empty_label="close it without a reason",
        )

    def _list_ban_rows(self) -> list[FormRow]:
        bans, mutes = self._server.bans.bans, self._server.bans.mutes
        rows = [
            *[self._create_ban_row("banned", each, Unban(each.target.split(", ")[0])) for each in bans],
            *[self._create_ban_row("muted", each, Unmute(each.target)) for each in mutes],
        ]
        return [make_heading_row("Banned and muted", STOPS.label), *rows, EMPTY_ROW] if rows else []

    def _create_ban_row(self, kind: str, restriction: Restriction, command: AnyCommand) -> FormRow:
        target = restriction.target
        end = f"until {restriction.end}" if restriction.until else restriction.end
        ask = partial(self.confirm, f"Is {target} to be {kind} no longer?", "It ends at once.", "end it", command)
        return create_fact_row((kind, target), target, kind, end, ask, "end it")

    def _list_club_rows(self) -> list[FormRow]:
        requires_approval = self._server.people.approval.is_required
        approval = make_choice_row(
            "approval",
            "Newcomers",
            "wait for you" if requires_approval else "need no approval",
            lambda _step: self.execute(SetApproval("off" if requires_approval else "on")),
            STOPS,
        )
        return [
            make_heading_row("The club", STOPS.label),
            self._create_message_row(),
            approval,
            create_action_row("invite", "Invite somebody, who needs no code", self._ask_to_invite, "invite"),
            *self._list_personal_invitation_rows(),
            create_action_row("code", "A new code for newcomers", self._ask_to_change_code, "change it"),
            create_action_row("limits", "What guests can use at most", self._open_limits, "read"),
            create_action_row("everybody", "A new code, and everybody out", self._ask_to_disconnect_all, "change it"),
        ]

    def _open_limits(self) -> None:
        self._page.app.push_screen(PageScreen(LimitsPage(self._page.context)))

    def _create_message_row(self) -> FormRow:
        def draw(area: scroll_list.BlockArea) -> None:
            x, width = area.x + STOPS.label, area.width - STOPS.label - 1
            paint_text_input(
                area.canvas,
                x,
                area.y,
                width,
                self._message_input,
                "say something to everybody",
                has_focus=area.has_cursor,
            )

        return FormRow(
            name="say",
            draw=draw,
            text_input=self._message_input,
            on_press=self._send_message,
            keys={"play": "send", "left right": ""},
        )

    def _send_message(self) -> None:
        if sanitize(self._message_input.text).strip():
            self.execute(Announce(self._message_input.text))
            self._message_input.clear()

    async def _ask_to_invite(self) -> None:
        await self.ask_text("Whom do you invite?", "The nick that they have or get here.", "invite", Invite)

    def _list_personal_invitation_rows(self) -> list[FormRow]:
        invited = self._personal_invitation
        if invited is None:
            return []
        lines = [make_bright_row(sanitize(line, MAX_LINE_LENGTH), STOPS.label + 2) for line in invited.details]
        return [make_text_row(invited.text, STOPS.label + 2), *lines]

    async def _ask_to_change_code(self) -> None:
        text = "Newcomers need the new one. People who have been here come back without it."
        await self.confirm("Change the code?", text, "change it", ChangeCode())

    async def _ask_to_disconnect_all(self) -> None:
        text = "Everybody is disconnected, and nobody comes back without the new code. Invitations end."
        command = ChangeCode(everybody=True, except_nick=self._page.context.nick)
        await self.confirm("Change the code, and disconnect everybody?", text, "disconnect all", command)

    def show_result(self, result: ServerMessage | None) -> None:
        if isinstance(result, Done) and result.details:
            self._personal_invitation = result
        super().show_result(result)


class LimitsPage(FormPage):
    """Page with all limits on guests."""

    SCOPE = OPEN_TO_OTHERS

    def build_columns(self, canvas: Canvas) -> list[Column]:
        rows = [
            make_text_row(f"{each.what} of each {each.per}: {each.extent}", 3, name=each) for each in astuple(LIMITS)
        ]
        return make_single_column(canvas, rows)

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "Limits", "in your club")
        return {**self.SCOPE.footer, "play": "", "left right": "", "leave": "back"}


class PersonPage(FormPage):
    """Page of one person in the club, with what the host can do about them."""

    SCOPE = OPEN_TO_OTHERS

    def __init__(self, context: PageContext, server: "LocalServer", nick: str) -> None:
        super().__init__(context)
        self._server, self._acts = server, KeeperActs(self, server)
        self._nick, self._period = nick, 1

    def on_mount(self) -> None:
        self._acts.start()

    @property
    def _person(self) -> PresentPerson | None:
        return next((each for each in self._server.people.people if each.nick == self._nick), None)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        person = self._person
        lines = [*self._list_facts(person), EMPTY_ROW, *self._list_actions(person)]
        return make_single_column(canvas, lines)

    def _list_facts(self, person: PresentPerson | None) -> list[FormRow]:
        if person is None:
            return [make_text_row(f"{self._nick} is not here any more.", 3)]
        devices = format_count(person.tokens + person.keys, "device")
        return [
            make_text_row(f"{'A player' if person.is_member else 'A guest'} of the club, known on {devices}", 3),
            *[
                make_text_row(f"By {each.door} from {each.address} since {format_time(each.since)}", 3)
                for each in person.connections
            ],
            *[make_text_row(f"At the table {shorten_table_id(table)}", 3) for table in person.tables],
            *([make_text_row("Muted", 3)] if person.is_muted else []),
        ]

    def _list_actions(self, person: PresentPerson | None) -> list[FormRow]:
        nick, (period, seconds) = self._nick, PERIODS[self._period]
        lasting = "for ever" if seconds is None else f"for {period}"
        returns = "nobody but you can end this" if seconds is None else f"{nick} can come back after that"
        rows = []
        if person is not None:
            rows.append(create_action_row("kick", f"Disconnect {nick}, who may come back", self._kick, "disconnect"))
        rows.append(make_choice_row("period", "For how long", lasting, self._step_period, STOPS))
        if person is not None and person.is_muted:
            rows.append(
                create_action_row("unmute", "Let them talk again", partial(self._acts.execute, Unmute(nick)), "do it")
            )
        else:
            mute = partial(self._acts.execute, MutePerson(nick, seconds))
            rows.append(create_action_row("mute", f"Mute {nick} {lasting}", mute, "mute"))
        text = f"{nick} is disconnected now, and {returns}."
        ban = partial(self._acts.confirm, f"Ban {nick} {lasting}?", text, "ban", BanPerson(nick, seconds))
        rows.append(create_action_row("ban", f"Ban {nick} {lasting}", ban, "ban"))
        if person is not None:
            text = f"All who are here from the same address are disconnected, too. {capitalize_first(returns)}."
            title = f"Ban {nick} and the address {lasting}?"
            ban = partial(self._acts.confirm, title, text, "ban", BanPerson(nick, seconds, address=True))
            rows.append(create_action_row("address", f"Ban {nick} and the address {lasting}", ban, "ban"))
        return [*rows, EMPTY_ROW, make_heading_row("Account", 3), *self._list_account_actions()]

    def _list_account_actions(self) -> list[FormRow]:
        nick = self._nick
        text = f"{nick} is disconnected. A player comes back by password, a guest by your invitation."
        revoke = partial(self._acts.confirm, "Revoke tokens and keys?", text, "revoke", RevokeTokens(nick))
        warning = (
            f"{nick} is disconnected. A player must enter the password again. The nick of a guest is free, and the "
            "next person who takes it gets its seats in unfinished sessions."
        )
        forget = partial(self._acts.confirm, f"Forget {nick}?", warning, "forget", Forget(nick))
        return [
            create_action_row("revoke", "Revoke all devices, for a lost one", revoke, "revoke"),
            create_action_row("forget", "Forget the nick and all devices", forget, "forget"),
        ]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, sanitize(self._nick, 40), "in your club")
        return {**self.SCOPE.footer, **self.current_row.keys, "leave": "back"}

    def _step_period(self, step: int) -> None:
        self._period = (self._period + step) % len(PERIODS)

    async def _kick(self) -> None:
        await self._acts.ask_text(
            f"Disconnect {self._nick}?",
            "A reason that they read; it may be empty.",
            "disconnect",
            lambda reason: Kick(self._nick, reason),
            empty_label="disconnect without a reason",
        )
