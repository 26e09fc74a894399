"""A person at a screen: presses keys and looks at what is there; both wait by themselves."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from types import UnionType
from typing import Any, Generic, TypeVar

from textual.app import App
from textual.events import Paste
from textual.pilot import Pilot

from cardtable.engine.game import View
from cardtable.engine.referee import Referee
from cardtable.session.session_events import Stage
from cardtable.store.sessions import Session
from cardtable.ui.app import CardtableApp
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.table_widget import Overlay
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.painting.canvas import CanvasWidget
from cardtable.ui.toolkit.preferences import Preferences
from tests.golden_files import check_golden
from tests.ui.bursts import key_event, send
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import InProcessRobotClient, TableApp, wait_until
from tests.waiting import describe_condition

A = TypeVar("A", bound=App[None])

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
SIZES = (SMALL, LARGE, TINY)
"""Sizes of windows at which screens are looked at."""


class Driver(Generic[A]):
    """Person at the screen of a program."""

    def __init__(self, app: A, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        """Press keys, separated by blanks: ``right enter``; after each, wait until the program is idle."""
        await self.pilot.press(*[key for each in keys for key in each.split() or [each]])

    async def press_at_once(self, keys: str) -> None:
        """Press keys, separated by blanks, without waiting between them; then wait until the program is idle."""
        send(self.app, [key_event(key) for key in keys.split()])
        for _ in range(3):
            await self.pilot.pause()

    async def write(self, text: str) -> None:
        """Type a text, character by character."""
        await self.pilot.press(*text)

    async def click(self, x: int, y: int) -> None:
        """Click at a column and row of the screen."""
        await self.pilot.click(offset=(x, y))

    def locate(self, target: object) -> tuple[int, int]:
        """Return a cell in the middle of a target, such as a card, where nothing else covers it."""
        canvases = [each.canvas for each in self.app.screen.query(CanvasWidget)]
        cells = [
            (x, y)
            for canvas in canvases
            for y in range(canvas.height)
            for x in range(canvas.width)
            if canvas.hit_test(x, y) == target
        ]
        assert cells, f"there is no {target} in\n{self.text}"
        return cells[len(cells) // 2]

    async def click_on(self, target: object, times: int = 1, button: int = 1) -> None:
        """Click on a target, such as a card."""
        await self.pilot.click(offset=self.locate(target), times=times, button=button)
        await self.pilot.pause()

    async def click_text(self, text: str, *, end: bool = False) -> None:
        """Click on the first or last character of the first text like this on the screen."""
        x, y = next((row.index(text), y) for y, row in enumerate(self.rows) if text in row)
        await self.click(x + (len(text) - 1) * end, y)
        await self.pilot.pause()

    async def paste(self, text: str) -> None:
        """Paste a text, as terminals do."""
        self.app.screen.post_message(Paste(text))
        await self.pilot.pause()

    async def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()

    async def sees(self, *texts: str) -> None:
        """Wait until all texts are on the screen."""
        await self._wait(lambda: all(text in self.text for text in texts), " and ".join(map(repr, texts)))

    async def reads(self, *texts: str) -> None:
        """Wait until all texts are on the screen, perhaps over several rows."""
        await self._wait(lambda: all(text in self.words for text in texts), " and ".join(map(repr, texts)))

    async def sees_no_more(self, *texts: str) -> None:
        """Wait until none of the texts is on the screen."""
        await self._wait(lambda: not any(text in self.text for text in texts), f"no {' or '.join(map(repr, texts))}")

    async def is_at(self, screen_class: type[object] | UnionType) -> Any:
        """Wait until a screen or page of this class is shown; return the screen."""
        await self._wait(
            lambda: is_shown(self.app, screen_class) and self.app.screen.is_mounted, f"the screen {screen_class}"
        )
        return self.app.screen

    async def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition is true that the screen does not show, and until the program is idle."""
        await self._wait(condition)

    async def _wait(self, condition: Callable[[], object], expected: str = "") -> None:
        try:
            await wait_until(self.pilot, condition)
        except AssertionError:
            expected = expected or describe_condition(condition)
            raise AssertionError(f"waited in vain for {expected}; the screen is\n{self.text}") from None
        await self.pilot.pause()

    @property
    def text(self) -> str:
        """Rows of the screen."""
        return screen_text(self.app)

    @property
    def rows(self) -> list[str]:
        """Rows of the screen, as a list."""
        return self.text.splitlines()

    @property
    def words(self) -> str:
        """Words of the screen, separated by single blanks."""
        return " ".join(self.text.split())

    def find_row(self, text: str) -> str:
        """Return the first row with this text."""
        return next(row for row in self.rows if text in row)

    @property
    def page(self) -> Page:
        """Page that is shown."""
        screen = self.app.screen
        return screen.page if isinstance(screen, PageScreen) else screen.query_one(Page)

    @property
    def notices(self) -> list[str]:
        """Texts of the notices on the screen."""
        return list_notices(self.app)

    def check_golden(self, name: str) -> None:
        """Compare the screen with a golden file, whose name ends in the size of the window."""
        check_golden(f"{name}_{self.app.size.width}x{self.app.size.height}.txt", self.text)

    async def check_golden_in_sizes(self, name: str, sizes: Iterable[tuple[int, int]] = SIZES) -> None:
        """Compare the screen with its golden file in each size; leave it in the last one."""
        async for _ in self.in_sizes(sizes):
            self.check_golden(name)

    async def in_sizes(self, sizes: Iterable[tuple[int, int]] = SIZES) -> AsyncIterator[tuple[int, int]]:
        """Yield each size, once the window has it."""
        for size in sizes:
            await self.resize(*size)
            yield size


class TableDriver(Driver[TableApp]):
    """Person at a table."""

    @property
    def frame(self) -> TableFrame:
        """What the table shows."""
        return self.app.table.frame

    @property
    def view(self) -> View:
        """View of the person's seat."""
        return self.app.view

    @property
    def screen(self) -> TableScreen:
        """Screen of the table."""
        return self.app.table

    @property
    def overlay(self) -> Overlay | None:
        """What lies over the table."""
        return self.app.table.view.overlay

    @property
    def referee(self) -> Referee:
        """Referee of the session, who knows all cards."""
        return self.app.table.session.referee

    async def press_and_play(self, keys: str) -> None:
        """Press keys that play something, and wait until the table shows it."""
        view = self.view
        await self.press(keys)
        await self.wait_until(lambda: self.view is not view)

    @property
    def decisions(self) -> int:
        """Number of decisions made in the session."""
        return self.referee.decisions

    async def wait_for_decision(self, number: int) -> None:
        """Wait until this many decisions have been made in the session."""
        await self.wait_until(lambda: self.referee.decisions >= number)

    async def wait_for_input(self) -> None:
        """Wait until the person must act or continue, or the session has ended."""
        await self.wait_until(
            lambda: self.app.table.controller.is_awaiting_input or self.frame.stage is Stage.SESSION_END
        )

    def commit(self) -> None:
        """Do what Enter does; where it needs a card to be chosen, choose the one under the cursor first."""
        if self.frame.waiting and not self.frame.hand.armed:
            self.app.table.table_keys.action_climb(1)
        self.app.table.table_keys.action_commit()

    async def play_until(self, condition: Callable[[TableFrame], object]) -> None:
        """Do what Enter does until the person is asked in a position that satisfies the condition."""
        for _ in range(3000):
            await self.wait_for_input()
            if condition(self.frame):
                return
            self.commit()
        raise AssertionError(f"never reached: {describe_condition(condition)}; the screen is\n{self.text}")

    async def act_until(self, condition: Callable[[TableFrame], object], *kinds: str) -> None:
        """Let all people take the first action, preferably of these kinds, until the condition is satisfied."""
        for _ in range(2000):
            await self.wait_for_input()
            if condition(self.frame):
                return
            if self.frame.stage is Stage.PLAY:
                self.act(*kinds)
            else:
                self.app.table.controller.proceed()
        raise AssertionError(f"never reached: {describe_condition(condition)}; the screen is\n{self.text}")

    def act(self, *kinds: str) -> None:
        """Take the first legal action of the first kind that is possible, or else the first legal action."""
        actions = [action for kind in kinds for action in self.view.legal if str(action).startswith(kind)]
        self.app.table.controller.submit((actions or [*self.view.legal])[0])

    async def play_until_trick_pause(self) -> None:
        """Do what Enter does until a finished trick is shown."""
        for _ in range(200):
            await self.wait_until(lambda: self.app.table.controller.is_awaiting_input or self.frame.shows_trick)
            if self.frame.shows_trick:
                return
            self.app.table.table_keys.action_commit()
        raise AssertionError(f"no trick was finished; the screen is\n{self.text}")

    async def wait_for_thinking_robot(self) -> None:
        """Wait until a robot thinks; do what Enter does if the person must act first."""
        await self.wait_until(
            lambda: self.frame.thinking_robot is not None or self.app.table.controller.is_awaiting_input
        )
        if self.frame.thinking_robot is None:
            self.app.table.table_keys.action_commit()
        await self.wait_until(lambda: self.frame.thinking_robot is not None)

    async def wait_for_curtain(self) -> None:
        """Wait until a curtain asks the next player to confirm."""
        await self.wait_until(lambda: self.frame.stage is Stage.CURTAIN and self.app.table.controller.is_awaiting_input)

    async def confirm_curtain(self) -> None:
        """Wait for a curtain and press Enter, which shows the hand of the next player."""
        await self.wait_for_curtain()
        await self.press("enter")
        await self.wait_until(lambda: self.frame.waiting)


@asynccontextmanager
async def sit_at(
    session: Session,
    size: tuple[int, int] = SMALL,
    *,
    until: Callable[[TableFrame], object] = lambda _frame: True,
    **options: Any,
) -> AsyncIterator[TableDriver]:
    """Open the table of a session, and do what Enter does until the person is asked in a position that satisfies a
    condition, by default the first one; ``options`` are of ``TableApp``.
    """
    async with at_table(TableApp(session, **options), size) as table:
        await table.play_until(until)
        yield table


@asynccontextmanager
async def at_table(app: TableApp, size: tuple[int, int] = SMALL) -> AsyncIterator[TableDriver]:
    """Open the table of an app, without waiting for anything."""
    async with app.run_test(size=size) as pilot:
        yield TableDriver(app, pilot)


@asynccontextmanager
async def at_screen(app: A, size: tuple[int, int] = SMALL) -> AsyncIterator[Driver[A]]:
    """Run an app with any other screen."""
    async with app.run_test(size=size) as pilot:
        yield Driver(app, pilot)


@asynccontextmanager
async def start_program(
    session: Session | None = None,
    page: tuple[object, ...] | None = None,
    size: tuple[int, int] = SMALL,
    **changes: Any,
) -> AsyncIterator[Driver[CardtableApp]]:
    """Start the whole program, with some changed settings, at a table, at a page or otherwise in the picker."""
    app = CardtableApp(Preferences.load(), session, page)
    app.context.robot_client = InProcessRobotClient()
    if changes:
        app.preferences.change(**changes)
    async with at_screen(app, size) as program:
        await program.pilot.pause()
        yield program
