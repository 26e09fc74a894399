"""What is chosen for a new table: game, seats, house rules, deal.  Knows no screen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from cardtable.engine import options as house
from cardtable.engine.contract import AnyGame
from cardtable.engine.journal import MOST_SEED
from cardtable.engine.options import Choice, Value
from cardtable.engine.words import counted
from cardtable.games import GAMES, KEYS
from cardtable.records.players import Player
from cardtable.records.ratings import Ratings
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import daily, ledgers, seating
from cardtable.store.profiles import Book
from cardtable.store.setup import Setup
from cardtable.wording.words import YOU

PERSON: Final = "person"
KINDS: Final = (PERSON, *[level for level in LEVELS if level != "random"])
"""Who may sit at a seat: a person, or a robot by its level."""
PRACTICE: Final = "open_hands"
"""The house rule that stands beside the deal, as it is the same in every game."""
_OF_SEATS: Final = "seats"
"""The house rule that the number of seats tells already."""
_MINUTES: Final = 5
"""What a step of a clock is."""
_MOST_MINUTES: Final = 999
_MOST_SEATS: Final = 6
_DIGITS: Final = len(str(MOST_SEED))
_PLACES: Final = {
    2: (YOU, "Opposite"),
    3: (YOU, "Left", "Right"),
    4: (YOU, "Left", "Opposite", "Right"),
    6: (YOU, "Left", "Far left", "Opposite", "Far right", "Right"),
}


class Deal(Enum):
    """Which cards are dealt."""

    NEW = "new"
    NUMBER = "by number"
    DAY = "of the day"


class Kind(Enum):
    """What a line of the form is about."""

    GAME = "game"
    NUMBER = "number of seats"
    SEAT = "seat"
    SEATING = "seating"
    DEAL = "deal"
    RULE = "house rule"
    BEGIN = "begin"


class Line(NamedTuple):
    """One line of the form: which seat, or which house rule, where there are several."""

    kind: Kind
    seat: int = 0
    rule: str = ""


GAME: Final = Line(Kind.GAME)
NUMBER: Final = Line(Kind.NUMBER)
SEATING: Final = Line(Kind.SEATING)
DEAL: Final = Line(Kind.DEAL)
BEGIN: Final = Line(Kind.BEGIN)


@dataclass(slots=True)
class Sitter:
    """Who is to sit at a seat; the nick is kept while a robot sits there."""

    kind: str
    nick: str = ""
    """As it is typed so far; nothing for a guest."""


class Wrong(NamedTuple):
    """Why the table cannot be begun, and the line where that is."""

    line: Line
    why: str


Rules: TypeAlias = dict[str, Value]


@dataclass(slots=True)
class NewTable:
    """The form as it is filled in.  What is chosen for a game is kept while another one is looked at."""

    own_key: str = KEYS[0]
    """The game that was chosen; the deal of the day has its own."""
    today: date = date.min
    by_lot: bool = True
    deal: Deal = Deal.NEW
    number: str = ""
    """The number of the deal as it is typed."""
    book: Book = field(default_factory=Book)
    """Who has a profile, and who has signed in."""
    ratings: Mapping[str, Ratings] = field(default_factory=dict)
    """What is known of the players' ratings, by the game's key."""
    _sitters: list[Sitter] = field(
        default_factory=lambda: [Sitter(PERSON), *[Sitter(seating.USUAL_LEVEL) for _ in range(_MOST_SEATS - 1)]]
    )
    _seats: dict[str, int] = field(default_factory=dict)
    """The number of seats by game."""
    _rules: dict[str, Rules] = field(default_factory=dict)
    """House rules by game; those that are as usual may be missing."""
    _typing: Line | None = None
    """The line into which digits were typed last: the next one joins them."""

    def open(self, key: str, today: date, book: Book | None = None) -> None:
        """Look at the form again, for a game; who has signed in meanwhile sits where the one before did."""
        self.own_key, self.today = key, today
        if book is not None:
            before, now = self.book.signed_in or "", book.signed_in or ""
            own = next((who for who in self._sitters if who.kind == PERSON and who.nick == before), None)
            if own and now not in [who.nick for who in self._sitters]:
                own.nick = now
            self.book = book
        if self.deal is Deal.DAY:
            self.deal = Deal.NEW

    @property
    def daily(self) -> bool:
        """Whether it is the deal of the day, which has its game, seats and house rules."""
        return self.deal is Deal.DAY

    @property
    def game(self) -> AnyGame:
        """The game."""
        return GAMES[daily.game_of(self.today) if self.daily else self.own_key]

    @property
    def sitters(self) -> Sequence[Sitter]:
        """Who sits down, in the order of the form."""
        about = self.game.about
        if not self.daily:
            return self._sitters[: self._seats.get(about.key, about.usual_seats)]
        robots = [Sitter(seating.USUAL_LEVEL) for _ in range(about.usual_seats - 1)]
        return [replace(self._person, kind=PERSON), *robots]

    @property
    def _person(self) -> Sitter:
        """Who plays the deal of the day."""
        return next((who for who in self._sitters if who.kind == PERSON), self._sitters[0])

    @property
    def names(self) -> list[str]:
        """What each is called."""
        robots = iter(seating.ROBOT_NAMES)
        return [(who.nick or seating.GUEST) if who.kind == PERSON else next(robots) for who in self.sitters]

    def rating(self, seat: int) -> int | None:
        """What who sits there is rated in the game; ``None`` where nothing is known, as of guests."""
        who = self.sitters[seat]
        player = Player(self.names[seat]) if who.kind == PERSON else Player(who.kind, robot=True)
        ratings = self.ratings.get(self.game.about.key)
        found = ratings.players.get(player) if ratings else None
        return round(found.mu) if found else None

    @property
    def drawn(self) -> bool:
        """Whether places are drawn by lot."""
        return self.by_lot and not self.daily

    @property
    def own(self) -> int | None:
        """Where the only person sits, if there is only one."""
        people = [seat for seat, who in enumerate(self.sitters) if who.kind == PERSON]
        return people[0] if len(people) == 1 else None

    @property
    def watched(self) -> bool:
        """Whether robots play among themselves."""
        return all(who.kind != PERSON for who in self.sitters)

    @property
    def places(self) -> list[str]:
        """Where each sits, seen by the only person; with several the number of the seat."""
        number, own = len(self.sitters), self.own
        if own is None:
            return [f"Seat {seat + 1}" for seat in range(number)]
        return [_PLACES[number][(seat - own) % number] for seat in range(number)]

    @property
    def rules(self) -> list[Choice]:
        """The house rules there are, but for that of the number of seats."""
        return [rule for rule in house.choices(self.game.options) if rule.name != _OF_SEATS]

    @property
    def options(self) -> house.Options:
        """The house rules as chosen."""
        given = {} if self.daily else self._rules.get(self.game.about.key, {})
        return house.read(self.game.options, given, len(self.sitters))

    @property
    def usual_rules(self) -> bool:
        """Whether all house rules are as the rules page has them."""
        return self.options == house.read(self.game.options, {}, len(self.sitters))

    @property
    def left(self) -> list[Line]:
        """The lines that can be changed, those of the house rules aside."""
        if self.daily:
            return [_seat(0), DEAL, BEGIN]
        several = [NUMBER] if len(self.game.about.seats) > 1 else []
        seats = [_seat(seat) for seat in range(len(self.sitters))]
        practice = [_rule(rule) for rule in self.rules if rule.name == PRACTICE]
        return [GAME, *several, *seats, SEATING, DEAL, *practice, BEGIN]

    @property
    def right(self) -> list[Line]:
        """The lines of the house rules that can be changed."""
        return [] if self.daily else [_rule(rule) for rule in self.rules if rule.name != PRACTICE]

    def rule(self, line: Line) -> Choice:
        """The house rule of a line."""
        return next(rule for rule in self.rules if rule.name == line.rule)

    def value(self, line: Line) -> str:
        """What is chosen on a line, in a word or two."""
        if line.kind is Kind.GAME:
            return self.game.about.title
        if line.kind is Kind.NUMBER:
            return str(len(self.sitters))
        if line.kind is Kind.SEAT:
            return self.sitters[line.seat].kind
        if line.kind is Kind.SEATING:
            return "by lot" if self.drawn else "as listed"
        if line.kind is Kind.DEAL:
            return self.deal.value
        value = self.options.items()[line.rule]
        return counted(int(value), "minute") if self._timed(line) else str(value)

    def meaning(self, line: Line) -> str:
        """What the value of a house rule means."""
        values = self.rule(line).values
        return values.get(self.options.items()[line.rule], self.value(line))

    def _timed(self, line: Line) -> bool:
        """Whether the value is a number of minutes."""
        rule = self.rule(line)
        return rule.minutes and self.options.items()[line.rule] not in rule.values

    def step(self, line: Line, step: int) -> None:
        """Take the next value (1) of a line, or the one before (-1)."""
        self._typing = None
        if line not in (*self.left, *self.right):
            return
        if line.kind is Kind.GAME:
            self.own_key = _next(KEYS, self.own_key, step)
        elif line.kind is Kind.NUMBER:
            self._seats[self.own_key] = _next(self.game.about.seats, len(self.sitters), step)
        elif line.kind is Kind.SEAT and not self.daily:
            self._step_seat(line.seat, step)
        elif line.kind is Kind.SEATING:
            self.by_lot = not self.by_lot
        elif line.kind is Kind.DEAL:
            self.deal = _next(tuple(Deal), self.deal, step)
        elif line.kind is Kind.RULE:
            self._set(line, self._stepped(line, step))

    def _step_seat(self, seat: int, step: int) -> None:
        """The next who may sit there: whoever is typed or a guest, the players who sit nowhere else, the robots."""
        sitter = self._sitters[seat]
        others = [who.nick for who in self.sitters if who.kind == PERSON and who is not sitter]
        nicks = [player.nick for player in self.book.players]
        typed = "" if sitter.nick in nicks else sitter.nick
        people = [
            (PERSON, nick) for nick in (typed, *[nick for nick in nicks if nick == sitter.nick or nick not in others])
        ]
        robots = [(kind, sitter.nick) for kind in KINDS if kind != PERSON]
        sitter.kind, sitter.nick = _next([*people, *robots], (sitter.kind, sitter.nick), step)

    def _stepped(self, line: Line, step: int) -> Value:
        rule, value = self.rule(line), self.options.items()[line.rule]
        if not rule.minutes:
            values = tuple(rule.values)
            return values[(values.index(value) + step) % len(values)]
        minutes = int(value) if self._timed(line) else 0
        minutes = (minutes // _MINUTES + 1 if step > 0 else -(-minutes // _MINUTES) - 1) * _MINUTES
        return minutes if 0 < minutes <= _MOST_MINUTES else rule.default

    def _set(self, line: Line, value: Value) -> None:
        self._rules.setdefault(self.own_key, {})[line.rule] = value

    def types(self, line: Line) -> bool:
        """Whether letters are typed on a line: a nick."""
        return line.kind is Kind.SEAT and self.sitters[line.seat].kind == PERSON

    def type(self, line: Line, char: str) -> bool:
        """Type a character on a line: into a nick, the number of the deal, minutes; whether it took it."""
        if self.types(line) and char.isalnum():
            self._nick(line, lambda nick: (nick + char)[: seating.MOST_LETTERS] if nick else _capital(char))
        elif not (char.isascii() and char.isdigit()):
            return False
        elif line.kind is Kind.DEAL and not self.daily:
            so_far = self.number if self.deal is Deal.NUMBER else ""
            self.deal, self.number = Deal.NUMBER, (so_far + char)[:_DIGITS]
        elif line in (*self.left, *self.right) and line.kind is Kind.RULE and self.rule(line).minutes:
            so_far = str(self.options.items()[line.rule]) if self._typing == line and self._timed(line) else ""
            minutes = min(int(so_far + char), _MOST_MINUTES)
            self._set(line, minutes or self.rule(line).default)
            self._typing = line
        else:
            return False
        return True

    def rub_out(self, line: Line) -> None:
        """Take back the last character that was typed on a line."""
        if self.types(line):
            self._nick(line, lambda nick: nick[:-1])
        elif line.kind is Kind.DEAL and self.deal is Deal.NUMBER:
            self.number = self.number[:-1]
        elif line.kind is Kind.RULE and self._timed(line):
            self._set(line, int(str(self.options.items()[line.rule])[:-1] or 0) or self.rule(line).default)
            self._typing = line

    def moved(self) -> None:
        """The cursor has gone to another line: what is typed there begins anew."""
        self._typing = None

    def _nick(self, line: Line, change: Callable[[str], str]) -> None:
        who = self._person if self.daily else self._sitters[line.seat]
        who.nick = change(who.nick)

    @property
    def wrong(self) -> Wrong | None:
        """What has to be put right first."""
        names = self.names
        for seat, who in enumerate(self.sitters):
            if who.kind != PERSON:
                continue
            if who.nick and (why := seating.why_not(who.nick)):
                return Wrong(_seat(seat), why)
            if names[seat] in names[:seat]:
                again = "one Guest sits there: type a nick" if not who.nick else f"{who.nick} sits there twice"
                return Wrong(_seat(seat), again)
            if why := ledgers.why_not(self.book, names[seat], self.options.stake):
                return Wrong(_seat(seat), why)
        if self.deal is Deal.NUMBER and not self.number:
            return Wrong(DEAL, "type the number of the deal")
        return None

    def setup(self) -> Setup:
        """What the session is to be begun with; nothing may be wrong."""
        said = [who.kind if who.kind != PERSON else f"person:{who.nick}" if who.nick else "me" for who in self.sitters]
        seats = seating.parse(",".join(said), self.game)
        if self.daily:
            return Setup(self.game, seats, self.options, daily.seed_of(self.today), self.drawn)
        number = int(self.number) if self.deal is Deal.NUMBER else None
        return Setup(self.game, seats, self.options, number, self.drawn)


def _seat(seat: int) -> Line:
    return Line(Kind.SEAT, seat)


def _rule(rule: Choice) -> Line:
    return Line(Kind.RULE, rule=rule.name)


def _next(values: Sequence[Any], value: Any, step: int) -> Any:
    return values[(values.index(value) + step) % len(values)]


def _capital(char: str) -> str:
    upper = char.upper()
    return upper if len(upper) == 1 else char
