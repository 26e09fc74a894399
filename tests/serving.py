"""``cardtable serve``, started for a test on a free port."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Self

import aiohttp

from tests.waiting import TIMEOUT


class ServeProcess:
    """Process of ``cardtable serve``; a context manager that stops it at the end."""

    def __init__(self, home: Path, *arguments: str, port: int | None = None) -> None:
        """Prepare the command; ``arguments`` are added to it."""
        self.port = port or _free_port()
        self._words = [sys.executable, "-m", "cardtable", "serve", "--port", str(self.port), *arguments]
        self._environment = {**os.environ, "CARDTABLE_HOME": str(home)}

    @property
    def origin(self) -> str:
        """Origin of the server's own pages."""
        return f"http://localhost:{self.port}"

    @property
    def url(self) -> str:
        """Printed address, with the token."""
        match = re.search(r"http://\S+", self.first_line)
        assert match, self.first_line
        return match[0]

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._words, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        self._output = self.process.stdout
        self.first_line = self._output.readline()
        return self

    def __exit__(self, *_error: object) -> None:
        with self._output:
            self.process.terminate()
            self.process.wait(TIMEOUT)

    def stop_and_read_lines(self) -> list[str]:
        """Stop the server and return the lines printed since its first line."""
        self.process.terminate()
        self.process.wait(TIMEOUT)
        return self._output.read().splitlines()

    def count_programs(self) -> int:
        """Return the number of programs started by the server that still run."""
        return len(list_children(self.process.pid))

    def wait_for_programs(self, number: int) -> None:
        """Wait until ``number`` programs run."""
        end = time.monotonic() + TIMEOUT
        while self.count_programs() != number:
            assert time.monotonic() < end, f"{self.count_programs()} programs run, not {number}"
            time.sleep(0.05)


@asynccontextmanager
async def browse(served: ServeProcess) -> AsyncIterator[aiohttp.ClientSession]:
    """Open a browser session that has visited the printed address."""
    async with aiohttp.ClientSession() as browser:
        async with browser.get(served.url) as answer:
            assert answer.status == 200
        yield browser


def connect_websocket(
    browser: aiohttp.ClientSession, served: ServeProcess, origin: str | None = None, host: str | None = None
) -> AbstractAsyncContextManager[aiohttp.ClientWebSocketResponse]:
    """Connect to the WebSocket of a page, with the given Origin and Host headers."""
    headers = {"Origin": origin or served.origin, **({"Host": host} if host else {})}
    return browser.ws_connect(f"{served.origin}/ws?width=80&height=24", headers=headers)


def list_children(parent_pid: int) -> list[int]:
    """Return the ids of a process's children that still run."""
    return [pid for pid, parent, state in _iter_processes() if parent == parent_pid and state != "Z"]


def is_running(process_id: int) -> bool:
    """Return True if a process still runs."""
    return any(pid == process_id and state != "Z" for pid, _, state in _iter_processes())


def _iter_processes() -> Iterator[tuple[int, int, str]]:
    """Yield id, parent and state of each process in /proc."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, *_ = file.read_text().rpartition(")")[2].split()
            yield int(file.parent.name), int(parent), state


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        port: int = listener.getsockname()[1]
        return port
