"""Hostile names and talk in a journal, shown on a terminal."""

import re
from unicodedata import category

from cardtable.engine.journal import NameLine
from cardtable.store import sessions, summaries
from tests.pty.playing import create_session
from tests.pty.terminal import Terminal, run_in_parallel

NAMES = (
    "[@click=app.quit]x",
    "[/]",
    "\x1b]52;c;ZXZpbA==\x07\x1b]0;owned\x1b\\",
    "\x9b2J\x9d0;owned\x9c",
    "\u202eevil\u2066",
    "a" + "\u0301" * 60,
    "\U0001f469\u200d\U0001f680 \u6f22\u5b57 wide",
    "\x00\x07\x08\x7f\r\n\t",
    "x" * 3000,
)
ALLOWED_SEQUENCES = re.compile(
    r"\x1b\[[\d;]*m"  # ink and ground
    r"|\x1b\[\d+;\d+H"  # the cursor's place
    r"|\x1b\[\?(?:7|25|1000|1003|1004|1006|1007|1015|1049|2004|2026)[hl]"  # screen, cursor, mouse, paste, frames
    r"|\x1b\[\?(?:1007|2026|2048)\$p"  # what can the terminal do?
    r"|\x1b\[(?:>\d+|<)u"  # keys as they are
    r"|\x1b\]22;\w+\x07"  # the mouse's shape
    r"|[\r\n]"
)
"""Control sequences that the program uses."""


def quit_and_find_foreign(terminal):
    """Quit the program and return control characters in its output that belong to no known sequence."""
    assert terminal.quit() == 0
    rest = ALLOWED_SEQUENCES.sub("", terminal.output.decode())
    return {character for character in rest if category(character) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")}


def test_nicks_and_talk(home):
    def show_session(hostile):
        session = sessions.resume(summaries.find_path(create_session(names=("Guest", *hostile))))
        session.referee.say(hostile[0], 1)
        session.referee.record_line(NameLine(hostile[1]))
        session.close()
        with Terminal(home, "resume", session.header.id) as terminal:
            terminal.wait("? help")
            for _ in range(25):
                terminal.send("enter")
                terminal.read(0.05)
            for key in ("m", "m", "s", "s", "l", "l", "?", "escape"):
                terminal.send(key)
                terminal.wait_until_quiet(0.05)
            terminal.wait("? help")
            terminal.send("escape", until="Continue:")
            assert quit_and_find_foreign(terminal) == set()

    run_in_parallel(show_session, [NAMES[:3], NAMES[3:6], NAMES[6:]])


def test_nicks_at_a_curtain(home):
    session = create_session(names=("[@click=app.quit]x", "\x1b]52;c;ZXZpbA==\x07", "Bo", "Cy"), people=2)
    with Terminal(home, "resume", session) as terminal:
        terminal.wait("turn")
        assert quit_and_find_foreign(terminal) == set()


def test_name_of_a_file(home):
    create_session()
    name = "\x1b]52;c;ZXZpbA==\x07[@click=app.quit]x[.jsonl"
    (home / "sessions" / name).write_text("not a journal\n")
    with Terminal(home) as terminal:
        terminal.wait("Continue:")
        for _ in range(6):
            terminal.send("down")
            terminal.wait_until_quiet(0.05)
        assert quit_and_find_foreign(terminal) == set()
