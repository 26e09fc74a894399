"""Gurka for the searcher."""

from collections.abc import Callable, Iterator, Sequence
from operator import or_
from random import Random
from typing import Final

from cardtable.engine import piles
from cardtable.engine.cards import ACE, PACK_52, RANK, Cards
from cardtable.engine.contract import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.gurka.expert.hands import (
    BITS,
    CHOICE,
    HAND,
    LEAST,
    LIKENESS,
    NOTHING,
    SITUATION,
    TOP,
    Hand,
    hand_of,
    key_of,
    situations,
)
from cardtable.games.gurka.rules import GurkaState, GurkaView, imagine, winner
from cardtable.robots.kit.search import Guide
from cardtable.robots.kit.walk import walk

WORLDS: Final = 200


def rollout(state: GurkaState, _luck: float) -> Sequence[float]:
    """Points of the round when all play on by rule."""
    if not state.playing:
        assert state.score is not None
        return [-points for points in state.score.points]
    hands, seats, options = [HAND[hand] for hand in state.hands], state.seats, state.options
    seat, lying, top, bound = state.turn, len(state.trick), state.top, state.bound
    taker = (state.leader + winner(state.trick)) % seats if lying else seat
    below, any_ace, led_ace = situations(options), options.ace_rule == "any", options.ace_rule == "led-only"
    left = state.hands[state.leader if lying else seat].bit_count() + (lying > 0)
    while True:
        if bound:
            rank, hands[seat] = LEAST[hands[seat]]
        else:
            rank, hands[seat] = CHOICE[hands[seat] << SITUATION | top + 1 << TOP | below[lying]]
            if rank >= top:
                top, taker = rank, seat
                bound = rank == ACE and (any_ace or (led_ace and not lying))
        lying += 1
        seat += 1
        if seat == seats:
            seat = 0
        if lying == seats:
            seat, lying, top, bound = taker, 0, NOTHING, False
            left -= 1
            if left == 1:
                most = max(hands)
                lost = -2.0 - most.bit_length() // BITS
                return [lost if hand == most else 0.0 for hand in hands]


def likely_worlds(view: GurkaView, rng: Random) -> Iterator[GurkaState]:
    """Worlds as likely as what the others have played in this round makes them."""
    state = imagine(view, rng)
    aside = PACK_52 & ~(piles.all_of(state.hands) | piles.all_of(view.played))
    for hands in walk(state.hands, view.seat, aside, view.absent, likely(view), rng):
        world = state.copy()
        world.hands = hands
        world.dealt = tuple(map(or_, hands, view.played))
        yield world


def likely(view: GurkaView) -> Callable[[Seat, Cards], float]:
    """What tells the logarithm of how likely another seat would have played as it did, if it holds a hand now."""
    plays, known = _free_plays(view), [dict[Hand, float]() for _ in view.totals]

    def likeness(seat: Seat, cards: Cards) -> float:
        hand = hand_of(cards)
        found = known[seat].get(hand)
        if found is None:
            found = sum([LIKENESS[key + (hand << SITUATION)][rank] for key, rank in plays[seat]])
            known[seat][hand] = found
        return found

    return likeness


def _free_plays(view: GurkaView) -> list[list[tuple[int, int]]]:
    """By seat what it played where it could choose: the key of all that it has played since, and the rank."""
    seats, below = len(view.totals), situations(view.options)
    found: list[list[tuple[int, int]]] = [[] for _ in range(seats)]
    since = [0] * seats
    for leader, trick in reversed([*view.past, (view.leader, view.trick)]):
        for i, card in enumerate(trick):
            seat, before = (leader + i) % seats, trick[:i]
            since[seat] += 1 << BITS * RANK[card]
            if seat != view.seat and not view.options.bound(before):
                top = max([RANK[c] for c in before], default=NOTHING)
                found[seat].append((key_of(since[seat], top, below[i]), RANK[card]))
    return found


def candidates(view: GurkaView) -> Sequence[Action]:
    """A card of each rank that may be played."""
    return list({RANK[play.card]: play for play in view.legal if isinstance(play, Play)}.values())


def by_rule(view: GurkaView) -> Action:
    """What everybody does in rollouts."""
    hand = HAND[view.hand]
    top = NOTHING if view.best is None else RANK[view.best]
    key = key_of(hand, top, situations(view.options)[len(view.trick)])
    rank = (LEAST[hand] if view.bound else CHOICE[key])[0]
    return next(play for play in candidates(view) if RANK[play.uses().bit_length() - 1] == rank)


GUIDE: Final = Guide(likely_worlds, rollout, WORLDS, candidates, rule=by_rule)
