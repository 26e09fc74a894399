"""Score sheets for games played with real cards: the scored rounds, and the questions about the next one.

The questions are choices, and counts for each seat. ``Sheet`` is the base class, ``BiddingSheet`` serves games in which
tricks are bid, and ``DefaultSheet`` games without a sheet of their own.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import add
from typing import ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

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
from cardtable.engine.text_format import format_count

Round: TypeAlias = Mapping[str, str | Sequence[int]]
"""Round as it is entered and stored: by name of the question, the key of a choice or the counts of all seats."""


class AskedOption(NamedTuple):
    """Option of a choice question."""

    key: str
    """Key of the option in the file."""
    label: str
    """Short label for the screen."""
    closed_reason: str | None = None
    """Reason why the option cannot be chosen now; ``None`` if it can."""
    suit: int | None = None
    """Suit that the option stands for, or ``None``."""
    seat: Seat | None = None
    """Seat that the option stands for, or ``None``."""
    long_label: str = ""
    """Long label; empty if it is the same as ``label``."""


class ChoiceQuestion(NamedTuple):
    """Question that is answered by choosing one of several options."""

    name: str
    """Name of the question in the file."""
    label: str
    options: tuple[AskedOption, ...]
    default: str | None = None
    """Key of the option that applies if none is chosen; ``None`` if the question must be answered."""

    def find_option(self, key: object) -> AskedOption | None:
        """Return the option with this key; ``None`` if there is none."""
        return next((option for option in self.options if option.key == key), None)


class CountQuestion(NamedTuple):
    """Question that is answered by a number for each seat, such as tricks taken."""

    name: str
    """Name of the question in the file."""
    label: str
    unit: str
    """Plural noun for what is counted, such as ``hearts``."""
    max_count: int
    """Maximum count of one seat."""
    seats: tuple[Seat, ...]
    """Seats to ask for; the counts of the other seats are 0."""
    required_sum: int | None = None
    """Number to which all counts must add up; ``None`` if every sum is valid."""
    default: int | None = None
    """Count of a seat whose field is left empty; ``None`` if every field must be filled in."""
    signed: bool = False
    """True if counts may be negative."""

    def is_allowed(self, seat: Seat, count: int) -> bool:
        """Return True if ``count`` is a valid count for ``seat``, without regard to the other counts."""
        return (
            ((-self.max_count if self.signed else 0) <= count <= self.max_count) if seat in self.seats else count == 0
        )

    def fill_counts(self, counts: Sequence[int | None]) -> list[int | None]:
        """Return the counts, with empty ones (``None``) filled in where they follow from the others.

        A count follows from ``required_sum`` if it is the only empty one or nothing remains to be distributed, or else
        from ``default`` once any count has been entered. Seats that are not asked have 0.
        """
        known = [0 if seat not in self.seats else count for seat, count in enumerate(counts)]
        missing = [seat for seat, count in enumerate(known) if count is None]
        missing_sum = None if self.required_sum is None else self.required_sum - sum(count or 0 for count in known)
        if (
            missing_sum is not None
            and missing
            and (missing_sum == 0 or (len(missing) == 1 and 0 < missing_sum <= self.max_count))
        ):
            return [missing_sum if count is None else count for count in known]
        if self.default is not None and any(count is not None for count in counts):
            return [self.default if count is None else count for count in known]
        return known

    @property
    def limit_text(self) -> str:
        """Limit of the count of each seat, as text for the player."""
        return f"{self.label.lower()}: at most {self.max_count} each"

    def compute_max(self, counts: Sequence[int | None], seat: Seat) -> int:
        """Return the maximum count of ``seat`` that the required sum allows with the counts of the other seats.

        Empty counts (``None``) are taken as 0.
        """
        if self.required_sum is None:
            return self.max_count
        others = sum(count or 0 for other, count in enumerate(counts) if other != seat)
        return max(min(self.max_count, self.required_sum - others), 0)

    def format_sum(self, counts: Sequence[int | None]) -> str:
        """Compare the sum of the counts with the required sum, as text such as ``12 of 13 hearts: 1 still missing``.

        Called only if there is a required sum. Empty counts (``None``) are taken as 0.
        """
        assert self.required_sum is not None
        sum_ = sum(count or 0 for count in counts)
        text = f"{sum_} of {self.required_sum} {self.unit}"
        if sum_ == self.required_sum:
            return text
        missing = self.required_sum - sum_
        return f"{text}: {missing} still missing" if missing > 0 else f"{text}: {-missing} too many"

    def is_exceeded(self, counts: Sequence[int | None]) -> bool:
        """Return True if the counts are too high, whatever is entered in the empty fields (``None``)."""
        known = [count or 0 for count in counts]
        return max(map(abs, known)) > self.max_count or (
            self.required_sum is not None and sum(known) > self.required_sum
        )


class RoundQuestions(NamedTuple):
    """All questions after a round; later questions may depend on the choices made so far."""

    seat: Seat
    """Seat with a special role in the round, such as the dealer or declarer."""
    seat_action: str
    """Predicate that tells what this seat does in the round, such as ``declares``."""
    choices: tuple[ChoiceQuestion, ...]
    rows: tuple[CountQuestion, ...]


class RemainingTable(NamedTuple):
    """Table of the contracts or deals that remain to be played.

    Labels and headings are texts, or seats whose names are to be shown.
    """

    heading: str
    column_headings: tuple[str | Seat, ...]
    rows: tuple["RemainingRow", ...]


class RemainingRow(NamedTuple):
    """Row of a ``RemainingTable``."""

    label: str | Seat
    remaining: tuple[tuple[int, int], ...]
    """Remaining and total number in each column."""
    note: str = ""

    @property
    def is_empty(self) -> bool:
        """True if nothing remains in any column."""
        return not any(left for left, _ in self.remaining)


O = TypeVar("O", bound=Options)  # noqa: E741 - the options of a game


class ScoredRound(NamedTuple):
    """Result of scoring one round; tuples are indexed by seat."""

    title: Title
    """Contract or other title of the round, with suits in the notation of the journal."""
    figures: tuple[tuple[int, ...], ...]
    """Figures of each seat under the headings of ``Sheet.columns``."""
    points: tuple[int, ...]
    bonuses: tuple[tuple[Bonus, ...], ...] = ()
    weight: int = 1
    """Factor by which ``points`` count in the totals."""


class Sheet(ABC, Generic[O]):
    """Rounds of a session with real cards; each round is validated before it is scored.

    A game defines a subclass with its questions and its scoring.
    """

    RULES: ClassVar[tuple[str, ...]] = ()
    """Names of the house rules on which the score depends."""
    columns: ClassVar[tuple[str, ...]]
    """Headings of the figures of a round."""
    entry_help: str
    """Phrase that describes what players enter after a round."""
    end_condition: str
    """Predicate that tells when the session ends, such as ``ends after 20 rounds``."""

    def __init__(self, game: AnyGame, options: O, seats: int, first_seat: Seat) -> None:
        """Create an empty sheet.

        ``first_seat``: seat that has the special role (such as dealer or declarer) in the first round.
        """
        self.game, self.options, self.seats, self.first_seat = game, options, seats, first_seat
        self.scores: list[Score] = []
        self.round_seats: list[Seat] = []
        """Seat with the special role in each scored round."""
        self.running_totals: tuple[int, ...] = (0,) * seats

    @classmethod
    def depends_on(cls, rule: str) -> bool:
        """Return True if the score depends on this house rule."""
        return rule in cls.RULES

    @property
    def finished(self) -> int:
        """Number of scored rounds."""
        return len(self.scores)

    @property
    def sides(self) -> Sides:
        """Partnerships, each a tuple of seats."""
        return self.game.sides(self.seats, self.options)

    @property
    def all_seats(self) -> tuple[Seat, ...]:
        return tuple(range(self.seats))

    def find_round_seat(self, number: int) -> Seat | None:
        """Return the seat with the special role in a round, given the number of the round, starting at 1.

        Returns ``None`` if the seat depends on earlier rounds that are not scored yet.
        """
        return (self.first_seat + number - 1) % self.seats

    @property
    def next_seat(self) -> Seat:
        """Seat with the special role in the next round."""
        seat = self.find_round_seat(self.finished + 1)
        assert seat is not None
        return seat

    @property
    def rounds(self) -> int | None:
        """Number of rounds in the session; ``None`` if reaching a number of points ends the session."""
        return self.options.rounds

    @property
    def is_over(self) -> bool:
        """True if the session has ended: by default after the last of ``rounds`` rounds."""
        return self.finished == self.rounds

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals so far; the final results once the session has ended."""
        return self.running_totals

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """Final rank of each seat; ``None`` until the session has ended."""
        return self.compute_ranks() if self.is_over else None

    def compute_ranks(self) -> tuple[int, ...]:
        """Return the rank of each seat by the present totals: 1 for the best; equal totals share a rank."""
        return competition_ranks(self.running_totals, lowest_wins=self.game.lowest_wins, sides=self.sides)

    def create_remaining_tables(self) -> Sequence[RemainingTable]:
        """Return tables of the contracts or deals that remain to be played; empty in games that do not limit them."""
        return ()

    @abstractmethod
    def create_questions(self, chosen: Mapping[str, str]) -> RoundQuestions:
        """Return the questions about the next round.

        ``chosen``: key of the option chosen for each choice question so far.
        """

    def find_warning(self, _entered: Mapping[str, Sequence[int | None]]) -> str | None:
        """Return a warning about counts that break the rules of play but can be scored; ``None`` if there is none.

        Counts are given by the name of the question and by seat; ``None`` is an empty count.
        """
        return None

    def find_objection(self, _entered: Round) -> str | None:
        """Return the reason why a round is not valid although each choice and count is; ``None`` if it is valid."""
        return None

    @abstractmethod
    def score_round(self, entered: Round) -> ScoredRound:
        """Return the result of a round without adding it. The round must be valid."""

    def add(self, entered: Round) -> None:
        """Validate, score and add a round.

        Raises ``ValueError`` with the reason if the round is not valid or the session has ended.
        """
        if self.is_over:
            raise ValueError("the session is over")
        if reason := self.validate(entered):
            raise ValueError(reason)
        result = self.score_round(entered)
        self.round_seats.append(self.next_seat)
        self.record_round(entered)
        totals = self.add_to_totals([result.weight * points for points in result.points])
        nothing: tuple[tuple[Bonus, ...], ...] = ((),) * self.seats
        bonuses = result.bonuses or nothing
        self.scores.append(Score(result.title, result.figures, result.points, bonuses, totals, result.weight))
        self.running_totals = totals

    def add_to_totals(self, points: Sequence[int]) -> tuple[int, ...]:
        """Return the totals after a round, given its points with their weight applied."""
        return tuple(map(add, self.running_totals, points))

    def record_round(self, entered: Round) -> None:
        """Record what later rounds depend on; called for each round that is added, after it has been scored."""

    def validate(self, entered: Round) -> str | None:
        """Return the reason why a round is not valid; ``None`` if it is valid."""
        questions = self.create_questions({name: value for name, value in entered.items() if isinstance(value, str)})
        for choice in questions.choices:
            option = choice.find_option(entered.get(choice.name))
            if option is None:
                return f"{choice.label.lower()}: choose one of the options"
            if option.closed_reason:
                return option.closed_reason
        known = [choice.name for choice in questions.choices] + [row.name for row in questions.rows]
        if unknown := next((name for name in entered if name not in known), None):
            return f"there is no {unknown[:30]!r} to enter"
        for row in questions.rows:
            counts = entered.get(row.name)
            if counts is None or isinstance(counts, str) or len(counts) != self.seats:
                return f"{row.label.lower()}: there must be a count of each seat"
            if any(not row.is_allowed(seat, count) for seat, count in enumerate(counts)):
                return row.limit_text
            if row.required_sum is not None and sum(counts) != row.required_sum:
                return row.format_sum(counts)
        return self.find_objection(entered)


def get_counts(entered: Round, name: str) -> tuple[int, ...]:
    """Return the counts of all seats that answer the question ``name`` in a valid round."""
    value = entered[name]
    assert not isinstance(value, str)
    return tuple(value)


def get_choice(entered: Round, name: str) -> str:
    """Return the key of the option that answers the question ``name`` in a valid round."""
    value = entered[name]
    assert isinstance(value, str)
    return value


NOT_RECORDED: Final = "-"
"""Answer for a trump suit that the players do not enter."""
_SUITS: Final = [
    AskedOption(name, name, suit=suit, long_label=f"{SUIT_WORDS[suit]}s") for suit, name in enumerate(SUITS)
]
_TRUMP: Final = ChoiceQuestion("trump", "Trump", (AskedOption(NOT_RECORDED, "not recorded"), *_SUITS), NOT_RECORDED)


class BiddingSheet(Sheet[O]):
    """Base class of the sheets of games in which seats bid the number of tricks that they will take."""

    columns = BID_AND_WON
    entry_help = "trump if you like, then bids and tricks"
    SEAT_ACTION: str
    """Predicate that tells what the seat with the special role does in a round, such as ``deals and bids first``."""

    def count_cards(self) -> int:
        """Return the number of cards in each hand in the next round."""
        raise NotImplementedError

    def is_hooked(self) -> bool:
        """Return True if the last bidder of the next round may not make the bids add up to the number of cards."""
        raise NotImplementedError

    def has_trumps(self) -> bool:
        """Return True if the next round has a trump suit; by default every round has one."""
        return True

    def create_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        cards = self.count_cards()
        choices = (_TRUMP,) if self.has_trumps() else ()
        bids = CountQuestion("bids", "Bids", "bids", cards, self.all_seats)
        won = CountQuestion("tricks", "Tricks", "tricks", cards, self.all_seats, cards)
        return RoundQuestions(
            self.next_seat, f"{self.SEAT_ACTION}, {format_count(cards, 'card')} each", choices, (bids, won)
        )

    def find_warning(self, entered: Mapping[str, Sequence[int | None]]) -> str | None:
        bids = entered.get("bids", ())
        known = [bid for bid in bids if bid is not None]
        if not self.is_hooked() or len(known) < self.seats or sum(known) != self.count_cards():
            return None
        return f"the bids can't total {self.count_cards()}"

    def _build_title(self, entered: Round) -> CardsTitle:
        trump = get_choice(entered, "trump") if self.has_trumps() else NOT_RECORDED
        suit = None if trump == NOT_RECORDED else SUITS.index(trump)
        return CardsTitle(self.count_cards(), suit, no_trump=not self.has_trumps())

    def _build_figures(self, entered: Round) -> tuple[tuple[int, int], ...]:
        return tuple(zip(get_counts(entered, "bids"), get_counts(entered, "tricks"), strict=True))


MAX_POINTS: Final = 999
"""Maximum of the points, up or down, that can be entered for a round."""
_UNSCORED_RULES: Final = ("round_clock", "open_hands")
"""House rules that every game has and that do not affect the score."""


class DefaultSheet(Sheet[Options]):
    """Sheet of a game that has none of its own: players enter the points of each side.

    ``State.is_over_at`` of the game decides when the session ends.
    """

    columns = ()

    def __init__(self, game: AnyGame, options: Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self._new_state = game.start(seats, options)
        party = "player" if len(self.sides) == seats else "side, under the first of its players"
        self.entry_help = f"the points of each {party}; those below 0 with - before them"
        best = "lowest" if game.lowest_wins else "highest"
        self.end_condition = f"ends as the rules say; the {best} total wins"

    @classmethod
    def depends_on(cls, rule: str) -> bool:
        return rule not in _UNSCORED_RULES

    @property
    def is_over(self) -> bool:
        return bool(self._new_state.is_over_at(self.finished, self.running_totals))

    def create_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        firsts = tuple([side[0] for side in self.sides])
        row = CountQuestion("points", "Points", "points", MAX_POINTS, firsts, default=0, signed=True)
        return RoundQuestions(self.next_seat, "deals", (), (row,))

    def score_round(self, entered: Round) -> ScoredRound:
        points = get_counts(entered, "points")
        points_of_seat = {seat: points[side[0]] for side in self.sides for seat in side}
        return ScoredRound(
            EndingTitle(""), ((),) * self.seats, tuple([points_of_seat[seat] for seat in self.all_seats])
        )


def explain_missing_sheet(game: AnyGame) -> str | None:
    """Return the reason why ``DefaultSheet`` cannot score the game; ``None`` if it can.

    It needs an answer of ``State.is_over_at``.
    """
    try:
        options, seats = game.options(), game.about.usual_seats
        ends = game.start(seats, options.for_seats(seats)).is_over_at(0, (0,) * seats)
    except GameFailed:
        return "the game has failed"
    return "its end does not follow from the totals" if ends is None else None
