"""Decisions of a session that can be undone."""

from itertools import takewhile
from typing import Final

import msgspec
from msgspec.structs import replace

from cardtable.engine.cards import COPY_OFFSET
from cardtable.engine.game import Action, AnyGame, Seat, State, View
from cardtable.engine.occupants import Chooser
from cardtable.engine.presentation import find_open_cards
from cardtable.engine.secret_choices import give_turn

NEW_CARDS: Final = "new cards have been dealt"
NOTHING_YET: Final = "nothing to undo yet"
ALL_CHOSEN: Final = "all players have chosen"
"""Why decisions before the last of several simultaneous choices cannot be undone."""


class UndoableDecision(msgspec.Struct, frozen=True):
    """UndoableDecision that can be undone."""

    state: State[View]
    """State before the decision."""
    scores: int
    """Number of scores before the decision."""
    seat: Seat
    action: Action
    by_robot: bool
    """True if a robot has decided in place of the person of the seat, who lets robots finish the round."""
    chooser: Chooser | None
    """Who has made the choice; ``None`` if the decision was no choice."""


class UndoHistory:
    """Decisions of a session that can be undone."""

    def __init__(self) -> None:
        self.decisions: list[UndoableDecision] = []
        """The latest is last."""
        self.limit = NOTHING_YET
        """Reason why no earlier decision can be undone."""
        self._claim_start: int | None = None
        """Number of ``decisions`` before the last claim; ``None`` if none can be undone."""

    def add(self, decision: UndoableDecision, after: State[View]) -> None:
        """Add a decision, given the state after it."""
        self.decisions.append(decision)
        if any(decision.state.chosen) and not any(after.chosen):  # the secret choices of all are known now
            self.clear(ALL_CHOSEN)

    def begin_claim(self) -> None:
        self._claim_start = len(self.decisions)

    def clear(self, limit: str = NEW_CARDS) -> None:
        """Forget all decisions, which cannot be undone any more because of ``limit``."""
        if self.decisions or self.limit != NOTHING_YET:  # not at the first deal, which nobody would undo
            self.limit = limit
        self.decisions.clear()
        self._claim_start = None

    def undo(self, number: int) -> list[UndoableDecision]:
        """Remove the last decisions, and return them."""
        undone = self.decisions[-number:]
        del self.decisions[-number:]
        if self._claim_start is not None and len(self.decisions) <= self._claim_start:
            self._claim_start = None
        return undone

    def take_back(self, seat: Seat) -> tuple[UndoableDecision, State[View]]:
        """Undo the last decision of a seat, and apply the later ones of other seats again without it.

        Returns the decision, and the state at the end.
        """
        index = max(index for index, decision in enumerate(self.decisions) if decision.seat == seat)
        removed, later = self.decisions[index], self.decisions[index + 1 :]
        state = removed.state
        del self.decisions[index:]
        for decision in later:
            self.decisions.append(replace(decision, state=state))
            state = give_turn(state, decision.seat).copy()
            state.apply(decision.action)
        return removed, state

    def find_choice(self, game: AnyGame, present: View, min_actions: int) -> tuple[int, str | None]:
        """Return the number of decisions to undo to get back to the last choice of a seat, or 0 and why not.

        ``present`` is the present view of the seat. A choice is a decision with at least ``min_actions`` legal actions,
        or one of ``View.practice_actions``; forced silent actions and the plays of a claim do not count. A decision and
        what completes it (``Action.completes``) are one choice, and so is all that robots have decided for the seat in
        finishing the round. Outcomes of chance cannot be undone, and neither can any other decision after which the
        seat has seen a new card or in which the last of several seats has chosen at the same time.
        """
        seat, later = present.seat, present
        own = [number for number, decision in enumerate(reversed(self.decisions), start=1) if decision.seat == seat]
        if finished := [*takewhile(lambda number: self.decisions[-number].by_robot, own)]:
            return finished[-1], None
        for number, decision in enumerate(reversed(self.decisions), start=1):
            view = give_turn(decision.state, decision.seat).view(seat)
            if decision.seat == seat and decision.action not in view.legal:
                return number, None
            if _has_seen_new_card(game, decision.state, view, later):
                return 0, "you have seen a new card"
            is_of_claim = self._claim_start is not None and len(self.decisions) - number > self._claim_start
            is_choice = len(view.legal) >= min_actions and not is_of_claim and not game.forced_silent_action(view)
            if decision.seat == seat and is_choice and not self._completes_another(number):
                return number, None
            later = view
        return 0, self.limit

    def _completes_another(self, number: int) -> bool:
        """Return True if the ``number``-th last decision is one with the decision before it."""
        decision, before = self.decisions[-number], self.decisions[-number - 1 : -number]
        return any(one.seat == decision.seat and decision.action.completes(one.action) for one in before)


def _has_seen_new_card(game: AnyGame, state: State[View], before: View, after: View) -> bool:
    """Return True if a card that the seat had not seen has entered its hand, or was turned up from nobody's hand.

    ``before`` and ``after`` are views of the seat, ``before`` of ``state``. A card that leaves a hand may be the second
    copy on the table, if the pack has two.
    """
    zones = [zone for zone in game.scene(after) if zone.name != "hand" or zone.seat == after.seat]
    new = find_open_cards(zones) & ~find_open_cards(game.scene(before))
    held = 0
    for seat in range(len(state.totals)) if new else ():
        held |= state.view(seat).hand
    return bool(new & (after.hand | ~(held | held << COPY_OFFSET)))
