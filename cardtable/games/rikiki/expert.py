"""Expert of Rikiki: Monte Carlo search with information set trees (ISMCTS) and a model of the other players' hands.

Hidden hands are drawn by Metropolis sampling according to their likelihood given the bids and plays.

The value of each card is estimated once per decision, as in ``robots/kit/bidding_policy.py``, from the hand that holds
it and the cards that the deciding seat has not seen. In a rollout, a seat that expects too few tricks for its bid plays
to win tricks, and any other seat plays to lose them. The cards of a suit are a set of 13 bits, of which the lowest is
the two.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import exp, fsum
from operator import sub
from random import Random
from typing import Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine import tricks
from cardtable.engine.cards import (
    BIT,
    PACK_52,
    RANK,
    SUIT,
    Card,
    Cards,
    all_of,
    mask_of,
)
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY, Play, list_lowest_of_runs
from cardtable.games.rikiki.policy import make_features
from cardtable.games.rikiki.rules import (
    SEATS,
    RikikiState,
    RikikiView,
    build_state,
    find_unseen_cards,
    sample_hands,
    score_bid,
)
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import DEFAULT_WEIGHTS, Weight, find_nearest_bid
from cardtable.robots.kit.search import PASSED_OVER, Memo, iter_metropolis_hands, iter_unplayed_groups
from cardtable.robots.kit.search_spec import Rollout, SearchSpec, TreeSearchConfig

SuitCards: TypeAlias = int
"""Set of cards of one suit: 13 bits, of which the lowest is the two."""
FULL_SUIT: Final[SuitCards] = 0x1FFF
UNSEEN_SHIFT: Final = 13
"""Number of bits by which the unseen cards of a suit, the hand included, are shifted in a cache key."""
SHARE_STEPS: Final = 20
"""Number of steps into which the share of unseen cards that are in other hands is divided."""
HIGHEST_CARD: Final = tuple([1 << own.bit_length() >> 1 for own in range(FULL_SUIT + 1)])
LOWEST_CARD: Final = tuple([own & -own for own in range(FULL_SUIT + 1)])
RUFFED: Final = FULL_SUIT + 1
"""Value of the best card once a trick has been ruffed; no card of the suit led is higher."""
KEPT_WEIGHT: Final = 0.5
"""Weight of a trick that a card may take later, relative to a trick that it may take if it is led now."""
LEAD_WEIGHTS: Final = (
    (-1.11, -0.96, 0.50, 0.01, 2.83),
    (-1.48, -1.03, 0.51, 0.06, 6.49),
    (-1.99, -0.65, 0.60, 0.60, -0.36),
)
"""Weights for a card that is led, in the form of the rule policy.

They are fitted to the outcomes of rounds between experts, not between policy robots, so that rollouts agree better with
those outcomes.
"""
LATER_WEIGHTS: Final = (
    (0.18, -0.35, 0.64, 0.42, 6.53),
    (-2.97, -0.40, 0.39, -0.49, 1.62),
    (-3.05, -1.17, 0.93, -0.62, 0.03),
)
"""Weights for a card that stays in the hand, in the form of ``LEAD_WEIGHTS``."""
RANDOM_MODULUS: Final = 1 << 32
"""Modulus of the pseudo-random numbers in a rollout."""
STRAY_LEAD_THRESHOLD: Final = int(0.4 * RANDOM_MODULUS)
"""Random numbers below this threshold, 40 % of all, make a lead random.

Leads by rule alone would make the outcome depend on leads that real players may not find.
"""
RULE_LUCK: Final = 1.0
"""Value of ``luck`` for a rollout without random leads."""
_NO_LATER_TRICKS: Final = [(dict.fromkeys([1 << rank for rank in range(13)], 0.0),) * 4] * 4
Lead: TypeAlias = tuple[float, int, SuitCards]
"""Possible lead: gain of leading the card now instead of keeping it, its suit, and its bit in the suit."""


class SuitEstimates(NamedTuple):
    expected: float
    """Tricks that all of these cards are expected to take."""
    tricks: dict[SuitCards, float]
    """Tricks that each card is expected to take if it is kept, by its bit."""
    leads: list[Lead]


@cache
def tabulate_probabilities(weights: Weight, share: float) -> list[list[list[float]]]:
    """Tabulate the probability that a card takes a trick, as estimated by the rule policy.

    The indices are the number of cards of the suit in the hand, the number of its other unseen cards, and the number of
    these that are higher. ``share`` is the part of the unseen cards that is in other hands.
    """
    general, higher, lower, mine, highest = weights

    def compute_probability(own: int, out: int, above: int) -> float:
        good = general + share * (higher * above + lower * (out - above)) + mine * own
        return 1 / (1 + exp(-good if above else -good - highest))

    return [
        [[compute_probability(own, out, above) for above in range(out + 1)] for out in range(14 - own)]
        for own in range(14)
    ]


class HandEstimates(NamedTuple):
    parts: tuple[SuitCards, ...]
    expected: float
    """Tricks that the hand is expected to take."""
    tricks: tuple[dict[SuitCards, float], ...]
    """Tricks that each card is expected to take if it is kept, by suit and by the card's bit."""
    leads: list[Lead]
    """Leads of all cards, sorted from the best for losing the trick to the best for winning it."""


def make_hand_caches(seat: Seat, hand: Cards, unseen: Cards, trump: int | None) -> list[Memo[HandEstimates]]:
    """Return, for each seat, a cache of estimates for the hands it may hold, with the information of ``seat``.

    ``hand`` is the hand of ``seat``, and ``unseen`` the set of cards that ``seat`` has not seen.
    """
    steps = min(SHARE_STEPS, round(SHARE_STEPS * 3 * hand.bit_count() / max(1, unseen.bit_count())))
    caches = [_make_hand_cache(unseen | hand, trump, steps)] * 4
    caches[seat] = _make_hand_cache(unseen, trump, steps)
    return caches


def _make_hand_cache(others: Cards, trump: int | None, steps: int) -> Memo[HandEstimates]:
    """Return a cache that maps hands to their estimates.

    The cards of ``others`` that are not in the hand count as unseen. Of these, ``steps`` / ``SHARE_STEPS`` are in other
    hands.
    """
    suits = [
        _make_suit_cache(get_weight_index(suit, trump), suit, part, steps)
        for suit, part in enumerate(split_suits(others))
    ]

    def find(hand: int) -> HandEstimates:
        own = split_suits(hand)
        a, b, c, d = [suit[part] for suit, part in zip(suits, own, strict=True)]
        expected = a.expected + b.expected + c.expected + d.expected
        return HandEstimates(own, expected, (a[1], b[1], c[1], d[1]), sorted(a[2] + b[2] + c[2] + d[2]))

    return Memo(find)


def _make_suit_cache(kind: int, suit: int, others: SuitCards, steps: int) -> Memo[SuitEstimates]:
    """Return a cache that maps the cards of one suit in a hand to their estimates.

    ``kind`` is the index of the suit's weights. The cards of ``others`` that are not in the hand count as unseen.
    """
    lead_table = tabulate_probabilities(LEAD_WEIGHTS[kind], steps / SHARE_STEPS)
    later_table = tabulate_probabilities(LATER_WEIGHTS[kind], steps / SHARE_STEPS)

    def find(own: int) -> SuitEstimates:
        out = others & ~own
        size, number = own.bit_count(), out.bit_count()
        lead_row, later_row = lead_table[size][number], later_table[size][number]
        expected: dict[SuitCards, float] = {}
        leads: list[Lead] = []
        while own:
            bit = own & -own
            own ^= bit
            above = (out & -bit).bit_count()
            expected[bit] = takes = later_row[above]
            leads.append((lead_row[above] - KEPT_WEIGHT * takes, suit, bit))
        return SuitEstimates(fsum(expected.values()), expected, leads)

    return Memo(find)


@cache
def _make_expected_tricks_cache(kind: int, steps: int) -> Memo[float]:
    """Return a cache of the tricks that the cards of a suit are expected to take, estimated before the first trick.

    A key holds the cards in the hand and, shifted by ``UNSEEN_SHIFT``, all unseen cards of the suit with those of the
    hand.
    """

    likely = tabulate_probabilities(DEFAULT_WEIGHTS.bidding[kind], steps / SHARE_STEPS)

    def find(key: int) -> float:
        own, out = key & FULL_SUIT, key >> UNSEEN_SHIFT ^ key & FULL_SUIT
        by_above = likely[own.bit_count()][out.bit_count()]
        return fsum([by_above[(out & -BIT[rank]).bit_count()] for rank in range(13) if own & BIT[rank]])

    return Memo(find)


@cache
def make_hand_evaluator(cards: int, trump_card: Card | None) -> Callable[[Cards], float]:
    """Return a function that estimates the tricks a hand of ``cards`` cards will take, before the first trick.

    ``trump_card`` is ``None`` in a round without trumps.
    """
    trump, turned = (None, 0) if trump_card is None else (SUIT[trump_card], BIT[trump_card])
    unseen = PACK_52 & ~turned
    steps = min(SHARE_STEPS, round(SHARE_STEPS * 3 * cards / (unseen.bit_count() - cards)))
    a, b, c, d = [_make_expected_tricks_cache(get_weight_index(suit, trump), steps) for suit in range(4)]
    w, x, y, z = [own << UNSEEN_SHIFT for own in split_suits(unseen)]

    def evaluate_hand(hand: Cards) -> float:
        p, q, r, s = split_suits(hand)
        return a[p | w] + b[q | x] + c[r | y] + d[s | z]

    return evaluate_hand


def get_weight_index(suit: int, trump: int | None) -> int:
    """Return the index of the weights for a suit: 0 for trumps, 1 for a plain suit, 2 in a round without trumps."""
    return 2 if trump is None else int(suit != trump)


def split_suits(cards: Cards) -> tuple[SuitCards, SuitCards, SuitCards, SuitCards]:
    return cards & FULL_SUIT, cards >> 13 & FULL_SUIT, cards >> 26 & FULL_SUIT, cards >> 39


class Position(msgspec.Struct):
    """Position after the bidding, from which a rollout starts."""

    hands: Sequence[HandEstimates]
    """Estimates for the hand of each seat."""
    need: list[int]
    """Number of tricks that each seat still needs, updated in place; negative if it has taken too many."""
    trick: Sequence[Card]
    leader: Seat
    winning: int
    """Index of the card that is winning the trick; 0 if the trick is empty."""
    trump: int | None


def play_out(position: Position, luck: float, *, eager: bool) -> None:  # noqa: PLR0912, PLR0915 - a tight loop
    """Play the round out, and update ``position.need`` in place.

    Eager seats take the tricks they need as early as possible and expect none from the cards they keep. ``luck``, from
    0 to 1, seeds a linear congruential generator that makes some leads random; with ``RULE_LUCK`` none are.
    """
    die, stray = int(luck * RANDOM_MODULUS), STRAY_LEAD_THRESHOLD if luck < RULE_LUCK else 0
    e, f, g, h = position.hands
    hands, need, trump = [[*e.parts], [*f.parts], [*g.parts], [*h.parts]], position.need, position.trump
    cards = sum([own.bit_count() for own in hands[position.leader]])
    orders = e.leads, f.leads, g.leads, h.leads
    if eager:
        short, later_tricks = [float(number) for number in need], _NO_LATER_TRICKS
    else:
        short = [number - hand.expected for number, hand in zip(need, position.hands, strict=True)]
        later_tricks = [*zip(e.tricks, f.tricks, g.tricks, h.tricks, strict=True)]
    played, led, best, ruff = len(position.trick), 0, 0, 1
    left, worth = cards + 1 if played else cards, later_tricks[0]
    seat, taker = (position.leader + played) & 3, (position.leader + position.winning) & 3
    if played:
        led, head = SUIT[position.trick[0]], position.trick[position.winning]
        worth = later_tricks[led]
        best = 1 << RANK[head]
        if SUIT[head] != led:
            best, ruff = RUFFED, best
    while True:
        if not played:
            hand = hands[seat]
            order = orders[seat]
            die = (die * 69_069 + 1) % RANDOM_MODULUS
            if die < stray:
                possible_leads = [lead for lead in order if hand[lead[1]] & lead[2]]
                _, led, card = possible_leads[(die >> 8) % len(possible_leads)]
            else:
                for _, led, card in reversed(order) if short[seat] > 0 else order:
                    if hand[led] & card:
                        break
            hand[led] ^= card
            worth = later_tricks[led]
            short[seat] += worth[seat][card]
            best, ruff, taker, played = card, 1, seat, 1
            seat = (seat + 1) & 3
        while played < 4:
            hand = hands[seat]
            own = hand[led]
            if own:
                if not own & own - 1:
                    card = own
                elif short[seat] > 0:
                    card = (
                        LOWEST_CARD[own]
                        if own < best
                        else LOWEST_CARD[own & -best]
                        if played == 3
                        else HIGHEST_CARD[own]
                    )
                else:
                    card = HIGHEST_CARD[own & best - 1] or (HIGHEST_CARD if played == 3 else LOWEST_CARD)[own]
                hand[led] = own ^ card
                short[seat] += worth[seat][card]
                if card > best:
                    best, taker = card, seat
            else:
                over = 0 if trump is None else hand[trump] & -ruff
                if over and short[seat] > 0:
                    suit, card = trump or 0, LOWEST_CARD[over]
                else:
                    order = orders[seat]
                    for _, suit, card in order if short[seat] > 0 else reversed(order):
                        if hand[suit] & card and not (card & over and suit == trump):
                            break
                    else:
                        suit, card = trump or 0, HIGHEST_CARD[over]
                hand[suit] ^= card
                short[seat] += later_tricks[suit][seat][card]
                if card & over and suit == trump:
                    best, ruff, taker = RUFFED, card, seat
            played += 1
            seat = (seat + 1) & 3
        need[taker] -= 1
        short[taker] -= 1
        seat, played = taker, 0
        left -= 1
        if left == 1:
            need[_find_last_taker(hands, seat, trump)] -= 1
            return


def _find_last_taker(hands: Sequence[Sequence[SuitCards]], leader: Seat, trump: int | None) -> Seat:
    """Return the seat that takes the last trick; each seat has exactly one card."""
    led = 0
    while not hands[leader][led]:
        led += 1
    taker, suit = leader, led
    if trump is not None and (hands[0][trump] or hands[1][trump] or hands[2][trump] or hands[3][trump]):
        suit = trump
    best = 0
    for seat, hand in enumerate(hands):
        if hand[suit] > best:
            best, taker = hand[suit], seat
    return taker


EAGER_SHARE: Final = 0.5
"""Share of the rollouts in which all seats take the tricks they need as early as possible."""
WORLDS: Final = 120
DROP_THRESHOLD: Final = 2.0
"""Number of standard errors behind the best candidate at which a candidate is dropped.

The threshold is low, so that close candidates are evaluated in many worlds.
"""
MAX_TREE_HAND: Final = 10
"""Largest number of cards in the hand for which trees are grown; with more cards they are too shallow for their cost.
"""
SHORT_HAND: Final = 5
"""Largest number of cards in the hand with which rollouts are so short that many more of them are played."""
BID_SAMPLE_FACTOR: Final = 4
"""Factor on the number of worlds in which a bid is evaluated."""
EXPLORATION: Final = 8.0
BID_DEVIATION: Final = 0.65
"""Standard deviation, in tricks, of other seats' bids from the tricks expected of their hands."""
ONE_CARD_BID_DEVIATION: Final = 0.3
"""The same with one card."""
MIN_BID_LOG_LIKELIHOOD: Final = -5.0
"""Lower bound of the log-likelihood of a bid."""


def make_rollout(view: RikikiView) -> Rollout[RikikiState]:
    """Return a rollout for states that are consistent with ``view``, in which all seats play towards their bids.

    The value of each card is estimated only once for all of these states, with the information of the view's seat. The
    rollout changes the state given to it.
    """
    outlook = make_hand_caches(view.seat, view.hand, find_unseen_cards(view), view.trump)

    def run_rollout(state: RikikiState, luck: float) -> Sequence[float]:
        while state.bidding:
            expected = _compute_target_tricks(state.hands[state.turn], state.cards, state.trump_card, state.bids)
            state.apply(find_nearest_bid(state.legal(), expected))
        first = SEATS - state.first_bidder
        bids = state.bids[first:] + state.bids[:first]
        need = list(map(sub, bids, state.won))
        if state.playing:
            play_out(make_position(state, need, outlook), luck, eager=luck < EAGER_SHARE)
        return [score_bid(bid, bid - left) for bid, left in zip(bids, need, strict=True)]

    return run_rollout


def make_position(state: RikikiState, need: list[int], outlook: Sequence[Memo[HandEstimates]]) -> Position:
    """Return the rollout position of a state after the bidding.

    ``need`` holds the tricks that each seat still needs; the rollout updates it in place. ``outlook`` is the result of
    ``make_hand_caches``.
    """
    return Position(
        [hands[hand] for hands, hand in zip(outlook, state.hands, strict=True)],
        need,
        state.trick,
        state.leader,
        state.order.winner(state.trick) if state.trick else 0,
        state.order.trump,
    )


def sample_worlds(view: RikikiView, rng: Random) -> Iterator[RikikiState]:
    """Yield states in proportion to the likelihood of the other seats' bids and plays, by Metropolis sampling."""
    hands = sample_hands(view, rng)
    aside = find_unseen_cards(view) & ~all_of(hands)
    for sample in iter_metropolis_hands(hands, view.seat, aside, view.excluded_cards, make_hand_likelihood(view), rng):
        yield build_state(view, sample)


def make_hand_likelihood(view: RikikiView) -> Callable[[Seat, Cards], float]:
    """Return a function that computes the log-likelihood of another seat's hand, given that seat's bid and plays."""
    evaluate, played = make_hand_evaluator(view.cards, view.trump_card), view.played
    expected, groups = _infer_expected_tricks(view), _find_passed_over_groups(view)
    deviation = ONE_CARD_BID_DEVIATION if view.cards == 1 else BID_DEVIATION

    def compute_log_likelihood(seat: Seat, hand: Cards) -> float:
        worth = fsum([PASSED_OVER for group in groups[seat] if hand & group])
        if seat in expected:
            off = (expected[seat] - evaluate(hand | played[seat])) / deviation
            worth += max(MIN_BID_LOG_LIKELIHOOD, -off * off / 2)
        return worth

    return compute_log_likelihood


def _infer_expected_tricks(view: RikikiView) -> dict[Seat, float]:
    """Return the tricks expected by each seat that has bid, inferred from its bid and the earlier ones."""
    order = [(view.dealer + index) % SEATS for index in range(SEATS)]
    made = [bid for bid in (view.bids[seat] for seat in order) if bid is not None]
    return {
        seat: bid + DEFAULT_WEIGHTS.compute_crowding(view.cards, made[:index], SEATS)
        for index, (seat, bid) in enumerate(zip(order, made, strict=False))
    }


def _find_passed_over_groups(view: RikikiView) -> list[list[Cards]]:
    """Return, for each seat, the groups of unseen cards that it passed over when it played another card.

    The seat is less likely to hold a card of such a group. The groups of a trick are those of
    ``robots.kit.search.iter_unplayed_groups``.
    """
    groups: list[list[Cards]] = [[] for _ in range(SEATS)]
    order, hidden, leader = tricks.order(view.trump), find_unseen_cards(view), view.dealer
    for trick in [*view.past, view.trick] if view.trick else view.past:
        for seat, cards in iter_unplayed_groups(trick, leader, order, SEATS):
            if group := cards & hidden & ~view.excluded_cards[seat]:
                groups[seat].append(group)
        leader = (leader + order.winner(trick)) % SEATS
    return groups


def list_candidates(view: RikikiView) -> Sequence[Action]:
    """Return the bids worth considering, or the lowest card of each group of equivalent cards."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        expected = _compute_target_tricks(view.hand, view.cards, view.trump_card, made)
        return bidding_policy.list_sensible_bids(view.legal, expected, make_features(view).count_sure_tricks(view))
    return [PLAY[c] for c in _list_distinct_cards(view)]


def list_dominated(view: RikikiView) -> Sequence[Action]:
    return make_features(view).list_dominated(view)


def _list_distinct_cards(view: RikikiView) -> Sequence[Card]:
    """Return the lowest card of each group of equivalent legal cards.

    Cards of a suit are equivalent if no card between them is in the trick or may be in another hand.
    """
    between = PACK_52 & ~view.hand & ~all_of(view.played) | mask_of(view.trick)
    return list_lowest_of_runs(mask_of([play.card for play in view.legal if isinstance(play, Play)]), between)


def _compute_target_tricks(hand: Cards, cards: int, trump_card: Card | None, earlier_bids: Sequence[int]) -> float:
    """Return the number of tricks that the rule policy would bid with ``hand`` before rounding.

    ``cards`` is the number of cards in the hand, and ``earlier_bids`` lists the bids made before, in order.
    """
    return make_hand_evaluator(cards, trump_card)(hand) - DEFAULT_WEIGHTS.compute_reduction(cards, earlier_bids, SEATS)


def choose_tree_config(view: RikikiView) -> TreeSearchConfig | None:
    """Return the parameters of the tree search; ``None`` for hands above ``MAX_TREE_HAND`` cards.

    Bids and plays with few cards are evaluated in more worlds.
    """
    cards = view.hand.bit_count()
    if cards > MAX_TREE_HAND:
        return None
    if None in view.bids:
        return TreeSearchConfig(BID_SAMPLE_FACTOR, EXPLORATION)
    return TreeSearchConfig(6 if cards <= SHORT_HAND else 2, EXPLORATION)


SEARCH_SPEC: Final = SearchSpec(
    sample_worlds,
    make_rollout,
    WORLDS,
    list_candidates,
    dominated=list_dominated,
    drop_threshold=DROP_THRESHOLD,
    tree_config=choose_tree_config,
    big_mistake=2.0,
)
