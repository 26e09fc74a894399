"""Sessions of random legal play, of every game, number of seats and option value."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from cardtable.engine import options as house
from cardtable.engine.chance import Deal
from cardtable.engine.contract import CHANCE, OVER, Action, Event, Game, State
from cardtable.engine.table import Table
from cardtable.games import GAMES
from tests.budgets import LONG

ENDLESS = 20_000
"""More decisions than any session takes."""
LOOKED_AT = ENDLESS if LONG else 250
"""Decisions of a session that costly laws look at."""
EARLY_END = ("offer", "claim", "bridge")
"""Kinds of action that end a round early: chosen seldom, so that rounds are played out, too."""


@dataclass(frozen=True)
class Case:
    """One way to play a game."""

    game: Game[Any, Any]
    seats: int
    options: house.Options

    def __str__(self):
        usual = self.game.options()
        changed = [f"{name}={value}" for name, value in self.options.items().items() if value != usual.items()[name]]
        return "-".join([self.game.about.key, str(self.seats), *changed])

    def start(self):
        """The state before anything happened."""
        return self.game.start(self.seats, self.options)

    def table(self, seed, record):
        """A table before anything happened."""
        return Table(self.game, self.seats, self.options, seed, record)


def varied(game) -> Iterator[house.Options]:
    """The usual options, and each value of each option alone."""
    usual = game.options()
    yield usual
    for option in house.choices(game.options):
        values = [*option.values, 10] if option.minutes else list(option.values)
        yield from (replace(usual, **{option.name: value}) for value in values if value != option.default)


def cases(keys=None):
    """Every way to play, each option varied alone."""
    games = [GAMES[key] for key in keys or GAMES]
    return [Case(game, seats, chosen) for game in games for chosen in varied(game) for seats in seats_of(game, chosen)]


def seats_of(game, chosen):
    """The numbers of seats; an option of that name says which."""
    return [chosen.seats] if hasattr(chosen, "seats") else game.about.seats


CASES = cases()
CASES_OF = {key: [case for case in CASES if case.game.about.key == key] for key in GAMES}


def share_of(number, case):
    """This case's part of what is to be done for each game, rounded up."""
    return -(-number // len(CASES_OF[case.game.about.key]))


def chosen(legal, rng) -> Action:
    """A random choice: first the kind of action, as many cards would crowd out few words."""
    assert legal, "nothing is legal"
    kinds: dict[str, list[Action]] = {}
    for action in legal:
        kinds.setdefault(str(action).partition(" ")[0], []).append(action)
    weights = [0.1 if kind in EARLY_END else 1 for kind in kinds]
    (kind,) = rng.choices(list(kinds), weights)
    return rng.choice(kinds[kind])


def step(state: State[Any], rng: Random):
    """Let one thing happen to the state, by lot; tell what."""
    event = state.lot(rng) if state.turn == CHANCE else chosen(state.legal(), rng)
    state.apply(event)
    return event


@dataclass
class Position:
    """Where a session stands, and how its round came there."""

    state: State[Any]
    begun: State[Any]
    """The state before the deal."""
    happened: list[tuple[int, Event]]
    """What happened from the deal on, and whose turn it was."""


def positions(case, seed) -> Iterator[Position]:
    """A whole session, before each event and at the end; its state is always the same one."""
    rng, state = Random(f"{case} {seed}"), case.start()
    position = Position(state, state.copy(), [])
    for _ in range(ENDLESS):
        yield position
        if state.turn == OVER:
            return
        turn, before = state.turn, state.copy()
        event = step(state, rng)
        if isinstance(event, Deal):
            position.begun, position.happened = before, []
        position.happened.append((turn, event))
    raise AssertionError(f"{case} does not end")


def phase(state) -> str:
    """What is going on: what kinds of action there are, or which outcome is owed."""
    if state.turn == CHANCE:
        return f"{state.owes().__name__} {'inside' if state.playing else 'between'}"
    if state.turn == OVER:
        return "over"
    return " ".join(sorted({str(action).partition(" ")[0] for action in state.legal()}))


def facts(value: Any) -> Any:
    """All that a state knows, taken apart so that it can be compared, and kept while the state goes on."""
    if isinstance(value, tuple | list):
        return type(value), tuple([one if type(one) is int else facts(one) for one in value])
    if isinstance(value, dict):
        return {key: facts(one) for key, one in value.items()}
    if isinstance(value, set):
        return frozenset(value)
    if type(value).__eq__ is not object.__eq__:
        return value
    return type(value), {name: facts(getattr(value, name)) for name in _names(value) if hasattr(value, name)}


def _names(value):
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*slots, *getattr(value, "__dict__", ())]
