"""Abandoned sessions and rounds that nobody played, in every command."""

import json

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.games import GAMES, KEYS
from cardtable.store import paths
from tests.cli.playing import PEOPLE, parse_error, write_session

ID = "20261120-083728-rikiki-7f3a"


@pytest.fixture
def abandoned_path(home):
    """Write an abandoned session: two rounds and three decisions of the third."""
    return write_session(paths.archive_folder() / f"{ID}.jsonl", PEOPLE, rounds=2, decisions=3)


def test_trace_has_all_lines(cardtable, abandoned_path, tmp_path):
    lines = [json.loads(line) for line in cardtable("trace", ID).read_output().splitlines()]
    assert len(lines) == len(abandoned_path.read_bytes().splitlines())
    assert [line["line"] for line in lines if "abandoned" in line] == [len(lines)]
    assert lines[-1]["abandoned"] is True
    assert lines[-1]["round"] == 3
    in_progress = write_session(tmp_path / "copy.jsonl", PEOPLE, rounds=2, decisions=3)  # outside the home
    opened = cardtable("trace", in_progress, "--show-hands").out.splitlines()
    assert json.loads(opened[-1]) == {name: value for name, value in lines[-1].items() if name != "abandoned"}


def test_replay_shows_the_unfinished_round(cardtable, abandoned_path):
    out = cardtable("replay", ID).read_output()
    lines = out.splitlines()
    assert [line.split(":")[0].split(",")[0] for line in lines if line.startswith("Round ")] == [
        "Round 1", "Round 2", "Round 3"
    ]  # fmt: skip
    assert lines[-1] == "The session was abandoned."
    assert out.count("\nTotals: ") == 2
    assert "given up" not in cardtable("replay", ID, "--round", 2).out
    assert "The session was abandoned." in cardtable("replay", ID, "--round", 3).out


def test_export_has_the_unfinished_round(cardtable, abandoned_path):
    out = cardtable("export", ID).read_output()
    assert "The session was abandoned." in out
    assert [line for line in out.splitlines() if line.startswith("## Round ")][-1] == "## Round 3"
    assert out.endswith("The round was not finished.\n")
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


# --- sessions left early


FIRST_CUTS = 6
"""Number of first lines after each of which a session is cut; it is also cut around its second deal."""
SESSION_COMMANDS = (
    *("show {id}", "show {id} --json", "show {id} --csv", "replay {id} --show-hands", "trace {id} --show-hands"),
    *[f"replay {{id}} --show-hands {part}" for part in ("--round 1", "--round 2", "--seat 1")],
    *("export {id} --show-hands", "export {id} --show-hands --format csv", "export {id} --show-hands --format journal"),
    "verify {path}",
)
HOME_COMMANDS = ("list", "list --json", "statistics", "statistics novice", "rankings", "doctor")


@pytest.fixture
def write_left_early(cardtable, tmp_path):
    """Return a function that writes beginnings of a session of robots into a folder and returns their paths."""

    def write(game, folder):
        seats = ",".join(["novice"] * GAMES[game].about.usual_seats)
        cardtable("simulate", game, "--sessions", 1, "--seed", 3, "--output", "whole.jsonl", "--seats", seats)
        whole = journal.read((tmp_path / "whole.jsonl").read_bytes())
        lines = [entry.line for entry in whole.entries]
        deals = [at for at, line in enumerate(lines) if isinstance(line, journal.ChanceLine) and line.is_deal]
        folder.mkdir(parents=True)
        files = []
        for cut in (*range(FIRST_CUTS), *[deals[:2][-1] + by for by in (0, 1)]):
            header = msgspec.structs.replace(whole.header, id=f"20261120-083728-{game}-{cut:04x}")
            files.append(folder / f"{header.id}.jsonl")
            files[-1].write_bytes(journal.encode(header, lines[:cut]))
        return files

    return write


@pytest.mark.parametrize("folder", ["sessions", "archive"])
@pytest.mark.parametrize("game", KEYS)
def test_every_command_reads_a_session_left_early(cardtable, write_left_early, game, folder):
    files = write_left_early(game, paths.home() / folder)
    commands = [command.format(id=path.stem, path=path) for path in files for command in SESSION_COMMANDS]
    reviews = [f"review {path.stem} --seat 0" for path in files[:FIRST_CUTS]]
    for command in (*commands, *reviews, *HOME_COMMANDS):
        ended = cardtable(*command.split())
        assert ended.code in (0, 1), (command, ended.err)
        assert "fault" not in ended.err, (command, ended.err)
        assert len(ended.err.splitlines()) == ended.code, (command, ended.err)


@pytest.mark.parametrize("game", KEYS)
def test_replay_of_unplayed_round_shows_hands(cardtable, write_left_early, game, tmp_path):
    dealt = next(path for path in write_left_early(game, tmp_path / "elsewhere") if b'"deal ' in path.read_bytes())
    out = cardtable("replay", dealt).read_output()
    assert out.count("'s hand: ") == GAMES[game].about.usual_seats
    assert out.splitlines()[-1] == "The round was not finished."
