"""Laws of choices that several seats make at once: secret until all have chosen, and the same in every order."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Final

from cardtable.engine.game import Action, AnyGame, Note, Seat, State, View
from cardtable.engine.journal import Line
from cardtable.engine.referee import Referee
from cardtable.engine.secret_choices import list_seats_to_act
from cardtable.testing.cases import (
    Case,
    LawFailure,
    choose_action,
    freeze_data,
    iter_random_positions,
    list_legal,
    play_random_action,
)
from cardtable.testing.invariants import (
    assert_narration_valid,
    assert_sample_matches_view,
    assert_scene_valid,
    find_different_data,
)
from cardtable.testing.session_checks import assert_not_endless, assert_referees_equal, assert_rejected, reload_referee
from cardtable.testing.worlds import describe_field, find_different_fields, format_notes, is_identical

_EARLY_PHASES: Final = 3
"""Number of times that seats choose at once at the beginning of a session that are all examined; later, one in ten."""
_MAX_ALTERNATIVES: Final = 6
"""Number of other choices of each seat that are compared with its choice."""
_ORDERS: Final = 3
"""Number of orders of choosing that are compared."""


def check_secret_choices(case: Case, seed: int) -> int:
    """Play a session, and check the phases in which seats choose at once; return the number of phases examined."""
    rng, phases, examined = Random(f"at once {case} {seed}"), 0, 0
    for position in iter_random_positions(case, seed):
        state = position.state
        _assert_choosers_valid(state)
        if not any(state.choosing) or any(state.chosen):
            continue
        phases += 1
        if phases <= _EARLY_PHASES or rng.random() < 0.1:
            examined += 1
            choices = {seat: _choose(state, seat, rng) for seat in list_seats_to_act(state)}
            _check_secrecy(case.game, state, choices, rng)
            _check_orders(state, choices, rng)
            _check_samples(case.game, state, choices, rng)
    return examined


def check_choices_of_referee(case: Case, seed: int) -> None:
    """Play a session in which seats choose at once in any order and take choices back; read it again from its lines."""
    rng, lines, phases = Random(f"referee at once {case} {seed}"), list[Line](), 0
    referee = case.create_referee(seed, lines.append)
    while not referee.ended and phases < _EARLY_PHASES:
        if not any(referee.state.choosing):
            play_random_action(referee, rng)
            assert_not_endless(lines)
            if phases == 0 and len(referee.scores) >= _EARLY_PHASES:
                return
            continue
        phases += 1
        choices = {seat: _choose(referee.state, seat, rng) for seat in referee.list_seats_to_act()}
        _take_back_choices(referee, choices, rng)
        order = list(referee.list_seats_to_act())
        rng.shuffle(order)
        for seat in order:
            referee.play(seat, choices[seat])
        assert_rejected(referee, partial(referee.undo, 1), *[partial(referee.take_back_choice, seat) for seat in order])
        assert_referees_equal(reload_referee(case, lines), referee, "choices made at once are read again as others")


def _take_back_choices(referee: Referee, choices: Mapping[Seat, Action], rng: Random) -> None:
    """Let all but one seat choose, and some of them take back their choices; the others' choices must stand."""
    order = rng.sample(sorted(choices), len(choices))
    for seat in order[:-1]:
        referee.play(seat, choices[seat])
        assert_rejected(
            referee, *[partial(referee.take_back_choice, other) for other in choices if not referee.state.chosen[other]]
        )
        if rng.random() < 0.5:
            continue
        clone = referee.copy()
        back = rng.choice([other for other in choices if referee.state.chosen[other]])
        referee.take_back_choice(back)
        referee.play(back, choices[back])
        _assert_equal_states(clone.state, referee.state, "a choice that is taken back and made again is another")
        if back != seat:
            assert_rejected(referee, partial(referee.undo, 1))


def _choose(state: State[View], seat: Seat, rng: Random) -> Action:
    return choose_action(list_legal(_give_turn(state, seat)), rng)


def _give_turn(state: State[View], seat: Seat) -> State[View]:
    """Return a copy of the state in which ``seat``, which still has to choose, has the turn."""
    clone = state.copy()
    clone.give_turn(seat)
    return clone


def _apply(state: State[View], seat: Seat, action: Action) -> State[View]:
    after = _give_turn(state, seat)
    after.apply(action)
    return after


def _assert_choosers_valid(state: State[View]) -> None:
    """Assert that the seats which choose at once are valid, and that every view shows who they are."""
    if not any(state.choosing) and not any(state.chosen):
        return
    both = [seat for seat, has in enumerate(state.chosen) if has and state.choosing[seat]]
    if both or state.turn not in list_seats_to_act(state):
        raise LawFailure(
            f"the seats that choose at once do not fit: {state.choosing} still have to, {state.chosen} have chosen, "
            f"and seat {state.turn} is to act",
            seat=state.turn, field="choosing",
            advice="let `choosing` and `chosen` have no seat in common, and `turn` be a seat that still has to choose",
        )  # fmt: skip
    for view in [state.view(seat) for seat in range(len(state.totals))]:
        for shown_view in (view, view.public_view()):
            for name in ("choosing", "chosen"):
                if getattr(shown_view, name) != getattr(state, name):
                    raise LawFailure(
                        f"not everybody knows who has chosen: the field {name} of the view of seat {view.seat} is "
                        f"{getattr(shown_view, name)}, and that of the state {getattr(state, name)}",
                        seat=view.seat, field=name,
                        advice="give the view the fields `choosing` and `chosen`",
                    )  # fmt: skip


def _check_secrecy(game: AnyGame, state: State[View], choices: Mapping[Seat, Action], rng: Random) -> None:
    """Let each seat choose in two ways while all others choose alike; nobody else may notice before all have chosen.

    The seat is the first to choose, and then one of the later ones.
    """
    if len(choices) == 1:
        return
    for mover, choice in choices.items():
        for other in _list_alternatives(_give_turn(state, mover).legal(), choice, rng):
            others = rng.sample(sorted(choices.keys() - {mover}), len(choices) - 1)[:-1]
            for index in {0, rng.randint(0, len(others))}:
                worlds = _Worlds(game, state, mover, (choice, other))
                for seat in (*others[:index], mover, *others[index:]):
                    worlds.choose(seat, choices[seat])


def _list_alternatives(legal: Sequence[Action], choice: Action, rng: Random) -> list[Action]:
    """Return other legal actions: one of each kind and number of cards."""
    groups: dict[object, list[Action]] = {}
    for action in legal:
        if action != choice:
            groups.setdefault((action.kind, action.cards_used().bit_count()), []).append(action)
    return [rng.choice(group) for group in groups.values()][:_MAX_ALTERNATIVES]


def _check_samples(game: AnyGame, state: State[View], choices: Mapping[Seat, Action], rng: Random) -> None:
    """Let the seats choose in a random order; sample states of every seat, and check zones and log entries."""
    order = rng.sample(sorted(choices), len(choices))
    for mover in order:
        before = _give_turn(state, mover)
        state = _apply(state, mover, choices[mover])
        for seat in range(len(state.totals)):
            facing = _give_turn(state, seat) if any(state.choosing) and state.choosing[seat] else state
            assert_sample_matches_view(game, facing, seat, rng)
            assert_scene_valid(game, facing.view(seat))
            assert_narration_valid(game, choices[mover], before.view(seat), state.view(seat))


class _Worlds:
    """Two worlds that differ in one secret choice."""

    def __init__(self, game: AnyGame, state: State[View], mover: Seat, choices: tuple[Action, Action]) -> None:
        self._game, self._mover, self._choices = game, mover, choices
        self._states: Sequence[State[View]] = (state, state)

    def choose(self, seat: Seat, choice: Action) -> None:
        """Let a seat choose in both worlds, and compare what the other seats see and are told."""
        choices = self._choices if seat == self._mover else (choice, choice)
        before = [_give_turn(state, seat) for state in self._states]
        self._states = [_apply(*both) for both in zip(self._states, (seat, seat), choices, strict=True)]
        if len({_is_complete(state) for state in self._states}) > 1 or _is_complete(self._states[0]):
            raise LawFailure(
                f"not all have chosen, but after the choice of seat {seat} nobody has to choose any more",
                seat=seat, field="choosing", advice="go on only when all seats have chosen",
            )  # fmt: skip
        _assert_choosers_valid(self._states[0])
        self._compare_all_views()
        if seat == self._mover:
            self._check_own_view()
        for watcher in range(len(self._states[0].totals)):
            self._compare_narration(watcher, before, choices)

    def _compare_all_views(self) -> None:
        """Compare the views of all other seats, and those of spectators."""
        for watcher in range(len(self._states[0].totals)):
            if watcher != self._mover:
                self._compare_views([state.view(watcher) for state in self._states], f"seat {watcher}", watcher)
                on_turn = [_give_turn(state, watcher) if state.choosing[watcher] else state for state in self._states]
                self._compare_views([state.view(watcher) for state in on_turn], f"seat {watcher}", watcher)
            public = [state.view(watcher).public_view() for state in self._states]
            self._compare_views(public, f"a spectator at seat {watcher}", watcher)

    def _check_own_view(self) -> None:
        views = [state.view(self._mover) for state in self._states]
        if is_identical(*views):
            raise LawFailure(
                f"a seat forgets its choice: the view of seat {self._mover} is the same after "
                f"{' and '.join([repr(str(choice)) for choice in self._choices])}",
                seat=self._mover, field="view",
                advice="give the view a field `choice` with the annotation `PRIVATE`",
            )  # fmt: skip

    def _compare_narration(self, seat: Seat, before: Sequence[State[View]], choices: tuple[Action, Action]) -> None:
        """Compare what ``seat`` is told of the last choice, and what a spectator is told who has its public view."""
        if seat != self._mover:
            views = [(past.view(seat), present.view(seat)) for past, present in zip(before, self._states, strict=True)]
            notes = [self._game.narrate(event, *both) for event, both in zip(choices, views, strict=True)]
            self._compare_notes(notes, f"seat {seat}", seat)
        public = [
            (past.view(seat).public_view(), present.view(seat).public_view())
            for past, present in zip(before, self._states, strict=True)
        ]
        notes = [self._game.narrate(event, *both) for event, both in zip(choices, public, strict=True)]
        self._compare_notes(notes, f"a spectator at seat {seat}", seat)

    def _compare_views(self, views: Sequence[View], observer: str, seat: Seat) -> None:
        if is_identical(*views):
            return
        name = find_different_fields(*views)[0]
        raise LawFailure(
            f"a secret choice is seen: {observer} can tell by the field {name} of the view that {self._secret}",
            seat=seat, field=name, worlds=[describe_field(view, name) for view in views],
            advice="let this field change only when all have chosen; a private field is empty for the other seats, and "
            "in `public_view`",
        )  # fmt: skip

    def _compare_notes(self, notes: Sequence[tuple[Note, ...]], observer: str, seat: Seat) -> None:
        if notes[0] == notes[1]:
            return
        raise LawFailure(
            f"a secret choice is told: {observer} reads that {self._secret}",
            seat=seat, field="narrate", worlds=[repr(format_notes(world_notes, seat)) for world_notes in notes],
            advice="tell only who has chosen; make the entries from the views, and not from the event",
        )  # fmt: skip

    @property
    def _secret(self) -> str:
        one, other = map(str, self._choices)
        return f"seat {self._mover} chose {one!r} and not {other!r}, although not all have chosen"


def _is_complete(state: State[View]) -> bool:
    return not any(state.choosing)


def _check_orders(state: State[View], choices: Mapping[Seat, Action], rng: Random) -> None:
    """Make the same choices in several orders, and compare the positions when all but one have chosen, and all."""
    last = rng.choice(sorted(choices))
    first = [seat for seat in sorted(choices) if seat != last]
    partial_states = [_choose_in_order(state, rng.sample(first, len(first)), choices) for _ in range(_ORDERS)]
    others = [_choose_in_order(state, rng.sample(sorted(choices), len(choices)), choices) for _ in range(_ORDERS)]
    complete = [_apply(partial_states[0], last, choices[last]), *others]
    for one, other in [*pairwise(partial_states), *pairwise(complete)]:
        _assert_equal_states(one, other, "the order of choosing makes a difference")


def _choose_in_order(state: State[View], order: Sequence[Seat], choices: Mapping[Seat, Action]) -> State[View]:
    for seat in order:
        state = _apply(state, seat, choices[seat])
    return state


def _assert_equal_states(one: State[View], other: State[View], law: str) -> None:
    for seat in range(len(one.totals)):
        views = [state.view(seat) for state in (one, other)]
        if not is_identical(*views):
            name = find_different_fields(*views)[0]
            raise LawFailure(
                f"{law}: seat {seat} sees it in the field {name} of its view", seat=seat, field=name,
                worlds=[describe_field(view, name) for view in views],
                advice="compute it from the choices by seat, in `act_at_once`, and not from the order of choosing",
            )  # fmt: skip
    data = [freeze_data(state) for state in (one, other)]
    if data[0] != data[1]:
        name = find_different_data(*data)
        raise LawFailure(
            f"{law}: {name} of the state differs", seat=None, field=name,
            advice="compute it from the choices by seat, in `act_at_once`, and not from the order of choosing",
        )  # fmt: skip
