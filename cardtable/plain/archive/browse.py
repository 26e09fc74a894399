"""List of archived sessions in plain text, with search, filters, sort order and paging."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import inf
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import unknown_name_message, with_count
from cardtable.games import ABOUT, key_of, unknown_game_message
from cardtable.plain.action_menu import parse_number
from cardtable.plain.archive.session import OneSession
from cardtable.plain.console import QuitRequested, print_lines, read_line
from cardtable.plain.speech_text import sentence, to_ascii
from cardtable.plain.table_commands import words_of
from cardtable.store import profiles
from cardtable.store.archive_index import Archive
from cardtable.store.summaries import Summary
from cardtable.wording import archive_rows
from cardtable.wording.archive_rows import MONTH, RESULTS, SORTS, TODAY, WEEK, ArchivedSession, ArchiveFilter
from cardtable.wording.formatting import age, join_or
from cardtable.wording.tables import open_error, title

HELP: Final = (
    "Type the number of a session for what it came to, its score sheet, a replay, a review, or to go on with it.",
    "find WORDS: only sessions with all of these words: games, nicks, levels of robots, names of tables.",
    f"game GAME, player NICK, when {join_or((TODAY, WEEK, MONTH, 'a year'))}, result {join_or(RESULTS)}: only those; "
    "without a word after it each lets all pass.",
    f"order {join_or(SORTS)}: the order of the list. all: all sessions again.",
    "more: the next of the list. An empty line: the list again. back: to the games. quit: leave.",
)
_AT_ONCE: Final = 10
"""Number of sessions on a page."""
_SLOW: Final = 200
"""Number of unread files above which a notice of the delay is printed."""


class PlainArchive:
    """Dialog that lists archived sessions and executes commands until the user goes back."""

    def __init__(self, go_on: Callable[[Summary], None]) -> None:
        """Create the dialog; ``resume`` resumes a session or opens a score table."""
        self._go_on = go_on
        self._filter, self._sort = ArchiveFilter(), SORTS[0]
        self._all: list[ArchivedSession] = []
        self._shown: list[ArchivedSession] = []
        self._printed = 0
        """Number of sessions of the list that have been printed."""

    def stay(self, find: str) -> None:
        """List the sessions that contain all words of ``search``, and execute commands until ``back``.

        Raises ``QuitRequested`` if the user quits.
        """
        self._filter = ArchiveFilter(find)
        self._list()
        while (typed := read_line()).lower() != "back":
            try:
                self._execute(typed)
            except CardtableError as error:
                print_lines(sentence(str(error)))

    def _list(self) -> None:
        """Apply the filter and the sort order to all sessions, and print the first page."""
        book, me = profiles.load()[0], profiles.current_nick()
        self._all = [archive_rows.row(summary, me, book) for summary in _sessions()]
        self._shown = archive_rows.sort_rows(
            archive_rows.filter_rows(self._all, self._filter, _now().date()), self._sort
        )
        if not self._all:
            print_lines("There is no session yet. Type back, then the number of a game to begin one.")
            return
        all_, chosen = with_count(len(self._all), "session"), self._describe_filter()
        number = f"{len(self._shown)} of {all_}, {chosen}" if chosen else all_
        print_lines(sentence(f"archive: {number}, {_ORDERS.get(self._sort, f'by {self._sort}')}"))
        self._printed = 0
        self._more()

    def _describe_filter(self) -> str:
        """Describe the filter in words; empty if it lets all sessions pass."""
        wanted = self._filter
        game = ABOUT[wanted.game].title if wanted.game else ""
        find = f"with {wanted.find}" if wanted.find else ""
        return ", ".join(filter(None, [find, game, wanted.player, wanted.when, wanted.result]))

    def _more(self) -> None:
        """Print the next page and what can be typed."""
        first, self._printed = self._printed, min(self._printed + _AT_ONCE, len(self._shown))
        now = _now()
        for number, row in enumerate(self._shown[first : self._printed], first + 1):
            print_lines(to_ascii(f"{number}: {_describe_session(row, now)}"))
        left = len(self._shown) - self._printed
        if not self._shown:
            print_lines("Nothing is found. all lists all sessions again.")
        elif first == self._printed:
            print_lines("That was the whole list.")
        else:
            print_lines(f"Type more for the next of {with_count(left, 'session')}, a number, or help." if left else
                "Type a number, or help.")  # fmt: skip

    def _execute(self, typed: str) -> None:
        word, rest = words_of(typed)
        number = parse_number(typed)
        if typed.lower() == "quit":
            raise QuitRequested
        if number is not None and 1 <= number <= len(self._shown):
            OneSession(self._shown[number - 1], self._go_on).stay()
            self._list()
        elif word == "more" and not rest:
            self._more()
        elif word in ("help", "?") and not rest:
            print_lines(*HELP)
        elif self._narrow(word, rest) or not typed:
            self._list()
        else:
            print_lines(f"There is no {typed[:40]} here. Type a number of the list, or help.")

    def _narrow(self, word: str, rest: str) -> bool:
        """Change the filter or the sort order; return False if the input is no such command.

        Raises ``CardtableError`` if the typed value is unknown.
        """
        if word == "all" and not rest:
            self._filter, self._sort = ArchiveFilter(), SORTS[0]
        elif word == "find":
            self._filter = self._filter._replace(find=rest)
        elif word == "game":
            self._filter = self._filter._replace(game=_game(rest) if rest else "")
        elif word == "player":
            nick = _match_name(rest, archive_rows.nicks(self._all), "player")
            self._filter = self._filter._replace(player=nick)
        elif word == "when":
            when = _match_name(rest, [TODAY, WEEK, MONTH, *archive_rows.years(self._all)], "span")
            self._filter = self._filter._replace(when=when)
        elif word == "result":
            self._filter = self._filter._replace(result=_match_name(rest, RESULTS, "result"))
        elif word == "order":
            name = _match_name(rest, SORTS, "order")
            self._sort = next((sort for sort in SORTS if sort == name), SORTS[0])
        else:
            return False
        return True


_ORDERS: Final = {"newest": "the newest first", "oldest": "the oldest first", "place": "by your place"}
"""Descriptions of the sort orders that are not described by ``by`` and their name."""


def _sessions() -> list[Summary]:
    """Return all sessions, the last played first; a notice is printed if many new files must be read."""
    archive = Archive()
    archive.scan()
    if archive.unread > _SLOW:
        print_lines(f"{archive.unread} new sessions are read first; this takes a moment.")
    while archive.read(inf):
        pass
    return archive.sessions()


def _game(name: str) -> str:
    key = key_of(name.lower())
    if key is None:
        raise CardtableError(unknown_game_message(name))
    return key


def _match_name(typed: str, known: Sequence[str], kind: str) -> str:
    """Return the name in ``known`` that equals the typed one, ignoring case; empty if nothing was typed.

    Raises ``CardtableError`` with the known names if there is none.
    """
    matches = [name for name in known if name.casefold() == typed.casefold()]
    if typed and not matches:
        raise CardtableError(unknown_name_message(kind, typed, known))
    return matches[0] if matches else ""


def _describe_session(row: ArchivedSession, now: datetime) -> str:
    """Describe a session in a sentence: title, age, place, result, players and properties."""
    summary = row.summary
    if summary.header is None:
        return sentence(f"{summary.id} {open_error(summary)}")
    when = age(datetime.fromtimestamp(summary.played, UTC), now)
    result = archive_rows.result(row).replace(" : ", " to ")
    result = f"won by {result}" if row.seat is None and summary.state == "over" else result
    parts = [
        title(summary),
        when,
        archive_rows.place(row),
        result,
        ", ".join(archive_rows.players(row)),
        *archive_rows.properties(row.summary),
    ]
    return sentence(", ".join(filter(None, parts)))


def _now() -> datetime:
    return datetime.now(UTC).astimezone()
