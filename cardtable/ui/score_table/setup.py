"""What is chosen for a new score table: game, players, who begins, house rules.  Knows no screen."""

from enum import Enum
from typing import Any, Final, NamedTuple

from cardtable.engine import options as house
from cardtable.engine.contract import AnyGame, Seat
from cardtable.engine.options import Choice, Value
from cardtable.games import GAMES, KEYS, part
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.score_table import sheet_of
from cardtable.store import score_tables, seating

GAME: Final = "rifki"
"""The game that is offered first."""


class Kind(Enum):
    """What a line of the form is about."""

    GAME = "game"
    NUMBER = "number of players"
    PLAYER = "player"
    FIRST = "who begins"
    RULE = "house rule"


class Line(NamedTuple):
    """One line of the form: which seat, or which house rule, where there are several."""

    kind: Kind
    seat: Seat = 0
    rule: str = ""


class Wrong(NamedTuple):
    """Why the score table cannot be begun, and the line where that is."""

    line: Line
    why: str


class PlayerNames:
    """The names of players as they are typed, seat by seat; a form of its own for those that are called otherwise."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._own = False
        """Whether a name was typed."""
        self._fresh = True
        """Whether what is typed takes the place of the name."""

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return self._names

    @property
    def lines(self) -> list[Line]:
        """The lines that can be changed."""
        return [Line(Kind.PLAYER, seat) for seat in range(len(self.names))]

    def value(self, line: Line) -> str:
        """What stands on a line."""
        return self._names[line.seat]

    def types(self, line: Line) -> bool:
        """Whether letters are typed on a line: a name."""
        return line.kind is Kind.PLAYER

    def type(self, line: Line, char: str) -> bool:
        """Type a character into a name; whether it took it."""
        if not self.types(line) or not char.isalnum():
            return False
        before = "" if self._fresh else self._names[line.seat]
        self._fresh, self._own = False, True
        capital = char.upper() if not before and len(char.upper()) == 1 else char
        self._names[line.seat] = (before + capital)[: seating.MOST_LETTERS]
        return True

    def begin_anew(self) -> None:
        """The cursor has gone to another line: what is typed there takes the place of the name."""
        self._fresh = True

    def rub_out(self, line: Line) -> None:
        """Take back the last character of a name."""
        if self.types(line):
            self._names[line.seat], self._fresh, self._own = self._names[line.seat][:-1], False, True

    @property
    def wrong(self) -> Wrong | None:
        """What has to be put right first."""
        for seat, name in enumerate(self.names):
            if why := seating.why_not(name):
                return Wrong(Line(Kind.PLAYER, seat), why)
            if name in self.names[:seat]:
                return Wrong(Line(Kind.PLAYER, seat), f"{name} plays already")
        return None


class ScoreSetup(PlayerNames):
    """The form as it is filled in.  Who played the last time plays again where nobody says otherwise."""

    def __init__(self, me: str, game_key: str) -> None:
        super().__init__([])
        self._me, self.number = me, 0
        self._rules: dict[str, dict[str, Value]] = {}
        self._open(game_key)

    def _open(self, game_key: str) -> None:
        self.key = game_key
        before = self.names if self._own else score_tables.names_before(game_key)
        number = len(before) if len(before) in self.game.about.seats else self.game.about.usual_seats
        own = [] if self._me == seating.GUEST else [self._me]
        usual = [*own, *[f"Player{place + 1}" for place in range(len(own), max(self.game.about.seats))]]
        self._names = [*before[:number], *usual[len(before[:number]) :]]
        self.number, self.first = number, 0

    @property
    def game(self) -> AnyGame:
        """The game."""
        return GAMES[self.key]

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return self._names[: self.number]

    @property
    def rules(self) -> list[Choice]:
        """The house rules that the score depends on."""
        return [rule for rule in house.choices(self.game.options) if rule.name in sheet_of(self.key).RULES]

    @property
    def options(self) -> house.Options:
        """The house rules as chosen."""
        return house.read(self.game.options, self._rules.get(self.key, {}), self.number)

    @property
    def lines(self) -> list[Line]:
        """The lines that can be changed."""
        several = [Line(Kind.NUMBER)] if len(self.game.about.seats) > 1 else []
        rules = [Line(Kind.RULE, rule=rule.name) for rule in self.rules]
        return [Line(Kind.GAME), *several, *super().lines, Line(Kind.FIRST), *rules]

    def rule(self, line: Line) -> Choice:
        """The house rule of a line."""
        return next(rule for rule in self.rules if rule.name == line.rule)

    def value(self, line: Line) -> str:
        """What is chosen on a line."""
        if line.kind is Kind.GAME:
            return self.game.about.title
        if line.kind is Kind.NUMBER:
            return str(self.number)
        if line.kind is Kind.PLAYER:
            return super().value(line)
        return self._names[self.first] if line.kind is Kind.FIRST else str(self.options.items()[line.rule])

    def meaning(self, line: Line) -> str:
        """What a house rule is about, and what its value means."""
        rule = self.rule(line)
        return f"{rule.meaning}: {rule.values[self.options.items()[line.rule]]}"

    @property
    def order(self) -> tuple[str, str]:
        """Who begins, and which way round the table it goes."""
        back = self.number > 2 and self.sheet.turn(2) == (self.first - 1) % self.number
        return f"{self._names[self.first]} begins", "counter-clockwise" if back else "clockwise"

    @property
    def told(self) -> list[str]:
        """What is entered after a round, and when the session is over."""
        return [f"After each round you enter {self.sheet.entered}.", f"The session: {self.sheet.over_words}."]

    @property
    def sheet(self) -> Sheet[Any]:
        """The sheet as it would begin."""
        return sheet_of(self.key)(self.game, self.options, self.number, self.first)

    def step(self, line: Line, step: int) -> None:
        """Take the next value (1) of a line, or the one before (-1)."""
        if line.kind is Kind.GAME:
            at = KEYS.index(self.key)
            others = [KEYS[(at + step * far) % len(KEYS)] for far in range(1, len(KEYS) + 1)]
            self._open(next(key for key in others if part(key, "sheet")))
        elif line.kind is Kind.NUMBER:
            seats = self.game.about.seats
            self.number = seats[(seats.index(self.number) + step) % len(seats)]
            self.first = min(self.first, self.number - 1)
        elif line.kind is Kind.FIRST:
            self.first = (self.first + step) % self.number
        elif line.kind is Kind.RULE:
            values = tuple(self.rule(line).values)
            at = values.index(self.options.items()[line.rule])
            self._rules.setdefault(self.key, {})[line.rule] = values[(at + step) % len(values)]
