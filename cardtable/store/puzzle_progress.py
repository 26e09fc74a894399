"""Lists of the players' puzzles: when each is due again, and how often it was tried and solved.

A puzzle that was solved comes again after 1, 3 and 7 days, and is then done. One that was missed starts over.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

import msgspec
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game_lookup import MissingGame
from cardtable.games import find_missing_game
from cardtable.store import paths, profiles, puzzle_file
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.json_file import Digest, JsonFile, MergedCopy, add_digest, compute_digest, home_lock
from cardtable.store.puzzle_file import Count, Key, PackageName, Puzzle, ShortText

MAX_BYTES: Final = 4 * 1024 * 1024
INTERVALS: Final = (1, 3, 7)
"""Days after which a puzzle comes again, by the number of times that it was solved in a row."""
PUZZLE_ID: Final = r"^[0-9a-f]{16}(?:[0-9a-f]{4})?\Z"
"""Pattern of an earlier id or an id."""


class PuzzleProgress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Progress of a player with one puzzle. Dates are local."""

    game: Key
    title: ShortText
    """Title of the game."""
    round: Annotated[int, msgspec.Meta(ge=0)]
    """Number of the round in its session."""
    due: date
    """First day on which the puzzle is due again; without meaning if it is done."""
    tried: date | None = None
    """Day of the last attempt."""
    level: Count = 0
    """Number of times that the puzzle was solved in a row when it was due."""
    attempts: Annotated[int, msgspec.Meta(ge=0)] = 0
    solved: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Number of attempts that were right."""
    imported: bool = False
    """True if the puzzle is from a file, and not from a session of the player."""
    package: PackageName | None = None
    """Package and version of a game from outside, as in the file of the puzzle."""

    @property
    def is_done(self) -> bool:
        """True if the puzzle does not come again."""
        return self.level > len(INTERVALS)

    @property
    def missing_game(self) -> MissingGame | None:
        """Error for the game if it cannot be used, or ``None`` if it can."""
        return find_missing_game(self.game, self.package)

    def is_due(self, today: date) -> bool:
        """Return True if the puzzle is due. If the clock has been set back behind the last attempt, it is."""
        return not self.is_done and (self.tried is None or not self.tried <= today < self.due)

    def add_attempt(self, today: date, *, is_right: bool) -> "PuzzleProgress":
        """Return the progress after an attempt. A right one before the puzzle is due leaves the dates as they are."""
        level, due, tried = self.level, self.due, self.tried
        if not is_right:
            level, due, tried = 0, today + timedelta(days=1), today
        elif self.is_due(today):
            level, tried = level + 1, today
            due = today + timedelta(days=(*INTERVALS, 0)[level - 1])
        return replace(
            self, level=level, due=due, tried=tried, attempts=self.attempts + 1, solved=self.solved + is_right
        )


class PlayerPuzzles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Puzzles of a player."""

    puzzles: dict[Annotated[str, msgspec.Meta(pattern=PUZZLE_ID)], PuzzleProgress] = {}
    """Progress by the id of the puzzle; in a file, also by its earlier id."""
    searched: tuple[Annotated[str, msgspec.Meta(min_length=1, max_length=80)], ...] = ()
    """Sessions of the last weeks that have been searched, each with the player's seat."""

    def list_due(self, today: date) -> list[str]:
        """Return the ids of the puzzles that are due, those that wait longest first.

        Those whose games cannot be used are left out.
        """
        due = [(each.due, key) for key, each in self.puzzles.items() if each.is_due(today) and not each.missing_game]
        return [puzzle for _, puzzle in sorted(due)]


NONE: Final = PlayerPuzzles()


def get_today() -> date:
    """Return the local date."""
    return datetime.now(UTC).astimezone().date()


class PuzzlesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="puzzles", tag=1):
    """Content of the file with the puzzles of all players."""

    players: dict[str, PlayerPuzzles] = {}
    """Puzzles by player: a profile id, or the nick of a player without a profile."""
    merged: tuple[Digest, ...] | msgspec.UnsetType = msgspec.UNSET
    """Digests of the copies of this file that have been merged into it; left out if there are none."""


_FILE: Final = JsonFile(PuzzlesFile, MAX_BYTES, personal=True, indent=1)


def load(nick: str) -> tuple[PlayerPuzzles, str]:
    """Return the puzzles of a player, and the error of the file in one line.

    The error is ``""`` if the file is valid or missing. After an error there are no puzzles.
    """
    try:
        return read().players.get(profiles.get_player_key(nick), NONE), ""
    except CardtableError as error:
        return NONE, str(error)


def read() -> PuzzlesFile:
    """Return the puzzles of all players. Raises ``FileError`` if the file cannot be read or is invalid."""
    stored = _read_stored()
    players = {key: replace(own, puzzles=_merge(own.puzzles.items())) for key, own in stored.players.items()}
    return replace(stored, players=players)


def _read_stored() -> PuzzlesFile:
    """Return the content of the file, in which puzzles may be listed by their earlier ids. Raises as ``read`` does."""
    try:
        return _FILE.read(paths.puzzles_file())
    except FileNotFoundError:
        return PuzzlesFile()


def count_due(nick: str, today: date) -> int:
    """Return the number of puzzles that are due, without reading any puzzle; 0 if the list cannot be read."""
    try:
        return len(_read_stored().players.get(profiles.get_player_key(nick), NONE).list_due(today))
    except CardtableError:
        return 0


def add(
    nick: str, puzzles: Iterable[Puzzle], today: date, searched: str = "", recent: Collection[str] | None = None
) -> int:
    """Save puzzles and add them to the list of a player; return the number of new ones.

    ``searched``: session, with the seat, in which they were found; empty if they were imported. Of the sessions that
    were searched before only those in ``recent`` are still remembered. Raises ``CardtableError`` if the puzzles cannot
    be saved.
    """
    puzzles_by_id = {puzzle.id: puzzle for puzzle in puzzles}
    try:
        for puzzle in puzzles_by_id.values():
            puzzle_file.save(puzzle)
        with home_lock():
            before = _get_own(nick)
            renamed = {puzzle.earlier_id: key for key, puzzle in puzzles_by_id.items()}
            listed = _merge([(renamed.get(key, key), progress) for key, progress in before.puzzles.items()])
            new = {
                key: PuzzleProgress(
                    game=puzzle.game,
                    title=puzzle.title,
                    round=len(puzzle.scores) + 1,
                    due=today,
                    imported=not searched,
                    package=puzzle.package or None,
                )
                for key, puzzle in puzzles_by_id.items()
                if key not in listed
            }
            remembered = [each for each in before.searched if each != searched and (recent is None or each in recent)]
            _write(nick, PlayerPuzzles({**listed, **new}, (*remembered, *([searched] if searched else []))))
    except OSError as error:
        raise _make_error(error) from None
    return len(new)


def record_attempt(nick: str, puzzle_id: str, today: date, *, is_right: bool) -> PuzzleProgress:
    """Count an attempt of a player, and return the progress.

    Raises ``CardtableError`` if it cannot be saved, or if the puzzle is not in the player's list.
    """
    try:
        with home_lock():
            before = _get_own(nick)
            if puzzle_id not in before.puzzles:
                raise CardtableError("this puzzle is not in your list any more")
            after = before.puzzles[puzzle_id].add_attempt(today, is_right=is_right)
            _write(nick, replace(before, puzzles={**before.puzzles, puzzle_id: after}))
    except OSError as error:
        raise _make_error(error) from None
    return after


def remove(nick: str, puzzle_id: str) -> None:
    """Remove a puzzle from the list of a player, and its file if no other player has it.

    Raises ``CardtableError`` if the list cannot be saved.
    """
    try:
        with home_lock():
            before = _get_own(nick)
            left = {key: progress for key, progress in before.puzzles.items() if key != puzzle_id}
            _write(nick, replace(before, puzzles=left))
            if not any(puzzle_id in player.puzzles for player in read().players.values()):
                with suppress(OSError):
                    puzzle_file.delete(puzzle_id)
    except OSError as error:
        raise _make_error(error) from None


def remove_player(key: str) -> None:
    """Remove the puzzles of a player, who is a profile id or a nick as in ``PuzzlesFile.players``.

    Raises ``CardtableError`` if the file cannot be written, or is invalid; it is then unchanged.
    """
    try:
        with home_lock():
            before = read()
            if key in before.players:
                others = {player: own for player, own in before.players.items() if player != key}
                _FILE.write(paths.puzzles_file(), replace(before, players=others))
    except OSError as error:
        raise _make_error(error) from None


def merge_copy(data: bytes) -> MergedCopy:
    """Add the puzzles and the progress in a copy of the file that another machine has made, once.

    Raises ``ValueError`` if the copy is invalid, and ``CardtableError`` if the puzzles cannot be saved.
    """
    copy, digest = _FILE.parse(data), compute_digest(data)
    others = [player for player in copy.players if profiles.is_player_key(player)]
    try:
        with home_lock():
            before = read()
            if digest in (before.merged or ()):
                return MergedCopy()
            added = {player: _combine(before.players.get(player, NONE), copy.players[player]) for player in others}
            players, merged = {**before.players, **added}, add_digest(before.merged, digest)
            _FILE.write(paths.puzzles_file(), replace(before, players=players, merged=merged))
    except OSError as error:
        raise _make_error(error) from None
    return MergedCopy("puzzles or progress in them were added" if players != before.players else "")


def _combine(own: PlayerPuzzles, other: PlayerPuzzles) -> PlayerPuzzles:
    """Return the puzzles of both, each with the progress of the later attempt."""

    searched = dict.fromkeys([*own.searched, *other.searched])
    return PlayerPuzzles(_merge([*own.puzzles.items(), *other.puzzles.items()]), tuple(searched))


def _merge(progress_by_id: Iterable[tuple[str, PuzzleProgress]]) -> dict[str, PuzzleProgress]:
    """Return the progress by id, given it by id or earlier id; of several for a puzzle, that of the later attempt."""
    merged: dict[str, PuzzleProgress] = {}
    for id_or_earlier, progress in progress_by_id:
        puzzle_id = puzzle_file.find_id(id_or_earlier)
        both = merged.get(puzzle_id, progress), progress
        merged[puzzle_id] = max(both, key=lambda each: (each.tried or date.min, each.attempts))
    return merged


def find_puzzle(puzzles: Mapping[str, PuzzleProgress], text: str) -> str:
    """Return the id of the puzzle that is meant by the beginning of its id, or by its whole earlier id.

    Raises ``CardtableError`` if there is none, or several.
    """
    beginning = puzzle_file.find_id(text)
    matches = [key for key in puzzles if text and key.startswith(beginning)]
    if len(matches) != 1:
        number = len(matches) or "none"
        raise CardtableError(f"{number} of your puzzles has the id {text[:20]!r}; see cardtable puzzles --list")
    return matches[0]


def _get_own(nick: str) -> PlayerPuzzles:
    return read().players.get(profiles.get_player_key(nick), NONE)


def _write(nick: str, own: PlayerPuzzles) -> None:
    """Replace the puzzles of a player, if they differ; the home must be locked."""
    before = read()
    after = replace(before, players={**before.players, profiles.get_player_key(nick): own})
    if after != before:
        _FILE.write(paths.puzzles_file(), after)


def _make_error(error: OSError) -> FileError:
    return FileError(paths.puzzles_file(), f"the puzzles cannot be saved: {format_os_error(error)}")
