"""Events of a host, each with its fields: lines of its log with their sentences, and what its metrics count."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from math import inf
from time import monotonic
from typing import ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import asdict

from cardtable.club.addresses import TRANSPORT_PHRASES, TransportKind
from cardtable.club.protocol import SeatInfo
from cardtable.club.server.limits import LIMITS, LoginError
from cardtable.engine.journal import LossReason
from cardtable.engine.plugin_guard import locate_error
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_count
from cardtable.games import ABOUT
from cardtable.store.errors import NotSaved

LogLevel: TypeAlias = Literal["info", "warning", "error"]
LoginMethod: TypeAlias = Literal["code", "password", "token", "key"]
LOG_FIELDS: Final = frozenset({"table", "game", "nick", "transport", "reason", "port", "logger"})
"""Fields of events that programs get with ``--log-json``, as described in docs/club-reference.md."""


class HostEvent(msgspec.Struct, frozen=True):
    """What has happened at a host; only a ``LogEvent`` is a line of the log."""


# What is only counted, without nicks and texts of guests; the fields are the labels in the metrics


class LoggedIn(HostEvent, frozen=True):
    """Somebody has logged in at an endpoint."""

    transport: TransportKind
    method: LoginMethod


class LoginRefused(HostEvent, frozen=True):
    """A login has been refused at an endpoint."""

    transport: TransportKind
    reason: str
    """Credential that is missing or wrong, or ``wait`` if the client may try again later, or ``other``."""


class ConnectionDropped(HostEvent, frozen=True):
    """A connection has been ended because its login did not come in time, or to make room for newer ones."""

    transport: TransportKind


class RequestDenied(HostEvent, frozen=True):
    """A request has been refused."""

    request: str
    """Tag of the message; ``frame`` if it has not been read."""
    reason: str


class DecisionSaved(HostEvent, frozen=True):
    """A decision is on the disk."""

    game: str
    by: Literal["person", "robot"]


class SaveFailed(HostEvent, frozen=True):
    """A change could not be saved."""

    file: Literal["session", "club"]


class TimeTaken(HostEvent, frozen=True):
    """Time that one thing has taken, or by which the event loop was late."""

    what: Literal["save", "robot_wait", "robot_think", "event_loop_delay"]
    seconds: float


def create_login_refusal(transport: TransportKind, error: LoginError) -> LoginRefused:
    return LoginRefused(transport, "wait" if error.retry_after is not None else error.missing or "other")


def create_denial(request: str, error: Exception) -> RequestDenied:
    """Return the event of a request that was refused with an error; ``request`` is the tag of its message."""
    match error:
        case NotSaved() | OSError():
            return RequestDenied(request, "disk")
        case IllegalAction():
            return RequestDenied(request, "illegal")
        case LoginError():
            return RequestDenied(request, "login")
        case _:
            return RequestDenied(request, "refused")


# Lines of the log


class LogEvent(HostEvent, frozen=True):
    """Line of the host's log; its sentence is ``str(event)``."""

    sentence: ClassVar = "{text}"
    """Text of the line, with the fields in braces."""
    usual_level: ClassVar[LogLevel] = "info"
    cause_field: ClassVar = ""
    """Name of the field with the nick for whom the line counts; empty for lines of the club itself."""

    def __str__(self) -> str:
        return self.sentence.format_map(asdict(self))

    @property
    def kind(self) -> str:
        """Kind of the event, as described in docs/club-reference.md."""
        return str(self.__struct_config__.tag)

    @property
    def level(self) -> LogLevel:
        return self.usual_level

    @property
    def cause(self) -> str:
        """Nick of the person for whom the line counts; empty for the club itself, whose lines are not limited."""
        return str(asdict(self).get(self.cause_field, ""))

    @property
    def fields(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if name in LOG_FIELDS and value}


class InvitationLine(LogEvent, frozen=True, tag="invitation"):
    """Something that others need to know to join."""

    text: str


class MetricsOpened(LogEvent, frozen=True, tag="metrics"):
    sentence = "metrics and health are at port {port} of {address}"
    port: str
    address: str


CLUB_CLOSED: Final = "The club has closed."
"""Also the reason that guests read."""


class ClubClosed(LogEvent, frozen=True, tag="closed"):
    sentence = CLUB_CLOSED


class _PersonEvent(LogEvent, frozen=True):
    cause_field = "nick"
    nick: str


class PersonJoined(_PersonEvent, frozen=True, tag="join"):
    transport: TransportKind

    def __str__(self) -> str:
        return f"{self.nick} joins{TRANSPORT_PHRASES[self.transport]}"


class PersonLeft(_PersonEvent, frozen=True, tag="leave"):
    sentence = "{nick} leaves"


class ProgramRefused(_PersonEvent, frozen=True, tag="refused"):
    sentence = "{nick} cannot join: {refusal}"
    usual_level = "warning"
    refusal: str


class ProgramCrashed(_PersonEvent, frozen=True, tag="crash"):
    sentence = "the program of {nick} has crashed"
    usual_level = "error"


class LinesOmitted(LogEvent, frozen=True, tag="omitted"):
    nick: str
    number: int

    def __str__(self) -> str:
        return f"{format_count(self.number, 'more line')} about {self.nick} left out"


class _TableEvent(LogEvent, frozen=True):
    cause_field = "master"
    table: str
    game: str
    master: str


class TableOpened(_TableEvent, frozen=True, tag="table_opened"):
    nick: str
    is_private: bool

    def __str__(self) -> str:
        kind = "private table" if self.is_private else "table"
        return f"{self.nick} opens a {kind} of {ABOUT[self.game].title}: {self.table}"


class SessionResumed(_TableEvent, frozen=True, tag="session_resumed"):
    sentence = "{nick} calls the others back to the session {table}"
    nick: str


class SessionBegins(_TableEvent, frozen=True, tag="session_begins"):
    seats: tuple[SeatInfo, ...]

    def __str__(self) -> str:
        names = ", ".join([f"{seat.name}{' (robot)' if seat.robot else ''}" for seat in self.seats])
        return f"the session {self.table} is played by {names}"


class SessionEnded(_TableEvent, frozen=True, tag="session_over"):
    sentence = "the session {table} is over"


class TableLeft(_TableEvent, frozen=True, tag="table_left"):
    sentence = "everybody has left the table {table}"


class TableClosed(_TableEvent, frozen=True, tag="table_closed"):
    sentence = "the table {table} is closed"


class RobotSubstitutes(_TableEvent, frozen=True, tag="substitute"):
    sentence = "a robot plays for {nick} in the session {table}"
    nick: str


class PlayerReturns(_TableEvent, frozen=True, tag="back"):
    sentence = "{nick} is back in the session {table}"
    nick: str


class SeatLost(_PersonEvent, frozen=True, tag="seat_lost"):
    table: str
    reason: LossReason

    def __str__(self) -> str:
        return f"{self.nick} loses the session {self.table} {'on time' if self.reason == 'clock' else 'by leaving'}"


class SavingFails(LogEvent, frozen=True, tag="saving_fails"):
    sentence = "saving fails: {reason}; tables wait until it works"
    usual_level = "error"
    reason: str


class SavingWorks(LogEvent, frozen=True, tag="saving_works"):
    sentence = "saving works again"


class ChangesLost(LogEvent, frozen=True, tag="lost"):
    usual_level, cause_field = "error", "opened_by"
    table: str
    number: int
    error: str
    opened_by: str
    """Player for whom the line counts; empty if it counts for nobody."""

    def __str__(self) -> str:
        were = "was not saved and is" if self.number == 1 else "were not saved and are"
        return f"{format_count(self.number, 'change')} at the table {self.table} {were} lost: {self.error}"


class DiskFills(LogEvent, frozen=True, tag="disk"):
    """The sessions have reached a share of the disk space, or there is room again."""

    text: str
    stage: Literal["warning", "error"] | None

    @property
    def level(self) -> LogLevel:
        return self.stage or "info"


class CertificateRead(LogEvent, frozen=True, tag="certificate"):
    sentence = "the certificate has been read again"


class CertificateRefused(LogEvent, frozen=True, tag="certificate"):
    sentence = "the old certificate stays in use: {error}"
    usual_level = "error"
    error: str


class Fault(LogEvent, frozen=True, tag="fault"):
    """Unexpected error; its text is left out, since it may contain cards."""

    sentence = "{what} has failed: {error} in {place}"
    usual_level, cause_field = "error", "caused_by"
    what: str
    """What has failed."""
    error: str
    place: str
    table: str
    nick: str
    """Person whose request has failed; empty if it was none."""
    caused_by: str


def create_fault(error: BaseException, what: str, *, table: str = "", nick: str = "", opened_by: str = "") -> Fault:
    """Return the event of an unexpected error, with the place in the program where it has occurred.

    It counts for the person whose request has failed, or who has opened the table that has.
    """
    place = locate_error(error, __name__) or "a library"
    return Fault(what, type(error).__name__, place, table, nick, nick or opened_by)


class LibraryError(LogEvent, frozen=True, tag="error"):
    text: str
    severity: LogLevel = "error"
    logger: str = ""

    @property
    def level(self) -> LogLevel:
        return self.severity


# Lines of the kind "note", which have no fields for programs


class HostAct(Enum):
    """Command of the host that changes something; its value is the beginning of the sentence in the log."""

    KICK = "the administrator disconnects {name}"
    BAN = "the administrator bans {name} {period}"
    UNBAN = "the administrator ends the ban of {name}"
    MUTE = "the administrator mutes {name} {period}"
    UNMUTE = "the administrator lets {name} talk again"
    REVOKE = "the administrator revokes the tokens and ssh keys of {name}"
    REVOKE_DEVICE = "the administrator withdraws a device of {name}"
    CHANGE_CODE = "the administrator changes the code"
    DISCONNECT_EVERYBODY = "the administrator changes the code and disconnects everybody"
    REQUIRE_APPROVAL = "the administrator lets newcomers in by hand from now on"
    END_APPROVAL = "newcomers come in by the code alone from now on"
    APPROVE = "the administrator lets {name} in"
    REJECT = "the administrator does not let {name} in"
    INVITE = "the administrator invites {name}"
    WITHDRAW = "the administrator withdraws the invitation of {name}"
    RESET_PASSWORD = "the administrator gives {name} a new password"  # noqa: S105 - a sentence
    RENAME = "the administrator renames {name}"
    FORGET = "the administrator forgets {name}"
    ERASE = "the administrator erases the data of {name}"
    NO_AIDS = "no table may allow hints, the coach and the open review from now on"
    AIDS = "tables may allow hints, the coach and the open review from now on"
    ONE_NETWORK = "sessions played from a single network count from now on"
    NETWORKS_DIFFER = "sessions played from a single network no longer count"
    NO_SPECTATORS = "the administrator closes the table {name} to spectators"
    SPECTATORS = "the administrator opens the table {name} to spectators"
    CLOSE = "the administrator closes the table {name}"
    SAY = "the administrator says"


class HostActed(LogEvent, frozen=True, tag="note"):
    act: HostAct
    name: str = ""
    text: str = ""
    """Reason, or what is said; may be empty."""
    period: str = ""

    def __str__(self) -> str:
        sentence = self.act.value.format_map(asdict(self))
        return f"{sentence}: {self.text}" if self.text else sentence


class NewcomerWaits(LogEvent, frozen=True, tag="note"):
    sentence = "{name} at {address} waits to be let in"
    cause_field = "name"
    name: str
    address: str


class PersonReported(_PersonEvent, frozen=True, tag="note"):
    sentence = "{nick} reports what {name} has said privately; `club reports` shows it"
    name: str


class PlayerRenamed(LogEvent, frozen=True, tag="note"):
    sentence = "{former} is called {name} now"
    former: str
    name: str


class TournamentRoundCalled(LogEvent, frozen=True, tag="note"):
    sentence = "round {number} of {tournament} is called"
    tournament: str
    number: int


class TournamentRoundBegins(LogEvent, frozen=True, tag="note"):
    sentence = "round {number} of {tournament} begins"
    tournament: str
    number: int


class TournamentWaits(LogEvent, frozen=True, tag="note"):
    sentence = "the tournament waits: {error}"
    error: str


class TournamentNews(LogEvent, frozen=True, tag="note"):
    """All people have been sent a sentence."""

    text: str

    def __str__(self) -> str:
        return self.text[:1].lower() + self.text[1:].removesuffix(".")


Emit: TypeAlias = Callable[[HostEvent], object]
"""Function that is called with each event."""


def ignore_event(_event: HostEvent) -> None:
    """Do nothing: the ``Emit`` of parts of a host that nobody listens to."""


class EventStream:
    """Events of a host, passed on to its log, to its metrics and to programs that follow the log.

    Lines of the log that one person causes are limited to ``LIMITS.log_lines``; those left out are counted.
    """

    def __init__(self, write: Callable[[LogEvent], object], clock: Callable[[], float] = monotonic) -> None:
        """Create the stream; ``write`` is called with each line of the log."""
        self._listeners: list[Emit] = [lambda event: write(event) if isinstance(event, LogEvent) else None]
        self._clock = clock
        self._minutes: dict[str, tuple[float, int]] = {}
        """Start of the current minute and number of lines since then, by nick."""

    @contextmanager
    def listen(self, listener: Emit) -> Iterator[None]:
        """Return a context in which a function is called with each event, except lines that are left out."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def emit(self, event: HostEvent) -> None:
        """Pass an event on, unless it is a line whose cause has reached the limit."""
        if isinstance(event, LogEvent):
            now = self._clock()
            self._report_omitted_lines(now - LIMITS.log_lines.within)
            if event.cause:
                since, lines = self._minutes.get(event.cause, (now, 0))
                self._minutes[event.cause] = since, lines + 1
                if lines >= LIMITS.log_lines.number:
                    return
        self._pass_on(event)

    def close(self) -> None:
        """Say how many lines have been left out for each person in the current minute."""
        self._report_omitted_lines(inf)

    def _report_omitted_lines(self, before: float) -> None:
        """Forget minutes that began at or before ``before``, and say how many lines were left out of each."""
        for nick, (since, lines) in [*self._minutes.items()]:
            if since <= before:
                del self._minutes[nick]
                if lines > LIMITS.log_lines.number:
                    self._pass_on(LinesOmitted(nick, lines - LIMITS.log_lines.number))

    def _pass_on(self, event: HostEvent) -> None:
        for listener in [*self._listeners]:
            listener(event)
