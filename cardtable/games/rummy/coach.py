"""Rummy in the coach's words."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import BIT, Card, names, of
from cardtable.engine.contract import Action
from cardtable.games.rummy.policy import can_wait
from cardtable.games.rummy.rules.actions import Add, Drop, Meld, Take
from cardtable.games.rummy.rules.combinations import FITS, GROWN, IN_ORDER, MASK, SUM, worth
from cardtable.games.rummy.rules.state import RummyState
from cardtable.games.rummy.rules.turns import Table, melds_in
from cardtable.games.rummy.rules.view import RummyView
from cardtable.robots.kit.lesson import Lesson, Reasons, how_often


def reasons(view: RummyView, actions: Sequence[Action], worlds: Sequence[RummyState]) -> list[Reasons]:
    """What is brought or given away; how often the other hand can use a card that is dropped."""
    return [_of(view, action, worlds) for action in actions]


def _of(view: RummyView, action: Action, worlds: Sequence[RummyState]) -> Reasons:
    out = ("ends the round",) if view.drew and action.uses() == view.hand else ()
    if isinstance(action, Drop):
        return (*out, *_kept_back(view, action.card), *_dropped(view, action.card, worlds))
    if isinstance(action, Meld):
        return (*out, f"brings {SUM[action.combination]} points")
    if isinstance(action, Add):
        before = view.table[action.number - 1]
        return (*out, f"brings {SUM[GROWN[before][action.card]] - SUM[before]} points")
    if isinstance(action, Take):
        return _taken(view, action.number)
    return ()


def _kept_back(view: RummyView, card: Card) -> Reasons:
    """Return why finished melds stay in the hand, if some are left after a card is dropped and there is time."""
    if not can_wait(view) or not melds_in(view.hand & ~BIT[card]):
        return ()
    return ("keeps melds back until the end",)


def _dropped(view: RummyView, card: Card, worlds: Sequence[RummyState]) -> Reasons:
    """The points that no longer count against the hand, and what the other one can do with the card."""
    used = sum([_usable(card, world, 1 - view.seat) for world in worlds]) / len(worlds)
    how = f"the other player can use it in {how_often(used)}" if used else "the other player cannot use it"
    return f"rids {{them}} of {worth(BIT[card])} points", how


def _usable(card: Card, world: RummyState, seat: int) -> bool:
    """Whether a seat could lay the card if it took it."""
    return _fits(card, world.table) or any(BIT[card] & MASK[meld] for meld in melds_in(world.hands[seat] | BIT[card]))


def _fits(card: Card, table: Table) -> bool:
    return any(BIT[card] & FITS[combination] for combination in table)


def _taken(view: RummyView, number: int) -> Reasons:
    """What the deepest of some cards of the pile can be used for at once."""
    deepest, hand = view.pile[-number], view.hand | of(view.pile[-number:])
    melds = [meld for meld in melds_in(hand) if MASK[meld] & BIT[deepest]]
    if melds:
        return (f"lets {{them}} meld {names(IN_ORDER[max(melds, key=lambda meld: SUM[meld])])}",)
    return ("fits a meld on the table",) if _fits(deepest, view.table) else ()


LESSON: Final = Lesson(reasons)
