"""Installs a built wheel into an empty environment outside the checkout, plays with it, and lists its components.

    python packaging/try_wheel.py dist

The folder must contain one wheel. Beside it a bill of materials in the JSON format of CycloneDX is written: the wheel
and all libraries, optional ones included, in the versions that were installed.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Protocol

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
EXTRAS = "club,cluster,serve"
ROUNDS = 2


class Installation:
    """Environment with an installed wheel, and a home folder of its own."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        venv.create(folder / "environment", with_pip=True)
        self._programs = folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin")
        self.python = self._programs / Path(sys.executable).name
        self._variables = {**os.environ, "CARDTABLE_HOME": str(folder / "home")}
        self._folder = folder
        self.run(self.python, "-m", "pip", "install", "--quiet", f"{wheel.resolve()}")

    def run(self, program: Path, *arguments: str, typed: str = "") -> str:
        """Run a program outside the checkout, and return what it prints. Raises ``CalledProcessError`` if it fails."""
        return subprocess.run(  # noqa: S603 - programs of this environment
            [str(program), *arguments],
            cwd=self._folder,
            env=self._variables,
            input=typed,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            encoding="utf-8",
        ).stdout

    def cardtable(self, *arguments: str, typed: str = "") -> str:
        """Run the installed command, and return what it prints."""
        return self.run(self._programs / "cardtable", *arguments, typed=typed)


class Command(Protocol):
    """Runs the installed command, types lines into it, and returns what it prints."""

    def __call__(self, *arguments: str, typed: str = "") -> str: ...


def play_with(cardtable: Command) -> int:
    """Play a session in plain lines, leave it, continue it, and check its file; return the number of rounds."""
    first_choices = "1\n" * 8 + "\n"
    cardtable("play", "gurka", "--plain", "--seed", "7", typed=f"{first_choices}quit\n")
    cardtable("resume", "--plain", typed=f"{first_choices * ROUNDS}quit\n")
    (session,) = json.loads(cardtable("list", "--json"))
    assert session["round"] >= ROUNDS, f"only {session['round']} rounds were played"
    cardtable("verify", session["id"])
    return int(session["round"])


def write_bill_of_materials(installed: Installation, file: Path) -> None:
    """Write the components of an environment as CycloneDX JSON."""
    subprocess.run(  # noqa: S603 - a tool of the release
        [
            str(Path(sys.executable).parent / "cyclonedx-py"),
            "environment",
            "--pyproject",
            str(PYPROJECT),
            "--output-reproducible",
            "--output-file",
            str(file),
            str(installed.python),
        ],
        check=True,
    )


def main() -> None:
    """Try the only wheel of the folder that the command line names."""
    (wheel,) = Path(sys.argv[1]).glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        installed = Installation(Path(folder), wheel)
        print(installed.cardtable("--version").strip())
        assert "King" in installed.cardtable("games"), "the games are missing"
        print(f"played {play_with(installed.cardtable)} rounds")
        assert "King" in installed.cardtable("show", "king-of-hearts"), "the sample sessions are missing"
        installed.run(installed.python, "-m", "pip", "install", "--quiet", f"{wheel.resolve()}[{EXTRAS}]")
        installed.cardtable("join", "--help")
        write_bill_of_materials(installed, wheel.with_name(f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json"))


if __name__ == "__main__":
    main()
