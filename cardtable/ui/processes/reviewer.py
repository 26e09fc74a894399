"""The process that reviews a session while keys are answered, of the lowest priority."""

from asyncio import CancelledError, create_subprocess_exec, ensure_future, shield
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.contract import Seat
from cardtable.records.review import Judgement, Piece, Review
from cardtable.robots import pipes

_LONGEST: Final = 1 << 24
"""Bytes of a line, at most: the first one holds all that was kept."""
_PIECE: Final = msgspec.json.Decoder(Judgement | tuple[int, ...])


async def pieces(path: Path, seat: Seat) -> AsyncGenerator[Review | Piece, None]:
    """First the review of a seat as far as it is kept, then each new piece.

    The process ends with this iterator.  Raises ``OSError``.
    """
    process = await create_subprocess_exec(
        *pipes.command("cardtable.records.reviewing"), str(path), str(seat),
        stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_LONGEST,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        kept = await process.stdout.readline()
        if kept.endswith(b"\n"):
            yield msgspec.json.decode(kept, type=Review)
        while (line := await process.stdout.readline()).endswith(b"\n"):
            yield _PIECE.decode(line)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await _ended(process)


async def _ended(process: Process) -> None:
    """Wait for a process that was killed, which takes no time: also who is cancelled again leaves nothing behind."""
    ending, cancelled = ensure_future(process.communicate()), False
    while not ending.done():
        try:
            await shield(ending)
        except CancelledError:
            cancelled = True
    if cancelled:
        raise CancelledError
