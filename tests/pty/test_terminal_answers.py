"""Answers of the terminal, cut anywhere or unfinished, and unfinished pastes: none of them counts as keys."""

import re
from functools import partial
from random import Random

from tests.budgets import get_trials
from tests.pty.playing import create_session, wait_for_turn
from tests.pty.terminal import Terminal, run_in_parallel
from tests.pty.test_signals import is_restored

ANSWERS = (
    b"\x1b]11;rgb:bbbb/hhhh/mmmm\x1b\\",
    b"\x1b]10;rgb:nnnn/gggg/eeee\x07",
    b"\x1b]52;c;aGJtc2duZQ==\x9c",
    b"\x1bP>|hbmsgn(1)\x1b\\",
    b"\x1b_Gi=1;bhm\x1b\\",
    b"\x1b^hbm\x1b\\",
    b"\x1bXhbm\x1b\\",
    b"\x1b[?62;22c",
    b"\x1b[>41;390;0c",
    b"\x1b[?997;1n",
    b"\x1b[12;40R",
    b"\x1b[?1049;2$y",
    b"\x1b[?5u",
    b"\x1b[8;24;80t",
)
UNFINISHED_ANSWERS = (
    b"\x1b]11;rgb:bb",
    b"\x1bP>|hbm",
    b"\x1b_hbm",
    b"\x1b^hbm",
    b"\x1bXhbm",
    b"\x1b[?62;",
    b"\x1b[200~hbm",
)
"""Answers without an end, made of letters that are keys at the table and in the picker."""
CTRL_Q = ("\x1b[113;5u", "\x1b[1081;5u", "\x1b[1081::113;5u", "\x1b[59::113;5u", "\x11")
"""Ctrl+Q as terminals send it on several keyboard layouts."""
SILENCE_SECONDS = 1.2
"""Seconds after which keys count again."""


def send_parts(terminal, *parts, pause=0.0):
    """Send pieces as a terminal does, with a pause after each."""
    for part in parts:
        terminal.send_bytes(part)
        terminal.read(pause)


def split_randomly(answer, rng):
    """Cut an answer into up to three pieces; the first is no single ESC, which counts as a key if nothing follows."""
    places = sorted({rng.randrange(2, len(answer)) for _ in range(rng.randrange(3))})
    return [answer[start:end] for start, end in zip([0, *places], [*places, len(answer)], strict=True)]


def open_picker(terminal):
    """Wait for the picker."""
    terminal.wait("Rikiki")


def open_form(terminal):
    """Open the form of a new table."""
    terminal.wait("Rikiki")
    terminal.send("n", until="Deal the cards")


def open_messages(terminal):
    """Open the line for talk at a table."""
    wait_for_turn(terminal)
    terminal.send("m", until="Type a message")


SCREENS = {"picker": open_picker, "form": open_form, "table": wait_for_turn, "messages": open_messages}


def read_without_ages(terminal):
    """Return the text on the screen without how long ago a session was played, which changes by itself."""
    return re.sub(r" *(just now|\d+ minutes? ago) *", "", terminal.text)


def check_answers(home, screen):
    """Send answers on a screen, then an unfinished one; nothing may change, and Ctrl+Q must quit."""
    rng, settings = Random(screen), home / "settings.toml"
    set_before = settings.read_text()
    arguments = ("resume", create_session()) if screen in ("table", "messages") else ()
    with Terminal(home, *arguments) as terminal:
        SCREENS[screen](terminal)
        terminal.wait_until_quiet()
        before = read_without_ages(terminal)
        for _ in range(get_trials("answers") // len(SCREENS)):
            answer = rng.choice(ANSWERS)
            parts = split_randomly(answer, rng)
            send_parts(terminal, *parts, pause=rng.choice([0.0, 0.05, 0.3]))
            terminal.wait_until_quiet(0.05)
            assert read_without_ages(terminal) == before, (screen, parts)
        send_parts(terminal, rng.choice(UNFINISHED_ANSWERS[:-1]))
        terminal.wait_until_quiet(SILENCE_SECONDS)
        assert read_without_ages(terminal) == before
        assert terminal.quit() == 0
    assert settings.read_text() == set_before


def test_answers_are_no_keys(home):
    run_in_parallel(partial(check_answers, home), SCREENS)


def test_ctrl_q_of_any_layout_after_an_unfinished_sequence(home):
    def quit_after(sequences):
        unfinished, ctrl_q = sequences
        with Terminal(home) as terminal:
            for last_shown in ("Every move is saved", "not played yet"):
                terminal.wait(last_shown)
            before = terminal.text
            send_parts(terminal, unfinished)
            terminal.wait_until_quiet(SILENCE_SECONDS)
            assert terminal.text == before
            terminal.send(ctrl_q)
            assert terminal.wait_for_end() == 0
            assert is_restored(terminal)

    run_in_parallel(quit_after, zip(UNFINISHED_ANSWERS, CTRL_Q, strict=False))


def test_paste_into_a_line(home):
    with Terminal(home, "resume", create_session()) as terminal:
        open_messages(terminal)
        send_parts(terminal, b"\x1b[200~quick \x1b[31mred\x1b[0m fox\x1b[201~")
        terminal.wait("quick red fox")
        send_parts(terminal, b"\x1b[200~ jumps")
        terminal.wait("quick red fox jumps")
        assert terminal.quit() == 0
