"""Puzzles near the end of a round, which solving all deals decides, from sessions of robots.

    python benchmarks/puzzles.py GAME [--seats N] [--sessions N] [--seed S] > FILE

A puzzle is a card that a novice plays with few cards left.  Every deal that fits what the seat has seen is played to
its end by rule, after every card that may be played; on average the best card, or one that is equal to it, has to be
clearly better than all others, among them the novice's.  Each line is the file of a puzzle (``docs/puzzles.md``).
Standard error says how many outcomes decide it.  ``cardtable/puzzles.jsonl`` is a choice of them, the easy ones first.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from random import Random

import msgspec
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.game import Action, State, View
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import Play, TrickView
from cardtable.games import GAMES, import_submodule
from cardtable.records.puzzles import create_puzzle
from cardtable.records.review import ReviewedSession, judge_decision, load_reviewed_session
from cardtable.robots.kit.endgame import AnyEnding, follow
from cardtable.robots.kit.robot import load_search_spec
from cardtable.robots.kit.search import evaluate_all
from cardtable.robots.kit.search_spec import AnySearchSpec, Outcome, not_enumerable
from cardtable.session.simulation import Plan, simulate
from cardtable.store.puzzle_files import Puzzle

GAMES_WITH_ENDINGS = ("rikiki", "gurka", "king", "rifki", "ten_down")
MIN_CARDS, MAX_CARDS = 2, 5
"""Numbers of cards in the hand."""
MAX_DEALS = 5_000
"""Largest number of deals that are solved."""
LUCKS = (0.25, 0.75)
"""Luck of the two ways in which each deal is played to its end: in some games players hurry in one of them."""
MIN_LOSS = 0.6
"""Smallest loss by every card that is not as good as the best one, as a share of a big mistake."""


def load_ending(game: str) -> AnyEnding:
    ending: AnyEnding = vars(import_submodule(game, "policy"))["ENDING"]
    return ending


def count_deals(ending: AnyEnding, view: TrickView, state: TrickState[View]) -> int:
    """Return the number of deals that fit a view and differ from that of a state only in cards that are alike."""
    count, unseen = 1, ending.find_unseen_cards(view)
    for kind in ending.alike:
        left = (unseen & kind).bit_count()
        for held in [(hand & kind).bit_count() for seat, hand in enumerate(state.hands) if seat != view.seat]:
            count *= comb(left, held)
            left -= held
    return count


def make_exact_spec(game: str) -> AnySearchSpec:
    """Return the search specification of a game in which plays near the end of a round are solved in all deals."""
    spec, ending = load_search_spec(game), load_ending(game)
    if spec.enumerate_outcomes is not not_enumerable:
        return spec

    @lru_cache(maxsize=1)
    def list_deals(view: TrickView) -> list[tuple[State[View], float]]:
        """Return a state of each kind of deal, with its probability; none if there are too many."""
        states = list(ending.list_states(view, MAX_DEALS) or ())
        counts = [count_deals(ending, view, state) for state in states if isinstance(state, TrickState)]
        return [(state, count / sum(counts)) for state, count in zip(states, counts, strict=True)]

    def enumerate_outcomes(view: View, action: Action) -> Sequence[Outcome] | None:
        deals = list_deals(view) if isinstance(action, Play) and isinstance(view, TrickView) else []
        play_out = spec.rollouts(view)
        return [
            Outcome(chance / len(LUCKS), play_out(follow(state, action), luck))
            for state, chance in deals
            for luck in LUCKS
        ] or None

    return replace(spec, enumerate_outcomes=enumerate_outcomes)


def iter_puzzles(spec: AnySearchSpec, session: ReviewedSession) -> Iterator[tuple[int, Puzzle]]:
    """Yield the difficulty of each puzzle in the decisions of a seat, and the puzzle."""
    header = session.header
    for decision in session.decisions:
        view, own = decision.view, decision.action
        if not MIN_CARDS <= view.hand.bit_count() <= MAX_CARDS or spec.enumerate_outcomes(view, own) is None:
            continue
        candidates = evaluate_all(spec, view, view.legal, 0, Random(0))
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
    parser.add_argument("game", choices=GAMES_WITH_ENDINGS)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    key, spec = arguments.game, make_exact_spec(arguments.game)
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
