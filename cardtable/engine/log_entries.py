"""Log entries: events as data; the package ``wording`` makes sentences of them."""

from typing import Final, Literal, TypeAlias

from cardtable.engine.cards import Card
from cardtable.engine.game import Note, Seat

Manner: TypeAlias = Literal["", "leads", "heads", "lowest", "second", "by lot"]
"""Remark on a played card; ``second`` is the second of two identical cards, ``by lot`` a card that was drawn at random.
"""


class Dealt(Note, frozen=True, tag="dealt"):
    """Beginning of a round."""

    round: int
    cards: int | None = None
    """Cards in each hand, if the entry mentions the number."""
    turned: Card | None = None
    """Card that was turned up to determine the trump suit."""
    no_trump: bool = False


class PlayedCard(Note, frozen=True, tag="played_card"):
    """Card that a seat has played."""

    card: Card
    manner: Manner = ""


class MadeBid(Note, frozen=True, tag="made_bid"):
    """Bid of a seat on the number of tricks."""

    tricks: int


class TookTrick(Note, frozen=True, tag="took_trick"):
    """Trick that a seat has taken."""

    last: bool = False
    """True for the last trick of the round."""
    cards: tuple[Card, ...] = ()
    """Scoring cards in the trick, if the entry mentions them."""


class Drew(Note, frozen=True, tag="drew"):
    """Cards that a seat has received."""

    number: int
    cards: tuple[Card, ...] = ()
    """Cards that the reader of the entry may see; empty if they are hidden."""


class MadePoints(Note, frozen=True, tag="made_points"):
    """Points of a seat in a round."""

    points: int
    round: int
    weight: int = 1
    """Factor by which the points count in the totals."""
    partners: tuple[Seat, ...] = ()
    """Partners who scored the same points."""


class CustomLogEntry(Note, frozen=True, tag="custom_log_entry"):
    """Event that exists in only one game, in the words of that game; ``{}`` is replaced by the cards."""

    third_person: str
    """Predicate for another player, such as ``passes``."""
    second_person: str = ""
    """Predicate for the player who acted, such as ``pass``; empty if it quotes the words of the player."""
    cards: tuple[Card, ...] = ()


class Said(Note, frozen=True, tag="said"):
    """Chat message of a seat; ``seat`` is ``None`` if the sender is not seated at the table."""

    text: str


class SeatChanged(Note, frozen=True, tag="seat_changed"):
    """Change of the occupant of a seat."""

    name: str
    robot: str | None
    """Level of a robot; ``None`` for a person."""
    left: str
    """Name of the previous occupant."""


class SystemLogEntry(Note, frozen=True, tag="system_log_entry"):
    """Notice about the session that is not an event of the game.

    Kinds: decisions taken back; the session is no longer rated; a void round dealt again; a session lost by the clock;
    the rest of a round played out.
    """

    what: Literal["taken back", "unrated", "dealt again", "lost", "plays out"]


TAKEN_BACK: Final = SystemLogEntry(None, "taken back")
UNRATED: Final = SystemLogEntry(None, "unrated")
DEALT_AGAIN: Final = SystemLogEntry(None, "dealt again")

AnyNote: TypeAlias = (
    Dealt | PlayedCard | MadeBid | TookTrick | Drew | MadePoints | CustomLogEntry | Said | SeatChanged | SystemLogEntry
)
"""Union of all kinds, distinguished by their tags."""
