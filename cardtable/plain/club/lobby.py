"""Lobby of a club in plain text, with people, tables and chat, and commands to open, join and begin tables."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Final

from msgspec.structs import replace

from cardtable.club.client.client import CREDENTIAL_QUESTIONS, ClubClient
from cardtable.club.client.connection import Login, Offline, Online
from cardtable.club.client.remote_session import RESPONSE_TIMEOUT
from cardtable.club.open_table import CLOCKS, OPEN_EXAMPLE, parse_open_table
from cardtable.club.protocol import (
    AdmitSpectators,
    AskDevices,
    AskDeviceWord,
    AskSeason,
    AskSeasons,
    ChangePassword,
    CheckIn,
    ClientMessage,
    InviteToTable,
    Leave,
    Register,
    RenameSelf,
    ResumeSession,
    Say,
    SeasonInfo,
    SignIn,
    SitDown,
    Start,
    TableInfo,
    Watch,
    WithdrawDevice,
)
from cardtable.club.table_text import (
    explain_device_word,
    find_offered_seat,
    format_device,
    format_game_title,
    format_house_rules,
    format_invited,
    format_people,
    format_seat_info,
    format_table_name,
    format_table_state,
    format_time,
)
from cardtable.engine.errors import POSITION_ERRORS, CardtableError, GameFailed
from cardtable.engine.game import Seat
from cardtable.engine.options import read
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, GAMES, find_key
from cardtable.plain import console, players, position_text
from cardtable.plain.club.client_thread import ClientThread, ClubOver, InputMux, has_invited, list_hiding_rows
from cardtable.plain.club.table import PlainClubTable
from cardtable.plain.console import (
    Commands,
    QuitRequested,
    UnknownCommand,
    alone,
    format_unknown,
    print_lines,
    request_quit,
)
from cardtable.plain.speech_text import to_sentence, use_faces
from cardtable.plain.table_dialog import find_length_error
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import seating, settings
from cardtable.store.passwords import find_password_error
from cardtable.store.seasons import MAX_NAME_LENGTH
from cardtable.store.seating import DEFAULT_LEVEL
from cardtable.store.settings import Settings
from cardtable.wording.formatting import YOU, join_name_and_verb, join_or
from cardtable.wording.seasons import iter_sentences
from cardtable.wording.terms import describe_leaving, describe_terms


def describe_table(client: ClubClient, number: int, table_info: TableInfo) -> str:
    """Describe a table in sentences: its seats, the house rules that differ from the defaults, and its state.

    ``number`` is the number by which the player refers to the table.
    """
    seats = [
        f"{seat} {YOU.lower() if info.name == client.nick else format_seat_info(info)}"
        for seat, info in enumerate(table_info.seats, 1)
    ]
    game = _describe_game(f"Table {number}", table_info, format_table_name(client, table_info))
    parts = [game, f"seats: {', '.join(seats)}"]
    parts += [f"if more people come, it has up to {table_info.grows_to} seats"] if table_info.grows_to else []
    parts += [f"it is private: only {format_invited(table_info)} can see it"] if table_info.private else []
    parts += ["it is closed to spectators"] if table_info.no_spectators else []
    parts += [f"house rules: {rules}" for rules in [format_house_rules(client, table_info)] if rules]
    parts += describe_terms(table_info.terms)
    return " ".join([to_sentence(part) for part in [*parts, format_table_state(client, table_info, DEFAULT_LEVEL)]])


def describe_session(number: int, table_info: TableInfo) -> str:
    """Describe an unfinished session of the player in a sentence.

    ``number`` is the number by which the player refers to the session.
    """
    names = ", ".join([sanitize(info.name, 20) for info in table_info.seats])
    played = f"played {format_time(table_info.since)} by {names}"
    game = _describe_game(f"Session {number}", table_info, sanitize(table_info.name, 40))
    return to_sentence(", ".join([game, f"round {table_info.round}", played]))


def _describe_game(label: str, table_info: TableInfo, name: str) -> str:
    return ", ".join(filter(None, (f"{label}: {format_game_title(table_info.game)}", name)))


def describe_people_changes(previous_nicks: tuple[str, ...], client: ClubClient) -> Iterator[str]:
    """Yield a sentence for each person who has arrived at or left the club since ``previous_nicks`` was read."""
    known, present = [
        dict.fromkeys([client.new_nicks.get(name, name) for name in nicks])
        for nicks in (previous_nicks, client.lobby.present_nicks)
    ]
    yield from [f"{name} joins." for name in present if name not in known]
    yield from [f"{name} leaves." for name in known if name not in present]


def describe_table_changes(
    previous_tables: Mapping[str, TableInfo], client: ClubClient, get_number: Callable[[str], int]
) -> Iterator[str]:
    """Yield a sentence for each change of a table since ``previous_tables``, the tables by id, was read.

    ``get_number`` returns the number of a table by its id.
    """
    tables = client.tables
    for table, row in tables.items():
        if table not in previous_tables:
            yield f"New: {describe_table(client, get_number(table), row)}"
        elif row != previous_tables[table]:
            yield from _describe_changes_of_table(previous_tables[table], row, client, get_number(table))
    for table in previous_tables:
        if table not in tables:
            yield f"Table {get_number(table)} is closed."


def _describe_changes_of_table(
    previous_info: TableInfo, table_info: TableInfo, client: ClubClient, number: int
) -> Iterator[str]:
    invited, before = set(table_info.invited), set(previous_info.invited)
    yield from [f"{nick} is invited to table {number}." for nick in table_info.invited if nick not in before]
    yield from [
        f"{nick} is not invited to table {number} any more." for nick in previous_info.invited if nick not in invited
    ]
    if table_info.no_spectators != previous_info.no_spectators:
        yield f"Table {number} is {'closed' if table_info.no_spectators else 'open'} to spectators now."
    if len(table_info.seats) != len(previous_info.seats):
        yield f"Table {number} has {len(table_info.seats)} seats now."
    if table_info.playing and not previous_info.playing:
        yield f"Table {number} has started."
    elif not table_info.playing:
        yield from _describe_seat_changes(previous_info, table_info, client, number)
    if table_info.over and not previous_info.over:
        yield f"The session at table {number} is over."
    if find_offered_seat(client, table_info) is not None and find_offered_seat(client, previous_info) is None:
        yield to_sentence(f"{format_table_state(client, table_info, DEFAULT_LEVEL)}; sit {number} takes it")


def _describe_seat_changes(
    previous_info: TableInfo, table_info: TableInfo, client: ClubClient, number: int
) -> Iterator[str]:
    """Yield a sentence for each change of the seats at a table that has not begun.

    One more sentence is added for the game master if all seats are taken.
    """
    old_seats, new_seats = _map_present_seats(previous_info), _map_present_seats(table_info)
    for name, seat in new_seats.items():
        if old_seats.get(name) != seat:
            subject = YOU if name == client.nick else name
            yield f"{join_name_and_verb(subject, 'sits', 'sit')} down at table {number}, seat {seat + 1}."
    for name in old_seats.keys() - new_seats.keys():
        subject = YOU if name == client.nick else name
        away = any(info.name == name for info in table_info.seats)
        verbs = ("is away", "are away") if away else ("stands up", "stand up")
        yield f"{join_name_and_verb(subject, *verbs)} from table {number}."
    if new_seats and all(info.name and not info.away for info in table_info.seats) and table_info.master == client.nick:
        yield f"All seats at table {number} are taken. Type begin to start."


def _map_present_seats(table_info: TableInfo) -> dict[str, Seat]:
    return {info.name: seat for seat, info in enumerate(table_info.seats) if info.name and not info.away}


def describe_seasons(seasons: Sequence[SeasonInfo]) -> list[str]:
    """Describe the seasons and tournaments of a club in sentences."""
    if not seasons:
        return ["The club has no seasons or tournaments."]
    listed = [f"{sanitize(season.name)}: {to_sentence(sanitize(season.about))}" for season in seasons]
    return [*listed, "Type season and the name of one for its tables."]


NO_TABLE_OPEN: Final = f"No table is open yet. To open one, type for example: {OPEN_EXAMPLE}."


class PlainLobby:
    """Dialog in the lobby of a club, from which tables are opened, joined and begun."""

    def __init__(self, thread: ClientThread, settings: Settings) -> None:
        self._thread, self._settings = thread, settings
        self._numbers: dict[str, int] = {}
        """Number of each table and unfinished session, by its id; it does not change during the visit."""
        self._next_number = count(1)
        self._known_nicks: tuple[str, ...] = ()
        self._known_tables: Mapping[str, TableInfo] = {}
        self._known_unfinished: Sequence[TableInfo] = ()
        """Unfinished sessions when news was last printed."""
        self._is_waiting = False
        self.commands = Commands(
            {
                "sit NUMBER: sit down at the table of that number, or continue there; its number alone does the same.\n"
                "sit NUMBER SEAT: sit down in that seat.": {"sit": self._sit},
                "watch NUMBER: watch a table.": {"watch": self._watch},
                "open GAME: open a table; you are its game master. House rules may follow, such as "
                f"{OPEN_EXAMPLE}, and name=NAME, grace=SECONDS for how long the table waits for an absent "
                "player, lot=off for no random seats, grow=on for more seats if more people come, private for a table "
                "that only invited people see, invite=NICK,NICK for the first of them, rated=on or off, "
                f"time={join_or([*CLOCKS])} for a clock of each player, and hints=on or off.": {"open": self._open},
                "invite NICK: invite someone to your private table. uninvite NICK: withdraw the invitation. If you "
                "have several such tables, add the number of one.": {
                    "invite": partial(self._invite, withdrawn=False),
                    "uninvite": partial(self._invite, withdrawn=True),
                },
                "spectators off: close your table to spectators before it begins. spectators on: open it again. If you "
                "have several tables, add the number of one.": {"spectators": self._admit_spectators},
                "begin: start the session; steady robots take the free seats. begin LEVEL: robots of that level do: "
                f"{join_or(LEVELS[1:])}.": {"begin": self._begin},
                "stand up: leave your seat at a table that has not started.": {"stand": self._stand_up},
                "go on NUMBER: call the others back to your unfinished session of that number.": {"go": self._resume},
                "talk TEXT: say something to everyone. rules NUMBER, or rules GAME: the rules, with the house rules "
                "of that table.": {
                    "talk": self._say,
                    "rules": self._print_rules,
                },
                **list_hiding_rows(thread),
                "wait, for scripts: wait until a seat is free somewhere; once you sit, until your table starts, or "
                "you can start it with all seats taken.": {"wait": self._wait},
                "season: the seasons and tournaments of the club. season NAME: the tables of results of that one.": {
                    "season": self._print_season
                },
                "check in: play the round of a tournament that is called.": {"check": self._check_in},
                "register: become a player of this club, with a password. sign in NICK: sign in as that player.": {
                    "register": self._register,
                    "sign": self._sign_in,
                },
                "device: a word by which you join on another device, too. password: change your password here. nick "
                "NICK: change your nick, once in a season. devices: those that come back by themselves. withdraw "
                "DEVICE: disconnect one of them, which then does not.": {
                    "device": alone(self._ask_device_word),
                    "password": alone(self._change_password),
                    "nick": self._change_nick,
                    "devices": alone(partial(self._list_devices, AskDevices())),
                    "withdraw": self._withdraw_device,
                },
                "An empty line: who is here, and the tables.": {
                    "": alone(self._print_all),
                    "who": alone(self._print_all),
                },
                "quit: leave the club; your seats stay yours, also at the end of input and after Ctrl+C.": {
                    "quit": alone(request_quit)
                },
            }
        )

    def run(self) -> None:
        """Run the dialog of the lobby, and the dialog of every table that the player joins.

        It ends only with an exception: ``QuitRequested`` if the player quits, and ``ClubOver`` if the connection has
        ended for good.
        """
        self._print_all()
        print_lines("Type help for what can be typed.")
        self._await_return()
        while True:
            self._print_news()
            if self._thread.new_sessions:
                self._run_table()
                continue
            typed = self._thread.wait_for_input(needs_line=not self._is_waiting or self._is_wait_over())
            if typed is not None:
                self._is_waiting = False
                self._execute(typed)

    def _await_return(self) -> None:
        """Wait until the player is back at the table at which the last connection was lost, if there is one."""
        thread = self._thread
        client = thread.client
        if client.return_table:
            thread.input.wait_until(
                lambda: bool(thread.new_sessions or client.refusal) or not client.connection.is_connected,
                RESPONSE_TIMEOUT,
            )
            if thread.new_sessions:
                print_lines(f"You are back at table {self._get_number(client.return_table)}.")

    # Output

    def _print_all(self) -> None:
        client = self._thread.client
        self._known_nicks, self._known_tables = client.lobby.present_nicks, client.tables
        you = f"{client.lobby.club_name}. You are {client.nick}{'' if client.lobby.is_member else ', a guest'}."
        print_lines(you, f"Here: {format_people(client)}.")
        print_lines(
            *[describe_table(client, self._get_number(table), row) for table, row in self._known_tables.items()]
        )
        print_lines(*([] if self._known_tables else [NO_TABLE_OPEN]))
        self._known_unfinished = client.unfinished
        print_lines(*[describe_session(self._get_number(row.table), row) for row in self._known_unfinished])

    def _print_news(self) -> None:
        """Print what has changed since the last output.

        If the player has just registered or signed in, the client logs in again as that player.
        """
        client = self._thread.client
        print_lines(*self._thread.iter_news())
        people, before = self._known_nicks, self._known_tables
        self._known_nicks, self._known_tables = client.lobby.present_nicks, client.tables
        print_lines(*describe_people_changes(people, client), *describe_table_changes(before, client, self._get_number))
        known, self._known_unfinished = {row.table for row in self._known_unfinished}, client.unfinished
        new = [row for row in self._known_unfinished if row.table not in known]
        print_lines(*[describe_session(self._get_number(row.table), row) for row in new])
        if self._thread.granted_login:
            self._log_in_again(*self._thread.granted_login)

    def _get_number(self, table: str) -> int:
        if table not in self._numbers:
            self._numbers[table] = next(self._next_number)
        return self._numbers[table]

    def _is_wait_over(self) -> bool:
        """Return True if the command ``wait`` has nothing to wait for.

        This is so if the player sits at a full table of which they are the game master or, while they sit at no table
        that has yet to begin, if a seat is free somewhere.
        """
        client = self._thread.client
        if mine := self._list_own_gathering_tables():
            return any(row.master == client.nick and _is_full(row) for row in mine)
        rows = [row for row in client.tables.values() if not row.playing and not row.resuming]
        return any(row.grows_to or not _is_full(row) for row in rows)

    def _run_table(self) -> None:
        """Run the dialog of the next table that the player has joined, and print the lobby afterwards."""
        thread = self._thread
        session = thread.new_sessions.popleft()
        if session.table not in thread.client.remote_sessions:  # a rematch has replaced it
            return
        try:
            with use_faces(session.game.about.faces):
                PlainClubTable(session, thread, self._settings).run()
        except (GameFailed, *POSITION_ERRORS) as error:
            thread.leave_undrawable_table(session, error)
        before = thread.client.tables
        session.close()
        if session.departure is None or session.departure.kind == "lost":  # else the lobby is known already
            thread.input.wait_until(
                lambda: thread.client.tables is not before or not thread.client.connection.is_connected,
                RESPONSE_TIMEOUT,
            )
        if not thread.new_sessions:
            self._print_all()

    def _log_in_again(self, nick: str, token: str) -> None:
        """Log in as the player who has registered or signed in.

        Raises ``ClubOver`` if the club refuses the login.
        """
        self._thread.granted_login = None
        self._thread.connect(Login(nick, token=token))
        if self._thread.client.connection.end_reason:
            raise ClubOver(self._thread.client.connection.end_reason)
        self._print_all()

    # Commands

    def _execute(self, typed: str) -> None:
        try:
            self.commands.execute(f"sit {typed}" if typed.partition(" ")[0].isdecimal() else typed)
        except UnknownCommand:
            print_lines(format_unknown(typed))
        except (CardtableError, ValueError) as error:
            print_lines(to_sentence(str(error)))

    def _send_and_wait(self, message: ClientMessage, has_effect: Callable[[], bool]) -> None:
        """Send a request, and wait until ``has_effect()`` is true or a table has been joined.

        The effect or a refusal is printed as news; only if the club does not answer is this printed at once.
        """
        thread = self._thread
        is_done = thread.send_and_wait(message, lambda: has_effect() or bool(thread.new_sessions))
        if not is_done and thread.client.connection.is_connected and not thread.client.refusal:
            print_lines("The club does not answer. Try again.")

    def _ask(self, message: ClientMessage) -> bool:
        """Send a request, and return True once an answer has arrived; False if there is none."""
        client, before = self._thread.client, self._thread.client.answer_count
        self._send_and_wait(message, lambda: client.answer_count != before)
        return client.answer_count != before

    def _find_table(self, number: str) -> TableInfo:
        """Return the table with a number, given as text.

        Raises ``ValueError`` if there is none.
        """
        for table, row in self._thread.client.tables.items():
            if str(self._get_number(table)) == number:
                return row
        raise ValueError(
            f"no table has the number {number[:10]}; an empty line lists them"
            if number
            else "type the number of the table as well"
        )

    def _find_playable_table(self, number: str) -> TableInfo:
        """Return the table with a number, given as text.

        Raises ``ValueError`` if there is none or its game cannot be played here.
        """
        row = self._find_table(number)
        if lacks := self._thread.client.find_missing_requirement(row.game):
            raise ValueError(f"{format_game_title(row.game)} cannot be played here: it {lacks}")
        return row

    def _sit(self, rest: str) -> None:
        client = self._thread.client
        number, _, seat = rest.removeprefix("down").strip().partition(" ")
        row = self._find_playable_table(number)
        if seat and not (seat.isdecimal() and 1 <= int(seat[:3]) <= len(row.seats)):
            raise ValueError(f"table {number} has seats 1 to {len(row.seats)}")
        wanted_seat = int(seat) - 1 if seat else find_offered_seat(client, row)

        def has_sat_down() -> bool:
            latest = client.tables.get(row.table, row)
            own_seat = self._find_present_seat(latest)
            return own_seat is not None and not latest.playing and wanted_seat in (None, own_seat)

        if has_sat_down():
            raise ValueError("you already sit there")
        self._send_and_wait(SitDown(row.table, wanted_seat), has_sat_down)

    def _watch(self, rest: str) -> None:
        row = self._find_playable_table(rest)
        if not row.playing:
            raise ValueError("there is nothing to watch before it starts")
        self._send_and_wait(Watch(row.table), lambda: False)

    def _open(self, rest: str) -> None:
        client = self._thread.client
        wish, before = parse_open_table(rest.split()), client.tables
        if lacks := client.find_missing_requirement(wish.game):
            raise ValueError(f"{ABOUT[wish.game].title} cannot be played here: it {lacks}")

        def has_opened() -> bool:
            return any(row.master == client.nick for table, row in client.tables.items() if table not in before)

        self._send_and_wait(wish, has_opened)

    def _list_own_gathering_tables(self) -> list[TableInfo]:
        """Return the tables that have not begun and at which the player sits."""
        waiting = [row for row in self._thread.client.tables.values() if not row.playing]
        return [row for row in waiting if self._find_present_seat(row) is not None]

    def _find_present_seat(self, row: TableInfo) -> Seat | None:
        """Return the seat in which the player sits at a table; ``None`` if they have none or are away."""
        seat = self._thread.client.find_own_seat(row)
        return None if seat is None or row.seats[seat].away else seat

    def _find_own_gathering_table(self, number: str = "") -> TableInfo:
        """Return the table that has not begun and at which the player sits.

        ``number`` selects one of several tables; it is empty if the player has not given a number. Raises
        ``ValueError`` if there is no such table, or several and no number.
        """
        rows = [row for row in self._list_own_gathering_tables() if number in ("", str(self._get_number(row.table)))]
        if not rows:
            raise ValueError("you are not at a table that has yet to start; sit down at one, or open one")
        if len(rows) > 1:
            raise ValueError("you sit at several tables; add the number of one")
        return rows[0]

    def _invite(self, rest: str, *, withdrawn: bool) -> None:
        client, (nick, *numbers) = self._thread.client, rest.split() or [""]
        rows = [row for row in client.tables.values() if row.private and row.master == client.nick]
        rows = [row for row in rows if not numbers or [str(self._get_number(row.table))] == numbers]
        if not nick:
            raise ValueError("add the nick of a person")
        if not rows:
            raise ValueError("you have no such private table; open GAME private opens one")
        if len(rows) > 1:
            raise ValueError("you have several private tables; add the number of one")
        message = InviteToTable(rows[0].table, seating.normalize_nick(nick), withdrawn)
        self._send_and_wait(message, partial(has_invited, client, message))

    def _admit_spectators(self, rest: str) -> None:
        client, (word, _, number) = self._thread.client, rest.partition(" ")
        if word not in ("on", "off"):
            raise ValueError("type spectators off, or spectators on")
        row = self._find_own_gathering_table(number)

        def has_changed() -> bool:
            return client.tables.get(row.table, row).no_spectators != (word == "on")

        self._send_and_wait(AdmitSpectators(row.table, admitted=word == "on"), has_changed)

    def _begin(self, rest: str) -> None:
        words = rest.split()
        row = self._find_own_gathering_table(words.pop(0) if words and words[0].isdecimal() else "")
        level = words[0] if words else DEFAULT_LEVEL
        if len(words) > 1 or level not in LEVELS:
            raise ValueError(f"robot levels are {join_or(LEVELS[1:])}")
        if row.resuming:
            self._thread.send(Start(row.table, level))
        else:
            self._send_and_wait(Start(row.table, level), lambda: False)

    def _stand_up(self, rest: str) -> None:
        client = self._thread.client
        table = self._find_own_gathering_table(rest.removeprefix("up").strip()).table

        def has_stood_up() -> bool:
            row = client.tables.get(table)
            return row is None or self._find_present_seat(row) is None

        self._send_and_wait(Leave(table), has_stood_up)

    def _resume(self, rest: str) -> None:
        client, number = self._thread.client, rest.removeprefix("on").strip()
        table = next((row.table for row in client.unfinished if str(self._get_number(row.table)) == number), None)
        if not client.unfinished:
            raise ValueError("you have no unfinished session here")
        if table is None:
            raise ValueError("type go on and the number of one of your unfinished sessions")
        self._send_and_wait(ResumeSession(table), lambda: table in client.tables)

    def _say(self, rest: str) -> None:
        if wrong := find_length_error(rest):
            print_lines(wrong)
        elif rest:
            self._thread.send(Say(rest))
        else:
            print_lines("Type what you want to say after talk, such as talk Good evening.")

    def _print_rules(self, rest: str) -> None:
        key = find_key(rest)
        if key is not None:
            position_text.print_rules(key)
            return
        row = self._find_playable_table(rest)
        position_text.print_rules(row.game, read(GAMES[row.game].options, row.options, len(row.seats)))

    def _print_season(self, name: str) -> None:
        """Print the tables of a season, or the list of all seasons if ``name`` is empty."""
        client = self._thread.client
        if not name:
            if self._ask(AskSeasons()):
                print_lines(*describe_seasons(client.seasons or ()))
            return
        if self._ask(AskSeason(name[:MAX_NAME_LENGTH])) and (tables := client.season_tables):
            print_lines(f"{sanitize(tables.name)}.", *map(sanitize, tables.about))
            print_lines(*[line for table in tables.tables for line in iter_sentences(table)])

    def _check_in(self, rest: str) -> None:
        client = self._thread.client
        if rest.strip() != "in":
            raise UnknownCommand
        call = client.round_call
        if call is None:
            print_lines("No round is called that you have not checked in to.")
            return
        self._send_and_wait(CheckIn(call.tournament), lambda: client.round_call != call)
        if client.round_call != call:
            print_lines("You have checked in.")

    def _require_private_connection(self) -> None:
        """Raise ``ValueError`` if others could read a password sent over the connection."""
        if not self._thread.client.can_send_password:
            raise ValueError("others could read your password on this connection; join by ssh or with TLS")

    def _register(self, _rest: str) -> None:
        self._require_private_connection()
        password, again = players.ask_new_password()
        if not password:
            print_lines("You stay a guest.")
            return
        if wrong := find_password_error(password, again):
            print_lines(to_sentence(wrong), "You stay a guest.")
            return
        self._send_and_wait(Register(password), lambda: self._thread.granted_login is not None)

    def _sign_in(self, rest: str) -> None:
        nick = seating.normalize_nick(rest.removeprefix("in"))
        if not nick:
            raise ValueError("add your nick: sign in NICK")
        self._require_private_connection()
        players.require_terminal_for(nick)
        if password := players.read_hidden(f"Password of {nick}: "):
            self._send_and_wait(SignIn(nick, password), lambda: self._thread.granted_login is not None)

    def _ask_device_word(self) -> None:
        words = self._thread.device_words
        self._send_and_wait(AskDeviceWord(), lambda: bool(words))
        while words:
            word = words.popleft()
            print_lines(*explain_device_word(word, sanitize(word.word, 40)))

    def _change_password(self) -> None:
        client = self._thread.client
        if not client.lobby.is_member:
            raise ValueError("only players of the club have a password; register first")
        self._require_private_connection()
        players.require_terminal_for(client.nick)
        old = players.read_hidden(f"Your present password {players.HIDDEN_INPUT_NOTE}: ")
        password, again = players.ask_new_password() if old else ("", "")
        if not password:
            print_lines(players.UNCHANGED)
            return
        if wrong := find_password_error(password, again):
            print_lines(to_sentence(wrong), players.UNCHANGED)
            return
        print_lines("Type y to log out your other devices, or an empty line to leave them logged in.")
        others = self._thread.input.read_line().lower() in ("y", "yes")
        self._ask(ChangePassword(old, password, revoke_others=others))

    def _change_nick(self, rest: str) -> None:
        client, nick = self._thread.client, seating.normalize_nick(rest)
        if not nick:
            raise ValueError("add the new nick: nick NICK")
        self._send_and_wait(RenameSelf(nick), lambda: client.nick == nick)

    def _list_devices(self, message: AskDevices | WithdrawDevice) -> None:
        devices = self._thread.client.devices if self._ask(message) else ()
        print_lines(*[to_sentence(f"device {device.id}: {format_device(device)}") for device in devices])

    def _withdraw_device(self, rest: str) -> None:
        if not rest:
            raise ValueError("add one of your devices: withdraw DEVICE")
        self._list_devices(WithdrawDevice(rest[:64].strip().lower()))

    def _wait(self, _rest: str) -> None:
        self._is_waiting = True


def _is_full(table_info: TableInfo) -> bool:
    return all(info.name for info in table_info.seats)


LEFT_CLUB: Final = "You have left the club. Your seats there stay yours."


def _print_goodbye(thread: ClientThread) -> None:
    graces = thread.client.list_graces()
    print_lines(f"You have left the club. {describe_leaving(min(graces))}" if graces else LEFT_CLUB)


def visit_club(url: str, login: Login, flags: settings.TerminalFlags) -> None:
    """Visit the club at the WebSocket address ``url`` until the player leaves or the visit is ended by the host.

    ``login`` holds the credentials of the first attempt; the player is asked for missing ones. Raises
    ``CardtableError`` if the club cannot be reached or refuses the login, and ``KeyboardInterrupt`` after Ctrl+C.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)  # a pipe gets each line at once, too
    preferences, complaints = settings.load()
    console.prepare_output(ascii_only="ascii" in flags or preferences.ascii)
    print_lines(*complaints)
    thread = ClientThread(url, InputMux())
    try:
        with console.exit_on_signals():
            _log_in(thread, login)
            PlainLobby(thread, preferences).run()
    except QuitRequested:
        _print_goodbye(thread)
    except ClubOver as over:
        print_lines(to_sentence(str(over)))
    except KeyboardInterrupt:
        print_lines("")
        _print_goodbye(thread)
        raise
    finally:
        thread.disconnect()


def _log_in(thread: ClientThread, login: Login) -> None:
    """Log in, and ask the player for missing credentials.

    Raises ``QuitRequested`` if the player gives none, and ``CardtableError`` if the club cannot be reached or refuses
    the login for good.
    """
    thread.connect(login)
    while not isinstance(state := thread.client.connection.state, Online):
        if isinstance(state, Offline):
            raise CardtableError(f"the club cannot be reached: {state.error}")
        if not (missing := thread.client.required_credential):
            raise CardtableError(state.reason)
        tried = thread.client.connection.login
        if tried.nick:
            print_lines(to_sentence(state.reason))
        thread.connect(_ask_credential(thread, tried, missing, can_wait=state.can_wait))


def _ask_credential(thread: ClientThread, login: Login, missing: str, *, can_wait: bool) -> Login:
    """Ask for the credential named ``missing``, and return the login completed with it.

    A password can be asked for on a terminal only; without it, the client waits if it can, and else another nick is
    asked for. Raises ``QuitRequested`` if the player types nothing.
    """
    if missing == "password":
        note = f"{players.HIDDEN_INPUT_NOTE}, or an empty line {'to wait' if can_wait else 'for another nick'}"
        typed = players.read_hidden(f"Password or word of {login.nick} {note}: ") if console.is_on_terminal() else ""
        if not typed and can_wait:
            return replace(login, waits=True)
        if not typed:
            return _ask_credential(thread, login, "nick", can_wait=False)
    else:
        print_lines(" ".join(CREDENTIAL_QUESTIONS[missing]))
        typed = thread.input.read_line()
    if not typed:
        raise QuitRequested
    return login.add_credential(missing, seating.normalize_nick(typed) if missing == "nick" else typed)
