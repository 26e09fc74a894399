"""Sessions for the program to open, and screens that their journals account for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cardtable.engine import journal, replay
from cardtable.engine.game import Note
from cardtable.engine.journal import Journal, Occupant, UndoLine
from cardtable.engine.log_entries import TAKEN_BACK, UNRATED
from cardtable.games import GAMES
from cardtable.store import sessions
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.keys.input_guard import CURTAIN_SECONDS
from cardtable.wording.formatting import YOU, insert_suit_signs
from cardtable.wording.log_entries import format_messages
from tests.pty.terminal import Terminal

NAMES = ("Ada", "Bo", "Cy")
PANEL = 57
"""First column of the panel on 80 columns."""
MAX_NOTES = 100
"""More log entries than a panel of 24 rows can show."""
MINUS = "\u2212"


def create_session(
    game: str = "rikiki", seed: int = 7, names: Sequence[str] = ("Guest", *NAMES), people: int = 1
) -> str:
    """Create a session of people and random robots and return its id."""
    chosen = GAMES[game]
    seats = [Occupant(name, None if seat < people else "random") for seat, name in enumerate(names)]
    session = sessions.create(chosen, seats, chosen.options(), seed, now=datetime.now(UTC))
    session.close()
    return session.header.id


def wait_for_turn(terminal: Terminal) -> None:
    """Wait until it is the player's turn and the screen no longer changes."""
    terminal.wait(lambda: " Enter " in terminal.rows[-1])
    terminal.wait_until_quiet()


def wait_for_curtain(terminal: Terminal) -> None:
    """Wait for a curtain until it accepts keys."""
    terminal.wait_until_quiet(CURTAIN_SECONDS + 0.1)


def play_until_round(terminal: Terminal, number: int) -> None:
    """Press Enter until this round of Rikiki or a later one."""
    terminal.wait(lambda: _parse_round(terminal.rows[0]) >= number, press="enter", quick=True)


def _parse_round(first_row: str) -> int:
    match = re.search(r"round (\d+) of", first_row)
    return int(match[1]) if match else 0


def read_lines(path: Path) -> list[str]:
    """Return the lines of a session without their times."""
    entries = journal.read(path.read_bytes()).entries
    return [re.sub(rb',?"at":[\d.]+', b"", entry.body).decode() for entry in entries]


@dataclass
class ReplayMoment:
    """Screen content after a line of a journal."""

    heading: str
    """Facts in the first row of the table."""
    notes: list[Note]
    """Latest log entries."""


def iter_moments(read: Journal, names: list[str]) -> Iterator[ReplayMoment]:
    """Yield the moments before the first line and after each, as the only player saw them.

    The message that a session is no longer rated appears at the first undo, and not again after a resume: from there on
    each moment comes with and without it.
    """
    game, me = GAMES[read.header.game], names.index(YOU)
    table, variants = replay.create_referee(read.header, GAMES), [list[Note]()]
    yield ReplayMoment("", [])
    for entry in read.entries:
        before, events = table.view(me), []
        is_undo = isinstance(entry.line, UndoLine)
        if is_undo and not table.undone:
            variants.append([*variants[0]])
        table.on_event = events.append
        table.apply_line(entry.line)
        after = table.view(me)
        new = [note for event in events for note in game.narrate(event, before, after)]
        is_first_undo = is_undo and UNRATED not in variants[-1] and len(variants) > 1
        for notes in variants:
            notes.extend(new)
            if is_undo:
                notes.append(TAKEN_BACK)
        if is_first_undo:
            variants[-1].append(UNRATED)
        heading = " · ".join(get_game_view(game.about.key).header(after).all)
        for notes in variants:
            yield ReplayMoment(heading, notes[-MAX_NOTES:])


def read_table_screen(rows: list[str]) -> tuple[str, str]:
    """Return the first row of the table on 80x24 and the messages in its panel; ``…`` ends the oldest if it is cut."""
    cut = [row[PANEL:].strip() for row in rows]
    if "Messages" not in cut:
        return rows[0], ""
    below = cut[cut.index("Messages") + 1 :]
    return rows[0], normalize("".join(below[: below.index("")]))


def normalize(text: str) -> str:
    """Return a text without blanks, with the minus sign that screens use."""
    return "".join(text.split()).replace("-", MINUS)


def is_accounted_for(data: bytes, rows: list[str]) -> bool:
    """Return True if a screen can come from the lines of a journal, including the last one."""
    first, seen = read_table_screen(rows)
    read = journal.read(data)
    names = [occupant.name if occupant.robot else YOU for occupant in read.header.seats]
    for moment in iter_moments(read, names):
        if moment.heading in first:
            joins = get_game_view(read.header.game).joins_messages
            messages = format_messages(moment.notes, names, joins=joins, has_talk=len(read.header.people) > 1)
            text = "".join(f"{name} {insert_suit_signs(event)} " for name, event, _ in messages)
            if re.search(".*".join(map(re.escape, seen.split("…"))) + "$", normalize(text)):
                return True
    return False


def remove_last_line(data: bytes) -> bytes:
    """Return a journal without its last line."""
    return data[: data.rindex(b"\n", 0, -1) + 1]
