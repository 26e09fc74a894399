"""``cardtable serve``, started for a test on a free port of this machine."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

PATIENCE = 30.0


class Served:
    """A server, which is ended when it is left."""

    def __init__(self, home: Path, port: int | None = None) -> None:
        self.port = port or _free_port()
        self._words = [sys.executable, "-m", "cardtable", "serve", "--port", str(self.port)]
        self._environment = {**os.environ, "CARDTABLE_HOME": str(home)}

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/"

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(self._words, env=self._environment, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()

    def programs(self) -> int:
        """How many programs the server has started that still run."""
        return len(children(self.process.pid))

    def wait_for_programs(self, number: int) -> None:
        """Wait until so many run."""
        end = time.monotonic() + PATIENCE
        while self.programs() != number:
            assert time.monotonic() < end, f"{self.programs()} programs run, not {number}"
            time.sleep(0.05)


def children(process: int) -> list[int]:
    """The processes that a process has started and that still run."""
    return [pid for pid, parent, state in _processes() if parent == process and state != "Z"]


def runs(process: int) -> bool:
    """Whether a process still runs."""
    return any(pid == process and state != "Z" for pid, _, state in _processes())


def _processes() -> Iterator[tuple[int, int, str]]:
    """Number, parent and state of each process, as the system tells them."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, *_ = file.read_text().rpartition(")")[2].split()
            yield int(file.parent.name), int(parent), state


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        port: int = found.getsockname()[1]
        return port
