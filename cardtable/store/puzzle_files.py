"""Files of puzzles, and the players' lists of them.

A puzzle is a position of one seat with the expert's evaluation of every choice. Its file holds what the seat knew, but
no hidden card, no seed, no name and no talk. Files come from other people, so that they are parsed strictly;
``docs/puzzles.md`` describes the format.

A list says when each puzzle is due again, and how often it was tried and solved. One that was solved comes again after
1, 3 and 7 days, and is then done. One that was missed starts over. Puzzles that are not from the player's sessions wait
until they are tried, and are due only then.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from hashlib import sha256
from operator import itemgetter, or_
from pathlib import Path
from random import Random
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import asdict, fields, replace

from cardtable.engine import options
from cardtable.engine.cards import BIT, iter_cards
from cardtable.engine.checksummed_jsonl import decode
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, AnyGame, Score, Seat, View, find_action
from cardtable.engine.game_lookup import MissingGame
from cardtable.engine.options import Value
from cardtable.engine.text_format import sanitize
from cardtable.engine.value_checks import decode_view
from cardtable.games import GAMES, MAX_PACKAGE_LENGTH, find_missing_game
from cardtable.store import atomic_io, paths, profiles
from cardtable.store.errors import FileError, convert_os_errors
from cardtable.store.json_file import JsonFile, MergedCopy, home_lock
from cardtable.store.player_progress import ProgressFile, ProgressStore
from cardtable.store.summaries import list_recent_games

MAX_FILE_BYTES: Final = 1024 * 1024
MAX_CHOICES: Final = 120
"""Maximum number of choices of a puzzle."""
MAX_POINTS: Final = 10**6
"""Upper limit of the absolute value of points in a file."""
_MAX_TEXT_LENGTH: Final = 1000
_MAX_INT: Final = 2**128
"""Upper limit of the absolute value of a number in a view; sets of cards are such numbers."""
_MAX_ITEMS: Final = 512
"""Maximum length of a list in a view."""
_MAX_RANDOM_CALLS: Final = 20_000
"""Number of random numbers in which a game has to find hidden cards that fit a view."""
_MAX_REASON_LENGTH: Final = 120
_ID_LENGTH: Final = 20
_EARLIER_ID_LENGTH: Final = 16

Key: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{1,19}\Z")]
ShortText: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
PackageName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_PACKAGE_LENGTH)]
Points: TypeAlias = Annotated[float, msgspec.Meta(ge=-MAX_POINTS, le=MAX_POINTS)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=64)]


class PuzzleChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Choice in a puzzle, with the expert's evaluation."""

    action: ShortText
    """Action in the notation of the journal."""
    worth: Points
    """Mean lead over the other seats in points, rounded to tenths."""
    error: Annotated[float, msgspec.Meta(ge=0, le=MAX_POINTS)]
    """Error of the difference from the best choice, in points."""


class Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="puzzle", tag=1):
    """Content of a file with a puzzle."""

    game: Key
    title: ShortText
    """Title of the game, for programs that do not have it."""
    options: dict[ShortText, Value]
    seats: Annotated[int, msgspec.Meta(ge=1, le=12)]
    view: msgspec.Raw
    """Encoded view of the seat that is to act."""
    scores: tuple[Score, ...]
    """Scores of the earlier rounds of the session."""
    choices: Annotated[tuple[PuzzleChoice, ...], msgspec.Meta(min_length=2, max_length=MAX_CHOICES)]
    """All legal actions, the expert's choice first, the others by decreasing value."""
    chosen: ShortText
    """Action that the player chose in the session."""
    why: Annotated[tuple[str, ...], msgspec.Meta(max_length=4)] = ()
    """Sentences about the expert's choice and the player's choice. Cards are in notation."""
    lasting: bool = False
    """True if the values of the choices include the later rounds of the session."""
    package: PackageName | msgspec.UnsetType = msgspec.UNSET
    """Package and version that provide a game from outside, as in the header of a journal."""

    @property
    def missing_game(self) -> MissingGame | None:
        return find_missing_game(self.game, self.package or None)

    @property
    def id(self) -> str:
        """Id of the position, which is the same in every file with it.

        It is made from the game, the options that differ from their defaults, and the members of the view that do, but
        not from the legal actions, which follow from them. While the game cannot be used, it is ``earlier_id``.
        """
        if self.missing_game:
            return self.earlier_id
        game = GAMES[self.game]
        view = decode_view(game, self.view)
        usual, members = game.options().for_seats(self.seats).to_dict(), asdict(view)
        position = {field.name: members[field.name] for field in fields(view) if members[field.name] != field.default}
        del position["legal"]
        position["options"] = dict(view.options.to_dict().items() - usual.items())
        return _compute_digest((self.game, position))[:_ID_LENGTH]

    @property
    def earlier_id(self) -> str:
        """Id of the file's content, by which earlier versions of the program named the file and listed the puzzle."""
        content = (self.game, self.options, self.seats, decode(bytes(self.view), object))
        return _compute_digest(content)[:_EARLIER_ID_LENGTH]


def _compute_digest(value: object) -> str:
    return sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


class PuzzlePosition(NamedTuple):
    """Position of a valid puzzle, whose game can be used."""

    puzzle: Puzzle
    game: AnyGame
    view: View
    actions: tuple[Action, ...]
    """Actions of ``Puzzle.choices``, in this order."""
    chosen: Action

    @property
    def seat(self) -> Seat:
        return self.view.seat


class InvalidPuzzle(CardtableError):
    """A file is not a puzzle, or its position is not possible. The message has one line."""


_FILE: Final = JsonFile(Puzzle, MAX_FILE_BYTES, personal=False, indent=1)


def parse(data: bytes) -> Puzzle:
    """Parse the bytes of a puzzle. If its game can be used, its position is checked as in ``open_position``.

    Raises ``InvalidPuzzle`` with a reason in one line.
    """
    try:
        puzzle = _FILE.parse(data)
        for value in _iter_values(decode(data, object)):
            if isinstance(value, str) and sanitize(value, _MAX_TEXT_LENGTH) != value:
                raise ValueError("a text that cannot be shown")
    except (ValueError, RecursionError) as error:
        raise InvalidPuzzle(f"not a puzzle: {sanitize(str(error), _MAX_REASON_LENGTH)}") from None
    if puzzle.missing_game is None:
        open_position(puzzle)
    return puzzle


def encode(puzzle: Puzzle) -> bytes:
    return _FILE.encode(puzzle)


def open_position(puzzle: Puzzle) -> PuzzlePosition:
    """Return the position of a puzzle whose game can be used, after checking that it is possible.

    Raises ``InvalidPuzzle`` if it is not.
    """
    game = GAMES[puzzle.game]
    try:
        return _check_position(puzzle, game)
    except Exception as error:  # a game may raise anything for a position that cannot occur
        reason = str(error) if isinstance(error, _Impossible | msgspec.DecodeError) else "the cards cannot be right"
        raise InvalidPuzzle(
            f"not a possible position of {game.about.title}: {sanitize(reason, _MAX_REASON_LENGTH)}"
        ) from None


class _Impossible(Exception):
    """A position cannot occur; the message has the reason."""


class _LimitedRandom(Random):
    """Generator that ends a game's search for hidden cards that fit an impossible view."""

    _calls = 0

    def random(self) -> float:
        self._count_call()
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        self._count_call()
        return super().getrandbits(k)

    def _count_call(self) -> None:
        self._calls += 1
        _require(self._calls <= _MAX_RANDOM_CALLS, "the cards")


def _check_position(puzzle: Puzzle, game: AnyGame) -> PuzzlePosition:
    _require(puzzle.seats in game.about.seats, "the number of seats")
    try:
        house_rules = options.read(game.options, puzzle.options, puzzle.seats)
    except ValueError as error:
        raise _Impossible(str(error)) from None
    for value in _iter_values(decode(bytes(puzzle.view), object)):
        _require(not isinstance(value, int) or abs(value) < _MAX_INT, "a number")
        _require(not isinstance(value, list) or len(value) <= _MAX_ITEMS, "the length of a list")
    view = decode_view(game, puzzle.view)
    _require(view.options == house_rules, "the house rules")
    _require(len(view.totals) == puzzle.seats, "the totals")
    _require(all(abs(total) < MAX_POINTS for total in view.totals), "the totals")
    _require(view.playing and view.turn == view.seat and 0 <= view.seat < puzzle.seats, "the seat to act")
    state = game.imagine(view, _LimitedRandom(0))
    state.assert_invariants()
    _require(state.view(view.seat) == view, "the cards")
    _check_facts(view, game)
    _check_scores(puzzle, game, view)
    actions = [find_action(view.legal, choice.action) for choice in puzzle.choices]
    _require(len({*actions}) == len(view.legal) == len(actions) and None not in actions, "the choices")
    _require(puzzle.choices[0].worth >= max(choice.worth for choice in puzzle.choices), "the values of the choices")
    chosen = find_action(view.legal, puzzle.chosen)
    if chosen is None:
        raise _Impossible("the player's choice")
    return PuzzlePosition(puzzle, game, view, tuple(action for action in actions if action is not None), chosen)


def _require(is_right: bool, subject: str) -> None:
    if not is_right:
        raise _Impossible(f"{subject} cannot be right")


def _check_facts(view: View, game: AnyGame) -> None:
    """Compute everything that a game states about a view; it raises an exception if the view is not possible."""
    seats = range(len(view.totals))
    zones = game.scene(view)
    _require(all(zone.seat is None or zone.seat in seats for zone in zones), "a zone")
    if trick := game.trick(view):
        cards = (*trick.lying, *trick.last)
        _require(trick.leader in seats and all(seat in seats for seat, _ in cards), "the trick")
    if bids := game.bids(view):
        _require(len(bids.made) == len(bids.won) == len(seats), "the bids")
    if role := game.dealer_or_declarer(view):
        _require(role[1] in seats, "the dealer")
    game.contract(view)
    game.mandatory_card(view)
    game.describe_selection(view)
    playable = reduce(or_, [action.cards_used() for action in view.legal])
    for card in iter_cards(view.hand & ~playable):
        game.explain_illegal(view, BIT[card])


def _check_scores(puzzle: Puzzle, game: AnyGame, view: View) -> None:
    _require(len(puzzle.scores) == view.finished, "the number of scores")
    for score in puzzle.scores:
        str(score.title)  # fails if a rank or a suit is none
        figures = all(len(row) == len(game.columns) for row in score.figures)
        lengths = {len(values) for values in (score.figures, score.points, score.bonuses, score.totals)}
        _require(lengths == {puzzle.seats} and figures, "a score")
    for value in _iter_values(msgspec.to_builtins(puzzle.scores)):
        _require(not isinstance(value, int) or abs(value) < MAX_POINTS, "a score")


def _iter_values(value: object) -> Iterator[object]:
    """Yield a value from JSON and all values in it, with the names of members."""
    yield value
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from _iter_values(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iter_values(inner)


# Folder


def get_path(puzzle_id: str) -> Path:
    """Return the path of the file of a puzzle, which need not exist and may be named by its earlier id."""
    path = _get_usual_path(puzzle_id)
    if path.exists():
        return path
    files = paths.list_files(path.parent, path.suffix)
    return next((file for file in files if find_id(file.stem) == puzzle_id), path)


def _get_usual_path(puzzle_id: str) -> Path:
    return paths.puzzles_folder() / f"{puzzle_id}.json"


def find_id(puzzle_id: str) -> str:
    """Return the id of a puzzle, given its id or earlier id.

    An earlier id is returned unchanged if there is no file with this name whose position can be read.
    """
    if len(puzzle_id) == _EARLIER_ID_LENGTH:
        with suppress(Exception):  # a game may raise anything for a position that is not possible
            return _FILE.read(_get_usual_path(puzzle_id)).id
    return puzzle_id


def load_file(path: Path) -> Puzzle:
    """Return the puzzle in a file. Raises ``FileError`` if the file cannot be read or is invalid."""
    try:
        with convert_os_errors(path):
            return parse(atomic_io.read(path, MAX_FILE_BYTES, follow_links=True))
    except InvalidPuzzle as error:
        raise FileError(path, str(error)) from None


def save_file(puzzle: Puzzle) -> None:
    """Save a puzzle in the folder of this home, unless it is there. Raises ``FileError`` if it cannot be written."""
    path = get_path(puzzle.id)
    with convert_os_errors(path, "the puzzle cannot be saved: "):
        paths.create_folder(path.parent)
        if not path.is_file():
            _FILE.write(path, puzzle)


def delete_files(puzzle_id: str) -> None:
    """Delete all files with a puzzle. Raises ``OSError`` if one cannot be deleted."""
    while (path := get_path(puzzle_id)).exists():
        atomic_io.remove(path)


_MAX_LIST_BYTES: Final = 4 * 1024 * 1024
INTERVALS: Final = (1, 3, 7)
"""Days after which a puzzle comes again, by the number of times that it was solved in a row."""
SHIPPED: Final = "shipped 1"
"""Name under which the puzzles that come with the program are remembered in ``PlayerPuzzles.searched``."""
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
    """True if the puzzle is from a file or came with the program, and not from a session of the player."""
    package: PackageName | None = None
    """Package and version of a game from outside, as in the file of the puzzle."""

    @property
    def is_done(self) -> bool:
        """True if the puzzle does not come again."""
        return self.level > len(INTERVALS)

    @property
    def is_waiting(self) -> bool:
        """True if the puzzle is due on no particular day: it is not from a session of the player, and not tried yet."""
        return self.imported and self.tried is None

    @property
    def missing_game(self) -> MissingGame | None:
        return find_missing_game(self.game, self.package)

    def is_due(self, today: date) -> bool:
        """Return True if the puzzle is due or waiting, or if the clock shows a day before the last attempt."""
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
    """Sessions of the last weeks that have been searched, each with the player's seat, and ``SHIPPED``."""

    def list_next(self, today: date) -> list[str]:
        """Return the ids of the puzzles to solve: those that are due, the longest ones first, then those that wait.

        Those of one day stay in order. Those whose games cannot be used are left out.
        """
        due = [
            (progress.is_waiting, progress.due, key)
            for key, progress in self.puzzles.items()
            if progress.is_due(today) and not progress.missing_game
        ]
        return [puzzle for *_, puzzle in sorted(due, key=itemgetter(0, 1))]

    def list_due(self, today: date) -> list[str]:
        return [puzzle for puzzle in self.list_next(today) if not self.puzzles[puzzle].is_waiting]


def get_today() -> date:
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
count_due: Final = PUZZLES.count_due


def load_puzzles(nick: str) -> tuple[PlayerPuzzles, str | None]:
    """Return the list of a player, as ``ProgressStore.load_own`` does; puzzles of the game played last come first."""
    own, error = PUZZLES.load_own(nick)
    ranks = {game: rank for rank, game in enumerate(list_recent_games())}
    in_order = sorted(own.puzzles.items(), key=lambda item: ranks.get(item[1].game, len(ranks)))
    return replace(own, puzzles=dict(in_order)), error


def add_puzzles(
    nick: str, puzzles: Iterable[Puzzle], today: date, searched: str = "", recent: Collection[str] | None = None
) -> int:
    """Save puzzles and add them to the list of a player; return the number of new ones.

    ``searched``: session, with the seat, in which they were found, or ``SHIPPED``; empty if they were imported. Of the
    sessions that were searched before only those in ``recent`` are still remembered. Raises ``CardtableError`` if the
    puzzles cannot be saved.
    """
    puzzles_by_id = {puzzle.id: puzzle for puzzle in puzzles}
    for puzzle in puzzles_by_id.values():
        save_file(puzzle)
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
                imported=searched in ("", SHIPPED),
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


def remove_puzzle(nick: str, puzzle_id: str) -> None:
    """Remove a puzzle from the list of a player, and its file if no other player has it.

    Raises ``CardtableError`` if the list cannot be saved.
    """

    def remove_own(own: PlayerPuzzles) -> PlayerPuzzles:
        return replace(own, puzzles={key: progress for key, progress in own.puzzles.items() if key != puzzle_id})

    PUZZLES.update_own(nick, remove_own)
    with suppress(OSError, CardtableError), home_lock():
        if not any(puzzle_id in player.puzzles for player in PUZZLES.read().players.values()):
            delete_files(puzzle_id)


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
        puzzle_id = find_id(id_or_earlier)
        both = merged.get(puzzle_id, progress), progress
        merged[puzzle_id] = max(both, key=lambda attempt: (attempt.tried or date.min, attempt.attempts))
    return merged


def find_puzzle(puzzles: Mapping[str, PuzzleProgress], text: str) -> str:
    """Return the id of the puzzle that is meant by the beginning of its id, or by its whole earlier id.

    Raises ``CardtableError`` if there is none, or several.
    """
    beginning = find_id(text)
    matches = [key for key in puzzles if text and key.startswith(beginning)]
    if len(matches) != 1:
        number = len(matches) or "none"
        raise CardtableError(f"{number} of your puzzles has the id {text[:20]!r}; see cardtable puzzles --list")
    return matches[0]
