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
from cardtable.robots.kit.search_spec import not_listed


@dataclass(frozen=True)
class Session:
    """Result of a session for the seat that sees all cards."""

    lead: float
    """Advantage in points a round; larger is better."""
    own: float
    """Points a round."""
    first: float
    """Share of first place: 1 / n if n seats are first."""
    exact: float | None
    """Share of exact bids; None in games without bids."""


def make_omniscient_robot(key: str, state: State[View]) -> Robot:
    """Return a robot that searches in the present state of a session."""

    def repeat_state(_view: View, _rng: Random) -> Iterator[State[View]]:
        while True:
            yield state.copy()

    return MonteCarloSearch(replace(load_search_spec(key), sample_worlds=repeat_state, list_worlds=not_listed))


def play_session(key: str, opponent: str, seats: int, place: Seat, seed: int) -> Session:
    """Play a session in which the seat ``place`` sees all cards."""
    game, chance = GAMES[key], Random(seed)
    state = game.start(seats, game.options(**game.single_deal_options).for_seats(seats))
    robots = [
        make_omniscient_robot(key, state) if seat == place else load_robot(opponent, key) for seat in range(seats)
    ]
    rounds: list[tuple[int, ...]] = []
    exact_bids: list[bool] = []
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
                exact_bids.append(bid == won)
    ranks = state.ranks()
    return Session(
        fmean([compute_lead(game, points, place) for points in rounds]),
        fmean([points[place] for points in rounds]),
        (ranks[place] == 1) / ranks.count(1),
        fmean(exact_bids) if exact_bids else None,
    )


def compute_lead(game: AnyGame, points: tuple[int, ...], place: Seat) -> float:
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
    options = parser.parse_args()
    if options.sessions < 2:
        parser.error("one session does not tell an error")
    try:
        load_robot(options.among, options.game)
    except (ValueError, CardtableError) as error:
        parser.error(str(error))
    seats = options.seats or GAMES[options.game].about.usual_seats
    first = SESSIONS_PER_SEED * options.seed
    seatings_by_session = [
        [play_session(options.game, options.among, seats, place, number) for place in range(seats)]
        for number in range(first, first + options.sessions)
    ]
    results = [result for seatings in seatings_by_session for result in seatings]
    leads = [fmean([result.lead for result in seatings]) for seatings in seatings_by_session]
    exact = [result.exact for result in results if result.exact is not None]
    print(
        f"{options.game}, who sees all cards among {seats - 1} {options.among}: {fmean(leads):+.2f} ±"
        f" {stdev(leads) / len(leads) ** 0.5:.2f} points a round, "
        f"own {fmean([result.own for result in results]):.2f}, first in"
        f" {fmean([result.first for result in results]):.1%}"
        f"{f', {fmean(exact):.1%} of its bids exact' if exact else ''},"
        f" {len(leads)} sessions"
    )


if __name__ == "__main__":
    main()
