"""Rules of Gurka: head each trick or play a lowest card, and do not take the last trick.

``rules.md`` explains the game to players.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Literal, Self

from cardtable.engine import determinization
from cardtable.engine import options as house
from cardtable.engine.cards import ACE, BIT, OF_RANK, PACK_52, RANK, RANK_TEXT, RANK_WORDS, SUIT, Card, Cards, all_of
from cardtable.engine.chance import Deal
from cardtable.engine.game import LAST_CARD, Action, Event, Game, HighTitle, Note, Seat, TrickStatus, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, MadePoints, Manner, PlayedCard, TookTrick
from cardtable.engine.presentation import hands_seen
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import PLAYS, Play, TrickView, trick_status
from cardtable.games.gurka import ABOUT

NO_RANK: Final = -1
"""Value of ``GurkaState.top`` while the trick is empty; lower than every rank."""
_EACH_SUIT: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    seats: int = house.choice("Seats at the table", {4: "four", 6: "six"})
    ace_rule: Literal["any", "led-only", "off"] = house.choice(
        "When an ace makes everyone after it play a lowest card",
        {"any": "always", "led-only": "only when led", "off": "never"},
        label="Low after ace",
    )
    must_head: house.OnOff = house.choice("Whether you must head the trick if you can", {"off": "no", "on": "yes"})
    limit: int = house.choice(
        "The session ends when a total exceeds", {30: "30 points", 21: "21 points", 50: "50 points"}, label="Ends above"
    )

    def for_seats(self, seats: int) -> Self:
        return self if seats == self.seats else replace(self, seats=seats)

    def is_session_over(self, totals: Sequence[int]) -> bool:
        return max(totals) > self.limit

    def is_bound(self, trick: Sequence[Card]) -> bool:
        """Return True if an ace in ``trick`` forces the next player to play a lowest card."""
        return any(RANK[c] == ACE and self.is_ace_binding(index) for index, c in enumerate(trick))

    def is_ace_binding(self, cards_before: int) -> bool:
        """Return True if an ace forces the following players to play a lowest card.

        It is played after ``cards_before`` cards of the trick.
        """
        return self.ace_rule == "any" or (self.ace_rule == "led-only" and not cards_before)


def find_lowest_cards(hand: Cards) -> Cards:
    """Return the cards of the lowest rank in a hand, which must not be empty."""
    ranks = (hand | hand >> 13 | hand >> 26 | hand >> 39) & 0x1FFF
    return hand & (ranks & -ranks) * _EACH_SUIT


def find_winner(trick: Sequence[Card]) -> int:
    """Return the index of the card that takes a trick: the last of those with the highest rank.

    ``trick`` is in order of play and not empty.
    """
    best = 0
    for i, c in enumerate(trick):
        if RANK[c] >= RANK[trick[best]]:
            best = i
    return best


def classify_play(card: Card, before: Sequence[Card], options: Options) -> Manner:
    """Return the effect of ``card`` on the trick to which it is played: ``leads``, ``heads`` or ``lowest``.

    ``before``: cards of the trick played before it, in order.
    """
    if not before:
        return "leads"
    if options.is_bound(before) or RANK[card] < RANK[before[find_winner(before)]]:
        return "lowest"
    return "heads"


def get_card_points(card: Card) -> int:
    """Return the points of a card: its number for 2 to 10, then jack 11, queen 12, king 13, ace 14."""
    return RANK[card] + 2


def score_last_trick(card_points: Sequence[int]) -> tuple[int, ...]:
    """Return the points scored in a round, by seat.

    ``card_points`` has the points of each seat's card in the last trick. Only the highest of these cards count; several
    seats may have one.
    """
    most = max(card_points)
    return tuple([value if value == most else 0 for value in card_points])


CARDS_EACH: Final = 7
LOWER_CARDS: Final = tuple(sum(OF_RANK[:rank]) for rank in range(13))
"""By rank: the cards of all lower ranks."""
CARDS_FROM: Final = tuple(sum(OF_RANK[rank:]) for rank in range(13))
"""By rank: the cards of this rank and all higher ones."""


class GurkaView(TrickView, frozen=True):
    options: Options
    dealer: Seat
    past: tuple[tuple[Card, ...], ...]
    """Complete tricks of the round, in order."""

    @property
    def best_card(self) -> Card | None:
        return self.trick[find_winner(self.trick)] if self.trick else None

    @property
    def bound(self) -> bool:
        """True if an ace forces the next player to play a lowest card."""
        return self.options.is_bound(self.trick)


class GurkaState(TrickState[GurkaView]):
    __slots__ = ("bound", "dealer", "must_head", "past", "top")
    lowest_wins = True
    plays_last_trick = True
    options: Options

    def __init__(self, options: Options) -> None:
        super().__init__(options.seats, options)
        self.must_head = bool(options.must_head)

    def clear(self) -> None:
        super().clear()
        self.cards = CARDS_EACH
        self.dealer: Seat = self.first_seat
        self.top, self.bound = NO_RANK, False
        self.past: tuple[tuple[Card, ...], ...] = ()

    def legal(self) -> Sequence[Action]:
        hand = self.hands[self.turn]
        if self.top == NO_RANK:
            return PLAYS.of(hand)
        heads = 0 if self.bound else hand & CARDS_FROM[self.top]
        if heads and self.must_head:
            return PLAYS.of(heads)
        return PLAYS.of(heads | find_lowest_cards(hand))

    def play(self, card: Card) -> None:
        seat, rank = self.turn, RANK[card]
        self.hands[seat] ^= BIT[card]
        if self.bound:
            self.excluded_cards[seat] |= LOWER_CARDS[rank]
        elif rank < self.top:
            self.excluded_cards[seat] |= LOWER_CARDS[rank] | (CARDS_FROM[self.top] if self.must_head else 0)
        else:
            self.top = rank
            if rank == ACE:
                self.bound = self.options.is_bound((*self.trick, card))
        self.add_to_trick(card)

    def taker(self, trick: Sequence[Card]) -> int:
        return find_winner(trick)

    def record_trick(self, taker: Seat) -> bool:  # noqa: ARG002 - past tricks are recorded in order
        self.past = (*self.past, self.last_trick)
        self.top, self.bound = NO_RANK, False
        return False

    def position_key(self) -> Hashable:
        return self.turn, self.trick, tuple(self.hands)

    def end_round(self) -> None:
        first, trick = self.seats - self.last_leader, self.last_trick
        values = [get_card_points(c) for c in trick[first:] + trick[:first]]
        best = trick[find_winner(trick)]
        self.record_score(
            HighTitle(RANK[best], SUIT[best]), tuple([(value,) for value in values]), score_last_trick(values)
        )

    def is_over(self) -> bool:
        return self.options.is_session_over(self.totals)

    def assert_invariants(self) -> None:
        super().assert_invariants()
        assert self.bound == self.options.is_bound(self.trick)


def build_state(view: GurkaView, hands: list[Cards]) -> GurkaState:
    """Return the state that has the given hands and agrees with the view in everything else."""
    state = GurkaState(view.options)
    state.copy_trick_fields(view)
    state.dealer, state.past = view.dealer, view.past
    if view.best_card is not None:
        state.top, state.bound = RANK[view.best_card], view.bound
    state.set_hands(hands, view)
    return state


def sample_hands(view: GurkaView, rng: Random) -> list[Cards]:
    """Sample hands that are consistent with the view; all are empty between two rounds."""
    if not view.playing:
        return [0] * len(view.totals)
    unseen = find_unseen_cards(view)
    return determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, view.excluded_cards, rng)


def find_unseen_cards(view: GurkaView) -> Cards:
    return PACK_52 & ~all_of([view.hand, *view.played])


class GurkaGame(Game[GurkaState, GurkaView]):
    """The game of Gurka."""

    about = ABOUT
    options = Options
    view = GurkaView
    actions = (Play,)
    columns = (LAST_CARD,)
    lowest_wins = True

    def start(self, seats: int, options: house.Options) -> GurkaState:
        assert isinstance(options, Options)
        assert seats == options.seats
        return GurkaState(options)

    def imagine(self, view: GurkaView, rng: Random) -> GurkaState:
        return build_state(view, sample_hands(view, rng))

    def explain_illegal(self, view: GurkaView, cards: Cards) -> str:
        """Explain why the player cannot play ``cards`` now."""
        if not cards & view.hand or view.best_card is None:
            return "You do not hold that card"
        if view.bound:
            reason = "An ace was led" if view.options.ace_rule == "led-only" else "Ace in the trick"
            return f"{reason}: play your lowest card"
        if not view.hand & CARDS_FROM[RANK[view.best_card]]:
            return f"You can't head the {RANK_WORDS[RANK[view.best_card]]}: play your lowest card"
        if view.options.must_head:
            return f"You must head: play {_format_heading_ranks(view.best_card)}"
        return f"Play {_format_heading_ranks(view.best_card)}, or your lowest"

    def explain_card(self, view: GurkaView, card: Card) -> str | None:
        """Return what an ace of the player's hand does to the next players in the trick; ``None`` for other cards."""
        if RANK[card] != ACE or view.options.ace_rule == "off":
            return None
        if not view.options.is_ace_binding(len(view.trick)):
            return "Only an ace that is led makes the others play low."
        if len(view.trick) == len(view.totals) - 1:
            return None
        return "All who play after it must play their lowest card."

    def narrate(self, event: Event, before: GurkaView, after: GurkaView) -> tuple[Note, ...]:
        """Return the log entries of an event for one seat, given its views before and after the event."""
        if isinstance(event, Deal):
            return (Dealt(None, after.round, CARDS_EACH),)
        if not isinstance(event, Play):
            return ()
        notes: list[Note] = [
            PlayedCard(before.turn, event.card, classify_play(event.card, before.trick, before.options))
        ]
        trick = (*before.trick, event.card)
        if len(trick) == len(before.totals):
            notes.append(TookTrick(_find_taker(before.leader, trick)))
        elif before.options.is_bound(trick) and not before.bound:
            notes.append(CustomLogEntry(None, "An ace! Everyone after it must play their lowest card"))
        if after.finished > before.finished:
            notes.append(TookTrick(_find_taker(after.last_leader, after.last_trick), last=True))
            pairs = enumerate(zip(before.totals, after.totals, strict=True))
            notes += [MadePoints(seat, new - old, after.finished) for seat, (old, new) in pairs if new > old]
        return tuple(notes)

    def scene(self, view: GurkaView) -> tuple[Zone, ...]:
        return (*hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, view.trick))

    def trick(self, view: GurkaView) -> TrickStatus:
        return trick_status(view, find_winner)

    def dealer_or_declarer(self, view: GurkaView) -> tuple[str, Seat]:
        return "dealer", view.dealer


def _format_heading_ranks(card: Card) -> str:
    """Describe the ranks that head ``card``, with an article, for a sentence."""
    rank = RANK_WORDS[RANK[card]]
    article, suffix = "an" if rank[0] in "ae" else "a", "" if RANK[card] == ACE else " or higher"
    return f"{article} {rank}{suffix}"


def format_rank_or_higher(card: Card) -> str:
    """Describe the ranks that head ``card`` in short: ``10 or higher``."""
    return "an ace" if RANK[card] == ACE else f"{RANK_TEXT[card]} or higher"


def _find_taker(leader: Seat, trick: Sequence[Card]) -> Seat:
    return (leader + find_winner(trick)) % len(trick)


GAME: Final = GurkaGame()
