"""``replay`` in plain text: whole sessions, one round, one seat's view, refusals."""

from pathlib import Path

import pytest

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


def test_session_in_progress_needs_open(cardtable):
    path = write_session(Path("going.jsonl"), PEOPLE, rounds=2, decisions=1)
    result = cardtable("replay", path)
    assert (result.code, result.out) == (1, "")
    assert "replay --show-hands" in parse_error(result.err)
    opened = cardtable("replay", path, "--show-hands")
    assert opened.code == 0
    assert opened.out.count("\nRound ") == 3, "the round in progress, too"
    assert opened.out.count("\nTotals: ") == 2


def test_rejects_several_sessions_damage_and_missing_files(cardtable):
    cardtable("simulate", "gurka", "--sessions", 2, "--seed", 4, "--output", "two.jsonl")
    assert "holds several sessions" in parse_error(cardtable("replay", "two.jsonl").err)
    data = Path("two.jsonl").read_bytes().split(b'{"cardtable"')[1]
    Path("bad.jsonl").write_bytes(b'{"cardtable"' + data.replace(b"play", b"pray", 1))
    result = cardtable("replay", "bad.jsonl")
    assert result.code == 1
    assert "bad.jsonl:" in parse_error(result.err)
    assert "No such file" in parse_error(cardtable("replay", "none.jsonl").err)
