"""Quick second presses, clicks and held keys at a hot seat: no hand is shown to another player, no turn is played
twice.

In each trial a player takes the keyboard, plays, and presses more; the result is read from the journal. A held key that
a busy machine repeats unevenly does not count as held: the trial is repeated.
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
"""Trials of each game."""
THREE, FOUR = "person:Tom,person:Zoe,person:Max,novice", "person:Tom,person:Zoe,person:Max,person:Eva"
SEATS = {"gurka": THREE, "king": THREE, "bridge": FOUR, "rikiki": "me,novice,novice,novice"}
SEEDS = (3, 4, 5, 6)
"""Seeds of tables that are played at the same time; further sessions have other seeds."""
SETTINGS = "pace = 0.1\ntrick_pause = 0.3\nanimation = false\n"
SEEN = 0.7
"""Seconds without a change after which the player has seen the question, also at a curtain."""
SEEN_HAND = 0.4
"""The same when a hand is shown."""
WAIT = 0.3
"""Seconds during which Enter and clicks do not count after a new question; the default setting."""
HELD = 0.115
"""Longest interval between repeats of a held key, in seconds."""
LATE = 0.03
"""Seconds by which a busy machine may delay a key."""
CURTAIN = re.compile(r"(\w+)'s turn . press Enter")
LAID_OVER = re.compile("back to|close")
"""Text in the footer of an overlay."""
CURSOR = "▲"


@dataclass
class Pressing:
    """Terminal on which keys are pressed quickly, with the time of each press."""

    terminal: Terminal
    moments: list[float] = field(default_factory=list)
    clicks: bool = False
    """True if the mouse is used after the first press."""

    def press(self, *keys: str, after: float = 0.0) -> None:
        """Press keys after a delay, reading output meanwhile."""
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
        """Number of presses that may count as separate ones: neither bounces nor repeats of a held key."""
        count, held = 1, False
        for gap in self.gaps * (not self.clicks):
            held = gap < (RELEASE_SECONDS if held else BOUNCE_SECONDS) - LATE
            count += not held
        return count

    @property
    def goes_on(self) -> bool:
        """True if a press came after the guard time of the first one."""
        return sum(self.gaps) >= WAIT


def second_press(at: Pressing, rng: Random) -> bool:
    """Press Enter twice more, like a bouncing or too quick finger."""
    at.press("enter")
    at.press(rng.choice(["enter", " "]), after=rng.uniform(0.05, 0.15))
    at.press("enter", after=rng.uniform(0.05, 0.15))
    return True


def held_down(every: float, at: Pressing, rng: Random) -> bool:
    """Hold a key, which repeats after a delay; return True if it repeated evenly."""
    at.press("enter")
    at.press("enter", after=rng.uniform(0.25, 0.35))
    for _ in range(int(0.6 / every)):
        at.press("enter", after=every)
    return all(gap < HELD for gap in at.gaps[1:])


def clicks(at: Pressing, rng: Random) -> bool:
    """Double-click the card under the cursor, or the middle if there is none."""
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
    """Send several keys at once, as a slow line delivers them."""
    at.press("enter", rng.choice(["\rs\r\r", "\r\r\r", "m\r\r", " \r \r", "\r1\r2\r"]))
    return True


def impatient(at: Pressing, rng: Random) -> bool:
    """Press Enter when the pause after a trick ends by itself."""
    at.press("enter")
    at.press("enter", after=rng.uniform(0.3, 0.5))
    return at.gaps[0] < 0.55


Kind: TypeAlias = Callable[[Pressing, Random], bool]
"""Way to press too much; returns True if it was as quick as it should be."""
KINDS: Sequence[Kind] = (
    second_press,
    *[partial(held_down, every) for every in (0.03, 0.06, 0.092)],
    clicks,
    typed_ahead,
    impatient,
)


class Followed:
    """Session read from its journal while it is played."""

    def __init__(self, path: Path) -> None:
        self._places = path, path.parent.parent / "archive" / path.name
        read = journal.read(path.read_bytes())
        self.table: Referee = replay.create_referee(read.header, GAMES)
        self.names = [who.name for who in read.header.seats]
        self._people, self._taken = read.header.people, 0
        self.straight = True
        """True if the latest decisions followed each other without another seat in between."""

    def news(self) -> list[Line]:
        """Return new decisions of people, without those that are played automatically."""
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
    """Play until it is the turn of one person after another, to the end of the session; yield the names."""
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
    """Wait for the next question and close overlays."""
    for _ in range(100):
        terminal.rest(SEEN)
        if LAID_OVER.search(terminal.rows[-1]):
            terminal.send("escape")
        elif "Enter" in terminal.rows[-1]:
            return
    raise AssertionError(f"nothing is asked; the terminal shows:\n{terminal.text}")


def wrong(at: Pressing, session: Followed, who: str, round_: int) -> list[str]:
    """Return effects of a player's presses in a round that should not have happened.

    A held key may answer what follows without a pause, since its first repeat counts as a second press. If the player
    is on turn again at once, each separate press may answer.
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
    """Press too much, a number of times, in sessions that begin with a seed; return the mistakes."""
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
