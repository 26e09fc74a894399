"""Rule policy of Bridge: plan a whole turn so that few and cheap cards remain, and jacks for later turns.

The constants are in points of a hand. They were tuned in duplicate matches.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from cardtable.engine.cards import (
    ACE,
    BIT,
    EIGHT,
    JACK,
    OF_RANK,
    OF_SUIT,
    RANK,
    SEVEN,
    SIX,
    SUIT,
    Card,
    Cards,
    iter_cards,
)
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY, Play
from cardtable.games.bridge.rules.actions import (
    BRIDGE,
    DONE,
    EIGHTS_ACTIONS,
    JACK_POINTS,
    Eights,
    Suit,
    compute_effect,
    find_fitting_cards,
    sum_points,
)
from cardtable.games.bridge.rules.state import BridgeView

CARD_COST: Final = 4.0
"""Cost of each card left in the hand, in addition to its points, since it has to be played in a later turn."""
JACK_VALUE: Final = 42.0
"""Value of a jack in the hand, since it fits on every card. It is reduced if another player has few cards left."""
NEIGHBOUR_VALUE: Final = 3.0
"""Value of each card left in the suit of the card that ends the turn, since it may fit next time."""
PASS_VALUE: Final = 12.0
"""Value of each ace played, since a player is passed over."""
OUT_VALUE: Final = 100.0
"""Value of going out."""
MEAN_CARD_POINTS: Final = 7.2
"""Mean points of a card."""


def steady(view: BridgeView, _rng: Random) -> Action:
    """Choose an action like an experienced player: a certain way out, or else the best plan for the whole turn."""
    return find_way_out(view) or choose_by_plan(view)


def choose_by_plan(view: BridgeView) -> Action:
    """Choose an action by the best plan for this turn, as all seats do in rollouts."""
    if BRIDGE in view.legal and has_fewer_points(view.hand, sum(view.sizes) - view.sizes[view.seat], len(view.sizes)):
        return BRIDGE
    plan = TurnPlan(min([size for seat, size in enumerate(view.sizes) if seat != view.seat]))
    return _choose_card(view, plan.evaluate_play) or _choose_without_card(view)


def novice(view: BridgeView, _rng: Random) -> Action:
    """Choose an action like a player who gets rid of the dearest card, and calls bridge whatever it costs."""
    if BRIDGE in view.legal:
        return BRIDGE
    return _choose_card(view, lambda _hand, card, _number: sum_points(BIT[card])) or _choose_without_card(view)


def _choose_card(view: BridgeView, evaluate: Callable[[Cards, Card, int], float]) -> Action | None:
    """Return the legal play with the highest value; ``None`` if no card can be played.

    ``evaluate(hand, card, number)`` is a function such as ``TurnPlan.evaluate_play``.
    """
    plays = [action for action in view.legal if isinstance(action, Play)]
    going_on = bool(view.played) and RANK[view.played[-1]] != SIX
    number = len(view.last_move) + 1 if going_on else 1
    return max(plays, key=lambda play: evaluate(view.hand, play.card, number)) if plays else None


def has_fewer_points(hand: Cards, hidden: int, seats: int) -> bool:
    """Return True if ``hand`` has fewer points than the other hands are expected to have on average.

    ``hidden``: number of cards in all other hands together.
    """
    return MEAN_CARD_POINTS * hidden > sum_points(hand) * (seats - 1)


class TurnPlan:
    """Evaluation of the ways to continue and to end a turn."""

    def __init__(self, fewest_cards: int) -> None:
        """Initialise the plan; ``fewest_cards`` is the smallest number of cards in another player's hand, at least
        1.
        """
        self._jack = JACK_VALUE * (1 - 1 / fewest_cards)

    def evaluate_play(self, hand: Cards, card: Card, number: int) -> float:
        """Return the value of playing ``card``, followed by the best continuation of the turn.

        ``card`` is the ``number``-th consecutive card of its rank in this turn.
        """
        left, rank = hand & ~BIT[card], RANK[card]
        if rank == SIX:
            more = left & find_fitting_cards(card, None)
            if more:
                return max(
                    [self.evaluate_play(left, c, number + 1 if RANK[c] == rank else 1) for c in iter_cards(more)]
                )
        elif same := left & OF_RANK[rank]:
            number += same.bit_count()
            return max([self.evaluate_end(left ^ same, c, number) for c in iter_cards(same)])
        return self.evaluate_end(left, card, number)

    def evaluate_end(self, hand: Cards, last: Card, number: int) -> float:
        """Return the value of a turn that leaves ``hand`` and ends with ``number`` cards of one rank, ``last`` on
        top.
        """
        rank = RANK[last]
        if not hand and rank != SIX:
            return OUT_VALUE
        hand_value = self._jack * (hand & OF_RANK[JACK]).bit_count() - sum_points(hand) - CARD_COST * hand.bit_count()
        passed = PASS_VALUE * number if rank == ACE else 0.0
        return hand_value + passed + NEIGHBOUR_VALUE * (hand & OF_SUIT[SUIT[last]]).bit_count()


def find_way_out(view: BridgeView) -> Action | None:
    """Return the first action with which the seat certainly goes out before another seat has a turn.

    ``None`` if there is none. Of several ways out, the one that is expected to cost the others most is chosen.
    """
    hand, top = view.hand, view.stack[-1] if view.stack else None
    slow = [cards for rank, cards in enumerate(OF_RANK) if hand & cards and rank not in (SIX, EIGHT, ACE)]
    cards_to_draw = view.blind + len(view.stack) - 1
    if not hand or len(slow) > 1 or (hand & OF_RANK[EIGHT]).bit_count() > cards_to_draw:
        return None
    return _WayOut(view).find_best(hand, top, len(view.last_move) if view.played else 0, view.named)[1]


class _WayOut:
    """Search for the ways of one seat to go out without drawing a card, in turns that follow one another."""

    def __init__(self, view: BridgeView) -> None:
        self._seats, self._seat, self._options = len(view.sizes), view.seat, view.options
        self._known: dict[tuple[Cards, Card | None, int], tuple[float, Action | None]] = {}

    def find_best(self, hand: Cards, top: Card | None, number: int, named: int | None) -> tuple[float, Action | None]:
        """Return the points that the best way out costs the others besides their hands, and its first action.

        The action is ``None`` if there is no way out. ``number`` cards of the rank of ``top`` have been played in this
        turn, 0 at its beginning, when the suit ``named`` must follow.
        """
        key = hand, top, number
        if key in self._known:
            return self._known[key]
        rank = RANK[top] if top is not None and number else None
        fit = OF_RANK[rank] if rank is not None and rank != SIX else find_fitting_cards(top, named)
        ways: list[tuple[float, Action | None]] = [(0.0, None)]
        for card in iter_cards(hand & fit):
            left, played = hand & ~BIT[card], number + 1 if RANK[card] == rank else 1
            if left:
                gain, further = self.find_best(left, card, played, None)
                if further is not None:
                    ways.append((gain, PLAY[card]))
            elif RANK[card] != SIX:
                ways.append((self._estimate_gain(RANK[card], played), PLAY[card]))
        if rank in (EIGHT, ACE):
            for action, share in self._list_ends(rank, number):
                if compute_effect(self._seats, self._seat, rank, number, share).next_seat == self._seat:
                    gain, further = self.find_best(hand, top, 0, None)
                    if further is not None:
                        ways.append((gain + self._estimate_gain(rank, number), action))
        best = max(ways, key=lambda way: (way[1] is not None, way[0]))
        self._known[key] = best
        return best

    def _list_ends(self, rank: int, number: int) -> list[tuple[Action, bool]]:
        """Return the actions that end a turn on ``number`` cards of ``rank``, each with True if 8s are shared."""
        if self._options.eights == "choose" and rank == EIGHT and number > 1 and self._seats > 2:
            return [(action, action.share) for action in EIGHTS_ACTIONS]
        return [(DONE, self._options.eights == "share")]

    def _estimate_gain(self, rank: int, number: int) -> float:
        """Return the points that ``number`` cards of ``rank`` are expected to gain at the end of a turn."""
        if rank == JACK:
            return 0.0 if self._options.jacks == "off" else JACK_POINTS * number
        draws = {SEVEN: 1, EIGHT: 2}.get(rank, 0)
        return draws * number * MEAN_CARD_POINTS


def _choose_without_card(view: BridgeView) -> Action:
    """Choose an action without a card: name a suit, decide about 8s, end the turn, draw, or the first legal action."""
    suits = [action for action in view.legal if isinstance(action, Suit)]
    if suits:
        return max(suits, key=lambda action: (view.hand & OF_SUIT[action.suit]).bit_count())
    if EIGHTS_ACTIONS[0] in view.legal:
        return Eights(share=should_share_eights(len(view.sizes), view.seat, len(view.last_move)))
    return DONE if DONE in view.legal else view.legal[0]


def should_share_eights(seats: int, seat: Seat, number: int) -> bool:
    """Return True if ``number`` 8s of ``seat`` should be shared, which is so if the turn then returns to the seat."""
    return compute_effect(seats, seat, EIGHT, number, share=True).next_seat == seat
