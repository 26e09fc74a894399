"""Speed of the compiled robots, compared with the plain ones in one run.

    make fast
    python benchmarks/compiled.py [--views N] [--turns N] [GAME ...]

A child process of each build lets the expert choose in the same views, and plays rounds out from their first lead by
the rule policy, as the searcher does. The two take turns, so that other work on the machine slows both; times are
processor time, and of each figure the best turn counts.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.engine import list_first_leads, measure_rate, play_out_rounds
from benchmarks.search import iter_views
from cardtable.engine.trick_game import TrickState
from cardtable.games import GAMES, KEYS
from cardtable.installation import is_compiled
from cardtable.robots.kit.robot import load_search_spec, no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch

ROOT = Path(__file__).parent.parent
BUILDS = {"plain": ROOT, "compiled": ROOT / "build/compiled"}


def serve(key: str, number: int) -> None:
    """Answer each line of the standard input with the milliseconds of a decision and the rollout cards a second."""
    search, positions = MonteCarloSearch(load_search_spec(key)), list(iter_views(key, number, 1))
    is_trick_game = isinstance(GAMES[key].start(GAMES[key].about.usual_seats, GAMES[key].options()), TrickState)
    rounds = list_first_leads(key) if is_trick_game else []
    for _ in range(5 if rounds else 0):
        play_out_rounds(rounds)
    for _ in sys.stdin:
        start = time.thread_time()
        for seed, view in enumerate(positions):
            search.compare(view, Random(seed), no_time_limit)
        decision_ms = (time.thread_time() - start) / number * 1e3
        cards = max(measure_rate(lambda: play_out_rounds(rounds)) for _ in range(5)) if rounds else None
        print(json.dumps([decision_ms, cards, is_compiled()]), flush=True)


def request_figures(child: "subprocess.Popen[str]") -> Any:
    """Return the next answer of a child process."""
    assert child.stdin
    assert child.stdout
    print(file=child.stdin, flush=True)
    return json.loads(child.stdout.readline())


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", metavar="GAME", default=KEYS, help="all of them where none is named")
    parser.add_argument("--views", type=int, default=30)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.games[0], options.views)
        return
    print("game      ms a decision: plain  compiled  ratio   rollout cards a second: plain   compiled  ratio")
    for key in options.games:
        command = [sys.executable, "-P", __file__, key, "--views", str(options.views), "--serve"]
        children = {
            name: subprocess.Popen(
                command,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [path, ROOT]))},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name, path in BUILDS.items()
        }
        turns = [{name: request_figures(child) for name, child in children.items()} for _ in range(options.turns)]
        assert all(turn["compiled"][2] and not turn["plain"][2] for turn in turns), "make fast builds what is compared"
        plain, compiled = (min(turn[name][0] for turn in turns) for name in BUILDS)
        line = f"{key:9} {plain:20.1f} {compiled:9.1f} {plain / compiled:6.2f}"
        if turns[0]["plain"][1]:
            slow, fast = (max(turn[name][1] for turn in turns) for name in BUILDS)
            line += f" {slow:31,.0f} {fast:10,.0f} {fast / slow:6.2f}"
        print(line, flush=True)
        for child in children.values():
            child.communicate("")


if __name__ == "__main__":
    main()
