"""Who sits at the keyboard, of several people or of one who has a password, and what is seen while nobody does."""

from collections.abc import Mapping
from datetime import UTC, datetime

from cardtable.engine.contract import Seat, View
from cardtable.play.news import News
from cardtable.store import profiles
from cardtable.ui.table.model.sight import Sight, Stage


class HotSeat:
    """Draws the curtain over a sight, and lets it up; does nothing where one person without a password plays."""

    def __init__(self, sight: Sight, news: News, nicks: Mapping[Seat, str]) -> None:
        """``nicks``: of the people at the table; none (``""``) of who is no player."""
        self.several = len(nicks) > 1
        """Whether people take turns."""
        self._sight, self._news, self._nicks = sight, news, nicks
        self._keyboard: Seat | None = None
        """Who sits at the keyboard, so that her hand may be seen."""
        self._proved: Seat | None = None
        """Who was called and has given her password."""
        self.hides = self.several or any(map(profiles.locked, nicks.values()))
        """Whether there is a curtain at all; for one person only until she has given her password."""
        if self.hides:
            sight.stage = Stage.CURTAIN

    def must_call(self, seat: Seat) -> bool:
        """Whether a curtain has to fall before ``seat`` acts."""
        return self.hides and seat != self._keyboard

    def locked(self, seat: Seat) -> bool:
        """Whether the person at ``seat`` has to give her password first: where people take turns, each time."""
        return seat != self._proved and profiles.locked(self._nicks[seat], each_time=self.several)

    def give(self, seat: Seat, password: str) -> str:
        """Try a password of the person at ``seat``: why it is not taken; nothing (``""``) if it is right."""
        why = profiles.give(self._nicks[seat], password)
        self._proved = None if why else seat
        return why

    def call(self, seat: Seat, views: Mapping[Seat, View]) -> None:
        """Hide the table until ``seat`` has come to the keyboard."""
        self.clear()
        self._sight.called, self._sight.asked = seat, self._nicks[seat] if self.locked(seat) else ""
        self._sight.see(views, seat)

    def clear(self) -> None:
        """Nobody sits at the keyboard any more: from now on there is nothing but what all may see."""
        self._keyboard, self._proved = None, None
        self._sight.called, self._sight.stage = None, Stage.CURTAIN
        self.veil()

    def sit_down(self, seat: Seat) -> None:
        """The curtain goes up for ``seat``."""
        self._keyboard, self._sight.stage, self.hides = seat, Stage.PLAY, self.several

    def veil(self) -> None:
        """While nobody sits at the keyboard, leave in the sight only what everybody may see."""
        if self.hides and self._keyboard is None:
            sight, news = self._sight, self._news
            sight.hand.renew([], ())
            sight.messages, sight.missed = news.notes, news.missed(sight.called, datetime.now(UTC))
