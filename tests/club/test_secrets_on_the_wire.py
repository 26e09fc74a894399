"""Hidden cards change no byte sent to a client.

Two sessions that differ only in their seed and in what one seat cannot know are played at a club, and the frames are
compared: of the player at that seat, of a client that is sent everything again, reads slowly, joins late or returns
after a robot stood in, and of spectators. The host may have been restarted in the middle of the round.
"""

from contextlib import closing
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.server.client_outbox import TablePeople, TableSubscriber
from cardtable.engine.game import View
from cardtable.engine.value_checks import decode_view, encode_view
from cardtable.games import GAMES, KEYS
from cardtable.session.session_runner import SessionRunner
from cardtable.store import visibility
from cardtable.testing import invariants
from tests.budgets import get_trials
from tests.club import recorded_frames
from tests.club.recorded_frames import compare_frames, sample_moments
from tests.club.worlds import TABLE, World
from tests.laws.sessions import CASES_BY_GAME

PAIRS = get_trials("wire pairs")
"""Minimum number of pairs of sessions for each game."""
MOST_SEEDS = 20 + PAIRS


@pytest.mark.parametrize("key", KEYS)
def test_hidden_cards_change_no_byte_sent(key):
    pairs = 0
    for seed in range(MOST_SEEDS):
        for case in Random(seed).sample(CASES_BY_GAME[key], len(CASES_BY_GAME[key])):
            pairs += compare_frames(case, seed)
            if pairs >= PAIRS:
                return
    pytest.fail(f"{pairs} pairs of worlds only")


@pytest.mark.parametrize("key", KEYS)
def test_sampled_state_sends_the_same_first_update(key):
    """Covers every phase, also those that no other events lead to."""
    for case in CASES_BY_GAME[key]:
        rng = Random(f"late {case}")
        for moment in sample_moments(case, 1, rng):
            seat, state = rng.randrange(case.seats), moment.position.state
            guess = invariants.assert_sample_matches_view(case.game, state, seat, rng)
            if case.options.to_dict().get("open_hands") != "on":
                assert encode_first_updates(case, seat, state) == encode_first_updates(case, seat, guess)


def encode_first_updates(case, seat, state):
    """Return the first updates for a player at the seat and for a spectator, in a given state."""
    with closing(World(case, [0, seat], [], [], seed=1).session) as session:
        session.referee._state = state
        assert session.referee.view(seat) == state.view(seat)
        run, frames = SessionRunner(session, remote_seats=sorted({0, seat})), []
        for viewer_seat in (seat, None):
            late = TableSubscriber(run, TABLE, "Kay", viewer_seat, lambda: None)
            late.refresh(TablePeople((), {}, (), (), {}, {}))
            frames.append(protocol.encode(late.drain()))
        return frames


# What is planted is found


def assert_game_leak_detected(key, first_seed=0):
    """Assert that a planted leak is detected; the session with ``first_seed`` is one that shows it."""
    recorded_frames.assert_leak_detected(CASES_BY_GAME[key][0], first_seed=first_seed)


def get_next_seat_view(listener):
    """Return the view of the seat after the subscriber's own."""
    table = listener.runner.referee
    return table.view(((listener.seat or 0) + 1) % table.seats)


def change_view(step, **changes):
    view = decode_view(GAMES["rikiki"], step.view)
    return replace(step, view=encode_view(replace(view, **changes)))


def leak_seed_as_number(listener, step):
    return replace(step, others={0: msgspec.Raw(b"%d" % listener.runner.referee.seed)})


def leak_hand(listener, step):
    return change_view(step, hand=get_next_seat_view(listener).hand)


def leak_view(listener, step):
    return replace(step, others={1: encode_view(get_next_seat_view(listener))})


def leak_legal_actions(listener, step):
    table = listener.runner.referee
    return change_view(step, legal=table.view(table.turn).legal if table.turn >= 0 else ())


def leak_drawn_card(listener, step):
    drawn = get_next_seat_view(listener).drawn
    return step if drawn is None else replace(step, others={0: msgspec.Raw(b"%d" % drawn)})


@pytest.mark.parametrize(
    ("leak", "key", "first_seed"),
    [
        (leak_seed_as_number, "rikiki", 0),
        (leak_hand, "rikiki", 3),
        (leak_view, "rikiki", 3),
        (leak_legal_actions, "rikiki", 4),
        (leak_drawn_card, "bridge", 19),
        (leak_drawn_card, "rummy", 0),
    ],
)
def test_detects_leak_of_another_seat_in_a_step(leak, key, first_seed, monkeypatch):
    original = TableSubscriber._create_step
    monkeypatch.setattr(
        TableSubscriber, "_create_step", lambda self, *arguments: leak(self, original(self, *arguments))
    )
    assert_game_leak_detected(key, first_seed)


def test_detects_leaked_seed(monkeypatch):
    monkeypatch.setattr(visibility, "redact_header", lambda header, *_profiles: header)
    assert_game_leak_detected("rikiki")


@pytest.mark.parametrize("field", ["hand", "legal"])
def test_detects_private_field_in_public_view(field, monkeypatch):
    original = View.public_view
    monkeypatch.setattr(View, "public_view", lambda view: replace(original(view), **{field: getattr(view, field)}))
    assert_game_leak_detected("rikiki", first_seed=13)


def test_detects_seat_log_entries_sent_to_spectator(monkeypatch):
    original = TableSubscriber.refresh

    def refresh(self, *arguments):
        self.runner.message_log.notes = self.runner.message_log.messages_by_seat[0]
        original(self, *arguments)

    monkeypatch.setattr(TableSubscriber, "refresh", refresh)
    assert_game_leak_detected("bridge", first_seed=19)
