"""One of several programs on one home: `python -m tests.store.concurrent_program NUMBER ROUNDS`.

Changes settings, a profile and sessions repeatedly, as a player does. Prints the final values as one line of JSON: the
settings, the nick, and the journals with the checksum of their last known content.
"""

import json
import os
import sys
from random import Random
from zlib import crc32

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import profiles, settings, summaries, unfinished_tables
from cardtable.store.session_setup import SessionSetup
from cardtable.store.unfinished_tables import AbandonedStack
from cardtable.ui.toolkit.preferences import Preferences
from tests.store.playing import play_randomly

STAKE = 5
STAKE_INTERVAL = 10
"""Number of rounds after which a session with stakes is abandoned."""
SETTING_VALUES = (
    ("robot_pace", (0.2, 1.4)),
    ("trick_pause", (3.0, "key")),
    ("hand_order", ("suit", "rank")),
    ("card_size", ("5x3", "7x5")),
)
"""The setting that each program changes, and its two values."""
KEY_BINDINGS = ("hint", "sheet", "order", "rules")


def run_rounds(number, rounds):
    """Change settings, profile and a session in every round, and check each value immediately after it is saved."""
    preferences, nick = Preferences.load(), f"Anna{number}"
    profiles.register(nick)
    journals = {}
    for turn in range(rounds):
        change_settings(preferences, number, turn)
        profiles.update_profile(nick, nick, f"Round {turn}", "")
        assert profiles.find(nick).name == f"Round {turn}"
        path = play_session(nick, turn)
        journals[path.name] = crc32(path.read_bytes())
    return {"settings": get_own_settings(preferences.settings, number), "nick": nick, "journals": journals}


def change_settings(preferences, number, turn):
    name, values = SETTING_VALUES[number]
    keys = {**preferences.settings.keys, KEY_BINDINGS[number]: f"ctrl+{'fg'[turn % 2]}"}
    preferences.change(**{name: values[turn % 2]}, keys=keys)
    preferences.on_saved(preferences.save())
    assert not preferences.save_error, preferences.save_error
    assert get_own_settings(settings.load()[0], number) == get_own_settings(preferences.settings, number)


def get_own_settings(chosen, number):
    """Return the setting and the key binding that this program changes."""
    return [getattr(chosen, SETTING_VALUES[number][0]), chosen.keys[KEY_BINDINGS[number]]]


def play_session(nick, turn):
    """Begin a session, then name it or abandon it; return its path."""
    staked = turn % STAKE_INTERVAL == 0
    game = GAMES["ten_down" if staked else "rikiki"]
    rules = game.options(room=STAKE) if staked else game.options()
    seats = (Occupant(nick), *[Occupant(robot, "random") for robot in ("Ada", "Bo", "Cy")])
    session = SessionSetup(game, seats, rules, turn, random_seating=False).begin()
    play_randomly(session.referee, Random(turn), 3)
    session.close()
    assert session.save_error is None
    if staked:
        put_away = AbandonedStack()
        put_away.abandon(session.path)
        return put_away.last
    unfinished_tables.rename(summaries.summarize(session.path), f"{nick} {turn}")
    return session.path


if __name__ == "__main__":
    os.fsync = os.fdatasync = lambda descriptor: None  # nothing is asked about durability
    print(json.dumps(run_rounds(int(sys.argv[1]), int(sys.argv[2]))))
