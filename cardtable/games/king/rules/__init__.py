"""Rules of King: the dealer names the contract of the round, which mostly says what costs points.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.engine import options as house
from cardtable.engine import tricks
from cardtable.engine.game import Game
from cardtable.games.king import ABOUT
from cardtable.games.king.rules.actions import Claim, Naming, Offer, Options, Take
from cardtable.games.king.rules.game import explain_card, explain_illegal, narrate, scene
from cardtable.games.king.rules.state import KingState, KingView, imagine


def start(_seats: int, options: house.Options) -> KingState:
    assert isinstance(options, Options)
    return KingState(options)


GAME: Final = Game(
    about=ABOUT,
    options=Options,
    view=KingView,
    actions=(Naming, Offer, Take, Claim, tricks.Play),
    columns=("tricks",),
    start=start,
    imagine=imagine,
    scene=scene,
    explain_illegal=explain_illegal,
    narrate=narrate,
    explain_card=explain_card,
    trick=lambda view: tricks.trick_status(view, (view.contract.order if view.contract else tricks.order()).winner),
    contract=lambda view: view.contract.named if view.contract else None,
    dealer_or_declarer=lambda view: ("dealer", view.dealer),
)
