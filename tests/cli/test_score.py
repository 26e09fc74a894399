"""Score tables on the command line: listed, shown, verified, exported; refused by commands for journals."""

import json

import pytest

from cardtable.scoring import score_table
from cardtable.store import score_tables
from tests.scoring.tables import NAMES, play_session_with_entries


@pytest.fixture
def closed_score_table():
    """Write a closed score table of Rifki; return its path and its sheet."""
    engine, first, rounds = play_session_with_entries("rifki", 1)
    opened = score_tables.create(engine.game, NAMES[:4], engine.options, first)
    for entered in rounds:
        opened.enter_round(entered)
    opened.end()
    opened.close()
    return opened.path, engine


def test_list_show_and_verify(closed_score_table, cardtable):
    path, engine = closed_score_table
    totals = ",".join(map(str, engine.totals))
    assert cardtable("list").out == f"{path.stem} rifki over 20 {totals} Anna,Tom,Ida,Lea real-cards\n"
    assert json.loads(cardtable("list", "--json").out)[0]["real_cards"] is True
    assert cardtable("verify", path.stem).out == f"ok {path.stem} rifki rounds=20 totals={totals} real-cards\n"
    sheet = json.loads(cardtable("show", path.stem, "--json").out)
    assert (sheet["totals"], sheet["places"]) == (list(engine.totals), list(engine.ranks))
    assert len(cardtable("show", path.stem, "--csv").out.splitlines()) == 21
    assert "over: 1. " in cardtable("show", path.stem).out


def test_empty_name_is_refused(cardtable):
    assert "''" in cardtable("score", "", "--plain").read_error(1)


def test_damage_is_reported_with_its_line(closed_score_table, cardtable):
    path, _ = closed_score_table
    path.write_bytes(path.read_bytes().replace(b'"contract"', b'"contrakt"', 1))
    result = cardtable("verify", str(path))
    assert result.code == 1
    assert result.out.startswith("bad ")
    assert ":2: the checksum is wrong" in result.out
    assert ":2: the checksum is wrong" in cardtable("show", path).read_error(1)


def test_export_in_every_format(closed_score_table, cardtable):
    path, engine = closed_score_table
    assert cardtable("export", path.stem, "--format", "journal").out == path.read_text()
    assert cardtable("export", path.stem, "--format", "csv").out == cardtable("show", path.stem, "--csv").out
    lines = cardtable("export", path.stem).read_output().splitlines()
    assert lines[0].startswith("# Rifki, 20")
    first = NAMES[engine.ranks.index(1)]
    assert lines[2].startswith(f"- 1st: **{first}** ")
    assert f"With real cards, score table `{path.stem}`." in lines
    rounds = lines[lines.index("## Score sheet") + 4 :]
    assert [row.split(" | ")[0] for row in rounds] == [f"| {number}" for number in range(1, 21)]


def test_export_of_open_table_escapes_names(cardtable):
    engine, first, rounds = play_session_with_entries("gurka", 1)
    opened = score_tables.create(engine.game, ["<b>A\x1b[2J", "B|B", *NAMES[2:4]], engine.options, first)
    opened.enter_round(rounds[0])
    opened.close()
    out = cardtable("export", opened.path.stem).read_output()
    assert "The session is not over." in out
    assert "\x1b" not in out
    assert "**\\<b\\>A" in out
    assert "B\\|B" in out


@pytest.mark.parametrize("command", ["resume", "replay", "review", "trace"])
def test_commands_for_journals_refuse_score_tables(closed_score_table, cardtable, command, monkeypatch):
    monkeypatch.setattr("cardtable.cli.launch.require_terminal", lambda: None)
    assert "real cards" in cardtable(command, closed_score_table[0]).read_error(1)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (("score",), 1, "needs a terminal"),
        (("score", "20261120-no-such"), 1, "no session begins with '20261120-no-such'"),
        (("score", "whist"), 2, "no game is called 'whist'; the games are"),
        (("score", "whist", "--plain"), 2, "no game is called 'whist'; the games are"),
    ],
)
def test_score_with_wrong_arguments(cardtable, arguments, exit_code, message):
    assert message in cardtable(*arguments).read_error(exit_code)


def test_game_without_score_sheet(cardtable, monkeypatch):
    reason = "Rummy cannot be scored with real cards: the game has failed"
    monkeypatch.setattr(score_table, "explain_missing_score_table", lambda _game: reason)
    assert cardtable("score", "rummy").read_error(2) == reason
