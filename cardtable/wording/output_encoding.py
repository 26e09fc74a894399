"""Output streams: their size, and encodings that lack characters such as the suits in the code pages of Windows."""

import codecs
import os
from typing import Final, TextIO

from cardtable.wording.formatting import to_ascii_text

_ERROR_HANDLER: Final = "cardtable.similar"


def measure_terminal(stream: TextIO | None) -> tuple[int, int]:
    """Return the columns and rows of the terminal that a stream writes to; 0 and 0 if it is none or does not know them.

    ``COLUMNS`` and ``LINES`` do not count, since a shell may have exported them before the window was resized.
    """
    try:
        return os.get_terminal_size(stream.fileno()) if stream else (0, 0)
    except (OSError, ValueError, AttributeError):  # also of a stream that is closed, or of a test
        return 0, 0


def print_similar_characters(stream: TextIO | None, encoding: str | None = None) -> None:
    """Print the most similar ASCII characters in place of those that the encoding of a stream lacks.

    The suits become letters. ``encoding`` replaces the encoding of the stream. A stream that cannot be reconfigured,
    such as one of a test, stays as it is.
    """
    codecs.register_error(_ERROR_HANDLER, _replace_unencodable)
    if stream is not None and hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding=encoding, errors=_ERROR_HANDLER)


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return to_ascii_text(error.object[error.start : error.end]), error.end
