"""Rule-based robots for King: an estimate of the points of a card now and of the remaining hand later.

The same estimate serves to play, to name the contract and to decide on offers. It is linear; its weights were fitted
for each contract to the results of rounds played by robots. Features that won no duplicate match are left out.
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
"""Probability that one given opponent holds none of ``number`` unseen cards."""
RUFFED: Final = 0.9
"""Probability that a player who can ruff and need not follow suit does ruff."""
UNSURE: Final = 0.6
"""Fraction of the expected loss to collect in answer to an offer, since the offerer probably has the worst hand."""
DREAD: Final = 0.7
"""Fraction of the points left above which an expected loss leads to an offer: to collect the points that players with
average hands would not take.
"""
MISJUDGED: Final = 20.0
"""Standard deviation of a novice's error in judging a contract, in points of the totals."""
CARELESS: Final = 0.1
"""Probability that a novice plays a random card."""


class Suit(NamedTuple):
    """Weights for the remaining cards of a suit."""

    strength: float = 0.0
    """Weight of each card, multiplied by the fraction of the unseen cards of its suit that it beats."""
    lowest: float = 0.0
    """Additional weight of the same fraction for the lowest card, which cannot duck."""
    scoring: float = 0.0
    """Weight of each scoring card."""
    above: float = 0.0
    """Weight of each card that beats an unseen scoring card."""


class Weights(NamedTuple):
    """Weights of the estimate in one contract."""

    slope: float
    """Factor from the estimate of the best card to final points."""
    usual: float
    """Mean estimate of the best card with an average hand; in a positive contract, with the best such contract of that
    hand.
    """
    plain: Suit
    special: Suit
    """Weights for trumps, or for hearts if they may not be led."""
    wanted: Cards
    """Cards that count as scoring in ``Suit``."""
    lying: float
    """Weight of the points in a trick that the seat takes."""
    coming: float = 0.0
    """Weight of the points that may still be added to the trick: the mean of a trick per player to come."""
    taking: float = 0.0
    """Weight of taking a trick, regardless of its cards."""
    early: float = 0.0
    """Additional weight of taking a trick, multiplied by the number of tricks to come including this one."""


TRUMP: Final = Weights(1.1, 44.0, Suit(1.7, 1.8), Suit(14.9, -9.3), 0, 1.3)
NO_TRUMP: Final = Weights(1.1, 51.5, Suit(6.8, 0.7), Suit(), 0, 1.6)
AGAINST: Final = Weights(0.0, 0.0, Suit(0.3, 0.2), Suit(1.6, -0.8), 0, 1.0)
"""Weights of the three opponents of the dealer in a positive contract."""
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
    """Position as one seat sees it, input of the estimate."""

    contract: Contract
    seat: Seat
    dealer: Seat
    hand: Cards
    unseen: Cards
    leader: Seat
    trick: tuple[Card, ...]
    complete: int
    left: int
    """Points of the round that are not yet taken."""

    def weights(self) -> Weights:
        """Return the weights of this seat."""
        if self.contract.kind is Kind.POSITIVE and self.seat != self.dealer:
            return AGAINST
        return WEIGHTS.get(self.contract.text, TRUMP)

    def worth(self, card: Card) -> float:
        """Estimate the value of playing ``card``, in points of the round."""
        weights = self.weights()
        return self._trick_points(card, weights) + self._future_points(self.hand ^ BIT[card], weights)

    def loss(self) -> float:
        """Estimate the points that this seat will collect of those left in a negative contract."""
        led = OF_SUIT[SUIT[self.trick[0]]] if self.trick else 0
        best = max([self.worth(card) for card in iter_cards(self.hand & led or self.hand)])
        weights = self.weights()
        return max(-self.left * (1 / SEATS - weights.slope * (best - weights.usual) / STAKE), 0.0)

    def takes_all(self) -> bool:
        """Return True if this seat certainly takes every trick to come: it leads, and no unseen card beats any of its
        cards.
        """
        return not self.trick and all(not (self.unseen & OF_SUIT[SUIT[card]]) >> card for card in iter_cards(self.hand))

    def _future_points(self, hand: Cards, weights: Weights) -> float:
        """Estimate the future points of ``hand``."""
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
        """Estimate the points of the present trick if ``card`` is played to it."""
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
        """Estimate the points of this seat's side from a trick of a positive contract that ``head`` of ``seat`` is
        winning.
        """
        if self.seat == self.dealer:
            return TRICK * self._win_probability(head, to_come) if seat == self.seat else 0.0
        if seat == self.dealer:
            return TRICK / (SEATS - 1) * (1 - self._win_probability(head, to_come))
        dealer_to_come = (self.dealer - self.leader) % SEATS >= SEATS - to_come
        return TRICK / (SEATS - 1) * self._win_probability(head, int(dealer_to_come))

    def _win_probability(self, head: Card, to_come: int) -> float:
        """Estimate the probability that no player to come beats ``head``."""
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
    """Estimate the value of the cards ``own`` of a suit while ``unseen`` are in other hands; ``low``: low cards are
    strong.
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
    """Choose an action like a player who counts the cards."""
    seen = sum(view.played)
    return (
        _choose_contract(view, lambda: 0.0)
        if view.contract is None
        else _choose_action(view, sight_of(view, view.contract, seen))
    )


def novice(view: KingView, rng: Random) -> Action:
    """Choose an action like a player who forgets previous tricks, misjudges contracts and is sometimes careless."""
    if view.contract is None:
        return _choose_contract(view, lambda: rng.gauss(0.0, MISJUDGED))
    if rng.random() < CARELESS:
        return rng.choice(_plays(view) or view.legal)
    return _choose_action(view, sight_of(view, view.contract, mask_of(view.trick)))


def sight_of(view: KingView, contract: Contract, seen: Cards) -> Sight:
    """Return the position in a view under a contract, for a player who remembers the cards ``seen``."""
    unseen, left = PACK_36 & ~(seen | view.hand), contract.total - sum(view.points)
    return Sight(contract, view.seat, view.dealer, view.hand, unseen, view.leader, view.trick, view.complete, left)


def _plays(view: KingView) -> list[Play]:
    return [action for action in view.legal if isinstance(action, Play)]


def _choose_contract(view: KingView, misjudged: Callable[[], float]) -> Action:
    """Choose the contract in which this hand exceeds an average one by most, in points of the totals."""

    def better(naming: Naming) -> float:
        sight = sight_of(view, naming.contract, 0)
        best = max([sight.worth(card) for card in iter_cards(naming.contract.leads(view.hand, first=True))])
        weights = sight.weights()
        return naming.contract.weight * weights.slope * (best - weights.usual) + misjudged()

    return max([action for action in view.legal if isinstance(action, Naming)], key=better)


def _choose_action(view: KingView, sight: Sight) -> Action:
    """Choose a card, an offer, a claim or an answer."""
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
    """Return the answer to another player's offer."""
    return TAKES[min(unclaimed, int(UNSURE * sight.loss()))]
