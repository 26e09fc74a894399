"""Messages between the host of a club and its clients: one JSON object per frame, tagged with its type.

``docs/club.md`` describes when each message is sent and how it is answered.
"""

from functools import cache, reduce
from hashlib import sha256
from hmac import new as new_hmac
from operator import or_
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Raw
from msgspec.structs import FieldInfo, asdict, fields

from cardtable.engine.game import AnyGame, Score, Seat, View
from cardtable.engine.journal import Header
from cardtable.engine.log_entries import AnyNote
from cardtable.engine.options import Value
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store.errors import DiskFault


class SeatInfo(msgspec.Struct, frozen=True):
    """Seat in the lobby's description of a table; the seat is free if `name` is empty."""

    name: str = ""
    robot: bool = False
    """True if a robot plays there, in its own right or as a substitute for an absent player."""
    away: bool = False
    offered: str = ""
    """Nick of the player with an offer of the seat by the game master; empty if not offered."""


class TableInfo(msgspec.Struct, frozen=True):
    """Table as the lobby shows it."""

    table: str
    game: str
    options: dict[str, Value]
    places: tuple[SeatInfo, ...]
    master: str
    name: str = ""
    playing: bool = False
    """True if the session has begun; False while the table is filling."""
    round: int = 0
    turn: str = ""
    """Name of the player or robot to act."""
    since: Annotated[int, msgspec.Meta(ge=0, lt=10**11)] = 0
    """Start of the session, or opening of the table, in seconds since 1970-01-01T00:00Z."""
    looking_on: int = 0
    """Number of spectators."""
    over: bool = False
    """True if the session has ended and clients are still at the table."""
    taken_up: bool = False
    """True if the players are being called back to resume the session; `away` marks those not there yet."""


VERSION: Final = 3
"""Protocol version; clients with another version are not let in."""
SUBPROTOCOL: Final = f"cardtable.{VERSION}"
"""WebSocket subprotocol by which host and client agree on the version; clients of version 1 offer none."""
PORT: Final = 7036
"""Default port of a club."""
MAX_CLIENT_FRAME_BYTES: Final = 64 * 1024
"""Largest frame that a client may send."""
Word: TypeAlias = Annotated[str, Meta(max_length=64)]
Text: TypeAlias = Annotated[str, Meta(max_length=400)]
T = TypeVar("T")
Number: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]


class ClientMessage(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Message from a client.  All but ``Hello`` are refused until the client is let in."""


class Hello(ClientMessage, frozen=True, tag="hello"):
    """Login of a client: its first frame, sent after the host's ``Challenge``."""

    nick: Word
    code: Word = ""
    """Access code that the host has given to the guests; empty if the club has none, or if ``proof`` is sent."""
    password: Annotated[str, Meta(max_length=200)] = ""
    """Password of the profile with that nick."""
    nonce: Word = ""
    """Random value made for this connection, sent with a proof."""
    proof: Word = ""
    """Replaces code and password: shows that the client has a token without sending it; see `proof_of_token`."""


class Say(ClientMessage, frozen=True, tag="say"):
    """Chat at a table, or in the lobby if `table` is empty."""

    text: Text
    table: Word = ""


class OpenTable(ClientMessage, frozen=True, tag="open_table"):
    """Request to open a table; the sender becomes its game master and takes the first seat."""

    game: Word
    seats: Number
    options: dict[Word, Value] = {}
    name: Word = ""
    grace: Annotated[int, Meta(ge=5, le=3600)] = 60
    """Seconds to wait for an absent player before a robot may substitute."""
    lot: bool = True
    """True if seats are drawn at random when the session begins."""


class ResumeSession(ClientMessage, frozen=True, tag="resume_session"):
    """Request to resume an unfinished session; calls back its other players."""

    session: Word


class AskUnfinished(ClientMessage, frozen=True, tag="ask_unfinished"):
    """Request for the sender's unfinished sessions."""


class AskFinished(ClientMessage, frozen=True, tag="ask_finished"):
    """Request for the ids of the sender's finished sessions."""


class AskJournal(ClientMessage, frozen=True, tag="ask_journal"):
    """Request for the journal of one of the sender's finished sessions."""

    session: Word


class SitDown(ClientMessage, frozen=True, tag="sit_down"):
    """Request for a free seat, for a seat offered to the sender, or to return to the sender's own seat."""

    table: Word
    seat: Seat | None = None
    """``None``: any free seat."""


class LookOn(ClientMessage, frozen=True, tag="look_on"):
    """Request to watch a table as a spectator."""

    table: Word


class Leave(ClientMessage, frozen=True, tag="leave"):
    """Request to leave a table: frees the seat while the table is filling; afterwards the sender stays its owner."""

    table: Word


class Start(ClientMessage, frozen=True, tag="start"):
    """Request of the game master to begin the session; robots take the free seats.

    At a table that is being resumed: agreement that robots substitute for the absent players.
    """

    table: Word
    level: Word = "steady"


class Act(ClientMessage, frozen=True, tag="act"):
    """Decision of the player to act."""

    table: Word
    at: Number
    """Number of decisions when the player chose; the message is stale if there are more by now."""
    action: Word


class Ready(ClientMessage, frozen=True, tag="ready"):
    """Acknowledgement of the points of a round."""

    table: Word
    round: Number


class AskRounds(ClientMessage, frozen=True, tag="ask_rounds"):
    """Request for the finished rounds of a table at which the sender is."""

    table: Word


class StandIn(ClientMessage, frozen=True, tag="stand_in"):
    """Vote for a robot to substitute for an absent player until that player returns."""

    table: Word
    seat: Seat


class EndWait(ClientMessage, frozen=True, tag="end_wait"):
    """Request of the game master to stop waiting for absent players and for acknowledgements of the round's points."""

    table: Word


class GiveSeat(ClientMessage, frozen=True, tag="give_seat"):
    """Request of the game master to give the seat of an absent player to another player or a robot, between rounds."""

    table: Word
    seat: Seat
    nick: Word = ""
    """Nick of the player who may have the seat; empty: a robot gets it."""
    level: Word = "steady"
    """Level of that robot."""


class PlayAgain(ClientMessage, frozen=True, tag="play_again"):
    """Offer of another session, by the game master after the end of a session; from other players: acceptance."""

    table: Word
    lot: bool = False
    """True if seats are drawn at random; only the game master's value counts."""


class Register(ClientMessage, frozen=True, tag="register"):
    """Request of a guest to get a profile at the club under their nick, with a password."""

    password: Annotated[str, Meta(max_length=200)]


class SignIn(ClientMessage, frozen=True, tag="sign_in"):
    """Request of a guest to sign in with a profile of the club."""

    nick: Word
    password: Annotated[str, Meta(max_length=200)]


class Disconnect(ClientMessage, frozen=True, tag="disconnect"):
    """Notice that the client disconnects; the player's seats stay theirs."""


AnyClientMessage: TypeAlias = (
    Hello
    | Say
    | OpenTable
    | ResumeSession
    | AskUnfinished
    | AskFinished
    | AskJournal
    | SitDown
    | LookOn
    | Leave
    | Start
    | Act
    | Ready
    | AskRounds
    | StandIn
    | EndWait
    | GiveSeat
    | PlayAgain
    | Register
    | SignIn
    | Disconnect
)


class ServerMessage(msgspec.Struct, frozen=True, tag=True):
    """Message from the host."""


class Challenge(ServerMessage, frozen=True, tag="challenge"):
    """First frame of the host: identifies the club, and gives the nonce for proofs on this connection."""

    wire: int
    """Protocol version."""
    club_id: str
    """Permanent id of the club, the same at each of its addresses."""
    nonce: str


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """Answer to a ``Hello`` that is accepted."""

    club: str
    nick: str
    token: str
    """Token for the next login; empty if the client logged in with the proof of one."""
    member: bool
    """True if the player has a profile at the club."""
    people: tuple[str, ...]
    tables: tuple[TableInfo, ...]
    contract: int
    """Version of the game interface at the host; see ``INTERFACE_VERSION`` in ``engine.game``."""
    packages: dict[str, str]
    """Package and version from which each game of the host comes, by game key."""
    guests: tuple[str, ...] = ()
    """The nicks in `people` without a profile."""
    readable: bool = False
    """True if the connection is not secret on its whole way, so that no password should be sent."""


class LobbyNews(ServerMessage, frozen=True, tag="lobby_news"):
    """Changes in the lobby."""

    people: tuple[str, ...] | None
    """Nicks of all people in the club; ``None``: unchanged."""
    tables: tuple[TableInfo, ...] = ()
    """Tables that are new or have changed."""
    gone: tuple[str, ...] = ()
    """Ids of tables that have closed."""
    guests: tuple[str, ...] = ()
    """The nicks in `people` without a profile."""
    whole: bool = False
    """True if `tables` lists all tables; the client then discards those it knows."""


class AccountGranted(ServerMessage, frozen=True, tag="account_granted"):
    """Answer to ``Register`` and ``SignIn``: the client logs in again as this player, with this token."""

    nick: str
    token: str


Missing: TypeAlias = Literal["", "code", "password", "nick"]


class RequestFailed(ServerMessage, frozen=True, tag="request_failed"):
    """Refusal of the client's last request."""

    why: str
    missing: Missing = ""
    """Credential that the client must send, or change, to be let in."""
    retry_after: int | None = None
    """Seconds after which the same `Hello` may be sent again; ``None`` if the refusal is final."""


class Talk(ServerMessage, frozen=True, tag="talk"):
    """Chat message in the lobby; `who` is empty if the club itself sends it."""

    text: str
    who: str = ""


class Seated(ServerMessage, frozen=True, tag="seated"):
    """Notice that the client is at a table in play; an ``Update`` follows."""

    table: str
    header: Header
    """Header of the journal, with 0 for the seed."""
    seat: Seat | None
    """``None`` for a spectator."""
    instead: str = ""
    """Id of the client's previous table, if this session is a rematch of its players."""


class SeenStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """Event at a table, with the client's view after it."""

    view: Raw
    play: Play | None = None
    """Card that the event played to a trick; ``None`` for any other event."""
    others: dict[Seat, Raw] = {}
    """Views of the other seats, if all hands are open."""


class Update(ServerMessage, frozen=True, tag="update", omit_defaults=True):
    """State of a table, and the events since the last update."""

    table: str
    at: int
    """Number of decisions in the session, without those undone."""
    steps: tuple[SeenStep, ...]
    """Events in order; the view of the last one is the current view."""
    stage: Stage
    whole: bool = False
    """True if the update is complete: the client discards all earlier updates."""
    notes: tuple[AnyNote, ...] = ()
    scores: tuple[Score, ...] = ()
    """Rounds finished since the last update."""
    ranks: tuple[int, ...] | None = None
    results: tuple[int, ...] | None = None
    round_left: float | None = None
    seats_left: tuple[float | None, ...] = ()
    waits_for: tuple[Seat, ...] = ()
    """Seats that have yet to act, or to acknowledge the points of the round."""
    away: dict[Seat, int] = {}
    """Seats of absent players, with the seconds left to wait for them."""
    places: tuple[SeatInfo, ...] = ()
    """All seats, if they have changed since the last update; else empty."""
    looking_on: tuple[str, ...] = ()
    """Nicks of the spectators."""
    again: tuple[Seat, ...] = ()
    """Seats that accept another session, once the game master has offered it."""
    saving: DiskFault = ""
    """Disk fault of the host; until it ends, no news is shown and no decision is taken."""


class Unfinished(ServerMessage, frozen=True, tag="unfinished"):
    """Answer to ``AskUnfinished``: the player's unfinished sessions that are not in play, last played first."""

    sessions: tuple[TableInfo, ...]


class Finished(ServerMessage, frozen=True, tag="finished"):
    """Answer to ``AskFinished``: ids of the player's finished or abandoned sessions, last played first, at most 500."""

    sessions: tuple[str, ...]


class PastJournal(ServerMessage, frozen=True, tag="past_journal"):
    """Answer to ``AskJournal``: one of the player's finished sessions."""

    session: str
    journal: str
    """Complete journal, with 0 for the seed and the players' present nicks; empty if the player may not have it.

    An abandoned session is cut at the end of its last finished round.
    """


class Rounds(ServerMessage, frozen=True, tag="rounds"):
    """Answer to ``AskRounds``: the finished rounds of a table."""

    table: str
    journal: str
    """Lines of the journal up to the end of the last finished round, with 0 for the seed."""


class Over(ServerMessage, frozen=True, tag="over"):
    """Last message of the host: the club closes, or this client must leave."""

    why: str


AnyServerMessage: TypeAlias = (
    Challenge
    | Welcome
    | LobbyNews
    | AccountGranted
    | RequestFailed
    | Talk
    | Seated
    | Update
    | Unfinished
    | Finished
    | PastJournal
    | Rounds
    | Over
)


def token_key(token: str) -> bytes:
    """Return the SHA-256 of a token: the key of its proofs, and all of the token that a host stores."""
    return sha256(token.encode()).digest()


def proof_of_token(key: bytes, club_id: str, host_nonce: str, guest_nonce: str) -> str:
    """Return a client's proof, valid for one connection, that it has a token.

    ``key`` is the SHA-256 of the token. The proof is an HMAC-SHA256, in hexadecimal digits.
    """
    return new_hmac(key, f"{club_id} {host_nonce} {guest_nonce}".encode(), sha256).hexdigest()


_ENCODER: Final = msgspec.json.Encoder()
_CLIENT_DECODER: Final[msgspec.json.Decoder[AnyClientMessage]] = msgspec.json.Decoder(AnyClientMessage)
_SERVER_DECODER: Final[msgspec.json.Decoder[AnyServerMessage]] = msgspec.json.Decoder(AnyServerMessage)


def encode(message: ClientMessage | ServerMessage) -> str:
    return _ENCODER.encode(message).decode()


def decode_client(frame: str | bytes) -> AnyClientMessage:
    """Decode a message of a client.  Raises ``msgspec.MsgspecError`` if the frame is invalid."""
    return _read(_CLIENT_DECODER, frame)


def decode_server(frame: str | bytes) -> AnyServerMessage:
    """Decode a message of the host.  Raises ``msgspec.MsgspecError`` if the frame is invalid."""
    return _read(_SERVER_DECODER, frame)


def _read(decoder: "msgspec.json.Decoder[T]", frame: str | bytes) -> T:
    try:
        return decoder.decode(frame)
    except (RecursionError, UnicodeError) as error:
        raise msgspec.DecodeError(str(error)) from None


_VIEW_ENCODER: Final = msgspec.json.Encoder()


def encode_view(view: View) -> msgspec.Raw:
    """Encode a view as JSON."""
    return msgspec.Raw(_VIEW_ENCODER.encode(view))


def decode_view(key: str, view: msgspec.Raw) -> View:
    """Decode a view of the game named `key`.  Raises ``msgspec.ValidationError`` if it is not a view of that game."""
    return GAMES[key].view(**asdict(_decoder(key).decode(view)))


@cache
def _decoder(key: str) -> "msgspec.json.Decoder[msgspec.Struct]":
    game = GAMES[key]
    members = [(field.name, _kind(game, field), *_default(field)) for field in fields(game.view)]
    return msgspec.json.Decoder(msgspec.defstruct(game.view.__name__, members, frozen=True))


def _kind(game: AnyGame, field: FieldInfo) -> Any:
    """Return the type for decoding a field; the field of legal actions holds the game's own action types."""
    return tuple[reduce(or_, game.actions), ...] if field.name == "legal" else field.type  # type: ignore[misc]


def _default(field: FieldInfo) -> tuple[Any, ...]:
    return () if field.required else (field.default,)
