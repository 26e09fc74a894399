"""List of archived sessions in plain text, with search, filters, sort order and paging."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import inf
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_count, format_unknown_name
from cardtable.games import ABOUT, find_key, format_unknown_game
from cardtable.plain.action_menu import parse_number
from cardtable.plain.archive.session import ArchivedSessionDialog
from cardtable.plain.commands import (
    Commands,
    UnknownCommand,
    alone,
    format_unknown,
    go_back,
    read_until_back,
    request_quit,
)
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import to_ascii, to_sentence
from cardtable.store import profiles
from cardtable.store.archive_index import Archive
from cardtable.store.summaries import Summary
from cardtable.wording import archive_rows
from cardtable.wording.archive_rows import MONTH, RESULTS, SORTS, TODAY, WEEK, ArchivedSession, ArchiveFilter
from cardtable.wording.formatting import format_elapsed, join_or
from cardtable.wording.tables import format_open_error, format_table_title

_PAGE_SIZE: Final = 10
"""Number of sessions on a page."""
_NOTICE_FILES: Final = 200
"""Number of unread files above which a notice of the delay is printed."""


class PlainArchive:
    """Dialog that lists archived sessions and executes commands until the user goes back."""

    def __init__(self, resume: Callable[[Summary], object]) -> None:
        """Create the dialog; ``resume`` resumes a session or opens a score table."""
        self._resume_session = resume
        self._filter, self._sort = ArchiveFilter(), SORTS[0]
        self._all: list[ArchivedSession] = []
        self._shown_rows: list[ArchivedSession] = []
        self._printed = 0
        """Number of sessions of the list that have been printed."""
        spans, results = join_or((TODAY, WEEK, MONTH, "a year")), join_or(RESULTS)
        self.commands = Commands(
            {
                "Type the number of a session to see its result, score sheet, replay or review, or to continue it.": {},
                "find WORDS: only sessions with all of these words: games, nicks, robot levels, table names.": {
                    "find": lambda words: self._filter_by(find=words)
                },
                f"game GAME, player NICK, when {spans}, result {results}: only those; without a value, all again.": {
                    "game": self._filter_by_game,
                    "player": self._filter_by_player,
                    "when": self._filter_by_time,
                    "result": self._filter_by_result,
                },
                f"order {join_or(SORTS)}: the order of the list. all: all sessions again.": {
                    "order": self._change_order,
                    "all": alone(self._show_all),
                },
                "more: continue the list. An empty line: the list again. back: to the games. quit: leave.": {
                    "more": alone(self._print_next_page),
                    "": alone(self._print_list),
                    "back": alone(go_back),
                    "quit": alone(request_quit),
                },
            }
        )

    def run(self, search: str) -> None:
        """List the sessions that contain all words of ``search``, and execute commands until ``back``.

        Raises ``QuitRequested`` if the user quits.
        """
        self._filter_by(find=search)
        read_until_back(self._execute)

    def _print_list(self) -> None:
        """Apply the filter and the sort order to all sessions, and print the first page."""
        book, me = profiles.load()[0], profiles.get_current_nick()
        self._all = [archive_rows.create_row(summary, me, book) for summary in _load_sessions()]
        self._shown_rows = archive_rows.sort_rows(
            archive_rows.filter_rows(self._all, self._filter, _get_local_time().date()), self._sort
        )
        if not self._all:
            print_lines("There are no sessions yet. Type back, then the number of a game to start one.")
            return
        all_, chosen = format_count(len(self._all), "session"), self._describe_filter()
        number = f"{len(self._shown_rows)} of {all_}, {chosen}" if chosen else all_
        print_lines(to_sentence(f"archive: {number}, {_ORDER_TEXTS.get(self._sort, f'by {self._sort}')}"))
        self._printed = 0
        self._print_next_page()

    def _describe_filter(self) -> str:
        """Describe the filter in words; empty if it lets all sessions pass."""
        criteria = self._filter
        game = ABOUT[criteria.game].title if criteria.game else ""
        find = f"with {criteria.find}" if criteria.find else ""
        return ", ".join(filter(None, [find, game, criteria.player, criteria.when, criteria.result]))

    def _print_next_page(self) -> None:
        """Print the next page and what can be typed."""
        first, self._printed = self._printed, min(self._printed + _PAGE_SIZE, len(self._shown_rows))
        now = _get_local_time()
        for number, row in enumerate(self._shown_rows[first : self._printed], first + 1):
            print_lines(to_ascii(f"{number}: {_describe_session(row, now)}"))
        left = len(self._shown_rows) - self._printed
        if not self._shown_rows:
            print_lines("No session matches. Type all to list all sessions again.")
        elif first == self._printed:
            print_lines("That is the whole list.")
        else:
            print_lines(f"Type more for the next of {format_count(left, 'session')}, a number, or help." if left else
                "Type a number, or help.")  # fmt: skip

    def _execute(self, typed: str) -> None:
        number = parse_number(typed)
        if number is not None and 1 <= number <= len(self._shown_rows):
            ArchivedSessionDialog(self._shown_rows[number - 1], self._resume_session).run()
            self._print_list()
            return
        try:
            self.commands.execute(typed)
        except UnknownCommand:
            print_lines(format_unknown(typed, "Type a number from the list, or help."))

    def _filter_by(self, **changes: str) -> None:
        """Change fields of the filter, and print the list."""
        self._filter = self._filter._replace(**changes)
        self._print_list()

    def _filter_by_game(self, name: str) -> None:
        self._filter_by(game=_find_game(name) if name else "")

    def _filter_by_player(self, nick: str) -> None:
        self._filter_by(player=_match_name(nick, archive_rows.list_nicks(self._all), "player"))

    def _filter_by_time(self, span: str) -> None:
        self._filter_by(when=_match_name(span, [TODAY, WEEK, MONTH, *archive_rows.list_years(self._all)], "span"))

    def _filter_by_result(self, result: str) -> None:
        """Filter by a result; ``given up``, the word of session files, is accepted for ``abandoned``."""
        self._filter_by(result=_match_name("abandoned" if result.lower() == "given up" else result, RESULTS, "result"))

    def _change_order(self, order: str) -> None:
        name = _match_name(order, SORTS, "order")
        self._sort = next((sort for sort in SORTS if sort == name), SORTS[0])
        self._print_list()

    def _show_all(self) -> None:
        self._filter, self._sort = ArchiveFilter(), SORTS[0]
        self._print_list()


_ORDER_TEXTS: Final = {"newest": "the newest first", "oldest": "the oldest first", "place": "by your place"}
"""Descriptions of the sort orders that are not described by ``by`` and their name."""


def _load_sessions() -> list[Summary]:
    """Return all sessions, the last played first; a notice is printed if many new files must be read."""
    archive = Archive()
    archive.scan()
    if archive.unread_count > _NOTICE_FILES:
        print_lines(f"{archive.unread_count} new sessions are being read; this takes a moment.")
    while archive.read(inf):
        pass
    return archive.list_sessions()


def _find_game(name: str) -> str:
    key = find_key(name.lower())
    if key is None:
        raise CardtableError(format_unknown_game(name))
    return key


def _match_name(typed: str, known: Sequence[str], kind: str) -> str:
    """Return the name in ``known`` that equals the typed one, ignoring case; empty if nothing was typed.

    Raises ``CardtableError`` with the known names if there is none.
    """
    matches = [name for name in known if name.casefold() == typed.casefold()]
    if typed and not matches:
        raise CardtableError(format_unknown_name(kind, typed, known))
    return matches[0] if matches else ""


def _describe_session(row: ArchivedSession, now: datetime) -> str:
    """Describe a session in a sentence: title, age, place, result, players and properties."""
    summary = row.summary
    if summary.header is None:
        return to_sentence(f"{summary.id} {format_open_error(summary)}")
    when = format_elapsed(datetime.fromtimestamp(summary.played, UTC), now)
    result = archive_rows.format_result(row).replace(" : ", " to ")
    result = f"won by {result}" if row.seat is None and summary.state == "over" else result
    parts = [
        format_table_title(summary),
        when,
        archive_rows.format_place(row),
        result,
        ", ".join(archive_rows.list_player_names(row)),
        *archive_rows.list_properties(row.summary),
    ]
    return to_sentence(", ".join(filter(None, parts)))


def _get_local_time() -> datetime:
    return datetime.now(UTC).astimezone()
