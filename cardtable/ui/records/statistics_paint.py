"""How statistics are painted: games and players at the left, then figures, and charts as many as there is room for."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cardtable.games import ABOUT
from cardtable.records.players import Player
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.charts import paint_split
from cardtable.ui.draw.fitting import cut
from cardtable.ui.draw.layout import MARGIN, Box
from cardtable.ui.records.chosen import ALL, ChosenRecords, listed_games
from cardtable.ui.records.statistics_charts import Chart, charts
from cardtable.ui.records.words import paint_words
from cardtable.wording.figures import COUNTS, NONE, mean, no_session, share
from cardtable.wording.players import label
from cardtable.wording.words import ordinal, signed

_TOP: Final = 8
"""The first row of charts."""


class ChooseGame(NamedTuple):
    """The mouse's target: a game, or all of them."""

    key: str


def panel_width(canvas: Canvas) -> int:
    """Columns of the panel; 0 where there is no room for one."""
    return 34 if canvas.width >= 110 else 24 if canvas.width >= 80 else 0


def title(game: str) -> str:
    """What a game is called here."""
    return "All games" if game == ALL else ABOUT[game].title


def content(canvas: Canvas) -> Box:
    """Where figures and charts stand."""
    left = panel_width(canvas) + MARGIN + 1
    return Box(left, 2, canvas.width - MARGIN - left, canvas.height - 4)


def parts(canvas: Canvas, choice: ChosenRecords) -> list[list[Chart]]:
    """The charts by screens: as many together as there is room for, the most important ones first."""
    found: list[list[Chart]] = []
    for chart in charts(choice):
        if found and _needed(canvas, [*found[-1], chart]) <= _room(canvas):
            found[-1].append(chart)
        else:
            found.append([chart])
    return found


def shown(canvas: Canvas, choice: ChosenRecords) -> list[Chart]:
    """The charts that are on the screen, from top to bottom."""
    found = parts(canvas, choice)
    return sorted(found[choice.part % len(found)], key=lambda chart: chart.order) if found else []


def _room(canvas: Canvas) -> int:
    return canvas.height - 2 - _TOP


def _gap(canvas: Canvas) -> int:
    return int(canvas.height >= 30)


def _needed(canvas: Canvas, together: Sequence[Chart]) -> int:
    return sum([chart.rows for chart in together]) + _gap(canvas) * (len(together) - 1)


def paint_statistics(canvas: Canvas, choice: ChosenRecords) -> None:
    """All of it."""
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


def _paint_nothing(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    paint_words(
        canvas,
        box.x,
        box.y,
        box.width,
        no_session(choice.player, choice.me, "" if choice.game == ALL else choice.game),
        COUNTS,
        "Esc goes back to the picker, where Enter on a game begins one.",
    )


def _paint_figures(canvas: Canvas, box: Box, choice: ChosenRecords) -> None:
    """Four figures in a row, each over its word."""
    figures, inks = choice.figures, canvas.theme.inks
    won = (share(figures.won), "won")
    place = (mean(figures.mean_place), "mean place")
    if choice.game == ALL:
        told = [(str(figures.sessions), "sessions"), won, place, (str(figures.given_up), "given up")]
    else:
        rating, mean_total, exact = choice.rating(choice.game), figures.mean_total, figures.exact
        rated = (f"{rating.mu:.0f}", f"rating ±{rating.sigma:.0f}") if rating else (NONE, "not rated")
        total = (NONE if mean_total is None else signed(round(mean_total)), "mean total")
        told = [rated, place, total, won if exact is None else (share(exact), "exact bids")]
    step = 20 if box.width >= 80 else box.width // 4
    for at, (value, word) in enumerate(told):
        canvas.text(box.x + at * step, 2, value, inks.text, bold=True)
        canvas.text(box.x + at * step, 3, word, inks.muted)


def _paint_panel(canvas: Canvas, choice: ChosenRecords) -> None:
    width = panel_width(canvas)
    canvas.fill(0, 1, width, canvas.height - 2, canvas.theme.grounds.panel)
    step = 2 if canvas.height >= 36 else 1
    inks = canvas.theme.inks
    canvas.text(3, 2, "Game", inks.text, bold=True)
    canvas.right(width - 3, 2, "played", inks.muted)
    for place, key in enumerate(listed_games()):
        played = choice.played(key)
        told = str(played) if played else NONE
        at = key == choice.game
        _paint_line(
            canvas, 4 + place * step, ChooseGame(key), title(key), told, here=at and not choice.aside, chosen=at
        )
    y = 4 + len(listed_games()) * step + (2 if canvas.height >= 24 else 1)
    canvas.text(3, y, "Player", inks.text, bold=True)
    _paint_players(canvas, y + (2 if canvas.height >= 24 else 1), choice)


def _paint_players(canvas: Canvas, top: int, choice: ChosenRecords) -> None:
    """The players from row ``top`` on, as many as there is room for around the chosen one."""
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
    """A line of the panel: under the cursor, chosen in the list that the cursor is not in, or neither."""
    width, inks = panel_width(canvas), canvas.theme.inks
    canvas.spot(0, y, width, 1, target)
    if here:
        canvas.fill(0, y, width, 1, canvas.theme.grounds.row)
        canvas.text(0, y, "▌", inks.gold)
    elif chosen:
        canvas.text(1, y, "•", inks.soft)
    end = canvas.right(width - 3, y, note, inks.soft if here else inks.quiet)
    canvas.text(3, y, cut(name, end - 4), inks.text if chosen else inks.soft, bold=chosen)
