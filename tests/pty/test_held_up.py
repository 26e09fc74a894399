"""Input typed while the program is stopped applies only to the screen that was visible then."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, product
from random import Random

from cardtable.plain.console import DISCARD_SECONDS
from tests.budgets import LONG, tried
from tests.pty.terminal import Terminal, side_by_side
from tests.pty.test_plain import answered
from tests.pty.test_quick_presses import SEATS, SEEDS, Pressing, played

LONGEST = 5.0 if LONG else 1.2
"""Longest stop, in seconds."""
CLICK = "\x1b[<0;40;12M\x1b[<0;40;12m"
TYPED = ("\r", " ", "\r\r", CLICK, CLICK * 2)
"""Enter, Space and clicks on a curtain's plate: input that could open a hand or play a card."""
TABLES = list(product(SEATS, SEEDS[:2]))


@contextmanager
def stopped(terminal: Terminal, seconds: float) -> Iterator[None]:
    """Stop the program for ``seconds``, measured from the beginning of the context."""
    terminal.process.send_signal(signal.SIGSTOP)
    end = time.monotonic() + seconds
    yield
    time.sleep(max(end - time.monotonic(), 0))
    terminal.process.send_signal(signal.SIGCONT)


def after_the_picture(at: Pressing, rng: Random) -> bool:
    """Play, then press more keys while the program is stopped just after the next frame."""
    before, end = at.terminal.text, time.monotonic() + 2
    at.press("enter")
    while at.terminal.text == before and time.monotonic() < end:
        at.terminal.read(0.01)
    time.sleep(rng.uniform(0, 0.1))
    with stopped(at.terminal, rng.uniform(0.2, LONGEST)):
        at.press(rng.choice(TYPED), after=rng.uniform(0.02, 0.1))
    return True


def before_the_picture(at: Pressing, rng: Random) -> bool:
    """Play and press more keys while the program is stopped."""
    with stopped(at.terminal, rng.uniform(0.2, LONGEST)):
        at.press("enter")
        at.press(rng.choice(TYPED), after=rng.uniform(0.02, 0.1))
    return True


def test_input_of_a_stopped_program(tmp_path):
    def wrongs(table):
        kinds = (after_the_picture, before_the_picture)
        return played(tmp_path, *table, kinds, tried("stops") / len(TABLES))

    assert not (found := list(chain.from_iterable(side_by_side(wrongs, TABLES)))), "\n".join(found)


def test_curtain_of_plain_mode(home):
    with Terminal(home, "play", "ten_down", "--plain", "--seed", "7", "--seats", "person:Anna,person:Bob") as terminal:
        answered(terminal)
        answered(terminal, "")
        before = len(terminal.output)
        terminal.send("bid 4\r")
        terminal.wait(lambda: b"press Enter" in terminal.output[before:])
        with stopped(terminal, DISCARD_SECONDS + 0.2):
            terminal.send("\r")
        terminal.rest(DISCARD_SECONDS + 0.2)
        assert b"Your hand" not in terminal.output[before:]
        assert "Your hand" in answered(terminal, "")
