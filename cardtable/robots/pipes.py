"""What processes that think have in common: messages with their length before them, and that they give way."""

import os
import signal
import struct
from typing import Final

_HEAD: Final = struct.Struct(">I")
HEAD_BYTES: Final = _HEAD.size
"""Bytes before each message, which hold its length."""


def length(head: bytes) -> int:
    """The length of a message from the ``HEAD_BYTES`` before it."""
    size: int = _HEAD.unpack(head)[0]
    return size


def framed(body: bytes) -> bytes:
    """A message as it goes through the pipe."""
    return _HEAD.pack(len(body)) + body


def give_way(by: int) -> None:
    """Have this process's priority be lower by so much, where there is such a thing, and leave Ctrl+C to its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(by)
