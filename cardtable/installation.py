"""The way in which the program was installed and built, and the command that adds optional libraries to it."""

import shlex
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.request import url2pathname

import msgspec

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

    It depends on how the program was installed: by pipx, by uv as a tool, or by pip, and from which file or folder, or
    from an index. A checkout with the folder ``wheels`` needs no network.
    """
    origin = _find_origin()
    source = Path(url2pathname(origin.url.removeprefix("file://"))) if origin.url.startswith("file:") else None
    if origin.dir_info.editable:
        source = Path(__file__).parent.parent  # wherever the checkout has been moved to
    requirement = quote_argument(f"{_shorten(source) if source else 'cardtable'}[{extra}]")
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx inject cardtable {requirement}"
    if (prefix / "uv-receipt.toml").exists():
        return f"uv tool install {requirement}"
    words = [quote_argument(_shorten(Path(sys.executable))), "-m pip install"]
    if source and (source / "wheels").is_dir():
        words.append(f"--no-index --find-links {quote_argument(_shorten(source / 'wheels'))}")
    if origin.dir_info.editable:
        words.append("--editable")
    return " ".join([*words, requirement])


def quote_argument(text: str) -> str:
    """Quote an argument of a command as the shells of this system need it; most arguments need no quotes."""
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)


class _Folder(msgspec.Struct, frozen=True):
    """Properties of a folder from which the program was installed."""

    editable: bool = False


class _Origin(msgspec.Struct, frozen=True):
    """File or folder from which the program was installed (``direct_url.json`` of PEP 610)."""

    url: str = ""
    dir_info: _Folder = _Folder()


def _find_origin() -> _Origin:
    """Return where the program was installed from; an empty origin stands for an index, or for no installation."""
    try:
        found = distribution("cardtable").read_text("direct_url.json")
        return msgspec.json.decode(found, type=_Origin) if found else _Origin()
    except (PackageNotFoundError, ValueError, RecursionError):
        return _Origin()


def _shorten(path: Path) -> str:
    """Return a path relative to the current folder if it is in it, else the complete path."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
