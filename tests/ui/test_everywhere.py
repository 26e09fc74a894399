"""Every screen at any size, with any name, and as harmless text."""

from random import Random
from unicodedata import category

import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES, KEYS
from cardtable.store import sessions
from cardtable.ui.app import CardtableApp
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.painting.canvas import CanvasWidget
from cardtable.ui.toolkit.painting.layout import MIN_SCREEN_SIZE
from cardtable.ui.toolkit.preferences import Preferences
from tests.budgets import get_trials
from tests.pty.test_hostile_text import NAMES
from tests.store.playing import NOW
from tests.ui.screen_text import screen_text
from tests.ui.table_host import InProcessRobotClient, wait_until

pytestmark = pytest.mark.usefixtures("in_process_statistics")

SIZES = get_trials("painted sizes")
"""Number of sizes in which each place is painted."""
FROM_THE_PICKER = {
    "picker": [],
    "new table": ["n"],
    "new table, options": ["n", "tab"],
    "rules": ["i"],
    "archive": ["a"],
    "statistics": ["t"],
    "rankings": ["r"],
    "keys of the picker": ["?"],
    "palette": ["ctrl+p"],
}
FROM_THE_TABLE = {
    "table": [],
    "sheet": ["s"],
    "messages": ["m"],
    "hint": ["h"],
    "keys of the table": ["?"],
    "palette over the table": ["ctrl+p"],
    "a round on": ["enter"] * 20,
}


def create_session_with_names(key, names, people=1, seed=3):
    """Create a session of people and robots with these names, before the first deal."""
    game = GAMES[key]
    seats = game.about.usual_seats
    occupants = [Occupant(name, None if seat < people else "random") for seat, name in enumerate(names[:seats])]
    return sessions.create(game, occupants, game.options(), seed, now=NOW)


def create_app(session=None):
    """Return the program with robots that think in this process."""
    app = CardtableApp(Preferences.load(), session)
    app.context.robot_client = InProcessRobotClient()
    app.preferences.change(robot_pace=0, trick_pause=0)
    return app


async def press_keys(pilot, app, keys):
    """Wait for the first picture, then press keys."""
    if isinstance(app.screen, TableScreen):
        await wait_until(pilot, lambda: app.screen.controller.is_awaiting_input)
    for key in keys:
        await pilot.press(key)
    await pilot.pause()


def is_harmless(text):
    """Return True if the text has no control or other invisible characters except line feeds."""
    return {char for char in text if category(char) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")} <= {"\n"}


def choose_sizes(rng, number):
    edges = [
        MIN_SCREEN_SIZE,
        (MIN_SCREEN_SIZE[0] - 1, MIN_SCREEN_SIZE[1]),
        (80, 24),
        (79, 24),
        (80, 23),
        (110, 36),
        (109, 36),
        (1, 1),
        (300, 90),
    ]
    return [*edges, *[(rng.randint(1, 220), rng.randint(1, 70)) for _ in range(number - len(edges))]]


def paint_in_many_sizes(app, number):
    """Paint the current screen in many sizes; only below the minimum may it show the size needed."""
    [painting] = app.screen_stack[-1].query(CanvasWidget) or app.screen_stack[-2].query(CanvasWidget)
    for width, height in choose_sizes(Random(1), number):
        painting.canvas = painting.paint(width, height)
        fits = width >= MIN_SCREEN_SIZE[0] and height >= MIN_SCREEN_SIZE[1]
        assert ("too small" in str(painting.canvas)) <= (not fits), (width, height)
        assert len(str(painting.canvas).split("\n")) == height


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_many_sizes_from_picker(place):
    create_session_with_names("rikiki", ("Anna", "Bo", "Cy", "Dee")).close()
    app = create_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await press_keys(pilot, app, FROM_THE_PICKER[place])
        paint_in_many_sizes(app, SIZES)
        for size in ((1, 1), (59, 17), (60, 18), (200, 60)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert app.is_running


@pytest.mark.parametrize("key", KEYS)
async def test_many_sizes_at_table(key):
    app = create_app(create_session_with_names(key, ("Anna", "Ada", "Bo", "Cy", "Dee", "Eve")))
    async with app.run_test(size=(80, 24)) as pilot:
        for keys in FROM_THE_TABLE.values():
            await press_keys(pilot, app, keys)
            paint_in_many_sizes(app, SIZES // 4)
            await return_to_table(pilot, app)


async def return_to_table(pilot, app):
    """Close the page or overlay over the table."""
    table = next(screen for screen in app.screen_stack if isinstance(screen, TableScreen))
    if app.screen is not table or table.view.overlay is not None:
        await pilot.press("escape")
    await wait_until(pilot, lambda: app.screen is table and table.view.overlay is None)


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_hostile_nicks_from_picker(place):
    for at in range(3):
        create_session_with_names("rikiki", NAMES[at : at + 4], seed=at).close()
    app = create_app()
    async with app.run_test(size=(60, 18)) as pilot:
        await press_keys(pilot, app, FROM_THE_PICKER[place])
        for size in ((60, 18), (80, 24), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert is_harmless(screen_text(app))
        assert app.is_running


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("people", [1, 2])
async def test_hostile_nicks_at_table(key, people):
    session = create_session_with_names(key, NAMES[KEYS.index(key) % 3 :] if people == 1 else NAMES, people)
    session.referee.say(NAMES[0], 0)
    app = create_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        for keys in FROM_THE_TABLE.values():
            await press_keys(pilot, app, keys)
            assert is_harmless(screen_text(app))
            await return_to_table(pilot, app)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert is_harmless(screen_text(app))
