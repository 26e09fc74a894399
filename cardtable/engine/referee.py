"""A session in progress: judges what happens, draws chance, hands every line to the journal."""

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Final

import msgspec

from cardtable.engine import chance, claim
from cardtable.engine.game import CHANCE, OVER, Action, AnyGame, Event, Score, Seat, State, View
from cardtable.engine.journal import Line, Occupant, SessionResult, is_storable
from cardtable.engine.options import Options
from cardtable.engine.tricks import Play

_text: Final = lru_cache(4096)(str)
"""The text of an action: the same few are judged again and again."""


class IllegalAction(ValueError):
    """The rules do not allow this now.  The table is unchanged."""


class SeatHandle(msgspec.Struct, frozen=True):
    """The only handle that anybody outside gets: one seat's view and one seat's choices."""

    seat: Seat
    view: Callable[[], View]
    play: Callable[[Action], None]
    """Raises ``IllegalAction``."""


def noop(_told: Line | Event) -> None:
    """A recorder that keeps nothing, a watcher that does nothing."""


class Referee:
    """Owns the one true state.  Shows nothing of it but views, and what all may know.

    Chance inside a round is drawn at once; between rounds when ``advance`` is called.  Each
    line is recorded before it takes effect, so a recorder that raises leaves the table
    unchanged; and what a game fails at is not recorded.
    """

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        options: Options,
        seed: int,
        record: Callable[[Line], None] = noop,
        randomness: Random | None = None,
    ) -> None:
        self.game: Final = game
        self.seats: Final = seats
        self.options: Final = options
        self.sides: Final = game.sides(seats, options)
        self.seed: Final = seed
        self.record = record
        self.randomness = randomness
        """Source of every outcome of chance; ``None``: each follows from the seed."""
        self.on_event: Callable[[Event], None] = noop
        """Called after each event; not after what is taken back or void."""
        self.scores: list[Score] = []
        self.hide_hands = False
        """Whether views show no hands, since somebody looks from whom all are to be hidden."""
        self.in_place = False
        """True if events change the one state, which takes half the time, and nothing can be taken back."""
        self.decisions = 0
        """Decisions that stand; those taken back are not among them."""
        self.undone = 0
        """Decisions taken back."""
        self.ended = False
        self.sitters: dict[Seat, Occupant] = {}
        """Who sits where somebody else sat when the session began."""
        self._state: State[View] = game.start(seats, options)
        self._before: list[tuple[State[View], int]] = []
        self._rest: int | None = None
        """Decisions that stood before the rest was played out, while that can be taken back."""
        self._voids = (0, 0)
        self._drawn = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Headings of ``Score.figures``."""
        return self.game.columns

    @property
    def turn(self) -> Seat:
        """The seat to act, ``CHANCE`` between rounds, or ``OVER``."""
        return self._state.turn

    @property
    def round(self) -> int:
        """Rounds dealt so far; a round dealt again keeps its number."""
        return self._state.round

    @property
    def playing(self) -> bool:
        """Whether a round is in progress."""
        return self._state.playing

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals of the finished rounds; the final results once the session is over."""
        return self._state.results() if self.turn == OVER else self._state.totals

    @property
    def raw_totals(self) -> tuple[int, ...]:
        """Totals of the finished rounds, before anything that is reckoned at the end."""
        return self._state.totals

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """The final places; ``None`` while the session is not over."""
        return self._state.ranks() if self.turn == OVER else None

    @property
    def tricks(self) -> tuple[int, ...] | None:
        """Tricks taken in the round by each seat; ``None`` in a game without tricks."""
        return self._state.tricks()

    def undo_distance(self, seat: Seat, choices: int = 1) -> int:
        """How many decisions to take back to come to the last one of ``seat`` that needed a word; 0 if none can be.

        A card that the seat has drawn unseen is like chance: once seen it stays as it came.
        With ``choices`` the decision had at least so many.  A rest that was played out is one
        decision.
        """
        return self._way_back(seat, choices)[0]

    def undo_refusal(self, seat: Seat, choices: int = 1) -> str:
        """Why ``seat`` can take back nothing, in a player's words; nothing (``""``) if it can."""
        return self._way_back(seat, choices)[1]

    def _way_back(self, seat: Seat, choices: int) -> tuple[int, str]:
        later = self.view(seat)
        for number, (state, _) in enumerate(reversed(self._before), start=1):
            view = state.view(seat)
            if self._drew_unseen(view, later):
                return 0, "you have seen what came"
            by_itself = self._rest is not None and self.decisions - number > self._rest
            needed = len(view.legal) >= choices and not by_itself and not self.game.forced_silent_action(view)
            if state.turn == seat and needed:
                return number, ""
            later = view
        return 0, "new cards have come"

    def _drew_unseen(self, before: View, after: View) -> bool:
        """Whether the seat has got a card into its hand that it had not seen lie open."""
        seen = {card for zone in self.game.scene(before) for card in zone.cards}
        held = [zone for zone in self.game.scene(after) if zone.name == "hand" and zone.seat == after.seat]
        return any(card not in seen for zone in held for card in zone.cards)

    def copy(self) -> "Referee":
        """An independent table as this one stands, which records nothing and takes nothing back."""
        twin = Referee(self.game, self.seats, self.options, self.seed)
        twin.scores, twin.decisions, twin.undone = self.scores.copy(), self.decisions, self.undone
        twin.sitters = self.sitters.copy()
        twin._state = self._state.copy()
        twin._voids, twin._drawn = self._voids, self._drawn
        return twin

    def chair(self, seat: Seat) -> SeatHandle:
        """The chair at ``seat``."""
        return SeatHandle(seat, lambda: self.view(seat), lambda action: self.play(seat, action))

    def view(self, seat: Seat) -> View:
        """What ``seat`` may know."""
        view: View = self._state.view(seat)
        return view.public_view() if self.hide_hands else view

    def legal(self) -> list[str]:
        """The texts of the legal actions of the seat to act, sorted; for replays."""
        return sorted(map(str, self._state.legal())) if self.turn >= 0 else []

    def check(self) -> None:
        """Assert the invariants of the state."""
        self._state.assert_invariants()

    def play(self, seat: Seat, action: Action) -> None:
        """A decision of ``seat``, and the chance that follows from it inside the round."""
        if seat < 0 or seat != self._state.turn:
            raise IllegalAction(f"seat {seat} is not to act")
        if action not in self._state.legal():
            raise IllegalAction(f"{action} is not legal now")
        after = self._after(action)
        self.record(Line(seat=seat, action=str(action)))
        self._act(action, after)
        self.advance_automatic()

    def check_claim(self, seat: Seat) -> Callable[[], claim.ClaimVerdict]:
        """Whether ``seat`` may have the rest played out; the answer takes a while, and may come from any thread."""
        state, rng = self._state.copy(), Random(f"{self.seed} {self.decisions} rest")
        return lambda: claim.verdict(self.game, state, seat, rng)

    def claim_rest(self) -> None:
        """Play the round to its end with cards that may be played, where it does not matter which."""
        self._rest = self.decisions
        while self.playing:
            self.play(self.turn, next(action for action in self._state.legal() if isinstance(action, Play)))

    def advance_automatic(self) -> None:
        """What follows by itself, unless a crash came between: chance inside the round, the end."""
        self._draw_inside()
        self._end()

    def advance(self) -> None:
        """Deal the next round, or what else chance owes; end a session that is over."""
        while self._state.turn == CHANCE:
            self._draw()
        self._end()

    def undo(self, decisions: int) -> None:
        """Take back the last ``decisions``, never past chance."""
        self._happen(Line(undo=decisions))

    def void(self, why: str) -> None:
        """Make the round in progress void; ``advance`` deals it again."""
        self._happen(Line(void=why))

    def forfeit(self, seat: Seat, why: str) -> None:
        """``seat`` has lost the session, which ends."""
        self._happen(Line(forfeit=seat, why=why))
        self._end()

    def say(self, text: str, seat: Seat | None = None) -> None:
        """Table talk of ``seat``, or of nobody at the table."""
        self._happen(Line(say=text, seat=seat))

    def rename(self, name: str) -> None:
        """Name the table."""
        self._happen(Line(name=name))

    def change_occupant(self, seat: Seat, who: Occupant) -> None:
        """From here on somebody else decides for ``seat``, which changes nothing of the game."""
        self._happen(Line(sit=seat, name=who.name, player=who.player, robot=who.robot))

    def apply_line(self, line: Line) -> None:
        """Judge a line of a journal and let it happen, without recording it."""
        if line.action is not None and line.say is None and not self.ended:  # most lines
            action = self._judged_action(line.seat, line.action)
            self._act(action, self._after(action))
        else:
            self._judged(line)()

    def _happen(self, line: Line) -> None:
        step = self._judged(line)
        if not is_storable(line):
            raise IllegalAction("the text is too long to be kept, or not Unicode")
        self.record(line)
        step()

    def _judged(self, line: Line) -> Callable[[], None]:
        """What the line does; raises ``IllegalAction`` if it does not fit here."""
        if line.talk:
            if line.seat is not None and not 0 <= line.seat < self.seats:
                raise IllegalAction(f"there is no seat {line.seat}")
            return self._talk
        if self.ended:
            raise IllegalAction("the session has ended; only talk may follow")
        if line.sit is not None:
            return self._judged_sit(line.sit, line.sitter)
        if line.chance is not None:
            drawn = self._after(outcome := self._judged_chance(line.chance))
            return lambda: self._chance(outcome, drawn)
        if line.action is not None:
            played = self._after(action := self._judged_action(line.seat, line.action))
            return lambda: self._act(action, played)
        if line.undo is not None:
            return self._judged_undo(line.undo)
        if line.void is not None:
            if not self._state.playing:
                raise IllegalAction("no round is in progress that could be void")
            voided = self._state.copy()
            voided.cancel_round()
            return lambda: self._void(voided)
        if line.end is not None:
            return self._judged_end(line.end)
        assert line.forfeit is not None
        return self._judged_forfeit(line.forfeit)

    def _judged_chance(self, text: str) -> Event:
        if self._state.turn != CHANCE:
            raise IllegalAction(f"{text[:40]!r}: it is not for chance to speak")
        try:
            outcome = chance.read(text)
        except ValueError as error:
            raise IllegalAction(str(error)) from None
        if not self._state.is_possible_chance(outcome):
            raise IllegalAction(f"{text[:40]!r} cannot come here")
        return outcome

    def _judged_action(self, seat: Seat | None, text: str) -> Action:
        if seat is None or seat < 0 or seat != self._state.turn:
            raise IllegalAction(f"seat {seat} is not to act")
        for action in self._state.legal():
            if _text(action) == text:
                return action
        raise IllegalAction(f"{text[:60]!r} is not legal here")

    def _judged_sit(self, seat: Seat, who: Occupant) -> Callable[[], None]:
        if not 0 <= seat < self.seats:
            raise IllegalAction(f"there is no seat {seat}")
        if self.turn == OVER:
            raise IllegalAction("the session is over; nobody sits down any more")
        return lambda: self._sit(seat, who)

    def _judged_undo(self, decisions: int) -> Callable[[], None]:
        if not 1 <= decisions <= len(self._before):
            raise IllegalAction(f"{decisions} decisions cannot be taken back here, at most {len(self._before)}")
        return lambda: self._undo(decisions)

    def _judged_forfeit(self, seat: Seat) -> Callable[[], None]:
        if seat < 0 or seat != self._state.turn:
            raise IllegalAction(f"seat {seat} is not to act: its clock does not run")
        lost = self._state.copy()
        try:
            lost.forfeit(seat)
        except ValueError as error:
            raise IllegalAction(str(error)) from None
        return lambda: self._forfeit(lost)

    def _judged_end(self, end: SessionResult) -> Callable[[], None]:
        if self.turn != OVER:
            raise IllegalAction("the session is not over")
        if end.totals != self.totals or end.ranks != self.ranks or end.undone not in (None, self.undone):
            raise IllegalAction("the end is not what the rounds add up to")
        return self._close

    def _after(self, event: Event) -> State[View]:
        """The state as an event leaves it."""
        state = self._state if self.in_place else self._state.copy()
        state.apply(event)
        return state

    def _act(self, action: Action, after: State[View]) -> None:
        if not self.in_place:
            self._before.append((self._state, len(self.scores)))
        self.decisions += 1
        self._stand(action, after)

    def _stand(self, event: Event, state: State[View]) -> None:
        self._state = state
        if state.finished > len(self.scores):
            assert state.score is not None
            self.scores.append(state.score)
        self.on_event(event)

    def _chance(self, event: Event, after: State[View]) -> None:
        if isinstance(event, chance.Deal):
            self._drawn = 0
        self._before.clear()
        self._rest = None
        self._drawn += 1
        self._stand(event, after)

    def _undo(self, decisions: int) -> None:
        self._state, scores = self._before[-decisions]
        del self._before[-decisions:], self.scores[scores:]
        self.decisions -= decisions
        self.undone += decisions
        if self._rest is not None and self.decisions <= self._rest:
            self._rest = None

    def _void(self, after: State[View]) -> None:
        voided, times = self._voids
        self._voids = (self.round, times + 1 if voided == self.round else 1)
        self._state = after
        self._before.clear()

    def _forfeit(self, lost: State[View]) -> None:
        self._state = lost
        self._before.clear()

    def _close(self) -> None:
        self._before.clear()
        self.ended = True

    def _sit(self, seat: Seat, who: Occupant) -> None:
        self.sitters[seat] = who

    def _talk(self) -> None:
        """Talk and names change nothing."""

    def _draw_inside(self) -> None:
        while self._state.turn == CHANCE and self._state.playing:
            self._draw()

    def _draw(self) -> None:
        outcome = self._state.draw_chance(self._generator())
        after = self._after(outcome)
        self.record(Line(chance=str(outcome)))
        self._chance(outcome, after)

    def _generator(self) -> Random:
        """Return the source of the next outcome.

        Without ``randomness`` it is made of the seed and of the outcome's place in the session, so that no deal
        depends on play or undo.
        """
        if self.randomness is not None:
            return self.randomness
        owed = self._state.pending_chance_type()
        if owed is chance.FirstSeatDraw:
            return Random(f"{self.seed} 0 0 0")
        round_ = self._state.finished + 1
        voided, times = self._voids
        number = 0 if owed is chance.Deal else self._drawn
        return Random(f"{self.seed} {round_} {times if voided == round_ else 0} {number}")

    def _end(self) -> None:
        if self.turn == OVER and not self.ended:
            ranks = self.ranks
            assert ranks is not None
            self._happen(Line(end=SessionResult(self.totals, ranks, self.undone)))
