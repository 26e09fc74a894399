"""Base class of the rankings and statistics pages, which aggregates all sessions and shows the progress."""

from datetime import UTC, datetime

import msgspec
from textual import work

from cardtable.games import list_keys
from cardtable.records.aggregation import ALL_GAMES, AggregatedRecords, AggregationProgress, PlayerRecord
from cardtable.records.ratings import Player
from cardtable.records.statistics import PlayerStatistics
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.wording.formatting import format_day

AGGREGATION_FAILED = "The sessions could not be read. cardtable doctor lists problems in files; Esc goes back."
READING = "Reading the sessions ..."


class RecordsPage(Page):
    """Base class of pages that show aggregated records.

    Opening the page starts the aggregation; records that are already known are shown at once.
    """

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.progress = ""
        """Progress of the aggregation in words; empty once it is complete."""
        self.trouble: str | None = None

    @property
    def records(self) -> AggregatedRecords | None:
        """Records aggregated so far; ``None`` before the first aggregation."""
        return self.context.statistics_client.records

    @property
    def player(self) -> Player | None:
        """Player whose sessions the page can list; ``None`` if there is none. Subclasses must implement this."""
        raise NotImplementedError

    @property
    def can_list_sessions(self) -> bool:
        """True if the player's sessions can be listed; those of robots cannot: the archive is searched by nick."""
        return self.player is not None and not self.player.robot

    def action_sessions(self) -> None:
        """Open the archive, filtered by the player's name."""
        if self.player is not None:
            self.show("archive", self.player.name)

    def on_mount(self) -> None:
        self._aggregate()

    @work(exclusive=True)
    async def _aggregate(self) -> None:
        try:
            await self.context.statistics_client.compute_records(self._handle_progress)
        except OSError:
            self.trouble = AGGREGATION_FAILED
        if self.records is None:
            self.trouble = AGGREGATION_FAILED
        self.progress = ""
        self.update_records()
        self.repaint()

    def _handle_progress(self, progress: AggregationProgress) -> None:
        self.progress = (
            f"{progress.read} of {progress.sessions} sessions {progress.stage}"
            if progress.read < progress.sessions
            else ""
        )
        if progress.records:
            self.update_records()
        self.repaint()

    def update_records(self) -> None:
        """Adopt new records; called during and after the aggregation."""


def format_date(seconds: float) -> str:
    """Format a POSIX timestamp as a local date with its year."""
    then = _to_local_time(seconds)
    return f"{format_day(then)} {then.year}"


def format_dates(first: float, last: float) -> tuple[str, str]:
    """Format two POSIX timestamps as local dates, with their years if these differ."""
    start, end = _to_local_time(first), _to_local_time(last)
    return (format_day(start), format_day(end)) if start.year == end.year else (format_date(first), format_date(last))


def _to_local_time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def paint_message(canvas: Canvas, x: int, y: int, width: int, text: str, *hints: str) -> None:
    """Paint a message where figures are missing, and hints below it, wrapped to ``width`` columns."""
    inks = canvas.theme.inks
    for line in wrap(text, width):
        canvas.write(x, y, line, inks.text)
        y += 1
    for line in [line for hint in hints for line in ["", *wrap(hint, width)]]:
        canvas.write(x, y, line, inks.muted)
        y += 1


def list_game_keys() -> tuple[str, ...]:
    return ALL_GAMES, *list_keys()


class StatisticsModel(msgspec.Struct):
    """Player and game selected on the statistics page, with the cursor."""

    records: AggregatedRecords
    nick: str
    player: Player
    game: str = ALL_GAMES
    in_player_list: bool = False
    """True if the cursor is in the list of players instead of the games."""
    chart_screen: int = 0
    """Index of the shown screen of charts, modulo the number of screens."""

    @property
    def players(self) -> list[Player]:
        """Players that can be selected: the current player first, then the other persons and the robot levels.

        The selected player is included even without any session.
        """
        me = Player(self.nick)
        known = [player for player, _ in self.records.list_players()]
        asked = [self.player] if self.player not in known and self.player != me else []
        return [me, *asked, *[player for player in known if player != me]]

    @property
    def figures(self) -> PlayerStatistics:
        """Statistics of the player in the selected game.

        For all games together they are limited to sessions and places.
        """
        return self.get_record(self.game).figures

    def get_record(self, game: str) -> PlayerRecord:
        return self.records.get_record(self.player, game)

    def move(self, step: int) -> None:
        """Select the next (1) or previous (-1) entry of the list with the cursor, wrapping around at the ends."""
        if self.in_player_list:
            players = self.players
            self.player = players[(players.index(self.player) + step) % len(players)]
        else:
            games = list_game_keys()
            self.game = games[(games.index(self.game) + step) % len(games)]
        self.chart_screen = 0

    def move_to_end(self, index: int) -> None:
        """Select the first (0) or last (-1) entry of the list with the cursor."""
        if self.in_player_list:
            self.player = self.players[index]
        else:
            self.game = list_game_keys()[index]
        self.chart_screen = 0
