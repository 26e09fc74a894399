"""Statistics page, with figures and charts about a player's sessions in one game or in all games."""

from collections.abc import Callable, Hashable, Sequence
from datetime import date
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.text_format import format_count
from cardtable.games import ABOUT, list_keys
from cardtable.records.aggregation import ALL_GAMES, AggregatedRecords, PlayerRecord
from cardtable.records.ratings import Player
from cardtable.records.result_rows import PointsRow
from cardtable.records.statistics import PlayerStatistics
from cardtable.ui.keys.bindings import STATISTICS, FooterKeys
from cardtable.ui.records.rankings_page import READING, RecordsPage, format_dates, paint_message
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas, centre_window, truncate
from cardtable.ui.toolkit.painting.charts import (
    Amount,
    Series,
    paint_amounts,
    paint_columns,
    paint_points,
    paint_series,
    paint_split_bar,
)
from cardtable.ui.toolkit.painting.layout import MARGIN, Box
from cardtable.wording import statistics
from cardtable.wording.formatting import format_date, format_number, format_ordinal, to_local_time
from cardtable.wording.statistics import (
    MISSING,
    NO_STATISTICS_TEXT,
    explain_no_sessions,
    format_invitation,
    format_mean,
    format_player,
    format_share,
)


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


_CURVE_CUTOFF: Final = 4
"""Divisor that determines the end of the curve over a session.

The curve ends before the first round that fewer than one in this many sessions have reached.
"""

_FIGURE_GAP: Final = 2
"""Minimum number of columns between the labels of two figures."""


class Chart(NamedTuple):
    """Chart, or list of figures, that can be painted in a box."""

    name: str
    """Label of the key that shows the screen beginning with this chart."""
    min_rows: int
    """Minimum height in rows, including heading and labels."""
    weight: int
    """Weight in the distribution of spare rows; 0 if the chart does not grow."""
    position: int
    """Position among the charts of its screen, lowest at the top.

    The order of ``list_charts`` decides which screen a chart is on.
    """
    paint: Callable[[Canvas, Box, StatisticsModel], None]


def list_charts(model: StatisticsModel) -> list[Chart]:
    """Return the charts for which there are data, the most important first."""
    if model.game == ALL_GAMES:
        streaks = _list_figures(model)
        more = [Chart("days", (len(streaks) + 1) // 2 + 1, 0, 1, _paint_figure_table)] if streaks else []
        firsts = [Chart("firsts", len(model.figures.firsts) + 1, 0, 2, _paint_firsts)] if model.figures.firsts else []
        return [Chart("games", len(list_keys()) + 2, 0, 0, _paint_games), *more, *firsts]
    chosen, available = model.figures, []
    if model.get_record(model.game).rating:
        available.append(Chart("rating", 8, 2, 0, _paint_rating))
    if chosen.bids:
        available.append(Chart("bids", 6, 0, 3, _paint_bids))
    if chosen.contracts:
        available.append(Chart("contracts", (len(chosen.contracts) + 1) // 2 + 1, 0, 3, _paint_contracts))
    if chosen.totals:
        available.append(Chart("totals", 7, 1, 1, _paint_totals))
    if len(_list_lasting_means(chosen)) > 1:
        available.append(Chart("course", 7, 1, 2, _paint_course))
    return [*available, Chart("figures", (len(_list_figures(model)) + 1) // 2 + 1, 0, 4, _paint_figure_table)]


def _paint_heading(canvas: Canvas, box: Box, name: str, remark: str = "") -> Box:
    """Paint the heading of a chart and a remark beside it; return the rest of the box."""
    x = canvas.write(box.x, box.y, name, canvas.theme.inks.text, bold=True)
    canvas.write(x + 2, box.y, remark, canvas.theme.inks.muted)
    return Box(box.x, box.y + 1, box.width, box.height - 1)


def _paint_rating(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    rating, ratings = model.get_record(model.game).rating, model.records.ratings[model.game]
    assert rating is not None
    below = _paint_heading(canvas, box, "Rating", "after each session")
    course = Series("", range(len(rating.mu_history)), rating.mu_history, canvas.theme.inks.text)
    ends = format_dates(ratings.end_times[rating.session_indices[0]], ratings.end_times[rating.session_indices[-1]])
    paint_series(canvas, below, [course], len(rating.mu_history) - 1, ends)


def _paint_totals(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    """Plot the totals of the last sessions, one session per column."""
    chosen = model.figures
    count = min(len(chosen.totals), max(box.width - 8, 1))
    which = "of" if count == len(chosen.totals) else "of the last"
    number = format_count(count, "seat" if model.player.robot else "session")
    below = _paint_heading(canvas, box, "Totals", f"{which} {number}")
    paint_points(canvas, below, chosen.totals[-count:], format_dates(chosen.end_times[-count], chosen.end_times[-1]))


def _list_lasting_means(chosen: PlayerStatistics) -> Sequence[PointsRow]:
    """Return the mean totals after each round, up to the last round that enough sessions have reached."""
    course = chosen.mean_course
    return [points for points in course if points.rounds * _CURVE_CUTOFF >= course[0].rounds]


def _paint_course(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    means = [points.mean for points in _list_lasting_means(model.figures)]
    below = _paint_heading(canvas, box, "Totals over a session", "average after each round")
    course = Series("", range(len(means) + 1), [0.0, *means], canvas.theme.inks.text)
    paint_series(canvas, below, [course], len(means), ("0", str(len(means))))


def _paint_bids(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    exact = statistics.list_exact_shares(model.figures)
    below = _paint_heading(canvas, box, "Exact bids by cards dealt")
    paint_columns(canvas, below, [(str(cards), 100 * share) for cards, share in exact], "%")


def _paint_contracts(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    below = _paint_heading(canvas, box, "Points by contract", "average per round")
    means = statistics.list_contract_means(model.figures)
    paint_amounts(canvas, below, [Amount(name, mean, format_mean(mean)) for name, mean in means])


def _list_figures(model: StatisticsModel) -> list[tuple[str, str]]:
    if model.game == ALL_GAMES:
        return statistics.list_streaks(model.figures, date.today())  # noqa: DTZ011 - a day of the player's calendar
    return statistics.list_figures(model.get_record(model.game))


def _paint_figure_table(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    """Paint all figures in two columns, which are read from top to bottom."""
    below = _paint_heading(canvas, box, "Days" if model.game == ALL_GAMES else "Figures")
    figures = _list_figures(model)
    rows, width = (len(figures) + 1) // 2, (min(box.width, 60) - 3) // 2
    for index, (name, value) in enumerate(figures):
        x, y = box.x + index // rows * (width + 3), below.y + index % rows
        canvas.write(x, y, name, canvas.theme.inks.muted)
        canvas.write_right(x + width - 1, y, value, canvas.theme.inks.text)


def _paint_firsts(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    below, inks = _paint_heading(canvas, box, "Firsts"), canvas.theme.inks
    for y, (deed, where) in enumerate(statistics.list_firsts(model.figures), below.y):
        canvas.write(box.x, y, deed, inks.muted)
        canvas.write_right(box.x + min(box.width, 60) - 1, y, where, inks.text)


def _paint_games(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    """Paint a line for each game; if they do not all fit, games without sessions are left out first."""
    inks = canvas.theme.inks
    ends = [box.x + 12 + (min(box.width, 70) - 13) * column // 4 for column in (1, 2, 3, 4)]
    for end, heading in zip(ends, ("played", "won", "place", "rating"), strict=True):
        canvas.write_right(end, box.y, heading, inks.muted)
    keys, room = list_keys(), canvas.height - 2 - box.y
    if len(keys) > room:
        keys = tuple(sorted(keys, key=lambda key: not model.get_record(key).figures.sessions)[:room])
    for y, key in enumerate(keys, box.y + 1):
        record = model.get_record(key)
        figures, rating = record.figures, record.rating
        values = (
            str(figures.sessions), format_share(figures.won_share), format_mean(figures.mean_place),
            f"{rating.mu:.0f}" if rating else MISSING,
        )  # fmt: skip
        ink = inks.text if figures.sessions else inks.quiet
        canvas.write(box.x, y, ABOUT[key].title, ink)
        for end, value in zip(ends, values, strict=True):
            canvas.write_right(end, y, value if figures.sessions else MISSING, ink)


_TOP: Final = 8
"""First row of the charts."""


class ChooseGame(NamedTuple):
    """Mouse target of a game, or of all games together."""

    key: str


def compute_panel_width(canvas: Canvas) -> int:
    """Return the width of the panel in columns; 0 if there is no room for a panel."""
    return 34 if canvas.width >= 110 else 24 if canvas.width >= 80 else 0


def format_title(game: str) -> str:
    return "All games" if game == ALL_GAMES else ABOUT[game].title


def compute_content_box(canvas: Canvas) -> Box:
    """Return the box of figures and charts, at the right of the panel."""
    left = compute_panel_width(canvas) + MARGIN + 1
    return Box(left, 2, canvas.width - MARGIN - left, canvas.height - 4)


def split_into_screens(canvas: Canvas, model: StatisticsModel) -> list[list[Chart]]:
    """Distribute the charts over screens in order of importance, as many on each screen as fit."""
    screens: list[list[Chart]] = []
    for chart in list_charts(model):
        if screens and _count_needed_rows(canvas, [*screens[-1], chart]) <= _count_chart_rows(canvas):
            screens[-1].append(chart)
        else:
            screens.append([chart])
    return screens


def list_shown_charts(canvas: Canvas, model: StatisticsModel) -> list[Chart]:
    """Return the charts on the selected screen, from top to bottom."""
    screens = split_into_screens(canvas, model)
    return sorted(screens[model.chart_screen % len(screens)], key=lambda chart: chart.position) if screens else []


def _count_chart_rows(canvas: Canvas) -> int:
    return canvas.height - 2 - _TOP


def _count_gap_rows(canvas: Canvas) -> int:
    return 1 if canvas.height >= 30 else 0


def _count_needed_rows(canvas: Canvas, screen_charts: Sequence[Chart]) -> int:
    return sum([chart.min_rows for chart in screen_charts]) + _count_gap_rows(canvas) * (len(screen_charts) - 1)


def paint_statistics(canvas: Canvas, model: StatisticsModel) -> None:
    """Paint the panel, the figures and the charts, or a message if the player has no session in the game."""
    if compute_panel_width(canvas):
        _paint_panel(canvas, model)
    box = compute_content_box(canvas)
    figures = model.figures
    if not figures.sessions:
        _paint_no_sessions(canvas, box, model)
        return
    _paint_figures(canvas, box, model)
    canvas.write(box.x, 5, "Places", canvas.theme.inks.soft)
    places = [
        (f"{format_ordinal(place)} {count}", str(count), count) for place, count in sorted(figures.places.items())
    ]
    paint_split_bar(canvas, box.x + 8, 5, box.width - 8, places)
    together, y = list_shown_charts(canvas, model), _TOP
    spare = max(_count_chart_rows(canvas) - _count_needed_rows(canvas, together), 0)
    weight = sum([chart.weight for chart in together]) or 1
    for chart in together:
        rows = chart.min_rows + spare * chart.weight // weight
        chart.paint(canvas, Box(box.x, y, box.width, rows), model)
        y += rows + _count_gap_rows(canvas)


def _paint_no_sessions(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    paint_message(
        canvas,
        box.x,
        box.y,
        box.width,
        explain_no_sessions(model.player, model.nick, model.game),
        format_invitation(canvas.appearance.keys.format_label("play"), model.game or list_keys()[0]),
        NO_STATISTICS_TEXT,
    )


def _paint_figures(canvas: Canvas, box: Box, model: StatisticsModel) -> None:
    """Paint four figures in a row, each above its label."""
    figures, inks = model.figures, canvas.theme.inks
    won = (format_share(figures.won_share), "won")
    place = (format_mean(figures.mean_place), "average place")
    if model.game == ALL_GAMES:
        cells = [(str(figures.sessions), "sessions"), won, place, (str(figures.abandoned), "abandoned")]
    else:
        rating, mean_total, exact = model.get_record(model.game).rating, figures.mean_total, figures.exact_share
        rated = (f"{rating.mu:.0f}", f"rating ±{rating.sigma:.0f}") if rating else (MISSING, "not rated")
        total = (MISSING if mean_total is None else format_number(round(mean_total)), "average total")
        cells = [rated, place, total, won if exact is None else (format_share(exact), "exact bids")]
    labels = [label for _, label in cells]
    if _FIGURE_GAP * (len(labels) - 1) + sum(map(len, labels)) > box.width:
        labels = [label.replace("average", "avg") for label in labels]
    widths = [max(len(value), len(label)) for (value, _), label in zip(cells, labels, strict=True)]
    gap = (min(box.width, 80) - sum(widths)) // (len(widths) - 1)
    x = box.x
    for (value, _), label, width in zip(cells, labels, widths, strict=True):
        canvas.write(x, 2, value, inks.text, bold=True)
        canvas.write(x, 3, label, inks.muted)
        x += width + gap


def _paint_panel(canvas: Canvas, model: StatisticsModel) -> None:
    width = compute_panel_width(canvas)
    canvas.fill(0, 1, width, canvas.height - 2, canvas.theme.grounds.panel)
    step = 2 if canvas.height >= 36 else 1
    inks = canvas.theme.inks
    canvas.write(3, 2, "Game", inks.text, bold=True)
    canvas.write_right(width - 3, 2, "played", inks.muted)
    for index, key in enumerate(list_game_keys()):
        played = model.get_record(key).figures.sessions
        is_selected = key == model.game
        _paint_line(
            canvas,
            4 + index * step,
            ChooseGame(key),
            format_title(key),
            str(played) if played else MISSING,
            has_cursor=is_selected and not model.in_player_list,
            is_selected=is_selected,
        )
    y = 4 + len(list_game_keys()) * step + (2 if canvas.height >= 24 else 1)
    canvas.write(3, y, "Player", inks.text, bold=True)
    _paint_players(canvas, y + (2 if canvas.height >= 24 else 1), model)


def _paint_players(canvas: Canvas, top: int, model: StatisticsModel) -> None:
    """Paint the list of players from row ``top``, scrolled so that the selected one is visible."""
    players, rows = model.players, canvas.height - 1 - top
    if len(players) > rows:
        canvas.write_right(compute_panel_width(canvas) - 3, top - 2, str(len(players)), canvas.theme.inks.muted)
    step = 2 if canvas.height >= 36 and 2 * len(players) <= rows else 1
    first = centre_window(players.index(model.player), rows, len(players)) if step == 1 else 0
    for index, player in enumerate(players[first : first + rows]):
        note = "robot" if player.robot else "you" if player == Player(model.nick) else ""
        is_selected = player == model.player
        _paint_line(
            canvas,
            top + index * step,
            player,
            format_player(player),
            note,
            has_cursor=is_selected and model.in_player_list,
            is_selected=is_selected,
        )


def _paint_line(
    canvas: Canvas, y: int, target: ChooseGame | Player, name: str, note: str, *, has_cursor: bool, is_selected: bool
) -> None:
    """Paint a line of the panel.

    ``has_cursor`` is True for the line under the cursor, ``is_selected`` for the selected entry of either list.
    """
    width, inks = compute_panel_width(canvas), canvas.theme.inks
    canvas.add_hit_box(0, y, width, 1, target)
    if has_cursor:
        canvas.fill(0, y, width, 1, canvas.theme.grounds.row)
        canvas.write(0, y, "▌", inks.gold)
    elif is_selected:
        canvas.write(1, y, "•", inks.soft)
    end = canvas.write_right(width - 3, y, note, inks.soft if has_cursor else inks.quiet)
    canvas.write(3, y, truncate(name, end - 4), inks.text if is_selected else inks.soft, bold=is_selected)


class StatisticsPage(RecordsPage):
    """Page of a player's statistics, with a panel to select player and game."""

    SCOPE = STATISTICS

    def __init__(self, context: PageContext, player: Player | str | None = None, game: str = ALL_GAMES) -> None:
        """``player`` can be given as a nick; ``None`` stands for the current player."""
        super().__init__(context)
        selected_player = player if isinstance(player, Player) else Player(player or context.nick)
        self.model = StatisticsModel(self.records or AggregatedRecords(), context.nick, selected_player, game)

    def update_records(self) -> None:
        if self.records is not None:
            self.model.records = self.records

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        model = self.model
        if self.error or self.records is None:
            box = compute_content_box(canvas)
            paint_message(canvas, box.x, box.y, box.width, self.error or READING)
        else:
            paint_statistics(canvas, model)
        context = "" if compute_panel_width(canvas) else format_title(model.game)
        player, first_end = format_player(model.player), model.figures.first_end
        since = f"{player}   since {format_date(to_local_time(first_end))}" if first_end else player
        paint_page_header(canvas, "Statistics", context, self.progress or since)
        screens = split_into_screens(canvas, model) if model.figures.sessions else []
        next_screen = screens[(model.chart_screen + 1) % len(screens)][0].name if len(screens) > 1 else ""
        others = {} if compute_panel_width(canvas) else {"rankings": "", "archive": ""}
        empty = {} if model.figures.sessions else {"play": "new table" if self.is_read else "", "archive": ""}
        lists = {"up down": "player", "player": "games"} if model.in_player_list else {}
        # first, so that Enter stands first in the footer, and last, so that its label counts
        return {**empty, **self.SCOPE.footer, **lists, **others, **empty, "figures": next_screen}

    @property
    def player(self) -> Player | None:
        return self.model.player

    @property
    def has_several_screens(self) -> bool:
        return bool(self.model.figures.sessions) and len(split_into_screens(self.canvas, self.model)) > 1

    def action_move(self, step: int) -> None:
        self.model.move(step)
        self.repaint()

    def action_end(self, index: int) -> None:
        self.model.move_to_end(index)
        self.repaint()

    def action_aside(self) -> None:
        """Move the cursor between the list of games and the list of players."""
        self.model.in_player_list = not self.model.in_player_list
        self.repaint()

    def action_turn(self, step: int) -> None:
        """Show the next (1) or previous (-1) screen of charts, wrapping around at the ends."""
        self.model.chart_screen = (self.model.chart_screen + step) % len(split_into_screens(self.canvas, self.model))
        self.repaint()

    @property
    def can_open(self) -> bool:
        return self.can_list_sessions if self.model.figures.sessions else self.is_read

    def action_open(self) -> None:
        """Open the archive, filtered by the player's name; while it has none of their sessions, a new table."""
        if self.model.figures.sessions:
            self.action_sessions()
        elif self.is_read:
            self.show("new_table", self.model.game or list_keys()[0])

    def action_rankings(self) -> None:
        self.show("rankings", *([self.model.game] if self.model.game != ALL_GAMES else []))

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Select the clicked game or player."""
        if isinstance(target, ChooseGame):
            self.model.game, self.model.in_player_list, self.model.chart_screen = target.key, False, 0
        elif isinstance(target, Player):
            self.model.player, self.model.in_player_list, self.model.chart_screen = target, True, 0
        self.repaint()

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_move(step)
