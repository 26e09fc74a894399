"""Opponent model for Gurka: likelihood of the plays of this round under two types of players.

A seat either plays by rule, or it is bold: it plays the highest legal card. Both types deviate sometimes.
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
"""Ranks of a hand in ascending order."""
Situation: TypeAlias = tuple[int, int, bool, bool, bool]
"""Facts, besides the hand, on which a free choice depends: highest rank in the trick; number of seats still to play;
True if the table is so large that a card is valued like the next lower rank; True if an ace would bind later seats;
True if heading is compulsory.
"""


class Numbers(NamedTuple):
    """Expected costs of remaining cards by rank, and of leading, as in the rule policy."""

    lowest: Sequence[float]
    second: Sequence[float]
    other: Sequence[float]
    leading: Sequence[float]


USUAL: Final = Numbers(policy.LOWEST, policy.SECOND, policy.OTHER, policy.LEADING)
"""Costs of the rule policy, used for likelihoods.

Better for this purpose than ``FITTED``: by 0.12 ± 0.03 points per round among steady robots.
"""
FITTED: Final = Numbers(
    (-6.2, -6.1, -5.0, -4.1, -2.0, 0.0, 1.6, 4.1, 6.6, 8.0, 9.0, 11.6, 14.3),
    (-5.0, -4.2, -3.9, -2.3, -0.4, -0.4, 0.5, 2.6, 3.4, 5.9, 6.3, 5.8, 5.8),
    (-1.6, -0.9, -0.3, -0.2, 0.3, 0.4, 1.1, 1.4, 2.0, 1.2, 0.7, -0.2, -0.3),
    (0.0, 0.4, -1.4, -1.1, -1.1, -0.9, -0.7),
)
"""Costs used to choose cards in rollouts, fitted in matches against ``DEFAULT_KEYS``; better by 0.11 ± 0.01 points
per round.
"""


def ranks(hand: Cards) -> Hand:
    """Return the ranks of a hand in ascending order."""
    return tuple(sorted([RANK[c] for c in iter_cards(hand)]))


def situation(options: Options, seats: int, lying: int, top: int) -> Situation:
    """Return the situation of a seat that plays after ``lying`` cards, the highest of rank ``top``."""
    return top, seats - 1 - lying, seats > FEW, options.ace_binds(lying), options.must_head == "on"


def costs(hand: Hand, case: Situation, numbers: Numbers) -> list[tuple[int, float]]:
    """Return the possible plays, one of each rank in ascending order: index in the hand and expected cost."""
    top, after, lower, binds, must_head = case
    least, number = hand[0], len(hand)
    heads = [i for i in range(number) if hand[i] >= top and (not i or hand[i] != hand[i - 1])]
    places = heads if heads and (must_head or least >= top) else [0, *heads]
    low = [max(rank - 1, 0) for rank in hand] if lower else hand
    others = [numbers.other[rank] for rank in low]
    beyond, result = sum(others[2:]), []
    for i in places:
        cost = numbers.lowest[low[not i]]
        if number > 2:
            cost += numbers.second[low[2 if i < 2 else 1]] + beyond - others[max(i, 2)]
        if hand[i] >= top:
            takes = 1.0 if binds and hand[i] == ACE else (hand[i] / len(RANKS)) ** (after * (number - 1))
            cost += numbers.leading[number - 1] * takes
        result.append((i, cost))
    return result


@lru_cache(maxsize=1 << 14)
def choice(hand: Hand, case: Situation) -> int:
    """Return the index in the hand of the card with the lowest expected cost."""
    return min(costs(hand, case, FITTED), key=lambda play: play[1])[0]


class Table(NamedTuple):
    """Type of table, a component of the prior."""

    chance: float
    """Prior probability of the type."""
    bold: float
    """Probability that a given seat at such a table is bold."""


TABLES: Final = (Table(0.7, 0.1), Table(0.3, 0.9))
"""Prior over types of tables. Players of one table are alike, so that the plays of one seat are evidence on the others.
"""
OFF: Final = 0.35
"""Scale of the costs in points: a card that is worse by this is played e times less often by rule."""
STEPS: Final = 0.4
"""Scale of the steps in bold play: a card that is lower by this many ranks of choice is played e times less often."""
ODD_BY_RULE: Final = 0.05
"""Probability of a random card in play by rule."""
ODD_BOLDLY: Final = 0.02
"""Probability of a random card in bold play."""


_BY_STEPS: Final = [exp(-step / STEPS) for step in range(CARDS_EACH)]


class OpponentLikelihood(NamedTuple):
    """Likelihood of the plays of a seat under both types of players."""

    by_rule: float
    boldly: float

    def at(self, table: Table) -> float:
        """Return the likelihood for a seat of unknown type at such a table."""
        return (1 - table.bold) * self.by_rule + table.bold * self.boldly


class OpponentModel:
    """Plays of the other seats in this round, and their likelihood given hands."""

    def __init__(self, view: GurkaView) -> None:
        self._seats = [seat for seat in range(len(view.totals)) if seat != view.seat]
        self._plays: dict[Seat, list[tuple[Hand, Situation, int]]] = {seat: [] for seat in self._seats}
        """Free plays by seat: the ranks played from this play to the present, the situation, and the rank played."""
        self._cache: dict[tuple[Seat, Hand], OpponentLikelihood] = {}
        later: dict[Seat, Hand] = dict.fromkeys(self._seats, ())
        for seat, before, card in _iter_plays_backwards(view):
            if seat == view.seat:
                continue
            later[seat] = (*later[seat], RANK[card])
            if not view.options.bound(before):
                top = max([RANK[c] for c in before], default=NOTHING)
                case = situation(view.options, len(view.totals), len(before), top)
                self._plays[seat].append((later[seat], case, RANK[card]))

    @property
    def told(self) -> bool:
        """True if another seat has had a choice."""
        return any(self._plays.values())

    def likely(self, hands: Sequence[Cards]) -> float:
        """Return the likelihood of all plays, given the hands that remain."""
        seen = self._likelihoods(hands)
        return sum([_joint_probability(table, seen) for table in TABLES])

    def bold(self, hands: Sequence[Cards], rng: Random) -> list[Seat]:
        """Sample the bold seats from their posterior distribution, given the hands that remain."""
        seen = self._likelihoods(hands)
        (table,) = rng.choices(TABLES, [_joint_probability(table, seen) for table in TABLES])
        pairs = zip(self._seats, seen, strict=True)
        return [seat for seat, one in pairs if rng.random() * one.at(table) < table.bold * one.boldly]

    def _likelihoods(self, hands: Sequence[Cards]) -> list[OpponentLikelihood]:
        return [self._plays_likelihood(seat, ranks(hands[seat])) for seat in self._seats]

    def _plays_likelihood(self, seat: Seat, hand: Hand) -> OpponentLikelihood:
        """Return the likelihood of the plays of a seat with this remaining hand; cached."""
        result = self._cache.get((seat, hand))
        if result is None:
            each = [
                _play_likelihood(tuple(sorted(hand + later)), case, rank) for later, case, rank in self._plays[seat]
            ]
            result = OpponentLikelihood(prod([one.by_rule for one in each]), prod([one.boldly for one in each]))
            self._cache[seat, hand] = result
        return result


@lru_cache(maxsize=1)
def opponent_model(view: GurkaView) -> OpponentModel:
    """Return the plays of the other seats in this view; cached."""
    return OpponentModel(view)


def _joint_probability(table: Table, seen: Sequence[OpponentLikelihood]) -> float:
    """Return the joint probability of a type of table and all plays."""
    return table.chance * prod([one.at(table) for one in seen])


def _iter_plays_backwards(view: GurkaView) -> Iterator[tuple[Seat, Sequence[Card], Card]]:
    """Yield all plays of the round, the last one first: seat, cards before it in the trick, card."""
    seats, leaders = len(view.totals), [view.dealer]
    for trick in view.past:
        leaders.append((leaders[-1] + winner(trick)) % seats)
    for leader, trick in zip(reversed(leaders), [view.trick, *reversed(view.past)], strict=True):
        for place in reversed(range(len(trick))):
            yield (leader + place) % seats, trick[:place], trick[place]


@lru_cache(maxsize=1 << 14)
def _play_likelihood(hand: Hand, case: Situation, rank: int) -> OpponentLikelihood:
    """Return the likelihood of playing a card of ``rank`` from this hand."""
    places, expected = zip(*costs(hand, case, USUAL), strict=True)
    place, number = places.index(hand.index(rank)), len(places)
    rule = _mixed_probability([exp(-cost / OFF) for cost in expected], place, ODD_BY_RULE)
    return OpponentLikelihood(rule, _mixed_probability(_BY_STEPS[:number], number - 1 - place, ODD_BOLDLY))


def _mixed_probability(weights: Sequence[float], place: int, odd: float) -> float:
    """Return the probability of an index drawn by weight, mixed with a uniform draw of probability ``odd``."""
    return odd / len(weights) + (1 - odd) * weights[place] / sum(weights)
