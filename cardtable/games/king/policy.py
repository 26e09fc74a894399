"""Rule policies for King, based on an estimate of the points that a card scores now and the remaining hand later.

The same linear estimate serves to play a card, to name the contract and to decide on offers. Its weights were fitted,
for each contract, to the results of rounds between robots.
"""

from collections.abc import Callable
from functools import lru_cache
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
from cardtable.games.king.rules.actions import CLAIM, OFFERS, SEATS, STAKE, TAKES, Naming
from cardtable.games.king.rules.contracts import KING, MISER, NEG_JAR, TRICK, TRICKS, Contract, Kind
from cardtable.games.king.rules.state import KingView

MISSING: Final = tuple((1 - 1 / (SEATS - 1)) ** number for number in range(TRICKS * SEATS))
"""Probability that a given opponent holds none of n unseen cards, by n."""
RUFFED: Final = 0.9
"""Probability that a player who is able to ruff, as the player need not follow suit, does so."""
UNSURE: Final = 0.6
"""Fraction of the expected loss that a seat collects in answer to an offer; below 1, as the offerer probably has the
worst hand.
"""
DREAD: Final = 0.7
"""Fraction of the points left that the expected loss must exceed for an offer to be made."""
MISJUDGED: Final = 20.0
"""Standard deviation of a novice's error in judging a contract, in points of the totals."""
CARELESS: Final = 0.1
"""Probability that a novice plays a random card."""


class Suit(NamedTuple):
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
    usual: float
    """Mean estimate of the best lead from an average hand. In a positive contract it is the mean for the best such
    contract of that hand.
    """
    plain: Suit
    special: Suit
    """Weights for trumps, or for hearts if they may not be led."""
    wanted: Cards
    """Cards that count as scoring cards in ``SuitWeights``."""
    lying: float
    """Weight of the points in a trick that the seat takes."""
    coming: float = 0.0
    """Weight of the points that later players may add to the trick: for each of them, the mean points of a trick."""
    taking: float = 0.0
    """Weight of taking a trick, regardless of its cards."""
    early: float = 0.0
    """Additional weight of taking a trick, multiplied by the number of tricks left, including this one."""


TRUMP: Final = Weights(1.1, 44.0, Suit(1.7, 1.8), Suit(14.9, -9.3), 0, 1.3)
NO_TRUMP: Final = Weights(1.1, 51.5, Suit(6.8, 0.7), Suit(), 0, 1.6)
AGAINST: Final = Weights(0.0, 0.0, Suit(0.3, 0.2), Suit(1.6, -0.8), 0, 1.0)
"""Weights for the three opponents of the dealer in a positive contract."""
_QUEENS, _JACKS = OF_RANK[QUEEN], OF_RANK[JACK]
_BOTH = _QUEENS | _JACKS
WEIGHTS: Final = {
    "no-tricks": Weights(1.5, -11.0, Suit(-1.8, -2.1), Suit(), 0, 1.5, 0.1, -0.4, 0.1),
    "no-hearts": Weights(1.1, -12.8, Suit(-3.5, -1.4), Suit(-1.4, -9.1), 0, -0.1, 0.1, -19.4, 2.4),
    "no-queens": Weights(1.4, -10.7, Suit(-0.5, -2.0, -2.3, -2.1), Suit(), _QUEENS, 0.7, 0.4, -2.2, -0.1),
    "no-jacks": Weights(1.4, -12.0, Suit(-0.7, -2.2, -1.4, -1.9), Suit(), _JACKS, 0.6, 0.4, -2.7, 0.0),
    "no-last-two": Weights(0.8, -12.8, Suit(-3.7, -4.0), Suit(), 0, 0.3, 0.2, -21.5, 3.2),
    "no-king": Weights(1.1, -11.3, Suit(-2.4, -4.8), Suit(1.7, -6.0, 2.3, -2.7), KING, 0.4, 0.3, -26.8, 3.1),
    "neg-jar": Weights(
        1.3, -77.0, Suit(-10.8, -13.0, -3.7, -5.4), Suit(-0.4, -32.4, -3.4, -4.5), _BOTH, 0.2, 0.1, -62.9, 5.8
    ),
    "poz-jar": Weights(
        0.8, 84.0, Suit(22.6, -7.0, -2.6, 2.8), Suit(13.2, 6.7, -14.1, 8.4), _BOTH, 0.7, 0.0, 58.8, -6.5
    ),
    "no-trump": NO_TRUMP,
    "miser": NO_TRUMP,
}


class Sight(NamedTuple):
    """Position as one seat knows it, from which the policy makes its estimates."""

    contract: Contract
    seat: Seat
    dealer: Seat
    hand: Cards
    unseen: Cards
    leader: Seat
    trick: tuple[Card, ...]
    complete: int
    left: int
    """Points of the round that no seat has scored yet; negative in contracts that cost points."""

    def weights(self) -> Weights:
        """Return the weights of this seat in the contract."""
        if self.contract.kind is Kind.POSITIVE and self.seat != self.dealer:
            return AGAINST
        return WEIGHTS.get(self.contract.text, TRUMP)

    def worth(self, card: Card) -> float:
        """Return the estimated value of playing ``card``, before it is converted to points by ``Weights.slope``."""
        weights = self.weights()
        return self._trick_points(card, weights) + self._future_points(self.hand ^ BIT[card], weights)

    def loss(self) -> float:
        """Return the estimated number of points, of those left in a negative contract, that this seat will collect; at
        least 0.
        """
        led = OF_SUIT[SUIT[self.trick[0]]] if self.trick else 0
        best = max([self.worth(card) for card in iter_cards(self.hand & led or self.hand)])
        weights = self.weights()
        return max(-self.left * (1 / SEATS - weights.slope * (best - weights.usual) / STAKE), 0.0)

    def takes_all(self) -> bool:
        """Return True if this seat certainly takes all remaining tricks, as it leads and no unseen card beats any of
        its cards.
        """
        return not self.trick and all(not (self.unseen & OF_SUIT[SUIT[card]]) >> card for card in iter_cards(self.hand))

    def _future_points(self, hand: Cards, weights: Weights) -> float:
        """Return the estimated value of the cards ``hand`` in later tricks."""
        contract = self.contract
        special = contract.trump if contract.trump is not None else HEARTS if contract.no_heart_leads else None
        unseen, wanted, low = self.unseen, weights.wanted, contract is MISER
        total = 0.0
        for suit, members in enumerate(OF_SUIT):
            if own := hand & members:
                suited = weights.special if suit == special else weights.plain
                total += suit_worth(suited, own, unseen & members, wanted & members, low)
        return total

    def _trick_points(self, card: Card, weights: Weights) -> float:
        """Return the estimated value of the current trick if ``card`` is played to it."""
        trick, contract = (*self.trick, card), self.contract
        to_come = SEATS - len(trick)
        place = contract.order.winner(trick)
        head, mine = trick[place], place == len(trick) - 1
        if contract.kind is Kind.POSITIVE:
            return weights.lying * self._positive_trick_points(head, (self.leader + place) % SEATS, to_come)
        if not mine:
            return 0.0
        tricks = TRICKS - self.complete
        lying = contract.gain(mask_of(trick), self.complete)
        brings = weights.lying * lying + weights.coming * to_come * self.left / tricks
        return self._win_probability(card, to_come) * (brings + weights.taking + weights.early * tricks)

    def _positive_trick_points(self, head: Card, seat: Seat, to_come: int) -> float:
        """Return the points that this seat is expected to score in the current trick of a positive contract.

        The card ``heading_card`` of ``seat`` heads the trick, and ``to_come`` players have not yet played to it.
        """
        if self.seat == self.dealer:
            return TRICK * self._win_probability(head, to_come) if seat == self.seat else 0.0
        if seat == self.dealer:
            return TRICK / (SEATS - 1) * (1 - self._win_probability(head, to_come))
        dealer_to_come = (self.dealer - self.leader) % SEATS >= SEATS - to_come
        return TRICK / (SEATS - 1) * self._win_probability(head, int(dealer_to_come))

    def _win_probability(self, head: Card, to_come: int) -> float:
        """Return the estimated probability that none of ``to_come`` later players beats ``heading_card``."""
        if not to_come:
            return 1.0
        contract, suit = self.contract, SUIT[head]
        unseen = self.unseen & OF_SUIT[suit]
        above = (unseen >> head).bit_count()
        below = unseen.bit_count() - above
        if contract is MISER:
            above, below = below, above
        beaten = 1 - MISSING[above]
        if contract.kind is Kind.NEGATIVE or contract is NEG_JAR:
            beaten *= MISSING[below]
        trump = contract.trump
        if trump is not None and suit != trump:
            beaten += RUFFED * MISSING[above + below] * (1 - MISSING[(self.unseen & OF_SUIT[trump]).bit_count()])
        return max(1 - beaten, 0.0) ** to_come


@lru_cache(maxsize=1 << 16)
def suit_worth(weights: Suit, own: Cards, unseen: Cards, wanted: Cards, low: bool) -> float:
    """Return the estimated value of the cards ``own`` of a suit while the cards ``unseen`` of it are in other hands.

    ``low_wins``: True if low cards beat high ones. ``own`` must not be empty.
    """
    number = unseen.bit_count()
    total = weights.scoring * (own & wanted).bit_count()
    strengths = []
    for card in iter_cards(own):
        beats = (unseen & (BIT[card] - 1)).bit_count()
        strengths.append((number - beats if low else beats) / max(number, 1))
        if unseen & wanted & (BIT[card] - 1):
            total += weights.above
    return total + weights.strength * sum(strengths) + weights.lowest * min(strengths)


def steady(view: KingView, _rng: Random) -> Action:
    """Choose an action like a player who remembers all cards played."""
    seen = sum(view.played)
    return (
        _choose_contract(view, lambda: 0.0)
        if view.contract is None
        else _choose_action(view, sight_of(view, view.contract, seen))
    )


def novice(view: KingView, rng: Random) -> Action:
    """Choose an action like a player who forgets earlier tricks, misjudges contracts and is sometimes careless."""
    if view.contract is None:
        return _choose_contract(view, lambda: rng.gauss(0.0, MISJUDGED))
    if rng.random() < CARELESS:
        return rng.choice(_plays(view) or view.legal)
    return _choose_action(view, sight_of(view, view.contract, mask_of(view.trick)))


def sight_of(view: KingView, contract: Contract, seen: Cards) -> Sight:
    """Return the position of the view's seat under ``contract``, for a player who remembers only the cards ``seen``."""
    unseen, left = PACK_36 & ~(seen | view.hand), contract.total - sum(view.points)
    return Sight(contract, view.seat, view.dealer, view.hand, unseen, view.leader, view.trick, view.complete, left)


def _plays(view: KingView) -> list[Play]:
    return [action for action in view.legal if isinstance(action, Play)]


def _choose_contract(view: KingView, misjudged: Callable[[], float]) -> Action:
    """Return the contract in which the hand exceeds an average one by the most points of the totals.

    ``draw_error`` returns the error, in the same points, with which each contract is judged.
    """

    def better(naming: Naming) -> float:
        sight = sight_of(view, naming.contract, 0)
        best = max([sight.worth(card) for card in iter_cards(naming.contract.leads(view.hand, first=True))])
        weights = sight.weights()
        return naming.contract.weight * weights.slope * (best - weights.usual) + misjudged()

    return max([action for action in view.legal if isinstance(action, Naming)], key=better)


def _choose_action(view: KingView, sight: Sight) -> Action:
    """Choose a card, an offer, a claim or the answer to an offer."""
    if view.unclaimed:
        return answer(sight, view.unclaimed)
    if CLAIM in view.legal and sight.takes_all():
        return CLAIM
    if OFFERS[0] in view.legal:
        others = (SEATS - 1) * int(UNSURE * view.left / SEATS)
        if sight.loss() > DREAD * view.left:
            return OFFERS[view.left - others - 1]
    return max(_plays(view), key=lambda play: sight.worth(play.card))


def answer(sight: Sight, unclaimed: int) -> Action:
    """Return the answer to another player's offer, of which ``unclaimed`` points are left."""
    return TAKES[min(unclaimed, int(UNSURE * sight.loss()))]
