"""Whole sessions without a screen: answers every pending input of a session runner at once."""

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
from tests.store.playing import NOW

PEOPLE = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn")


def create_session(key, *, people=1, seats=None, seed=7, **options):
    """Create a session of `people` persons, followed by robots in the remaining seats."""
    game = GAMES[key]
    seats = seats or game.about.usual_seats
    occupants = [Occupant(name) for name in PEOPLE[:people]]
    occupants += [Occupant(name, "random") for name in ROBOT_NAMES[: seats - people]]
    return sessions.create(game, occupants, game.options(**options).for_seats(seats), seed, now=NOW)


class SessionPlayer:
    """Plays a session: `choose` maps the view of a robot or a person to an action (random by default)."""

    def __init__(self, session, choose=None):
        self.runner, self.rng = SessionRunner(session, lambda: NOW), Random(1)
        self.choose = choose or (lambda view: self.rng.choice(view.legal))
        self.pending_inputs, self.changes = [], []

    def answer(self):
        """Answer the pending input."""
        runner, pending = self.runner, self.runner.pending
        self.pending_inputs.append(pending)
        match pending:
            case AutoAdvance() | AwaitingNextRound():
                self.changes += runner.advance()
            case AwaitingRobot():
                self.changes += runner.play(self.choose(runner.create_robot_request().view))
            case AwaitingPlayer(seat=seat):
                self.changes += runner.play(self.choose(runner.views[seat]))
            case AwaitingHandover():
                runner.confirm_handover()
            case AwaitingRemote(lines=0):
                runner.poll()
            case AwaitingRemote():
                self.changes += runner.apply_next()

    def run_until(self, condition=lambda runner: False):
        """Play until the condition holds for the session runner, or to the end."""
        while not isinstance(self.runner.pending, SessionOver) and not condition(self.runner):
            self.answer()
        return self.runner

    def run_until_pending(self, kind):
        """Play until the pending input is of this type, or to the end."""
        return self.run_until(lambda runner: isinstance(runner.pending, kind))

    @property
    def observed_events(self):
        """Observed events among the changes, without log entries."""
        return [seen for seen in self.changes if isinstance(seen, ObservedEvent)]
