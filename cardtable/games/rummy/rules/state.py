"""State and view of Rummy, and the determinization of a view."""

from collections.abc import Sequence
from math import comb
from operator import add, sub
from random import Random
from typing import Annotated, Final, NamedTuple

import msgspec

from cardtable.engine import game
from cardtable.engine.annotations import OMITTED
from cardtable.engine.cards import BIT, PACK_52, Card, Cards, mask_of
from cardtable.engine.chance import Deal, FirstSeatDraw, is_permutation_of, shuffled
from cardtable.engine.game import (
    CHANCE,
    OVER,
    Action,
    Chance,
    EndingTitle,
    Event,
    Score,
    Seat,
    State,
    View,
    competition_ranks,
)
from cardtable.games.rummy.rules.actions import CARDS_EACH, MAX_MELDS, Add, Drop, Meld, Options, Stock, Take
from cardtable.games.rummy.rules.legal_turns import (
    Table,
    can_complete,
    find_best_melds,
    find_melds,
    find_open_ends,
    find_table_cards,
    iter_ways_to_lay,
    lay_off,
    list_actions_after_draw,
    list_draws,
)
from cardtable.games.rummy.rules.melds import (
    COMBINATION_POINTS,
    LAY_OFF_CARDS,
    MASK,
    ORDERED_CARDS,
    Combination,
    MeldedCards,
    sum_points,
)


class FinishedTurn(NamedTuple):
    """Public information about a finished turn; fields named like fields of the view have the same meaning."""

    seat: Seat
    drop: Card
    """Card discarded at the end of the turn; all other fields describe the moment before that."""
    taken: Cards
    """Cards taken from the face-up pile; 0 if the seat drew from the stock."""
    table: Table
    pile: tuple[Card, ...]
    shown: tuple[Cards, ...]
    stock: int
    others: int
    """Number of cards in the other seat's hand."""


class RummyView(View, frozen=True):
    options: Options
    first: Seat | None
    """Seat that starts the first round; ``None`` before it is drawn."""
    sizes: tuple[int, ...]
    """Number of cards in each hand."""
    table: Annotated[tuple[MeldedCards, ...], msgspec.Meta(max_length=MAX_MELDS)]
    """Melds of both seats, in the order in which they were laid."""
    owners: Annotated[tuple[Seat, ...], msgspec.Meta(max_length=MAX_MELDS)]
    """Seat that laid each meld of ``table``."""
    laid: tuple[int, ...]
    """Points of the cards that each seat has melded or laid off in this round."""
    pile: tuple[Card, ...]
    """Cards of the face-up pile, the top card last."""
    stock: int
    """Number of cards in the face-down pile."""
    shown: tuple[Cards, ...]
    """Cards that each seat is publicly known to hold, since it took them from the face-up pile."""
    drew: bool
    """True if the seat to act has drawn in this turn."""
    taken: Cards
    """Cards taken from the face-up pile in this turn."""
    must: Card | None
    """Card that must still be melded or laid off in this turn; ``None`` if there is none."""
    barred: Cards
    """Cards that may not be discarded in this turn."""
    ones: int
    """Number of consecutive turns, up to this one, that began with ``take 1``."""
    turns: int
    """Number of turns begun in this round, the current one included."""
    past: Annotated[tuple[FinishedTurn, ...], OMITTED]
    """Finished turns of this round, in order."""
    counted: tuple[Cards, ...]
    """Remaining cards of each seat as scored, from the end of a round to the next deal; empty during a round."""
    forfeited: Seat | None
    """Seat that has lost the session on time; ``None`` if no seat has."""


SEATS: Final = 2


class RummyState(State[RummyView]):
    __slots__ = (
        "drawn", "drew", "finished", "first", "forfeited", "hands", "laid", "must", "ones", "options", "owners",
        "past", "pile", "playing", "round", "score", "shown", "stock", "table", "taken", "totals", "turn", "turns",
    )  # fmt: skip
    options: Options
    table: Table
    pile: tuple[Card, ...]
    """Cards of the face-up pile, the top card last."""
    stock: tuple[Card, ...]
    """Cards of the face-down pile; the next card to be drawn is last."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.first: Seat | None = None
        self.round = self.finished = 0
        self.playing = False
        self.totals: tuple[int, ...] = (0,) * SEATS
        self.score: Score | None = None
        self.forfeited: Seat | None = None
        self._reset_round()
        self.turn: Seat = CHANCE

    def _reset_round(self) -> None:
        self.hands: tuple[Cards, ...] = (0,) * SEATS
        self.table = ()
        self.owners: tuple[Seat, ...] = ()
        self.laid: tuple[int, ...] = (0,) * SEATS
        self.pile, self.stock = (), ()
        self.shown: tuple[Cards, ...] = (0,) * SEATS
        self.ones = self.turns = 0
        self.past: tuple[FinishedTurn, ...] = ()
        self._reset_turn(CHANCE)

    def _begin_turn(self, seat: Seat) -> None:
        self._reset_turn(seat)
        self.turns += 1

    def _reset_turn(self, turn: Seat) -> None:
        """Set ``turn`` and reset everything that belongs to a single turn."""
        self.turn = turn
        self.drew = False
        self.drawn: Card | None = None
        self.taken: Cards = 0
        self.must: Card | None = None

    @property
    def barred(self) -> Cards:
        """Cards that may not be discarded in this turn.

        These are a card taken alone from the face-up pile, and under the house rule ``must-keep`` all cards taken from
        it.
        """
        alone = not self.taken & (self.taken - 1)
        return self.taken if alone or self.options.taken_cards == "must-keep" else 0

    def legal(self) -> Sequence[Action]:
        hand = self.hands[self.turn]
        if self.drew:
            return list_actions_after_draw(hand, self.table, self.must, self.barred)
        return list_draws(hand, self.table, self.pile, self.ones, must_keep=self.options.taken_cards == "must-keep")

    def apply(self, event: Event) -> None:
        if isinstance(event, Drop):
            self._discard_card(event.card)
        elif isinstance(event, Stock):
            self._draw_card()
        elif isinstance(event, Meld):
            self._lay_meld(event.combination)
        elif isinstance(event, Add):
            self._lay_off(event.card, event.number - 1)
        elif isinstance(event, Take):
            self._take_cards(event.number)
        elif isinstance(event, Deal):
            self._apply_deal(event.order)
        elif isinstance(event, FirstSeatDraw):
            self.first = event.seat
        else:
            raise TypeError(event)

    def _apply_deal(self, order: Sequence[Card]) -> None:
        assert self.first is not None
        self._reset_round()
        self.round = self.finished + 1
        self.hands = (mask_of(order[:CARDS_EACH]), mask_of(order[CARDS_EACH : 2 * CARDS_EACH]))
        self.pile, self.stock = (order[2 * CARDS_EACH],), tuple(order[: 2 * CARDS_EACH : -1])
        self.playing = True
        self._begin_turn((self.first + self.finished) % SEATS)

    def _draw_card(self) -> None:
        self.drawn = self.stock[-1]
        self.stock = self.stock[:-1]
        self._set_hand(self.hands[self.turn] | BIT[self.drawn], 0)
        self.drew, self.ones = True, 0

    def _take_cards(self, number: int) -> None:
        seat, cards = self.turn, self.pile[-number:]
        self.pile = self.pile[:-number]
        self.taken = mask_of(cards)
        self._set_hand(self.hands[seat] | self.taken, self.taken)
        self.drew = True
        if number == 1:
            self.ones += 1
        else:
            self.must, self.ones = cards[0], 0

    def _set_hand(self, hand: Cards, shown: Cards) -> None:
        """Set the hand of the seat to act; ``shown`` holds cards of it that become publicly known."""
        if self.turn:
            self.hands = (self.hands[0], hand)
            self.shown = (self.shown[0], (self.shown[1] | shown) & hand)
        else:
            self.hands = (hand, self.hands[1])
            self.shown = ((self.shown[0] | shown) & hand, self.shown[1])

    def _lay_meld(self, combination: Combination) -> None:
        self.owners = (*self.owners, self.turn)
        self._lay((*self.table, combination), MASK[combination], COMBINATION_POINTS[combination])

    def _lay_off(self, card: Card, index: int) -> None:
        table = lay_off(self.table, card, index)
        self._lay(table, BIT[card], COMBINATION_POINTS[table[index]] - COMBINATION_POINTS[self.table[index]])

    def _lay(self, table: Table, cards: Cards, points: int) -> None:
        """Move ``cards`` from the hand to the table, which becomes ``table``, and score ``points`` for them.

        The round ends if the hand is empty afterwards.
        """
        seat, self.table = self.turn, table
        self.laid = tuple([laid + points if s == seat else laid for s, laid in enumerate(self.laid)])
        if self.must is not None and BIT[self.must] & cards:
            self.must = None
        self._set_hand(self.hands[seat] & ~cards, 0)
        if not self.hands[seat]:
            self._score_round()

    def _discard_card(self, card: Card) -> None:
        seat, others = self.turn, self.hands[1 - self.turn].bit_count()
        over = FinishedTurn(seat, card, self.taken, self.table, self.pile, self.shown, len(self.stock), others)
        self.past = (*self.past, over)
        self.pile = (*self.pile, card)
        self._set_hand(self.hands[seat] & ~BIT[card], 0)
        if self.hands[seat] and self.stock:
            self._begin_turn(1 - seat)
        else:
            self._score_round()

    def _score_round(self) -> None:
        """Score the melds and hands, and end the round."""
        hands = tuple(map(sum_points, self.hands))
        points = tuple(map(sub, self.laid, hands))
        self.totals = tuple(map(add, self.totals, points))
        title = EndingTitle("no stock" if all(self.hands) else "out")
        self.score = Score(title, tuple(zip(self.laid, hands, strict=True)), points, ((),) * SEATS, self.totals)
        self.finished += 1
        self.playing = False
        self._reset_turn(OVER if self.options.is_session_over(self.finished, self.totals) else CHANCE)

    def cancel_round(self) -> None:
        self.playing = False
        self._reset_round()

    def forfeit(self, seat: Seat) -> None:
        if self.options.clock == "off":
            raise ValueError("this session is played without clocks")
        self.forfeited, self.playing = seat, False
        self._reset_round()
        self.turn = OVER

    def pending_chance_type(self) -> type[Chance]:
        return FirstSeatDraw if self.first is None else Deal

    def draw_chance(self, rng: Random) -> Chance:
        return FirstSeatDraw(rng.randrange(SEATS)) if self.first is None else Deal(shuffled(PACK_52, rng))

    def is_possible_chance(self, chance: Chance) -> bool:
        if self.first is None:
            return isinstance(chance, FirstSeatDraw) and 0 <= chance.seat < SEATS
        return isinstance(chance, Deal) and is_permutation_of(chance.order, PACK_52)

    def ranks(self) -> tuple[int, ...]:
        if self.forfeited is not None:
            return tuple([2 if seat == self.forfeited else 1 for seat in range(SEATS)])
        return competition_ranks(self.totals)

    def drawn_card(self, seat: Seat) -> Card | None:
        return self.drawn if self.turn == seat else None

    def view(self, seat: Seat) -> RummyView:
        return RummyView(
            **self.common_view_fields(seat),
            options=self.options,
            first=self.first,
            hand=self.hands[seat],
            sizes=tuple([hand.bit_count() for hand in self.hands]),
            table=self.table,
            owners=self.owners,
            laid=self.laid,
            pile=self.pile,
            stock=len(self.stock),
            shown=self.shown,
            drew=self.drew,
            taken=self.taken,
            must=self.must,
            barred=self.barred,
            ones=self.ones,
            turns=self.turns,
            past=self.past,
            counted=self.hands if not self.playing and any(self.hands) else (),
            forfeited=self.forfeited,
        )

    def assert_invariants(self) -> None:
        seen = game.all_of([*self.hands, *[MASK[c] for c in self.table], *[BIT[c] for c in (*self.pile, *self.stock)]])
        assert seen == (PACK_52 if any(self.hands) else 0), "a card is missing"
        assert not any(s & ~h for s, h in zip(self.shown, self.hands, strict=True)), "a hand lacks what it has shown"
        assert sum(self.laid) == sum([COMBINATION_POINTS[c] for c in self.table]), (
            "the points are not those of the combinations"
        )
        assert len(self.owners) == len(self.table)
        assert self.drew or not self.taken
        assert self.turn < 0 or can_complete(
            self.hands[self.turn], find_open_ends(self.table), self.must, self.barred
        ), "the turn cannot be completed"


def list_hand_melds(view: RummyView) -> tuple[tuple[Card, ...], ...]:
    """Return the melds that score the most points of those that can be laid together from the hand.

    A mandatory card that cannot be laid off is in one of them if the hand has a meld with it.
    """
    melds = find_best_melds(view.hand)
    must = 0 if view.must is None else BIT[view.must] & view.hand
    if must and not any(LAY_OFF_CARDS[one] & must for one in view.table):
        uses = [one for one in find_melds(view.hand) if MASK[one] & must]
        meld_sets = [(one, *find_best_melds(view.hand & ~MASK[one])) for one in uses]
        melds = max(meld_sets, key=lambda meld_set: sum([COMBINATION_POINTS[one] for one in meld_set]), default=melds)
    return tuple([ORDERED_CARDS[one] for one in melds])


def imagine(view: RummyView, rng: Random) -> RummyState:
    """Return a random full state that is consistent with ``view`` (determinization).

    All such states have the same probability.
    """
    state = RummyState(view.options)
    state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
    state.totals, state.first, state.table, state.owners = view.totals, view.first, view.table, view.owners
    state.laid, state.pile, state.shown, state.drew = view.laid, view.pile, view.shown, view.drew
    state.taken, state.must, state.ones, state.turns = view.taken, view.must, view.ones, view.turns
    state.past, state.forfeited = view.past, view.forfeited
    seen = view.hand | mask_of(view.pile) | find_table_cards(view.table)
    if view.playing:
        other = 1 - view.seat
        pool = PACK_52 & ~seen & ~view.shown[other]
        hidden = _sample_hidden_cards(view, pool, view.sizes[other] - view.shown[other].bit_count(), rng)
        hand = view.shown[other] | hidden
        state.hands = (hand, view.hand) if view.seat else (view.hand, hand)
        state.stock = shuffled(pool & ~hidden, rng)
        state.drawn = view.drawn
    elif view.counted:
        state.hands = view.counted
        state.stock = shuffled(PACK_52 & ~seen & ~sum(view.counted), rng)
    return state


def _sample_hidden_cards(view: RummyView, pool: Cards, number: int, rng: Random) -> Cards:
    """Return ``number`` cards of ``pool`` as the part of the opponent's hand that is not publicly known.

    If the opponent has a mandatory card, the turn can be completed with these cards.
    """
    if view.turn == 1 - view.seat and view.must is not None:
        return _sample_completing_cards(view, pool, number, rng)
    return _sample_cards(pool, number, rng)


def _sample_cards(pool: Cards, number: int, rng: Random) -> Cards:
    return mask_of(shuffled(pool, rng)[:number])


def _sample_completing_cards(view: RummyView, pool: Cards, number: int, rng: Random) -> Cards:
    """Return ``number`` cards of ``pool`` with which the opponent can complete the turn; uniformly distributed.

    A way to use the mandatory card is drawn in proportion to the number of hands that contain it, and filled up at
    random. A hand that results from several ways would be drawn too often. It is therefore accepted with a probability
    of one over the number of these ways (rejection sampling).
    """
    shown, end = view.shown[view.turn], find_open_ends(view.table)
    assert view.must is not None
    missing = {cards & ~shown for cards in iter_ways_to_lay(view.must, end) if not cards & ~(shown | pool)}
    needs = sorted([need for need in missing if need.bit_count() <= number])
    size = pool.bit_count()
    weights = [comb(size - need.bit_count(), number - need.bit_count()) for need in needs]
    while True:
        (need,) = rng.choices(needs, weights)
        hidden = need | _sample_cards(pool & ~need, number - need.bit_count(), rng)
        leading = len([other for other in needs if not other & ~hidden])
        if rng.random() * leading < 1 and can_complete(shown | hidden, end, view.must, view.barred):
            return hidden
