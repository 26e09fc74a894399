"""Rummy for two: meld sequences and groups, and take from the open pile.  Rules page: ``rules.md``."""

from typing import Final

from cardtable.engine import options as house
from cardtable.engine.game import Game
from cardtable.games.rummy import ABOUT
from cardtable.games.rummy.rules.actions import Add, Drop, Meld, Options, Stock, Take
from cardtable.games.rummy.rules.narration import narrate, scene, why_not
from cardtable.games.rummy.rules.state import RummyState, RummyView, imagine


def start(_seats: int, options: house.Options) -> RummyState:
    """A new session."""
    assert isinstance(options, Options)
    return RummyState(options)


GAME: Final = Game(
    about=ABOUT,
    options=Options,
    view=RummyView,
    actions=(Stock, Take, Meld, Add, Drop),
    columns=("melds", "hand"),
    start=start,
    imagine=imagine,
    scene=scene,
    why_not=why_not,
    narrate=narrate,
    mandatory_card=lambda view: view.must if view.turn == view.seat else None,
    timed_out=lambda view: view.forfeited,
)
