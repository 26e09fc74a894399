"""Gurka as a plug-in whose state or functions fail."""

from functools import partial

from cardtable.engine.plugin_guard import create_game_failure, guard_game
from cardtable.games import GAMES
from tests.overriding import override

GURKA = GAMES["gurka"]
STATE = type(GURKA.start(4, GURKA.options()))


def raise_lookup_error(*_):
    raise LookupError("the hand is AS KH")


def create_failing_game(member, fail=raise_lookup_error):
    """Return a guarded game in which ``fail`` replaces one function or one member of the state."""
    if member in ("scene", "trick", "narrate", "marks"):
        game = override(GURKA, **{member: fail})
    else:
        state = type("Brittle", (STATE,), {"__slots__": (), member: fail})

        def start(seats, options):
            made = GURKA.start(seats, options)
            made.__class__ = state
            return made

        game = override(GURKA, start=start)
    return guard_game(game, partial(create_game_failure, "Gurka", "cardtable-gurka 1.0", __name__))
