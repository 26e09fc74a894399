"""The process that reckons ratings and statistics, and tells the program that started it how far it is.

A thread would not do: while it replays journals keys would wait.  Each message on standard output is a pickled
``Reckoned``, with its length before it.
"""

import pickle
import signal
import sys
from contextlib import closing
from typing import Final

from cardtable.records.reckoning import Reckoned, reckon
from cardtable.robots.pipes import framed, give_way

GIVES_WAY: Final = 10
"""By how much its priority is lower than that of the process that answers keys, and lower than that of robots."""


def told(body: bytes) -> Reckoned:
    """What a message tells."""
    message: Reckoned = pickle.loads(body)  # noqa: S301 - from the process that this one started
    return message


def main() -> None:
    """Tell the program that started this process all there is to tell, until there is no more or it is asked to end."""
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: asked.append(number))
    give_way(GIVES_WAY)
    with closing(reckon()) as reckoning:
        try:
            for message in reckoning:
                sys.stdout.buffer.write(framed(pickle.dumps(message, pickle.HIGHEST_PROTOCOL)))
                sys.stdout.buffer.flush()
                if asked:
                    break
        except BrokenPipeError:
            sys.stdout = None  # nobody reads; nothing is left to flush at the end


if __name__ == "__main__":
    main()
