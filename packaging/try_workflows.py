"""Runs the steps of the workflows that need nothing but this machine, and prints what came of each.

    python packaging/try_workflows.py [JOB ...]

Each job has a fresh copy of the checkout: a clone, or without git a copy of the files. Actions, and jobs for other
systems, for containers without a program for them, and for publishing are left out, and the table says so.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parent.parent
MADE: Final = (".venv*", "build", "dist", "wheels", "__pycache__", ".*_cache")
"""Folders that a copy leaves out."""


def answers(program: str) -> bool:
    """Return True if a program for containers is installed, and so is the service that it needs."""
    return bool(shutil.which(program)) and not subprocess.run([program, "info"], capture_output=True).returncode  # noqa: PLW1510, S603


CONTAINERS: Final = next(filter(answers, ("docker", "podman")), "")
LEFT_OUT: Final = {
    "sudo ": "installs packages of the system",
    "gh ": "publishes",
    "pipx run": "publishes",
    "python packaging/check_release.py": "passes on the day of a release",
    **({} if (ROOT / ".git").exists() else {"git ": "compares with the commit"}),
    **({} if CONTAINERS else {"docker ": "needs docker or podman"}),
}
"""Beginnings of steps that are not run, with the reason."""


def list_jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the jobs of all workflows that have steps, with their names."""
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for name, job in yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"].items():
            if "steps" in job:
                yield name, job


def copy_checkout(folder: Path) -> None:
    if (ROOT / ".git").exists():
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)  # noqa: S603, S607
    else:
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*MADE), symlinks=True)


def run_step(step: dict[str, Any], job: dict[str, Any], folder: Path) -> str:
    """Run a step in a folder, and return how it ended."""
    if "run" not in step:
        return "an action"
    if str(job["runs-on"]).startswith("windows") and platform.system() != "Windows":
        return "needs Windows"
    for beginning, reason in LEFT_OUT.items():
        if step["run"].startswith(beginning):
            return reason
    words = step["run"].replace("docker ", f"{CONTAINERS} ")
    began = time.monotonic()
    ended = subprocess.run(["bash", "-eo", "pipefail", "-c", words], cwd=folder, check=False, env=get_environment())  # noqa: S603, S607
    return f"{'passed' if ended.returncode == 0 else 'FAILED'} in {time.monotonic() - began:.0f} s"


def get_environment() -> dict[str, str]:
    """Return the variables of this process without those that change what ``make`` does."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "ARGS"))}


def main() -> int:
    """Run the jobs that the command line names, or all, and return 1 if a step has failed."""
    rows: list[tuple[str, str, str]] = []
    for name, job in list_jobs():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent, "cardtable")
            copy_checkout(folder)
            for step in job["steps"]:
                rows.append((name, step.get("run") or step["uses"].partition("@")[0], run_step(step, job, folder)))
                print(*rows[-1], sep=": ", flush=True)
    print()
    for name, words, result in rows:
        print(f"{name:<20} {words.splitlines()[0][:60]:<60} {result}")
    return int(any(result.startswith("FAILED") for *_, result in rows))


if __name__ == "__main__":
    sys.exit(main())
