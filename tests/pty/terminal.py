"""Program on a pseudo-terminal; ``pyte`` interprets its output."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypeVar

import pyte

from tests.waiting import TIMEOUT, describe_condition

CONFIRMATION_INTERVAL = 3.0
"""Seconds after which a question that is still shown is answered once more."""
KEY_INTERVAL = 0.3
"""Seconds between presses of a key; quicker ones may count as a key that is held down."""
SHORT_KEY_INTERVAL = 0.15
"""Seconds between presses that do not count as one bouncing press, unless the key is held down already."""
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "ctrl+q": "\x11",
}
FRAME_START, FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"
_ASKS_FOR_FRAMES, _HAS_FRAMES = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_UNSUPPORTED_BY_PYTE = re.compile(rb"\x1b\[[<>=][\d;]*[a-z]")
_OWN_TERMINAL = 'exec "$@" <"$0" >"$0" 2>&1'
"""Shell script: a shell without a terminal owns the first one that it opens; then it becomes the program."""
_INHERIT_TERMINAL = 'exec "$@"'
"""Shell script: an inherited terminal is not owned, so no signal reports its loss."""
_STREAMS = ("stdin", "stdout", "stderr")
CARDTABLE = (sys.executable, "-m", "cardtable")
Each, Result = TypeVar("Each"), TypeVar("Result")


class Terminal:
    """Program on a terminal of its own; at the end of the context it is killed, and must not have shown a traceback.

    The terminal reports support for synchronized output; ``rows`` are those of the last complete frame.
    """

    def __init__(
        self,
        home: Path,
        *arguments: str,
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str | None] | None = None,
        program: Sequence[str] = CARDTABLE,
        owned: bool = True,
    ) -> None:
        """Start the program; with ``owned`` the system sends a signal when its terminal is lost."""
        self.output = bytearray()
        """All bytes written by the program."""
        self.size = size
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0
        self._ended = False
        self._master, self._program_end = pty.openpty()
        self.resize(*size)
        self.modes_before = self.modes
        env: dict[str, str | None] = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "CARDTABLE_HOME": str(home)}
        env |= environment or {}
        shell, streams = (
            (_OWN_TERMINAL, {}) if owned else (_INHERIT_TERMINAL, dict.fromkeys(_STREAMS, self._program_end))
        )
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", shell, os.ttyname(self._program_end), *program, *arguments],
            env={name: value for name, value in {**os.environ, **env}.items() if value is not None},
            start_new_session=True,
            **streams,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object = None, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()
        assert kind or b"Traceback" not in self.output

    @property
    def modes(self) -> list[Any]:
        """Terminal attributes: echo, canonical mode, signals ..."""
        return termios.tcgetattr(self._master)

    @property
    def rows(self) -> list[str]:
        """Rows of the screen."""
        end = len(self.output)
        if (frame := self.output.rfind(FRAME_START)) > self.output.rfind(FRAME_END):
            end = frame
        if end > self._fed:
            self._stream.feed(_UNSUPPORTED_BY_PYTE.sub(b"", bytes(self.output[self._fed : end])))
            self._fed = end
        return list(self._screen.display)

    @property
    def text(self) -> str:
        """Screen as one text."""
        return "\n".join(row.rstrip() for row in self.rows)

    def read(self, seconds: float = 0.0) -> bool:
        """Read output available within ``seconds``; return True if there was any."""
        if self._ended or not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # nobody has the terminal open any more
            data = b""
        self._ended = not data
        start = max(len(self.output) - len(_ASKS_FOR_FRAMES) + 1, 0)
        self.output += data
        if self.output.find(_ASKS_FOR_FRAMES, start) >= 0:
            os.write(self._master, _HAS_FRAMES)
        return bool(data)

    def send(self, *keys: str, until: str = "") -> None:
        """Press keys, given by name or as text, and wait for a text."""
        self.send_bytes("".join(KEYS.get(key, key) for key in keys).encode())
        if until:
            self.wait(until)

    def send_bytes(self, data: bytes) -> None:
        """Write input as a terminal does."""
        os.write(self._master, data)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the window; the system notifies the program."""
        self.size = columns, rows
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self, condition: str | Callable[[], object], press: str = "", *, quick: bool = False) -> None:
        """Read until a text is shown or a condition is true, pressing a key at intervals if one is given.

        ``quick`` shortens the interval whenever the program has written something; a press too many must do no harm.
        """
        end, pressed, written = time.monotonic() + TIMEOUT, 0.0, 0
        while not (condition in self.text if isinstance(condition, str) else condition()):
            if self.process.poll() is not None or time.monotonic() > end:
                awaited = f"{describe_condition(condition)} never came"
                raise AssertionError(f"{awaited}; the terminal shows:\n{self.text}\n{self.output[-2000:]!r}")
            interval = SHORT_KEY_INTERVAL if quick and len(self.output) > written else KEY_INTERVAL
            if press and time.monotonic() > pressed + interval:
                self.send(press)
                pressed, written = time.monotonic(), len(self.output)
            self.read(SHORT_KEY_INTERVAL / 3)

    def confirm(self, question: str) -> None:
        """Wait for the question of a dialog and press Enter, once more after a while if the question is still shown.

        A program that a busy machine has delayed ignores an Enter that may have been pressed before the question.
        """
        self.wait(question)
        self.send("enter")
        again = time.monotonic() + CONFIRMATION_INTERVAL
        self.wait(lambda: question not in self.text or time.monotonic() > again)
        if question in self.text:
            self.send("enter")
            self.wait(lambda: question not in self.text)

    def wait_until_quiet(self, quiet_seconds: float = 0.25) -> None:
        """Read until nothing is written for ``quiet_seconds``, and the program does not wait for the processor."""
        end = time.monotonic() + TIMEOUT
        while self.read(quiet_seconds) or self._is_computing():
            assert time.monotonic() < end, f"the program is never idle; the terminal shows:\n{self.text}"

    def _is_computing(self) -> bool:
        """Return True if a thread of the program or its robots runs or could run; False on systems without /proc."""
        for process in (self.process.pid, *self.list_children()):
            for status in Path(f"/proc/{process}/task").glob("*/stat"):
                with suppress(OSError):  # it may have ended
                    if _read_state(status) == "R":
                        return True
        return False

    @property
    def seconds_delayed(self) -> float:
        """Total time for which threads of the program could run, but a busy machine had no processor for them."""
        nanoseconds = 0
        for thread in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            with suppress(OSError):  # it may have ended
                nanoseconds += int(thread.read_text().split()[1])
        return nanoseconds / 1e9

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send the program a signal; return its exit code, or the negative number of the signal that ended it."""
        self.process.send_signal(number)
        return self.wait_for_end()

    def stop(self, number: int = signal.SIGTSTP) -> None:
        """Suspend the program and read its output until it has stopped."""
        self.process.send_signal(number)
        end = time.monotonic() + TIMEOUT
        while os.waitpid(self.process.pid, os.WUNTRACED | os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                raise AssertionError(f"the program does not stop; the terminal shows:\n{self.text}")
            self.read(0.02)
        self.wait_until_quiet(0.02)

    def quit(self) -> int:
        """Quit the program by its key and return the exit code."""
        self.send("ctrl+q")
        return self.wait_for_end()

    def wait_for_end(self) -> int:
        """Read to the end of the output and return the exit code."""
        end = time.monotonic() + TIMEOUT
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"the program does not end; the terminal shows:\n{self.text}")
            self.read(0.02)
        self._close_program_end()
        while self.read(0.1):
            pass
        return self.process.returncode

    def hang_up(self) -> None:
        """Close the terminal, as when its window is closed."""
        self._close_program_end()
        self._ended = True
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def list_children(self) -> list[int]:
        """Return the running child processes of the program, or none on systems without /proc."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        with suppress(OSError):
            return [int(word) for word in listed.read_text().split()]
        return []

    def _close_program_end(self) -> None:
        """Close our descriptor of the program's end, which must stay open until the program has opened it."""
        if self._program_end >= 0:
            os.close(self._program_end)
            self._program_end = -1


def has_ended(process: int) -> bool:
    """Return True if a process that is no child of ours has ended."""
    try:
        return _read_state(Path(f"/proc/{process}/stat")) == "Z"
    except OSError:
        return True


def _read_state(status: Path) -> str:
    """Return the letter of the state of a process or thread, of which ``status`` is the file in /proc."""
    return status.read_text().rpartition(")")[2].split()[0]


def wait_until_ended(processes: Iterable[int]) -> None:
    """Wait until processes that are no children of ours have ended."""
    end = time.monotonic() + TIMEOUT
    while not all(has_ended(process) for process in processes):
        assert time.monotonic() < end, "the robots' process outlives the program"
        time.sleep(0.01)


def run_in_parallel(function: Callable[[Each], Result], all_: Iterable[Each]) -> list[Result]:
    """Call a function with each item in parallel, each on a terminal of its own: most of the time is waiting."""

    def call(each: Each) -> Result:
        try:
            return function(each)
        except BaseException as error:
            error.add_note(f"with {each!r}")
            raise

    items = list(all_)
    with ThreadPoolExecutor(len(items)) as threads:
        return list(threads.map(call, items))
