"""Boxes over a darkened screen: the key sheet, and short messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from rich.cells import cell_len

from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import LINE, KeyBinding, KeyBindings
from cardtable.ui.toolkit.keys.keymap import Keymap, key_label
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Box, grid_of
from cardtable.ui.toolkit.painting.text_fit import truncate, wrap
from cardtable.ui.toolkit.text_input import EDITING_KEYS, keys_in_line

Groups: TypeAlias = Sequence[tuple[str, Keys]]
"""Keys with labels, grouped by topic."""

_LARGE: Final = 92
_USUAL: Final = 72
"""Widths of a box in columns, on a large screen (``_LARGE_WIDTH``) and on other screens."""
INDENT: Final = 3
"""Number of columns between the edge of a box and its text."""
_GAP: Final = 3
"""Number of columns between a key and its label, and between a label and the next key."""
_MORE: Final = ("\u2191 more", "\u2193 more")
"""Marks that there are hidden lines above and below."""
_FRAME_ROWS: Final = 4
"""Number of rows of a box besides its lines: the title, and empty rows above it, below it and after the lines."""


def paint_help(canvas: Canvas, title: str, aside: str, groups: Groups, offset: int = 0) -> int:
    """Darken the canvas and paint the key sheet in a box over it; return the maximum scroll offset in rows.

    The topics are in two columns. If these do not fit, the topics follow each other, with their keys in running lines
    scrolled by ``offset`` rows.
    """
    air = grid_of(canvas).large
    left, right = _split_topics(groups)
    rows = sum(max(len(a), len(b)) + 2 + 2 * air for (_, a), (_, b) in zip(left, right, strict=True)) - 1
    columns = (_Column(left), _Column(right))
    width, height = room(canvas)
    if columns[0].width + _GAP + columns[1].width > width or rows > height:
        return _paint_running(canvas, title, aside, groups, offset)
    box = block(canvas, title, aside, rows)
    second = max(columns[0].width + _GAP, min(box.width * 7 // 12 - INDENT, width - columns[1].width))
    y = box.y + 3 + air
    for (name, keys), (beside, other) in zip(left, right, strict=True):
        columns[0].paint(canvas, box.x + INDENT, y, name, keys, air=air)
        columns[1].paint(canvas, box.x + INDENT + second, y, beside, other, air=air)
        y += max(len(keys), len(other)) + 2 + 2 * air
    return 0


def paint_box(canvas: Canvas, title: str, lines: Sequence[str]) -> None:
    """Darken the canvas and paint a box of text over it, with cards in notation.

    If not all lines fit, the last ones are shown.
    """
    width, height = room(canvas)
    rows = [row for line in lines for row in wrap(line, width, card_faces.shown_width)][-height:]
    box = block(canvas, title, "", len(rows))
    for y, row in enumerate(rows, box.y + 3):
        card_faces.paint_text(canvas, box.x + INDENT, y, row, canvas.theme.inks.text)


@dataclass(frozen=True, slots=True)
class _Column:
    """Column of a key sheet; all its labels begin at the same column of the canvas."""

    topics: Groups

    @property
    def _keys(self) -> int:
        return max([cell_len(key) for _, keys in self.topics for key, _ in keys], default=0) + _GAP

    @property
    def width(self) -> int:
        """Width of the longest line in columns."""
        return self._keys + max([cell_len(word) for _, keys in self.topics for _, word in keys], default=0)

    def paint(self, canvas: Canvas, x: int, y: int, name: str, keys: Keys, *, air: bool) -> None:
        """Paint one topic, with its name on row ``y``."""
        inks = canvas.theme.inks
        canvas.text(x, y, name, inks.text, bold=True)
        for row, (key, word) in enumerate(keys, y + 1 + air):
            canvas.text(x, row, key, inks.text, bold=True)
            canvas.text(x + self._keys, row, word, inks.soft)


def _split_topics(groups: Groups) -> tuple[Groups, Groups]:
    """Divide the topics between a left and a right column; if their number is odd, the last one is divided."""
    left, right = list(groups[::2]), list(groups[1::2])
    if len(left) > len(right):
        name, keys = left[-1]
        half = (len(keys) + 1) // 2
        left[-1] = (name, keys[:half])
        right.append(("", keys[half:]))
    return left, right


def _paint_running(canvas: Canvas, title: str, aside: str, groups: Groups, offset: int) -> int:
    width, height = room(canvas)
    indent = max([cell_len(name) for name, _ in groups], default=0) + 2
    lines = [(name, row) for name, keys in groups for row in _fill_rows(keys, width - indent)]
    most = max(len(lines) - height, 0)
    offset = min(offset, most)
    box = block(canvas, title, aside, min(len(lines), height), scrolls=most > 0)
    inks, before = canvas.theme.inks, ""
    canvas.right(box.right - INDENT - 1, box.y + 1, _MORE[0] if offset > 0 else "", inks.muted)
    canvas.right(box.right - INDENT - 1, box.bottom, _MORE[1] if offset < most else "", inks.muted)
    for y, (name, row) in enumerate(lines[offset : offset + height], box.y + 3):
        canvas.text(box.x + INDENT, y, name if name != before else "", inks.soft)
        before, x = name, box.x + INDENT + indent
        for key, word in row:
            x = canvas.text(x, y, key, inks.text, bold=True) + 1
            x = canvas.text(x, y, word, inks.soft) + _GAP
    return most


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


def _width(canvas: Canvas) -> int:
    return min(_LARGE if grid_of(canvas).large else _USUAL, canvas.width - 4)


def room(canvas: Canvas) -> tuple[int, int]:
    """Return the columns and rows that are available for the lines of a box, at least 2 and 1."""
    width, height = _width(canvas) - 2 * INDENT, canvas.height - 2 - _FRAME_ROWS
    return max(width, 2), max(height, 1)


def block(canvas: Canvas, title: str, aside: str, rows: int, *, scrolls: bool = False) -> Box:
    """Darken the canvas and paint an empty box with a title in its middle; return the box.

    The footer names the keys that close the box and, if ``scrolls`` is True, those that scroll it.
    """
    inks, grounds = canvas.theme.inks, canvas.theme.grounds
    canvas.dim()
    width, height = _width(canvas), rows + _FRAME_ROWS
    box = Box((canvas.width - width) // 2, max((canvas.height - height) // 2, 1), width, height)
    canvas.fill(box.x, box.y, box.width, box.height, grounds.mat)
    x = canvas.text(box.x + INDENT, box.y + 1, title, inks.text, bold=True) + 2
    canvas.text(x, box.y + 1, truncate(aside, box.right - x), inks.soft)
    canvas.fill(0, canvas.height - 1, canvas.width, 1, grounds.panel)
    x = 2
    for key, word in [("up down", "scroll"), ("any other key", "closes")] if scrolls else [("any key", "closes")]:
        x = canvas.text(x, canvas.height - 1, canvas.look.keys.label(key), inks.text, bold=True) + 1
        x = canvas.text(x, canvas.height - 1, word, inks.muted) + _GAP
    return box


WHEEL: Final = 2
"""Number of rows that one notch of the mouse wheel scrolls."""
_SCROLL: Final = {"up": -1, "down": 1, "page_up": -8, "page_down": 8, "first": -100, "last": 100}
"""Number of rows that each key scrolls, by name of its binding; keys that go to an end scroll more than a sheet has."""


class KeySheet:
    """Key sheet over a screen, open until a key is pressed that does not scroll it."""

    def __init__(self) -> None:
        self._at = self._most = 0

    def paint(self, canvas: Canvas, aside: str, groups: Groups) -> None:
        """Paint the sheet; ``subtitle`` names the screen on which the keys work."""
        self._most = paint_help(canvas, "Keys", aside, groups, self._at)
        self._at = min(self._at, self._most)

    def scrolled_by(self, name: str) -> bool:
        """Return True if the key binding ``name`` scrolls the sheet and the sheet has hidden rows."""
        return self._most > 0 and name in _SCROLL

    def press(self, keymap: Keymap, pressed: str) -> bool:
        """Scroll the sheet if the key is one that scrolls it; return False otherwise."""
        name = next((name for name in _SCROLL if pressed in keymap.keys(name)), "")
        scrolls = self.scrolled_by(name)
        if scrolls:
            self.scroll(_SCROLL[name])
        return scrolls

    def turn(self, steps: int) -> None:
        """Scroll by notches of the mouse wheel, up if negative."""
        self.scroll(steps * WHEEL)

    def scroll(self, rows: int) -> None:
        """Scroll down by ``rows`` rows, or up if negative, stopping at the ends."""
        self._at = max(0, min(self._at + rows, self._most))


def sheet(
    keymap: Keymap,
    scope: KeyBindings,
    works: Callable[[KeyBinding], bool],
    words: Mapping[str, str] | None = None,
    *,
    is_typing: bool = False,
) -> Groups:
    """Return the enabled keys of a scope with their labels, grouped by topic; keys with the same label share a line.

    ``labels`` overrides labels by name of the key binding. Its entries that name no binding are added as lines. The
    editing keys of the text input are listed if ``is_typing`` is True.
    """
    scope = [key for key in scope if key.topic != LINE or is_typing]
    topics: dict[str, dict[str, list[str]]] = {}
    special = dict(words or {})
    for key in scope:
        if works(key):
            word = special.pop(key.name, key.label)
            topics.setdefault(key.topic, {}).setdefault(word, []).append(key.name)
    first = next(iter(topics), "")
    groups = [
        (topic, [(_label(keymap, topic, names), word) for word, names in rows.items()])
        for topic, rows in topics.items()
    ]
    others = [(sign, word) for sign, word in special.items() if keymap.label(sign) == sign]
    more = {first: others, LINE: EDITING_KEYS}
    return [(topic, [*rows, *more.get(topic, ())]) for topic, rows in groups]


def _label(keymap: Keymap, topic: str, names: Sequence[str]) -> str:
    """Return the labels of all keys of these bindings.

    Under the topic of the text input, keys that have another effect there are omitted.
    """
    if topic != LINE:
        return keymap.all_labels(names)
    return " ".join([key_label(key) for name in names for key in keys_in_line(name, keymap.keys(name))])
