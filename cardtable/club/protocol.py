"""Messages between the host of a club and its clients, each of which is a JSON object in a frame of its own.

The objects are tagged with the type of the message. ``docs/club-reference.md`` describes when each message is sent and
how it is answered.
"""

from functools import reduce
from hashlib import sha256
from hmac import new as new_hmac
from operator import or_
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Raw

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Score, Seat
from cardtable.engine.journal import Header, LossReason, PlayerClock, Terms
from cardtable.engine.log_entries import AnyNote
from cardtable.engine.options import Value
from cardtable.engine.tricks import Play
from cardtable.records.result_rows import ResultsTable
from cardtable.session.session_events import ClockLeft, Stage
from cardtable.store.errors import DiskFault


class SeatInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Seat in the lobby's description of a table.

    The seat is free if ``name`` is empty.
    """

    name: str = ""
    robot: bool = False
    """True if a robot decides for the seat, either as its owner or as a substitute for an absent player."""
    away: bool = False
    offered: str = ""
    """Nick of the player to whom the game master offers the seat; empty if the seat is not offered."""
    former: tuple[str, ...] = ()
    """Names of others who made the finished rounds, with an empty string for each round of the present player.

    It is empty if there are none.
    """
    lost: LossReason | None = None
    """Why the seat has lost the session, which goes on; a robot decides for it to the end. ``None`` if it has not."""


class TableInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Description of a table in the lobby, or of an unfinished session that a player can resume."""

    table: str
    game: str
    options: dict[str, Value]
    seats: tuple[SeatInfo, ...]
    master: str
    name: str = ""
    playing: bool = False
    """True once the session is in play; False while players take seats or are called back."""
    round: int = 0
    turn: str = ""
    """Name of the player or robot to act; empty if nobody is to act."""
    since: Annotated[int, msgspec.Meta(ge=0, lt=10**10)] = 0
    """Time in seconds since 1970-01-01T00:00Z.

    It is the start of the session if the session is in play, the opening of a table that has not begun, and the last
    play of an unfinished session.
    """
    spectator_count: int = 0
    """Number of spectators."""
    over: bool = False
    """True if the session has ended while clients are still at the table."""
    resuming: bool = False
    """True if the players of an unfinished session are being called back to resume it.

    ``away`` marks the seats of players who have not arrived yet.
    """
    grows_to: int = 0
    """Number of seats that the table can have if more people sit down before the session begins; 0 if it is fixed."""
    private: bool = False
    """True if only invited people see the table and may come to it."""
    invited: tuple[str, ...] = ()
    """Nicks of the people who see a private table, its players included; empty for a table that is open to all."""
    no_spectators: bool = False
    """True if the game master has closed the table to spectators."""
    terms: Terms | None = None
    """Terms of the session; ``None`` for a session that was begun without any."""
    grace: int = 60
    """Time in seconds to wait for an absent player."""


PROTOCOL_VERSION: Final = 5
"""Protocol version; the host refuses clients with another version.

It has to be raised for a new message, or a new field, of clients that older hosts would refuse although the client
cannot do without it, and for a new message that the host sends unasked: an older client takes it for a broken
connection, reconnects and receives it again. A new field of a host message needs a default and no new version.
"""
SUBPROTOCOL: Final = f"cardtable.{PROTOCOL_VERSION}"
"""WebSocket subprotocol by which host and client agree on the protocol version.

Clients of version 1 request no subprotocol.
"""
DEFAULT_PORT: Final = 7036
"""Default port of the host's WebSocket endpoint."""
MAX_CLIENT_FRAME_BYTES: Final = 64 * 1024
"""Maximum size, in bytes, of a frame that a client may send."""
ShortText: TypeAlias = Annotated[str, Meta(max_length=64)]
ChatText: TypeAlias = Annotated[str, Meta(max_length=400)]
T = TypeVar("T")
BoundedInt: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]
DeviceKind: TypeAlias = Literal["join", "browser", "ssh", "key", ""]
"""How a device is recognised: a program or browser by its token, ssh by a typed word or a key, or not recorded."""
INVALID_TEXT: Final = "a name or text is too long, or is not valid text"
MAX_INVITED: Final = 30
"""Maximum number of people who see a private table."""


class ClientMessage(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Message from a client to the host.

    The host accepts only ``Hello`` until the client is admitted. A message with unknown fields is invalid.
    """


class TableMessage(ClientMessage, frozen=True):
    """Message about one table."""

    table: ShortText
    """Id of the table."""


class Hello(ClientMessage, frozen=True, tag="hello"):
    """Login of a client, sent as its first frame after the host's ``Challenge``."""

    nick: ShortText
    code: ShortText = ""
    """Access code that the host has given to the guests, or the one-time word of an invitation for the nick.

    It is empty if the club requires none, or if ``proof`` is sent.
    """
    password: Annotated[str, Meta(max_length=200)] = ""
    """Password of the club's profile with this nick; empty for guests and if ``proof`` is sent."""
    nonce: ShortText = ""
    """Random value that the client creates for this connection; sent together with ``proof``."""
    proof: ShortText = ""
    """Proof that the client has a token, computed by ``compute_token_proof``; replaces code and password.

    It is empty for a login without a token.
    """


class Say(ClientMessage, frozen=True, tag="say"):
    """Chat message for a table, or for the lobby if ``table`` is empty."""

    text: ChatText
    table: ShortText = ""


class SayTo(ClientMessage, frozen=True, tag="say_to"):
    """Chat message for one person in the club, which nobody else gets."""

    nick: ShortText
    text: ChatText


class Report(ClientMessage, frozen=True, tag="report"):
    """Report to the host of what a person has said to the sender alone."""

    nick: ShortText


class OpenTable(ClientMessage, frozen=True, tag="open_table", omit_defaults=True):
    """Request to open a table.

    The sender becomes its game master and takes the first seat.
    """

    game: ShortText
    seats: BoundedInt
    options: dict[ShortText, Value] = {}
    name: ShortText = ""
    grace: Annotated[int, Meta(ge=5, le=3600)] = 60
    """Time in seconds to wait for an absent player before a robot may substitute."""
    draws_seats: bool = True
    """True if the seats are drawn at random when the session begins; False if players keep the seats they took."""
    grows: bool | None = None
    """True if the table gets more seats when people sit down and none is free, up to the maximum of the game.

    ``None`` means that the host decides by the game.
    """
    private: bool = False
    """True if only people whom the game master invites see the table and may come to it."""
    invited: Annotated[tuple[ShortText, ...], Meta(max_length=MAX_INVITED)] = ()
    """Nicks of people who are invited to a private table from the beginning."""
    rated: bool | None = None
    """True if the session shall be rated; ``None`` means that the host decides, as for the next two."""
    aids: bool | None = None
    """True if hints, the coach and the review of the unfinished session are allowed."""
    clock: PlayerClock | None = None


class InviteToTable(TableMessage, frozen=True, tag="invite_to_table"):
    """Request of the game master of a private table to invite a person, or to withdraw an invitation."""

    nick: ShortText
    withdrawn: bool = False
    """True if the invitation is withdrawn: the person then leaves the table, unless they play in its session."""


class SendAway(TableMessage, frozen=True, tag="send_away"):
    """Request of the game master to remove a spectator, who cannot watch the table again."""

    nick: ShortText


class AdmitSpectators(TableMessage, frozen=True, tag="admit_spectators"):
    """Request of the game master to close the table to spectators, who leave it, or to open it to them again."""

    admitted: bool = True


class ResumeSession(ClientMessage, frozen=True, tag="resume_session"):
    """Request to resume an unfinished session, to which the host calls back the other players."""

    session: ShortText


class AskUnfinished(ClientMessage, frozen=True, tag="ask_unfinished"):
    """Request for the sender's unfinished sessions, answered with ``Unfinished``."""


class AskFinished(ClientMessage, frozen=True, tag="ask_finished"):
    """Request for the ids of the sender's finished sessions, answered with ``Finished``."""


class AskJournal(ClientMessage, frozen=True, tag="ask_journal"):
    """Request for the journal of one of the sender's finished sessions, answered with ``FinishedJournal``."""

    session: ShortText


class AskSeasons(ClientMessage, frozen=True, tag="ask_seasons"):
    """Request for the names of the club's seasons, answered with ``Seasons``."""


class AskSeason(ClientMessage, frozen=True, tag="ask_season"):
    """Request for the tables of a season, answered with ``SeasonTables``."""

    name: ShortText


class SitDown(TableMessage, frozen=True, tag="sit_down"):
    """Request for a seat: a free one, one that is offered to the sender, or the sender's own."""

    seat: Seat | None = None
    """Requested seat; ``None`` requests any free seat, or the return to the sender's own seat."""


class Watch(TableMessage, frozen=True, tag="watch"):
    """Request to watch a table as a spectator."""


class Leave(TableMessage, frozen=True, tag="leave"):
    """Request to leave a table.

    While the table has not begun, the seat becomes free. Afterwards the sender still owns it.
    """


class Start(TableMessage, frozen=True, tag="start"):
    """Request of the game master to begin the session, with robots of ``level`` in the free seats.

    At a table that is being resumed, any player who has arrived may send it: it then states the player's agreement that
    robots substitute for the absent players.
    """

    level: ShortText = "steady"


class Act(TableMessage, frozen=True, tag="act"):
    """Action of the player to act, such as a bid or a play."""

    at: BoundedInt
    """Number of decisions in the session when the player chose the action.

    The host refuses the message as outdated if there have been others since, but for those of players who choose at the
    same time.
    """
    action: ShortText


class AcknowledgeRound(TableMessage, frozen=True, tag="acknowledge_round"):
    """Acknowledgement that the player has seen the points scored in a round."""

    round: BoundedInt


class AskRounds(TableMessage, frozen=True, tag="ask_rounds"):
    """Request for the finished rounds of a table, answered with ``Rounds``.

    The sender must be at the table.
    """


class VoteSubstitute(TableMessage, frozen=True, tag="vote_substitute"):
    """Vote for a robot to substitute for an absent player until the player returns."""

    seat: Seat


class EndWait(TableMessage, frozen=True, tag="end_wait"):
    """Request of the game master to stop waiting for absent players and for acknowledgements of a round's points."""


class GiveSeat(TableMessage, frozen=True, tag="give_seat"):
    """Request of the game master, between rounds, to give the seat of an absent player to another player or a robot."""

    seat: Seat
    nick: ShortText = ""
    """Nick of the player to whom the seat is offered; empty if a robot takes it over permanently."""
    level: ShortText = "steady"
    """Level of the robot that takes over the seat if ``nick`` is empty."""


class VoteRematch(TableMessage, frozen=True, tag="vote_rematch"):
    """Offer of another session by the game master, or a player's acceptance of the offer.

    If the session has not ended, it stays unfinished when the other one begins.
    """

    draws_seats: bool = False
    """True if the seats are drawn at random.

    Only the value in the game master's offer counts.
    """


class DeclineRematch(TableMessage, frozen=True, tag="decline_rematch"):
    """Refusal of another session by a player, or withdrawal of the offer by the game master; the offer lapses."""


class Register(ClientMessage, frozen=True, tag="register"):
    """Request of a guest to become a player of the club under their nick, with a password."""

    password: Annotated[str, Meta(max_length=200)]


class SignIn(ClientMessage, frozen=True, tag="sign_in"):
    """Request of a client that is logged in to continue as a player of the club, who has a password."""

    nick: ShortText
    password: Annotated[str, Meta(max_length=200)]


class ChangePassword(ClientMessage, frozen=True, tag="change_password"):
    """Request of a player of the club to change their password, answered with ``PasswordChanged``."""

    old: Annotated[str, Meta(max_length=200)]
    password: Annotated[str, Meta(max_length=200)]
    revoke_others: bool = False
    """True if all other tokens and ssh keys of the player become invalid."""


class RenameSelf(ClientMessage, frozen=True, tag="rename_self"):
    """Request for another nick, once in a season; all devices of the sender then get a new ``Welcome``."""

    nick: ShortText


class AskDevices(ClientMessage, frozen=True, tag="ask_devices"):
    """Request for the devices by which the club recognises the sender, answered with ``Devices``."""


class WithdrawDevice(ClientMessage, frozen=True, tag="withdraw_device"):
    """Request to recognise the sender by one of their other devices no more, answered with ``Devices``."""

    device: ShortText


class AskDeviceWord(ClientMessage, frozen=True, tag="ask_device_word"):
    """Request of a guest for a word by which they log in on another device, answered with ``DeviceWord``."""


class CheckIn(ClientMessage, frozen=True, tag="check_in"):
    """Notice that the sender, who takes part in a tournament, will play the round being called."""

    tournament: ShortText


class Disconnect(ClientMessage, frozen=True, tag="disconnect"):
    """Notice that the client disconnects; the player keeps their seats."""


CLIENT_MESSAGES: Final = [*TableMessage.__subclasses__(), *ClientMessage.__subclasses__()]
CLIENT_MESSAGES.remove(TableMessage)
"""Types of all messages of clients."""


class ServerMessage(msgspec.Struct, frozen=True, tag=True):
    """Message from the host to a client. Unknown fields are ignored."""


class Challenge(ServerMessage, frozen=True, tag="challenge"):
    """First frame of the host, which identifies the club and gives the nonce for proofs on this connection."""

    protocol_version: int
    """Value of ``PROTOCOL_VERSION`` at the host."""
    club_id: str
    """Permanent id of the club, which is the same at all of its addresses."""
    nonce: str


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """Answer to an accepted ``Hello``, with the current state of the lobby."""

    club: str
    nick: str
    token: str
    """Token for the next login; empty if the client has proved that it has one."""
    member: bool
    """True if the player has a profile at the club."""
    people: tuple[str, ...]
    tables: tuple[TableInfo, ...]
    interface_version: int
    """Value of ``INTERFACE_VERSION`` of ``cardtable.engine.game`` at the host."""
    packages: dict[str, str]
    """Package and version that provide each game of the host, by the key of the game."""
    guests: tuple[str, ...] = ()
    """Nicks in ``people`` that belong to no profile."""
    readable: bool = False
    """True if third parties can read the connection on part of its way, so that no password should be sent."""
    last_table: str = ""
    """Id of the session at which the player sat last, to which a client that has just started returns.

    It is empty if there is none, the session has ended, or the player has left it with ``Leave``.
    """
    talk: tuple["Talk", ...] = ()
    """Latest chat messages of the lobby, also those that the client got before."""


class LobbyNews(ServerMessage, frozen=True, tag="lobby_news"):
    """Changes of the lobby since the client's last message about it."""

    people: tuple[str, ...] | None
    """Nicks of all people in the club; ``None`` if people and guests are unchanged."""
    tables: tuple[TableInfo, ...] = ()
    """Tables that are new or have changed."""
    gone: tuple[str, ...] = ()
    """Ids of tables that no longer exist."""
    guests: tuple[str, ...] = ()
    """Nicks in ``people`` that belong to no profile; without meaning if ``people`` is ``None``."""
    whole: bool = False
    """True if ``tables`` lists all tables, so that the client discards the tables it knows."""


class AccountGranted(ServerMessage, frozen=True, tag="account_granted"):
    """Answer to ``Register`` and ``SignIn``, with nick and token for a new login as that player."""

    nick: str
    token: str


class PasswordChanged(ServerMessage, frozen=True, tag="password_changed"):
    """Answer to ``ChangePassword``."""

    token: str = ""
    """Token for the next login, if all earlier ones have become invalid; else empty."""


class DeviceInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Device by which a club recognises a person."""

    id: str
    kind: DeviceKind = ""
    since: int = 0
    """Time from which it is known, in seconds since 1970-01-01T00:00Z; 0 if that was not recorded."""
    seen: int = 0
    """Time of its last login, exact to a day; 0 if that was not recorded."""
    is_present: bool = False
    """True for the device of the client to which this is sent."""


class Devices(ServerMessage, frozen=True, tag="devices"):
    """Answer to ``AskDevices`` and ``WithdrawDevice``, with the devices of a person, the newest of each kind first."""

    devices: tuple[DeviceInfo, ...]


class DeviceWord(ServerMessage, frozen=True, tag="device_word"):
    """Answer to ``AskDeviceWord``, with a word that logs in once under the client's nick, in place of the code."""

    word: str
    seconds: int
    """Time in seconds for which the word is good."""
    ways: tuple[str, ...] = ()
    """Commands and links with the word, one line each."""


MissingCredential: TypeAlias = Literal["", "code", "password", "nick"]


class RequestFailed(ServerMessage, frozen=True, tag="request_failed"):
    """Refusal of the client's last request, with the reason."""

    why: str
    missing: MissingCredential = ""
    """Credential that the client must send or change to be admitted; empty if no credential would help."""
    retry_after: int | None = None
    """Time in seconds after which the client may send its ``Hello`` again; ``None`` if the refusal is final."""


class Talk(ServerMessage, frozen=True, tag="talk", omit_defaults=True):
    """Chat message in the lobby.

    ``who`` is the nick of the sender; it is empty if the club itself sends the message.
    """

    text: str
    who: str = ""
    about: str = ""
    """Nick of the person for whom the club itself sends the message, such as an invitation; else empty."""
    to: str = ""
    """Nick of the person to whom alone it is said; empty if it is said to all."""
    at: Annotated[int, Meta(ge=0, lt=10**10)] = 0
    """Time of a message to all, in seconds since 1970-01-01T00:00Z."""
    renamed: tuple[str, str] | None = None
    """Former and new nick of a person, if this is the club's own message that they were renamed; ``None`` otherwise."""


class RoundCall(ServerMessage, frozen=True, tag="round_call"):
    """Call to check in to a round of a tournament with ``CheckIn``, or the end of the call."""

    tournament: str
    round: BoundedInt
    seconds: BoundedInt
    """Time left to check in; 0 once the person has checked in, or the call has ended."""


class Seated(ServerMessage, frozen=True, tag="seated"):
    """Notice that the client is now at a table in play, followed by an ``Update``."""

    table: str
    header: Header
    """Header of the session's journal, with 0 in place of the seed."""
    seat: Seat | None
    """Seat of the player; ``None`` for a spectator."""
    instead: str = ""
    """Id of the client's previous table if this session is a rematch of its players; else empty."""


class SeenStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """Event at a table, with the client's view after the event."""

    view: Raw
    play: Play | None = None
    """Card that the event played to a trick; ``None`` for any other event."""
    others: dict[Seat, Raw] = {}
    """Encoded views of the other seats, if all hands are open; else empty."""


class Update(ServerMessage, frozen=True, tag="update", omit_defaults=True):
    """Events at a table since the client's last update, and the table's present state."""

    table: str
    at: int
    """Number of decisions in the session, not counting those that were undone."""
    steps: tuple[SeenStep, ...]
    """Events in order; the view in the last one is the client's current view."""
    stage: Stage
    whole: bool = False
    """True if the update is complete, so that the client discards all earlier updates."""
    notes: tuple[AnyNote, ...] = ()
    scores: tuple[Score, ...] = ()
    """Scores of the rounds that have finished since the last update."""
    ranks: tuple[int, ...] | None = None
    results: tuple[int, ...] | None = None
    round_left: float | None = None
    seats_left: tuple[float | None, ...] = ()
    waits_for: tuple[Seat, ...] = ()
    """Seats that have yet to act, or to acknowledge the points scored in the round."""
    absences: dict[Seat, int] = {}
    """Time in seconds left to wait for each absent player, by seat."""
    seats: tuple[SeatInfo, ...] = ()
    """All seats if any of them has changed since the last update; else empty."""
    spectators: tuple[str, ...] = ()
    """Nicks of the spectators."""
    rematch_seats: tuple[Seat, ...] = ()
    """Seats whose players accept another session; empty until the game master offers one."""
    substitute_votes: dict[Seat, tuple[Seat, ...]] = {}
    """The client's own seat for each absent player for whom the client has voted for a robot, by that player's seat."""
    saving: DiskFault = ""
    """Disk fault of the host, because of which the table waits; empty if there is none.

    Until it ends, clients are sent no events and the host refuses decisions.
    """
    clocks: tuple[ClockLeft | None, ...] = ()
    """Time left to the person in each seat, ``None`` for robots; empty without such clocks."""
    held: str = ""
    """Why the next deal waits, such as for other tables of a tournament; empty if it does not."""
    closed: str = ""
    """Reason why the host has closed the table, or removed the client from it, in an update with no other content.

    It is empty in all other updates. A client that does not know this field stays at the table, where its requests are
    refused.
    """


class Unfinished(ServerMessage, frozen=True, tag="unfinished"):
    """Answer to ``AskUnfinished``, with the player's unfinished sessions that are not in play, last played first."""

    sessions: tuple[TableInfo, ...]


class Finished(ServerMessage, frozen=True, tag="finished"):
    """Answer to ``AskFinished``, with the ids of the player's finished and abandoned sessions.

    The last played comes first, and at most 500 are listed.
    """

    sessions: tuple[str, ...]


class FinishedJournal(ServerMessage, frozen=True, tag="finished_journal"):
    """Answer to ``AskJournal``, with the journal of a finished session."""

    session: str
    journal: str
    """Complete journal, with 0 in place of the seed and the players' present nicks.

    It is empty if the player may not have the session. An abandoned session is cut after its last finished round.
    """


class SeasonInfo(msgspec.Struct, frozen=True):
    """Season in the list of the club's seasons."""

    name: str
    about: str
    """Games and period, in words; times are in the host's time zone, which is named."""


class Seasons(ServerMessage, frozen=True, tag="seasons"):
    """Answer to ``AskSeasons``, with the club's seasons, the newest first."""

    seasons: tuple[SeasonInfo, ...]


class SeasonTables(ServerMessage, frozen=True, tag="season"):
    """Answer to ``AskSeason``, with the tables of a season."""

    name: str
    about: tuple[str, ...]
    """Sentences on what the season counts; times are in the host's time zone, which is named."""
    tables: tuple[ResultsTable, ...]


class Rounds(ServerMessage, frozen=True, tag="rounds"):
    """Answer to ``AskRounds``, with the finished rounds of a table."""

    table: str
    journal: str
    """Lines of the journal up to the end of the last finished round, with 0 in place of the seed."""


class Over(ServerMessage, frozen=True, tag="over"):
    """Last message of the host, sent if the club closes or the host disconnects this client."""

    why: str


AnyServerMessage: TypeAlias = (
    Challenge
    | Welcome
    | LobbyNews
    | AccountGranted
    | PasswordChanged
    | Devices
    | DeviceWord
    | RequestFailed
    | Talk
    | RoundCall
    | Seated
    | Update
    | Unfinished
    | Finished
    | FinishedJournal
    | Seasons
    | SeasonTables
    | Rounds
    | Over
)


def hash_token(token: str) -> bytes:
    """Return the SHA-256 hash of a token.

    It is the key of the token's proofs, and the host stores it instead of the token.
    """
    return sha256(token.encode()).digest()


def compute_token_proof(token_hash: bytes, club_id: str, host_nonce: str, client_nonce: str) -> str:
    """Return the proof that a client has a token, an HMAC-SHA256 in hexadecimal digits.

    ``token_hash`` is the result of ``hash_token``. The nonces of host and client make the proof valid for one
    connection only, and ``club_id`` makes it valid at one club only.
    """
    return new_hmac(token_hash, f"{club_id} {host_nonce} {client_nonce}".encode(), sha256).hexdigest()


_ENCODER: Final = msgspec.json.Encoder()
_CLIENT_DECODER: Final[msgspec.json.Decoder[ClientMessage]] = msgspec.json.Decoder(reduce(or_, CLIENT_MESSAGES))
_SERVER_DECODER: Final[msgspec.json.Decoder[AnyServerMessage]] = msgspec.json.Decoder(AnyServerMessage)


def encode(message: ClientMessage | ServerMessage) -> str:
    return _ENCODER.encode(message).decode()


def encode_hello(message: Hello) -> str:
    return encode_checked(_CLIENT_DECODER, message)


def encode_checked(decoder: "msgspec.json.Decoder[T]", message: T) -> str:
    """Encode a message with text that somebody has typed as one frame, which ``decoder`` can read.

    Raises ``CardtableError`` if text is too long, or cannot be represented in UTF-8.
    """
    try:
        frame = _ENCODER.encode(message).decode()
        decoder.decode(frame)
    except (UnicodeError, msgspec.ValidationError):
        raise CardtableError(INVALID_TEXT) from None
    return frame


def decode_client(frame: str | bytes) -> ClientMessage:
    """Decode a message of a client.

    Raises ``msgspec.MsgspecError`` if the frame is not a valid message.
    """
    return decode_frame(_CLIENT_DECODER, frame)


def decode_server(frame: str | bytes) -> AnyServerMessage:
    """Decode a message of the host.

    Raises ``msgspec.MsgspecError`` if the frame is not a valid message.
    """
    return decode_frame(_SERVER_DECODER, frame)


def decode_frame(decoder: "msgspec.json.Decoder[T]", frame: str | bytes) -> T:
    """Decode a frame; report deep nesting and invalid Unicode as ``msgspec.DecodeError``, too."""
    try:
        return decoder.decode(frame)
    except (RecursionError, UnicodeError) as error:
        raise msgspec.DecodeError(str(error)) from None
