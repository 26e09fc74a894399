"""``make`` from the Makefile's folder and from other folders."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.budgets import BUDGETS

ROOT = Path(__file__).parent.parent
DOCS = (
    "-m sphinx --quiet --fresh-env --fail-on-warning --keep-going -c docs/site -d build/doctrees -b html . build/docs"
)
PROGRAM = "#!/bin/sh\necho in $PWD: $*\n"


@pytest.fixture
def project_folder(tmp_path):
    """Return a copy of the project whose path contains a blank; its programs are scripts that print their folder."""
    folder = tmp_path / "card room"
    bin_ = folder / ".venv" / "bin"
    bin_.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    (bin_ / "python").write_text(PROGRAM)
    (bin_ / "python").chmod(0o755)
    for name in (".venv-outside", ".venv-lowest", ".venv-docs"):
        shutil.copytree(bin_, folder / name / "bin")
    for ready in (
        ".venv/ready-to-play", ".venv/ready-to-test", ".venv/ready-to-fuzz", ".venv/ready-to-mutate",
        ".venv-outside/ready", ".venv-lowest/ready", ".venv-docs/ready",
    ):  # fmt: skip
        (folder / ready).touch()
    return folder


def run_make(folder, *words, **variables):
    """Run ``make`` in a folder, without variables set by an outer ``make``."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "ARGS"))}
    return subprocess.run(
        ["make", *words], cwd=folder, env=usual | variables, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("goal", ["play", "test", "test-browser", "test-mutation", "test-lowest", "docs", "spiel"])
def test_shell_can_read_all_recipes(project_folder, goal):
    recipes = run_make(project_folder, "--always-make", "--dry-run", goal).stdout
    assert recipes
    assert subprocess.run(["sh", "-n"], input=recipes, text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("invocation", "goals", "expected"),
    [
        *[
            (invocation, ["play", "ARGS=list --json"], "-m cardtable list --json")
            for invocation in ("-C", "-f", "-f, relative")
        ],
        ("here", ["ARGS=list"], "-m cardtable list"),
        ("here", ["test"], "-m pytest -p tests.failed_tests -n 3"),
        ("here", ["test", "ARGS=tests/cli -k verify"], "-m pytest -p tests.failed_tests -n 3 tests/cli -k verify"),
        ("here", ["test-lowest"], "-m pytest -n 3"),
        ("here", ["test-long", "SHARE=0.5", "ARGS=kills"], "-m tests.lab.reliability --share 0.5 kills"),
        ("here", ["test-mutation", "ARGS=--list"], "-m tests.lab.mutation --list"),
        ("here", ["check"], "-m ruff format --check ."),
        ("here", ["docs"], DOCS),
    ],
)
def test_make_works_from_any_folder(project_folder, tmp_path, invocation, goals, expected):
    options = {
        "here": [],
        "-C": ["-C", project_folder],
        "-f": ["-f", project_folder / "Makefile"],
        "-f, relative": ["-f", "card room/Makefile"],
    }
    ended = run_make(project_folder if invocation == "here" else tmp_path, *options[invocation], *goals)
    assert ended.returncode == 0, ended.stderr
    assert f"in {project_folder}: {expected}\n" in ended.stdout


def test_all_parts_of_the_tests_are_run_and_failures_listed(project_folder):
    outside = project_folder / ".venv-outside/bin/python"
    outside.write_text("#!/bin/sh\necho test_sides.py::test_first_seat >> build/failed-tests\nexit 1\n")
    ended = run_make(project_folder, "test")
    assert ended.returncode
    assert f"in {project_folder}: -m pytest -p tests.failed_tests -n 3\n" in ended.stdout
    listed = ended.stderr.partition("cardtable: these have failed:\n")[2]
    assert listed.startswith("test_sides.py::test_first_seat\nmake test-outside\nmake: ")
    outside.write_text(PROGRAM)
    assert run_make(project_folder, "test").returncode == 0


def test_play_runs_compiled_robots_until_make_plain(project_folder):
    (project_folder / ".venv/bin/python").write_text("#!/bin/sh\necho path $PYTHONPATH\n")
    ready = project_folder / "build/compiled/ready"
    ready.parent.mkdir(parents=True)
    (project_folder / "hatch_build.py").touch()
    ready.touch()

    assert run_make(project_folder, "play", PYTHONPATH="").stdout == f"path {ready.parent}\n"
    assert run_make(project_folder, "plain").returncode == 0
    assert not ready.exists()
    assert run_make(project_folder, "play", PYTHONPATH="").stdout == "path\n"


@pytest.mark.parametrize("name", BUDGETS)
def test_budget_names_existing_tests(name):
    file, _, prefix = BUDGETS[name].test_prefix.partition("::")
    assert f"def {prefix.partition('[')[0]}" in (ROOT / file).read_text(encoding="utf-8")
