"""Messages of administration, the role of the protocol that the host's own programs have, and their results.

A command is declared once, as a message: the command line, the prompt, the form on the host's page and their help are
made from its tag, its docstring and the ``Parameter`` of each field. The host accepts commands only on the loopback
interface, from programs that can read the files of its home; see ``compute_proof``.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from time import localtime, strftime
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta
from msgspec.structs import FieldInfo, fields

from cardtable.club import protocol, table_text
from cardtable.club.addresses import TransportKind
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import DEFAULT_CLOCK, DecisionSeconds, ReserveSeconds
from cardtable.engine.text_format import align_columns, sanitize
from cardtable.session.session_events import MAX_TALK_LENGTH
from cardtable.store.seating import DEFAULT_LEVEL

MAX_FRAME_BYTES: Final = 64 * 1024
"""Maximum size, in bytes, of a frame with a command."""
_MAX_CELL_LENGTH: Final = 60
C = TypeVar("C", bound="HostCommand")
Side: TypeAlias = Literal["host", "administrator"]
NameKind: TypeAlias = Literal[
    "", "present", "known", "waiting", "banned", "muted", "invited", "table", "game", "level", "house rule"
]
"""Kind of names that a parameter takes; empty for any text. The host lists all but the last three."""
HOW_LONG: Final = "a number with m, h, d or w for minutes, hours, days or weeks, such as 2h or 7d"


class Parameter(NamedTuple):
    """How a field of a command is typed: as an argument, or as the option with the name ``option``."""

    names: NameKind = ""
    option: str = ""
    metavar: str | None = None
    help: str = ""
    longest: str = ""
    """Longest duration, such as ``7d``, of a number of seconds."""
    usual: str = "for ever"
    """Duration if none is given, in words."""
    may_be_new: bool = False
    """True if the club need not know the name."""
    is_free_text: bool = False
    """True if all remaining words of the line are the value."""
    separator: str = ""
    """Separator of several values in a word; without one, an option for several values is repeated."""


class CommandField(NamedTuple):
    """Field of a command that can be typed."""

    field: FieldInfo
    annotation: object
    """Type of the value, without what is noted about it."""
    parameter: Parameter
    bounds: Meta | None
    """Least and largest number, if the value is one."""

    @property
    def name(self) -> str:
        return self.field.name

    @property
    def choices(self) -> tuple[str, ...]:
        """Words of which the value must be one; empty if it is another value."""
        types = get_args(self.annotation)
        return tuple([value for type_ in types if get_origin(type_) is Literal for value in get_args(type_)])


ReasonText: TypeAlias = Annotated[str, Meta(max_length=400)]
Reason: TypeAlias = Annotated[ReasonText, Parameter(is_free_text=True)]
Seconds: TypeAlias = Annotated[int, Meta(ge=1, le=10**9)] | None
"""Duration in seconds; ``None`` for ever, or for the usual duration."""
_FOR: Final = Parameter(option="--for", metavar="TIME", help=f"How long: {HOW_LONG}.", longest="1653w")
PresentNick: TypeAlias = Annotated[protocol.ShortText, Parameter("present")]
KnownNick: TypeAlias = Annotated[protocol.ShortText, Parameter("known")]
WaitingNick: TypeAlias = Annotated[protocol.ShortText, Parameter("waiting")]
NewcomerAddress: TypeAlias = Annotated[protocol.ShortText, Parameter()]
TournamentName: TypeAlias = Annotated[protocol.ShortText, Parameter()]


class Confirmation(NamedTuple):
    """What the host is asked before a command whose effect nobody can undo."""

    consequence: str
    question: str


class HostCommand(protocol.ClientMessage, frozen=True):
    """Command of the host, which is answered with one ``CommandResult``, or with ``RequestFailed``."""

    has_secret_result: ClassVar[bool] = False
    """True if the result has a secret that the host must have time to read."""

    @property
    def confirmation(self) -> Confirmation | None:
        """Question to ask before the command is sent, or ``None`` if it needs none."""
        return None


class ListPeople(HostCommand, frozen=True, tag="club who"):
    """List the people in the club, and the newcomers who wait.

    For each connection: by which transport it came, from which address and since when. Then the tables of the person,
    and how many of their devices can come back by themselves.
    """


class ListTables(HostCommand, frozen=True, tag="club tables"):
    """List the open tables."""


class FollowLog(HostCommand, frozen=True, tag="club log"):
    """Print the lines of the log as they are written.

    Ctrl+C ends this; the club stays open.
    """


class Announce(HostCommand, frozen=True, tag="club say"):
    """Send a message to everybody.

    It appears in the lobby and at all tables.
    """

    text: Reason


class Kick(HostCommand, frozen=True, tag="club kick"):
    """Disconnect a person, who may come back.

    All connections of the person end, and the person reads the REASON. A seat at a table stays theirs, as after a lost
    connection.
    """

    nick: PresentNick
    reason: Reason = ""


class BanPerson(HostCommand, frozen=True, tag="club ban"):
    """Keep a person, or an address, out of the club.

    Without --for it holds until `club unban`. A person is banned with their nick, password, devices and ssh keys, and
    disconnected at once. ADDRESS may be a network, such as 192.0.2.0/24.
    """

    target: Annotated[protocol.ShortText, Parameter("known", metavar="NICK|ADDRESS")]
    seconds: Annotated[Seconds, _FOR] = None
    address: Annotated[
        bool, Parameter(option="--address", help="Ban also the addresses from which the person is here now.")
    ] = False
    reason: Annotated[
        ReasonText, Parameter(option="--reason", metavar="TEXT", help="Reason that the person reads.")
    ] = ""


class Unban(HostCommand, frozen=True, tag="club unban"):
    """End a ban."""

    target: Annotated[protocol.ShortText, Parameter("banned", metavar="NICK|ADDRESS")]


class ListBans(HostCommand, frozen=True, tag="club bans"):
    """List the bans and the muted people."""


class MutePerson(HostCommand, frozen=True, tag="club mute"):
    """Silence a person in the lobby and at the tables.

    Nobody gets what the person says. The person is told. Without --for it holds until `club unmute`.
    """

    nick: KnownNick
    seconds: Annotated[Seconds, _FOR] = None


class Unmute(HostCommand, frozen=True, tag="club unmute"):
    """Let a muted person talk again."""

    nick: Annotated[protocol.ShortText, Parameter("muted")]


class ListReports(HostCommand, frozen=True, tag="club reports"):
    """List the private messages that people have reported within 30 days."""


class CloseTable(HostCommand, frozen=True, tag="club close"):
    """Close a table; its session can be resumed.

    The people at it read the REASON. A session in play stays unfinished, and its players can call each other back to it
    at any time. A table that has not started disappears. TABLE is the name that `club tables` lists, or its beginning
    or end.
    """

    table: Annotated[protocol.ShortText, Parameter("table")]
    reason: Reason = ""


class SetSpectators(HostCommand, frozen=True, tag="club spectators"):
    """Close a table to spectators, or open it to them again.

    With off, those who watch it leave, and nobody can come to watch. Its game master can open it again.
    """

    table: Annotated[protocol.ShortText, Parameter("table")]
    state: Annotated[Literal["on", "off"], Parameter()]


class Invite(HostCommand, frozen=True, tag="club invite"):
    """Invite a newcomer, or a known person on another device.

    Prints a command and, if the club is open to browsers, a link for this person. They let the person in under this
    nick once, without the code, within seven days unless --for says otherwise.
    """

    has_secret_result: ClassVar[bool] = True
    nick: Annotated[protocol.ShortText, Parameter("known", may_be_new=True)]
    seconds: Annotated[Seconds, _FOR._replace(longest="365d", usual="seven days")] = None


class ListInvitations(HostCommand, frozen=True, tag="club invitations"):
    """List the invitations that have not been used."""


class WithdrawInvitation(HostCommand, frozen=True, tag="club withdraw"):
    """Withdraw an invitation."""

    nick: Annotated[protocol.ShortText, Parameter("invited")]


class SetApproval(HostCommand, frozen=True, tag="club approval"):
    """Set whether newcomers wait until you approve them.

    Without on or off, show which it is, and who waits. If it is on, newcomers with the right code wait. People who
    have been here, and people whom you have invited, never wait.
    """

    state: Annotated[Literal["on", "off"] | None, Parameter()] = None


class SetAids(HostCommand, frozen=True, tag="club aids"):
    """Set whether tables may allow hints, the coach and the open review.

    Without on or off, show which it is. If it is on, each table says it; rated tables and tournaments never allow them.
    """

    state: Annotated[Literal["on", "off"] | None, Parameter()] = None


class SetOneNetwork(HostCommand, frozen=True, tag="club one-network"):
    """Set whether sessions played from a single network count.

    Without on or off, show which it is. A family shares a network, but so do two programs of one person.
    """

    state: Annotated[Literal["on", "off"] | None, Parameter()] = None


class Approve(HostCommand, frozen=True, tag="club approve"):
    """Let a waiting newcomer in.

    ADDRESS is needed only if several wait under the same nick.
    """

    nick: WaitingNick
    address: NewcomerAddress = ""


class Reject(HostCommand, frozen=True, tag="club reject"):
    """Refuse a waiting newcomer.

    The newcomer cannot ask again for an hour. ADDRESS is needed only if several wait under the same nick.
    """

    nick: WaitingNick
    address: NewcomerAddress = ""


class ChangeCode(HostCommand, frozen=True, tag="club code"):
    """Change the code of the club.

    Without CODE it becomes a random one. People who have been here come back without it, but after --everybody each of
    their devices needs it once.
    """

    has_secret_result: ClassVar[bool] = True
    code: Annotated[protocol.ShortText | None, Parameter()] = None
    everybody: Annotated[
        bool,
        Parameter(option="--everybody", help="Also disconnect everybody; all devices then need the new code."),
    ] = False
    except_nick: protocol.ShortText = ""
    """Nick of a person whom ``everybody`` does not concern; empty if there is none."""

    @property
    def confirmation(self) -> Confirmation | None:
        consequence = "This disconnects everybody; each device then needs the new code once, and invitations end."
        return Confirmation(consequence, "Change the code?") if self.everybody else None


class ResetPassword(HostCommand, frozen=True, tag="club reset"):
    """Give a player a new password.

    It is a random one. Pass it on to the player, who can change it later. The old one no longer works.
    """

    has_secret_result: ClassVar[bool] = True
    nick: KnownNick


class RevokeTokens(HostCommand, frozen=True, tag="club revoke"):
    """Revoke the tokens and keys of a person.

    Use it if a device was lost. The person is disconnected; a player comes back by password, a guest by an invitation.
    With DEVICE, which `club devices` lists, only that one is revoked.
    """

    nick: KnownNick
    device: Annotated[protocol.ShortText, Parameter()] = ""


class ListDevices(HostCommand, frozen=True, tag="club devices"):
    """List the devices of a person that come back by themselves.

    For each the name for `club revoke`, its kind, since when it is known, and when it was last used.
    """

    nick: KnownNick


class RenamePerson(HostCommand, frozen=True, tag="club rename"):
    """Give a person another nick, without their password.

    Seats, devices and sessions remain theirs, and nobody else can take the former nick. Everybody is told.
    """

    nick: KnownNick
    new_nick: Annotated[protocol.ShortText, Parameter()]


class Forget(HostCommand, frozen=True, tag="club forget"):
    """Free a guest's nick, or ask a player for the password again.

    The next person who takes a guest's nick gets its seats in unfinished sessions. Works without an open club, too.
    """

    nick: KnownNick


class Erase(HostCommand, frozen=True, tag="club erase"):
    """Erase the data of a person at the host.

    Their profile and account go, and their name and chat in all sessions; the cards stay, because the sessions belong
    to the others, too. The person must not be in the club. Works without an open club, too.
    """

    nick: KnownNick

    @property
    def confirmation(self) -> Confirmation:
        return Confirmation(f"This erases the data of {sanitize(self.nick, 40)} for good.", "Erase them?")


class ListNames(HostCommand, frozen=True, tag="names"):
    """Request for the names that a parameter can take, answered with ``Names``."""

    kind: NameKind


class NewTournament(HostCommand, frozen=True, tag="club tournament new"):
    """Open a tournament.

    The people must have been in the club before, or have a profile. Robots take the seats that are left over, at
    most one at a table where that is possible.
    """

    name: Annotated[protocol.ShortText, Parameter()]
    game: Annotated[protocol.ShortText, Parameter("game", "--game", help="Game to play.")]
    rounds: Annotated[int, Meta(ge=1, le=50), Parameter(option="--rounds", help="Number of rounds.")]
    players: Annotated[
        tuple[protocol.ShortText, ...],
        Parameter(option="--players", metavar="NICK,NICK,...", help="People who take part.", separator=","),
    ]
    """Nicks in the order of their numbers in the seating."""
    seats: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Parameter(option="--seat-count", help="Seats at a table; the usual number of the game by default."),
    ] = None
    options: Annotated[
        tuple[str, ...],
        Parameter(
            "house rule",
            "--option",
            "NAME=VALUE",
            "Set a house rule, named as in `cardtable rules GAME`; may be repeated.",
        ),
    ] = ()
    level: Annotated[
        protocol.ShortText,
        Parameter(
            "level", "--level", help="Level of the robots that take free seats, and those of people who are not there."
        ),
    ] = DEFAULT_LEVEL
    grace: Annotated[
        int, Meta(ge=60, le=3600), Parameter(option="--grace", help="Seconds after which absent people lose.")
    ] = 120
    automatic: Annotated[
        bool, Parameter(option="--automatic", help="Call each round by itself, --pause seconds after the one before.")
    ] = False
    pause: Annotated[
        int, Meta(ge=0, le=86400), Parameter(option="--pause", help="Seconds between two rounds, with --automatic.")
    ] = 300
    check_in: Annotated[
        int,
        Meta(ge=10, le=3600),
        Parameter(option="--check-in", help="Seconds for which people can check in to a round."),
    ] = 180
    ahead: Annotated[
        int,
        Meta(ge=1, le=100),
        Parameter(option="--ahead", help="Boards that a table may be ahead of the slowest one."),
    ] = 1
    decision: Annotated[
        DecisionSeconds, Parameter(option="--decision", help="Seconds that a player has for each decision.")
    ] = DEFAULT_CLOCK.decision
    reserve: Annotated[
        ReserveSeconds, Parameter(option="--reserve", help="Seconds that a player has in reserve for a round.")
    ] = DEFAULT_CLOCK.reserve


class StartTournament(HostCommand, frozen=True, tag="club tournament start"):
    """Call the first round, or begin it with those who have checked in.

    The people are called to check in. The round begins once all have, when the time is over, or with this command.
    """

    name: TournamentName


class NextTournamentRound(HostCommand, frozen=True, tag="club tournament next"):
    """Call the next round, or begin it with those who have checked in.

    The round before must have ended. A tournament opened with --automatic does not need this command.
    """

    name: TournamentName


class PauseTournament(HostCommand, frozen=True, tag="club tournament pause"):
    """Pause a tournament.

    Deals in play are finished. Nothing is dealt, and no round begins, until `club tournament resume`.
    """

    name: TournamentName


class ResumeTournament(HostCommand, frozen=True, tag="club tournament resume"):
    """Let a tournament that has been paused go on."""

    name: TournamentName


class EndTournament(HostCommand, frozen=True, tag="club tournament end"):
    """End a tournament early; finished rounds count.

    A round that is being played does not count, and its sessions are abandoned. The key of the deals is published.
    """

    name: TournamentName


class CancelTournament(HostCommand, frozen=True, tag="club tournament cancel"):
    """Cancel a tournament; nothing counts."""

    name: TournamentName


COMMANDS: Final = tuple(HostCommand.__subclasses__())
"""Types of all commands, in the order of this module."""


class Proof(protocol.ServerMessage, frozen=True, tag="proof"):
    """Answer to the ``Hello`` of a program that has proved that it may give commands, with the proof of the host."""

    proof: str


class LogLine(protocol.ServerMessage, frozen=True, tag="log"):
    """Line of the host's log, sent between results after ``FollowLog``."""

    text: str


class CommandResult(protocol.ServerMessage, frozen=True):
    """Result of a command."""


class Done(CommandResult, frozen=True, tag="done"):
    """Result of a command that has been executed, as a sentence for the host."""

    text: str
    details: tuple[str, ...] = ()
    """Further lines of the result, such as those of an invitation."""


class Names(CommandResult, frozen=True, tag="names"):
    """Answer to ``ListNames``."""

    names: tuple[str, ...]


class Listing(CommandResult, frozen=True):
    """Result that is a list."""

    def iter_lines(self) -> Iterator[str]:
        """Yield the lines of the list, or a sentence if it is empty."""
        raise NotImplementedError


class GuestConnection(msgspec.Struct, frozen=True):
    """Connection of a person in the club."""

    transport: TransportKind
    address: str
    since: int
    """Time of the login, in seconds since 1970-01-01T00:00Z."""


class PresentPerson(msgspec.Struct, frozen=True):
    """Person in the club."""

    nick: str
    is_member: bool
    """True if the person has a profile at the host, false for a guest."""
    connections: tuple[GuestConnection, ...]
    tables: tuple[str, ...] = ()
    """Ids of the tables at which the person sits or watches."""
    is_muted: bool = False
    tokens: int = 0
    """Number of stored tokens, each of which belongs to one program of the person."""
    keys: int = 0
    """Number of stored ssh keys."""

    def _list_rows(self) -> list[tuple[str, ...]]:
        """Return a row for each connection, the first of them with what concerns the whole person."""
        rows: list[tuple[str, ...]] = [
            (connection.transport, connection.address, table_text.format_time(connection.since))
            for connection in self.connections
        ]
        tables = ", ".join(map(shorten_table_id, self.tables))
        facts = tables or "-", str(self.tokens + self.keys), "muted" if self.is_muted else ""
        identity = self.nick, "player" if self.is_member else "guest"
        if not rows:  # the last connection has just ended
            return [(*identity, "", "", "", *facts)]
        return [(*identity, *rows[0], *facts), *[("", "", *row, "", "", "") for row in rows[1:]]]


class Newcomer(msgspec.Struct, frozen=True):
    """Newcomer who waits for the host's approval."""

    nick: str
    address: str
    since: int
    """Time of the first attempt, in seconds since 1970-01-01T00:00Z."""


class Approval(Listing, frozen=True, tag="approval"):
    """Answer to ``SetApproval`` without a state, and part of ``People``."""

    is_required: bool = False
    """True if the host must approve newcomers."""
    newcomers: tuple[Newcomer, ...] = ()

    def iter_lines(self) -> Iterator[str]:
        on, off = "on: newcomers with the right code wait", "off: newcomers come in by the code alone"
        yield f"Approval is {on if self.is_required else off}."
        yield from self.iter_newcomers()

    def iter_newcomers(self) -> Iterator[str]:
        """Yield lines with the newcomers who wait, if the host must approve them."""
        if self.newcomers:
            yield "Waiting until you approve or reject them:"
            rows = [
                (newcomer.nick, newcomer.address, table_text.format_time(newcomer.since)) for newcomer in self.newcomers
            ]
            yield from _align_rows(("nick", "address", "since"), rows)
        elif self.is_required:
            yield "No newcomer waits."


class People(Listing, frozen=True, tag="people"):
    """Answer to ``ListPeople``, with the people in the order of their arrival."""

    people: tuple[PresentPerson, ...]
    approval: Approval = Approval()

    def iter_lines(self) -> Iterator[str]:
        headings = "nick", "", "transport", "address", "since", "tables", "devices", ""
        rows = [row for person in self.people for row in person._list_rows()]
        yield from _align_rows(headings, rows) if rows else ["Nobody is here."]
        yield from self.approval.iter_newcomers()


class Tables(Listing, frozen=True, tag="tables"):
    """Answer to ``ListTables``."""

    tables: tuple[protocol.TableInfo, ...]

    def iter_lines(self) -> Iterator[str]:
        rows = [
            (
                shorten_table_id(row.table),
                table_text.format_game_title(row.game),
                table_text.format_stage(row),
                table_text.format_seated_people(row),
                table_text.format_time(row.since),
            )
            for row in self.tables
        ]
        headings = "table", "game", "stage", "people", "since"
        yield from _align_rows(headings, rows) if rows else ["No table is open."]


class Restriction(msgspec.Struct, frozen=True):
    """Ban, mute or invitation."""

    target: str
    """Nick, or networks in CIDR notation."""
    until: int = 0
    """End, in seconds since 1970-01-01T00:00Z; 0 if it has none."""

    @property
    def end(self) -> str:
        return format_moment(self.until) if self.until else "for ever"


class Bans(Listing, frozen=True, tag="bans"):
    """Answer to ``ListBans``."""

    bans: tuple[Restriction, ...]
    mutes: tuple[Restriction, ...]

    def iter_lines(self) -> Iterator[str]:
        kinds = ("banned", self.bans), ("muted", self.mutes)
        rows = [(kind, restriction.target, restriction.end) for kind, listed in kinds for restriction in listed]
        yield from _align_rows(("", "who", "until"), rows) if rows else ["Nobody is banned or muted."]


class KnownDevices(Listing, frozen=True, tag="known_devices"):
    """Answer to ``ListDevices``."""

    devices: tuple[protocol.DeviceInfo, ...]

    def iter_lines(self) -> Iterator[str]:
        rows = [(device.id, *table_text.list_device_facts(device)) for device in self.devices]
        yield from _align_rows(("device", "", "since", "last used"), rows) if rows else ["No device is known."]


class ReportInfo(msgspec.Struct, frozen=True):
    """Report of a person, about private messages of another one."""

    by: str
    nick: str
    texts: tuple[str, ...]


class Reports(Listing, frozen=True, tag="reports"):
    """Answer to ``ListReports``, the oldest first."""

    reports: tuple[ReportInfo, ...]

    def iter_lines(self) -> Iterator[str]:
        for report in self.reports:
            yield sanitize(f"{report.nick} to {report.by}:")
            yield from [f"    {sanitize(text, MAX_TALK_LENGTH)}" for text in report.texts]
        if not self.reports:
            yield "Nobody has reported anything."


class Invitations(Listing, frozen=True, tag="invitations"):
    """Answer to ``ListInvitations``."""

    invitations: tuple[Restriction, ...]

    def iter_lines(self) -> Iterator[str]:
        rows = [(invitation.target, invitation.end) for invitation in self.invitations]
        yield from _align_rows(("nick", "until"), rows) if rows else ["Nobody is invited."]


AnyResult: TypeAlias = (
    protocol.RequestFailed | Done | Names | Approval | People | Tables | Bans | KnownDevices | Reports | Invitations
)
AnyHostMessage: TypeAlias = protocol.Challenge | Proof | LogLine | AnyResult


def list_fields(command_type: type[HostCommand]) -> list[CommandField]:
    """Return the fields of a command that can be typed."""
    listed = []
    for field in fields(command_type):
        annotation, *notes = get_args(field.type) if get_origin(field.type) is Annotated else [field.type]
        all_notes = [*notes, *[note for type_ in get_args(annotation) for note in get_args(type_)]]
        bounds = next((note for note in all_notes if isinstance(note, Meta)), None)
        listed += [CommandField(field, annotation, note, bounds) for note in notes if isinstance(note, Parameter)]
    return listed


def get_words(command_type: type[HostCommand]) -> list[str]:
    """Return the words of a command behind ``cardtable``."""
    return str(command_type.__struct_config__.tag).split()


def format_moment(timestamp: float) -> str:
    return strftime("%Y-%m-%d %H:%M", localtime(timestamp))


def _align_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Return rows in aligned columns below their headings."""
    cells = [[sanitize(cell, _MAX_CELL_LENGTH) for cell in row] for row in (headings, *rows)]
    return align_columns(cells, left=range(len(headings)))


def compute_proof(owner_token: str, club_id: str, side: Side, port: int, nonces: tuple[str, str]) -> str:
    """Return the proof by which the host and a program of its home identify themselves, in hexadecimal digits.

    Both know the club's ``owner_token``, which is never sent. ``nonces`` are those of the host and of the program. The
    side keeps a proof from being sent back as the answer, and from being used as the login of a guest. ``port`` is the
    port of the connection: another program of this machine that passes the frames of both sides on has a port of its
    own, so that its proofs do not match.
    """
    return protocol.compute_token_proof(protocol.hash_token(owner_token), f"{club_id} {side} {port}", *nonces)


def find_code_error(code: str) -> str | None:
    """Return why a text cannot be the access code of a club, or ``None`` if it can."""
    is_valid = 6 <= len(code) <= 64 and code.isalnum() and code.isascii()
    return None if is_valid else "a code is 6 to 64 letters a to z or digits"


def shorten_table_id(table: str) -> str:
    """Return the part of a table's id behind the date, such as ``rikiki-eff0``, which is unambiguous in most clubs."""
    return sanitize(table.split("-", 2)[-1], 64)


_COMMAND_DECODER: Final[msgspec.json.Decoder[HostCommand]] = msgspec.json.Decoder(reduce(or_, COMMANDS))
_HOST_DECODER: Final[msgspec.json.Decoder[AnyHostMessage]] = msgspec.json.Decoder(AnyHostMessage)


def encode_command(command: HostCommand) -> str:
    return protocol.encode_checked(_COMMAND_DECODER, command)


def create_command(command_type: type[C], values: Mapping[str, object]) -> C:
    """Create a command from the values of its fields.

    Raises ``CardtableError`` if text is too long.
    """
    try:
        return msgspec.convert(values, command_type)
    except msgspec.ValidationError:
        raise CardtableError(protocol.INVALID_TEXT) from None


def decode_command(frame: str | bytes) -> HostCommand:
    """Decode a frame with a command. Raises ``msgspec.MsgspecError`` if it is invalid."""
    return protocol.decode_frame(_COMMAND_DECODER, frame)


def decode_host(frame: str | bytes) -> AnyHostMessage:
    """Decode a frame of the host. Raises ``msgspec.MsgspecError`` if it is invalid."""
    return protocol.decode_frame(_HOST_DECODER, frame)
