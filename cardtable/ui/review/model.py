"""Model of the review page: the decisions of one seat, the cursor, and the progress of the review."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import Header, with_occupants
from cardtable.records import review_worker
from cardtable.records.review import (
    NOT_OVER,
    DuplicateResult,
    Piece,
    Review,
    ReviewedSession,
    compare_same_deals,
    load_played,
)
from cardtable.store import club_sessions, profiles, session_files
from cardtable.store.errors import FileError, os_error_message
from cardtable.store.file_cache import Fingerprint, fingerprint
from cardtable.store.profiles import seats_of
from cardtable.store.session_files import last_played
from cardtable.wording.formatting import YOU
from cardtable.wording.players import seat_names
from cardtable.wording.review import ReviewText, evaluated_decisions


@dataclass
class ReviewModel:
    """Review of one seat."""

    path: Path
    traces: Fingerprint
    """Fingerprint of the journal file when it was read."""
    session: ReviewedSession
    seats: tuple[Seat, ...]
    """Seats that can be reviewed."""
    me: bool
    """True if the seat is that of the current player."""
    place: int | None
    """Place of the seat; None if the session was given up."""
    total: int
    when: float
    """Time of the last play, in seconds since 1970-01-01T00:00Z."""
    review: Review = field(default_factory=lambda: Review([], []))
    by_round: bool = False
    at: int | None = None
    """Number of the decision under the cursor, in session order; None for the first of the list."""

    @property
    def header(self) -> Header:
        """Header with sanitized names."""
        return session_files.sanitized_header(self.session.header)

    @property
    def names(self) -> list[str]:
        """Names of the seats."""
        names = seat_names(self.header, YOU)
        return ["you" if self.me and seat == self.session.seat else name for seat, name in enumerate(names)]

    @property
    def who(self) -> str:
        """Name of the reviewed player."""
        return self.names[self.session.seat]

    @property
    def done(self) -> bool:
        """True if the review is complete."""
        return self.review.done == self.session.steps

    @property
    def same(self) -> DuplicateResult | None:
        """Result of the experts on the same deals."""
        return compare_same_deals(self.session, self.review)

    @property
    def lines(self) -> list[ReviewText]:
        """Evaluated decisions in the order of the list."""
        return evaluated_decisions(self.session, self.review, by_round=self.by_round)

    @property
    def row(self) -> int:
        """Index of the list line under the cursor."""
        if self.at is not None:
            for row, one in enumerate(self.lines):
                if one.decision.decisions == self.at:
                    return row
        return 0

    @property
    def current(self) -> ReviewText | None:
        """Decision under the cursor."""
        lines = self.lines
        return lines[self.row] if lines else None

    def add(self, piece: Review | Piece) -> None:
        """Add a piece of the review, or replace it by a stored review."""
        if isinstance(piece, Review):
            self.review = piece
        elif isinstance(piece, tuple):
            self.review.dealt.append(piece)
        else:
            self.review.judged.append(piece)

    def keep(self) -> None:
        """Save the review; a failure is ignored, since the review can be computed again."""
        with suppress(OSError):
            review_worker.save(self.path, self.traces, self.session.seat, self.review)

    def point(self, row: int) -> None:
        """Move the cursor to a line."""
        lines = self.lines
        if lines:
            self.at = lines[max(0, min(row, len(lines) - 1))].decision.decisions


def read(path: Path, seat: Seat | None, nick: str) -> ReviewModel:
    """Read the session of a journal for the review of `seat`; default: the seat of `nick`, or of the first person.

    Raises CardtableError if the session cannot be reviewed.
    """
    try:
        as_it_is = fingerprint(path.stat())
    except OSError as error:
        raise FileError(path, os_error_message(error)) from None
    data = session_files.read_session(path)
    journal = session_files.parse_session(path, data)
    table = session_files.replayed(path, journal)
    given_up = session_files.given_up(path, table.turn)
    if table.turn != OVER and not given_up:
        raise FileError(path, NOT_OVER)
    header = with_occupants(journal.header, table.new_occupants)
    people = header.people
    seats = tuple(people or range(table.seats))
    own = seats_of(profiles.load()[0], nick, header)
    if seat is None:
        seat = (*own, *seats)[0]
    me = seat in own or people == [seat]
    place = table.ranks[seat] if table.ranks else None
    session = load_played(club_sessions.viewable(journal, table.turn), seat, given_up=given_up)
    return ReviewModel(path, as_it_is, session, seats, me, place, table.totals[seat], last_played(data))
