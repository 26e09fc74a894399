"""How strong the robots are: duplicate matches, on the same deals with the seats rotated.

    python benchmarks/duplicate.py [--deals N] [--seed S] [--match GAME A B] [--seats N] [--contract X]
    python benchmarks/duplicate.py --dealers LEVEL [--deals N] [--seed S]

One robot of level A meets robots of level B in all other seats.  Each deal is played once with
A in each seat, so that cards favour nobody; the mean of what A scored above the mean of the
others is the advantage on that deal.  Printed is its mean over the deals, in points a round,
with the standard error, and how many points A took a round itself.  Larger is better for A in
every game.  Rikiki goes through the rounds of its sessions without bonuses, Rifki through whole
sessions, Ten Down through those of ten cards and fewer; King, Gurka, Bridge and Rummy play the first
round of a session, where nobody has points yet.  With ``--contract`` the first dealer or declarer has
to name that contract, or each in turn, and only that round is played.

``--dealers`` tells how well contracts are named in King: what a dealer makes in its ten deals of a
session among equals, as the totals count it.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import fmean, stdev
from typing import Any

from cardtable.engine import options
from cardtable.engine.contract import CHANCE, Action, Game, View
from cardtable.engine.table import Table, forget
from cardtable.games import GAMES
from cardtable.robots.robot import Robot, make
from cardtable.robots.simulation import play_round, play_session


@dataclass(frozen=True)
class Field:
    """How a game is matched."""

    seats: int
    rounds: int
    """Rounds of a session that are played; their deals follow from its seed alone."""
    options: dict[str, object]
    contract: str = ""
    """What the dealer has to name; empty where it chooses."""


class Bound:
    """A robot that has to name a certain contract."""

    def __init__(self, robot: Robot, contract: str) -> None:
        self._robot, self._naming = robot, f"contract {contract}"

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """That contract, and from then on what the robot would do."""
        for action in view.legal:
            if str(action) == self._naming:
                return action
        others = tuple([action for action in view.legal if not str(action).startswith("contract ")])
        return self._robot.choose(replace(view, legal=others), rng, stop)


FIELDS = {
    "rikiki": Field(4, 28, {"bonuses": "off"}),
    "king": Field(4, 1, {}),
    "rifki": Field(4, 20, {}),
    "gurka": Field(4, 1, {}),
    "bridge": Field(3, 1, {}),
    "ten_down": Field(4, 10, {}),
    "rummy": Field(2, 1, {}),
}
MATCHES = [
    (game, a, b) for game in FIELDS for a, b in (("steady", "random"), ("novice", "random"), ("steady", "novice"))
]


def session(game: Game[Any, Any], field: Field, levels: Sequence[str], seed: int) -> list[tuple[int, ...]]:
    """Points by seat, larger being better, of each round of a session."""
    table = Table(game, field.seats, options.read(game.options, field.options, field.seats), seed)
    robots: list[Robot] = [make(level, game.about.key) for level in levels]
    if field.contract:
        robots = [Bound(robot, field.contract) for robot in robots]
    while len(table.scores) < field.rounds:
        play_round(table, robots)
    sign = -1 if game.lowest_wins else 1
    return [tuple([sign * points for points in score.points]) for score in table.scores]


def match(key: str, field: Field, a: str, b: str, deals: int, seed: int) -> tuple[list[float], list[float]]:
    """By deal: the advantage of A, and its own points."""
    game = GAMES[key]
    ahead, own = [], []
    for number in range(-(-deals // field.rounds)):
        seatings = [[a if seat == place else b for seat in range(field.seats)] for place in range(field.seats)]
        played = [session(game, field, levels, 1_000_000 * seed + number) for levels in seatings]
        for rounds in zip(*played, strict=True):
            mine = [points[place] for place, points in enumerate(rounds)]
            theirs = [(sum(points) - points[place]) / (field.seats - 1) for place, points in enumerate(rounds)]
            ahead.append(fmean(mine) - fmean(theirs))
            own.append(fmean(mine))
    return ahead, own


def contracts(key: str) -> list[str]:
    """The contracts that the first dealer of a game may name."""
    state = GAMES[key].start(4, GAMES[key].options())
    while state.turn == CHANCE:
        state.apply(state.lot(Random(1)))
    return [str(action).removeprefix("contract ") for action in state.legal()]


def dealt(level: str, sessions: int, seed: int) -> list[int]:
    """What dealers of King have made in their own deals: four figures a session."""
    game, made = GAMES["king"], []
    for number in range(sessions):
        table = play_session(game, [level] * 4, game.options(), 1_000_000 * seed + number, forget)
        own, before = [0] * 4, (0,) * 4
        for round_, score in enumerate(table.scores):
            dealer = round_ % 4
            own[dealer] += score.totals[dealer] - before[dealer]
            before = score.totals
        made += own
    return made


def main() -> None:
    """Play the matches that were asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--deals", type=int, default=280)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, help="instead of the usual number")
    parser.add_argument("--match", nargs=3, metavar=("GAME", "A", "B"), action="append")
    parser.add_argument("--contract", default="", metavar="X", help="what the dealer has to name, or: each")
    parser.add_argument("--dealers", metavar="LEVEL", help="what dealers of King make in their own deals")
    chosen = parser.parse_args()
    if chosen.dealers:
        made = dealt(chosen.dealers, -(-chosen.deals // 40), chosen.seed)
        error = stdev(made) / len(made) ** 0.5
        print(f"king {chosen.dealers} dealers {fmean(made):+.1f} +- {error:.1f} in ten own deals, {len(made)} dealers")
        return
    for key, a, b in chosen.match or MATCHES:
        field = replace(FIELDS[key], seats=chosen.seats or FIELDS[key].seats)
        for contract in contracts(key) if chosen.contract == "each" else [chosen.contract]:
            bound = replace(field, contract=contract, rounds=1) if contract else field
            tell(key, bound, a, b, chosen.deals, chosen.seed)


def tell(key: str, field: Field, a: str, b: str, deals: int, seed: int) -> None:
    """Play a match and print how it ended."""
    start = time.perf_counter()
    ahead, own = match(key, field, a, b, deals, seed)
    error = stdev(ahead) / len(ahead) ** 0.5
    print(
        f"{key:7} {field.contract:11} {a:7} against {field.seats - 1} {b:7} {fmean(ahead):+6.2f} +- {error:.2f}"
        f" a round, own {fmean(own):+6.2f}, {len(ahead)} deals, {time.perf_counter() - start:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
