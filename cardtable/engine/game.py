"""What every game promises: the one page to read first.

A session is a journal of events: outcomes of chance and actions of seats.  A game is a
``State`` that takes events, lists the legal actions, copies itself and shows each seat a
frozen ``View``; ``Game.imagine`` is the way back, a full state which that seat cannot tell
from the truth.  Seats are numbered 0..n-1 clockwise.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar, Final, Generic, Self, TypeAlias, TypedDict, TypeVar

import msgspec

from cardtable.engine.cards import RANK_TOLD, RANKS, SUIT_WORDS, SUITS, Card, Cards, iter_cards
from cardtable.engine.options import Options, Value

LAST_CARD: Final = "last"
"""The heading of figures that are cards of the last trick, by what they count: 2 to 14, an ace; 0 if not known."""


class CardsTitle(msgspec.Struct, frozen=True, tag="cards"):
    """So many cards each, and a trump suit: where rounds differ by that."""

    cards: int
    trump: int | None = None
    """``None`` where there is none, or nobody said which."""
    no_trump: bool = False

    def __str__(self) -> str:
        return f"{self.cards}{'' if self.trump is None else SUITS[self.trump]}"


class Contract(msgspec.Struct, frozen=True, tag="contract"):
    """What a seat has named or declared that a round is about."""

    name: str
    trump: int | None = None
    """The suit that belongs to its name."""
    short: str = ""
    """What it is called where room is scarce, if that is something else."""

    def __str__(self) -> str:
        return self.name if self.trump is None else f"{self.name} {SUITS[self.trump]}"

    @property
    def words(self) -> str:
        """With the suit in words: ``Trump hearts``."""
        return self.name if self.trump is None else f"{self.name} {SUIT_WORDS[self.trump]}s"


def contract(text: str) -> Contract:
    """The contract that ``str`` tells so."""
    name, _, suit = text.rpartition(" ")
    return Contract(name, SUITS.index(suit)) if len(suit) == 1 and suit in SUITS else Contract(text)


class EndingTitle(msgspec.Struct, frozen=True, tag="ending"):
    """How a round ended, where nothing else tells one from another; nothing where that does not, either."""

    how: str
    times: int = 1
    """How many times its points counted."""

    def __str__(self) -> str:
        return self.how if self.times == 1 else f"{self.how} ×{self.times}"


class HighTitle(msgspec.Struct, frozen=True, tag="high"):
    """The highest card of the last trick, with its suit where that is known."""

    rank: int
    suit: int | None = None

    def __str__(self) -> str:
        return f"{RANK_TOLD[self.rank]} high" if self.suit is None else RANKS[self.rank] + SUITS[self.suit]


Title: TypeAlias = CardsTitle | Contract | EndingTitle | HighTitle


class GameInfo(msgspec.Struct, frozen=True):
    """What can be told of a game without knowing its rules."""

    key: str
    """Its name in files and commands."""
    title: str
    line: str
    """The game in one line, for the picker."""
    length: str
    """How long a session is, in words."""
    seats: tuple[int, ...]
    """The numbers of seats it can be played with."""
    usual_seats: int
    emblem: str = "2C 3C 4C"
    """Three cards that stand for it."""
    aim: str = ""
    """What a player is after, in a sentence of 56 characters at most, for who plays it for the first time."""

    def seats_in_words(self) -> str:
        """The numbers of seats, such as ``2, 3 or 4``."""
        *fewer, most = map(str, self.seats)
        return f"{', '.join(fewer)} or {most}" if fewer else most


CONTRACT: Final = 2
"""Which contract this is: another one where a game made for it would not do."""
Seat: TypeAlias = int
Sides: TypeAlias = tuple[tuple[Seat, ...], ...]
"""The seats that play together, side by side; each of them has the points of its side."""
CHANCE: Final[Seat] = -1
"""``State.turn`` while an outcome of chance is owed."""
OVER: Final[Seat] = -2
"""``State.turn`` when the session is over."""


class Event(msgspec.Struct, frozen=True):
    """Something that happened; ``str(event)`` is its text in the journal."""


class Chance(Event, frozen=True):
    """An outcome of chance (the kinds are in ``chance.py``)."""


class Action(Event, frozen=True, tag=True):
    """A choice of the seat to act, which follows from the state.

    Each value exists once and is shared, so that choosing one allocates nothing.
    """

    kind: ClassVar[str]
    """What is done, in a word: the first one of its text."""
    label: ClassVar[str] = ""
    """What a decision for it is called, where that is not its kind."""
    quoted: ClassVar[bool] = False
    """Whether it is a word that is said, not what is done."""
    rare_in_random_play: ClassVar[bool] = False
    """Whether it ends a round early, so that who plays at random does it rarely."""

    def __str__(self) -> str:
        what = self.notation
        return f"{self.kind} {what}" if what else self.kind

    @property
    def notation(self) -> str:
        """The rest of its text: with what that is done, in the notation of the journal."""
        return ""

    @property
    def amount(self) -> int | None:
        """The number that the rest of its text is; ``None`` where it is none."""
        return None

    @property
    def argument_text(self) -> str:
        """With what that is done, in words; cards in notation."""
        return self.notation

    @property
    def description(self) -> str:
        """What it is called, where that is not its kind and its thing; cards in notation."""
        return ""

    def cards_used(self) -> Cards:
        """The cards a player points at to make this choice; 0 where there are none."""
        return 0


class Declaration(Action, frozen=True):
    """A choice of what the round is about."""

    kind = "contract"

    @property
    def description(self) -> str:
        """What it says, a suit in words."""
        return self.named.words

    @property
    def named(self) -> Contract:
        """What it says."""
        raise NotImplementedError


class View(msgspec.Struct, frozen=True):
    """All that one seat may know, everything public included.  Each game adds fields."""

    seat: Seat
    turn: Seat
    legal: tuple[Action, ...]
    """What this seat may do now; empty unless it is to act."""
    round: int
    """Rounds dealt so far, the present one included."""
    finished: int
    """Rounds finished so far."""
    playing: bool
    """Whether a round is in progress, from its deal to its last decision."""
    totals: tuple[int, ...]
    options: Options
    hand: Cards
    drawn: Card | None
    """The card that this seat drew unseen in this turn, where games have that."""

    def public_view(self) -> Self:
        """The view without what its seat alone knows: its hand and choices, a card that it drew unseen.

        A game in which a seat knows more than others adds that.
        """
        return msgspec.structs.replace(self, hand=0, legal=(), drawn=None)


class CommonViewFields(TypedDict):
    """The fields of ``View`` that are the same in every game, all but the options and the hand."""

    seat: Seat
    turn: Seat
    legal: tuple[Action, ...]
    round: int
    finished: int
    playing: bool
    totals: tuple[int, ...]
    drawn: Card | None


class Bonus(msgspec.Struct, frozen=True):
    """Points beyond the ordinary ones, and what they were for."""

    name: str
    points: int


class Score(msgspec.Struct, frozen=True):
    """A finished round as the score sheet has it; tuples are by seat."""

    title: Title
    """What was played, where that tells one round from another."""
    figures: tuple[tuple[int, ...], ...]
    """What each seat did, under the headings of ``Game.columns``."""
    points: tuple[int, ...]
    """Points of the round, the bonuses included."""
    bonuses: tuple[tuple[Bonus, ...], ...]
    totals: tuple[int, ...]
    """The session's totals after the round."""
    weight: int = 1
    """How many times the points count in the totals."""


class TrickStatus(msgspec.Struct, frozen=True):
    """How the tricks of a round stand: cards each with the seat that played them, in their order."""

    number: int
    """The trick that is played, from 1 on; after the last one it is one more."""
    leader: Seat
    """Who leads to it."""
    lying: tuple[tuple[Seat, Card], ...]
    last: tuple[tuple[Seat, Card], ...]
    """The one before; none before the first is complete."""
    winning: Seat | None
    """Who would take it as it stands; ``None`` while nothing lies."""


BID_AND_WON: Final = ("bid", "won")
"""Headings of the figures of games in which everybody is to take just as many tricks as she bid."""


class BiddingState(msgspec.Struct, frozen=True):
    """What is bid in a round, and what it is bid on."""

    cards: int
    """Cards each."""
    trump: int | None
    made: tuple[int | None, ...]
    """By seat; ``None`` where one is still owed."""
    won: tuple[int, ...]
    """Tricks taken, by seat."""


V = TypeVar("V", bound=View)
V_co = TypeVar("V_co", bound=View, covariant=True)
S = TypeVar("S", bound="State[View]")


class State(ABC, Generic[V_co]):
    """One session with every card face up, changed in place by its one owner."""

    __slots__ = ()
    options: Options
    turn: Seat
    round: int
    """Rounds dealt so far; one that is void and dealt again keeps its number."""
    finished: int
    """Rounds finished so far."""
    playing: bool
    """Whether a round is in progress, from its deal to its last decision."""
    totals: tuple[int, ...]
    """Points of the finished rounds, by seat."""
    score: Score | None
    """The round finished last."""

    @abstractmethod
    def legal(self) -> Sequence[Action]:
        """The choices of ``turn``, the one source of legality; never empty for a seat."""

    @abstractmethod
    def apply(self, event: Event) -> None:
        """Move on, in place.  ``event`` is trusted: ``Table`` has judged it."""

    @abstractmethod
    def cancel_round(self) -> None:
        """Make the round in progress count for nothing; its deal is owed again."""

    def forfeit(self, seat: Seat) -> None:  # noqa: ARG002 - no game loses so but by its own rule
        """End the session, in place: ``seat``, which is to act, has no time left and loses.

        Raises ``ValueError`` with the reason where no clock can run out.
        """
        raise ValueError("nobody can lose this game by the clock")

    @abstractmethod
    def pending_chance_type(self) -> type[Chance]:
        """The kind of outcome that chance owes while ``turn`` is ``CHANCE``."""

    @abstractmethod
    def draw_chance(self, rng: Random) -> Chance:
        """Draw the outcome that chance owes."""

    @abstractmethod
    def is_possible_chance(self, chance: Chance) -> bool:
        """Whether the outcome that chance owes could be this one."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent twin, made cheaply."""

    @abstractmethod
    def view(self, seat: Seat) -> V_co:
        """What ``seat`` may know: the only way out for hidden cards."""

    def common_view_fields(self, seat: Seat) -> CommonViewFields:
        """What every game tells ``seat``, for ``view`` to begin with."""
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

    def drawn_card(self, seat: Seat) -> Card | None:  # noqa: ARG002 - in most games nothing is drawn
        """The card that ``seat`` drew unseen in this turn."""
        return None

    @abstractmethod
    def assert_invariants(self) -> None:
        """Assert the invariants, above all that every card is in exactly one place."""

    def tricks(self) -> tuple[int, ...] | None:
        """Tricks taken in the round by each seat; ``None`` where there are no tricks."""
        return None

    def position_key(self) -> Hashable:
        """All that the points of a round in which cards are played can still depend on: its past is left out.

        ``None`` where nobody is to look ahead to the end of the round.
        """
        return None

    def is_over_at(self, finished: int, _totals: tuple[int, ...]) -> bool | None:
        """Whether a session with so many rounds finished and these totals is over; ``None`` where that is not told.

        Where it is told, the score of the game with real cards can be kept: the points of each round, summed.
        """
        return None if self.options.rounds is None else finished >= self.options.rounds

    def results(self) -> tuple[int, ...]:
        """The final totals, as the journal's ``end`` holds them."""
        return self.totals

    @abstractmethod
    def ranks(self) -> tuple[int, ...]:
        """The places of the final totals: 1 for the best, equal ranks shared."""


def competition_ranks(values: Sequence[int], *, lowest_wins: bool = False, sides: Sides = ()) -> tuple[int, ...]:
    """Places of values, 1 for the best; equal values share a rank (1, 1, 3), and a side counts as one (1, 2, 1, 2)."""
    each = [values[side[0]] for side in sides] or values
    better = sorted(each, reverse=not lowest_wins)
    return tuple(better.index(value) + 1 for value in values)


def no_partnerships(seats: int, _options: Options | None = None) -> Sides:
    """Everybody plays for herself."""
    return tuple([(seat,) for seat in range(seats)])


class Zone(msgspec.Struct, frozen=True):
    """Cards lying together, as one seat sees them."""

    name: str
    seat: Seat | None
    """Whose place it lies at; ``None`` for the middle of the table."""
    cards: tuple[Card | None, ...]
    """In order, the lowest lying first; ``None`` is a card face down."""


class Note(msgspec.Struct, frozen=True, tag=True):
    """Something that happened, as it looked to one seat (the kinds are in ``notes.py``)."""

    seat: Seat | None
    """Who did it; ``None`` when nobody did."""


def no_feature(_view: View) -> None:
    """The game has no such thing."""


class Game(msgspec.Struct, Generic[S, V], frozen=True):
    """One game of the card room: the value that a module in ``games/`` exports."""

    about: GameInfo
    options: type[Options]
    view: type[V]
    actions: tuple[type[Action], ...]
    """The kinds of its actions."""
    columns: tuple[str, ...]
    """Headings of ``Score.figures``."""
    start: Callable[[int, Options], S]
    """A new session, by number of seats and options."""
    imagine: Callable[[V, Random], S]
    """A state the seat cannot tell from the truth: ``imagine(v, rng).view(v.seat) == v``."""
    scene: Callable[[V], tuple[Zone, ...]]
    """The picture of a view, for any front end."""
    why_not: Callable[[V, Cards], str]
    """Why these cards may not be chosen now, in a player's words; of none, where several are to be chosen: which."""
    narrate: Callable[[Event, V, V], tuple[Note, ...]]
    """What an event looked like to a seat, from its views before and after."""
    sides: Callable[[int, Options], Sides] = no_partnerships
    """Who plays together, by number of seats and options."""
    forced_silent_action: Callable[[V], Action | None] = no_feature
    """The only action left, where it tells nobody anything and so needs no word."""
    trick: Callable[[V], TrickStatus | None] = no_feature
    """In games that are played in tricks."""
    bids: Callable[[V], BiddingState | None] = no_feature
    """In games in which tricks are bid."""
    contract: Callable[[V], Contract | None] = no_feature
    """What has been named, in games in which a seat names it."""
    dealer_or_declarer: Callable[[V], tuple[str, Seat] | None] = no_feature
    """Who deals or declares: as what, and which seat; ``None`` where it is only who begins."""
    mandatory_card: Callable[[V], Card | None] = no_feature
    """The card of the own hand that has to be used before the turn can end."""
    timed_out: Callable[[V], Seat | None] = no_feature
    """Who has lost the session by the clock, in games that can be lost so."""
    lowest_wins: bool = False
    """Whether the lowest total is the best."""
    rounds_independent: bool = False
    """Whether the rounds of a session differ while totals change nothing in them, so that each of them is a deal by
    itself; else the first round of a session is, where nobody has points yet."""
    rules_of_a_deal: Mapping[str, Value] = {}
    """House rules with which such a deal is played where nobody says otherwise."""

    def sides_of(self, view: View) -> Sides:
        """Who plays together in the session of a view."""
        return self.sides(len(view.totals), view.options)

    @property
    def exact_bids(self) -> bool:
        """Whether everybody is to take just as many tricks as she bid."""
        return self.columns == BID_AND_WON

    @property
    def has_contracts(self) -> bool:
        """Whether a seat names what is played."""
        return self.contract is not no_feature

    def seats_for(self, options: Options) -> int:
        """How many sit down where nobody said: the usual number, unless the options tell another."""
        numbers = (self.about.usual_seats, *self.about.seats)
        return next(number for number in numbers if options.for_seats(number) == options)


AnyGame: TypeAlias = Game[State[View], View]
"""A game that was looked up by its key: nothing is known of it but what all promise."""


def hands_seen(seat: Seat, hand: Cards, sizes: Sequence[int]) -> tuple[Zone, ...]:
    """The hands as ``seat`` sees them: its own face up, of the others how many cards."""
    shown = [Zone("hand", s, (None,) * size) for s, size in enumerate(sizes)]
    shown[seat] = Zone("hand", seat, tuple(iter_cards(hand)))
    return tuple(shown)


def all_of(piles: Iterable[Cards]) -> Cards:
    """The cards of all piles together.  Asserts that none is in two of them."""
    together = 0
    for pile in piles:
        assert not together & pile, "a card is in two places"
        together |= pile
    return together
