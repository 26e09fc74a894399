"""Robots of a game of another package: a policy that cannot be called or raises fails a law, and ``simulate``."""

import re
import sys
from contextlib import ExitStack
from io import StringIO

import pytest

from cardtable.cli.main import run
from cardtable.testing import GameTests
from cardtable.testing.cases import LawFailure
from tests.toy import layaway
from tests.toy.game_plugins import install_layaway

GOOD = """
def novice(view, rng):
    return rng.choice(view.legal)

def steady(view, rng):
    return view.legal[0]
"""
CALLED_WITHOUT_GENERATOR = GOOD.replace("steady(view, rng)", "steady(view)")
RAISING = GOOD.replace("return view.legal[0]", "return view.legal[99]")
WITHOUT_NOVICE = GOOD.replace("novice", "beginner")
ILLEGAL = GOOD.replace("view.legal[0]", "None")
NO_FUNCTION = f"{GOOD}\nsteady = 5"


@pytest.fixture
def install(monkeypatch, tmp_path):
    """Return a function that plugs in Layaway as a package with this source of its policy."""
    with ExitStack() as stack:
        yield lambda policy: stack.enter_context(
            install_layaway(monkeypatch, tmp_path, **({"policy": policy} if policy else {}))
        )


def check_law():
    type("TestLayaway", (GameTests,), {"game": layaway.GAME})().test_robots_of_every_level_play()


@pytest.mark.parametrize("policy", [GOOD, ""])
def test_law_holds(install, policy):
    install(policy)
    check_law()


@pytest.mark.parametrize(
    ("policy", "level", "reason"),
    [
        (
            CALLED_WITHOUT_GENERATOR,
            "steady",
            "steady(view) in policy.py, line 5, has to take a view and a random generator",
        ),
        (RAISING, "steady", "IndexError: tuple index out of range in policy.py, line 6"),
        (WITHOUT_NOVICE, "novice", "layaway_with_parts.policy has no novice"),
        (ILLEGAL, "steady", "its steady robot chooses an action that is not legal"),
        (NO_FUNCTION, "steady", "a policy is not a function of a view and a random generator"),
    ],
)
def test_broken_policy_fails_the_law(install, policy, level, reason):
    install(policy)
    with pytest.raises(LawFailure) as caught:
        check_law()
    message = str(caught.value)
    assert re.match(r"layaway-\d, seed 0: ", message)
    assert f"a robot of the level {level}" in message
    assert reason in message
    assert "what to do: " in message
    assert "`view.legal`" in message


@pytest.mark.parametrize("level", ["steady", "expert"])
@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (CALLED_WITHOUT_GENERATOR, "steady(view) in policy.py, line 5, has to take a view and a random generator"),
        (RAISING, "IndexError: tuple index out of range in policy.py, line 6"),
        (NO_FUNCTION, "a policy is not a function of a view and a random generator"),
    ],
)
def test_simulate_reports_errors_in_one_line(install, capfd, policy, level, reason):
    install(policy)
    assert run(f"simulate layaway --sessions 1 --seed 1 --seats {level},{level} --workers 1".split()) == 1
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith(f"cardtable: Layaway (layaway 1.0) has failed: {reason}")
    assert "rollouts" not in line


BREAKING = {
    "return None": "has failed: its steady robot chooses an action that is not legal",
    "return view.legal": "has failed: its steady robot chooses an action that is not legal",
    "return view.legal[99]": "has failed: IndexError in policy.py, line 6",
    "input()": "has failed: it reads the standard input in policy.py, line 6",
    "import os; os._exit(0)": "has ended the robots' process",
}


@pytest.mark.parametrize(("line", "reason"), BREAKING.items())
def test_failing_policy_at_a_plain_table(install, capfd, monkeypatch, line, reason):
    install(GOOD.replace("return view.legal[0]", line))
    monkeypatch.setattr(sys, "stdin", StringIO("1\n1\nquit\n"))
    assert run(["play", "layaway", "--plain", "--seed", "1"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert out.count(f"Layaway (layaway 1.0) {reason}") == out.count("a legal move was chosen at random") == 1


def test_policy_does_not_print_at_a_plain_table(install, capfd, monkeypatch):
    install(GOOD.replace("    return view", "    print('printed')\n    return view"))
    monkeypatch.setattr(sys, "stdin", StringIO("1\nquit\n"))
    assert run(["play", "layaway", "--plain"]) == 0
    assert "printed" not in "".join(capfd.readouterr())
