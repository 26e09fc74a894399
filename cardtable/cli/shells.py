"""Completion requests of bash, zsh and fish, and the scripts with which they make them."""

import os
import re
from typing import Final

from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete, add_completion_class

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

    source_template = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a completions
    local -a completions_with_descriptions
    local -a response
    (( ! $+commands[%(prog_name)s] )) && return 1

    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) %(complete_var)s=zsh_complete \
%(prog_name)s)}")

    [[ $PREFIX == --*=* ]] && compset -P 1 '*='

    for type key descr in ${response}; do
        if [[ "$type" == "plain" ]]; then
            if [[ "$descr" == "_" ]]; then
                completions+=("$key")
            else
                completions_with_descriptions+=("$key":"$descr")
            fi
        elif [[ "$type" == "dir" ]]; then
            _path_files -/
        elif [[ "$type" == "file" ]]; then
            _path_files -f
        fi
    done

    if [ -n "$completions_with_descriptions" ]; then
        _describe -V unsorted completions_with_descriptions -U
    fi

    if [ -n "$completions" ]; then
        compadd -U -i "$IPREFIX" -V unsorted -a completions
    fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    # autoload from fpath, call function directly
    compdef %(complete_func)s %(prog_name)s
    %(complete_func)s "$@"
else
    # eval/source/. command, register function for later
    compdef %(complete_func)s %(prog_name)s
fi
"""


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
    word = os.environ.get("COMP_CWORD")
    has_word = word is not None and (shell == "fish" or _NUMBER.fullmatch(word) is not None)
    return "COMP_WORDS" in os.environ and has_word


def register_shells() -> None:
    """Register the completions of this module with click, in place of click's own ones."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
