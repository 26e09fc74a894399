"""Opponent model for Gurka, which rates the plays of the round under two types of players.

A player either plays by rule, or is bold and plays the highest legal card. Players of both types sometimes deviate.
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
"""Facts, besides the hand, on which a free choice depends. In this order: the highest rank in the trick; the number of
seats still to play; True if the table is so large that cards are valued like the next lower rank; True if an ace would
force later seats to play a lowest card; True if a player who can head must do so.
"""


class Numbers(NamedTuple):
    """Expected costs, by rank, of the cards left in a hand, and of leading, as in the rule policy."""

    lowest: Sequence[float]
    second: Sequence[float]
    other: Sequence[float]
    leading: Sequence[float]


USUAL: Final = Numbers(policy.LOWEST, policy.SECOND, policy.OTHER, policy.LEADING)
"""Costs of the rule policy, used to compute likelihoods."""
FITTED: Final = Numbers(
    (-6.2, -6.1, -5.0, -4.1, -2.0, 0.0, 1.6, 4.1, 6.6, 8.0, 9.0, 11.6, 14.3),
    (-5.0, -4.2, -3.9, -2.3, -0.4, -0.4, 0.5, 2.6, 3.4, 5.9, 6.3, 5.8, 5.8),
    (-1.6, -0.9, -0.3, -0.2, 0.3, 0.4, 1.1, 1.4, 2.0, 1.2, 0.7, -0.2, -0.3),
    (0.0, 0.4, -1.4, -1.1, -1.1, -0.9, -0.7),
)
"""Costs by which cards are chosen in rollouts, fitted in matches."""


def ranks(hand: Cards) -> Hand:
    """Return the ranks of a hand in ascending order."""
    return tuple(sorted([RANK[c] for c in iter_cards(hand)]))


def situation(options: Options, seats: int, lying: int, top: int) -> Situation:
    """Return the situation of a seat that plays after ``cards_before`` cards of the trick; ``top`` is their highest
    rank.
    """
    return top, seats - 1 - lying, seats > FEW, options.ace_binds(lying), options.must_head == "on"


def costs(hand: Hand, case: Situation, numbers: Numbers) -> list[tuple[int, float]]:
    """Return the possible plays, one for each rank in ascending order, as pairs of the index in the hand and the
    expected cost.

    The first pair may be the lowest card of the hand, played without heading the trick.
    """
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
    """Return the index in ``hand`` of the card with the lowest expected cost in rollouts."""
    return min(costs(hand, case, FITTED), key=lambda play: play[1])[0]


class Table(NamedTuple):
    """Type of table, a component of the prior distribution."""

    chance: float
    """Prior probability of the type."""
    bold: float
    """Probability that a seat at such a table is bold."""


TABLES: Final = (Table(0.7, 0.1), Table(0.3, 0.9))
"""Prior distribution of the types of tables. Players at one table are alike, so that the plays of one seat are evidence
on the others.
"""
OFF: Final = 0.35
"""Difference of expected costs, in points, at which a card is played e times less often by rule."""
STEPS: Final = 0.4
"""Number of playable ranks below the highest at which a card is played e times less often in bold play."""
ODD_BY_RULE: Final = 0.05
"""Probability of a random card in play by rule."""
ODD_BOLDLY: Final = 0.02
"""Probability of a random card in bold play."""


_BY_STEPS: Final = [exp(-step / STEPS) for step in range(CARDS_EACH)]


class OpponentLikelihood(NamedTuple):
    """Likelihood of the plays of one seat under both types of players."""

    by_rule: float
    boldly: float

    def at(self, table: Table) -> float:
        """Return the likelihood for a seat of unknown type at a table of this type."""
        return (1 - table.bold) * self.by_rule + table.bold * self.boldly


class OpponentModel:
    """Free plays of the other seats in the round, and their likelihood given the hands that remain."""

    def __init__(self, view: GurkaView) -> None:
        self._seats = [seat for seat in range(len(view.totals)) if seat != view.seat]
        self._plays: dict[Seat, list[tuple[Hand, Situation, int]]] = {seat: [] for seat in self._seats}
        """Free plays of each seat, the last one first: the ranks that the seat has played from this play on, the
        situation, and the rank played.
        """
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
        """True if another seat has had a choice in this round."""
        return any(self._plays.values())

    def likely(self, hands: Sequence[Cards]) -> float:
        """Return the likelihood of all free plays, given the hands that remain."""
        seen = self._likelihoods(hands)
        return sum([_joint_probability(table, seen) for table in TABLES])

    def bold(self, hands: Sequence[Cards], rng: Random) -> list[Seat]:
        """Sample the set of bold seats from its posterior distribution, given the hands that remain."""
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
    """Return the opponent model of a view; the last one is cached."""
    return OpponentModel(view)


def _joint_probability(table: Table, seen: Sequence[OpponentLikelihood]) -> float:
    """Return the joint probability of a type of table and of the plays with these likelihoods."""
    return table.chance * prod([one.at(table) for one in seen])


def _iter_plays_backwards(view: GurkaView) -> Iterator[tuple[Seat, Sequence[Card], Card]]:
    """Yield all plays of the round, the last one first: the seat, the cards before it in the trick, and the card."""
    seats, leaders = len(view.totals), [view.dealer]
    for trick in view.past:
        leaders.append((leaders[-1] + winner(trick)) % seats)
    for leader, trick in zip(reversed(leaders), [view.trick, *reversed(view.past)], strict=True):
        for place in reversed(range(len(trick))):
            yield (leader + place) % seats, trick[:place], trick[place]


@lru_cache(maxsize=1 << 14)
def _play_likelihood(hand: Hand, case: Situation, rank: int) -> OpponentLikelihood:
    """Return the likelihood of playing a card of ``rank`` from ``hand``."""
    places, expected = zip(*costs(hand, case, USUAL), strict=True)
    place, number = places.index(hand.index(rank)), len(places)
    rule = _mixed_probability([exp(-cost / OFF) for cost in expected], place, ODD_BY_RULE)
    return OpponentLikelihood(rule, _mixed_probability(_BY_STEPS[:number], number - 1 - place, ODD_BOLDLY))


def _mixed_probability(weights: Sequence[float], place: int, odd: float) -> float:
    """Return the probability of ``index`` if an index is drawn by weight or, with probability ``noise``, uniformly."""
    return odd / len(weights) + (1 - odd) * weights[place] / sum(weights)
