"""Boxes over a darkened screen: the key sheet, and a few lines of text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from rich.cells import cell_len

from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import LINE, KeyBinding, KeyBindings
from cardtable.ui.toolkit.keys.keymap import Keymap, sign
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Box, grid_of
from cardtable.ui.toolkit.painting.text_fit import truncate, wrap
from cardtable.ui.toolkit.text_input import EDITING_KEYS, keys_in_line

Groups: TypeAlias = Sequence[tuple[str, Keys]]
"""Keys by topic."""

_LARGE: Final = 92
_USUAL: Final = 72
"""Columns of a block on a large screen and on others."""
INDENT: Final = 3
"""Columns between the edge of a block and its text."""
_GAP: Final = 3
"""Columns between a key and its word, and between one of them and the next."""
_MORE: Final = ("\u2191 more", "\u2193 more")
"""What says that there are lines above, and below."""
_FRAME_ROWS: Final = 4
"""Rows of a block beside its lines: title, and one free row above, below and after it."""


def paint_help(canvas: Canvas, title: str, aside: str, groups: Groups, offset: int = 0) -> int:
    """Darken the canvas and lay the key sheet over it, in two columns by topic.

    Where that does not fit, topic follows topic with the keys in running lines, without the first ``offset`` of
    them if there are more than fit.  How many can be scrolled away.
    """
    air = grid_of(canvas).large
    left, right = _halves(groups)
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
    """Darken the canvas and lay lines of text over it, cards in notation; the last ones if not all fit."""
    width, height = room(canvas)
    rows = [row for line in lines for row in wrap(line, width, card_faces.shown_width)][-height:]
    box = block(canvas, title, "", len(rows))
    for y, row in enumerate(rows, box.y + 3):
        card_faces.words(canvas, box.x + INDENT, y, row, canvas.theme.inks.text)


@dataclass(frozen=True, slots=True)
class _Column:
    """One of the two columns of a key sheet: words stand below each other."""

    topics: Groups

    @property
    def _keys(self) -> int:
        return max([cell_len(key) for _, keys in self.topics for key, _ in keys], default=0) + _GAP

    @property
    def width(self) -> int:
        """Columns of the longest line."""
        return self._keys + max([cell_len(word) for _, keys in self.topics for _, word in keys], default=0)

    def paint(self, canvas: Canvas, x: int, y: int, name: str, keys: Keys, *, air: bool) -> None:
        """One topic, its name on row ``y``."""
        inks = canvas.theme.inks
        canvas.text(x, y, name, inks.text, bold=True)
        for row, (key, word) in enumerate(keys, y + 1 + air):
            canvas.text(x, row, key, inks.text, bold=True)
            canvas.text(x + self._keys, row, word, inks.soft)


def _halves(groups: Groups) -> tuple[Groups, Groups]:
    """The topics of the left column and of the right; a last one that stands alone is divided."""
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
    lines = [(name, row) for name, keys in groups for row in _running(keys, width - indent)]
    most = max(len(lines) - height, 0)
    offset = min(offset, most)
    box = block(canvas, title, aside, min(len(lines), height), scrolls=most > 0)
    inks, before = canvas.theme.inks, ""
    canvas.right(box.right - INDENT - 1, box.y + 1, _MORE[0] * (offset > 0), inks.muted)
    canvas.right(box.right - INDENT - 1, box.bottom, _MORE[1] * (offset < most), inks.muted)
    for y, (name, row) in enumerate(lines[offset : offset + height], box.y + 3):
        canvas.text(box.x + INDENT, y, name if name != before else "", inks.soft)
        before, x = name, box.x + INDENT + indent
        for key, word in row:
            x = canvas.text(x, y, key, inks.text, bold=True) + 1
            x = canvas.text(x, y, word, inks.soft) + _GAP
    return most


def _running(keys: Keys, width: int) -> list[Keys]:
    """Keys with their words, as many in a row as fit."""
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
    """Columns and rows that lines in a block can have."""
    width, height = _width(canvas) - 2 * INDENT, canvas.height - 2 - _FRAME_ROWS
    return max(width, 2), max(height, 1)


def block(canvas: Canvas, title: str, aside: str, rows: int, *, scrolls: bool = False) -> Box:
    """Darken the canvas and lay an empty block with a title in the middle; in the footer how it goes away."""
    inks, grounds = canvas.theme.inks, canvas.theme.grounds
    canvas.dim()
    width, height = _width(canvas), rows + _FRAME_ROWS
    box = Box((canvas.width - width) // 2, max((canvas.height - height) // 2, 1), width, height)
    canvas.fill(box.x, box.y, box.width, box.height, grounds.mat)
    x = canvas.text(box.x + INDENT, box.y + 1, title, inks.text, bold=True) + 2
    canvas.text(x, box.y + 1, truncate(aside, box.right - x), inks.soft)
    canvas.fill(0, canvas.height - 1, canvas.width, 1, grounds.panel)
    x = 2
    for key, word in [("up down", "scroll")] * scrolls + [("any other key" if scrolls else "any key", "closes")]:
        x = canvas.text(x, canvas.height - 1, canvas.look.keys.label(key), inks.text, bold=True) + 1
        x = canvas.text(x, canvas.height - 1, word, inks.muted) + _GAP
    return box


WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""
_SCROLL: Final = {"up": -1, "down": 1, "page_up": -8, "page_down": 8, "first": -100, "last": 100}
"""Rows that keys scroll, more than there are for those that go to an end."""


class KeySheet:
    """What lies over a screen until a key is pressed that does not scroll it."""

    def __init__(self) -> None:
        self._at = self._most = 0

    def paint(self, canvas: Canvas, aside: str, groups: Groups) -> None:
        """The rows that fit; ``aside`` says where the keys work."""
        self._most = paint_help(canvas, "Keys", aside, groups, self._at)
        self._at = min(self._at, self._most)

    def scrolled_by(self, name: str) -> bool:
        """Whether a key scrolls it, by its name: there is more than is seen."""
        return self._most > 0 and name in _SCROLL

    def press(self, keymap: Keymap, pressed: str) -> bool:
        """Scroll it, if that is what the key does."""
        name = next((name for name in _SCROLL if pressed in keymap.keys(name)), "")
        scrolls = self.scrolled_by(name)
        if scrolls:
            self.scroll(_SCROLL[name])
        return scrolls

    def turn(self, steps: int) -> None:
        """Turn the mouse wheel."""
        self.scroll(steps * WHEEL)

    def scroll(self, rows: int) -> None:
        """Some rows on or back, no further than the ends."""
        self._at = max(0, min(self._at + rows, self._most))


def sheet(
    keymap: Keymap,
    scope: KeyBindings,
    works: Callable[[KeyBinding], bool],
    words: Mapping[str, str] | None = None,
    *,
    is_typing: bool = False,
) -> Groups:
    """Keys by topic with what they do; those with the same word share a line.

    ``words`` say what some do just here: by name, or by a sign that is no name. The keys of a line are among them
    where one is being edited.
    """
    scope = [key for key in scope if key.topic != LINE or is_typing]
    topics: dict[str, dict[str, list[str]]] = {}
    special = dict(words or {})
    for key in scope:
        if works(key):
            word = special.pop(key.name, key.word)
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
    """Return the keys of names that do the same; in a line some keys do not what they do elsewhere."""
    if topic != LINE:
        return keymap.every(names)
    return " ".join([sign(key) for name in names for key in keys_in_line(name, keymap.keys(name))])
