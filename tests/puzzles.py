"""Puzzles for tests, made from decisions of robots."""

import json
from functools import cache

from cardtable.engine import journal
from cardtable.engine.value_checks import encode_view
from cardtable.games import GAMES
from cardtable.records.review import load_reviewed_session
from cardtable.store import puzzle_files
from cardtable.store.puzzle_files import Puzzle, PuzzleChoice
from tests.records.review_journals import record_session


@cache
def make_puzzle(key="rikiki", number=0, choice_counts=range(3, 100)):
    """Return a puzzle on the decision `number`, of those with so many choices, of a novice in seat 0.

    Each choice is 2 points worse than the one before. The second is too close to call, and the last is the novice's.
    """
    session = load_reviewed_session(journal.read(record_session(key, "novice", rounds=4)), 0)
    decision = [each for each in session.decisions if len(each.view.legal) in choice_counts][number]
    actions = sorted(map(str, decision.view.legal), key=lambda text: (text == str(decision.action), text))
    choices = [PuzzleChoice(text, -2.0 * i, 2.5 if i == 1 else 0.5) for i, text in enumerate(actions)]
    return Puzzle(
        game=key,
        title=GAMES[key].about.title,
        options=dict(session.header.options),
        seats=len(session.header.seats),
        view=encode_view(decision.view),
        scores=session.scores[: decision.view.finished],
        choices=tuple(choices),
        chosen=str(decision.action),
        why=("KH: wins the trick", "2H: loses it; 4.0 points worse"),
    )


def add_puzzle(nick, today, key="rikiki", number=0, searched="s/0"):
    """Add a puzzle to the list of a player, and return its id."""
    puzzle = make_puzzle(key, number)
    puzzle_files.add_puzzles(nick, [puzzle], today, searched)
    return puzzle.id


def encode_puzzle(key="rikiki", number=0):
    return puzzle_files.encode(make_puzzle(key, number))


def spoil_view(puzzle, **members):
    """Change members of the view in the file of a puzzle."""
    path = puzzle_files.get_path(puzzle)
    content = json.loads(path.read_bytes())
    del content["crc"]
    content["view"] |= members
    path.write_bytes(json.dumps(content).encode())
