"""
Take no hearts, and above all not Q♠. The lowest total wins, and when somebody reaches 100 the session ends.

Four players, 52 cards, 13 each; the ace is high, and play goes clockwise.

## Passing

Before the first trick everybody passes three cards, unseen, and only then looks at those that come: in the first round
to the left, in the second to the right, in the third across the table. In the fourth nothing is passed, and then it
begins again.

## Play

The player with 2♣ leads it. Follow the suit led if you can; if you cannot, play any card, but no heart and not Q♠ to
the first trick. The highest card of the suit led takes the trick, and its player leads to the next. A heart may be led
only once a heart was played, or by a player who holds nothing else.

## Points

Each heart that you take is 1 point, and Q♠ is 13. But if you take them all, 26, you have none, and each of the others
has 26: you have shot the moon.

    hearts taken        8    5    0    0
    Q♠ taken                 1
    points              8   18    0    0
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import Final, Self

from msgspec.structs import replace

from cardtable.engine import options as house
from cardtable.engine.cards import BIT, NAME, OF_SUIT, SUIT, Cards, card, iter_cards, mask_of, names
from cardtable.engine.game import Action, Event, Game, GameInfo, Note, Seat, Zone
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.round_state import changed
from cardtable.engine.trick_game import TrickGameView, TrickState, narrate, scene, stand, why_not
from cardtable.engine.tricks import Play

SEATS: Final = 4
HEARTS: Final = OF_SUIT[2]
QUEEN: Final = BIT[card("QS")]
LOWEST: Final = BIT[card("2C")]
COUNTING: Final = HEARTS | QUEEN
QUEEN_POINTS: Final = 13
MOON: Final = 26
WAYS: Final = ((1, "left"), (3, "right"), (2, "across"), (0, ""))
"""Round by round: how many seats on the cards are passed, and the word for it."""
TO: Final = {"left": "to the left", "right": "to the right", "across": "across the table"}


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Hearts."""

    limit: int = house.choice("The session ends when a total reaches", {100: "100 points", 50: "50 points"})
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()


class Pass(Action, frozen=True):
    """Three cards for another player."""

    kind = "pass"
    cards: Cards

    @property
    def notation(self) -> str:
        return names(iter_cards(self.cards))

    def cards_used(self) -> Cards:
        return self.cards


@cache
def pass_of(cards: Cards) -> Pass:
    """The one ``Pass`` of three cards."""
    return Pass(cards)


class HeartsView(TrickGameView, frozen=True):
    """What one seat may know of Hearts."""

    options: Options
    passed: tuple[bool, ...]
    """Who has passed three cards, while others still have to."""
    given: Cards
    """The cards that this seat has passed in this round."""
    passing: bool
    """Whether somebody still has to pass."""

    def public_view(self) -> Self:
        return replace(super().public_view(), given=0)

    @property
    def way(self) -> tuple[int, str]:
        """How many seats on cards are passed in this round, and the word for it."""
        return WAYS[(self.round - 1) % SEATS]


class HeartsState(TrickState[HeartsView]):
    """A session of Hearts with every card face up."""

    options: Options
    lowest_wins = True
    given: tuple[Cards, ...] = (0,) * SEATS
    """What each seat has passed in this round."""
    passing = False
    """Whether somebody still has to pass; until then all cards lie where they were dealt."""

    def dealt_out(self) -> None:
        self.given, self.passing, self.turn = (0,) * SEATS, self.way > 0, self.first
        if not self.passing:
            self._lead()

    def cancel_round(self) -> None:
        super().cancel_round()
        self.given, self.passing = (0,) * SEATS, False

    @property
    def way(self) -> int:
        """How many seats on cards are passed in this round."""
        return WAYS[(self.round - 1) % SEATS][0]

    def _lead(self) -> None:
        self.passing, self.dealt = False, self.hands
        self.turn = self.leader = next(seat for seat, hand in enumerate(self.hands) if hand & LOWEST)

    def legal(self) -> Sequence[Action]:
        if self.passing:
            return [pass_of(mask_of(three)) for three in combinations(iter_cards(self.hands[self.turn]), 3)]
        return super().legal()

    def act(self, action: Action) -> None:
        assert isinstance(action, Pass)
        self.given = changed(self.given, self.turn, action.cards)
        self.turn = (self.turn + 1) % SEATS
        if all(self.given):
            come = [self.given[(seat - self.way) % SEATS] for seat in range(SEATS)]
            self.hands = tuple([hand & ~self.given[seat] | come[seat] for seat, hand in enumerate(self.hands)])
            self._lead()

    def playable(self, hand: Cards) -> Cards:
        if not self.trick:
            waits = not any(cards & HEARTS for cards in self.played)
            return hand & ~HEARTS * waits or hand if any(self.played) else LOWEST
        fits = super().playable(hand)
        if fits & OF_SUIT[SUIT[self.trick[0]]] or any(self.won):
            return fits
        return hand & ~COUNTING or hand

    def points(self) -> tuple[int, ...]:
        made = [(cards & HEARTS).bit_count() + QUEEN_POINTS * bool(cards & QUEEN) for cards in self.taken]
        return tuple([MOON - points for points in made] if MOON in made else made)

    def is_over(self) -> bool:
        return max(self.totals) >= self.options.limit

    def view(self, seat: Seat) -> HeartsView:
        passed = tuple([bool(cards) and self.passing for cards in self.given])
        return HeartsView(
            **self.seen(seat), options=self.options, passed=passed, given=self.given[seat], passing=self.passing
        )


def start(seats: int, options: house.Options) -> HeartsState:
    """A new session."""
    assert isinstance(options, Options)
    return HeartsState(seats, options)


def imagine(view: HeartsView, rng: Random) -> HeartsState:
    """A state that the seat of ``view`` cannot tell from the truth: it knows where the cards went that it passed."""
    state, known, receiver = HeartsState(SEATS, view.options), [0] * SEATS, (view.seat + view.way[0]) % SEATS
    state.passing = view.passing
    if view.playing and not view.passing:
        known[receiver] = view.given & ~view.played[receiver]
        known[view.leader] |= 0 if any(view.played) else LOWEST & ~view.hand
    state.imagined(view, rng, known)
    pairs = zip(state.hands, view.passed, strict=True)
    given = [mask_of(rng.sample(iter_cards(hand), 3)) if passed else 0 for hand, passed in pairs]
    state.given = changed(tuple(given), view.seat, view.given)
    return state


def picture(view: HeartsView) -> tuple[Zone, ...]:
    """The hands, the trick, and by seat the cards taken that count."""
    counts = [tuple(iter_cards(cards & COUNTING)) for cards in view.taken]
    return (*scene(view), *[Zone("taken", seat, cards) for seat, cards in enumerate(counts)])


def refusal(view: HeartsView, cards: Cards) -> str:
    """Why these cards may not be chosen now."""
    if view.passing and view.turn == view.seat:
        return f"Choose three cards to pass {TO[view.way[1]]}"
    if cards & view.hand and not view.trick and cards & HEARTS:
        return "No heart has been played yet: lead another suit"
    if cards & view.hand and not view.trick:
        return f"{NAME[card('2C')]} leads the first trick"
    if cards & view.hand & COUNTING and not any(view.won) and not view.hand & OF_SUIT[SUIT[view.trick[0]]]:
        return "No heart and no queen of spades to the first trick"
    return why_not(view, cards)


def told(event: Event, before: HeartsView, after: HeartsView) -> tuple[Note, ...]:
    """What an event looked like to a seat: what is passed only who passes and who gets it may see."""
    if not isinstance(event, Pass):
        return narrate(event, before, after)
    to = TO[before.way[1]]
    mine = tuple(iter_cards(event.cards)) if before.turn == before.seat else ()
    what = "{}" if mine else "three cards"
    notes = [CustomLogEntry(before.turn, f"passes {what} {to}", f"pass {what} {to}", mine)]
    come = after.hand & ~before.hand
    if come:
        notes.append(CustomLogEntry(after.seat, "gets {}", "get {}", tuple(iter_cards(come))))
    return tuple(notes)


GAME: Final = Game(
    about=GameInfo(
        "hearts", "Hearts", "take no hearts, nor the queen of spades", "to 100", (SEATS,), SEATS, "QS AH KH",
        aim="Take no hearts, and above all not the queen of spades.",
    ),
    options=Options,
    view=HeartsView,
    actions=(Pass, Play),
    columns=("tricks",),
    start=start,
    imagine=imagine,
    scene=picture,
    why_not=refusal,
    narrate=told,
    trick=stand,
    lowest_wins=True,
)  # fmt: skip
