"""Footer of every screen, with keys that can be clicked."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.ui.keys.bindings import FooterKeys
from cardtable.ui.keys.keymap import USUAL_KEYS
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.text_fit import truncate

_GAP: Final = 3
"""Number of columns between two keys."""
_EXIT_KEYS: Final = frozenset(("leave", "close"))
"""Keys that are never omitted, so that even a new user can leave the screen."""


def paint_footer(
    canvas: Canvas,
    keys: FooterKeys,
    margin: int,
    banner: str = "",
    *,
    with_help: bool = True,
) -> None:
    """Paint the keys and, if ``with_help`` is True, the help key; a banner replaces the keys.

    If the keys do not fit, the gaps shrink. Then keys are omitted from the end, except those that leave the screen.
    """
    y = canvas.height - 1
    inks = canvas.theme.inks
    canvas.fill(0, y, canvas.width, 1, canvas.theme.grounds.panel)
    format_label = canvas.appearance.keys.format_label
    end = canvas.width - margin
    if with_help:
        end -= cell_len(format_label("help")) + 5
        canvas.add_hit_box(end, y, canvas.width - end, 1, KeyTarget("help"))
        canvas.write(canvas.write(end, y, format_label("help"), inks.text, bold=True) + 1, y, "help", inks.muted)
    if banner:
        canvas.write(
            margin, y, truncate(canvas.appearance.keys.format_keys(banner), end - margin - 2), inks.loss, bold=True
        )
        return
    entries = [(names, format_label(names), word) for names, word in keys.items() if word]
    x, room, gap = margin, end - margin - _GAP + 1, _GAP
    if _measure_entries(entries, gap) > room:
        gap = _GAP - 1
    while _measure_entries(entries, gap) > room and (less := [key for key in entries if key[0] not in _EXIT_KEYS]):
        entries.remove(less[-1])
    for names, key, word in entries:
        if (name := names.split()[-1]) in USUAL_KEYS:
            canvas.add_hit_box(x, y, len(key) + len(word) + 1, 1, KeyTarget(name))
        x = canvas.write(x, y, key, inks.text, bold=True) + 1
        x = canvas.write(x, y, word, inks.muted) + gap


def _measure_entries(entries: Sequence[tuple[str, str, str]], gap: int) -> int:
    return sum([cell_len(key) + 1 + cell_len(word) + gap for _, key, word in entries]) - gap


class KeyTarget(str):
    """Mouse target of a footer key: the name of its key binding."""

    __slots__ = ()
