"""Base classes of trick-taking games.

``TrickState`` deals, plays tricks and records the cards that each seat has shown not to hold. ``TrickGameState`` adds
the cards that each seat has taken, and the determinization of a view. Where a game differs from the defaults, it
overrides the leader, the legal cards, the winner of a trick, the points of a round or the end of the session.
``TrickGame`` describes such a game to players.
"""

from collections.abc import Sequence
from operator import and_, or_
from random import Random
from typing import Annotated, ClassVar, Self, TypedDict, TypeVar

from cardtable.engine.annotations import NOT_HELD, PRIVATE
from cardtable.engine.cards import (
    BIT,
    OF_SUIT,
    PACK_52,
    SUIT,
    Card,
    Cards,
    all_of,
    face_down,
    highest,
    iter_cards,
    mask_of,
    names,
)
from cardtable.engine.game import Action, Event, Note, Seat, TrickStatus, V, Zone
from cardtable.engine.log_entries import TookTrick
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import RoundGame, RoundState, assert_of_pack, deal_hands, points_entries, with_value
from cardtable.engine.tricks import PLAYS, Play, TrickView, format_must_follow, list_play_order, order, trick_status


class TrickViewFields(TypedDict):
    """Fields of ``TrickView``, which are computed alike in every game."""

    seat: Seat
    turn: Seat
    legal: tuple[Action, ...]
    round: int
    finished: int
    playing: bool
    totals: tuple[int, ...]
    drawn: Card | None
    hand: Cards
    cards: int
    won: tuple[int, ...]
    leader: Seat
    trick: tuple[Card, ...]
    last_leader: Seat
    last_trick: tuple[Card, ...]
    played: tuple[Cards, ...]
    excluded_cards: tuple[Cards, ...]


class TrickState(RoundState[V]):
    """State of a session whose rounds are dealt in hands of equal size and played in tricks.

    The lists ``hands``, ``won`` and ``excluded_cards`` are changed in place. By default the complete pack is dealt, and
    cards that cannot be divided equally are left out. Players follow suit if possible, the highest card of the suit led
    takes the trick, and its player leads to the next one.
    """

    __slots__ = (
        "cards", "dealt", "excluded_cards", "last_leader", "last_trick", "leader", "led", "trick", "won",
    )  # fmt: skip
    hands: list[Cards]
    won: list[int]
    excluded_cards: list[Cards]
    plays_last_trick: ClassVar[bool] = False
    """True if the last trick of a round plays itself, since no seat has a choice."""

    def clear(self) -> None:
        super().clear()
        seats = self.seats
        self.cards = self.pack.bit_count() // seats
        """Cards in each hand at the beginning of the round."""
        self.dealt: tuple[Cards, ...] = (0,) * seats
        """Hands at the beginning of the round."""
        self.won, self.excluded_cards = [0] * seats, [0] * seats
        self.trick: tuple[Card, ...] = ()
        self.last_trick: tuple[Card, ...] = ()
        self.led: Cards = 0
        """Cards that follow the lead; 0 on a lead."""
        self.leader = self.last_leader = self.first_seat

    def deal(self, order: tuple[Card, ...]) -> None:
        """Deal ``cards`` cards to each seat from the front of ``order``, then call ``begin_play``."""
        self.hands = deal_hands(order, self.seats, self.cards)
        self.dealt = tuple(self.hands)
        self.begin_play()

    def begin_play(self) -> None:
        """Set ``turn`` to the leader after the deal. A game extends this method to set its own attributes."""
        self.turn = self.leader

    def follows(self, card: Card) -> Cards:
        """Return the cards that follow a lead of ``card``, by default those of its suit; 0 if nobody has to follow.

        A game in which trumps are of several suits overrides this method.
        """
        return OF_SUIT[SUIT[card]]

    def playable(self, hand: Cards) -> Cards:
        """Return the legal cards of a hand: those that follow the lead, or all cards if there are none."""
        return hand & self.led or hand

    def taker(self, trick: Sequence[Card]) -> int:
        """Return the index of the card that takes a trick, by default the highest card of the suit led."""
        return order().winner(trick)

    def record_trick(self, taker: Seat) -> bool:  # noqa: ARG002 - games override it
        """Record ``last_trick`` for its taker; return True if the round ends with it although cards are left."""
        return False

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self.play(event.card)
        else:
            super().apply(event)

    def act(self, action: Action) -> None:
        """Apply an action that is not a play. Raises ``TypeError`` by default, because there are no such actions."""
        raise TypeError(f"`act` has to apply the action {action}")

    def figures(self) -> tuple[tuple[int, ...], ...]:
        """Return the number of tricks that each seat has taken, as the only figure."""
        return tuple([(won,) for won in self.won])

    def legal(self) -> Sequence[Action]:
        return PLAYS.of(self.playable(self.hands[self.turn]))

    def play(self, card: Card) -> None:
        """Play a card of the seat to act. A seat that does not follow suit, though it would have to, shows a void."""
        seat, bit, led = self.turn, BIT[card], self.led
        if not led:
            self.led = self.follows(card)
        elif not bit & led and not bit & self.playable(self.hands[seat] | led):
            self.excluded_cards[seat] |= led
        self.hands[seat] ^= bit
        self.add_to_trick(card)

    def add_to_trick(self, card: Card) -> None:
        """Add a card to the trick, and pass the turn to the next seat or to the taker of the complete trick."""
        self.trick = trick = (*self.trick, card)
        if len(trick) < self.seats:
            self.turn = (self.turn + self.step) % self.seats
        else:
            self.take_trick()

    def take_trick(self) -> None:
        """Give the complete trick to its taker, who leads the next one; end the round if no card is left."""
        self.give_trick((self.leader + self.step * self.taker(self.trick)) % self.seats)

    def give_trick(self, taker: Seat) -> None:
        """Give the complete trick to ``taker``, who leads the next one; end the round if no card is left."""
        self.won[taker] += 1
        self.last_leader, self.last_trick = self.leader, self.trick
        self.trick, self.led = (), 0
        self.turn = self.leader = taker
        if self.record_trick(taker) or not self.hands[taker]:
            if self.playing:  # points awarded for the trick can have ended the session
                self.end_round()
        elif self.plays_last_trick and self.hands[taker].bit_count() == 1:
            self.play_last_trick()

    def play_last_trick(self) -> None:
        """Play the only card of each hand."""
        hands, leader, step = self.hands, self.leader, self.step
        self.trick = tuple([highest(hand) for hand in hands[leader::step] + hands[:leader:step]])
        self.hands = [0] * self.seats
        self.take_trick()

    def tricks(self) -> tuple[int, ...]:
        return tuple(self.won)

    @property
    def played(self) -> tuple[Cards, ...]:
        """Cards that each seat has played in this round."""
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def view_fields(self, seat: Seat) -> TrickViewFields:
        """Return the fields of the view of ``seat`` that all games based on this class share."""
        return {
            **self.common_view_fields(seat),
            "hand": self.hands[seat],
            "cards": self.cards,
            "won": tuple(self.won),
            "leader": self.leader,
            "trick": self.trick,
            "last_leader": self.last_leader,
            "last_trick": self.last_trick,
            "played": self.played,
            "excluded_cards": tuple(self.excluded_cards),
        }

    def copy_trick_fields(self, view: TrickView) -> None:
        """Copy the public facts of ``view`` into this new state, for ``Game.imagine``.

        Hands and played cards are not copied; ``set_hands`` restores them.
        """
        self.copy_common_fields(view)
        self.cards, self.leader, self.trick = view.cards, view.leader, view.trick
        self.last_leader, self.last_trick = view.last_leader, view.last_trick
        self.led = view.led
        self.won, self.excluded_cards = list(view.won), list(view.excluded_cards)

    def set_hands(self, hands: list[Cards], view: TrickView) -> None:
        """Give each seat a hand, and compute the hands that were dealt from the cards played in ``view``."""
        self.hands, self.dealt = hands, tuple(map(or_, hands, view.played))

    @property
    def has_final_hands(self) -> bool:
        """True if all hands are of equal size and change only by play from now on."""
        return True

    def assert_invariants(self) -> None:
        """Assert that each card is in one place and that no seat holds a card that it has shown not to hold."""
        assert_of_pack(all_of([*self.dealt, mask_of(self.stock)]), self.pack)
        if self.playing and self.has_final_hands:
            counts = [hand.bit_count() for hand, is_active in zip(self.dealt, self.active, strict=True) if is_active]
            assert len({*counts}) == 1, (
                f"hands of unequal size, {counts}: change hands only by `draw`, `pick_up`, `lay` and `discard`"
            )
            assert sum(self.won) <= counts[0], f"{sum(self.won)} tricks are won with {counts[0]} cards in each hand"
        for seat, wrong in enumerate(map(and_, self.hands, self.excluded_cards)):
            assert not wrong, (
                f"seat {seat} holds {names(iter_cards(wrong))}, and has shown not to: take cards that it receives "
                "out of its `excluded_cards`, as `draw` and `pick_up` do"
            )


class TrickGameView(TrickView, frozen=True):
    """Everything that one seat knows in a game based on ``TrickGameState``; a game adds its options and other facts."""

    active: tuple[bool, ...]
    sizes: tuple[int, ...]
    """Number of cards in each hand."""
    led: Annotated[Cards, NOT_HELD]
    taken: tuple[Cards, ...]
    """Cards in the tricks that each seat has taken."""
    picked_up: Annotated[tuple[Cards, ...], NOT_HELD]
    remembered: Annotated[Cards, PRIVATE]


T = TypeVar("T", bound=TrickGameView)


class TrickGameState(TrickState[T]):
    """State of a session in which the points can depend on the cards that each seat has taken.

    Seats may sit out a round: ``dealt_in`` names those that get cards, and ``sit_out`` takes a seat out of the play.
    """

    __slots__ = ("active", "picked_up", "remembered", "taken")
    active: tuple[bool, ...]
    taken: list[Cards]
    columns: ClassVar[tuple[str, ...]] = ("tricks",)

    def clear(self) -> None:
        self.active = self.dealt_in
        super().clear()
        self.cards = self.hand_size
        self.taken = [0] * self.seats
        self.picked_up: tuple[Cards, ...] = (0,) * self.seats
        """By seat, the cards that it has taken from the table into its hand, where all know them."""
        self.remembered: tuple[Cards, ...] = (0,) * self.seats
        """By seat, the cards in no hand that it has seen, such as those that it has laid away."""

    @property
    def dealt_in(self) -> tuple[bool, ...]:
        """By seat, True if the seat takes part in the next round; all seats by default."""
        return (True,) * self.seats

    @property
    def hand_size(self) -> int:
        """Number of cards dealt to each active seat in this round: by default as many as the pack allows."""
        return self.pack.bit_count() // sum(self.active)

    @property
    def has_final_hands(self) -> bool:
        return any(self.played) and not self.stock  # before the first lead seats may pick up, discard or sit out

    def deal(self, order: tuple[Card, ...]) -> None:
        assert self.pack <= PACK_52, "`pack` has second copies, which only games without tricks can have"
        hands = iter(deal_hands(order, sum(self.active), self.cards))
        self.hands = [next(hands) if is_active else 0 for is_active in self.active]
        self.dealt = tuple(self.hands)
        self.begin_play()

    def pick_up(self, seat: Seat, cards: Cards) -> None:
        """Add cards that lay face up on the table to a hand, where all seats know them until they are played."""
        self._receive(seat, cards)
        self.excluded_cards[seat] &= ~cards
        self.picked_up = with_value(self.picked_up, seat, self.picked_up[seat] | cards)
        self.remembered = tuple([known & ~cards for known in self.remembered])

    def draw(self, seat: Seat) -> None:
        """Add the next card of the stock to a hand, unseen by the others: it may be of a suit that the hand lacked."""
        assert self.stock, "the stock is empty: ask for `stock` before you call `draw`"
        self._receive(seat, BIT[self.stock[0]])
        self.excluded_cards[seat] = 0
        self.stock = self.stock[1:]

    def _receive(self, seat: Seat, cards: Cards) -> None:
        self.hands[seat] |= cards
        self.dealt = with_value(self.dealt, seat, self.dealt[seat] | cards)

    def lay(self, seat: Seat, cards: Cards) -> None:
        """Put cards of a hand face up on the table, where a field of the game has to name them."""
        self.picked_up = with_value(self.picked_up, seat, self.picked_up[seat] & ~cards)
        self.hands[seat] &= ~cards
        self.dealt = with_value(self.dealt, seat, self.dealt[seat] & ~cards)

    def discard(self, seat: Seat, cards: Cards) -> None:
        """Put cards of a hand out of play, face down, so that only this seat knows them."""
        self.lay(seat, cards)
        self.picked_up = with_value(self.picked_up, seat, 0)
        self.remembered = with_value(self.remembered, seat, self.remembered[seat] | cards)

    def sit_out(self, seat: Seat) -> None:
        """Let a seat sit out the rest of the round, before its first lead: its hand is put out of play.

        If it would lead, the next seat does.
        """
        self.discard(seat, self.hands[seat])
        self.active = with_value(self.active, seat, False)
        if self.leader == seat:
            self.leader = self.next_seat(seat)

    def add_to_trick(self, card: Card) -> None:
        if all(self.active):
            super().add_to_trick(card)
            return
        self.trick = (*self.trick, card)
        if len(self.trick) < sum(self.active):
            self.turn = self.next_seat(self.turn)
        else:
            self.take_trick()

    def take_trick(self) -> None:
        if all(self.active):
            super().take_trick()
        else:
            self.give_trick(list_play_order(self.active, self.leader, self.step)[self.taker(self.trick)])

    def play_last_trick(self) -> None:
        hands, order = self.hands, list_play_order(self.active, self.leader, self.step)
        self.trick = tuple([highest(hands[seat]) for seat in order])
        self.hands = [0] * self.seats
        self.take_trick()

    def record_trick(self, taker: Seat) -> bool:
        self.taken[taker] |= mask_of(self.last_trick)
        return False

    def determinize(self, view: T, rng: Random) -> Self:
        super().determinize(view, rng)
        self.set_hands(self.hands, view)
        return self

    def find_known_cards(self, view: T) -> Sequence[Cards]:
        """Return by seat the cards that the seat of ``view`` knows to be in another hand: those ``picked_up``."""
        known = [cards & ~played for cards, played in zip(view.picked_up, view.played, strict=True)]
        return with_value(known, view.seat, 0)


TV = TypeVar("TV", bound=TrickView)


class TrickGame(RoundGame[TV]):
    """Game in which the complete pack is played in tricks, which the highest card of the suit led takes."""

    actions = (Play,)

    def trick(self, view: TV) -> TrickStatus | None:
        """Return the status of the tricks; if a trick goes to another card, override it with ``trick_status``."""
        return trick_status(view, order().winner)

    def scene(self, view: TV) -> tuple[Zone, ...]:
        """Return the hands, the current trick and a stock that is not empty as zones."""
        stock = [Zone("stock", None, face_down(view.stock_size))] if view.stock_size else []
        return (*hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, view.trick), *stock)

    def explain_illegal(self, view: TV, cards: Cards) -> str:
        """Explain to the player why these cards cannot be played.

        Covers the reasons that all trick-taking games share: the hand and the suit led.
        """
        if not cards & view.hand:
            return "You do not hold that card"
        if view.hand & view.led:
            return format_must_follow(view.led, self.about.faces)
        return "That is not possible now"

    def narrate(self, event: Event, before: TV, after: TV) -> tuple[Note, ...]:
        """Return the log entries of an event, of a trick that was taken and of the points of a round."""
        notes = self.narrate_event(event, before, after)
        if after.complete_tricks > before.complete_tricks:
            notes = (*notes, TookTrick(after.leader, last=not after.playing))
        return (*notes, *points_entries(before, after, self.sides_of(after)))
