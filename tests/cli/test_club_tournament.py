"""Duplicate tournaments, as commands."""

import csv
import io
import json

import pytest
from msgspec.structs import replace

from cardtable.store import tournaments
from tests.store.tournament_tables import finish, tables
from tests.toy.game_plugins import break_plugin

__all__ = ["tables"]


@pytest.mark.parametrize(
    "command",
    [
        *("show", "replay --plain", "replay --svg -", "trace", "trace --show-hands", "verify", "export"),
        *("export --format svg", "review --seat 1", "reveal --yes"),
    ],
)
def test_commands_refuse_a_table_before_all_have_finished(cardtable, tables, command):
    for table in tables.rounds[0].tables:
        first, *others = command.split()
        assert "until all tables have finished" in cardtable(first, table.session, *others).read_error(1)


def test_lists_leave_out_tables_before_all_have_finished(cardtable, tables):
    assert cardtable("list", may_fail=True).out == ""
    assert "Anna" not in cardtable("statistics", may_fail=True).out
    finish(tables)
    assert len(json.loads(cardtable("list", "--json").out)) == 2


def test_export_as_csv_for_spreadsheets(cardtable, tables, tmp_path):
    tournaments.save(replace(tables, name="=Cup, 1"))
    finish(replace(tables, name="=Cup, 1"))
    assert cardtable("club", "tournament", "export", "=Cup, 1", "cup.csv").out == "=Cup, 1 is written to cup.csv.\n"
    data = (tmp_path / "cup.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    header, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    assert len(set(header)) == len(header), "no column has the name of another one"
    assert {len(row) for row in rows} == {len(header)}
    assert [row[0] for row in rows] == ["'=Cup, 1"] * 8 + ["'=Cup, 1, round 1"] * 8
    by_nick = {row[header.index("player")]: row for row in rows[8:]}
    assert [by_nick["Anna"][header.index(name)] for name in ("table_number", "seat")] == ["1", "1"]


@pytest.mark.parametrize(("is_installed", "state"), [(False, "is not installed"), (True, "cannot be loaded")])
def test_tournament_of_a_missing_game(cardtable, tables, monkeypatch, is_installed, state):
    finish(tables)
    if is_installed:
        break_plugin(monkeypatch, "hearts")
    tournaments.save(replace(tournaments.find(tables.name), game="hearts"))
    cup = tournaments.find(tables.name)
    listed = cardtable("club", "tournament", "list")
    assert listed.out == f"{cup.name}: Tournament of hearts (the game {state}), 8 people, 1 round, ended\n"
    shown = cardtable("club", "tournament", "show", cup.name).read_output()
    assert f"There are no places, since the game {state}." in shown
    [row] = json.loads(cardtable("club", "tournament", "list", "--json").out)
    assert {each["place"] for each in row["standings"]} == {None}
    assert cardtable("club", "tournament", "export", cup.name).code == 0


def test_doctor_reports_damaged_tournaments(cardtable, tables, home):
    finish(tables)
    (home / "tournaments.json").write_text('{"tournaments":1,"entries":[{}]}')
    assert "tournaments.json: " in cardtable("doctor").read_error(1, prints=True)


def test_export_needs_a_format(cardtable, tables):
    error = cardtable("club", "tournament", "export", tables.name, "cup.txt").read_error(2)
    assert "must end with .md or .csv" in error
    assert cardtable("club", "tournament", "export", tables.name).out.startswith(f"## {tables.name}\n")


@pytest.mark.parametrize("option", ["--reserve=-5", "--reserve=7201", "--pause=-1", "--decision=4", "--check-in=soon"])
def test_refusal_of_a_number_names_its_option(cardtable, option):
    line = ("club", "tournament", "new", "Cup", "--game", "rikiki", "--rounds", "2", "--players", "Anna", option)
    assert cardtable(*line).read_error(2).startswith(option.partition("=")[0])
