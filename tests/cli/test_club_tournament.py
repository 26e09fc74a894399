"""Duplicate tournaments, as commands."""

import json

import pytest

from tests.store.tournament_tables import finish, tables

__all__ = ["tables"]


@pytest.mark.parametrize(
    "command",
    [
        "show",
        "replay --plain",
        "replay --svg -",
        "trace",
        "trace --open",
        "verify",
        "export",
        "export --as svg",
        "review --seat 1",
        "reveal --yes",
    ],
)
def test_commands_refuse_a_table_before_all_have_finished(cardtable, tables, command):
    for table in tables.rounds[0].tables:
        first, *others = command.split()
        result = cardtable(first, table.session, *others)
        assert result.code == 1
        assert "until all tables have finished" in result.err, result
        assert not result.out


def test_lists_leave_out_tables_before_all_have_finished(cardtable, tables):
    assert cardtable("list").out == ""
    assert "Anna" not in cardtable("statistics").out
    finish(tables)
    assert len(json.loads(cardtable("list", "--json").out)) == 2
