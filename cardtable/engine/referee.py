"""Referee of a session, which owns its state, validates events and draws the outcomes of chance."""

from collections.abc import Callable, Collection, Sequence
from copy import copy
from random import Random
from typing import Final, NamedTuple, TypeAlias, assert_never

import msgspec

from cardtable.engine import chance, journal
from cardtable.engine.claims import ClaimVerdict, judge_claim
from cardtable.engine.errors import GameFailed
from cardtable.engine.game import CHANCE, OVER, Action, AnyGame, Event, Score, Seat, Sides, State, View, find_action
from cardtable.engine.journal import (
    ActionLine,
    Line,
    LostLine,
    Occupant,
    OccupantLine,
    RobotReason,
    SessionResult,
    Terms,
    is_storable,
)
from cardtable.engine.occupants import Chooser, Occupants
from cardtable.engine.options import Options
from cardtable.engine.secret_choices import give_turn, has_chosen, list_seats_to_act
from cardtable.engine.tricks import Play
from cardtable.engine.undo_history import UndoableDecision, UndoHistory

SESSION_OVER: Final = "the session is over"
SEAT_LOST: Final = "a player has lost the session"


class IllegalAction(ValueError):
    """The rules do not allow an action or line now; the session is unchanged."""


def ignore_event(_event: Line | Event) -> None:
    """Do nothing; the default for the recorder and the observer of a ``Referee``."""


class ChancePosition(NamedTuple):
    """Position of an outcome of chance in a session."""

    round: int
    """Number of the round, starting at 1; 0 for the draw of the seat that starts the session."""
    voids: int
    """Number of times in a row that the round has been made void."""
    number: int
    """Number of the outcome in the round; 0 for the deal."""


class _ChanceCounter(msgspec.Struct):
    """Counts by which each outcome of chance has a position of its own, whatever is played or undone."""

    last_void: tuple[int, int] = (0, 0)
    """Number of the round that was last made void, and how many times in a row it was."""
    draws: int = 0
    """Number of outcomes of chance drawn in the round, including the deal."""

    def find_position(self, state: State[View]) -> ChancePosition:
        """Return the position of the next outcome of chance; it has a meaning only while one is due."""
        due_type = state.pending_chance_type()
        if due_type is chance.FirstSeatDraw:
            return ChancePosition(0, 0, 0)
        round_ = state.finished + 1
        voided, times = self.last_void
        number = 0 if due_type is chance.Deal else self.draws
        return ChancePosition(round_, times if voided == round_ else 0, number)

    def count_draw(self, outcome: Event) -> None:
        self.draws = 1 if isinstance(outcome, chance.Deal) else self.draws + 1

    def count_void(self, round_: int) -> None:
        voided, times = self.last_void
        self.last_void = (round_, times + 1 if voided == round_ else 1)


Randomness: TypeAlias = Callable[[ChancePosition], Random]
"""Function that returns the generator for one outcome of chance."""


class Referee:
    """Owner of the state of a session, which reveals only views and public facts.

    Chance within a round is drawn at once, chance between rounds when ``advance`` is called. Each line is recorded
    before it takes effect, so the session is unchanged if ``record`` raises an exception. An event is applied to a copy
    of the state first, so an event at which the game fails is not recorded.
    """

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        options: Options,
        seed: int,
        record: Callable[[Line], None] = ignore_event,
        randomness: Randomness | None = None,
        arrivals: tuple[Seat, ...] = (),
        people: Collection[Seat] = (),
        terms: Terms | None = None,
    ) -> None:
        """``arrivals`` are the seats in the order in which their players came to the table, empty if it is unknown.

        ``people`` are the seats in which people begin, whose choices are counted.
        """
        self.game: Final = game
        self.seats: Final = seats
        self.options: Final = options
        self.sides: Final = game.sides(seats, options)
        self.seed: Final = seed
        self.record = record
        self.randomness = randomness
        """Source of all outcomes of chance; if ``None``, they are derived from the seed."""
        self.on_event: Callable[[Event], None] = ignore_event
        """Observer that is called after each event, except after an undo or a void round."""
        self.scores: list[Score] = []
        self.hide_hands = False
        """True if views contain no hands, because the viewer may not see any."""
        self.in_place = False
        """True if events change the state in place, which takes half the time but makes undo impossible."""
        self.decisions = 0
        """Number of decisions that count: undone ones are subtracted."""
        self.undone = 0
        self.coached = False
        """True if the coach was on for an action of a player, even if the action was undone."""
        self.worlds: int | None = None
        """Number of worlds in which robots of a game of another package search at most; ``None`` until it is measured.
        """
        self.result: SessionResult | None = None
        self.occupants = Occupants(seats, people, terms)
        self._state: State[View] = game.start(seats, options)
        if arrivals:
            self._state.set_arrivals(arrivals)
        self._history = UndoHistory()
        self.actor: Seat = CHANCE
        """Seat that made the last decision, also for ``on_event``; ``CHANCE`` before the first decision."""
        self._chance = _ChanceCounter()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.game.columns

    @property
    def state(self) -> State[View]:
        """State of the session with all hidden cards, for checks and analysis; players are shown ``view``."""
        return self._state

    @property
    def ended(self) -> bool:
        return self.result is not None

    @property
    def turn(self) -> Seat:
        """Seat to act, ``CHANCE`` between rounds, or ``OVER`` after the session."""
        return self._state.turn

    def list_seats_to_act(self) -> tuple[Seat, ...]:
        """Return the seats that may act now: the seat to act, or all that still have to choose; empty if none may."""
        return list_seats_to_act(self._state)

    @property
    def round(self) -> int:
        """Number of rounds dealt so far; a round that is dealt again keeps its number."""
        return self._state.round

    @property
    def chance_position(self) -> ChancePosition:
        """Position of the next outcome of chance; it has a meaning only while one is due."""
        return self._chance.find_position(self._state)

    @property
    def playing(self) -> bool:
        return self._state.playing

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals of the finished rounds; the final results once the session has ended."""
        return self._state.results() if self.turn == OVER else self._state.totals

    @property
    def raw_totals(self) -> tuple[int, ...]:
        """Totals of the finished rounds, without the adjustments that some games make at the end of the session."""
        return self._state.totals

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """Final rank of each seat; ``None`` until the session has ended.

        The sides of seats that have lost, also by forfeit, share the last rank, and the others keep their order.
        """
        if self.turn != OVER:
            return None
        lost = {*self.occupants.lost}
        if lost and (forfeiter := self.game.timed_out(self.view(0))) is not None:
            lost.add(forfeiter)
        return rank_lost_last(self._state.ranks(), lost, self.sides)

    @property
    def tricks(self) -> tuple[int, ...] | None:
        """Number of tricks that each seat has taken in the round; ``None`` in a game without tricks."""
        return self._state.tricks()

    def compute_undo_distance(self, seat: Seat, choices: int = 1) -> int:
        """Return the number of decisions to undo to get back to the last choice of ``seat``; 0 if it cannot be undone.

        For ``choices`` see ``UndoHistory.find_choice``. The distance is 1 for a choice that ``take_back_choice`` takes
        back.
        """
        return self._find_undo(seat, choices)[0]

    def has_secret_choice(self, seat: Seat) -> bool:
        """Return True if ``seat`` has chosen, and others that choose at the same time have not."""
        return has_chosen(self._state, seat)

    def explain_undo_refusal(self, seat: Seat, choices: int = 1) -> str | None:
        return self._find_undo(seat, choices)[1]

    def _find_undo(self, seat: Seat, choices: int) -> tuple[int, str | None]:
        if self.has_secret_choice(seat):
            return 1, None
        return self._history.find_choice(self.game, self.view(seat), choices)

    def copy(self) -> "Referee":
        """Return an independent copy without recorder, observer and history for undo."""
        clone = Referee(self.game, self.seats, self.options, self.seed)
        clone.scores, clone.decisions, clone.undone = self.scores.copy(), self.decisions, self.undone
        clone.occupants, clone.coached, clone.worlds = self.occupants.copy(), self.coached, self.worlds
        clone._state, clone._chance = self._state.copy(), copy(self._chance)
        return clone

    def view(self, seat: Seat) -> View:
        """Return the view of ``seat``; only its public part if ``hide_hands`` is set."""
        state = self._state
        view: View = (state if state.turn == seat else give_turn(state, seat)).view(seat)
        return view.public_view() if self.hide_hands else view

    def list_legal_texts(self) -> list[str]:
        """Return the journal texts of the legal actions, sorted; empty if no seat is to act."""
        return sorted(map(str, self._state.legal())) if self.turn >= 0 else []

    def play(
        self,
        seat: Seat,
        action: Action,
        *,
        coach: bool = False,
        robot: str | None = None,
        why: RobotReason | None = None,
        worlds: int | None = None,
    ) -> None:
        """Record and apply an action of ``seat``, and then everything that follows automatically.

        ``coach`` is True if the line has to record that the coach is on. ``robot`` is the level of the robot that has
        chosen in place of the person of the seat, and ``why`` the reason. ``worlds`` is the number of worlds in which
        robots search at most, if it has just been measured.

        Raises ``IllegalAction`` if the seat is not to act or the action is not legal, and ``GameFailed`` if the journal
        cannot contain the action.
        """
        line = ActionLine(seat, str(action), coach, robot, why, worlds)
        apply = self._validate_action(line, action)
        if not is_storable(line):
            name = f"{self.game.about.title} ({self.game.package})"
            raise GameFailed(f"{name} has failed: the text of an action is too long, or not Unicode")
        self.record(line)
        apply()
        self.advance_automatic()

    def check_claim(self, seat: Seat) -> Callable[[], ClaimVerdict]:
        """Return a function that computes the verdict on a claim of ``seat`` in the present position.

        The function is slow and may be called in any thread, because it uses a copy of the state.
        """
        state, rng = self._state.copy(), Random(f"{self.seed} {self.decisions} rest")
        return lambda: judge_claim(self.game, state, seat, rng)

    def claim_rest(self) -> None:
        """Play the rest of the round, whose points are decided, with the first legal card in each turn."""
        self._history.begin_claim()
        while self.playing:
            self.play(self.turn, next(action for action in self._state.legal() if isinstance(action, Play)))

    def advance_automatic(self) -> None:
        """Draw chance within the round, and record the end of the session if it is due.

        Called after each action, and after loading a journal that a crash has cut off between these lines.
        """
        while self._state.turn == CHANCE and self._state.playing:
            self._draw_chance()
        self._record_end()

    def advance(self) -> None:
        """Draw all chance that is due, such as the next deal, and record the end of the session if it is due."""
        while self._state.turn == CHANCE:
            self._draw_chance()
        self._record_end()

    def undo(self, decisions: int) -> None:
        """Undo the last ``decisions`` decisions.

        Raises ``IllegalAction`` if there are fewer decisions since the last outcome of chance, or if they are only
        choices that several seats make at once: ``take_back_choice`` undoes a single one.
        """
        if any(self._state.chosen) and decisions <= sum(self._state.chosen):
            raise IllegalAction("only the seat that has chosen can take back its choice")
        self.record_line(journal.UndoLine(decisions=decisions))

    def take_back_choice(self, seat: Seat) -> None:
        """Take back the choice of a seat; raises ``IllegalAction`` unless others still choose at the same time."""
        self.record_line(journal.UndoLine(decisions=1, seat=seat))

    def void(self, reason: str) -> None:
        """Make the round in progress void; ``advance`` deals it again.

        Raises ``IllegalAction`` if no round is in progress.
        """
        self.record_line(journal.VoidLine(reason))

    def forfeit(self, seat: Seat, reason: str) -> None:
        """End the session with ``seat`` as the loser.

        Raises ``IllegalAction`` if the seat is not to act, or if the game does not allow it (``State.forfeit``).
        """
        self.record_line(journal.ForfeitLine(seat, reason))
        self._record_end()

    def say(self, text: str, seat: Seat | None = None) -> None:
        """Record a chat message.

        ``seat`` is ``None`` for a person without a seat. Raises ``IllegalAction`` if the text is too long or not
        Unicode.
        """
        self.record_line(journal.TalkLine(text=text, seat=seat))

    def change_occupant(self, seat: Seat, occupant: Occupant) -> None:
        """Record a new occupant of ``seat``; the state of the game does not change.

        Raises ``IllegalAction`` if the session is over.
        """
        self.record_line(OccupantLine(seat, occupant.name, occupant.player, occupant.robot))

    def record_line(self, line: Line) -> None:
        """Validate, record and apply a line.

        Raises ``IllegalAction`` if the line is not legal now, or its text is too long or not Unicode.
        """
        apply = self._validate(line)
        if not is_storable(line):
            raise IllegalAction("the text is too long, or not Unicode")
        self.record(line)
        apply()

    def apply_line(self, line: Line) -> None:
        """Validate and apply a line of a journal without recording it.

        Raises ``IllegalAction`` if the line is not legal in the present position.
        """
        if isinstance(line, ActionLine) and not self.ended:  # most lines
            self._validate_action(line)()
        else:
            self._validate(line)()

    def _validate(self, line: Line) -> Callable[[], None]:
        """Validate a line and return the function that applies it.

        Raises ``IllegalAction`` if the line is not legal.
        """
        if self.ended and not isinstance(line, journal.TalkLine | journal.NameLine | journal.MarkLine):
            raise IllegalAction("the session has ended; only talk may follow")
        match line:
            case ActionLine():
                return self._validate_action(line)
            case journal.ChanceLine():
                drawn = self._compute_next_state(outcome := _read_possible_outcome(self._state, line.outcome))
                return lambda: self._apply_chance(outcome, drawn)
            case journal.UndoLine():
                return self._validate_undo(line)
            case journal.VoidLine():
                return self._validate_void()
            case journal.TalkLine(seat=int(seat)) if not 0 <= seat < self.seats:
                raise IllegalAction(f"there is no seat {seat}")
            case journal.TalkLine() | journal.NameLine() | journal.MarkLine():
                return lambda: None  # it has no effect on the game
            case OccupantLine() | LostLine():
                return self._validate_change_of_seat(line)
            case journal.ForfeitLine():
                return self._validate_forfeit(line.seat)
            case journal.ResultLine():
                return self._validate_end(line.result)
            case _:
                assert_never(line)

    def _validate_action(self, line: ActionLine, chosen: Action | None = None) -> Callable[[], None]:
        """Validate a line with the text of an action, or with the action ``chosen``."""
        if line.seat < 0 or (state := give_turn(self._state, line.seat)).turn != line.seat:
            raise IllegalAction(f"seat {line.seat} is not to act")
        self._check_occupant(line)
        legal = state.legal()
        found = find_action(legal, line.action) if chosen is None else chosen if chosen in legal else None
        action = found or find_action(state.view(line.seat).practice_actions, line.action)
        if action is None:
            raise IllegalAction(f"{line.action[:60]!r} is not legal here")
        after, chooser = self._compute_next_state(action, state), self.occupants.find_chooser(line)
        return lambda: self._apply_action(line, action, after, chooser if len(legal) > 1 else None)

    def _check_occupant(self, line: ActionLine | OccupantLine | LostLine) -> None:
        if reason := self.occupants.find_refusal(line):
            raise IllegalAction(reason)

    def _validate_change_of_seat(self, line: OccupantLine | LostLine) -> Callable[[], None]:
        if not 0 <= line.seat < self.seats:
            raise IllegalAction(f"there is no seat {line.seat}")
        if self.turn == OVER:
            raise IllegalAction("the session is over; nobody can sit down or lose it")
        self._check_occupant(line)
        return lambda: self._apply_change_of_seat(line)

    def _validate_void(self) -> Callable[[], None]:
        if not self._state.playing:
            raise IllegalAction("no round is in progress that could be void")
        voided = self._state.copy()
        voided.cancel_round()
        return lambda: self._replace_state(voided, is_void=True)

    def _validate_undo(self, line: journal.UndoLine) -> Callable[[], None]:
        seat = line.seat
        if seat is not None:
            if not self.has_secret_choice(seat):
                raise IllegalAction(f"seat {seat} has no choice to take back")
            return lambda: self._apply_taking_back(seat)
        decisions = line.decisions
        most = len(self._history.decisions)
        if not 1 <= decisions <= most:
            raise IllegalAction(f"{decisions} decisions cannot be undone here, at most {most}")
        return lambda: self._apply_undo(decisions)

    def _validate_forfeit(self, seat: Seat) -> Callable[[], None]:
        if seat not in self.list_seats_to_act():
            raise IllegalAction(f"seat {seat} is not to act: its clock does not run")
        lost = self._state.copy()
        if seat != lost.turn:
            lost.give_turn(seat)
        try:
            lost.forfeit(seat)
        except ValueError as error:
            raise IllegalAction(str(error)) from None
        return lambda: self._replace_state(lost)

    def _validate_end(self, end: SessionResult) -> Callable[[], None]:
        if self.turn != OVER:
            raise IllegalAction("the session is not over")
        if end.totals != self.totals or end.ranks != self.ranks or end.undone not in (None, self.undone):
            raise IllegalAction("the final totals are not the sum of the rounds")
        if not self.occupants.agree_with(end):
            raise IllegalAction("the players have made another number of choices")
        return lambda: self._apply_end(end)

    def _compute_next_state(self, event: Event, before: State[View] | None = None) -> State[View]:
        """Return the state after an event. The present state is changed only if ``in_place`` is set.

        ``before``: the present state with the turn of the seat that acts, if several seats choose at once.
        """
        before = before or self._state
        state = before if self.in_place else before.copy()
        state.apply(event)
        return state

    def _apply_action(self, line: ActionLine, action: Action, after: State[View], chooser: Chooser | None) -> None:
        seat, by_robot = line.seat, line.robot is not None
        if not self.in_place:
            self._history.add(UndoableDecision(self._state, len(self.scores), seat, action, by_robot, chooser), after)
        self.decisions += 1
        self.occupants.count_choice(seat, chooser)
        self.coached, self.actor, self.worlds = self.coached or line.coach, seat, line.worlds or self.worlds
        self._set_state(action, after)

    def _set_state(self, event: Event, state: State[View]) -> None:
        self._state = state
        if state.finished > len(self.scores):
            assert state.score is not None
            self.scores.append(state.score)
            self.occupants.by_round.append(self.occupants.changed.copy())
        self.on_event(event)

    def _apply_chance(self, event: Event, after: State[View]) -> None:
        self._chance.count_draw(event)
        self._history.clear()
        self._set_state(event, after)

    def _apply_undo(self, decisions: int) -> None:
        undone = self._history.undo(decisions)
        first = undone[0]
        self._state = first.state
        del self.scores[first.scores :], self.occupants.by_round[first.scores :]
        self._discount(undone)

    def _apply_taking_back(self, seat: Seat) -> None:
        decision, self._state = self._history.take_back(seat)
        self._discount([decision])

    def _discount(self, undone: Sequence[UndoableDecision]) -> None:
        self.decisions -= len(undone)
        self.undone += len(undone)
        for decision in undone:
            self.occupants.count_choice(decision.seat, decision.chooser, -1)

    def _apply_change_of_seat(self, line: OccupantLine | LostLine) -> None:
        self.occupants.apply(line)
        if isinstance(line, LostLine):
            self._history.clear(SEAT_LOST)

    def _replace_state(self, state: State[View], *, is_void: bool = False) -> None:
        """Continue from another state, before which nothing can be undone."""
        if is_void:
            self._chance.count_void(self.round)
        self._state = state
        self._history.clear()

    def _apply_end(self, result: SessionResult) -> None:
        self._history.clear(SESSION_OVER)
        self.result = result

    def _draw_chance(self) -> None:
        position = self.chance_position
        seed = f"{self.seed} {' '.join(map(str, position))}"  # no deal depends on play or undo
        outcome = self._state.draw_chance(self.randomness(position) if self.randomness else Random(seed))
        after = self._compute_next_state(outcome)
        self.record(journal.ChanceLine(str(outcome)))
        self._apply_chance(outcome, after)

    def _record_end(self) -> None:
        if (ranks := self.ranks) is not None and not self.ended:
            result = SessionResult(self.totals, ranks, self.undone, *self.occupants.list_choices())
            self.record_line(journal.ResultLine(result))


def _read_possible_outcome(state: State[View], text: str) -> Event:
    """Read an outcome of chance. Raises ``IllegalAction`` if it cannot come in this state."""
    if state.turn != CHANCE:
        raise IllegalAction(f"{text[:40]!r}: no outcome of chance is due")
    try:
        outcome = chance.read(text)
    except ValueError as error:
        raise IllegalAction(str(error)) from None
    if not state.is_possible_chance(outcome):
        raise IllegalAction(f"{text[:40]!r} cannot come here")
    return outcome


def rank_lost_last(ranks: tuple[int, ...], lost: Collection[Seat], sides: Sides) -> tuple[int, ...]:
    """Return the ranks with the sides of lost seats sharing the last one; the others keep their order."""
    if not lost:
        return ranks
    losers = [side for side in sides if any(seat in lost for seat in side)]
    best = [ranks[side[0]] for side in sides if side not in losers]
    last = {seat: len(best) + 1 if best else len(sides) for side in losers for seat in side}
    return tuple([last.get(seat) or 1 + sum(other < rank for other in best) for seat, rank in enumerate(ranks)])
