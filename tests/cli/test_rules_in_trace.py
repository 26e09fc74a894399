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

SESSIONS = {"random": 2, "steady": 1}
"""Number of sessions by the level of the robots: those that think are slower."""


class RoundsOnPaper:
    """Session of rounds on paper; ``start_round`` gets its number, the pack and the totals."""

    def __init__(self, seats, start_round):
        self.number, self.totals, self.round, self._start_round = 0, [0] * seats, None, start_round

    def chance(self, text):
        self.number += 1
        self.round = self._start_round(self.number, text.split(" ")[1:], self.totals)

    def act(self, line):
        self.round.act(line["seat"], line["action"])
        if self.round.over:
            self.totals = [total + points for total, points in zip(self.totals, self.round.points(), strict=True)]


def check_rounds(steps, paper, act, list_legal=lambda round_: round_.legal()):
    """Compare each entry of the trace with a session on paper, which has no round before the first deal."""
    for line, entry in steps:
        if "chance" in line:
            paper.chance(line["chance"])
        elif "action" in line:
            assert line["seat"] == paper.round.turn
            assert line["action"] in list_legal(paper.round)
            act(line)
        round_ = paper.round
        assert (entry["round"], entry["totals"]) == (paper.number, paper.totals)
        assert entry["legal"] == (list_legal(round_) if round_ else [])
        assert entry["turn"] == (round_.turn if round_ and not round_.over else None)
        assert entry["tricks"] == (round_.won if round_ else [0] * len(paper.totals))
    assert steps[-1][0]["end"]["totals"] == paper.totals


def check_positions(steps, session):
    """Compare each entry of the trace with the positions that a session on paper yields."""
    position = session.play()
    turn, legal = next(position)
    for line, entry in steps:
        event = line.get("chance") or line.get("action")
        if event:
            assert line.get("seat") == turn
            try:
                turn, legal = position.send(event)
            except StopIteration:
                turn, legal = None, []
        assert (entry["turn"], entry["legal"]) == (turn, sorted(legal))
        assert (entry["round"], entry["totals"]) == (session.number, session.totals)
        assert "tricks" not in vars(session) or entry["tricks"] == session.tricks
    assert steps[-1][0]["end"]["totals"] == session.totals


def trace_sessions(cardtable, key, levels, options, *, number, seed):
    """Simulate a number of sessions and return the steps of each: journal lines with the entries of the trace."""
    arguments = [part for name, value in options.items() for part in ("--option", f"{name}={value}")]
    cardtable("simulate", key, "--sessions", number, "--seed", seed, "--output", "played", *arguments, "--seats",
              ",".join(levels))  # fmt: skip
    steps = trace_lines(cardtable, "played")
    starts = [index for index, (line, _) in enumerate(steps) if "cardtable" in line]
    return [steps[start:end] for start, end in pairwise([*starts, len(steps)])]


@pytest.mark.parametrize("length", ["full", "short"])
@pytest.mark.parametrize("hook", ["over-four", "always", "never"])
def test_rikiki_positions(cardtable, hook, length):
    options = {"hook": hook, "length": length, "bonuses": "off"}
    [steps] = trace_sessions(cardtable, "rikiki", ["random"] * 4, options, number=1, seed=3)
    paper = RoundsOnPaper(4, lambda number, pack, _: rikiki_on_paper.Round(number, pack, length))
    check_rounds(steps, paper, paper.act, lambda round_: round_.legal(hook))
    assert paper.number == len(rikiki_on_paper.CARDS[length])


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


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {}), (3, {}), (4, {}), (2, {"drawn_card": "must", "opening": "random"}),
        (3, {"eights": "next", "jacks": "off"}), (4, {"eights": "share", "jacks": "minus"}),
        (3, {"opening": "random", "jacks": "plus"}), (4, {"opening": "random", "drawn_card": "must"}),
    ],
    ids=str,
)  # fmt: skip
def test_bridge_positions(cardtable, seats, options, level):
    for steps in trace_sessions(cardtable, "bridge", [level] * seats, options, number=4, seed=2):
        check_positions(steps, bridge_on_paper.Session(seats, steps[0][0]["options"]))


@pytest.mark.parametrize(("level", "number"), [("random", 6), ("steady", 3)])
@pytest.mark.parametrize("options", [{}, {"taken_cards": "must-keep"}, {"limit": 500}], ids=str)
def test_rummy_positions(cardtable, options, level, number):
    for steps in trace_sessions(cardtable, "rummy", [level] * 2, options, number=number, seed=2):
        check_positions(steps, rummy_on_paper.Session(2, steps[0][0]["options"]))


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"ace_rule": "led-only", "limit": "50"}, {"ace_rule": "off", "limit": "21"},
        {"must_head": "on"}, {"must_head": "on", "ace_rule": "led-only"},
        {"must_head": "on", "ace_rule": "off"},
    ],
    ids=str,
)  # fmt: skip
def test_gurka_positions(cardtable, options, seats, level):
    for steps in trace_sessions(cardtable, "gurka", [level] * seats, options, number=3, seed=4):
        rules = steps[0][0]["options"]
        assert rules["seats"] == seats

        def start_round(number, pack, totals, rules=rules):
            assert not gurka_on_paper.is_session_over(totals, rules["limit"])
            return gurka_on_paper.Round(number, pack, seats, rules)

        paper = RoundsOnPaper(seats, start_round)
        check_rounds(steps, paper, paper.act)
        assert gurka_on_paper.is_session_over(paper.totals, rules["limit"])
        ranks = [1 + sum(other < total for other in paper.totals) for total in paper.totals]
        assert steps[-1][0]["end"]["ranks"] == ranks


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"must_overruff": "on"}, {"hearts_unlock": "any"}, {"first_declarer": "2d"},
        {"direction": "clockwise", "must_overruff": "on"}, {"length": "short"},
    ],
    ids=str,
)  # fmt: skip
def test_rifki_positions(cardtable, options, level):
    for steps in trace_sessions(cardtable, "rifki", [level] * 4, options, number=SESSIONS[level], seed=5):
        paper = rifki_on_paper.Session(steps[0][0]["options"])
        check_rounds(steps, paper, lambda line, paper=paper: paper.round.act(line["action"]))
        assert paper.number == (12 if paper.is_short else 20)
        assert sum(paper.totals) < 0 if paper.is_short else sum(paper.totals) == 0


@pytest.mark.parametrize("level", ["random", "steady"])
@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {}), (3, {"room": 1000}), (4, {"room": 500}), (2, {"room": 5, "hook": "on"}),
        (3, {"room": 50, "identical": "last"}),
        (4, {"room": "training", "hook": "on", "identical": "last"}),
    ],
    ids=str,
)  # fmt: skip
def test_ten_down_positions(cardtable, seats, options, level):
    for steps in trace_sessions(cardtable, "ten_down", [level] * seats, options, number=SESSIONS[level], seed=2):
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
    for steps in trace_sessions(cardtable, "king", [level] * 4, options, number=SESSIONS[level], seed=5):
        paper = king_on_paper.Session(steps[0][0]["options"])
        check_positions(steps, paper)
        # each Neg Jar takes 216 points in all, and each Poz Jar brings them
        jars = [contract for had in paper.had for contract in had if contract.endswith("jar")]
        assert sum(paper.totals) == 216 * (jars.count("poz-jar") - jars.count("neg-jar"))
