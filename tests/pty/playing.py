"""Sessions for the program to open, and what their journals say that must have been on the screen."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cardtable.engine import journal, replay
from cardtable.engine.contract import Event
from cardtable.engine.journal import SeatOf
from cardtable.games import GAMES
from cardtable.store import sessions
from cardtable.ui import faces
from cardtable.ui.pieces.piece import piece
from cardtable.ui.widgets.panel import teller, told
from cardtable.ui.words import YOU
from tests.pty.terminal import Terminal

NAMES = ("Ada", "Bo", "Cy")
PANEL = 57
"""The first column of the panel on 80 columns."""
MINUS = "\u2212"


def begin(game: str = "rikiki", seed: int = 7, names: Sequence[str] = ("Guest", *NAMES), people: int = 1) -> str:
    """The id of a new session of people and robots that play at random."""
    chosen = GAMES[game]
    seats = [SeatOf(name, None if seat < people else "random") for seat, name in enumerate(names)]
    session = sessions.create(chosen, seats, chosen.options(), seed, now=datetime.now(UTC))
    session.close()
    return session.header.id


def reach_a_question(terminal: Terminal) -> None:
    """Wait until the table waits for the person, and the picture stays as it is."""
    terminal.wait(lambda: " Enter " in terminal.rows[-1])
    terminal.rest()


def reach_round(terminal: Terminal, number: int) -> None:
    """Play on by one key until this round of Rikiki, or a later one."""
    terminal.wait(lambda: _round(terminal.rows[0]) >= number, press="enter")


def _round(first_row: str) -> int:
    found = re.search(r"round (\d+) of", first_row)
    return int(found[1]) if found else 0


def lines(path: Path) -> list[str]:
    """What has happened in a session, a line each, without the times."""
    entries = journal.read(path.read_bytes()).entries
    return [re.sub(rb',?"at":[\d.]+', b"", entry.body).decode() for entry in entries]


def moments(data: bytes) -> list[tuple[str, str]]:
    """After each line of a journal: what the header says of the game, and all messages so far."""
    read = journal.read(data)
    (me,) = read.header.people
    names = [YOU if seat == me else who.name for seat, who in enumerate(read.header.seats)]
    game, said, seen = GAMES[read.header.game], "", []
    table = replay.begin(read.header, GAMES)
    before = table.view(me)

    def watch(event: Event) -> None:
        nonlocal before, said
        after = table.view(me)
        for note in game.narrate(event, before, after):
            said += joined(f"{teller(note, names)} {faces.shown_text(told(note, names))}")
        before = after

    table.watch = watch
    for entry in read.entries:
        before = table.view(me)
        table.take(entry.line)
        seen.append((piece(game.key).header(table.view(me)), said))
    return seen


def shown(rows: list[str]) -> tuple[str, str]:
    """The first row of the table screen on 80x24, and the messages in its panel."""
    panel = [row[PANEL:].strip() for row in rows]
    if "Messages" not in panel:
        return rows[0], ""
    below = panel[panel.index("Messages") + 1 :]
    return rows[0], joined("".join(below[: below.index("")]))


def joined(text: str) -> str:
    """A text without blanks, with the one minus sign that screens use."""
    return "".join(text.split()).replace("-", MINUS)


def accounts_for(data: bytes, rows: list[str]) -> bool:
    """Whether what was on the screen came from the lines of a journal, all of them there."""
    first, said = shown(rows)
    return any(facts in first and everything.endswith(said) for facts, everything in moments(data))


def without_last_line(data: bytes) -> bytes:
    """A journal that is one line shorter."""
    return data[: data.rindex(b"\n", 0, -1) + 1]
