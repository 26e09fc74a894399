"""Rule policy of Gurka: keep low cards for the last trick, and head earlier tricks with high ones.

The expected cost of the cards in a hand was fitted to rounds of this policy against itself.
"""

from math import fsum
from random import Random
from typing import Final

from cardtable.engine.cards import ACE, OF_RANK, RANK, RANKS, Card, iter_cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import Play
from cardtable.games.gurka.rules import GurkaState, GurkaView, build_state, find_unseen_cards
from cardtable.robots.kit.endgame import Ending, filter_plays

LOWEST_COSTS: Final[tuple[float, ...]] = (-1.8, -1.9, -1.9, -1.8, -1.0, 0.2, 1.9, 3.4, 4.3, 6.0, 7.7, 9.4, 11.2)
"""Expected additional points by the rank of the lowest card in the hand, which is often the last to be played."""
SECOND_COSTS: Final[tuple[float, ...]] = (-0.4, -0.4, -0.3, -0.2, 0.4, 1.0, 1.5, 1.7, 2.0, 2.3, 2.3, 1.9, 1.1)
"""Expected additional points by the rank of the second lowest card in the hand."""
OTHER_COSTS: Final[tuple[float, ...]] = (0.1, -0.2, -0.2, -0.1, 0.3, 0.8, 1.1, 1.1, 1.0, 0.9, 0.6, 0.0, -0.6)
"""Expected additional points by the rank of each other card.

The most expensive ones are too low to head a trick and too high for the end.
"""
LEADING_COSTS: Final[tuple[float, ...]] = (0.0, 1.1, -1.0, -1.0, -0.9, -0.7, -0.7)
"""Expected additional points of taking a trick and leading to the next, by the number of cards left in the hand."""
SMALL_TABLE: Final = 4
"""Maximum number of seats for which the costs hold. With more seats, a card is valued like the next lower rank."""
LAST_CHOICE_CARDS: Final = 2
"""Number of cards in the hand with which the last choice of the round is made."""
LATE_ACE_CARDS: Final = 3
"""Largest number of cards in the hand with which an ace is played as soon as possible."""


def steady(view: GurkaView, _rng: Random) -> Action:
    """Choose the card with the lowest expected number of points, or near the end the highest one."""
    plays = {RANK[play.card]: play for play in view.legal if isinstance(play, Play)}
    if len(plays) == 1:
        return view.legal[0]
    ranks, highest = sorted(RANK[c] for c in iter_cards(view.hand)), max(plays)
    if len(ranks) == LAST_CHOICE_CARDS or (highest == ACE and len(ranks) <= LATE_ACE_CARDS):
        return plays[highest]
    return min(plays.values(), key=lambda play: _estimate_cost(view, ranks, play.card))


def novice(view: GurkaView, _rng: Random) -> Action:
    """Choose a card like a player who gets rid of high cards at every opportunity, whoever takes the trick."""
    return max(view.legal, key=lambda play: RANK[play.cards_used().bit_length() - 1])


def _estimate_cost(view: GurkaView, ranks: list[int], card: Card) -> float:
    """Return the expected number of points after playing ``card`` from a hand with these ranks, which are sorted."""
    remaining = ranks.copy()
    remaining.remove(RANK[card])
    lower = 1 if len(view.totals) > SMALL_TABLE else 0
    lowest, *others = [max(rank - lower, 0) for rank in remaining]
    cost = LOWEST_COSTS[lowest]
    if others:
        cost += SECOND_COSTS[others[0]] + fsum([OTHER_COSTS[rank] for rank in others[1:]])
    return cost + LEADING_COSTS[len(remaining)] * _estimate_take(view, card)


def _estimate_take(view: GurkaView, card: Card) -> float:
    """Return the probability that ``card`` takes the trick, which is that no later player heads it.

    It is estimated as if each card of the later players had a random rank.
    """
    if view.best_card is not None and RANK[card] < RANK[view.best_card]:
        return 0.0
    if view.options.is_bound((*view.trick, card)):
        return 1.0
    after = len(view.totals) - 1 - len(view.trick)
    takes: float = (RANK[card] / len(RANKS)) ** (after * (view.hand.bit_count() - 1))
    return takes


def group_plays(state: GurkaState) -> list[list[Play]]:
    """Group cards of a rank."""
    groups: dict[int, list[Play]] = {}
    for play in filter_plays(state.legal()):
        groups.setdefault(RANK[play.card], []).append(play)
    return [*groups.values()]


ENDING: Final = Ending(find_unseen_cards, build_state, group_plays, alike=OF_RANK)
