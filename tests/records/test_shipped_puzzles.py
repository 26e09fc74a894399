"""Puzzles that come with the program."""

from datetime import date, timedelta
from random import Random

import pytest
from msgspec.structs import replace

from benchmarks.puzzles import DEALS, MIN_LOSS
from cardtable.records.puzzles import load_shipped_puzzles, search
from cardtable.robots.kit.robot import load_search_spec
from cardtable.robots.kit.search import evaluate_all
from cardtable.robots.kit.search_spec import compute_paired_difference, no_tree
from cardtable.store import paths, profiles, puzzle_files
from cardtable.store.puzzle_files import open_position
from cardtable.store.seating import ROBOT_NAMES

TODAY = date(2026, 11, 20)
PUZZLES = load_shipped_puzzles()
CLEAR_ERRORS = 5
"""Standard errors by which the answer is better in a sample of the deals."""
FIRST_BY_GAME = {puzzle.game: puzzle for puzzle in reversed(PUZZLES)}


def test_puzzles_are_clear():
    assert len({puzzle.id for puzzle in PUZZLES}) == len(PUZZLES) >= 15
    assert len(FIRST_BY_GAME) >= 4
    for puzzle in PUZZLES:
        worths = {choice.action: choice.worth for choice in puzzle.choices}
        assert not any(choice.error for choice in puzzle.choices)
        losses = {action: round(max(worths.values()) - worth, 1) for action, worth in worths.items()}
        least = MIN_LOSS * load_search_spec(puzzle.game).big_mistake
        assert losses[puzzle.chosen]
        assert all(not loss or loss >= round(least, 1) for loss in losses.values())
        assert len(puzzle.why) == 2
    text = paths.get_shipped_path("puzzles.jsonl").read_text("utf-8")
    assert not any(f'"{name}' in text for name in ROBOT_NAMES)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: f"{puzzle.game} {puzzle.id[:8]}")
def test_answer_is_the_only_best_one(puzzle):
    """In all deals that fit, or in many, every choice is worth as much as the answer or clearly less."""
    position, spec = open_position(puzzle), replace(load_search_spec(puzzle.game), worlds=DEALS, tree_config=no_tree)
    by_text = {str(action): action for action in position.actions}
    actions = [by_text[choice.action] for choice in puzzle.choices]
    best, *others = evaluate_all(spec, position.view, actions, DEALS, Random(0))
    for choice, other in zip(puzzle.choices[1:], others, strict=True):
        lag = compute_paired_difference(best, other)
        assert lag.is_clear(CLEAR_ERRORS) if choice.worth < puzzle.choices[0].worth else not lag.mean


def test_first_search_offers_them():
    profiles.register("Anna")
    assert [*search("Anna", 0, TODAY)][-1].puzzle_count == len(PUZZLES)
    own = puzzle_files.load_puzzles("Anna")[0]
    assert own.list_next(TODAY) == [puzzle.id for puzzle in PUZZLES]
    assert all(progress.imported for progress in own.puzzles.values())
    # they do not press: one is due only after it has been tried
    assert puzzle_files.count_due("Anna", TODAY) == 0
    tried, removed, *_ = own.puzzles
    puzzle_files.record_attempt("Anna", tried, TODAY, is_right=False)
    assert puzzle_files.load_puzzles("Anna")[0].list_due(TODAY + timedelta(days=1)) == [tried]
    # one that is removed does not come back
    puzzle_files.remove_puzzle("Anna", removed)
    assert [*search("Anna", 0, TODAY)][-1].puzzle_count == 0
    assert removed not in puzzle_files.load_puzzles("Anna")[0].puzzles
