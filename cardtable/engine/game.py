"""Interface of a card game: the abstract ``State``, the ``View`` of a seat and the record ``Game``.

A session is a journal of events: outcomes of chance and actions of seats. A game is a ``State`` that applies events,
lists the legal actions, copies itself and gives each seat a frozen ``View``. ``Game.imagine`` is the inverse of
``view``: it returns a full state that is consistent with all the information of that seat (determinization). Seats are
numbered 0..n-1 clockwise.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar, Final, Generic, Self, TypeAlias, TypedDict, TypeVar

import msgspec

from cardtable.engine.cards import RANK_TEXT, RANKS, SUIT_WORDS, SUITS, Card, Cards, iter_cards
from cardtable.engine.options import Options, Value

LAST_CARD: Final = "last"
"""Heading in ``Game.columns`` for a figure that is the card of the last trick, by value: 2 to 14 (ace); 0 if unknown.
"""


class CardsTitle(msgspec.Struct, frozen=True, tag="cards"):
    """Title of a round by its cards per hand and its trump suit, for games whose rounds differ in these."""

    cards: int
    trump: int | None = None
    """Trump suit; ``None`` in a round without trumps, or if the suit is not recorded."""
    no_trump: bool = False

    def __str__(self) -> str:
        return f"{self.cards}{'' if self.trump is None else SUITS[self.trump]}"


class Contract(msgspec.Struct, frozen=True, tag="contract"):
    """Contract of a round that a seat has named or declared."""

    name: str
    trump: int | None = None
    """Suit that is part of the contract; ``None`` for a contract without a suit."""
    short: str = ""
    """Abbreviation for narrow columns; empty if ``name`` is short enough."""

    def __str__(self) -> str:
        return self.name if self.trump is None else f"{self.name} {SUITS[self.trump]}"

    @property
    def words(self) -> str:
        """Text with the suit spelled out: ``Trump hearts``."""
        return self.name if self.trump is None else f"{self.name} {SUIT_WORDS[self.trump]}s"


def contract(text: str) -> Contract:
    """Parse the text that ``str(Contract)`` returns."""
    name, _, suit = text.rpartition(" ")
    return Contract(name, SUITS.index(suit)) if len(suit) == 1 and suit in SUITS else Contract(text)


class EndingTitle(msgspec.Struct, frozen=True, tag="ending"):
    """Title of a round by its ending, for games whose rounds do not differ in anything else; ``how`` may be empty."""

    how: str
    times: int = 1
    """Factor by which the points of the round count in the totals."""

    def __str__(self) -> str:
        return self.how if self.times == 1 else f"{self.how} ×{self.times}"


class HighTitle(msgspec.Struct, frozen=True, tag="high"):
    """Title of a round by the highest card of its last trick; ``suit`` is ``None`` if only the rank is known."""

    rank: int
    suit: int | None = None

    def __str__(self) -> str:
        return f"{RANK_TEXT[self.rank]} high" if self.suit is None else RANKS[self.rank] + SUITS[self.suit]


Title: TypeAlias = CardsTitle | Contract | EndingTitle | HighTitle


class GameInfo(msgspec.Struct, frozen=True):
    """Facts about a game that are available without importing its rules."""

    key: str
    """Name in files and commands."""
    title: str
    summary: str
    """Description in one line, for the picker."""
    length: str
    """Length of a session, in words."""
    seats: tuple[int, ...]
    """Numbers of seats for which the game can be played."""
    usual_seats: int
    emblem: str = "2C 3C 4C"
    """Three cards that represent the game, in card notation."""
    aim: str = ""
    """Aim of the game for a new player, in one sentence of at most 56 characters."""

    def seats_in_words(self) -> str:
        """Return the numbers of seats as text, such as ``2, 3 or 4``."""
        *fewer, most = map(str, self.seats)
        return f"{', '.join(fewer)} or {most}" if fewer else most


INTERFACE_VERSION: Final = 2
"""Version of this interface; incremented with every change that breaks existing games."""
Seat: TypeAlias = int
Sides: TypeAlias = tuple[tuple[Seat, ...], ...]
"""Partnerships, each a tuple of seats; every seat of a partnership has the points of the partnership."""
CHANCE: Final[Seat] = -1
"""Value of ``State.turn`` while an outcome of chance is due."""
OVER: Final[Seat] = -2
"""Value of ``State.turn`` after the session has ended."""


class Event(msgspec.Struct, frozen=True):
    """Event of a session: an outcome of chance or an action of a seat; ``str(event)`` is its text in the journal."""


class Chance(Event, frozen=True):
    """Outcome of chance; ``chance.py`` defines the kinds."""


class Action(Event, frozen=True, tag=True):
    """Action of the seat to act; the state determines which seat that is.

    Each value exists once and is shared, so that choosing an action allocates nothing.
    """

    kind: ClassVar[str]
    """Verb of the action, the first word of its text in the journal."""
    label: ClassVar[str] = ""
    """Name of the decision in reviews, if it is not ``kind``."""
    quoted: ClassVar[bool] = False
    """True if players say ``kind`` aloud, so that sentences quote it."""
    rare_in_random_play: ClassVar[bool] = False
    """True if the action ends a round early; random play then chooses it with a low probability."""

    def __str__(self) -> str:
        what = self.notation
        return f"{self.kind} {what}" if what else self.kind

    @property
    def notation(self) -> str:
        """Text of the action after ``kind``, in the notation of the journal; empty if there is no argument."""
        return ""

    @property
    def amount(self) -> int | None:
        """Number that ``notation`` represents; ``None`` if it is not a number."""
        return None

    @property
    def argument_text(self) -> str:
        """Argument of the action in words, with cards in notation."""
        return self.notation

    @property
    def description(self) -> str:
        """Name of the action in sentences, with cards in notation; empty if it is ``kind`` followed by the argument."""
        return ""

    def cards_used(self) -> Cards:
        """Return the cards that a player selects to make this choice; 0 if no cards are selected."""
        return 0


class Declaration(Action, frozen=True):
    """Action that names the contract of the round."""

    kind = "contract"

    @property
    def description(self) -> str:
        return self.named.words

    @property
    def named(self) -> Contract:
        """Contract that the action names. Subclasses must implement this."""
        raise NotImplementedError


class View(msgspec.Struct, frozen=True):
    """All information of one seat, including everything public. Each game adds fields."""

    seat: Seat
    turn: Seat
    legal: tuple[Action, ...]
    """Legal actions of this seat; empty if it is not its turn."""
    round: int
    """Rounds dealt so far, including the present one."""
    finished: int
    """Rounds finished so far."""
    playing: bool
    """True from the deal of a round to its last decision."""
    totals: tuple[int, ...]
    options: Options
    hand: Cards
    drawn: Card | None
    """Card that this seat has drawn from a face-down pile in this turn; ``None`` if it has drawn none."""

    def public_view(self) -> Self:
        """Return the view without private information: hand, legal actions and the card drawn in this turn.

        A game whose views hold more private information overrides this method.
        """
        return msgspec.structs.replace(self, hand=0, legal=(), drawn=None)


class CommonViewFields(TypedDict):
    """Fields of ``View`` that are computed alike in every game: all but ``options`` and ``hand``."""

    seat: Seat
    turn: Seat
    legal: tuple[Action, ...]
    round: int
    finished: int
    playing: bool
    totals: tuple[int, ...]
    drawn: Card | None


class Bonus(msgspec.Struct, frozen=True):
    """Points for a special achievement, with its name."""

    name: str
    points: int


class Score(msgspec.Struct, frozen=True):
    """Score of a finished round; tuples are indexed by seat."""

    title: Title
    """Title of the round, which distinguishes it from the others of the session."""
    figures: tuple[tuple[int, ...], ...]
    """Figures of each seat under the headings of ``Game.columns``, such as tricks taken."""
    points: tuple[int, ...]
    """Points of the round, bonuses included."""
    bonuses: tuple[tuple[Bonus, ...], ...]
    totals: tuple[int, ...]
    """Totals of the session after the round."""
    weight: int = 1
    """Factor by which the points count in the totals."""


class TrickStatus(msgspec.Struct, frozen=True):
    """Status of the tricks of a round; cards are listed in order of play, each with the seat that played it."""

    number: int
    """Number of the current trick, counted from 1; one more than the last after the last trick."""
    leader: Seat
    """Seat that leads to the current trick."""
    lying: tuple[tuple[Seat, Card], ...]
    last: tuple[tuple[Seat, Card], ...]
    """Previous trick; empty until the first trick is complete."""
    winning: Seat | None
    """Seat that is winning the current trick; ``None`` if no card has been played to it."""


BID_AND_WON: Final = ("bid", "won")
"""``Game.columns`` of games in which each seat has to take exactly as many tricks as it bid."""


class BiddingState(msgspec.Struct, frozen=True):
    """Bids of a round on the number of tricks."""

    cards: int
    """Cards in each hand at the beginning of the round."""
    trump: int | None
    made: tuple[int | None, ...]
    """Bids by seat; ``None`` if the seat has not bid yet."""
    won: tuple[int, ...]
    """Tricks taken, by seat."""


V = TypeVar("V", bound=View)
V_co = TypeVar("V_co", bound=View, covariant=True)
S = TypeVar("S", bound="State[View]")


class State(ABC, Generic[V_co]):
    """Complete state of a session, including all hidden cards; changed in place by its owner: referee or search."""

    __slots__ = ()
    options: Options
    turn: Seat
    round: int
    """Rounds dealt so far; a void round that is dealt again keeps its number."""
    finished: int
    """Rounds finished so far."""
    playing: bool
    """True from the deal of a round to its last decision."""
    totals: tuple[int, ...]
    """Points of the finished rounds, by seat."""
    score: Score | None
    """Score of the last finished round; ``None`` before."""

    @abstractmethod
    def legal(self) -> Sequence[Action]:
        """Return the legal actions of ``turn``, the only source of legality; never empty if ``turn`` is a seat."""

    @abstractmethod
    def apply(self, event: Event) -> None:
        """Apply an event in place. The event is not checked: ``Referee`` has validated it."""

    @abstractmethod
    def cancel_round(self) -> None:
        """Cancel the round in progress, in place: it does not count, and its deal is due again."""

    def forfeit(self, seat: Seat) -> None:  # noqa: ARG002 - only games with such a rule override it
        """End the session in place because the clock of ``seat``, which is to act, has run out: the seat loses.

        Raises ``ValueError`` with the reason if the game cannot be lost by a clock.
        """
        raise ValueError("nobody can lose this game by the clock")

    @abstractmethod
    def pending_chance_type(self) -> type[Chance]:
        """Return the type of the outcome of chance that is due; called only if ``turn`` is ``CHANCE``."""

    @abstractmethod
    def draw_chance(self, rng: Random) -> Chance:
        """Draw the outcome of chance that is due."""

    @abstractmethod
    def is_possible_chance(self, chance: Chance) -> bool:
        """Return True if ``chance`` is a possible value of the outcome that is due."""

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy; cheap enough for search."""

    @abstractmethod
    def view(self, seat: Seat) -> V_co:
        """Return all information of ``seat``: the only way by which information on cards leaves the state."""

    def common_view_fields(self, seat: Seat) -> CommonViewFields:
        """Return the fields of the view of ``seat`` that are computed alike in every game."""
        return {
            "seat": seat,
            "turn": self.turn,
            "legal": tuple(self.legal()) if self.turn == seat else (),
            "round": self.round,
            "finished": self.finished,
            "playing": self.playing,
            "totals": self.totals,
            "drawn": self.drawn_card(seat),
        }

    def drawn_card(self, seat: Seat) -> Card | None:  # noqa: ARG002 - most games have no drawing
        """Return the card that ``seat`` has drawn from a face-down pile in this turn; ``None`` if it has drawn none."""
        return None

    @abstractmethod
    def assert_invariants(self) -> None:
        """Assert the invariants, above all that every card is in exactly one place."""

    def tricks(self) -> tuple[int, ...] | None:
        """Return the tricks taken in the round by each seat; ``None`` in games without tricks."""
        return None

    def position_key(self) -> Hashable:
        """Return a key of everything on which the points of the round can still depend; the history is left out.

        Only for games in which cards are played. ``None`` if the rest of a round must not be searched.
        """
        return None

    def is_over_at(self, finished: int, _totals: tuple[int, ...]) -> bool | None:
        """Return True if a session with ``finished`` rounds and these totals has ended; ``None`` if the game cannot
        answer.

        Score sheets for real cards require an answer; they add up the points of the rounds.
        """
        return None if self.options.rounds is None else finished >= self.options.rounds

    def results(self) -> tuple[int, ...]:
        """Return the final totals, as in the journal's ``end``."""
        return self.totals

    @abstractmethod
    def ranks(self) -> tuple[int, ...]:
        """Return the ranks by the final totals: 1 for the best; equal totals share a rank."""


def competition_ranks(values: Sequence[int], *, lowest_wins: bool = False, sides: Sides = ()) -> tuple[int, ...]:
    """Return the ranks of values, 1 for the best; equal values share a rank (1, 1, 3).

    A partnership of ``sides`` counts as one competitor (1, 2, 1, 2).
    """
    each = [values[side[0]] for side in sides] or values
    better = sorted(each, reverse=not lowest_wins)
    return tuple(better.index(value) + 1 for value in values)


def no_partnerships(seats: int, _options: Options | None = None) -> Sides:
    """Return the partnerships of a game without partners: every seat on its own."""
    return tuple([(seat,) for seat in range(seats)])


class Zone(msgspec.Struct, frozen=True):
    """Group of cards in one place, as one seat sees it."""

    name: str
    seat: Seat | None
    """Seat to which the zone belongs; ``None`` for the middle of the table."""
    cards: tuple[Card | None, ...]
    """Cards from the bottom to the top; ``None`` is a card face down."""


class Note(msgspec.Struct, frozen=True, tag=True):
    """Log entry: an event as one seat perceived it; ``log_entries.py`` defines the kinds."""

    seat: Seat | None
    """Seat that acted; ``None`` if no seat did."""


def no_feature(_view: View) -> None:
    """Default of optional functions of ``Game``: the game does not have this feature."""


class Game(msgspec.Struct, Generic[S, V], frozen=True):
    """Description of a game: its types and functions, exported as ``GAME`` by the ``rules`` package of each game."""

    about: GameInfo
    options: type[Options]
    view: type[V]
    actions: tuple[type[Action], ...]
    """Types of its actions."""
    columns: tuple[str, ...]
    """Headings of ``Score.figures``."""
    start: Callable[[int, Options], S]
    """Create the state of a new session for a number of seats and options."""
    imagine: Callable[[V, Random], S]
    """Sample a full state consistent with a view (determinization): ``imagine(v, rng).view(v.seat) == v``."""
    scene: Callable[[V], tuple[Zone, ...]]
    """Return the visible cards of a view, grouped by place, for any front end."""
    explain_illegal: Callable[[V, Cards], str]
    """Explain to the player why these cards cannot be chosen now. If no cards are given although several are to be
    selected, describe the cards to select.
    """
    narrate: Callable[[Event, V, V], tuple[Note, ...]]
    """Return the log entries of an event for a seat, given its views before and after the event."""
    sides: Callable[[int, Options], Sides] = no_partnerships
    """Return the partnerships for a number of seats and options."""
    forced_silent_action: Callable[[V], Action | None] = no_feature
    """Return the only legal action if choosing it reveals no information, so that it is played without asking; else
    ``None``.
    """
    trick: Callable[[V], TrickStatus | None] = no_feature
    """Return the status of the tricks; only in trick-taking games."""
    bids: Callable[[V], BiddingState | None] = no_feature
    """Return the bids; only in games with bids on the number of tricks."""
    contract: Callable[[V], Contract | None] = no_feature
    """Return the contract that has been named, if any; only in games in which a seat names one."""
    dealer_or_declarer: Callable[[V], tuple[str, Seat] | None] = no_feature
    """Return the role (``"dealer"`` or ``"declarer"``) and its seat; ``None`` if no seat has such a role."""
    mandatory_card: Callable[[V], Card | None] = no_feature
    """Return the card of the player's own hand that must be used before the turn can end, if any."""
    timed_out: Callable[[V], Seat | None] = no_feature
    """Return the seat that has lost the session by its clock, if any; only in games with such a rule."""
    lowest_wins: bool = False
    """True if the lowest total wins."""
    rounds_independent: bool = False
    """True if the rounds of a session differ but do not depend on the totals: each round is a deal of its own in
    matches of robots. If False only the first round of a session is used as a deal, since no seat has points then.
    """
    single_deal_options: Mapping[str, Value] = {}
    """Default house rules of matches over single deals, where they differ from those of a session."""

    def sides_of(self, view: View) -> Sides:
        """Return the partnerships in the session of a view."""
        return self.sides(len(view.totals), view.options)

    @property
    def exact_bids(self) -> bool:
        """True if each seat has to take exactly as many tricks as it bid."""
        return self.columns == BID_AND_WON

    @property
    def has_contracts(self) -> bool:
        """True if a seat names a contract."""
        return self.contract is not no_feature

    def seats_for(self, options: Options) -> int:
        """Return the default number of seats: the usual number, unless ``options`` require another."""
        numbers = (self.about.usual_seats, *self.about.seats)
        return next(number for number in numbers if options.for_seats(number) == options)


AnyGame: TypeAlias = Game[State[View], View]
"""Game of which only the common interface is known, such as the result of a look-up by key."""


def hands_seen(seat: Seat, hand: Cards, sizes: Sequence[int]) -> tuple[Zone, ...]:
    """Return the hands as ``seat`` sees them: its own hand face up, the other hands face down."""
    shown = [Zone("hand", s, (None,) * size) for s, size in enumerate(sizes)]
    shown[seat] = Zone("hand", seat, tuple(iter_cards(hand)))
    return tuple(shown)


def all_of(piles: Iterable[Cards]) -> Cards:
    """Return the union of disjoint piles. Asserts that no card is in two of them."""
    together = 0
    for pile in piles:
        assert not together & pile, "a card is in two places"
        together |= pile
    return together
