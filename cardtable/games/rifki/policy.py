"""Rule policy of Rifki: declare the most promising contract, then play by the expected units of each card.

A card is judged by the number of scoring units (tricks or penalty cards) that it is expected to take, in the current
trick and in later ones. The estimate for later tricks is log-linear in card counts. Its weights were fitted to rounds
of robots and confirmed in duplicate matches.
"""

from collections.abc import Iterable
from math import exp, fsum
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import BIT, HEARTS, OF_SUIT, PACK_52, RANK, SUIT, Card, Cards, iter_cards, mask_of
from cardtable.engine.game import Action
from cardtable.engine.tricks import Play, order
from cardtable.games.rifki.rules import (
    CARDS_EACH,
    RIFKI,
    SEATS,
    SON_IKI,
    RifkiContract,
    RifkiState,
    RifkiView,
    build_state,
    find_unseen_cards,
)
from cardtable.robots.kit.endgame import Ending, filter_plays, group_neighbours
from cardtable.robots.kit.impulses import choose_on_impulse

Weights: TypeAlias = tuple[float, ...]
"""Log-linear weights for a card that stays in the hand.

They are, in order: a constant; the weights per lower and per higher card of the suit in the other hands, and per lower
card of the suit in the player's own hand; the weight of being marked (a penalty card, or a trump in a trump contract);
and the weights per marked card of the suit below it, and per other marked card of any suit, in the other hands.
"""

LATER_WEIGHTS: Final[dict[str, Weights]] = {
    "rifki": (-5.84, 0.03, -0.30, -0.50, 3.95, 4.22, 3.29),
    "kiz": (-2.64, 0.11, -0.26, -0.51, 1.93, 0.62, 0.09),
    "erkek": (-1.56, 0.12, -0.32, -0.38, 1.00, 0.04, 0.06),
    "kupa": (-1.84, 0.04, -0.28, -0.46, 0.90, 0.19, 0.17),
    "son-iki": (-1.00, 0.40, -0.40, -0.60, 0.00, 0.00, 0.00),
    "el-almaz": (-0.99, 0.18, 0.05, -0.76, 0.00, 0.00, 0.00),
}
"""Weights by negative contract.

Their sum is the logarithm of the units that a card is expected to take in later tricks.
"""
TRUMP_WEIGHTS: Final[Weights] = (-0.13, -0.03, -0.20, 0.15, 0.00, 0.00, 0.00)
"""Weights for a trump in a trump contract."""
SIDE_WEIGHTS: Final[Weights] = (-1.74, 0.19, -0.37, 0.13, 0.00, 0.00, -0.01)
"""Weights for a card of a plain suit in a trump contract."""
MAX_LOG_UNITS: Final = 1.5
"""Upper bound of the logarithm of a card's expected units."""
NEGATIVE_VALUES: Final = {"kiz": (0.87, 147.0), "erkek": (2.39, 73.0), "kupa": (3.75, 50.0), "el-almaz": (6.80, 78.0)}
"""Estimate of a negative contract, by its name.

Units that an average hand takes, and points lost for each further unit.

Points are counted relative to the other players. Rifki and Son Iki have estimates of their own.
"""
KOZ_VALUES: Final[tuple[float, ...]] = (4.25, -56.0)
"""Estimate of a trump contract, in the form of ``NEGATIVE_VALUES``; each further unit wins points."""
RIFKI_VALUES: Final[tuple[float, ...]] = (-29.0, 14.0)
"""Value of the contract Rifki in points relative to the other players: a constant, and the value of each heart held."""
KING_VALUES: Final[tuple[float, ...]] = (-276.0, 54.0)
"""Value to add to ``RIFKI_VALUES`` for a hand with the king of hearts, in the same form."""
SON_IKI_VALUES: Final[tuple[float, ...]] = (78.0, -20.0)
"""Value of Son Iki: a constant, and the value of each rank above two, summed over the three lowest cards of the hand.
"""

MISS_PROBABILITIES: Final = tuple(
    tuple((1 - 1 / holders) ** n for n in range(CARDS_EACH * SEATS)) for holders in (1, 1, 2, 3)
)
"""Probability that a player holds none of n cards: ``MISS_PROBABILITIES[holders][n]``.

``holders`` is the number of players who may hold the suit, 0 to 3; 0 is treated as 1. Index -1 applies to all three
other players.
"""
WILLING_PROBABILITY: Final = 0.2
"""Probability that a player takes a trick without being forced to, in contracts with penalty cards."""
NOVICE_ERROR: Final = 60.0
"""Standard deviation, in points, of a novice's error in the estimate of a contract."""


class CardKnowledge(NamedTuple):
    """Knowledge of one seat about the cards of a round; the input of the policy's estimates."""

    contract: RifkiContract
    hand: Cards
    out: Cards
    """Cards held by the other players."""
    rivals: tuple[Cards, ...]
    """Cards that each other player may hold, in order of play after the seat; empty when a contract is estimated."""

    def list_later_units(self, suit: int) -> list[tuple[Card, float]]:
        """Return the player's cards of ``suit``, each with the units that it is expected to take in later tricks.

        The highest card comes first.
        """
        general, lower, higher, guard, mark, low, others = self.get_weights(suit)
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
            takes.append((card, exp(min(power, MAX_LOG_UNITS))))
        return takes[::-1]

    def get_weights(self, suit: int) -> Weights:
        trump = self.contract.trump
        if trump is None:
            return LATER_WEIGHTS[self.contract.name]
        return TRUMP_WEIGHTS if suit == trump else SIDE_WEIGHTS

    def compute_savings(self, suit: int) -> dict[Card, float]:
        """Return the units that the hand saves in later tricks if a card of ``suit`` is played, by card.

        A saving is the card's own expected units, less the increase for higher cards of the suit, which lose a lower
        card that protects them.
        """
        without_guard = exp(-self.get_weights(suit)[3])
        savings, above = {}, 0.0
        for card, takes in self.list_later_units(suit):
            savings[card] = takes + above - above * without_guard
            above += takes
        return savings

    def estimate_current_units(self, trick: tuple[Card, ...], card: Card) -> float:
        """Return the units that ``card`` is expected to take if it is played to ``trick``.

        The result is 0 if the card is beaten already.
        """
        if _is_beaten(trick, card, self.contract.trump):
            return 0.0
        led = SUIT[trick[0]] if trick else SUIT[card]
        holders = sum([1 for may in self.rivals if may & OF_SUIT[led]])
        number = float((mask_of((*trick, card)) & self.contract.penalties).bit_count())
        takes = 1.0
        for may in self.rivals[: SEATS - 1 - len(trick)]:
            same = may & OF_SUIT[led]
            void = MISS_PROBABILITIES[holders][same.bit_count()] if same else 1.0
            if self.contract.trump is None:
                under = BIT[card] - 1
                below = (same & under).bit_count()
                ducks = 1 - MISS_PROBABILITIES[holders][below]
                higher = 1 - MISS_PROBABILITIES[holders][same.bit_count() - below]
                if self.contract.penalties:
                    ducks *= 1 - WILLING_PROBABILITY
                    number += self._estimate_penalties(may, led, under, holders, void)
                takes *= 1 - higher * (1 - ducks)
            else:
                takes *= 1 - self._compute_beat_probability(may, card, led, void)
        return takes * number if self.contract.penalties else takes

    def _estimate_penalties(self, possible: Cards, led: int, under: Cards, holders: int, void: float) -> float:
        """Return the number of penalty cards that one later player is expected to put on a winning card.

        ``possible`` is the set of cards that this player may hold, and ``under`` the set of all cards below the winning
        card. ``void`` is the probability that the player cannot follow suit ``led``.
        """
        penalties, same = self.contract.penalties, OF_SUIT[led]
        if penalties == same:
            return 1 - void
        thrown = 1 - MISS_PROBABILITIES[holders][(possible & same & penalties & under).bit_count()]
        return thrown + void * (1 - MISS_PROBABILITIES[-1][(possible & ~same & penalties).bit_count()])

    def _compute_beat_probability(self, possible: Cards, card: Card, led: int, void: float) -> float:
        """Return the probability that one later player beats ``card`` in a trump contract.

        ``possible`` is the set of cards that this player may hold, and ``void`` the probability that they cannot follow
        suit ``led``.
        """
        trump = self.contract.trump
        assert trump is not None
        beats = 1 - self._compute_miss_probability(possible & OF_SUIT[SUIT[card]] & -2 * BIT[card], SUIT[card])
        if SUIT[card] != trump:
            return beats + void * (1 - self._compute_miss_probability(possible & OF_SUIT[trump], trump))
        return beats if led == trump else void * beats

    def _compute_miss_probability(self, cards: Cards, suit: int) -> float:
        """Return the probability that a player holds none of ``cards``, all of which they may hold.

        All cards are of ``suit``.
        """
        holders = sum([1 for may in self.rivals if may & OF_SUIT[suit]])
        return MISS_PROBABILITIES[holders][cards.bit_count()]


def _is_beaten(trick: tuple[Card, ...], card: Card, trump: int | None) -> bool:
    """Return True if ``card`` cannot win the trick because of the cards played before it."""
    suit = SUIT[card]
    if trick and suit not in (SUIT[trick[0]], trump):
        return True
    return any((SUIT[c] == suit and c > card) or SUIT[c] == trump != suit for c in trick)


def steady(view: RifkiView, _rng: Random) -> Action:
    """Choose an action by the rule policy, which remembers all played cards and what each seat lacks."""
    if view.contract is None:
        return max(_list_contracts(view), key=lambda contract: _estimate_contract(contract, view.hand))
    out = find_unseen_cards(view)
    next_seats = [(view.seat + view.options.step * i) % SEATS for i in range(1, SEATS)]
    rivals = tuple([out & ~view.excluded_cards[seat] for seat in next_seats])
    return _choose_card(view, CardKnowledge(view.contract, view.hand, out, rivals))


def novice(view: RifkiView, rng: Random) -> Action:
    """Choose an action like a player who forgets finished tricks and what each seat lacks.

    Such a player misjudges contracts and sometimes acts on impulse.
    """
    if view.contract is None:
        return max(
            _list_contracts(view),
            key=lambda contract: _estimate_contract(contract, view.hand) + rng.gauss(0.0, NOVICE_ERROR),
        )
    out = PACK_52 & ~(view.hand | mask_of(view.trick))
    trump = view.contract.trump
    return choose_on_impulse(view, order(trump), rng, eager=trump is not None) or _choose_card(
        view, CardKnowledge(view.contract, view.hand, out, (out,) * (SEATS - 1))
    )


def _list_contracts(view: RifkiView) -> Iterable[RifkiContract]:
    return (action for action in view.legal if isinstance(action, RifkiContract))


def _estimate_contract(contract: RifkiContract, hand: Cards) -> float:
    """Return the expected advantage of declaring ``contract``, in points relative to the other players.

    The value is 0 for an average hand, except for Rifki and Son Iki, which have an estimate of their own.
    """
    if contract == RIFKI:
        hearts = (hand & OF_SUIT[HEARTS]).bit_count()
        general, each_heart = RIFKI_VALUES
        alone, guard = KING_VALUES if hand & contract.penalties else (0.0, 0.0)
        return general + alone + (each_heart + guard) * hearts
    if contract == SON_IKI:
        general, rank = SON_IKI_VALUES
        return general + rank * sum(sorted([RANK[card] for card in iter_cards(hand)])[:3])
    knowledge = CardKnowledge(contract, hand, PACK_52 & ~hand, ())
    takes = fsum([takes for suit in range(4) for _, takes in knowledge.list_later_units(suit)])
    usual, cost = NEGATIVE_VALUES[contract.name] if contract.trump is None else KOZ_VALUES
    return (usual - takes) * cost


def _choose_card(view: RifkiView, knowledge: CardKnowledge) -> Action:
    """Return the legal card with the best sum of expected points in the current and in later tricks."""
    savings: dict[Card, float] = {}
    ignores_trick = knowledge.contract == SON_IKI and sum(view.won) < CARDS_EACH - 2

    def estimate_points(play: Play) -> float:
        card = play.card
        if card not in savings:
            savings.update(knowledge.compute_savings(SUIT[card]))
        current_units = 0.0 if ignores_trick else knowledge.estimate_current_units(view.trick, card)
        return (current_units - savings[card]) * knowledge.contract.worth

    return max(filter_plays(view.legal), key=estimate_points)


def group_plays(state: RifkiState) -> list[list[Play]]:
    """Group neighbours that are all penalty cards or none of them."""
    return group_neighbours(state, [state.penalties])


ENDING: Final = Ending(find_unseen_cards, build_state, group_plays)
