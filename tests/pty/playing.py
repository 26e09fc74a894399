"""Sessions for the program to open, and what their journals say that must have been on the screen."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cardtable.engine import journal, replay
from cardtable.engine.game import Note
from cardtable.engine.journal import Journal, Occupant
from cardtable.engine.log_entries import TAKEN_BACK, UNRATED
from cardtable.games import GAMES
from cardtable.store import sessions
from cardtable.ui.game_view.registry import get_game_view
from cardtable.wording.formatting import YOU, insert_suit_signs
from cardtable.wording.log_entries import format_messages
from tests.pty.terminal import Terminal

NAMES = ("Ada", "Bo", "Cy")
PANEL = 57
"""The first column of the panel on 80 columns."""
MOST_NOTES = 100
"""More than a panel of 24 rows can show."""
MINUS = "\u2212"


def begin(game: str = "rikiki", seed: int = 7, names: Sequence[str] = ("Guest", *NAMES), people: int = 1) -> str:
    """The id of a new session of people and robots that play at random."""
    chosen = GAMES[game]
    seats = [Occupant(name, None if seat < people else "random") for seat, name in enumerate(names)]
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


@dataclass
class Moment:
    """Where a session stood after a line of its journal."""

    facts: str
    """What the header says of the game."""
    notes: list[Note]
    """The newest messages."""


def moments(read: Journal, names: list[str]) -> Iterator[Moment]:
    """Yield the moments before the first line and after each, as the only person saw them.

    That a session no longer counts is said at the first decision taken back, and not again after a resume: from there
    on each moment comes with this message and without it.
    """
    game, me = GAMES[read.header.game], names.index(YOU)
    table, variants = replay.create_referee(read.header, GAMES), [list[Note]()]
    yield Moment("", [])
    for entry in read.entries:
        before, events = table.view(me), []
        if entry.line.undo and not table.undone:
            variants.append([*variants[0]])
        table.on_event = events.append
        table.apply_line(entry.line)
        after = table.view(me)
        new = [note for event in events for note in game.narrate(event, before, after)]
        is_first_undo = bool(entry.line.undo) and UNRATED not in variants[-1] and len(variants) > 1
        for notes in variants:
            notes.extend(new)
            if entry.line.undo:
                notes.append(TAKEN_BACK)
        if is_first_undo:
            variants[-1].append(UNRATED)
        told = " · ".join(get_game_view(game.about.key).header(after).all)
        for notes in variants:
            yield Moment(told, notes[-MOST_NOTES:])


def shown(rows: list[str]) -> tuple[str, str]:
    """The first row of the table screen on 80x24, and the messages in its panel; ``…`` ends the oldest if it is cut."""
    cut = [row[PANEL:].strip() for row in rows]
    if "Messages" not in cut:
        return rows[0], ""
    below = cut[cut.index("Messages") + 1 :]
    return rows[0], joined("".join(below[: below.index("")]))


def joined(text: str) -> str:
    """A text without blanks, with the one minus sign that screens use."""
    return "".join(text.split()).replace("-", MINUS)


def accounts_for(data: bytes, rows: list[str]) -> bool:
    """Whether what was on the screen came from the lines of a journal, all of them there."""
    first, seen = shown(rows)
    read = journal.read(data)
    names = [who.name if who.robot else YOU for who in read.header.seats]
    for moment in moments(read, names):
        if moment.facts in first:
            told = format_messages(moment.notes, names, joins=get_game_view(read.header.game).joins_messages)
            said = "".join(f"{who} {insert_suit_signs(what)} " for who, what, _ in told)
            if re.search(".*".join(map(re.escape, seen.split("…"))) + "$", joined(said)):
                return True
    return False


def without_last_line(data: bytes) -> bytes:
    """A journal that is one line shorter."""
    return data[: data.rindex(b"\n", 0, -1) + 1]
