"""The way in which the program was installed and built, and the command that adds optional libraries to it."""

import json
import shlex
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, TypeAlias

Extra: TypeAlias = Literal["club", "cluster", "serve"]
"""Name of a group of optional libraries in ``pyproject.toml``."""

COMPILED_MODULE: Final = "cardtable.robots.kit.search"
"""One of the modules that a compiled build compiles; all or none of them are."""


def is_compiled() -> bool:
    """Return True if the robots run as compiled modules, and False if they run as plain Python."""
    spec = find_spec(COMPILED_MODULE)
    return spec is not None and (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES))


def describe_build() -> str:
    """Return how the robots run: ``compiled`` or ``plain Python``."""
    return "compiled" if is_compiled() else "plain Python"


def format_missing_club_libraries() -> str:
    """Return the message for a command or page that needs the libraries of clubs, if they are not installed."""
    return f"a club needs more libraries: {format_install_command('club')}"


def format_install_command(extra: Extra) -> str:
    """Return the command that installs the libraries of an extra beside the running program.

    It depends on how the program was installed: by pipx, by uv as a tool, from a checkout, or by pip.
    """
    requirement = quote_argument(f"cardtable[{extra}]")
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx inject cardtable {requirement}"
    if (prefix / "uv-receipt.toml").exists():
        return f"uv tool install --with {requirement} cardtable"
    pip = f"{quote_argument(_shorten(Path(sys.executable)))} -m pip install"
    return f"{pip} --editable {_format_checkout(extra)}" if _is_editable() else f"{pip} {requirement}"


def quote_argument(text: str) -> str:
    """Quote an argument of a command as the shells of this system need it; most arguments need no quotes."""
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)


def _is_editable() -> bool:
    """Return True if the program runs from a checkout in which it was installed with ``--editable``."""
    try:
        origin = distribution("cardtable").read_text("direct_url.json")
    except PackageNotFoundError:
        return False
    return bool(origin and json.loads(origin).get("dir_info", {}).get("editable"))


def _format_checkout(extra: Extra) -> str:
    return quote_argument(f"{_shorten(Path(__file__).parent.parent)}[{extra}]")


def _shorten(path: Path) -> str:
    """Return a path relative to the current folder if it is in it, else the complete path."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
