"""Files of score tables for games played with real cards. Every line is written before the next entry."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any, Final

import msgspec

from cardtable.engine.checksummed_jsonl import MAX_BYTES, MAX_LINE_BYTES, JournalError, append_crc
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, GameInfo, Seat
from cardtable.engine.journal import Occupant
from cardtable.engine.options import Choice, Options, Value
from cardtable.engine.text_format import to_one_line
from cardtable.games import get_plugin_package
from cardtable.scoring import score_table
from cardtable.scoring.kit import Round, Sheet
from cardtable.scoring.score_table import ParsedScoreTable, ScoreTable, ScoreTableHeader, ScoreTableLine
from cardtable.store import paths, profiles, seating, session_files
from cardtable.store.journal_file import JournalFile, OpenJournal, change_once, open_journal
from cardtable.store.session_setup import GAME, Field, TableForm
from cardtable.store.sessions import generate_id
from cardtable.store.summaries import JOURNAL_SUFFIX, find_session_file, list_all_journals, read_session_id

ID_MARK: Final = "cards"
"""Word that follows the game in the id of a score table."""


class OpenScoreTable(OpenJournal):
    """Open score table and its file.

    A failure to save does not raise an exception: ``save_error`` describes it, and saving is tried again with the next
    line. If the score table is ``read_only``, a change raises ``CardtableError``.
    """

    def __init__(self, file: JournalFile, table: ScoreTable, crc: int, *, sealed: bool) -> None:
        super().__init__(file, crc, sealed=sealed)
        self.table: Final = table

    @property
    def names(self) -> list[str]:
        return session_files.format_names(self.table.header.seats)

    @property
    def read_only(self) -> str | None:
        return "the session is over" if self.table.ended else self.file.read_only

    def enter_round(self, answers: Round, round_number: int | None = None) -> None:
        """Enter the next round, or replace the round ``round_number``, numbered from 1.

        Raises ``ValueError`` with the reason if the entries are invalid.
        """
        self._record(ScoreTableLine(round=dict(answers), number=round_number))  # type: ignore[arg-type]  # tuples are read back as lists

    def undo(self) -> None:
        """Undo the last entry or change of a round. Raises ``ValueError`` if there is nothing to undo."""
        self._record(ScoreTableLine(undo=1))

    def rename(self, name: str) -> None:
        """Set the table name. An empty name removes it."""
        self._record(ScoreTableLine(name=name))

    def rename_players(self, names: Sequence[str]) -> None:
        """Change the names of all players, given by seat. Raises ``ValueError`` with the reason if they are invalid."""
        self._record(ScoreTableLine(seats=profiles.add_profile_ids([Occupant(name) for name in names])))

    def end(self) -> None:
        """Close the score table of a session that has ended, and move its file into the archive."""
        self._record(self.table.create_end_line())
        self._archive()

    def _record(self, line: ScoreTableLine) -> None:
        if self.file.read_only:
            raise CardtableError(f"the score table cannot be changed: {self.file.read_only}")
        body = msgspec.json.encode(msgspec.structs.replace(line, when=int(time())))
        text, crc = self._seal(body)
        if len(text) > MAX_LINE_BYTES or len(self.file.data) + len(text) > MAX_BYTES:
            raise CardtableError("the score table is full")
        self.table.apply(line)
        self._crc = crc
        self.file.append(text)


def create(
    game: AnyGame, names: Sequence[str], options: Options, first_seat: Seat = 0, *, now: datetime | None = None
) -> OpenScoreTable:
    """Begin a score table. ``first_seat`` is the seat that is the first to deal or to declare.

    Raises ``ValueError`` if the game does not allow this number of players.
    """
    now = (now or datetime.now(UTC)).astimezone(UTC)
    header = ScoreTableHeader(
        cardtable_scores=score_table.VERSION,
        id=generate_id(now, f"{game.about.key}-{ID_MARK}"),
        game=game.about.key,
        created=f"{now:%Y-%m-%dT%H:%M:%SZ}",
        first=first_seat,
        options=options.for_seats(len(names)).to_header(),
        seats=profiles.add_profile_ids([Occupant(name) for name in names]),
        package=get_plugin_package(game.about.key),
    )
    table = ScoreTable(header)
    data, crc = append_crc(msgspec.json.encode(header), 0)
    file = JournalFile(paths.sessions_folder() / f"{header.id}{JOURNAL_SUFFIX}", data)
    file.save()
    return OpenScoreTable(file, table, crc, sealed=True)


def resume(path: Path) -> OpenScoreTable:
    """Resume a score table in its present file. A finished one is read-only.

    An incomplete last line is moved to a separate file and ignored. Raises ``DamagedJournal`` if the file is invalid,
    and ``CardtableError`` if it cannot be opened, or if the installed version of its game has other house rules.
    """
    return open_journal(path, _resume)


def _resume(path: Path, file: JournalFile) -> OpenScoreTable:
    parsed = parse(path, bytes(file.data))
    opened = OpenScoreTable(file, replay(path, parsed), parsed.crc, sealed=parsed.sealed)
    if not opened.read_only:
        session_files.check_can_continue(path, parsed.header)
    if parsed.torn and not file.read_only:
        file.set_torn_tail(parsed.size)
        opened.notice = "the last line was incomplete and is left out; it is saved beside the file"
        file.save()
    return opened


def parse(path: Path, data: bytes) -> ParsedScoreTable:
    """Parse the bytes of a score table's file. ``path`` is used for error messages only.

    Raises ``DamagedJournal`` if the bytes are invalid.
    """
    with session_files.convert_journal_errors(path):
        return score_table.read(data)


def replay(path: Path, parsed: ParsedScoreTable) -> ScoreTable:
    """Return the score table after its last line. Raises ``DamagedJournal`` if a line cannot be applied."""
    with session_files.convert_journal_errors(path):
        return score_table.load(parsed)


def rename(path: Path, name: str) -> None:
    """Set the table name of a score table. An empty name removes it. The time of the last play does not change.

    Raises ``CardtableError`` if the score table is finished, damaged, or open in another program.
    """
    with change_once(resume(path)) as opened:
        try:
            opened.rename(to_one_line(name.strip(), session_files.MAX_NAME_LENGTH))
        except ValueError as error:
            raise CardtableError(f"the table cannot be renamed: {error}") from None


class ScoreTableForm(TableForm):
    """Form for a new score table, beside the names of the players."""

    first_seat: Seat = 0
    """Seat that is the first to deal or to declare."""

    def list_game_keys(self) -> Sequence[str]:
        return [key for key in super().list_game_keys() if score_table.can_be_scored(key)]

    @property
    def seats_field(self) -> Field:
        return replace(super().seats_field, label="Players")

    def list_rules(self) -> list[Choice]:
        return score_table.list_scoring_rules(self.game)

    def choose(self, field: Choice, value: Value) -> None:
        super().choose(field, value)
        self.first_seat = 0 if field.name == GAME else min(self.first_seat, self.seats - 1)

    @property
    def sheet(self) -> Sheet[Any]:
        return score_table.get_sheet_class(self.game_key)(self.game, self.options, self.seats, self.first_seat)


def suggest_names(about: GameInfo, previous: Sequence[str], me: str) -> tuple[list[str], int]:
    """Return default names for the largest number of players of a game, and the default number of players.

    The ``previous`` players come first, or ``me`` if there are none; the number is theirs if the game allows it.
    """
    number = len(previous) if len(previous) in about.seats else about.usual_seats
    own = [] if me == seating.GUEST else [me]
    usual = [*own, *[f"Player{index + 1}" for index in range(len(own), max(about.seats))]]
    return [*previous[:number], *usual[len(previous[:number]) :]], number


def find_previous_names(game: str) -> list[str]:
    """Return the names of the players in the latest score table of a game.

    Without a readable one, the list is empty.
    """
    ids = {read_session_id(path) for path in list_all_journals() if f"-{game}-{ID_MARK}-" in path.stem}
    try:
        last = find_session_file(max(ids, default=""))
        table = score_table.load(score_table.read(session_files.read_session(last))) if last else None
    except (CardtableError, JournalError, OSError):
        return []
    return session_files.format_names(table.header.seats) if table else []
