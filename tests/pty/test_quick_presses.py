"""Quick second presses, clicks and held keys at a hot seat: no hand is shown to another player, no turn is played
twice.

In each trial a player takes the keyboard, plays, and presses more; the result is read from the journal. A trial is
repeated if a busy machine has disturbed it: a held key that repeats unevenly does not count as held, and a program that
had to wait for a processor sees keys later than they were pressed.
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

from cardtable.engine import journal, replay
from cardtable.engine.game import CHANCE, OVER, Seat
from cardtable.engine.journal import ActionLine
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.ui.keys.input_guard import BOUNCE_SECONDS, RELEASE_SECONDS
from tests.budgets import LONG, get_trials
from tests.pty.terminal import Terminal

TRIALS = get_trials("presses")
"""Trials of each game."""
THREE, FOUR = "person:Tom,person:Zoe,person:Max,novice", "person:Tom,person:Zoe,person:Max,person:Eva"
SEATS = {"gurka": THREE, "king": THREE, "bridge": FOUR, "rikiki": "me,novice,novice,novice"}
SEEDS = (3, 4, 5, 6) if LONG else (3, 4)
"""Seeds of tables that are played at the same time; further sessions have other seeds."""
SETTINGS = "robot_pace = 0.1\ntrick_pause = 0.3\nanimation = false\n"
CURTAIN_SECONDS = 0.7
"""Seconds without a change after which the player has seen the question, also at a curtain."""
HAND_SECONDS = 0.4
"""The same when a hand is shown."""
GUARD_SECONDS = 0.3
"""Seconds during which Enter and clicks do not count after a new question; the default setting."""
CATCH_UP_SECONDS = 10.0
"""Seconds that a busy machine may take to show what is in the journal; a hand shown by mistake stays for longer."""
HELD_INTERVAL = 0.115
"""Longest interval between repeats of a held key, in seconds."""
DELAY_TOLERANCE = 0.03
"""Seconds by which a busy machine may delay a key."""
MAX_DISTURBED = 20
"""Trials with mistakes of which a busy machine may be the reason, at one table."""
CURTAIN = re.compile(r"(\w+)'s turn . press Enter")
OVERLAY_FOOTER = re.compile("back to|close")
"""Text in the footer of an overlay."""
CURSOR = "▲"


@dataclass
class KeyPresser:
    """Terminal on which keys are pressed quickly, with the time of each press."""

    terminal: Terminal
    times: list[float] = field(default_factory=list)
    uses_mouse: bool = False
    """True if the mouse is used after the first press."""

    def press(self, *keys: str, after: float = 0.0) -> None:
        """Press keys after a delay, reading output meanwhile."""
        end = time.monotonic() + after
        while (left := end - time.monotonic()) > 0:
            self.terminal.read(left)
        self.terminal.send(*keys)
        self.times.append(time.monotonic())

    @property
    def gaps(self) -> list[float]:
        """Seconds between presses."""
        return [later - earlier for earlier, later in zip(self.times, self.times[1:], strict=False)]

    @property
    def press_count(self) -> int:
        """Number of presses that may count as separate ones: neither bounces nor repeats of a held key."""
        count, is_repeat = 1, False
        for gap in self.gaps * (not self.uses_mouse):
            is_repeat = gap < (RELEASE_SECONDS if is_repeat else BOUNCE_SECONDS) - DELAY_TOLERANCE
            count += not is_repeat
        return count

    @property
    def exceeds_guard(self) -> bool:
        """True if a press came after the guard time of the first one."""
        return sum(self.gaps) >= GUARD_SECONDS


def press_twice(at: KeyPresser, rng: Random) -> bool:
    """Press Enter twice more, like a bouncing or too quick finger."""
    at.press("enter")
    at.press(rng.choice(["enter", " "]), after=rng.uniform(0.05, 0.15))
    at.press("enter", after=rng.uniform(0.05, 0.15))
    return True


def hold_key(every: float, at: KeyPresser, rng: Random) -> bool:
    """Hold a key, which repeats after a delay; return True if it repeated evenly."""
    at.press("enter")
    at.press("enter", after=rng.uniform(0.25, 0.35))
    for _ in range(int(0.6 / every)):
        at.press("enter", after=every)
    return all(gap < HELD_INTERVAL for gap in at.gaps[1:])


def double_click(at: KeyPresser, rng: Random) -> bool:
    """Double-click the card under the cursor, or the middle if there is none."""
    rows = at.terminal.rows
    below = next((y for y, row in enumerate(rows) if CURSOR in row), None)
    x, y = (rows[below].index(CURSOR) + 1, below) if below is not None else (28, 10)
    if below is None:
        at.press("enter")
    at.uses_mouse = True
    for _ in range(4):
        at.press(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m", after=rng.uniform(0.05, 0.15))
    return True


def type_ahead(at: KeyPresser, rng: Random) -> bool:
    """Send several keys at once, as a slow line delivers them."""
    at.press("enter", rng.choice(["\rs\r\r", "\r\r\r", "m\r\r", " \r \r", "\r1\r2\r"]))
    return True


def press_at_end_of_pause(at: KeyPresser, rng: Random) -> bool:
    """Press Enter when the pause after a trick ends by itself."""
    at.press("enter")
    at.press("enter", after=rng.uniform(0.3, 0.5))
    return at.gaps[0] < 0.55


Gesture: TypeAlias = Callable[[KeyPresser, Random], bool]
"""Way to press too much; returns True if it was as quick as it should be."""
GESTURES: Sequence[Gesture] = (
    press_twice,
    *[partial(hold_key, every) for every in (0.03, 0.06, 0.092)],
    double_click,
    type_ahead,
    press_at_end_of_pause,
)


class FollowedSession:
    """Session read from its journal while it is played."""

    def __init__(self, path: Path) -> None:
        self._places = path, path.parent.parent / "archive" / path.name
        read = journal.read(path.read_bytes())
        self.table: Referee = replay.create_referee(read.header, GAMES)
        self.names = [occupant.name for occupant in read.header.seats]
        self._people, self._applied_lines = read.header.people, 0
        self.decisions: list[ActionLine] = []
        """Decisions of people since the turn began, without those that are played automatically."""
        self.is_uninterrupted = True
        """True if these decisions followed each other without another seat in between."""
        self._last_seat: Seat | None = None

    @property
    def name_on_turn(self) -> str | None:
        """Name of the seat on turn; ``None`` while cards are dealt, and at the end."""
        turn = self.table.turn
        return None if turn in (CHANCE, OVER) else self.names[turn]

    def begin_turn(self) -> None:
        """Read the journal and forget the decisions up to now."""
        self.update()
        self.decisions, self.is_uninterrupted, self._last_seat = [], True, None

    def update(self) -> None:
        """Read the journal and apply its new lines to the table."""
        table = self.table
        [path] = [path for path in self._places if path.exists()]
        entries = journal.read(path.read_bytes()).entries
        for entry in entries[self._applied_lines :]:
            line = entry.line
            if isinstance(line, ActionLine):
                forced = str(table.game.forced_silent_action(table.view(line.seat)))
                if line.seat in self._people and forced != line.action:
                    self.is_uninterrupted &= not self.decisions or self._last_seat == line.seat
                    self.decisions.append(line)
                self._last_seat = line.seat
            table.apply_line(line)
        self._applied_lines = len(entries)


def iter_turns(terminal: Terminal, session: FollowedSession) -> Iterator[str]:
    """Play until it is the turn of one person after another, to the end of the session; yield the names.

    After each name the caller must wait for the next question.
    """
    wait_for_question(terminal)
    while session.table.turn != OVER:
        session.begin_turn()
        if curtain := CURTAIN.search(terminal.text):
            terminal.confirm(curtain[0])  # further presses of Enter, handled late, would count as the player's
            terminal.wait_until_quiet(HAND_SECONDS)
            yield session.names[session.table.turn]
        elif "next round" in terminal.rows[-1] or "Enter continue" in terminal.rows[-1]:
            terminal.send("enter")
            wait_for_question(terminal)
        elif on_turn := session.name_on_turn:
            yield on_turn
        else:
            wait_for_question(terminal)


def wait_for_question(terminal: Terminal) -> None:
    """Wait for the next question and close overlays."""
    for _ in range(100):
        terminal.wait_until_quiet(CURTAIN_SECONDS)
        if OVERLAY_FOOTER.search(terminal.rows[-1]):
            terminal.send("escape")
        elif "Enter" in terminal.rows[-1]:
            return
    raise AssertionError(f"nothing is asked; the terminal shows:\n{terminal.text}")


def wait_until_shown(terminal: Terminal, session: FollowedSession, player: str) -> None:
    """Wait until the screen of a busy machine has followed the journal to the turn of another player."""
    end = time.monotonic() + CATCH_UP_SECONDS
    while time.monotonic() < end:
        session.update()
        on_turn = session.name_on_turn
        if on_turn in (None, player) or f"{on_turn}'s turn" in terminal.text:
            return
        terminal.read(0.1)


def list_mistakes(at: KeyPresser, session: FollowedSession, player: str, round_: int) -> list[str]:
    """Return effects of a player's presses in a round that should not have happened.

    A held key may answer what follows without a pause, since its first repeat counts as a second press. If the player
    is on turn again at once, each separate press may answer.
    """
    session.update()
    decided, table = session.decisions, session.table
    mistakes = [
        f"{session.names[line.seat]} did {line.action}" for line in decided if session.names[line.seat] != player
    ]
    done = [*[str(line.action) for line in decided], *["next round"] * (table.round - round_)]
    pause = table.tricks and done and done[0].startswith("play")
    most = 1 if pause else max(at.press_count if session.is_uninterrupted else 1, 2 if at.exceeds_guard else 1)
    if len(done) > most:
        mistakes.append(f"{player} did {', '.join(done)}")
    following = session.name_on_turn
    if following not in (None, player) and f"{following}'s turn" not in at.terminal.text:
        mistakes.append(f"{player} sees the hand of {following}")
    return mistakes


def play_trials(
    folder: Path, game: str, first: int, gestures: Sequence[Gesture] = GESTURES, trials: float = TRIALS / len(SEEDS)
) -> list[str]:
    """Press too much, a number of times, in sessions that begin with a seed; return the mistakes."""
    done, disturbed, reports, rng = 0, 0, [], Random(first)
    before = round(SEEDS.index(first) * trials)
    for seed in count(first, len(SEEDS)):
        home = folder / f"{game}-{seed}"
        home.mkdir()
        (home / "settings.toml").write_text(SETTINGS)
        with Terminal(home, "play", game, "--mono", "--seats", SEATS[game], "--seed", str(seed)) as terminal:
            terminal.wait("? help")
            [path] = (home / "sessions").glob("*.jsonl")
            session = FollowedSession(path)
            for player in iter_turns(terminal, session):
                kind, round_, at = gestures[(before + done) % len(gestures)], session.table.round, KeyPresser(terminal)
                before_press = terminal.seconds_delayed
                quick = kind(at, rng)
                wait_for_question(terminal)
                delay = terminal.seconds_delayed - before_press
                wait_until_shown(terminal, session, player)
                mistakes = list_mistakes(at, session, player, round_) if quick else []
                if mistakes and delay > DELAY_TOLERANCE and disturbed < MAX_DISTURBED:
                    quick, disturbed = False, disturbed + 1
                elif mistakes:
                    reports.append(f"{game} {seed}, {player}, {kind}, {at.gaps}: {mistakes}\n{terminal.text}")
                done += quick
                if done >= trials:
                    return reports
    raise AssertionError("there is always another seed")


def test_quick_presses_show_no_hand_and_play_nothing(tmp_path):
    tables = list(product(SEATS, SEEDS))
    with ThreadPoolExecutor(len(tables)) as threads:
        reports = threads.map(partial(play_trials, tmp_path), *zip(*tables, strict=True))
        assert not (wrongs := list(chain.from_iterable(reports))), "\n".join(wrongs)
