"""Every screen at any size, with any name, and as harmless text."""

from random import Random
from unicodedata import category

import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES, KEYS
from cardtable.store import sessions
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.painting.canvas import CanvasWidget
from cardtable.ui.toolkit.painting.layout import MIN_SCREEN_SIZE
from tests.budgets import get_trials
from tests.pty.test_hostile_text import NAMES
from tests.store.playing import NOW
from tests.ui import screen_routes
from tests.ui.driver import LARGE, SMALL, TINY, start_program

pytestmark = pytest.mark.usefixtures("in_process_statistics")

SIZES = get_trials("painted sizes")
"""Number of sizes in which each place is painted."""
PLACES = ("picker", "new table", "rules", "archive", "statistics", "rankings", "keys of the picker", "palette")
FROM_THE_PICKER = {
    **{place: screen_routes.FROM_THE_PICKER[place] for place in PLACES},
    "house rules of a new table": "n tab",
}
FROM_THE_TABLE = ("", "s", "m", "h", "?", "ctrl+p", "enter " * 20)
"""Keys to the table, the score sheet, messages, a hint, the keys, the palette, and a round on."""
QUICK = {"robot_pace": 0, "trick_pause": 0}


def create_session_with_names(key, names, people=1, seed=3):
    """Create a session of people and robots with these names, before the first deal."""
    game = GAMES[key]
    seats = game.about.usual_seats
    occupants = [Occupant(name, None if seat < people else "random") for seat, name in enumerate(names[:seats])]
    return sessions.create(game, occupants, game.options(), seed, now=NOW)


def is_harmless(text):
    """Return True if the text has no control or other invisible characters except line feeds."""
    return {char for char in text if category(char) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")} <= {"\n"}


def choose_sizes(rng, number):
    edges = [MIN_SCREEN_SIZE, (MIN_SCREEN_SIZE[0] - 1, MIN_SCREEN_SIZE[1]), SMALL, (79, 24), (80, 23)]
    edges += [(110, 36), (109, 36), (1, 1), (300, 90)]
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
    async with start_program(**QUICK) as program:
        await program.press(FROM_THE_PICKER[place])
        paint_in_many_sizes(program.app, SIZES)
        for size in ((1, 1), (59, 17), (60, 18), (200, 60)):
            await program.resize(*size)
        assert program.app.is_running


async def visit_places_at_table(program, check):
    """Check each place of a table, and return to the table."""
    await program.is_at(TableScreen)
    app, table = program.app, program.app.screen
    for keys in FROM_THE_TABLE:
        await program.wait_until(lambda: table.controller.is_awaiting_input)
        await program.press(keys)
        check()
        if app.screen is not table or table.view.overlay is not None:
            await program.press("escape")
        await program.wait_until(lambda: app.screen is table and table.view.overlay is None)


@pytest.mark.parametrize("key", KEYS)
async def test_many_sizes_at_table(key):
    session = create_session_with_names(key, ("Anna", "Ada", "Bo", "Cy", "Dee", "Eve"))
    async with start_program(session, **QUICK) as program:
        await visit_places_at_table(program, lambda: paint_in_many_sizes(program.app, SIZES // 4))


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_hostile_nicks_from_picker(place):
    for at in range(3):
        create_session_with_names("rikiki", NAMES[at : at + 4], seed=at).close()
    async with start_program(size=TINY, **QUICK) as program:
        await program.press(FROM_THE_PICKER[place])
        for size in (TINY, SMALL, LARGE):
            await program.resize(*size)
            assert is_harmless(program.text)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("people", [1, 2])
async def test_hostile_nicks_at_table(key, people):
    session = create_session_with_names(key, NAMES[KEYS.index(key) % 3 :] if people == 1 else NAMES, people)
    session.referee.say(NAMES[0], 0)

    def check():
        assert is_harmless(program.text)

    async with start_program(session, **QUICK) as program:
        await visit_places_at_table(program, check)
        await program.resize(*LARGE)
        check()
