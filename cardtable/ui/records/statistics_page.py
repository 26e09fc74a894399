"""Statistics page, with figures and charts about a player's sessions in one game or in all games."""

from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

from cardtable.engine.text_format import with_count
from cardtable.games import ABOUT, all_keys
from cardtable.records.aggregation import AggregatedRecords
from cardtable.records.ratings import Player
from cardtable.records.statistics import PlayerStatistics, RunningMean
from cardtable.ui.records.base_page import (
    ALL,
    NOTHING_YET,
    RecordsPage,
    StatisticsSelection,
    listed_games,
    paint_words,
    span,
    when,
)
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import STATISTICS, KeyBinding
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.charts import (
    Amount,
    Series,
    paint_amounts,
    paint_columns,
    paint_courses,
    paint_points,
    paint_split,
)
from cardtable.ui.toolkit.painting.layout import MARGIN, Box
from cardtable.ui.toolkit.painting.text_fit import truncate
from cardtable.wording import statistics
from cardtable.wording.formatting import ordinal, signed
from cardtable.wording.statistics import COUNTS, NONE, label, mean, no_session, share

_FEW: Final = 4
"""Divisor that determines the end of the curve over a session.

The curve ends before the first round that fewer than one in this many sessions have reached.
"""


class Chart(NamedTuple):
    """Chart, or list of figures, that can be painted in a box."""

    name: str
    """Label of the key that shows the screen beginning with this chart."""
    rows: int
    """Minimum height in rows, including heading and labels."""
    grows: int
    """Weight in the distribution of spare rows; 0 if the chart does not grow."""
    order: int
    """Position among the charts of its screen, lowest at the top.

    The order of ``list_charts`` decides which screen a chart is on.
    """
    paint: Callable[[Canvas, Box, StatisticsSelection], None]


def charts(choice: StatisticsSelection) -> list[Chart]:
    """Return the charts for which there are data, the most important first."""
    if choice.game == ALL:
        return [Chart("games", len(all_keys()) + 2, 0, 0, _paint_games)]
    chosen, available = choice.figures, []
    if choice.rating(choice.game):
        available.append(Chart("rating", 8, 2, 0, _paint_rating))
    if chosen.bids:
        available.append(Chart("bids", 6, 0, 3, _paint_bids))
    if chosen.contracts:
        available.append(Chart("contracts", -(-len(chosen.contracts) // 2) + 1, 0, 3, _paint_contracts))
    if chosen.totals:
        available.append(Chart("totals", 7, 1, 1, _paint_totals))
    if len(_lasting(chosen)) > 1:
        available.append(Chart("course", 7, 1, 2, _paint_course))
    return [*available, Chart("figures", -(-len(_all_figures(choice)) // 2) + 1, 0, 4, _paint_all_figures)]


def _heading(canvas: Canvas, box: Box, name: str, about: str = "") -> Box:
    """Paint the heading of a chart and a remark beside it; return the rest of the box."""
    x = canvas.text(box.x, box.y, name, canvas.theme.inks.text, bold=True)
    canvas.text(x + 2, box.y, about, canvas.theme.inks.muted)
    return Box(box.x, box.y + 1, box.width, box.height - 1)


def _paint_rating(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    rating, ratings = choice.rating(choice.game), choice.records.ratings[choice.game]
    assert rating is not None
    below = _heading(canvas, box, "Rating", "after each session")
    course = Series("", range(len(rating.course)), rating.course, canvas.theme.inks.text)
    ends = span(ratings.ended[rating.at[0]], ratings.ended[rating.at[-1]])
    paint_courses(canvas, below, [course], len(rating.course) - 1, ends)


def _paint_totals(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    """Plot the totals of the last sessions, one session per column."""
    chosen = choice.figures
    shown = min(len(chosen.totals), max(box.width - 8, 1))
    which = "of" if shown == len(chosen.totals) else "of the last"
    number = with_count(shown, "seat" if choice.player.robot else "session")
    below = _heading(canvas, box, "Totals", f"{which} {number}")
    paint_points(canvas, below, chosen.totals[-shown:], span(chosen.ended[-shown], chosen.ended[-1]))


def _lasting(chosen: PlayerStatistics) -> Sequence[RunningMean]:
    """Return the mean totals after each round, up to the last round that enough sessions have reached."""
    course = chosen.course
    return [points for points in course if points.rounds * _FEW >= course[0].rounds]


def _paint_course(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    means = [points.mean for points in _lasting(choice.figures)]
    below = _heading(canvas, box, "Totals over a session", "mean after each round")
    course = Series("", range(len(means) + 1), [0.0, *means], canvas.theme.inks.text)
    paint_courses(canvas, below, [course], len(means), ("0", str(len(means))))


def _paint_bids(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    exact = statistics.exact_by_cards(choice.figures)
    below = _heading(canvas, box, "Exact bids by cards dealt")
    paint_columns(canvas, below, [(str(cards), 100 * share) for cards, share in exact], " %")


def _paint_contracts(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    below = _heading(canvas, box, "Points by contract", "mean of a round")
    brought = statistics.by_contract(choice.figures)
    paint_amounts(canvas, below, [Amount(name, mean, statistics.mean(mean)) for name, mean in brought])


def _all_figures(choice: StatisticsSelection) -> list[tuple[str, str]]:
    return statistics.all_figures(choice.figures, choice.game, rated=choice.player.rated)


def _paint_all_figures(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    """Paint all figures in two columns, which are read from top to bottom."""
    below, figures = _heading(canvas, box, "Figures"), _all_figures(choice)
    rows, width = -(-len(figures) // 2), (min(box.width, 60) - 3) // 2
    for place, (name, value) in enumerate(figures):
        x, y = box.x + place // rows * (width + 3), below.y + place % rows
        canvas.text(x, y, name, canvas.theme.inks.muted)
        canvas.right(x + width - 1, y, value, canvas.theme.inks.text)


def _paint_games(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    """Paint a line for each game; if they do not all fit, games without sessions are left out first."""
    inks = canvas.theme.inks
    ends = [box.x + 12 + (min(box.width, 70) - 13) * place // 4 for place in (1, 2, 3, 4)]
    for end, head in zip(ends, ("played", "won", "place", "rating"), strict=True):
        canvas.right(end, box.y, head, inks.muted)
    keys, room = all_keys(), canvas.height - 2 - box.y
    if len(keys) > room:
        keys = tuple(sorted(keys, key=lambda key: not choice.of(key).sessions)[:room])
    for y, key in enumerate(keys, box.y + 1):
        own, rating = choice.of(key), choice.rating(key)
        place, won = statistics.mean(own.mean_place), statistics.share(own.won)
        values = (str(own.sessions), won, place, f"{rating.mu:.0f}" if rating else statistics.NONE)
        ink = inks.text if own.sessions else inks.quiet
        canvas.text(box.x, y, ABOUT[key].title, ink)
        for end, value in zip(ends, values, strict=True):
            canvas.right(end, y, value if own.sessions else statistics.NONE, ink)


_TOP: Final = 8
"""First row of the charts."""


class ChooseGame(NamedTuple):
    """Mouse target of a game, or of all games together."""

    key: str


def panel_width(canvas: Canvas) -> int:
    """Return the width of the panel in columns; 0 if there is no room for a panel."""
    return 34 if canvas.width >= 110 else 24 if canvas.width >= 80 else 0


def title(game: str) -> str:
    """Return the title of a game; "All games" for ``ALL_GAMES``."""
    return "All games" if game == ALL else ABOUT[game].title


def content(canvas: Canvas) -> Box:
    """Return the box of figures and charts, at the right of the panel."""
    left = panel_width(canvas) + MARGIN + 1
    return Box(left, 2, canvas.width - MARGIN - left, canvas.height - 4)


def parts(canvas: Canvas, choice: StatisticsSelection) -> list[list[Chart]]:
    """Distribute the charts over screens in order of importance, as many on each screen as fit."""
    screens: list[list[Chart]] = []
    for chart in charts(choice):
        if screens and _needed(canvas, [*screens[-1], chart]) <= _room(canvas):
            screens[-1].append(chart)
        else:
            screens.append([chart])
    return screens


def shown(canvas: Canvas, choice: StatisticsSelection) -> list[Chart]:
    """Return the charts on the selected screen, from top to bottom."""
    screens = parts(canvas, choice)
    return sorted(screens[choice.part % len(screens)], key=lambda chart: chart.order) if screens else []


def _room(canvas: Canvas) -> int:
    return canvas.height - 2 - _TOP


def _gap(canvas: Canvas) -> int:
    return int(canvas.height >= 30)


def _needed(canvas: Canvas, together: Sequence[Chart]) -> int:
    return sum([chart.rows for chart in together]) + _gap(canvas) * (len(together) - 1)


def paint_statistics(canvas: Canvas, choice: StatisticsSelection) -> None:
    """Paint the panel, the figures and the charts, or a message if the player has no session in the game."""
    if panel_width(canvas):
        _paint_panel(canvas, choice)
    box = content(canvas)
    figures = choice.figures
    if not figures.sessions:
        _paint_nothing(canvas, box, choice)
        return
    _paint_figures(canvas, box, choice)
    canvas.text(box.x, 5, "Places", canvas.theme.inks.soft)
    places = [(f"{ordinal(place)} {times}", str(times), times) for place, times in sorted(figures.places.items())]
    paint_split(canvas, box.x + 8, 5, box.width - 8, places)
    together, y = shown(canvas, choice), _TOP
    spare = max(_room(canvas) - _needed(canvas, together), 0)
    weight = sum([chart.grows for chart in together]) or 1
    for chart in together:
        rows = chart.rows + spare * chart.grows // weight
        chart.paint(canvas, Box(box.x, y, box.width, rows), choice)
        y += rows + _gap(canvas)


def _paint_nothing(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    paint_words(
        canvas,
        box.x,
        box.y,
        box.width,
        no_session(choice.player, choice.me, "" if choice.game == ALL else choice.game),
        COUNTS,
        "Esc goes back to the picker, where Enter on a game begins one.",
    )


def _paint_figures(canvas: Canvas, box: Box, choice: StatisticsSelection) -> None:
    """Paint four figures in a row, each above its label."""
    figures, inks = choice.figures, canvas.theme.inks
    won = (share(figures.won), "won")
    place = (mean(figures.mean_place), "mean place")
    if choice.game == ALL:
        cells = [(str(figures.sessions), "sessions"), won, place, (str(figures.given_up), "given up")]
    else:
        rating, mean_total, exact = choice.rating(choice.game), figures.mean_total, figures.exact
        rated = (f"{rating.mu:.0f}", f"rating ±{rating.sigma:.0f}") if rating else (NONE, "not rated")
        total = (NONE if mean_total is None else signed(round(mean_total)), "mean total")
        cells = [rated, place, total, won if exact is None else (share(exact), "exact bids")]
    step = 20 if box.width >= 80 else box.width // 4
    for at, (value, word) in enumerate(cells):
        canvas.text(box.x + at * step, 2, value, inks.text, bold=True)
        canvas.text(box.x + at * step, 3, word, inks.muted)


def _paint_panel(canvas: Canvas, choice: StatisticsSelection) -> None:
    width = panel_width(canvas)
    canvas.fill(0, 1, width, canvas.height - 2, canvas.theme.grounds.panel)
    step = 2 if canvas.height >= 36 else 1
    inks = canvas.theme.inks
    canvas.text(3, 2, "Game", inks.text, bold=True)
    canvas.right(width - 3, 2, "played", inks.muted)
    for place, key in enumerate(listed_games()):
        played = choice.played(key)
        number = str(played) if played else NONE
        at = key == choice.game
        _paint_line(
            canvas, 4 + place * step, ChooseGame(key), title(key), number, here=at and not choice.aside, chosen=at
        )
    y = 4 + len(listed_games()) * step + (2 if canvas.height >= 24 else 1)
    canvas.text(3, y, "Player", inks.text, bold=True)
    _paint_players(canvas, y + (2 if canvas.height >= 24 else 1), choice)


def _paint_players(canvas: Canvas, top: int, choice: StatisticsSelection) -> None:
    """Paint the list of players from row ``top``, scrolled so that the selected one is visible."""
    players, rows = choice.players, canvas.height - 1 - top
    if len(players) > rows:
        canvas.right(panel_width(canvas) - 3, top - 2, str(len(players)), canvas.theme.inks.muted)
    step = 2 if canvas.height >= 36 and 2 * len(players) <= rows else 1
    at = players.index(choice.player)
    first = max(0, min(at - rows // 2, len(players) - rows)) if step == 1 else 0
    for place, player in enumerate(players[first : first + rows]):
        note = "robot" if player.robot else "you" if player == Player(choice.me) else ""
        chosen = player == choice.player
        here = chosen and choice.aside
        _paint_line(canvas, top + place * step, player, label(player), note, here=here, chosen=chosen)


def _paint_line(
    canvas: Canvas, y: int, target: ChooseGame | Player, name: str, note: str, *, here: bool, chosen: bool
) -> None:
    """Paint a line of the panel.

    ``has_cursor`` is True for the line under the cursor, ``is_selected`` for the selected entry of either list.
    """
    width, inks = panel_width(canvas), canvas.theme.inks
    canvas.add_hit_box(0, y, width, 1, target)
    if here:
        canvas.fill(0, y, width, 1, canvas.theme.grounds.row)
        canvas.text(0, y, "▌", inks.gold)
    elif chosen:
        canvas.text(1, y, "•", inks.soft)
    end = canvas.right(width - 3, y, note, inks.soft if here else inks.quiet)
    canvas.text(3, y, truncate(name, end - 4), inks.text if chosen else inks.soft, bold=chosen)


class StatisticsPage(RecordsPage):
    """Page of a player's statistics, with a panel to select player and game."""

    ABOUT = "in the statistics"
    SCOPE = STATISTICS

    def __init__(self, context: PageContext, player: Player, game: str) -> None:
        super().__init__(context)
        self.choice = StatisticsSelection(self.records or AggregatedRecords(), context.nick, player, game)

    def renew(self) -> None:
        if self.records is not None:
            self.choice.records = self.records

    def paint_body(self, canvas: Canvas) -> Keys:
        choice = self.choice
        if self.trouble or self.records is None:
            box = content(canvas)
            paint_words(canvas, box.x, box.y, box.width, self.trouble or NOTHING_YET)
        else:
            paint_statistics(canvas, choice)
        context = "" if panel_width(canvas) else title(choice.game)
        paint_page_header(canvas, "Statistics", context, self.progress or self._who())
        aside = ("player", "games" if choice.aside else "player")
        screens = parts(canvas, choice) if choice.figures.sessions else []
        more = [("figures", screens[(choice.part + 1) % len(screens)][0].name)] if len(screens) > 1 else []
        choose = ("up down", "player" if choice.aside else "game")
        sessions = [("archive", "sessions")] if not choice.player.robot else []
        others = [("rankings", "rankings"), *sessions] if panel_width(canvas) else []
        return [choose, aside, *more, *others, ("leave", "back")]

    def _who(self) -> str:
        first = self.choice.figures.first
        return label(self.choice.player) + (f"   since {when(first)}" if first else "")

    @property
    def player(self) -> Player | None:
        return self.choice.player

    def is_enabled(self, key: KeyBinding) -> bool:
        if key.name in ("figures", "left", "right"):
            return bool(self.choice.figures.sessions) and len(parts(self.canvas, self.choice)) > 1
        return super().is_enabled(key)

    def action_move(self, step: int) -> None:
        self.choice.move(step)
        self.repaint()

    def action_end(self, place: int) -> None:
        self.choice.end(place)
        self.repaint()

    def action_aside(self) -> None:
        """Move the cursor between the list of games and the list of players."""
        self.choice.aside = not self.choice.aside
        self.repaint()

    def action_turn(self, step: int) -> None:
        """Show the next (1) or previous (-1) screen of charts, wrapping around at the ends."""
        self.choice.part = (self.choice.part + step) % len(parts(self.canvas, self.choice))
        self.repaint()

    def action_rankings(self) -> None:
        self.show("rankings", *([self.choice.game] if self.choice.game != ALL else []))

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Select the clicked game or player."""
        if isinstance(target, ChooseGame):
            self.choice.game, self.choice.aside, self.choice.part = target.key, False, 0
        elif isinstance(target, Player):
            self.choice.player, self.choice.aside, self.choice.part = target, True, 0
        self.repaint()

    def wheel(self, step: int, _x: int) -> None:
        self.action_move(step)


def screen(context: PageContext, player: Player | str | None = None, game: str = ALL) -> PageScreen:
    """Return the statistics page of a player, who can be given as a nick; with ``None``, of the current player."""
    who = player if isinstance(player, Player) else Player(player or context.nick)
    return PageScreen(StatisticsPage(context, who, game))
