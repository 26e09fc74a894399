"""The score sheet of a game with real cards: the rounds so far, and what the next one asks."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import add
from typing import ClassVar, Generic, NamedTuple, TypeVar

from cardtable.engine.contract import AnyGame, Bonus, Score, Seat, Sides, ranked
from cardtable.engine.options import Options
from cardtable.engine.titles import Title
from cardtable.scoring.kit.asked import Asked, Round, StillLeft

O = TypeVar("O", bound=Options)  # noqa: E741 - the options of a game


class Counted(NamedTuple):
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
        return ranked(self.running, lowest_wins=self.game.lowest_wins, sides=self.sides)

    def left(self) -> Sequence[StillLeft]:
        """What is left to be played, where that is limited."""
        return ()

    @abstractmethod
    def asked(self, chosen: Mapping[str, str]) -> Asked:
        """What the next round asks, with these choices made so far."""

    def warning(self, _entered: Mapping[str, Sequence[int | None]]) -> str:
        """What is against the rules but can be counted all the same."""
        return ""

    def objection(self, _entered: Round) -> str:
        """What else is wrong with a round whose choices can be and whose counts fit."""
        return ""

    @abstractmethod
    def counted(self, entered: Round) -> Counted:
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
