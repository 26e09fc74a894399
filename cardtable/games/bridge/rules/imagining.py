"""The way back from a view of Bridge: a state which its seat cannot tell from the truth."""

from random import Random

from cardtable.engine.cards import PACK_36, Card, Cards, lowest, of
from cardtable.engine.chance import shuffled
from cardtable.engine.holdings import guess
from cardtable.games.bridge.rules.state import BridgeState
from cardtable.games.bridge.rules.view import BridgeView


def imagine(view: BridgeView, rng: Random) -> BridgeState:
    """A state that fits all that the seat of ``view`` and the whole table know."""
    state = BridgeState(len(view.totals), view.options)
    state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
    state.totals, state.starter, state.mover, state.buried = view.totals, view.starter, view.mover, view.buried
    state.run, state.named, state.named_by, state.multiplier = view.run, view.named, view.named_by, view.multiplier
    state.played, state.drew, state.due, state.heir = view.played, view.drew, view.due, view.heir
    state.finisher, state.bridged, state.points = view.finisher, view.bridged, view.points
    state.stack, state.holdings = list(view.stack), list(view.holdings)
    hands, blind = _guess(view, rng) if view.playing else _counted(view)
    state.hands, state.blind = hands, list(shuffled(blind, rng))
    state.drawn = view.drawn if view.mover == view.seat else _guess_drawn(state)
    return state


def _guess(view: BridgeView, rng: Random) -> tuple[list[Cards], Cards]:
    """Hands and a blind."""
    seats = len(view.sizes)
    holdings = list(view.holdings)
    holdings[view.seat] = ()
    if view.blind:
        holdings.append(((view.blind, PACK_36 ^ view.buried),))
    hands = guess(PACK_36 & ~view.hand & ~of(view.stack), holdings, rng)
    hands[view.seat] = view.hand
    return hands[:seats], sum(hands[seats:])


def _counted(view: BridgeView) -> tuple[list[Cards], Cards]:
    """The hands that lie open after a round, and the blind; nothing before the first deal."""
    if not view.counted:
        return [0] * len(view.sizes), 0
    return list(view.counted), PACK_36 & ~of(view.stack) & ~sum(view.counted)


def _guess_drawn(state: BridgeState) -> Card | None:
    """A card that another seat may have drawn last in its turn."""
    if not state.drew:
        return None
    hand = state.hands[state.mover] & state.buried
    return lowest(hand & state.fits() or hand)
