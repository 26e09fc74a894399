"""Eights: a trick-taking game for two to eight players, in which each trick is a point."""

from typing import Final

from cardtable.engine.cards import OF_SUIT, iter_cards
from cardtable.engine.game import GameInfo, Zone
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView
from tests.toy.layaway import Options


class EightsView(TrickGameView, frozen=True):
    """Everything that one seat knows of Eights."""

    options: Options


class EightsState(TrickGameState[EightsView]):
    """A session of Eights with every card face up."""

    options: Options

    def score_round(self) -> tuple[int, ...]:
        return tuple(self.won)


class Eights(TrickGame[EightsView]):
    """The game of Eights."""

    about = GameInfo(
        key="eights",
        title="Eights",
        summary="take tricks",
        length="3 rounds",
        seats=(2, 3, 4, 5, 6, 7, 8),
        usual_seats=8,
        emblem="8C 8D 8H",
        aim="Take tricks.",
    )
    options = Options
    state = EightsState

    def scene(self, view: EightsView) -> tuple[Zone, ...]:
        """Return the hands and the trick, and the hearts that each seat has taken."""
        hearts = [Zone("taken", seat, tuple(iter_cards(taken & OF_SUIT[2]))) for seat, taken in enumerate(view.taken)]
        return (*super().scene(view), *hearts)


GAME: Final = Eights()
