"""Base classes of games that are played in rounds: ``RoundGame``, and ``RoundState`` for its states.

``RoundState`` counts rounds and totals. Each round begins with the deal of a complete shuffled pack; the only other
outcome of chance in a round is a reshuffle of some of the cards. A game implements the deal, the legal actions, the
effect of an action, the points of a round and the end of the session. Every change must assign a new value to an
attribute, so attributes that a game adds have to be immutable (tuples, numbers), or annotated as lists in the class.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from operator import add, or_, sub
from random import Random
from typing import Any, ClassVar, Self, TypeVar, get_args

from cardtable.engine import determinization, presentation
from cardtable.engine.cards import PACK_52, Card, Cards, all_of, iter_cards, mask_of, names
from cardtable.engine.chance import Deal, Shuffle, is_permutation_of, shuffled
from cardtable.engine.game import (
    CHANCE,
    OVER,
    Action,
    Bonus,
    Chance,
    EndingTitle,
    Event,
    Game,
    Note,
    Score,
    Seat,
    Sides,
    State,
    Title,
    V,
    View,
    Zone,
    competition_ranks,
    no_partnerships,
)
from cardtable.engine.log_entries import MadePoints
from cardtable.engine.options import Options
from cardtable.engine.view_fields import list_fields

T = TypeVar("T")


class RoundState(State[V]):
    """State of a session in which each round begins with a deal."""

    __slots__ = ("finished", "hands", "options", "playing", "round", "score", "seats", "stock", "totals", "turn")
    pack: ClassVar[Cards] = PACK_52
    """Cards of the game; by default a pack of 52."""
    lowest_wins: ClassVar[bool] = False
    """True if the lowest total wins."""
    columns: ClassVar[tuple[str, ...]] = ()
    """Headings of ``figures``."""
    awards_points: ClassVar[bool] = False
    """True if the views have the field ``awarded``, as in every game that calls ``award``; set for each subclass."""
    partners: ClassVar[Sides] = ()
    """Partnerships if all the seats that they name are taken; with another number of seats nobody has a partner."""
    view_type: type[V]
    """Class of the views; a subclass names it in its base, as in ``RoundState[ShedView]``."""
    hands: list[Cards]
    """Cards in the hand of each seat."""
    stock: tuple[Card, ...]
    """Cards that remain face down, the next one to be drawn first; empty in games without a stock."""
    step: int = 1
    """1 if the players act clockwise, -1 if counter-clockwise."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in vars(cls).get("__orig_bases__", ()):
            for argument in get_args(base):
                if isinstance(argument, type) and issubclass(argument, View):
                    cls.view_type = argument  # type: ignore[assignment]  # the argument for V
                    cls.awards_points = "awarded" in argument.__struct_fields__

    def __init__(self, seats: int, options: Options) -> None:
        self.options, self.seats = options, seats
        self.turn: Seat = CHANCE
        self.round = self.finished = 0
        self.playing = False
        self.totals: tuple[int, ...] = (0,) * seats
        self.score: Score | None = None
        self.stock = ()
        self.clear()

    def clear(self) -> None:
        """Remove all cards; a game extends this method to reset its own attributes, but not ``turn``: the deal is due.

        Called at the beginning of the session and of each round, and when a round is cancelled.
        """
        self.hands = [0] * self.seats
        self.stock = ()

    @abstractmethod
    def deal(self, order: tuple[Card, ...]) -> None:
        """Distribute the cards of the pack and set ``turn`` to the seat that acts first.

        ``order``: the complete pack in the order in which it is dealt.
        """

    @abstractmethod
    def act(self, action: Action) -> None:
        """Apply an action of the seat to act, then set ``turn`` to the next seat or call ``end_round``."""

    def is_over(self) -> bool:
        """Return True if the session has ended, by default after ``Options.rounds`` rounds.

        A game overrides this method if ``Options.rounds`` is ``None``; otherwise its sessions never end.
        Called after the points of a finished round, or points awarded during it, have been added to the totals.
        """
        return self.options.rounds is not None and self.finished >= self.options.rounds

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of cards in the hand of each seat."""
        return tuple([hand.bit_count() for hand in self.hands])

    @property
    def stock_size(self) -> int:
        """Number of cards in the stock."""
        return len(self.stock)

    @property
    def active(self) -> tuple[bool, ...]:
        """By seat, True if the seat takes part in the play; all seats by default.

        A game in which players drop out overrides it; in games with tricks ``dealt_in`` and ``sit_out`` determine it.
        Turns and tricks pass over the seats that are out.
        """
        return (True,) * self.seats

    @property
    def first_seat(self) -> Seat:
        """Seat that acts first in the round: seat 0 in the first round, then the next seat in the direction of play.

        A seat that is out is passed over.
        """
        seat = self.step * max(self.round - 1, 0) % self.seats
        return seat if self.active[seat] else self.next_seat(seat)

    def next_seat(self, seat: Seat) -> Seat:
        """Return the seat that acts after ``seat``, passing over seats that are out.

        Returns ``seat`` if no other seat is active.
        """
        return find_next_seat(self.active, seat, self.step)

    @property
    def to_shuffle(self) -> Cards:
        """Set of cards to be reshuffled when ``turn`` is ``CHANCE`` within a round; none by default."""
        return 0

    def place_reshuffled(self, order: tuple[Card, ...]) -> None:  # noqa: ARG002 - games override it
        """Distribute the reshuffled cards, given with the top card first, and set ``turn`` to the seat to act.

        Raises ``TypeError`` by default: a game with reshuffles overrides this method.
        """
        raise TypeError(
            "cards are to be reshuffled: write `place_reshuffled`, or do not set `turn` to CHANCE in a round"
        )

    def score_round(self) -> tuple[int, ...]:
        """Return the points of the round by seat, bonuses included; a game writes this or its own ``end_round``.

        Points that have been awarded during the round are left out.
        """
        raise NotImplementedError("the round has ended: write `score_round`")

    def figures(self) -> tuple[tuple[int, ...], ...]:
        """Return the figures of each seat under the headings of ``Game.columns``; none by default."""
        return ((),) * self.seats

    def bonuses(self) -> tuple[tuple[Bonus, ...], ...]:
        """Return the bonuses of each seat, which are part of the points; none by default.

        Called before the points of the round are added to ``totals``.
        """
        return ((),) * self.seats

    def title(self) -> Title:
        """Return the title of the round; an empty one by default."""
        return EndingTitle("")

    def apply(self, event: Event) -> None:
        if isinstance(event, Deal):
            self.round, self.playing = self.finished + 1, True
            self.clear()
            self.deal(event.order)
        elif isinstance(event, Shuffle):
            self.place_reshuffled(event.order)
        elif isinstance(event, Action):
            self.act(event)

    def award(self, seat: Seat, points: int) -> bool:
        """Add points to the total of a seat in the middle of a round, such as those for a fifteen in Cribbage.

        They become part of the score of the round. Returns True if the session has ended with them; the rest of the
        round is not played then.
        """
        assert self.awards_points, "to award points, give the views the field `awarded: tuple[int, ...]`"
        self.totals = with_value(self.totals, seat, self.totals[seat] + points)
        ended = self.is_over()
        if ended:
            self.end_round()
        return ended

    @property
    def awarded(self) -> tuple[int, ...]:
        """Points awarded in this round, by seat; zeros in a game that awards none."""
        return tuple(map(sub, self.totals, self._totals_before_round))

    @property
    def _totals_before_round(self) -> tuple[int, ...]:
        return self.score.totals if self.score else (0,) * self.seats

    def end_round(self) -> None:
        """Score the round. Afterwards the next deal is due, or the session has ended."""
        self.record_score(self.title(), self.figures(), self.score_round(), self.bonuses())

    def record_score(
        self,
        title: Title,
        figures: tuple[tuple[int, ...], ...],
        points: tuple[int, ...],
        bonuses: tuple[tuple[Bonus, ...], ...] = (),
        weight: int = 1,
    ) -> None:
        """Record the score of the round and end it.

        Figures, points (bonuses included) and bonuses are given by seat; no bonuses by default. The points count
        ``weight`` times in the totals. Points that were awarded during the round are added to ``points``; the weight
        must then be 1.
        """
        if self.awards_points:
            assert weight == 1, f"points are awarded at once and count once: leave the weight 1, not {weight}"
            points = tuple(map(add, points, self.awarded))
            self.totals = self._totals_before_round
        totals = self.totals = tuple([total + weight * made for total, made in zip(self.totals, points, strict=True)])
        self.score = Score(title, figures, points, bonuses or ((),) * self.seats, totals, weight)
        self.finished += 1
        self.playing = False
        self.turn = OVER if self.is_over() else CHANCE

    def is_over_at(self, finished: int, totals: tuple[int, ...]) -> bool | None:
        if self.awards_points:
            return None  # the session can end inside a round
        clone = self.copy()
        clone.round = clone.finished = finished
        clone.totals = totals
        return finished > 0 and clone.is_over()

    def cancel_round(self) -> None:
        if self.awards_points:
            self.totals = self._totals_before_round
        self.playing, self.turn = False, CHANCE
        self.clear()

    def pending_chance_type(self) -> type[Chance]:
        """Return ``Deal`` between rounds and ``Shuffle`` within a round."""
        return Shuffle if self.playing else Deal

    def draw_chance(self, rng: Random) -> Chance:
        return Shuffle(shuffled(self.to_shuffle, rng)) if self.playing else Deal(shuffled(self.pack, rng))

    def is_possible_chance(self, chance: Chance) -> bool:
        if self.playing:
            return isinstance(chance, Shuffle) and is_permutation_of(chance.order, self.to_shuffle)
        return isinstance(chance, Deal) and is_permutation_of(chance.order, self.pack)

    def assert_invariants(self) -> None:
        """Assert that no card is in two hands, or in a hand and in the stock, and that all are of the pack."""
        assert_of_pack(all_of([*self.hands, mask_of(self.stock)]), self.pack)

    def ranks(self) -> tuple[int, ...]:
        return competition_ranks(self.totals, lowest_wins=self.lowest_wins, sides=self.find_sides(self.seats))

    @classmethod
    def find_sides(cls, seats: int) -> Sides:
        """Return ``partners`` if that many seats have partners, else nothing."""
        return cls.partners if sum(map(len, cls.partners)) == seats else ()

    def view_fields(self, seat: Seat) -> Mapping[str, object]:
        """Return the fields of the view of ``seat`` that are computed alike in every game."""
        return {**self.common_view_fields(seat), "hand": self.hands[seat]}

    def view(self, seat: Seat) -> V:
        """Return everything that ``seat`` knows.

        A field that the game has added to its views has the value of the attribute or property of the same name, with
        a tuple in place of a list; with the annotation ``PRIVATE``, it has the value for this seat.
        """
        fields: dict[str, Any] = {**self.view_fields(seat), "options": self.options}
        for name, is_private, *_ in list_fields(self.view_type, View):
            if name not in fields:
                value = getattr(self, name)
                fields[name] = value[seat] if is_private else tuple(value) if isinstance(value, list) else value
        return self.view_type(**fields)

    @classmethod
    def imagine(cls, view: V, rng: Random) -> Self:
        """Return a random state that the seat of ``view`` cannot distinguish from the true one."""
        return cls(len(view.totals), view.options).determinize(view, rng)

    def determinize(self, view: V, rng: Random) -> Self:
        """Turn this new state into one that the seat of ``view`` cannot distinguish from the true one, and return it.

        By default the cards that the fields of the view name are in no other hand, and the other cards of the pack are
        dealt at random: to the hands, and then to the stock. ``find_known_cards`` makes exceptions.
        """
        self.copy_view_fields(view)
        if any((*view.sizes, view.stock_size)):  # cards have been dealt
            known = self.find_known_cards(view)
            seen = presentation.find_seen_cards(view) & ~all_of(known)
            rest = self.guess_hands(view, view.sizes, seen, rng, known=known, excluded=view.excluded_cards)
            self.stock = rest[: view.stock_size]
        return self

    def find_known_cards(self, view: V) -> Sequence[Cards]:  # noqa: ARG002 - games override it
        """Return by seat the cards that the seat of ``view`` knows to be in another hand; none by default."""
        return (0,) * self.seats

    def guess_hands(
        self,
        view: V,
        sizes: Sequence[int],
        seen: Cards,
        rng: Random,
        *,
        known: Sequence[Cards] = (),
        excluded: Sequence[Cards] = (),
    ) -> tuple[Card, ...]:
        """Set ``hands`` to the hand of the view and random other hands; return the remaining cards in random order.

        ``sizes``: number of cards in each hand. ``seen``: the cards that the seat knows to be in no hand, besides those
        that the view remembers. The other cards of the pack are dealt; those that remain are, for example, the stock.
        ``known`` and ``excluded``: by seat, cards that the seat of the view knows to be in the hand of that seat, and
        not to be in it.
        """
        known, excluded = known or (0,) * self.seats, excluded or (0,) * self.seats
        unseen = self.pack & ~(view.hand | seen | view.remembered | all_of(known))
        missing = [size - cards.bit_count() for size, cards in zip(sizes, known, strict=True)]
        if sum(missing) - missing[view.seat] > unseen.bit_count():
            raise ValueError("too few cards are unseen for the hands: if a field names cards that may be in a hand, "
                             "annotate it with `NOT_HELD`")  # fmt: skip
        guessed = determinization.sample_hands(view.hand, view.seat, unseen, missing, excluded, rng)
        self.hands = list(map(or_, guessed, known))
        return shuffled(unseen & ~all_of(guessed), rng)

    def copy_view_fields(self, view: View) -> None:
        """Copy the common facts, and the fields that the game has added to its views, into this new state.

        Fields for which the state has a property are left out. What is private to the other seats is empty.
        """
        self.copy_common_fields(view)
        for field in list_fields(type(view), View):
            if not isinstance(getattr(type(self), field.name, None), property):
                value = field.read(view)
                if field.is_private:
                    value = with_value((field.empty,) * self.seats, view.seat, value)
                setattr(self, field.name, list(value) if isinstance(getattr(self, field.name, None), list) else value)

    def copy_common_fields(self, view: View) -> None:
        """Copy turn, rounds and totals from a view into this new state."""
        self.turn, self.round, self.finished = view.turn, view.round, view.finished
        self.playing, self.totals = view.playing, view.totals
        if self.awards_points:
            none, before = (0,) * self.seats, tuple(map(sub, view.totals, view.awarded))
            figures = ((0,) * len(self.columns),) * self.seats
            self.score = Score(EndingTitle(""), figures, none, ((),) * self.seats, before)


class RoundGame(Game[RoundState[V], V]):
    """Game whose states are of the class ``state``, which also determines views, columns, partners and who wins."""

    state: type[RoundState[V]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "state" in vars(cls):
            cls.columns, cls.lowest_wins, cls.view = cls.state.columns, cls.state.lowest_wins, cls.state.view_type

    def start(self, seats: int, options: Options) -> RoundState[V]:
        return self.state(seats, options)

    def imagine(self, view: V, rng: Random) -> RoundState[V]:
        return self.state.imagine(view, rng)

    def sides(self, seats: int, options: Options) -> Sides:
        return self.state.find_sides(seats) or super().sides(seats, options)

    def scene(self, view: V) -> tuple[Zone, ...]:
        """Return the hands, the stock, and each field of the view with cards as a zone of the same name."""
        return tuple(presentation.list_zones(view))

    def explain_illegal(self, view: V, cards: Cards) -> str:  # noqa: ARG002 - games override it
        """Return the least that can be said."""
        return "That is not possible now"

    def narrate(self, event: Event, before: V, after: V) -> tuple[Note, ...]:
        return (*self.narrate_event(event, before, after), *points_entries(before, after, self.sides_of(after)))

    def narrate_event(self, event: Event, before: V, after: V) -> tuple[Note, ...]:
        """Return the log entry of a deal or an action, by its verb and the cards of it that the seat sees."""
        return presentation.narrate_event(event, before, after)


def assert_of_pack(cards: Cards, pack: Cards) -> None:
    """Assert that all cards are of the pack."""
    wrong = names(iter_cards(cards & ~pack))
    assert not wrong, f"{wrong} is in play, and not in `pack`: deal only cards of `pack`"


def find_next_seat(active: Sequence[bool], seat: Seat, step: int = 1) -> Seat:
    """Return the next active seat after ``seat``, or ``seat`` if no other seat is active.

    ``active``: by seat, True if the seat takes part. ``step``: 1 to go clockwise, -1 to go counter-clockwise.
    """
    seats = len(active)
    return next((other for i in range(1, seats) if active[other := (seat + step * i) % seats]), seat)


def deal_hands(order: Sequence[Card], seats: int, per_seat: int) -> list[Cards]:
    """Return the hands of a deal, with ``per_seat`` cards per seat.

    Seat 0 receives the first cards of ``order``, seat 1 the next ones, and so on.
    """
    return [mask_of(order[first : first + per_seat]) for first in range(0, per_seat * seats, per_seat)]


def deal_portion(stock: tuple[Card, ...], seats: int, per_seat: int) -> tuple[list[Cards], tuple[Card, ...]]:
    """Return the cards that each seat receives from the top of the stock, and the rest of the stock.

    For games in which cards are dealt in portions: the hands that are empty receive ``per_seat`` more cards.
    """
    return deal_hands(stock, seats, per_seat), stock[per_seat * seats :]


def with_value(values: Sequence[T], seat: Seat, value: T) -> tuple[T, ...]:
    """Return a copy of ``values`` with a new value for ``seat``."""
    return (*values[:seat], value, *values[seat + 1 :])


def points_entries(before: View, after: View, sides: Sides = ()) -> tuple[Note, ...]:
    """Return the log entries for the points of a round, one for each partnership, if the round has just ended.

    Returns an empty tuple if no round has ended between the two views. ``sides``: the partnerships; empty in a game
    without partners.
    """
    if after.finished == before.finished:
        return ()
    made = [
        total - previous + early
        for total, previous, early in zip(after.totals, before.totals, before.awarded, strict=True)
    ]
    return tuple(
        [
            MadePoints(first, made[first], after.finished, partners=tuple(partners))
            for first, *partners in sides or no_partnerships(len(made))
        ]
    )
