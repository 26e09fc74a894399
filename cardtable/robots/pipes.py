"""What the program's other processes have in common: how they start, messages with their length, that they give way."""

import os
import signal
import struct
import sys
from typing import Final

_HEAD: Final = struct.Struct(">I")
HEAD_BYTES: Final = _HEAD.size
"""Bytes before each message, which hold its length."""


def command(module: str) -> tuple[str, str, str, str]:
    """What starts a module of this program, whatever modules lie in the folder that one is in."""
    return sys.executable, "-P", "-m", module


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
