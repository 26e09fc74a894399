"""What pages of ratings and statistics have in common: the reckoning behind them, and how far it is."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from textual import work

from cardtable.games import all_keys
from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
from cardtable.records.ratings import Player, Rating
from cardtable.records.statistics import PlayerStatistics
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.keys.bindings import KeyBinding
from cardtable.ui.toolkit.page import Page
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.wording.formatting import day
from cardtable.wording.statistics import together

TROUBLE = "The sessions could not be counted. cardtable doctor says what is wrong with files; Esc goes back."
NOTHING_YET = "Reading the sessions ..."


class RecordsPage(Page):
    """Has all reckoned anew when it opens; what was known before is shown at once."""

    def __init__(self, room: PageContext) -> None:
        super().__init__(room)
        self.progress = ""
        """How far the reading of sessions is, if it is not at its end."""
        self.trouble = ""

    @property
    def records(self) -> AggregatedRecords | None:
        """What is known; ``None`` before anything is."""
        return self.room.reckoner.records

    @property
    def player(self) -> Player | None:
        """Whom the page is about just now."""
        raise NotImplementedError

    def is_enabled(self, key: KeyBinding) -> bool:
        """Whether the key does something now: the archive finds people by their nicks, but no robots by their level."""
        return key.does != "sessions" or (self.player is not None and not self.player.robot)

    def action_sessions(self) -> None:
        """The sessions of the player, in the archive."""
        if self.player is not None:
            self.show("archive", self.player.name)

    def on_mount(self) -> None:
        """Reckon, while keys work; when the page is left the reckoning ends."""
        self._reckon()

    @work(exclusive=True)
    async def _reckon(self) -> None:
        try:
            await self.room.reckoner.reckon(self._told)
        except OSError:
            self.trouble = TROUBLE
        if self.records is None:
            self.trouble = TROUBLE
        self.progress = ""
        self.renew()
        self.repaint()

    def _told(self, told: AggregationProgress) -> None:
        self.progress = f"{told.read} of {told.sessions} sessions {told.stage}" if told.read < told.sessions else ""
        if told.records:
            self.renew()
        self.repaint()

    def renew(self) -> None:
        """Other records are known."""


def when(seconds: float) -> str:
    """A day with its year, from seconds since 1970-01-01T00:00Z."""
    then = _local(seconds)
    return f"{day(then)} {then.year}"


def span(first: float, last: float) -> tuple[str, str]:
    """Two days, with their years if these differ."""
    one, other = _local(first), _local(last)
    return (day(one), day(other)) if one.year == other.year else (when(first), when(last))


def _local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def paint_words(canvas: Canvas, x: int, y: int, width: int, text: str, *more: str) -> None:
    """What there is to say where there are no figures, and below it what can be done."""
    inks = canvas.theme.inks
    for line in wrap(text, width):
        canvas.text(x, y, line, inks.text)
        y += 1
    for line in [line for each in more for line in ["", *wrap(each, width)]]:
        canvas.text(x, y, line, inks.muted)
        y += 1


ALL: Final = "all"
"""All games together, beside the games' keys."""


def listed_games() -> tuple[str, ...]:
    """What may be chosen: all games together, and each."""
    return ALL, *all_keys()


@dataclass(slots=True)
class StatisticsSelection:
    """Whose statistics in which game, and where the cursor is."""

    records: AggregatedRecords
    me: str
    player: Player
    game: str = ALL
    aside: bool = False
    """Whether the cursor is among the players."""
    part: int = 0
    """Which of the screens of charts and figures; there may be fewer, then it begins again."""

    @property
    def players(self) -> list[Player]:
        """Oneself, the other people, the levels of robots; and whoever was asked for."""
        me = Player(self.me)
        known = [player for player, _ in self.records.players()]
        asked = [self.player] if self.player not in known and self.player != me else []
        return [me, *asked, *[player for player in known if player != me]]

    @property
    def figures(self) -> PlayerStatistics:
        """The figures of the player in the game; of all games together only sessions and places."""
        if self.game != ALL:
            return self.of(self.game)
        return together(map(self.of, all_keys()))

    def of(self, game: str) -> PlayerStatistics:
        """The figures of the player in a game."""
        return self.records.statistics.get((self.player, game)) or PlayerStatistics()

    def rating(self, game: str) -> Rating | None:
        """The player's rating in a game."""
        ratings = self.records.ratings.get(game)
        return ratings.players.get(self.player) if ratings else None

    def played(self, game: str) -> int:
        """How many sessions the player has in a game, or in all."""
        return sum([self.of(key).sessions for key in all_keys()]) if game == ALL else self.of(game).sessions

    def move(self, step: int) -> None:
        """The next game, or the next player, round the ends."""
        if self.aside:
            players = self.players
            self.player = players[(players.index(self.player) + step) % len(players)]
        else:
            games = listed_games()
            self.game = games[(games.index(self.game) + step) % len(games)]
        self.part = 0

    def end(self, place: int) -> None:
        """The first (0) or the last (-1) game, or player."""
        if self.aside:
            self.player = self.players[place]
        else:
            self.game = listed_games()[place]
        self.part = 0
