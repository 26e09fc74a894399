"""Rule policy for Rifki: declare the most promising contract, then play by the expected takes of cards.

In every contract a card is judged by the number of scoring units (tricks or penalty cards) that it is expected to take,
in the current trick and in later ones. The weights were fitted to rounds of robots, and confirmed in duplicate matches.
"""

from collections.abc import Iterable
from math import exp
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import BIT, HEARTS, OF_SUIT, PACK_52, RANK, SUIT, Card, Cards, iter_cards, mask_of
from cardtable.engine.game import Action
from cardtable.engine.tricks import Play
from cardtable.games.rifki.rules.contracts import CARDS, RIFKI, SEATS, SON_IKI, Contract
from cardtable.games.rifki.rules.state import RifkiView

Weights: TypeAlias = tuple[float, float, float, float, float, float, float]
"""Log-linear weights for a kept card: constant, per lower and per higher card of its suit in the other hands, per own
lower card; then, for marked cards (penalty cards and trumps): being marked, per marked card below it, and per other
marked card of the suit in the other hands.
"""

LATER: Final[dict[str, Weights]] = {
    "rifki": (-5.84, 0.03, -0.30, -0.50, 3.95, 4.22, 3.29),
    "kiz": (-2.64, 0.11, -0.26, -0.51, 1.93, 0.62, 0.09),
    "erkek": (-1.56, 0.12, -0.32, -0.38, 1.00, 0.04, 0.06),
    "kupa": (-1.84, 0.04, -0.28, -0.46, 0.90, 0.19, 0.17),
    "son-iki": (-1.00, 0.40, -0.40, -0.60, 0.00, 0.00, 0.00),
    "el-almaz": (-0.99, 0.18, 0.05, -0.76, 0.00, 0.00, 0.00),
}
"""Weights by contract; the result is the logarithm of the units that a card is expected to take in later tricks."""
TRUMP: Final[Weights] = (-0.13, -0.03, -0.20, 0.15, 0.00, 0.00, 0.00)
"""Weights for a trump in a trump contract."""
SIDE: Final[Weights] = (-1.74, 0.19, -0.37, 0.13, 0.00, 0.00, -0.01)
"""Weights for a plain card in a trump contract."""
MOST: Final = 1.5
"""Upper bound of the logarithm."""
EXPECTED: Final = {"kiz": (0.87, 147.0), "erkek": (2.39, 73.0), "kupa": (3.75, 50.0), "el-almaz": (6.80, 78.0)}
"""By negative contract: units that a hand takes on average, and points lost against the others per unit more."""
EXPECTED_KOZ: Final = (4.25, -56.0)
"""The same for trump contracts, in which units win points."""
HEARTS_ARE_SAFE: Final = (-29.0, 14.0)
"""Value of Rifki in points against the others: constant, and per heart held."""
KING_IS_NOT: Final = (-276.0, 54.0)
"""Value of Rifki to add for a hand with the king of hearts: constant, and per heart held."""
LOW_CARDS_LAST: Final = (78.0, -20.0)
"""Value of Son Iki: constant, and per rank above two of the three lowest cards."""

MISSES: Final = tuple(tuple((1 - 1 / holders) ** n for n in range(CARDS * SEATS)) for holders in (1, 1, 2, 3))
"""Probability that a player holds none of n cards, by the number of possible holders (1 to 3; 0 is read as 1) and n."""
WILLING: Final = 0.2
"""Probability that a player takes a trick without need, in contracts with penalty cards."""
MISJUDGED: Final = 60.0
"""Standard deviation, in points, of a novice's error in judging a contract."""
CARELESS: Final = 0.1
"""Probability that a novice plays a card at random."""


class Sight(NamedTuple):
    """Card knowledge of one view, the input of the estimates of the policy."""

    contract: Contract
    hand: Cards
    out: Cards
    """Cards in the other hands."""
    rivals: tuple[Cards, ...]
    """Cards that each other player may hold, in the order of play."""

    def later(self, suit: int) -> list[tuple[Card, float]]:
        """Return each own card of a suit, highest first, with the units that it is expected to take in later tricks."""
        general, lower, higher, guard, mark, low, others = self.weights(suit)
        marked, out = self.contract.penalties, self.out & OF_SUIT[suit]
        if self.contract.trump is not None:
            marked = OF_SUIT[self.contract.trump]
        number, marks = out.bit_count(), (self.out & marked).bit_count()
        takes = []
        for guards, card in enumerate(iter_cards(self.hand & OF_SUIT[suit])):
            under = BIT[card] - 1
            below, marks_below = (out & under).bit_count(), (out & marked & under).bit_count()
            power = general + lower * below + higher * (number - below) + guard * guards
            power += low * marks_below + others * (marks - marks_below)
            if BIT[card] & marked:
                power += mark
            takes.append((card, exp(min(power, MOST))))
        return takes[::-1]

    def weights(self, suit: int) -> Weights:
        """Return the weights for cards of a suit."""
        trump = self.contract.trump
        if trump is None:
            return LATER[self.contract.name]
        return TRUMP if suit == trump else SIDE

    def spared(self, suit: int) -> dict[Card, float]:
        """Return, by card of a suit, the decrease of the hand's expected later units if the card is played."""
        without_guard = exp(-self.weights(suit)[3])
        spared, above = {}, 0.0
        for card, takes in self.later(suit):
            spared[card] = takes + above - above * without_guard
            above += takes
        return spared

    def now(self, trick: tuple[Card, ...], card: Card) -> float:
        """Return the units that ``card`` is expected to take in the current trick."""
        if _is_beaten(trick, card, self.contract.trump):
            return 0.0
        led = SUIT[trick[0]] if trick else SUIT[card]
        holders = sum([1 for may in self.rivals if may & OF_SUIT[led]])
        number = float((mask_of((*trick, card)) & self.contract.penalties).bit_count())
        takes = 1.0
        for may in self.rivals[: SEATS - 1 - len(trick)]:
            same = may & OF_SUIT[led]
            void = MISSES[holders][same.bit_count()] if same else 1.0
            if self.contract.trump is None:
                under = BIT[card] - 1
                below = (same & under).bit_count()
                ducks = 1 - MISSES[holders][below]
                higher = 1 - MISSES[holders][same.bit_count() - below]
                if self.contract.penalties:
                    ducks *= 1 - WILLING
                    number += self._thrown(may, led, under, holders, void)
                takes *= 1 - higher * (1 - ducks)
            else:
                takes *= 1 - self._beats(may, card, led, void)
        return takes * number if self.contract.penalties else takes

    def _thrown(self, may: Cards, led: int, under: Cards, holders: int, void: float) -> float:
        """Return the penalty cards that a later player is expected to lose to a card above the cards ``under``."""
        penalties, same = self.contract.penalties, OF_SUIT[led]
        if penalties == same:
            return 1 - void
        thrown = 1 - MISSES[holders][(may & same & penalties & under).bit_count()]
        return thrown + void * (1 - MISSES[-1][(may & ~same & penalties).bit_count()])

    def _beats(self, may: Cards, card: Card, led: int, void: float) -> float:
        """Return the probability that a later player beats ``card`` in a trump contract."""
        trump = self.contract.trump
        assert trump is not None
        beats = 1 - self._misses(may & OF_SUIT[SUIT[card]] & -2 * BIT[card], SUIT[card])
        if SUIT[card] != trump:
            return beats + void * (1 - self._misses(may & OF_SUIT[trump], trump))
        return beats if led == trump else void * beats

    def _misses(self, some: Cards, suit: int) -> float:
        """Return the probability that a player who may hold the cards ``some`` of a suit holds none of them."""
        holders = sum([1 for may in self.rivals if may & OF_SUIT[suit]])
        return MISSES[holders][some.bit_count()]


def _is_beaten(trick: tuple[Card, ...], card: Card, trump: int | None) -> bool:
    """Return True if ``card`` cannot take the trick."""
    suit = SUIT[card]
    if trick and suit not in (SUIT[trick[0]], trump):
        return True
    return any((SUIT[c] == suit and c > card) or SUIT[c] == trump != suit for c in trick)


def steady(view: RifkiView, _rng: Random) -> Action:
    """Return the action of the steady rule policy, which remembers all played cards."""
    seen = view.hand
    for cards in view.played:
        seen |= cards
    out = PACK_52 & ~seen
    if view.contract is None:
        return max(_contracts(view), key=lambda contract: _promise(contract, view.hand))
    next_seats = [(view.seat + view.options.step * i) % SEATS for i in range(1, SEATS)]
    return _play(
        view, Sight(view.contract, view.hand, out, tuple([out & ~view.excluded_cards[seat] for seat in next_seats]))
    )


def novice(view: RifkiView, rng: Random) -> Action:
    """Return the action of a novice, who forgets finished tricks and sometimes plays a random card.

    Contracts are misjudged by Gaussian noise.
    """
    if view.contract is None:
        return max(_contracts(view), key=lambda contract: _promise(contract, view.hand) + rng.gauss(0.0, MISJUDGED))
    if rng.random() < CARELESS:
        return rng.choice(list(_plays(view)))
    out = PACK_52 & ~(view.hand | mask_of(view.trick))
    return _play(view, Sight(view.contract, view.hand, out, (out,) * (SEATS - 1)))


def _contracts(view: RifkiView) -> Iterable[Contract]:
    return (action for action in view.legal if isinstance(action, Contract))


def _plays(view: RifkiView) -> Iterable[Play]:
    return (action for action in view.legal if isinstance(action, Play))


def _promise(contract: Contract, hand: Cards) -> float:
    """Return the expected advantage of a contract, in points against the others, relative to an average hand."""
    if contract == RIFKI:
        hearts = (hand & OF_SUIT[HEARTS]).bit_count()
        general, each_heart = HEARTS_ARE_SAFE
        alone, guard = KING_IS_NOT if hand & contract.penalties else (0.0, 0.0)
        return general + alone + (each_heart + guard) * hearts
    if contract == SON_IKI:
        general, rank = LOW_CARDS_LAST
        return general + rank * sum(sorted([RANK[card] for card in iter_cards(hand)])[:3])
    sight = Sight(contract, hand, PACK_52 & ~hand, ())
    takes = sum([takes for suit in range(4) for _, takes in sight.later(suit)])
    usual, cost = EXPECTED[contract.name] if contract.trump is None else EXPECTED_KOZ
    return (usual - takes) * cost


def _play(view: RifkiView, sight: Sight) -> Action:
    """Return the card with the best expected points, in the current trick and in later ones."""
    spared: dict[Card, float] = {}
    no_matter = sight.contract == SON_IKI and sum(view.won) < CARDS - 2

    def worth(play: Play) -> float:
        card = play.card
        if card not in spared:
            spared.update(sight.spared(SUIT[card]))
        now = 0.0 if no_matter else sight.now(view.trick, card)
        return (now - spared[card]) * sight.contract.worth

    return max(_plays(view), key=worth)
