"""Rummy in pictures and words, for any front end."""

from typing import Final

from cardtable.engine.cards import BIT, NAME, Card, Cards, each, names, of
from cardtable.engine.chance import Deal, First
from cardtable.engine.contract import Event, Note, Zone
from cardtable.engine.words import of_round
from cardtable.games.rummy.rules.actions import DEALT, LAST_ROUND, MOST_ONES, Add, Drop, Meld, Stock, Take
from cardtable.games.rummy.rules.combinations import IN_ORDER, MASK, SHORTEST
from cardtable.games.rummy.rules.view import RummyView

_MASKS: Final = frozenset(MASK)


def scene(view: RummyView) -> tuple[Zone, ...]:
    """The hands, of the other one what everybody knows; the combinations before who laid them; the piles."""
    hands: list[tuple[Card | None, ...]]
    if view.counted:
        hands = [tuple(each(hand)) for hand in view.counted]
    else:
        known = [view.hand if seat == view.seat else shown for seat, shown in enumerate(view.shown)]
        hands = [(*each(k), *[None] * (n - k.bit_count())) for k, n in zip(known, view.sizes, strict=True)]
    melds = [Zone("meld", owner, IN_ORDER[c]) for owner, c in zip(view.owners, view.table, strict=True)]
    held = [Zone("hand", seat, hand) for seat, hand in enumerate(hands)]
    return (*held, *melds, Zone("stock", None, (None,) * view.stock), Zone("pile", None, view.pile))


def why_not(view: RummyView, cards: Cards) -> str:
    """Why these cards may not be chosen now: a card of the pile stands for all that lie on it."""
    if view.turn != view.seat:
        return "It is not your turn"
    if not view.drew:
        return _why_not_take(view, cards)
    if cards & ~view.hand:
        return "You have drawn already" if cards & of(view.pile) else "You do not hold that card"
    if cards & (cards - 1):
        return _why_not_meld(view, cards)
    if view.must is not None:
        return f"{NAME[view.must]} must be melded or added first"
    if cards & view.barred:
        alone = not view.taken & (view.taken - 1)
        return "A card taken alone may not be dropped" if alone else "Cards taken now may not be dropped"
    return "Drop a card to end your turn"


def _why_not_take(view: RummyView, cards: Cards) -> str:
    """Why the turn may not begin so."""
    deep = [c for c in view.pile if BIT[c] & cards]
    if not deep:
        return "Draw first: stock or face-up pile"
    if deep[0] == view.pile[-1]:
        return f"{MOST_ONES} turns took the top card: use the stock"
    return f"You could not use {NAME[deep[0]]} in this turn"


def _why_not_meld(view: RummyView, cards: Cards) -> str:
    """Why these cards of the hand are no combination that may be laid now."""
    if cards.bit_count() < SHORTEST:
        return "A combination has three cards at least"
    if cards not in _MASKS:
        return "Neither a sequence of a suit nor a group"
    if view.must is not None and not cards & BIT[view.must]:
        return f"{NAME[view.must]} could not be used after that"
    return "No card would be left that you may drop"


def narrate(event: Event, before: RummyView, after: RummyView) -> tuple[Note, ...]:
    """What an event looked like to a seat."""
    if isinstance(event, First):
        return (Note(event.seat, "starts the first round"),)
    if isinstance(event, Deal):
        return (
            Note(None, f"round {after.round}: {DEALT} cards each"),
            Note(None, f"{NAME[after.pile[0]]} is turned up"),
            Note(after.turn, "starts"),
        )
    notes = [Note(before.turn, _told(event, before, after))]
    if after.finished > before.finished:
        notes += _counted(before, after)
    return tuple(notes)


def _told(event: Event, before: RummyView, after: RummyView) -> str:
    """What the seat to act did."""
    if isinstance(event, Take):
        return f"takes {names(before.pile[-event.number :])}"
    if isinstance(event, Meld):
        return f"melds {names(IN_ORDER[event.combination])}"
    if isinstance(event, Add):
        return f"adds {NAME[event.card]} to {event.number}"
    if isinstance(event, Drop):
        return f"drops {NAME[event.card]}"
    assert isinstance(event, Stock)
    return "draws a card" if after.drawn is None else f"draws {NAME[after.drawn]}"


def _counted(before: RummyView, after: RummyView) -> list[Note]:
    """The end of a round."""
    notes = [Note(seat, "is out") for seat, hand in enumerate(after.counted) if not hand]
    if not notes:
        notes.append(Note(None, "the last card was drawn: the round is over"))
    for seat, (old, new) in enumerate(zip(before.totals, after.totals, strict=True)):
        notes.append(Note(seat, of_round(new - old, after.finished)))
    if after.finished == LAST_ROUND:
        notes.append(Note(None, f"{LAST_ROUND} rounds: the session is over"))
    return notes
