"""Expert of Gurka: Monte Carlo search in worlds that are weighted by a model of the opponents.

The model rates the plays of the round under two types of players: a player either plays by rule, or is bold and plays
the highest legal card. Players of both types sometimes deviate.
"""

from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp, fsum, prod
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import ACE, RANK, RANKS, Card, Cards, iter_cards
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.gurka.policy import LEADING_COSTS, LOWEST_COSTS, OTHER_COSTS, SECOND_COSTS, SMALL_TABLE
from cardtable.games.gurka.rules import (
    CARDS_EACH,
    GAME,
    NO_RANK,
    GurkaState,
    GurkaView,
    Options,
    build_state,
    find_winner,
    sample_hands,
)
from cardtable.robots.kit.search_spec import Rollout, SearchSpec, make_sampler

Hand: TypeAlias = tuple[int, ...]
"""Ranks of a hand in ascending order."""
Situation: TypeAlias = tuple[int, int, bool, bool, bool]
"""Facts, besides the hand, on which a free choice depends.

In this order: the highest rank in the trick; the number of seats still to play; True if the table is so large that
cards are valued like the next lower rank; True if an ace would force later seats to play a lowest card; True if a
player who can head must do so.
"""


class CostTables(NamedTuple):
    """Expected costs, by rank, of the cards left in a hand, and of leading, as in the rule policy."""

    lowest: Sequence[float]
    second: Sequence[float]
    other: Sequence[float]
    leading: Sequence[float]


LIKELIHOOD_COSTS: Final = CostTables(LOWEST_COSTS, SECOND_COSTS, OTHER_COSTS, LEADING_COSTS)
"""Costs of the rule policy, used to compute likelihoods."""
ROLLOUT_COSTS: Final = CostTables(
    (-6.2, -6.1, -5.0, -4.1, -2.0, 0.0, 1.6, 4.1, 6.6, 8.0, 9.0, 11.6, 14.3),
    (-5.0, -4.2, -3.9, -2.3, -0.4, -0.4, 0.5, 2.6, 3.4, 5.9, 6.3, 5.8, 5.8),
    (-1.6, -0.9, -0.3, -0.2, 0.3, 0.4, 1.1, 1.4, 2.0, 1.2, 0.7, -0.2, -0.3),
    (0.0, 0.4, -1.4, -1.1, -1.1, -0.9, -0.7),
)
"""Costs by which cards are chosen in rollouts, fitted in matches."""


def list_ranks(hand: Cards) -> Hand:
    return tuple(sorted([RANK[c] for c in iter_cards(hand)]))


def make_situation(options: Options, seats: int, cards_before: int, top: int) -> Situation:
    """Return the situation of a seat that plays after ``cards_before`` cards of the trick.

    ``top`` is their highest rank.
    """
    return (
        top,
        seats - 1 - cards_before,
        seats > SMALL_TABLE,
        options.is_ace_binding(cards_before),
        bool(options.must_head),
    )


def compute_costs(hand: Hand, situation: Situation, numbers: CostTables) -> list[tuple[int, float]]:
    """Return the possible plays, one for each rank in ascending order, as pairs of the index in the hand and the
    expected cost.

    The first pair may be the lowest card of the hand, played without heading the trick.
    """
    top, after, lower, binds, must_head = situation
    least, number = hand[0], len(hand)
    heads = [i for i in range(number) if hand[i] >= top and (not i or hand[i] != hand[i - 1])]
    indices = heads if heads and (must_head or least >= top) else [0, *heads]
    low = [max(rank - 1, 0) for rank in hand] if lower else hand
    others = [numbers.other[rank] for rank in low]
    beyond, result = fsum(others[2:]), []
    for i in indices:
        cost = numbers.lowest[low[0 if i else 1]]
        if number > 2:
            cost += numbers.second[low[2 if i < 2 else 1]] + beyond - others[max(i, 2)]
        if hand[i] >= top:
            takes = 1.0 if binds and hand[i] == ACE else (hand[i] / len(RANKS)) ** (after * (number - 1))
            cost += numbers.leading[number - 1] * takes
        result.append((i, cost))
    return result


@lru_cache(maxsize=1 << 14)
def choose_index(hand: Hand, situation: Situation) -> int:
    """Return the index in ``hand`` of the card with the lowest expected cost in rollouts."""
    return min(compute_costs(hand, situation, ROLLOUT_COSTS), key=lambda play: play[1])[0]


class TableType(NamedTuple):
    """Type of table, a component of the prior distribution."""

    probability: float
    """Prior probability of the type."""
    bold: float
    """Probability that a seat at such a table is bold."""


TABLE_TYPES: Final = (TableType(0.7, 0.1), TableType(0.3, 0.9))
"""Prior distribution of the types of tables.

Players at one table are alike, so that the plays of one seat are evidence on the others.
"""
COST_SCALE: Final = 0.35
"""Difference of expected costs, in points, at which a card is played e times less often by rule."""
STEP_SCALE: Final = 0.4
"""Number of playable ranks below the highest at which a card is played e times less often in bold play."""
RULE_NOISE: Final = 0.05
"""Probability of a random card in play by rule."""
BOLD_NOISE: Final = 0.02
"""Probability of a random card in bold play."""
_STEP_WEIGHTS: Final = [exp(-step / STEP_SCALE) for step in range(CARDS_EACH)]


class OpponentLikelihood(NamedTuple):
    """Likelihood of the plays of one seat under both types of players."""

    by_rule: float
    boldly: float

    def compute_for(self, table: TableType) -> float:
        return (1 - table.bold) * self.by_rule + table.bold * self.boldly


class OpponentModel:
    """Free plays of the other seats in the round, and their likelihood given the hands that remain."""

    def __init__(self, view: GurkaView) -> None:
        self._seats = [seat for seat in range(len(view.totals)) if seat != view.seat]
        self._plays: dict[Seat, list[tuple[Hand, Situation, int]]] = {seat: [] for seat in self._seats}
        """Free plays of each seat, the last one first.

        The ranks that the seat has played from this play on, the situation, and the rank played.
        """
        self._cache: dict[tuple[Seat, Hand], OpponentLikelihood] = {}
        later: dict[Seat, Hand] = dict.fromkeys(self._seats, ())
        for seat, before, card in _iter_plays_backwards(view):
            if seat == view.seat:
                continue
            later[seat] = (*later[seat], RANK[card])
            if not view.options.is_bound(before):
                top = max([RANK[c] for c in before], default=NO_RANK)
                case = make_situation(view.options, len(view.totals), len(before), top)
                self._plays[seat].append((later[seat], case, RANK[card]))

    @property
    def has_evidence(self) -> bool:
        """True if another seat has had a choice in this round."""
        return any(self._plays.values())

    def compute_likelihood(self, hands: Sequence[Cards]) -> float:
        """Return the likelihood of all free plays, given the hands that remain."""
        seen = self._compute_likelihoods(hands)
        return fsum([_compute_joint_probability(table, seen) for table in TABLE_TYPES])

    def sample_bold_seats(self, hands: Sequence[Cards], rng: Random) -> list[Seat]:
        """Sample the set of bold seats from its posterior distribution, given the hands that remain."""
        seen = self._compute_likelihoods(hands)
        (table,) = rng.choices(TABLE_TYPES, [_compute_joint_probability(table, seen) for table in TABLE_TYPES])
        pairs = zip(self._seats, seen, strict=True)
        return [seat for seat, one in pairs if rng.random() * one.compute_for(table) < table.bold * one.boldly]

    def _compute_likelihoods(self, hands: Sequence[Cards]) -> list[OpponentLikelihood]:
        return [self._compute_plays_likelihood(seat, list_ranks(hands[seat])) for seat in self._seats]

    def _compute_plays_likelihood(self, seat: Seat, hand: Hand) -> OpponentLikelihood:
        """Return the likelihood of the plays of a seat with this remaining hand; cached."""
        result = self._cache.get((seat, hand))
        if result is None:
            plays = [
                _compute_play_likelihood(tuple(sorted(hand + later)), case, rank)
                for later, case, rank in self._plays[seat]
            ]
            result = OpponentLikelihood(prod([play.by_rule for play in plays]), prod([play.boldly for play in plays]))
            self._cache[seat, hand] = result
        return result


@lru_cache(maxsize=1)
def get_opponent_model(view: GurkaView) -> OpponentModel:
    return OpponentModel(view)


def _compute_joint_probability(table: TableType, likelihoods: Sequence[OpponentLikelihood]) -> float:
    return table.probability * prod([one.compute_for(table) for one in likelihoods])


def _iter_plays_backwards(view: GurkaView) -> Iterator[tuple[Seat, Sequence[Card], Card]]:
    """Yield all plays of the round, the last one first: the seat, the cards before it in the trick, and the card."""
    seats, leaders = len(view.totals), [view.dealer]
    for trick in view.past:
        leaders.append((leaders[-1] + find_winner(trick)) % seats)
    for leader, trick in zip(reversed(leaders), [view.trick, *reversed(view.past)], strict=True):
        for index in reversed(range(len(trick))):
            yield (leader + index) % seats, trick[:index], trick[index]


@lru_cache(maxsize=1 << 14)
def _compute_play_likelihood(hand: Hand, situation: Situation, rank: int) -> OpponentLikelihood:
    """Return the likelihood of playing a card of ``rank`` from ``hand``."""
    indices, expected = zip(*compute_costs(hand, situation, LIKELIHOOD_COSTS), strict=True)
    choice, number = indices.index(hand.index(rank)), len(indices)
    rule = _compute_mixed_probability([exp(-cost / COST_SCALE) for cost in expected], choice, RULE_NOISE)
    return OpponentLikelihood(rule, _compute_mixed_probability(_STEP_WEIGHTS[:number], number - 1 - choice, BOLD_NOISE))


def _compute_mixed_probability(weights: Sequence[float], index: int, noise: float) -> float:
    """Return the probability of ``index`` if an index is drawn by weight or, with probability ``noise``, uniformly."""
    return noise / len(weights) + (1 - noise) * weights[index] / fsum(weights)


WORLDS: Final = 120
OVERSAMPLING: Final = 4
"""Number of worlds that are sampled for each of the ``WORLDS`` worlds that are resampled from them by likelihood."""


def sample_worlds(view: GurkaView, rng: Random) -> Iterator[GurkaState]:
    """Yield worlds in proportion to the likelihood of the other seats' plays, by importance resampling.

    If no other seat has had a choice so far, yield independent samples.
    """
    known = get_opponent_model(view)
    if not known.has_evidence:
        yield from make_sampler(GAME.imagine)(view, rng)
    while True:
        sampled = [sample_hands(view, rng) for _ in range(OVERSAMPLING * WORLDS)]
        for hands in _resample(sampled, [known.compute_likelihood(hands) for hands in sampled], rng):
            yield build_state(view, hands)


def _resample(sampled: Sequence[list[Cards]], weights: Sequence[float], rng: Random) -> list[list[Cards]]:
    """Return ``WORLDS`` of the sampled hands in random order, by systematic resampling with ``weights``."""
    reached = list(accumulate(weights))
    step, start = reached[-1] / WORLDS, rng.random()
    resampled = [sampled[bisect(reached, (start + i) * step, hi=len(sampled) - 1)] for i in range(WORLDS)]
    rng.shuffle(resampled)
    return resampled


def make_rollout(view: GurkaView) -> Rollout[GurkaState]:
    """Return a rollout function in which bold seats play high and all others play by rule.

    The bold seats are sampled from the model of the opponents in each rollout.
    """
    known = get_opponent_model(view)

    def run_rollout(state: GurkaState, luck: float) -> Sequence[float]:
        if not state.playing:
            assert state.score is not None
            return [-points for points in state.score.points]
        return play_out(state, known.sample_bold_seats(state.hands, Random(luck)))

    return run_rollout


def play_out(state: GurkaState, bold: Collection[Seat]) -> Sequence[float]:
    """Return the points scored in the round, negated, by seat, after a rollout.

    Seats of ``bold`` play their highest legal card, all others play by rule. ``state`` is not changed.
    """
    hands, seats = [list_ranks(hand) for hand in state.hands], state.seats
    led_binds, played_binds = state.options.is_ace_binding(0), state.options.is_ace_binding(1)
    seat, played, top, bound = state.turn, len(state.trick), state.top, state.bound
    taker = (state.leader + find_winner(state.trick)) % seats if played else seat
    while True:
        hand = hands[seat]
        binds = played_binds if played else led_binds
        if bound:
            index = 0
        elif seat in bold:
            index = len(hand) - 1 if hand[-1] >= top else 0
        else:
            index = choose_index(hand, (top, seats - 1 - played, seats > SMALL_TABLE, binds, state.must_head))
        rank = hand[index]
        hands[seat] = hand[:index] + hand[index + 1 :]
        if rank >= top and not bound:
            top, taker, bound = rank, seat, binds and rank == ACE
        played += 1
        if played < seats:
            seat = (seat + 1) % seats
            continue
        seat, played, top, bound = taker, 0, NO_RANK, False
        if len(hands[seat]) == 1:
            most = max(hands)[0]
            return [-2.0 - most if hand[0] == most else 0.0 for hand in hands]


def list_candidates(view: GurkaView) -> Sequence[Action]:
    """Return one legal card of each rank."""
    return list({RANK[play.card]: play for play in view.legal if isinstance(play, Play)}.values())


def choose_by_rule(view: GurkaView) -> Action:
    """Return the action that a seat playing by rule chooses in rollouts."""
    hand = list_ranks(view.hand)
    top = NO_RANK if view.best_card is None else RANK[view.best_card]
    situation = make_situation(view.options, len(view.totals), len(view.trick), top)
    rank = hand[0] if view.bound else hand[choose_index(hand, situation)]
    return next(play for play in list_candidates(view) if RANK[play.cards_used().bit_length() - 1] == rank)


SEARCH_SPEC: Final = SearchSpec(
    sample_worlds, make_rollout, WORLDS, list_candidates, rule=choose_by_rule, big_mistake=1.5
)
