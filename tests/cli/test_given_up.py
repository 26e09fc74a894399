"""A session that was given up is over: every command tells all of it, and says so; elsewhere the same file is open."""

import json
import os

import pytest

from cardtable.store import paths
from tests.cli.playing import PEOPLE, one_line, write

ID = "20261120-083728-rikiki-7f3a"


@pytest.fixture
def given_up(home):
    """Two rounds, and three decisions of the third."""
    return write(paths.archive_folder() / f"{ID}.jsonl", PEOPLE, rounds=2, decisions=3)


@pytest.fixture
def elsewhere(tmp_path):
    """The same session, which people still play for all that is known."""
    return write(tmp_path / "copy.jsonl", PEOPLE, rounds=2, decisions=3)


def test_trace_tells_all_of_it(cardtable, given_up, elsewhere):
    told = cardtable("trace", ID)
    assert (told.code, told.err) == (0, "")
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert len(lines) == len(given_up.read_bytes().splitlines())
    assert [line["line"] for line in lines if "given_up" in line] == [len(lines)]
    assert lines[-1]["given_up"] is True
    assert lines[-1]["round"] == 3
    opened = cardtable("trace", elsewhere, "--open").out.splitlines()
    assert json.loads(opened[-1]) == {name: value for name, value in lines[-1].items() if name != "given_up"}


def test_replay_tells_the_round_in_progress_and_that_it_was_given_up(cardtable, given_up):
    told = cardtable("replay", ID)
    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert [line.split(":")[0].split(",")[0] for line in lines if line.startswith("Round ")] == [
        "Round 1", "Round 2", "Round 3"
    ]  # fmt: skip
    assert lines[-1] == "The session was given up."
    assert told.out.count("\nTotals: ") == 2
    assert "given up" not in cardtable("replay", ID, "--round", 2).out
    assert "The session was given up." in cardtable("replay", ID, "--round", 3).out


def test_export_has_the_round_in_progress(cardtable, given_up):
    told = cardtable("export", ID)
    assert told.code == 0
    assert "The session was given up." in told.out
    assert [line for line in told.out.splitlines() if line.startswith("## Round ")][-1] == "## Round 3"
    assert told.out.endswith("The round was not finished.\n")
    assert cardtable("export", ID, "--as", "csv").out == cardtable("show", ID, "--csv").out
    assert cardtable("export", ID, "--as", "journal").out == given_up.read_text()


def test_show_and_list_have_its_places_and_say_so(cardtable, given_up):
    assert cardtable("show", ID).out.splitlines()[-1] == "given up; 2 rounds finished"
    assert json.loads(cardtable("show", ID, "--json").out)["ranks"] == [4, 1, 1, 1]
    [listed] = json.loads(cardtable("list", "--json").out)
    assert (listed["state"], listed["ranks"], listed["round"]) == ("given-up", [4, 1, 1, 1], 3)
    assert cardtable("list").out.split()[:4] == [ID, "rikiki", "given-up", "3"]


def test_review_tells_of_the_rounds_and_of_the_one_in_progress(cardtable, given_up, monkeypatch):
    monkeypatch.setattr("cardtable.records.review.MAX_RUNS", 1)
    monkeypatch.setattr("cardtable.records.review.COMPARISON_WORLDS", 3)
    told = cardtable("review", ID, "--json")
    assert (told.code, told.err) == (0, "")
    found = json.loads(told.out)
    assert (found["given_up"], found["whole"], found["same_deals"]["rounds"]) == (True, True, 2)
    assert max(decision["round"] for decision in found["decisions"]) == 3
    assert cardtable("review", ID).out.splitlines()[0] == f"Rikiki  {ID}  Anna, given up"


def test_elsewhere_it_is_open(cardtable, elsewhere):
    for command in ("trace", "replay", "export"):
        assert f"{command} --open" in one_line(cardtable(command, elsewhere).err)
    assert "not over" in one_line(cardtable("review", elsewhere).err)
    assert cardtable("show", elsewhere).out.splitlines()[-1] == "not over; 2 rounds finished"
    assert json.loads(cardtable("show", elsewhere, "--json").out)["ranks"] is None


def test_however_its_path_is_written(cardtable, given_up, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(paths.home(), target_is_directory=True)
    for path in (os.path.relpath(given_up), link / "archive" / given_up.name):
        assert cardtable("trace", path).code == 0
        assert "The session was given up." in cardtable("replay", path).out


def test_it_is_not_gone_on_with_but_in_a_copy(cardtable, given_up, monkeypatch):
    monkeypatch.setattr("cardtable.cli.launch.require_terminal", lambda: None)
    opened = []
    monkeypatch.setattr("cardtable.cli.launch.open_screen", lambda session, _flags: opened.append(session))
    assert "was given up; resume --copy plays on in a copy" in one_line(cardtable("resume", ID).err)
    assert cardtable("resume", ID, "--copy").code == 0
    assert opened[0].header.origin.id == ID
    opened[0].close()


def test_one_of_which_nothing_was_dealt(cardtable, home):
    path = write(paths.archive_folder() / f"{ID}.jsonl", PEOPLE, rounds=0)
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    assert "nothing has happened in it" in one_line(cardtable("replay", ID).err)
    assert json.loads(cardtable("trace", ID).out)["given_up"] is True
    assert "The session was given up." in cardtable("export", ID).out
    assert cardtable("review", ID).code == 0
