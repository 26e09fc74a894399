"""Replay of a journal: from its header, line by line, and the output of `trace`."""

import json

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.journal import ActionLine, NameLine, Occupant
from tests.engine.toy import GAMES, deal_first_round, make_header


def make_journal(*lines, first=1, **changes):
    """Return the journal of these lines."""
    return journal.read(journal.encode(make_header(**changes), lines), first)


def play_varied_session():
    """Play a session of a few decisions that contains every kind of event."""
    table = deal_first_round()
    table.keep(2)
    table.say("hm", 0)
    table.undo(1)
    table.mix()
    table.void("clock")
    table.advance()
    table.keep(4)
    table.record_line(NameLine("Friday"))
    table.advance()
    table.keep(4)
    return table


def test_illegal_line_is_named_and_prefix_offered():
    lines = play_varied_session().lines
    lines[5] = ActionLine(9, "keep")
    with pytest.raises(JournalError, match="seat 9 is not to act") as caught:
        replay.load(make_journal(*lines, first=101), GAMES)
    assert caught.value.line == 107
    assert [entry.line for entry in caught.value.good.entries] == lines[:5]
    assert replay.load(caught.value.good, GAMES).decisions == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "whist"}, "the game 'whist' is not installed$"),
        ({"game": "x\x1b[2J" * 100}, "the game 'x.* is not installed$"),
        ({"seats": ()}, "Mixing is not for 0 seats"),
        ({"seats": (Occupant("Anna"),) * 3}, "Mixing is not for 3 seats"),
        ({"options": {"stake": "low"}}, "no option is called 'stake'; did you mean stakes?"),
        ({"options": {"stakes": "huge"}}, "option stakes cannot be 'huge'; it can be low, high or 5"),
        ({"options": {"stakes": "5"}}, "option stakes is a number, not the text '5'"),
        ({"options": {"round_clock": "10"}}, "option round_clock is a number, not the text '10'"),
        ({"options": {"round_clock": 0}}, "option round_clock cannot be 0; it can be off or a whole number of minutes"),
        ({"options": {"round_clock": "ten" * 999}}, "option round_clock cannot be"),
    ],
)
def test_unplayable_header_is_refused(changes, message):
    with pytest.raises(JournalError, match=message) as caught:
        replay.load(make_journal(first=101, **changes), GAMES)
    assert caught.value.line == 101
    assert len(str(caught.value)) <= 200
    assert str(caught.value).isprintable()


def test_unnamed_options_have_their_defaults():
    table = replay.create_referee(make_header(options={"stakes": 5}), GAMES)
    assert table.options.to_dict() == {"stakes": 5, "round_clock": "off"}


# Trace


def trace_lines(*lines, **changes):
    return [
        json.loads(json.dumps(replay.trace_position(*step)))
        for step in replay.iter_positions(make_journal(*lines, **changes), GAMES)
    ]


def test_trace_has_one_row_per_journal_line():
    table = play_varied_session()
    positions = trace_lines(*table.lines, first=11)
    assert [one["line"] for one in positions] == list(range(11, 12 + len(table.lines)))
    assert positions[0] == {"line": 11, "turn": None, "legal": [], "round": 0, "totals": [0, 0]}
