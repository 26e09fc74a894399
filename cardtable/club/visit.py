"""A guest who is here: what she is still to be told, never more than there is room for."""

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Final

from cardtable.club.listener import Listener
from cardtable.club.wire import FromHost, LobbyNews, Over, TableRow, Talk

MOST_TALK: Final = 100
MOST_ANSWERS: Final = 100
"""That wait for her; who lets more come is sent away."""


class Visit:
    """One connection of somebody who was let in."""

    def __init__(self, nick: str, address: str) -> None:
        """``address``: where she is, as the host's door sees it."""
        self.nick: Final = nick
        self.address: Final = address
        self.listeners: dict[str, Listener] = {}
        """By table."""
        self._answers: deque[FromHost] = deque()
        self._talk: deque[Talk] = deque(maxlen=MOST_TALK)
        self._rows: dict[str, TableRow | None] = {}
        """Tables that have changed since she was told; ``None`` of those that are gone."""
        self._people: tuple[str, ...] | None = None
        self._guests: tuple[str, ...] = ()
        self._news = asyncio.Event()
        self.over = False
        """Whether nothing more is to be told."""

    def wake(self) -> None:
        """There is something to be told."""
        self._news.set()

    def answer(self, message: FromHost) -> None:
        """Something that is told to her alone, after what was told before."""
        if len(self._answers) >= MOST_ANSWERS:
            self.end("you have not read what was told to you")
        elif not self.over:
            self._answers.append(message)
        self.wake()

    def talk(self, message: Talk) -> None:
        """Something that was said in the lobby."""
        self._talk.append(message)
        self.wake()

    def lobby(self, people: tuple[str, ...], guests: tuple[str, ...], rows: Mapping[str, TableRow | None]) -> None:
        """What has changed in the lobby."""
        self._people, self._guests = people, guests
        self._rows.update(rows)
        self.wake()

    def end(self, why: str) -> None:
        """Tell her that this is the end, and nothing else."""
        self._answers.clear()
        self._answers.append(Over(why))
        self.over = True
        self.wake()

    async def told(self) -> list[FromHost]:
        """What she is to be told next, the newest of everything, once there is something."""
        while True:
            await self._news.wait()
            self._news.clear()
            if messages := self._waiting():
                return messages

    def _waiting(self) -> list[FromHost]:
        messages: list[FromHost] = [*self._answers]
        self._answers.clear()
        if self.over:
            return messages
        if self._people is not None:
            rows = tuple([row for row in self._rows.values() if row])
            gone = tuple([table for table, row in self._rows.items() if row is None])
            messages.append(LobbyNews(self._people, rows, gone, self._guests))
            self._people, self._rows = None, {}
        messages += self._talk
        self._talk.clear()
        messages += [update for listener in self.listeners.values() if (update := listener.take())]
        return messages
