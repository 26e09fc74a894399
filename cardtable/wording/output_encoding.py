"""Output to streams whose encoding lacks some characters, such as the suits in the code pages of Windows."""

import codecs
from typing import Final, TextIO

from cardtable.wording.formatting import to_ascii_text

_ERROR_HANDLER: Final = "cardtable.similar"


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
