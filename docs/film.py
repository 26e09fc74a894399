"""Makes the moving picture of the README from the program itself: a bid, a trick, and the podium of the session.

A film is a strip of frames, which a style sheet moves past the viewer. Robots choose when they are told to, and
motion has a clock of its own, so that the film does not depend on the speed of the machine.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from itertools import accumulate, chain
from typing import Final, NamedTuple
from unittest.mock import patch

from rich.segment import Segment
from textual.pilot import Pilot

from cardtable.engine.cards import iter_cards
from cardtable.engine.game import CHANCE, Action
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.robots.worker import ChooseRequest
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_events import RobotChoice, Stage
from cardtable.store import session_setup, sessions
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys import input_guard
from cardtable.ui.table.paint import table_widget
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.context import SessionEvaluator
from cardtable.ui.toolkit.painting.svg import CELL_HEIGHT, CELL_WIDTH, format_svg
from cardtable.ui.toolkit.preferences import Preferences

COLUMNS, ROWS = 80, 24
SETTINGS: Final = Settings(robot_pace=0.01, trick_pause="key", key_guard=0)
KEY: Final = "rikiki"
GAME: Final = GAMES[KEY]
SEATS: Final = (Occupant("Guest"), *[Occupant(name, "steady") for name in ("Ada", "Bo", "Cy")])
SEED: Final = 7
"""Seed of a session in which the person, in the first seat, takes the first trick of ``ROUND`` and wins."""
ROUND: Final = 5
CREATED: Final = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
MOTION_SECONDS: Final = 0.1
"""Time of a frame while something moves."""
TIMEOUT: Final = 60


class Frame(NamedTuple):
    """Rows of a screen, as elements of SVG, and the seconds for which they are seen."""

    rows: tuple[str, ...]
    seconds: float


class PausedRobots(RobotClient):
    """Robots that choose in this process, each when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.is_waiting = False
        """True while a robot is to choose."""
        self._turns = asyncio.Semaphore(0)

    async def start(self) -> None:
        """Start no process."""

    async def choose(self, request: ChooseRequest) -> RobotChoice:
        self.is_waiting = True
        await self._turns.acquire()
        robot = make_robot(request.level, request.game)
        return RobotChoice(decide(robot, request.view, request.seed, request.decisions))

    def let_choose(self) -> None:
        """Let the robot choose that is to act."""
        self.is_waiting = False
        self._turns.release()


async def wait_forever(*_request: object) -> AsyncGenerator[None, None]:
    """Take the place of the evaluation of a session, which goes on while its end is seen."""
    await asyncio.Event().wait()
    yield


class Camera:
    """Camera at a table, which also presses the keys of the person."""

    def __init__(self, session: Session, pilot: Pilot[None], robots: PausedRobots, frames: list[Frame]) -> None:
        self._session, self._pilot, self._robots, self._frames = session, pilot, robots, frames
        self.time = 0.0
        """Seconds for which something has moved."""

    @property
    def table(self) -> TableScreen:
        screen = self._pilot.app.screen
        assert isinstance(screen, TableScreen)
        return screen

    def is_at_rest(self) -> bool:
        """Return True if a robot or the person is to act, or the session is over."""
        frame, is_awaited = self.table.frame, self.table.controller.is_awaiting_input
        return self._robots.is_waiting or is_awaited or frame.shows_trick or frame.stage is Stage.SESSION_END

    async def press(self, key: str, seconds: float) -> None:
        """Press a key, and film what it does."""
        await self._pilot.press(key)
        await self.film(seconds)

    async def play_card(self, action: Action) -> None:
        """Move the cursor to the card of an action, and play it."""
        [card] = iter_cards(action.cards_used())
        while self.table.frame.hand.at != card:
            await self.press("right", 0.3)
        await self.decide(0.4)

    async def decide(self, seconds: float) -> None:
        """Press Enter for the decision that is chosen, and film what it does once it is made."""
        made = self._session.referee.decisions
        await self._pilot.press("enter")
        async with asyncio.timeout(TIMEOUT):
            while self._session.referee.decisions == made:
                await asyncio.sleep(0.002)
        await self.film(seconds)

    async def film_robots(self, seconds: float) -> None:
        """Film the robots until the person is to act."""
        while self._robots.is_waiting:
            self._robots.let_choose()
            await self.film(seconds)

    async def film(self, seconds: float) -> None:
        """Film all that moves, and then the picture at rest for a time."""
        async with asyncio.timeout(TIMEOUT):
            while not self.is_at_rest():
                await asyncio.sleep(0.002)
        await self._pilot.pause()
        while self.table.view._timer:
            self.hold(MOTION_SECONDS)
            self.time += MOTION_SECONDS
            self.table.view._advance_motions()
            await self._pilot.pause()
        self.hold(seconds)

    def hold(self, seconds: float) -> None:
        """Film the picture as it is for a time."""
        strips = self.table._compositor.render_strips()
        self._frames.append(Frame(tuple([draw_row(tuple(strip)) for strip in strips]), seconds))


@cache
def draw_row(row: tuple[Segment, ...]) -> str:
    """Return the elements of a row of the screen; its grounds reach below the next row, so that there is no gap."""
    elements = format_svg([row], COLUMNS, "").splitlines()[2:-1]
    return "".join(elements).replace(f'height="{CELL_HEIGHT}"', f'height="{CELL_HEIGHT + 1}"')


def choose(session: Session) -> Action:
    """Return what a steady robot would do in the place of the seat that is to act."""
    referee = session.referee
    view = referee.view(referee.turn)
    return decide(make_robot("steady", KEY), view, referee.seed, referee.decisions)


def play_to_round(session: Session, number: int) -> None:
    """Let steady robots play for all seats until the person is to act in a round."""
    referee = session.referee
    while referee.turn != 0 or referee.round < number:
        if referee.turn == CHANCE:
            referee.advance()
        else:
            referee.play(referee.turn, choose(session))


@asynccontextmanager
async def at_table(session: Session, frames: list[Frame]) -> AsyncIterator[Camera]:
    """Open the program at the table of a session whose clocks stand still, with a camera."""
    session.clocks.set_time_source(lambda: 0.0)
    app, robots = CardtableApp(Preferences(SETTINGS), session), PausedRobots()
    app.context.robot_client = robots
    with patch.object(SessionEvaluator, "ask", wait_forever):
        async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
            camera = Camera(session, pilot, robots, frames)
            with (
                patch.object(table_widget, "monotonic", lambda: camera.time),
                patch.object(input_guard, "BOUNCE_SECONDS", 0),
            ):
                yield camera


async def shoot() -> list[Frame]:
    """Play a session, and return the film of it."""
    frames: list[Frame] = []
    session = sessions.create(GAME, SEATS, GAME.options(), SEED, now=CREATED)
    session_setup.take_aim_at_first_start(GAME.about)  # its aim is told at the very first start only
    play_to_round(session, ROUND)
    async with at_table(session, frames) as camera:
        await camera.film(1.2)
        await camera.press(str(choose(session)).removeprefix("bid "), 0.8)
        await camera.decide(0.5)
        await camera.film_robots(0.5)
        camera.hold(0.5)
        await camera.play_card(choose(session))
        await camera.film_robots(0.4)
        camera.hold(0.8)
        await camera.press("enter", 1)
    session = sessions.resume(session.path)
    play_to_round(session, GAME.options().rounds or 0)
    async with at_table(session, frames) as camera:
        await camera.film(0.8)
        await camera.decide(0.3)
        await camera.film_robots(0.3)
        camera.hold(0.7)
        await camera.press("enter", 1.2)
        await camera.press("enter", 3)
    return frames


def format_film(frames: Sequence[Frame]) -> str:
    """Return a film as SVG; a viewer that does not move pictures shows its first frame."""
    width, height = COLUMNS * CELL_WIDTH, ROWS * CELL_HEIGHT
    names = {row: f"r{number}" for number, row in enumerate(dict.fromkeys(chain.from_iterable(f.rows for f in frames)))}
    *starts, total = accumulate([frame.seconds for frame in frames], initial=0.0)
    steps = [f"{start / total:.2%}{{transform:translateX({-width * number}px)}}" for number, start in enumerate(starts)]
    strip = [
        f'<g transform="translate({width * number})">'
        + "".join([f'<use href="#{names[row]}" y="{CELL_HEIGHT * y}"/>' for y, row in enumerate(frame.rows)])
        + "</g>"
        for number, frame in enumerate(frames)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
            f'width="{1.25 * width:g}" height="{1.25 * height:g}">',
            f"<title>{GAME.about.title}: a bid, a trick, and the podium</title>",
            f"<style>#film{{animation:film {total:.1f}s step-end infinite}}",
            "@media (prefers-reduced-motion:reduce){#film{animation:none}}",
            f"@keyframes film{{{''.join(steps)}}}</style>",
            "<defs>",
            *[f'<g id="{name}">{row}</g>' for row, name in names.items()],
            "</defs>",
            '<g id="film" shape-rendering="crispEdges">',
            *strip,
            "</g>",
            "</svg>",
            "",
        ]
    )
