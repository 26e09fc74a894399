"""Window resized at random while keys open and close pages and overlays."""

import asyncio
import itertools
from random import Random
from time import monotonic

import pytest
import textual.timer
from textual.geometry import Size
from textual.widgets._toast import Toast

from cardtable.ui.toolkit.painting.canvas import CanvasWidget
from tests.budgets import get_trials
from tests.ui.bursts import key_event, resize_window, send
from tests.ui.screen_routes import (
    FROM_THE_PICKER,
    SAVED_GAMES,
    SESSION_PAGES,
    create_app,
    fast_program,
    resume_saved_session,
    wait_until_idle,
    write_finished_session,
)
from tests.ui.table_host import wait_until

__all__ = ["fast_program"]  # a fixture
RUNS = get_trials("storms")
"""Number of runs, one page after another."""
SIZES_PER_RUN = 400
WIDEST, HIGHEST = 220, 70
KEYS = ("enter", "s", "m", "?", "tab", "l", "ctrl+p", "escape")
START_PAGES = {
    **{f"table of {game}": (lambda game=game: (resume_saved_session(game),), "enter " * 8) for game in SAVED_GAMES},
    **SESSION_PAGES,
    **{name: (lambda: (), keys) for name, keys in FROM_THE_PICKER.items()},
}
DISTINCT_PAGES = (
    *("table of rikiki", "table of rummy", "table of king", "table of bridge", "curtain", "replay", "review"),
    *("score table", "picker", "archive", "new table", "another key in the settings"),
)
"""Pages that are painted in different ways; they come first."""
ORDER = [*DISTINCT_PAGES, *[name for name in START_PAGES if name not in DISTINCT_PAGES]]


def iter_resizes(rng):
    """Yield the sizes of a window that is dragged, with a key now and then."""
    for number in range(SIZES_PER_RUN):
        edge = rng.random() < 0.3
        width = rng.choice((1, 2, WIDEST)) if edge else rng.randint(1, WIDEST)
        height = rng.choice((1, 2, HIGHEST)) if edge else rng.randint(1, HIGHEST)
        yield Size(width, height)
        if number % 5 == 0:
            yield key_event(rng.choice(KEYS))


async def send_resizes(app, pilot, sizes_and_keys, rng):
    """Send sizes and keys to the program, with time to paint now and then; return once a key has ended it."""
    for each in sizes_and_keys:
        if isinstance(each, Size):
            resize_window(app, each)
        else:
            send(app, [each])
        if rng.random() < 0.5:
            await asyncio.sleep(0)
        if rng.random() < 0.05:
            await wait_until_idle(pilot)
        if not app.is_running or not app.screen_stack:
            return


def paint_small(app):
    """Paint every widget of all open screens at tiny sizes, including no columns and no rows."""
    for screen in app.screen_stack:
        for widget in screen.query(CanvasWidget):
            for width, height in itertools.product((0, 1, 2, 5, 80), (0, 1, 2, 5)):
                canvas = widget.paint(width, height)
                assert [canvas.render_row(y).cell_length for y in range(height)] == [width] * height


@pytest.mark.parametrize("number", range(RUNS))
async def test_survives_resizing_with_keys(number):
    place = ORDER[number % len(ORDER)]
    first, keys = START_PAGES[place]
    resume_saved_session("rikiki").close()
    write_finished_session()
    rng = Random(f"{place} {number}")
    left = list(iter_resizes(rng))
    while left:
        app, before = create_app(*first()), len(left)
        coming = iter(left)
        async with app.run_test(size=(80, 24)) as pilot:
            await wait_until_idle(pilot)
            send(app, [*map(key_event, keys.split())])
            paint_small(app)
            await send_resizes(app, pilot, coming, rng)
            await wait_until_idle(pilot)
            app.exit()  # else the last keys could arrive after the screens have been closed
            while app.is_running:
                await asyncio.sleep(0)
        left = list(coming)
        assert len(left) < before


@pytest.fixture
def delay_timers(monkeypatch):
    """Function that lets each timer that runs once wait for the processor from now on, a second at each step."""
    waits = itertools.count()

    def read_clock():
        return monotonic() + (next(waits) if asyncio.current_task().get_name().startswith("set_timer") else 0)

    return lambda: monkeypatch.setattr(textual.timer._time, "get_time", read_clock)


async def test_size_is_adopted_by_a_program_that_waits_for_the_processor(delay_timers):
    app = create_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_idle(pilot)
        delay_timers()
        resize_window(app, Size(100, 30))
        await wait_until(pilot, lambda: app.screen.query_one(CanvasWidget).size == (100, 30))


async def test_toast_ends_in_a_program_that_waits_for_the_processor(delay_timers, monkeypatch):
    expired, expire = [], Toast._expire
    monkeypatch.setattr(Toast, "_expire", lambda toast: (expired.append(toast), expire(toast)))
    app = create_app()
    async with app.run_test(notifications=True) as pilot:
        await wait_until_idle(pilot)
        delay_timers()
        app.notify("The club has opened.", timeout=0.5)
        await wait_until(pilot, lambda: expired and not app.screen.query(Toast))
