"""A game's part of the table screen: functions from a seat's view to texts, rows and the painted mat."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeAlias

import msgspec

from cardtable.engine.cards import RANK, SUIT, Card, iter_cards
from cardtable.engine.game import Action, AnyGame, Event, Seat, Title, V, View, no_feature
from cardtable.store.settings import HandOrder
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.hand_cursor import Pointed
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout

Names = Sequence[str]
"""Display names of the players, by seat."""


class SeatPlate(msgspec.Struct, frozen=True):
    """Contents of a seat's plate, below its name."""

    fact: str = ""
    role: str = ""
    cards: tuple[Card, ...] = ()
    """Counting cards that the seat has taken, lying face up before it."""
    own: str = ""
    """The fact as phrased for the seat's own player; empty if the phrase is the same."""


class HeaderFacts(msgspec.Struct, frozen=True):
    """Facts in the header beside the title; each is shown whole or not at all."""

    round: str
    """Number of the round, such as "round 3 of 12"."""
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """All facts, in order."""
        return *self.before, self.round, *self.after


class Row(msgspec.Struct, frozen=True):
    """A row of the panel: a label, and right-aligned values."""

    label: str
    values: tuple[str, ...] = ()
    own: bool = False
    """True if the row is about the player who looks at the screen."""
    heading: bool = False
    """True if the row names the columns below."""
    asked: bool = False
    """True if the row's value is still to be decided."""
    squares: int = 0
    """Number of small squares drawn after the label."""
    bar: tuple[int, int] | None = None
    """A bar after the label: progress towards a limit, and the limit."""


class Section(msgspec.Struct, frozen=True):
    """A block of the panel."""

    heading: str = ""
    aside: str = ""
    rows: tuple[Row, ...] = ()


class Progress(msgspec.Struct, frozen=True):
    """A progress bar towards a bonus or a limit."""

    label: str
    done: int
    of: int
    worth: str = ""
    earned: bool = False
    missed: bool = False
    """True if the bonus can no longer be reached."""

    @property
    def lost(self) -> bool:
        """True if the bonus is missed or the limit exceeded."""
        return self.missed or self.done > self.of


class Contracts(msgspec.Struct, Generic[V], frozen=True):
    """Description of contracts for the score sheet, in games in which the seats declare in turn."""

    head: str
    """Heading of the column with the declarers."""
    declarer: Callable[[V, int], Seat | None]
    """Declarer of a round (counted from 0); None while it is not determined."""
    left: Callable[[V], tuple[Row, ...]]
    """Rows of the contracts left: signs for the seats, clockwise from the own one, or one value for all seats."""
    note: str = ""
    """Further explanation of the totals."""


def no_frames(_event: Event, _before: View, _after: View) -> tuple[()]:
    """Return no intermediate frames: default of `GameView.intermediate_views`."""
    return ()


def no_progress(_view: View) -> tuple[Progress, ...]:
    """Return no progress bars: default of `GameView.progress`."""
    return ()


def nothing_fixed(_view: View) -> tuple[()]:
    """Return no entries: default of `GameView.upcoming_titles` and `GameView.rules_in_force`."""
    return ()


def no_feet(_view: View) -> Mapping[Card, str]:
    """Return no words at the feet of cards: default of `GameView.card_footers`."""
    return {}


def no_shortcut(_view: View, _hand: Sequence[Card], _step: int) -> Action | None:
    """Return no action for Up and Down: default of `GameView.shortcut`."""
    return None


def by_suit(cards: int) -> list[Card]:
    """Return a hand sorted by suits, spades first, each from high to low rank.

    Of two identical cards, the first copy lies on top.
    """
    return sort_hand(iter_cards(cards), "suit")


def by_rank(cards: int) -> list[Card]:
    """Return a hand sorted from low to high rank, suits mixed."""
    return sort_hand(iter_cards(cards), "rank")


_BY_SUIT: Final = {3: 0, 2: 1, 1: 2, 0: 3}
_ORDERS: Final[Mapping[HandOrder, Callable[[Card], tuple[int, ...]]]] = {
    "suit": lambda c: (_BY_SUIT[SUIT[c]], -RANK[c], -c),
    "rank": lambda c: (RANK[c], SUIT[c], -c),
}


def sort_hand(cards: Iterable[Card], order: HandOrder) -> list[Card]:
    """Return the cards of a hand in this order; the order "usual" keeps the order of `cards`."""
    return sorted(cards, key=_ORDERS[order]) if order in _ORDERS else list(cards)


class GameView(msgspec.Struct, Generic[V], frozen=True):
    """Functions and options by which the table screen shows a game; each function gets one seat's view."""

    header: Callable[[V], HeaderFacts]
    plate: Callable[[V, Seat], SeatPlate]
    sections: Callable[[V, Names], tuple[Section, ...]]
    """Sections of the panel while a round is played."""
    prompt: Callable[[V, Pointed], tuple[str, ...]]
    """Lines of the prompt: the task of the player to act, then its reason or method, the least important last.

    Keys are written by their names, as in `Keymap.format_keys`.
    """
    middle: Callable[[Canvas, Layout, V, Pointed, Names], None]
    """Paints the cards on the mat."""
    decision: Callable[[V, Names], Decision | None]
    """Decision box; None if there is nothing to decide except with cards."""
    order: Callable[[V], list[Card]]
    """The own hand, sorted."""
    next_round: Callable[[V, Names], tuple[Row, ...]]
    """Rows about the next round, shown between rounds."""
    upcoming_titles: Callable[[V], Sequence[Title | None]] = nothing_fixed
    """Titles of the round in progress and of later rounds, if they are fixed; None for a round still to be named."""
    previous_trick: Callable[[V], V | None] = no_feature
    """The view with the previous trick on the table; None without a previous trick."""
    intermediate_views: Callable[[Event, V, V], tuple[V, ...]] = no_frames
    """Intermediate views, each shown a while before the view after an event, such as a complete trick."""
    winning: Callable[[V], int | None] = no_feature
    """Index, in the order of play, of the card that currently wins the trick."""
    rules_in_force: Callable[[V], Sequence[str]] = nothing_fixed
    """Lines on the rules in force for the cards in the middle, such as a suit to follow; shown in replays."""
    progress: Callable[[V], tuple[Progress, ...]] = no_progress
    """Progress bars shown between rounds."""
    shortcut: Callable[[V, Sequence[Card], int], Action | None] = no_shortcut
    """Action of Up (-1) and Down (1) on the hand in its shown order, for games whose players expect one."""
    card_footers: Callable[[V], Mapping[Card, str]] = no_feet
    """Words at the feet of cards of the own hand."""
    best_rounds: str = "Rounds won"
    """Title of the statistic of rounds in which no other seat had more points."""
    wide: bool = False
    """True if cards are laid out in rows on a wide mat."""
    always_dims: bool = False
    """True if unplayable cards are dimmed even when no card can be played."""
    tricks: bool = True
    """True if the game is played in tricks."""
    draws: bool = False
    """True if Down draws a card."""
    right_confirms: bool = False
    """True if Right and the right mouse button choose the option under the box's cursor and continue."""
    joins_messages: bool = False
    """True if successive actions of one seat are reported in one message."""
    contracts: Contracts[V] | None = None
    """Contracts, in games in which the seats declare in turn."""
    keys: tuple[tuple[str, str], ...] = ()
    """Key bindings that only this game has, for the page of keys: key and description."""
    gaps: bool = True
    """True if a gap separates the suits of the hand."""


AnyGameView: TypeAlias = GameView[View]
"""Table view of a game that was looked up by its key."""


def taker(game: AnyGame, piece: AnyGameView, view: View) -> Seat | None:
    """Return the seat that wins the trick; None unless the trick in `view` is complete."""
    trick, winning = game.trick(view), piece.winning(view)
    if trick is None or winning is None or len(trick.lying) < len(view.totals):
        return None
    return trick.lying[winning][0]


def hand_size(game: AnyGame, view: View, seat: Seat) -> int:
    """Return the number of cards that `seat` holds, as the seat of `view` sees it."""
    zones = game.scene(view)
    return next((len(zone.cards) for zone in zones if zone.name == "hand" and zone.seat == seat), 0)
