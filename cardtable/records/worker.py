"""The process that reckons ratings and statistics, and tells the program that started it how far it is.

A thread would not do: while it replays journals keys would wait.  Each message on standard output is its length
in four bytes, then a pickled ``Told``.
"""

import os
import pickle
import signal
import struct
import sys
from contextlib import closing
from typing import Final

from cardtable.records.reckoning import Told, reckon

_HEAD: Final = struct.Struct(">I")
HEAD_BYTES: Final = _HEAD.size
"""Bytes before each message, which hold its length."""
GIVES_WAY: Final = 10
"""By how much its priority is lower than that of the process that answers keys, and lower than that of robots."""


def length(head: bytes) -> int:
    """The length of a message from the ``HEAD_BYTES`` before it."""
    size: int = _HEAD.unpack(head)[0]
    return size


def told(body: bytes) -> Told:
    """What a message tells."""
    message: Told = pickle.loads(body)  # noqa: S301 - from the process that this one started
    return message


def main() -> None:
    """Tell the program that started this process all there is to tell, until there is no more or it is asked to end."""
    asked: list[int] = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is meant for the parent
    signal.signal(signal.SIGTERM, lambda number, _frame: asked.append(number))
    if hasattr(os, "nice"):
        os.nice(GIVES_WAY)
    with closing(reckon()) as reckoning:
        try:
            for message in reckoning:
                body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
                sys.stdout.buffer.write(_HEAD.pack(len(body)) + body)
                sys.stdout.buffer.flush()
                if asked:
                    break
        except BrokenPipeError:
            sys.stdout = None  # nobody reads; nothing is left to flush at the end


if __name__ == "__main__":
    main()
