"""Interface of a game's part of the table screen: functions from a seat's view to texts, rows and the painted mat."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeAlias, get_args

import msgspec

from cardtable.engine import card_order
from cardtable.engine.card_order import USUAL_ORDER, CardOrder
from cardtable.engine.cards import Card, iter_cards
from cardtable.engine.game import Action, AnyGame, Event, Seat, Title, V, View
from cardtable.store.settings import HandOrder
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.hand_cursor import CursorState
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Layout
from cardtable.wording.players import Names


class SeatPlate(msgspec.Struct, frozen=True):
    """Contents of a seat's plate: a fact, a role, and cards, beside the player's name."""

    fact: str = ""
    role: str = ""
    cards: tuple[Card, ...] = ()
    """Scoring cards that the seat has taken, which lie face up before it."""
    own: str = ""
    """Text in place of ``fact`` on the plate of the player who looks at the screen; empty to show ``fact``."""


class HeaderFacts(msgspec.Struct, frozen=True):
    """Facts beside the title in the header; each is shown whole or left out."""

    round: str
    """Number of the round in words, such as "round 3 of 12"."""
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """All facts in their order on the screen."""
        return *self.before, self.round, *self.after


class Row(msgspec.Struct, frozen=True):
    """Row of the panel: a label, and values aligned to the right."""

    label: str
    values: tuple[str, ...] = ()
    own: bool = False
    """True if the row is about the player who looks at the screen."""
    heading: bool = False
    """True if the row has the headings of the columns below."""
    asked: bool = False
    """True if the player of this row is to decide its value now."""
    squares: int = 0
    """Number of small squares that are drawn after the label."""
    bar: tuple[int, int] | None = None
    """Progress bar after the label, as (progress, limit); ``None`` for no bar."""


class Section(msgspec.Struct, frozen=True):
    """Block of the panel: a heading with a remark at its right, and rows."""

    heading: str = ""
    aside: str = ""
    rows: tuple[Row, ...] = ()


class Progress(msgspec.Struct, frozen=True):
    """Progress of a seat towards a bonus, or towards a limit that must not be exceeded.

    ``done`` out of ``of`` are reached; ``worth`` is the value of the bonus in words.
    """

    label: str
    done: int
    of: int
    worth: str = ""
    earned: bool = False
    missed: bool = False
    """True if the bonus cannot be reached any more."""

    @property
    def lost(self) -> bool:
        """True if the bonus is missed or the limit has been exceeded."""
        return self.missed or self.done > self.of


class Contracts(msgspec.Struct, Generic[V], frozen=True):
    """Presentation of contracts on the score sheet, for games in which the seats declare in turn."""

    head: str
    """Heading of the column with the declarers."""
    declarer: Callable[[V, int], Seat | None]
    """Return the declarer of a round, numbered from 0; ``None`` while it is not determined."""
    left: Callable[[V], tuple[Row, ...]]
    """Return a row for each remaining contract.

    Its values are signs for each seat, clockwise from the seat of the view, or a single value for all seats.
    """
    note: str = ""
    """Further explanation of the totals; empty if none is needed."""


def no_feature(*_arguments: object) -> None:
    """Default of functions whose feature a game may lack."""


def no_intermediate_views(_event: Event, _before: View, _after: View) -> tuple[()]:
    """Default of ``GameView.intermediate_views``: there are none."""
    return ()


def no_progress(_view: View) -> tuple[Progress, ...]:
    """Default of ``GameView.progress``: there are no progress bars."""
    return ()


def no_entries(_view: View) -> tuple[()]:
    """Default of ``GameView.upcoming_titles`` and ``GameView.rules_in_force``: there are none."""
    return ()


def no_footers(_view: View) -> Mapping[Card, str]:
    """Default of ``GameView.card_footers``: no card has a footer."""
    return {}


def no_shortcut(_view: View, _hand: Sequence[Card], _step: int) -> Action | None:
    """Default of ``GameView.shortcut``: Up and Down have no action of their own in the hand."""
    return None


def sort_by_suit(cards: int) -> list[Card]:
    """Return cards sorted by suit, spades first, each suit from high to low rank.

    Of two identical cards the second copy comes first, so that the first copy is painted over it.
    """
    return card_order.sort_by_suit(iter_cards(cards), USUAL_ORDER)


def sort_by_rank(cards: int) -> list[Card]:
    """Return cards sorted from low to high rank, regardless of suit."""
    return card_order.sort_by_rank(iter_cards(cards), USUAL_ORDER)


_SORTS: Final[Mapping[HandOrder, Callable[[Iterable[Card], CardOrder], list[Card]]]] = {
    "suit": card_order.sort_by_suit,
    "rank": card_order.sort_by_rank,
}


class GameView(msgspec.Struct, Generic[V], frozen=True):
    """Functions and options by which the table screen shows a game; each function gets the view of one seat."""

    header: Callable[[V], HeaderFacts]
    plate: Callable[[V, Seat], SeatPlate]
    sections: Callable[[V, Names], tuple[Section, ...]]
    """Return the sections of the panel while a round is played."""
    prompt: Callable[[V, CursorState], tuple[str, ...]]
    """Return the lines of the prompt: the task of the player to act, then its reason or method.

    The least important line is the last. Keys are written by their names in braces, as ``Keymap.format_keys`` expects
    them.
    """
    middle: Callable[[Canvas, Layout, V, CursorState, Names], None]
    """Paint the cards on the mat."""
    decision: Callable[[V, Names], Decision | None]
    """Return the decision box; ``None`` if there is nothing to decide, or only cards to choose."""
    order: Callable[[V], list[Card]]
    """Return the cards of the player's hand in the game's usual order."""
    next_round: Callable[[V, Names], tuple[Row, ...]]
    """Return rows about the next round, which are shown between rounds."""
    upcoming_titles: Callable[[V], Sequence[Title | None]] = no_entries
    """Return the titles of the round in progress and of later rounds; empty if titles are not known in advance.

    ``None`` stands for a round whose contract has not been named.
    """
    previous_trick: Callable[[V], V | None] = no_feature
    """Return the view with the previous trick on the table; ``None`` if there was none."""
    intermediate_views: Callable[[Event, V, V], tuple[V, ...]] = no_intermediate_views
    """Return views to show for a moment between the views before and after an event, such as a complete trick."""
    winning: Callable[[V], int | None] = no_feature
    """Return the index, in order of play, of the card that is winning the trick; ``None`` if there is none."""
    rules_in_force: Callable[[V], Sequence[str]] = no_entries
    """Return the rules in force for the cards in the middle, such as a suit to follow, one per line; shown in replays.
    """
    progress: Callable[[V], tuple[Progress, ...]] = no_progress
    """Return the progress bars that are shown between rounds."""
    shortcut: Callable[[V, Sequence[Card], int], Action | None] = no_shortcut
    """Return the action of Up (-1) or Down (1) in the hand, given its cards in the order shown; ``None`` for none."""
    card_footers: Callable[[V], Mapping[Card, str]] = no_footers
    """Return a word below each of some cards of the player's hand."""
    melds: Callable[[V], Sequence[Sequence[Card]]] | None = None
    """Return the melds that can be laid together from the player's hand; ``None`` in games without melds."""
    best_rounds: str = "Rounds won"
    """Label of the number of rounds in which no other seat had a better result, on the score sheet."""
    wide: bool = False
    """True if cards are laid out in rows, so that the mat is wide."""
    always_dims: bool = False
    """True if unplayable cards are dimmed even while no card can be played."""
    tricks: bool = True
    """True if the game is played in tricks."""
    draws: bool = False
    """True if Down draws a card."""
    right_confirms: bool = False
    """True if Right and the right mouse button choose the option under the cursor of the decision box and move on."""
    joins_messages: bool = False
    """True if successive actions of one seat are reported in a single message."""
    contracts: Contracts[V] | None = None
    """Presentation of contracts; ``None`` in games in which the seats do not declare in turn."""
    keys: tuple[tuple[str, str], ...] = ()
    """Keys that only this game has, as pairs of key and description, for the key sheet."""
    gaps: bool = True
    """True if gaps separate the suits of the hand."""

    @property
    def hand_orders(self) -> tuple[HandOrder, ...]:
        """Orders of the hand that the game knows; any other is the same as "usual"."""
        return tuple([order for order in get_args(HandOrder) if order != "melds" or self.melds])

    def sort_cards(self, view: V, order: HandOrder, ranks_and_suits: CardOrder) -> list[Card]:
        """Return the cards of the player's hand in the order that the settings ask for.

        "melds" has the cards of melds first. ``ranks_and_suits``: ``Game.card_order``.
        """
        cards = self.order(view)
        if order == "melds":
            melded = self.list_melded_cards(view)
            return [*melded, *[card for card in cards if card not in melded]]
        return _SORTS[order](cards, ranks_and_suits) if order in _SORTS else cards

    def list_melded_cards(self, view: V) -> dict[Card, int]:
        """Return the cards of the melds in the player's hand in order, with the number of their meld, from 0."""
        melds = self.melds(view) if self.melds else ()
        return {card: number for number, meld in enumerate(melds) for card in meld}


AnyGameView: TypeAlias = GameView[View]
"""Game view of a game that was looked up by its key."""


def find_taker(game: AnyGame, game_view: AnyGameView, view: View) -> Seat | None:
    """Return the seat that wins the trick in ``view``; ``None`` if the trick is not complete."""
    trick, winning = game.trick(view), game_view.winning(view)
    if trick is None or winning is None or len(trick.lying) < sum(view.active):
        return None
    return trick.lying[winning][0]


def count_hand(game: AnyGame, view: View, seat: Seat) -> int:
    """Return the number of cards in the hand of ``seat``; 0 if it has no hand."""
    zones = game.scene(view)
    return next((len(zone.cards) for zone in zones if zone.name == "hand" and zone.seat == seat), 0)
