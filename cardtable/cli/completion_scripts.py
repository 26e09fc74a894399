"""Command group ``completion``: installs and removes the files from which shells learn to complete ``cardtable``."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import click
from click.shell_completion import get_completion_class

from cardtable.cli import shells
from cardtable.cli.main import LazyGroup, commands
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, sanitize
from cardtable.store import atomic_io
from cardtable.store.errors import FileError, format_os_error

COMPLETION_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "install": ("completion_scripts", "Install the completion for a shell."),
    "uninstall": ("completion_scripts", "Remove the completion for a shell."),
}
"""Module and help line of each subcommand by its name, as in ``cardtable.cli.main.COMMANDS``."""


class Shell(NamedTuple):
    """Place in which a shell looks for the completion of a command, and what the user has to do then."""

    folder: str
    """Folder of the user's completions, relative to ``XDG_DATA_HOME``."""
    file: str
    explain: Callable[[Path], str]
    """Return what makes the shell use the file, given the folder."""


SHELLS: Final = {
    "bash": Shell(
        "bash-completion/completions",
        "cardtable",
        lambda _folder: "open a new shell to use it; bash needs the package bash-completion for it",
    ),
    "zsh": Shell(
        "zsh/site-functions",
        "_cardtable",
        lambda folder: f"put this line into ~/.zshrc, above compinit: fpath=({shlex.quote(str(folder))} $fpath)",
    ),
    "fish": Shell("fish/vendor_completions.d", "cardtable.fish", lambda _folder: "open a new shell to use it"),
}
"""Shells whose completion can be installed."""

_shell_argument = click.argument("shell", type=click.Choice([*SHELLS]), required=False)


@commands.group(cls=LazyGroup, table=COMPLETION_COMMANDS)
def completion() -> None:
    """Set up completion with Tab in your shell."""


@completion.command()
@_shell_argument
def install(shell: str | None) -> None:
    """Install the completion for a shell.

    Without a name, for the shell in the variable SHELL. The file is written where the shell looks for it, below
    XDG_DATA_HOME or ~/.local/share.
    """
    name = shell or _detect_shell()
    path = _find_script(name)
    shells.register_shells()
    complete = get_completion_class(name)
    assert complete is not None
    script = complete(commands, {}, "cardtable", "_CARDTABLE_COMPLETE").source()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_io.write_atomically(atomic_io.resolve_links(path), script.encode())
    except OSError as error:
        _raise_file_error(path, error)
    _print_line(f"The completion for {name} is in {path}; {SHELLS[name].explain(path.parent)}")


@completion.command()
@_shell_argument
def uninstall(shell: str | None) -> None:
    """Remove the completion for a shell.

    Without a name, for the shell in the variable SHELL.
    """
    name = shell or _detect_shell()
    path = _find_script(name)
    try:
        path.unlink()
    except FileNotFoundError:
        _print_line(f"The completion for {name} is not installed: there is no {path}")
    except OSError as error:
        _raise_file_error(path, error)
    else:
        _print_line(f"The completion for {name} is removed: {path}")


def _detect_shell() -> str:
    """Return the name of the user's shell. Raises ``UsageError`` if its completion cannot be installed."""
    name = Path(os.environ.get("SHELL", "")).name.removesuffix(".exe")
    if name in SHELLS:
        return name
    problem = f"there is no completion for {name}" if name else "the variable SHELL does not name your shell"
    raise click.UsageError(f"{problem}; name one of {', '.join(SHELLS)}")


def _find_script(name: str) -> Path:
    """Return the path of the completion script of a shell, which need not exist.

    A relative path in ``XDG_DATA_HOME`` is ignored, as the specification demands. Raises ``CardtableError`` if the
    home folder is not known.
    """
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    if not data.is_absolute():
        try:
            data = Path.home() / ".local" / "share"
        except RuntimeError:
            raise CardtableError("your home folder is not known; set XDG_DATA_HOME") from None
    return data / SHELLS[name].folder / SHELLS[name].file


def _raise_file_error(path: Path, error: OSError) -> NoReturn:
    raise FileError(path, format_os_error(error)) from None


def _print_line(text: str) -> None:
    click.echo(sanitize(text, MAX_PATH_LENGTH))
