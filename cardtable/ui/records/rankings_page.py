"""Rankings page, with the rated players of a game and their ratings over time; base class of the pages of records."""

from collections.abc import Hashable
from typing import Final

import msgspec
from rich.cells import cell_len
from textual import work

from cardtable.engine.text_format import format_count
from cardtable.games import ABOUT, KEYS, list_keys
from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
from cardtable.records.ratings import Player, Rating, Ratings
from cardtable.store.seating import GUEST
from cardtable.ui.keys.bindings import RANKINGS, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas, truncate, wrap
from cardtable.ui.toolkit.painting.charts import Series, paint_rating_interval, paint_series
from cardtable.ui.toolkit.painting.layout import MARGIN, Box
from cardtable.wording.formatting import format_date, format_day, to_local_time
from cardtable.wording.statistics import (
    NO_RATING_TEXT,
    RATING_RULES,
    explain_no_ratings,
    format_invitation,
    format_player,
    format_share,
)

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
        self.error: str | None = None

    @property
    def records(self) -> AggregatedRecords | None:
        """Records aggregated so far; ``None`` before the first aggregation."""
        return self.context.statistics_client.records

    @property
    def is_read(self) -> bool:
        """True once the aggregation is complete; until then a page without sessions need not be empty."""
        return self.records is not None and not self.progress

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
            self.error = AGGREGATION_FAILED
        if self.records is None:
            self.error = AGGREGATION_FAILED
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


def format_dates(first: float, last: float) -> tuple[str, str]:
    """Format two POSIX timestamps as local dates, with their years if these differ."""
    start, end = to_local_time(first), to_local_time(last)
    return (format_day(start), format_day(end)) if start.year == end.year else (format_date(start), format_date(end))


def paint_message(canvas: Canvas, x: int, y: int, width: int, text: str, *hints: str) -> None:
    """Paint a message where figures are missing, and hints below it, wrapped to ``width`` columns."""
    inks = canvas.theme.inks
    for line in wrap(text, width):
        canvas.write(x, y, line, inks.text)
        y += 1
    for line in [line for hint in hints for line in ["", *wrap(hint, width)]]:
        canvas.write(x, y, line, inks.muted)
        y += 1


_MAX_CURVES: Final = 4
"""Maximum number of curves in a plot."""


class GameTab(msgspec.Struct, frozen=True):
    """Mouse target of the tab of a game."""

    game: str


class RankingsModel(msgspec.Struct):
    """Model of the rankings page."""

    nick: str
    game: str
    ratings: Ratings
    selected: Player | None = None
    """Player to whom the cursor was moved; ``None`` before that."""
    shows_plot: bool = False
    """True if the plot is shown instead of the list, in a terminal without room for both."""

    @property
    def rows(self) -> list[tuple[int, Player, Rating]]:
        return self.ratings.list_top(self.nick)

    @property
    def cursor(self) -> Player | None:
        """Player under the cursor; ``None`` if the list is empty.

        Unless the cursor was moved to a listed player, it is on the current player, or on the first of the list.
        """
        listed = [player for _, player, _ in self.rows]
        return next(
            (player for player in (self.selected, Player(self.nick)) if player in listed), next(iter(listed), None)
        )


class _Columns(msgspec.Struct, frozen=True):
    """Horizontal positions of the parts of a row."""

    place: int
    """Last column of the place, which is right-aligned."""
    name: int
    note: int
    rating: int
    """Last column of the rating, which is right-aligned."""
    bar: int
    bar_width: int
    played: int = 0
    """Last column of the number of sessions; 0 if there is no room for sessions and wins."""
    won: int = 0


def _compute_columns(width: int) -> _Columns:
    if width >= 110:
        more = width - 120
        return _Columns(
            place=7, name=12, note=22, rating=47, bar=52, bar_width=42 + more, played=105 + more, won=115 + more
        )
    if width >= 80:
        more = width - 80
        return _Columns(
            place=5, name=8, note=15, rating=33, bar=38, bar_width=24 + more, played=68 + more, won=77 + more
        )
    return _Columns(place=5, name=8, note=15, rating=32, bar=35, bar_width=width - 38)


def has_plot_room(canvas: Canvas) -> bool:
    return canvas.width >= 110 and canvas.height >= 36


def paint_tabs(canvas: Canvas, game: str) -> None:
    """Paint the games as tabs, the selected one highlighted.

    If the tabs are wider than the canvas, they are moved to the left until the selected one is visible.
    """
    theme, y, pad = canvas.theme, 2, 3 if canvas.width >= 110 else 1
    canvas.fill(0, 1, canvas.width, 3, theme.grounds.mat)
    tabs = [(key, ABOUT[key].title) for key in list_keys()]
    needed = sum([cell_len(title) + 2 * pad for _, title in tabs])
    gap = max(0, min(1, (canvas.width - 2 * MARGIN - needed) // (len(tabs) - 1)))
    up_to = sum([cell_len(title) + 2 * pad + gap for _, title in tabs[: list_keys().index(game) + 1]]) - gap
    x = min(MARGIN, canvas.width - MARGIN - up_to)
    for key, title in tabs:
        width, chosen = cell_len(title) + 2 * pad, key == game
        if chosen:
            canvas.fill(x, y, width, 1, theme.grounds.bonus)
        canvas.write(x + pad, y, title, theme.inks.text if chosen else theme.inks.soft, bold=chosen)
        canvas.add_hit_box(x, 1, width, 3, GameTab(key))
        x += width + gap


def paint_rankings(canvas: Canvas, model: RankingsModel) -> None:
    """Paint the tabs, the list of rated players and the plot.

    Without room for both, either the list or the plot is painted; without a rated player, a message.
    """
    paint_tabs(canvas, model.game)
    rows = model.rows
    if not rows:
        title, enter = ABOUT[model.game].title, canvas.appearance.keys.format_label("play")
        needed = f"Finish a session of {title} with robots. {format_invitation(enter, model.game)}"
        if model.nick == GUEST:
            needed = f"A guest is not rated. {enter} opens the players, where you get a nick."
        lead = explain_no_ratings(model.game)
        paint_message(canvas, MARGIN + 3, 6, canvas.width - 2 * MARGIN - 6, lead, needed, NO_RATING_TEXT)
        return
    large = has_plot_room(canvas)
    if model.shows_plot and not large:
        _paint_plot(canvas, Box(MARGIN + 1, 5, canvas.width - 2 * MARGIN - 1, canvas.height - 8), model)
        return
    step = 2 if large and len(rows) <= 10 else 1
    head = 5 if canvas.height >= 24 else 4
    top = head + (2 if canvas.height >= 24 else 1)
    _paint_headings(canvas, head)
    for i, row in enumerate(rows):
        if top + i * step < canvas.height - 2:
            _paint_row(canvas, top + i * step, model, *row)
    end = top + len(rows) * step
    if large:
        _paint_plot(canvas, Box(12, end + 1, canvas.width - 15, canvas.height - end - 6), model)
    _paint_rules(canvas, end)


def _paint_rules(canvas: Canvas, end: int) -> None:
    """Paint the explanation of rated sessions above the footer, if it fits below row ``end``."""
    x = _compute_columns(canvas.width).name
    lines = wrap(RATING_RULES, canvas.width - x - MARGIN)
    top = canvas.height - 2 - len(lines)
    if top > end:
        for row, line in enumerate(lines):
            canvas.write(x, top + row, line, canvas.theme.inks.quiet)


def _paint_headings(canvas: Canvas, y: int) -> None:
    columns, ink = _compute_columns(canvas.width), canvas.theme.inks.muted
    canvas.write(columns.name, y, "player", ink)
    canvas.write_right(columns.rating + 1, y, "rating", ink)
    canvas.write(columns.bar, y, "± uncertainty", canvas.theme.inks.quiet)
    if columns.played:
        canvas.write_right(columns.played, y, "played", ink)
        canvas.write_right(columns.won, y, "won", ink)


def _paint_row(canvas: Canvas, y: int, model: RankingsModel, place: int, player: Player, rating: Rating) -> None:
    theme, columns = canvas.theme, _compute_columns(canvas.width)
    inks, own, has_cursor = theme.inks, player == Player(model.nick), player == model.cursor
    ink = inks.soft if has_cursor and player.robot else inks.muted if player.robot else inks.text
    canvas.add_hit_box(MARGIN, y, canvas.width - 2 * MARGIN, 1, player)
    if has_cursor:
        canvas.fill(MARGIN, y, canvas.width - 2 * MARGIN, 1, theme.grounds.row)
        canvas.write(MARGIN, y, "▌", inks.gold)
    place_ink = inks.text if place <= 3 else inks.soft if has_cursor else inks.muted
    canvas.write_right(columns.place, y, str(place), place_ink, bold=place <= 3 or has_cursor)
    room = columns.rating - 5 - columns.name
    note = "you" if own else "robot" if player.robot else ""
    name = truncate(format_player(player), room - len(note) - 1 if note else room)
    end = canvas.write(columns.name, y, name, ink, bold=not player.robot or has_cursor)
    canvas.write(max(end + 1, columns.note), y, note, inks.soft if has_cursor else inks.muted)
    canvas.write_right(columns.rating, y, f"{rating.mu:.0f}", inks.text, bold=has_cursor)
    rows = [rating for _, _, rating in model.rows]
    bounds = min(one.mu - one.sigma for one in rows), max(one.mu + one.sigma for one in rows)
    bar_ink = _choose_ink(canvas, model, player)
    paint_rating_interval(canvas, columns.bar, y, columns.bar_width, bounds, (rating.mu, rating.sigma), bar_ink)
    if columns.played:
        figure = inks.soft if has_cursor or not player.robot else inks.muted
        canvas.write_right(columns.played, y, str(rating.sessions), figure)
        canvas.write_right(columns.won, y, format_share(rating.won / rating.seats), figure)


def _paint_plot(canvas: Canvas, box: Box, model: RankingsModel) -> None:
    """Plot the ratings over time of the current player, the player under the cursor and the first places.

    Nothing is painted in a box of fewer than five rows.
    """
    ended = model.ratings.end_times
    if box.height < 5:
        return
    canvas.write(box.x, box.y, "Rating over time", canvas.theme.inks.text, bold=True)
    canvas.write(box.x + 19, box.y, format_count(len(ended), "session"), canvas.theme.inks.muted)
    last = len(ended) - 1
    plot = Box(box.x, box.y + 1, box.width, box.height - 1)
    paint_series(canvas, plot, _create_series(canvas, model), last, format_dates(ended[0], ended[last]))


def _choose_ink(canvas: Canvas, model: RankingsModel, player: Player) -> str:
    """Return the ink that a player has in the list and in the plot; all robots share one."""
    if player.robot:
        return canvas.theme.inks.muted
    me = Player(model.nick)
    people = [me, *[other for _, other, _ in model.rows if not other.robot and other != me]]
    return canvas.theme.plot.get_ink(people.index(player))


def _create_series(canvas: Canvas, model: RankingsModel) -> list[Series]:
    rows = model.rows
    first_rows = [row for row in rows if row[1] in (Player(model.nick), model.cursor)]
    shown_rows = [*first_rows, *[row for row in rows if row not in first_rows]][:_MAX_CURVES]
    courses = []
    for _, player, rating in sorted(shown_rows):
        own = player == Player(model.nick)
        label = f"{truncate(format_player(player), 12)} {rating.mu:.0f}"
        ink = _choose_ink(canvas, model, player)
        courses.append(Series(label, rating.session_indices, rating.mu_history, ink, own))
    return courses


class RankingsPage(RecordsPage):
    """Page of the rated players of one game, with tabs for the games."""

    SCOPE = RANKINGS

    def __init__(self, context: PageContext, game: str | None = None) -> None:
        super().__init__(context)
        self.model: RankingsModel = RankingsModel(context.nick, game or KEYS[0], Ratings())
        self._is_game_chosen = game is not None
        self.update_records()

    def update_records(self) -> None:
        """Adopt new ratings; unless the player has selected a game, show one that has rated players."""
        if self.records is None:
            return
        rated = {key: ratings for key, ratings in self.records.ratings.items() if ratings.players}
        if not self._is_game_chosen and rated and self.model.game not in rated:
            self.model.game = max(rated, key=lambda key: len(rated[key].end_times))
        self.model.ratings = rated.get(self.model.game, Ratings())

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        if self.error or self.records is None:
            paint_tabs(canvas, self.model.game)
            paint_message(canvas, MARGIN + 3, 6, canvas.width - 2 * MARGIN - 6, self.error or READING)
        else:
            paint_rankings(canvas, self.model)
        number = format_count(len(self.model.ratings.end_times), "session")
        paint_page_header(canvas, "Rankings", right=self.progress or f"ratings from {number}")
        narrow = {"play": "figures", "archive": ""} if canvas.width < 80 else {}
        empty = "" if not self.is_read else "players" if self.model.nick == GUEST else "new table"
        play = {} if self.model.rows else {"play": empty}
        return {**self.SCOPE.footer, "plot": "list" if self.model.shows_plot else "plot", **narrow, **play}

    @property
    def player(self) -> Player | None:
        return self.model.cursor

    @property
    def can_plot(self) -> bool:
        """True if the plot is shown in place of the list, since there is no room for both."""
        return bool(self.model.rows) and not has_plot_room(self.canvas)

    def action_game(self, step: int) -> None:
        """Select the next (1) or previous (-1) game, wrapping around at the ends."""
        keys = list_keys()
        self._select_game(keys[(keys.index(self.model.game) + step) % len(keys)])

    def _select_game(self, game: str) -> None:
        self.model.game, self._is_game_chosen = game, True
        self.update_records()
        self.repaint()

    def action_move(self, step: int) -> None:
        """Move the cursor by ``step`` players, wrapping around at the ends."""
        players = self._players
        if self.model.cursor is not None:
            self._select_player(players[(players.index(self.model.cursor) + step) % len(players)])

    def action_end(self, index: int) -> None:
        self._select_player(self._players[index])

    @property
    def _players(self) -> list[Player]:
        return [player for _, player, _ in self.model.rows]

    def _select_player(self, player: Player) -> None:
        self.model.selected = player
        self.repaint()

    def action_open(self) -> None:
        """Open the statistics of the player under the cursor; while nobody is rated, what is needed for that."""
        if self.model.rows:
            self.action_statistics()
        elif self.is_read and self.model.nick == GUEST:
            self.show("players")
        elif self.is_read:
            self.show("new_table", self.model.game)

    def action_statistics(self) -> None:
        self.show("statistics", self.model.cursor, self.model.game)

    def action_plot(self) -> None:
        """Switch between the list and the plot."""
        self.model.shows_plot = not self.model.shows_plot
        self.repaint()

    async def action_leave(self) -> None:
        """Return from the plot to the list if there is no room for both, otherwise leave the page."""
        if self.model.shows_plot and not has_plot_room(self.canvas):
            self.action_plot()
        else:
            await super().action_leave()

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Select the clicked game or player; a click on the player under the cursor opens their statistics."""
        if isinstance(target, GameTab):
            self._select_game(target.game)
        elif isinstance(target, Player) and target == self.model.cursor:
            self.action_statistics()
        elif isinstance(target, Player):
            self._select_player(target)

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_move(step)
