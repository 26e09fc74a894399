"""Whole sessions of robots."""

import pytest

from cardtable.engine.game import OVER
from cardtable.engine.journal import ActionLine
from cardtable.games import GAMES
from cardtable.robots.arena import play_session
from tests.journal_lines import select_lines
from tests.robots.positions import FAST_LEVELS


def play_robots(key, levels, seed):
    game, lines = GAMES[key], []
    return play_session(game, levels, game.options(), seed, lines.append), lines


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("level", FAST_LEVELS)
def test_session_is_played_to_end(key, level):
    table, lines = play_robots(key, [level] * GAMES[key].about.usual_seats, 1)
    assert table.turn == OVER
    assert table.ended
    assert lines[-1].result.totals == table.totals
    assert len(select_lines(ActionLine, lines)) == table.decisions


@pytest.mark.parametrize("key", GAMES)
def test_session_depends_on_seed_only(key):
    levels = (FAST_LEVELS * 2)[: GAMES[key].about.usual_seats]
    first, again, other = (play_robots(key, levels, seed)[1] for seed in (3, 3, 4))
    assert first == again != other
