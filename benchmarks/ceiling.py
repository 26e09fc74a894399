"""Upper bound of an expert: its advantage if it saw all hands and the cards to be drawn.

    python benchmarks/ceiling.py GAME [--among R] [--seats N] [--sessions N] [--seed S]

The robot searches as the expert does, but only in the true state; the others are robots R, levels or from files as in
``cardtable arena``.  Whole sessions are played, each with the all-seeing robot in every seat.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from statistics import fmean, stdev

from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, OVER, AnyGame, Seat, State, View
from cardtable.games import GAMES, KEYS
from cardtable.robots.arena import SESSIONS_PER_SEED
from cardtable.robots.kit.file_robots import load_robot
from cardtable.robots.kit.robot import Robot, decide, load_search_spec
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.robots.kit.search_spec import not_enumerable


@dataclass(frozen=True)
class Session:
    """Result of a session for the seat that sees all cards."""

    ahead: float
    """Advantage in points a round; larger is better."""
    own: float
    """Points a round."""
    first: float
    """Share of first place: 1 / n if n seats are first."""
    exact: float | None
    """Share of exact bids; None in games without bids."""


def seeing(key: str, state: State[View]) -> Robot:
    """Return a robot that searches in the present state of a session."""

    def true(_view: View, _rng: Random) -> Iterator[State[View]]:
        while True:
            yield state.copy()

    return MonteCarloSearch(replace(load_search_spec(key), sample_worlds=true, enumerate_outcomes=not_enumerable))


def session(key: str, among: str, seats: int, place: Seat, seed: int) -> Session:
    """Play a session in which the seat ``place`` sees all cards."""
    game, chance = GAMES[key], Random(seed)
    state = game.start(seats, game.options(**game.single_deal_options).for_seats(seats))
    robots = [seeing(key, state) if seat == place else load_robot(among, key) for seat in range(seats)]
    rounds: list[tuple[int, ...]] = []
    made: list[bool] = []
    decisions = 0
    while state.turn != OVER:
        if state.turn == CHANCE:
            state.apply(state.draw_chance(chance))
        else:
            state.apply(decide(robots[state.turn], state.view(state.turn), seed, decisions))
            decisions += 1
        if not state.playing and state.score is not None and state.finished > len(rounds):
            rounds.append(state.score.points)
            if game.exact_bids:
                bid, won = state.score.figures[place]
                made.append(bid == won)
    ranks = state.ranks()
    return Session(
        fmean([ahead(game, points, place) for points in rounds]),
        fmean([points[place] for points in rounds]),
        (ranks[place] == 1) / ranks.count(1),
        fmean(made) if made else None,
    )


def ahead(game: AnyGame, points: tuple[int, ...], place: Seat) -> float:
    """Return the advantage of a seat over the mean of the others."""
    lead = points[place] - (sum(points) - points[place]) / (len(points) - 1)
    return -lead if game.lowest_wins else lead


def main() -> None:
    """Play the sessions; print the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("game", choices=KEYS)
    parser.add_argument("--among", default="steady")
    parser.add_argument("--seats", type=int)
    parser.add_argument("--sessions", type=int, default=20, help="2 at least")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.sessions < 2:
        parser.error("one session does not tell an error")
    try:
        load_robot(chosen.among, chosen.game)
    except (ValueError, CardtableError) as error:
        parser.error(str(error))
    seats = chosen.seats or GAMES[chosen.game].about.usual_seats
    first = SESSIONS_PER_SEED * chosen.seed
    played = [
        [session(chosen.game, chosen.among, seats, place, number) for place in range(seats)]
        for number in range(first, first + chosen.sessions)
    ]
    each = [one for seatings in played for one in seatings]
    leads = [fmean([one.ahead for one in seatings]) for seatings in played]
    exact = [one.exact for one in each if one.exact is not None]
    print(
        f"{chosen.game}, who sees all cards among {seats - 1} {chosen.among}: {fmean(leads):+.2f} ±"
        f" {stdev(leads) / len(leads) ** 0.5:.2f} points a round, own {fmean([one.own for one in each]):.2f}, first in"
        f" {fmean([one.first for one in each]):.1%}{f', {fmean(exact):.1%} of its bids exact' if exact else ''},"
        f" {len(leads)} sessions"
    )


if __name__ == "__main__":
    main()
