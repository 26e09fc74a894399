"""Interface of a game's part of the table screen: texts, rows and the painted mat for the view of a seat."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, TypeAlias, final, get_args

import msgspec

from cardtable.engine import card_order
from cardtable.engine.card_order import USUAL_ORDER, CardOrder
from cardtable.engine.cards import Card, Cards, iter_cards
from cardtable.engine.game import Action, AnyGame, Event, Game, Seat, State, Title, V, View
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
    total_of: Seat | None = None
    """Seat whose total is the first value, which counts up after a round; ``None`` in other rows."""


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


class GameView(ABC, Generic[V]):
    """A game's part of the table screen. A subclass overrides methods and sets facts as class attributes.

    Each method gets the view of one seat.
    """

    best_rounds: str = "Rounds won"
    """Label of the number of rounds in which no other seat had a better result, on the score sheet."""
    wide: bool = False
    """True if cards are laid out in rows, so that the mat is wide."""
    always_dims: bool = False
    """True if unplayable cards are dimmed even while no card can be played."""
    right_click_confirms: bool = False
    """True if the right mouse button chooses the option under the cursor of the decision box."""
    joins_messages: bool = False
    """True if successive actions of one seat are reported in a single message."""
    has_melds: bool = False
    """True if the hand can be ordered by melds: a subclass that defines ``melds`` sets it."""
    has_bar: bool = False
    """True if a bar above the hand has the kinds of actions: a subclass that defines ``bar`` sets it."""
    has_declarers: bool = False
    """True if the seats declare contracts in turn: a subclass that defines ``contracts_left`` sets it."""
    declarer_heading: str = ""
    """Heading of the column with the declarers on the score sheet."""
    contracts_note: str = ""
    """Further explanation of the totals beside the contracts; empty if none is needed."""
    keys: tuple[tuple[str, str], ...] = ()
    """Keys that only this game has, as pairs of key and description, for the key sheet."""
    gaps: bool = True
    """True if gaps separate the suits of the hand."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.has_melds = cls.has_melds or "melds" in vars(cls)
        cls.has_bar = cls.has_bar or "bar" in vars(cls)
        cls.has_declarers = cls.has_declarers or "contracts_left" in vars(cls)

    @abstractmethod
    def header(self, view: V) -> HeaderFacts:
        """Return the facts beside the title."""

    @abstractmethod
    def plate(self, view: V, seat: Seat) -> SeatPlate:
        """Return the contents of the plate of a seat."""

    @abstractmethod
    def sections(self, view: V, names: Names) -> tuple[Section, ...]:
        """Return the sections of the panel while a round is played."""

    @abstractmethod
    def prompt(self, view: V, pointed: CursorState) -> tuple[str, ...]:
        """Return the lines of the prompt: the task of the player to act, then its reason or method.

        The least important line is the last. Keys are written by their names in braces, as ``Keymap.format_keys``
        expects them.
        """

    @abstractmethod
    def middle(self, canvas: Canvas, layout: Layout, view: V, pointed: CursorState, names: Names) -> None:
        """Paint the cards on the mat."""

    def decision(self, _view: V, _names: Names) -> Decision | None:
        """Return the decision box; ``None``, the default, if there is nothing to decide, or only cards to choose."""
        return None

    def order(self, view: V) -> list[Card]:
        """Return the cards of the player's hand in the game's usual order; by suit by default."""
        return sort_by_suit(view.hand)

    def next_round(self, view: V, _names: Names) -> tuple[Row, ...]:
        """Return rows about the next round, which are shown between rounds; its number by default."""
        return (Row(f"round {view.finished + 1}"),)

    def upcoming_titles(self, _view: V) -> Sequence[Title | None]:
        """Return the titles of the round in progress and of later rounds; empty, the default, if none is known.

        ``None`` stands for a round whose contract has not been named.
        """
        return ()

    def previous_trick(self, _view: V) -> V | None:
        """Return the view with the previous trick on the table; ``None``, the default, if there was none."""
        return None

    def intermediate_views(self, _event: Event, _before: V, _after: V) -> tuple[V, ...]:
        """Return views to show for a moment between the views before and after an event, such as a complete trick.

        There are none by default.
        """
        return ()

    def rules_in_force(self, _view: V) -> Sequence[str]:
        """Return the rules in force for the cards in the middle, such as a suit to follow, one per line, for replays.

        There are none by default.
        """
        return ()

    def progress(self, _view: V) -> tuple[Progress, ...]:
        """Return the progress bars that are shown between rounds; none by default."""
        return ()

    def shortcut(self, _view: V, _hand: Sequence[Card], _step: int) -> Action | None:
        """Return the action to which Up (-1) or Down (1) moves the cursor, given the cards of the hand in their order.

        ``None``, the default, if there is none; nothing but Enter and clicks performs an action.
        """
        return None

    def card_footers(self, _view: V) -> Mapping[Card, str]:
        """Return a word below each of some cards of the player's hand; none by default."""
        return {}

    def melds(self, _view: V) -> Sequence[Sequence[Card]]:
        """Return the melds that can be laid together from the player's hand; none by default."""
        return ()

    def fitting_cards(self, _view: V) -> Cards:
        """Return the cards of the player's hand that fit cards on the table, and are marked for it; none by default."""
        return 0

    def bar(self, _view: V) -> Mapping[str, str]:
        """Return a label for each kind of the legal actions, for a bar above the hand; none by default."""
        return {}

    def drawn_card(self, _view: V) -> Card | None:
        """Return the card of the player's hand that was drawn in this turn; ``None``, the default, if there is none."""
        return None

    def spare_card(self, _view: V) -> Card | None:
        """Return the legal card on which the cursor starts in place of the first one, which is worth keeping.

        ``None``, the default, if it starts on the first one.
        """
        return None

    def declarer(self, _view: V, _round: int) -> Seat | None:
        """Return the declarer of a round, numbered from 0; ``None`` while it is not determined, and by default."""
        return None

    def contracts_left(self, _view: V) -> tuple[Row, ...]:
        """Return a row for each remaining contract, for the score sheet; none by default.

        Its values are signs for each seat, clockwise from the seat of the view, or a single value for all seats.
        """
        return ()

    @final
    @property
    def hand_orders(self) -> tuple[HandOrder, ...]:
        """Orders of the hand that the game knows; any other is the same as "usual"."""
        return tuple([order for order in get_args(HandOrder) if order != "melds" or self.has_melds])

    @final
    def sort_cards(self, view: V, order: HandOrder, ranks_and_suits: CardOrder) -> list[Card]:
        """Return the cards of the player's hand in the order that the settings ask for.

        "melds" has the cards of melds first. ``ranks_and_suits``: ``Game.card_order``.
        """
        cards = self.order(view)
        if order == "melds":
            melded = self.list_melded_cards(view)
            return [*melded, *[card for card in cards if card not in melded]]
        return _SORTS[order](cards, ranks_and_suits) if order in _SORTS else cards

    @final
    def list_melded_cards(self, view: V) -> dict[Card, int]:
        """Return the cards of the melds in the player's hand in order, with the number of their meld, from 0."""
        return {card: number for number, meld in enumerate(self.melds(view)) for card in meld}


AnyGameView: TypeAlias = GameView[View]
"""Game view of a game that was looked up by its key."""


def find_winning_index(game: Game[State[View], V], view: V) -> int | None:
    """Return the index, in order of play, of the card that is winning the trick; ``None`` if there is none."""
    trick = game.trick(view)
    if trick is None or trick.winning is None:
        return None
    return [seat for seat, _ in trick.lying].index(trick.winning)


def find_taker(game: AnyGame, view: View) -> Seat | None:
    """Return the seat that wins the trick in ``view``; ``None`` if the trick is not complete."""
    trick = game.trick(view)
    return trick.winning if trick and len(trick.lying) >= sum(view.active) else None


def count_hand(game: Game[State[View], V], view: V, seat: Seat) -> int:
    """Return the number of cards in the hand of ``seat``; 0 if it has no hand."""
    zones = game.scene(view)
    return next((len(zone.cards) for zone in zones if zone.name == "hand" and zone.seat == seat), 0)
