"""``make`` from the folder of the Makefile, and from elsewhere."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.budgets import BUDGETS

ROOT = Path(__file__).parent.parent
PROGRAM = "#!/bin/sh\necho in $PWD: $*\n"


@pytest.fixture
def room(tmp_path):
    """A folder with a blank in its name, in which all is ready; what stands for the programs tells where it is run."""
    folder = tmp_path / "card room"
    bin_ = folder / ".venv" / "bin"
    bin_.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("python", "cardtable", "ruff", "mypy", "lint-imports"):
        (bin_ / name).write_text(PROGRAM)
        (bin_ / name).chmod(0o755)
    for name in (".venv-outside", ".venv-lowest"):
        shutil.copytree(bin_, folder / name / "bin")
    for ready in (
        ".venv/ready-to-play",
        ".venv/ready-to-test",
        ".venv-outside/ready-to-test",
        ".venv-lowest/ready",
    ):
        (folder / ready).touch()
    return folder


def without_make():
    """Return the environment without what a ``make`` above this one has set."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "ARGS"))}


@pytest.mark.parametrize("way", ["here", "-C", "-f", "-f, relative"])
@pytest.mark.parametrize(
    ("goals", "told"),
    [
        (["play", "ARGS=list --json"], "list --json"),
        (["ARGS=list"], "list"),
        (["test"], "-m pytest -n 3"),
        (["test-lowest"], "-m pytest -n 3"),
        (["check"], "format --check ."),
    ],
)
def test_make_works_from_anywhere(room, tmp_path, way, goals, told):
    options = {
        "here": [],
        "-C": ["-C", room],
        "-f": ["-f", room / "Makefile"],
        "-f, relative": ["-f", "card room/Makefile"],
    }
    ended = subprocess.run(
        ["make", *options[way], *goals],
        cwd=room if way == "here" else tmp_path,
        env=without_make(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert f"in {room}: {told}\n" in ended.stdout


def test_the_long_run_has_every_budget(room):
    ended = subprocess.run(
        ["make", "-n", "test-long"], cwd=room, env=without_make(), capture_output=True, text=True, check=True
    )
    tested = [word for word in ended.stdout.split() if word.startswith("tests/")]
    missing = [budget.where for budget in BUDGETS.values() if not budget.where.startswith(tuple(tested))]
    assert missing == []
