"""Two sessions that one seat cannot tell apart are played at a club, and every frame sent to it is compared."""

import asyncio
from collections import Counter
from contextlib import contextmanager
from random import Random
from typing import NamedTuple

import pytest

from cardtable.club.server import lobby, session_people
from cardtable.engine.game import CHANCE, OVER
from cardtable.testing.cases import Position, describe_phase, iter_random_positions
from tests.club.worlds import TABLE, World
from tests.exchanged_cards import apply_events, swap_hidden_in_events
from tests.laws.sessions import is_waiting


@contextmanager
def synchronous_execution():
    """Replace threads and delays by immediate calls, so that frames come in a reproducible order."""

    async def call_directly(change, *arguments):
        return change(*arguments)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(asyncio, "to_thread", call_directly)
        patched.setattr(lobby, "NEWS_DELAY", 1e-6)
        patched.setattr(session_people, "SPECTATOR_NEWS_DELAY", 1e6)
        yield


class Moment(NamedTuple):
    """A position in a session, and the events before its round."""

    position: Position
    before: list


def sample_moments(case, seed, rng):
    """Return one random position of each phase of a session, among those that wait for a player."""
    before, round_, met, chosen = [], [], Counter(), {}
    for position in iter_random_positions(case, seed):
        if position.events is not round_:
            before, round_ = before + round_, position.events
        state = position.state
        phase = describe_phase(state)
        met[phase] += 1
        if is_waiting(case.game, state) and rng.random() < 1 / met[phase]:
            snapshot = Position(state.copy(), position.state_before_deal.copy(), [*position.events])
            chosen[phase] = Moment(snapshot, before)
    return chosen.values()


def change_unseen_decision(_game, position, seat, rng):
    """Return the events with one decision changed that the seat has not seen, or None if there is none."""
    state, candidates = position.state_before_deal.copy(), []
    for number, (mover, event) in enumerate(position.events):
        if mover not in (CHANCE, seat):
            decided = rng.choice(state.legal())
            one, other = state.copy(), state.copy()
            one.apply(event)
            other.apply(decided)
            if event != decided and one.view(seat) == other.view(seat):
                candidates.append((number, (mover, decided)))
        state.apply(event)
    if not candidates:
        return None
    number, decided = rng.choice(candidates)
    return [*position.events[:number], decided, *position.events[number + 1 :]]


def create_twin(case, moment, seat, rng, change_events):
    """Return events that differ only in what the seat never sees, or None if ``change_events`` finds none.

    Worlds are left out in which a player has a choice in one of them only: without one the action is taken silently, at
    once, which everybody sees.
    """
    position = moment.position
    happened = change_events(case.game, position, seat, rng)
    looks_from = range(case.seats) if case.options.to_dict().get("open_hands") == "on" else [seat]
    if not happened or not apply_events(position.state_before_deal.copy(), happened, position.state.turn):
        return None
    one, other = position.state_before_deal.copy(), position.state_before_deal.copy()
    for (_, event), (_, twin_event) in zip(position.events, happened, strict=True):
        one.apply(event)
        other.apply(twin_event)
        if any(one.view(each) != other.view(each) for each in looks_from):
            return None
        if is_waiting(case.game, one) != is_waiting(case.game, other):
            return None
    return happened


def list_restart_points(game, position):
    """Return the numbers of events of the round after which the host may have been restarted."""
    state, numbers = position.state_before_deal.copy(), [0]
    for number, (_, event) in enumerate(position.events, 1):
        state.apply(event)
        if state.playing and is_waiting(game, state):
            numbers.append(number)
    return numbers


async def record_frames(case, people, seat, moment, events, restart_at, *, seed):
    """Play one table and return the frames sent to the seat and to spectators, by the role of the client.

    The host was started after event ``restart_at``.
    """
    before, events = [*moment.before, *events[:restart_at]], events[restart_at:]
    first, away, back = [round(len(events) * share) for share in (0.4, 0.6, 0.8)]
    world = World(case, people, before, events, seed=seed)
    async with world.open():
        ears = {"watches": await world.join(None), "watches and is slow": await world.join(None, slow=True)}
        for each in people:
            ears[f"sits at {each}"] = await world.join(each)
        ears["is slow"] = await world.join(seat, slow=True)
        await world.run_events(events[:first])
        for viewer in ("watches", f"sits at {seat}"):
            ears[viewer].client.subscriptions[TABLE].invalidate()
        ears["comes late"] = await world.join(seat)
        ears["watches from then"] = await world.join(None)
        await world.run_events(events[first:away])
        ears["is slow"].read_frames()
        await world.leave(seat)
        if world.table.turn != OVER:
            await world.stand_in(seat)
        await world.run_events(events[away:back])
        ears["comes back"] = await world.join(seat)
        await world.run_events(events[back:])
        ears["comes at the end"] = await world.join(seat)
        ears["watches at the end"] = await world.join(None)
        assert (world.table.turn, world.table.decisions) == (moment.position.state.turn, count_decisions(moment))
        frames = {viewer: ear.read_frames() for viewer, ear in ears.items()}
    assert not [frame for each in frames.values() for frame in each if b'"request_failed"' in frame]
    return {
        viewer: each
        for viewer, each in frames.items()
        if not viewer.startswith("sits at") or viewer == f"sits at {seat}"
    }


def count_decisions(moment):
    return sum(turn != CHANCE for turn, _ in [*moment.before, *moment.position.events])


def compare_frames(case, seed, change_events=swap_hidden_in_events):
    """Compare the frames of indistinguishable tables in every phase of a session; return the number of pairs.

    ``change_events`` makes other events that the seat cannot tell from the real ones.
    """
    rng, pairs = Random(f"wire {case} {seed}"), 0
    for moment in sample_moments(case, seed, rng):
        seat = rng.randrange(case.seats)
        if happened := create_twin(case, moment, seat, rng, change_events):
            other = rng.choice([each for each in range(case.seats) if each != seat])
            people = {each for each in range(case.seats) if each in (seat, other) or rng.random() < 0.5}
            stopped = rng.choice([0, rng.choice(list_restart_points(case.game, moment.position))])
            compare_twins(case, sorted(people), seat, moment, happened, stopped)
            pairs += 1
    return pairs


def compare_twins(case, people, seat, moment, twin_events, restart_at):
    with synchronous_execution():
        one, other = [
            asyncio.run(record_frames(case, people, seat, moment, each, restart_at, seed=number))
            for number, each in enumerate((moment.position.events, twin_events))
        ]
    for viewer, frames in one.items():
        assert frames == other[viewer], f"a client that {viewer} receives hidden information"


def assert_leak_detected(case, change_events=swap_hidden_in_events, first_seed=0):
    """Assert that frames differ in at least one of 40 sessions, the first of which has ``first_seed``."""
    with pytest.raises(AssertionError, match="receives hidden information"):
        [compare_frames(case, seed, change_events) for seed in range(first_seed, first_seed + 40)]
