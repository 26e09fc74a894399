"""Messages with any numbers to tables in every state."""

from random import Random

import pytest

from cardtable.club import protocol
from cardtable.club.server import session_people
from tests.club.table_fuzz import NUMBERS, STATES, Fuzz, make_frame


async def test_any_numbers_in_every_state():
    fuzz = Fuzz("any numbers")
    await fuzz.run(lambda: fuzz.counts.total() > 500)
    assert {*fuzz.counts} == {state.__name__ for state in STATES}


async def test_fuzz_finds_a_seat_that_is_not_checked(monkeypatch):
    monkeypatch.setattr(session_people, "check_seat", lambda *_: None)
    with pytest.raises(AssertionError, match=r"IndexError in session_people\.py"):
        await Fuzz("unchecked").run(lambda: False)


def test_frames_have_all_numbers():
    rng = Random("frames")
    frames = {make_frame(rng, {}, {}) for _ in range(10_000)}
    assert frames >= {protocol.encode(protocol.VoteSubstitute("t", number)).encode() for number in NUMBERS}
