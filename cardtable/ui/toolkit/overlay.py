"""Boxes over a darkened screen: the key sheet, and short messages."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
from rich.cells import cell_len

from cardtable.ui.keys.bindings import LINE_TOPIC, AnyKeyBinding
from cardtable.ui.keys.keymap import Keymap, format_key
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, erase_cut_text, truncate, wrap
from cardtable.ui.toolkit.painting.layout import Box, get_layout
from cardtable.ui.toolkit.text_input import EDITING_KEYS, filter_line_keys

Keys: TypeAlias = Sequence[tuple[str, str]]
"""Keys as they are labelled, each with the description of its effect."""
Groups: TypeAlias = Sequence[tuple[str, Keys]]
"""Keys with labels, grouped by topic."""

_LARGE_WIDTH: Final = 92
_NORMAL_WIDTH: Final = 72
"""Widths of a box in columns, on a large screen (``_LARGE_WIDTH``) and on other screens."""
INDENT: Final = 3
"""Number of columns between the edge of a box and its text."""
_GAP: Final = 3
"""Number of columns between a key and its label, and between a label and the next key."""
_MORE_MARKS: Final = ("\u2191 more", "\u2193 more")
"""Marks that there are hidden lines above and below."""
_FRAME_ROWS: Final = 4
"""Number of rows of a box besides its lines: the title, and empty rows above it, below it and after the lines."""


def paint_help(canvas: Canvas, title: str, subtitle: str, groups: Groups, offset: int = 0) -> int:
    """Darken the canvas and paint the key sheet in a box over it; return the maximum scroll offset in rows.

    The topics are in two columns. If these do not fit, the topics follow each other, with their keys in running lines
    scrolled by ``offset`` rows.
    """
    topic_gap = 1 if get_layout(canvas).large else 0
    left, right = _split_topics(groups)
    rows = sum(max(len(a), len(b)) + 2 + 2 * topic_gap for (_, a), (_, b) in zip(left, right, strict=True)) - 1
    columns = (_Column(left), _Column(right))
    width, height = measure_text_area(canvas)
    if columns[0].width + _GAP + columns[1].width > width or rows > height:
        return _paint_running(canvas, title, subtitle, groups, offset)
    box = paint_frame(canvas, title, subtitle, rows)
    second = max(columns[0].width + _GAP, min(box.width * 7 // 12 - INDENT, width - columns[1].width))
    y = box.y + 3 + topic_gap
    for (name, keys), (beside, other) in zip(left, right, strict=True):
        columns[0].paint(canvas, box.x + INDENT, y, name, keys, topic_gap)
        columns[1].paint(canvas, box.x + INDENT + second, y, beside, other, topic_gap)
        y += max(len(keys), len(other)) + 2 + 2 * topic_gap
    return 0


def paint_box(canvas: Canvas, title: str, lines: Sequence[str]) -> None:
    """Darken the canvas and paint a box of text over it, with cards in notation.

    If not all lines fit, the last ones are shown.
    """
    width, height = measure_text_area(canvas)
    rows = [row for line in lines for row in wrap(line, width, card_faces.measure_text)][-height:]
    box = paint_frame(canvas, title, "", len(rows))
    for y, row in enumerate(rows, box.y + 3):
        card_faces.paint_text(canvas, box.x + INDENT, y, row, canvas.theme.inks.text)


class _Column(msgspec.Struct, frozen=True):
    """Column of a key sheet; all its labels begin at the same column of the canvas."""

    topics: Groups

    @property
    def _key_width(self) -> int:
        return max([cell_len(key) for _, keys in self.topics for key, _ in keys], default=0) + _GAP

    @property
    def width(self) -> int:
        return self._key_width + max([cell_len(word) for _, keys in self.topics for _, word in keys], default=0)

    def paint(self, canvas: Canvas, x: int, y: int, name: str, keys: Keys, gap: int) -> None:
        """Paint one topic, with its name on row ``y`` and ``gap`` rows between name and keys."""
        inks = canvas.theme.inks
        canvas.write(x, y, name, inks.text, bold=True)
        for row, (key, word) in enumerate(keys, y + 1 + gap):
            canvas.write(x, row, key, inks.text, bold=True)
            canvas.write(x + self._key_width, row, word, inks.soft)


def _split_topics(groups: Groups) -> tuple[Groups, Groups]:
    """Divide the topics between a left and a right column; if their number is odd, the last one is divided."""
    left, right = list(groups[::2]), list(groups[1::2])
    if len(left) > len(right):
        name, keys = left[-1]
        half = (len(keys) + 1) // 2
        left[-1] = (name, keys[:half])
        right.append(("", keys[half:]))
    return left, right


def _paint_running(canvas: Canvas, title: str, subtitle: str, groups: Groups, offset: int) -> int:
    width, height = measure_text_area(canvas)
    indent = max([cell_len(name) for name, _ in groups], default=0) + 2
    lines = [(name, row) for name, keys in groups for row in _fill_rows(keys, width - indent)]
    max_offset = max(len(lines) - height, 0)
    offset = min(offset, max_offset)
    box = paint_frame(canvas, title, subtitle, min(len(lines), height), scrolls=max_offset > 0)
    inks, before = canvas.theme.inks, ""
    canvas.write_right(box.right - INDENT - 1, box.y + 1, _MORE_MARKS[0] if offset > 0 else "", inks.muted)
    canvas.write_right(box.right - INDENT - 1, box.bottom, _MORE_MARKS[1] if offset < max_offset else "", inks.muted)
    for y, (name, row) in enumerate(lines[offset : offset + height], box.y + 3):
        canvas.write(box.x + INDENT, y, name if name != before else "", inks.soft)
        before, x = name, box.x + INDENT + indent
        for key, word in row:
            x = canvas.write(x, y, key, inks.text, bold=True) + 1
            x = canvas.write(x, y, word, inks.soft) + _GAP
    return max_offset


def _fill_rows(keys: Keys, width: int) -> list[Keys]:
    """Return rows with as many keys and labels as fit."""
    rows: list[list[tuple[str, str]]] = []
    used = width
    for key, word in keys:
        needed = cell_len(key) + 1 + cell_len(word)
        if used + _GAP + needed > width:
            rows.append([])
            used = -_GAP
        rows[-1].append((key, word))
        used += _GAP + needed
    return list(rows)


def _compute_width(canvas: Canvas) -> int:
    return min(_LARGE_WIDTH if get_layout(canvas).large else _NORMAL_WIDTH, canvas.width - 4)


def measure_text_area(canvas: Canvas) -> tuple[int, int]:
    """Return the columns and rows that are available for the lines of a box, at least 2 and 1."""
    width, height = _compute_width(canvas) - 2 * INDENT, canvas.height - 2 - _FRAME_ROWS
    return max(width, 2), max(height, 1)


def paint_frame(canvas: Canvas, title: str, subtitle: str, rows: int, *, scrolls: bool = False) -> Box:
    """Darken the canvas and paint an empty box with a title in its middle; return the box.

    Texts that the box cuts are erased.
    The footer names the keys that close the box and, if ``scrolls`` is True, those that scroll it.
    """
    inks, grounds = canvas.theme.inks, canvas.theme.grounds
    canvas.dim()
    width, height = _compute_width(canvas), rows + _FRAME_ROWS
    box = Box((canvas.width - width) // 2, max((canvas.height - height) // 2, 1), width, height)
    for row in canvas.chars[box.y : box.bottom + 1]:
        erase_cut_text(row, box.x, box.right)
    canvas.fill(box.x, box.y, box.width, box.height, grounds.mat)
    x = canvas.write(box.x + INDENT, box.y + 1, title, inks.text, bold=True) + 2
    canvas.write(x, box.y + 1, truncate(subtitle, box.right - x), inks.soft)
    canvas.fill(0, canvas.height - 1, canvas.width, 1, grounds.panel)
    x = 2
    for key, word in [("up down", "scroll"), ("any other key", "closes")] if scrolls else [("any key", "closes")]:
        x = canvas.write(x, canvas.height - 1, canvas.appearance.keys.format_label(key), inks.text, bold=True) + 1
        x = canvas.write(x, canvas.height - 1, word, inks.muted) + _GAP
    return box


_SCROLL_ROWS: Final = {"up": -1, "down": 1, "page_up": -8, "page_down": 8, "first": -100, "last": 100}
"""Number of rows that each key scrolls, by name of its binding; keys that go to an end scroll more than a sheet has."""


class KeySheet:
    """Key sheet over a screen, open until a key is pressed that does not scroll it."""

    def __init__(self) -> None:
        self._offset = self._max_offset = 0

    def paint(self, canvas: Canvas, subtitle: str, groups: Groups) -> None:
        """Paint the sheet; ``subtitle`` names the screen on which the keys work."""
        self._max_offset = paint_help(canvas, "Keys", subtitle, groups, self._offset)
        self._offset = min(self._offset, self._max_offset)

    def is_scrolled_by(self, name: str) -> bool:
        return self._max_offset > 0 and name in _SCROLL_ROWS

    def handle_key(self, keymap: Keymap, pressed: str) -> bool:
        """Scroll the sheet if the key is one that scrolls it; return False otherwise."""
        name = next((name for name in _SCROLL_ROWS if pressed in keymap.find_keys(name)), "")
        is_handled = self.is_scrolled_by(name)
        if is_handled:
            self.scroll(_SCROLL_ROWS[name])
        return is_handled

    def scroll(self, rows: int) -> None:
        self._offset = max(0, min(self._offset + rows, self._max_offset))


def build_key_groups(
    keymap: Keymap,
    enabled_keys: Sequence[AnyKeyBinding],
    labels: Mapping[str, str] | None = None,
    *,
    is_typing: bool = False,
) -> Groups:
    """Return keys with their labels, grouped by topic; keys with the same label share a line.

    ``labels`` overrides labels by name of the key binding. Its entries that name no binding are added as lines. The
    editing keys of the text input are listed if ``is_typing`` is True.
    """
    topics: dict[str, dict[str, list[str]]] = {}
    special = dict(labels or {})
    for key in enabled_keys:
        if key.topic != LINE_TOPIC or is_typing:
            word = special.pop(key.name, key.label)
            topics.setdefault(key.topic, {}).setdefault(word, []).append(key.name)
    first = next(iter(topics), "")
    groups = [
        (topic, [(_format_keys(keymap, topic, names), word) for word, names in rows.items()])
        for topic, rows in topics.items()
    ]
    others = [(sign, word) for sign, word in special.items() if keymap.format_label(sign) == sign]
    more = {first: others, LINE_TOPIC: EDITING_KEYS}
    return [(topic, [*rows, *more.get(topic, ())]) for topic, rows in groups]


def _format_keys(keymap: Keymap, topic: str, names: Sequence[str]) -> str:
    """Return the labels of all keys of these bindings.

    Under the topic of the text input, keys that have another effect there are omitted.
    """
    if topic != LINE_TOPIC:
        return keymap.format_all_labels(names)
    return " ".join([format_key(key) for name in names for key in filter_line_keys(name, keymap.find_keys(name))])
