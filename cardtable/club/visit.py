"""A guest who is here: what she is still to be told, never more than there is room for."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from cardtable.club.listener import Listener
from cardtable.club.whence import Whence
from cardtable.club.wire import FromHost, Over, Talk, encode

MOST_TALK: Final = 100
MOST_ANSWERS: Final = 100
"""That wait for her; who lets more come is sent away."""
MOST_NEWS: Final = 8
"""Of the lobby that wait for her; who reads more slowly is told how it stands instead."""


class Visit:
    """One connection of somebody who was let in."""

    def __init__(self, nick: str, whence: Whence) -> None:
        self.nick: Final = nick
        self.whence: Final = whence
        self.listeners: dict[str, Listener] = {}
        """By table."""
        self._answers: deque[FromHost] = deque()
        self._talk: deque[Talk] = deque(maxlen=MOST_TALK)
        self._lobby: list[str] = []
        """Frames of what has changed there."""
        self.behind = False
        """Whether she has not been told all that there is to be seen in the lobby."""
        self._news = asyncio.Event()
        self.over = False
        """Whether nothing more is to be told."""

    def wake(self) -> None:
        """There is something to be told."""
        self._news.set()

    def answer(self, message: FromHost) -> None:
        """Something that is told to her alone, after what was told before."""
        if len(self._answers) >= MOST_ANSWERS:
            self.end("your connection is too slow to follow; come in again")
        elif not self.over:
            self._answers.append(message)
        self.wake()

    def awaits(self, kind: type[FromHost]) -> bool:
        """Whether an answer of this kind waits for her to read it."""
        return any(isinstance(answer, kind) for answer in self._answers)

    def talk(self, message: Talk) -> None:
        """Something that was said in the lobby."""
        self._talk.append(message)
        self.wake()

    def lobby(self, news: str, whole: Callable[[], str]) -> None:
        """What has changed in the lobby, as a frame; ``whole`` is one of all that there is to be seen."""
        self._lobby.append(news)
        if len(self._lobby) > MOST_NEWS:
            self._lobby = [whole()]
        self.wake()

    def lobby_anew(self, whole: str) -> None:
        """All that there is to be seen in the lobby, as a frame."""
        self._lobby, self.behind = [whole], False
        self.wake()

    def end(self, why: str) -> None:
        """Tell her that this is the end, and nothing else."""
        self._answers.clear()
        self._answers.append(Over(why))
        self.over = True
        self.wake()

    async def told(self) -> list[str]:
        """The frames that she is to be told next, the newest of everything, once there is something."""
        while True:
            await self._news.wait()
            self._news.clear()
            if frames := self._waiting():
                return frames

    def _waiting(self) -> list[str]:
        frames = [encode(answer) for answer in self._answers]
        self._answers.clear()
        if self.over:
            return frames
        frames += self._lobby
        self._lobby = []
        frames += [encode(said) for said in self._talk]
        self._talk.clear()
        return frames + [encode(update) for listener in self.listeners.values() if (update := listener.take())]
