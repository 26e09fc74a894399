"""Score tables of games with real cards in their files: begun, gone on with; each line is saved before it counts."""

from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Final

import msgspec

from cardtable.engine.checksummed_jsonl import MOST_BYTES, MOST_LINE_BYTES, JournalError, append_crc
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, GameInfo, Seat
from cardtable.engine.journal import Occupant
from cardtable.engine.options import Options
from cardtable.engine.text_format import one_line
from cardtable.scoring import score_table
from cardtable.scoring.kit.questions import Round
from cardtable.scoring.score_table import Read, ScoreTable, ScoreTableHeader, ScoreTableLine
from cardtable.store import paths, profiles, seating, session_files
from cardtable.store.journal_file import JournalFile, open_and_read
from cardtable.store.sessions import unused_id
from cardtable.store.summaries import ENDING, session_file, session_id

MARK: Final = "cards"
"""What stands after the game in the id of a score table."""


class OpenScoreTable:
    """A score table that is open, and the file that every line of it goes to.

    Saving never raises: what the disk refuses is told in ``trouble`` and tried again.
    """

    def __init__(self, file: JournalFile, table: ScoreTable, crc: int, *, sealed: bool) -> None:
        self.table: Final = table
        self.notice: str | None = None
        """What a person should know of how the file was found."""
        self._file, self._crc, self._sealed = file, crc, sealed

    @property
    def file(self) -> JournalFile:
        """Where each line goes."""
        return self._file

    @property
    def path(self) -> Path:
        """Where the file is, or would be if it could be saved."""
        return self._file.path

    @property
    def names(self) -> list[str]:
        """Who plays, by seat, as it may be shown."""
        return session_files.names(self.table.header.seats)

    @property
    def read_only(self) -> str | None:
        """Why the score table can only be looked at; ``None`` if it can be gone on with."""
        return "the session is over" if self.table.ended else self._file.read_only

    @property
    def trouble(self) -> str | None:
        """Why saving failed, and where, in a line that may be shown; ``None`` if all is saved."""
        return self._file.trouble

    def count(self, entered: Round, number: int | None = None) -> None:
        """Count a round, or with ``number`` put it in the place of that one.  Raises ``ValueError`` with the reason."""
        self._take(ScoreTableLine(round=dict(entered), number=number))  # type: ignore[arg-type]  # lists become tuples

    def undo(self) -> None:
        """Take the last round, or the last change of one, back.  Raises ``ValueError`` if there is none."""
        self._take(ScoreTableLine(undo=1))

    def rename(self, name: str) -> None:
        """Give the table a name."""
        self._take(ScoreTableLine(name=name))

    def call(self, names: Sequence[str]) -> None:
        """Name the players anew, by seat.  Raises ``ValueError`` with the reason."""
        self._take(ScoreTableLine(seats=profiles.with_profile_ids([Occupant(name) for name in names])))

    def end(self) -> None:
        """Close the sheet of a session that is over; it goes to the archive."""
        self._take(self.table.end())
        if self.path.parent == paths.sessions():
            with suppress(OSError):
                self._file.move(paths.archive())

    def save(self) -> str:
        """Try again to save what is not saved yet; what still is not, in words."""
        return self._file.save()

    def save_into(self, folder: Path) -> None:
        """Go on in another folder, which gets the whole score table; the file so far stays as it is.

        Raises ``CardtableError`` if that fails, too; the score table stays where it was then.
        """
        self._file = self._file.moved_into(folder)

    def close(self) -> None:
        """Save what is not saved yet, elsewhere if it must be, and let go of the file."""
        self._file.finalize()

    def _take(self, line: ScoreTableLine) -> None:
        if self._file.read_only:
            raise CardtableError(f"the score table cannot be changed: {self._file.read_only}")
        body = msgspec.json.encode(msgspec.structs.replace(line, when=int(time())))
        text, crc = append_crc(body, self._crc) if self._sealed else (body + b"\n", 0)
        if len(text) > MOST_LINE_BYTES or len(self._file.data) + len(text) > MOST_BYTES:
            raise CardtableError("the score table is full")
        self.table.take(line)
        self._crc = crc
        self._file.append(text)


def create(
    game: AnyGame, names: Sequence[str], options: Options, first: Seat = 0, *, now: datetime | None = None
) -> OpenScoreTable:
    """Begin a score table.  Raises ``ValueError`` for a number of players that the game is not for."""
    now = (now or datetime.now(UTC)).astimezone(UTC)
    header = ScoreTableHeader(
        cardtable_scores=score_table.VERSION,
        id=unused_id(now, f"{game.about.key}-{MARK}"),
        game=game.about.key,
        created=f"{now:%Y-%m-%dT%H:%M:%SZ}",
        first=first,
        options=options.for_seats(len(names)).items(),
        seats=profiles.with_profile_ids([Occupant(name) for name in names]),
    )
    table = ScoreTable(header)
    data, crc = append_crc(msgspec.json.encode(header), 0)
    file = JournalFile(paths.sessions() / f"{header.id}{ENDING}", data)
    file.save()
    return OpenScoreTable(file, table, crc, sealed=True)


def resume(path: Path) -> OpenScoreTable:
    """Go on with a score table, in its place; one that is over can be looked at.

    A torn last line is put aside and left out.  Raises ``DamagedJournal`` or ``FileError``.
    """
    return open_and_read(path, _resumed)


def _resumed(path: Path, file: JournalFile) -> OpenScoreTable:
    found = read(path, bytes(file.data))
    opened = OpenScoreTable(file, loaded(path, found), found.crc, sealed=found.sealed)
    if found.torn and not file.read_only:
        file.set_torn_tail(found.size)
        opened.notice = "the last line was torn and is left out; its bytes are kept beside the file"
        file.save()
    return opened


def read(path: Path, data: bytes) -> Read:
    """The lines of a file.  Raises ``DamagedJournal``."""
    try:
        return score_table.read(data)
    except JournalError as error:
        raise session_files.damaged(path, error) from None


def loaded(path: Path, found: Read) -> ScoreTable:
    """The score table after the last line.  Raises ``DamagedJournal``."""
    try:
        return score_table.load(found)
    except JournalError as error:
        raise session_files.damaged(path, error) from None


def rename(path: Path, name: str) -> None:
    """Give the table of a score table a name, or with an empty one none; when it was played stays.

    Raises ``CardtableError`` where it is damaged or open in another program.
    """
    with closing(resume(path)) as opened:
        try:
            opened.rename(one_line(name.strip(), session_files.MOST_NAME))
            opened.file.accept_loss = True  # where it cannot be saved the table keeps its name
        except ValueError as error:
            raise CardtableError(f"the table cannot be renamed: {error}") from None
    if opened.trouble:
        raise CardtableError(opened.trouble)


def usual_names(about: GameInfo, before: Sequence[str], me: str) -> tuple[list[str], int]:
    """Names for as many seats as a game can have, and how many of them play where nobody says otherwise.

    Those who played ``before`` come first.
    """
    number = len(before) if len(before) in about.seats else about.usual_seats
    own = [] if me == seating.GUEST else [me]
    usual = [*own, *[f"Player{place + 1}" for place in range(len(own), max(about.seats))]]
    return [*before[:number], *usual[len(before[:number]) :]], number


def names_before(game: str) -> list[str]:
    """Who played this game with real cards the last time; nobody (``[]``) if that cannot be told."""
    found = [path for folder in (paths.sessions(), paths.archive()) for path in paths.listed(folder, ENDING)]
    ids = {session_id(path) for path in found if f"-{game}-{MARK}-" in path.stem}
    try:
        last = session_file(max(ids, default=""))
        table = score_table.load(score_table.read(session_files.read_session(last))) if last else None
    except (CardtableError, JournalError, OSError):
        return []
    if table is None:
        return []
    return session_files.names(table.header.seats)
