"""Reviewing a session piece by piece, what is done being kept; and the process that does it: ``python -m``.

The process is told a journal and a seat, writes the review as far as it is kept and then each new piece to its
standard output, a line of JSON each, and ends when it is done or its standard input ends: when its parent closes
the pipe, or dies.  To keep the pieces is left to who started it.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

import msgspec

from cardtable.engine.contract import OVER, Seat
from cardtable.records import review_file
from cardtable.records.review import Piece, Played, Review, played, step
from cardtable.robots.pipes import give_way
from cardtable.store import files
from cardtable.store.errors import CardtableError, FileError, reason
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
        raise FileError(path, "the session is not over; a review is of one that is")
    return played(read, seat, given_up=given_up)


def main(path: str, seat: str) -> None:
    """Review for the program that started this process."""
    give_way(GIVES_WAY)
    unwanted = Event()
    Thread(target=_await_end, args=(unwanted,), daemon=True).start()
    try:
        reviewing = Reviewing(Path(path), int(seat))
        session, review = reviewing.session, reviewing.review
        _tell(review)
        while review.done < session.steps and not unwanted.is_set():
            _tell(step(session, review))
    except BrokenPipeError:
        sys.stdout = None  # nobody reads; nothing is left to flush at the end
    except CardtableError as error:
        sys.exit(str(error))


def _await_end(unwanted: Event) -> None:
    while os.read(0, 1):  # not through a buffer, whose lock would be held when the process ends
        pass
    unwanted.set()


def _tell(piece: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(piece) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
