"""What is said to a person when something is wrong that is no fault of the program."""

from cardtable.engine.text_format import MOST_PATH, sanitize


class CardtableError(Exception):
    """What went wrong, for a person: one printable line of at most 200 characters."""

    def __init__(self, text: str, whole: str = "") -> None:
        super().__init__(sanitize(text))
        self.why = sanitize(text)
        """The same without the file that it is about."""
        self.whole = sanitize(whole or text, MOST_PATH)
        """The same with the whole path of the file that it is about, where there is room for more than a line."""


class GameFailed(CardtableError):
    """A game that another package has brought has failed: which, and where."""
