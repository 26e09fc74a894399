"""Command group ``completion``: installs and removes the files from which shells learn to complete ``cardtable``."""

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

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


def _explain_zsh(folder: Path) -> str:
    return f"put this line into ~/.zshrc, above compinit: fpath=({shlex.quote(str(folder))} $fpath)"


SHELLS: Final = {
    "bash": Shell(
        "bash-completion/completions",
        "cardtable",
        lambda _folder: "open a new shell to use it; bash needs the package bash-completion for it",
    ),
    "zsh": Shell("zsh/site-functions", "_cardtable", _explain_zsh),
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
    register_shells()
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


_WORD_BREAKS: Final = re.compile(r"[=:]+")
"""Pattern of the characters at which bash splits words by default (``COMP_WORDBREAKS``)."""


class _Bash(BashComplete):
    """Completion for bash, which splits words at ``=`` and ``:`` and replaces only the last part."""

    _split_prefix = ""
    """First part of the word to complete, which bash keeps."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the command line, joined again, and the word to complete."""
        words, last = super().get_completion_args()
        joined = _join_words([*words, last])
        whole = joined.pop()
        before = whole if _WORD_BREAKS.fullmatch(last) else whole[: len(whole) - len(last)]
        self._split_prefix = re.sub("^--[^=]*=", "", before)  # click completes only the value
        return joined, whole

    def format_completion(self, item: CompletionItem) -> str:
        """Return a completion without the part of the word that bash keeps."""
        return super().format_completion(CompletionItem(item.value.removeprefix(self._split_prefix), item.type))


def _join_words(words: list[str]) -> list[str]:
    """Join the parts of words that bash has split at ``=`` and ``:``."""
    joined: list[str] = []
    is_open = False
    for word in words:
        breaks = _WORD_BREAKS.fullmatch(word) is not None
        if joined and (is_open or breaks):
            joined[-1] += word
        else:
            joined.append(word)
        is_open = breaks
    return joined


class _Zsh(ZshComplete):
    """Completion for zsh, which also completes a value after ``--option=``.

    If zsh loads the script by itself, the body of the loaded function registers the completion with its first call;
    click's own script would do so, and complete nothing, with the second.
    """

    source_template = (
        ZshComplete.source_template
        .replace("    for type key descr", "    [[ $PREFIX == --*=* ]] && compset -P 1 '*='\n\n    for type key descr")
        .replace("compadd -U", 'compadd -U -i "$IPREFIX"')
        .replace('%(complete_func)s "$@"', 'compdef %(complete_func)s %(prog_name)s\n    %(complete_func)s "$@"')
    )  # fmt: skip


class _Fish(FishComplete):
    """Completion for fish, which also completes a value after ``--option=`` and values that contain commas."""

    source_template = """\
function %(complete_func)s;
    set -l before (string match --regex -- '^--[^=]+=' (commandline -ct));
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \
COMP_CWORD=(commandline -ct) %(prog_name)s);

    for completion in $response;
        set -l metadata (string split --max 1 "," -- $completion);

        if test $metadata[1] = "dir";
            printf '%%s\\n' "$before"(__fish_complete_directories $metadata[2]);
        else if test $metadata[1] = "file";
            printf '%%s\\n' "$before"(__fish_complete_path $metadata[2]);
        else if test $metadata[1] = "plain";
            echo "$before$metadata[2]";
        end;
    end;
end;

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)";
"""


_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")


def is_request_valid(instruction: str) -> bool:
    """Return True unless a shell's variables are missing or wrong, which click would answer with an exception.

    ``instruction``: value of ``_CARDTABLE_COMPLETE``, such as ``bash_complete``. In fish ``COMP_CWORD`` is a text, and
    in other shells a number.
    """
    shell, _, action = instruction.partition("_")
    if action != "complete":
        return True
    place = os.environ.get("COMP_CWORD")
    has_place = place is not None and (shell == "fish" or _NUMBER.fullmatch(place) is not None)
    return "COMP_WORDS" in os.environ and has_place


def register_shells() -> None:
    """Register the completions of this module with click, in place of click's own ones."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
