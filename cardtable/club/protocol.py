"""What a host and its guests say to each other: one JSON object a frame, tagged by its kind.

When each is said, and what answers it, is told in ``docs/club.md``.
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
    """A seat in the lobby's picture of a table; no name, no one."""

    name: str = ""
    robot: bool = False
    """Whether a robot plays there, its own or for who is away."""
    away: bool = False
    offered: str = ""
    """To whom the game master has offered the seat."""


class TableInfo(msgspec.Struct, frozen=True):
    """A table as the lobby shows it."""

    table: str
    game: str
    options: dict[str, Value]
    places: tuple[SeatInfo, ...]
    master: str
    name: str = ""
    playing: bool = False
    """Whether its session has begun; else it fills."""
    round: int = 0
    turn: str = ""
    """Who is to act."""
    since: Annotated[int, msgspec.Meta(ge=0, lt=10**11)] = 0
    """When that began, or when the table was opened, in seconds since 1970-01-01T00:00Z."""
    looking_on: int = 0
    """How many look on."""
    over: bool = False
    """Whether the session is over; people still look at it."""
    taken_up: bool = False
    """Whether its people are called to go on with it; away are those who have not come yet."""


VERSION: Final = 3
"""Of the wire; who speaks another one is not let in."""
SUBPROTOCOL: Final = f"cardtable.{VERSION}"
"""By which host and guest agree on the version when the connection is made; those of version 1 name none."""
PORT: Final = 7036
"""Where a club listens, if nothing else is said."""
MOST_BYTES: Final = 64 * 1024
"""Of a frame that a guest may send."""
Word: TypeAlias = Annotated[str, Meta(max_length=64)]
Text: TypeAlias = Annotated[str, Meta(max_length=400)]
T = TypeVar("T")
Number: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]


class ClientMessage(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Something that a guest says.  All but ``Hello`` is refused until she has been let in."""


class Hello(ClientMessage, frozen=True, tag="hello"):
    """Who comes in; the first frame of a guest, after the host's ``Challenge``."""

    nick: Word
    code: Word = ""
    """What the club asks of everybody, if it does."""
    password: Annotated[str, Meta(max_length=200)] = ""
    """Of the profile of that nick."""
    nonce: Word = ""
    """Made up for this connection, with a proof."""
    proof: Word = ""
    """Instead of code and password: shows that the guest has a token, without sending it; see `proof_of_token`."""


class Say(ClientMessage, frozen=True, tag="say"):
    """Talk at a table, or to all in the lobby."""

    text: Text
    table: Word = ""


class OpenTable(ClientMessage, frozen=True, tag="open_table"):
    """A new table, whose game master she is; she sits at it."""

    game: Word
    seats: Number
    options: dict[Word, Value] = {}
    name: Word = ""
    grace: Annotated[int, Meta(ge=5, le=3600)] = 60
    """Seconds for which an absent player is waited for before a robot may stand in."""
    lot: bool = True
    """Whether places are drawn when it begins."""


class ResumeSession(ClientMessage, frozen=True, tag="resume_session"):
    """Calls the others to a session of theirs that is unfinished."""

    session: Word


class AskUnfinished(ClientMessage, frozen=True, tag="ask_unfinished"):
    """She wants to know which sessions of hers can be taken up."""


class AskFinished(ClientMessage, frozen=True, tag="ask_finished"):
    """She wants to know which sessions of hers are over."""


class AskJournal(ClientMessage, frozen=True, tag="ask_journal"):
    """She wants a session of hers that is over, to keep and look at."""

    session: Word


class SitDown(ClientMessage, frozen=True, tag="sit_down"):
    """Sits down at a free seat of a table or at one that she is offered, or goes on in her own."""

    table: Word
    seat: Seat | None = None
    """``None``: any."""


class LookOn(ClientMessage, frozen=True, tag="look_on"):
    """Looks on at a table."""

    table: Word


class Leave(ClientMessage, frozen=True, tag="leave"):
    """Leaves a table: the seat at one that still fills, the room where it is played; there it stays hers."""

    table: Word


class Start(ClientMessage, frozen=True, tag="start"):
    """The game master begins; robots take the free seats.

    Where a session is taken up: she agrees that robots play for those who have not come.
    """

    table: Word
    level: Word = "steady"


class Act(ClientMessage, frozen=True, tag="act"):
    """A decision."""

    table: Word
    at: Number
    """How many decisions stood when she made it: where there are more it is stale."""
    action: Word


class Ready(ClientMessage, frozen=True, tag="ready"):
    """She has looked at the points of a round."""

    table: Word
    round: Number


class AskRounds(ClientMessage, frozen=True, tag="ask_rounds"):
    """She wants to look at the finished rounds of a table at which she is."""

    table: Word


class StandIn(ClientMessage, frozen=True, tag="stand_in"):
    """A robot is to play for somebody who is away, until that one is back."""

    table: Word
    seat: Seat


class EndWait(ClientMessage, frozen=True, tag="end_wait"):
    """The game master wants nobody to be waited for any longer, who is away or looks at the points of a round."""

    table: Word


class GiveSeat(ClientMessage, frozen=True, tag="give_seat"):
    """The game master gives the seat of somebody who has left to another one, between two rounds."""

    table: Word
    seat: Seat
    nick: Word = ""
    """Whom it is offered to; nobody: a robot gets it."""
    level: Word = "steady"
    """That robot's."""


class PlayAgain(ClientMessage, frozen=True, tag="play_again"):
    """The game master offers another session to those who were at one that is over; others say that they play."""

    table: Word
    lot: bool = False
    """Whether places are drawn, as the game master says it."""


class Register(ClientMessage, frozen=True, tag="register"):
    """A guest wants to be a player of the club under her nick, with a password."""

    password: Annotated[str, Meta(max_length=200)]


class SignIn(ClientMessage, frozen=True, tag="sign_in"):
    """She is a player of the club, and came in as somebody else."""

    nick: Word
    password: Annotated[str, Meta(max_length=200)]


class Disconnect(ClientMessage, frozen=True, tag="disconnect"):
    """She goes without leaving her seat; the connection ends."""


Asked: TypeAlias = (
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
    """Something that a host says."""


class Challenge(ServerMessage, frozen=True, tag="challenge"):
    """The first frame of a host: which club it is, and what proofs are made with on this connection."""

    wire: int
    """The version of the wire."""
    club_id: str
    """The same wherever the club is reached."""
    nonce: str


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """She is let in."""

    club: str
    nick: str
    token: str
    """With which she comes back; "" if she came in by the proof of one."""
    member: bool
    """Whether she has a profile."""
    people: tuple[str, ...]
    tables: tuple[TableInfo, ...]
    contract: int
    """What the host's games promise; see ``engine.contract``."""
    packages: dict[str, str]
    """What each game of the host comes with, and its version."""
    guests: tuple[str, ...] = ()
    """Those of the people who have no profile."""
    readable: bool = False
    """True if others on the way to the host can read what she says, so that no password should be sent."""


class LobbyNews(ServerMessage, frozen=True, tag="lobby_news"):
    """What has changed in the lobby."""

    people: tuple[str, ...] | None
    """Who is here now; ``None``: who was before."""
    tables: tuple[TableInfo, ...] = ()
    """Those that are new or have changed."""
    gone: tuple[str, ...] = ()
    """Tables that are there no more."""
    guests: tuple[str, ...] = ()
    """Those of the people who have no profile."""
    whole: bool = False
    """Whether these are all tables that there are; what was told before is forgotten."""


class AccountGranted(ServerMessage, frozen=True, tag="account_granted"):
    """She is a player of the club now; as such she comes in anew, with this token."""

    nick: str
    token: str


Missing: TypeAlias = Literal["", "code", "password", "nick"]


class RequestFailed(ServerMessage, frozen=True, tag="request_failed"):
    """What she asked for last is not done."""

    why: str
    missing: Missing = ""
    """What she has to say otherwise to be let in."""
    retry_after: int | None = None
    """Seconds after which the same `Hello` may be sent again; ``None`` if the refusal is final."""


class Talk(ServerMessage, frozen=True, tag="talk"):
    """Somebody said something in the lobby; nobody: the club did."""

    text: str
    who: str = ""


class Seated(ServerMessage, frozen=True, tag="seated"):
    """She is at a table that is played; what is to be seen follows."""

    table: str
    header: Header
    """With 0 for the seed."""
    seat: Seat | None
    """``None``: she looks on."""
    instead: str = ""
    """The table at which she was before, if this is another session of those who were there."""


class SeenStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened, and what she saw then."""

    view: Raw
    play: Play | None = None
    """The card that was put on a trick, if it was that."""
    others: dict[Seat, Raw] = {}
    """Where all hands are open: what the other seats saw."""


class Update(ServerMessage, frozen=True, tag="update", omit_defaults=True):
    """What is to be seen at a table now, and what led to it since the last one."""

    table: str
    at: int
    """Decisions that stand."""
    steps: tuple[SeenStep, ...]
    """The last one is what is to be seen now."""
    stage: Stage
    whole: bool = False
    """Whether this is all anew: what was told before is told again."""
    notes: tuple[AnyNote, ...] = ()
    scores: tuple[Score, ...] = ()
    """Rounds that have finished since."""
    ranks: tuple[int, ...] | None = None
    results: tuple[int, ...] | None = None
    round_left: float | None = None
    seats_left: tuple[float | None, ...] = ()
    waits_for: tuple[Seat, ...] = ()
    """Who has yet to act, or to look at the points."""
    away: dict[Seat, int] = {}
    """Seats whose people are away, with the seconds for which they are still waited for."""
    places: tuple[SeatInfo, ...] = ()
    """Who sits there, if that is another than she was told before."""
    looking_on: tuple[str, ...] = ()
    """Who looks on."""
    again: tuple[Seat, ...] = ()
    """Who plays another session, once the game master has offered it."""
    saving: DiskFault = ""
    """Why the host cannot save what happened next; nobody sees or does anything until it can."""


class Unfinished(ServerMessage, frozen=True, tag="unfinished"):
    """Her sessions that nobody plays now, the last played first, as tables."""

    sessions: tuple[TableInfo, ...]


class Finished(ServerMessage, frozen=True, tag="finished"):
    """Her sessions that are over or given up, the last played first, no more than a few hundred."""

    sessions: tuple[str, ...]


class PastJournal(ServerMessage, frozen=True, tag="past_journal"):
    """A session of hers that is over."""

    session: str
    journal: str
    """All its lines, of one that was given up those of its finished rounds, with 0 for the seed and names as they are
    today; nothing where she cannot have it."""


class Rounds(ServerMessage, frozen=True, tag="rounds"):
    """The finished rounds of a table at which she is."""

    table: str
    journal: str
    """The lines of the session up to the end of the last one, with 0 for the seed."""


class Over(ServerMessage, frozen=True, tag="over"):
    """The club closes, or this guest's time in it is over."""

    why: str


Said: TypeAlias = (
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
    """Return the key that proofs with a token are made with, which is all that a host keeps of it: its SHA-256."""
    return sha256(token.encode()).digest()


def proof_of_token(key: bytes, club_id: str, host_nonce: str, guest_nonce: str) -> str:
    """Return the proof that a guest has the token of a key, for one connection: HMAC-SHA256, in hexadecimal digits."""
    return new_hmac(key, f"{club_id} {host_nonce} {guest_nonce}".encode(), sha256).hexdigest()


_ENCODER: Final = msgspec.json.Encoder()
_ASKED: Final[msgspec.json.Decoder[Asked]] = msgspec.json.Decoder(Asked)
_SAID: Final[msgspec.json.Decoder[Said]] = msgspec.json.Decoder(Said)


def encode(message: ClientMessage | ServerMessage) -> str:
    """A frame."""
    return _ENCODER.encode(message).decode()


def decode_client(frame: str | bytes) -> Asked:
    """What a guest says.  Raises ``msgspec.MsgspecError`` for anything that is none of it."""
    return _read(_ASKED, frame)


def decode_server(frame: str | bytes) -> Said:
    """What a host says.  Raises ``msgspec.MsgspecError`` for anything that is none of it."""
    return _read(_SAID, frame)


def _read(decoder: "msgspec.json.Decoder[T]", frame: str | bytes) -> T:
    try:
        return decoder.decode(frame)
    except (RecursionError, UnicodeError) as error:
        raise msgspec.DecodeError(str(error)) from None


_VIEW_ENCODER: Final = msgspec.json.Encoder()


def encode_view(view: View) -> msgspec.Raw:
    """A view as JSON."""
    return msgspec.Raw(_VIEW_ENCODER.encode(view))


def decode_view(key: str, view: msgspec.Raw) -> View:
    """The view of a game that was encoded so.  Raises ``msgspec.ValidationError`` where it cannot be one."""
    return GAMES[key].view(**asdict(_decoder(key).decode(view)))


@cache
def _decoder(key: str) -> "msgspec.json.Decoder[msgspec.Struct]":
    game = GAMES[key]
    members = [(field.name, _kind(game, field), *_default(field)) for field in fields(game.view)]
    return msgspec.json.Decoder(msgspec.defstruct(game.view.__name__, members, frozen=True))


def _kind(game: AnyGame, field: FieldInfo) -> Any:
    """What a field holds: where any action may stand, one of the game's."""
    return tuple[reduce(or_, game.actions), ...] if field.name == "legal" else field.type  # type: ignore[misc]


def _default(field: FieldInfo) -> tuple[Any, ...]:
    return () if field.required else (field.default,)
