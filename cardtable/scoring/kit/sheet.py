"""The score sheet of a game with real cards: the rounds so far, and what the next one asks."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import add
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

from cardtable.engine.bidding import forbidden
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
from cardtable.engine.text_format import counted
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
    """What a round comes to."""

    title: Title
    """What was played, in the notation of the journal where it names suits."""
    figures: tuple[tuple[int, ...], ...]
    """What each seat did, under the headings of ``Sheet.columns``."""
    points: tuple[int, ...]
    bonuses: tuple[tuple[Bonus, ...], ...] = ()
    weight: int = 1
    """How many times the points count in the totals."""


class Sheet(ABC, Generic[O]):
    """The rounds of a session with real cards, each judged before it is counted.

    One class a game, by the game's own scoring.
    """

    RULES: ClassVar[tuple[str, ...]] = ()
    """The house rules that the score depends on."""
    columns: ClassVar[tuple[str, ...]]
    """Headings of the figures."""
    entered: str
    """What is entered after a round, in words."""
    over_words: str
    """When the session is over, in a line."""

    def __init__(self, game: AnyGame, options: O, seats: int, first: Seat) -> None:
        """``first`` is the seat whose round the first one is."""
        self.game, self.options, self.seats, self.first = game, options, seats, first
        self.scores: list[Score] = []
        self.whose: list[Seat] = []
        """Whose round each was."""
        self.running: tuple[int, ...] = (0,) * seats

    @classmethod
    def asks(cls, rule: str) -> bool:
        """Whether the score depends on a house rule, by its name."""
        return rule in cls.RULES

    @property
    def finished(self) -> int:
        """How many rounds are counted."""
        return len(self.scores)

    @property
    def sides(self) -> Sides:
        """Who plays together."""
        return self.game.sides(self.seats, self.options)

    @property
    def everybody(self) -> tuple[Seat, ...]:
        """All seats."""
        return tuple(range(self.seats))

    def turn(self, number: int) -> Seat | None:
        """Whose round the one with this number is, if that is known before it comes."""
        return (self.first + number - 1) % self.seats

    @property
    def who(self) -> Seat:
        """Whose round the next one is."""
        who = self.turn(self.finished + 1)
        assert who is not None
        return who

    @property
    def rounds(self) -> int | None:
        """How many rounds there will be; ``None`` where points end the session."""
        return self.options.rounds

    @property
    def ended(self) -> bool:
        """Whether the session is over."""
        return self.finished == self.rounds

    @property
    def totals(self) -> tuple[int, ...]:
        """The totals so far; the final results once the session is over."""
        return self.running

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """The places, once the session is over."""
        return self.places() if self.ended else None

    def places(self) -> tuple[int, ...]:
        """The places as the totals are now."""
        return competition_ranks(self.running, lowest_wins=self.game.lowest_wins, sides=self.sides)

    def left(self) -> Sequence[RemainingTable]:
        """What is left to be played, where that is limited."""
        return ()

    @abstractmethod
    def asked(self, chosen: Mapping[str, str]) -> RoundQuestions:
        """What the next round asks, with these choices made so far."""

    def warning(self, _entered: Mapping[str, Sequence[int | None]]) -> str:
        """What is against the rules but can be counted all the same."""
        return ""

    def objection(self, _entered: Round) -> str:
        """What else is wrong with a round whose choices can be and whose counts fit."""
        return ""

    @abstractmethod
    def counted(self, entered: Round) -> ScoredRound:
        """What a round that is right comes to; nothing changes."""

    def add(self, entered: Round) -> None:
        """Count a round.  Raises ``ValueError`` with what is wrong."""
        if self.ended:
            raise ValueError("the session is over")
        if why := self.wrong(entered):
            raise ValueError(why)
        found = self.counted(entered)
        self.note(entered)
        self.whose.append(self.who)
        totals = self.summed([found.weight * points for points in found.points])
        nothing: tuple[tuple[Bonus, ...], ...] = ((),) * self.seats
        bonuses = found.bonuses or nothing
        self.scores.append(Score(found.title, found.figures, found.points, bonuses, totals, found.weight))
        self.running = totals

    def summed(self, points: Sequence[int]) -> tuple[int, ...]:
        """The totals after a round that counts so."""
        return tuple(map(add, self.running, points))

    def note(self, entered: Round) -> None:
        """Remember of a round, which is being counted, what later ones depend on."""

    def wrong(self, entered: Round) -> str:
        """What is wrong with a round; nothing (``""``) if it can be counted."""
        asked = self.asked({name: value for name, value in entered.items() if isinstance(value, str)})
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
            if row.together is not None and sum(counts) != row.together:
                return row.told(counts)
        return self.objection(entered)


def counts(entered: Round, name: str) -> tuple[int, ...]:
    """The counts of a round that is right."""
    found = entered[name]
    assert not isinstance(found, str)
    return tuple(found)


def chosen(entered: Round, name: str) -> str:
    """What was chosen in a round that is right."""
    found = entered[name]
    assert isinstance(found, str)
    return found


NOT_SAID: Final = "-"
_SUITS: Final = [AskedOption(name, name, suit=suit, words=f"{SUIT_WORDS[suit]}s") for suit, name in enumerate(SUITS)]
_TRUMP: Final = ChoiceQuestion("trump", "Trump", (AskedOption(NOT_SAID, "not kept"), *_SUITS), NOT_SAID)


class BiddingSheet(Sheet[O]):
    """What games of bids have in common."""

    columns = BID_AND_WON
    entered = "trump if you like, then bids and tricks"
    DOES: str
    """What a round begins with."""

    def cards(self) -> int:
        """Cards each in the next round."""
        raise NotImplementedError

    def hooked(self) -> bool:
        """Whether the last bidder may not make the bids sum to the number of cards."""
        raise NotImplementedError

    def trumps(self) -> bool:
        """Whether the next round has a trump suit."""
        return True

    def asked(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        cards = self.cards()
        choices = (_TRUMP,) if self.trumps() else ()
        bids = CountQuestion("bids", "Bids", "bids", cards, self.everybody)
        won = CountQuestion("tricks", "Tricks", "tricks", cards, self.everybody, cards)
        return RoundQuestions(self.who, f"{self.DOES}, {counted(cards, 'card')} each", choices, (bids, won))

    def warning(self, entered: Mapping[str, Sequence[int | None]]) -> str:
        bids = entered.get("bids", ())
        known = [bid for bid in bids if bid is not None]
        if not self.hooked() or len(known) < self.seats or sum(known) != self.cards():
            return ""
        last = (self.who - 1) % self.seats
        return f"the last bid, {forbidden(self.cards(), [*known[:last], *known[last + 1 :]])}"

    def _title(self, entered: Round) -> CardsTitle:
        trump = chosen(entered, "trump") if self.trumps() else NOT_SAID
        suit = None if trump == NOT_SAID else SUITS.index(trump)
        return CardsTitle(self.cards(), suit, no_trump=not self.trumps())

    def _figures(self, entered: Round) -> tuple[tuple[int, int], ...]:
        return tuple(zip(counts(entered, "bids"), counts(entered, "tricks"), strict=True))


MOST: Final = 999
_NOT_ASKED: Final = ("round_clock", "open_hands")
"""House rules of every game, which no score depends on."""


class DefaultSheet(Sheet[Options]):
    """The score sheet of a game that says when a session is over."""

    columns = ()

    def __init__(self, game: AnyGame, options: Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._begun = game.start(seats, options)
        who = "player" if len(self.sides) == seats else "side, under the first of its players"
        self.entered = f"the points of each {who}; those below 0 with - before them"
        best = "lowest" if game.lowest_wins else "highest"
        self.over_words = f"ends as the rules say; the {best} total wins"

    @classmethod
    def asks(cls, rule: str) -> bool:
        return rule not in _NOT_ASKED

    @property
    def ended(self) -> bool:
        return bool(self._begun.is_over_at(self.finished, self.running))

    def asked(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        firsts = tuple([side[0] for side in self.sides])
        row = CountQuestion("points", "Points", "points", MOST, firsts, blank=0, signed=True)
        return RoundQuestions(self.who, "deals", (), (row,))

    def counted(self, entered: Round) -> ScoredRound:
        found = counts(entered, "points")
        of_side = {seat: found[side[0]] for side in self.sides for seat in side}
        return ScoredRound(EndingTitle(""), ((),) * self.seats, tuple([of_side[seat] for seat in self.everybody]))


def fits(game: AnyGame) -> bool:
    """Whether a game says when a session is over, so that it can be scored so."""
    try:
        options, seats = game.options(), game.about.usual_seats
        return game.start(seats, options.for_seats(seats)).is_over_at(0, (0,) * seats) is not None
    except GameFailed:
        return False
