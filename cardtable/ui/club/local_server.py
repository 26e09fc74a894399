"""Club that this program hosts: its server, and the rows and pages with which the host keeps order in it.

The server runs in a thread with an event loop of its own, so that screens and server cannot block each other.

Each command of the host has a form, which is made from its message as the command line is.
"""

import asyncio
import errno
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import Thread
from typing import Final

from msgspec.structs import astuple

from cardtable.club import administration
from cardtable.club.addresses import LOCALHOST, BindError
from cardtable.club.administration import (
    Bans,
    CommandField,
    HostCommand,
    ListBans,
    ListPeople,
    ListTables,
    People,
    Tables,
    get_words,
    list_fields,
    shorten_table_id,
)
from cardtable.club.protocol import RequestFailed, ServerMessage, TableInfo
from cardtable.club.server import server
from cardtable.club.server.accounts import generate_code
from cardtable.club.server.club_file import read_club_file
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.requests import execute_request
from cardtable.club.server.server import ClubServer
from cardtable.club.server.server_options import ServerOptions
from cardtable.club.table_text import format_stage, format_time
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import capitalize_first, format_count, sanitize
from cardtable.ui.keys.bindings import OPEN_TO_OTHERS, FooterKeys
from cardtable.ui.toolkit import scroll_list
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    ColumnStops,
    FormPage,
    FormRow,
    make_button_row,
    make_choice_row,
    make_heading_row,
    make_input_row,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen, start_worker
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording.formatting import read_docstring, read_summary

MAX_LOG_LINES: Final = 50
"""Number of lines of the host's log that are retained; older ones are dropped."""


class LocalServer:
    """Controller of the club server that runs inside this program.

    After ``stop`` it can be started again.
    """

    def __init__(self) -> None:
        self.code: Final = read_club_file().code or generate_code()
        """Proposed access code for a club on the network: the code of the last club, or a new one."""
        self._club: ClubServer | None = None
        """Open club; ``None`` while it is closed."""
        self.url = ""
        """WebSocket address by which the client in this program reaches the club."""
        self.owner_token = ""
        """Token by which the club recognises the player at this program as its owner; empty until a club is open."""
        self.people = People(())
        """People in the open club, and newcomers who wait, when ``refresh`` was last called; so are the following."""
        self.tables: tuple[TableInfo, ...] = ()
        self.bans = Bans((), ())
        self.log: Final[deque[str]] = deque(maxlen=MAX_LOG_LINES)
        """Lines of the host's log, the newest last."""
        self.on_change: Callable[[], object] = lambda: None
        """Callback that is called in the screens' event loop after the log or the invitation has changed."""

    @property
    def invitation(self) -> tuple[str, ...]:
        """Lines of the invitation, the first of which states that the club is open; empty while it is closed."""
        return self._club.invitation if self._club else ()

    @property
    def disk_warning(self) -> str | None:
        """Warning about the size of the open club's sessions; ``None`` if there is none."""
        use = self._club.lobby.disk_space.use if self._club else None
        return str(use) if use and use.stage else None

    @property
    def required_code(self) -> str:
        """Access code that clients of the open club must send; empty if none is required, or no club is open."""
        return self._club.lobby.accounts.code if self._club else ""

    async def execute(self, command: HostCommand) -> ServerMessage | None:
        """Execute a command of the administrator in the open club, and return its result.

        The command is executed to its end even if the caller is cancelled.
        """
        club = self._club
        if club is None or self._is_stopping:
            return RequestFailed("the club is closed")
        running = asyncio.run_coroutine_threadsafe(execute_request(club.administration, command), self._server_loop)
        return await asyncio.shield(asyncio.wrap_future(running))

    async def refresh(self) -> None:
        """Read people, tables and bans of the open club anew; nothing happens if it is closed."""
        for command in (ListPeople(), ListTables(), ListBans()):
            match await self.execute(command):
                case People() as people:
                    self.people = people
                case Tables(tables):
                    self.tables = tables
                case Bans() as bans:
                    self.bans = bans
                case _:
                    pass

    def start(
        self, name: str, *, on_network: bool, code: str, port: int, ssh_port: int | None, web_port: int | None
    ) -> None:
        """Start the server in a thread and return at once; ``wait_until_open`` reports the outcome.

        ``name`` is the name of the club. With ``on_network`` the club is open to the network, otherwise to this machine
        only. ``code`` is the required access code, empty for none. ``port``, ``ssh_port`` and ``web_port`` are the
        ports of the WebSocket, ssh and browser endpoints: 0 selects any free port, and ``None`` omits the endpoint.
        ``stop`` must be called before the program ends.
        """
        self._main_loop, self._is_stopping = asyncio.get_running_loop(), False
        self._opened: asyncio.Future[ClubServer] = self._main_loop.create_future()
        self._ended: asyncio.Future[None] = self._main_loop.create_future()
        options = ServerOptions(name, "" if on_network else LOCALHOST, port, code, ssh_port=ssh_port, web_port=web_port)
        try:
            Thread(target=self._run, args=(options,), daemon=True).start()
        except RuntimeError as error:
            self._fail(OSError(str(error)))

    async def wait_until_open(self) -> None:
        """Wait until the server accepts clients, then set the club, the address and the owner's token.

        Raises ``CardtableError`` if the club cannot be opened, and ``ImportError`` if a library of the ssh or browser
        endpoint is not installed.
        """
        await asyncio.wait([self._opened])  # continues even if the caller is cancelled
        try:
            club = self._opened.result()
        except BindError as error:
            if error.number != errno.EADDRINUSE:
                raise
            reason = f"another program of this machine listens at port {error.port}; choose another"
            raise CardtableError(reason) from None
        except OSError as error:
            raise CardtableError(f"no club can be opened: {error.strerror or error}") from None
        self._club, self.url = club, f"ws://localhost:{club.port}"
        self.owner_token = club.lobby.accounts.owner_token

    async def stop(self) -> None:
        """Disconnect the guests and stop the server; return once the server has ended.

        A start in progress is awaited first. Nothing happens if the start has failed. Raises the error with which the
        server has ended, if there is one.
        """
        await asyncio.wait([self._opened])
        if self._opened.exception():
            return
        if not self._is_stopping:
            self._is_stopping = True
            self._server_loop.call_soon_threadsafe(self._stop_requested.set)
        await asyncio.wait([self._ended])
        self._ended.result()
        self._club, self.people, self.tables, self.bans = None, People(()), (), Bans((), ())
        self.log.clear()
        self.on_change()

    def _run(self, options: ServerOptions) -> None:
        """Run the server in its thread until it is stopped, and pass an error to the screens' event loop."""
        try:
            asyncio.run(self._serve(options))
        except Exception as error:
            self._main_loop.call_soon_threadsafe(self._fail, error)
        else:
            self._main_loop.call_soon_threadsafe(self._ended.set_result, None)

    async def _serve(self, options: ServerOptions) -> None:
        self._server_loop, self._stop_requested = asyncio.get_running_loop(), asyncio.Event()
        async with server.open_club(
            options, log=lambda event: self._main_loop.call_soon_threadsafe(self._add_log_line, str(event))
        ) as club:
            self._main_loop.call_soon_threadsafe(self._opened.set_result, club)
            await self._stop_requested.wait()

    def _fail(self, error: Exception) -> None:
        (self._ended if self._opened.done() else self._opened).set_exception(error)

    def _add_log_line(self, line: str) -> None:
        self.log.append(line)
        self.on_change()


STOPS: Final = ColumnStops(3, 20, 30)
REFRESH_SECONDS: Final = 1.0
"""Interval at which the people and tables of the open club are read, in seconds."""
MAX_TEXT_LENGTH: Final = 180
MAX_LINE_LENGTH: Final = 160
"""Maximum length of a line of a result, in characters."""
_HOUR: Final = 3600
PERIODS: Final = (("1 hour", _HOUR), ("2 hours", 2 * _HOUR), ("1 day", 24 * _HOUR), ("7 days", 7 * 24 * _HOUR))
"""Durations to choose from: name and number of seconds."""
GENERAL_COMMANDS: Final = (
    administration.Announce,
    administration.SetApproval,
    administration.Invite,
    administration.ChangeCode,
)
"""Commands that concern nobody who is listed."""


class OpenClubPage(FormPage):
    """Page about a part of the open club, above the page of the club itself."""

    SCOPE = OPEN_TO_OTHERS

    def list_footer_keys(self) -> FooterKeys:
        return {**super().list_footer_keys(), "leave": "back"}


class CommandPage(OpenClubPage):
    """Form of a command of the host, which shows its result unless that is a sentence without a secret."""

    def __init__(
        self,
        context: PageContext,
        server: LocalServer,
        command_type: type[HostCommand],
        known: Mapping[str, object],
    ) -> None:
        """``known`` has the values of the fields that are not asked for, by their names."""
        super().__init__(context)
        self._server, self._command_type, self._known = server, command_type, known
        self._fields = [field for field in list_fields(command_type) if field.name not in known]
        self._choices = {field.name: _list_choices(field) for field in self._fields}
        """Values to choose from with their words, the selected one first; an empty list for a text."""
        self._inputs = {field.name: TextInput(MAX_TEXT_LENGTH) for field in self._fields}
        self._result: tuple[str, ...] = ()
        self._is_refused = False

    def list_rows(self) -> list[FormRow]:
        help_text = " ".join(read_docstring(self._command_type).replace("`", "").split())
        result = [make_text_row(sanitize(line, MAX_LINE_LENGTH), 3, is_error=self._is_refused) for line in self._result]
        return [
            *[
                make_text_row(sanitize(f"{field.name.capitalize()}: {self._known[field.name]}", MAX_LINE_LENGTH), 3)
                for field in list_fields(self._command_type)
                if self._known.get(field.name)
            ],
            make_text_row(help_text, 3),
            EMPTY_ROW,
            *map(self._create_row, self._fields),
            make_button_row("do", self._word, self._execute, STOPS, {"play": self._word, "left right": ""}),
            EMPTY_ROW,
            *result,
        ]

    @property
    def header_texts(self) -> tuple[str, str]:
        return capitalize_first(self._word), "in your club"

    @property
    def _word(self) -> str:
        return get_words(self._command_type)[-1]

    def _create_row(self, field: CommandField) -> FormRow:
        label = (field.parameter.option.removeprefix("--") or field.name).replace("-", " ").capitalize()
        if choices := self._choices[field.name]:
            step = partial(self._step, choices)
            help_text = "" if field.parameter.longest else field.parameter.help
            row = make_choice_row(field.name, label, choices[0][0], step, STOPS, help_text=help_text, indent=3)
            row.keys = {"play": ""}
            return row
        keys = {"play": self._word, "left right": ""}
        text_input = self._inputs[field.name]
        return make_input_row(field.name, text_input, "", self._execute, keys, label=label, stops=STOPS)

    def _step(self, choices: list[tuple[str, object]], step: int) -> None:
        choices[:] = choices[step:] + choices[:step]

    async def _execute(self) -> None:
        required = {field.name for field in self._fields if field.field.required}
        typed = {
            name: text_input.text for name, text_input in self._inputs.items() if text_input.text or name in required
        }
        chosen = {name: choices[0][1] for name, choices in self._choices.items() if choices}
        try:
            command = administration.create_command(self._command_type, {**self._known, **typed, **chosen})
        except CardtableError as error:
            self._result, self._is_refused = (capitalize_first(str(error)),), True
            return
        asked = command.confirmation
        if not asked or await self.context.confirm(asked.question, asked.consequence, "do it", "go back"):
            start_worker(self, "administration", self._show_result, command)

    async def _show_result(self, command: HostCommand) -> None:
        result = await self._server.execute(command)
        self._is_refused = isinstance(result, RequestFailed)
        match result:
            case RequestFailed(reason):
                self._result = (capitalize_first(reason),)
            case administration.Done(text, details) if details or command.has_secret_result:
                self._result = (text, *details)
            case administration.Done(text):
                self.app.notify(sanitize(text, 400), markup=False)
                await self.action_leave()
            case administration.Listing():
                self._result = tuple(result.iter_lines())
            case _:
                pass
        self.repaint()


def _list_choices(field: CommandField) -> list[tuple[str, object]]:
    """Return the values to choose from with their words, the usual one first; nothing for a text."""
    if field.annotation is bool:
        return [("no", False), ("yes", True)]
    if field.parameter.longest:
        return [(field.parameter.usual, None), *PERIODS]
    return [(word, word) for word in field.choices]


def create_fact_row(
    name: object, title: str, facts: str, remark: str, on_press: Callable[[], object], key_label: str
) -> FormRow:
    """Return a row with a title, facts about it and a remark at the right; Enter calls ``on_press``."""

    def draw(area: scroll_list.BlockArea) -> None:
        begins = area.write_right(0, remark, area.quiet_ink) if remark else area.width
        end = area.write(3, 0, sanitize(title, 40), area.name_ink, bold=area.has_cursor) - area.x
        area.write(
            max(end + 1, 16), 0, sanitize(facts), area.muted_ink, max_width=max(begins - max(end + 1, 16) - 1, 0)
        )

    return FormRow(name=name, draw=draw, on_press=on_press, keys={"play": key_label, "left right": ""})


def create_person_row(person: administration.PresentPerson, on_press: Callable[[], object]) -> FormRow:
    """Return the row of a person in the club."""
    transports = ", ".join(
        dict.fromkeys([f"{connection.transport} {connection.address}" for connection in person.connections])
    )
    tables = ", ".join(map(shorten_table_id, person.tables))
    kind = "player" if person.is_member else "guest"
    facts = ", ".join(filter(None, ("muted" if person.is_muted else "", kind, tables, transports)))
    since = f"since {format_time(person.connections[0].since)}" if person.connections else ""
    return create_fact_row(("person", person.nick), person.nick, facts, since, on_press, "what to do")


class ClubRows:
    """Rows of the page of an open club: newcomers, people, tables, bans and what concerns the whole club."""

    def __init__(self, page: FormPage, server: LocalServer) -> None:
        self._page, self._server, self._is_refreshing = page, server, False

    def start(self) -> None:
        """Read the people and tables of the open club at intervals while the page exists."""
        self._page.set_interval(REFRESH_SECONDS, self.start_refresh)
        self.start_refresh()

    def start_refresh(self) -> None:
        """Read the people and tables of the club anew, and show them."""
        if not self._is_refreshing:
            self._is_refreshing = True
            start_worker(self._page, "refresh", self._refresh)

    async def _refresh(self) -> None:
        try:
            await self._server.refresh()
        finally:
            self._is_refreshing = False
        self._page.repaint()

    def list_rows(self) -> list[FormRow]:
        people = [
            create_person_row(person, partial(self._open_person, person.nick)) for person in self._server.people.people
        ]
        return [
            *self._list_newcomer_rows(),
            make_heading_row("Here", STOPS.label),
            *(people or [make_text_row("Nobody.", STOPS.label)]),
            EMPTY_ROW,
            *self._list_table_rows(),
            *self._list_ban_rows(),
            make_heading_row("The club", STOPS.label),
            *self.list_command_rows(GENERAL_COMMANDS, {}),
            create_fact_row("limits", "limits", "What guests can use at most.", "", self._open_limits, "read"),
        ]

    def _open_limits(self) -> None:
        self._page.app.push_screen(PageScreen(LimitsPage(self._page.context)))

    def list_command_rows(self, commands: Iterable[type[HostCommand]], known: Mapping[str, object]) -> list[FormRow]:
        """Return a row for each command, which opens its form; ``known`` has values of its fields."""
        rows = []
        for command_type in commands:
            word, values = get_words(command_type)[-1], known
            if command_type is administration.ChangeCode:
                values = {"except_nick": self._page.context.nick}
            open_form = partial(self.open_form, command_type, values)
            rows.append(create_fact_row(word, word, read_summary(command_type), "", open_form, word))
        return rows

    def open_form(self, command_type: type[HostCommand], known: Mapping[str, object]) -> None:
        page = CommandPage(self._page.context, self._server, command_type, known)
        self._page.app.push_screen(PageScreen(page))

    def _list_newcomer_rows(self) -> list[FormRow]:
        """Return two rows for each newcomer who waits: to let them in, and to refuse them."""
        rows = []
        for newcomer in self._server.people.approval.newcomers:
            facts = f"from {newcomer.address} since {format_time(newcomer.since)}"
            known = {"nick": newcomer.nick, "address": newcomer.address}
            for command_type in (administration.Approve, administration.Reject):
                word = get_words(command_type)[-1]
                on_press = partial(self._decide, administration.create_command(command_type, known))
                rows.append(create_fact_row((word, *known.values()), newcomer.nick, facts, word, on_press, word))
        return [make_heading_row("Waiting to be let in", STOPS.label), *rows, EMPTY_ROW] if rows else []

    def _decide(self, command: HostCommand) -> None:
        start_worker(self._page, "administration", self._show_decision, command)

    async def _show_decision(self, command: HostCommand) -> None:
        match await self._server.execute(command):
            case RequestFailed(reason):
                self._page.app.notify(capitalize_first(sanitize(reason)), markup=False, severity="warning")
            case administration.Done(text):
                self._page.app.notify(sanitize(text, 400), markup=False)
            case _:
                pass
        await self._refresh()

    def _open_person(self, nick: str) -> None:
        self._page.app.push_screen(PageScreen(PersonPage(self._page.context, self._server, nick)))

    def _list_table_rows(self) -> list[FormRow]:
        rows = []
        for row in self._server.tables:
            people = ", ".join([info.name for info in row.seats if info.name and not info.robot])
            close = partial(self.open_form, administration.CloseTable, {"table": row.table})
            facts = f"{format_stage(row)}, {people or 'nobody'}"
            rows.append(
                create_fact_row(("table", row.table), shorten_table_id(row.table), facts, "", close, "close it")
            )
        return [make_heading_row("Tables", STOPS.label), *rows, EMPTY_ROW] if rows else []

    def _list_ban_rows(self) -> list[FormRow]:
        bans, mutes = self._server.bans.bans, self._server.bans.mutes
        rows = [
            *[self._create_ban_row(ban, administration.Unban, ban.target.split(", ")[0]) for ban in bans],
            *[self._create_ban_row(mute, administration.Unmute, mute.target) for mute in mutes],
        ]
        return [make_heading_row("Banned and muted", STOPS.label), *rows, EMPTY_ROW] if rows else []

    def _create_ban_row(
        self, restriction: administration.Restriction, command_type: type[HostCommand], target: str
    ) -> FormRow:
        kind = "banned" if command_type is administration.Unban else "muted"
        end = f"until {restriction.end}" if restriction.until else restriction.end
        open_form = partial(self.open_form, command_type, {list_fields(command_type)[0].name: target})
        return create_fact_row((kind, restriction.target), restriction.target, kind, end, open_form, "end it")


class LimitsPage(OpenClubPage):
    """Page with all limits on guests."""

    header_texts = ("Limits", "in your club")

    def list_footer_keys(self) -> FooterKeys:
        return {**super().list_footer_keys(), "play": "", "left right": ""}

    def list_rows(self) -> list[FormRow]:
        return [
            make_text_row(f"{limit.what} per {limit.per}: {limit.extent}", 3, name=limit) for limit in astuple(LIMITS)
        ]


class PersonPage(OpenClubPage):
    """Page of one person in the club, with what the host can do about them."""

    def __init__(self, context: PageContext, server: LocalServer, nick: str) -> None:
        super().__init__(context)
        self._server, self._rows, self._nick = server, ClubRows(self, server), nick

    @property
    def header_texts(self) -> tuple[str, str]:
        return sanitize(self._nick, 40), "in your club"

    def on_mount(self) -> None:
        self._rows.start()

    def list_rows(self) -> list[FormRow]:
        person = next((person for person in self._server.people.people if person.nick == self._nick), None)
        kinds = ("present", "known", "muted" if person and person.is_muted else "known")
        rows = []
        for command_type in administration.COMMANDS:
            fields = list_fields(command_type)
            if fields and fields[0].parameter.names in kinds:
                rows += self._rows.list_command_rows([command_type], {fields[0].name: self._nick})
        return [*self._list_facts(person), EMPTY_ROW, *rows]

    def _list_facts(self, person: administration.PresentPerson | None) -> list[FormRow]:
        if person is None:
            return [make_text_row(f"{self._nick} is not here any more.", 3)]
        devices = format_count(person.tokens + person.keys, "device")
        return [
            make_text_row(f"{'A player' if person.is_member else 'A guest'} of the club, known on {devices}", 3),
            *[
                make_text_row(
                    f"By {connection.transport} from {connection.address} since {format_time(connection.since)}", 3
                )
                for connection in person.connections
            ],
            *[make_text_row(f"At the table {shorten_table_id(table)}", 3) for table in person.tables],
            *([make_text_row("Muted", 3)] if person.is_muted else []),
        ]
