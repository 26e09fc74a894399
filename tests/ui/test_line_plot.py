"""Line plots: dots, labels at the ends of lines, round axis values."""

import re

import pytest

from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.charts import Curve, paint_plot
from cardtable.ui.toolkit.painting.layout import Box
from tests.ui.canvas_rendering import APPEARANCE, NAMES, THEME, get_rows

DOTS = re.compile("[\u2801-\u28ff]")
SMALL, LARGE = Box(0, 0, 25, 9), Box(0, 0, 60, 19)


def draw_plot(box, *lines, last=1):
    canvas = Canvas(box.width, box.height, APPEARANCE)
    paint_plot(canvas, box, lines, last)
    return canvas


def test_line_rises_from_lower_left_to_upper_right():
    picture = get_rows(draw_plot(SMALL, Curve("You", (0, 31))))
    columns = [DOTS.search(row).start() for row in picture[:8]]
    assert columns == sorted(columns, reverse=True)
    assert columns[-1] == 0
    assert picture[0].endswith(" You  31")
    assert picture[8].split() == ["0", "1"]


def test_single_value_is_one_dot():
    assert len(DOTS.findall(str(draw_plot(SMALL, Curve("You", (7,)), last=0)))) == 1


def test_line_may_end_before_last_step():
    picture = get_rows(draw_plot(SMALL, Curve("You", (0, 31)), last=28))
    assert all(match.start() < 3 for row in picture for match in DOTS.finditer(row))
    assert picture[8].split() == ["0", "28"]


def test_own_line_is_drawn_over_others():
    canvas = draw_plot(SMALL, Curve("You", (0, 9)), Curve("Ada", (0, 9)))
    inks = {canvas.inks[y][x] for y in range(8) for x in range(25) if DOTS.match(canvas.chars[y][x])}
    assert inks == {THEME.plot.lines[0]}


def test_end_label_has_ink_of_its_line():
    canvas = draw_plot(SMALL, Curve("You", (0, 9)), Curve("Ada", (0, -9)))
    for name, value, ink in (("You", "9", THEME.plot.lines[0]), ("Ada", "−9", THEME.plot.lines[1])):
        row = next(y for y, text in enumerate(get_rows(canvas)) if name in text)
        assert get_rows(canvas)[row].endswith(value)
        assert canvas.inks[row][get_rows(canvas)[row].index(name)] == canvas.inks[row][24] == ink


@pytest.mark.parametrize("value", [0, 5, 10])
def test_labels_of_equal_lines_do_not_overlap(value):
    lines = [Curve("high", (0, 10)), Curve("low", (10, 0)), *[Curve(name, (5, value)) for name in NAMES[:4]]]
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
    picture = get_rows(draw_plot(LARGE, Curve("You", values)))
    assert [match[1] for row in picture if (match := re.match(r" *(−?\d+) .*·", row))] == ticks


def test_no_plot_without_room():
    assert str(draw_plot(Box(0, 0, 12, 9), Curve("You", (0, 9)))).strip() == ""
    assert str(draw_plot(Box(0, 0, 30, 6), *[Curve(name, (0, 9)) for name in NAMES])).strip() == ""
