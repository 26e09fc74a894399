"""Rikiki and Ten Down with real cards: bids, tricks, and which suit was trump."""

from collections.abc import Mapping, Sequence
from operator import add
from typing import Any, Final

from cardtable.engine.bidding import forbidden
from cardtable.engine.cards import SUITS
from cardtable.engine.contract import Game, Seat
from cardtable.engine.words import counted
from cardtable.games.rikiki import rules as rikiki
from cardtable.games.ten_down import rules as ten_down
from cardtable.scoring.asked import Asked, Choice, Option, Round, Row
from cardtable.scoring.sheet import Counted, O, Sheet, chosen, counts

NOT_SAID: Final = "-"
_TRUMP: Final = Choice(
    "trump", "Trump", (Option(NOT_SAID, "not kept"), *[Option(suit, suit) for suit in SUITS]), NOT_SAID
)


class ExactSheet(Sheet[O]):
    """What games of bids have in common."""

    columns = ("bid", "won")
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

    def asked(self, _chosen: Mapping[str, str]) -> Asked:
        cards = self.cards()
        choices = (_TRUMP,) if self.trumps() else ()
        bids = Row("bids", "Bids", "bids", cards, self.everybody)
        won = Row("tricks", "Tricks", "tricks", cards, self.everybody, cards)
        return Asked(self.who, f"{self.DOES}, {counted(cards, 'card')} each", choices, (bids, won))

    def warning(self, entered: Mapping[str, Sequence[int | None]]) -> str:
        bids = entered.get("bids", ())
        known = [bid for bid in bids if bid is not None]
        if not self.hooked() or len(known) < self.seats or sum(known) != self.cards():
            return ""
        last = (self.who - 1) % self.seats
        return f"the last bid, {forbidden(self.cards(), [*known[:last], *known[last + 1 :]])}"

    def _title(self, entered: Round) -> str:
        trump = chosen(entered, "trump") if self.trumps() else NOT_SAID
        return f"{self.cards()}{'' if trump == NOT_SAID else trump}"

    def _figures(self, entered: Round) -> tuple[tuple[int, int], ...]:
        return tuple(zip(counts(entered, "bids"), counts(entered, "tricks"), strict=True))


class RikikiSheet(ExactSheet[rikiki.Options]):
    """The score sheet of Rikiki."""

    RULES = ("hook", "length", "bonuses")
    DOES = "deals and bids first"

    def __init__(self, game: Game[Any, Any], options: rikiki.Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._records = [rikiki.Record()] * seats
        self.over_words = f"{options.rounds} rounds"

    def cards(self) -> int:
        return self.options.cards()[self.finished]

    def hooked(self) -> bool:
        return bool(self.options.binds(self.cards()))

    def trumps(self) -> bool:
        return bool(self.cards() < max(rikiki.FULL))

    def counted(self, entered: Round) -> Counted:
        figures = self._figures(entered)
        bonuses = tuple([earned for _, earned in self._after(entered)])
        if self.options.bonuses == "off":
            bonuses = ((),) * self.seats
        gained = [sum([bonus.points for bonus in earned]) for earned in bonuses]
        points = tuple([rikiki.scored(bid, won) + more for (bid, won), more in zip(figures, gained, strict=True)])
        return Counted(self._title(entered), figures, points, bonuses)

    def _after(self, entered: Round) -> list[tuple[rikiki.Record, tuple[Any, ...]]]:
        few, no_trump = self.options.successes_for_few_falls(), not self.trumps()
        done = zip(self._records, self._figures(entered), strict=True)
        return [record.after(bid == won, no_trump, few) for record, (bid, won) in done]

    def note(self, entered: Round) -> None:
        self._records = [record for record, _ in self._after(entered)]


class TenDownSheet(ExactSheet[ten_down.Options]):
    """The score sheet of Ten Down."""

    RULES = ("room", "hook")
    DOES = "bids and leads first"

    def __init__(self, game: Game[Any, Any], options: ten_down.Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._taken: tuple[int, ...] = (0,) * seats
        self.over_words = f"{options.rounds} rounds; then totals are multiplied, the last place's by 1"

    def cards(self) -> int:
        return self.options.rounds - self.finished

    def hooked(self) -> bool:
        return self.options.hook == "on"

    def counted(self, entered: Round) -> Counted:
        figures = self._figures(entered)
        return Counted(self._title(entered), figures, tuple([ten_down.scored(*each) for each in figures]))

    def note(self, entered: Round) -> None:
        self._taken = tuple(map(add, self._taken, counts(entered, "tricks")))

    def places(self) -> tuple[int, ...]:
        return ten_down.placed(self.running, self._taken)

    @property
    def totals(self) -> tuple[int, ...]:
        return ten_down.multiplied(self.running, self.places()) if self.ended else self.running
