"""Reading a journal again: beginning from a header, following the lines, what ``trace`` tells."""

import json

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.journal import JournalError, Line, Occupant
from tests.engine.toy import GAMES, after_the_session, dealt, header, told


def read(*lines, first=1, **changes):
    """The journal of these lines."""
    return journal.read(journal.encode([header(**changes), *lines]), first)


def played():
    """A session of a few decisions with everything that can happen in one."""
    table = dealt()
    table.keep(2)
    table.say("hm", 0)
    table.undo(1)
    table.mix()
    table.void("clock")
    table.advance()
    table.keep(4)
    table.rename("Friday")
    table.advance()
    table.keep(4)
    return table


def test_following_a_journal_gives_the_table_it_came_from():
    table = played()
    again = replay.load(read(*table.lines), GAMES)
    assert told(again) == told(table)
    assert (again.ended, again.totals, again.undone) == (True, (8, 8), 1)


def test_after_every_line_it_is_the_table_of_the_lines_so_far():
    lines = played().lines
    for so_far, (number, table) in enumerate(replay.iter_positions(read(*lines), GAMES)):
        assert number == so_far + 1
        assert told(table) == told(replay.load(read(*lines[:so_far]), GAMES))


def test_a_line_that_the_engine_does_not_allow_is_named_and_what_comes_before_offered():
    lines = played().lines
    lines[5] = Line(seat=9, action="keep")
    with pytest.raises(JournalError, match="seat 9 is not to act") as caught:
        replay.load(read(*lines, first=101), GAMES)
    assert caught.value.line == 107
    assert [entry.line for entry in caught.value.good.entries] == lines[:5]
    assert replay.load(caught.value.good, GAMES).decisions == 2


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"game": "whist"}, "no game is called 'whist'; the games are toy"),
        ({"game": "x\x1b[2J" * 100}, "no game is called"),
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
def test_a_header_that_no_game_knows_is_refused_in_its_line(changes, why):
    with pytest.raises(JournalError, match=why) as caught:
        replay.load(read(first=101, **changes), GAMES)
    assert caught.value.line == 101
    assert len(str(caught.value)) <= 200
    assert str(caught.value).isprintable()


def test_options_of_the_header_hold_with_those_it_does_not_name_at_their_defaults():
    table = replay.create_referee(header(options={"stakes": 5}), GAMES)
    assert table.options.to_dict() == {"stakes": 5, "round_clock": "off"}


# Trace


def trace(*lines, **changes):
    return [
        json.loads(json.dumps(replay.trace_position(*step)))
        for step in replay.iter_positions(read(*lines, **changes), GAMES)
    ]


def test_trace_has_one_line_after_each_line_the_header_included():
    table = played()
    told = trace(*table.lines, first=11)
    assert [one["line"] for one in told] == list(range(11, 12 + len(table.lines)))
    assert told[0] == {"line": 11, "turn": None, "legal": [], "round": 0, "totals": [0, 0]}


def test_trace_tells_whose_turn_it_is_and_what_is_legal_sorted():
    first = Line(chance="first 1")
    deal, trump = Line(chance="deal AC AD AH AS"), Line(chance="trump S")
    told = trace(first, deal, trump, Line(seat=1, action="mix"), Line(chance="shuffle AS AH"))
    assert [one["turn"] for one in told] == [None, None, None, 1, None, 0]
    assert [one["legal"] for one in told] == [[], [], [], ["keep", "mix"], [], ["keep", "mix"]]
    assert [one["round"] for one in told] == [0, 0, 1, 1, 1, 1]


def test_a_header_alone_is_traced_by_its_number_in_the_file():
    assert [one["line"] for one in trace(first=101)] == [101]


def test_totals_of_a_trace_hold_finished_rounds_only_and_the_round_stays_until_the_next_deal():
    table = dealt()
    table.keep(4)
    table.advance()
    table.keep()
    table.void("clock")
    told = trace(*table.lines)
    assert [one["round"] for one in told] == [0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]
    assert [one["totals"] for one in told] == [[0, 0]] * 7 + [[2, 2]] * 5


def test_totals_of_a_trace_are_the_running_ones_to_the_end():
    table = after_the_session()
    assert table.totals == (8, 8)
    assert trace(*table.lines)[-1]["totals"] == [4, 4]
