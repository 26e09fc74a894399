"""The session in which a player solves a puzzle, which is shown as a table."""

from collections import deque
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, AnyGame, Seat, View
from cardtable.engine.journal import Occupant
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_amount
from cardtable.robots.kit.hint_spec import EQUAL_TEXT, TOO_CLOSE_TEXT, format_action_in_sentence
from cardtable.session.playable_session import TransientSession, create_transient_header
from cardtable.session.session_events import (
    AwaitingPlayer,
    AwaitingReader,
    PendingInput,
    SessionEvent,
    SessionOver,
    SessionPrompt,
    SessionSnapshot,
)
from cardtable.store import puzzle_files
from cardtable.store.errors import FileError
from cardtable.store.puzzle_files import PuzzlePosition, PuzzleProgress
from cardtable.store.seating import ROBOT_NAMES

if TYPE_CHECKING:
    from cardtable.robots import worker

QUESTION: Final = "Puzzle: what is best here?"
_INTRODUCTION: Final = "Choose what you think is best on average, over all deals that fit what you see."
_MAX_LISTED: Final = 4
"""Maximum number of choices whose values are shown, besides the two choices of the player."""
_ROBOT_LEVEL: Final = "steady"


class PuzzleSession(TransientSession):
    """Implementation of ``PlayableSession`` for a puzzle.

    The player chooses once (``AwaitingPlayer``), and then reads what each choice is worth, and why
    (``AwaitingReader``). The position does not change.
    """

    def __init__(
        self, position: PuzzlePosition, player_name: str, *, is_own: bool, count_attempt: Callable[[bool], str]
    ) -> None:
        """``is_own``: True if the player made the decision in the session.

        ``count_attempt`` records an attempt, given True if it was right, and returns a sentence on the day on which
        the puzzle comes again. It may raise ``CardtableError``.
        """
        super().__init__(position.seat)
        puzzle, seat = position.puzzle, position.seat
        self.position: Final = position
        self.game: Final[AnyGame] = position.game
        self.people: Final[Sequence[Seat]] = (seat,)
        self.initial_seat: Final = seat
        self.hands_open: Final = False
        robots = iter(ROBOT_NAMES * 2)
        occupants = [
            Occupant(player_name) if index == seat else Occupant(next(robots), _ROBOT_LEVEL)
            for index in range(puzzle.seats)
        ]
        id_, house_rules = f"puzzle-{puzzle.id}", position.view.options
        self.header: Final = create_transient_header(id_, position.game, house_rules, occupants)
        self.is_right: bool | None = None
        """True if the player has chosen right, ``None`` before."""
        self._is_own, self._count_attempt = is_own, count_attempt
        self._texts: deque[str] = deque()
        """Texts that the player has to read."""

    # State

    @property
    def prompt(self) -> SessionPrompt:
        """Text and question for the player now."""
        answered = self.is_right is not None
        return SessionPrompt(
            title=f"{self.game.about.title}, round {self.position.view.round}",
            text=self._texts[0] if self._texts else "",
            question="" if answered or self._texts else QUESTION,
            origin="the puzzles",
        )

    @property
    def pending(self) -> PendingInput:
        if self._texts:
            return AwaitingReader()
        return AwaitingPlayer(self.position.seat) if self.is_right is None else SessionOver()

    @property
    def progress(self) -> tuple[int, int]:
        return self.position.view.round, 0

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        return SessionSnapshot(
            view=self.position.view,
            scores=self.position.puzzle.scores,
            messages=self.get_messages(seat),
            prompt=self.prompt,
        )

    # Input

    def advance(self) -> Sequence[SessionEvent]:
        """Continue after a text."""
        if self._texts:
            self._texts.popleft()
        return ()

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """Take the player's choice, and count the attempt."""
        if not isinstance(self.pending, AwaitingPlayer) or action not in self.position.actions:
            raise IllegalAction("nobody is to choose now")
        self.is_right = _is_as_good(self.position, self.position.actions.index(action))
        try:
            again = self._count_attempt(self.is_right)
        except CardtableError as error:
            again = f"This attempt is not saved: {error}"
        reasons = [f"{reason}." for reason in self.position.puzzle.why]
        self._texts += [self._format_verdict(action), _join([*reasons, again])]
        return ()

    def read_again(self) -> Sequence[SessionEvent]:
        """Explain the question, because the player has asked for it."""
        if isinstance(self.pending, AwaitingPlayer):
            self._texts.append(_INTRODUCTION)
        return ()

    def create_hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":  # noqa: ARG002
        raise CardtableError("there are no hints in a puzzle")

    # Texts

    def _format_verdict(self, action: Action) -> str:
        """Return the verdict on the player's choice, the values of the choices, and the choice in the session."""
        position = self.position
        own, best = self._name(action), self._name(position.actions[0])
        if action == position.actions[0]:
            verdict = f"*Right*: {own} is best."
        elif self.is_right:
            verdict = f"*Right*: {own} may be just as good as {best}."
        else:
            verdict = f"*Not this time*: {best} is best."
        listed = [
            f"{self._name(listed_action)} {_format_standing(position, number)}"
            for number, listed_action in enumerate(position.actions)
            if number < _MAX_LISTED or listed_action in (action, position.chosen)
        ]
        if len(listed) < len(position.actions):
            listed.append(f"and {len(position.actions) - len(listed)} more")
        later = ", later rounds included" if position.puzzle.lasting else ""
        values = f"Points on average{later}: {'; '.join(listed)}."
        player = "In the session you" if self._is_own else "The player who held this hand"
        too = ", too" if position.chosen == action else ""
        return _join([verdict, values, f"{player} chose {self._name(position.chosen)}{too}."])

    def _name(self, action: Action) -> str:
        """Return the name of an action within a sentence, with cards in notation."""
        from cardtable.robots.hints import name_action  # noqa: PLC0415 - lazy: startup

        name = name_action(self.position.puzzle.game, self.position.view, action)
        return format_action_in_sentence(action, name=name)


def _is_as_good(position: PuzzlePosition, number: int) -> bool:
    """Return True if choice ``number`` is worse than the best one by no more than its error."""
    best, choice = position.puzzle.choices[0], position.puzzle.choices[number]
    return round(best.worth - choice.worth, 1) <= choice.error


def _format_standing(position: PuzzlePosition, number: int) -> str:
    """Describe how a choice compares with the best one: ``2.1 worse``, ``0.3 worse, too close to call``."""
    behind = round(position.puzzle.choices[0].worth - position.puzzle.choices[number].worth, 1)
    if number == 0:
        return "best"
    if not behind:
        return EQUAL_TEXT
    worse = f"{format_amount(behind)} worse"
    return f"{worse}, {TOO_CLOSE_TEXT}" if _is_as_good(position, number) else worse


def _format_next_time(progress: PuzzleProgress, today: date) -> str:
    """Return a sentence on the day on which the puzzle comes again."""
    if progress.is_done:
        return "You have solved it often enough: it does not come again."
    days = (progress.due - today).days
    return f"It comes again {'tomorrow' if days == 1 else f'in {days} days'}."


def _join(paragraphs: Sequence[str]) -> str:
    return "\n\n".join(paragraphs)


def open_puzzle(nick: str, puzzle_id: str, today: Callable[[], date]) -> PuzzleSession:
    """Return the session of a puzzle in the list of a player, whose attempts are counted.

    Raises ``CardtableError`` if the puzzle cannot be read, or its game is not installed or cannot be loaded.
    """
    path = puzzle_files.get_path(puzzle_id)
    puzzle = puzzle_files.load_file(path)
    if missing := puzzle.missing_game:
        raise FileError(path, str(missing))
    own = puzzle_files.PUZZLES.load_own(nick)[0].puzzles.get(puzzle_id)

    def count_attempt(is_right: bool) -> str:
        day = today()
        return _format_next_time(puzzle_files.record_attempt(nick, puzzle_id, day, is_right=is_right), day)

    is_own = own is not None and not own.imported
    return PuzzleSession(puzzle_files.open_position(puzzle), nick, is_own=is_own, count_attempt=count_attempt)
