"""Puzzles that come with the program, and from the reviews of a player's own sessions, with the process that looks for
them.

The sessions of the last weeks are searched, the newest first. Their decisions are reviewed as far as that has not been
done; the reviews are kept where the review page finds them. The biggest mistakes of each session become puzzles.
"""

from collections.abc import Generator, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, Seat
from cardtable.engine.options import has_open_hands
from cardtable.engine.value_checks import encode_view
from cardtable.games import GAMES, get_plugin_package
from cardtable.records.review import COMPARISON_WORLDS, WORSE_ERRORS, DecisionEvaluation, PastDecision, ReviewedSession
from cardtable.records.review_worker import ReviewJob
from cardtable.robots.hints import compute_error_in_points
from cardtable.robots.kit.robot import load_search_spec
from cardtable.robots.kit.search import evaluate_all
from cardtable.robots.kit.search_spec import AnySearchSpec, compute_paired_difference
from cardtable.store import archive_index, paths, profiles, puzzle_files
from cardtable.store.puzzle_files import MAX_CHOICES, SHIPPED, InvalidPuzzle, Puzzle, PuzzleChoice
from cardtable.workers.server import BACKGROUND_NICENESS, WorkerRequest, serve

DAYS: Final = 28
"""Age of the oldest sessions that are searched, in days."""
MAX_PER_SESSION: Final = 3
"""Maximum number of puzzles from one session."""
_SECONDS_A_DAY: Final = 24 * 60 * 60


class Source(NamedTuple):
    """Session to search, and the seat of the player."""

    path: Path
    seat: Seat
    name: str
    """Id and seat, by which a session that has been searched is remembered."""


class SearchProgress(msgspec.Struct, frozen=True):
    """Progress of the search for puzzles."""

    sessions: int
    """Number of sessions that have not been searched yet, with the one that is being searched."""
    decisions: int = 0
    """Number of decisions of that session."""
    done: int = 0
    """Number of its decisions that have been reviewed."""
    puzzle_count: int = 0
    """Number of new puzzles so far."""


def list_sources(nick: str, now: float) -> tuple[list[Source], list[str]]:
    """Return the sessions of a player that are to be searched, the one played last first, and the names of all recent
    ones.

    ``now`` is a POSIX timestamp. Sessions with open hands are left out, since the player saw more than the expert.
    """
    own, stored = puzzle_files.PUZZLES.load_own(nick)[0], profiles.load()[0]
    recent = [
        Source(summary.path, seat, f"{summary.id}/{seat}")
        for summary in archive_index.list_finished()
        if summary.header and not summary.real_cards and now - summary.played < DAYS * _SECONDS_A_DAY
        if not summary.is_club_only and not has_open_hands(summary.header.options)
        for seat in profiles.find_seats(stored, nick, summary.header)
    ]
    return [source for source in recent if source.name not in own.searched], [source.name for source in recent]


def search(nick: str, now: float, today: date) -> Iterator[SearchProgress]:
    """Search the sessions of a player for puzzles, and save what is found. The first search adds the shipped ones.

    The review is saved after each decision, so that the caller may stop at any time. Sessions that cannot be reviewed
    are skipped. Raises ``CardtableError`` if the puzzles cannot be saved.
    """
    puzzle_count = add_shipped_puzzles(nick, today)
    sources, recent = list_sources(nick, now)
    for number, source in enumerate(sources):
        left, puzzles = len(sources) - number, list[Puzzle]()
        yield SearchProgress(left, puzzle_count=puzzle_count)
        with suppress(CardtableError):  # the file has been moved, or its game has failed
            job = ReviewJob(source.path, source.seat, pieces_per_save=1)
            for done in job.iter_decisions():
                yield SearchProgress(left, len(job.session.decisions), done, puzzle_count)
            puzzles = create_puzzles(job.session, job.review.judged)
        puzzle_count += puzzle_files.add_puzzles(nick, puzzles, today, source.name, [*recent, SHIPPED])
    yield SearchProgress(0, puzzle_count=puzzle_count)


def add_shipped_puzzles(nick: str, today: date) -> int:
    """Add the puzzles that come with the program to a player's list, once; return the number of new ones.

    Raises ``CardtableError`` if they cannot be saved.
    """
    if SHIPPED in puzzle_files.PUZZLES.load_own(nick)[0].searched:
        return 0
    return puzzle_files.add_puzzles(nick, load_shipped_puzzles(), today, SHIPPED)


def load_shipped_puzzles() -> list[Puzzle]:
    """Return the puzzles that come with the program, the easy ones first; ``benchmarks/puzzles.py`` makes such ones."""
    return [puzzle_files.parse(line) for line in paths.get_shipped_path("puzzles.jsonl").read_bytes().splitlines()]


def create_puzzles(session: ReviewedSession, evaluations: list[DecisionEvaluation]) -> list[Puzzle]:
    """Return puzzles of the biggest mistakes among the reviewed decisions of a session."""
    spec = load_search_spec(session.header.game)
    pairs = zip(session.decisions, evaluations, strict=False)
    costly = [pair for pair in pairs if pair[1].cost > 0 and pair[1].cost >= spec.big_mistake]
    made = (create_puzzle(session, *pair, spec) for pair in sorted(costly, key=lambda pair: -pair[1].cost))
    puzzles = []
    for puzzle in made:
        if puzzle is not None:
            puzzles.append(puzzle)
        if len(puzzles) == MAX_PER_SESSION:
            break
    return puzzles


def create_puzzle(
    session: ReviewedSession, decision: PastDecision, evaluation: DecisionEvaluation, spec: AnySearchSpec
) -> Puzzle | None:
    """Return the puzzle of a decision, or ``None`` if it makes none.

    All legal actions are evaluated in the same new worlds. If these do not confirm that the choice of the review is
    among the best, and the player's choice worse, the decision makes no puzzle. Nor does it if one of the two is an
    offer or a claim, which teaches nothing about the play.
    """
    header, view = session.header, decision.view
    game = GAMES[header.game]
    actions = sorted(view.legal, key=lambda action: str(action) != evaluation.choices[0].action)
    if len(actions) > MAX_CHOICES or actions[0].rare_in_random_play or decision.action.rare_in_random_play:
        return None
    rng = Random(f"puzzle {header.seed} {view.seat} {decision.decisions}")
    best, *others = evaluate_all(spec, view, actions, COMPARISON_WORLDS, rng)
    value = spec.in_points(view, best.mean)
    choices, worse = [PuzzleChoice(str(best.action), round(value, 1) + 0.0, 0.0)], set[Action]()
    for other in others:
        lag = compute_paired_difference(best, other)
        if compute_paired_difference(other, best).is_clear(WORSE_ERRORS):
            return None
        behind = max(value - spec.in_points(view, best.mean - lag.mean), 0.0)
        error = WORSE_ERRORS * compute_error_in_points(spec, view, lag)
        choices.append(PuzzleChoice(str(other.action), round(value - behind, 1) + 0.0, round(error, 1)))
        if behind > error:
            worse.add(other.action)
    if decision.action not in worse:
        return None
    puzzle = Puzzle(
        game=header.game,
        title=game.about.title,
        options=dict(header.options),
        seats=len(header.seats),
        view=encode_view(view),
        scores=session.scores[: view.finished],
        choices=(choices[0], *sorted(choices[1:], key=lambda choice: -choice.worth)),
        chosen=str(decision.action),
        why=evaluation.why,
        lasting=evaluation.lasting,
        package=get_plugin_package(header.game) or msgspec.UNSET,
    )
    try:
        return puzzle_files.parse(puzzle_files.encode(puzzle))
    except InvalidPuzzle:  # a game of another package may have views that cannot be stored
        return None


class SearchRequest(WorkerRequest[SearchProgress], frozen=True):
    """Request to search the sessions of a player for puzzles, which are saved."""

    nick: str
    now: float
    today: date


def _serve_search(request: SearchRequest) -> Generator[SearchProgress, None, None]:
    yield from search(request.nick, request.now, request.today)


def main() -> None:
    serve(_serve_search, BACKGROUND_NICENESS)
