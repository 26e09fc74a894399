"""Rummy for the searcher: the turn in hand, the next one of both players, then what the round will bring."""

from collections.abc import Sequence
from math import tanh
from random import Random
from typing import Final

from cardtable.engine.game import Action
from cardtable.games.rummy.expert.opponent_model import guesses
from cardtable.games.rummy.expert.rollouts import Round
from cardtable.games.rummy.expert.value_net import outlook
from cardtable.games.rummy.policy import Sight, settled, steady, steps
from cardtable.games.rummy.rules.actions import Drop
from cardtable.games.rummy.rules.melds import worth
from cardtable.games.rummy.rules.state import RummyState, RummyView
from cardtable.robots.kit.search import SearchSpec, fixed_rollout

WORLDS: Final = 40
DROPS: Final = 5
"""Cards to drop that are looked at, ..."""
FEW_DROPS: Final = 2
"""... and while the other player hurries."""
FAR: Final = 150.0
FARTHER: Final = 0.4
"""A lead so far beyond, and so far more for each point of the limit, nearly decides a session.  To see it so won 3 ± 3
more sessions of 100 than to count points alone."""


def rollout(state: RummyState, _luck: float) -> Sequence[float]:
    """The points of the round by seat, as they are to be expected after two more turns."""
    if not state.playing:
        assert state.score is not None
        return state.score.points
    left = Round(state)
    seat = left.play(state.turn, state.must, state.barred, drew=state.drew, turns=2 + state.drew)
    if seat is None:
        return [laid - worth(hand) for laid, hand in zip(left.laid, left.hands, strict=True)]
    return outlook(left, seat)


def candidates(view: RummyView) -> Sequence[Action]:
    """Every way to draw; then what the best plan lays, step by step, and the best cards to drop.

    Against who hurries there are fewer of these, the best by rule, since playouts are of players who wait.  Late in a
    round what nobody can add to is laid without a question.
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
    """What a steady player does, who needs no luck to choose."""
    return steady(view, Random(0))


def value(view: RummyView, points: Sequence[float]) -> float:
    """The points that the seat is ahead in the round, as they count for the session.

    Who leads it seeks what is sure, who lags behind what may turn it: the chance to win the session rises with the
    lead as a hyperbolic tangent does, here in points of the round that are worth as much at the present totals.
    """
    far, seat = FAR + FARTHER * view.options.limit, view.seat
    before = tanh((view.totals[seat] - view.totals[1 - seat]) / far)
    round_ = tanh((points[seat] - points[1 - seat]) / far)
    return far * round_ / (1 + before * round_)


GUIDE: Final = SearchSpec(guesses, fixed_rollout(rollout), WORLDS, candidates, value, rule=by_rule)
