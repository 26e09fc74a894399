"""Sessions lost by the clock, in every command."""

import json
from random import Random

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import ForfeitLine, Header, Occupant
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from tests.cli.playing import trace_lines

GAME = GAMES["rummy"]


@pytest.fixture
def lost_session(tmp_path):
    """Write a session of Rummy that its leader loses in the second round, and return its referee."""
    options = GAME.options(limit=500, clock=5)
    seats = (Occupant("Ada", "steady"), Occupant("Bo", "steady"))
    lines = [
        Header(
            cardtable=3, id="20261120-083728-rummy-7f3a", game="rummy", created="2026-11-20T08:37:28Z", seed=7,
            options=options.to_dict(), seats=seats,
        )
    ]  # fmt: skip
    table, rng = Referee(GAME, 2, options, 7, lines.append), Random(1)
    while not table.scores or table.turn < 0 or table.totals[table.turn] < max(table.totals):
        table.advance()
        table.play(table.turn, rng.choice(table.view(table.turn).legal))
    table.forfeit(table.turn, "clock")
    (tmp_path / "lost").write_bytes(journal.encode(lines[0], lines[1:]))
    return table


def test_verify_counts_finished_rounds(cardtable, lost_session):
    result = cardtable("verify", "lost")
    totals = ",".join(map(str, lost_session.totals))
    assert result.out == f"ok 20261120-083728-rummy-7f3a rummy rounds={len(lost_session.scores)} totals={totals}\n"
    assert result.code == 0


def test_show_ranks_the_loser_last(cardtable, lost_session):
    session = json.loads(cardtable("show", "lost", "--json").out)
    assert session["totals"] == list(lost_session.totals)
    assert len(session["rounds"]) == len(lost_session.scores)
    loser = session["totals"].index(max(session["totals"]))
    assert session["places"] == [1 + (seat == loser) for seat in range(2)]
    assert f"2. {'Ada' if loser == 0 else 'Bo'}" in cardtable("show", "lost").out


def test_trace_has_no_turn_afterwards(cardtable, lost_session):
    steps = trace_lines(cardtable, "lost")
    for line, entry in steps[-2:]:
        assert ("forfeit" in line) or ("end" in line)
        assert (entry["turn"], entry["legal"], entry["round"]) == (None, [], lost_session.round)
        assert entry["totals"] == list(lost_session.raw_totals)


def test_forfeit_by_another_seat_is_damage(cardtable, lost_session, tmp_path):
    lines = journal.read((tmp_path / "lost").read_bytes())
    earlier_lines = [entry.line for entry in lines.entries[:-2]]
    other = ForfeitLine(1 - lines.entries[-2].line.seat, "clock")
    (tmp_path / "wrong").write_bytes(journal.encode(lines.header, [*earlier_lines, other]))
    result = cardtable("verify", "wrong")
    assert result.code == 1
    assert "is not to act" in result.out
