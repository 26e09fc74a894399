"""Expert of Rummy: Monte Carlo search over the current turn, with a value network at the end of short rollouts.

A rollout plays the rest of the turn and two more turns. Hands of the opponent are sampled by the likelihood of their
discards.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import exp, fsum, log, tanh
from operator import mul
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, Card, Cards, iter_cards, mask_of
from cardtable.engine.chance import shuffled
from cardtable.engine.game import Action
from cardtable.games.rummy.expert.rollouts import (
    PARTNERS,
    RoundSimulation,
    completes_meld,
    count_match_points,
    count_near_melds,
    find_lay_off_cards,
    find_loose_cards,
)
from cardtable.games.rummy.expert.value_net import predict
from cardtable.games.rummy.policy import (
    CERTAIN_END,
    HURRY_THRESHOLD,
    LAY_OFF_WEIGHT,
    MATCH_WEIGHT,
    NEAR_MELD_VALUE,
    ViewEvaluation,
    estimate_hurry,
    is_safe_to_lay,
    iter_steps,
    steady,
)
from cardtable.games.rummy.rules import FinishedTurn, RummyState, RummyView, imagine
from cardtable.games.rummy.rules.actions import Drop
from cardtable.games.rummy.rules.legal_turns import OpenEnds, find_open_ends, find_table_cards
from cardtable.games.rummy.rules.melds import CARD_POINTS, sum_points
from cardtable.robots.kit.search_spec import SearchSpec, make_rollout_chooser

MAX_TURNS: Final = 5
"""Number of the opponent's last turns that are evaluated."""
TEMPERATURE: Final = 3.0
"""Softmax temperature of the discard model, in points."""
MAX_SURPRISE: Final = 3.0
"""Largest negative log-likelihood of a discard."""
CHOICE_WEIGHT: Final = 0.6
"""Weight of the logarithm of the number of possible discards.

It is below 1, since sampled hands already reflect part of this information.
"""


def list_opponent_turns(view: RummyView) -> list["OpponentTurn"]:
    """Return the opponent's last turns, the latest first; at most ``MAX_TURNS``.

    Empty if the opponent hurries, since the discard model does not apply to such a player.
    """
    if estimate_hurry(view) > HURRY_THRESHOLD:
        return []
    over = view.past
    numbers = [number for number, past in enumerate(over) if past.seat != view.seat]
    return [
        OpponentTurn(over[number], over[number - 1] if number else None) for number in numbers[: -MAX_TURNS - 1 : -1]
    ]


class OpponentTurn:
    """Finished turn of the opponent, with the likelihood of its discard for a given hand.

    ``earlier`` is the turn of the other seat before it; ``None`` for the first turn of the round.
    """

    __slots__ = (
        "_barred", "_end", "_fits", "_free", "_known", "_laid", "_near", "_pile", "_risk", "_shown", "_taken",
        "_unknown", "drop",
    )  # fmt: skip

    def __init__(self, past: FinishedTurn, earlier: FinishedTurn | None) -> None:
        self.drop = BIT[past.drop]
        self._taken = past.taken
        self._barred = 0 if past.taken & (past.taken - 1) else past.taken
        self._end = find_open_ends(past.table)
        self._fits = find_lay_off_cards(self._end)
        self._known = earlier.shown[past.seat] if earlier else 0
        table = find_table_cards(past.table)
        self._laid = table & ~find_table_cards(earlier.table) if earlier else table
        self._shown = past.shown[1 - past.seat]
        self._pile = mask_of(past.pile)
        self._free = PACK_52 & ~(table | self._shown)
        self._unknown = past.others - self._shown.bit_count()
        self._risk = min(1.0, CERTAIN_END / min(past.stock / 2 + 1, past.others + 0.5))
        self._near = (1 - self._risk) * NEAR_MELD_VALUE

    def sample_earlier_hand(self, hand: Cards, rng: Random) -> Cards:
        """Return a possible hand before the turn, given the hand just before the discard.

        A card drawn from the stock is chosen at random from the cards that were not publicly known.
        """
        hand |= self._laid
        if self._taken:
            return hand & ~self._taken
        drawn = iter_cards(hand & ~self._known)
        return hand & ~BIT[drawn[int(rng.random() * len(drawn))]] if drawn else hand

    def compute_log_likelihood(self, hand: Cards) -> float:
        """Return the log-likelihood of the discard from ``hand``, by a softmax over the costs of all discards.

        It is higher if there were many cards to choose from, and at least ``-MAX_SURPRISE``.
        """
        rest = find_loose_cards(hand, self._end)
        choice = rest & ~self._barred or hand
        if not self.drop & choice:
            return -MAX_SURPRISE
        free = self._free & ~hand
        hidden = free & ~self._pile
        share = self._unknown / max(1, hidden.bit_count())
        own, losses = 0.0, []
        for c in iter_cards(choice):
            around = PARTNERS[c]
            loss = self._near * count_near_melds(c, rest & around, free & around) - self._risk * CARD_POINTS[c]
            if BIT[c] & self._fits:
                loss += LAY_OFF_WEIGHT * CARD_POINTS[c]
            else:
                sure, one, two = count_match_points(c, hidden & around, self._shown & around)
                loss += MATCH_WEIGHT * (sure + share * (one + share * two))
            losses.append(loss)
            if BIT[c] == self.drop:
                own = loss
        likely = CHOICE_WEIGHT * log(len(losses)) - log(fsum([exp((own - loss) / TEMPERATURE) for loss in losses]))
        return max(-MAX_SURPRISE, likely)


TRIES: Final = 8
"""Number of hands drawn for each sample."""
FEWER_TRIES: Final = 4
"""Number of hands drawn for each sample that is also weighted by the opponent's discards."""
SAMPLED_HANDS: Final = 200
"""Number of samples that are weighted by the opponent's discards."""
DISCARD_WEIGHT: Final = 0.7
"""Factor on the log-likelihood of discards; it is below 1, since the opponent may not follow the rule policy."""
EXTRA_CARDS: Final = 0.4
"""Number of extra cards drawn for each turn that the opponent has had; they are then removed like discards."""
MAX_EXTRA_SHARE: Final = 1 / 3
"""Largest number of extra cards, relative to the number of hidden cards in the hand."""
REMOVAL_NOISE: Final = 6.0
"""Range of the random noise in the choice of the cards to remove, in points."""
TYPICAL_TURNS: Final = 24
"""Typical number of turns in a round, after which the change in ``FEATURE_WEIGHTS`` is complete."""
FEATURE_WEIGHTS: Final = ((0.28, 0.06), (0.0, -0.34), (0.03, 0.12), (-1.13, -1.02), (-0.56, -0.03), (-2.2, -0.2))
"""Log-likelihood weights for the features of a sampled hand, fitted to hands of steady players.

Each pair is the weight at the start of a round and its change until the end. The features are: cards that can be laid,
near-melds of the loose cards, points of the loose cards, pile cards that would have completed a meld, pile cards that
would have formed a near-meld, and whether all cards can be laid.
"""


def sample_worlds(view: RummyView, rng: Random) -> Iterator[RummyState]:
    """Yield states with plausible hands of the opponent, weighted by the likelihood of the opponent's discards.

    ``SAMPLED_HANDS`` hands are drawn once, and states are drawn from them with replacement.
    """
    turns = list_opponent_turns(view)
    if not turns:
        while True:
            yield sample_world(view, rng)
    sampler = HandSampler(view)
    hands = [sampler.sample_hand(FEWER_TRIES, rng) for _ in range(SAMPLED_HANDS)]
    likely = [_compute_log_likelihood(turns, hand, rng) for hand in hands]
    most = max(likely)
    shares = [*accumulate([exp(one - most) for one in likely])]
    while True:
        (hand,) = rng.choices(hands, cum_weights=shares)
        yield _make_world(view, hand, rng)


def sample_world(view: RummyView, rng: Random) -> RummyState:
    """Return a state with a plausible hand of the opponent, who must not be on turn; discards are ignored."""
    return _make_world(view, HandSampler(view).sample_hand(TRIES, rng), rng)


def _make_world(view: RummyView, hand: Cards, rng: Random) -> RummyState:
    """Return a state in which the opponent holds ``hand`` and the stock is in random order."""
    state = imagine(view, rng)
    hidden = mask_of(state.stock) | state.hands[1 - view.seat]
    state.hands = (hand, view.hand) if view.seat else (view.hand, hand)
    state.stock = shuffled(hidden & ~hand, rng)
    return state


def _compute_log_likelihood(turns: Sequence[OpponentTurn], hand: Cards, rng: Random) -> float:
    """Return the log-likelihood that ``turns``, the latest first, have led to ``hand``."""
    likely = 0.0
    for turn in turns:
        hand |= turn.drop
        likely += turn.compute_log_likelihood(hand)
        hand = turn.sample_earlier_hand(hand, rng)
    return DISCARD_WEIGHT * likely


class HandSampler:
    """Sampler of plausible hands of the opponent; it ignores the opponent's discards."""

    def __init__(self, view: RummyView) -> None:
        other = 1 - view.seat
        self._end, self._pile, self._shown = find_open_ends(view.table), view.pile, view.shown[other]
        table = find_table_cards(view.table)
        self._free = PACK_52 & ~(table | view.shown[view.seat])
        self._pool = PACK_52 & ~(view.hand | mask_of(view.pile) | table | self._shown)
        self._hidden = view.sizes[other] - self._shown.bit_count()
        self._more = min(EXTRA_CARDS * (view.turns // 2), MAX_EXTRA_SHARE * self._hidden)
        late = view.turns / TYPICAL_TURNS
        self._weights = [first + more_late * late for first, more_late in FEATURE_WEIGHTS]

    def sample_hand(self, tries: int, rng: Random) -> Cards:
        """Draw ``tries`` hands and return one of them, chosen in proportion to their likelihood."""
        hands, likely = [], []
        for _ in range(tries):
            number = min(int(self._more + rng.random()), self._pool.bit_count() - self._hidden)
            drawn = mask_of(shuffled(self._pool, rng)[: self._hidden + number])
            hand, rest = _remove_worst_cards(self._shown, drawn, number, self._end, self._free, rng)
            hands.append(hand)
            likely.append(fsum(map(mul, self._weights, _compute_features(hand, rest, self._pile, self._free))))
        most = max(likely)
        (hand,) = rng.choices(hands, [exp(one - most) for one in likely])
        return hand


def _remove_worst_cards(
    shown: Cards, drawn: Cards, number: int, end: OpenEnds, free: Cards, rng: Random
) -> tuple[Cards, Cards]:
    """Return the union of ``shown`` and ``drawn`` without its ``number`` least valuable cards, and its loose cards.

    Cards of ``shown`` are never removed.
    """
    hand = shown | drawn
    rest = find_loose_cards(hand, end)
    for _ in range(number):
        worst, least = 0, 1e9
        for c in iter_cards(rest & ~shown or hand & ~shown):
            around = PARTNERS[c]
            card_value = (
                2 * count_near_melds(c, rest & around, free & around)
                - CARD_POINTS[c] / 4
                + REMOVAL_NOISE * rng.random()
            )
            if card_value < least:
                worst, least = BIT[c], card_value
        hand ^= worst
        rest = rest ^ worst if rest & worst else find_loose_cards(hand, end)
    return hand, rest


def _compute_features(hand: Cards, rest: Cards, pile: Sequence[Card], free: Cards) -> tuple[int, ...]:
    """Return the features of a hand, in the order of ``FEATURE_WEIGHTS``; ``rest`` holds its loose cards."""
    fitting = close = links = 0
    for c in pile:
        around = hand & PARTNERS[c]
        if around:
            if completes_meld(c, around):
                fitting += 1
            else:
                close += 1
    for c in iter_cards(rest):
        around = PARTNERS[c]
        links += count_near_melds(c, rest & around, free & around)
    return (hand & ~rest).bit_count(), links, sum_points(rest), fitting, close, 0 if rest else 1


WORLDS: Final = 40
MAX_DISCARDS: Final = 5
"""Largest number of discards among the candidates."""
MAX_DISCARDS_HURRIED: Final = 2
"""Largest number of discards among the candidates if the opponent hurries."""
LEAD_SCALE: Final = 150.0
LEAD_SCALE_PER_LIMIT: Final = 0.4
"""Scale of the session value: a lead of ``LEAD_SCALE + LEAD_SCALE_PER_LIMIT * limit`` points makes a win 88 % likely.
"""


def run_rollout(state: RummyState, _luck: float) -> Sequence[float]:
    """Return the points of the round that each seat is expected to make, by the value network after two more turns.

    ``state`` is not changed. If its round is finished, the points of that round are returned.
    """
    if not state.playing:
        assert state.score is not None
        return state.score.points
    simulation = RoundSimulation(state)
    seat = simulation.play_turns(state.turn, state.must, state.barred, drew=state.drew, turns=3 if state.drew else 2)
    if seat is None:
        return [laid - sum_points(hand) for laid, hand in zip(simulation.laid, simulation.hands, strict=True)]
    return predict(simulation, seat)


def list_candidates(view: RummyView) -> Sequence[Action]:
    """Return the candidates: all draws, or after the draw the next steps of the best plan and the best discards.

    Against an opponent who hurries there are fewer discards, the best by rule, since rollouts assume players who wait.
    Late in a round, melds that cannot be extended are laid without a search.
    """
    sight, usual = ViewEvaluation(view, watchful=True), choose_by_rule(view)
    if is_safe_to_lay(view, sight, usual):
        return [usual]
    if not view.drew:
        return view.legal
    plan = sight.find_best_plan(view.hand, view.must, view.barred)
    to_lay = sorted(iter_steps(view, plan), key=lambda step: step[0], reverse=True)
    drops = [action for action in view.legal if isinstance(action, Drop)]
    if to_lay and (not drops or not plan.rest & (plan.rest - 1)):
        return [to_lay[0][1]]
    loose = [drop for drop in drops if drop.cards_used() & plan.rest] or drops
    loose.sort(key=lambda drop: sight.compute_discard_cost(drop.card, plan.rest))
    candidates = [*loose[: MAX_DISCARDS_HURRIED if sight.hurried else MAX_DISCARDS], *[action for _, action in to_lay]]
    return candidates if usual in candidates else [*candidates, usual]


def choose_by_rule(view: RummyView) -> Action:
    """Return the action of the steady policy, which is deterministic."""
    return steady(view, Random(0))


def evaluate_points(view: RummyView, points: Sequence[float]) -> float:
    """Return the seat's lead in the round, adjusted for its effect on the chance to win the session.

    The probability of winning the session is modelled as a hyperbolic tangent of the lead. The value is the change of
    this probability, converted into points at the present totals. A leading seat therefore prefers safety, a trailing
    seat risk.
    """
    far, seat = LEAD_SCALE + LEAD_SCALE_PER_LIMIT * view.options.limit, view.seat
    before = tanh((view.totals[seat] - view.totals[1 - seat]) / far)
    round_ = tanh((points[seat] - points[1 - seat]) / far)
    return far * round_ / (1 + before * round_)


SEARCH_SPEC: Final = SearchSpec(
    sample_worlds,
    make_rollout_chooser(run_rollout),
    WORLDS,
    list_candidates,
    evaluate_points,
    rule=choose_by_rule,
    big_mistake=12.0,
)
