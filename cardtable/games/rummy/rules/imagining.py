"""The way back from a view of Rummy: a state which its seat cannot tell from the truth."""

from math import comb
from random import Random

from cardtable.engine.cards import PACK_52, Cards, of
from cardtable.engine.chance import shuffled
from cardtable.games.rummy.rules.combinations import MASK
from cardtable.games.rummy.rules.state import RummyState
from cardtable.games.rummy.rules.turns import can_complete, ends, ways
from cardtable.games.rummy.rules.view import RummyView


def imagine(view: RummyView, rng: Random) -> RummyState:
    """A state that fits all that the seat of ``view`` and the whole table know, each equally likely."""
    state = RummyState(view.options)
    state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
    state.totals, state.first, state.table, state.owners = view.totals, view.first, view.table, view.owners
    state.laid, state.pile, state.shown, state.drew = view.laid, view.pile, view.shown, view.drew
    state.taken, state.must, state.ones, state.turns = view.taken, view.must, view.ones, view.turns
    state.past, state.forfeited = view.past, view.forfeited
    seen = view.hand | of(view.pile) | sum([MASK[combination] for combination in view.table])
    if view.playing:
        other = 1 - view.seat
        pool = PACK_52 & ~seen & ~view.shown[other]
        hidden = _hidden(view, pool, view.sizes[other] - view.shown[other].bit_count(), rng)
        hand = view.shown[other] | hidden
        state.hands = (hand, view.hand) if view.seat else (view.hand, hand)
        state.stock = shuffled(pool & ~hidden, rng)
        state.drawn = view.drawn
    elif view.counted:
        state.hands = view.counted
        state.stock = shuffled(PACK_52 & ~seen & ~sum(view.counted), rng)
    return state


def _hidden(view: RummyView, pool: Cards, number: int, rng: Random) -> Cards:
    """The part of the other hand that nobody else has seen: so many cards of ``pool``."""
    if view.turn == 1 - view.seat and view.must is not None:
        return _able(view, pool, number, rng)
    return _some(pool, number, rng)


def _some(pool: Cards, number: int, rng: Random) -> Cards:
    return of(shuffled(pool, rng)[:number])


def _able(view: RummyView, pool: Cards, number: int, rng: Random) -> Cards:
    """So many cards of ``pool`` with which the other player can complete the turn, as he must be able to.

    A way to do it is drawn first, with the number of hands it leaves, and filled up; a hand to
    which several ways lead is kept only one time in so many, so that it does not come more often.
    """
    shown, end = view.shown[view.turn], ends(view.table)
    assert view.must is not None
    missing = {way & ~shown for way in ways(view.must, end) if not way & ~(shown | pool)}
    needs = sorted([need for need in missing if need.bit_count() <= number])
    size = pool.bit_count()
    weights = [comb(size - need.bit_count(), number - need.bit_count()) for need in needs]
    while True:
        (need,) = rng.choices(needs, weights)
        hidden = need | _some(pool & ~need, number - need.bit_count(), rng)
        leading = sum([not other & ~hidden for other in needs])
        if rng.random() * leading < 1 and can_complete(shown | hidden, end, view.must, view.barred):
            return hidden
