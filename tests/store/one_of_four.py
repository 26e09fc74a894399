"""One of several programs on one home: ``python -m tests.store.one_of_four NUMBER ROUNDS``.

Changes settings, a player and sessions again and again, as somebody does who plays; prints what
she has at the end, as one line of JSON: the settings, the player's name and credits, and the
journals with what she saw in them last.
"""

import json
import os
import sys
from random import Random
from zlib import crc32

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import profiles, settings, summaries, table_names
from cardtable.store.session_setup import SessionSetup
from cardtable.store.sessions import AbandonedStack
from cardtable.ui.toolkit.preferences import Preferences
from tests.store.playing import play

STAKE = 5
STAKED_EACH = 10
"""Rounds after which a session with stakes is given up."""
SETTINGS = (
    ("pace", (0.2, 1.4)),
    ("trick_pause", (3.0, "key")),
    ("hand_order", ("suit", "rank")),
    ("card_size", ("5x3", "7x5")),
)
"""What each of them changes, to and fro."""
KEYS = ("hint", "sheet", "order", "rules")


def evening(number, rounds):
    """Every round changes all three; what was saved is read again at once."""
    preferences, nick = Preferences.load(), f"Anna{number}"
    profiles.register(nick)
    journals = {}
    for turn in range(rounds):
        change_settings(preferences, number, turn)
        profiles.update_profile(nick, nick, f"Round {turn}", "")
        assert profiles.find(nick).name == f"Round {turn}"
        path = play_a_little(nick, turn)
        journals[path.name] = crc32(path.read_bytes())
    return {"settings": own(preferences.settings, number), "nick": nick, "journals": journals}


def change_settings(preferences, number, turn):
    name, values = SETTINGS[number]
    keys = {**preferences.settings.keys, KEYS[number]: f"ctrl+{'fg'[turn % 2]}"}
    preferences.change(**{name: values[turn % 2]}, keys=keys)
    preferences.on_saved(preferences.save())
    assert not preferences.save_error, preferences.save_error
    assert own(settings.load()[0], number) == own(preferences.settings, number)


def own(chosen, number):
    """What this program sets, as the settings have it."""
    return [getattr(chosen, SETTINGS[number][0]), chosen.keys[KEYS[number]]]


def play_a_little(nick, turn):
    """A session that is begun, named, and left or given up; where it lies."""
    staked = turn % STAKED_EACH == 0
    game = GAMES["ten_down" if staked else "rikiki"]
    rules = game.options(room=STAKE) if staked else game.options()
    seats = (Occupant(nick), *[Occupant(robot, "random") for robot in ("Ada", "Bo", "Cy")])
    session = SessionSetup(game, seats, rules, turn, random_seating=False).begin()
    play(session.referee, Random(turn), 3)
    session.close()
    assert session.save_error is None
    if staked:
        put_away = AbandonedStack()
        put_away.abandon(session.path)
        return put_away.last
    table_names.rename(summaries.summarize(session.path), f"{nick} {turn}")
    return session.path


if __name__ == "__main__":
    os.fsync = os.fdatasync = lambda descriptor: None  # nothing is asked about durability
    print(json.dumps(evening(int(sys.argv[1]), int(sys.argv[2]))))
