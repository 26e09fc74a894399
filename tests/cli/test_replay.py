"""``replay`` and ``export``: whole sessions, one round, one seat's view, refusals."""

from pathlib import Path

import pytest

from cardtable.cli import launch
from cardtable.games import GAMES, KEYS
from tests.cli.playing import PEOPLE, parse_error, write_session


@pytest.fixture
def simulate_session(cardtable):
    """Return a function that simulates a session of robots and returns its file name."""

    def play(game, seed=4):
        seats = ",".join(["steady"] * GAMES[game].about.usual_seats)
        cardtable("simulate", game, "--sessions", 1, "--seed", seed, "--output", f"{game}.jsonl", "--seats", seats)
        return f"{game}.jsonl"

    return play


@pytest.mark.parametrize("game", KEYS)
def test_whole_session_round_by_round(cardtable, simulate_session, game):
    result = cardtable("replay", simulate_session(game))
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    rounds = [line for line in lines if line.startswith("Round ")]
    verified = cardtable("verify", f"{game}.jsonl").out
    assert f"rounds={len(rounds)} " in verified
    assert lines[0].startswith(f"{GAMES[game].about.title}: Ada, ")
    assert sum("'s hand: " in line for line in lines) == len(rounds) * GAMES[game].about.usual_seats
    assert lines[-1].startswith("Totals: Ada ")
    assert result.out.isascii()


def test_one_round_equals_its_part_of_the_whole(cardtable, simulate_session):
    whole = cardtable("replay", simulate_session("gurka")).out
    second = cardtable("replay", "gurka.jsonl", "--round", 2).out.split("\n", 1)[1]
    assert second.startswith("Round 2,")
    assert second.rstrip() in whole


@pytest.mark.parametrize("player", ["Bo", "1"])
def test_seat_view_hides_other_hands(cardtable, simulate_session, player):
    lines = cardtable("replay", simulate_session("rummy"), "--seat", player).out.splitlines()
    assert lines[0] == "Rummy: Ada, Bo. As Bo saw it."
    assert lines[2] == "Ada's hand: 13 hidden cards."
    assert lines[3].startswith("Bo's hand: clubs ")
    assert "Ada draws 1 card." in lines or "Ada draws a card." in lines


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--round", 99], "there is no round 99 to replay; there "),
        (["--seat", "Eve"], "nobody called 'Eve' played in it: Ada, Bo, Cy, Dee, or 0 to 3"),
        (["--seat", "4"], "nobody called '4' played in it"),
        (["--seat", "\x1b[31m"], "nobody called"),
    ],
)
def test_unknown_round_or_seat(cardtable, simulate_session, arguments, expected):
    result = cardtable("replay", simulate_session("gurka"), *arguments)
    assert (result.code, result.out) == (1, "")
    assert expected in parse_error(result.err)
    assert "\x1b" not in result.err


@pytest.mark.parametrize(
    "command",
    [
        *("trace {}", "replay {}", "replay {} --svg out.svg", "export {}", "export {} --format csv"),
        *("export {} --format journal", "export {} --format svg --output out.svg"),
    ],
)
def test_session_in_progress_needs_open(cardtable, command):
    words = command.format(write_session(Path("going.jsonl"), PEOPLE, rounds=2, decisions=1)).split()
    assert f"{words[0]} --show-hands" in cardtable(*words).read_error(1)
    assert not Path("out.svg").exists()
    opened = cardtable(*words, "--show-hands")
    assert opened.code == 0
    assert opened.out or "<svg" in Path("out.svg").read_text()


def test_replay_of_the_round_in_progress(cardtable):
    path = write_session(Path("going.jsonl"), PEOPLE, rounds=2, decisions=1)
    opened = cardtable("replay", path, "--show-hands")
    assert opened.out.count("\nRound ") == 3, "the round in progress, too"
    assert opened.out.count("\nTotals: ") == 2


def test_formats_of_a_robot_session(cardtable, tmp_path):
    path = tmp_path / "a.jsonl"
    write_session(path)
    assert cardtable("export", path).out.startswith("# Rikiki, 2026-11-20\n")
    assert cardtable("export", path, "--format", "csv").out == cardtable("show", path, "--csv").out
    assert cardtable("export", path, "--format", "journal").out == path.read_text()


def test_journal_sends_no_control_character_to_a_terminal(cardtable, tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    write_session(path, message="\x9b2J\x7f\u202e")
    assert "\x9b" in cardtable("export", path, "--format", "journal").out
    monkeypatch.setattr(launch, "is_terminal", lambda _stream: True)
    output = cardtable("export", path, "--format", "journal").out
    assert "\ufffd2J\ufffd\ufffd" in output
    assert len(output) == len(path.read_text())
