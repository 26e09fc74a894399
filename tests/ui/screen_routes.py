"""Places of the program to open: pages and overlays, with the keys that lead there, and the files they need."""

import asyncio
from random import Random

import pytest

from cardtable.engine.game import OVER
from cardtable.store import passwords, paths, profiles, score_tables, sessions
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys import input_guard
from cardtable.ui.toolkit.preferences import Preferences
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.store.playing import play_randomly
from tests.test_saves import SAVES
from tests.ui.records_host import InProcessStatistics
from tests.ui.table_host import InProcessRobotClient, create_session

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
    (paths.home() / "settings.toml").write_text(f"robot_pace = 0\ntrick_pause = 0\nkey_guard = 0\n{extra_lines}")


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
PLACES = {
    **{place: (lambda: (), keys) for place, keys in FROM_THE_PICKER.items()},
    **{
        place: (lambda game=game: (resume_saved_session(game),), keys) for place, (game, keys) in FROM_THE_TABLE.items()
    },
    **SESSION_PAGES,
    **START_SCREENS,
}
"""All places: a function that returns the arguments of `create_app`, and the keys from there."""


def write_home(place):
    """Write the player and the sessions that are met on the way from the picker to a place."""
    if place in FROM_THE_PICKER:
        profiles.register("Anna", password="sesame77", again="sesame77")
        resume_saved_session("rikiki").close()
        write_finished_session()
