"""Opponent model of Rummy: samples of the opponent's hand, weighted by the likelihood of their discards."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import exp, log
from operator import mul
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, Card, Cards, iter_cards, mask_of
from cardtable.engine.chance import shuffled
from cardtable.games.rummy.expert.meld_planner import AROUND, completes, loose, near
from cardtable.games.rummy.expert.rollouts import fitting, match
from cardtable.games.rummy.policy import FITTING, MATCH, NEARLY, SOON, SURE, hurry
from cardtable.games.rummy.rules.legal_turns import Ends, Table, ends
from cardtable.games.rummy.rules.melds import MASK, WORTH, worth
from cardtable.games.rummy.rules.state import Past, RummyState, RummyView, imagine

TURNS: Final = 5
"""Number of the opponent's last turns that are evaluated."""
CHANCE: Final = 3.0
"""Softmax temperature of the discard model, in points."""
ODD: Final = 3.0
"""Largest negative log-likelihood of a discard."""
AMONG: Final = 0.6
"""Weight of the logarithm of the number of possible discards.

It is below 1, since sampled hands already reflect part of this information.
"""


def opponent_turns(view: RummyView) -> list["OpponentInference"]:
    """Return the opponent's last turns, the latest first; at most ``MAX_TURNS``.

    Empty if the opponent hurries, since the discard model does not apply to such a player.
    """
    if hurry(view) > SURE:
        return []
    over = view.past
    found = [number for number, past in enumerate(over) if past.seat != view.seat]
    return [
        OpponentInference(over[number], over[number - 1] if number else None) for number in found[: -TURNS - 1 : -1]
    ]


class OpponentInference:
    """Finished turn of the opponent, with the likelihood of its discard for a given hand.

    ``earlier`` is the turn of the other seat before it; ``None`` for the first turn of the round.
    """

    __slots__ = (
        "_barred",
        "_end",
        "_fits",
        "_free",
        "_known",
        "_laid",
        "_near",
        "_pile",
        "_risk",
        "_shown",
        "_taken",
        "_unknown",
        "drop",
    )

    def __init__(self, past: Past, earlier: Past | None) -> None:
        self.drop = BIT[past.drop]
        self._taken = past.taken
        self._barred = 0 if past.taken & (past.taken - 1) else past.taken
        self._end = ends(past.table)
        self._fits = fitting(self._end)
        self._known = earlier.shown[past.seat] if earlier else 0
        table = _on(past.table)
        self._laid = table & ~_on(earlier.table) if earlier else table
        self._shown = past.shown[1 - past.seat]
        self._pile = mask_of(past.pile)
        self._free = PACK_52 & ~(table | self._shown)
        self._unknown = past.others - self._shown.bit_count()
        self._risk = min(1.0, SOON / min(past.stock / 2 + 1, past.others + 0.5))
        self._near = (1 - self._risk) * NEARLY

    def before(self, hand: Cards, rng: Random) -> Cards:
        """Return a possible hand before the turn, given the hand just before the discard.

        A card drawn from the stock is chosen at random from the cards that were not publicly known.
        """
        hand |= self._laid
        if self._taken:
            return hand & ~self._taken
        drawn = iter_cards(hand & ~self._known)
        return hand & ~BIT[drawn[int(rng.random() * len(drawn))]] if drawn else hand

    def likely(self, hand: Cards) -> float:
        """Return the log-likelihood of the discard from ``hand``, by a softmax over the costs of all discards.

        It is higher if there were many cards to choose from, and at least ``-MAX_SURPRISE``.
        """
        rest = loose(hand, self._end)
        choice = rest & ~self._barred or hand
        if not self.drop & choice:
            return -ODD
        free = self._free & ~hand
        hidden = free & ~self._pile
        share = self._unknown / max(1, hidden.bit_count())
        own, losses = 0.0, []
        for c in iter_cards(choice):
            around = AROUND[c]
            loss = self._near * near(c, rest & around, free & around) - self._risk * WORTH[c]
            if BIT[c] & self._fits:
                loss += FITTING * WORTH[c]
            else:
                sure, one, two = match(c, hidden & around, self._shown & around)
                loss += MATCH * (sure + share * (one + share * two))
            losses.append(loss)
            if BIT[c] == self.drop:
                own = loss
        likely = AMONG * log(len(losses)) - log(sum([exp((own - loss) / CHANCE) for loss in losses]))
        return max(-ODD, likely)


def _on(table: Table) -> Cards:
    return sum([MASK[combination] for combination in table])


TRIES: Final = 8
"""Number of hands drawn for each sample."""
FEWER_TRIES: Final = 4
"""Number of hands drawn for each sample that is also weighted by the opponent's discards."""
HANDS: Final = 200
"""Number of samples that are weighted by the opponent's discards."""
TRUST: Final = 0.7
"""Factor on the log-likelihood of discards; it is below 1, since the opponent may not follow the rule policy."""
DROPPED: Final = 0.4
"""Number of extra cards drawn for each turn that the opponent has had; they are then removed like discards."""
MOST_DROPPED: Final = 1 / 3
"""Largest number of extra cards, relative to the number of hidden cards in the hand."""
CAPRICE: Final = 6.0
"""Range of the random noise in the choice of the cards to remove, in points."""
LONG: Final = 24
"""Typical number of turns in a round, after which the change in ``FEATURE_WEIGHTS`` is complete."""
WEIGHTS: Final = ((0.28, 0.06), (0.0, -0.34), (0.03, 0.12), (-1.13, -1.02), (-0.56, -0.03), (-2.2, -0.2))
"""Log-likelihood weights for the features of a sampled hand, fitted to hands of steady players.

Each pair is the weight at the start of a round and its change until the end. The features are: cards that can be laid,
near-melds of the loose cards, points of the loose cards, pile cards that would have completed a meld, pile cards that
would have formed a near-meld, and whether all cards can be laid.
"""


def sample_worlds(view: RummyView, rng: Random) -> Iterator[RummyState]:
    """Yield states with plausible hands of the opponent, weighted by the likelihood of the opponent's discards.

    ``SAMPLED_HANDS`` hands are drawn once, and states are drawn from them with replacement.
    """
    turns = opponent_turns(view)
    if not turns:
        while True:
            yield sample_world(view, rng)
    sifter = HandSampler(view)
    hands = [sifter.hand(FEWER_TRIES, rng) for _ in range(HANDS)]
    likely = [_log_likelihood(turns, hand, rng) for hand in hands]
    most = max(likely)
    shares = [*accumulate([exp(one - most) for one in likely])]
    while True:
        (hand,) = rng.choices(hands, cum_weights=shares)
        yield _world(view, hand, rng)


def sample_world(view: RummyView, rng: Random) -> RummyState:
    """Return a state with a plausible hand of the opponent, who must not be on turn; discards are ignored."""
    return _world(view, HandSampler(view).hand(TRIES, rng), rng)


def _world(view: RummyView, hand: Cards, rng: Random) -> RummyState:
    """Return a state in which the opponent holds ``hand`` and the stock is in random order."""
    state = imagine(view, rng)
    hidden = mask_of(state.stock) | state.hands[1 - view.seat]
    state.hands = (hand, view.hand) if view.seat else (view.hand, hand)
    state.stock = shuffled(hidden & ~hand, rng)
    return state


def _log_likelihood(turns: Sequence[OpponentInference], hand: Cards, rng: Random) -> float:
    """Return the log-likelihood that ``turns``, the latest first, have led to ``hand``."""
    likely = 0.0
    for turn in turns:
        hand |= turn.drop
        likely += turn.likely(hand)
        hand = turn.before(hand, rng)
    return TRUST * likely


class HandSampler:
    """Sampler of plausible hands of the opponent; it ignores the opponent's discards."""

    def __init__(self, view: RummyView) -> None:
        other = 1 - view.seat
        self._end, self._pile, self._shown = ends(view.table), view.pile, view.shown[other]
        table = sum([MASK[combination] for combination in view.table])
        self._free = PACK_52 & ~(table | view.shown[view.seat])
        self._pool = PACK_52 & ~(view.hand | mask_of(view.pile) | table | self._shown)
        self._hidden = view.sizes[other] - self._shown.bit_count()
        self._more = min(DROPPED * (view.turns // 2), MOST_DROPPED * self._hidden)
        late = view.turns / LONG
        self._weights = [first + more_late * late for first, more_late in WEIGHTS]

    def hand(self, tries: int, rng: Random) -> Cards:
        """Draw ``tries`` hands and return one of them, chosen in proportion to their likelihood."""
        hands, likely = [], []
        for _ in range(tries):
            number = min(int(self._more + rng.random()), self._pool.bit_count() - self._hidden)
            drawn = mask_of(shuffled(self._pool, rng)[: self._hidden + number])
            hand, rest = _sifted(self._shown, drawn, number, self._end, self._free, rng)
            hands.append(hand)
            likely.append(sum(map(mul, self._weights, _marks(hand, rest, self._pile, self._free))))
        most = max(likely)
        (hand,) = rng.choices(hands, [exp(one - most) for one in likely])
        return hand


def _sifted(shown: Cards, drawn: Cards, number: int, end: Ends, free: Cards, rng: Random) -> tuple[Cards, Cards]:
    """Return the union of ``shown`` and ``drawn`` without its ``number`` least valuable cards, and its loose cards.

    Cards of ``shown`` are never removed.
    """
    hand = shown | drawn
    rest = loose(hand, end)
    for _ in range(number):
        worst, least = 0, 1e9
        for c in iter_cards(rest & ~shown or hand & ~shown):
            around = AROUND[c]
            card_value = 2 * near(c, rest & around, free & around) - WORTH[c] / 4 + CAPRICE * rng.random()
            if card_value < least:
                worst, least = BIT[c], card_value
        hand ^= worst
        rest = rest ^ worst if rest & worst else loose(hand, end)
    return hand, rest


def _marks(hand: Cards, rest: Cards, pile: Sequence[Card], free: Cards) -> tuple[int, ...]:
    """Return the features of a hand, in the order of ``FEATURE_WEIGHTS``; ``rest`` holds its loose cards."""
    fitting = close = links = 0
    for c in pile:
        around = hand & AROUND[c]
        if around:
            if completes(c, around):
                fitting += 1
            else:
                close += 1
    for c in iter_cards(rest):
        around = AROUND[c]
        links += near(c, rest & around, free & around)
    return (hand & ~rest).bit_count(), links, worth(rest), fitting, close, not rest
