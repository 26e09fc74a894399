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
from tests.budgets import get_trials
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.store.playing import play_randomly
from tests.test_saves import SAVES
from tests.ui.bursts import key_event, random_burst, send
from tests.ui.records_host import InProcessStatistics
from tests.ui.table_host import InProcessRobotClient, create_session

pytestmark = pytest.mark.promise("Keys and mouse", "No burst of keys, pastes and clicks ends the program.")

BURSTS = get_trials("bursts")
"""Number of bursts for each page and overlay."""
BURSTS_PER_RUN = 10
"""Bursts after which the program is started anew, so that pages are opened for the first time again."""
SIZES = [(80, 24), (120, 40), (60, 18), (30, 6)]
SAVED_GAMES = [path.name.split("-")[0] for path in SAVES]

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
    **{f"table of {game}": (game, "") for game in SAVED_GAMES},
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
WITH_STATISTICS_PROCESS = {"statistics", "new table"}
"""Places whose records come from a child process, as usual; starting one for each burst takes longer than the bursts.
"""


class DelayedStatistics(InProcessStatistics):
    """Computes after a few turns of the loop, as if in a child process."""

    async def compute_records(self, tell):
        for _ in range(5):
            await asyncio.sleep(0)
        await super().compute_records(tell)


@pytest.fixture(autouse=True)
def fast_program(monkeypatch):
    """Remove all delays, and make passwords cheap."""
    write_settings()
    monkeypatch.setattr(input_guard, "CURTAIN_SECONDS", 0)
    monkeypatch.setattr(input_guard, "BOUNCE_SECONDS", 0)
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))


def resume_saved_session(game):
    """Resume a copy of the saved session of a game."""
    source = next(path for path in SAVES if path.name.startswith(f"{game}-"))
    paths.sessions_folder().mkdir(parents=True, exist_ok=True)
    path = paths.sessions_folder() / source.name
    path.write_bytes(source.read_bytes())
    return sessions.resume(path)


def write_finished_session():
    """Archive a short finished session and return its path."""
    ended = create_session("gurka", 3, people=1)
    while ended.referee.turn != OVER:
        play_randomly(ended.referee, Random(3), 100)
    ended.close()
    return next(path for path in paths.list_files(paths.archive_folder(), ".jsonl") if path.stem == ended.header.id)


def write_score_table():
    """Write a score table with some rounds and return its path."""
    engine, first, entered = play_session_with_entries("king", 1)
    opened = score_tables.create(engine.game, NAMES[: engine.seats], engine.options, first)
    for each in entered[:3]:
        opened.enter_round(each)
    opened.close()
    return opened.path


def play_to_end(whole_session):
    """Play a session of one person to the end of its first round, or to its own end."""
    ending = create_session("gurka", 3)
    while ending.referee.turn != OVER if whole_session else not ending.referee.scores:
        play_randomly(ending.referee, Random(3), 1)
    return ending


def create_deleted_session():
    """Return a session whose file was deleted."""
    gone = create_session("gurka", 3)
    gone.path.unlink()
    return gone


def write_settings(extra_lines=""):
    paths.create_folder(paths.home())
    (paths.home() / "settings.toml").write_text(f"pace = 0\ntrick_pause = 0\nguard = 0\n{extra_lines}")


def write_invalid_settings():
    """Write settings with errors, which the program reports first of all."""
    write_settings("cards = true\nnothing = 1\n[keys]\nplay = 7\nhint = 's'\n")
    return ()


def create_app(first=None, page=None):
    app = CardtableApp(Preferences.load(), first, page)
    app.context.robot_client = InProcessRobotClient()
    return app


async def wait_until_idle(pilot):
    """Wait until all messages, and those that they cause, have been processed."""
    for _ in range(3):
        await pilot.pause(0)


async def send_bursts(place, first, keys="", bursts_per_run=BURSTS_PER_RUN):
    """Start the program repeatedly, press keys and let a burst follow immediately."""
    for number in range(0, BURSTS, bursts_per_run):
        app = create_app(*first())
        if place not in WITH_STATISTICS_PROCESS:
            app.context.statistics_client = DelayedStatistics()
        await _send_bursts_in_one_run(Random(f"{place} {number}"), range(number, number + bursts_per_run), app, keys)


async def _send_bursts_in_one_run(rng, numbers, app, keys):
    """Send bursts in one run of the program, fewer if one of them ends it."""
    size = rng.choice(SIZES)
    async with app.run_test(size=size) as pilot:
        if rng.random() < 0.5:
            await wait_until_idle(pilot)
        for each in numbers:
            send(app, [*map(key_event, keys.split()), *random_burst(each, rng, size)])
            await wait_until_idle(pilot)
            if not app.is_running:
                break
            await return_to_start(pilot, app)


async def return_to_start(pilot, app):
    """Return to the start of the program: the picker or the page above it."""
    while len(app.screen_stack) > 1 + (bool(app._initial_pages)):
        await app.pop_screen()
    if isinstance(app.screen, TableScreen):
        app.screen.view.overlay = None
    await wait_until_idle(pilot)


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_bursts_from_picker(place):
    profiles.register("Anna", password="sesame77", again="sesame77")
    resume_saved_session("rikiki").close()
    write_finished_session()
    await send_bursts(place, lambda: (), FROM_THE_PICKER[place])


@pytest.mark.parametrize("place", FROM_THE_TABLE)
async def test_bursts_at_table(place):
    game, keys = FROM_THE_TABLE[place]
    await send_bursts(place, lambda: (resume_saved_session(game),), keys)


SESSION_PAGES = {
    "replay": (lambda: (None, ("replay", write_finished_session())), ""),
    "why in a replay": (lambda: (None, ("replay", write_finished_session())), "w"),
    "review": (lambda: (None, ("review", write_finished_session())), ""),
    "replay from a review": (lambda: (None, ("review", write_finished_session())), "enter"),
    "export": (lambda: (None, ("export", write_finished_session())), ""),
    "score table": (lambda: (None, ("score_table", write_score_table())), ""),
    "curtain": (lambda: (create_session("rikiki", 11, people=3),), ""),
    "palette at a curtain": (lambda: (create_session("rikiki", 11, people=3),), "ctrl+p"),
    "messages at a curtain": (lambda: (create_session("rikiki", 11, people=3),), "m"),
    "score sheet at a curtain": (lambda: (create_session("rikiki", 11, people=3),), "s"),
}
START_SCREENS = {
    "end of a round": (lambda: (play_to_end(whole_session=False),), ""),
    "end of a session": (lambda: (play_to_end(whole_session=True),), ""),
    "complaints": (write_invalid_settings, ""),
    "leaving what is not saved": (lambda: (create_deleted_session(),), "enter escape"),
}


@pytest.mark.parametrize("place", SESSION_PAGES)
async def test_bursts_on_session_pages(place):
    await send_bursts(place, *SESSION_PAGES[place])


@pytest.mark.parametrize("place", START_SCREENS)
async def test_bursts_on_start_screens(place):
    await send_bursts(place, *START_SCREENS[place], bursts_per_run=2)


async def test_bursts_at_password_prompt():
    profiles.register("Anna", password="sesame77", again="sesame77")
    await send_bursts("password", lambda: (create_session("rikiki", 11),))


async def test_bursts_while_hosting_club(monkeypatch):
    begin = local_server.LocalServer.start

    def start_on_any_local_port(club, name, *, lan, code, port, ssh, web):
        begin(club, name, on_network=False, code=code, port=0, ssh_port=ssh and 0, web_port=web and 0)

    monkeypatch.setattr(local_server.LocalServer, "start", start_on_any_local_port)
    await send_bursts("open to others", lambda: (None, ("open_to_others",)))
