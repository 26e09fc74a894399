"""Rules in every position that ``trace`` prints, compared with a second, independent implementation."""

import json
from itertools import pairwise

import pytest

from tests.cli.playing import trace_lines
from tests.games.bridge import on_paper as bridge_on_paper
from tests.games.gurka import on_paper as gurka_on_paper
from tests.games.king import on_paper as king_on_paper
from tests.games.rifki import on_paper as rifki_on_paper
from tests.games.rikiki import on_paper as rikiki_on_paper
from tests.games.rummy import on_paper as rummy_on_paper
from tests.games.ten_down import on_paper as ten_down_on_paper


def check_entry(entry, number, totals, game, legal):
    """Compare an entry of the trace with the round of a second implementation, which is None before the first deal."""
    assert (entry["round"], entry["totals"]) == (number, totals)
    assert entry["legal"] == (legal or [])
    assert entry["turn"] == (game.turn if game and not game.over else None)
    assert entry["tricks"] == (game.won if game else [0] * len(totals))


@pytest.mark.parametrize("length", ["full", "short"])
@pytest.mark.parametrize("hook", ["over-four", "always", "never"])
def test_rikiki_positions(cardtable, hook, length):
    options = {"hook": hook, "length": length, "bonuses": "off"}
    [steps] = trace_sessions(cardtable, "rikiki", ["random"] * 4, options, number=1, seed=3)
    game, number, totals = None, 0, [0] * 4
    for line, entry in steps:
        if "chance" in line:
            number += 1
            game = rikiki_on_paper.Round(number, line["chance"].split(" ")[1:], length)
        elif "action" in line:
            assert line["seat"] == game.turn
            assert line["action"] in game.legal(hook)
            game.act(line["seat"], line["action"])
            if game.over:
                totals = [total + points for total, points in zip(totals, game.points(), strict=True)]
        check_entry(entry, number, totals, game, game and game.legal(hook))
    assert number == len(rikiki_on_paper.CARDS[length])
    assert steps[-1][0]["end"]["totals"] == totals


def test_rikiki_bonuses(cardtable):
    """With bonuses a round has its plain points and sometimes 10 or 20 more."""
    levels = "steady,steady,steady,steady"
    cardtable("simulate", "rikiki", "--sessions", 1, "--seed", 3, "--seats", levels, "--output", "played")
    session = json.loads(cardtable("show", "played", "--json").out)
    rows = [line.split(",") for line in cardtable("show", "played", "--csv").out.splitlines()[1:]]
    for row, round_ in zip(rows, session["rounds"], strict=True):
        for seat in range(4):
            bid, won, points, _ = map(int, row[2 + 4 * seat : 6 + 4 * seat])
            plain = 10 + 2 * won if bid == won else -2 * abs(bid - won)
            assert points == round_["points"][seat]
            assert points - plain in (0, 10, 20, 30, 40)


def trace_sessions(cardtable, key, levels, options, *, number, seed):
    """Simulate a number of sessions and return the steps of each: journal lines with the entries of the trace."""
    arguments = [part for name, value in options.items() for part in ("--option", f"{name}={value}")]
    cardtable("simulate", key, "--sessions", number, "--seed", seed, "--output", "played", *arguments, "--seats",
              ",".join(levels))  # fmt: skip
    steps = trace_lines(cardtable, "played")
    starts = [index for index, (line, _) in enumerate(steps) if "cardtable" in line]
    return [steps[start:end] for start, end in pairwise([*starts, len(steps)])]


def send_event(position, event):
    """Send an event to the second implementation and return its turn and legal actions."""
    try:
        return position.send(event)
    except StopIteration:
        return None, []


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {}),
        (3, {}),
        (4, {}),
        (2, {"drawn_card": "must", "opening": "random"}),
        (3, {"eights": "next", "jacks": "off"}),
        (4, {"eights": "share", "jacks": "minus"}),
        (3, {"opening": "random", "jacks": "plus"}),
        (4, {"opening": "random", "drawn_card": "must"}),
    ],
    ids=str,
)
def test_bridge_positions(cardtable, seats, options, level):
    check_positions(cardtable, bridge_on_paper, "bridge", 4, [level] * seats, options)


@pytest.mark.parametrize(("level", "number"), [("random", 6), ("steady", 3)])
@pytest.mark.parametrize("options", [{}, {"taken_cards": "must-keep"}, {"limit": 500}], ids=str)
def test_rummy_positions(cardtable, options, level, number):
    check_positions(cardtable, rummy_on_paper, "rummy", number, [level] * 2, options)


def check_positions(cardtable, paper, key, number, levels, options):
    """Simulate sessions of robots and compare their trace with the second implementation."""
    for steps in trace_sessions(cardtable, key, levels, options, number=number, seed=2):
        session = paper.Session(len(levels), steps[0][0]["options"])
        position = session.play()
        turn, legal = next(position)
        for line, entry in steps:
            event = line.get("chance") or line.get("action")
            if event:
                assert line.get("seat") == turn
                turn, legal = send_event(position, event)
            legal = sorted(legal)
            assert (entry["turn"], entry["legal"]) == (turn, legal)
            assert (entry["round"], entry["totals"]) == (session.number, session.totals)
        assert steps[-1][0]["end"]["totals"] == session.totals


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ace_rule": "led-only", "limit": "50"},
        {"ace_rule": "off", "limit": "21"},
        {"must_head": "on"},
        {"must_head": "on", "ace_rule": "led-only"},
        {"must_head": "on", "ace_rule": "off"},
    ],
    ids=str,
)
def test_gurka_positions(cardtable, options, seats, level):
    for steps in trace_sessions(cardtable, "gurka", [level] * seats, options, number=3, seed=4):
        rules = steps[0][0]["options"]
        assert rules["seats"] == seats
        game, number, totals = None, 0, [0] * seats
        for line, entry in steps:
            if "chance" in line:
                assert not gurka_on_paper.is_session_over(totals, rules["limit"])
                number += 1
                game = gurka_on_paper.Round(number, line["chance"].split(" ")[1:], seats, rules)
            elif "action" in line:
                assert line["seat"] == game.turn
                assert line["action"] in game.legal()
                game.act(line["seat"], line["action"])
                if game.over:
                    totals = [total + points for total, points in zip(totals, game.points(), strict=True)]
            check_entry(entry, number, totals, game, game and game.legal())
        assert gurka_on_paper.is_session_over(totals, rules["limit"])
        end = steps[-1][0]["end"]
        assert end["totals"] == totals
        assert end["ranks"] == [1 + sum(other < total for other in totals) for total in totals]


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"must_overruff": "on"},
        {"hearts_unlock": "any"},
        {"first_declarer": "2d"},
        {"direction": "clockwise", "must_overruff": "on"},
        {"length": "short"},
    ],
    ids=str,
)
def test_rifki_positions(cardtable, options, level):
    for steps in trace_sessions(cardtable, "rifki", [level] * 4, options, number=2, seed=5):
        paper = rifki_on_paper.Session(steps[0][0]["options"])
        for line, entry in steps:
            game = paper.round
            if "chance" in line:
                paper.chance(line["chance"])
            elif "action" in line:
                assert line["seat"] == game.turn
                assert line["action"] in game.legal()
                game.act(line["action"])
            game = paper.round
            check_entry(entry, paper.number, paper.totals, game, game and game.legal())
        assert paper.number == (12 if paper.is_short else 20)
        assert steps[-1][0]["end"]["totals"] == paper.totals
        assert sum(paper.totals) < 0 if paper.is_short else sum(paper.totals) == 0


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {}),
        (3, {"room": 1000}),
        (4, {"room": 500}),
        (2, {"room": 5, "hook": "on"}),
        (3, {"room": 50, "identical": "last"}),
        (4, {"room": "training", "hook": "on", "identical": "last"}),
    ],
    ids=str,
)
def test_ten_down_positions(cardtable, seats, options, level):
    for steps in trace_sessions(cardtable, "ten_down", [level] * seats, options, number=2, seed=2):
        paper = ten_down_on_paper.Session(seats, steps[0][0]["options"])
        for line, entry in steps:
            if "chance" in line:
                paper.chance(line["chance"])
            elif "action" in line:
                assert line["seat"] == paper.turn
                assert line["action"] in paper.legal()
                paper.act(line["seat"], line["action"])
            assert (entry["turn"], entry["legal"]) == (paper.turn, paper.legal())
            assert (entry["round"], entry["tricks"], entry["totals"]) == (paper.number, paper.won, paper.totals)
        assert paper.over
        end = steps[-1][0]["end"]
        assert (end["totals"], end["ranks"]) == paper.end()


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize("options", [{}, {"king_drop": "void-only"}, {"offers": "off"}, {"length": "short"}], ids=str)
def test_king_positions(cardtable, options, level):
    for steps in trace_sessions(cardtable, "king", [level] * 4, options, number=2, seed=5):
        paper = king_on_paper.Session(steps[0][0]["options"])
        position = paper.play()
        turn, legal = next(position)
        for line, entry in steps:
            event = line.get("chance") or line.get("action")
            if event:
                assert line.get("seat") == turn
                turn, legal = send_event(position, event)
            assert (entry["turn"], entry["legal"]) == (turn, sorted(legal))
            assert (entry["round"], entry["totals"], entry["tricks"]) == (paper.number, paper.totals, paper.tricks)
        assert steps[-1][0]["end"]["totals"] == paper.totals
        # each Neg Jar takes 216 points in all, and each Poz Jar brings them
        jars = [contract for had in paper.had for contract in had if contract.endswith("jar")]
        assert sum(paper.totals) == 216 * (jars.count("poz-jar") - jars.count("neg-jar"))
