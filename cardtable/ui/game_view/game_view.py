"""What a game adds to the one table screen: words and the middle of the table, from its view."""

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
"""What each seat is called on the screen, in order of seats."""


class SeatPlate(msgspec.Struct, frozen=True):
    """What stands by a seat, under its name."""

    fact: str = ""
    role: str = ""
    cards: tuple[Card, ...] = ()
    """Cards taken that count, lying before the seat."""
    own: str = ""
    """The fact as it is told to who sits there, where that is said in another way."""


class HeaderFacts(msgspec.Struct, frozen=True):
    """What stands beside the title, each shown whole or not at all."""

    round: str
    """Which round it is."""
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """All of them, in their order."""
        return *self.before, self.round, *self.after


class Row(msgspec.Struct, frozen=True):
    """A line of the panel: a label, and values that end at the right."""

    label: str
    values: tuple[str, ...] = ()
    own: bool = False
    """It is about the person looking."""
    heading: bool = False
    """It names the columns below."""
    asked: bool = False
    """Its value is still to be decided."""
    squares: int = 0
    """Little squares drawn after the label."""
    bar: tuple[int, int] | None = None
    """A bar after the label: how far on the way to a limit, and the limit."""


class Section(msgspec.Struct, frozen=True):
    """A block of the panel."""

    heading: str = ""
    aside: str = ""
    rows: tuple[Row, ...] = ()


class Progress(msgspec.Struct, frozen=True):
    """A bar on the way to a bonus or a limit."""

    label: str
    done: int
    of: int
    worth: str = ""
    earned: bool = False
    missed: bool = False
    """It cannot be reached any more."""

    @property
    def lost(self) -> bool:
        """Whether it is missed, or gone past its end."""
        return self.missed or self.done > self.of


class Contracts(msgspec.Struct, Generic[V], frozen=True):
    """What the score sheet tells of a game in which the seats say in turn what is played."""

    head: str
    """Heads the column of who said it."""
    declarer: Callable[[V, int], Seat | None]
    """Who says or said it in a round, counted from 0; ``None`` while that is open."""
    left: Callable[[V], tuple[Row, ...]]
    """What is left, a sign for each seat from the own one on, clockwise; one value is for all seats together."""
    note: str = ""
    """What else there is to know of the totals."""


def no_frames(_event: Event, _before: View, _after: View) -> tuple[()]:
    """Nothing has to stay on the table a while."""
    return ()


def no_progress(_view: View) -> tuple[Progress, ...]:
    """There is nothing to work towards."""
    return ()


def nothing_fixed(_view: View) -> tuple[()]:
    """Nothing is known of rounds to come."""
    return ()


def no_feet(_view: View) -> Mapping[Card, str]:
    """No card of the hand has a word at its foot."""
    return {}


def no_shortcut(_view: View, _hand: Sequence[Card], _step: int) -> Action | None:
    """Up and down do nothing."""
    return None


def by_suit(cards: int) -> list[Card]:
    """A hand by suits, spades first, each from high to low; of two identical cards the first copy lies on top."""
    return arranged(iter_cards(cards), "suit")


def by_rank(cards: int) -> list[Card]:
    """A hand from low to high, suits mixed."""
    return arranged(iter_cards(cards), "rank")


_BY_SUIT: Final = {3: 0, 2: 1, 1: 2, 0: 3}
_ORDERS: Final[Mapping[HandOrder, Callable[[Card], tuple[int, ...]]]] = {
    "suit": lambda c: (_BY_SUIT[SUIT[c]], -RANK[c], -c),
    "rank": lambda c: (RANK[c], SUIT[c], -c),
}


def arranged(cards: Iterable[Card], order: HandOrder) -> list[Card]:
    """The cards of a hand, which are as usual in the game, in this order."""
    return sorted(cards, key=_ORDERS[order]) if order in _ORDERS else list(cards)


class GameView(msgspec.Struct, Generic[V], frozen=True):
    """The functions by which the table screen asks about a game; all get one seat's view."""

    header: Callable[[V], HeaderFacts]
    plate: Callable[[V, Seat], SeatPlate]
    sections: Callable[[V, Names], tuple[Section, ...]]
    """The panel while a round is played."""
    prompt: Callable[[V, Pointed], tuple[str, ...]]
    """What the person is to do, and why or how, what matters least last; keys by their names, as in
    ``Keymap.format_keys``.
    """
    middle: Callable[[Canvas, Layout, V, Pointed, Names], None]
    """Paints what lies on the mat."""
    decision: Callable[[V, Names], Decision | None]
    """The decision box, where there is something to decide without pointing at cards."""
    order: Callable[[V], list[Card]]
    """The own hand in order."""
    next_round: Callable[[V, Names], tuple[Row, ...]]
    """What the next round will be, between rounds."""
    coming: Callable[[V], Sequence[Title | None]] = nothing_fixed
    """What the round in progress is, and those to come, where that is fixed; ``None`` where it is to be named."""
    previous_trick: Callable[[V], V | None] = no_feature
    """The view as it would be with the previous trick on the table; ``None`` without one."""
    frames: Callable[[Event, V, V], tuple[V, ...]] = no_frames
    """Views to be shown a while each before the one after an event, such as a full trick."""
    winning: Callable[[V], int | None] = no_feature
    """Which card of the trick takes it as it stands, in the order of play."""
    in_force: Callable[[V], Sequence[str]] = nothing_fixed
    """What holds for the cards in the middle, a line each, where they are shown again."""
    progress: Callable[[V], tuple[Progress, ...]] = no_progress
    """Bars shown between rounds."""
    shortcut: Callable[[V, Sequence[Card], int], Action | None] = no_shortcut
    """What Up (-1) and Down (1) do with the hand as it lies, where a game's players know them."""
    feet: Callable[[V], Mapping[Card, str]] = no_feet
    """Words at the foot of cards of the own hand."""
    best_rounds: str = "Rounds won"
    """What the rounds in which nobody had better points are called."""
    wide: bool = False
    """Whether cards are laid out in rows on a wide mat."""
    always_dims: bool = False
    """Whether cards that may not be played are dimmed even when none may."""
    tricks: bool = True
    """Whether it is played in tricks."""
    draws: bool = False
    """Whether Down draws a card."""
    right_confirms: bool = False
    """Whether Right and the right button of the mouse say what the box has under its cursor, and go on."""
    joins: bool = False
    """Whether what one seat does in a row is told in one message."""
    contracts: Contracts[V] | None = None
    """In games in which the seats say in turn what is played."""
    keys: tuple[tuple[str, str], ...] = ()
    """Keys for playing that other games have not, for the key sheet."""
    gaps: bool = True
    """Whether the hand is set apart by suits."""


AnyPiece: TypeAlias = GameView[View]
"""That of a game which was looked up by its key."""


def taker(game: AnyGame, piece: AnyPiece, view: View) -> Seat | None:
    """Who takes the trick, in a view of ``GameView.frames`` in which it is complete."""
    trick, winning = game.trick(view), piece.winning(view)
    if trick is None or winning is None or len(trick.lying) < len(view.totals):
        return None
    return trick.lying[winning][0]


def hand_size(game: AnyGame, view: View, seat: Seat) -> int:
    """How many cards ``seat`` holds, as the seat of ``view`` sees it."""
    zones = game.scene(view)
    return next((len(zone.cards) for zone in zones if zone.name == "hand" and zone.seat == seat), 0)
