"""Completion in bash, which takes ``NAME=VALUE`` and ``person:NICK`` for three words each."""

from typing import Final

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

_BREAKS: Final = frozenset("=:")
"""Signs at which bash parts words."""


class _Bash(BashComplete):
    """Joins what bash takes apart, and answers with what is to stand after the last ``=`` or ``:``."""

    _before = ""
    """The part of the word that bash keeps as it is."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the line, and the one that is to be completed."""
        words, beginning = super().get_completion_args()
        *joined, last = _join([*words, beginning])
        self._before = last[: max(map(last.rfind, _BREAKS)) + 1] if last != beginning or beginning in _BREAKS else ""
        return joined, last

    def format_completion(self, item: CompletionItem) -> str:
        """Return a word as bash is to put it into the line."""
        kept = next(at for at in range(len(self._before) + 1) if item.value.startswith(self._before[at:]))
        return super().format_completion(CompletionItem(item.value[len(self._before) - kept :], item.type))


def _join(words: list[str]) -> list[str]:
    joined: list[str] = []
    goes_on = False
    for word in words:
        parts = bool(word) and set(word) <= _BREAKS
        if joined and (parts or goes_on):
            joined[-1] += word
        else:
            joined.append(word)
        goes_on = parts
    return joined


def prepare() -> None:
    """Have the library ask this."""
    add_completion_class(_Bash, "bash")
