"""Whole sessions of robots."""

import pytest

from cardtable.engine.game import OVER
from cardtable.games import GAMES
from cardtable.robots.arena import play_session
from tests.robots.positions import QUICK


def play(key, levels, seed):
    game, lines = GAMES[key], []
    return play_session(game, levels, game.options(), seed, lines.append), lines


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("level", QUICK)
def test_a_session_is_played_to_its_end(key, level):
    table, lines = play(key, [level] * GAMES[key].about.usual_seats, 1)
    assert table.turn == OVER
    assert table.ended
    assert lines[-1].end.totals == table.totals
    assert sum(line.action is not None for line in lines) == table.decisions


@pytest.mark.parametrize("key", GAMES)
def test_a_session_depends_on_its_seed_alone(key):
    levels = (QUICK * 2)[: GAMES[key].about.usual_seats]
    assert play(key, levels, 3)[1] == play(key, levels, 3)[1]
    assert play(key, levels, 3)[1] != play(key, levels, 4)[1]
