"""Expert of Rummy: Monte Carlo search over the current turn, with a value network at the end of short rollouts.

A rollout plays the rest of the turn and two more turns.
"""

from collections.abc import Sequence
from math import tanh
from random import Random
from typing import Final

from cardtable.engine.game import Action
from cardtable.games.rummy.expert.opponent_model import sample_worlds
from cardtable.games.rummy.expert.rollouts import RoundSimulation
from cardtable.games.rummy.expert.value_net import predict
from cardtable.games.rummy.policy import ViewEvaluation, is_safe_to_lay, iter_steps, steady
from cardtable.games.rummy.rules.actions import Drop
from cardtable.games.rummy.rules.melds import sum_points
from cardtable.games.rummy.rules.state import RummyState, RummyView
from cardtable.robots.kit.search_spec import SearchSpec, make_rollout_chooser

WORLDS: Final = 40
MAX_DISCARDS: Final = 5
"""Largest number of discards among the candidates."""
MAX_DISCARDS_HURRIED: Final = 2
"""Largest number of discards among the candidates if the opponent hurries."""
LEAD_SCALE: Final = 150.0
LEAD_SCALE_PER_LIMIT: Final = 0.4
"""Scale of the session value: a lead of ``LEAD_SCALE + LEAD_SCALE_PER_LIMIT * limit`` points makes a win 88 % likely.
"""


def run_rollout(state: RummyState, _luck: float) -> Sequence[float]:
    """Return the points of the round that each seat is expected to make, by the value network after two more turns.

    ``state`` is not changed. If its round is finished, the points of that round are returned.
    """
    if not state.playing:
        assert state.score is not None
        return state.score.points
    simulation = RoundSimulation(state)
    seat = simulation.play_turns(state.turn, state.must, state.barred, drew=state.drew, turns=3 if state.drew else 2)
    if seat is None:
        return [laid - sum_points(hand) for laid, hand in zip(simulation.laid, simulation.hands, strict=True)]
    return predict(simulation, seat)


def list_candidates(view: RummyView) -> Sequence[Action]:
    """Return the candidates: all draws, or after the draw the next steps of the best plan and the best discards.

    Against an opponent who hurries there are fewer discards, the best by rule, since rollouts assume players who wait.
    Late in a round, melds that cannot be extended are laid without a search.
    """
    sight, usual = ViewEvaluation(view, watchful=True), choose_by_rule(view)
    if is_safe_to_lay(view, sight, usual):
        return [usual]
    if not view.drew:
        return view.legal
    plan = sight.find_best_plan(view.hand, view.must, view.barred)
    to_lay = sorted(iter_steps(view, plan), key=lambda step: step[0], reverse=True)
    drops = [action for action in view.legal if isinstance(action, Drop)]
    if to_lay and (not drops or not plan.rest & (plan.rest - 1)):
        return [to_lay[0][1]]
    loose = [drop for drop in drops if drop.cards_used() & plan.rest] or drops
    loose.sort(key=lambda drop: sight.compute_discard_cost(drop.card, plan.rest))
    candidates = [*loose[: MAX_DISCARDS_HURRIED if sight.hurried else MAX_DISCARDS], *[action for _, action in to_lay]]
    return candidates if usual in candidates else [*candidates, usual]


def choose_by_rule(view: RummyView) -> Action:
    """Return the action of the steady policy, which is deterministic."""
    return steady(view, Random(0))


def evaluate_points(view: RummyView, points: Sequence[float]) -> float:
    """Return the seat's lead in the round, adjusted for its effect on the chance to win the session.

    The probability of winning the session is modelled as a hyperbolic tangent of the lead. The value is the change of
    this probability, converted into points at the present totals. A leading seat therefore prefers safety, a trailing
    seat risk.
    """
    far, seat = LEAD_SCALE + LEAD_SCALE_PER_LIMIT * view.options.limit, view.seat
    before = tanh((view.totals[seat] - view.totals[1 - seat]) / far)
    round_ = tanh((points[seat] - points[1 - seat]) / far)
    return far * round_ / (1 + before * round_)


SEARCH_SPEC: Final = SearchSpec(
    sample_worlds,
    make_rollout_chooser(run_rollout),
    WORLDS,
    list_candidates,
    evaluate_points,
    rule=choose_by_rule,
    big_mistake=12.0,
)
