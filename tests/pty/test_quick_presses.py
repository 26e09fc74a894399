"""Quick second presses, clicks and keys held down: at a hot seat nobody sees another's hand, nobody plays twice.

Each time somebody takes the keyboard, plays, and presses more.  What came of it is read in the
journal.  A key that a busy machine has held down unevenly is none that is held down: it is tried again.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, product
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Line
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.ui.toolkit.keys.input_guard import BOUNCE_SECONDS, RELEASE_SECONDS
from tests.budgets import tried
from tests.pty.terminal import Terminal

TIMES = tried("presses")
"""How often in each game somebody presses too much."""
THREE, FOUR = "person:Tom,person:Zoe,person:Max,novice", "person:Tom,person:Zoe,person:Max,person:Eva"
SEATS = {"gurka": THREE, "king": THREE, "bridge": FOUR, "rikiki": "me,novice,novice,novice"}
SEEDS = (3, 4, 5, 6)
"""A table is played with each of them at the same time, and then others."""
SETTINGS = "pace = 0.1\ntrick_pause = 0.3\nanimation = false\n"
SEEN = 0.7
"""Seconds in which nothing changes: after them whoever sits there has seen what is asked, at a curtain, too."""
SEEN_HAND = 0.4
"""The same where a hand has been shown."""
WAIT = 0.3
"""Seconds for which Enter and clicks do not count when something else is asked for, as usual."""
HELD = 0.115
"""Seconds between presses of a key that is held down, at most."""
LATE = 0.03
"""Seconds by which a busy machine may hand on a key later than the one before."""
CURTAIN = re.compile(r"(\w+)'s turn . press Enter")
LAID_OVER = re.compile("back to|close")
"""In the footer of what a letter has laid over the table."""
CURSOR = "▲"


@dataclass
class Pressing:
    """A terminal at which keys are pressed quickly; when each was."""

    terminal: Terminal
    moments: list[float] = field(default_factory=list)
    clicks: bool = False
    """Whether it is the mouse that is pressed, after the first time."""

    def press(self, *keys: str, after: float = 0.0) -> None:
        """Press keys once so many seconds have gone; what is written meanwhile is read."""
        end = time.monotonic() + after
        while (left := end - time.monotonic()) > 0:
            self.terminal.read(left)
        self.terminal.send(*keys)
        self.moments.append(time.monotonic())

    @property
    def gaps(self) -> list[float]:
        """Seconds between presses."""
        return [later - earlier for earlier, later in zip(self.moments, self.moments[1:], strict=False)]

    @property
    def presses(self) -> int:
        """How many of them may be presses of a key of their own: none that bounces or is held down."""
        count, held = 1, False
        for gap in self.gaps * (not self.clicks):
            held = gap < (RELEASE_SECONDS if held else BOUNCE_SECONDS) - LATE
            count += not held
        return count

    @property
    def goes_on(self) -> bool:
        """Whether something was pressed when what the first press brought could have been seen."""
        return sum(self.gaps) >= WAIT


def second_press(at: Pressing, rng: Random) -> bool:
    """A finger that bounces, or is too quick."""
    at.press("enter")
    at.press(rng.choice(["enter", " "]), after=rng.uniform(0.05, 0.15))
    at.press("enter", after=rng.uniform(0.05, 0.15))
    return True


def held_down(every: float, at: Pressing, rng: Random) -> bool:
    """A key that is held down, and repeats after a while; whether it did so evenly."""
    at.press("enter")
    at.press("enter", after=rng.uniform(0.25, 0.35))
    for _ in range(int(0.6 / every)):
        at.press("enter", after=every)
    return all(gap < HELD for gap in at.gaps[1:])


def clicks(at: Pressing, rng: Random) -> bool:
    """Double clicks on the card under the cursor; without one on what lies in the middle."""
    rows = at.terminal.rows
    below = next((y for y, row in enumerate(rows) if CURSOR in row), None)
    x, y = (rows[below].index(CURSOR) + 1, below) if below is not None else (28, 10)
    if below is None:
        at.press("enter")
    at.clicks = True
    for _ in range(4):
        at.press(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m", after=rng.uniform(0.05, 0.15))
    return True


def typed_ahead(at: Pressing, rng: Random) -> bool:
    """All at once, as a slow line delivers it."""
    at.press("enter", rng.choice(["\rs\r\r", "\r\r\r", "m\r\r", " \r \r", "\r1\r2\r"]))
    return True


def impatient(at: Pressing, rng: Random) -> bool:
    """Presses about the time at which a trick's pause ends by itself."""
    at.press("enter")
    at.press("enter", after=rng.uniform(0.3, 0.5))
    return at.gaps[0] < 0.55


Kind: TypeAlias = Callable[[Pressing, Random], bool]
"""A way to press too much; whether it was as quick as it should be."""
KINDS: Sequence[Kind] = (
    second_press,
    *[partial(held_down, every) for every in (0.03, 0.06, 0.092)],
    clicks,
    typed_ahead,
    impatient,
)


class Followed:
    """A session as its journal has it."""

    def __init__(self, path: Path) -> None:
        self._places = path, path.parent.parent / "archive" / path.name
        read = journal.read(path.read_bytes())
        self.table: Referee = replay.create_referee(read.header, GAMES)
        self.names = [who.name for who in read.header.seats]
        self._people, self._taken = read.header.people, 0
        self.straight = True
        """Whether of what is new one followed straight from another, with nobody else in between."""

    def news(self) -> list[Line]:
        """What people have decided since the last time, but for what plays itself."""
        table, decided, last = self.table, [], None
        self.straight = True
        [path] = [path for path in self._places if path.exists()]
        entries = journal.read(path.read_bytes()).entries
        for entry in entries[self._taken :]:
            line = entry.line
            if line.seat in self._people and str(table.game.forced_silent_action(table.view(line.seat))) != line.action:
                self.straight &= not decided or last == line.seat
                decided.append(line)
            last = last if line.seat is None else line.seat
            table.apply_line(line)
        self._taken = len(entries)
        return decided


def turns(terminal: Terminal, session: Followed) -> Iterator[str]:
    """Bring the game to one person's turn after another, until the session is over; by name who acts."""
    while session.table.turn != OVER:
        look(terminal)
        session.news()
        if CURTAIN.search(terminal.text):
            terminal.wait(lambda: not CURTAIN.search(terminal.text), press="enter")
            terminal.rest(SEEN_HAND)
            yield session.names[session.table.turn]
        elif "next round" in terminal.rows[-1]:
            terminal.send("enter")
        elif session.table.turn in range(len(session.names)):
            yield session.names[session.table.turn]


def look(terminal: Terminal) -> None:
    """Wait for what is asked, and put away what a letter has laid over it."""
    for _ in range(100):
        terminal.rest(SEEN)
        if LAID_OVER.search(terminal.rows[-1]):
            terminal.send("escape")
        elif "Enter" in terminal.rows[-1]:
            return
    raise AssertionError(f"nothing is asked; the terminal shows:\n{terminal.text}")


def wrong(at: Pressing, session: Followed, who: str, round_: int) -> list[str]:
    """What has come of all the presses of ``who`` in a round that should not have.

    What follows without a pause a key that is held down may answer, too: its first repeat is a second press.
    What follows straight from what she did each press of its own may answer.
    """
    decided, table = session.news(), session.table
    found = [f"{session.names[line.seat]} did {line.action}" for line in decided if session.names[line.seat] != who]
    done = [*[str(line.action) for line in decided], *["next round"] * (table.round - round_)]
    pause = table.tricks and done and done[0].startswith("play")
    most = 1 if pause else max(at.presses if session.straight else 1, 2 if at.goes_on else 1)
    if len(done) > most:
        found.append(f"{who} did {', '.join(done)}")
    following = session.names[table.turn] if table.turn not in (CHANCE, OVER) else who
    if following != who and f"{following}'s turn" not in at.terminal.text:
        found.append(f"{who} sees the hand of {following}")
    return found


def played(
    folder: Path, game: str, first: int, kinds: Sequence[Kind] = KINDS, most: float = TIMES / len(SEEDS)
) -> list[str]:
    """Press too much, `most` times, in sessions that begin with a seed; what was wrong."""
    done, found, rng = 0, [], Random(first)
    before = round(SEEDS.index(first) * most)
    for seed in count(first, len(SEEDS)):
        home = folder / f"{game}-{seed}"
        home.mkdir()
        (home / "settings.toml").write_text(SETTINGS)
        with Terminal(home, "play", game, "--mono", "--seats", SEATS[game], "--seed", str(seed)) as terminal:
            terminal.wait("? help")
            [path] = (home / "sessions").glob("*.jsonl")
            session = Followed(path)
            for who in turns(terminal, session):
                kind, round_, at = kinds[(before + done) % len(kinds)], session.table.round, Pressing(terminal)
                quick = kind(at, rng)
                look(terminal)
                if mistakes := wrong(at, session, who, round_) if quick else []:
                    found.append(f"{game} {seed}, {who}, {kind}, {at.gaps}: {mistakes}\n{terminal.text}")
                done += quick
                if done >= most:
                    return found
    raise AssertionError("there is always another seed")


@pytest.mark.promise(
    "Hot seat and hidden cards",
    "Keys and clicks from before a curtain have no effect behind it, and no click opens a curtain.",
)
@pytest.mark.promise("Hot seat and hidden cards", "No screen shows another player's hand before the round has ended.")
def test_who_presses_too_much_sees_no_other_hand_and_plays_nothing_more(tmp_path):
    tables = list(product(SEATS, SEEDS))
    with ThreadPoolExecutor(len(tables)) as threads:
        found = threads.map(partial(played, tmp_path), *zip(*tables, strict=True))
        assert not (wrongs := list(chain.from_iterable(found))), "\n".join(wrongs)
