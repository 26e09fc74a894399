"""No burst of keys, pastes and clicks ends the program, on any page or overlay."""

import asyncio
from random import Random

import pytest

from cardtable.engine.game import OVER
from cardtable.store import passwords, paths, profiles, score_tables, sessions
from cardtable.ui.app import CardtableApp
from cardtable.ui.club import local_server
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.keys import input_guard
from cardtable.ui.toolkit.preferences import Preferences
from tests.budgets import tried
from tests.scoring.tables import NAMES, played
from tests.store.playing import play
from tests.test_saves import SAVES
from tests.ui.bursts import burst, key, send
from tests.ui.records_host import InThisProcess
from tests.ui.table_host import AtOnce, session

pytestmark = pytest.mark.promise("Keys and mouse", "No burst of keys, pastes and clicks ends the program.")

BURSTS = tried("bursts")
"""Number of bursts for each page and overlay."""
AT_ONCE = 10
"""Bursts after which the program is started anew, so that pages are opened for the first time again."""
SIZES = [(80, 24), (120, 40), (60, 18), (30, 6)]
SAVED = [path.name.split("-")[0] for path in SAVES]

FROM_THE_PICKER = {
    "picker": "",
    "palette": "ctrl+p",
    "settings": ",",
    "new table": "n",
    "rules": "i",
    "archive": "a",
    "statistics": "t",
    "charts of the statistics": "t right",
    "rankings": "r",
    "plot of the rankings": "r p",
    "filters of the archive": "a tab right",
    "words looked for in the archive": "a /",
    "another key in the settings": ", 9 end enter",
    "players": "p",
    "a new player": "p n",
    "who a player is": "p e",
    "the password of a player": "p w",
    "signing in": "p enter",
    "removing a player": "p d",
    "whether to quit": "ctrl+c",
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
    **{f"table of {game}": (game, "") for game in SAVED},
    "score sheet": ("king", "s"),
    "messages": ("rikiki", "m"),
    "hint": ("gurka", "h"),
    "previous trick": ("rikiki", "l"),
    "last deal": ("gurka", "d"),
    "why in the last deal": ("gurka", "d w"),
    "all hands": ("rikiki", "v"),
    "rules over the table": ("bridge", "i"),
    "palette over the table": ("rikiki", "ctrl+p"),
    "settings over the table": ("rummy", ","),
    "keys of the table": ("ten_down", "?"),
    "another session": ("rikiki", "n"),
    "the same deal": ("gurka", "="),
    "claim": ("rifki", "c"),
    "table left": ("gurka", "escape"),
}
RECKONED_ELSEWHERE = {"statistics", "new table"}
"""Places whose records come from a child process, as usual; starting one for each burst takes longer than the bursts.
"""


class Soon(InThisProcess):
    """Computes after a few turns of the loop, as if in a child process."""

    async def compute_records(self, tell):
        for _ in range(5):
            await asyncio.sleep(0)
        await super().compute_records(tell)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Remove all delays, and make passwords cheap."""
    settings_say()
    monkeypatch.setattr(input_guard, "CURTAIN_SECONDS", 0)
    monkeypatch.setattr(input_guard, "BOUNCE_SECONDS", 0)
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))


def saved(game):
    """Resume a copy of the saved session of a game."""
    source = next(path for path in SAVES if path.name.startswith(f"{game}-"))
    paths.sessions_folder().mkdir(parents=True, exist_ok=True)
    path = paths.sessions_folder() / source.name
    path.write_bytes(source.read_bytes())
    return sessions.resume(path)


def over():
    """Archive a short finished session and return its path."""
    ended = session("gurka", 3, people=1)
    while ended.referee.turn != OVER:
        play(ended.referee, Random(3), 100)
    ended.close()
    return next(path for path in paths.list_files(paths.archive_folder(), ".jsonl") if path.stem == ended.header.id)


def score_table():
    """Write a score table with some rounds and return its path."""
    engine, first, entered = played("king", 1)
    opened = score_tables.create(engine.game, NAMES[: engine.seats], engine.options, first)
    for each in entered[:3]:
        opened.enter_round(each)
    opened.close()
    return opened.path


def at_the_end_of(whole):
    """Play a session of one person to the end of its first round, or to its own end."""
    ending = session("gurka", 3)
    while ending.referee.turn != OVER if whole else not ending.referee.scores:
        play(ending.referee, Random(3), 1)
    return ending


def not_saved():
    """Return a session whose file was deleted."""
    gone = session("gurka", 3)
    gone.path.unlink()
    return gone


def settings_say(more=""):
    paths.create_folder(paths.home())
    (paths.home() / "settings.toml").write_text(f"pace = 0\ntrick_pause = 0\nguard = 0\n{more}")


def wrong_settings():
    """Write settings with errors, which the program reports first of all."""
    settings_say("cards = true\nnothing = 1\n[keys]\nplay = 7\nhint = 's'\n")
    return ()


def begun(first=None, page=None):
    app = CardtableApp(Preferences.load(), first, page)
    app.context.robot_client = AtOnce()
    return app


async def settled(pilot):
    """Wait until all messages, and those that they cause, have been processed."""
    for _ in range(3):
        await pilot.pause(0)


async def stands(place, first, keys="", at_once=AT_ONCE):
    """Start the program repeatedly, press keys and let a burst follow immediately."""
    for number in range(0, BURSTS, at_once):
        app = begun(*first())
        if place not in RECKONED_ELSEWHERE:
            app.context.statistics_client = Soon()
        await _stands(Random(f"{place} {number}"), range(number, number + at_once), app, keys)


async def _stands(rng, numbers, app, keys):
    """Send bursts in one run of the program, fewer if one of them ends it."""
    size = rng.choice(SIZES)
    async with app.run_test(size=size) as pilot:
        if rng.random() < 0.5:
            await settled(pilot)
        for each in numbers:
            send(app, [*map(key, keys.split()), *burst(each, rng, size)])
            await settled(pilot)
            if not app.is_running:
                break
            await back(pilot, app)


async def back(pilot, app):
    """Return to the start of the program: the picker or the page above it."""
    while len(app.screen_stack) > 1 + (bool(app._initial_pages)):
        await app.pop_screen()
    if isinstance(app.screen, TableScreen):
        app.screen.view.overlay = None
    await settled(pilot)


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_in_the_lobby(place):
    profiles.register("Anna", password="sesame77", again="sesame77")
    saved("rikiki").close()
    over()
    await stands(place, lambda: (), FROM_THE_PICKER[place])


@pytest.mark.parametrize("place", FROM_THE_TABLE)
async def test_at_the_table(place):
    game, keys = FROM_THE_TABLE[place]
    await stands(place, lambda: (saved(game),), keys)


ABOUT_A_SESSION = {
    "replay": (lambda: (None, ("replay", over())), ""),
    "why in a replay": (lambda: (None, ("replay", over())), "w"),
    "review": (lambda: (None, ("review", over())), ""),
    "replay from a review": (lambda: (None, ("review", over())), "enter"),
    "export": (lambda: (None, ("export", over())), ""),
    "score table": (lambda: (None, ("score_table", score_table())), ""),
    "curtain": (lambda: (session("rikiki", 11, people=3),), ""),
    "palette at a curtain": (lambda: (session("rikiki", 11, people=3),), "ctrl+p"),
    "messages at a curtain": (lambda: (session("rikiki", 11, people=3),), "m"),
    "score sheet at a curtain": (lambda: (session("rikiki", 11, people=3),), "s"),
}
FIRST_OF_ALL = {
    "end of a round": (lambda: (at_the_end_of(whole=False),), ""),
    "end of a session": (lambda: (at_the_end_of(whole=True),), ""),
    "complaints": (wrong_settings, ""),
    "leaving what is not saved": (lambda: (not_saved(),), "enter escape"),
}


@pytest.mark.parametrize("place", ABOUT_A_SESSION)
async def test_on_pages_that_are_about_a_session(place):
    await stands(place, *ABOUT_A_SESSION[place])


@pytest.mark.parametrize("place", FIRST_OF_ALL)
async def test_where_the_next_key_leads_away(place):
    await stands(place, *FIRST_OF_ALL[place], at_once=2)


async def test_at_a_password():
    profiles.register("Anna", password="sesame77", again="sesame77")
    await stands("password", lambda: (session("rikiki", 11),))


async def test_where_a_club_is_opened_and_closed(monkeypatch):
    begin = local_server.LocalServer.start

    def for_this_machine_at_any_port(club, name, *, lan, code, port, ssh, web):
        begin(club, name, lan=False, code=code, port=0, ssh=ssh and 0, web=web and 0)

    monkeypatch.setattr(local_server.LocalServer, "start", for_this_machine_at_any_port)
    await stands("open to others", lambda: (None, ("open_to_others",)))
