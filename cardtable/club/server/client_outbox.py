"""A guest who is here: what she is still to be told, never more than there is room for."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import Over, SeatInfo, SeenStep, ServerMessage, Talk, Update, encode
from cardtable.engine.game import Note, Score, Seat, View
from cardtable.engine.tricks import Play
from cardtable.session.session_events import ObservedEvent
from cardtable.session.session_runner import SessionRunner
from cardtable.store.errors import DiskFault

MOST_STEPS: Final = 12
MOST_NOTES: Final = 200
"""That wait for a slow guest; where there are more she is shown how it stands, and nothing of how it came."""


class TablePeople(NamedTuple):
    """What is to be told of the people at a table; see ``Update``."""

    waits_for: tuple[Seat, ...]
    away: dict[Seat, int]
    places: tuple[SeatInfo, ...]
    looking_on: tuple[str, ...]
    again: tuple[Seat, ...]
    saving: DiskFault = ""


class TableSubscriber:
    """Hears of one table; what she has not been told is kept until it is taken, and never grows without end."""

    def __init__(self, run: SessionRunner, table: str, nick: str, seat: Seat | None, wake: Callable[[], None]) -> None:
        """``seat``: ``None`` for who looks on; ``notify`` is called when there is something to take."""
        self.nick: Final = nick
        self.seat: Final = seat
        self._run, self._table, self._wake = run, table, wake
        self._steps: list[SeenStep] = []
        self._notes: list[Note] = []
        self._scores: list[Score] = []
        self._anew, self._whole = True, False
        self._heard = self._counted = 0
        """How many notes and scores there were when she looked last."""
        self._now: Update | None = None
        self._places: tuple[SeatInfo, ...] = ()
        """As she was told last."""

    def invalidate(self) -> None:
        """What she was told may not have come: with the next look she is told all of it anew."""
        self._anew = True

    def look_at(self, run: SessionRunner) -> None:
        """The session has been opened anew."""
        self._run = run
        self.invalidate()

    def add_events(self, events: Sequence[ObservedEvent]) -> None:
        """What was to be seen in the game."""
        if not self._anew:
            plays = [each.event if isinstance(each.event, Play) else None for each in events]
            self._steps += [self._step(each.after, play) for each, play in zip(events, plays, strict=True)]

    def refresh(self, around: TablePeople) -> None:
        """See how it stands; nothing may change the session meanwhile."""
        run, seen = self._run, self._run.seen(self._from)
        if len(self._steps) > MOST_STEPS or len(self._notes) > MOST_NOTES or len(run.table.scores) < self._counted:
            self._anew = True
        if self._anew:
            self._steps, self._notes, self._scores = [self._step(run.views)], [], []
            self._heard = self._counted = 0
            self._anew, self._whole = False, True
        told = run.news.notes if self.seat is None else run.news.own[self.seat]
        self._notes += told[self._heard :]
        self._scores += seen.scores[self._counted :]
        self._heard, self._counted = len(told), len(seen.scores)
        self._now = Update(
            table=self._table,
            at=run.table.decisions,
            steps=(),
            stage=seen.stage,
            ranks=seen.ranks,
            results=seen.results,
            round_left=seen.round_left,
            seats_left=seen.seats_left,
            **around._asdict(),
        )
        self._wake()

    def drain(self) -> Update | None:
        """All that she has not been told; ``None`` where there is nothing new."""
        if self._now is None:
            return None
        steps, notes, scores = tuple(self._steps), tuple(self._notes), tuple(self._scores)
        places = self._now.places if self._whole or self._now.places != self._places else ()
        self._places = self._now.places
        update = replace(self._now, steps=steps, whole=self._whole, notes=notes, scores=scores, places=places)
        self._steps, self._notes, self._scores, self._whole, self._now = [], [], [], False, None
        return update

    @property
    def _from(self) -> Seat:
        """The seat that is looked from."""
        return self._run.people[0] if self.seat is None else self.seat

    def _step(self, seen: Mapping[Seat, View], play: Play | None = None) -> SeenStep:
        view, others = seen[self._from], {}
        if self._run.hands_open:
            others = {seat: protocol.encode_view(view) for seat, view in seen.items() if seat != self._from}
            view = replace(view, legal=()) if self.seat is None else view
        elif self.seat is None:
            view = view.public_view()
        return SeenStep(protocol.encode_view(view), play, others)


MOST_TALK: Final = 100
MOST_ANSWERS: Final = 100
"""That wait for her; who lets more come is sent away."""
MOST_NEWS: Final = 8
"""Of the lobby that wait for her; who reads more slowly is told how it stands instead."""


class ConnectedClient:
    """One connection of somebody who was let in."""

    def __init__(self, nick: str, whence: ConnectionOrigin) -> None:
        self.nick: Final = nick
        self.whence: Final = whence
        self.listeners: dict[str, TableSubscriber] = {}
        """By table."""
        self._answers: deque[ServerMessage] = deque()
        self._talk: deque[Talk] = deque(maxlen=MOST_TALK)
        self._lobby: list[str] = []
        """Frames of what has changed there."""
        self.behind = False
        """Whether she has not been told all that there is to be seen in the lobby."""
        self._news = asyncio.Event()
        self.over = False
        """Whether nothing more is to be told."""

    def notify(self) -> None:
        """There is something to be told."""
        self._news.set()

    def answer(self, message: ServerMessage) -> None:
        """Something that is told to her alone, after what was told before."""
        if len(self._answers) >= MOST_ANSWERS:
            self.end("your connection is too slow to follow; come in again")
        elif not self.over:
            self._answers.append(message)
        self.notify()

    def has_queued(self, kind: type[ServerMessage]) -> bool:
        """Whether an answer of this kind waits for her to read it."""
        return any(isinstance(answer, kind) for answer in self._answers)

    def talk(self, message: Talk) -> None:
        """Something that was said in the lobby."""
        self._talk.append(message)
        self.notify()

    def lobby(self, news: str, whole: Callable[[], str]) -> None:
        """What has changed in the lobby, as a frame; ``whole`` is one of all that there is to be seen."""
        self._lobby.append(news)
        if len(self._lobby) > MOST_NEWS:
            self._lobby = [whole()]
        self.notify()

    def lobby_anew(self, whole: str) -> None:
        """All that there is to be seen in the lobby, as a frame."""
        self._lobby, self.behind = [whole], False
        self.notify()

    def end(self, why: str) -> None:
        """Tell her that this is the end, and nothing else."""
        self._answers.clear()
        self._answers.append(Over(why))
        self.over = True
        self.notify()

    async def next_frames(self) -> list[str]:
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
        return frames + [encode(update) for listener in self.listeners.values() if (update := listener.drain())]
