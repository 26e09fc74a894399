"""Twin worlds: a round played again with two cards exchanged that one seat cannot know.

Everything that the seat sees and is told must then be the same. A seat knows the cards that a scene has shown to it,
the cards that its log has named, and those of its own actions. Any two other cards of a deal can be exchanged, as long
as every later event remains possible; an action of another seat that names one of them names the other one in the twin
world.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from random import Random
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import asdict

from cardtable.engine import chance
from cardtable.engine.cards import BIT, COPY_OFFSET, NAME, RANKS, SUITS, Card, Cards, card, mask_of
from cardtable.engine.chance import Deal, Shuffle
from cardtable.engine.game import CHANCE, MAX_SEATS, AnyGame, Chance, Event, Note, Seat, State, View
from cardtable.engine.presentation import find_open_cards
from cardtable.testing.cases import Case, LawFailure, Position, iter_random_positions
from cardtable.wording.log_entries import format_note

AnyState: TypeAlias = State[View]
TWINS: Final = 5
"""Number of twin worlds for each seat and position."""
IDENTITY: Final = "(identity of equal values)"
"""Name in place of a field if views differ only in which of their equal values are the same object."""
_REPLAYED_EVENTS: Final = 20
"""Number of events by which a seat may replay rounds at each position, for new twin worlds; the rest is saved up."""
_LATE_ROUNDS: Final = 0.1
"""Share of the rounds that are examined after the first ``max_positions`` positions."""
_HAND_AND_REST, _TWO_HANDS, _REST = range(3)
_AIMS: Final = (_HAND_AND_REST, _TWO_HANDS, _HAND_AND_REST, _REST, _HAND_AND_REST)
"""Kinds of pairs, in turn: a card of another hand with one that is in no hand, with one of a third hand, and so on."""


def parse_named_cards(text: str) -> Cards:
    return mask_of(card(word) for word in _iter_card_names(text))


def _iter_card_names(text: str) -> Iterator[str]:
    words = (word.strip(".,:;()") for word in text.split())
    return (word for word in words if len(word) == 2 and word[0] in RANKS and word[1] in SUITS)


@lru_cache
def _name_cards(event: Event) -> frozenset[str]:
    return frozenset(_iter_card_names(str(event)))


def format_notes(notes: Sequence[Note], reader: Seat | None) -> str:
    """Return the texts of log entries as ``reader`` reads them; ``None`` for a spectator."""
    return "; ".join([format_note(note, you=reader is not None and note.seat == reader) for note in notes])


def find_named_cards(notes: Sequence[Note]) -> Cards:
    """Return the cards whose names occur in log entries, whoever reads them."""
    return parse_named_cards(" ".join([format_note(note, you=you) for note in notes for you in (False, True)]))


def is_identical(one: object, other: object) -> bool:
    """Return True if two views cannot be distinguished: they have the same pickle, and so are equal and look alike."""
    return pickle.dumps(one) == pickle.dumps(other)


def find_different_fields(one: View, other: View) -> list[str]:
    """Return the names of the fields by which two views can be distinguished."""
    values, others = asdict(one), asdict(other)
    different = [name for name in values if not is_identical(values[name], others.get(name))]
    return different or [IDENTITY]


def describe_field(view: View, name: str) -> str:
    return f"{name} = {asdict(view).get(name, view)!r}"


def find_shown_cards(game: AnyGame, view: View) -> Cards:
    return find_open_cards(game.scene(view))


def find_own_indices(state: AnyState, outcome: Deal | Shuffle, seat: Seat) -> list[int]:
    """Return the indices in ``outcome`` of the cards that come into the hand of ``seat`` by it.

    ``state``: state before the outcome. If there are two copies of a card, its index is found by trial.
    """
    before, hand, order = state.view(seat).hand, _deal_hand(state, outcome, seat), outcome.order
    return [
        index
        for index, dealt in enumerate(order)
        if _contains(hand & ~before, dealt) and (not _has_copy(order, dealt) or _is_own(state, outcome, seat, index))
    ]


def _deal_hand(state: AnyState, outcome: Chance, seat: Seat) -> Cards:
    after = state.copy()
    after.apply(outcome)
    return after.view(seat).hand


def _is_own(state: AnyState, outcome: Deal | Shuffle, seat: Seat, index: int) -> bool:
    """Return True if the hand of ``seat`` changes when the card at ``index`` is exchanged with another card."""
    order, hand = outcome.order, _deal_hand(state, outcome, seat)
    others = [i for i, dealt in enumerate(order) if not _contains(hand, dealt)]
    return bool(others) and _deal_hand(state, exchange_cards(outcome, index, others[0]), seat) != hand


def _contains(cards: Cards, one: Card) -> bool:
    """Return True if a set contains a copy of the card."""
    first = one % COPY_OFFSET
    return bool(cards & (BIT[first] | BIT[first + COPY_OFFSET]))


def _has_copy(order: Sequence[Card], one: Card) -> bool:
    return (one + COPY_OFFSET if one < COPY_OFFSET else one - COPY_OFFSET) in order


def exchange_cards(outcome: Deal | Shuffle, one: int, other: int) -> Chance:
    """Return a deal or reshuffle in which the cards at two indices are exchanged."""
    order = list(outcome.order)
    order[one], order[other] = order[other], order[one]
    return chance.read(str(type(outcome)(tuple(order))))


@dataclass
class KnownOrder:
    """Order of the cards in a deal or reshuffle, with what the seat has learned of it since."""

    index: int
    """Index in the events of the round."""
    outcome: Deal | Shuffle
    own_indices: list[int]
    shown_cards: Cards = 0
    """Cards that a scene has shown to the seat since then."""
    named: Cards = 0
    """First copies of the cards that the log or an action has named to the seat since then."""

    def __post_init__(self) -> None:
        own_cards = [self.outcome.order[index] % COPY_OFFSET for index in self.own_indices]
        self._own_counts = {first: own_cards.count(first) for first in own_cards}

    def is_hidden(self, index: int) -> bool:
        """Return True if the seat cannot know the card at ``index``.

        If the seat has one copy of a card, it cannot know where the other copy is.
        """
        first = self.outcome.order[index] % COPY_OFFSET
        if self.named & BIT[first]:
            return False
        seen = self.shown_cards & (BIT[first] | BIT[first + COPY_OFFSET])
        return not seen or (index not in self.own_indices and self._own_counts.get(first) == seen.bit_count())

    def list_hidden_indices(self) -> list[int]:
        return [index for index in range(len(self.outcome.order)) if self.is_hidden(index)]


class _Exchange(NamedTuple):
    """Two cards of a deal or reshuffle that are exchanged in a twin world."""

    draw: KnownOrder
    one_index: int
    other_index: int

    @property
    def names(self) -> tuple[str, str]:
        order = self.draw.outcome.order
        return NAME[order[self.one_index]], NAME[order[self.other_index]]

    def is_hidden(self) -> bool:
        """Return True if the seat still cannot know the two cards."""
        return self.draw.is_hidden(self.one_index) and self.draw.is_hidden(self.other_index)

    def find_event(self, index: int, mover: Seat, event: Event, twin: AnyState) -> Event | None:
        """Return the event of the twin world for the event at ``index``; ``None`` if it is not possible there."""
        if twin.turn != mover:
            return None
        other = self._translate(index, mover, event, twin)
        if isinstance(other, Chance):
            return other if twin.is_possible_chance(other) else None
        return other if other is not event or event in twin.legal() else None

    def _translate(self, index: int, mover: Seat, event: Event, twin: AnyState) -> Event | None:
        """Return the event of the twin world that corresponds to the event at ``index``; ``None`` if there is none."""
        if index == self.draw.index:
            return exchange_cards(self.draw.outcome, self.one_index, self.other_index)
        if index < self.draw.index or _name_cards(event).isdisjoint(self.names):
            return event
        order = self.draw.outcome.order
        if any(_has_copy(order, dealt) for dealt in (order[self.one_index], order[self.other_index])):
            return event
        one, other = self.names
        text = " ".join([{one: other, other: one}.get(word, word) for word in str(event).split()])
        if mover == CHANCE:
            return chance.read(text)
        return next((action for action in twin.legal() if sorted(str(action).split()) == sorted(text.split())), None)


@dataclass
class _Twin:
    """Twin world of a seat, played as far as the true one."""

    exchange: _Exchange
    last: "_Perception"
    """What the seat sees and is told of the last event."""


@dataclass
class _Watcher:
    """What one seat knows of the current round, and the twin worlds that it must not be able to distinguish."""

    seat: Seat
    draws: list[KnownOrder] = field(default_factory=list)
    twins: list[_Twin] = field(default_factory=list)
    created: int = 0
    """Number of twin worlds created so far, which determines the next aim."""
    replayable: int = 0
    """Number of events that may still be replayed for new twin worlds."""


class TwinComparison:
    """Plays twin worlds beside a session and compares, after each event, what each seat sees and is told."""

    def __init__(self, case: Case, rng: Random, observers: int) -> None:
        """``observers``: number of seats that are examined in each round."""
        self._game: Final = case.game
        self._case: Final = case
        self._rng: Final = rng
        self._observers: Final = observers
        self._watchers: list[_Watcher] = []
        self._last: AnyState | None = None
        """State before the last event."""
        self._views: Sequence[View] = ()
        """Views of all seats before the last event."""
        self._public: dict[Seat, _Perception] = {}
        """What spectators see and are told of the last event, by the seat whose public view they have."""
        self.pairs = 0
        """Number of comparisons of two worlds so far."""

    def begin_round(self, position: Position) -> None:
        """Forget the previous round; the deal is the last event of ``position``."""
        self._watchers = [_Watcher(seat) for seat in self._rng.sample(range(self._case.seats), self._observers)]
        self._last = position.state_before_deal.copy()
        self._views = self._view_all(self._last)

    def _view_all(self, state: AnyState) -> Sequence[View]:
        return [state.view(seat) for seat in range(self._case.seats)]

    def compare(self, position: Position) -> None:
        """Compare the worlds after the last event of ``position``; called once for each event of a round.

        Raises ``LawFailure`` if a seat can distinguish two of them.
        """
        assert self._last is not None
        if not position.state.playing:  # the points of the round may reveal hidden cards
            self._watchers = []
            return
        mover, event = position.events[-1]
        before, state = self._last, position.state.copy()
        self._public.clear()
        views = self._view_all(state)
        for watcher in self._watchers:
            seen = self._views[watcher.seat], views[watcher.seat]
            truth = _Perception(self._game, event, (before, state), seen)
            self._learn(watcher, mover, event, truth, len(position.events) - 1)
            watcher.twins = [twin for twin in watcher.twins if self._follow(twin, position, mover, event)]
            self._replace_twins(watcher, position, views)
            for number, twin in enumerate(watcher.twins):
                self.pairs += 1
                is_public = number == len(position.events) % TWINS
                self._compare_pair(watcher, twin, truth, position, views, is_public=is_public)
        self._last, self._views = state, views

    def _learn(self, watcher: _Watcher, mover: Seat, event: Event, truth: "_Perception", index: int) -> None:
        """Add to the knowledge of a seat what it has seen and been told of an event."""
        if isinstance(event, Deal | Shuffle):
            own_indices = find_own_indices(truth.states[0], event, watcher.seat) if isinstance(event, Deal) else []
            watcher.draws.append(KnownOrder(index, event, own_indices))
        has_copies = any(dealt >= COPY_OFFSET for draw in watcher.draws for dealt in draw.outcome.order)
        shown_cards = find_shown_cards(self._game, truth.views[1])
        named = 0
        if not isinstance(event, Deal | Shuffle):
            is_known = mover in (watcher.seat, CHANCE) or has_copies
            named = find_named_cards(truth.notes) | (parse_named_cards(str(event)) if is_known else 0)
        for draw in watcher.draws:
            draw.shown_cards |= shown_cards
            draw.named |= named

    def _follow(self, twin: _Twin, position: Position, mover: Seat, event: Event) -> bool:
        """Apply the last event in a twin world; return False if it is impossible there or the cards are known now."""
        index, (_, before), (_, view) = len(position.events) - 1, twin.last.states, twin.last.views
        other = twin.exchange.find_event(index, mover, event, before) if twin.exchange.is_hidden() else None
        if other is None:
            return False
        state = before.copy()
        state.apply(other)
        twin.last = _Perception(self._game, other, (before, state), (view, state.view(view.seat)))
        return _is_same_phase(state, position.state)

    def _replace_twins(self, watcher: _Watcher, position: Position, views: Sequence[View]) -> None:
        """Try to create as many twin worlds as are missing; some pairs of cards make the actions impossible.

        To replay a long round takes time, so there are fewer attempts late in it.
        """
        watcher.replayable += _REPLAYED_EVENTS
        for _ in range(TWINS - len(watcher.twins)):
            exchange = self._choose_exchange(watcher, views) if watcher.replayable > 0 else None
            twin = exchange and self._replay(watcher, exchange, position)
            if twin:
                watcher.twins.append(twin)

    def _choose_exchange(self, watcher: _Watcher, views: Sequence[View]) -> _Exchange | None:
        """Choose two hidden cards; usually one of them is in a hand."""
        if not watcher.draws:
            return None
        rng, draw = self._rng, self._rng.choice(watcher.draws)
        aim = _AIMS[watcher.created % len(_AIMS)]
        watcher.created += 1
        order, hidden = draw.outcome.order, draw.list_hidden_indices()
        owners = {index: find_holder(views, order[index], watcher.seat) for index in hidden}
        rest = [index for index in hidden if owners[index] is None]
        in_hands = [index for index in hidden if owners[index] is not None]
        first = rng.choice(rest if aim == _REST and rest else in_hands or rest) if hidden else None
        if first is None:
            return None
        others = [index for index in hidden if order[index] % COPY_OFFSET != order[first] % COPY_OFFSET]
        aimed = [
            index
            for index in others
            if (owners[index] is None if aim != _TWO_HANDS else owners[index] not in (None, owners[first]))
        ]
        apart = [index for index in others if owners[index] is None or owners[index] != owners[first]]
        chosen = aimed or apart
        return _Exchange(draw, first, rng.choice(chosen)) if chosen else None

    def _replay(self, watcher: _Watcher, exchange: _Exchange, position: Position) -> _Twin | None:
        """Play the round again with two cards exchanged; ``None`` if the actions are then impossible."""
        state, last = position.state_before_deal.copy(), len(position.events) - 1
        before, other = state, None
        for index, (mover, event) in enumerate(position.events):
            other = exchange.find_event(index, mover, event, state)
            if other is None:
                return None
            watcher.replayable -= 1
            if index == last:
                before, state = state, state.copy()
            state.apply(other)
        if not other or not _is_same_phase(state, position.state):
            return None
        seen = before.view(watcher.seat), state.view(watcher.seat)
        return _Twin(exchange, _Perception(self._game, other, (before, state), seen))

    def _compare_pair(
        self,
        watcher: _Watcher,
        twin: _Twin,
        truth: "_Perception",
        position: Position,
        views: Sequence[View],
        *,
        is_public: bool,
    ) -> None:
        """Raise ``LawFailure`` if the seat can distinguish the twin world from the true one.

        With ``is_public``, a spectator must not be able to distinguish them either.
        """
        other = twin.last
        observer, difference = f"seat {watcher.seat}", truth.find_difference(other)
        if is_public and not difference:
            for seat in range(self._case.seats):
                mine = self._public.get(seat) or self._public.setdefault(seat, truth.find_public(seat))
                observer, difference = f"a spectator at seat {seat}", mine.find_difference(other.find_public(seat))
                if difference:
                    break
        if difference:
            one, two = twin.exchange.names
            order = twin.exchange.draw.outcome.order
            descriptions = [
                describe_card_position(views, order[index])
                for index in (twin.exchange.one_index, twin.exchange.other_index)
            ]
            raise LawFailure(
                f"{difference.law}: {observer} can tell {one} from {two} by {difference.field} "
                f"in round {position.state.round}, after {format_event(*position.events[-1])}",
                seat=watcher.seat,
                field=difference.field,
                worlds=(
                    f"{one} {descriptions[0]}, {two} {descriptions[1]}: {difference.one}",
                    f"{two} {descriptions[0]}, {one} {descriptions[1]}: {difference.other}",
                ),
                advice=difference.advice,
            )


def _is_same_phase(one: AnyState, other: AnyState) -> bool:
    return (one.turn, one.round, one.finished, one.playing) == (other.turn, other.round, other.finished, other.playing)


def format_event(mover: Seat, event: Event) -> str:
    """Describe an event in a failure; the cards of a deal are left out."""
    text = str(event) if not isinstance(event, Deal | Shuffle) else f"the {type(event).__name__.lower()}"
    return text if mover == CHANCE else f"seat {mover}: {text}"


def find_holder(views: Sequence[View], one: Card, seat: Seat) -> Seat | None:
    """Return the seat, other than ``seat``, whose hand contains a card; ``None`` if it is in no such hand."""
    return next((view.seat for view in views if view.seat != seat and _contains(view.hand, one)), None)


def describe_card_position(views: Sequence[View], one: Card) -> str:
    """Return where a card is, such as ``in the hand of seat 1``."""
    holder = find_holder(views, one, -1)
    return "in no hand" if holder is None else f"in the hand of seat {holder}"


class _Difference(NamedTuple):
    """Difference between two worlds that a seat can see."""

    law: str
    field: str
    one: str
    other: str
    advice: str


class _Perception:
    """What one seat sees and is told of an event."""

    def __init__(
        self, game: AnyGame, event: Event, states: tuple[AnyState, AnyState], views: tuple[View, View]
    ) -> None:
        """``states`` and ``views`` are those before and after the event."""
        self._game, self._event = game, event
        self.states, self.views = states, views

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        return self._game.narrate(self._event, *self.views)

    @cached_property
    def pickled_view(self) -> bytes:
        return pickle.dumps(self.views[1])

    def find_public(self, seat: Seat) -> "_Perception":
        """Return what a spectator sees and is told of the same event, by the public view of a seat."""
        before, after = [state.view(seat).public_view() for state in self.states]
        return _Perception(self._game, self._event, self.states, (before, after))

    def find_difference(self, other: "_Perception") -> _Difference | None:
        """Return what distinguishes this event from the same one in another world; ``None`` if nothing does."""
        one, two = self.views[1], other.views[1]
        if self.pickled_view != other.pickled_view:
            name = find_different_fields(one, two)[0]
            return _Difference(
                law="hidden cards make a difference",
                field=f"the field {name} of the view",
                one=describe_field(one, name),
                other=describe_field(two, name),
                advice="compute this field from what the seat has seen, no sooner than the players learn of it; "
                "if the seat may know the card, show it in `scene`; if what a player does not do tells of the card, "
                "make that an action of its own",
            )
        if self.notes != other.notes:
            return _Difference(
                law="a hidden card is told",
                field="the log entries of narrate",
                one=repr(format_notes(self.notes, one.seat)),
                other=repr(format_notes(other.notes, one.seat)),
                advice="make the entries from the two views of the seat; name cards of the event only if one of them "
                "shows the card",
            )
        return None


def compare_twins(case: Case, seed: int, max_positions: int, max_observers: int = MAX_SEATS) -> int:
    """Play a session, and at every position assert that no seat can tell hidden cards apart.

    Each seat is compared with up to ``TWINS`` twin worlds, with all that it sees and is told; in each round at most
    ``max_observers`` seats are. After the first ``max_positions`` positions, only a tenth of the rounds are examined.
    Returns the number of comparisons.
    """
    rng = Random(f"twins {case} {seed}")
    comparison = TwinComparison(case, rng, min(case.seats, max_observers))
    examined = False
    for number, position in enumerate(iter_random_positions(case, seed)):
        if not position.events:
            continue
        if len(position.events) == 1:
            examined = isinstance(position.events[0][1], Deal) and (
                number < max_positions or rng.random() < _LATE_ROUNDS
            )
            if examined:
                comparison.begin_round(position)
        if examined:
            comparison.compare(position)
    return comparison.pairs
