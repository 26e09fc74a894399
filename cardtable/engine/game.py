"""Interface of a card game: the abstract ``State``, the ``View`` of a seat and the abstract ``Game``.

A session is a journal of events: outcomes of chance and actions of seats. A game is a ``State`` that applies events,
lists the legal actions, copies itself and gives each seat a frozen ``View``. ``Game.imagine`` is the inverse of
``State.view``: it samples a complete state that is consistent with everything that the seat knows (determinization).
Seats are numbered clockwise from 0.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Annotated, ClassVar, Final, Generic, Self, TypeAlias, TypedDict, TypeVar, final

import msgspec

from cardtable.engine.annotations import SEAT_NUMBER
from cardtable.engine.card_order import USUAL_ORDER, CardOrder
from cardtable.engine.cards import RANK_TEXT, RANKS, SUITS, Card, Cards, iter_cards, names
from cardtable.engine.faces import FRENCH, Faces
from cardtable.engine.options import Options, Value
from cardtable.engine.state_copy import make_copier
from cardtable.engine.view_fields import list_fields

LAST_CARD: Final = "last"
"""Heading in ``Game.columns`` of the rank of a seat's last card, from 2 to 14 (ace), or 0 if it is not known."""


class CardsTitle(msgspec.Struct, frozen=True, tag="cards"):
    """Title of a round in games whose rounds differ in the number of cards per hand and the trump suit."""

    cards: int
    trump: int | None = None
    """Trump suit; ``None`` in a round without trumps, or if the suit is not recorded."""
    no_trump: bool = False

    def __str__(self) -> str:
        return f"{self.cards}{'' if self.trump is None else SUITS[self.trump]}"


class Contract(msgspec.Struct, frozen=True, tag="contract"):
    """Contract that a seat has named or declared for a round."""

    name: str
    trump: int | None = None
    """Suit that is part of the contract; ``None`` for a contract without a suit."""
    short: str = ""
    """Abbreviation for narrow columns; empty if ``name`` is short enough."""

    def __str__(self) -> str:
        return self.name if self.trump is None else f"{self.name} {SUITS[self.trump]}"

    @property
    def words(self) -> str:
        """Name of the contract with the suit spelled out, such as ``Trump hearts``."""
        return self.format_words(FRENCH)

    def format_words(self, faces: Faces) -> str:
        """Return the name of the contract with the suit spelled out as the faces of the game name it."""
        return self.name if self.trump is None else f"{self.name} {faces.suits[self.trump].many}"


class EndingTitle(msgspec.Struct, frozen=True, tag="ending"):
    """Title of a round that states how the round ended.

    Used by games whose rounds do not differ in anything else. ``how`` is empty if there is nothing to state.
    """

    how: str
    times: int = 1
    """Factor by which the points scored in the round count in the totals."""

    def __str__(self) -> str:
        return self.how if self.times == 1 else f"{self.how} ×{self.times}"


class HighTitle(msgspec.Struct, frozen=True, tag="high"):
    """Title of a round that states the highest card of its last trick; ``suit`` is ``None`` if it is not known."""

    rank: int
    suit: int | None = None

    def __str__(self) -> str:
        return f"{RANK_TEXT[self.rank]} high" if self.suit is None else RANKS[self.rank] + SUITS[self.suit]


Title: TypeAlias = CardsTitle | Contract | EndingTitle | HighTitle
"""Title of a round, which distinguishes it from the other rounds of its session."""


class GameInfo(msgspec.Struct, frozen=True):
    """Facts about a game that are available without importing its rules."""

    key: str
    """Name of the game in files and commands: 2 to 20 small letters, digits and ``_``, first a letter."""
    title: str
    """Name of the game for players. Lists cut it after 24 columns, and the table at 60 columns after 20."""
    summary: str
    """Description of the game in one line, for the picker: 38 characters have room beside a title of 10 or fewer."""
    length: str
    """Length of a session, such as ``28 rounds`` or ``to 125``: 11 characters have room in 80 columns."""
    seats: tuple[int, ...]
    """Supported numbers of seats, in ascending order, from 2 to ``MAX_SEATS``."""
    usual_seats: int
    """Number of seats at a new table, one of ``seats``."""
    emblem: str = "2C 3C 4C"
    """Three cards that represent the game, in card notation."""
    aim: str = ""
    """Aim of the game for a new player, in one sentence of at most 56 characters."""
    grows: bool = False
    """True if a club's table of this game usually gets more seats when more people want to play."""
    faces: Faces = FRENCH
    """Names and signs of the suits and ranks for people; notation does not depend on them."""

    def seats_in_words(self) -> str:
        """Return the supported numbers of seats as text, such as ``2, 3 or 4``."""
        *fewer, most = map(str, self.seats)
        return f"{', '.join(fewer)} or {most}" if fewer else most


MAX_SEATS: Final = 8
"""Maximum number of seats at a table, for which all screens have room."""
INTERFACE_VERSION: Final = 4
"""Version of this interface. It is incremented with every change that breaks existing games."""
Seat: TypeAlias = Annotated[int, SEAT_NUMBER]
"""Place at the table, numbered clockwise from 0."""
Sides: TypeAlias = tuple[tuple[Seat, ...], ...]
"""Partnerships, each a tuple of seats; partners have the same points, totals and ranks.

A seat without a partner forms a partnership of its own.
"""
CHANCE: Final[Seat] = -1
"""Value of ``State.turn`` while an outcome of chance is due."""
OVER: Final[Seat] = -2
"""Value of ``State.turn`` after the session has ended."""


class Event(msgspec.Struct, frozen=True):
    """Event of a session: an outcome of chance or an action of a seat.

    ``str(event)`` is the text of the event in the journal.
    """


class Chance(Event, frozen=True):
    """Outcome of chance, such as a deal; the module ``chance`` defines all kinds."""


class Action(Event, frozen=True, tag=True):
    """Action of a seat, such as a bid or a play.

    An action does not contain the seat, because the state determines which seat is to act. Each value is created once
    and then shared, so that choosing an action allocates no memory.
    """

    kind: ClassVar[str]
    """Verb of the action, the first word of its text in the journal."""
    label: ClassVar[str] = ""
    """Verb of the action on screens, in hints and in reviews; empty if it is ``kind``."""
    quoted: ClassVar[bool] = False
    """True if players say ``kind`` aloud, so that sentences put it in quotation marks."""
    rare_in_random_play: ClassVar[bool] = False
    """True if the action ends a round early; random play then chooses it with a low probability."""

    def __str__(self) -> str:
        notation = self.notation
        return f"{self.kind} {notation}" if notation else self.kind

    @property
    def notation(self) -> str:
        """Text of the action after ``kind``, in the notation of the journal; empty if the action has no argument."""
        return ""

    @property
    def amount(self) -> int | None:
        """Number that ``notation`` represents; ``None`` if it is not a number."""
        return None

    @property
    def verb(self) -> str:
        """Verb of the action as players read it."""
        return self.label or self.kind

    @property
    def argument_text(self) -> str:
        """Argument of the action as it reads in a sentence, with cards in notation such as ``QS``.

        ``{2}`` stands for the name of the player in seat 2.
        """
        return self.notation

    @property
    def description(self) -> str:
        """Name of the action without its verb, such as ``The stock``; empty if ``argument_text`` is to be used.

        Screens and hints show it alone, or else the verb and ``argument_text``. In plain lines either follows the verb.
        It is written like ``argument_text``.
        """
        return ""

    @classmethod
    def list_values(cls) -> tuple[Self, ...]:
        """Return all actions of this type, for programs that number them; empty if the types of the fields tell."""
        return ()

    @property
    def steps(self) -> "tuple[Action, ...]":
        """Actions that follow one another if a player chooses this one: itself, unless it stands for several."""
        return (self,)

    def completes(self, _before: "Action") -> bool:
        """Return True if a player may choose this together with ``_before``, their own action just before it."""
        return False

    def cards_used(self) -> Cards:
        """Return the cards that a player selects to make this choice; 0 if no cards are selected."""
        return 0


_format_action: Final = lru_cache(4096)(str)
"""Return the text of an action; cached, because the same few actions are looked for again and again."""


def find_action(legal: Sequence[Action], text: str) -> Action | None:
    """Return the legal action with this journal text; ``None`` if there is none."""
    return next((action for action in legal if _format_action(action) == text), None)


class CardsAction(Action, frozen=True):
    """Action that consists of some cards, such as a meld or cards that are passed to another player."""

    cards: Cards

    @property
    def notation(self) -> str:
        return names(iter_cards(self.cards))

    def cards_used(self) -> Cards:
        return self.cards


class Declaration(Action, frozen=True):
    """Action that names the contract of the round."""

    kind = "contract"

    @property
    def description(self) -> str:
        return self.named.words

    @property
    def named(self) -> Contract:
        """Contract that the action names; subclasses must override this property."""
        raise NotImplementedError


class View(msgspec.Struct, frozen=True):
    """Everything that one seat knows, private and public; each game adds fields."""

    seat: Seat
    turn: Seat
    """Seat to act; the seat of the view if it still has to choose while several seats choose at once."""
    legal: tuple[Action, ...]
    """Legal actions of this seat; empty unless this seat is to act."""
    round: int
    """Number of rounds dealt so far, including the current one."""
    finished: int
    """Number of finished rounds."""
    playing: bool
    """True from the deal of a round to its last decision."""
    totals: tuple[int, ...]
    options: Options
    hand: Cards
    drawn: Card | None
    """Card that this seat has drawn from a face-down pile in this turn; ``None`` if it has drawn none."""

    @property
    def active(self) -> tuple[bool, ...]:
        """By seat, True if the seat takes part: a field or property where players drop out; all seats by default."""
        return (True,) * len(self.totals)

    @property
    def remembered(self) -> Cards:
        """Cards in no hand that this seat has seen, though face down now; none unless the game has this field."""
        return 0

    @property
    def awarded(self) -> tuple[int, ...]:
        """By seat, points of this round that are in the totals already; none unless the game has this field."""
        return (0,) * len(self.totals)

    @property
    def choosing(self) -> tuple[bool, ...]:
        """By seat, True if the seat still has to choose at once with others; a field where ``chosen`` is, too."""
        return ()

    @property
    def chosen(self) -> tuple[bool, ...]:
        """By seat, True if the seat has chosen, and others choosing at the same time have not; empty by default."""
        return ()

    @property
    def choice(self) -> Action | None:
        """Choice of this seat that the other seats do not know yet; ``None`` by default."""
        return None

    @property
    def ties(self) -> tuple[tuple[Seat, ...], ...]:
        """Groups of seats that only the order of coming to the table ranks if the session ends now; none by default."""
        return ()

    @property
    def practice_actions(self) -> tuple[Action, ...]:
        """Actions beyond the rules that a person to act may take in practice with open hands; none by default."""
        return ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """By seat, the number of cards in the hand: a field or a property of most games; empty by default."""
        return ()

    @property
    def stock_size(self) -> int:
        """Number of cards in the stock: a field in games with a stock; 0 by default."""
        return 0

    @property
    def excluded_cards(self) -> tuple[Cards, ...]:
        """By seat, the cards that it has shown not to hold: a field in games in which seats show this."""
        return ()

    def with_turn(self, seat: Seat) -> Self:
        """Return the view with the turn given to ``seat``: before an action, ``turn`` is the seat that acts."""
        return self if self.turn == seat else msgspec.structs.replace(self, turn=seat, legal=())

    def public_view(self) -> Self:
        """Return the view without hand, legal actions, the card drawn in this turn, and ``PRIVATE`` fields."""
        empty = {field.name: field.empty for field in list_fields(type(self), View) if field.is_private}
        return msgspec.structs.replace(self, hand=0, legal=(), drawn=None, **empty)


class CommonViewFields(TypedDict):
    """Fields of ``View`` that ``State.common_view_fields`` computes: all but ``options`` and ``hand``."""

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
    """Score of a finished round; all tuples are indexed by seat."""

    title: Title
    """Title of the round, which distinguishes it from the other rounds of the session."""
    figures: tuple[tuple[int, ...], ...]
    """Figures of each seat under the headings of ``Game.columns``, such as the number of tricks taken."""
    points: tuple[int, ...]
    """Points scored in the round, including bonuses, before ``weight`` is applied."""
    bonuses: tuple[tuple[Bonus, ...], ...]
    totals: tuple[int, ...]
    """Totals of the session after the round."""
    weight: int = 1
    """Factor by which ``points`` count in the totals."""


class TrickStatus(msgspec.Struct, frozen=True):
    """Status of the tricks of a round.

    The cards of a trick are listed in order of play, each with the seat that played it.
    """

    number: int
    """Number of the current trick, starting at 1; after the last trick one more than the number of tricks."""
    leader: Seat
    """Seat that leads to the current trick."""
    lying: tuple[tuple[Seat, Card], ...]
    last: tuple[tuple[Seat, Card], ...]
    """Previous trick; empty until the first trick is complete."""
    winning: Seat | None
    """Seat that is winning the current trick; ``None`` if no card has been played to it."""
    step: int = 1
    """Distance from one seat to the next one to play: 1 if play goes clockwise, -1 if counter-clockwise."""


BID_AND_WON: Final = ("bid", "won")
"""``Game.columns`` of games in which each seat has to take exactly as many tricks as it bid."""


class BiddingState(msgspec.Struct, frozen=True):
    """Bids of a round in a game in which seats bid the number of tricks that they will take."""

    cards: int
    """Number of cards in each hand at the beginning of the round."""
    trump: int | None
    made: tuple[int | None, ...]
    """Bids by seat; ``None`` if the seat has not bid yet."""
    won: tuple[int, ...]
    """Number of tricks taken so far, by seat."""


V = TypeVar("V", bound=View)
V_co = TypeVar("V_co", bound=View, covariant=True)
S = TypeVar("S", bound="State[View]")
S_co = TypeVar("S_co", bound="State[View]", covariant=True)


class State(ABC, Generic[V_co]):
    """Complete state of a session, including all hidden cards.

    The state is changed in place by its owner, which is a referee or a search.
    """

    __slots__ = ()
    options: Options
    turn: Seat
    round: int
    """Number of rounds dealt so far; a void round that is dealt again keeps its number."""
    finished: int
    """Number of finished rounds."""
    playing: bool
    """True from the deal of a round to its last decision."""
    totals: tuple[int, ...]
    """Totals of the finished rounds, by seat."""
    score: Score | None
    """Score of the last finished round; ``None`` before the first round has finished."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._copy_fields = make_copier(cls)  # type: ignore[assignment]  # code for the fields of this class

    @property
    def choosing(self) -> tuple[bool, ...]:
        """By seat, True if the seat still has to choose while several seats choose at once; empty by default.

        ``turn`` is one of these seats. They act in any order, and nobody sees a choice before all have chosen.
        """
        return ()

    @property
    def chosen(self) -> tuple[bool, ...]:
        """By seat, True if the seat has chosen, and others choosing at the same time have not; empty by default."""
        return ()

    def give_turn(self, seat: Seat) -> None:
        """Set ``turn`` in place to another seat that still has to choose; called only if ``choosing`` has one."""
        raise NotImplementedError

    @abstractmethod
    def legal(self) -> Sequence[Action]:
        """Return the legal actions of the seat to act; never empty if ``turn`` is a seat.

        Legality is defined by this method only.
        """

    @abstractmethod
    def apply(self, event: Event) -> None:
        """Apply an event in place, without validation: ``Referee`` has validated it before."""

    @abstractmethod
    def cancel_round(self) -> None:
        """Cancel the round in progress, in place.

        The round does not count, and its deal is due again.
        """

    def forfeit(self, seat: Seat) -> None:  # noqa: ARG002 - only games with such a rule override it
        """End the session in place with ``seat`` as the loser, because its clock has run out.

        ``seat`` is the seat to act. Raises ``ValueError`` with the reason if a session of this game cannot be lost on
        time.
        """
        raise ValueError("nobody can lose this game by the clock")

    @abstractmethod
    def pending_chance_type(self) -> type[Chance]:
        """Return the type of the outcome of chance that is due. Called only if ``turn`` is ``CHANCE``."""

    @abstractmethod
    def draw_chance(self, rng: Random) -> Chance:
        """Draw the outcome of chance that is due. The state is not changed until the outcome is applied."""

    @abstractmethod
    def is_possible_chance(self, chance: Chance) -> bool:
        """Return True if ``chance`` is a possible value of the outcome of chance that is due."""

    def copy(self) -> Self:
        """Return an independent copy. Search copies states very often, so copying has to be fast.

        By default the fields that a class annotates as lists are copied; the values of all others are shared, and have
        to be immutable. If every class of the state has ``__slots__``, this is as fast as assignments written by hand.
        """
        return self._copy_fields()

    def _copy_fields(self) -> Self:
        """Return a copy by the code that ``make_copier`` has made for the class."""
        raise NotImplementedError

    @abstractmethod
    def view(self, seat: Seat) -> V_co:
        """Return everything that ``seat`` knows. Information about cards leaves the state only through this method."""

    def common_view_fields(self, seat: Seat) -> CommonViewFields:
        """Return the fields of the view of ``seat`` that do not depend on the game."""
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
        """Assert the invariants of the game, above all that every card is in exactly one place."""

    def tricks(self) -> tuple[int, ...] | None:
        """Return the number of tricks that each seat has taken in the round; ``None`` in games without tricks."""
        return None

    def position_key(self) -> Hashable:
        """Return a key that is equal for positions from which the round can be finished with the same results.

        The key contains everything on which the points of the round can still depend, but not the history. Only games
        in which cards are played define it. ``None`` means that the rest of a round must not be searched.
        """
        return None

    def is_over_at(self, finished: int, _totals: tuple[int, ...]) -> bool | None:
        """Return True if a session with these totals has ended; ``None`` if the game cannot answer.

        This does not end a session: in a ``RoundState``, ``is_over`` does, and ``is_over_at`` follows from it.
        ``finished`` is the number of finished rounds. ``DefaultSheet``, which scores games played with real cards,
        requires an answer.
        """
        return None if self.options.rounds is None else finished >= self.options.rounds

    def set_arrivals(self, order: tuple[Seat, ...]) -> None:
        """Take the order in which the players came to the table, before the first event; for ties that it decides."""

    def results(self) -> tuple[int, ...]:
        """Return the final totals, as recorded in the ``end`` line of the journal.

        A game overrides this method if it adjusts the totals at the end of the session.
        """
        return self.totals

    @abstractmethod
    def ranks(self) -> tuple[int, ...]:
        """Return the rank of each seat by the final totals: 1 for the best; equal totals share a rank."""


def competition_ranks(values: Sequence[int], *, lowest_wins: bool = False, sides: Sides = ()) -> tuple[int, ...]:
    """Return the standard competition rank of each value: 1 for the best; equal values share a rank (1, 1, 3).

    With ``sides``, each partnership counts as one competitor (1, 2, 1, 2), which has the value of its first seat.
    """
    results = [values[side[0]] for side in sides] or values
    better = sorted(results, reverse=not lowest_wins)
    return tuple(better.index(value) + 1 for value in values)


def no_partnerships(seats: int, _options: Options | None = None) -> Sides:
    """Return the partnerships of a game without partners: one for each seat."""
    return tuple([(seat,) for seat in range(seats)])


class Zone(msgspec.Struct, frozen=True):
    """Group of cards that lie together in one place, such as a hand or the trick, as one seat sees them."""

    name: str
    seat: Seat | None
    """Seat to which the zone belongs; ``None`` for the middle of the table."""
    cards: tuple[Card | None, ...]
    """Cards from the bottom to the top; ``None`` is a card face down."""
    label: str = ""
    """Heading in place of ``name``, of at most ``MAX_ZONE_LABEL`` characters; empty for a name that players read."""
    summary: str = ""
    """Text of at most ``MAX_ZONE_SUMMARY`` characters, such as ``12 cards, 2 queens``; empty if there is none.

    It is shown where the cards have no room, in plain text, and alone if the zone has no cards.
    """


MAX_ZONE_LABEL: Final = 16
"""Maximum number of characters that are shown of the label of a zone."""
MAX_ZONE_SUMMARY: Final = 32
"""Maximum number of characters that are shown of the summary of a zone."""


class Mark(msgspec.Struct, frozen=True):
    """Fact at the table besides the cards, such as the count to 31, the pegs of a seat, or a seat that has passed."""

    name: str
    """Label of at most ``MAX_MARK_NAME`` characters, such as ``count`` or ``passed``."""
    seat: Seat | None
    """Seat on whose plate the mark is; ``None`` for the middle of the table."""
    value: int | str = ""
    """Number up to ``MAX_MARK_NUMBER``, or text of up to ``MAX_MARK_VALUE`` characters; empty if the name is all."""
    of: int | None = None
    """Number from 1 at which the track of the mark ends; ``None`` for no track. The value is then a number."""
    suit: int | None = None
    """Suit in place of a value, such as that of trumps; shown as its sign."""


MAX_MARKS: Final = 4
"""Maximum number of marks of one seat, and of the middle."""
MAX_MARK_NAME: Final = 12
"""Maximum number of characters that are shown of the name of a mark."""
MAX_MARK_VALUE: Final = 12
"""Maximum number of characters that are shown of a mark's value."""
MAX_MARK_NUMBER: Final = 9999
"""Maximum absolute value of a number in a mark."""
MAX_CHOICE_LENGTH: Final = 54
"""Maximum length of the text of a choice; beyond 21 characters, a small screen shows all of it only at the cursor."""


class Note(msgspec.Struct, frozen=True, tag=True):
    """Log entry: an event as one seat perceived it. The module ``log_entries`` defines the kinds."""

    seat: Seat | None
    """Seat that acted; ``None`` if no seat did."""


MAX_CARD_TEXT: Final = 56
"""Maximum length of a text of ``Game.explain_card`` on the screen, which fits below the prompt of a small table."""


class Game(ABC, Generic[S_co, V]):
    """Facts and functions of a game. Its ``rules`` package exports an instance of a subclass as ``GAME``.

    A subclass sets the facts as class attributes. Front ends call the methods with views, so that a method never
    reveals more than the seat of the view knows.
    """

    about: GameInfo
    """Facts for lists of games."""
    options: type[Options]
    """Class of the house rules."""
    view: type[V]
    """Class of the views."""
    actions: tuple[type[Action], ...]
    """All types of actions of the game."""
    columns: tuple[str, ...]
    """Headings of ``Score.figures``."""
    has_tricks: bool = False
    """True if the game is played in tricks: a subclass that defines ``trick`` sets it, as do the next two."""
    has_contracts: bool = False
    """True if a seat names a contract: the game defines ``contract``."""
    has_card_texts: bool = False
    """True if the game explains its cards: it defines ``explain_card``."""
    lowest_wins: bool = False
    """True if the lowest total wins."""
    rounds_independent: bool = False
    """True if the rounds of a session differ, but do not depend on the totals.

    Matches of robots then use every round as a deal of its own. Otherwise they use only the first round of a session,
    in which no seat has points yet.
    """
    single_deal_options: Mapping[str, Value] = {}
    """House rules that differ from their defaults in matches over single deals."""
    package: str = ""
    """Package and version that provide a game from outside, such as ``cardtable-hearts 1.0``; the program sets it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.has_tricks = cls.has_tricks or "trick" in vars(cls)
        cls.has_contracts = cls.has_contracts or "contract" in vars(cls)
        cls.has_card_texts = cls.has_card_texts or "explain_card" in vars(cls)

    @abstractmethod
    def start(self, seats: int, options: Options) -> S_co:
        """Create the state of a new session, given the number of seats and the house rules."""

    @abstractmethod
    def imagine(self, view: V, rng: Random) -> S_co:
        """Sample a complete state that is consistent with a view: ``imagine(v, rng).view(v.seat) == v``."""

    @abstractmethod
    def scene(self, view: V) -> tuple[Zone, ...]:
        """Return the cards in a view, grouped by place, for any front end."""

    @abstractmethod
    def explain_illegal(self, view: V, cards: Cards) -> str:
        """Explain to the player, whose turn it is, why these cards cannot be chosen now.

        Without cards, explain why a choice that takes none, such as a bid or a pass, cannot be made.
        """

    @abstractmethod
    def narrate(self, event: Event, before: V, after: V) -> tuple[Note, ...]:
        """Return the log entries of an event for one seat, given the views of the seat before and after the event."""

    def sides(self, seats: int, _options: Options) -> Sides:
        """Return the partnerships, given the number of seats and the house rules; by default nobody has a partner."""
        return no_partnerships(seats)

    def forced_silent_action(self, _view: V) -> Action | None:
        """Return the only legal action if choosing it reveals no information; ``None`` by default.

        Such an action is played without asking the player.
        """
        return None

    def trick(self, _view: V) -> TrickStatus | None:
        """Return the status of the tricks; ``None`` by default, for games without tricks."""
        return None

    def bids(self, _view: V) -> BiddingState | None:
        """Return the bids in games in which seats bid a number of tricks; ``None`` by default."""
        return None

    def contract(self, _view: V) -> Contract | None:
        """Return the contract of the round, ``None`` before it is named; ``None`` by default, without contracts."""
        return None

    def dealer_or_declarer(self, _view: V) -> tuple[str, Seat] | None:
        """Return the role (``"dealer"`` or ``"declarer"``) and its seat; ``None``, the default, if no seat has one."""
        return None

    def mandatory_card(self, _view: V) -> Card | None:
        """Return the card in the player's hand that must be used before the turn can end; ``None`` by default."""
        return None

    def describe_selection(self, _view: V) -> str | None:
        """Describe which cards the player has to choose together; ``None``, the default, if there is no such choice."""
        return None

    def explain_card(self, _view: V, _card: Card) -> str | None:
        """Explain to a new player what a card of the player's hand does now, by the contract and house rules in force.

        The text is one sentence of at most ``MAX_CARD_TEXT`` characters. ``None``, the default, if the card does
        nothing special.
        """
        return None

    def marks(self, _view: V) -> tuple[Mark, ...]:
        """Return the marks at the plates and in the middle, the most important first; none by default.

        They are shown while a round is played, and must be the same for views between which only hidden cards differ.
        """
        return ()

    def card_order(self, _view: V) -> CardOrder:
        """Return the order in which hands are shown, by ranks, suits and trumps; by default the usual one.

        It does not decide which card wins.
        """
        return USUAL_ORDER

    def timed_out(self, _view: V) -> Seat | None:
        """Return the seat that has lost the session on time; ``None`` by default, for games without such a rule."""
        return None

    def migrate_options(self, values: Mapping[str, Value], _version: str) -> Mapping[str, Value]:
        """Translate the house rules of a session that another version of the package has written, given that version.

        By default the values are unchanged.
        """
        return values

    @final
    def sides_of(self, view: View) -> Sides:
        """Return the partnerships in the session to which a view belongs."""
        return self.sides(len(view.totals), view.options)

    @final
    @property
    def exact_bids(self) -> bool:
        """True if each seat has to take exactly as many tricks as it bid."""
        return self.columns == BID_AND_WON

    @final
    def seats_for(self, options: Options) -> int:
        """Return the default number of seats: the usual one, unless the house rules require another."""
        numbers = (self.about.usual_seats, *self.about.seats)
        return next(number for number in numbers if options.for_seats(number) == options)


AnyGame: TypeAlias = Game[State[View], View]
"""Game of which only the common interface is known, such as a game that was looked up by its key."""
