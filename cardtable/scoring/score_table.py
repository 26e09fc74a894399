"""A session with real cards and the file that it is kept in: rounds, changes, and what they come to.

The file's form is in ``docs/score-table.md``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec

from cardtable.engine import checksummed_jsonl, replay
from cardtable.engine.checksummed_jsonl import JournalError, Members, convert
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.journal import ID, SCORES, Occupant, SessionResult, as_in_version_1
from cardtable.engine.options import Choice, Value, choices
from cardtable.games import ABOUT, GAMES, part
from cardtable.scoring.kit.questions import Round
from cardtable.scoring.kit.sheet import DefaultSheet, Sheet, fits

VERSION: Final = 2
"""Of new files.  The first one had neither ``when`` nor the players' ids."""
MOST_ROUNDS: Final = 200
MOST_LINES: Final = 1000
"""More is not read: a line that changes a round is judged with all rounds."""


class ScoreTableHeader(msgspec.Struct, frozen=True):
    """Line 1 of the file of a score table."""

    cardtable_scores: int
    id: str
    game: str
    created: str
    first: Seat
    """Whose round the first one is."""
    options: dict[str, Value]
    seats: tuple[Occupant, ...]


class ScoreTableLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line after the header: exactly one of the members of ``KINDS``."""

    round: dict[str, str | tuple[int, ...]] | None = None
    number: int | None = None
    """Which round it stands in the place of; without it, it is the next one."""
    undo: int | None = None
    """How many rounds and changes of rounds are taken back."""
    name: str | None = None
    """What the table is called, the last one holds."""
    seats: tuple[Occupant, ...] | None = None
    """Who plays, by seat, in the place of those named before."""
    end: SessionResult | None = None
    """Written once, when the session is over and its sheet is closed."""
    when: int | None = None
    """The time, in seconds since 1970-01-01T00:00Z."""


KINDS: Final = ("round", "undo", "name", "seats", "end")
Read: TypeAlias = checksummed_jsonl.ParsedFile[ScoreTableHeader, ScoreTableLine]


def read(data: bytes, first: int = 1, *, more: bool = False) -> Read:
    """The lines of a file, or of the part of one whose first line has the number ``first``, and which ``more`` follows.

    Raises ``JournalError``.
    """
    return checksummed_jsonl.read(data, _FORMAT, first, more=more)


def _header(members: Members) -> ScoreTableHeader:
    header = convert(as_in_version_1(members) if members.get(SCORES) == 1 else members, ScoreTableHeader)
    if not 1 <= header.cardtable_scores <= VERSION or not ID.fullmatch(header.id):
        raise ValueError("the header's version or id cannot be")
    _only_people(header.seats)
    return header


def _only_people(seats: tuple[Occupant, ...]) -> None:
    if any(who.robot is not None for who in seats):
        raise ValueError("robots do not play with real cards")


def _line(header: ScoreTableHeader, members: Members) -> ScoreTableLine:
    if header.cardtable_scores == 1:
        members = {name: value for name, value in as_in_version_1(members).items() if name != "when"}
    line = checksummed_jsonl.one_of(members, KINDS, ScoreTableLine)
    if line.number is not None and line.round is None:
        raise ValueError("only a round has a number")
    return line


_FORMAT: Final = checksummed_jsonl.FileFormat(
    SCORES, VERSION, _header, _line, lambda _: "not a score table of cardtable"
)


def sheet_of(game: str) -> type[Sheet[Any]]:
    """The kind of sheet of a game.  Raises ``ValueError`` where it has none."""
    found = part(game, "score_sheet")
    if found is not None:
        kind: type[Sheet[Any]] = found.SHEET
        return kind
    if not fits(GAMES[game]):
        raise ValueError(f"{ABOUT[game].title} cannot be scored with real cards")
    return DefaultSheet


def can_be_scored(game: str) -> bool:
    """Whether the score of a game with real cards can be kept."""
    return part(game, "score_sheet") is not None or fits(GAMES[game])


def asked_rules(game: AnyGame) -> list[Choice]:
    """The house rules of a game that its score with real cards depends on."""
    return [rule for rule in choices(game.options) if sheet_of(game.about.key).asks(rule.name)]


class ScoreTable:
    """A session with real cards: its sheet, and the way back."""

    def __init__(self, header: ScoreTableHeader) -> None:
        """Raises ``ValueError`` for what cannot be played so."""
        game, options = replay.rules(header.game, len(header.seats), header.options, GAMES)
        if header.first not in range(len(header.seats)):
            raise ValueError("there is no such first seat")
        kind = sheet_of(header.game)
        self.header = header
        """As it was begun, with the players as they were named last."""
        self._begin: Callable[[], Sheet[Any]] = partial(kind, game, options, len(header.seats), header.first)
        self.sheet = self._begin()
        self.rounds: list[Round] = []
        """The rounds as they were entered."""
        self.undone = 0
        """Rounds and changes that were taken back."""
        self.name = ""
        self.ended = False
        """Whether the sheet is closed."""
        self._lines = 0
        self._changes: list[tuple[int, Round] | None] = []
        """What each change can be taken back to: a round as it was; ``None`` where there was none."""

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._changes) and not self.ended

    def before(self, number: int) -> Sheet[Any]:
        """The sheet as it was before round ``number``."""
        return self.sheet if number == len(self.rounds) + 1 else self._counted(self.rounds[: number - 1])

    def _counted(self, rounds: list[Round]) -> Sheet[Any]:
        sheet = self._begin()
        for number, entered in enumerate(rounds, 1):
            try:
                sheet.add(entered)
            except ValueError as error:
                raise ValueError(f"round {number} would not fit: {error}") from None
        return sheet

    def take(self, line: ScoreTableLine) -> None:
        """Do what a line says.  Raises ``ValueError`` with the reason, and changes nothing then."""
        if self.ended and line.name is None:
            raise ValueError("the session is over")
        if self._lines == MOST_LINES:
            raise ValueError(f"a score table has at most {MOST_LINES} lines")
        if line.round is not None:
            self._take_round(line.round, line.number)
        elif line.undo is not None:
            self._undo(line.undo)
        elif line.name is not None:
            self.name = line.name
        elif line.seats is not None:
            self._call(line.seats)
        elif line.end is not None:
            self._end(line.end)
        self._lines += 1

    def _take_round(self, entered: Round, number: int | None) -> None:
        if number is None:
            if len(self.rounds) == MOST_ROUNDS:
                raise ValueError(f"a session has at most {MOST_ROUNDS} rounds here")
            self.sheet.add(entered)
            self.rounds.append(entered)
            self._changes.append(None)
            return
        if not 1 <= number <= len(self.rounds):
            raise ValueError(f"there is no round {number}")
        if why := self.before(number).wrong(entered):
            raise ValueError(why)
        changed = [*self.rounds[: number - 1], entered, *self.rounds[number:]]
        self.sheet = self._counted(changed)
        self._changes.append((number, self.rounds[number - 1]))
        self.rounds = changed

    def _call(self, seats: tuple[Occupant, ...]) -> None:
        if len(seats) != self.sheet.seats:
            raise ValueError(f"there are {self.sheet.seats} seats")
        _only_people(seats)
        self.header = msgspec.structs.replace(self.header, seats=seats)

    def _undo(self, number: int) -> None:
        if not 1 <= number <= len(self._changes):
            raise ValueError(f"{number} changes cannot be taken back: there are {len(self._changes)}")
        for _ in range(number):
            before = self._changes.pop()
            if before is None:
                self.rounds.pop()
            else:
                self.rounds[before[0] - 1] = before[1]
        self.sheet = self._counted(self.rounds)
        self.undone += number

    def end(self) -> ScoreTableLine:
        """The line that closes the sheet of a session that is over."""
        sheet = self.sheet
        assert sheet.ranks is not None
        return ScoreTableLine(end=SessionResult(totals=sheet.totals, ranks=sheet.ranks, undone=self.undone))

    def _end(self, end: SessionResult) -> None:
        if not self.sheet.ended:
            raise ValueError("the session is not over")
        if end != self.end().end:
            raise ValueError("the end is not what the rounds come to")
        self.ended = True


def load(found: Read) -> ScoreTable:
    """The score table after the last line.  Raises ``JournalError``."""
    try:
        table = ScoreTable(found.header)
    except ValueError as error:
        raise JournalError(found.first, str(error)) from None
    for index, entry in enumerate(found.entries):
        try:
            table.take(entry.line)
        except ValueError as error:
            raise JournalError(entry.number, str(error), _cut(found, index)) from None
    return table


def _cut(found: Read, entries: int) -> Read:
    kept = found.entries[:entries]
    return checksummed_jsonl.ParsedFile(found.first, found.header, found.header_body, found.sealed, kept, 0, 0, b"")
