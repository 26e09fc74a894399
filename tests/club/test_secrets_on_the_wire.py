"""The law of hidden cards on the wire: what a listener cannot see changes no byte of what it is told.

Two worlds that differ only in what a seat cannot know, and in the seed, are played at a table of a
club, and each frame of both is compared: of who sits there, is told all anew, reads slowly, comes late,
comes back after a robot stood in for her, and of those who look on; the host may have been
started again in the middle of the round.
"""

from contextlib import closing
from random import Random

import msgspec
import pytest

from cardtable.club import protocol
from cardtable.club.server.client_outbox import TablePeople, TableSubscriber
from cardtable.club.server.tables import ActiveTable
from cardtable.engine.game import View
from cardtable.games import KEYS
from cardtable.session.session_runner import SessionRunner
from cardtable.testing import invariants
from tests.budgets import tried
from tests.club import recorded_frames
from tests.club.recorded_frames import compare_wires, moments
from tests.club.worlds import TABLE, World
from tests.laws.sessions import CASES_OF

PAIRS = tried("wire pairs")
"""Pairs of worlds a game, at least."""
MOST_SEEDS = 20 + PAIRS


@pytest.mark.promise("The club", "No client receives a byte that depends on cards its seat does not know.")
@pytest.mark.parametrize("key", KEYS)
def test_hidden_cards_change_no_byte_that_a_listener_gets(key):
    pairs = 0
    for seed in range(MOST_SEEDS):
        for case in Random(seed).sample(CASES_OF[key], len(CASES_OF[key])):
            pairs += compare_wires(case, seed)
            if pairs >= PAIRS:
                return
    pytest.fail(f"{pairs} pairs of worlds only")


@pytest.mark.promise("The club", "No client receives a byte that depends on cards its seat does not know.")
@pytest.mark.parametrize("key", KEYS)
def test_who_comes_late_cannot_tell_the_truth_from_what_she_imagines(key):
    """In every phase, also where no other past would have led there."""
    for case in CASES_OF[key]:
        rng = Random(f"late {case}")
        for moment in moments(case, 1, rng):
            seat, state = rng.randrange(case.seats), moment.position.state
            guess = invariants.assert_sample_matches_view(case.game, state, seat, rng)
            if case.options.to_dict().get("open_hands") != "on":
                assert at_first(case, seat, state) == at_first(case, seat, guess)


def at_first(case, seat, state):
    """What is told to who comes to the seat, and who looks on, where a table stands so."""
    with closing(World(case, [0, seat], [], [], seed=1).session) as session:
        session.referee._state = state
        assert session.referee.view(seat) == state.view(seat)
        run, frames = SessionRunner(session, remote_seats=sorted({0, seat})), []
        for who in (seat, None):
            late = TableSubscriber(run, TABLE, "Kay", who, lambda: None)
            late.refresh(TablePeople((), {}, (), (), ()))
            frames.append(protocol.encode(late.drain()))
        return frames


# What is planted is found


def caught(key):
    recorded_frames.caught(CASES_OF[key][0])


@pytest.fixture
def plant(monkeypatch):
    """Let a step of what a listener is told hold something more: ``leak`` changes it, by the listener and the step."""

    def put(leak):
        right = TableSubscriber._step
        monkeypatch.setattr(TableSubscriber, "_step", lambda self, *given: leak(self, right(self, *given)))

    return put


def another(listener, **changed):
    """The view of the seat on the left of a listener's own."""
    table = listener._run.referee
    view = table.view(((listener.seat or 0) + 1) % table.seats)
    return msgspec.structs.replace(view, **changed)


def test_a_seed_is_found(monkeypatch):
    right = ActiveTable.begin

    async def begin(self, how, **more):
        playing = await right(self, how, **more)
        self.header = playing.session.header
        return playing

    monkeypatch.setattr(ActiveTable, "begin", begin)
    caught("rikiki")


def test_the_seed_in_a_number_of_a_table_is_found(plant):
    plant(
        lambda listener, step: msgspec.structs.replace(
            step, others={0: msgspec.Raw(b"%d" % listener._run.referee.seed)}
        )
    )
    caught("rikiki")


def test_another_hand_is_found(plant):
    def leak(listener, step):
        view = protocol.decode_view("rikiki", step.view)
        return msgspec.structs.replace(
            step, view=protocol.encode_view(msgspec.structs.replace(view, hand=another(listener).hand))
        )

    plant(leak)
    caught("rikiki")


def test_what_another_seat_sees_is_found(plant):
    plant(lambda listener, step: msgspec.structs.replace(step, others={1: protocol.encode_view(another(listener))}))
    caught("rikiki")


def test_what_another_seat_may_play_is_found(plant):
    def leak(listener, step):
        table = listener._run.referee
        legal = table.view(table.turn).legal if table.turn >= 0 else ()
        view = protocol.decode_view("rikiki", step.view)
        return msgspec.structs.replace(step, view=protocol.encode_view(msgspec.structs.replace(view, legal=legal)))

    plant(leak)
    caught("rikiki")


@pytest.mark.parametrize("key", ["bridge", "rummy"])
def test_a_card_that_another_has_drawn_is_found(key, plant):
    def leak(listener, step):
        drawn = another(listener).drawn
        return step if drawn is None else msgspec.structs.replace(step, others={0: msgspec.Raw(b"%d" % drawn)})

    plant(leak)
    caught(key)


@pytest.mark.parametrize("kept", ["hand", "legal"])
def test_what_an_onlooker_sees_of_a_seat_is_found(kept, monkeypatch):
    right = View.public_view
    monkeypatch.setattr(
        View, "public_view", lambda view: msgspec.structs.replace(right(view), **{kept: getattr(view, kept)})
    )
    caught("rikiki")


def test_news_of_a_seat_that_an_onlooker_hears_are_found(monkeypatch):
    right = TableSubscriber.refresh

    def look(self, *given):
        self._run.message_log.notes = self._run.message_log.messages_by_seat[0]
        right(self, *given)

    monkeypatch.setattr(TableSubscriber, "refresh", look)
    caught("bridge")
