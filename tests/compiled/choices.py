"""Prints decisions of robots, hints, reviews and arena figures as JSON, one on each line.

    python -m tests.compiled.choices GAME [--decisions N] [--seed S]

The first line tells whether the robots are compiled. The same program prints the same other lines, and every figure is
written to its last digit, so that two builds of the program can be compared.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import cycle
from math import ceil
from random import Random
from typing import Any, Final

import msgspec

from cardtable.engine.game import OVER, View
from cardtable.engine.referee import Referee, ignore_event
from cardtable.games import GAMES, KEYS
from cardtable.installation import is_compiled
from cardtable.records.review import PastDecision, judge_decision
from cardtable.robots.arena import Match, play_deals
from cardtable.robots.hints import advise
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.robot import decide, load_search_spec, make_generator, make_robot, no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.testing.cases import list_cases

ADVICE_INTERVAL: Final = 5
"""A hint is given for one decision in this many at most, and another one of them is reviewed."""
MAX_ADVICE: Final = 60
"""Maximum number of hints, and of reviewed decisions: each takes as long as some ten decisions."""
POSITION_INTERVAL: Final = 7
"""A prime, so that every phase of a game occurs."""
ROUNDS: Final = 4
"""Number of rounds that are played of each session."""
DECISIONS_PER_DEAL: Final = 200
"""One deal is played in the arena for this many decisions."""


def iter_lines(game: str, decisions: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a line for each decision, hint and review, then one for each deal of a match."""
    robots = {level: make_robot(level, game) for level in LEVELS}
    interval = max(ADVICE_INTERVAL, ceil(decisions / MAX_ADVICE))
    for number, (table, view) in enumerate(_iter_positions(game, decisions, seed)):
        at = (table.seed, table.decisions)
        yield {
            "at": at,
            "levels": {level: str(decide(robot, view, *at)) for level, robot in robots.items() if level != "expert"},
            "expert": _search(game, view, make_generator(table.seed, view.seat, table.decisions)),
        }
        if number % interval == 0:
            yield {"at": at, "hint": _describe(advise(game, view, Random(number), no_time_limit))}
        elif number % interval == 1:
            decision = PastDecision(
                view.round, table.decisions, table.decisions, view, decide(robots["novice"], view, *at)
            )
            yield {"at": at, "review": _describe(judge_decision(game, table.seed, decision))}
    yield from _iter_deals(game, max(1, decisions // DECISIONS_PER_DEAL), seed)


def _iter_positions(key: str, decisions: int, seed: int) -> Iterator[tuple[Referee, View]]:
    """Yield positions from sessions of steady robots, each session with other house rules or another number of seats.

    Of the positions with more than one legal action, one in ``POSITION_INTERVAL`` is taken.
    """
    robot, passed = make_robot("steady", key), 0
    for number, case in enumerate(cycle(list_cases(GAMES[key]))):
        table = case.create_referee(seed + number, ignore_event)
        for _ in range(ROUNDS):
            if table.turn == OVER:
                break
            table.advance()
            while table.turn >= 0:
                view = table.view(table.turn)
                passed += len(view.legal) > 1
                if len(view.legal) > 1 and passed % POSITION_INTERVAL == 0:
                    yield table, view
                    decisions -= 1
                    if not decisions:
                        return
                table.play(table.turn, decide(robot, view, table.seed, table.decisions))


def _search(game: str, view: View, rng: Random) -> list[Any]:
    """Return the candidates of the expert, best first, with means, numbers of worlds and sums of points."""
    candidates = MonteCarloSearch(load_search_spec(game)).compare(view, rng, no_time_limit)
    return [
        (str(one.action), one.mean, len(one.values), [sum(seats) for seats in zip(*one.points, strict=True)])
        for one in candidates
    ]


def _describe(value: object) -> Any:
    return msgspec.to_builtins(value, enc_hook=repr)


def _iter_deals(key: str, deals: int, seed: int) -> Iterator[dict[str, Any]]:
    game = GAMES[key]
    options, seats = game.options(), game.seats_for(game.options())
    match = Match(key, "expert", "steady", "steady", seats, options, deals, seed)
    for session in range(match.sessions):
        for deal in play_deals(match, session):
            figures = msgspec.structs.replace(deal, seconds=0.0, max_seconds=0.0)
            yield {"deal": _describe(figures)}


def main() -> None:
    """Print the lines of a game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("game", choices=KEYS)
    parser.add_argument("--decisions", type=int, default=100, help="number of decisions of each level")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(json.dumps({"compiled": is_compiled()}))
    for line in iter_lines(chosen.game, chosen.decisions, chosen.seed):
        print(json.dumps(line))


if __name__ == "__main__":
    main()
