"""Difference between the levels of robots in every game: a steady robot among novices, an expert among steady ones.

    python benchmarks/ladder.py [GAME ...] [--deals N] [--seed S] [--workers K] [--write]

The matches are those of ``cardtable arena`` with the game's usual number of seats: N deals for the expert, ten times as
many for the steady robot, which does not search; in King they are whole sessions.  ``--write`` writes the result to
``cardtable/games/GAME/level_strength.py``, from which the new-table page and others read it.
"""

import argparse
from pathlib import Path
from typing import Final

import cardtable
from cardtable.engine.options import read
from cardtable.games import GAMES, KEYS
from cardtable.robots import arena
from cardtable.robots.arena import Match, play_match, summarize_results
from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

POLICY_DEAL_FACTOR = 10
"""Factor of the number of deals for robots that do not search."""
SESSION_ROUNDS: Final = {"king": 40}
"""Rounds of a session, for games that are measured in whole sessions.

A dealer of King has to name each contract once. Judged by single deals, a robot would be the better for naming those
first that bring points.
"""
TEMPLATE = '''"""Measured strength of the robot levels in {title}, from ``benchmarks/ladder.py {key}``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady={steady},
    expert={expert},
)
'''


def measure_gap(key: str, a: str, b: str, deals: int, seed: int, workers: int) -> StrengthGap:
    """Return the advantage of a robot of level ``a`` over robots of level ``b``."""
    game = GAMES[key]
    seats = game.about.usual_seats
    rules, rounds = read(game.options, game.single_deal_options, seats), SESSION_ROUNDS.get(key, 1)
    match = Match(key, a, b, b, seats, rules, deals // rounds, seed, whole=rounds > 1)
    with arena.open_pool(key, workers, None) as pool:
        summary = summarize_results(list(play_match(match, pool)))
    assert summary.mean is not None
    assert summary.error is not None
    return StrengthGap(round(summary.mean, 2), round(summary.error, 2), summary.deals * rounds)


def format_file(key: str, ladder: StrengthLadder) -> str:
    """Return the source of a game's module ``level_strength``."""
    return TEMPLATE.format(title=GAMES[key].about.title, key=key, steady=ladder.steady, expert=ladder.expert)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"all, or some of {', '.join(KEYS)}")
    parser.add_argument("--deals", type=int, default=300, help="of the expert; the steady one plays ten times as many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the figures to the game's level_strength.py")
    options = parser.parse_args()
    if unknown_games := {*options.games} - {*KEYS}:
        parser.error(f"no game is called {', '.join(sorted(unknown_games))}")
    print("| game | seats | steady over novice | deals | expert over steady | deals |")
    print("| --- | --- | --- | --- | --- | --- |")
    for key in options.games or KEYS:
        ladder = StrengthLadder(
            measure_gap(key, "steady", "novice", POLICY_DEAL_FACTOR * options.deals, options.seed, options.workers),
            measure_gap(key, "expert", "steady", options.deals, options.seed, options.workers),
        )
        columns = " | ".join([f"{gap.points:+.2f} ± {gap.error:.2f} | {gap.deals:,}" for gap in ladder])
        print(f"| {GAMES[key].about.title} | {GAMES[key].about.usual_seats} | {columns} |", flush=True)
        if options.write:
            path = Path(cardtable.__file__).parent / "games" / key / "level_strength.py"
            path.write_text(format_file(key, ladder), encoding="utf-8")


if __name__ == "__main__":
    main()
