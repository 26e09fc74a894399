"""Shell completion in bash, zsh and fish, where click's own falls short.

bash takes ``person:Anna`` and ``NAME=VALUE`` for three words each. In zsh and fish ``--option=hook=al`` is one word, of
which only what follows ``--option=`` is completed; click would have its beginning replaced. In fish click cuts a value
at its first comma.
"""

import re
from typing import Final

from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete, add_completion_class

_BREAK: Final = re.compile(r"[=:]+")
"""Word of its own in bash, wherever it stands, by the usual ``COMP_WORDBREAKS``."""


class _Bash(BashComplete):
    """Joins the words that bash has parted, and answers with the last part only."""

    _before = ""
    """The parts of the last word that stand before what bash completes."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the line, and the one that is to be completed."""
        words, last = super().get_completion_args()
        joined = _joined([*words, last])
        whole = joined.pop()
        before = whole if _BREAK.fullmatch(last) else whole[: len(whole) - len(last)]
        self._before = re.sub("^--[^=]*=", "", before)  # click completes what follows
        return joined, whole

    def format_completion(self, item: CompletionItem) -> str:
        """Return a word as bash puts it into the line."""
        return super().format_completion(CompletionItem(item.value.removeprefix(self._before), item.type))


def _joined(words: list[str]) -> list[str]:
    """Return the words of a line of which bash has parted some."""
    joined: list[str] = []
    goes_on = False
    for word in words:
        breaks = _BREAK.fullmatch(word) is not None
        if joined and (goes_on or breaks):
            joined[-1] += word
        else:
            joined.append(word)
        goes_on = breaks
    return joined


class _Zsh(ZshComplete):
    """Completes what follows ``--option=`` in a word."""

    source_template = (
        ZshComplete.source_template
        .replace("    for type key descr", "    [[ $PREFIX == --*=* ]] && compset -P 1 '*='\n\n    for type key descr")
        .replace("compadd -U", 'compadd -U -i "$IPREFIX"')
    )  # fmt: skip


class _Fish(FishComplete):
    """Completes what follows ``--option=`` in a word; a value may have commas."""

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


def prepare() -> None:
    """Have click answer shells so."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
