"""How bash is answered: it takes ``NAME=VALUE`` for three words."""

from click.shell_completion import BashComplete, CompletionItem, add_completion_class


class _Bash(BashComplete):
    """Joins what bash takes apart, and answers with what is to stand after the ``=``."""

    _before = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words of the line, and the one that is to be completed."""
        words, beginning = super().get_completion_args()
        line = [*words, beginning]
        at = len(line) - (1 if beginning == "=" else 2)
        if at < 1 or line[at] != "=":
            return words, beginning
        self._before = f"{line[at - 1]}="
        return line[: at - 1], "".join(line[at - 1 :])

    def format_completion(self, item: CompletionItem) -> str:
        """A word as bash is to put it into the line."""
        return super().format_completion(CompletionItem(item.value.removeprefix(self._before), item.type))


def prepare() -> None:
    """Have the library ask this."""
    add_completion_class(_Bash, "bash")
