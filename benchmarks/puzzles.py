"""Puzzles near the end of a round from sessions of robots.

    python benchmarks/puzzles.py GAME [--seats N] [--sessions N] [--seed S] > FILE

A puzzle is a card that a novice plays with few cards left.  Every deal that fits what the seat has seen, or a sample of
such deals, is played to its end by rule, after every card that may be played; on average the best card, or one that is
equal to it, has to be clearly better than all others, among them the novice's.  Each line is the file of a puzzle
(``docs/puzzles.md``).  Standard error says how many outcomes decide it.
``cardtable/puzzles.jsonl`` is a choice of them, the easy ones first.
"""

import argparse
import sys
from collections.abc import Iterator
from random import Random

import msgspec
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.records.puzzles import create_puzzle
from cardtable.records.review import ReviewedSession, judge_decision, load_reviewed_session
from cardtable.robots.kit.robot import load_search_spec
from cardtable.robots.kit.search import evaluate_all
from cardtable.robots.kit.search_spec import AnySearchSpec, no_tree
from cardtable.session.simulation import Plan, simulate
from cardtable.store.puzzle_files import Puzzle

TRICK_GAMES = ("rikiki", "gurka", "king", "rifki", "ten_down")
MIN_CARDS, MAX_CARDS = 2, 5
"""Numbers of cards in the hand."""
DEALS = 5_000
"""Number of deals in which cards are compared if more of them fit."""
MIN_LOSS = 0.6
"""Smallest loss by every card that is not as good as the best one, as a share of a big mistake."""


def iter_puzzles(spec: AnySearchSpec, session: ReviewedSession) -> Iterator[tuple[int, Puzzle]]:
    """Yield the difficulty of each puzzle in the decisions of a seat, and the puzzle."""
    header = session.header
    for decision in session.decisions:
        view, own = decision.view, decision.action
        if not (MIN_CARDS <= view.hand.bit_count() <= MAX_CARDS and isinstance(own, Play)):
            continue
        candidates = evaluate_all(spec, view, view.legal, spec.worlds, Random(0))
        values = [spec.in_points(view, candidate.mean) for candidate in candidates]
        losses = [round(max(values) - value, 6) for value in values]
        if not losses[view.legal.index(own)] or any(0 < loss < MIN_LOSS * spec.big_mistake for loss in losses):
            continue
        puzzle = create_puzzle(session, decision, judge_decision(header.game, header.seed, decision)[0], spec)
        if puzzle:
            yield len(candidates) * len(candidates[0].values), puzzle


def main() -> None:
    """Play the sessions; print the puzzles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("game", choices=TRICK_GAMES)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    key, spec = arguments.game, replace(load_search_spec(arguments.game), worlds=DEALS, tree_config=no_tree)
    seats, game = arguments.seats or GAMES[key].about.usual_seats, GAMES[key]
    levels = ("steady", *["novice"] * (seats - 1))
    for played in simulate(Plan(key, arguments.sessions, arguments.seed, levels, game.options().for_seats(seats))):
        stored = journal.read(played.journal)
        for seat in range(1, seats):
            for difficulty, puzzle in iter_puzzles(spec, load_reviewed_session(stored, seat)):
                print(f"{puzzle.id} session {played.number}, difficulty {difficulty}", file=sys.stderr)
                print(msgspec.json.format(msgspec.json.encode(puzzle), indent=-1).decode(), flush=True)


if __name__ == "__main__":
    main()
