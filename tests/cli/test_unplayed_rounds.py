"""Sessions left early: before a deal, before the first action, between rounds; open and abandoned."""

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.games import GAMES, KEYS
from cardtable.store import paths

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
