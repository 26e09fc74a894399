"""The game Rummy for all front ends: zones, explanations and log entries."""

from random import Random
from typing import Final

from cardtable.engine import options as house
from cardtable.engine.cards import ACE, BIT, NAME, RANK, Card, Cards, face_down, iter_cards, mask_of
from cardtable.engine.chance import Deal, FirstSeatDraw
from cardtable.engine.game import Event, Game, Note, Seat, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, Drew
from cardtable.engine.round_state import points_entries
from cardtable.games.rummy import ABOUT
from cardtable.games.rummy.rules.actions import (
    CARDS_EACH,
    MAX_ROUNDS,
    MAX_SINGLE_TAKES,
    Add,
    Drop,
    Meld,
    Options,
    Stock,
    Take,
)
from cardtable.games.rummy.rules.melds import MASK, MIN_MELD_CARDS, ORDERED_CARDS
from cardtable.games.rummy.rules.state import RummyState, RummyView, imagine

_MASKS: Final = frozenset(MASK)


class RummyGame(Game[RummyState, RummyView]):
    """The game of Rummy."""

    about = ABOUT
    options = Options
    view = RummyView
    actions = (Stock, Take, Meld, Add, Drop)
    columns = ("melds", "hand")

    def start(self, _seats: int, options: house.Options) -> RummyState:
        assert isinstance(options, Options)
        return RummyState(options)

    def imagine(self, view: RummyView, rng: Random) -> RummyState:
        return imagine(view, rng)

    def scene(self, view: RummyView) -> tuple[Zone, ...]:
        """Return the hands, the melds of each owner, the stock and the face-up pile.

        The opponent's hand is face down except for publicly known cards. After a round both hands are face up.
        """
        hands: list[tuple[Card | None, ...]]
        if view.counted:
            hands = [tuple(iter_cards(hand)) for hand in view.counted]
        else:
            known = [view.hand if seat == view.seat else known_cards for seat, known_cards in enumerate(view.shown)]
            hands = [(*iter_cards(k), *face_down(n - k.bit_count())) for k, n in zip(known, view.sizes, strict=True)]
        melds = [Zone("meld", owner, ORDERED_CARDS[c]) for owner, c in zip(view.owners, view.table, strict=True)]
        hand_zones = [Zone("hand", seat, hand) for seat, hand in enumerate(hands)]
        return (*hand_zones, *melds, Zone("stock", None, face_down(view.stock)), Zone("pile", None, view.pile))

    def explain_illegal(self, view: RummyView, cards: Cards) -> str:
        """Return the reason why ``cards`` cannot be chosen now.

        A card of the face-up pile represents a draw of that card and all cards above it.
        """
        if view.turn != view.seat:
            return "It is not your turn"
        if not view.drew:
            return _explain_illegal_draw(view, cards)
        if cards & ~view.hand:
            return "You have already drawn" if cards & mask_of(view.pile) else "You do not hold that card"
        if cards & (cards - 1):
            return _explain_illegal_meld(view, cards)
        if view.must is not None:
            return f"You must meld or lay off {NAME[view.must]} first"
        if cards & view.barred:
            alone = not view.taken & (view.taken - 1)
            return (
                "You can't discard a card that you took alone this turn"
                if alone
                else "You can't discard cards that you took this turn"
            )
        return "Discard a card to end your turn"

    def explain_card(self, view: RummyView, card: Card) -> str | None:
        """Return what the player must or may not do with a card in this turn, or what an ace counts."""
        if card == view.must:
            return "Meld it or lay it off before you discard."
        if BIT[card] & view.barred:
            return "Taken in this turn: you may not discard it now."
        return "Counts 15, but 1 where it is low in a sequence." if RANK[card] == ACE else None

    def narrate(self, event: Event, before: RummyView, after: RummyView) -> tuple[Note, ...]:
        if isinstance(event, FirstSeatDraw):
            return (CustomLogEntry(event.seat, "starts the first round", "start the first round"),)
        if isinstance(event, Deal):
            starts = [CustomLogEntry(after.turn, "starts", "start")] if after.round > 1 else []
            turned = CustomLogEntry(None, "{} is turned up", cards=after.pile[:1])
            return Dealt(None, after.round, CARDS_EACH), turned, *starts
        notes = [_narrate_action(event, before, after)]
        if after.finished > before.finished:
            notes += _narrate_round_end(before, after)
        return tuple(notes)

    def mandatory_card(self, view: RummyView) -> Card | None:
        return view.must if view.turn == view.seat else None

    def timed_out(self, view: RummyView) -> Seat | None:
        return view.forfeited


def _explain_illegal_draw(view: RummyView, cards: Cards) -> str:
    """Return the reason why the turn cannot begin by taking ``cards``, of which the deepest card of the pile counts."""
    deep = [c for c in view.pile if BIT[c] & cards]
    if not deep:
        return "Draw first, from the stock or the face-up pile"
    if deep[0] == view.pile[-1]:
        return f"The last {MAX_SINGLE_TAKES} turns took the top card alone: draw from the stock"
    return f"You couldn't meld or lay off {NAME[deep[0]]} this turn"


def _explain_illegal_meld(view: RummyView, cards: Cards) -> str:
    """Return the reason why ``cards``, two or more cards of the hand, cannot be melded now."""
    if cards.bit_count() < MIN_MELD_CARDS:
        return "A meld needs at least three cards"
    if cards not in _MASKS:
        return "That is neither a sequence of one suit nor a group"
    if view.must is not None and not cards & BIT[view.must]:
        return f"After that you couldn't use {NAME[view.must]}"
    return "That would leave you no card to discard"


def _narrate_action(event: Event, before: RummyView, after: RummyView) -> Note:
    seat = before.turn
    if isinstance(event, Take):
        return CustomLogEntry(seat, "takes {}", "take {}", before.pile[-event.number :])
    if isinstance(event, Meld):
        return CustomLogEntry(seat, "melds {}", "meld {}", ORDERED_CARDS[event.combination])
    if isinstance(event, Add):
        return CustomLogEntry(
            seat, f"lays off {{}} on meld {event.number}", f"lay off {{}} on meld {event.number}", (event.card,)
        )
    if isinstance(event, Drop):
        return CustomLogEntry(seat, "discards {}", "discard {}", (event.card,))
    assert isinstance(event, Stock)
    return Drew(seat, 1, () if after.drawn is None else (after.drawn,))


def _narrate_round_end(before: RummyView, after: RummyView) -> list[Note]:
    """Return the log entries of a finished round: how it ended, the points, and the end by ``MAX_ROUNDS``."""
    notes: list[Note] = [
        CustomLogEntry(seat, "goes out", "go out") for seat, hand in enumerate(after.counted) if not hand
    ]
    if not notes:
        notes.append(CustomLogEntry(None, "the stock is empty: the round is over"))
    notes += points_entries(before, after)
    if after.finished == MAX_ROUNDS:
        notes.append(CustomLogEntry(None, f"{MAX_ROUNDS} rounds have been played: the session is over"))
    return notes
