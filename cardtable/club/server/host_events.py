"""Events of a host, each with its fields: lines of its log with their sentences, and what its metrics count."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import asdict

from cardtable.club.addresses import DOOR_PHRASES, Door
from cardtable.club.protocol import SeatInfo
from cardtable.club.server.limits import LIMITS, LoginError
from cardtable.engine.plugin_guard import locate_error
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_count
from cardtable.games import ABOUT
from cardtable.store.errors import NotSaved

LogLevel: TypeAlias = Literal["info", "warning", "error"]
LoginMethod: TypeAlias = Literal["code", "password", "token", "key"]
LOG_FIELDS: Final = frozenset({"table", "game", "nick", "door", "reason", "port", "logger"})
"""Fields of events that programs get with ``--log-json``, as described in docs/club.md."""


class HostEvent(msgspec.Struct, frozen=True):
    """What has happened at a host; only a ``LogEvent`` is a line of the log."""


# What is only counted: nothing here contains nicks or texts of guests


class LoggedIn(HostEvent, frozen=True):
    """Somebody has logged in at an endpoint."""

    door: Door
    method: LoginMethod


class LoginRefused(HostEvent, frozen=True):
    """A login has been refused at an endpoint."""

    door: Door
    error: LoginError

    @property
    def reason(self) -> str:
        """Credential that is missing or wrong, or else ``wait`` if the client may try again later, or ``other``."""
        return "wait" if self.error.retry_after is not None else self.error.missing or "other"


class ConnectionDropped(HostEvent, frozen=True):
    """A connection has been ended because its login did not come in time, or to make room for newer ones."""

    door: Door


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
    """Time that one thing has taken."""

    what: Literal["save", "robot_wait", "robot_think"]
    seconds: float


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

    @property
    def kind(self) -> str:
        """Kind of the event, as described in docs/club.md."""
        return str(self.__struct_config__.tag)

    @property
    def level(self) -> LogLevel:
        return "info"

    @property
    def cause(self) -> str:
        """Nick of the person for whom the line counts; empty for the club itself, whose lines are not limited."""
        return ""

    @property
    def fields(self) -> dict[str, str]:
        """Details for programs, by name."""
        return {name: value for name, value in asdict(self).items() if name in LOG_FIELDS and value}


class _Problem(LogEvent, frozen=True):
    @property
    def level(self) -> LogLevel:
        return "error"


class InvitationLine(LogEvent, frozen=True, tag="invitation"):
    """Something that others need to know to join."""

    text: str

    def __str__(self) -> str:
        return self.text


class MetricsOpened(LogEvent, frozen=True, tag="metrics"):
    port: str
    address: str

    def __str__(self) -> str:
        return f"metrics and health are at port {self.port} of {self.address}"


CLUB_CLOSED: Final = "The club has closed."
"""Also the reason that guests read."""


class ClubClosed(LogEvent, frozen=True, tag="closed"):
    def __str__(self) -> str:
        return CLUB_CLOSED


class _PersonEvent(LogEvent, frozen=True):
    nick: str

    @property
    def cause(self) -> str:
        return self.nick


class PersonJoined(_PersonEvent, frozen=True, tag="join"):
    door: Door

    def __str__(self) -> str:
        return f"{self.nick} joins{DOOR_PHRASES[self.door]}"


class PersonLeft(_PersonEvent, frozen=True, tag="leave"):
    def __str__(self) -> str:
        return f"{self.nick} leaves"


class ProgramRefused(_PersonEvent, frozen=True, tag="refused"):
    refusal: str

    @property
    def level(self) -> LogLevel:
        return "warning"

    def __str__(self) -> str:
        return f"{self.nick} cannot join: {self.refusal}"


class LinesOmitted(LogEvent, frozen=True, tag="omitted"):
    nick: str
    number: int

    def __str__(self) -> str:
        return f"{format_count(self.number, 'more line')} about {self.nick} left out"


class _TableEvent(LogEvent, frozen=True):
    table: str
    game: str
    master: str

    @property
    def cause(self) -> str:
        return self.master


class TableOpened(_TableEvent, frozen=True, tag="table_opened"):
    nick: str
    is_private: bool

    def __str__(self) -> str:
        kind = "private table" if self.is_private else "table"
        return f"{self.nick} opens a {kind} of {ABOUT[self.game].title}: {self.table}"


class SessionResumed(_TableEvent, frozen=True, tag="session_resumed"):
    nick: str

    def __str__(self) -> str:
        return f"{self.nick} calls the others back to the session {self.table}"


class SessionBegins(_TableEvent, frozen=True, tag="session_begins"):
    seats: tuple[SeatInfo, ...]

    def __str__(self) -> str:
        names = ", ".join([f"{seat.name}{' (robot)' if seat.robot else ''}" for seat in self.seats])
        return f"the session {self.table} is played by {names}"


class SessionEnded(_TableEvent, frozen=True, tag="session_over"):
    def __str__(self) -> str:
        return f"the session {self.table} is over"


class TableLeft(_TableEvent, frozen=True, tag="table_left"):
    def __str__(self) -> str:
        return f"everybody has left the table {self.table}"


class TableClosed(_TableEvent, frozen=True, tag="table_closed"):
    def __str__(self) -> str:
        return f"the table {self.table} is closed"


class RobotSubstitutes(_TableEvent, frozen=True, tag="substitute"):
    nick: str

    def __str__(self) -> str:
        return f"a robot plays for {self.nick} in the session {self.table}"


class PlayerReturns(_TableEvent, frozen=True, tag="back"):
    nick: str

    def __str__(self) -> str:
        return f"{self.nick} is back in the session {self.table}"


class SavingFails(_Problem, frozen=True, tag="saving_fails"):
    reason: str

    def __str__(self) -> str:
        return f"saving fails: {self.reason}; tables wait until it works"


class SavingWorks(LogEvent, frozen=True, tag="saving_works"):
    def __str__(self) -> str:
        return "saving works again"


class ChangesLost(_Problem, frozen=True, tag="lost"):
    table: str
    number: int
    error: str
    opened_by: str
    """Player for whom the line counts; empty if it counts for nobody."""

    @property
    def cause(self) -> str:
        return self.opened_by

    def __str__(self) -> str:
        were = "was not saved and is" if self.number == 1 else "were not saved and are"
        return f"{format_count(self.number, 'change')} at the table {self.table} {were} lost: {self.error}"


class DiskFills(LogEvent, frozen=True, tag="disk"):
    """The sessions have reached a share of the disk space, or there is room again."""

    use: str
    stage: Literal["warning", "error"] | None

    @property
    def level(self) -> LogLevel:
        return self.stage or "info"

    def __str__(self) -> str:
        return self.use


class CertificateRead(LogEvent, frozen=True, tag="certificate"):
    error: str = ""
    """Why it could not be read; empty if it was."""

    @property
    def level(self) -> LogLevel:
        return "error" if self.error else "info"

    def __str__(self) -> str:
        return (
            f"the old certificate stays in use: {self.error}" if self.error else "the certificate has been read again"
        )


class Fault(_Problem, frozen=True, tag="fault"):
    """Unexpected error; its text is left out, since it may contain cards."""

    what: str
    """What has failed."""
    error: str
    place: str
    table: str = ""
    nick: str = ""
    opened_by: str = ""
    """Player whose table has failed."""

    @property
    def cause(self) -> str:
        return self.nick or self.opened_by

    def __str__(self) -> str:
        return f"{self.what} has failed: {self.error} in {self.place}"


def create_fault(error: BaseException, what: str, *, table: str = "", nick: str = "", opened_by: str = "") -> Fault:
    """Return the event of an unexpected error, with the place in the program where it has occurred."""
    place = locate_error(error, __name__) or "a library"
    return Fault(what, type(error).__name__, place, table, nick, opened_by)


class LibraryError(LogEvent, frozen=True, tag="error"):
    text: str
    severity: LogLevel = "error"
    logger: str = ""

    @property
    def level(self) -> LogLevel:
        return self.severity

    def __str__(self) -> str:
        return self.text


# Lines of the kind "note", which have no fields for programs

HostAct: TypeAlias = Literal[
    "kick",
    "ban",
    "unban",
    "mute",
    "unmute",
    "revoke",
    "code",
    "code everybody",
    "approval on",
    "approval off",
    "approve",
    "reject",
    "invite",
    "withdraw",
    "reset",
    "forget",
    "erase",
    "close",
    "say",
]
_ACTS: Final[Mapping[HostAct, str]] = {
    "kick": "the keeper disconnects {name}",
    "ban": "the keeper bans {name} {period}",
    "unban": "the keeper ends the ban of {name}",
    "mute": "the keeper mutes {name} {period}",
    "unmute": "the keeper lets {name} talk again",
    "revoke": "the keeper revokes the tokens and ssh keys of {name}",
    "code": "the keeper changes the code",
    "code everybody": "the keeper changes the code and disconnects everybody",
    "approval on": "the keeper lets newcomers in by hand from now on",
    "approval off": "newcomers come in by the code alone from now on",
    "approve": "the keeper lets {name} in",
    "reject": "the keeper does not let {name} in",
    "invite": "the keeper invites {name}",
    "withdraw": "the keeper withdraws the invitation of {name}",
    "reset": "the keeper gives {name} a new password",
    "forget": "the keeper forgets {name}",
    "erase": "the keeper erases the data of {name}",
    "close": "the keeper closes the table {name}",
    "say": "the keeper says",
}


class HostActed(LogEvent, frozen=True, tag="note"):
    """The host has given a command."""

    act: HostAct
    name: str = ""
    text: str = ""
    """Reason, or what is said; may be empty."""
    period: str = ""

    def __str__(self) -> str:
        sentence = _ACTS[self.act].format(name=self.name, period=self.period)
        return f"{sentence}: {self.text}" if self.text else sentence


class NewcomerWaits(LogEvent, frozen=True, tag="note"):
    name: str
    address: str

    @property
    def cause(self) -> str:
        return self.name

    def __str__(self) -> str:
        return f"{self.name} at {self.address} waits to be let in"


class PlayerRenamed(LogEvent, frozen=True, tag="note"):
    former: str
    name: str

    def __str__(self) -> str:
        return f"{self.former} is called {self.name} now"


class TournamentRoundBegins(LogEvent, frozen=True, tag="note"):
    tournament: str
    number: int

    def __str__(self) -> str:
        return f"round {self.number} of {self.tournament} begins"


class TournamentWaits(LogEvent, frozen=True, tag="note"):
    error: str

    def __str__(self) -> str:
        return f"the tournament waits: {self.error}"


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
