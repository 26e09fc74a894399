"""Positions of sessions, played by robots until the person in seat 0 is on turn."""

from functools import cache
from random import Random

from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.testing.cases import Case
from cardtable.ui.game_view.registry import get_game_view
from tests.ui.canvas_rendering import NAMES, make_view_frame


@cache
def _play_until_decision(key, seats, decisions, seed):
    game = GAMES[key]
    options = game.options(seats=seats) if key == "gurka" else game.options()
    table, robot = Referee(game, seats, options, seed), make_robot("random", key)
    while table.turn != 0 or table.decisions < decisions:
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, decide(robot, table.view(table.turn), seed, table.decisions))
    return table


def deal_cards(game, seats=4, seed=1):
    """Return the state of a game after its first deal."""
    state = Case(game, seats, game.options()).create_state()
    state.apply(state.draw_chance(Random(seed)))
    return state


def reach_position(key, *, seats=None, decisions=30, seed=3):
    """Return the frame of the first position with seat 0 on turn after at least `decisions` decisions."""
    game = GAMES[key]
    table = _play_until_decision(key, seats or game.about.usual_seats, decisions, seed)
    view = table.view(0)
    decision = get_game_view(key).decision(view, NAMES[: table.seats])
    return make_view_frame(
        game,
        view,
        scores=tuple(table.scores),
        waiting=True,
        decision=decision,
        in_box=decision is not None and not decision.cards_first,
        option=decision.start if decision else 0,
    )
