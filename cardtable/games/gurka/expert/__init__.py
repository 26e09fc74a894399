"""Expert of Gurka: Monte Carlo search in worlds that are weighted by a model of the opponents."""

from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import Final

from cardtable.engine.cards import ACE, RANK, Cards
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.gurka.expert.opponent_model import choose_index, get_opponent_model, list_ranks, make_situation
from cardtable.games.gurka.policy import SMALL_TABLE
from cardtable.games.gurka.rules import NO_RANK, GurkaState, GurkaView, build_state, find_winner, imagine, sample_hands
from cardtable.robots.kit.search_spec import Rollout, SearchSpec, make_sampler

WORLDS: Final = 120
OVERSAMPLING: Final = 4
"""Number of worlds that are sampled for each of the ``WORLDS`` worlds that are resampled from them by likelihood."""


def sample_worlds(view: GurkaView, rng: Random) -> Iterator[GurkaState]:
    """Yield worlds in proportion to the likelihood of the other seats' plays, by importance resampling.

    If no other seat has had a choice so far, yield independent samples.
    """
    known = get_opponent_model(view)
    if not known.has_evidence:
        yield from make_sampler(imagine)(view, rng)
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
    rank = hand[
        0 if view.bound else choose_index(hand, make_situation(view.options, len(view.totals), len(view.trick), top))
    ]
    return next(play for play in list_candidates(view) if RANK[play.cards_used().bit_length() - 1] == rank)


SEARCH_SPEC: Final = SearchSpec(
    sample_worlds, make_rollout, WORLDS, list_candidates, rule=choose_by_rule, big_mistake=1.5
)
