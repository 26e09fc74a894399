"""The highest card takes the trick, whatever its suit; of equal ranks the first card wins.

Each seat gets five cards and follows suit. The leader first decides if the tricks of the round count single or double;
the lead rotates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.games.pips import ABOUT

from cardtable.engine import options as house
from cardtable.engine.cards import RANK, Card, Cards
from cardtable.engine.game import Action, TrickStatus
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView
from cardtable.engine.tricks import Play, trick_status


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    """House rules of Pips."""

    length: str = house.choice("How long a session is", {"full": "three rounds", "short": "one round"})

    @property
    def rounds(self) -> int:
        return 3 if self.length == "full" else 1


class Stake(Action, frozen=True):
    """Decision on the points of a trick."""

    kind = "count"
    points: int

    @property
    def notation(self) -> str:
        return ("single", "double")[self.points - 1]


STAKES: Final = (Stake(1), Stake(2))


class PipsView(TrickGameView, frozen=True):
    """View of one seat."""

    options: Options
    stake: int
    """Points of a trick; 0 until the leader has decided."""


class PipsState(TrickGameState[PipsView]):
    """Session of Pips with all cards face up."""

    options: Options
    hand_size = 5

    def clear(self) -> None:
        super().clear()
        self.stake = 0

    def legal(self) -> Sequence[Action]:
        return super().legal() if self.stake else STAKES

    def act(self, action: Action) -> None:
        assert isinstance(action, Stake)
        self.stake = action.points

    def taker(self, trick: Sequence[Card]) -> int:
        return find_highest(trick)

    def score_round(self) -> tuple[int, ...]:
        return tuple([self.stake * won for won in self.won])


def find_highest(trick: Sequence[Card]) -> int:
    """Return the index of the first card of the highest rank."""
    ranks = [RANK[card] for card in trick]
    return ranks.index(max(ranks))


class Pips(TrickGame[PipsView]):
    """The game of Pips."""

    about = ABOUT
    options = Options
    state = PipsState
    actions = (Stake, Play)

    def explain_illegal(self, view: PipsView, cards: Cards) -> str:
        if not view.stake:
            return "Say what tricks count first"
        return super().explain_illegal(view, cards)

    def trick(self, view: PipsView) -> TrickStatus:
        return trick_status(view, find_highest)


GAME: Final = Pips()
