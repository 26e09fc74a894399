"""Charts and line plots: ranges, positions, labels at the ends of lines, round axis values."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtable.ui.toolkit.painting import charts
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.charts import Curve, Series, paint_plot
from cardtable.ui.toolkit.painting.layout import Box
from tests.ui.canvas_rendering import APPEARANCE, NAMES, THEME, get_rows

DOTS = re.compile("[\u2801-\u28ff]")
BOX = Box(0, 0, 50, 8)


def create_canvas(box=BOX):
    return Canvas(box.width, box.height, APPEARANCE)


def create_series(*values, own=True, label=""):
    return Series(label, range(len(values)), values, THEME.inks.text, own)


@given(st.floats(-5000, 5000), st.floats(0, 3000), st.integers(2, 6))
def test_ticks_are_round_and_cover_all_values(low, more, most):
    ticks = list(charts.choose_covering_ticks(low, low + max(more, 1), most))
    assert ticks[0] <= low
    assert ticks[-1] >= low + more
    assert 2 <= len(ticks) <= most
    assert all(tick == round(tick) for tick in ticks)


def test_line_ends_at_newest_point():
    picture = create_canvas()
    charts.paint_series(picture, BOX, [create_series(1000, 1100, 1300)], 2, ("3 Jan", "9 Mar"))
    lines = get_rows(picture)
    assert lines[0].rstrip().endswith("●")
    assert DOTS.search(lines[6]).start() == 5
    assert lines[7].split() == ["3", "Jan", "9", "Mar"]
    x = lines[0].index("●")
    assert picture.inks[0][x] == THEME.inks.gold


def test_many_sessions_are_reduced_to_columns():
    scale = charts.Scale(Box(0, 0, 20, 5), 9999, 0, 10000)
    assert len(charts.compute_points(scale, create_series(*range(10000)))) == 40


DOTS = re.compile("[\u2801-\u28ff]")
SMALL, LARGE = Box(0, 0, 25, 9), Box(0, 0, 60, 19)


def draw_plot(box, *lines, last=1):
    canvas = Canvas(box.width, box.height, APPEARANCE)
    paint_plot(canvas, box, lines, last)
    return canvas


@pytest.mark.parametrize("value", [0, 5, 10])
def test_labels_of_equal_lines_do_not_overlap(value):
    ends = {"high": (0, 10), "low": (10, 0), **dict.fromkeys(NAMES[:4], (5, value))}
    lines = [Curve(name, values, THEME.inks.text) for name, values in ends.items()]
    picture = get_rows(draw_plot(Box(0, 0, 30, 9), *lines))
    named = [next(y for y, row in enumerate(picture) if f" {line.name} " in row) for line in lines]
    assert len(set(named)) == 6
    assert max(named) <= 7


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((0, 186), ["200", "150", "100", "50", "0"]),
        ((-6, 116), ["125", "100", "75", "50", "25", "0"]),
        ((-100, -20), ["−20", "−40", "−60", "−80", "−100"]),
        ((0, 3), ["3", "2", "1", "0"]),
    ],
)
def test_large_plot_has_round_axis_values(values, ticks):
    picture = get_rows(draw_plot(LARGE, Curve("You", values, THEME.inks.text)))
    assert [match[1] for row in picture if (match := re.match(r" *(−?\d+) .*·", row))] == ticks


def test_no_plot_without_room():
    lines = [Curve(name, (0, 9), THEME.inks.text) for name in NAMES]
    assert str(draw_plot(Box(0, 0, 12, 9), lines[0])).strip() == ""
    assert str(draw_plot(Box(0, 0, 30, 6), *lines)).strip() == ""
