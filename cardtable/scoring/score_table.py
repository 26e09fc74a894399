"""Score table of a session with real cards, and its file format.

The file records rounds, changes and the result; ``docs/score-table.md`` describes the format.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec

from cardtable.engine import checksummed_jsonl, replay
from cardtable.engine.checksummed_jsonl import JournalError, Members, convert
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.journal import ID, SCORES_MEMBER, Occupant, SessionResult
from cardtable.engine.options import Choice, Value, list_choices
from cardtable.engine.value_checks import check_score
from cardtable.games import ABOUT, GAMES, guard_part, import_submodule, limit_time
from cardtable.scoring.kit import DefaultSheet, Round, Sheet, explain_missing_sheet

VERSION: Final = 2
"""Version of new files."""
MAX_ROUNDS: Final = 200
MAX_LINES: Final = 1000
"""Maximum number of lines; there is a limit because each change is validated against all rounds."""


class ScoreTableHeader(msgspec.Struct, frozen=True, omit_defaults=True):
    """First line of the file of a score table."""

    cardtable_scores: int
    id: str
    game: str
    created: str
    first: Seat
    """Seat that has the special role (such as dealer or declarer) in the first round."""
    options: dict[str, Value]
    seats: tuple[Occupant, ...]
    package: str | None = None
    """Package and version that provide a game from outside, as in the header of a journal."""


class ScoreTableLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Line after the header; it has exactly one of the members ``KINDS``."""

    round: dict[str, str | tuple[int, ...]] | None = None
    number: int | None = None
    """Number of the round that ``round`` replaces, starting at 1; ``None`` if it is the next round."""
    undo: int | None = None
    """Number of entries and changes of rounds to undo."""
    name: str | None = None
    """New name of the table."""
    seats: tuple[Occupant, ...] | None = None
    """New names of the players, by seat."""
    end: SessionResult | None = None
    """Final result; written once, when the sheet is closed."""
    when: int | None = None
    """Unix time in seconds."""


KINDS: Final = dict.fromkeys(("round", "undo", "name", "seats", "end"), ScoreTableLine)
ParsedScoreTable: TypeAlias = checksummed_jsonl.ParsedFile[ScoreTableHeader, ScoreTableLine]


def read(data: bytes, first_line: int = 1, *, more_follows: bool = False) -> ParsedScoreTable:
    """Parse a file, or the part of a file that begins with line number ``first_line``.

    ``more_follows``: True if another part follows in the file. Raises ``JournalError`` if the data is damaged.
    """
    return checksummed_jsonl.read(data, _FORMAT, first_line, more_follows=more_follows)


def _convert_header(members: Members) -> ScoreTableHeader:
    header = convert(members, ScoreTableHeader)
    if header.cardtable_scores != VERSION or not ID.fullmatch(header.id):
        raise ValueError("the header's version or id is not valid")
    _reject_robots(header.seats)
    return header


def _reject_robots(seats: tuple[Occupant, ...]) -> None:
    if any(occupant.robot is not None for occupant in seats):
        raise ValueError("robots do not play with real cards")


def _convert_line(_header: ScoreTableHeader, members: Members) -> ScoreTableLine:
    line = checksummed_jsonl.convert_variant(members, KINDS)
    if line.number is not None and line.round is None:
        raise ValueError("only a round has a number")
    return line


_FORMAT: Final = checksummed_jsonl.FileFormat(
    SCORES_MEMBER, VERSION, _convert_header, _convert_line, lambda _: "not a score table of cardtable"
)


def get_sheet_class(game: str) -> type[Sheet[Any]]:
    """Return the sheet class of a game, given the key of the game.

    Raises ``ValueError`` if the game cannot be scored with real cards.
    """
    module = import_submodule(game, "score_sheet")
    if module is not None:
        kind: type[Sheet[Any]] = guard_part(game, "SHEET", module.SHEET, type[Sheet[Any]])
        return kind
    if reason := explain_missing_score_table(game):
        raise ValueError(reason)
    return DefaultSheet


def explain_missing_score_table(game: str) -> str | None:
    """Return, in one line, why the game with this key cannot be scored with real cards; ``None`` if it can."""
    if import_submodule(game, "score_sheet") is not None or not (reason := explain_missing_sheet(GAMES[game])):
        return None
    return f"{ABOUT[game].title} cannot be scored with real cards: {reason}"


def can_be_scored(game: str) -> bool:
    return not explain_missing_score_table(game)


def list_scoring_rules(game: AnyGame) -> list[Choice]:
    """Return the house rules of a game on which its score with real cards depends.

    Raises ``ValueError`` if the game cannot be scored with real cards.
    """
    return [rule for rule in list_choices(game.options) if get_sheet_class(game.about.key).depends_on(rule.name)]


class ScoreTable:
    """Session with real cards: the sheet, and the history for undo."""

    def __init__(self, header: ScoreTableHeader) -> None:
        """Create a table without rounds.

        Raises ``ValueError`` if the header's game, house rules, seats or first seat are not valid.
        """
        game, options = replay.read_rules(header, GAMES)
        if header.first not in range(len(header.seats)):
            raise ValueError("there is no such first seat")
        kind = get_sheet_class(header.game)
        self.header = header
        """Header of the file, with the current names of the players."""
        self._new_sheet: Callable[[], Sheet[Any]] = partial(kind, game, options, len(header.seats), header.first)
        self._add_round = limit_time(header.game, _add_round)
        self.sheet = self._new_sheet()
        self.rounds: list[Round] = []
        """Rounds as they were entered."""
        self.undone = 0
        """Number of entries and changes that were undone."""
        self.name = ""
        self.ended = False
        """True if the sheet is closed."""
        self._lines = 0
        self._changes: list[tuple[int, Round] | None] = []
        """Undo information for each change, the latest one last.

        ``None`` stands for a new round; otherwise number and previous content of the changed round.
        """

    @property
    def can_undo(self) -> bool:
        return bool(self._changes) and not self.ended

    def build_sheet_before(self, number: int) -> Sheet[Any]:
        """Return the sheet as it was before a round, given the number of the round, starting at 1.

        The number after the last round gives the current sheet itself.
        """
        return self.sheet if number == len(self.rounds) + 1 else self._build_sheet(self.rounds[: number - 1])

    def _build_sheet(self, rounds: list[Round]) -> Sheet[Any]:
        sheet = self._new_sheet()
        for number, entered in enumerate(rounds, 1):
            try:
                self._add_round(sheet, entered)
            except ValueError as error:
                raise ValueError(f"round {number} would not fit: {error}") from None
        return sheet

    def apply(self, line: ScoreTableLine) -> None:
        """Apply a line. Raises ``ValueError`` with the reason, without any change, if the line is not valid now."""
        if self.ended and line.name is None:
            raise ValueError("the session is over")
        if self._lines == MAX_LINES:
            raise ValueError(f"a score table has at most {MAX_LINES} lines")
        if line.round is not None:
            self._apply_round(line.round, line.number)
        elif line.undo is not None:
            self._apply_undo(line.undo)
        elif line.name is not None:
            self.name = line.name
        elif line.seats is not None:
            self._apply_seats(line.seats)
        elif line.end is not None:
            self._apply_end(line.end)
        self._lines += 1

    def _apply_round(self, entered: Round, number: int | None) -> None:
        if number is None:
            if len(self.rounds) == MAX_ROUNDS:
                raise ValueError(f"a session has at most {MAX_ROUNDS} rounds here")
            self._add_round(self.sheet, entered)
            self.rounds.append(entered)
            self._changes.append(None)
            return
        if not 1 <= number <= len(self.rounds):
            raise ValueError(f"there is no round {number}")
        if reason := self.build_sheet_before(number).validate(entered):
            raise ValueError(reason)
        changed = [*self.rounds[: number - 1], entered, *self.rounds[number:]]
        self.sheet = self._build_sheet(changed)
        self._changes.append((number, self.rounds[number - 1]))
        self.rounds = changed

    def _apply_seats(self, seats: tuple[Occupant, ...]) -> None:
        if len(seats) != self.sheet.seats:
            raise ValueError(f"there are {self.sheet.seats} seats")
        _reject_robots(seats)
        self.header = msgspec.structs.replace(self.header, seats=seats)

    def _apply_undo(self, changes: int) -> None:
        if not 1 <= changes <= len(self._changes):
            raise ValueError(f"{changes} changes cannot be undone: there are {len(self._changes)}")
        for _ in range(changes):
            before = self._changes.pop()
            if before is None:
                self.rounds.pop()
            else:
                self.rounds[before[0] - 1] = before[1]
        self.sheet = self._build_sheet(self.rounds)
        self.undone += changes

    def create_end_line(self) -> ScoreTableLine:
        """Return the line that closes the sheet; the session must have ended."""
        sheet = self.sheet
        assert sheet.ranks is not None
        return ScoreTableLine(end=SessionResult(totals=sheet.totals, ranks=sheet.ranks, undone=self.undone))

    def _apply_end(self, end: SessionResult) -> None:
        if not self.sheet.is_over:
            raise ValueError("the session is not over")
        if end != self.create_end_line().end:
            raise ValueError("the final totals are not the sum of the rounds")
        self.ended = True


def _add_round(sheet: Sheet[Any], entered: Round) -> None:
    """Add a round to a sheet. Raises ``GameFault`` if its score cannot be that of the seats and columns."""
    sheet.add(entered)
    check_score(sheet.scores[-1], sheet.seats, len(sheet.columns))


def load(parsed: ParsedScoreTable) -> ScoreTable:
    """Return the score table after the last line of a file.

    Raises ``JournalError`` if the header or a line is not valid; the valid part is attached to the error.
    """
    try:
        table = ScoreTable(parsed.header)
    except ValueError as error:
        raise JournalError(parsed.first_line, replay.add_version(parsed.header, GAMES, str(error))) from None
    for index, entry in enumerate(parsed.entries):
        try:
            table.apply(entry.line)
        except ValueError as error:
            reason = replay.add_version(parsed.header, GAMES, str(error))
            raise JournalError(entry.number, reason, _truncate(parsed, index)) from None
    return table


def _truncate(parsed: ParsedScoreTable, entries: int) -> ParsedScoreTable:
    first_entries = parsed.entries[:entries]
    return checksummed_jsonl.ParsedFile(
        first_line=parsed.first_line,
        header=parsed.header,
        header_body=parsed.header_body,
        sealed=parsed.sealed,
        entries=first_entries,
        crc=0,
        size=0,
        torn=b"",
    )
