"""A guest in plain text: the program in a process of its own, with pipes for input and output."""

import asyncio
import os
import sys

from tests.club.loopback_club import TIMEOUT


class PlainGuest:
    """A guest that has joined a club with ``cardtable join --plain``."""

    def __init__(self, home, url, nick, *arguments, input_lines=None):
        """Prepare the command; ``input_lines`` are typed at once and end the input."""
        self.nick, self._input_lines = nick, input_lines
        self._arguments = ["join", url, "--plain", *(["--nick", nick] if nick else []), *arguments]
        self._environment = {**os.environ, "CARDTABLE_HOME": str(home / (nick or "nobody"))}
        self.lines = []
        """Lines of output so far."""
        self._lines_read = 0

    async def __aenter__(self):
        pipe = asyncio.subprocess.PIPE
        self._program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "cardtable", *self._arguments,
            stdin=pipe, stdout=pipe, stderr=pipe, env=self._environment,
        )  # fmt: skip
        if self._input_lines is not None:
            self.type_lines(*self._input_lines)
            self._program.stdin.close()
        return self

    async def __aexit__(self, *_):
        if self._program.returncode is None:
            self._program.kill()
        await self._program.wait()

    def type_lines(self, *lines):
        self._program.stdin.write("".join([f"{line}\n" for line in lines]).encode())

    async def read_until(self, *texts):
        """Read lines of output that contain these texts, in this order, and return the last one.

        Lines already read do not count.
        """
        for text in texts:
            try:
                async with asyncio.timeout(TIMEOUT):
                    while text not in (line := await self._read_next()):
                        pass
            except (TimeoutError, EOFError):
                raise AssertionError(f"{self.nick} reads no line with {text!r}: {self.lines[-12:]}") from None
        return line

    async def _read_next(self):
        """Return the next line of output that has not been read."""
        if self._lines_read == len(self.lines) and not await self._read_line():
            raise EOFError
        self._lines_read += 1
        return self.lines[self._lines_read - 1]

    async def ask(self, typed, ending):
        """Type a line and return the output up to a line that contains ``ending``."""
        before = len(self.lines)
        self.type_lines(typed)
        await self.read_until(ending)
        return self.lines[before : self._lines_read]

    async def wait_for_exit(self):
        """Read the output to its end; return the exit code and the text of stderr."""
        try:
            async with asyncio.timeout(TIMEOUT):
                while await self._read_line():
                    pass
                errors = (await self._program.stderr.read()).decode()
                return await self._program.wait(), errors
        except TimeoutError:
            raise AssertionError(f"{self.nick} does not end: {self.lines[-12:]}") from None

    async def _read_line(self):
        line = (await self._program.stdout.readline()).decode()
        if line:
            self.lines.append(line.rstrip("\n"))
        return bool(line)
