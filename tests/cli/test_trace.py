"""``trace``: output and refusals."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from cardtable.games import GAMES, KEYS
from tests.cli.playing import PEOPLE, parse_error, trace_lines, write_session


@pytest.mark.parametrize("game", KEYS)
def test_invariants_of_every_game(cardtable, game):
    cardtable("simulate", game, "--sessions", 2, "--seed", 4, "--output", "played", "--seats",
              ",".join(["random"] * GAMES[game].about.usual_seats))  # fmt: skip
    steps = trace_lines(cardtable, "played")
    for number, (_, entry) in enumerate(steps, 1):
        assert entry["line"] == number
        assert entry["legal"] == sorted(set(entry["legal"]))
        assert bool(entry["legal"]) == (entry["turn"] is not None)
    for (_, before), (line, after) in pairwise(steps):
        if "action" in line:
            assert line["seat"] == before["turn"]
            assert line["action"] in before["legal"]
        elif "cardtable" not in line:
            assert before["turn"] is None
            assert before["legal"] == []
            assert "chance" not in line or after["round"] >= before["round"]


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


def test_finished_session_of_people(cardtable):
    path = write_session(Path("over.jsonl"), PEOPLE, rounds=28)
    assert trace_lines(cardtable, path)[-1][1]["turn"] is None


def test_damaged_session_shows_no_cards(cardtable):
    path = write_session(Path("going.jsonl"), PEOPLE, rounds=2)
    data = path.read_bytes().replace(b'"action":"bid 0"', b'"action":"bid 9"', 1)
    path.write_bytes(data)
    result = cardtable("trace", path)
    assert result.code == 1
    assert not result.out


def test_stops_at_damage(cardtable):
    path = write_session(Path("robots.jsonl"))
    lines = path.read_text().splitlines(keepends=True)
    plain = [json.loads(line) for line in lines]
    for line in plain:
        del line["crc"]
    plain[4] = {"seat": 3, "action": "bid 9"}
    path.write_text("".join(json.dumps(line) + "\n" for line in plain))
    result = cardtable("trace", path)
    assert result.code == 1
    assert len(result.out.splitlines()) == 4
    assert "robots.jsonl:5:" in parse_error(result.err)


def test_counts_lines_across_sessions(cardtable):
    one = write_session(Path("one.jsonl")).read_bytes()
    Path("two.jsonl").write_bytes(one * 2)
    numbers = [entry["line"] for _, entry in trace_lines(cardtable, "two.jsonl")]
    assert numbers == list(range(1, 2 * one.count(b"\n") + 1))
