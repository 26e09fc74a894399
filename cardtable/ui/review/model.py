"""Model of the review page: the decisions of one seat, the cursor, and the progress of their evaluation."""

from contextlib import suppress
from pathlib import Path

import msgspec

from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import Header, replace_occupants
from cardtable.records import review_worker
from cardtable.records.review import (
    NOT_OVER,
    DuplicateResult,
    Review,
    ReviewedSession,
    compare_same_deals,
    load_reviewed_session,
)
from cardtable.store import profiles, session_files, visibility
from cardtable.store.archive_index import Fingerprint, compute_fingerprint
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.profiles import find_seats
from cardtable.store.session_files import find_last_played
from cardtable.wording.players import list_seat_names
from cardtable.wording.review import ReviewText, list_evaluated_decisions


class ReviewModel(msgspec.Struct):
    """Review of one seat of a session, and the cursor in the list of its decisions."""

    path: Path
    file_fingerprint: Fingerprint
    """Fingerprint of the journal file at the time it was read."""
    session: ReviewedSession
    seats: tuple[Seat, ...]
    """Seats that can be reviewed: the seats of persons, or all seats if only robots played."""
    is_current_player: bool
    """True if the reviewed seat is the current player's, or the only one of a person."""
    place: int | None
    """Final rank of the reviewed seat, from 1; ``None`` if the session was given up."""
    total: int
    last_play: float
    """Time at which the session was last played, as a POSIX timestamp."""
    review: Review = msgspec.field(default_factory=lambda: Review([], []))
    by_round: bool = False
    selected: int | None = None
    """Number of the decision under the cursor, in session order; ``None`` for the first of the list, whichever that is.
    """

    @property
    def header(self) -> Header:
        return session_files.sanitize_header(self.session.header)

    @property
    def names(self) -> list[str]:
        """Names of the seats; "you" for the reviewed seat if it is the current player's."""
        names = list_seat_names(self.header)
        return [
            "you" if self.is_current_player and seat == self.session.seat else name for seat, name in enumerate(names)
        ]

    @property
    def player_name(self) -> str:
        """Name of the reviewed player, with those of others who made rounds at the seat."""
        return (self.names if self.is_current_player else self.session.names)[self.session.seat]

    @property
    def is_complete(self) -> bool:
        return self.review.done_count == self.session.step_count

    @property
    def duplicate_result(self) -> DuplicateResult | None:
        """Result of experts on the same deals, for comparison; ``None`` until it is known."""
        return compare_same_deals(self.session, self.review)

    @property
    def lines(self) -> list[ReviewText]:
        return list_evaluated_decisions(self.session, self.review, by_round=self.by_round)

    @property
    def cursor_row(self) -> int:
        """Index in ``lines`` of the decision under the cursor; 0 if that is not evaluated."""
        if self.selected is not None:
            for row, one in enumerate(self.lines):
                if one.decision.decisions == self.selected:
                    return row
        return 0

    @property
    def current(self) -> ReviewText | None:
        """Decision under the cursor; ``None`` while the list is empty."""
        lines = self.lines
        return lines[self.cursor_row] if lines else None

    def save(self) -> None:
        """Save the review for the next time. A failure is ignored, since the review can be computed again."""
        with suppress(OSError):
            review_worker.save(self.path, self.file_fingerprint, self.session.seat, self.review)

    def move_to_row(self, row: int) -> None:
        """Move the cursor to a line, limited to the ends of the list."""
        lines = self.lines
        if lines:
            self.selected = lines[max(0, min(row, len(lines) - 1))].decision.decisions


def load_review(path: Path, seat: Seat | None, nick: str) -> ReviewModel:
    """Read a journal and return the model of the review of one seat.

    If ``seat`` is ``None``, it is the seat of ``nick``, else the first seat of a person, else the first seat. Raises
    CardtableError if the file cannot be read, or if the session is neither over nor given up.
    """
    try:
        as_it_is = compute_fingerprint(path.stat())
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None
    data = session_files.read_session(path)
    journal = session_files.parse_session(path, data)
    referee = session_files.replay_journal(path, journal)
    given_up = session_files.is_abandoned(path, referee.turn)
    if referee.turn != OVER and not given_up:
        raise FileError(path, NOT_OVER)
    header = replace_occupants(journal.header, referee.new_occupants)
    people = header.people
    seats = tuple(people or range(referee.seats))
    own = find_seats(profiles.load()[0], nick, header)
    if seat is None:
        seat = (*own, *seats)[0]
    me = seat in own or people == [seat]
    place = referee.ranks[seat] if referee.ranks else None
    session = load_reviewed_session(visibility.extract_viewable_part(journal, referee.turn), seat, given_up=given_up)
    return ReviewModel(
        path=path,
        file_fingerprint=as_it_is,
        session=session,
        seats=seats,
        is_current_player=me,
        place=place,
        total=referee.totals[seat],
        last_play=find_last_played(data),
    )
