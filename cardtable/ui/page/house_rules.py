"""House rules as they are chosen in a form."""

from typing import Final

from cardtable.engine.contract import AnyGame
from cardtable.engine.options import Choice, Options, Value, read

_MINUTES: Final = 5
"""What a step of a clock is."""
MOST_MINUTES: Final = 999


class HouseRules:
    """What was chosen for each game is kept while another one is looked at."""

    def __init__(self) -> None:
        self._chosen: dict[str, dict[str, Value]] = {}
        """By game; those that are as usual may be missing."""

    def options(self, game: AnyGame, seats: int) -> Options:
        """The house rules of a game."""
        return read(game.options, self._chosen.get(game.about.key, {}), seats)

    def choose(self, game: AnyGame, rule: Choice, value: Value) -> None:
        """Choose a value."""
        self._chosen.setdefault(game.about.key, {})[rule.name] = value


def label_of(rule: Choice) -> str:
    """What a house rule is called in a form."""
    return rule.name.replace("_", " ").capitalize()


def timed(rule: Choice, value: Value) -> bool:
    """Whether the value is a number of minutes."""
    return rule.minutes and value not in rule.values


def stepped(rule: Choice, value: Value, step: int) -> Value:
    """The next value (1), or the one before (-1), round the ends; of minutes the next round number."""
    if not rule.minutes:
        values = tuple(rule.values)
        return values[(values.index(value) + step) % len(values)]
    minutes = int(value) if timed(rule, value) else 0
    minutes = (minutes // _MINUTES + 1 if step > 0 else -(-minutes // _MINUTES) - 1) * _MINUTES
    return minutes if 0 < minutes <= MOST_MINUTES else rule.default
