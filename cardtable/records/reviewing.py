"""Reviewing a session piece by piece, what is done being kept; and the process that does it for the screens."""

from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from cardtable.engine.contract import OVER, Seat
from cardtable.pipes.serving import Asks, serve
from cardtable.records import review_file
from cardtable.records.review import NOT_OVER, Piece, Played, Review, played, step
from cardtable.store import club_sessions, files
from cardtable.store.errors import FileError, reason
from cardtable.store.kept import traces

GIVES_WAY: Final = 10
"""By how much the priority of the process is lower than that of the program, and than that of the robots' process."""
OFTEN: Final = 10
"""Pieces from one saving to the next."""


class Reviewing:
    """The review of a session as one seat played it."""

    def __init__(self, path: Path, seat: Seat) -> None:
        """Raises ``CardtableError`` if the session cannot be reviewed."""
        self._path = path
        try:
            self._traces = traces(path.stat())
        except OSError as error:
            raise FileError(path, reason(error)) from None
        self.session: Played = reviewable(path, seat)
        self.review: Review = review_file.load(path, self._traces, self.session)

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
            review_file.save(self._path, self._traces, self.session.seat, self.review)


def reviewable(path: Path, seat: Seat) -> Played:
    """The session of a journal as a seat played it.

    Raises ``CardtableError`` for one that cannot be opened or is not over, since a review tells what is best.
    """
    read = files.one(path, files.read_session(path))
    turn = files.replayed(path, read).turn
    given_up = files.given_up(path, turn)
    if turn != OVER and not given_up:
        raise FileError(path, NOT_OVER)
    return played(club_sessions.viewable(read, turn), seat, given_up=given_up)


class ToReview(Asks[Review | Piece], frozen=True):
    """Asks for the review of a session as one seat played it: as far as it is kept, then each new piece.

    To keep the pieces is left to who asks.
    """

    path: Path
    seat: Seat


def _pieces(asked: ToReview) -> Generator[Review | Piece, None, None]:
    reviewing = Reviewing(asked.path, asked.seat)
    yield reviewing.review
    while reviewing.review.done < reviewing.session.steps:
        yield step(reviewing.session, reviewing.review)


def main() -> None:
    """Review for the program that started this process."""
    serve(_pieces, GIVES_WAY)
