"""Rule policy of King: estimate the points that a card scores now, and the remaining hand later.

The same linear estimate serves to play a card, to name the contract and to decide on offers. Its weights were fitted,
for each contract, to the results of rounds between robots.
"""

from collections.abc import Callable
from functools import lru_cache
from math import fsum
from random import Random
from typing import Final, NamedTuple

from cardtable.engine.cards import (
    BIT,
    HEARTS,
    JACK,
    OF_RANK,
    OF_SUIT,
    PACK_36,
    QUEEN,
    SUIT,
    Card,
    Cards,
    iter_cards,
    mask_of,
)
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.king.rules import KingState, KingView, build_state, find_unseen_cards, is_first_lead_legal
from cardtable.games.king.rules.actions import (
    ACE_OF_HEARTS,
    CLAIM,
    KING_BIT,
    MISER,
    NEG_JAR,
    OFFERS,
    SEATS,
    STAKE,
    TAKES,
    TRICK_POINTS,
    TRICKS,
    Kind,
    KingContract,
    Naming,
)
from cardtable.robots.kit.endgame import Ending, filter_plays, group_neighbours
from cardtable.robots.kit.impulses import choose_on_impulse

MISS_PROBABILITIES: Final = tuple((1 - 1 / (SEATS - 1)) ** number for number in range(TRICKS * SEATS))
"""Probability that a given opponent holds none of n unseen cards, by n."""
RUFF_PROBABILITY: Final = 0.9
"""Probability that a player who is able to ruff, as the player need not follow suit, does so."""
ANSWER_FRACTION: Final = 0.6
"""Fraction of the expected loss that a seat collects in answer to an offer.

Below 1, as the offerer probably has the worst hand.
"""
OFFER_THRESHOLD: Final = 0.7
"""Fraction of the points left that the expected loss must exceed for an offer to be made."""
NOVICE_ERROR: Final = 35.0
"""Standard deviation of a novice's error in judging a contract, in points of the totals."""
NOVICE_EAGERNESS: Final = 150.0
"""Points of the totals by which a novice overrates positive contracts, and so names them too early."""


class SuitWeights(NamedTuple):
    """Weights for the cards of one suit that remain in the hand."""

    strength: float = 0.0
    """Weight of each card, multiplied by the fraction of the unseen cards of its suit that it beats."""
    lowest: float = 0.0
    """Additional weight of that fraction for the lowest card, which cannot be played below another one."""
    scoring: float = 0.0
    """Weight of each scoring card."""
    above: float = 0.0
    """Weight of each card that beats an unseen scoring card."""


class Weights(NamedTuple):
    """Weights of the estimate for one side in a contract."""

    slope: float
    """Factor that converts differences between estimates to points scored in the round."""
    mean_estimate: float
    """Mean estimate of the best lead from an average hand.

    In a positive contract it is the mean for the best such contract of that hand.
    """
    plain: SuitWeights
    special: SuitWeights
    """Weights for trumps, or for hearts if they may not be led."""
    scoring_cards: Cards
    """Cards that count as scoring cards in ``SuitWeights``."""
    trick_points: float
    """Weight of the points in a trick that the seat takes."""
    future_trick_points: float = 0.0
    """Weight of the points that later players may add to the trick: for each of them, the mean points of a trick."""
    taking: float = 0.0
    """Weight of taking a trick, regardless of its cards."""
    early: float = 0.0
    """Additional weight of taking a trick, multiplied by the number of tricks left, including this one."""


TRUMP_WEIGHTS: Final = Weights(1.1, 44.0, SuitWeights(1.7, 1.8), SuitWeights(14.9, -9.3), 0, 1.3)
NO_TRUMP_WEIGHTS: Final = Weights(1.1, 51.5, SuitWeights(6.8, 0.7), SuitWeights(), 0, 1.6)
OPPONENT_WEIGHTS: Final = Weights(0.0, 0.0, SuitWeights(0.3, 0.2), SuitWeights(1.6, -0.8), 0, 1.0)
"""Weights for the three opponents of the dealer in a positive contract."""
_QUEENS, _JACKS = OF_RANK[QUEEN], OF_RANK[JACK]
_BOTH = _QUEENS | _JACKS
WEIGHTS: Final = {
    "no-tricks": Weights(1.5, -11.0, SuitWeights(-1.8, -2.1), SuitWeights(), 0, 1.5, 0.1, -0.4, 0.1),
    "no-hearts": Weights(1.1, -12.8, SuitWeights(-3.5, -1.4), SuitWeights(-1.4, -9.1), 0, -0.1, 0.1, -19.4, 2.4),
    "no-queens": Weights(1.4, -10.7, SuitWeights(-0.5, -2.0, -2.3, -2.1), SuitWeights(), _QUEENS, 0.7, 0.4, -2.2, -0.1),
    "no-jacks": Weights(1.4, -12.0, SuitWeights(-0.7, -2.2, -1.4, -1.9), SuitWeights(), _JACKS, 0.6, 0.4, -2.7, 0.0),
    "no-last-two": Weights(0.8, -12.8, SuitWeights(-3.7, -4.0), SuitWeights(), 0, 0.3, 0.2, -21.5, 3.2),
    "no-king": Weights(
        1.1, -11.3, SuitWeights(-2.4, -4.8), SuitWeights(1.7, -6.0, 2.3, -2.7), KING_BIT, 0.4, 0.3, -26.8, 3.1
    ),
    "neg-jar": Weights(
        1.3,
        -77.0,
        SuitWeights(-10.8, -13.0, -3.7, -5.4),
        SuitWeights(-0.4, -32.4, -3.4, -4.5),
        _BOTH,
        0.2,
        0.1,
        -62.9,
        5.8,
    ),
    "poz-jar": Weights(
        0.8, 84.0, SuitWeights(22.6, -7.0, -2.6, 2.8), SuitWeights(13.2, 6.7, -14.1, 8.4), _BOTH, 0.7, 0.0, 58.8, -6.5
    ),
    "no-trump": NO_TRUMP_WEIGHTS,
    "miser": NO_TRUMP_WEIGHTS,
}


class CardKnowledge(NamedTuple):
    """Position as one seat knows it, from which the policy makes its estimates."""

    contract: KingContract
    seat: Seat
    dealer: Seat
    hand: Cards
    unseen: Cards
    leader: Seat
    trick: tuple[Card, ...]
    complete: int
    points_left: int
    """Points of the round that no seat has scored yet; negative in contracts that cost points."""

    def get_weights(self) -> Weights:
        """Return the weights of this seat in the contract."""
        if self.contract.kind is Kind.POSITIVE and self.seat != self.dealer:
            return OPPONENT_WEIGHTS
        return WEIGHTS.get(self.contract.text, TRUMP_WEIGHTS)

    def evaluate_card(self, card: Card) -> float:
        """Return the estimated value of playing ``card``, before it is converted to points by ``Weights.slope``."""
        weights = self.get_weights()
        return self._estimate_trick_points(card, weights) + self._estimate_future_points(self.hand ^ BIT[card], weights)

    def estimate_loss(self) -> float:
        """Return the estimated number of points, of those left in a negative contract, that this seat will collect.

        At least 0.
        """
        led = OF_SUIT[SUIT[self.trick[0]]] if self.trick else 0
        best = max([self.evaluate_card(card) for card in iter_cards(self.hand & led or self.hand)])
        weights = self.get_weights()
        return max(-self.points_left * (1 / SEATS - weights.slope * (best - weights.mean_estimate) / STAKE), 0.0)

    def is_taking_all(self) -> bool:
        """Return True if this seat certainly takes all remaining tricks, as it leads and no unseen card beats any of
        its cards.
        """
        return not self.trick and all(not (self.unseen & OF_SUIT[SUIT[card]]) >> card for card in iter_cards(self.hand))

    def _estimate_future_points(self, hand: Cards, weights: Weights) -> float:
        """Return the estimated value of the cards ``hand`` in later tricks."""
        contract = self.contract
        special = contract.trump if contract.trump is not None else HEARTS if contract.no_heart_leads else None
        unseen, scoring_cards, low = self.unseen, weights.scoring_cards, contract == MISER
        total = 0.0
        for suit, members in enumerate(OF_SUIT):
            if own := hand & members:
                suited = weights.special if suit == special else weights.plain
                total += evaluate_suit(suited, own, unseen & members, scoring_cards & members, low)
        return total

    def _estimate_trick_points(self, card: Card, weights: Weights) -> float:
        """Return the estimated value of the current trick if ``card`` is played to it."""
        trick, contract = (*self.trick, card), self.contract
        to_come = SEATS - len(trick)
        index = contract.order.winner(trick)
        head, mine = trick[index], index == len(trick) - 1
        if contract.kind is Kind.POSITIVE:
            return weights.trick_points * self._estimate_positive_trick_points(
                head, (self.leader + index) % SEATS, to_come
            )
        if not mine:
            return 0.0
        tricks = TRICKS - self.complete
        points = contract.compute_points(mask_of(trick), self.complete)
        brings = weights.trick_points * points + weights.future_trick_points * to_come * self.points_left / tricks
        return self._estimate_win_probability(card, to_come) * (brings + weights.taking + weights.early * tricks)

    def _estimate_positive_trick_points(self, heading_card: Card, seat: Seat, to_come: int) -> float:
        """Return the points that this seat is expected to score in the current trick of a positive contract.

        The card ``heading_card`` of ``seat`` heads the trick, and ``to_come`` players have not yet played to it.
        """
        if self.seat == self.dealer:
            return TRICK_POINTS * self._estimate_win_probability(heading_card, to_come) if seat == self.seat else 0.0
        if seat == self.dealer:
            return TRICK_POINTS / (SEATS - 1) * (1 - self._estimate_win_probability(heading_card, to_come))
        dealer_to_come = (self.dealer - self.leader) % SEATS >= SEATS - to_come
        return TRICK_POINTS / (SEATS - 1) * self._estimate_win_probability(heading_card, int(dealer_to_come))

    def _estimate_win_probability(self, heading_card: Card, to_come: int) -> float:
        """Return the estimated probability that none of ``to_come`` later players beats ``heading_card``."""
        if not to_come:
            return 1.0
        contract, suit = self.contract, SUIT[heading_card]
        unseen = self.unseen & OF_SUIT[suit]
        above = (unseen >> heading_card).bit_count()
        below = unseen.bit_count() - above
        if contract == MISER:
            above, below = below, above
        beaten = 1 - MISS_PROBABILITIES[above]
        if contract.kind is Kind.NEGATIVE or contract == NEG_JAR:
            beaten *= MISS_PROBABILITIES[below]
        trump = contract.trump
        if trump is not None and suit != trump:
            beaten += (
                RUFF_PROBABILITY
                * MISS_PROBABILITIES[above + below]
                * (1 - MISS_PROBABILITIES[(self.unseen & OF_SUIT[trump]).bit_count()])
            )
        return max(1 - beaten, 0.0) ** to_come


@lru_cache(maxsize=1 << 16)
def evaluate_suit(weights: SuitWeights, own: Cards, unseen: Cards, scoring_cards: Cards, low_wins: bool) -> float:
    """Return the estimated value of the cards ``own`` of a suit while the cards ``unseen`` of it are in other hands.

    ``low_wins``: True if low cards beat high ones. ``own`` must not be empty.
    """
    number = unseen.bit_count()
    total = weights.scoring * (own & scoring_cards).bit_count()
    strengths = []
    for card in iter_cards(own):
        beats = (unseen & (BIT[card] - 1)).bit_count()
        strengths.append((number - beats if low_wins else beats) / max(number, 1))
        if unseen & scoring_cards & (BIT[card] - 1):
            total += weights.above
    return total + weights.strength * fsum(strengths) + weights.lowest * min(strengths)


def steady(view: KingView, _rng: Random) -> Action:
    """Choose an action like a player who remembers all cards played."""
    if view.contract is None:
        return _choose_contract(view, lambda _contract: 0.0)
    return _choose_action(view, make_knowledge(view, view.contract, sum(view.played)))


def novice(view: KingView, rng: Random) -> Action:
    """Choose an action like a player who forgets earlier tricks, misjudges contracts and sometimes acts on impulse."""
    if view.contract is None:
        return _choose_contract(
            view, lambda contract: rng.gauss(NOVICE_EAGERNESS if contract.kind is Kind.POSITIVE else 0.0, NOVICE_ERROR)
        )
    return choose_on_impulse(view, view.contract.order, rng, eager=view.contract.total_points > 0) or _choose_action(
        view, make_knowledge(view, view.contract, mask_of(view.trick))
    )


def make_knowledge(view: KingView, contract: KingContract, seen: Cards) -> CardKnowledge:
    """Return the position of the view's seat under ``contract``, for a player who remembers only the cards ``seen``."""
    unseen, left = PACK_36 & ~(seen | view.hand), contract.total_points - sum(view.points)
    return CardKnowledge(
        contract, view.seat, view.dealer, view.hand, unseen, view.leader, view.trick, view.complete, left
    )


def _choose_contract(view: KingView, draw_error: Callable[[KingContract], float]) -> Action:
    """Return the contract in which the hand exceeds an average one by the most points of the totals.

    ``draw_error`` returns the error, in the same points, with which a contract is judged.
    """

    def evaluate_naming(naming: Naming) -> float:
        knowledge = make_knowledge(view, naming.contract, 0)
        best = max(
            [knowledge.evaluate_card(card) for card in iter_cards(naming.contract.find_leads(view.hand, first=True))]
        )
        weights = knowledge.get_weights()
        return naming.contract.weight * weights.slope * (best - weights.mean_estimate) + draw_error(naming.contract)

    return max([action for action in view.legal if isinstance(action, Naming)], key=evaluate_naming)


def _choose_action(view: KingView, knowledge: CardKnowledge) -> Action:
    """Choose a card, an offer, a claim or the answer to an offer."""
    if view.unclaimed:
        return choose_answer(knowledge, view.unclaimed)
    if CLAIM in view.legal and knowledge.is_taking_all():
        return CLAIM
    if OFFERS[0] in view.legal:
        others = (SEATS - 1) * int(ANSWER_FRACTION * view.points_left / SEATS)
        if knowledge.estimate_loss() > OFFER_THRESHOLD * view.points_left:
            return OFFERS[view.points_left - others - 1]
    return max(filter_plays(view.legal), key=lambda play: knowledge.evaluate_card(play.card))


def choose_answer(knowledge: CardKnowledge, unclaimed: int) -> Action:
    """Return the answer to another player's offer, of which ``unclaimed`` points are left."""
    return TAKES[min(unclaimed, int(ANSWER_FRACTION * knowledge.estimate_loss()))]


def group_plays(state: KingState) -> list[list[Play]]:
    """Group neighbours that score alike, apart from the cards that rule K names."""
    assert state.contract is not None
    kinds = [cards for cards, _ in state.contract.cards]
    return group_neighbours(state, [*kinds, KING_BIT, BIT[ACE_OF_HEARTS]])


ENDING: Final = Ending(find_unseen_cards, build_state, group_plays, fits=is_first_lead_legal)
