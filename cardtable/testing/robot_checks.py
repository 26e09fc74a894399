"""Check of the robots of a game: robots of every level play the beginning of a session."""

from typing import Final

from cardtable.games import GAMES, find_plugin_failure
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.robot import Robot, decide, make_robot
from cardtable.testing.cases import Case
from cardtable.testing.failures import LawFailure

MAX_DECISIONS: Final = 60
"""Maximum number of decisions of the robots of a level, about a round."""


def check_robots(case: Case, seed: int) -> None:
    """Let robots of each level play a round, if the game is installed: a policy is found in an installed package.

    A searching robot is stopped at once, so that it is fast.
    """
    if case.game.about.key not in GAMES:
        return
    for level in LEVELS:
        try:
            _play_round(case, seed, level, make_robot(level, case.game.about.key))
        except AssertionError:
            raise
        except Exception as error:
            if (failed := find_plugin_failure(error, with_text=True)) is None:
                raise
            raise LawFailure(
                f"a robot of the level {level} fails: {failed}",
                field="policy",
                advice="let `novice` and `steady` in the module `policy` take a view and a `Random`, and return one of "
                "`view.legal` at every position",
            ) from error


def _play_round(case: Case, seed: int, level: str, robot: Robot) -> None:
    """Let one robot decide for all seats until the round is over."""
    referee = case.create_referee(seed, lambda _line: None)
    referee.advance()
    for _ in range(MAX_DECISIONS):
        if referee.turn < 0:
            return
        view = referee.view(referee.turn)
        action = decide(robot, view, seed, referee.decisions, stop=lambda: True)
        if action not in view.legal:
            raise LawFailure(
                f"a robot of the level {level} chooses {action}, which is not legal",
                field="policy",
                seat=view.seat,
                advice="return one of `view.legal`",
            )
        referee.play(view.seat, action)
