"""Model of the review page: the decisions of one seat, the cursor, and the progress of their evaluation."""

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
    """Review of one seat of a session, and the cursor in the list of its decisions."""

    path: Path
    traces: Fingerprint
    """Fingerprint of the journal file at the time it was read."""
    session: ReviewedSession
    seats: tuple[Seat, ...]
    """Seats that can be reviewed: the seats of persons, or all seats if only robots played."""
    me: bool
    """True if the reviewed seat is the current player's, or the only one of a person."""
    place: int | None
    """Place of the reviewed seat in the session; ``None`` if the session was given up."""
    total: int
    when: float
    """Time at which the session was last played, as a POSIX timestamp."""
    review: Review = field(default_factory=lambda: Review([], []))
    by_round: bool = False
    at: int | None = None
    """Number of the decision under the cursor, in session order; ``None`` for the first of the list, whichever that is.
    """

    @property
    def header(self) -> Header:
        """Header of the journal, with sanitized names."""
        return session_files.sanitized_header(self.session.header)

    @property
    def names(self) -> list[str]:
        """Names of the seats; "you" for the reviewed seat if it is the current player's."""
        names = seat_names(self.header, YOU)
        return ["you" if self.me and seat == self.session.seat else name for seat, name in enumerate(names)]

    @property
    def who(self) -> str:
        """Name of the reviewed player."""
        return self.names[self.session.seat]

    @property
    def done(self) -> bool:
        """True if all decisions have been evaluated."""
        return self.review.done == self.session.steps

    @property
    def same(self) -> DuplicateResult | None:
        """Result of experts on the same deals, for comparison; ``None`` until it is known."""
        return compare_same_deals(self.session, self.review)

    @property
    def lines(self) -> list[ReviewText]:
        """Evaluated decisions in the order of the list: by round, or by cost."""
        return evaluated_decisions(self.session, self.review, by_round=self.by_round)

    @property
    def row(self) -> int:
        """Index in ``lines`` of the decision under the cursor; 0 if that is not evaluated."""
        if self.at is not None:
            for row, one in enumerate(self.lines):
                if one.decision.decisions == self.at:
                    return row
        return 0

    @property
    def current(self) -> ReviewText | None:
        """Decision under the cursor; ``None`` while the list is empty."""
        lines = self.lines
        return lines[self.row] if lines else None

    def add(self, piece: Review | Piece) -> None:
        """Add a piece of the review; a whole ``Review``, which was stored earlier, replaces the present one."""
        if isinstance(piece, Review):
            self.review = piece
        elif isinstance(piece, tuple):
            self.review.dealt.append(piece)
        else:
            self.review.judged.append(piece)

    def keep(self) -> None:
        """Save the review for the next time. A failure is ignored, since the review can be computed again."""
        with suppress(OSError):
            review_worker.save(self.path, self.traces, self.session.seat, self.review)

    def point(self, row: int) -> None:
        """Move the cursor to a line, limited to the ends of the list."""
        lines = self.lines
        if lines:
            self.at = lines[max(0, min(row, len(lines) - 1))].decision.decisions


def read(path: Path, seat: Seat | None, nick: str) -> ReviewModel:
    """Read a journal and return the model of the review of one seat.

    If ``seat`` is ``None``, it is the seat of ``nick``, else the first seat of a person, else the first seat. Raises
    CardtableError if the file cannot be read, or if the session is neither over nor given up.
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
