"""Installs the program in each way that INSTALL.md names, plays with it, and prints a table of times.

    python packaging/try_installations.py dist --python python3.11 --python python3.13

``dist`` is the folder that ``make distribution`` fills. Each way is tried with each Python, in a folder of its own with
a home of its own; pipx and uv must be on the path. The part for clubs is added with the command that the program
advises.
"""

import argparse
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from try_wheel import play_with

CHECKOUT = Path(__file__).parent.parent
ADVICE = "a club needs more libraries: "


@dataclass
class Attempt:
    """One way of installing, tried with one Python in an empty folder."""

    folder: Path
    python: str
    wheel: Path
    sources: Path
    commands: list[str] = field(default_factory=list)
    """Commands that a person would type, with the path of the folder left out."""

    @property
    def variables(self) -> Mapping[str, str]:
        """Environment in which nothing outside the folder is written."""
        tools = {
            "PIPX_HOME": "pipx",
            "PIPX_BIN_DIR": "programs",
            "UV_TOOL_DIR": "uv",
            "UV_TOOL_BIN_DIR": "programs",
            "UV_CACHE_DIR": "uv-cache",
            "CARDTABLE_HOME": "home",
        }
        path = os.pathsep.join([str(self.folder / "programs"), os.environ["PATH"]])
        return {**os.environ, **{name: str(self.folder / place) for name, place in tools.items()}, "PATH": path}

    def run(self, *command: object, typed: str = "") -> str:
        """Run a command in the folder, and return what it prints. Raises ``CalledProcessError`` if it fails."""
        words = [str(word) for word in command]
        return subprocess.run(  # noqa: S603 - the tools that are tried
            words,
            cwd=self.folder,
            env=self.variables,
            input=typed,
            stdout=subprocess.PIPE,
            check=True,
            encoding="utf-8",
        ).stdout

    def install(self, *command: object) -> None:
        """Run a command of the installation."""
        self.note(*command)
        self.run(*command)

    def note(self, *command: object) -> None:
        """Record a command as a person would type it: programs and files without their folders."""
        words = [str(word).removeprefix(f"{self.folder}/") for word in command]
        self.commands.append(re.sub(r"(?<=[ =])/\S*/|^/\S*/", "", shlex.join(words)))


def install_with_pip(attempt: Attempt, package: Path) -> Path:
    attempt.install(attempt.python, "-m", "venv", "environment")
    programs = attempt.folder / "environment/bin"
    attempt.install(programs / "pip", "install", "--quiet", package)
    return programs / "cardtable"


def install_wheel(attempt: Attempt) -> Path:
    return install_with_pip(attempt, attempt.wheel)


def install_sources(attempt: Attempt) -> Path:
    return install_with_pip(attempt, attempt.sources)


def install_with_pipx(attempt: Attempt) -> Path:
    attempt.install("pipx", "install", "--quiet", "--python", attempt.python, attempt.wheel)
    return attempt.folder / "programs/cardtable"


def install_with_uv(attempt: Attempt) -> Path:
    attempt.install("uv", "tool", "install", "--quiet", "--python", attempt.python, attempt.wheel)
    return attempt.folder / "programs/cardtable"


def install_checkout(attempt: Attempt) -> Path:
    attempt.run("git", "clone", "--quiet", CHECKOUT, "checkout")
    attempt.install("make", "-C", "checkout", ".venv/ready-to-play", f"PYTHON={attempt.python}")
    return attempt.folder / "checkout/.venv/bin/cardtable"


WAYS: Mapping[str, Callable[[Attempt], Path]] = {
    "pipx": install_with_pipx,
    "uv": install_with_uv,
    "pip, wheel": install_wheel,
    "pip, sources": install_sources,
    "make play": install_checkout,
}


def add_club(attempt: Attempt, program: Path) -> None:
    """Add the optional part for clubs with the command that the program advises, and see that it is there."""
    refused = subprocess.run(  # noqa: S603 - the program that is tried
        [program, "join", "localhost"],
        cwd=attempt.folder,
        env=attempt.variables,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    command = shlex.split(refused.stderr.strip().partition(ADVICE)[2])
    assert command, f"no advice: {refused}"
    attempt.note(*command)
    attempt.run(*command)
    assert "--code" in attempt.run(program, "join", "--help")


def describe_python(python: str) -> str:
    """Return the version of a Python and its system."""
    code = "import platform; print(platform.python_version())"
    version = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout  # noqa: S603
    return f"{platform.system()}, {version.strip()}"


def try_way(name: str, python: str, dist: Path) -> str:
    """Try one way with one Python; return its row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        (wheel,), (sources,) = dist.resolve().glob("*.whl"), dist.resolve().glob("*.tar.gz")
        attempt = Attempt(Path(folder).resolve(), python, wheel, sources)
        began = time.monotonic()
        program = WAYS[name](attempt)
        installed = time.monotonic() - began
        began = time.monotonic()
        rounds = play_with(lambda *arguments, typed="": attempt.run(program, *arguments, typed=typed))
        played = time.monotonic() - began
        add_club(attempt, program)
        commands = "; ".join(attempt.commands)
        seen = f"{rounds} rounds, left and continued; club added"
        return f"| {name} | {describe_python(python)} | `{commands}` | {installed:.1f} | {played:.1f} | {seen} |"


def main() -> None:
    """Try all ways with all Pythons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path)
    parser.add_argument("--python", action="append")
    parser.add_argument("--way", action="append", choices=WAYS)
    options = parser.parse_args()
    print("| way | system, Python | commands | seconds to install | to play | seen |", "| --- " * 6 + "|", sep="\n")
    for name in options.way or WAYS:
        for python in options.python or [sys.executable]:
            print(try_way(name, shutil.which(python) or python, options.dist), flush=True)


if __name__ == "__main__":
    main()
