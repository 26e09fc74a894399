"""Score sheet of a game with real cards: the scored rounds, and the questions for the next one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import add
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

from cardtable.engine.bidding import forbidden_bid_text
from cardtable.engine.cards import SUIT_WORDS, SUITS
from cardtable.engine.errors import GameFailed
from cardtable.engine.game import (
    BID_AND_WON,
    AnyGame,
    Bonus,
    CardsTitle,
    EndingTitle,
    Score,
    Seat,
    Sides,
    Title,
    competition_ranks,
)
from cardtable.engine.options import Options
from cardtable.engine.text_format import with_count
from cardtable.scoring.kit.questions import (
    AskedOption,
    ChoiceQuestion,
    CountQuestion,
    RemainingTable,
    Round,
    RoundQuestions,
)

O = TypeVar("O", bound=Options)  # noqa: E741 - the options of a game


class ScoredRound(NamedTuple):
    """Result of a round."""

    title: Title
    """The contract or other title of the round; suits in the notation of the journal."""
    figures: tuple[tuple[int, ...], ...]
    """Figures of each seat, one for each of ``Sheet.columns``."""
    points: tuple[int, ...]
    bonuses: tuple[tuple[Bonus, ...], ...] = ()
    weight: int = 1
    """Factor by which the points count in the totals."""


class Sheet(ABC, Generic[O]):
    """Rounds of a session with real cards, each validated before it is scored.

    A game defines a subclass that uses its own scoring.
    """

    RULES: ClassVar[tuple[str, ...]] = ()
    """Names of the house rules that the score depends on."""
    columns: ClassVar[tuple[str, ...]]
    """Headings of the figures."""
    entered: str
    """Description of the data to enter after a round."""
    over_words: str
    """Condition for the end of the session, in one line."""

    def __init__(self, game: AnyGame, options: O, seats: int, first: Seat) -> None:
        """Begin a sheet; the first round is that of seat ``first``."""
        self.game, self.options, self.seats, self.first = game, options, seats, first
        self.scores: list[Score] = []
        self.round_seats: list[Seat] = []
        """Seat whose round each scored round was."""
        self.running: tuple[int, ...] = (0,) * seats

    @classmethod
    def depends_on(cls, rule: str) -> bool:
        """Return True if the score depends on the house rule with this name."""
        return rule in cls.RULES

    @property
    def finished(self) -> int:
        """Number of scored rounds."""
        return len(self.scores)

    @property
    def sides(self) -> Sides:
        """Seats that play together."""
        return self.game.sides(self.seats, self.options)

    @property
    def everybody(self) -> tuple[Seat, ...]:
        """All seats."""
        return tuple(range(self.seats))

    def turn(self, number: int) -> Seat | None:
        """Return the seat whose round is round ``number``, from 1 on; ``None`` if it is not known in advance."""
        return (self.first + number - 1) % self.seats

    @property
    def next_seat(self) -> Seat:
        """The seat whose round is the next one."""
        who = self.turn(self.finished + 1)
        assert who is not None
        return who

    @property
    def rounds(self) -> int | None:
        """Number of rounds of the session; ``None`` if points end it."""
        return self.options.rounds

    @property
    def ended(self) -> bool:
        """True if the session has ended."""
        return self.finished == self.rounds

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals so far; the final results once the session has ended."""
        return self.running

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """Places, once the session has ended."""
        return self.places() if self.ended else None

    def places(self) -> tuple[int, ...]:
        """Return the places according to the present totals."""
        return competition_ranks(self.running, lowest_wins=self.game.lowest_wins, sides=self.sides)

    def remaining_tables(self) -> Sequence[RemainingTable]:
        """Return tables of the contracts or deals that remain to be played, in games that limit them."""
        return ()

    @abstractmethod
    def next_questions(self, chosen: Mapping[str, str]) -> RoundQuestions:
        """Return the questions for the next round, given the choices made so far."""

    def warning(self, _entered: Mapping[str, Sequence[int | None]]) -> str:
        """Return a warning about an entry that breaks the rules of play but can be scored; ``""`` if there is none."""
        return ""

    def objection(self, _entered: Round) -> str:
        """Return the fault of a round whose choices and counts are valid one by one; ``""`` if there is none."""
        return ""

    @abstractmethod
    def score_round(self, entered: Round) -> ScoredRound:
        """Return the result of a valid round, without adding it."""

    def add(self, entered: Round) -> None:
        """Add a round.  Raises ``ValueError`` with the reason if it is invalid."""
        if self.ended:
            raise ValueError("the session is over")
        if why := self.validate(entered):
            raise ValueError(why)
        result = self.score_round(entered)
        self.note(entered)
        self.round_seats.append(self.next_seat)
        totals = self.summed([result.weight * points for points in result.points])
        nothing: tuple[tuple[Bonus, ...], ...] = ((),) * self.seats
        bonuses = result.bonuses or nothing
        self.scores.append(Score(result.title, result.figures, result.points, bonuses, totals, result.weight))
        self.running = totals

    def summed(self, points: Sequence[int]) -> tuple[int, ...]:
        """Return the totals after adding ``points``, which are already weighted."""
        return tuple(map(add, self.running, points))

    def note(self, entered: Round) -> None:
        """Update what later rounds depend on; called when a round is added."""

    def validate(self, entered: Round) -> str:
        """Return the fault of a round; ``""`` if it is valid."""
        asked = self.next_questions({name: value for name, value in entered.items() if isinstance(value, str)})
        for choice in asked.choices:
            option = choice.option(entered.get(choice.name))
            if option is None:
                return f"{choice.label.lower()}: nothing that can be chosen"
            if option.closed:
                return option.closed
        known = [choice.name for choice in asked.choices] + [row.name for row in asked.rows]
        if unknown := next((name for name in entered if name not in known), None):
            return f"there is no {unknown[:30]!r} to be entered"
        for row in asked.rows:
            counts = entered.get(row.name)
            if counts is None or isinstance(counts, str) or len(counts) != self.seats:
                return f"{row.label.lower()}: there must be a count of each seat"
            if any(not row.allows(seat, count) for seat, count in enumerate(counts)):
                return row.limit
            if row.required_sum is not None and sum(counts) != row.required_sum:
                return row.sum_message(counts)
        return self.objection(entered)


def counts(entered: Round, name: str) -> tuple[int, ...]:
    """Return the counts of all seats under ``name`` in a valid round."""
    value = entered[name]
    assert not isinstance(value, str)
    return tuple(value)


def chosen(entered: Round, name: str) -> str:
    """Return the key of the option chosen under ``name`` in a valid round."""
    value = entered[name]
    assert isinstance(value, str)
    return value


NOT_SAID: Final = "-"
_SUITS: Final = [AskedOption(name, name, suit=suit, words=f"{SUIT_WORDS[suit]}s") for suit, name in enumerate(SUITS)]
_TRUMP: Final = ChoiceQuestion("trump", "Trump", (AskedOption(NOT_SAID, "not kept"), *_SUITS), NOT_SAID)


class BiddingSheet(Sheet[O]):
    """Base class of the sheets of games in which tricks are bid."""

    columns = BID_AND_WON
    entered = "trump if you like, then bids and tricks"
    DOES: str
    """Action of the seat whose round it is, such as ``deals``."""

    def cards(self) -> int:
        """Return the number of cards per seat in the next round."""
        raise NotImplementedError

    def hooked(self) -> bool:
        """Return True if the last bidder may not make the bids add up to the number of cards."""
        raise NotImplementedError

    def trumps(self) -> bool:
        """Return True if the next round has a trump suit."""
        return True

    def next_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        cards = self.cards()
        choices = (_TRUMP,) if self.trumps() else ()
        bids = CountQuestion("bids", "Bids", "bids", cards, self.everybody)
        won = CountQuestion("tricks", "Tricks", "tricks", cards, self.everybody, cards)
        return RoundQuestions(self.next_seat, f"{self.DOES}, {with_count(cards, 'card')} each", choices, (bids, won))

    def warning(self, entered: Mapping[str, Sequence[int | None]]) -> str:
        bids = entered.get("bids", ())
        known = [bid for bid in bids if bid is not None]
        if not self.hooked() or len(known) < self.seats or sum(known) != self.cards():
            return ""
        last = (self.next_seat - 1) % self.seats
        return f"the last bid, {forbidden_bid_text(self.cards(), [*known[:last], *known[last + 1 :]])}"

    def _title(self, entered: Round) -> CardsTitle:
        trump = chosen(entered, "trump") if self.trumps() else NOT_SAID
        suit = None if trump == NOT_SAID else SUITS.index(trump)
        return CardsTitle(self.cards(), suit, no_trump=not self.trumps())

    def _figures(self, entered: Round) -> tuple[tuple[int, int], ...]:
        return tuple(zip(counts(entered, "bids"), counts(entered, "tricks"), strict=True))


MOST: Final = 999
_NOT_ASKED: Final = ("round_clock", "open_hands")
"""House rules of every game that affect no score."""


class DefaultSheet(Sheet[Options]):
    """Default sheet: the points of each side are entered, and the game's ``State.is_over_at`` ends the session."""

    columns = ()

    def __init__(self, game: AnyGame, options: Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._new_state = game.start(seats, options)
        who = "player" if len(self.sides) == seats else "side, under the first of its players"
        self.entered = f"the points of each {who}; those below 0 with - before them"
        best = "lowest" if game.lowest_wins else "highest"
        self.over_words = f"ends as the rules say; the {best} total wins"

    @classmethod
    def depends_on(cls, rule: str) -> bool:
        return rule not in _NOT_ASKED

    @property
    def ended(self) -> bool:
        return bool(self._new_state.is_over_at(self.finished, self.running))

    def next_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        firsts = tuple([side[0] for side in self.sides])
        row = CountQuestion("points", "Points", "points", MOST, firsts, default=0, signed=True)
        return RoundQuestions(self.next_seat, "deals", (), (row,))

    def score_round(self, entered: Round) -> ScoredRound:
        points = counts(entered, "points")
        points_of_seat = {seat: points[side[0]] for side in self.sides for seat in side}
        return ScoredRound(
            EndingTitle(""), ((),) * self.seats, tuple([points_of_seat[seat] for seat in self.everybody])
        )


def fits(game: AnyGame) -> bool:
    """Return True if ``DefaultSheet`` can score the game: its ``State.is_over_at`` does not return ``None``."""
    try:
        options, seats = game.options(), game.about.usual_seats
        return game.start(seats, options.for_seats(seats)).is_over_at(0, (0,) * seats) is not None
    except GameFailed:
        return False
