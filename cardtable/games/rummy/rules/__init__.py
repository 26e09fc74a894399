"""Rules of two-player Rummy: meld sequences and groups, and draw any number of cards from the face-up pile.

``rules.md`` explains the game to players; actions, combinations and legal turns are in modules of their own.
"""

from collections.abc import Sequence
from math import comb
from operator import add, sub
from random import Random
from typing import Annotated, Final, NamedTuple

import msgspec

from cardtable.engine import options as house
from cardtable.engine.annotations import OMITTED
from cardtable.engine.cards import ACE, BIT, NAME, PACK_52, RANK, Card, Cards, all_of, face_down, iter_cards, mask_of
from cardtable.engine.chance import Deal, FirstSeatDraw, is_permutation_of, shuffled
from cardtable.engine.game import (
    CHANCE,
    OVER,
    Action,
    Chance,
    EndingTitle,
    Event,
    Game,
    Note,
    Score,
    Seat,
    State,
    View,
    Zone,
    competition_ranks,
)
from cardtable.engine.log_entries import CustomLogEntry, Dealt, Drew
from cardtable.engine.round_state import points_entries
from cardtable.games.rummy import ABOUT
from cardtable.games.rummy.rules.actions import (
    CARDS_EACH,
    MAX_MELDS,
    MAX_ROUNDS,
    MAX_SINGLE_TAKES,
    Add,
    Drop,
    Meld,
    Options,
    Stock,
    Take,
)
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
    MIN_MELD_CARDS,
    ORDERED_CARDS,
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
            combination = event.combination
            self.owners = (*self.owners, self.turn)
            self._lay((*self.table, combination), MASK[combination], COMBINATION_POINTS[combination])
        elif isinstance(event, Add):
            card, index = event.card, event.number - 1
            table = lay_off(self.table, card, index)
            self._lay(table, BIT[card], COMBINATION_POINTS[table[index]] - COMBINATION_POINTS[self.table[index]])
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
        seen = all_of([*self.hands, *[MASK[c] for c in self.table], *[BIT[c] for c in (*self.pile, *self.stock)]])
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
        number = view.sizes[other] - view.shown[other].bit_count()
        if view.turn == other and view.must is not None:
            hidden = _sample_completing_cards(view, pool, number, rng)
        else:
            hidden = _sample_cards(pool, number, rng)
        hand = view.shown[other] | hidden
        state.hands = (hand, view.hand) if view.seat else (view.hand, hand)
        state.stock = shuffled(pool & ~hidden, rng)
        state.drawn = view.drawn
    elif view.counted:
        state.hands = view.counted
        state.stock = shuffled(PACK_52 & ~seen & ~sum(view.counted), rng)
    return state


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
        return "A meld needs at least three cards" if cards else "Discard a card to end your turn"

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


GAME: Final = RummyGame()
