"""Choices that several seats make at once and that stay secret until the last of them is made.

Each lays cards away, passes cards or makes a blind bid. ``ChoosingState`` is the base of states with such choices.
"""

from collections.abc import Iterable
from operator import or_
from random import Random
from typing import Self

import msgspec

from cardtable.engine.chance import Deal
from cardtable.engine.game import Action, Event, Seat, State, V, View
from cardtable.engine.round_state import RoundState, with_value


class SecretChoices(msgspec.Struct, frozen=True):
    """Choices that seats make at once, in any order."""

    choosers: tuple[bool, ...]
    """By seat, True if the seat takes part."""
    made: tuple[Action | None, ...]
    """Choices by seat; ``None`` for a seat that has not chosen or takes no part."""

    @property
    def choosing(self) -> tuple[bool, ...]:
        """By seat, True if the seat still has to choose."""
        return tuple([asked and choice is None for asked, choice in zip(self.choosers, self.made, strict=True)])

    @property
    def chosen(self) -> tuple[bool, ...]:
        """By seat, True if the seat has chosen."""
        return tuple([choice is not None for choice in self.made])

    def with_choice(self, seat: Seat, choice: Action) -> Self:
        """Return the record after the choice of ``seat``."""
        return msgspec.structs.replace(self, made=with_value(self.made, seat, choice))


class ChoosingState(RoundState[V]):
    """State of a game in which seats choose at once: ``let_choose`` begins it, ``act_at_once`` gets the choices.

    In a game with tricks, name this class before ``TrickGameState``. The views have the fields ``choosing``, ``chosen``
    and, private to each seat, ``choice``.
    """

    secret_choices: SecretChoices | None = None
    """Choices made so far while several seats choose at once, else ``None``."""

    def let_choose(self, seats: Iterable[Seat] | None = None) -> None:
        """Let several seats choose at once, by default all that are active; ``act_at_once`` gets their choices.

        Until all have chosen, ``legal`` is called for each of them, with the seat in ``turn``.
        """
        asked = [*seats] if seats is not None else [seat for seat, plays in enumerate(self.active) if plays]
        choosers = tuple([seat in asked for seat in range(self.seats)])
        self.secret_choices, self.turn = SecretChoices(choosers, (None,) * self.seats), min(asked)

    def act_at_once(self, choices: tuple[Action | None, ...]) -> None:
        """Apply the choices of the seats that ``let_choose`` has named, then set ``turn`` or call ``end_round``.

        ``choices``: by seat; ``None`` for a seat that had no choice. A game has to override this method.
        """
        raise NotImplementedError

    @property
    def choosing(self) -> tuple[bool, ...]:
        """By seat, True if the seat still has to choose while several seats choose at once."""
        return self.secret_choices.choosing if self.secret_choices else (False,) * self.seats

    @property
    def chosen(self) -> tuple[bool, ...]:
        """By seat, True if the seat has chosen, and others choosing at the same time have not."""
        return self.secret_choices.chosen if self.secret_choices else (False,) * self.seats

    def give_turn(self, seat: Seat) -> None:
        self.turn = seat

    @property
    def choice(self) -> tuple[Action | None, ...]:
        """By seat, the choice that the other seats do not know yet; ``None`` for a seat that has none."""
        return self.secret_choices.made if self.secret_choices else (None,) * self.seats

    def apply(self, event: Event) -> None:
        if self.secret_choices and isinstance(event, Action):
            self._choose(self.secret_choices, event)
            return
        if isinstance(event, Deal):
            self.secret_choices = None
        super().apply(event)

    def _choose(self, before: SecretChoices, choice: Action) -> None:
        """Keep the choice of the seat to act; apply all choices once it is the last one."""
        choices = before.with_choice(self.turn, choice)
        if any(choices.choosing):
            self.secret_choices, self.turn = choices, choices.choosing.index(True)
        else:
            self.secret_choices = None
            self.act_at_once(choices.made)

    def cancel_round(self) -> None:
        self.secret_choices = None
        super().cancel_round()

    def determinize(self, view: V, rng: Random) -> Self:
        """Extend the determinization with random choices of the other seats that have chosen."""
        super().determinize(view, rng)
        if any(view.choosing):
            self._guess_choices(view, rng)
        return self

    def _guess_choices(self, view: V, rng: Random) -> None:
        choosers = tuple(map(or_, view.choosing, view.chosen))
        self.let_choose([seat for seat, asked in enumerate(choosers) if asked])
        made = self._guess_made(view, rng)
        self.secret_choices, self.turn = SecretChoices(choosers, with_value(made, view.seat, view.choice)), view.turn

    def _guess_made(self, view: View, rng: Random) -> tuple[Action | None, ...]:
        made: list[Action | None] = [None] * self.seats
        for seat, has_chosen in enumerate(view.chosen):
            if has_chosen and seat != view.seat:
                self.turn = seat
                made[seat] = rng.choice(self.legal())
        return tuple(made)


def hide_choice(view: View) -> View:
    """Return the view of a seat whose hand is open to others: its public view while its choice is secret."""
    return view.public_view() if has_chosen(view, view.seat) else view


def has_chosen(position: State[View] | View, seat: Seat) -> bool:
    """Return True if a seat has chosen while others, which choose at the same time, have not."""
    return 0 <= seat < len(position.chosen) and position.chosen[seat]


def list_seats_to_act(position: State[View] | View) -> tuple[Seat, ...]:
    """Return the seats that may act: ``turn``, or all that still have to choose at once; empty if none may."""
    choosing = tuple([seat for seat, still_has_to in enumerate(position.choosing) if still_has_to])
    return choosing or ((position.turn,) if position.turn >= 0 else ())


def give_turn(state: State[View], seat: Seat) -> State[View]:
    """Return a copy of the state in which ``seat`` has the turn if it still has to choose; else the state itself."""
    if state.turn == seat or not state.choosing or seat not in list_seats_to_act(state):
        return state
    clone = state.copy()
    clone.give_turn(seat)
    return clone
