"""What is asked at a new table: fields with their values in words, and the answers given so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from cardtable.engine.game import AnyGame
from cardtable.engine.options import Choice, Options, Value, list_choices, read
from cardtable.games import ABOUT, GAMES, KEYS, list_keys

_MINUTE_STEP: Final = 5
"""Number of minutes by which one step changes a clock."""
MAX_MINUTES: Final = 999
GAME: Final = "game"
"""Name of the field of the game."""
_SEATS: Final = "seats"
"""Name of the field, and of the house rule of some games that follows from it."""


@dataclass(frozen=True, slots=True)
class Field(Choice):
    """Field of a form other than a house rule."""

    of_game: bool = False
    """True if the answer is remembered for each game; else it holds for every game."""


class TableForm(msgspec.Struct):
    """Form for a new table: a list of fields and house rules, and the answers."""

    game_key: str = KEYS[0]
    """Key of the selected game."""
    rules: dict[str, dict[str, Value]] = {}
    """Chosen house rules by key of the game; those that are missing have their default."""
    _answers: dict[tuple[str, str], Value] = {}
    """Answers to fields by key of the game, which is empty if they hold for every game, and name of the field."""

    @property
    def game(self) -> AnyGame:
        return GAMES[self.game_key]

    def list_game_keys(self) -> Sequence[str]:
        """Return the keys of the games to choose from."""
        return list_keys()

    @property
    def game_field(self) -> Field:
        return Field(GAME, "Game", "", {key: ABOUT[key].title for key in self.list_game_keys()})

    @property
    def seats_field(self) -> Field:
        about = self.game.about
        usual_first = sorted(about.seats, key=lambda number: number < about.usual_seats)
        return Field(_SEATS, "Seats", "", {number: str(number) for number in usual_first}, of_game=True)

    def list_fields(self) -> list[Field]:
        """Return all fields in order, except the house rules."""
        return [self.game_field, self.seats_field]

    def list_rules(self) -> list[Choice]:
        """Return the house rules of the game, except the one that follows from the number of seats."""
        return [rule for rule in list_choices(self.game.options) if rule.name != _SEATS]

    @property
    def seats(self) -> int:
        """Number of seats."""
        return int(self._answers.get((self.game_key, _SEATS), self.game.about.usual_seats))

    @property
    def default_options(self) -> Options:
        """Options with the default house rules."""
        return read(self.game.options, {}, self.seats)

    @property
    def options(self) -> Options:
        """Options with the chosen house rules. Raises ``ValueError`` if they are invalid."""
        return read(self.game.options, self.rules.get(self.game_key, {}), self.seats)

    def get_value(self, field: Choice) -> Value:
        """Return the answer to a field, by default its first value, or the value of a house rule."""
        if not isinstance(field, Field):
            return self.options.to_dict()[field.name]
        if field.name == GAME:
            return self.game.about.key
        return self._answers.get(self._find_key(field), field.default)

    def format_value(self, field: Choice) -> str:
        """Return the answer to a field, or the value of a house rule, in words."""
        return field.format_value(self.get_value(field))

    def choose(self, field: Choice, value: Value) -> None:
        """Answer a field, or choose the value of a house rule."""
        if not isinstance(field, Field):
            self.rules.setdefault(self.game_key, {})[field.name] = value
        elif field.name == GAME:
            self.game_key = str(value)
        else:
            self._answers[self._find_key(field)] = value

    def step(self, field: Choice, step: int) -> None:
        """Select the next (1) or the previous (-1) value of a field or house rule, wrapping around."""
        self.choose(field, step_value(field, self.get_value(field), step))

    def _find_key(self, field: Field) -> tuple[str, str]:
        return self.game_key if field.of_game else "", field.name


def is_minutes(rule: Choice, value: Value) -> bool:
    """Return True if the value is a number of minutes that is not among the rule's listed values."""
    return rule.minutes and value not in rule.values


def step_value(field: Choice, value: Value, step: int) -> Value:
    """Return the next (1) or the previous (-1) value of a field, wrapping around.

    Minutes change to the next or the previous multiple of 5. Beyond ``MAX_MINUTES``, and below 5, the default follows.
    """
    if not field.minutes:
        values = tuple(field.values)
        return values[(values.index(value) + step) % len(values)]
    minutes = int(value) if is_minutes(field, value) else 0
    minutes = (minutes // _MINUTE_STEP + 1 if step > 0 else -(-minutes // _MINUTE_STEP) - 1) * _MINUTE_STEP
    return minutes if 0 < minutes <= MAX_MINUTES else field.default
