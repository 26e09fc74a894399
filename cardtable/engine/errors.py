"""Errors with a message for the user, which report problems outside the program rather than bugs."""

from typing import Final

from cardtable.engine.text_format import MAX_PATH_LENGTH, sanitize


class CardtableError(Exception):
    """Error whose message is shown to the user, in one printable line of at most 200 characters."""

    def __init__(self, text: str, full_message: str = "") -> None:
        super().__init__(sanitize(text))
        self.reason = sanitize(text)
        """Message without the path of the file concerned."""
        self.full_message = sanitize(full_message or text, MAX_PATH_LENGTH)
        """Message with the complete path of the file concerned, for places that have room for several lines."""


class GameFailed(CardtableError):
    """A game from another package has failed; the message names the package and the location of the error."""


class GameFault(Exception):
    """Fault of a game of another package; the message may be shown to the user, because it mentions no cards."""


class CallInterrupted(BaseException):
    """Raised in a thread to interrupt code of another package; code that catches ``Exception`` lets it pass."""


class EndedBySignal(SystemExit):
    """Raised by the handler of a signal that ends the program, in whatever code is running."""

    code: int


POSITION_ERRORS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
"""Exceptions that code for a game may raise for a position of another program that cannot occur."""
INTERRUPTIONS: Final = (KeyboardInterrupt, EndedBySignal, CallInterrupted)
"""Exceptions that come from outside the code in which they are raised, and are no faults of it."""


def format_exception_text(error: BaseException) -> str:
    """Return ``str(error)``; an empty text if the exception, of another package, has none."""
    try:
        return str(error)
    except INTERRUPTIONS:
        raise
    except BaseException:
        return ""
