"""How the others play, as far as what they have played in this round tells.

A seat plays by rule, or it is bold: it plays the highest card that it may.  Neither does so without fail.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp, prod
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import ACE, RANK, RANKS, Card, Cards, iter_cards
from cardtable.engine.game import Seat
from cardtable.games.gurka import policy
from cardtable.games.gurka.policy import FEW
from cardtable.games.gurka.rules import CARDS_EACH, NOTHING, GurkaView, Options, winner

Hand: TypeAlias = tuple[int, ...]
"""Ranks, the lowest first."""
Situation: TypeAlias = tuple[int, int, bool, bool, bool]
"""What matters to a seat that is free to choose, besides its hand: the highest rank in the trick, how many seats are
still to come in it, whether so many play that a card is as good as the next lower one, whether an ace would bind those
to come, whether who can head must."""


class Numbers(NamedTuple):
    """What cards that are kept cost, and to lead, as the rule policy tells it."""

    lowest: Sequence[float]
    second: Sequence[float]
    other: Sequence[float]
    leading: Sequence[float]


USUAL: Final = Numbers(policy.LOWEST, policy.SECOND, policy.OTHER, policy.LEADING)
"""Those of the rule policy itself: they tell better what was played, among steady robots by 0.12 ± 0.03 points a round,
..."""
FITTED: Final = Numbers(
    (-6.2, -6.1, -5.0, -4.1, -2.0, 0.0, 1.6, 4.1, 6.6, 8.0, 9.0, 11.6, 14.3),
    (-5.0, -4.2, -3.9, -2.3, -0.4, -0.4, 0.5, 2.6, 3.4, 5.9, 6.3, 5.8, 5.8),
    (-1.6, -0.9, -0.3, -0.2, 0.3, 0.4, 1.1, 1.4, 2.0, 1.2, 0.7, -0.2, -0.3),
    (0.0, 0.4, -1.4, -1.1, -1.1, -0.9, -0.7),
)
"""... and these, fitted in matches against it, what to play: by 0.11 ± 0.01."""


def ranks(hand: Cards) -> Hand:
    """The ranks of a hand."""
    return tuple(sorted([RANK[c] for c in iter_cards(hand)]))


def situation(options: Options, seats: int, lying: int, top: int) -> Situation:
    """That of a seat before which so many cards lie, the highest of rank ``top``."""
    return top, seats - 1 - lying, seats > FEW, options.ace_binds(lying), options.must_head == "on"


def costs(hand: Hand, case: Situation, numbers: Numbers) -> list[tuple[int, float]]:
    """The plays, as places in the hand, one of each rank, the lowest first, and what each is expected to cost."""
    top, after, lower, binds, must_head = case
    least, number = hand[0], len(hand)
    heads = [i for i in range(number) if hand[i] >= top and (not i or hand[i] != hand[i - 1])]
    places = heads if heads and (must_head or least >= top) else [0, *heads]
    low = [max(rank - 1, 0) for rank in hand] if lower else hand
    others = [numbers.other[rank] for rank in low]
    beyond, found = sum(others[2:]), []
    for i in places:
        cost = numbers.lowest[low[not i]]
        if number > 2:
            cost += numbers.second[low[2 if i < 2 else 1]] + beyond - others[max(i, 2)]
        if hand[i] >= top:
            takes = 1.0 if binds and hand[i] == ACE else (hand[i] / len(RANKS)) ** (after * (number - 1))
            cost += numbers.leading[number - 1] * takes
        found.append((i, cost))
    return found


@lru_cache(maxsize=1 << 14)
def choice(hand: Hand, case: Situation) -> int:
    """The place in the hand of the card that costs least."""
    return min(costs(hand, case, FITTED), key=lambda play: play[1])[0]


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


class OpponentLikelihood(NamedTuple):
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
        self._found: dict[tuple[Seat, Hand], OpponentLikelihood] = {}
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

    def _seen(self, hands: Sequence[Cards]) -> list[OpponentLikelihood]:
        return [self._of(seat, ranks(hands[seat])) for seat in self._seats]

    def _of(self, seat: Seat, hand: Hand) -> OpponentLikelihood:
        """How likely a seat that has such a hand left has played as it did."""
        found = self._found.get((seat, hand))
        if found is None:
            each = [_likeness(tuple(sorted(hand + later)), case, rank) for later, case, rank in self._plays[seat]]
            found = OpponentLikelihood(prod([one.by_rule for one in each]), prod([one.boldly for one in each]))
            self._found[seat, hand] = found
        return found


@lru_cache(maxsize=1)
def habits(view: GurkaView) -> Habits:
    """What the plays of the others tell in this view."""
    return Habits(view)


def _together(table: Table, seen: Sequence[OpponentLikelihood]) -> float:
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
def _likeness(hand: Hand, case: Situation, rank: int) -> OpponentLikelihood:
    """How likely a card of ``rank`` is played from such a hand."""
    places, expected = zip(*costs(hand, case, USUAL), strict=True)
    place, number = places.index(hand.index(rank)), len(places)
    rule = _one_of([exp(-cost / OFF) for cost in expected], place, ODD_BY_RULE)
    return OpponentLikelihood(rule, _one_of(_BY_STEPS[:number], number - 1 - place, ODD_BOLDLY))


def _one_of(weights: Sequence[float], place: int, odd: float) -> float:
    """How likely one is drawn by its weight, or now and then without regard to it."""
    return odd / len(weights) + (1 - odd) * weights[place] / sum(weights)
