"""Rules of two-player Rummy: meld sequences and groups, and draw any number of cards from the face-up pile.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.engine import options as house
from cardtable.engine.game import Game
from cardtable.games.rummy import ABOUT
from cardtable.games.rummy.rules.actions import Add, Drop, Meld, Options, Stock, Take
from cardtable.games.rummy.rules.game import explain_card, explain_illegal, narrate, scene
from cardtable.games.rummy.rules.state import RummyState, RummyView, imagine


def start(_seats: int, options: house.Options) -> RummyState:
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
    explain_illegal=explain_illegal,
    narrate=narrate,
    explain_card=explain_card,
    mandatory_card=lambda view: view.must if view.turn == view.seat else None,
    timed_out=lambda view: view.forfeited,
)
