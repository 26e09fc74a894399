"""Sessions of the archive as rows of a list: their texts, filters and sort orders."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.engine.text_format import fold, format_count, sanitize
from cardtable.games import ABOUT, find_key
from cardtable.store import archive_index, session_files
from cardtable.store.profiles import ProfileStore, find_seats, map_current_nicks
from cardtable.store.sessions import Session
from cardtable.store.summaries import Summary, UnratedReason, find_unrated_reason
from cardtable.wording.formatting import format_day, format_number, format_ordinal, format_time_loss
from cardtable.wording.players import list_own_seat_first
from cardtable.wording.tables import format_current_round

Sort: TypeAlias = Literal["newest", "oldest", "game", "players", "place", "result"]
SORTS: Final[Sequence[Sort]] = get_args(Sort)
RESULTS: Final = ("won", "not won", "open", "abandoned")
"""Results by which the archive can be filtered."""
TODAY, WEEK, MONTH = "today", "7 days", "30 days"
_DAYS: Final = {TODAY: 1, WEEK: 7, MONTH: 30}
_UNRATED_REASONS: Final[Mapping[UnratedReason, str]] = {
    "club": "the club rates it",
    "continued": "it was continued from another session",
    "open hands": "all hands were open",
    "taken back": "a move was undone",
    "coached": "the coach was on",
    "chosen": "the deal was chosen by number or played again",
}
_FILE_WORDS: Final[Mapping[str, str]] = {"abandoned": "given up", "undone moves": "taken back"}
"""Words of session files that find a session as well, by the words that are shown."""
_AFTER_ALL_PLACES: Final = 10**6
"""Sort key that is larger than every rank."""


class ArchivedSession(msgspec.Struct, frozen=True):
    """Session with the values by which the archive searches, sorts and shows it."""

    summary: Summary
    search_text: str
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
        read = session_files.load_journal(summary.path)
        referee = session_files.replay_journal(summary.path, read)
    except CardtableError:
        return None
    seconds = max([entry.line.at or 0 for entry in read.entries], default=0)
    return SessionCourse(tuple([score.totals for score in referee.scores]), int(seconds // 60))


def create_row(summary: Summary, me: str, profile_store: ProfileStore) -> ArchivedSession:
    """Return the row of a session, as the player with the nick ``me`` sees it."""
    when = _get_last_played(summary).astimezone().date()
    header = summary.header
    if header is None:
        return ArchivedSession(summary, fold(summary.id), (), when, None)
    people, players = header.people, tuple(map_current_nicks(profile_store, header).values())
    seat = next(iter(find_seats(profile_store, me, header)), people[0] if len(people) == 1 else None)
    sitting = [*players, *[word for occupant in header.seats for word in (occupant.name, occupant.robot or "")]]
    properties = list_properties(summary)
    properties += [_FILE_WORDS[word] for word in properties if word in _FILE_WORDS]
    texts = [ABOUT[header.game].title, *sitting, summary.name, *properties]
    return ArchivedSession(summary, fold(" ".join([*texts, _format_date(when), summary.id])), players, when, seat)


def _get_last_played(summary: Summary) -> datetime:
    return datetime.fromtimestamp(summary.played, UTC)


def list_properties(summary: Summary) -> list[str]:
    """Return the properties of a session other than its result in words, the most important first."""
    header = summary.header
    if header is None:
        return ["cannot be opened"]
    properties = [{"open": "open", "given-up": "abandoned"}.get(summary.state, "")]
    properties.append(format_time_loss(header.seats[summary.timed_out].name) if summary.timed_out is not None else "")
    properties.append("real cards" if summary.real_cards else "")
    properties.append("undone moves" if summary.undone else "")
    properties.append("coach" if summary.coached else "")
    properties.append("known deal" if summary.has_known_cards else "")
    properties.append("open hands" if header.options.get("open_hands", "off") != "off" else "")
    if header.club:
        properties.append(format_club(header.club))
    elif summary.is_club_only:
        properties.append("at the club")
    elif not summary.real_cards:
        properties.append("hot seat" if len(header.people) > 1 else "" if header.people else "robots")
    properties.append(_format_room(header))
    properties.append("continued" if header.origin else "")
    return [word for word in properties if word]


def explain_unrated(session: Session) -> str:
    """Explain in a sentence why a finished session is not rated. Return ``""`` if it is rated.

    It may search the archive for an earlier session with the same deal.
    """
    reason = find_unrated_reason(session.header, session.referee.undone, coached=session.referee.coached)
    if reason:
        return f"Not rated: {_UNRATED_REASONS[reason]}."
    if not session.header.people or session.new_deal or not archive_index.is_deal_known(session.header.id):
        return ""
    subject = "you have" if len(session.header.people) == 1 else "somebody here has"
    return f"Not rated: {subject} played this deal before."


def format_club(name: str) -> str:
    """Return "at" and the name of a club. The article of the name is put in lower case."""
    return f"at {name[:1].lower() + name[1:] if name.startswith('The ') else name}"


def _format_room(header: Header) -> str:
    room = header.options.get("room")
    return f"{room} room" if isinstance(room, int) else ""


def list_facts(row: ArchivedSession, course: SessionCourse | None) -> list[str]:
    """Return texts about the number of rounds, the properties, and the duration of a session.

    The duration is left out if ``course`` is ``None``.
    """
    summary = row.summary
    facts = list_properties(summary) if summary.header else []
    if summary.header and summary.is_complete:
        done = (
            f"round {format_current_round(summary)}"
            if summary.state != "over"
            else format_count(summary.round, "round")
        )
        facts = [done, *facts, *([f"{course.minutes} min"] if course and course.minutes else [])]
    return facts


def list_seats_by_place(summary: Summary, header: Header) -> list[Seat]:
    """Return all seats by rank, the best first. If the session has no ranks, the seats are in order."""
    seats = range(len(header.seats))
    return sorted(seats, key=summary.ranks.__getitem__) if summary.ranks else [*seats]


def format_date_and_time(row: ArchivedSession) -> str:
    """Return the date and time of the last play, such as ``12 Nov 2026 18:05``."""
    return f"{_format_date(row.day)} {_get_last_played(row.summary).astimezone():%H:%M}"


def format_when(row: ArchivedSession, now: datetime) -> str:
    """Return the time of the last play: relative to ``now`` on the same day and the day before, else the date.

    The year is added to the date if it is not the present one.
    """
    minutes = (now - _get_last_played(row.summary)) // timedelta(minutes=1)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    days = (now.date() - row.day).days
    if days <= 1:
        return "yesterday" if days else f"{minutes // 60} h ago"
    return format_day(row.day) if row.day.year == now.year else _format_date(row.day)


def _format_date(when: date) -> str:
    return f"{format_day(when)} {when.year}"


def list_player_names(row: ArchivedSession) -> list[str]:
    """Return the names of all players clockwise, beginning with the seat of the row."""
    header = row.summary.header
    return [] if header is None else [header.seats[seat].name for seat in _order_seats(row, header)]


def _order_seats(row: ArchivedSession, header: Header) -> list[Seat]:
    if row.seat is None:
        return list_own_seat_first(header)
    return [(row.seat + i) % len(header.seats) for i in range(len(header.seats))]


def format_place(row: ArchivedSession) -> str:
    """Return the place of the row's seat as an ordinal number, or ``""`` if it has none."""
    return format_ordinal(row.rank) if row.rank else ""


def format_result(row: ArchivedSession) -> str:
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
        return format_current_round(summary) if summary.rounds else f"round {summary.round}"
    if row.seat is None:
        best = summary.ranks.index(1) if summary.ranks and 1 in summary.ranks else None
        return "" if best is None else f"{header.seats[best].name} {format_number(summary.totals[best])}"
    if len(header.seats) == 2:
        return " : ".join([format_number(summary.totals[seat]) for seat in _order_seats(row, header)])
    return format_number(summary.totals[row.seat])


def filter_rows(
    rows: Iterable[ArchivedSession], find: str, values: Mapping[str, str], today: date
) -> list[ArchivedSession]:
    """Return the rows that contain all words of ``find`` and match all filters, in the same order.

    ``values`` has the values of filters in ``FILTERS``; an empty one matches every session. If a player is given, the
    seats of the returned rows are those of this player. Spans end on ``today``.
    """
    words = fold(sanitize(find)).split()
    selected = [row for row in rows if all(word in row.search_text for word in words)] if words else list(rows)
    for name, value in values.items():
        if value:
            matches = FILTERS[name].create_test(value, today)
            selected = [row for row in selected if matches(row)]
        if value and name == "player":
            selected = [_select_seat(row, value) for row in selected]
    return selected


def _select_seat(row: ArchivedSession, nick: str) -> ArchivedSession:
    header = row.summary.header
    assert header is not None
    return replace(row, seat=header.people[row.people.index(nick)])


def _create_game_test(title: str, _today: date) -> Callable[[ArchivedSession], bool]:
    key = find_key(title)
    return lambda row: row.summary.header is not None and row.summary.header.game == key


def _create_date_test(span: str, today: date) -> Callable[[ArchivedSession], bool]:
    if span in _DAYS:
        first = today - timedelta(days=_DAYS[span] - 1)
        return lambda row: row.day >= first
    return lambda row: str(row.day.year) == span


def _create_result_test(result: str, _today: date) -> Callable[[ArchivedSession], bool]:
    if result in ("open", "abandoned"):
        state = "open" if result == "open" else "given-up"
        return lambda row: row.summary.state == state and row.summary.header is not None
    return lambda row: row.summary.state == "over" and row.rank is not None and (row.rank == 1) == (result == "won")


def sort_rows(rows: Sequence[ArchivedSession], sort: Sort) -> list[ArchivedSession]:
    """Return the rows in the order ``sort``.

    Ties remain in the order of ``rows``, which must be from newest to oldest.
    """
    if sort == "newest":
        return list(rows)
    if sort == "oldest":
        return list(reversed(rows))
    return sorted(rows, key=_KEYS[sort])


def _get_title(row: ArchivedSession) -> str:
    header = row.summary.header
    return ABOUT[header.game].title if header else "~"


def _compute_points_key(row: ArchivedSession) -> tuple[bool, int]:
    """Return the sort key for the column of results: the most points first, rows without points last.

    The direction is the same for every game. The order by place is the one in which few points can be better.
    """
    known = row.seat is not None and row.summary.is_complete and row.summary.state != "open"
    return not known, -row.summary.totals[row.seat] if known and row.seat is not None else 0


_KEYS: Final[dict[str, Callable[[ArchivedSession], Any]]] = {
    "game": _get_title,
    "players": lambda row: fold(" ".join(list_player_names(row))) or "~",
    "place": lambda row: row.rank or _AFTER_ALL_PLACES,
    "result": _compute_points_key,
}


def list_nicks(rows: Iterable[ArchivedSession]) -> list[str]:
    """Return the nicks of all human players in these sessions, the most frequent first."""
    counted = Counter(nick for row in rows for nick in row.people)
    return sorted(counted, key=lambda nick: (-counted[nick], nick))


def list_years(rows: Iterable[ArchivedSession]) -> list[str]:
    """Return the years in which these sessions were last played, the latest first."""
    return sorted({str(row.day.year) for row in rows}, reverse=True)


class Filter(NamedTuple):
    """Filter of the archive, whose value is chosen from a list."""

    noun: str
    """What a value is, in the singular."""
    any_text: str
    """Text of the filter while it matches every session."""
    list_values: Callable[[Iterable[ArchivedSession]], Sequence[str]]
    """Return the values that can be chosen, by the sessions of the archive."""
    create_test: Callable[[str, date], Callable[[ArchivedSession], bool]]
    """Return the test whether a session has the value on a day."""
    correct: Callable[[str], str] = str
    """Return the value for another word that may be typed."""


def _correct_game(typed: str) -> str:
    key = find_key(typed)
    return ABOUT[key].title if key else typed


def _correct_result(typed: str) -> str:
    return "abandoned" if fold(typed) == _FILE_WORDS["abandoned"] else typed


FILTERS: Final[Mapping[str, Filter]] = {
    "game": Filter(
        "game",
        "any game",
        lambda _rows: [about.title for about in ABOUT.values()],
        _create_game_test,
        _correct_game,
    ),
    "player": Filter("player", "anyone", list_nicks, lambda nick, _today: lambda row: nick in row.people),
    "when": Filter("span", "any time", lambda rows: [*_DAYS, *list_years(rows)], _create_date_test),
    "result": Filter("result", "any result", lambda _rows: RESULTS, _create_result_test, _correct_result),
}
"""Filters by their names, which are words of plain text, too."""
