"""Reviewing a session piece by piece, what is done being kept; and the process that does it for the screens."""

from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.game import OVER, Seat
from cardtable.engine.text_format import sanitize
from cardtable.records.review import NOT_OVER, DecisionEvaluation, Piece, Played, Review, played, runs, step
from cardtable.store import club_sessions, paths, session_files
from cardtable.store.errors import FileError, NewerFile, reason
from cardtable.store.file_cache import Traces, fingerprint
from cardtable.store.json_file import JsonFile
from cardtable.store.summaries import session_id
from cardtable.workers.server import WorkerRequest, serve

VERSION: Final = 2
"""It goes up whenever reviews would say something else of the same journal."""
ENDING: Final = ".review.json"
MOST_BYTES: Final = 16 * 1024 * 1024
_MOST: Final = 10**6
"""More points than can be made."""
_LONGEST: Final = 1000
"""Characters of a text, at most."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file holds."""

    version: int
    traces: Traces
    """Those of the journal that was reviewed."""
    seats: dict[str, Review]
    """By number of the seat."""


_FILE: Final = JsonFile(_File, "version", VERSION, MOST_BYTES, personal=False)


def place(journal: Path) -> Path | None:
    """Where the reviews of a journal are kept, also before it is moved there; ``None`` for one from elsewhere."""
    folder = journal.resolve().parent
    if folder not in (paths.archive().resolve(), paths.sessions().resolve()):
        return None
    return paths.archive() / f"{session_id(journal)}{ENDING}"


def load(journal: Path, traces: Traces, session: Played) -> Review:
    """What is kept of the review of a session whose journal has these traces; nothing yet, if that is no use."""
    try:
        found = _seats(_read(journal), traces).get(str(session.seat))
    except FileError:
        found = None
    return found if found and _fits(found, session) else Review([], [])


def trouble(journal: Path) -> str:
    """Return in a line why the file of a journal's reviews cannot be used; empty if it can, or there is none."""
    try:
        _read(journal)
    except FileError as error:
        kept = "not kept" if isinstance(error, NewerFile) else "made anew"
        return f"{error}; the review is {kept}"
    return ""


def save(journal: Path, traces: Traces, seat: Seat, review: Review) -> None:
    """Keep a review as far as it is, and those of other seats.  Raises ``OSError``.

    The file of a newer version stays as it is.
    """
    path = place(journal)
    if path is None:
        return
    try:
        kept = _read(journal)
    except NewerFile:
        return
    except FileError:
        kept = None
    paths.make(path.parent)
    _FILE.write(path, _File(VERSION, traces, {**_seats(kept, traces), str(seat): review}))


def _read(journal: Path) -> _File | None:
    """Return what is kept of a journal; ``None`` where nothing is.  Raises ``FileError``."""
    path = place(journal)
    if path is None:
        return None
    try:
        return _FILE.read(path)
    except FileNotFoundError:
        return None


def _seats(kept: _File | None, traces: Traces) -> dict[str, Review]:
    """Return the reviews of each seat, if the journal still has these traces."""
    return kept.seats if kept and (kept.version, kept.traces) == (VERSION, traces) else {}


def _fits(review: Review, session: Played) -> bool:
    """Whether it can be the review of the session, as far as that shows."""
    if len(review.judged) > len(session.decisions) or len(review.dealt) > len(session.deals):
        return False
    if review.dealt and len(review.judged) < len(session.decisions):
        return False
    if any(len(made) != runs(session) or any(abs(points) >= _MOST for points in made) for made in review.dealt):
        return False
    pairs = zip(session.decisions, review.judged, strict=False)
    return all(judged.fits(decision) and _can_be_shown(judged) for decision, judged in pairs)


def _can_be_shown(judged: DecisionEvaluation) -> bool:
    """Whether its figures are of a size that there can be, and its words fit for a terminal."""
    figures = [judged.cost, judged.error, *[choice.worth for choice in judged.choices]]
    words = [judged.aim, *judged.why]
    return all(abs(figure) < _MOST for figure in figures) and all(sanitize(text, _LONGEST) == text for text in words)


GIVES_WAY: Final = 10
"""By how much the priority of the process is lower than that of the program, and than that of the robots' process."""
OFTEN: Final = 10
"""Pieces from one saving to the next."""


class ReviewJob:
    """The review of a session as one seat played it."""

    def __init__(self, path: Path, seat: Seat) -> None:
        """Raises ``CardtableError`` if the session cannot be reviewed."""
        self._path = path
        try:
            self._traces = fingerprint(path.stat())
        except OSError as error:
            raise FileError(path, reason(error)) from None
        self.session: Played = reviewable(path, seat)
        self.review: Review = load(path, self._traces, self.session)

    def steps(self) -> Iterator[Piece]:
        """Each piece that is missing, when it is done; left before the end, all that is done is kept."""
        kept = self.review.done
        try:
            while self.review.done < self.session.steps:
                yield step(self.session, self.review)
                if self.review.done >= kept + OFTEN:
                    self._save()
                    kept = self.review.done
        finally:
            if self.review.done > kept:
                self._save()

    def _save(self) -> None:
        """Keep what is done; where that fails nothing is lost but time."""
        with suppress(OSError):
            save(self._path, self._traces, self.session.seat, self.review)


def reviewable(path: Path, seat: Seat) -> Played:
    """The session of a journal as a seat played it.

    Raises ``CardtableError`` for one that cannot be opened or is not over, since a review tells what is best.
    """
    read = session_files.parse_session(path, session_files.read_session(path))
    turn = session_files.replayed(path, read).turn
    given_up = session_files.given_up(path, turn)
    if turn != OVER and not given_up:
        raise FileError(path, NOT_OVER)
    return played(club_sessions.viewable(read, turn), seat, given_up=given_up)


class ReviewRequest(WorkerRequest[Review | Piece], frozen=True):
    """Asks for the review of a session as one seat played it: as far as it is kept, then each new piece.

    To keep the pieces is left to who asks.
    """

    path: Path
    seat: Seat


def _pieces(asked: ReviewRequest) -> Generator[Review | Piece, None, None]:
    reviewing = ReviewJob(asked.path, asked.seat)
    yield reviewing.review
    while reviewing.review.done < reviewing.session.steps:
        yield step(reviewing.session, reviewing.review)


def main() -> None:
    """Review for the program that started this process."""
    serve(_pieces, GIVES_WAY)
