"""Whole sessions without a screen: who sits at the loop, and answers what it waits for at once."""

from datetime import UTC, datetime
from random import Random

from cardtable.engine.journal import SeatOf
from cardtable.games import GAMES
from cardtable.session.session_events import (
    Elsewhere,
    Ended,
    EventSeen,
    GoesOn,
    PersonToChoose,
    RobotToChoose,
    RoundEnded,
    ToKeyboard,
)
from cardtable.session.session_runner import Run
from cardtable.store import sessions
from cardtable.store.seating import ROBOT_NAMES

PEOPLE = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn")
NOW = datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC)


def session(key, *, people=1, seats=None, seed=7, **options):
    """A new session: people first, then robots."""
    game = GAMES[key]
    seats = seats or game.about.usual_seats
    who = [SeatOf(name) for name in PEOPLE[:people]]
    who += [SeatOf(name, "random") for name in ROBOT_NAMES[: seats - people]]
    return sessions.create(game, who, game.options(**options).for_seats(seats), seed, now=NOW)


class Sitting:
    """Sits at a session: people and robots do what ``choose`` says, by what is asked of a robot or of a seat's view."""

    def __init__(self, session, choose=None):
        self.run, self.rng = Run(session, lambda: NOW), Random(1)
        self.choose = choose or (lambda view: self.rng.choice(view.legal))
        self.wanted, self.happened = [], []

    def step(self):
        """Answer what is waited for."""
        run, wants = self.run, self.run.wants
        self.wanted.append(wants)
        match wants:
            case GoesOn() | RoundEnded():
                self.happened += run.go_on()
            case RobotToChoose():
                self.happened += run.play(self.choose(run.request().view))
            case PersonToChoose(seat=seat):
                self.happened += run.play(self.choose(run.views[seat]))
            case ToKeyboard():
                run.sit_down()
            case Elsewhere(lines=0):
                run.read_on()
            case Elsewhere():
                self.happened += run.take()

    def on(self, holds=lambda run: False):
        """On to where something holds, or to the end."""
        while not isinstance(self.run.wants, Ended) and not holds(self.run):
            self.step()
        return self.run

    def to(self, kind):
        """On to where something of this kind is waited for."""
        return self.on(lambda run: isinstance(run.wants, kind))

    @property
    def events(self):
        """What happened in the game."""
        return [seen for seen in self.happened if isinstance(seen, EventSeen)]
