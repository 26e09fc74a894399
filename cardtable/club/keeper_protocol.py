"""Messages between the host of a club and the keeper's programs, each of which is a JSON object in a frame of its own.

The host accepts them only on the loopback interface, and only from programs that can read the files of its home. Both
sides prove that they know the club's ``owner_token``, which is never sent.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from cardtable.club.addresses import Door
from cardtable.club.protocol import ShortText, TableInfo, compute_token_proof, decode_frame, encode_checked, hash_token
from cardtable.engine.options import Value
from cardtable.engine.text_format import sanitize

MAX_FRAME_BYTES: Final = 64 * 1024
"""Maximum size, in bytes, of a frame that the keeper's program may send."""
ReasonText: TypeAlias = Annotated[str, Meta(max_length=400)]
Role: TypeAlias = Literal["host", "keeper"]


class KeeperMessage(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Message from the keeper's program to the host."""


class KeeperHello(KeeperMessage, frozen=True, tag="hello"):
    """First frame of the keeper's program, sent after the host's ``KeeperChallenge``."""

    nonce: ShortText
    proof: ShortText


class KeeperCommand(KeeperMessage, frozen=True):
    """Command of the keeper, which the host answers with one ``KeeperResult``."""


class ListPeople(KeeperCommand, frozen=True, tag="people"):
    """Request for the people in the club, answered with ``People``."""


class ListTables(KeeperCommand, frozen=True, tag="tables"):
    """Request for the open tables, answered with ``Tables``."""


class FollowLog(KeeperCommand, frozen=True, tag="follow"):
    """Request for the lines of the host's log from now on, each of which is sent as a ``LogLine``."""


class Kick(KeeperCommand, frozen=True, tag="kick"):
    """End all connections of a person, who may come back."""

    nick: ShortText
    reason: ReasonText = ""


class BanPerson(KeeperCommand, frozen=True, tag="ban"):
    """Ban a person, or an address or network, and disconnect all whom it concerns."""

    target: ShortText
    """Nick of a person whom the club knows, or an address or network."""
    seconds: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    """Duration of the ban; ``None`` for ever."""
    reason: ReasonText = ""
    with_address: bool = False
    """True to ban the addresses from which the person is here as well."""


class Unban(KeeperCommand, frozen=True, tag="unban"):
    """End the ban of a nick, address or network."""

    target: ShortText


class MutePerson(KeeperCommand, frozen=True, tag="mute"):
    """Refuse what a person says in the lobby and at the tables."""

    nick: ShortText
    seconds: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    """Duration; ``None`` for ever."""


class Unmute(KeeperCommand, frozen=True, tag="unmute"):
    """Let a muted person talk again."""

    nick: ShortText


class ListBans(KeeperCommand, frozen=True, tag="bans"):
    """Request for the bans and mutes, answered with ``Bans``."""


class RevokeTokens(KeeperCommand, frozen=True, tag="revoke"):
    """Disconnect a person and revoke their tokens, ssh keys and invitations."""

    nick: ShortText


class ChangeCode(KeeperCommand, frozen=True, tag="code"):
    """Change the access code, answered with ``CodeChanged``."""

    code: ShortText | None = None
    """New code; ``None`` for a random one."""
    everybody: bool = False
    """True to disconnect everybody, to ask for the new code on all devices, and to withdraw all invitations."""
    except_nick: ShortText = ""
    """Nick of a person whom ``everybody`` does not concern; empty if there is none."""


class SetApproval(KeeperCommand, frozen=True, tag="approval"):
    """Set whether the host must approve newcomers."""

    required: bool


class Approve(KeeperCommand, frozen=True, tag="approve"):
    """Let a waiting newcomer in."""

    nick: ShortText
    address: ShortText = ""
    """Address from which the newcomer asks; needed only if several wait under the nick."""


class Reject(KeeperCommand, frozen=True, tag="reject"):
    """Refuse a waiting newcomer."""

    nick: ShortText
    address: ShortText = ""


class Invite(KeeperCommand, frozen=True, tag="invite"):
    """Create a personal invitation, answered with ``Invited``."""

    nick: ShortText
    seconds: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    """Time for which the invitation is good; ``None`` for the usual one."""


class ListInvitations(KeeperCommand, frozen=True, tag="invitations"):
    """Request for the invitations that have not been used, answered with ``Invitations``."""


class WithdrawInvitation(KeeperCommand, frozen=True, tag="withdraw"):
    """Withdraw the invitations of a person."""

    nick: ShortText


class ResetPassword(KeeperCommand, frozen=True, tag="reset"):
    """Give a player a new random password, answered with ``PasswordReset``."""

    nick: ShortText


class Forget(KeeperCommand, frozen=True, tag="forget"):
    """Free a guest's nick, or make a player enter the password again."""

    nick: ShortText


class Erase(KeeperCommand, frozen=True, tag="erase"):
    """Erase an absent person's data from the host's files, answered with ``Erased``."""

    nick: ShortText


class CloseTable(KeeperCommand, frozen=True, tag="close_table"):
    """Close a table; a session in play stays unfinished, and its players can resume it."""

    table: ShortText
    """Id of the table, or an unambiguous beginning or end of it."""
    reason: ReasonText = ""


class Announce(KeeperCommand, frozen=True, tag="announce"):
    """Send a message to all people in the club."""

    text: ReasonText


class NewTournament(KeeperCommand, frozen=True, tag="new_tournament"):
    """Open a tournament, whose first round begins by ``BeginTournamentRound``."""

    name: ShortText
    game: ShortText
    rounds: int
    people: tuple[ShortText, ...]
    """Nicks of the people who take part, in the order of their numbers in the seating."""
    seats: int | None = None
    """Number of seats at a table; ``None`` for the usual number of the game."""
    options: dict[ShortText, Value] = {}
    level: ShortText = "steady"
    """Level of the robots that fill up the tables, and of substitutes."""
    grace: Annotated[int, Meta(ge=5, le=3600)] = 120
    """Time in seconds to wait for absent people."""
    automatic: bool = False
    """True if the next round begins as soon as one has finished."""


class BeginTournamentRound(KeeperCommand, frozen=True, tag="begin_tournament_round"):
    """Begin the next round of a tournament."""

    name: ShortText


class EndTournament(KeeperCommand, frozen=True, tag="end_tournament"):
    """End a tournament before all of its rounds have been played, and publish its key."""

    name: ShortText
    is_cancelled: bool = False
    """True if its results do not count."""


AnyTournamentCommand: TypeAlias = NewTournament | BeginTournamentRound | EndTournament
AnyKeeperCommand: TypeAlias = (
    ListPeople
    | ListTables
    | FollowLog
    | Kick
    | BanPerson
    | Unban
    | MutePerson
    | Unmute
    | ListBans
    | RevokeTokens
    | ChangeCode
    | SetApproval
    | Approve
    | Reject
    | Invite
    | ListInvitations
    | WithdrawInvitation
    | ResetPassword
    | Forget
    | Erase
    | CloseTable
    | Announce
    | AnyTournamentCommand
)
AnyKeeperMessage: TypeAlias = KeeperHello | AnyKeeperCommand


class HostMessage(msgspec.Struct, frozen=True, tag=True):
    """Message from the host to the keeper's program. Unknown fields are ignored."""


class KeeperChallenge(HostMessage, frozen=True, tag="challenge"):
    """First frame of the host."""

    nonce: str


class KeeperWelcome(HostMessage, frozen=True, tag="welcome"):
    """Answer to a ``KeeperHello`` with a valid proof."""

    proof: str


class LogLine(HostMessage, frozen=True, tag="log"):
    """Line of the host's log, sent between results after ``FollowLog``."""

    text: str


class KeeperResult(HostMessage, frozen=True):
    """Result of a command."""


class Refused(KeeperResult, frozen=True, tag="refused"):
    """Refusal of a command, with the reason."""

    why: str


class Done(KeeperResult, frozen=True, tag="done"):
    """Result of a command that has been executed, as a sentence for the keeper."""

    text: str


class GuestConnection(msgspec.Struct, frozen=True):
    """Connection of a person in the club."""

    door: Door
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


class Newcomer(msgspec.Struct, frozen=True):
    """Newcomer who waits for the host's approval."""

    nick: str
    address: str
    since: int
    """Time of the first attempt, in seconds since 1970-01-01T00:00Z."""


class People(KeeperResult, frozen=True, tag="people"):
    """Answer to ``ListPeople``, with the people in the order of their arrival."""

    people: tuple[PresentPerson, ...]
    newcomers: tuple[Newcomer, ...] = ()
    requires_approval: bool = False
    """True if the host must approve newcomers."""


class Tables(KeeperResult, frozen=True, tag="tables"):
    """Answer to ``ListTables``."""

    tables: tuple[TableInfo, ...]


class Restriction(msgspec.Struct, frozen=True):
    """Ban or mute."""

    target: str
    """Nick, or networks in CIDR notation."""
    until: int = 0
    """End, in seconds since 1970-01-01T00:00Z; 0 if it has none."""


class Bans(KeeperResult, frozen=True, tag="bans"):
    """Answer to ``ListBans``."""

    bans: tuple[Restriction, ...]
    mutes: tuple[Restriction, ...]


class CodeChanged(KeeperResult, frozen=True, tag="code"):
    """Answer to ``ChangeCode``."""

    code: str
    text: str
    """Consequences, as a sentence for the keeper."""


class Invited(KeeperResult, frozen=True, tag="invited"):
    """Answer to ``Invite``."""

    nick: str
    until: int
    """Time from which the invitation is no longer good, in seconds since 1970-01-01T00:00Z."""
    lines: tuple[str, ...]
    """Commands and addresses for the guest, which contain the word of the invitation."""


class Invitations(KeeperResult, frozen=True, tag="invitations"):
    """Answer to ``ListInvitations``."""

    invitations: tuple[Restriction, ...]


class PasswordReset(KeeperResult, frozen=True, tag="password"):
    """Answer to ``ResetPassword``."""

    nick: str
    password: str


class Erased(KeeperResult, frozen=True, tag="erased"):
    """Answer to ``Erase``."""

    nick: str
    name: str
    """Name of the person in the sessions from now on."""
    session_count: int
    """Number of sessions that were changed."""
    unchanged_files: tuple[str, ...] = ()
    """Names of files that may still contain the person's data."""


AnyResult: TypeAlias = (
    Refused | Done | People | Tables | Bans | CodeChanged | Invited | Invitations | PasswordReset | Erased
)
AnyHostMessage: TypeAlias = KeeperChallenge | KeeperWelcome | LogLine | AnyResult


def compute_keeper_proof(owner_token: str, club_id: str, role: Role, port: int, nonces: tuple[str, str]) -> str:
    """Return the proof by which host and keeper's program identify themselves, in hexadecimal digits.

    ``nonces`` are those of the host and of the program. The role keeps a proof from being sent back as the answer, and
    from being used as the login of a guest. ``port`` is the port of the connection: another program of this machine
    that passes the frames of both sides on has a port of its own, so that its proofs do not match.
    """
    return compute_token_proof(hash_token(owner_token), f"{club_id} {role} {port}", *nonces)


def find_code_error(code: str) -> str | None:
    """Return why a text cannot be the access code of a club, or ``None`` if it can."""
    is_valid = 6 <= len(code) <= 64 and code.isalnum() and code.isascii()
    return None if is_valid else "a code is 6 to 64 letters a to z or digits"


def shorten_table_id(table: str) -> str:
    """Return the part of a table's id behind the date, such as ``rikiki-eff0``, which is unambiguous in most clubs."""
    return sanitize(table.split("-", 2)[-1], 64)


_ENCODER: Final = msgspec.json.Encoder()
_KEEPER_DECODER: Final[msgspec.json.Decoder[AnyKeeperMessage]] = msgspec.json.Decoder(AnyKeeperMessage)
_HOST_DECODER: Final[msgspec.json.Decoder[AnyHostMessage]] = msgspec.json.Decoder(AnyHostMessage)


def encode(message: KeeperMessage | HostMessage) -> str:
    """Encode a message as the text of one WebSocket frame."""
    return _ENCODER.encode(message).decode()


def encode_command(command: AnyKeeperCommand) -> str:
    """Encode a command as ``encode_checked`` does."""
    return encode_checked(_ENCODER, _KEEPER_DECODER, command)


def decode_keeper(frame: str | bytes) -> AnyKeeperMessage:
    """Decode a frame of the keeper's program. Raises ``msgspec.MsgspecError`` if it is invalid."""
    return decode_frame(_KEEPER_DECODER, frame)


def decode_host(frame: str | bytes) -> AnyHostMessage:
    """Decode a frame of the host. Raises ``msgspec.MsgspecError`` if it is invalid."""
    return decode_frame(_HOST_DECODER, frame)
