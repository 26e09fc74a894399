"""King: what a card brings now, and what the cards that are kept will bring, in points of the round.

One estimate serves to play, to name the contract and to deal with offers.  Its weights were fitted, contract by
contract, to what followed in rounds of robots; what won no duplicate match is not here.
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
"""How likely one of the others holds none of so many unseen cards."""
RUFFED: Final = 0.9
"""How often somebody trumps who can and need not follow."""
UNSURE: Final = 0.6
"""The part of an expected loss that is collected instead if another offers: who offers has the worst hand."""
DREAD: Final = 0.7
"""The part of all that is left from which on an expected loss makes somebody offer: to collect what players with usual
hands would not take."""
MISJUDGED: Final = 20.0
"""How far off a novice judges a contract: the standard deviation, in points of the totals."""
CARELESS: Final = 0.1
"""How often a novice plays just any card."""


class Suit(NamedTuple):
    """What the cards that are kept in a suit are worth."""

    strength: float = 0.0
    """Each card, by the part of the unseen cards of its suit that it beats."""
    lowest: float = 0.0
    """The same again for the lowest: it cannot duck."""
    scoring: float = 0.0
    """Each card that scores by itself."""
    above: float = 0.0
    """Each card that beats an unseen one that scores."""


class Weights(NamedTuple):
    """What counts in a contract."""

    slope: float
    """What a point of the estimate of the best card is worth in the end."""
    usual: float
    """That estimate with a usual hand; in a positive contract, with the best of its kind in a usual hand."""
    plain: Suit
    special: Suit
    """Of trumps, and of hearts where they are not to be led."""
    wanted: Cards
    """The cards that ``Suit`` counts as scoring."""
    lying: float
    """The points that lie in a trick one takes."""
    coming: float = 0.0
    """The points that may still be thrown on it: the mean of a trick, for each player to come."""
    taking: float = 0.0
    """To take a trick, whatever lies in it, ..."""
    early: float = 0.0
    """... and as often as there are tricks to come, this one included."""


TRUMP: Final = Weights(1.1, 44.0, Suit(1.7, 1.8), Suit(14.9, -9.3), 0, 1.3)
NO_TRUMP: Final = Weights(1.1, 51.5, Suit(6.8, 0.7), Suit(), 0, 1.6)
AGAINST: Final = Weights(0.0, 0.0, Suit(0.3, 0.2), Suit(1.6, -0.8), 0, 1.0)
"""For the three who play against the dealer of a positive contract."""
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
    """A trick as one player sees it."""

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
        """What counts for this seat."""
        if self.contract.kind is Kind.POSITIVE and self.seat != self.dealer:
            return AGAINST
        return WEIGHTS.get(self.contract.text, TRUMP)

    def worth(self, card: Card) -> float:
        """How good it is to play ``card``: an estimate of what follows, in points."""
        weights = self.weights()
        return self._now(card, weights) + self._kept(self.hand ^ BIT[card], weights)

    def loss(self) -> float:
        """The points that this seat expects to collect of those that are left of a negative contract."""
        led = OF_SUIT[SUIT[self.trick[0]]] if self.trick else 0
        best = max([self.worth(card) for card in iter_cards(self.hand & led or self.hand)])
        weights = self.weights()
        return max(-self.left * (1 / SEATS - weights.slope * (best - weights.usual) / STAKE), 0.0)

    def takes_all(self) -> bool:
        """Whether every trick to come is certainly this seat's: it leads, and nobody can beat any of its cards."""
        return not self.trick and all(not (self.unseen & OF_SUIT[SUIT[card]]) >> card for card in iter_cards(self.hand))

    def _kept(self, hand: Cards, weights: Weights) -> float:
        """What ``hand`` will bring."""
        contract = self.contract
        special = contract.trump if contract.trump is not None else HEARTS if contract.spares_hearts else None
        unseen, wanted, low = self.unseen, weights.wanted, contract is MISER
        total = 0.0
        for suit, members in enumerate(OF_SUIT):
            if own := hand & members:
                suited = weights.special if suit == special else weights.plain
                total += suit_worth(suited, own, unseen & members, wanted & members, low)
        return total

    def _now(self, card: Card, weights: Weights) -> float:
        """What the present trick brings, if ``card`` is played to it."""
        trick, contract = (*self.trick, card), self.contract
        to_come = SEATS - len(trick)
        place = contract.order.winner(trick)
        head, mine = trick[place], place == len(trick) - 1
        if contract.kind is Kind.POSITIVE:
            return weights.lying * self._won(head, (self.leader + place) % SEATS, to_come)
        if not mine:
            return 0.0
        tricks = TRICKS - self.complete
        lying = contract.gain(mask_of(trick), self.complete)
        brings = weights.lying * lying + weights.coming * to_come * self.left / tricks
        return self._stands(card, to_come) * (brings + weights.taking + weights.early * tricks)

    def _won(self, head: Card, seat: Seat, to_come: int) -> float:
        """What the side of this seat expects of a trick of a positive contract that ``head`` of ``seat`` heads."""
        if self.seat == self.dealer:
            return TRICK * self._stands(head, to_come) if seat == self.seat else 0.0
        if seat == self.dealer:
            return TRICK / (SEATS - 1) * (1 - self._stands(head, to_come))
        dealer_to_come = (self.dealer - self.leader) % SEATS >= SEATS - to_come
        return TRICK / (SEATS - 1) * self._stands(head, int(dealer_to_come))

    def _stands(self, head: Card, to_come: int) -> float:
        """How likely it is that none of the players to come beats ``head``."""
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
    """What the cards ``own`` of a suit bring while others hold ``unseen``; ``low``: the lowest is the strongest."""
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
    """What a player does who counts the cards."""
    seen = sum(view.played)
    return _name(view, lambda: 0.0) if view.contract is None else _act(view, sight_of(view, view.contract, seen))


def novice(view: KingView, rng: Random) -> Action:
    """What a player does who forgets the tricks before, misjudges contracts and is careless now and then."""
    if view.contract is None:
        return _name(view, lambda: rng.gauss(0.0, MISJUDGED))
    if rng.random() < CARELESS:
        return rng.choice(_plays(view) or view.legal)
    return _act(view, sight_of(view, view.contract, mask_of(view.trick)))


def sight_of(view: KingView, contract: Contract, seen: Cards) -> Sight:
    """The trick as the seat of a view sees it in a contract, when it has seen these cards played."""
    unseen, left = PACK_36 & ~(seen | view.hand), contract.total - sum(view.points)
    return Sight(contract, view.seat, view.dealer, view.hand, unseen, view.leader, view.trick, view.complete, left)


def _plays(view: KingView) -> list[Play]:
    return [action for action in view.legal if isinstance(action, Play)]


def _name(view: KingView, misjudged: Callable[[], float]) -> Action:
    """The contract in which this hand is better than a usual one by most, as the totals count it."""

    def better(naming: Naming) -> float:
        sight = sight_of(view, naming.contract, 0)
        best = max([sight.worth(card) for card in iter_cards(naming.contract.leads(view.hand, first=True))])
        weights = sight.weights()
        return naming.contract.weight * weights.slope * (best - weights.usual) + misjudged()

    return max([action for action in view.legal if isinstance(action, Naming)], key=better)


def _act(view: KingView, sight: Sight) -> Action:
    """A card to play, or a word about an offer."""
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
    """How much a player takes of what another has offered to share."""
    return TAKES[min(unclaimed, int(UNSURE * sight.loss()))]
