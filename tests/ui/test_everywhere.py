"""Every screen: at any size, with any name as harmless text, with a way out, and with Home and End in its list."""

from random import Random
from unicodedata import category

import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES, KEYS
from cardtable.store import sessions
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.page import KeyTarget
from cardtable.ui.toolkit.painting.canvas import CanvasWidget
from cardtable.ui.toolkit.painting.layout import MIN_SCREEN_SIZE
from tests.budgets import get_trials
from tests.pty.test_hostile_text import NAMES
from tests.records.archive_sessions import archive_random_session
from tests.store.playing import NOW
from tests.ui import screen_routes
from tests.ui.canvas_rendering import get_rows
from tests.ui.driver import LARGE, SIZES, SMALL, TINY, start_program
from tests.ui.screen_routes import PLACES, fast_program, write_home
from tests.ui.table_host import create_session

__all__ = ["fast_program"]  # a fixture
pytestmark = pytest.mark.usefixtures("in_process_statistics")

SIZE_COUNT = get_trials("painted sizes")
"""Number of sizes in which each place is painted."""
NAMED_PLACES = (
    *("picker", "new table", "rules", "archive", "filters of the archive", "statistics", "rankings"),
    *("keys of the picker", "palette"),
)
FROM_THE_PICKER = {
    **{place: screen_routes.FROM_THE_PICKER[place] for place in NAMED_PLACES},
    "house rules of a new table": "n tab",
}
FROM_THE_TABLE = ("", "s", "m", "h", "?", "ctrl+p", "enter " * 20)
"""Keys to the table, the score sheet, messages, a hint, the keys, the palette, and a round on."""


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
    async with start_program() as program:
        await program.press(FROM_THE_PICKER[place])
        paint_in_many_sizes(program.app, SIZE_COUNT)
        async for _ in program.in_sizes(((1, 1), (59, 17), TINY, (200, 60))):
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
    async with start_program(session) as program:
        await visit_places_at_table(program, lambda: paint_in_many_sizes(program.app, SIZE_COUNT // 8))


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_hostile_nicks_from_picker(place):
    for at in range(3):
        create_session_with_names("rikiki", NAMES[at : at + 4], seed=at).close()
        names = NAMES[2 * at : 2 * at + 2]
        archive_random_session("ten_down", "Anna Bob steady expert", id_=f"h{at}", seed=at, names=names, room=5)
    async with start_program(size=TINY) as program:
        await program.press(FROM_THE_PICKER[place])
        async for _ in program.in_sizes():
            assert is_harmless(program.text)


@pytest.mark.parametrize(("key", "people"), [*[(key, 1) for key in KEYS], ("rikiki", 2), ("rummy", 2)])
async def test_hostile_nicks_at_table(key, people):
    session = create_session_with_names(key, NAMES[KEYS.index(key) % 3 :] if people == 1 else NAMES, people)
    session.referee.say(NAMES[0], 0)

    def check():
        assert is_harmless(program.text)

    async with start_program(session) as program:
        await visit_places_at_table(program, check)
        await program.resize(*LARGE)
        check()


EXCLUDED_PLACES = (
    *("keys of", "palette", "picture", "another session", "the same deal"),
    *("removing", "giving up", "a table's name", "leaving what"),
)
"""Dialogs and lists that name their exit themselves, and places whose keys have led away by then."""
PLACES_WITH_EXIT = {
    **{place: about for place, about in PLACES.items() if not place.startswith(EXCLUDED_PLACES)},
    "watching robots think": (lambda: (create_session("king", 3, people=0),), ""),
    "hot seat": (lambda: (create_session("rikiki", 11, people=2),), "enter"),
    "open to others": (lambda: (None, ("open_to_others",)), ""),
    "joining a club": (lambda: (None, ("join_club",)), ""),
}


def find_exit_keys(canvas):
    """Return the keys in the last row that leave the page; Enter counts if it is labelled so."""
    row = [canvas.hit_test(x, canvas.height - 1) for x in range(canvas.width)]
    footer = get_rows(canvas)[-1]
    leads = {"leave", "close", *(["play"] if "Enter leave" in footer else [])}
    return {str(target) for target in row if isinstance(target, KeyTarget)} & leads


@pytest.mark.parametrize("place", PLACES_WITH_EXIT)
async def test_exit_keys(place):
    write_home(place)
    first, keys = PLACES_WITH_EXIT[place]
    async with start_program(*first()) as program:
        await program.press(keys)
        painting = program.app.screen.query(CanvasWidget).last()
        for size in SIZES:
            assert find_exit_keys(painting.paint(*size)), str(painting.paint(*size))


LISTS = (
    *("picker", "palette", "settings", "new table", "rules", "archive", "players", "new score table"),
    *("table of gurka", "table of ten_down", "score sheet", "last deal"),
)
KEYS_TO_LISTS = {
    **dict.fromkeys(LISTS, ""),
    **dict.fromkeys(("replay", "export", "score table"), "2"),
    "words looked for in the archive": "a b c",
    "a new player": "A n n",
    "a table's name": "a b",
    "messages": "a b",
    "table of king": "tab",
}
"""Places, with the keys to a line or list there."""


@pytest.mark.parametrize("place", KEYS_TO_LISTS)
async def test_home_and_end(place):
    write_home(place)
    first, keys = PLACES[place]
    async with start_program(*first()) as program:
        if isinstance(program.app.screen, TableScreen):
            await program.wait_until(lambda: program.app.screen.frame.waiting)
        await program.press(f"{keys} {KEYS_TO_LISTS[place]}")
        screens = []
        for key in ("home", "end", "home", "end"):
            await program.press(key)
            grounds = [painting.canvas.grounds for painting in program.app.screen.query("CanvasWidget")]
            screens.append((str(grounds), program.text))
    assert screens[0] == screens[2] != screens[1] == screens[3]
