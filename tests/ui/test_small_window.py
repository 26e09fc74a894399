"""Windows below the smallest size: only the keys that quit count, and afterwards everything is as before."""

import re

import pytest
from rich.segment import Segment
from textual import events
from textual.geometry import Size

from cardtable.engine.game import OVER
from cardtable.ui.keys import input_guard
from cardtable.ui.keys.input_guard import RELEASE_SECONDS, WindowGuard
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Quitting
from tests.ui.bursts import click_events, key_event, resize_window, send
from tests.ui.screen_routes import PLACES, create_app, fast_program, wait_until_idle
from tests.ui.screen_text import list_notices
from tests.ui.table_host import wait_until

pytestmark = pytest.mark.usefixtures("in_process_statistics")
__all__ = ["fast_program"]  # a fixture
SMALL, USUAL = Size(40, 10), Size(80, 24)
KEYS = "enter escape space tab down right pagedown 1 7 x q n a s m ? y ctrl+p ctrl+u ctrl+z f3 backspace"
NOTICE = ["Window too small (40x10).", "Needs 60x18.", "Your game is safe."]
LOADING = "Reading the session|(?m:same for everyone$)"
"""Pattern of what pages show until their files have been read."""
CHANGING = ("picture", "table of rummy", "review", "replay from a review", "end of a session")
"""Places with a notice, a clock or a progress that changes by itself."""


def read_rows(app):
    """Return the rows of the window, with the screens below a box."""
    picture = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    segments = Segment.filter_control(app.console.render(picture))
    return ["".join(segment.text for segment in row).rstrip() for row in Segment.split_lines(segments)]


def describe(app):
    """Return everything that input could change."""
    return read_rows(app), [*app.screen_stack], app.preferences.settings, list_notices(app)


async def resize(pilot, size):
    """Resize the window; return once the screens are painted and accept input again."""
    app = pilot.app
    resize_window(app, size)
    await wait_until(pilot, lambda: len(read_rows(app)) == size.height)
    await wait_until_idle(pilot)


async def open_place(pilot, keys):
    app = pilot.app
    await wait_until_idle(pilot)
    if isinstance(app.screen, TableScreen):
        table = app.screen
        await wait_until(pilot, lambda: table.session.referee.turn == OVER or table.controller.is_awaiting_input)
    for key in keys.split():
        await pilot.press(key)
    await wait_until(pilot, lambda: not re.search(LOADING, "\n".join(read_rows(app))))
    await wait_until_idle(pilot)


@pytest.mark.parametrize("place", [place for place in PLACES if place not in (*CHANGING, "whether to quit")])
async def test_nothing_but_quitting_counts(place):
    first, keys = PLACES[place]
    app = create_app(*first())
    async with app.run_test(size=USUAL) as pilot:
        await open_place(pilot, keys)
        before = describe(app)
        await resize(pilot, SMALL)
        assert [row.strip() for row in read_rows(app) if row] == NOTICE
        wheel = events.MouseScrollDown(None, 20, 5, 0, 0, 0, False, False, False, 20, 5)
        clicks = [*click_events(20, 5, 2), *click_events(3, 9, 1, 3)]
        send(app, [*map(key_event, KEYS.split()), events.Paste("Anna"), *clicks, wheel])
        await wait_until_idle(pilot)
        await resize(pilot, USUAL)
        assert describe(app) == before


@pytest.mark.parametrize("keys", ["ctrl+q", "ctrl+c ctrl+c", "ctrl+c enter"])
@pytest.mark.parametrize("place", ["picker", "a new player", "palette over the table", "another session"])
async def test_quitting(place, keys):
    first, opening = PLACES[place]
    app = create_app(*first())
    async with app.run_test(size=USUAL) as pilot:
        await open_place(pilot, opening)
        await resize(pilot, SMALL)
        await pilot.press(*keys.split())
        await wait_until(pilot, lambda: app.return_code == 0)


async def test_question_whether_to_quit_is_shown_and_answered():
    app = create_app()
    async with app.run_test(size=USUAL) as pilot:
        await open_place(pilot, "")
        before = describe(app)
        await resize(pilot, SMALL)
        await pilot.press("ctrl+c", "x")
        await wait_until(pilot, lambda: isinstance(app.screen, Quitting))
        await wait_until_idle(pilot)
        assert read_rows(app)[-1] == "  Enter quit   Esc stay"
        send(app, [*map(key_event, ("escape", "enter", "n"))])  # the picker is not active yet at the last two
        await wait_until(pilot, lambda: not isinstance(app.screen, Quitting))
        await wait_until_idle(pilot)
        await resize(pilot, USUAL)
        assert describe(app) == before


class TestGuard:
    """The guard alone, with the times of a window that can be read again from ``READABLE`` on."""

    @pytest.fixture
    def guard(self, monkeypatch):
        monkeypatch.setattr(input_guard, "monotonic", lambda: READABLE)
        guard = WindowGuard()
        for time in (READABLE - 2, READABLE - 1.95):
            assert guard.accepts(press("enter", time))
        guard.close()
        return guard

    def test_key_held_until_the_window_can_be_read(self, guard):
        for time in range(-100, 100, 9):
            if time == -1:
                guard.open()
            assert not guard.accepts(press("enter", READABLE + time / 100))
        assert not guard.accepts(press("enter", READABLE + 0.98 + RELEASE_SECONDS - 0.01))
        assert guard.accepts(press("enter", READABLE + 0.98 + 2 * RELEASE_SECONDS))

    def test_key_held_over_two_sizes(self, guard):
        guard.open()
        assert not guard.accepts(press("enter", READABLE - 1.9)), "read late"
        assert not guard.accepts(press("enter", READABLE - 1.9 + RELEASE_SECONDS - 0.01)), "held since"

    def test_other_key_and_second_press_count(self, guard):
        assert not guard.accepts(press("enter", READABLE - 0.1))
        guard.open()
        assert guard.accepts(press("space", READABLE + 0.01))
        assert guard.accepts(press("enter", READABLE + 0.02))

    def test_only_a_whole_click_counts(self, guard):
        [down, up] = click_events(1, 1)
        guard.open()
        up.time = READABLE + 0.1
        assert not guard.accepts(up), "the button was pressed before"
        down.time = READABLE + 0.2
        assert guard.accepts(down)
        assert guard.accepts(up)

    def test_paste_that_began_early(self, guard):
        paste = events.Paste("Anna")
        paste.time = READABLE - 0.01
        guard.open()
        assert not guard.accepts(paste)


READABLE = 100.0


def press(name, time):
    key = key_event(name)
    key.time = time
    return key
