"""An exception in any painter, handler or other function of the screens ends the program in order."""

import asyncio
import inspect
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from textual import events
from textual.geometry import Size
from textual.worker import WorkerFailed

from cardtable.engine import journal
from cardtable.store import paths
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.evaluation_tasks import HintTask
from tests.budgets import get_trials
from tests.ui.bursts import key_event, send
from tests.ui.screen_routes import (
    FROM_THE_TABLE,
    PLACES,
    DelayedStatistics,
    create_app,
    fast_program,
    resume_saved_session,
    wait_until_idle,
    write_home,
)

__all__ = ["fast_program"]  # a fixture

SCREENS = str(Path("cardtable", "ui"))
"""Part of the paths of all modules of the screens."""
SUSPENDABLE = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
"""Flags of functions that do not fail themselves, since each continuation counts as a call of them."""
MOST_FUNCTIONS = 500
"""About the number of functions that one visit of a page calls."""
PAINT_SECONDS = 0.06
"""Seconds in which the app, not the test, paints what has changed."""
TRIES = 3
"""Number of faults that must not be lost one after the other."""
KEYS_AT_THE_PAGE = "right down enter ? x escape"


class PlantedFault(Exception):
    """The exception that a function raises."""


class FaultPlanter:
    """Profile function that lets one function of the screens fail when it is called for the first time."""

    def __init__(self, number):
        """``number``: how many different functions have been called when one fails, including that one."""
        self.number, self.failed_function = number, ""
        self._called = set()

    def __call__(self, frame, event, _argument):
        code = frame.f_code
        if self.failed_function or event != "call" or SCREENS not in code.co_filename or code.co_flags & SUSPENDABLE:
            return
        self._called.add(code)
        if len(self._called) == self.number:
            self.failed_function = code.co_qualname
            raise PlantedFault(self.failed_function)


async def visit_page(first, keys, planter):
    """Start the program, open a page and press keys there while the planter watches; return the app."""
    app = create_app(*first())
    app.context.statistics_client = DelayedStatistics()
    with suppress(PlantedFault, WorkerFailed):
        async with app.run_test(size=(100, 30)) as pilot:
            await wait_until_idle(pilot)
            sys.setprofile(planter)
            try:
                for each in (keys, KEYS_AT_THE_PAGE):
                    send(app, map(key_event, each.split()))
                    await asyncio.sleep(PAINT_SECONDS)
                send(app, [events.Resize(Size(80, 24), Size(80, 24))])
                await asyncio.sleep(PAINT_SECONDS)
            finally:
                sys.setprofile(None)
            await wait_until_idle(pilot)
    return app


async def let_function_fail(first, keys, number):
    """Visit a page where one function fails; return the app and the name of the function.

    ``number`` is that of ``FaultPlanter``, or half of it and so on, if fewer functions are called.
    """
    planter = FaultPlanter(0)
    while not planter.failed_function:
        planter, number = FaultPlanter(number), max(number // 2, 1)
        app = await visit_page(first, keys, planter)
    return app, planter.failed_function


async def fail_at(place, first, keys):
    """Let one function after another fail at a page, chosen at random, and assert that each ends the program.

    The error of a task that is cancelled at this moment, since its page is left, is lost, so that there are more tries.
    """
    rng = Random(place)
    for _ in range(get_trials("faults")):
        number, lost = rng.randint(1, MOST_FUNCTIONS), []
        while len(lost) < TRIES:
            app, function = await let_function_fail(first, keys, number)
            if isinstance(app.unhandled_error, PlantedFault):
                break
            lost.append(function)
        else:
            pytest.fail(f"{' and '.join(lost)} failed, and nothing ended")


@pytest.mark.parametrize("place", PLACES)
async def test_faults(place):
    write_home(place)
    await fail_at(place, *PLACES[place])
    for path in paths.list_files(paths.sessions_folder(), ".jsonl") if place in FROM_THE_TABLE else ():
        assert not journal.read(path.read_bytes()).torn


@pytest.mark.parametrize(
    ("kind", "method", "key"), [(HintTask, "_run_requests", "h"), (TableController, "_update_clocks", "m")]
)
async def test_fault_outside_message_handlers(monkeypatch, kind, method, key):
    """Errors of background tasks end the program, too."""

    async def fail(*_):
        raise PlantedFault

    monkeypatch.setattr(kind, method, fail)
    app = create_app(resume_saved_session("gurka"))
    with suppress(PlantedFault):
        async with asyncio.timeout(60), app.run_test() as pilot:
            while app.is_running:
                await pilot.press(key)
                await wait_until_idle(pilot)
    assert isinstance(app.unhandled_error, PlantedFault)
