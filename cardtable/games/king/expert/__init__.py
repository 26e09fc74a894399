"""King for the searcher."""

from collections.abc import Sequence
from random import Random
from typing import Final

from cardtable.engine.cards import OF_SUIT, PACK_36, Cards, of
from cardtable.engine.contract import Action, Seat
from cardtable.engine.tricks import PLAY, Play, touching
from cardtable.games.king.expert.contracts_left import spent
from cardtable.games.king.expert.playouts import play_on
from cardtable.games.king.policy import Sight, answer, sight_of
from cardtable.games.king.rules.actions import CLAIM, OFFERS, SEATS, TAKES, Naming
from cardtable.games.king.rules.contracts import CONTRACTS, KING, Contract
from cardtable.games.king.rules.imagining import imagine
from cardtable.games.king.rules.state import KingState
from cardtable.games.king.rules.view import KingView
from cardtable.robots.kit.likely import likely
from cardtable.robots.kit.search import Guide, ahead, alike, anew

WORLDS: Final = 100
BAD: Final = 0.55
"""The part of all that is left from which on an expected loss makes offers worth a look: in playouts they gain then,
and next to nothing with better hands; ``benchmarks/king_offers.py`` measures what they bring.  ..."""
PARTS: Final = (0.5, 0.6, 0.7)
"""... and the parts of all that is left that are offered."""
SHARES: Final = (0.4, 0.6, 0.8)
"""The parts of an expected loss that are looked at in answer to an offer."""
SHARP: Final = 4
"""How sharply it tells that somebody expects to collect less than he offers to."""
TRIES: Final = 4
"""Worlds that are imagined at most to find one in which an offer is not odd."""
WEIGHTS: Final = {contract.total: contract.weight for contract in CONTRACTS}
"""How many times points count in the totals, told by how many a round has for all."""


def rollout(state: KingState, _luck: float) -> Sequence[float]:
    """Points of the round when all play on by the estimates of the rule policy."""
    while state.unclaimed:
        state.apply(answer(sight(state, state.turn), state.unclaimed))
    if not state.playing:
        return state.points
    contract = state.contract
    if state.first is None and contract is not None and contract.hunts_king and state.hands[state.dealer] & KING:
        state.apply(max(_plays(state.legal()), key=lambda play: sight(state, state.dealer).worth(play.card)))
    return play_on(state)


def guess(view: KingView, rng: Random) -> KingState:
    """A world; to answer an offer, rather one in which the hand of who offered is bad.

    After 220 offers who was to answer expected to collect 5.1 points so, and 5.7 from all worlds alike; 3.9 followed
    when the rule policy played on.  No duplicate match has shown it.
    """
    if not view.unclaimed:
        return imagine(view, rng)
    seat, claims = view.bargains[-1]

    def tried() -> tuple[float, KingState]:
        state = imagine(view, rng)
        return min(1.0, sight(state, seat).loss() / claims[0]) ** SHARP, state

    return likely(tried, rng, TRIES)


def sight(state: KingState, seat: Seat) -> Sight:
    """The trick as a seat sees it."""
    contract, hand = state.contract, state.hands[seat]
    assert contract is not None
    return Sight(
        contract,
        seat,
        state.dealer,
        hand,
        PACK_36 & ~(sum(state.played) | hand),
        state.leader,
        state.trick,
        state.complete,
        contract.total - sum(state.points),
    )


def value(view: KingView, points: Sequence[float]) -> float:
    """What the seat has above the mean of the others, as the totals count it."""
    return WEIGHTS[round(sum(points))] * ahead(view, points)


def candidates(view: KingView) -> Sequence[Action]:
    """The contracts, or the leads once one stands; of cards that come to the same the lowest; sensible answers."""
    contract = view.contract
    if contract is None:
        return namings(view)
    mind = sight_of(view, contract, sum(view.played))
    if view.unclaimed:
        return answers(view, mind.loss())
    if CLAIM in view.legal and mind.takes_all():
        return [CLAIM]
    found = cards(view, contract)
    if OFFERS[0] in view.legal and mind.loss() > BAD * view.left:
        found += [OFFERS[round(part * view.left) - 1] for part in PARTS]
    return found


def namings(view: KingView) -> Sequence[Action]:
    """The contracts; of the trumps those of the two longest suits: another was the best positive for 1 hand of 100."""
    longest = sorted(range(4), key=lambda suit: -(view.hand & OF_SUIT[suit]).bit_count())[:2]
    return [naming for naming in view.legal if isinstance(naming, Naming) and naming.contract.trump in (None, *longest)]


def answers(view: KingView, loss: float) -> Sequence[Action]:
    """Parts of an offer that are worth a look to who expects to collect ``loss`` otherwise."""
    unclaimed = view.unclaimed
    amounts = {0, unclaimed}
    if len(view.bargains[-1].claims) < SEATS - 1:
        amounts |= {min(unclaimed, round(part * loss)) for part in SHARES}
        if unclaimed > 2 * loss:
            amounts.remove(unclaimed)
    return [TAKES[amount] for amount in sorted(amounts)]


def cards(view: KingView, contract: Contract) -> list[Action]:
    """Of cards that come to the same the lowest."""
    between = PACK_36 & ~view.hand & ~(sum(view.played) & ~of(view.trick))
    alike: dict[int, Cards] = {}
    for play in _plays(view.legal):
        worth = sum([points for some, points in contract.cards if play.uses() & some])
        alike[worth] = alike.get(worth, 0) | play.uses()
    return [PLAY[c] for some in alike.values() for c in touching(some, between)]


def _plays(legal: Sequence[Action]) -> list[Play]:
    return [action for action in legal if isinstance(action, Play)]


def later(view: KingView, action: Action) -> float:
    """What naming a contract does to the deals to come."""
    return spent(view.declared[view.seat], action.contract) if isinstance(action, Naming) else 0.0


GUIDE: Final = Guide(anew(guess), alike(rollout), WORLDS, candidates, value, later)
