"""Rules of Bridge, a shedding game with 36 cards: match the suit or rank of the top card; a jack names the suit.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.engine import options as house
from cardtable.engine.game import Game
from cardtable.engine.tricks import Play
from cardtable.games.bridge import ABOUT
from cardtable.games.bridge.rules.actions import Bridge, Done, Draw, Eights, Jacks, Options, Suit
from cardtable.games.bridge.rules.game import (
    explain_card,
    explain_illegal,
    find_forced_silent_action,
    narrate,
    scene,
)
from cardtable.games.bridge.rules.state import BridgeState, BridgeView, imagine


def start(seats: int, options: house.Options) -> BridgeState:
    assert isinstance(options, Options)
    return BridgeState(seats, options)


GAME: Final = Game(
    about=ABOUT,
    options=Options,
    view=BridgeView,
    actions=(Play, Draw, Done, Suit, Eights, Bridge, Jacks),
    columns=("hand", "jacks"),
    start=start,
    imagine=imagine,
    scene=scene,
    explain_illegal=explain_illegal,
    narrate=narrate,
    explain_card=explain_card,
    forced_silent_action=find_forced_silent_action,
    lowest_wins=True,
)
