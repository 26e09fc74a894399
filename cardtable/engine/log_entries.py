"""Log entries, which describe events as data; the package ``wording`` makes sentences from them."""

from typing import Final, Literal, TypeAlias

from cardtable.engine.cards import Card
from cardtable.engine.game import Note, Seat

Manner: TypeAlias = Literal["", "leads", "heads", "lowest", "second", "by lot"]
"""Remark on a played card.

``second`` marks the second of two identical cards, and ``by lot`` a card that was drawn at random.
"""


class Dealt(Note, frozen=True, tag="dealt"):
    """Start of a round with a deal."""

    round: int
    cards: int | None = None
    """Number of cards in each hand; ``None`` if the entry does not mention it."""
    turned: Card | None = None
    """Card that was turned up to determine the trump suit."""
    no_trump: bool = False


class PlayedCard(Note, frozen=True, tag="played_card"):
    """Play of a card."""

    card: Card
    manner: Manner = ""


class MadeBid(Note, frozen=True, tag="made_bid"):
    """A seat has bid the number of tricks that it will take."""

    tricks: int


class TookTrick(Note, frozen=True, tag="took_trick"):
    """A seat has taken a trick."""

    last: bool = False
    """True if the entry calls the trick the last one of the round; some games leave it False in rounds of one trick."""
    cards: tuple[Card, ...] = ()
    """Scoring cards in the trick; empty if the entry does not mention them."""


class Drew(Note, frozen=True, tag="drew"):
    """A seat has received cards."""

    number: int
    cards: tuple[Card, ...] = ()
    """Cards that the reader of the entry may see; empty if they are hidden."""


class MadePoints(Note, frozen=True, tag="made_points"):
    """A seat has scored points in a round."""

    points: int
    round: int
    weight: int = 1
    """Factor by which the points count in the totals."""
    partners: tuple[Seat, ...] = ()
    """Partners of the seat, who scored the same points."""


class CustomLogEntry(Note, frozen=True, tag="custom_log_entry"):
    """Event that exists in only one game, described in the words of that game.

    In the texts, ``{}`` stands for the cards if there are any, and ``{2}`` for the name of the player in seat 2.
    """

    third_person: str
    """Predicate of the sentence if another player acted, such as ``passes``."""
    second_person: str = ""
    """Predicate of the sentence if the reader acted, such as ``pass``.

    Empty if ``third_person`` quotes the player's words.
    """
    cards: tuple[Card, ...] = ()


class Said(Note, frozen=True, tag="said"):
    """Chat message.

    ``seat`` is ``None`` if the sender has no seat at the table; the text then begins as in ``join_spectator_talk``.
    """

    text: str


def join_spectator_talk(nick: str, words: str) -> str:
    """Return the text in which a journal stores a spectator's chat message, as in ``Kay: well played``."""
    return f"{nick}: {words}"


def split_spectator_talk(text: str) -> tuple[str, str]:
    """Split the text of a chat message without a seat into the spectator's nick and the words.

    The nick is ``""`` if the text names no spectator.
    """
    nick, colon, words = text.partition(":")
    return (nick, words[1:]) if colon and words[:1] in ("", " ") else ("", text)


class SeatChanged(Note, frozen=True, tag="seat_changed"):
    """A seat has a new occupant."""

    name: str
    robot: str | None
    """Level of the new occupant if it is a robot; ``None`` for a person."""
    left: str
    """Name of the previous occupant."""
    place: Seat | None = None
    """The seat; ``None`` in messages of hosts that do not tell it."""


class SystemLogEntry(Note, frozen=True, tag="system_log_entry"):
    """Notice about the session that is not an event of the game.

    The kinds in the order of ``what`` are: decisions were undone, the session is no longer rated, a void round is dealt
    again, the session was lost on time and is over, the rest of a round is played out, robots finish a round; the time
    of the seat is up and a robot decides, once or to the end of the round; and the seat has lost the session, which
    goes on, by its clock or because its player has left.
    """

    what: Literal[
        "taken back",
        "unrated",
        "dealt again",
        "lost",
        "plays out",
        "finished",
        "late",
        "late in round",
        "timed out",
        "left",
    ]


TAKEN_BACK: Final = SystemLogEntry(None, "taken back")
"""Entry after a decision was taken back."""
UNRATED: Final = SystemLogEntry(None, "unrated")
"""Entry from which on the session does not count for ratings."""
DEALT_AGAIN: Final = SystemLogEntry(None, "dealt again")
"""Entry after a void round, which is dealt again."""

AnyNote: TypeAlias = (
    Dealt | PlayedCard | MadeBid | TookTrick | Drew | MadePoints | CustomLogEntry | Said | SeatChanged | SystemLogEntry
)
"""Union of all kinds of log entries, distinguished by their tags."""
