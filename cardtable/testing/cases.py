"""Test sessions of a game, and violated invariants as messages for its author.

The sessions consist of random legal actions, for every number of seats and every value of each option.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final

from cardtable.engine import options as house
from cardtable.engine.chance import Deal
from cardtable.engine.game import CHANCE, OVER, Action, AnyGame, Event, Seat, State, View
from cardtable.engine.journal import Line
from cardtable.engine.options import Options
from cardtable.engine.referee import Referee
from cardtable.workers.time_limit import TimeLimit, TimeLimitExceeded


class LawFailure(AssertionError):
    """Violated invariant, with the seat, the field and the two worlds that show it.

    ``field`` is the name of the field of the view, or of the function of the game. ``worlds`` describes both worlds,
    one line each. ``advice`` is a sentence on what to change.
    """

    def __init__(
        self, message: str, *, advice: str, seat: Seat | None = None, field: str = "", worlds: Sequence[str] = ()
    ) -> None:
        lines = [f"  world {number}: {world}" for number, world in enumerate(worlds, 1)]
        super().__init__("\n".join([message, *lines, f"  what to do: {advice}"]))
        self.seat, self.field, self.worlds, self.advice = seat, field, tuple(worlds), advice


@contextmanager
def explain_failures(context: str) -> Iterator[None]:
    """Add ``context``, such as the case and the seed, to the message of every error in the body of the ``with``."""
    try:
        yield
    except AssertionError as error:
        error.args = (f"{context}: {error}",)
        raise
    except Exception as error:
        error.add_note(f"{context}: the game raised this error")
        raise


def call_with_limit(game: AnyGame, seconds: float, check: Callable[[], object]) -> None:
    """Call a check that calls the game, for at most ``seconds`` of processor time.

    Raises ``LawFailure`` that names the callable of the game in which most of the time was spent. A call that never
    returns is interrupted, unless it waits outside Python.
    """
    sampler = _Sampler(game)
    try:
        TimeLimit(seconds, sampler.sample).call(check)
    except TimeLimitExceeded:
        raise LawFailure(
            f"the time limit of {seconds:g} s is over: {sampler.describe_slowest()}",
            advice="make this call end sooner, or raise `seconds` of the test class if the session is only long",
            field=sampler.find_slowest(),
        ) from None


class _Sampler:
    """Samples of what this thread is calling, which another thread takes."""

    def __init__(self, game: AnyGame) -> None:
        self._watched: Final = threading.get_ident()
        self._modules: Final = _list_modules(game)
        self._calls: Counter[str] = Counter()
        """Number of samples by the callable of the game that ran."""
        self._places: dict[str, str] = {}
        """Where each callable was seen last: the function that it had called, file and line."""

    def find_slowest(self) -> str:
        """Return the name of the callable in which most of the time was spent; empty if it was not in the game."""
        return self._calls.most_common(1)[0][0] if self._calls else ""

    def describe_slowest(self) -> str:
        """Return a sentence with the callable in which most of the time was spent."""
        name = self.find_slowest()
        if not name:
            return "the check itself is slow, perhaps because a session has very many events"
        return f"most of it was spent in {name}, last seen at {self._places[name]}"

    def sample(self) -> None:
        """Note what the thread is calling now."""
        calls = list(_iter_game_calls(sys._current_frames().get(self._watched), self._modules))
        if calls:
            name = calls[-1].f_code.co_qualname
            self._calls[name] += 1
            code, line = calls[0].f_code, calls[0].f_lineno
            inner = f"{code.co_qualname}, " if len(calls) > 1 else ""
            self._places[name] = f"{inner}{Path(code.co_filename).name}, line {line}"


def _list_modules(game: AnyGame) -> frozenset[str]:
    """Return the names of the modules that contain code of the game."""
    parts = [game.options, game.view, type(game), game.start, game.imagine, game.scene, game.narrate, *game.actions]
    modules = {str(getattr(part, "__module__", "")) for part in parts}
    return frozenset(name for name in modules if not name.startswith("cardtable.engine"))


def _iter_game_calls(frame: FrameType | None, modules: frozenset[str]) -> Iterator[FrameType]:
    """Yield the frames of a stack that run code of the game, the innermost first."""
    while frame is not None:
        if frame.f_globals.get("__name__") in modules:
            yield frame
        frame = frame.f_back


MAX_EVENTS: Final = 20_000
"""Maximum number of events in a test session, far more than any session needs."""


MAX_ACTIONS: Final = 10_000
"""Maximum number of legal actions in a position."""


@dataclass(frozen=True)
class Case:
    """Combination of a game, a number of seats and house rules; its text names the options that are not the default."""

    game: AnyGame
    seats: int
    options: Options

    def __str__(self) -> str:
        usual = self.game.options().to_dict()
        changed = [f"{name}={value}" for name, value in self.options.to_dict().items() if value != usual[name]]
        return "-".join([self.game.about.key, str(self.seats), *changed])

    def create_state(self) -> State[View]:
        return self.game.start(self.seats, self.options)

    def create_referee(self, seed: int, record: Callable[[Line], None]) -> Referee:
        return Referee(self.game, self.seats, self.options, seed, record)


def list_cases(game: AnyGame) -> list[Case]:
    """Return all combinations of seats and house rules in which at most one option differs from its default."""
    return [
        Case(game, seats, options)
        for options in _iter_options(game)
        for seats in game.about.seats
        if options.for_seats(seats) == options
    ]


def _iter_options(game: AnyGame) -> Iterator[Options]:
    """Yield the default house rules, then the house rules with each other value of each option."""
    usual = game.options()
    yield usual
    for option in house.list_choices(game.options):
        values = [*option.values, 10] if option.minutes else list(option.values)
        yield from (replace(usual, **{option.name: value}) for value in values if value != option.default)


def list_legal(state: State[View]) -> Sequence[Action]:
    """Return the legal actions of the seat to act; raise ``LawFailure`` if there are none or too many."""
    legal = state.legal()
    if not legal:
        raise LawFailure(
            f"nothing is legal for seat {state.turn}, which is to act in round {state.round}",
            seat=state.turn, field="legal",
            advice="let `legal` always offer an action to the seat in `turn`, or set `turn` to another seat",
        )  # fmt: skip
    if len(legal) > MAX_ACTIONS:
        raise LawFailure(
            f"`legal` lists {len(legal):,} actions of seat {state.turn}, and at most {MAX_ACTIONS:,} can be searched "
            "and shown", seat=state.turn, field="legal", advice="divide the choice into several actions",
        )  # fmt: skip
    return legal


def choose_action(legal: Sequence[Action], rng: Random) -> Action:
    """Choose a random action: first its kind, then an action of that kind.

    Otherwise plays of cards would outnumber the other kinds.
    """
    kinds: dict[str, list[Action]] = {}
    for action in legal:
        kinds.setdefault(action.kind, []).append(action)
    weights = [0.1 if actions[0].rare_in_random_play else 1 for actions in kinds.values()]
    (kind,) = rng.choices(list(kinds), weights)
    return rng.choice(kinds[kind])


def apply_random_event(state: State[View], rng: Random) -> Event:
    """Apply a random event, which is an outcome of chance or an action, to the state in place; return the event."""
    event: Event = state.draw_chance(rng) if state.turn == CHANCE else choose_action(list_legal(state), rng)
    state.apply(event)
    return event


def play_random_action(referee: Referee, rng: Random) -> None:
    """Play a random action for the seat to act, or draw the chance that is due."""
    if referee.turn >= 0:
        referee.play(referee.turn, choose_action(list_legal(referee.state), rng))
    else:
        referee.advance()


@dataclass
class Position:
    """Position of a session, with the events of its round."""

    state: State[View]
    state_before_deal: State[View]
    """State before the deal of the round."""
    events: list[tuple[Seat, Event]]
    """Events of the round, starting with its deal, each with the value of ``turn`` before it."""


def iter_random_positions(case: Case, seed: int) -> Iterator[Position]:
    """Play a session of random events; yield the position before each event and at the end.

    The same ``Position`` is yielded each time and changed in place, so copy what is needed later. Raises
    ``AssertionError`` if the session does not end.
    """
    rng, state = Random(f"{case} {seed}"), case.create_state()
    position = Position(state, state.copy(), [])
    for _ in range(MAX_EVENTS):
        yield position
        if state.turn == OVER:
            return
        turn, before = state.turn, state.copy()
        event = apply_random_event(state, rng)
        if isinstance(event, Deal):
            position.state_before_deal, position.events = before, []
        position.events.append((turn, event))
    raise AssertionError(f"the session does not end: it has {MAX_EVENTS:,} events; see `is_over`")


def describe_phase(state: State[View]) -> str:
    """Describe the phase of a session by the kinds of legal actions, or by the outcome of chance that is due."""
    if state.turn == CHANCE:
        return f"{state.pending_chance_type().__name__} {'inside' if state.playing else 'between'}"
    if state.turn == OVER:
        return "over"
    return " ".join(sorted({action.kind for action in state.legal()}))


_SIMPLE_TYPES: Final = frozenset({int, bool, str, type(None)})
"""Types of values that are snapshots of themselves."""
_MISSING: Final = object()


def freeze_data(value: object) -> object:
    """Return a deep snapshot of all data of a state, which can be compared and does not change with the state."""
    kind = type(value)
    if kind in _SIMPLE_TYPES:
        return value
    if isinstance(value, tuple | list):
        return kind, tuple([one if type(one) in _SIMPLE_TYPES else freeze_data(one) for one in value])
    if isinstance(value, dict):
        return {key: freeze_data(one) for key, one in value.items()}
    if isinstance(value, set):
        return frozenset(value)
    if kind.__eq__ is not object.__eq__:
        return value
    names = [*_list_slots(kind), *getattr(value, "__dict__", ())]  # type: ignore[arg-type]
    data = [(name, getattr(value, name, _MISSING)) for name in names]
    return kind, {
        name: one if type(one) in _SIMPLE_TYPES else freeze_data(one) for name, one in data if one is not _MISSING
    }


@cache
def _list_slots(kind: type) -> list[str]:
    return [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
