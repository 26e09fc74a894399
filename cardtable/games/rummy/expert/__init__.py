"""Expert of Rummy: Monte Carlo search over the current turn, with a value network at the end of short rollouts.

A rollout plays the rest of the turn and two more turns.
"""

from collections.abc import Sequence
from math import tanh
from random import Random
from typing import Final

from cardtable.engine.game import Action
from cardtable.games.rummy.expert.opponent_model import sample_worlds
from cardtable.games.rummy.expert.rollouts import Round
from cardtable.games.rummy.expert.value_net import predict
from cardtable.games.rummy.policy import Sight, settled, steady, steps
from cardtable.games.rummy.rules.actions import Drop
from cardtable.games.rummy.rules.melds import worth
from cardtable.games.rummy.rules.state import RummyState, RummyView
from cardtable.robots.kit.search import SearchSpec, fixed_rollout

WORLDS: Final = 40
DROPS: Final = 5
"""Largest number of discards among the candidates."""
FEW_DROPS: Final = 2
"""Largest number of discards among the candidates if the opponent hurries."""
FAR: Final = 150.0
FARTHER: Final = 0.4
"""Scale of the session value: a lead of ``LEAD_SCALE + LEAD_SCALE_PER_LIMIT * limit`` points makes a win 88 % likely.
"""


def rollout(state: RummyState, _luck: float) -> Sequence[float]:
    """Return the points of the round that each seat is expected to make, by the value network after two more turns.

    ``state`` is not changed. If its round is finished, the points of that round are returned.
    """
    if not state.playing:
        assert state.score is not None
        return state.score.points
    left = Round(state)
    seat = left.play(state.turn, state.must, state.barred, drew=state.drew, turns=2 + state.drew)
    if seat is None:
        return [laid - worth(hand) for laid, hand in zip(left.laid, left.hands, strict=True)]
    return predict(left, seat)


def candidates(view: RummyView) -> Sequence[Action]:
    """Return the candidates: all draws, or after the draw the next steps of the best plan and the best discards.

    Against an opponent who hurries there are fewer discards, the best by rule, since rollouts assume players who wait.
    Late in a round, melds that cannot be extended are laid without a search.
    """
    sight, usual = Sight(view, watchful=True), by_rule(view)
    if settled(view, sight, usual):
        return [usual]
    if not view.drew:
        return view.legal
    plan = sight.plan(view.hand, view.must, view.barred)
    to_lay = sorted(steps(view, plan), key=lambda step: step[0], reverse=True)
    drops = [action for action in view.legal if isinstance(action, Drop)]
    if to_lay and (not drops or not plan.rest & (plan.rest - 1)):
        return [to_lay[0][1]]
    loose = [drop for drop in drops if drop.cards_used() & plan.rest] or drops
    loose.sort(key=lambda drop: sight.loss(drop.card, plan.rest))
    found = [*loose[: FEW_DROPS if sight.hurried else DROPS], *[action for _, action in to_lay]]
    return found if usual in found else [*found, usual]


def by_rule(view: RummyView) -> Action:
    """Return the action of the steady policy, which is deterministic."""
    return steady(view, Random(0))


def value(view: RummyView, points: Sequence[float]) -> float:
    """Return the seat's lead in the round, adjusted for its effect on the chance to win the session.

    The probability of winning the session is modelled as a hyperbolic tangent of the lead. The value is the change of
    this probability, converted into points at the present totals. A leading seat therefore prefers safety, a trailing
    seat risk.
    """
    far, seat = FAR + FARTHER * view.options.limit, view.seat
    before = tanh((view.totals[seat] - view.totals[1 - seat]) / far)
    round_ = tanh((points[seat] - points[1 - seat]) / far)
    return far * round_ / (1 + before * round_)


GUIDE: Final = SearchSpec(sample_worlds, fixed_rollout(rollout), WORLDS, candidates, value, rule=by_rule)
