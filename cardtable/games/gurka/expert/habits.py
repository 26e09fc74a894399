"""How the others play, as far as what they have played in this round tells.

A seat plays by rule, or it is bold: it plays the highest card that it may.  Neither does so without fail.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp, prod
from random import Random
from typing import Final, NamedTuple

from cardtable.engine.cards import RANK, Card, Cards
from cardtable.engine.contract import Seat
from cardtable.games.gurka.expert.costs import USUAL, Hand, Situation, costs, ranks, situation
from cardtable.games.gurka.rules import CARDS_EACH, GurkaView
from cardtable.games.gurka.rules.tricks import NOTHING, winner


class Table(NamedTuple):
    """A kind of table."""

    chance: float
    """How likely it is."""
    bold: float
    """How likely each of its seats is bold."""


TABLES: Final = (Table(0.7, 0.1), Table(0.3, 0.9))
"""Those who sit at one are rather alike, so that the plays of one tell of another."""
OFF: Final = 0.35
"""The points by which a card has to be worse than another one to be played e times as seldom by rule, ..."""
STEPS: Final = 0.4
"""... and the ranks by which it has to be lower for who is bold."""
ODD_BY_RULE: Final = 0.05
"""How often just any card is played by rule, ..."""
ODD_BOLDLY: Final = 0.02
"""... and by who is bold."""


_BY_STEPS: Final = [exp(-step / STEPS) for step in range(CARDS_EACH)]


class Likeness(NamedTuple):
    """How likely a seat is to have played as it did."""

    by_rule: float
    boldly: float

    def at(self, table: Table) -> float:
        """The same for who may be the one or the other."""
        return (1 - table.bold) * self.by_rule + table.bold * self.boldly


class Habits:
    """What the plays of the others tell the seat of a view."""

    def __init__(self, view: GurkaView) -> None:
        self._seats = [seat for seat in range(len(view.totals)) if seat != view.seat]
        self._plays: dict[Seat, list[tuple[Hand, Situation, int]]] = {seat: [] for seat in self._seats}
        """By seat, of each play that was its choice: what it has played from then on, the situation and the rank."""
        self._found: dict[tuple[Seat, Hand], Likeness] = {}
        later: dict[Seat, Hand] = dict.fromkeys(self._seats, ())
        for seat, before, card in _backwards(view):
            if seat == view.seat:
                continue
            later[seat] = (*later[seat], RANK[card])
            if not view.options.bound(before):
                top = max([RANK[c] for c in before], default=NOTHING)
                case = situation(view.options, len(view.totals), len(before), top)
                self._plays[seat].append((later[seat], case, RANK[card]))

    @property
    def told(self) -> bool:
        """Whether anybody had a choice."""
        return any(self._plays.values())

    def likely(self, hands: Sequence[Cards]) -> float:
        """How likely what was played is, if all have such hands."""
        seen = self._seen(hands)
        return sum([_together(table, seen) for table in TABLES])

    def bold(self, hands: Sequence[Cards], rng: Random) -> list[Seat]:
        """Who is bold, drawn as likely as it is if all have such hands."""
        seen = self._seen(hands)
        (table,) = rng.choices(TABLES, [_together(table, seen) for table in TABLES])
        pairs = zip(self._seats, seen, strict=True)
        return [seat for seat, one in pairs if rng.random() * one.at(table) < table.bold * one.boldly]

    def _seen(self, hands: Sequence[Cards]) -> list[Likeness]:
        return [self._of(seat, ranks(hands[seat])) for seat in self._seats]

    def _of(self, seat: Seat, hand: Hand) -> Likeness:
        """How likely a seat that has such a hand left has played as it did."""
        found = self._found.get((seat, hand))
        if found is None:
            each = [_likeness(tuple(sorted(hand + later)), case, rank) for later, case, rank in self._plays[seat]]
            found = Likeness(prod([one.by_rule for one in each]), prod([one.boldly for one in each]))
            self._found[seat, hand] = found
        return found


@lru_cache(maxsize=1)
def habits(view: GurkaView) -> Habits:
    """What the plays of the others tell in this view."""
    return Habits(view)


def _together(table: Table, seen: Sequence[Likeness]) -> float:
    """How likely it is such a table, and all play as they were seen to."""
    return table.chance * prod([one.at(table) for one in seen])


def _backwards(view: GurkaView) -> Iterator[tuple[Seat, Sequence[Card], Card]]:
    """All plays of the round, the last one first: who played, what lay there before, the card."""
    seats, leaders = len(view.totals), [view.dealer]
    for trick in view.past:
        leaders.append((leaders[-1] + winner(trick)) % seats)
    for leader, trick in zip(reversed(leaders), [view.trick, *reversed(view.past)], strict=True):
        for place in reversed(range(len(trick))):
            yield (leader + place) % seats, trick[:place], trick[place]


@lru_cache(maxsize=1 << 14)
def _likeness(hand: Hand, case: Situation, rank: int) -> Likeness:
    """How likely a card of ``rank`` is played from such a hand."""
    places, expected = zip(*costs(hand, case, USUAL), strict=True)
    place, number = places.index(hand.index(rank)), len(places)
    rule = _one_of([exp(-cost / OFF) for cost in expected], place, ODD_BY_RULE)
    return Likeness(rule, _one_of(_BY_STEPS[:number], number - 1 - place, ODD_BOLDLY))


def _one_of(weights: Sequence[float], place: int, odd: float) -> float:
    """How likely one is drawn by its weight, or now and then without regard to it."""
    return odd / len(weights) + (1 - odd) * weights[place] / sum(weights)
