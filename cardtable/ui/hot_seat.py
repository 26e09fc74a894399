"""The hot seat: who of several people sits at the keyboard, and what may be seen while none of them does."""

from collections.abc import Mapping
from datetime import UTC, datetime

from cardtable.engine.contract import Seat, View
from cardtable.telling.news import News
from cardtable.ui.sight import Sight, Stage


class HotSeat:
    """Draws the curtain over a sight, and lets it up; does nothing where one person plays, or only robots."""

    def __init__(self, sight: Sight, news: News) -> None:
        self.several = sight.people > 1
        """Whether people take turns."""
        self._sight, self._news = sight, news
        self._keyboard: Seat | None = None
        """Who sits at the keyboard, so that her hand may be seen."""
        if self.several:
            sight.stage = Stage.CURTAIN

    def must_call(self, seat: Seat) -> bool:
        """Whether a curtain has to fall before ``seat`` acts."""
        return self.several and seat != self._keyboard

    def call(self, seat: Seat, views: Mapping[Seat, View]) -> None:
        """Hide the table until ``seat`` has come to the keyboard."""
        self.clear()
        self._sight.called = seat
        self._sight.see(views, seat)

    def clear(self) -> None:
        """Nobody sits at the keyboard any more: from now on there is nothing but what all may see."""
        self._keyboard, self._sight.called, self._sight.stage = None, None, Stage.CURTAIN
        self.veil()

    def sit_down(self, seat: Seat) -> None:
        """The curtain goes up for ``seat``."""
        self._keyboard, self._sight.stage = seat, Stage.PLAY

    def veil(self) -> None:
        """While nobody sits at the keyboard, leave in the sight only what everybody may see."""
        if self.several and self._keyboard is None:
            sight, news = self._sight, self._news
            sight.hand.renew([], ())
            sight.messages, sight.missed = news.notes, news.missed(sight.called, datetime.now(UTC))
