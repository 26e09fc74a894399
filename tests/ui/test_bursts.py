"""No burst of keys, pastes and clicks ends the program, at the first opening of any page or whatever lies over one."""

from random import Random

import pytest

from cardtable.engine.contract import OVER
from cardtable.store import passwords, paths, profiles, score_tables, sessions
from cardtable.ui.app import CardtableApp
from cardtable.ui.preferences import Preferences
from cardtable.ui.screens.table import TableScreen
from tests.budgets import tried
from tests.scoring.tables import NAMES, played
from tests.store.playing import play
from tests.test_saves import SAVES
from tests.ui.bursts import burst, key, send
from tests.ui.table_host import AtOnce, session

BURSTS = tried("bursts")
"""How many bursts each page and each overlay gets."""
AT_ONCE = 10
"""Bursts after which the program is begun anew, so that pages are opened for the first time again."""
SIZES = [(80, 24), (120, 40), (60, 18), (30, 6)]

FROM_THE_PICKER = {
    "picker": "",
    "palette": "ctrl+p",
    "settings": ",",
    "new table": "n",
    "rules": "i",
    "archive": "a",
    "statistics": "t",
    "rankings": "r",
    "players": "p",
    "new score table": "c",
    "names of a score table": "c enter n",
    "keys of the picker": "?",
    "a game": "down enter",
    "robots watched": "down w",
    "go on": "home enter",
    "giving up": "home g",
    "a table's name": "home e",
    "picture": "f3",
}
FROM_THE_TABLE = {
    "table of king": ("king", ""),
    "table of rifki": ("rifki", ""),
    "table of bridge": ("bridge", ""),
    "table of ten down": ("ten_down", ""),
    "table of rummy": ("rummy", ""),
    "score sheet": ("king", "s"),
    "messages": ("rikiki", "m"),
    "hint": ("gurka", "h"),
    "last trick": ("rikiki", "l"),
    "last deal": ("gurka", "d"),
    "rules over the table": ("bridge", "i"),
    "palette over the table": ("rikiki", "ctrl+p"),
    "settings over the table": ("rummy", ","),
    "keys of the table": ("ten_down", "?"),
    "another session": ("rikiki", "n"),
    "the same deal": ("gurka", "="),
    "claim": ("rifki", "c"),
    "table left": ("gurka", "escape"),
}
PAGES = ("replay", "review", "export", "score_table", "curtain", "password")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Passwords cost nothing."""
    monkeypatch.setattr(passwords, "COSTS", ((2**4, 8, 1),))


def saved(game):
    """A copy of the session of a game that is there to be gone on with."""
    source = next(path for path in SAVES if path.name.startswith(f"{game}-"))
    paths.sessions().mkdir(parents=True, exist_ok=True)
    path = paths.sessions() / source.name
    path.write_bytes(source.read_bytes())
    return sessions.resume(path)


def over():
    """The path of a short session in the archive."""
    ended = session("gurka", 3, people=1)
    while ended.table.turn != OVER:
        play(ended.table, Random(3), 100)
    ended.close()
    return next(path for path in paths.listed(paths.archive(), ".jsonl") if path.stem == ended.header.id)


def score_table():
    """The path of a score table with some rounds."""
    engine, first, entered = played("king", 1)
    opened = score_tables.create(engine.game, NAMES[: engine.seats], engine.options, first)
    for each in entered[:3]:
        opened.count(each)
    opened.close()
    return opened.path


def begun(first=None, page=None):
    app = CardtableApp(Preferences.load(), first, page)
    app._thinker = AtOnce()
    app.preferences.change(pace=0, trick_pause=0)
    return app


async def settled(pilot):
    """Wait until what was sent has been answered, and what the answers have sent."""
    for _ in range(3):
        await pilot.pause(0)


async def stands(place, first, keys=""):
    """Open the program, press keys and have a burst follow at once, again and again."""
    for number in range(0, BURSTS, AT_ONCE):
        await _stands(Random(f"{place} {number}"), number, begun(*first()), keys)


async def _stands(rng, number, app, keys):
    """Some bursts in one run of the program, fewer where one leaves it."""
    size = rng.choice(SIZES)
    async with app.run_test(size=size) as pilot:
        if rng.random() < 0.5:
            await settled(pilot)
        for each in range(number, number + AT_ONCE):
            send(app, [*map(key, keys.split()), *burst(each, rng, size)])
            await settled(pilot)
            if not app.is_running:
                break
            await back(pilot, app)


async def back(pilot, app):
    """To where the program was begun: one page above the picker, or the picker."""
    while len(app.screen_stack) > 1 + (app._first is not None or app._page is not None):
        await app.pop_screen()
    if isinstance(app.screen, TableScreen):
        app.screen._view.cover = None
    await settled(pilot)


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_in_the_lobby(place):
    profiles.register("Anna", password="sesame", again="sesame")
    saved("rikiki").close()
    await stands(place, lambda: (), FROM_THE_PICKER[place])


@pytest.mark.parametrize("place", FROM_THE_TABLE)
async def test_at_the_table(place):
    game, keys = FROM_THE_TABLE[place]
    await stands(place, lambda: (saved(game),), keys)


@pytest.mark.parametrize("place", PAGES)
async def test_on_pages_that_are_about_a_session(place):
    if place == "password":
        profiles.register("Anna", password="sesame", again="sesame")
    first = {
        "curtain": lambda: (session("rikiki", 11, people=3),),
        "password": lambda: (session("rikiki", 11),),
        "score_table": lambda: (None, ("score_table", score_table())),
    }
    await stands(place, first.get(place, lambda: (None, (place, over()))))
