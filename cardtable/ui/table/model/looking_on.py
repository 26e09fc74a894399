"""A session that another program plays, shown as it is played there."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol

from cardtable.engine.contract import CHANCE, OVER
from cardtable.engine.journal import Line
from cardtable.engine.notes import DEALT_AGAIN, TAKEN_BACK, Ruling
from cardtable.engine.table import IllegalAction
from cardtable.play.news import News
from cardtable.play.talk import said
from cardtable.store import paths
from cardtable.store.errors import CardtableError
from cardtable.store.sessions import Session
from cardtable.ui.table.model.sight import Sight, Stage

EACH: Final = 0.5
"""Seconds from one look at the journal to the next."""


class Change(Protocol):
    """Changes the table, and shows what came of it step by step or at once."""

    def __call__(self, change: Callable[[], None], *, at_once: bool = False) -> Awaitable[None]:
        """``change`` is called in a thread."""
        ...


class LookingOn:
    """Brings the sight of a session up to what another program has written, again and again."""

    def __init__(
        self,
        session: Session,
        sight: Sight,
        news: News,
        alone: Callable[[Callable[[], None]], Awaitable[None]],
        show: Callable[[], None],
    ) -> None:
        """``alone`` uses the session in a thread while nothing else does."""
        self._session, self._sight, self._news = session, sight, news
        self._alone, self._show = alone, show
        self._read = datetime.now(UTC)
        self.banner = ""
        """Why the picture stands, where it does."""

    async def follow(self, change: Change) -> None:
        """Show each thing that is written; return once the session is over.

        Raises ``CardtableError`` where that cannot be understood.
        """
        table, sight = self._session.table, self._sight
        while table.turn != OVER:
            sight.looking = "You look on." if self._session.looked_at else "Open elsewhere: you look on."
            between = table.turn == CHANCE and bool(table.scores) and not table.playing
            sight.stage = Stage.ROUND_END if between else Stage.PLAY
            self._show()
            lines = await self._written()
            for left, line in enumerate(lines, 1 - len(lines)):
                try:
                    await change(partial(table.take, line), at_once=left < 0)
                except IllegalAction as error:
                    raise CardtableError(self._standing(str(error))) from None
                self._tell(line)

    async def _written(self) -> list[Line]:
        """What is written next, however long that takes."""
        lines: list[Line] = []
        while not lines:
            await asyncio.sleep(EACH)
            before, self.banner = self.banner, ""
            try:
                await self._alone(lambda: lines.extend(self._session.read_on()))
            except CardtableError as error:
                self.banner = before or self._standing(str(error))
            else:
                self._read = datetime.now(UTC)
                if self._session.path.parent == paths.archive() and not lines:
                    self.banner = "It has been given up in another program."
            if self.banner != before:
                self._sight.banner = self.banner
                self._show()
        return lines

    def _standing(self, why: str) -> str:
        return f"The picture stands since {self._read.astimezone():%H:%M:%S}: {why}"

    def _tell(self, line: Line) -> None:
        """Messages of what is no event of the game."""
        if line.say is not None:
            self._news.note(said(line.say, line.seat))
        elif line.undo is not None:
            self._news.note(TAKEN_BACK)
        elif line.void is not None:
            self._news.note(DEALT_AGAIN)
        elif line.forfeit is not None:
            self._news.note(Ruling(line.forfeit, "lost"))
