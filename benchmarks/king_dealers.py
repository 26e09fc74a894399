"""Points of King's dealers in their own ten deals of a session, as the totals count them.

    python benchmarks/king_dealers.py [LEVEL] [--others LEVEL] [--sessions N] [--seed S]

If all robots are of one level, every seat counts; with ``--others`` only the one seat of LEVEL, which moves from
session to session.
"""

import argparse
from statistics import fmean, stdev

from cardtable.engine.referee import ignore_event
from cardtable.games import GAMES
from cardtable.games.king.rules.actions import SEATS
from cardtable.robots.arena import SESSIONS_PER_SEED, play_session


def compute_dealer_points(level: str, others: str, session: int, seed: int) -> list[int]:
    """Return the points of the dealers of ``level`` in their own ten deals of a session."""
    seats = range(SEATS) if level == others else [session % SEATS]
    levels = [level if seat in seats else others for seat in range(SEATS)]
    game = GAMES["king"]
    table = play_session(game, levels, game.options(), SESSIONS_PER_SEED * seed + session, ignore_event)
    own, before = [0] * SEATS, tuple([0] * SEATS)
    for round_, score in enumerate(table.scores):
        dealer = round_ % SEATS
        own[dealer] += score.totals[dealer] - before[dealer]
        before = score.totals
    return [own[seat] for seat in seats]


def main() -> None:
    """Play the sessions and print the mean."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("level", nargs="?", default="steady", metavar="LEVEL")
    parser.add_argument("--others", metavar="LEVEL", help="the same level where none is named")
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    others = options.others or options.level
    figures = [
        own
        for session in range(options.sessions)
        for own in compute_dealer_points(options.level, others, session, options.seed)
    ]
    error = stdev(figures) / len(figures) ** 0.5
    print(
        f"king {options.level} dealers among {others}: {fmean(figures):+.1f} ± {error:.1f} in ten own deals,"
        f" {len(figures)} dealers"
    )


if __name__ == "__main__":
    main()
