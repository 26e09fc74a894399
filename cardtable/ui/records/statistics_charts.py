"""The charts of statistics: rating, totals, bids, contracts, a session's course, all figures, all games."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from cardtable.engine.words import counted
from cardtable.games import ABOUT, all_keys
from cardtable.records.statistics import Figures, Points
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.charts import Amount, Course, paint_amounts, paint_columns, paint_courses, paint_points
from cardtable.ui.draw.layout import Box
from cardtable.ui.records.chosen import ALL, ChosenRecords
from cardtable.ui.records.words import span
from cardtable.wording import figures

_FEW: Final = 4
"""A session's course ends where fewer than one session in so many has lasted so long."""


class Chart(NamedTuple):
    """One chart, or list of figures."""

    name: str
    """What a key for it is called."""
    rows: int
    """The least that it needs, heading and labels included."""
    grows: int
    """Its share of rows that are left."""
    order: int
    """Its place on a screen; those of more importance are on an earlier one."""
    paint: Callable[[Canvas, Box, ChosenRecords], None]


def charts(choice: ChosenRecords) -> list[Chart]:
    """What there is to show, the most important first."""
    if choice.game == ALL:
        return [Chart("games", len(all_keys()) + 2, 0, 0, _paint_games)]
    chosen, found = choice.figures, []
    if choice.rating(choice.game):
        found.append(Chart("rating", 8, 2, 0, _paint_rating))
    if chosen.bids:
        found.append(Chart("bids", 6, 0, 3, _paint_bids))
    if chosen.contracts:
        found.append(Chart("contracts", -(-len(chosen.contracts) // 2) + 1, 0, 3, _paint_contracts))
    if chosen.totals:
        found.append(Chart("totals", 7, 1, 1, _paint_totals))
    if len(_lasting(chosen)) > 1:
        found.append(Chart("course", 7, 1, 2, _paint_course))
    return [*found, Chart("figures", -(-len(_all_figures(choice)) // 2) + 1, 0, 4, _paint_all_figures)]


def _heading(canvas: Canvas, box: Box, name: str, about: str = "") -> Box:
    """The heading of a chart; what is left for the chart."""
    x = canvas.text(box.x, box.y, name, canvas.theme.inks.text, bold=True)
    canvas.text(x + 2, box.y, about, canvas.theme.inks.muted)
    return Box(box.x, box.y + 1, box.width, box.height - 1)


def _paint_rating(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    rating, ratings = choice.rating(choice.game), choice.records.ratings[choice.game]
    assert rating is not None
    below = _heading(canvas, box, "Rating", "after each session")
    course = Course("", range(len(rating.course)), rating.course, canvas.theme.inks.text)
    ends = span(ratings.ended[rating.at[0]], ratings.ended[rating.at[-1]])
    paint_courses(canvas, below, [course], len(rating.course) - 1, ends)


def _paint_totals(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    """The totals of the last sessions, as many as there are columns for."""
    chosen = choice.figures
    shown = min(len(chosen.totals), max(box.width - 8, 1))
    which = "of" if shown == len(chosen.totals) else "of the last"
    number = counted(shown, "seat" if choice.player.robot else "session")
    below = _heading(canvas, box, "Totals", f"{which} {number}")
    paint_points(canvas, below, chosen.totals[-shown:], span(chosen.ended[-shown], chosen.ended[-1]))


def _lasting(chosen: Figures) -> Sequence[Points]:
    """The totals after each round that enough sessions have lasted to."""
    course = chosen.course
    return [points for points in course if points.rounds * _FEW >= course[0].rounds]


def _paint_course(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    means = [points.mean for points in _lasting(choice.figures)]
    below = _heading(canvas, box, "Totals over a session", "mean after each round")
    course = Course("", range(len(means) + 1), [0.0, *means], canvas.theme.inks.text)
    paint_courses(canvas, below, [course], len(means), ("0", str(len(means))))


def _paint_bids(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    exact = figures.exact_by_cards(choice.figures)
    below = _heading(canvas, box, "Exact bids by cards dealt")
    paint_columns(canvas, below, [(str(cards), 100 * share) for cards, share in exact], " %")


def _paint_contracts(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    below = _heading(canvas, box, "Points by contract", "mean of a round")
    brought = figures.by_contract(choice.figures)
    paint_amounts(canvas, below, [Amount(name, mean, figures.mean(mean)) for name, mean in brought])


def _all_figures(choice: ChosenRecords) -> list[tuple[str, str]]:
    return figures.all_figures(choice.figures, choice.game, rated=choice.player.rated)


def _paint_all_figures(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    """All figures in two columns, in the order in which one reads them."""
    below, told = _heading(canvas, box, "Figures"), _all_figures(choice)
    rows, width = -(-len(told) // 2), (min(box.width, 60) - 3) // 2
    for place, (name, value) in enumerate(told):
        x, y = box.x + place // rows * (width + 3), below.y + place % rows
        canvas.text(x, y, name, canvas.theme.inks.muted)
        canvas.right(x + width - 1, y, value, canvas.theme.inks.text)


def _paint_games(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    """A line for each game; where not all have room those that were played come first."""
    inks = canvas.theme.inks
    ends = [box.x + 12 + (min(box.width, 70) - 13) * place // 4 for place in (1, 2, 3, 4)]
    for end, head in zip(ends, ("played", "won", "place", "rating"), strict=True):
        canvas.right(end, box.y, head, inks.muted)
    keys, room = all_keys(), canvas.height - 2 - box.y
    if len(keys) > room:
        keys = tuple(sorted(keys, key=lambda key: not choice.of(key).sessions)[:room])
    for y, key in enumerate(keys, box.y + 1):
        own, rating = choice.of(key), choice.rating(key)
        place, won = figures.mean(own.mean_place), figures.share(own.won)
        values = (str(own.sessions), won, place, f"{rating.mu:.0f}" if rating else figures.NONE)
        ink = inks.text if own.sessions else inks.quiet
        canvas.text(box.x, y, ABOUT[key].title, ink)
        for end, value in zip(ends, values, strict=True):
            canvas.right(end, y, value if own.sessions else figures.NONE, ink)
