"""Expert of King: Monte Carlo search with rollouts in determinized states, and estimates of the contracts left."""

from collections.abc import Sequence
from random import Random
from typing import Final

from cardtable.engine.cards import OF_SUIT, PACK_36, Cards, mask_of
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY, list_lowest_of_runs
from cardtable.games.king.expert.rollouts import play_out
from cardtable.games.king.policy import ENDING, CardKnowledge, choose_answer, make_knowledge
from cardtable.games.king.rules import KingState, KingView, imagine
from cardtable.games.king.rules.actions import (
    CLAIM,
    CONTRACTS,
    KING_BIT,
    OFFERS,
    SEATS,
    SHORT_SESSION,
    TAKES,
    Kind,
    KingContract,
    Naming,
    Quota,
)
from cardtable.robots.kit.endgame import filter_plays
from cardtable.robots.kit.search import sample_by_rejection
from cardtable.robots.kit.search_spec import SearchSpec, compute_lead, make_rollout_chooser, make_sampler

SINGLE_CONTRACTS: Final = tuple([contract for contract in CONTRACTS if contract.kind is not Kind.POSITIVE])
"""Contracts that each dealer plays exactly once."""

# fmt: off
FUTURE_POINTS: Final = (
    (
        0, -2, 6, 16, 0, 3, 18, 27, -3, 0, 15, 25, 2, 8, 27, 37, 14, 22, 31, 44, 23, 32, 46, 58, 21, 29, 44, 56, 31,
        40, 58, 70, -1, 10, 18, 33, 11, 22, 36, 49, 9, 19, 33, 47, 21, 32, 50, 63, 26, 40, 49, 66, 42, 55, 68, 84, 40,
        53, 67, 82, 55, 67, 84, 99, -3, 6, 14, 29, 8, 17, 32, 45, 6, 14, 29, 42, 17, 26, 45, 57, 24, 37, 46, 63, 39,
        50, 65, 80, 36, 48, 63, 77, 50, 61, 80, 93, 8, 24, 32, 51, 26, 40, 54, 70, 24, 37, 51, 67, 40, 52, 70, 85, 43,
        60, 69, 88, 62, 77, 91, 108, 59, 74, 88, 105, 77, 91, 108, 124, 0, 22, 31, 54, 23, 41, 56, 75, 22, 39, 54, 73,
        41, 56, 75, 92, 37, 59, 68, 91, 60, 78, 93, 112, 58, 77, 91, 111, 78, 95, 113, 131, 25, 49, 58, 82, 51, 71,
        84, 105, 49, 69, 83, 104, 71, 88, 106, 125, 65, 88, 97, 122, 90, 110, 123, 145, 88, 109, 122, 143, 110, 129,
        145, 165, 26, 48, 57, 80, 49, 67, 82, 102, 47, 65, 80, 100, 67, 83, 102, 120, 65, 86, 96, 119, 88, 106, 121,
        141, 86, 104, 119, 139, 107, 124, 142, 160, 52, 76, 85, 110, 78, 98, 112, 134, 76, 96, 110, 132, 98, 117, 134,
        154, 94, 117, 127, 151, 119, 139, 153, 175, 117, 138, 152, 173, 140, 159, 175, 195,
    ),
    (
        76, 106, 113, 142, 107, 129, 143, 166, 105, 127, 141, 164, 129, 148, 166, 187, 121, 147, 156, 183, 149, 171,
        184, 207, 147, 169, 183, 205, 170, 190, 207, 228, 106, 136, 143, 172, 137, 161, 174, 198, 135, 159, 172, 196,
        160, 181, 198, 220, 152, 179, 187, 215, 180, 204, 217, 241, 179, 202, 215, 239, 204, 225, 241, 263, 107, 134,
        142, 169, 136, 158, 172, 195, 133, 155, 169, 193, 158, 177, 195, 216, 152, 177, 186, 213, 179, 201, 215, 238,
        177, 198, 213, 236, 200, 220, 238, 259, 136, 164, 172, 201, 166, 190, 203, 228, 164, 187, 201, 225, 190, 211,
        228, 250, 183, 209, 218, 246, 211, 234, 248, 272, 209, 233, 246, 270, 235, 256, 272, 295, 101, 141, 149, 185,
        142, 173, 187, 216, 140, 171, 185, 214, 172, 198, 216, 242, 155, 190, 199, 232, 191, 220, 233, 262, 189, 218,
        232, 260, 219, 245, 262, 287, 144, 180, 189, 223, 182, 212, 225, 254, 180, 210, 223, 253, 212, 238, 255, 281,
        196, 229, 238, 270, 230, 259, 272, 301, 229, 258, 271, 299, 259, 285, 301, 327, 145, 180, 189, 222, 181, 209,
        224, 252, 179, 207, 222, 250, 209, 234, 252, 277, 196, 228, 238, 269, 229, 256, 271, 298, 228, 255, 269, 296,
        257, 281, 298, 323, 183, 217, 226, 259, 219, 248, 262, 290, 217, 246, 260, 288, 248, 274, 291, 317, 235, 267,
        276, 307, 268, 296, 309, 337, 267, 294, 308, 336, 296, 321, 338, 363,
    ),
    (
        153, 199, 207, 247, 200, 235, 249, 282, 198, 233, 247, 280, 235, 264, 282, 311, 214, 253, 262, 298, 254, 286,
        300, 331, 252, 284, 298, 329, 286, 314, 331, 359, 199, 241, 249, 288, 243, 277, 290, 322, 241, 275, 288, 320,
        276, 306, 322, 351, 257, 295, 303, 339, 296, 328, 340, 372, 294, 326, 339, 370, 328, 356, 372, 400, 202, 241,
        249, 286, 243, 275, 288, 320, 240, 272, 286, 318, 274, 302, 320, 348, 258, 294, 303, 337, 295, 325, 339, 369,
        293, 323, 337, 367, 325, 352, 369, 396, 243, 281, 289, 325, 283, 315, 328, 359, 281, 313, 326, 357, 315, 343,
        360, 388, 299, 334, 343, 377, 336, 366, 379, 410, 334, 364, 377, 408, 366, 394, 410, 438, 190, 242, 250, 296,
        243, 284, 297, 335, 241, 282, 296, 334, 283, 318, 335, 369, 256, 301, 309, 351, 301, 339, 352, 387, 300, 337,
        351, 386, 338, 371, 388, 420, 245, 291, 299, 342, 292, 331, 344, 380, 291, 329, 342, 379, 331, 364, 381, 413,
        306, 348, 356, 396, 349, 385, 397, 432, 348, 384, 396, 431, 385, 417, 433, 464, 247, 291, 300, 341, 292, 329,
        343, 378, 291, 327, 341, 376, 329, 361, 379, 410, 307, 347, 357, 395, 349, 383, 397, 430, 347, 381, 395, 429,
        383, 414, 431, 461, 295, 337, 345, 386, 338, 374, 388, 423, 336, 372, 386, 421, 374, 406, 423, 455, 354, 393,
        402, 439, 394, 428, 441, 475, 393, 427, 440, 473, 428, 459, 475, 506,
    ),
)
# fmt: on
"""Expected points of a dealer in that dealer's future deals, relative to the mean of the other seats, in points of the
totals.

Indexed by the number of positive contracts left, then by a bit set of the contracts of ``SINGLE_CONTRACTS`` left.
"""

SHORT_FUTURE_POINTS: Final = {
    Quota(0, 0, 0): 0,
    Quota(0, 0, 1): 76,
    Quota(0, 1, 0): 28,
    Quota(0, 1, 1): 129,
    Quota(1, 0, 0): 22,
    Quota(1, 0, 1): 128,
    Quota(1, 1, 0): 63,
    Quota(1, 1, 1): 181,
    Quota(2, 0, 0): 46,
    Quota(2, 0, 1): 170,
    Quota(2, 1, 0): 96,
    Quota(2, 1, 1): 226,
    Quota(3, 0, 0): 71,
    Quota(3, 0, 1): 208,
    Quota(3, 1, 0): 127,
    Quota(3, 1, 1): 267,
}
"""The same in a short session, by the contracts left: the mean over the sets with these numbers of each kind.

Which contracts of a kind are left hardly matters there, as most of them are never named.
"""


def estimate_naming_cost(declared: Sequence[KingContract], contract: KingContract, quota: Quota) -> float:
    """Return the change of a dealer's expected future points by playing ``contract`` after ``declared``."""
    return float(_get_future_points([*declared, contract], quota) - _get_future_points(declared, quota))


def _get_future_points(declared: Sequence[KingContract], quota: Quota) -> int:
    """Return the expected points in the future deals of a dealer who has played ``declared``."""
    left = quota.count_left(declared)
    if quota == SHORT_SESSION:
        return SHORT_FUTURE_POINTS[left]
    return FUTURE_POINTS[left.positive][
        sum([1 << index for index, contract in enumerate(SINGLE_CONTRACTS) if contract not in declared])
    ]


WORLDS: Final = 100
OFFER_THRESHOLD: Final = 0.55
"""Fraction of the points left that the expected loss must exceed for offers to be candidates.

With better hands offers gain almost nothing.
"""
OFFER_FRACTIONS: Final = (0.5, 0.6, 0.7)
"""Amounts of the offers that are candidates, as fractions of the points left."""
ANSWER_FRACTIONS: Final = (0.4, 0.6, 0.8)
"""Amounts of the answers that are candidates, as fractions of the expected loss."""
ACCEPTANCE_EXPONENT: Final = 4
"""Exponent that reduces the acceptance probability of a world in which the offerer expects to lose less than the offer.
"""
MAX_TRIES: Final = 4
"""Maximum number of states that are sampled to find one in which the offer is plausible."""
WEIGHT_BY_TOTAL: Final = {contract.total_points: contract.weight for contract in CONTRACTS}
"""Weight of a contract in the totals, by the sum of all players' points in the round."""


def run_rollout(state: KingState, _luck: float) -> Sequence[float]:
    """Play the round to its end by the estimate of the rule policy, and return the points scored in it, by seat.

    ``state`` may be changed.
    """
    while state.unclaimed:
        state.apply(choose_answer(make_state_knowledge(state, state.turn), state.unclaimed))
    if not state.playing:
        return state.points
    contract = state.contract
    if state.first is None and contract and contract.king_must_fall and state.hands[state.dealer] & KING_BIT:
        knowledge = make_state_knowledge(state, state.dealer)
        state.apply(max(filter_plays(state.legal()), key=lambda play: knowledge.evaluate_card(play.card)))
    return play_out(state)


def sample_likely_state(view: KingView, rng: Random) -> KingState:
    """Sample a state that is consistent with the view.

    While an offer is being answered, states in which the offerer has a good hand are mostly rejected (rejection
    sampling).
    """
    if not view.unclaimed:
        return imagine(view, rng)
    seat, claims = view.bargains[-1]

    def sample_with_likelihood() -> tuple[float, KingState]:
        state = imagine(view, rng)
        return min(1.0, make_state_knowledge(state, seat).estimate_loss() / claims[0]) ** ACCEPTANCE_EXPONENT, state

    return sample_by_rejection(sample_with_likelihood, rng, MAX_TRIES)


def make_state_knowledge(state: KingState, seat: Seat) -> CardKnowledge:
    """Return the position of ``seat`` for the estimate of the rule policy."""
    contract, hand = state.contract, state.hands[seat]
    assert contract is not None
    return CardKnowledge(
        contract,
        seat,
        state.dealer,
        hand,
        PACK_36 & ~(sum(state.played) | hand),
        state.leader,
        state.trick,
        state.complete,
        contract.total_points - sum(state.points),
    )


def evaluate_points(view: KingView, points: Sequence[float]) -> float:
    """Return the lead of the view's seat over the mean of the other seats, multiplied by the weight of the contract.

    The weight follows from the sum of ``points``, which must be that of a complete round.
    """
    return WEIGHT_BY_TOTAL[round(sum(points))] * compute_lead(view, points)


def list_candidates(view: KingView) -> Sequence[Action]:
    """Return the actions to search: contracts, a few offers or answers, and one of each group of equivalent cards.

    Once a contract is named, it is not changed.
    """
    contract = view.contract
    if contract is None:
        return list_namings(view)
    knowledge = make_knowledge(view, contract, sum(view.played))
    if view.unclaimed:
        return list_answers(view, knowledge.estimate_loss())
    if CLAIM in view.legal and knowledge.is_taking_all():
        return [CLAIM]
    actions = list_distinct_plays(view, contract)
    if OFFERS[0] in view.legal and knowledge.estimate_loss() > OFFER_THRESHOLD * view.points_left:
        actions += [OFFERS[round(part * view.points_left) - 1] for part in OFFER_FRACTIONS]
    return actions


def list_namings(view: KingView) -> Sequence[Action]:
    """Return the contracts to search; of the trump contracts, only those in the two longest suits of the hand."""
    longest = sorted(range(4), key=lambda suit: -(view.hand & OF_SUIT[suit]).bit_count())[:2]
    trumps = (None, *longest)
    return [naming for naming in view.legal if isinstance(naming, Naming) and naming.contract.trump in trumps]


def list_answers(view: KingView, loss: float) -> Sequence[Action]:
    """Return the answers to search, for a seat that expects to collect ``loss`` points if the round is played out."""
    unclaimed = view.unclaimed
    amounts = {0, unclaimed}
    if len(view.bargains[-1].claims) < SEATS - 1:
        amounts |= {min(unclaimed, round(part * loss)) for part in ANSWER_FRACTIONS}
        if unclaimed > 2 * loss:
            amounts.remove(unclaimed)
    return [TAKES[amount] for amount in sorted(amounts)]


def list_distinct_plays(view: KingView, contract: KingContract) -> list[Action]:
    """Return the plays to search.

    The lowest card of each group of equivalent cards, which are adjacent and have the same points.
    """
    between = PACK_36 & ~view.hand & ~(sum(view.played) & ~mask_of(view.trick))
    alike: dict[int, Cards] = {}
    for play in filter_plays(view.legal):
        worth = sum([points for cards, points in contract.cards if play.cards_used() & cards])
        alike[worth] = alike.get(worth, 0) | play.cards_used()
    return [PLAY[c] for cards in alike.values() for c in list_lowest_of_runs(cards, between)]


def estimate_future_value(view: KingView, action: Action) -> float:
    """Return the change of the dealer's expected future points by naming a contract; 0 for other actions."""
    if not isinstance(action, Naming):
        return 0.0
    return estimate_naming_cost(view.declared[view.seat], action.contract, view.options.quota)


SEARCH_SPEC: Final = SearchSpec(
    make_sampler(sample_likely_state),
    make_rollout_chooser(run_rollout),
    WORLDS,
    list_candidates,
    evaluate_points,
    estimate_future_value,
    list_worlds=lambda view, most: None if view.unclaimed else ENDING.list_states(view, most),
    big_mistake=6.0,
)
