"""An app with one table screen, whose robots think in this process."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import inf
from time import monotonic

from textual.app import App
from textual.filter import LineFilter
from textual.pilot import Pilot

from cardtable.engine.game import CHANCE, View
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.robots import worker
from cardtable.robots.hints import Advice, advise
from cardtable.robots.kit.hint_spec import ANOTHER, YOURSELF
from cardtable.robots.kit.robot import decide, make_generator, make_robot
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_events import RobotChoice, Stage
from cardtable.session.session_runner import SessionRunner
from cardtable.store import sessions
from cardtable.store.seating import ROBOT_NAMES
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.context import SessionEvaluator
from cardtable.ui.toolkit.painting.svg import build_filters
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.recording_context import RecordingContext
from tests.waiting import TIMEOUT, describe_condition

QUICK = Settings(robot_pace=0, trick_pause=0)


class InProcessRobotClient(RobotClient):
    """Robot client that chooses in this process, without a child process."""

    async def choose(self, request: worker.ChooseRequest) -> RobotChoice:
        robot = make_robot(request.level, request.game)
        return RobotChoice(decide(robot, request.view, request.seed, request.decisions))

    async def advise(self, question: worker.HintRequest) -> Advice:
        rng = make_generator(question.seed, question.view.seat, question.decisions)
        person = ANOTHER if question.for_other_player else YOURSELF
        return advise(question.game, question.view, rng, lambda: False, question.extra_action, person)


class GatedRobots(InProcessRobotClient):
    """Robots that choose only while `gate` is set; `choice_count` is the number of their choices."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.choice_count = 0

    async def choose(self, request: worker.ChooseRequest) -> RobotChoice:
        await self.gate.wait()
        self.choice_count += 1
        return await super().choose(request)


def create_session(
    key: str,
    seed: int = 1,
    *,
    seats: int | None = None,
    level: str = "random",
    people: int = 1,
    nick: str = "Anna",
    **options,
) -> Session:
    """Create a session: people in the first seats, robots in the others."""
    game = GAMES[key]
    seats = seats or game.about.usual_seats
    occupants = [Occupant(name) for name in (nick, "Bob", "Cleo", "Dan", "Emil", "Finn")[:people]]
    occupants += [Occupant(name, level) for name in ROBOT_NAMES[: seats - people]]
    return sessions.create(
        game,
        occupants,
        game.options(**options).for_seats(seats),
        seed,
        now=datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC),
    )


def play_to_round(session: Session, number: int) -> None:
    """Play first legal actions, without a screen, until this round is dealt."""
    referee = session.referee
    while referee.round < number or referee.turn == CHANCE:
        if referee.turn == CHANCE:
            referee.advance()
        else:
            referee.play(referee.turn, referee.view(referee.turn).legal[0])


def infinite_clock() -> float:
    """Clock of a player who waits indefinitely before each key, so that the input guard accepts every key."""
    return inf


class TableApp(App[None]):
    """An app that shows one session."""

    def __init__(
        self,
        session: Session,
        settings: Settings = QUICK,
        robot_client: RobotClient | None = None,
        clock: Callable[[], float] = infinite_clock,
        session_evaluator: SessionEvaluator | None = None,
    ) -> None:
        super().__init__()
        self.preferences = Preferences(settings)
        self.context = RecordingContext(self, self.preferences, robot_client or InProcessRobotClient())
        self.context.session_evaluator = session_evaluator or self.context.session_evaluator
        self.table = TableScreen(self.context, SessionRunner(session), clock)

    def on_mount(self) -> None:
        self.push_screen(self.table)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return build_filters(self.preferences.render_options)

    @property
    def requests(self) -> list[tuple[object, ...]]:
        """Requests for other pages, as recorded by the context."""
        return self.context.requests

    @property
    def view(self) -> View:
        return self.table.frame.view


async def wait_until(_pilot: Pilot, condition: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    end = monotonic() + TIMEOUT
    while not condition():
        assert monotonic() < end, f"this never became true: {describe_condition(condition)}"
        await asyncio.sleep(0.002)


async def wait_for_input(pilot: Pilot, app: TableApp) -> None:
    """Wait until the player must act or continue, or the session has ended."""
    await wait_until(
        pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.stage is Stage.SESSION_END
    )


def take_first_action(table: TableScreen) -> None:
    """Play the first legal action, or continue where no decision is awaited."""
    if table.frame.waiting:
        table.controller.submit(table.frame.view.legal[0])
    else:
        table.controller.proceed()
