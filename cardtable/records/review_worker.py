"""Storage of reviews, and the process that computes a review piece by piece."""

from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Seat
from cardtable.engine.text_format import sanitize
from cardtable.records.review import (
    NOT_OVER,
    DecisionEvaluation,
    Review,
    ReviewedSession,
    ReviewPiece,
    compute_next_piece,
    count_runs,
    load_reviewed_session,
)
from cardtable.store import atomic_io, paths, session_files, visibility
from cardtable.store.archive_index import Fingerprint, compute_fingerprint
from cardtable.store.errors import FileError, NewerFile, OlderFile, convert_os_errors
from cardtable.store.json_file import JsonFile
from cardtable.store.summaries import read_session_id
from cardtable.workers.server import BACKGROUND_NICENESS, WorkerRequest, serve

VERSION: Final = 2
"""Version of the review files, incremented whenever reviews of the same journal would change."""
MAX_BYTES: Final = 16 * 1024 * 1024
_MAX_POINTS: Final = 10**6
"""Upper limit of the absolute value of points in a file."""
_MAX_TEXT_LENGTH: Final = 1000
"""Maximum length of a text in a file, in characters."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="version", tag=VERSION):
    """Content of a review file."""

    fingerprint: Fingerprint = msgspec.field(name="traces")
    """Fingerprint of the journal that was reviewed."""
    seats: dict[str, Review]
    """Reviews by seat. JSON requires that the seats are texts."""


_FILE: Final = JsonFile(_File, MAX_BYTES, personal=False)


def get_review_path(journal: Path) -> Path | None:
    """Return the path of the review file of a journal.

    It is ``None`` for a journal outside the session folders of this home. The review file is in the archive even before
    the journal is moved there.
    """
    folder = atomic_io.resolve_links(journal).parent
    if folder not in map(atomic_io.resolve_links, (paths.archive_folder(), paths.sessions_folder())):
        return None
    return paths.review_file(read_session_id(journal))


def load(journal: Path, fingerprint: Fingerprint, session: ReviewedSession) -> Review:
    """Return the stored review of a session, or an empty one if there is none that can be used.

    ``fingerprint`` is the present fingerprint of the journal. Reviews of an earlier content are not used.
    """
    try:
        review = _get_reviews(_read_file(journal), fingerprint).get(str(session.seat))
    except FileError:
        review = None
    return review if review and _is_consistent(review, session) else Review([], [])


def has_flawless_review(journal: Path, seat: Seat) -> bool:
    """Return True if the stored review of a session has all decisions of the seat, and no mistake among them.

    The session is read only if no reviewed decision is a mistake, since only the session tells their number.
    """
    try:
        stored = _get_reviews(_read_file(journal), compute_fingerprint(journal.stat())).get(str(seat))
        if stored is None or not stored.judged or any(evaluation.cost for evaluation in stored.judged):
            return False
        job = ReviewJob(journal, seat)
    except (OSError, CardtableError):
        return False
    return len(job.review.judged) == len(job.session.decisions)


def find_file_error(journal: Path) -> str | None:
    """Explain in one line why the review file of a journal is unusable.

    Return ``None`` if it is usable or missing, or of an older version, so that the review is computed again.
    """
    try:
        _read_file(journal)
    except OlderFile:
        return None
    except FileError as error:
        outcome = "not saved" if isinstance(error, NewerFile) else "computed again"
        return f"{error}; the review is {outcome}"
    return None


def save(journal: Path, fingerprint: Fingerprint, seat: Seat, review: Review) -> None:
    """Store a review, which may be incomplete, together with the stored reviews of other seats.

    Pieces that another program has stored in the meantime are retained.

    A file of a newer version is left unchanged, and nothing is stored for a journal outside the session folders. Raises
    ``OSError`` if the file cannot be written.
    """
    path = get_review_path(journal)
    if path is None:
        return
    try:
        content = _read_file(journal)
    except NewerFile:
        return
    except FileError:
        content = None
    paths.create_folder(path.parent)
    reviews = _get_reviews(content, fingerprint)
    stored = reviews.get(str(seat), review)
    longest = Review(max(review.judged, stored.judged, key=len), max(review.dealt, stored.dealt, key=len))
    _FILE.write(path, _File(fingerprint, {**reviews, str(seat): longest}))


def _read_file(journal: Path) -> _File | None:
    """Return the content of the review file of a journal, or ``None`` if there is none.

    Raises ``FileError`` if the file cannot be read or is invalid.
    """
    path = get_review_path(journal)
    if path is None:
        return None
    try:
        return _FILE.read(path)
    except FileNotFoundError:
        return None


def _get_reviews(stored: _File | None, fingerprint: Fingerprint) -> dict[str, Review]:
    return stored.seats if stored and stored.fingerprint == fingerprint else {}


def _is_consistent(review: Review, session: ReviewedSession) -> bool:
    """Return True if a stored review is consistent with the session."""
    if len(review.judged) > len(session.decisions) or len(review.dealt) > len(session.deals):
        return False
    if any(
        len(made) != count_runs(session) or any(abs(points) >= _MAX_POINTS for points in made) for made in review.dealt
    ):
        return False
    pairs = zip(session.decisions, review.judged, strict=False)
    return all(judged.can_belong_to(decision) and _can_be_shown(judged) for decision, judged in pairs)


def _can_be_shown(evaluation: DecisionEvaluation) -> bool:
    """Return True if the figures are within their limits, and the texts safe to display in a terminal."""
    figures = [evaluation.cost, evaluation.error, *[choice.worth for choice in evaluation.choices]]
    words = [evaluation.aim, *evaluation.why]
    return all(abs(figure) < _MAX_POINTS for figure in figures) and all(
        sanitize(text, _MAX_TEXT_LENGTH) == text for text in words
    )


PIECES_PER_SAVE: Final = 10
"""Number of new pieces after which the review is saved."""


class ReviewJob:
    """Review of a session for one seat, saved while it is computed."""

    def __init__(self, path: Path, seat: Seat, pieces_per_save: int = PIECES_PER_SAVE) -> None:
        """Load the session and its stored review. It is saved after every ``pieces_per_save`` new pieces.

        Raises ``CardtableError`` if the session cannot be read or has not ended.
        """
        self._path, self._pieces_per_save = path, pieces_per_save
        with convert_os_errors(path):
            self._fingerprint = compute_fingerprint(path.stat())
        self.session: ReviewedSession = load_reviewable(path, seat)
        self.review: Review = load(path, self._fingerprint, self.session)

    def iter_pieces(self, *, deals_only: bool = False) -> Generator[ReviewPiece, None, None]:
        """Compute and yield the missing pieces, with ``deals_only`` only the rounds of experts.

        Those that are complete are saved even if the caller stops early.
        """
        saved = self.review.done_count
        try:
            while self.has_missing_deals if deals_only else self.review.done_count < self.session.step_count:
                yield compute_next_piece(self.session, self.review, deals_first=deals_only)
                if self.review.done_count >= saved + self._pieces_per_save:
                    self.save()
                    saved = self.review.done_count
        finally:
            if self.review.done_count > saved:
                self.save()

    @property
    def has_missing_deals(self) -> bool:
        return len(self.review.dealt) < len(self.session.deals)

    def iter_decisions(self) -> Iterator[int]:
        """Evaluate the decisions that are missing, and yield how many are done; the rounds are not played again."""
        with closing(self.iter_pieces()) as pieces:
            yield len(self.review.judged)
            while len(self.review.judged) < len(self.session.decisions):
                next(pieces)
                yield len(self.review.judged)

    def save(self) -> None:
        """Save the complete pieces. Errors are ignored, since the pieces can be computed again."""
        with suppress(OSError):
            save(self._path, self._fingerprint, self.session.seat, self.review)


def load_reviewable(path: Path, seat: Seat) -> ReviewedSession:
    """Return the session of a journal as ``seat`` played it.

    Raises ``CardtableError`` if the journal cannot be read, or if the session has not ended: a review would disclose
    the best choices.
    """
    read = session_files.load_journal(path)
    visibility.check_public(read.header)
    turn = session_files.replay_journal(path, read).turn
    is_abandoned = session_files.is_abandoned(path, turn)
    if turn != OVER and not is_abandoned:
        raise FileError(path, NOT_OVER)
    return load_reviewed_session(visibility.extract_viewable_part(read, turn), seat, is_abandoned=is_abandoned)


class ReviewRequest(WorkerRequest[Review | ReviewPiece], frozen=True):
    """Request for the review of a session for one seat. The answers are the stored part, and then each new piece.

    The caller has to save the pieces.
    """

    path: Path
    seat: Seat
    deals_first: bool = False
    """True if experts play the rounds before the decisions are evaluated."""


def _serve_review(request: ReviewRequest) -> Generator[Review | ReviewPiece, None, None]:
    reviewing = ReviewJob(request.path, request.seat)
    yield reviewing.review
    while reviewing.review.done_count < reviewing.session.step_count:
        yield compute_next_piece(reviewing.session, reviewing.review, deals_first=request.deals_first)


def main() -> None:
    serve(_serve_review, BACKGROUND_NICENESS)
