"""Input typed while the program is stopped applies only to the screen that was visible then."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, product
from random import Random

from cardtable.plain.console import DISCARD_SECONDS
from tests.budgets import LONG, get_trials
from tests.pty.terminal import Terminal, run_in_parallel
from tests.pty.test_plain import read_answer
from tests.pty.test_quick_presses import GUARD_SECONDS, SEATS, SEEDS, KeyPresser, play_trials

MAX_SECONDS = 5.0 if LONG else 1.2
"""Longest stop, in seconds."""
CLICK = "\x1b[<0;40;12M\x1b[<0;40;12m"
TYPED_KEYS = ("\r", " ", "\r\r", CLICK, CLICK * 2)
"""Enter, Space and clicks on a curtain's plate: input that could open a hand or play a card."""
TABLES = list(product(SEATS, SEEDS[:2]))


@contextmanager
def suspended(terminal: Terminal, seconds: float) -> Iterator[None]:
    """Stop the program for ``seconds``, measured from the beginning of the context."""
    terminal.process.send_signal(signal.SIGSTOP)
    end = time.monotonic() + seconds
    yield
    time.sleep(max(end - time.monotonic(), 0))
    terminal.process.send_signal(signal.SIGCONT)


def press_after_frame(at: KeyPresser, rng: Random) -> bool:
    """Play, then press more keys while the program is stopped just after the next frame.

    Returns True if the next question cannot have been shown for longer than the guard time before.
    """
    before, end = at.terminal.text, time.monotonic() + 2
    at.press("enter")
    while at.terminal.text == before and time.monotonic() < end:
        at.terminal.read(0.01)
    time.sleep(rng.uniform(0, 0.1))
    with suspended(at.terminal, rng.uniform(0.2, MAX_SECONDS)):
        at.press(rng.choice(TYPED_KEYS), after=rng.uniform(0.02, 0.1))
    return at.gaps[0] < GUARD_SECONDS


def press_before_frame(at: KeyPresser, rng: Random) -> bool:
    """Play and press more keys while the program is stopped."""
    with suspended(at.terminal, rng.uniform(0.2, MAX_SECONDS)):
        at.press("enter")
        at.press(rng.choice(TYPED_KEYS), after=rng.uniform(0.02, 0.1))
    return True


def test_input_while_stopped_on_screen(tmp_path):
    def list_mistakes(table):
        kinds = (press_after_frame, press_before_frame)
        return play_trials(tmp_path, *table, kinds, get_trials("stops") / len(TABLES))

    assert not (mistakes := list(chain.from_iterable(run_in_parallel(list_mistakes, TABLES)))), "\n".join(mistakes)


def test_input_while_stopped_in_plain_text(home):
    with Terminal(home, "play", "ten_down", "--plain", "--seed", "7", "--seats", "person:Anna,person:Bob") as terminal:
        read_answer(terminal)
        read_answer(terminal, "")
        before = len(terminal.output)
        terminal.send("bid 4\r")
        terminal.wait(lambda: b"press Enter" in terminal.output[before:])
        with suspended(terminal, DISCARD_SECONDS + 0.2):
            terminal.send("\r")
        terminal.wait_until_quiet(DISCARD_SECONDS + 0.2)
        assert b"Your hand" not in terminal.output[before:]
        assert "Your hand" in read_answer(terminal, "")
