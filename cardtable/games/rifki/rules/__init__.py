"""Rules of Rifki, the Turkish King: each round has a contract to avoid certain cards or to win tricks.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.engine import options as house
from cardtable.engine import tricks
from cardtable.engine.game import Game, TrickStatus
from cardtable.games.rifki import ABOUT
from cardtable.games.rifki.rules.contracts import Options, RifkiContract
from cardtable.games.rifki.rules.game import explain_card, explain_illegal, narrate, scene
from cardtable.games.rifki.rules.state import RifkiState, RifkiView, imagine


def start(_seats: int, options: house.Options) -> RifkiState:
    assert isinstance(options, Options)
    return RifkiState(options)


def _build_trick_status(view: RifkiView) -> TrickStatus:
    trump = view.contract.trump if view.contract else None
    return tricks.trick_status(view, tricks.order(trump).winner, view.options.step)


GAME: Final = Game(
    about=ABOUT,
    options=Options,
    view=RifkiView,
    actions=(RifkiContract, tricks.Play),
    columns=("taken",),
    start=start,
    imagine=imagine,
    scene=scene,
    explain_illegal=explain_illegal,
    narrate=narrate,
    explain_card=explain_card,
    trick=_build_trick_status,
    contract=lambda view: view.contract.named if view.contract else None,
    dealer_or_declarer=lambda view: None if view.declarer is None else ("declarer", view.declarer),
    rounds_independent=True,
)
