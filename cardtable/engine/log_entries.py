"""The kinds of notes: what happened, as data; ``wording`` makes words of it, last and in one place."""

from typing import Final, Literal, TypeAlias

from cardtable.engine.cards import Card
from cardtable.engine.game import Note, Seat

Manner: TypeAlias = Literal["", "leads", "heads", "lowest", "second", "by lot"]
"""What there is to say of a card beside that it was played; ``second`` of two identical ones."""


class Dealt(Note, frozen=True, tag="dealt"):
    """A round begins."""

    round: int
    cards: int | None = None
    """Cards each, where that is told."""
    turned: Card | None = None
    """The card that was turned up for trump."""
    no_trump: bool = False


class PlayedCard(Note, frozen=True, tag="played_card"):
    """Somebody played a card."""

    card: Card
    manner: Manner = ""


class MadeBid(Note, frozen=True, tag="made_bid"):
    """Somebody said how many tricks it will take."""

    tricks: int


class TookTrick(Note, frozen=True, tag="took_trick"):
    """Somebody took a trick."""

    last: bool = False
    """Whether that was the last one of the round."""
    cards: tuple[Card, ...] = ()
    """What counted in it, where that is told."""


class Drew(Note, frozen=True, tag="drew"):
    """Somebody got cards."""

    number: int
    cards: tuple[Card, ...] = ()
    """Which ones, if it may be known."""


class MadePoints(Note, frozen=True, tag="made_points"):
    """What somebody made in a round."""

    points: int
    round: int
    weight: int = 1
    """How many times the points count in the totals."""
    partners: tuple[Seat, ...] = ()
    """Who made them, too."""


class CustomLogEntry(Note, frozen=True, tag="custom_log_entry"):
    """What only one game has, in its own words; ``{}`` stands for the cards."""

    they: str
    """What is told of another one, such as ``passes``."""
    you: str = ""
    """The same told to the one who did it, such as ``pass``; nothing where it is what she said."""
    cards: tuple[Card, ...] = ()


class Said(Note, frozen=True, tag="said"):
    """Table talk of a seat, or of somebody who does not sit at the table."""

    text: str


class SeatChanged(Note, frozen=True, tag="seat_changed"):
    """Somebody else decides for a seat from here on."""

    name: str
    robot: str | None
    """The level of a robot; ``None`` of a person."""
    left: str
    """Who sat there before."""


class SystemLogEntry(Note, frozen=True, tag="system_log_entry"):
    """What is no part of the game: decisions were taken back, so that the session is not rated any more; a clock ran
    out; the rest is played out."""

    what: Literal["taken back", "unrated", "dealt again", "lost", "plays out"]


TAKEN_BACK: Final = SystemLogEntry(None, "taken back")
UNRATED: Final = SystemLogEntry(None, "unrated")
DEALT_AGAIN: Final = SystemLogEntry(None, "dealt again")

AnyNote: TypeAlias = (
    Dealt | PlayedCard | MadeBid | TookTrick | Drew | MadePoints | CustomLogEntry | Said | SeatChanged | SystemLogEntry
)
"""All of them, by their tags."""
