"""Mixing: the smallest game with every kind of chance, for tests of the referee.

Two seats; the pack is the four aces. `first` draws the seat that begins the session. In each round: `deal` (one card
each), `trump`, then four decisions in turn. `keep` earns a point; `mix` makes chance `shuffle` the two cards that were
not dealt. There are two rounds; at the end the totals are doubled.
"""

from dataclasses import dataclass

import pytest

from cardtable.engine.cards import ACE, OF_RANK, iter_cards, mask_of
from cardtable.engine.chance import Deal, FirstSeatDraw, Shuffle, Trump, is_permutation_of, shuffled
from cardtable.engine.game import (
    CHANCE,
    OVER,
    Action,
    EndingTitle,
    Game,
    GameInfo,
    Score,
    State,
    View,
    Zone,
    competition_ranks,
)
from cardtable.engine.journal import ChanceLine, Header, Line, Occupant
from cardtable.engine.options import Options as House
from cardtable.engine.options import choice, round_clock
from cardtable.engine.referee import IllegalAction, Referee
from tests.journal_lines import select_lines
from tests.overriding import override

ACES = OF_RANK[ACE]
ROUNDS, DECISIONS = 2, 4


@dataclass(frozen=True, slots=True)
class Options(House):
    stakes: str | int = choice("What a point is worth", {"low": "one", "high": "ten", 5: "five"})
    round_clock: str | int = round_clock()


class ToyAction(Action, frozen=True):
    word: str

    @property
    def kind(self):
        return self.word


KEEP, MIX = ToyAction("keep"), ToyAction("mix")


class ToyView(View, frozen=True):
    pass


class ToyState(State[ToyView]):
    def __init__(self, options):
        self.options, self.turn, self.owed = options, CHANCE, FirstSeatDraw
        self.round = self.finished = self.first = self.decided = 0
        self.playing, self.score, self.totals = False, None, (0, 0)
        self.order, self.keep_counts = (), (0, 0)

    def copy(self):
        clone = ToyState(self.options)
        clone.__dict__.update(self.__dict__)
        return clone

    def legal(self):
        return (KEEP, MIX)

    def apply(self, event):
        match event:
            case FirstSeatDraw():
                self.first, self.owed = event.seat, Deal
            case Deal():
                self.round, self.playing, self.owed = self.finished + 1, True, Trump
                self.order, self.decided, self.keep_counts = event.order, 0, (0, 0)
            case Trump():
                self._next()
            case Shuffle():
                self.order = (*self.order[:2], *event.order)
                self._next()
            case ToyAction("mix"):
                self.decided += 1
                self.turn, self.owed = CHANCE, Shuffle
            case ToyAction("keep"):
                self.decided += 1
                self.keep_counts = tuple(count + (seat == self.turn) for seat, count in enumerate(self.keep_counts))
                self._next()

    def _next(self):
        self.turn = (self.first + self.decided) % 2
        if self.decided == DECISIONS:
            self.totals = tuple(map(sum, zip(self.totals, self.keep_counts, strict=True)))
            self.score = Score(EndingTitle(""), ((), ()), self.keep_counts, ((), ()), self.totals)
            self.finished, self.playing, self.owed = self.finished + 1, False, Deal
            self.turn = OVER if self.finished == ROUNDS else CHANCE

    def cancel_round(self):
        self.playing, self.turn, self.owed, self.keep_counts = False, CHANCE, Deal, (0, 0)

    def pending_chance_type(self):
        return self.owed

    def draw_chance(self, rng):
        if self.owed is FirstSeatDraw:
            return FirstSeatDraw(rng.randrange(2))
        if self.owed is Trump:
            return Trump(rng.randrange(4))
        return self.owed(shuffled(ACES if self.owed is Deal else mask_of(self.order[2:]), rng))

    def is_possible_chance(self, outcome):
        match outcome:
            case Deal() if self.owed is Deal:
                return is_permutation_of(outcome.order, ACES)
            case Shuffle() if self.owed is Shuffle:
                return is_permutation_of(outcome.order, mask_of(self.order[2:]))
            case FirstSeatDraw() if self.owed is FirstSeatDraw:
                return outcome.seat in (0, 1)
        return isinstance(outcome, Trump) and self.owed is Trump

    def view(self, seat):
        return ToyView(**self.common_view_fields(seat), options=self.options, hand=mask_of(self.order[seat : seat + 1]))

    def results(self):
        return tuple(2 * total for total in self.totals)

    def ranks(self):
        return competition_ranks(self.totals)

    def assert_invariants(self):
        assert not self.playing or is_permutation_of(self.order, ACES)


class TimedState(ToyState):
    """The same game with a chess clock: the seat that runs out of time loses the session."""

    loser = None

    def forfeit(self, seat):
        self.loser, self.playing, self.turn = seat, False, OVER

    def copy(self):
        clone = TimedState(self.options)
        clone.__dict__.update(self.__dict__)
        return clone

    def ranks(self):
        return super().ranks() if self.loser is None else tuple(1 + (seat == self.loser) for seat in (0, 1))


class Toy(Game[ToyState, ToyView]):
    about = GameInfo("toy", "Mixing", "", "2 rounds", (2,), 2)
    options = Options
    view = ToyView
    actions = (ToyAction,)
    columns = ()

    def explain_illegal(self, *_):
        raise AssertionError

    def imagine(self, *_):
        raise AssertionError

    def narrate(self, *_):
        raise AssertionError

    def start(self, _seats, options):
        return ToyState(options)

    def scene(self, view):
        return (Zone("hand", view.seat, tuple(iter_cards(view.hand))),)


GAME = Toy()
GAMES = {"toy": GAME}
TIMED = override(GAME, start=lambda _seats, options: TimedState(options))


def make_header(**changes):
    """Return the header of a session of Anna and a robot, with `changes` to its members."""
    members = {
        "cardtable": 3,
        "id": "20261120-083728-toy-7f3a",
        "game": "toy",
        "created": "2026-11-20T08:37:28Z",
        "seed": 12345,
        "options": Options().to_dict(),
        "seats": (Occupant("Anna"), Occupant("Bo", "steady")),
    }
    return Header(**{**members, **changes})


class RecordingReferee(Referee):
    """Referee that remembers its journal."""

    def __init__(self, seed=12345, game=GAME):
        self.lines: list[Line] = []
        super().__init__(game, 2, Options(), seed, self.lines.append)

    @classmethod
    def replay(cls, lines):
        """Return a referee to which these lines are applied."""
        table = cls()
        for line in lines:
            table.apply_line(line)
        return table

    def keep(self, times=1):
        for _ in range(times):
            self.play(self.turn, KEEP)

    def mix(self):
        self.play(self.turn, MIX)

    def list_outcomes(self):
        """Return the texts of the chance outcomes recorded up to now."""
        return [line.outcome for line in select_lines(ChanceLine, self.lines)]


def deal_first_round(seed=12345, game=GAME):
    """Return a referee after its first deal."""
    table = RecordingReferee(seed, game)
    table.advance()
    return table


def capture_state(table):
    """Return everything of a referee that influences the rest of the session."""
    state, scores = dict(vars(table.state)), tuple(table.scores)
    distances = [table.compute_undo_distance(seat) for seat in range(table.seats)]
    return state, scores, table.decisions, table.undone, table.ended, distances


def assert_refused(table, line, reason):
    """Assert that the referee refuses a line for this reason and stays unchanged."""
    before = capture_state(table)
    with pytest.raises(IllegalAction, match=reason):
        table.apply_line(line)
    assert capture_state(table) == before


def play_whole_session():
    """Return a referee after the end of its session."""
    table = deal_first_round()
    table.keep(4)
    table.advance()
    table.keep(4)
    return table
