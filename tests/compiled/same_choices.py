"""Compiled robots choose as plain ones do: levels, hints, reviews and matches, to the last digit.

``make test-compiled`` runs this file; CARDTABLE_DECISIONS is the number of decisions of each level in every game.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardtable import installation
from cardtable.games import KEYS
from cardtable.workers.server import build_command, build_environment

ROOT = Path(__file__).parent.parent.parent
COMPILED = ROOT / "build/compiled"
DECISIONS = int(os.environ.get("CARDTABLE_DECISIONS", "20"))


def start_listing(game, *path):
    """Start a process that prints the choices of the package found first on ``path``."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.compiled.choices", game, "--decisions", str(DECISIONS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("game", KEYS)
def test_same_choices(game):
    plain, compiled = start_listing(game, ROOT), start_listing(game, COMPILED, ROOT)
    with plain, compiled:
        assert json.loads(plain.stdout.readline()) == {"compiled": False}
        assert json.loads(compiled.stdout.readline()) == {"compiled": True}
        expected = plain.stdout.readlines()
        assert compiled.stdout.readlines() == expected
    assert plain.returncode == compiled.returncode == 0
    assert sum("expert" in json.loads(line) for line in expected) == DECISIONS


def test_these_tests_run_compiled_robots():
    assert installation.is_compiled()


def test_worker_processes_run_the_same_build():
    ended = subprocess.run(
        build_command("tests.compiled.worker"), env=build_environment(), cwd=ROOT, check=False, stdout=subprocess.PIPE
    )
    assert ended.stdout.split() == [b"compiled"]
