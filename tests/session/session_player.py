"""Whole sessions without a screen: who sits at the loop, and answers what it waits for at once."""

from datetime import UTC, datetime
from random import Random

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    AwaitingRobot,
    ObservedEvent,
    SessionOver,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store import sessions
from cardtable.store.seating import ROBOT_NAMES

PEOPLE = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn")
NOW = datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC)


def session(key, *, people=1, seats=None, seed=7, **options):
    """A new session: people first, then robots."""
    game = GAMES[key]
    seats = seats or game.about.usual_seats
    who = [Occupant(name) for name in PEOPLE[:people]]
    who += [Occupant(name, "random") for name in ROBOT_NAMES[: seats - people]]
    return sessions.create(game, who, game.options(**options).for_seats(seats), seed, now=NOW)


class Sitting:
    """Sits at a session: people and robots do what ``choose`` says, by what is asked of a robot or of a seat's view."""

    def __init__(self, session, choose=None):
        self.run, self.rng = SessionRunner(session, lambda: NOW), Random(1)
        self.choose = choose or (lambda view: self.rng.choice(view.legal))
        self.wanted, self.happened = [], []

    def step(self):
        """Answer what is waited for."""
        run, wants = self.run, self.run.pending
        self.wanted.append(wants)
        match wants:
            case AutoAdvance() | AwaitingNextRound():
                self.happened += run.advance()
            case AwaitingRobot():
                self.happened += run.play(self.choose(run.create_robot_request().view))
            case AwaitingPlayer(seat=seat):
                self.happened += run.play(self.choose(run.views[seat]))
            case AwaitingHandover():
                run.confirm_handover()
            case AwaitingRemote(lines=0):
                run.poll()
            case AwaitingRemote():
                self.happened += run.apply_next()

    def on(self, holds=lambda run: False):
        """On to where something holds, or to the end."""
        while not isinstance(self.run.pending, SessionOver) and not holds(self.run):
            self.step()
        return self.run

    def to(self, kind):
        """On to where something of this kind is waited for."""
        return self.on(lambda run: isinstance(run.pending, kind))

    @property
    def events(self):
        """What happened in the game."""
        return [seen for seen in self.happened if isinstance(seen, ObservedEvent)]
