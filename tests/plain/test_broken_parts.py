"""Optional parts of a game of another package that are of a wrong type, or whose functions return one."""

import sys
from io import StringIO

import pytest

from cardtable.cli.main import run
from tests.toy.game_plugins import install_layaway

HINTS = """
from cardtable.robots.kit.hint_spec import HintSpec
HINT_SPEC = HintSpec(lambda view, candidates, states: [() for _ in candidates])
"""
WITH_GOAL = HINTS.replace("for _ in candidates]", "for _ in candidates], goal=lambda view: 'win'")
ENDS_PROCESS = """
import os
def novice(view, rng): return view.legal[0]
def steady(view, rng): os._exit(3)
"""
PLAIN_TEXT = """
from cardtable.plain.speech_text import PlainTextSpec
PLAIN_TEXT = PlainTextSpec(lambda view, names: ["all play"])
"""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("PLAIN_TEXT = None", "PLAIN_TEXT is nothing in place of PlainTextSpec"),
        (PLAIN_TEXT.replace('["all play"]', "3"), "PLAIN_TEXT.about gives int in place of Iterable[str]"),
    ],
)
def test_broken_plain_text_is_reported(monkeypatch, tmp_path, capfd, source, message):
    monkeypatch.setattr(sys, "stdin", StringIO("\nhint\n"))
    with install_layaway(monkeypatch, tmp_path, plain_text=source):
        assert run(["play", "layaway", "--plain", "--seed", "1"]) == 1
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith(f"cardtable: Layaway (layaway 1.0) has failed: {message};")


@pytest.mark.parametrize(
    ("part", "source", "message"),
    [
        ("hints", "HINT_SPEC = 3", "HINT_SPEC is int in place of HintSpec"),
        ("hints", HINTS.replace("[()", "[view"), "HINT_SPEC.facts gives LayawayView in place of tuple[Fact, ...]"),
        ("hints", HINTS.replace("[() for _ in candidates]", "[][0]"), "IndexError in hints.py, line 3"),
        ("hints", HINTS.replace("() for _ in candidates", ""), "HINT_SPEC.facts is not by candidate"),
        ("hints", WITH_GOAL, "HINT_SPEC.goal gives str in place of Goal"),
        ("expert", "SEARCH_SPEC = None", "SEARCH_SPEC is nothing in place of SearchSpec"),
        ("policy", ENDS_PROCESS, None),
    ],
)
def test_hint_with_a_broken_part_is_refused(monkeypatch, tmp_path, capfd, part, source, message):
    monkeypatch.setattr(sys, "stdin", StringIO("\nhint\nquit\n"))
    with install_layaway(monkeypatch, tmp_path, **{part: source}):
        assert run(["play", "layaway", "--plain", "--seed", "1"]) == 0
    reason = f"failed: {message};" if message else "ended the robots' process."
    assert f"There is no advice: Layaway (layaway 1.0) has {reason}" in capfd.readouterr().out


@pytest.mark.parametrize("part", [{"hints": HINTS}, {"plain_text": PLAIN_TEXT}])
def test_valid_part_is_used(monkeypatch, tmp_path, part):
    monkeypatch.setattr(sys, "stdin", StringIO("\nhint\nquit\n"))
    with install_layaway(monkeypatch, tmp_path, **part):
        assert run(["play", "layaway", "--plain", "--seed", "1"]) == 0


@pytest.mark.parametrize("sheet", ["None", "int", "__import__('cardtable.scoring.kit').scoring.kit.Sheet"])
def test_incomplete_score_sheet_class_is_refused(monkeypatch, tmp_path, capfd, sheet):
    monkeypatch.setattr(sys, "stdin", StringIO("Ann Bob\n\n\n\n\n"))
    with install_layaway(monkeypatch, tmp_path, score_sheet=f"SHEET = {sheet}"):
        run(["score", "layaway", "--plain"])
    assert "in place of type[Sheet" in "".join(capfd.readouterr())


SHORT_SCORES = """
from cardtable.scoring.kit import DefaultSheet, EndingTitle, ScoredRound

class SHEET(DefaultSheet):
    def score_round(self, entered):
        return ScoredRound(EndingTitle(""), ((),), (1,))
"""


def test_score_sheet_with_points_of_too_few_seats(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(sys, "stdin", StringIO("score layaway\nAnn Bob\n\n\n1 2\n"))
    with install_layaway(monkeypatch, tmp_path, score_sheet=SHORT_SCORES):
        assert run(["--plain"]) == 0
        capfd.readouterr()
        monkeypatch.setattr(sys, "stdin", StringIO("rikiki\nquit\n"))
        assert run(["--plain"]) == 0
    assert "Your hand" in capfd.readouterr().out


FREE_LESSON = '[[lessons]]\nname = "free"\ntitle = "Free play"\n[[lessons.steps]]\nplay_on = true\n'


def test_lesson_with_a_policy_that_ends_its_process(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(sys, "stdin", StringIO("1\n1\nquit\n"))
    with install_layaway(monkeypatch, tmp_path, policy=ENDS_PROCESS):
        (tmp_path / "layaway_with_parts" / "lessons.toml").write_text(FREE_LESSON)
        assert run(["learn", "layaway", "--plain"]) == 0
    notice = "Layaway (layaway 1.0) has ended the robots' process; a legal move was chosen at random."
    assert capfd.readouterr().out.count(notice) == 1
