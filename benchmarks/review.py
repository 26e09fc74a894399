"""Time of the review of a session, and the loss that the review finds in the expert's own play: 0 if it is fair.

    python benchmarks/review.py [GAME ...] [--level LEVEL]

For each game a session that a robot of the level (by default expert) played in seat 0 against steady robots is reviewed
on one core.  The review uses other random numbers than the robot did, so that it does not merely repeat the expert's
choices.
"""

import argparse
from time import process_time
from typing import Final

from cardtable.engine import journal
from cardtable.engine.journal import Header, Line, Occupant
from cardtable.games import GAMES, KEYS
from cardtable.records.review import (
    Review,
    ReviewedSession,
    compare_same_deals,
    compute_next_piece,
    load_reviewed_session,
)
from cardtable.robots.arena import play_session
from cardtable.robots.kit.levels import LEVELS

SEED: Final = 7


def record_session(key: str, level: str) -> ReviewedSession:
    """Return a session as played by seat 0."""
    game = GAMES[key]
    seats = game.seats_for(game.options())
    options = game.options().for_seats(seats)
    levels = [level, *["steady"] * (seats - 1)]
    occupants = tuple([Occupant(f"R{seat}", robot) for seat, robot in enumerate(levels)])
    header = Header(cardtable=3, id="x", game=key, created="", seed=SEED, options=options.to_dict(), seats=occupants)
    lines: list[Line] = []
    play_session(game, levels, options, SEED, lines.append)
    return load_reviewed_session(journal.read(journal.encode(header, lines)), 0)


def main() -> None:
    """Review a session of each game, and print the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=KEYS)
    parser.add_argument("--level", choices=LEVELS, default="expert")
    arguments = parser.parse_args()
    for key in arguments.games:
        session, review = record_session(key, arguments.level), Review([], [])
        started_at = process_time()
        while len(review.judged) < len(session.decisions):
            compute_next_piece(session, review)
        judged_at = process_time()
        while review.done_count < session.step_count:
            compute_next_piece(session, review)
        ended_at = process_time()
        costs = [decision.cost for decision in review.judged]
        comparison = compare_same_deals(session, review)
        assert comparison is not None
        print(
            f"{key}: {len(session.deals)} rounds in {ended_at - started_at:.1f} s: "
            f"{len(costs)} decisions {judged_at - started_at:.1f} s, "
            f"deals played {comparison.runs} times {ended_at - judged_at:.1f} s; "
            f"{sum(costs) / len(costs):.3f} points a decision, "
            f"{sum(cost > 0 for cost in costs)} cost something, {max(costs):.1f} at most; "
            f"same deals {comparison.own} to {comparison.experts:.0f}, {comparison.lead_per_round:+.1f} a round",
            flush=True,
        )


if __name__ == "__main__":
    main()
