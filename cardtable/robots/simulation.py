"""Whole sessions of robots, in this process."""

from collections.abc import Callable, Sequence

from cardtable.engine.contract import OVER, AnyGame
from cardtable.engine.journal import Line
from cardtable.engine.options import Options
from cardtable.engine.table import Table
from cardtable.robots.kit.robot import Robot, decide, make


def play_session(
    game: AnyGame, levels: Sequence[str], options: Options, seed: int, record: Callable[[Line], None]
) -> Table:
    """Play a session of robots of these levels, by seat, to its end; ``record`` gets each line."""
    table = Table(game, len(levels), options, seed, record)
    robots = [make(level, game.about.key) for level in levels]
    while table.turn != OVER:
        play_round(table, robots)
    return table


def play_round(table: Table, robots: Sequence[Robot]) -> None:
    """Deal, and let the robots act until the round or the session is over."""
    table.go_on()
    while table.turn >= 0:
        seat = table.turn
        table.play(seat, decide(robots[seat], table.view(seat), table.seed, table.decisions))
