"""A game of another package that fails at the table: its page is left, the picker tells it, and all else goes on."""

from functools import partial

import pytest
from msgspec.structs import replace

from cardtable.engine.guarded import failure, guarded
from cardtable.games import GAMES
from cardtable.store import paths, setup, summaries
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.settings.preferences import Preferences
from tests.ui.screen_text import screen_text
from tests.ui.shown import shows
from tests.ui.table_host import QUICK, until

GURKA = GAMES["gurka"]
STATE = type(GURKA.start(4, GURKA.options()))


def fails(*_):
    raise LookupError("the hand is AS KH")


def brittle(where):
    """Gurka as another package would bring it, failing there."""
    if where in ("scene", "trick", "narrate"):
        game = replace(GURKA, **{where: fails})
    else:
        state = type("Brittle", (STATE,), {"__slots__": (), where: fails})

        def start(seats, options):
            made = GURKA.start(seats, options)
            made.__class__ = state
            return made

        game = replace(GURKA, start=start)
    return guarded(game, partial(failure, "Gurka", "cardtable-gurka 1.0", __name__))


@pytest.mark.parametrize("where", ["scene", "trick", "narrate", "legal", "apply", "view"])
async def test_the_picker_tells_it_another_game_is_played_and_the_session_waits(where):
    app = CardtableApp(Preferences(QUICK))
    async with app.run_test(size=(80, 24)) as pilot:
        app.room.begin(setup.usual(brittle(where)))
        await until(pilot, lambda: shows(app, Picker) and app._notifications)
        (told,) = [notice.message for notice in app._notifications]
        assert told.startswith("Gurka (cardtable-gurka 1.0) has failed: LookupError in test_broken_game.py, line ")
        assert "AS KH" not in told
        app.room.begin(setup.usual(GAMES["rikiki"]))
        await until(pilot, lambda: "Rikiki  round 1" in screen_text(app))
    (file,) = paths.sessions().glob("*gurka*.jsonl")
    assert summaries.whole(file).trouble is None
