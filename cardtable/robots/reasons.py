"""What a card does, in words: counted in imagined worlds, or plain from the view."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final, TypeAlias

from cardtable.engine.cards import BIT, COPY, JACK, NAME, OF_SUIT, RANK, SUIT, SUIT_WORDS, Card
from cardtable.engine.contract import Action, View
from cardtable.engine.tricks import Play
from cardtable.robots.aims import trump
from cardtable.robots.robot import Robot, make
from cardtable.robots.search import Guide

Stop: TypeAlias = Callable[[], bool]

WORLDS: Final = 40
"""Worlds in which the trick is played out."""
MERITS: Final = ("keeps ", "saves ")
"""How reasons begin that speak for a card which is not the best."""
_LONGEST_TRICK: Final = 12
"""Decisions after which a trick is over, offers and their answers among them."""


def of_ten(share: float) -> str:
    """How often, out of ten; all and none only where that is so."""
    tenths = round(10 * share)
    return f"{min(max(tenths, 1), 9) if 0 < share < 1 else tenths} of 10"


def given(game: str, guide: Guide, view: View, actions: Sequence[Action], rng: Random, stop: Stop) -> list[list[str]]:
    """What each of some actions does, the most important first."""
    plays = [action for action in view.legal if isinstance(action, Play)]
    if not plays or guide.imagine(view, rng).tricks() is None:
        return [[] for _ in actions]
    found = [action for action in actions if isinstance(action, Play)]
    lying: Any = view
    taken = _taken(game, guide, view, plays if lying.trick else found, rng, stop)
    return [_of_card(view, action.card, taken) if isinstance(action, Play) else [] for action in actions]


def _taken(game: str, guide: Guide, view: View, plays: Sequence[Play], rng: Random, stop: Stop) -> Mapping[Card, float]:
    """How often each of some cards takes its trick, if the others follow the rule policy."""
    robot, counts, seen = make("steady", game), dict.fromkeys(plays, 0), 0
    while seen < WORLDS and not (seen and stop()):
        world = guide.imagine(view, rng)
        seen += 1
        for play in plays:
            counts[play] += _takes(world.copy(), play, robot, rng)
    return {play.card: count / seen for play, count in counts.items()}


def _takes(state: Any, play: Play, robot: Robot, rng: Random) -> bool:
    """Whether ``play`` takes its trick; the state is played on."""
    seat, before = state.turn, state.tricks()
    state.apply(play)
    for _ in range(_LONGEST_TRICK):
        if state.tricks() != before or not state.playing:
            break
        state.apply(robot.choose(state.view(state.turn), rng, _never))
    own, complete = state.tricks()[seat] - before[seat], sum(state.tricks()) - sum(before)
    return bool(own) if complete < 2 else bool(state.last_leader == seat)  # else the last trick has played itself


def _never() -> bool:
    return False


def _of_card(view: Any, card: Card, taken: Mapping[Card, float]) -> list[str]:
    """What playing a card does; ``taken`` tells how often cards take the trick, all of them to a trick that lies."""
    plays = [action.card for action in view.legal if isinstance(action, Play)]
    beside = [c for c in plays if SUIT[c] == SUIT[card]]
    higher = [c for c in beside if RANK[c] > RANK[card]]
    words = [_trick(taken[card])]
    if not taken[card] and view.trick and higher and len(higher) + 1 < len(beside) and all(taken[c] for c in higher):
        words = ["is the highest that stays under"]
    if higher and RANK[higher[-1]] >= JACK:
        words.append(f"keeps {NAME[higher[-1]]}")
    return [*words, *_of_suits(view, card, plays)]


def _trick(share: float) -> str:
    if 0 < share < 1:
        return f"takes this trick in {of_ten(share)}"
    return "takes this trick" if share else "loses this trick"


def _of_suits(view: Any, card: Card, plays: Sequence[Card]) -> list[str]:
    """What it does to the suits of the hand."""
    words, suit, high = [], SUIT[card], trump(view)
    if view.trick and high not in (None, SUIT[view.trick[0]], suit) and any(SUIT[c] == high for c in plays):
        words.append("saves your trumps")
    rest = view.hand & ~BIT[card]
    if rest and suit != high and not rest & (OF_SUIT[suit] | OF_SUIT[suit] << COPY):
        words.append(f"is your last {SUIT_WORDS[suit]}")
    return words
