"""Score tables on the command line: listed, shown, verified, exported; refused by commands for journals."""

import json

import pytest

from cardtable.cli.main import run
from cardtable.scoring import score_table
from cardtable.store import score_tables
from tests.cli.playing import parse_error
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


def run_command(capsys, *arguments):
    code = run(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_list_show_and_verify(closed_score_table, capsys):
    path, engine = closed_score_table
    totals = ",".join(map(str, engine.totals))
    assert run_command(capsys, "list")[1] == f"{path.stem} rifki over 20 {totals} Anna,Tom,Ida,Lea real-cards\n"
    assert json.loads(run_command(capsys, "list", "--json")[1])[0]["real_cards"] is True
    assert run_command(capsys, "verify", path.stem)[1] == f"ok {path.stem} rifki rounds=20 totals={totals} real-cards\n"
    sheet = json.loads(run_command(capsys, "show", path.stem, "--json")[1])
    assert (sheet["totals"], sheet["places"]) == (list(engine.totals), list(engine.ranks))
    assert len(run_command(capsys, "show", path.stem, "--csv")[1].splitlines()) == 21
    assert "over: 1. " in run_command(capsys, "show", path.stem)[1]


def test_empty_name_is_refused(capsys):
    code, out, err = run_command(capsys, "score", "", "--plain")
    assert (code, out) == (1, "")
    assert "''" in parse_error(err)


def test_damage_is_reported_with_its_line(closed_score_table, capsys):
    path, _ = closed_score_table
    path.write_bytes(path.read_bytes().replace(b'"contract"', b'"contrakt"', 1))
    code, out, _ = run_command(capsys, "verify", str(path))
    assert code == 1
    assert out.startswith("bad ")
    assert ":2: the checksum is wrong" in out
    code, out, err = run_command(capsys, "show", str(path))
    assert (code, out) == (1, "")
    assert ":2: the checksum is wrong" in err


def test_export_in_every_format(closed_score_table, capsys):
    path, engine = closed_score_table
    assert run_command(capsys, "export", path.stem, "--format", "journal")[1] == path.read_text()
    assert (
        run_command(capsys, "export", path.stem, "--format", "csv")[1]
        == run_command(capsys, "show", path.stem, "--csv")[1]
    )
    code, text, _ = run_command(capsys, "export", path.stem)
    lines = text.splitlines()
    assert code == 0
    assert lines[0].startswith("# Rifki, 20")
    first = NAMES[engine.ranks.index(1)]
    assert lines[2].startswith(f"- 1st: **{first}** ")
    assert f"With real cards, score table `{path.stem}`." in lines
    rounds = lines[lines.index("## Score sheet") + 4 :]
    assert [row.split(" | ")[0] for row in rounds] == [f"| {number}" for number in range(1, 21)]


def test_export_of_open_table_escapes_names(capsys):
    engine, first, rounds = play_session_with_entries("gurka", 1)
    opened = score_tables.create(engine.game, ["<b>A\x1b[2J", "B|B", *NAMES[2:4]], engine.options, first)
    opened.enter_round(rounds[0])
    opened.close()
    code, text, _ = run_command(capsys, "export", opened.path.stem)
    assert code == 0
    assert "The session is not over." in text
    assert "\x1b" not in text
    assert "**\\<b\\>A" in text
    assert "B\\|B" in text


@pytest.mark.parametrize("command", ["resume", "replay", "review", "trace"])
def test_commands_for_journals_refuse_score_tables(closed_score_table, capsys, command, monkeypatch):
    monkeypatch.setattr("cardtable.cli.launch.require_terminal", lambda: None)
    code, out, err = run_command(capsys, command, str(closed_score_table[0]))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "real cards" in err


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (("score",), 1, "needs a terminal"),
        (("score", "20261120-no-such"), 1, "no session begins with '20261120-no-such'"),
        (("score", "whist"), 2, "no game is called 'whist'; the games are"),
        (("score", "whist", "--plain"), 2, "no game is called 'whist'; the games are"),
    ],
)
def test_score_with_wrong_arguments(capsys, arguments, exit_code, message):
    code, out, err = run_command(capsys, *arguments)
    assert (code, out, err.count("\n")) == (exit_code, "", 1)
    assert message in err


def test_game_without_score_sheet(capsys, monkeypatch):
    reason = "Rummy cannot be scored with real cards: the game has failed"
    monkeypatch.setattr(score_table, "explain_missing_score_table", lambda _game: reason)
    code, out, err = run_command(capsys, "score", "rummy")
    assert (code, out, err) == (2, "", f"cardtable: {reason}\n")
