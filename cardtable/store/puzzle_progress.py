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
from cardtable.store.json_file import JsonFile, MergedCopy, home_lock
from cardtable.store.player_progress import ProgressFile, ProgressStore
from cardtable.store.puzzle_file import Count, Key, PackageName, Puzzle, ShortText

_MAX_LIST_BYTES: Final = 4 * 1024 * 1024
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
        due = [
            (progress.due, key)
            for key, progress in self.puzzles.items()
            if progress.is_due(today) and not progress.missing_game
        ]
        return [puzzle for _, puzzle in sorted(due)]


def get_today() -> date:
    """Return the local date."""
    return datetime.now(UTC).astimezone().date()


class PuzzlesFile(ProgressFile[PlayerPuzzles], frozen=True, tag_field="puzzles", tag=1):
    """Content of the file with the puzzles of all players."""


class _PuzzleStore(ProgressStore[PlayerPuzzles]):
    """Puzzles of all players. The file may list them by their earlier ids."""

    def read(self) -> ProgressFile[PlayerPuzzles]:
        stored = super().read()
        players = {key: replace(own, puzzles=_merge(own.puzzles.items())) for key, own in stored.players.items()}
        return replace(stored, players=players)

    def count_due(self, nick: str, today: date) -> int:
        """Return the number of puzzles that are due, without reading any puzzle; 0 if the list cannot be read."""
        try:
            return len(self._get_own(super().read(), profiles.get_player_key(nick)).list_due(today))
        except CardtableError:
            return 0


PUZZLES: Final = _PuzzleStore(
    JsonFile(PuzzlesFile, _MAX_LIST_BYTES, personal=True, indent=1),
    paths.puzzles_file,
    "the puzzles cannot be saved: ",
    PlayerPuzzles(),
)
load: Final = PUZZLES.load_own
count_due: Final = PUZZLES.count_due


def add(
    nick: str, puzzles: Iterable[Puzzle], today: date, searched: str = "", recent: Collection[str] | None = None
) -> int:
    """Save puzzles and add them to the list of a player; return the number of new ones.

    ``searched``: session, with the seat, in which they were found; empty if they were imported. Of the sessions that
    were searched before only those in ``recent`` are still remembered. Raises ``CardtableError`` if the puzzles cannot
    be saved.
    """
    puzzles_by_id = {puzzle.id: puzzle for puzzle in puzzles}
    for puzzle in puzzles_by_id.values():
        puzzle_file.save(puzzle)
    renamed = {puzzle.earlier_id: key for key, puzzle in puzzles_by_id.items()}

    def list_known(own: PlayerPuzzles) -> dict[str, PuzzleProgress]:
        return _merge((renamed.get(key, key), progress) for key, progress in own.puzzles.items())

    def add_new(own: PlayerPuzzles) -> PlayerPuzzles:
        listed = list_known(own)
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
        remembered = [
            session for session in own.searched if session != searched and (recent is None or session in recent)
        ]
        return PlayerPuzzles({**listed, **new}, (*remembered, *([searched] if searched else [])))

    before = PUZZLES.update_own(nick, add_new).before
    return len(puzzles_by_id.keys() - list_known(before))


def record_attempt(nick: str, puzzle_id: str, today: date, *, is_right: bool) -> PuzzleProgress:
    """Count an attempt of a player, and return the progress.

    Raises ``CardtableError`` if it cannot be saved, or if the puzzle is not in the player's list.
    """

    def count_attempt(own: PlayerPuzzles) -> PlayerPuzzles:
        if puzzle_id not in own.puzzles:
            raise CardtableError("this puzzle is not in your list any more")
        progress = own.puzzles[puzzle_id].add_attempt(today, is_right=is_right)
        return replace(own, puzzles={**own.puzzles, puzzle_id: progress})

    return PUZZLES.update_own(nick, count_attempt).after.puzzles[puzzle_id]


def remove(nick: str, puzzle_id: str) -> None:
    """Remove a puzzle from the list of a player, and its file if no other player has it.

    Raises ``CardtableError`` if the list cannot be saved.
    """

    def remove_own(own: PlayerPuzzles) -> PlayerPuzzles:
        return replace(own, puzzles={key: progress for key, progress in own.puzzles.items() if key != puzzle_id})

    PUZZLES.update_own(nick, remove_own)
    with suppress(OSError, CardtableError), home_lock():
        if not any(puzzle_id in player.puzzles for player in PUZZLES.read().players.values()):
            puzzle_file.delete(puzzle_id)


def merge_copy(data: bytes) -> MergedCopy:
    """Add the puzzles and the progress in a copy of the file as ``ProgressStore.merge_copy`` does."""
    return MergedCopy("puzzles or progress in them were added" if PUZZLES.merge_copy(data, _combine) else "")


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
        merged[puzzle_id] = max(both, key=lambda attempt: (attempt.tried or date.min, attempt.attempts))
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
