"""
Take no hearts, and above all not Q♠. The lowest total wins, and the session ends when a total reaches 100.

Four players, 52 cards, 13 each; the ace is high, and play goes clockwise.

## Passing

Before the first trick each player passes three cards face down, before looking at those received: in the first round to
the left, in the second to the right, in the third across the table. In the fourth round nothing is passed; then the
order repeats.

## Play

The player who holds 2♣ leads it. Follow the suit led if you can; if you cannot, play any card, but no heart and not Q♠
to the first trick. The highest card of the suit led takes the trick, and its player leads to the next. A heart may be
led only after a heart was played, or by a player who holds nothing else.

## Points

Each heart that you take is 1 point, and Q♠ is 13. But if you take all 26 points, you score none, and each of the other
players scores 26: you have shot the moon.

    hearts taken        8    5    0    0
    Q♠ taken                 1
    points              8   18    0    0
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Annotated, Final

from msgspec.structs import replace

from cardtable.engine import options as house
from cardtable.engine.annotations import PRIVATE
from cardtable.engine.cards import BIT, NAME, OF_SUIT, SUIT, Card, Cards, card, iter_cards, mask_of
from cardtable.engine.game import Action, CardsAction, Event, GameInfo, Note, Zone
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.secret_choices import ChoosingState
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView
from cardtable.engine.tricks import Play

SEATS: Final = 4
HEARTS: Final = OF_SUIT[2]
QUEEN: Final = BIT[card("QS")]
LOWEST: Final = BIT[card("2C")]
COUNTING: Final = HEARTS | QUEEN
QUEEN_POINTS: Final = 13
MOON: Final = 26
PASSES: Final = ((1, "to the left"), (3, "to the right"), (2, "across the table"), (0, ""))
"""Round by round: the number of seats clockwise to the receiver of the cards passed, and the direction in words."""


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    """House rules of Hearts."""

    limit: int = house.choice("The session ends when a total reaches", {100: "100 points", 50: "50 points"})


class Pass(CardsAction, frozen=True):
    """Passing three cards to another player."""

    kind = "pass"


@cache
def pass_of(cards: Cards) -> Pass:
    """Return the only ``Pass`` instance of three cards."""
    return Pass(cards)


class HeartsView(TrickGameView, frozen=True):
    """All that one seat may know of Hearts."""

    choosing: tuple[bool, ...]
    """True by seat if the seat still has to pass."""
    chosen: tuple[bool, ...]
    """True by seat if the seat has passed while other seats still have to."""
    choice: Annotated[Pass | None, PRIVATE]
    given: Annotated[Cards, PRIVATE]
    """The cards that this seat has passed in this round."""

    @property
    def passing(self) -> bool:
        """True until all seats have passed."""
        return any(self.choosing)

    @property
    def pass_direction(self) -> tuple[int, str]:
        """The entry of ``PASSES`` for this round."""
        return PASSES[(self.round - 1) % SEATS]


class HeartsState(ChoosingState[HeartsView], TrickGameState[HeartsView]):
    """A session of Hearts with every card face up."""

    options: Options
    lowest_wins = True
    given: tuple[Cards, ...] = (0,) * SEATS
    """The cards that each seat has passed in this round."""

    def begin_play(self) -> None:
        self.given = (0,) * SEATS
        if self.pass_distance:
            self.let_choose()
        else:
            self._start_play()

    def cancel_round(self) -> None:
        super().cancel_round()
        self.given = (0,) * SEATS

    @property
    def pass_distance(self) -> int:
        """Number of seats clockwise to the receiver of the cards passed in this round; 0 if none are passed."""
        return PASSES[(self.round - 1) % SEATS][0]

    def _start_play(self) -> None:
        self.dealt = tuple(self.hands)
        self.turn = self.leader = next(seat for seat, hand in enumerate(self.hands) if hand & LOWEST)

    def legal(self) -> Sequence[Action]:
        if self.secret_choices:
            return [pass_of(mask_of(three)) for three in combinations(iter_cards(self.hands[self.turn]), 3)]
        return super().legal()

    def act_at_once(self, choices: tuple[Action | None, ...]) -> None:
        self.given = tuple([choice.cards for choice in choices if isinstance(choice, Pass)])
        received = [self.given[(seat - self.pass_distance) % SEATS] for seat in range(SEATS)]
        self.hands = [hand & ~self.given[seat] | received[seat] for seat, hand in enumerate(self.hands)]
        self._start_play()

    def playable(self, hand: Cards) -> Cards:
        if not any(self.played):
            return LOWEST
        if not self.trick:
            hearts_played = any(cards & HEARTS for cards in self.played)
            return hand if hearts_played else hand & ~HEARTS or hand
        legal = super().playable(hand)
        if legal & OF_SUIT[SUIT[self.trick[0]]] or any(self.won):
            return legal
        return hand & ~COUNTING or hand

    def score_round(self) -> tuple[int, ...]:
        made = [(cards & HEARTS).bit_count() + (QUEEN_POINTS if cards & QUEEN else 0) for cards in self.taken]
        return tuple([MOON - points for points in made] if MOON in made else made)

    def is_over(self) -> bool:
        return max(self.totals) >= self.options.limit

    def find_known_cards(self, view: HeartsView) -> Sequence[Cards]:
        """Return by seat the cards that the seat of the view has passed to it, and who has the lowest club to lead."""
        known, receiver = [0] * SEATS, (view.seat + view.pass_direction[0]) % SEATS
        if not view.passing:
            known[receiver] = view.given & ~view.played[receiver]
            known[view.leader] |= 0 if any(view.played) else LOWEST & ~view.hand
        return known


class Hearts(TrickGame[HeartsView]):
    """The game of Hearts."""

    about = GameInfo(
        key="hearts",
        title="Hearts",
        summary="take no hearts, nor the queen of spades",
        length="to 100",
        seats=(SEATS,),
        usual_seats=SEATS,
        emblem="QS AH KH",
        aim="Take no hearts, and above all not the queen of spades.",
    )
    options = Options
    state = HeartsState
    actions = (Pass, Play)

    def scene(self, view: HeartsView) -> tuple[Zone, ...]:
        """Return the hands, the trick, by seat the cards taken that count, and the cards that the seat passes."""
        counting = [tuple(iter_cards(cards & COUNTING)) for cards in view.taken]
        taken = [Zone("taken", seat, cards) for seat, cards in enumerate(counting)]
        if view.choice is None:
            return (*super().scene(view), *taken)
        passed = Zone("passing", view.seat, tuple(iter_cards(view.choice.cards)))
        return (*super().scene(replace(view, hand=view.hand & ~view.choice.cards)), *taken, passed)

    def explain_illegal(self, view: HeartsView, cards: Cards) -> str:
        """Return the reason why these cards may not be chosen now."""
        if requirement := self.describe_selection(view):
            return requirement
        if cards & view.hand and not view.trick and cards & HEARTS:
            return "No heart has been played yet: lead another suit"
        if cards & view.hand and not view.trick:
            return f"{NAME[card('2C')]} leads the first trick"
        if cards & view.hand & COUNTING and not any(view.won) and not view.hand & OF_SUIT[SUIT[view.trick[0]]]:
            return "No heart and no queen of spades to the first trick"
        return super().explain_illegal(view, cards)

    def describe_selection(self, view: HeartsView) -> str | None:
        """Return which cards a player has to pass; `None` outside the exchange."""
        return f"Choose three cards to pass {view.pass_direction[1]}" if view.passing else None

    def explain_card(self, _view: HeartsView, card: Card) -> str | None:
        """Return what a card costs; `None` if it costs nothing."""
        if BIT[card] & QUEEN:
            return f"Costs its taker {QUEEN_POINTS} points."
        return "Costs its taker a point." if BIT[card] & HEARTS else None

    def narrate(self, event: Event, before: HeartsView, after: HeartsView) -> tuple[Note, ...]:
        """Return the notes of an event for one seat; only giver and receiver see the cards that are passed."""
        if not isinstance(event, Pass):
            return super().narrate(event, before, after)
        direction = before.pass_direction[1]
        own_cards = tuple(iter_cards(event.cards & before.hand))
        phrase = "{}" if own_cards else "three cards"
        notes = [CustomLogEntry(before.turn, f"passes {phrase} {direction}", f"pass {phrase} {direction}", own_cards)]
        received = after.hand & ~before.hand
        if received:
            notes.append(CustomLogEntry(after.seat, "gets {}", "get {}", tuple(iter_cards(received))))
        return tuple(notes)


GAME: Final = Hearts()
