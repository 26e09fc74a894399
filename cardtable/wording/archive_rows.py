"""Sessions of the archive as rows of a list: their texts, filters and sort orders."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.engine.text_format import sanitize, with_count
from cardtable.games import ABOUT
from cardtable.store import archive_index, session_files
from cardtable.store.profiles import ProfileStore, nicks_today, seats_of
from cardtable.store.sessions import Session
from cardtable.store.summaries import Summary, Unrated, unrated
from cardtable.wording.formatting import day, lost_on_time, ordinal, signed
from cardtable.wording.players import own_first
from cardtable.wording.tables import round_of

Sort: TypeAlias = Literal["newest", "oldest", "game", "players", "place", "result"]
SORTS: Final[Sequence[Sort]] = get_args(Sort)
RESULTS: Final = ("won", "not won", "open", "given up")
"""Results by which the archive can be filtered."""
TODAY, WEEK, MONTH = "today", "7 days", "30 days"
_DAYS: Final = {TODAY: 1, WEEK: 7, MONTH: 30}
_UNRATED: Final[Mapping[Unrated, str]] = {
    "club": "the club rates it",
    "continued": "it was continued from another session",
    "open hands": "all hands were open",
    "taken back": "a move was taken back",
    "chosen": "the deal was chosen or played again",
}
_LAST: Final = 10**6
"""Sort key that is larger than every rank."""


@dataclass(frozen=True, slots=True)
class ArchivedSession:
    """Session with the values by which the archive searches, sorts and shows it."""

    summary: Summary
    words: str
    """Text that is searched, in case-folded form."""
    people: tuple[str, ...]
    """Current nicks of the human players, in the order of seats."""
    day: date
    """Date of the last play in the local time zone."""
    seat: Seat | None
    """Seat whose place and result are shown, or ``None`` if there is no such seat.

    It is the current player's seat, or else the seat of the only human player.
    """

    @property
    def rank(self) -> int | None:
        """Rank of ``seat``, or ``None`` if there is no seat or the session has no ranks."""
        places = self.summary.places
        return None if self.seat is None or places is None else places[self.seat]


class SessionCourse(NamedTuple):
    """Course of a session: its totals over the rounds, and its duration."""

    totals: tuple[tuple[int, ...], ...]
    """Totals by seat after each finished round."""
    minutes: int
    """Time for which programs have had the session open, in minutes."""


def read_course(summary: Summary) -> SessionCourse | None:
    """Read the course of a session from its journal. Return ``None`` if it cannot be read or is a score table."""
    if summary.real_cards:
        return None
    try:
        read = session_files.parse_session(summary.path, session_files.read_session(summary.path))
        table = session_files.replayed(summary.path, read)
    except CardtableError:
        return None
    seconds = max([entry.line.at or 0 for entry in read.entries], default=0)
    return SessionCourse(tuple([score.totals for score in table.scores]), int(seconds // 60))


class ArchiveFilter(NamedTuple):
    """Filter of the archive. An empty field matches every session."""

    find: str = ""
    """Search text, whose words a session must all contain."""
    game: str = ""
    player: str = ""
    """Nick of a human player."""
    when: str = ""
    """A year, or one of ``TODAY``, ``WEEK`` and ``MONTH``."""
    result: str = ""


def row(summary: Summary, me: str, book: ProfileStore) -> ArchivedSession:
    """Return the row of a session, as the player with the nick ``me`` sees it."""
    when = _moment(summary).astimezone().date()
    header = summary.header
    if header is None:
        return ArchivedSession(summary, summary.id.casefold(), (), when, None)
    people, players = header.people, tuple(nicks_today(book, header).values())
    seat = next(iter(seats_of(book, me, header)), people[0] if len(people) == 1 else None)
    sitting = [*players, *[word for who in header.seats for word in (who.name, who.robot or "")]]
    texts = [ABOUT[header.game].title, *sitting, summary.name, *properties(summary)]
    return ArchivedSession(summary, " ".join([*texts, _date(when), summary.id]).casefold(), players, when, seat)


def _moment(summary: Summary) -> datetime:
    return datetime.fromtimestamp(summary.played, UTC)


def properties(summary: Summary) -> list[str]:
    """Return the properties of a session other than its result in words, the most important first."""
    header = summary.header
    if header is None:
        return ["cannot be opened"]
    said = [{"open": "open", "given-up": "given up"}.get(summary.state, "")]
    said.append(lost_on_time(header.seats[summary.timed_out].name) if summary.timed_out is not None else "")
    said.append("real cards" if summary.real_cards else "")
    said.append("taken back" if summary.undone else "")
    said.append("known deal" if summary.has_known_cards else "")
    said.append("open hands" if header.options.get("open_hands", "off") != "off" else "")
    if header.club:
        said.append(at_club(header.club))
    elif summary.is_club_only:
        said.append("at the club")
    elif not summary.real_cards:
        said.append("hot seat" if len(header.people) > 1 else "" if header.people else "robots")
    said.append(_room(header))
    said.append("continued" if header.origin else "")
    return [word for word in said if word]


def not_rated(session: Session) -> str:
    """Explain in a sentence why a finished session is not rated. Return ``""`` if it is rated.

    It may search the archive for an earlier session with the same deal.
    """
    why = unrated(session.header, session.table.undone)
    if why:
        return f"Not rated: {_UNRATED[why]}."
    if not session.header.people or session.new_deal or not archive_index.deal_was_seen(session.header.id):
        return ""
    who = "you have" if len(session.header.people) == 1 else "somebody here has"
    return f"Not rated: {who} played this deal before."


def at_club(name: str) -> str:
    """Return "at" and the name of a club. The article of the name is put in lower case."""
    return f"at {name[:1].lower() + name[1:] if name.startswith('The ') else name}"


def _room(header: Header) -> str:
    room = header.options.get("room")
    return f"{room} room" if isinstance(room, int) else ""


def facts(row: ArchivedSession, course: SessionCourse | None) -> list[str]:
    """Return texts about the number of rounds, the properties, and the duration of a session.

    The duration is left out if ``course`` is ``None``.
    """
    summary = row.summary
    said = properties(summary) if summary.header else []
    if summary.header and summary.is_complete:
        done = f"round {round_of(summary)}" if summary.state != "over" else with_count(summary.round, "round")
        said = [done, *said, *([f"{course.minutes} min"] if course and course.minutes else [])]
    return said


def best_first(summary: Summary, header: Header) -> list[Seat]:
    """Return all seats by rank, the best first. If the session has no ranks, the seats are in order."""
    seats = range(len(header.seats))
    return sorted(seats, key=summary.ranks.__getitem__) if summary.ranks else [*seats]


def moment(row: ArchivedSession) -> str:
    """Return the date and time of the last play, such as ``12 Nov 2026 18:05``."""
    return f"{_date(row.day)} {_moment(row.summary).astimezone():%H:%M}"


def when(row: ArchivedSession, now: datetime) -> str:
    """Return the time of the last play: relative to ``now`` on the same day and the day before, else the date.

    The year is added to the date if it is not the present one.
    """
    minutes = (now - _moment(row.summary)) // timedelta(minutes=1)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    days = (now.date() - row.day).days
    if days <= 1:
        return "yesterday" if days else f"{minutes // 60} h ago"
    return day(row.day) if row.day.year == now.year else _date(row.day)


def _date(when: date) -> str:
    return f"{day(when)} {when.year}"


def players(row: ArchivedSession) -> list[str]:
    """Return the names of all players clockwise, beginning with the seat of the row."""
    header = row.summary.header
    return [] if header is None else [header.seats[seat].name for seat in _order(row, header)]


def _order(row: ArchivedSession, header: Header) -> list[Seat]:
    if row.seat is None:
        return own_first(header)
    return [(row.seat + i) % len(header.seats) for i in range(len(header.seats))]


def place(row: ArchivedSession) -> str:
    """Return the place of the row's seat as an ordinal number, or ``""`` if it has none."""
    return ordinal(row.rank) if row.rank else ""


def result(row: ArchivedSession) -> str:
    """Return the result of a session in a few words.

    This is the total of the row's seat, or both totals if there are two seats. Without such a seat it is the winner
    with the total, and in an unfinished session the round.
    """
    summary, header = row.summary, row.summary.header
    if header is None or not summary.is_complete:
        return ""
    if summary.state == "open":
        if not summary.round:
            return "not dealt"
        return round_of(summary) if summary.rounds else f"round {summary.round}"
    if row.seat is None:
        best = summary.ranks.index(1) if summary.ranks and 1 in summary.ranks else None
        return "" if best is None else f"{header.seats[best].name} {signed(summary.totals[best])}"
    if len(header.seats) == 2:
        return " : ".join([signed(summary.totals[seat]) for seat in _order(row, header)])
    return signed(summary.totals[row.seat])


def filter_rows(rows: Iterable[ArchivedSession], wanted: ArchiveFilter, today: date) -> list[ArchivedSession]:
    """Return the rows that match ``criteria``, in the same order.

    If a player is given, the seats of the returned rows are those of this player. The periods ``TODAY``, ``WEEK`` and
    ``MONTH`` end on the date ``today``.
    """
    words = sanitize(wanted.find).casefold().split()
    tests: list[Callable[[ArchivedSession], bool]] = []
    if wanted.game:
        tests.append(lambda row: row.summary.header is not None and row.summary.header.game == wanted.game)
    if wanted.player:
        rows = [_seen_by(row, wanted.player) for row in rows if wanted.player in row.people]
    if wanted.when:
        tests.append(_played(wanted.when, today))
    if wanted.result:
        tests.append(lambda row: _came_out(row, wanted.result))
    selected = [row for row in rows if all(word in row.words for word in words)] if words else list(rows)
    for test in tests:
        selected = [row for row in selected if test(row)]
    return selected


def _seen_by(row: ArchivedSession, nick: str) -> ArchivedSession:
    header = row.summary.header
    assert header is not None
    return replace(row, seat=header.people[row.people.index(nick)])


def _played(when: str, today: date) -> Callable[[ArchivedSession], bool]:
    if when in _DAYS:
        first = today - timedelta(days=_DAYS[when] - 1)
        return lambda row: row.day >= first
    return lambda row: str(row.day.year) == when


def _came_out(row: ArchivedSession, result: str) -> bool:
    state = row.summary.state
    if result in ("open", "given up"):
        return state == result.replace(" ", "-") and row.summary.header is not None
    return state == "over" and row.rank is not None and (row.rank == 1) == (result == "won")


def sort_rows(rows: Sequence[ArchivedSession], sort: Sort) -> list[ArchivedSession]:
    """Return the rows in the order ``sort``. Ties remain in the order of ``rows``, which must be from newest to oldest."""
    if sort == "newest":
        return list(rows)
    if sort == "oldest":
        return list(reversed(rows))
    return sorted(rows, key=_KEYS[sort])


def _title(row: ArchivedSession) -> str:
    header = row.summary.header
    return ABOUT[header.game].title if header else "~"


def _points(row: ArchivedSession) -> tuple[bool, int]:
    """Return the sort key for the column of results: the most points first, rows without points last.

    The direction is the same for every game. The order by place is the one in which few points can be better.
    """
    known = row.seat is not None and row.summary.is_complete and row.summary.state != "open"
    return not known, -row.summary.totals[row.seat] if known and row.seat is not None else 0


_KEYS: Final[dict[str, Callable[[ArchivedSession], Any]]] = {
    "game": _title,
    "players": lambda row: " ".join(players(row)).casefold() or "~",
    "place": lambda row: row.rank or _LAST,
    "result": _points,
}


def nicks(rows: Iterable[ArchivedSession]) -> list[str]:
    """Return the nicks of all human players in these sessions, the most frequent first."""
    counted = Counter(nick for row in rows for nick in row.people)
    return sorted(counted, key=lambda nick: (-counted[nick], nick))


def years(rows: Iterable[ArchivedSession]) -> list[str]:
    """Return the years in which these sessions were last played, the latest first."""
    return sorted({str(row.day.year) for row in rows}, reverse=True)
