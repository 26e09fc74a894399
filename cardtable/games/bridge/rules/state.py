"""State and view of Bridge, with turns, forced draws and scoring."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, Final

from cardtable.engine.annotations import AsCards
from cardtable.engine.cards import (
    BIT,
    EIGHT,
    JACK,
    OF_RANK,
    PACK_36,
    RANK,
    SIX,
    Card,
    Cards,
    SuitNumber,
    all_of,
    iter_cards,
    lowest,
    mask_of,
)
from cardtable.engine.chance import Deal, FirstCard, Shuffle, is_permutation_of, shuffled
from cardtable.engine.determinization import (
    Holding,
    add_hidden,
    compute_absent,
    exclude_cards,
    remove_card,
    sample_from_holdings,
)
from cardtable.engine.drawing import DRAW, Draw
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
from cardtable.engine.tricks import PLAYS, Play
from cardtable.games.bridge.rules.actions import (
    BRIDGE,
    BRIDGE_RUN,
    CARDS_EACH,
    DONE,
    EIGHTS_ACTIONS,
    ENDED_BY_BRIDGE,
    ENDED_OUT,
    ENDED_WITHOUT_CARDS,
    GIVE,
    JACKS_ACTIONS,
    SUIT_ACTIONS,
    TOTAL_LIMIT,
    Bridge,
    BridgeWith,
    Done,
    Eights,
    Give,
    Jacks,
    Options,
    Suit,
    add_points,
    compute_effect,
    compute_jack_points,
    find_fitting_cards,
    find_last_move,
    find_next_starter,
    sum_points,
)


class BridgeView(View, frozen=True):
    options: Options
    starter: Seat
    """Seat that starts the round or, between two rounds, the next one."""
    mover: Seat
    """Seat whose turn it is, even while an outcome of chance is due."""
    sizes: tuple[int, ...]
    """Number of cards in each hand, by seat."""
    stack: tuple[Card, ...]
    """Face-up stack; the top card is the last."""
    blind: int
    """Number of cards in the blind, the face-down pile."""
    buried: Cards
    """Cards from which the blind was made at the last shuffle; the cards in the blind are among them."""
    holdings: tuple[Annotated[Holding, AsCards(lambda holding: iter_cards(PACK_36 & compute_absent(holding)))], ...]
    """Public knowledge of each hand, by seat."""
    run: int
    """Number of consecutive cards of one rank that were played last, as shown by the bridge monitor.

    After a reshuffle it may exceed the number of cards on the stack.
    """
    named: SuitNumber | None
    """Suit that must follow the jack on top; ``None`` if no suit is named."""
    named_by: Seat | None
    multiplier: int
    played: tuple[Card, ...]
    """Cards played in this turn, in order."""
    drew: int
    """Number of cards that ``mover`` has drawn in this turn since the last card was played."""
    due: tuple[Seat, ...]
    """Seats that draw after the stack has been shuffled, in order, once for each card."""
    heir: Seat | None
    """Seat whose turn follows the forced draws in progress; ``None`` if there are none."""
    finisher: Seat | None
    """Seat that has gone out or called bridge; ``None`` before."""
    bridged: bool
    """True if the round was ended by calling bridge."""
    counted: tuple[Cards, ...]
    """All hands as they were scored, from the end of the round to the next deal; empty during a round."""
    points: tuple[int, ...]
    """Points of the last finished round, by seat."""

    @property
    def fitting_cards(self) -> Cards:
        """Cards, in any hand, that fit at the beginning of the next turn or on a 6 to be covered."""
        return find_fitting_cards(self.stack[-1] if self.stack else None, self.named)

    @property
    def playable_cards(self) -> Cards:
        """Cards, in any hand, that may be played now."""
        if not self.playing or self.finisher is not None:
            return 0
        if not self.played or RANK[self.played[-1]] == SIX:
            return self.fitting_cards
        return OF_RANK[RANK[self.played[-1]]]

    @property
    def last_move(self) -> tuple[Card, ...]:
        return find_last_move(self.played)

    @property
    def practice_actions(self) -> tuple[Action, ...]:
        can_give = bool(self.legal) and self.finisher is None and self.blind > 0
        return (GIVE,) if self.options.open_hands and can_give else ()

    @property
    def choices(self) -> tuple[Action, ...]:
        """Legal actions; a call of bridge comes with each way in which its player may then count the 8s or jacks."""
        asks_jacks = SUIT_ACTIONS[0] in self.legal and self.options.jacks == "choose"
        then = [a for a in self.legal if isinstance(a, Eights)] or (JACKS_ACTIONS if asks_jacks else ())
        if BRIDGE not in self.legal or not then:
            return self.legal
        return (*[action for action in self.legal if action != BRIDGE], *map(BridgeWith, then))

    @property
    def excluded_cards(self) -> tuple[Cards, ...]:
        """Cards that each seat certainly does not hold, by public knowledge."""
        return tuple([PACK_36 & compute_absent(holding) for holding in self.holdings])


_DRAW: Final[tuple[Action, ...]] = (DRAW,)
_DONE: Final[tuple[Action, ...]] = (DONE,)
_BRIDGE: Final[tuple[Action, ...]] = (BRIDGE,)


class BridgeState(State[BridgeView]):
    __slots__ = (
        "blind", "bridged", "buried", "drawn", "drew", "due", "finished", "finisher", "hands", "heir",
        "holdings", "mover", "multiplier", "named", "named_by", "options", "played", "playing", "points",
        "round", "run", "score", "stack", "starter", "totals", "turn",
    )  # fmt: skip
    options: Options
    hands: list[Cards]
    holdings: list[Holding]
    stack: list[Card]
    """Face-up pile; the last card is the top card."""
    blind: list[Card]
    """Face-down pile; the last card is drawn next."""

    def __init__(self, seats: int, options: Options) -> None:
        self.options = options
        self.starter: Seat = 0
        self.round = self.finished = 0
        self.playing = False
        self.totals: tuple[int, ...] = (0,) * seats
        self.points: tuple[int, ...] = (0,) * seats
        self.score: Score | None = None
        self._reset_round()
        self.turn = CHANCE

    def _reset_round(self) -> None:
        seats = len(self.totals)
        self.hands = [0] * seats
        self.stack, self.blind = [], []
        self.buried = PACK_36
        self.holdings = [()] * seats
        self.multiplier, self.run = 1, 0
        self.named: int | None = None
        self.named_by: Seat | None = None
        self.finisher: Seat | None = None
        self.bridged = False
        self._begin_turn(self.starter)

    def _begin_turn(self, seat: Seat) -> None:
        self.turn: Seat = seat
        self.mover = seat
        self.played: tuple[Card, ...] = ()
        self.drew = 0
        self.drawn: Card | None = None
        self.due: tuple[Seat, ...] = ()
        self.heir: Seat | None = None

    def legal(self) -> Sequence[Action]:
        if self.finisher is not None:
            return EIGHTS_ACTIONS if RANK[self.stack[-1]] == EIGHT else JACKS_ACTIONS
        hand, played = self.hands[self.turn], self.played
        if played and RANK[played[-1]] != SIX:
            rank = RANK[played[-1]]
            more = hand & OF_RANK[rank]
            actions = PLAYS.of(more) + self._list_end_actions(rank) if more else self._list_end_actions(rank)
        else:
            fit = hand & self.find_fitting_cards()
            actions = PLAYS.of(fit) if fit else _DRAW
            if self.drew and not played and self.options.drawn_card == "may":
                actions += _DONE
        return actions + _BRIDGE if self.run == BRIDGE_RUN else actions

    def find_fitting_cards(self) -> Cards:
        """Return the cards, in any hand, that fit at the beginning of a turn or on a 6 to be covered."""
        return find_fitting_cards(self.stack[-1] if self.stack else None, self.named)

    def _list_end_actions(self, rank: int) -> tuple[Action, ...]:
        """Return the actions that may end a turn whose last card is of ``rank``."""
        if rank == JACK:
            return SUIT_ACTIONS
        return EIGHTS_ACTIONS if rank == EIGHT and self._should_ask_eights() else _DONE

    def _should_ask_eights(self) -> bool:
        return self.options.eights == "choose" and len(self.hands) > 2 and len(find_last_move(self.played)) > 1

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self._play_card(event.card)
        elif isinstance(event, Draw):
            self._draw_card()
        elif isinstance(event, Done):
            self._end_turn(self.options.eights == "share")
        elif isinstance(event, Suit):
            self.named, self.named_by = event.suit, self.mover
            self._end_turn(share=False)
        elif isinstance(event, Eights):
            self._apply_eights(event.share)
        elif isinstance(event, Give):
            self.hands[self.turn] |= BIT[self.blind.pop()]
            self.holdings[self.turn] = add_hidden(self.holdings[self.turn], PACK_36 ^ self.buried)
        elif isinstance(event, Bridge):
            self.bridged = True
            self._finish_play()
        elif isinstance(event, Jacks):
            self._score_round(self._compute_jack_points(event.plus))
        else:
            self._apply_chance(event)

    def _apply_chance(self, event: Event) -> None:
        if isinstance(event, Shuffle):
            self._reshuffle(event.order)
        elif isinstance(event, Deal):
            self._apply_deal(event.order)
        elif isinstance(event, FirstCard):
            self._begin_turn(self.starter)
            self._play_card(event.card)
        else:
            raise TypeError(event)

    def _apply_deal(self, order: Sequence[Card]) -> None:
        self._reset_round()
        self.round = self.finished + 1
        seats = len(self.hands)
        self.hands = [mask_of(order[CARDS_EACH * seat : CARDS_EACH * (seat + 1)]) for seat in range(seats)]
        self.holdings = [((CARDS_EACH, 0),)] * seats
        self.blind = list(order[: CARDS_EACH * seats - 1 : -1])
        self.playing = True
        if self.options.opening == "random":
            self.turn = CHANCE

    def _play_card(self, card: Card) -> None:
        seat, rank = self.turn, RANK[card]
        self.hands[seat] ^= BIT[card]
        self.holdings[seat] = remove_card(self.holdings[seat], card)
        self._reset_run()
        self.run = self.run + 1 if self.stack and RANK[self.stack[-1]] == rank else 1
        self.stack.append(card)
        self.played += (card,)
        self.named = self.named_by = self.drawn = None
        self.drew = 0
        if not self.hands[seat] and rank != SIX:
            self._finish_play()

    def _reset_run(self) -> None:
        """Reset the run if the mover could have called bridge but has chosen another action."""
        if self.run == BRIDGE_RUN:
            self.run = 0

    def _draw_card(self) -> None:
        """Draw a card for the mover, who thereby shows to hold no card that fits."""
        self._reset_run()
        self.holdings[self.mover] = exclude_cards(self.holdings[self.mover], self.find_fitting_cards())
        self.due = (self.mover,)
        self._deal_due_cards()

    def _deal_due_cards(self) -> None:
        """Give each seat of ``due`` a card, then continue the turn, begin the next one or score the round.

        If the blind is empty, the remaining seats stay in ``due`` until it has been reshuffled.
        """
        for i, seat in enumerate(self.due):
            if not self.blind:
                self.due = self.due[i:]
                self._handle_empty_blind()
                return
            self._take_card(seat)
        if self.finisher is not None:
            self._score_round()
        elif self.heir is not None:
            self._begin_turn(self.heir)
        else:
            self.turn, self.due = self.mover, ()
            if not self.played and not self.hands[self.mover] & self.find_fitting_cards():
                self._begin_turn((self.mover + 1) % len(self.hands))

    def _take_card(self, seat: Seat) -> None:
        card = self.blind.pop()
        self.hands[seat] |= BIT[card]
        absent = PACK_36 ^ self.buried
        if self.heir is None and self.finisher is None:
            self.drawn = card
            self.drew += 1
            if not self.played:
                absent |= self._find_excluded_by_draw(card)
        self.holdings[seat] = add_hidden(self.holdings[seat], absent)

    def _find_excluded_by_draw(self, drawn: Card) -> Cards:
        """Return the cards that the other players can exclude for a card drawn before the first play of a turn.

        The mover shows whether the drawn card fits by continuing the turn or not. A card drawn to cover a 6 shows
        nothing before the mover's next action.
        """
        fits = self.find_fitting_cards()
        return PACK_36 ^ fits if BIT[drawn] & fits else fits

    def _handle_empty_blind(self) -> None:
        """Wait for a reshuffle, or end the round if the stack has only one card.

        Called when a card is due and the blind is empty.
        """
        if len(self.stack) > 1:
            self.turn = CHANCE
        else:
            self._score_round()

    def _reshuffle(self, order: Sequence[Card]) -> None:
        self.blind = list(order[::-1])
        self.stack = self.stack[-1:]
        self.multiplier += 1
        self.buried = mask_of(order)
        self.holdings = [exclude_cards(holding, self.buried) for holding in self.holdings]
        self._deal_due_cards()

    def _end_turn(self, share: bool) -> None:
        """End the mover's turn and apply the effect of its last cards; ``share``: True if 8s are shared."""
        seats = len(self.hands)
        if not self.played:
            self._begin_turn((self.mover + 1) % seats)
            return
        self._reset_run()
        move = find_last_move(self.played)
        effect = compute_effect(seats, self.mover, RANK[move[0]], len(move), share)
        self.due, self.heir = effect.due, effect.next_seat
        self._deal_due_cards()

    def _apply_eights(self, share: bool) -> None:
        if self.finisher is None:
            self._end_turn(share)
        else:
            self._apply_last_move(share)

    def _finish_play(self) -> None:
        """End the play of the round, as the mover has gone out or called bridge.

        The round is scored at once, unless the mover has to decide about 8s or jacks first.
        """
        self.finisher = self.mover
        rank = RANK[self.played[-1]]
        if rank == JACK and self.options.jacks != "choose":
            self._score_round(self._compute_jack_points(self.options.jacks == "plus"))
        elif rank != JACK and not (rank == EIGHT and self._should_ask_eights()):
            self._apply_last_move(self.options.eights == "share")

    def _apply_last_move(self, share: bool) -> None:
        """Apply the effect of the finisher's last cards before the hands are scored.

        ``share``: True if 8s are shared.
        """
        move = find_last_move(self.played)
        self.due = compute_effect(len(self.hands), self.mover, RANK[move[0]], len(move), share).due
        self._deal_due_cards()

    def _compute_jack_points(self, plus: bool) -> tuple[int, ...]:
        """Return the points, by seat, of the jacks that ended the round, before the multiplier."""
        number = len(find_last_move(self.played)) if self.options.jacks != "off" else 0
        assert self.finisher is not None
        return compute_jack_points(len(self.hands), self.finisher, number, plus=plus)

    def _score_round(self, jacks: tuple[int, ...] = ()) -> None:
        """Score the round. If no player has finished it, ``due[0]`` is the seat that could not draw.

        ``jacks``: points of the jacks that ended the round, by seat; empty if there are none.
        """
        last = self.due[0] if self.finisher is None else self.finisher
        self.due = ()
        figures = tuple(zip(map(sum_points, self.hands), jacks or (0,) * len(self.hands), strict=True))
        self.points = tuple([self.multiplier * (hand + jack) for hand, jack in figures])
        self.totals = add_points(self.totals, self.points)
        ending = ENDED_WITHOUT_CARDS if self.finisher is None else ENDED_BY_BRIDGE if self.bridged else ENDED_OUT
        title = EndingTitle(ending, self.multiplier)
        self.score = Score(title, figures, self.points, ((),) * len(figures), self.totals)
        self.finished += 1
        self.playing = False
        self.turn = OVER if max(self.totals) > TOTAL_LIMIT else CHANCE
        self.starter = find_next_starter(self.totals, last)

    def cancel_round(self) -> None:
        self.playing = False
        self._reset_round()
        self.turn = CHANCE

    def pending_chance_type(self) -> type[Chance]:
        if not self.playing:
            return Deal
        return Shuffle if self.due else FirstCard

    def draw_chance(self, rng: Random) -> Chance:
        owed = self.pending_chance_type()
        if owed is Deal:
            return Deal(shuffled(PACK_36, rng))
        if owed is Shuffle:
            return Shuffle(shuffled(mask_of(self.stack[:-1]), rng))
        return FirstCard(rng.choice(iter_cards(self.hands[self.starter])))

    def is_possible_chance(self, chance: Chance) -> bool:
        if type(chance) is not self.pending_chance_type():
            return False
        if isinstance(chance, Deal):
            return is_permutation_of(chance.order, PACK_36)
        if isinstance(chance, Shuffle):
            return is_permutation_of(chance.order, mask_of(self.stack[:-1]))
        return isinstance(chance, FirstCard) and bool(BIT[chance.card] & self.hands[self.starter])

    def ranks(self) -> tuple[int, ...]:
        return competition_ranks(self.totals, lowest_wins=True)

    def drawn_card(self, seat: Seat) -> Card | None:
        return self.drawn if self.mover == seat else None

    def view(self, seat: Seat) -> BridgeView:
        return BridgeView(
            **self.common_view_fields(seat),
            options=self.options,
            starter=self.starter,
            mover=self.mover,
            hand=self.hands[seat],
            sizes=tuple([hand.bit_count() for hand in self.hands]),
            stack=tuple(self.stack),
            blind=len(self.blind),
            buried=self.buried,
            holdings=tuple(self.holdings),
            run=self.run,
            named=self.named,
            named_by=self.named_by,
            multiplier=self.multiplier,
            played=self.played,
            drew=self.drew,
            due=self.due,
            heir=self.heir,
            finisher=self.finisher,
            bridged=self.bridged,
            counted=tuple(self.hands) if self.stack and not self.playing else (),
            points=self.points,
        )

    def assert_invariants(self) -> None:
        seen = all_of([*self.hands, *[BIT[c] for c in (*self.stack, *self.blind)]])
        assert seen == (PACK_36 if self.playing or self.stack else 0), "a card is missing"
        assert 0 <= self.run <= BRIDGE_RUN
        assert not mask_of(self.blind) & ~self.buried, "the blind holds a card that was not shuffled"
        assert self.named is None or RANK[self.stack[-1]] == JACK, "a suit is named, but not on a jack"
        for hand, holding in zip(self.hands, self.holdings, strict=True):
            assert hand.bit_count() == sum([number for number, _ in holding])
            assert not hand & compute_absent(holding), "a hand holds what it has shown to lack"


def imagine(view: BridgeView, rng: Random) -> BridgeState:
    """Sample a state that is consistent with the view."""
    state = BridgeState(len(view.totals), view.options)
    state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
    state.totals, state.starter, state.mover, state.buried = view.totals, view.starter, view.mover, view.buried
    state.run, state.named, state.named_by, state.multiplier = view.run, view.named, view.named_by, view.multiplier
    state.played, state.drew, state.due, state.heir = view.played, view.drew, view.due, view.heir
    state.finisher, state.bridged, state.points = view.finisher, view.bridged, view.points
    state.stack, state.holdings = list(view.stack), list(view.holdings)
    hands, blind = _sample_hands(view, rng) if view.playing else _get_open_hands(view)
    state.hands, state.blind = hands, list(shuffled(blind, rng))
    state.drawn = view.drawn if view.mover == view.seat else _guess_drawn_card(state)
    return state


def _sample_hands(view: BridgeView, rng: Random) -> tuple[list[Cards], Cards]:
    """Sample the hands of all seats and the cards of the blind."""
    seats = len(view.sizes)
    holdings = list(view.holdings)
    holdings[view.seat] = ()
    if view.blind:
        holdings.append(((view.blind, PACK_36 ^ view.buried),))
    hands = sample_from_holdings(PACK_36 & ~view.hand & ~mask_of(view.stack), holdings, rng)
    hands[view.seat] = view.hand
    return hands[:seats], sum(hands[seats:])


def _get_open_hands(view: BridgeView) -> tuple[list[Cards], Cards]:
    """Return the hands, which are face up after a round, and the cards of the blind.

    Empty sets before the first deal.
    """
    if not view.counted:
        return [0] * len(view.sizes), 0
    return list(view.counted), PACK_36 & ~mask_of(view.stack) & ~sum(view.counted)


def _guess_drawn_card(state: BridgeState) -> Card | None:
    """Return a card that the mover may have drawn last in this turn; ``None`` if the mover has not drawn."""
    if not state.drew:
        return None
    hand = state.hands[state.mover] & state.buried
    return lowest(hand & state.find_fitting_cards() or hand)
