"""Gurka for the searcher.  Suits mean nothing, so that hands are ranks here, in order."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp
from random import Random
from typing import Final, TypeAlias

from cardtable.engine.cards import ACE, BIT, RANK, RANKS, Cards, each
from cardtable.engine.contract import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.gurka.policy import FEW
from cardtable.games.gurka.rules import GurkaState, GurkaView, Options, imagine, winner
from cardtable.robots.kit.search import Guide, alike, anew

WORLDS: Final = 60
TRIES: Final = 8
"""Worlds that are imagined at most to find one in which the others' plays are not odd."""
ODD: Final = 1.0
"""How many points somebody may throw away by a play before it is odd."""
LOWEST: Final = (-6.2, -6.1, -5.0, -4.1, -2.0, 0.0, 1.6, 4.1, 6.6, 8.0, 9.0, 11.6, 14.3)
SECOND: Final = (-5.0, -4.2, -3.9, -2.3, -0.4, -0.4, 0.5, 2.6, 3.4, 5.9, 6.3, 5.8, 5.8)
OTHER: Final = (-1.6, -0.9, -0.3, -0.2, 0.3, 0.4, 1.1, 1.4, 2.0, 1.2, 0.7, -0.2, -0.3)
LEADING: Final = (0.0, 0.4, -1.4, -1.1, -1.1, -0.9, -0.7)
"""What cards that are kept cost, as in the rule policy, but fitted in matches against it: with these numbers it is
0.11 points a round ahead (± 0.01)."""
NOTHING: Final = -1
"""The highest rank of a trick in which nothing lies."""

Hand: TypeAlias = tuple[int, ...]
"""Ranks, the lowest first."""


Situation: TypeAlias = tuple[int, int, bool, bool, bool]
"""What matters to a seat that is free to choose, besides its hand: the highest rank in the trick, how many seats are
still to come in it, whether so many play that a card is as good as the next lower one, whether an ace would bind those
to come, whether who can head must."""


def rollout(state: GurkaState, _luck: float) -> Sequence[float]:
    """Points of the round when all play on by rule."""
    if not state.playing:
        assert state.score is not None
        return [-points for points in state.score.points]
    hands, seats, ace_rule = [_ranks(hand) for hand in state.hands], state.seats, state.options.ace_rule
    seat, lying, top, bound = state.turn, len(state.trick), state.top, state.bound
    taker = (state.leader + winner(state.trick)) % seats if lying else seat
    while True:
        hand = hands[seat]
        binds = ace_rule == "any" or (ace_rule == "led-only" and not lying)
        at = 0 if bound else _choice(hand, (top, seats - 1 - lying, seats > FEW, binds, state.must_head))
        rank = hand[at]
        hands[seat] = hand[:at] + hand[at + 1 :]
        if rank >= top and not bound:
            top, taker, bound = rank, seat, binds and rank == ACE
        lying += 1
        if lying < seats:
            seat = (seat + 1) % seats
            continue
        seat, lying, top, bound = taker, 0, NOTHING, False
        if len(hands[seat]) == 1:
            most = max(hands)[0]
            return [-2.0 - most if hand[0] == most else 0.0 for hand in hands]


def _ranks(hand: Cards) -> Hand:
    return tuple(sorted([RANK[c] for c in each(hand)]))


@lru_cache(maxsize=1 << 14)
def _costs(hand: Hand, situation: Situation) -> tuple[tuple[int, float], ...]:
    """The plays, as places in the hand, one of each rank, and what each is expected to cost."""
    top, after, lower, binds, must_head = situation
    least, number = hand[0], len(hand)
    heads = [i for i in range(number) if hand[i] >= top and (not i or hand[i] != hand[i - 1])]
    places = heads if heads and (must_head or least >= top) else [0, *heads]
    others = [OTHER[max(rank - lower, 0)] for rank in hand]
    low = [max(rank - lower, 0) for rank in hand[:3]]
    beyond, found = sum(others[2:]), []
    for i in places:
        cost = LOWEST[low[not i]]
        if number > 2:
            cost += SECOND[low[2 if i < 2 else 1]] + beyond - others[max(i, 2)]
        if hand[i] >= top:
            takes = 1.0 if binds and hand[i] == ACE else (hand[i] / len(RANKS)) ** (after * (number - 1))
            cost += LEADING[number - 1] * takes
        found.append((i, cost))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _choice(hand: Hand, situation: Situation) -> int:
    """The place in the hand of the card that costs least."""
    return min(_costs(hand, situation), key=lambda play: play[1])[0]


@lru_cache(maxsize=1 << 14)
def _waste(hand: Hand, situation: Situation, rank: int) -> float:
    """What a card of ``rank`` costs more than the best one."""
    costs = _costs(hand, situation)
    return dict(costs)[hand.index(rank)] - min([cost for _, cost in costs])


def _situation(options: Options, seats: int, lying: int, top: int) -> Situation:
    binds = options.ace_rule == "any" or (options.ace_rule == "led-only" and not lying)
    return top, seats - 1 - lying, seats > FEW, binds, options.must_head == "on"


def guess(view: GurkaView, rng: Random) -> GurkaState:
    """A world in which what the others played to this trick and the last is not odd."""
    free = list(_free_plays(view))
    best, least = imagine(view, rng), 1e9
    for _ in range(TRIES if free else 0):
        world = imagine(view, rng)
        wasted = sum([_waste(_ranks(world.hands[seat] | since), case, rank) for seat, since, case, rank in free])
        if rng.random() < exp(-wasted / ODD):
            return world
        if wasted < least:
            best, least = world, wasted
    return best


def _free_plays(view: GurkaView) -> Iterator[tuple[Seat, Cards, Situation, int]]:
    """What the others played to this trick and the last where they could choose.

    Each with what the seat has played since, that card included, the situation, and the rank.
    """
    seats, options = len(view.totals), view.options
    now = {(view.leader + i) % seats: BIT[c] for i, c in enumerate(view.trick)}
    for leader, trick in ((view.last_leader, view.last_trick), (view.leader, view.trick)):
        for i, card in enumerate(trick):
            seat, before = (leader + i) % seats, trick[:i]
            if seat == view.seat or options.bound(before):
                continue
            top = max([RANK[c] for c in before], default=NOTHING)
            yield seat, BIT[card] | now.get(seat, 0), _situation(options, seats, i, top), RANK[card]


def candidates(view: GurkaView) -> Sequence[Action]:
    """A card of each rank that may be played."""
    return list({RANK[play.card]: play for play in view.legal if isinstance(play, Play)}.values())


def by_rule(view: GurkaView) -> Action:
    """What everybody does in rollouts."""
    hand = _ranks(view.hand)
    top = NOTHING if view.best is None else RANK[view.best]
    case = _situation(view.options, len(view.totals), len(view.trick), top)
    rank = hand[0 if view.bound else _choice(hand, case)]
    return next(play for play in candidates(view) if RANK[play.uses().bit_length() - 1] == rank)


GUIDE: Final = Guide(anew(guess), alike(rollout), WORLDS, candidates, rule=by_rule)
