"""``replay``, ``export`` and ``trace``: whole sessions, one round, one seat's view, refusals."""

import json
from pathlib import Path

import pytest

from cardtable.cli import launch
from cardtable.games import GAMES, KEYS
from tests.cli.playing import PEOPLE, trace_lines, write_session


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
    out = cardtable("replay", simulate_session(game)).read_output()
    lines = out.splitlines()
    rounds = [line for line in lines if line.startswith("Round ")]
    verified = cardtable("verify", f"{game}.jsonl").out
    assert f"rounds={len(rounds)} " in verified
    assert lines[0].startswith(f"{GAMES[game].about.title}: Ada, ")
    assert sum("'s hand: " in line for line in lines) == len(rounds) * GAMES[game].about.usual_seats
    assert lines[-1].startswith("Totals: Ada ")
    assert out.isascii()


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
    assert expected in cardtable("replay", simulate_session("gurka"), *arguments).read_error(1)


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
    opened = cardtable(*words, "--show-hands").read_output()
    assert opened or "<svg" in Path("out.svg").read_text()


def test_journal_sends_no_control_character_to_a_terminal(cardtable, tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    write_session(path, message="\x9b2J\x7f\u202e")
    assert "\x9b" in cardtable("export", path, "--format", "journal").out
    monkeypatch.setattr(launch, "is_terminal", lambda _stream: True)
    output = cardtable("export", path, "--format", "journal").out
    assert "\ufffd2J\ufffd\ufffd" in output
    assert len(output) == len(path.read_text())


def test_talk_undo_and_void(cardtable):
    pack = " ".join(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")
    lines = [
        {"cardtable": 2, "id": "by-hand", "game": "rikiki", "created": "", "seed": 1, "options": {},
         "seats": [{"name": name, "robot": "steady"} for name in ("Ada", "Bo", "Cy", "Dee")]},
        {"say": "good evening", "seat": 1},
        {"chance": f"deal {pack}"},
        {"seat": 0, "action": "bid 1"},
        {"seat": 1, "action": "bid 0"},
        {"undo": 1},
        {"void": "clock"},
        {"chance": f"deal {pack}"},
        {"seat": 0, "action": "bid 0"},
    ]  # fmt: skip
    Path("by-hand.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    trace = [after for _, after in trace_lines(cardtable, "by-hand.jsonl")]
    assert [after["line"] for after in trace] == list(range(1, 10))
    assert [after["turn"] for after in trace] == [None, None, 0, 1, 2, 1, None, 0, 1]
    assert [after["round"] for after in trace] == [0, 0, 1, 1, 1, 1, 1, 1, 1]
    assert trace[6] == {"line": 7, "turn": None, "legal": [], "round": 1, "tricks": [0] * 4, "totals": [0] * 4}
    assert trace[5]["legal"] == trace[3]["legal"] == ["bid 0", "bid 1"]


def test_damaged_session_shows_no_cards(cardtable):
    path = write_session(Path("going.jsonl"), PEOPLE, rounds=2)
    data = path.read_bytes().replace(b'"action":"bid 0"', b'"action":"bid 9"', 1)
    path.write_bytes(data)
    cardtable("trace", path).read_error(1)


def test_stops_at_damage(cardtable):
    path = write_session(Path("robots.jsonl"))
    lines = path.read_text().splitlines(keepends=True)
    plain = [json.loads(line) for line in lines]
    for line in plain:
        del line["crc"]
    plain[4] = {"seat": 3, "action": "bid 9"}
    path.write_text("".join(json.dumps(line) + "\n" for line in plain))
    result = cardtable("trace", path)
    assert "robots.jsonl:5:" in result.read_error(1, prints=True)
    assert len(result.lines) == 4


def test_counts_lines_across_sessions(cardtable):
    one = write_session(Path("one.jsonl")).read_bytes()
    Path("two.jsonl").write_bytes(one * 2)
    numbers = [entry["line"] for _, entry in trace_lines(cardtable, "two.jsonl")]
    assert numbers == list(range(1, 2 * one.count(b"\n") + 1))
