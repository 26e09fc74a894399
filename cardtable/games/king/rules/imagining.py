"""The way back from a view of King: a state which its seat cannot tell from the truth."""

from operator import or_
from random import Random

from cardtable.engine import worlds
from cardtable.engine.cards import BIT, OF_SUIT, PACK_36, SUIT, Cards
from cardtable.games.king.rules.actions import SEATS
from cardtable.games.king.rules.state import KingState
from cardtable.games.king.rules.view import KingView


def imagine(view: KingView, rng: Random) -> KingState:
    """A state that fits all that the seat of ``view`` and the whole table know."""
    state = KingState(view.options)
    state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
    state.totals, state.dealer, state.contract = view.totals, view.dealer, view.contract
    state.declared, state.first, state.leader, state.trick = view.declared, view.first, view.leader, view.trick
    state.last_leader, state.last_trick, state.bargains = view.last_leader, view.last_trick, view.bargains
    state.unclaimed, state.offered = view.unclaimed, view.offered
    state.led = OF_SUIT[SUIT[view.trick[0]]] if view.trick else 0
    state.absent, state.taken, state.points = list(view.absent), list(view.taken), list(view.points)
    state.complete = view.complete
    state.hands = _guess(view, rng) if view.playing else [0] * SEATS
    state.dealt = tuple(map(or_, state.hands, view.played))
    return state


def _guess(view: KingView, rng: Random) -> list[Cards]:
    """Hands that fit what the seat knows, each with the same chance."""
    unseen = PACK_36 & ~(view.hand | sum(view.played))
    while True:
        hands = worlds.hands(view.hand, view.seat, unseen, view.sizes, view.absent, rng)
        if _could_lead(view, hands[view.dealer] | view.played[view.dealer]):
            return hands


def _could_lead(view: KingView, dealt: Cards) -> bool:
    """Whether the dealer, with these nine cards, could lead as was led: not always a single card with KH."""
    if view.first is None or view.contract is None or not view.contract.hunts_king:
        return True
    return bool(BIT[view.first] & view.contract.leads(dealt, first=True))
