"""Sessions of the archive as rows of a list, with the filters and sort orders of the list."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.text_format import fold, sanitize
from cardtable.games import ABOUT, find_key
from cardtable.store import archive_index, profiles, session_files
from cardtable.store.profiles import find_seats
from cardtable.store.session_setup import find_deal_day
from cardtable.store.summaries import Summary

_RESULTS: Final = ("won", "not won", "open", "abandoned")
_DAYS: Final = {"today": 1, "7 days": 7, "30 days": 30}
FILE_WORDS: Final[Mapping[str, str]] = {"abandoned": "given up", "undone moves": "taken back"}
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

    @property
    def seats(self) -> list[Seat]:
        """All seats clockwise, beginning with ``seat``, or with seat 0 if there is no such seat."""
        count = len(self.summary.header.seats) if self.summary.header else 0
        return [((self.seat or 0) + i) % count for i in range(count)]


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


def list_player_names(row: ArchivedSession) -> list[str]:
    """Return the names of all players clockwise, beginning with the seat of the row."""
    header = row.summary.header
    return [] if header is None else [header.seats[seat].name for seat in row.seats]


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
        state = "open" if result == "open" else "abandoned"
        return lambda row: row.summary.state == state and row.summary.header is not None
    return lambda row: row.summary.state == "over" and row.rank is not None and (row.rank == 1) == (result == "won")


def sort_rows(rows: Sequence[ArchivedSession], sort: str) -> list[ArchivedSession]:
    """Return the rows in the order ``sort``.

    Ties remain in the order of ``rows``, which must be from newest to oldest.
    """
    if sort == "newest":
        return list(rows)
    if sort == "oldest":
        return list(reversed(rows))
    return sorted(rows, key=_KEYS[sort])


def _compute_points_key(row: ArchivedSession) -> tuple[bool, int]:
    """Return the sort key for the column of results: the most points first, rows without points last.

    The direction is the same for every game. The order by place is the one in which few points can be better.
    """
    known = row.seat is not None and row.summary.is_complete and row.summary.state != "open"
    return not known, -row.summary.totals[row.seat] if known and row.seat is not None else 0


_KEYS: Final[dict[str, Callable[[ArchivedSession], Any]]] = {
    "game": lambda row: ABOUT[row.summary.header.game].title if row.summary.header else "~",
    "players": lambda row: fold(" ".join(list_player_names(row))) or "~",
    "place": lambda row: row.rank or _AFTER_ALL_PLACES,
    "result": _compute_points_key,
}
SORTS: Final = ("newest", "oldest", *_KEYS)
"""Sort orders of the list, which are words of plain text, too."""


def _list_nicks(rows: Iterable[ArchivedSession]) -> list[str]:
    """Return the nicks of all human players in these sessions, the most frequent first."""
    counted = Counter(nick for row in rows for nick in row.people)
    return sorted(counted, key=lambda nick: (-counted[nick], nick))


class Filter(NamedTuple):
    """Filter of the archive, whose value is chosen from a list."""

    noun: str
    """What a value is, in the singular."""
    examples: Sequence[str]
    """Values as the help of plain text lists them."""
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


FILTERS: Final[Mapping[str, Filter]] = {
    "game": Filter(
        "game",
        ["GAME"],
        "any game",
        lambda _rows: [about.title for about in ABOUT.values()],
        _create_game_test,
        _correct_game,
    ),
    "player": Filter("player", ["NICK"], "anyone", _list_nicks, lambda nick, _today: lambda row: nick in row.people),
    "when": Filter(
        "span",
        [*_DAYS, "a year"],
        "any time",
        lambda rows: [*_DAYS, *sorted({str(row.day.year) for row in rows}, reverse=True)],
        _create_date_test,
    ),
    "result": Filter(
        "result",
        _RESULTS,
        "any result",
        lambda _rows: _RESULTS,
        _create_result_test,
        lambda typed: "abandoned" if fold(typed) == FILE_WORDS["abandoned"] else typed,
    ),
}
"""Filters by their names, which are words of plain text, too."""


def find_last_daily_session(nick: str) -> Path:
    """Return the path of the deal of the day that a player finished last.

    Raises ``CardtableError`` if there is none.
    """
    profile_store = profiles.load()[0]
    for summary in archive_index.list_summaries():
        header = summary.header
        if header and summary.state == "over" and find_deal_day(header) and find_seats(profile_store, nick, header):
            return summary.path
    raise CardtableError(f"{nick} has not finished a deal of the day yet")
