"""What a card does in a trick-taking game, in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeVar

from cardtable.engine.cards import BIT, COPY, JACK, NAME, OF_SUIT, QUEEN, RANK, SUIT, SUIT_WORDS, Card, Cards
from cardtable.engine.contract import Action, State
from cardtable.engine.tricks import Play, TrickView
from cardtable.engine.words import counted
from cardtable.robots.kit.lesson import Merit, Reasons, how_often
from cardtable.robots.kit.robot import Robot, make, never

T = TypeVar("T", bound=TrickView)

_LONGEST_TRICK: Final = 12
"""Decisions after which a trick is over, offers and their answers among them."""
_LOW: Final = 3
"""The highest rank of a card that is kept to stay under others."""


@dataclass(frozen=True, slots=True)
class Sense:
    """What counts in a trick."""

    trump: int | None = None
    wanted: bool = True
    """Whether the seat wants tricks, so that high cards are worth keeping."""
    costly: Cards = 0
    """The cards that cost who takes them."""
    high: bool = True
    """Whether high cards take tricks."""


def teller(
    game: str, sense: Callable[[T], Sense]
) -> Callable[[T, Sequence[Action], Sequence[State[T]]], list[Reasons]]:
    """What tells the reasons for the cards of a game, and none for other actions."""

    def reasons(view: T, actions: Sequence[Action], worlds: Sequence[State[T]]) -> list[Reasons]:
        plays = [action for action in (view.legal if view.trick else actions) if isinstance(action, Play)]
        taken = takes(game, plays, worlds)
        return [_of_card(view, a.card, taken, sense(view)) if isinstance(a, Play) else () for a in actions]

    return reasons


def takes(game: str, plays: Sequence[Play], worlds: Sequence[State[TrickView]]) -> Mapping[Card, float]:
    """How often each of some cards takes its trick, if the others follow the rule policy."""
    robot = make("steady", game)
    return {play.card: sum([_takes(world, play, robot) for world in worlds]) / len(worlds) for play in plays}


def _takes(world: State[TrickView], play: Play, robot: Robot) -> bool:
    """Whether ``play`` takes its trick."""
    state = world.copy()
    seat, before, rng = state.turn, state.tricks(), Random(0)
    state.apply(play)
    for _ in range(_LONGEST_TRICK):
        if state.tricks() != before or not state.playing:
            break
        state.apply(robot.choose(state.view(state.turn), rng, never))
    won = [after - had for had, after in zip(before or (), state.tricks() or (), strict=True)]
    # of two tricks the second has played itself
    return won[seat] > 0 if sum(won) < 2 else state.view(seat).last_leader == seat


def _of_card(view: TrickView, card: Card, taken: Mapping[Card, float], sense: Sense) -> Reasons:
    """What playing a card does; ``taken`` tells how often cards take the trick, all of them to a trick that lies."""
    plays = [action.card for action in view.legal if isinstance(action, Play)]
    beside = [c for c in plays if SUIT[c] == SUIT[card]]
    words = [took(taken[card])]
    if sense.high:
        higher = [c for c in beside if RANK[c] > RANK[card]]
        lower = [c for c in beside if RANK[c] < RANK[card]]
        if view.trick and not taken[card]:
            words = [_ducked(card, sense, between=bool(lower and higher) and all(taken[c] for c in higher))]
        if sense.wanted and higher and RANK[max(higher)] >= JACK:
            words.append(Merit(f"keeps {NAME[max(higher)]}"))
        elif not sense.wanted and lower and RANK[min(lower)] <= _LOW:
            words.append(Merit(f"keeps {NAME[min(lower)]}"))
    return (*words, *_of_suits(view, card, plays, sense.trump))


def _ducked(card: Card, sense: Sense, *, between: bool) -> str:
    """What a card does that does not take the trick; ``between``: higher ones of its suit would, lower ones not."""
    if BIT[card] & sense.costly:
        return "is thrown on another's trick"
    if between:
        return "is the highest that stays under"
    return "loses this trick" if sense.wanted or RANK[card] < QUEEN else "is safe here"


def held(hand: Cards, trump: int | None, costly: Cards) -> Reasons:
    """What a hand holds of the trumps of a contract, or of the cards that count in it."""
    if trump is not None:
        return (f"{{you}} hold {counted((hand & OF_SUIT[trump]).bit_count(), SUIT_WORDS[trump])}",)
    return (f"{{you}} hold {(hand & costly).bit_count() or 'none'} of the cards that count",) if costly else ()


def took(share: float) -> str:
    """How often a trick is taken, in words."""
    if 0 < share < 1:
        return f"takes this trick in {how_often(share)}"
    return "takes this trick" if share else "loses this trick"


def _of_suits(view: TrickView, card: Card, plays: Sequence[Card], trump: int | None) -> list[str]:
    """What it does to the suits of the hand."""
    words: list[str] = []
    suit = SUIT[card]
    if view.trick and trump not in (None, SUIT[view.trick[0]], suit) and any(SUIT[c] == trump for c in plays):
        words.append(Merit("saves {your} trumps"))
    rest = view.hand & ~BIT[card]
    if rest and suit != trump and not rest & (OF_SUIT[suit] | OF_SUIT[suit] << COPY):
        words.append(f"is {{your}} last {SUIT_WORDS[suit]}")
    return words
