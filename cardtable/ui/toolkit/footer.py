"""The footer of every screen, and its keys as targets of the mouse."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len

from cardtable.ui.toolkit.keys.keymap import USUAL
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.text_fit import truncate

Keys: TypeAlias = Sequence[tuple[str, str]]
"""Keys, each with what it does."""
_GAP: Final = 3
"""Columns between keys."""
_WAYS_OUT: Final = frozenset(("leave", "close"))
"""Keys that are named wherever they work: whoever knows no other key must know how to get away."""


def paint_footer(
    canvas: Canvas,
    keys: Keys,
    margin: int,
    banner: str = "",
    *,
    sheet: bool = True,
) -> None:
    """The keys that work now, by their names, and with ``sheet`` the one for help; a banner stands instead of keys.

    Where they do not all fit they stand closer together, then the last ones are left out, the way out never.
    """
    y = canvas.height - 1
    inks = canvas.theme.inks
    canvas.fill(0, y, canvas.width, 1, canvas.theme.grounds.panel)
    labelled = canvas.look.keys.label
    end = canvas.width - margin
    if sheet:
        end -= cell_len(labelled("help")) + 5
        canvas.add_hit_box(end, y, canvas.width - end, 1, Press("help"))
        canvas.text(canvas.text(end, y, labelled("help"), inks.text, bold=True) + 1, y, "help", inks.muted)
    if banner:
        canvas.text(margin, y, truncate(canvas.look.keys.format_keys(banner), end - margin - 2), inks.loss, bold=True)
        return
    told = [(names, labelled(names), word) for names, word in keys]
    x, room, gap = margin, end - margin - _GAP + 1, _GAP
    if _columns(told, gap) > room:
        gap = _GAP - 1
    while _columns(told, gap) > room and (less := [key for key in told if key[0] not in _WAYS_OUT]):
        told.remove(less[-1])
    for names, key, word in told:
        if (name := names.split()[-1]) in USUAL:
            canvas.add_hit_box(x, y, len(key) + len(word) + 1, 1, Press(name))
        x = canvas.text(x, y, key, inks.text, bold=True) + 1
        x = canvas.text(x, y, word, inks.muted) + gap


def _columns(told: Sequence[tuple[str, str, str]], gap: int) -> int:
    """How many columns the keys take, with gaps between them."""
    return sum([cell_len(key) + 1 + cell_len(word) + gap for _, key, word in told]) - gap


class Press(str):
    """The mouse's target: what a key of the footer is called."""

    __slots__ = ()
