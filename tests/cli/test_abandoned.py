"""Abandoned sessions: shown as finished in the archive, in progress elsewhere."""

import json

import pytest

from cardtable.store import paths
from tests.cli.playing import PEOPLE, parse_error, write_session

ID = "20261120-083728-rikiki-7f3a"


@pytest.fixture
def abandoned_path(home):
    """Write an abandoned session: two rounds and three decisions of the third."""
    return write_session(paths.archive_folder() / f"{ID}.jsonl", PEOPLE, rounds=2, decisions=3)


@pytest.fixture
def copy_path(tmp_path):
    """Write the same session outside the home, where it counts as in progress."""
    return write_session(tmp_path / "copy.jsonl", PEOPLE, rounds=2, decisions=3)


def test_trace_has_all_lines(cardtable, abandoned_path, copy_path):
    result = cardtable("trace", ID)
    assert (result.code, result.err) == (0, "")
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert len(lines) == len(abandoned_path.read_bytes().splitlines())
    assert [line["line"] for line in lines if "abandoned" in line] == [len(lines)]
    assert lines[-1]["abandoned"] is True
    assert lines[-1]["round"] == 3
    opened = cardtable("trace", copy_path, "--show-hands").out.splitlines()
    assert json.loads(opened[-1]) == {name: value for name, value in lines[-1].items() if name != "abandoned"}


def test_replay_shows_the_unfinished_round(cardtable, abandoned_path):
    result = cardtable("replay", ID)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert [line.split(":")[0].split(",")[0] for line in lines if line.startswith("Round ")] == [
        "Round 1", "Round 2", "Round 3"
    ]  # fmt: skip
    assert lines[-1] == "The session was abandoned."
    assert result.out.count("\nTotals: ") == 2
    assert "given up" not in cardtable("replay", ID, "--round", 2).out
    assert "The session was abandoned." in cardtable("replay", ID, "--round", 3).out


def test_export_has_the_unfinished_round(cardtable, abandoned_path):
    result = cardtable("export", ID)
    assert result.code == 0
    assert "The session was abandoned." in result.out
    assert [line for line in result.out.splitlines() if line.startswith("## Round ")][-1] == "## Round 3"
    assert result.out.endswith("The round was not finished.\n")
    assert cardtable("export", ID, "--format", "csv").out == cardtable("show", ID, "--csv").out
    assert cardtable("export", ID, "--format", "journal").out == abandoned_path.read_text()


def test_show_and_list_have_its_places(cardtable, abandoned_path):
    assert cardtable("show", ID).out.splitlines()[-1] == "abandoned; 2 rounds finished"
    assert json.loads(cardtable("show", ID, "--json").out)["places"] == [4, 1, 1, 1]
    [listed] = json.loads(cardtable("list", "--json").out)
    assert (listed["state"], listed["places"], listed["round"]) == ("abandoned", [4, 1, 1, 1], 3)
    assert cardtable("list").out.split()[:4] == [ID, "rikiki", "abandoned", "3"]


def test_resumes_only_as_a_copy(cardtable, abandoned_path, monkeypatch):
    monkeypatch.setattr("cardtable.cli.launch.require_terminal", lambda: None)
    opened = []
    monkeypatch.setattr("cardtable.cli.launch.open_screen", lambda session, *_: opened.append(session))
    assert "was abandoned; resume --copy continues a copy" in parse_error(cardtable("resume", ID).err)
    assert cardtable("resume", ID, "--copy").code == 0
    assert opened[0].header.origin.id == ID
    opened[0].close()
