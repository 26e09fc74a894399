"""Claim at the table: a key plays out the rest of a round whose points are decided."""

import pytest

from cardtable.engine.claims import ClaimVerdict
from cardtable.engine.log_entries import SystemLogEntry
from cardtable.engine.tricks import Play
from cardtable.session.session_events import Stage
from cardtable.ui.keys.table_keys import TABLE
from tests.ui.driver import sit_at
from tests.ui.table_host import create_session

[REST] = [key for key in TABLE.keys if key.name == "rest"]


def is_decided(referee):
    return referee.check_claim(referee.turn)() is ClaimVerdict.DECIDED


async def play_until_choice(table, condition):
    """Play until there is a choice of cards in a position of the referee that satisfies a condition."""
    await table.play_until(
        lambda frame: (
            frame.waiting
            and sum(isinstance(action, Play) for action in frame.view.legal) > 1
            and condition(table.referee)
        )
    )


def read_action_lines(table):
    return [line for line in table.screen.session.path.read_text(encoding="utf-8").splitlines() if '"action"' in line]


@pytest.mark.parametrize(("key", "seed"), [("rikiki", 8), ("king", 6), ("rifki", 5), ("gurka", 4)])
async def test_claim_plays_out_round_and_can_be_undone(key, seed):
    async with sit_at(create_session(key, seed)) as table:
        await play_until_choice(table, is_decided)
        before, line_count = table.view, len(read_action_lines(table))
        await table.press("c")
        await table.wait_until(lambda: table.frame.stage is not Stage.PLAY)
        assert len(table.referee.scores) == before.round
        played = read_action_lines(table)[line_count:]
        assert played
        assert all('"action":"play ' in line for line in played)
        assert any(isinstance(note, SystemLogEntry) and note.what == "plays out" for note in table.frame.messages)
        if not table.referee.ended:
            await table.wait_for_input()
            await table.press("u enter")
            await table.wait_until(lambda: table.frame.waiting)
            assert table.view == before


async def test_undecided_claim_is_refused():
    async with sit_at(create_session("rikiki", 5)) as table:
        await play_until_choice(table, lambda referee: referee.round == 5 and not is_decided(referee))
        before = table.view
        await table.press("c")
        await table.sees("Can't claim yet")
        assert table.view is before
        assert table.frame.waiting


async def test_play_cancels_pending_claim():
    async with sit_at(create_session("rikiki", 8)) as table:
        await play_until_choice(table, is_decided)
        line_count = len(read_action_lines(table))
        table.screen.action_rest()
        table.screen.table_keys.action_commit()
        await table.wait_for_input()
        await table.wait_until(lambda: all(work.is_finished for work in table.app.workers if work.group == "rest"))
        assert len(read_action_lines(table)) <= line_count + 4
        assert not any(isinstance(note, SystemLogEntry) for note in table.frame.messages)


@pytest.mark.parametrize(
    ("key", "how"),
    [("rikiki", {}), ("bridge", {"seats": 2}), ("rummy", {"seats": 2}), ("gurka", {"people": 2})],
    ids=["bidding", "no tricks in Bridge", "no tricks in Rummy", "another person"],
)
async def test_no_claim(key, how):
    async with sit_at(create_session(key, 5, **how), until=lambda frame: frame.waiting) as table:
        assert not table.screen.is_enabled(REST)
