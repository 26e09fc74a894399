"""What libraries report, in lines like those of the program."""

import logging

from cardtable.engine.text import clean


class _OneLine(logging.Formatter):
    """Without tracebacks: whatever comes from outside is no fault of the program."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        said = " ".join(f"{record.getMessage()}{f': {error}' if error else ''}".split())
        return f"cardtable: {clean(said)}"


def report_in_lines() -> None:
    """Report on standard error, a line each."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    logging.basicConfig(handlers=[handler])
