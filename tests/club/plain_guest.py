"""A guest in plain lines: the program itself, with a pipe to type into and one to hear."""

import asyncio
import os
import sys

PATIENCE = 20
"""Seconds."""


class PlainGuest:
    """Somebody who comes to a club by ``cardtable join --plain``."""

    def __init__(self, home, url, nick, *arguments, given=None):
        """``given``: lines that are all typed at once, and then no more; else they are typed by ``types``."""
        self.nick, self._given = nick, given
        self._words = ["join", url, "--plain", *(["--nick", nick] if nick else []), *arguments]
        self._environment = {**os.environ, "CARDTABLE_HOME": str(home / (nick or "nobody"))}
        self.heard = []
        """Line by line."""
        self._listened = 0

    async def __aenter__(self):
        pipe = asyncio.subprocess.PIPE
        self._program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "cardtable", *self._words,
            stdin=pipe, stdout=pipe, stderr=pipe, env=self._environment,
        )  # fmt: skip
        if self._given is not None:
            self.types(*self._given)
            self._program.stdin.close()
        return self

    async def __aexit__(self, *_):
        if self._program.returncode is None:
            self._program.kill()
        await self._program.wait()

    def types(self, *lines):
        """Type lines."""
        self._program.stdin.write("".join([f"{line}\n" for line in lines]).encode())

    async def hears(self, text):
        """Listen until a line has this in it; that line.  What was heard before does not count."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    for line in self.heard[self._listened :]:
                        self._listened += 1
                        if text in line:
                            return line
                    if not await self._listen():
                        break
        except TimeoutError:
            pass
        raise AssertionError(f"{self.nick} does not hear {text!r}: {self.heard[-12:]}")

    async def told(self, typed, ending):
        """What is heard after something is typed, up to a line that has ``ending`` in it."""
        before = len(self.heard)
        self.types(typed)
        await self.hears(ending)
        return self.heard[before : self._listened]

    async def ends(self):
        """Hear all to the end: the exit code, and what is said of errors."""
        while await self._listen():
            pass
        errors = (await self._program.stderr.read()).decode()
        return await self._program.wait(), errors

    async def _listen(self):
        line = (await self._program.stdout.readline()).decode()
        if line:
            self.heard.append(line.rstrip("\n"))
        return bool(line)
