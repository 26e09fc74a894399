"""Check of a robot's choice near the end of a round: it plays no card that is certainly worse than another one.

"Certainly" means in every deal that fits, or in random ones if there are too many to search all.

A *deal* is a distribution of the hidden cards that fits everything the seat has seen: the cards played, and what each
hand has shown to lack because the rules would have forced it to play something else. The *value* of a finished round is
the lead of the seat: its points less the mean of the other seats' points. For a card in a deal let

- ``low`` be the value that the seat can reach whatever the other seats play (minimax),
- ``high`` be the greatest value of all ways in which everybody, the seat included, can play on.

Another card is certainly better if in every deal its ``low`` is at least the ``high`` of the first card, and in some
deal its ``high`` exceeds the ``low`` of the first card. ``low`` supposes that the seat sees all cards. Therefore the
other card has to pass a second test: one way to play on that depends only on what the seat will see must reach the
``high`` of the first card in every deal (``_Search.can_reach``). The seat then loses nothing by the better card,
whatever is hidden and whatever is played. If one card is certainly better than a second one, and the second one than a
third one, so is the first one than the third one, so that replacing cards comes to an end.

As in ``engine/referee.py``, offers and claims are no part of the ways to play on, since they are voluntary. Only
decisions are checked, never the plays of rollouts.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import factorial, prod
from random import Random
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from cardtable.engine.cards import BIT, COPY_OFFSET, SUIT, Cards, mask_of
from cardtable.engine.determinization import enumerate_hands, sample_hands
from cardtable.engine.game import Action, S, Seat, State, V, View
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import Play, TrickView

MAX_CARDS: Final = 4
"""Largest number of cards in the hand with which a choice is checked."""
MAX_DEALS: Final = 2_000
"""Largest number of deals that are all searched."""
MAX_LINES: Final = 32_000
"""Largest number of deals that are all searched, multiplied by the number of orders in which all hands can be played.
"""
SAMPLED_DEALS: Final = 24
"""Number of random deals that are searched if there are too many to search all."""

T = TypeVar("T", bound=TrickView)


def always_fits(_view: TrickView, _hands: Sequence[Cards]) -> bool:
    return True


def find_excluded_cards(view: TrickView) -> Sequence[Cards]:
    return view.excluded_cards


class Ending(msgspec.Struct, Generic[S, T], frozen=True):
    """Part of a game in the check; the policies of the games that take part have one as ``ENDING``."""

    find_unseen_cards: Callable[[T], Cards]
    """Return the cards that the seat of a view has not seen, in other hands or not dealt."""
    build_state: Callable[[T, list[Cards]], S]
    """Return the state with the given hands that agrees with a view in everything else."""
    group_plays: Callable[[S], list[list[Play]]]
    """Return the legal plays in groups; all plays of a group lead to the same points."""
    fits: Callable[[T, Sequence[Cards]], bool] = always_fits
    """Return True if hands without the excluded cards of a view agree with what the seat has seen."""
    find_banned_cards: Callable[[T], Sequence[Cards]] = find_excluded_cards
    """Return, by seat, the unseen cards that it cannot hold."""
    alike: Sequence[Cards] = ()
    """Sets of cards that cannot be told apart in play: of deals that differ only in them one is searched."""

    def list_states(self, view: T, max_deals: int) -> Iterator[S] | None:
        """Return the state of each deal that fits a view; ``None`` if there are certainly more than ``max_deals``."""
        unseen, banned = self.find_unseen_cards(view), self.find_banned_cards(view)
        deals = enumerate_hands(view.hand, view.seat, unseen, view.sizes, banned, max_deals, self.alike)
        return None if deals is None else (self.build_state(view, hands) for hands in deals if self.fits(view, hands))

    def sample_states(self, view: T, tries: int) -> Iterator[S]:
        """Yield the states of random deals that fit a view, at most one for each try; equal views give equal deals."""
        unseen, banned, rng = self.find_unseen_cards(view), self.find_banned_cards(view), Random(0)
        deals = (sample_hands(view.hand, view.seat, unseen, view.sizes, banned, rng) for _ in range(tries))
        return (self.build_state(view, hands) for hands in deals if self.fits(view, hands))


AnyEnding: TypeAlias = Ending[State[View], TrickView]
"""Ending of a game that was looked up by its key."""


def filter_plays(legal: Sequence[Action]) -> list[Play]:
    return [action for action in legal if isinstance(action, Play)]


def group_neighbours(state: TrickState[V], kinds: Sequence[Cards] = ()) -> list[list[Play]]:
    """Group cards of a suit between which no other card lies that another seat holds or that is in the trick.

    Cards are grouped only if each set of ``kinds`` has both or neither of them.
    """
    first, *others = filter_plays(state.legal())
    groups = [[first]]
    if not others:
        return groups
    between = mask_of(state.trick)
    for seat, hand in enumerate(state.hands):
        if seat != state.turn:
            between |= hand | hand >> COPY_OFFSET
    for play in others:
        card, last = play.card, groups[-1][-1].card
        both = BIT[card] | BIT[last]
        if (
            SUIT[card] == SUIT[last]
            and not between & (2 * BIT[card] - BIT[last])
            and all((kind & both) in (0, both) for kind in kinds)
        ):
            groups[-1].append(play)
        else:
            groups.append([play])
    return groups


class _Search(Generic[S, T]):
    """Search of the ways in which a round can be finished, in all deals of one decision."""

    def __init__(self, ending: Ending[S, T], seat: Seat, sign: int) -> None:
        self._ending, self._seat, self._sign = ending, seat, sign
        self._bounds: dict[Hashable, tuple[int, int]] = {}

    def compute_bounds(self, state: S) -> tuple[int, int]:
        """Return ``low`` and ``high`` of a position, both multiplied by the number of seats."""
        if not state.playing:
            assert state.score is not None
            points = state.score.points
            value = self._sign * (len(points) * points[self._seat] - sum(points))
            return value, value
        key = state.position_key()
        if key not in self._bounds:
            bounds = [self.compute_bounds(follow(state, plays[0])) for plays in self._ending.group_plays(state)]
            choose = max if state.turn == self._seat else min
            self._bounds[key] = choose([low for low, _ in bounds]), max([high for _, high in bounds])
        return self._bounds[key]

    def can_reach(self, positions: list[tuple[S, int]]) -> bool:
        """Return True if the seat can reach at least the given value in each position, by the same strategy.

        The positions differ only in hidden cards.
        """
        state = positions[0][0]
        if any(self.compute_bounds(state)[0] < value for state, value in positions):
            return False
        if len(positions) == 1 or not state.playing:
            return True
        following: dict[Play, list[tuple[S, int]]] = {}
        for state, value in positions:
            for play in filter_plays(state.legal()):
                following.setdefault(play, []).append((follow(state, play), value))
        return (any if state.turn == self._seat else all)(map(self.can_reach, following.values()))


def follow(state: S, action: Action) -> S:
    """Return the state after an action; ``state`` is not changed."""
    after = state.copy()
    after.apply(action)
    return after


def count_max_deals(view: TrickView) -> int:
    """Return the largest number of deals that are all searched: with fewer cards in the hands it is larger."""
    return min(MAX_DEALS, MAX_LINES // prod([factorial(size) for size in view.sizes]))


def find_better_play(ending: Ending[S, T], view: T, play: Play, sign: int) -> Play | None:
    """Return a play that is certainly better than ``play``; ``None`` if there is none.

    ``sign`` is 1 if more points are better, and -1 if fewer are.
    """
    search, deals = _Search(ending, view.seat, sign), list[tuple[S, int]]()
    gains = dict.fromkeys([rival for rival in filter_plays(view.legal) if rival != play], False)
    max_deals = count_max_deals(view)
    states = ending.list_states(view, max_deals) if max_deals else iter(())
    if states is None:
        states = ending.sample_states(view, SAMPLED_DEALS if max_deals >= SAMPLED_DEALS else 0)
    for state in states:
        low, high = search.compute_bounds(follow(state, play))
        deals.append((state, high))
        bounds = [search.compute_bounds(follow(state, rival)) for rival in gains]
        gains = {
            rival: gained or most > low
            for (rival, gained), (least, most) in zip(gains.items(), bounds, strict=True)
            if least >= high
        }
        if not gains:
            break
    for rival, gained in gains.items():
        if gained and search.can_reach([(follow(state, rival), high) for state, high in deals]):
            return rival
    return None


def avoid_worse_play(ending: Ending[S, T], view: T, action: Action, sign: int) -> Action:
    """Return ``action``, or near the end of a round a play that is certainly better, if there is one."""
    if view.hand.bit_count() <= MAX_CARDS:
        while isinstance(action, Play) and (better := find_better_play(ending, view, action, sign)):
            action = better
    return action
