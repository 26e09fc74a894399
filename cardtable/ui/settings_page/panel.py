"""Beside the settings: cards in the theme under the cursor, what a setting can be, where a key works."""

from json import dumps
from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import card
from cardtable.store.settings import ALLOWED, Settings
from cardtable.ui.draw import card_faces, fitting
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.card_faces import SMALL, CardLook, Size
from cardtable.ui.draw.layout import SIZES, Box, grid_of
from cardtable.ui.draw.themes import Theme, lowest
from cardtable.ui.keys import rebinding
from cardtable.ui.keys.keymap import Keymap

_INDENT: Final = 2
_OTHER_ROWS: Final = 9
"""Rows of the preview beside those of the trick and of the hand."""
_MOST_COLUMNS: Final = 72
_MOST_ROWS: Final = 33
"""Columns and rows beyond which trick and hand would be too far apart."""
_TRICK: Final = ("TH", "QH", "3H")
_HAND: Final = ("AS", "JS", "KH", "JH", "AD", "8D", "QC", "7C")
"""Cards of the preview: hearts were led, so that the others are dimmed."""
_USUAL: Final = Settings()


class _Lines:
    """Lines of words below each other on the panel."""

    def __init__(self, canvas: Canvas, box: Box) -> None:
        canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.panel)
        self._canvas, self._box, self._y = canvas, box, box.y + 1
        self.inks = canvas.theme.inks

    def say(self, text: str, ink: str, *, bold: bool = False) -> None:
        """A text in as many lines as it needs."""
        for line in fitting.wrap(text, self._box.width - 2 * _INDENT):
            if self._y <= self._box.bottom:
                self._canvas.text(self._box.x + _INDENT, self._y, line, ink, bold=bold)
            self._y += 1

    def gap(self) -> None:
        """A free line."""
        self._y += 1


def paint_setting(canvas: Canvas, box: Box, settings: Settings, name: str, label: str, about: str) -> None:
    """What the file calls it, what it can be, and what is usual."""
    lines = _Lines(canvas, box)
    inks = lines.inks
    lines.say(label, inks.text, bold=True)
    lines.gap()
    if about:
        lines.say(about, inks.soft)
        lines.gap()
    lines.say("In settings.toml", inks.muted)
    lines.say(f"{name} = {_in_file(getattr(settings, name))}", inks.text, bold=True)
    lines.gap()
    lines.say(f"It can be {ALLOWED[name]}.", inks.soft)
    lines.say(f"Usually it is {_in_file(getattr(_USUAL, name))}.", inks.soft)


def _in_file(value: object) -> str:
    """A value as the settings file has it."""
    return dumps(value, ensure_ascii=False)


def paint_key(canvas: Canvas, box: Box, keymap: Keymap, name: str, usual: str, *, asks: bool, refused: str) -> None:
    """What was wrong with the key last chosen, where it works and what for, and the preset's keys."""
    said = _Lines(canvas, box)
    inks = said.inks
    said.say(f"{name.replace('_', ' ')}   {keymap.every([name])}", inks.text, bold=True)
    said.gap()
    if asks:
        said.say("Press the new key. Esc keeps the old one.", inks.gold, bold=True)
        said.gap()
    elif refused:
        said.say(refused, inks.loss, bold=True)
        said.gap()
    for where, word in rebinding.places(name):
        said.say(f"{where}: {word}", inks.soft)
    said.gap()
    if " ".join(keymap.keys(name)) != usual:
        said.say(f"In the preset it is {usual}.", inks.soft)
        said.gap()
    said.say("In settings.toml", inks.muted)
    said.say("[keys]", inks.soft)
    said.say(f"{name} = {_in_file(' '.join(keymap.keys(name)))}", inks.soft)


def paint_preview(canvas: Canvas, box: Box, theme: Theme, seen: Theme) -> None:
    """The theme's name, cards as the table has them, and how well the worst of its suits can be read.

    ``seen``: the theme as the other settings let it be seen.
    """
    room = min(grid_of(canvas).card.height, (box.height - _OTHER_ROWS) // 2)
    size = next(size for size, _ in SIZES.values() if size.height <= room)
    look, grounds, inks = replace(canvas.look, theme=seen), seen.grounds, seen.inks
    preview = Canvas(box.width, box.height, look)
    preview.fill(0, 0, box.width, 1, grounds.panel)
    preview.text(_INDENT, 0, theme.title, inks.text, bold=True)
    preview.right(box.width - 1 - _INDENT, 0, "preview", inks.muted)
    preview.text(_INDENT, box.height - 1, f"lowest contrast {lowest(theme):.1f}", inks.muted)
    table = Canvas(min(box.width, _MOST_COLUMNS), min(box.height - 2, _MOST_ROWS), look)
    _paint_trick(table, size)
    _paint_hand(table, size)
    preview.lay(table, (box.width - table.width) // 2, 1 + (box.height - 2 - table.height) // 2)
    canvas.lay(preview, box.x, box.y)


def _paint_trick(canvas: Canvas, size: Size) -> None:
    """Three cards on the mat, of which the middle one leads, and above it whose that is."""
    theme, middle = canvas.theme, canvas.width // 2
    size = max(size, SMALL, key=lambda each: each.height)
    top, mat = 1 + _air(canvas, size), 3 * size.width + 8
    canvas.fill(middle - mat // 2, top, mat, size.height + 3, theme.grounds.mat)
    canvas.fill(middle - 6, top - 1, 12, 1, theme.grounds.plate)
    x = canvas.text(middle - 5, top - 1, "Cy", theme.inks.text, bold=True)
    canvas.text(x + 2, top - 1, "1 of 2", theme.inks.role)
    for place, name in enumerate(_TRICK, -1):
        x = middle - size.width // 2 + place * (size.width + 2)
        card_faces.card(canvas, x, top + 1 + abs(place), size, card(name), CardLook(leads=place == 0))


def _air(canvas: Canvas, size: Size) -> int:
    """Free rows above the trick, and as many between trick and hand."""
    return (canvas.height + 2 - 2 * size.height - _OTHER_ROWS) // 3


def _paint_hand(canvas: Canvas, size: Size) -> None:
    """The own plate with what to do, and the hand: a heart under the cursor, what is no heart dimmed."""
    theme, y = canvas.theme, canvas.height - 1 - size.height
    row = y - 2 - bool(_air(canvas, size))
    canvas.fill(_INDENT, row, 13, 1, theme.inks.gold)
    x = canvas.text(_INDENT + 1, row, "Anna", theme.grounds.panel, bold=True)
    canvas.text(x + 1, row, "1 of 2", theme.grounds.panel)
    canvas.text(_INDENT + 15, row, "Follow hearts.", theme.inks.text, bold=True)
    for place in card_faces.fan([card(name) for name in _HAND], canvas.width, size, gaps=True):
        cursor, heart = place.card == card("KH"), place.card in (card("KH"), card("JH"))
        look = CardLook(cursor=cursor, dimmed=not heart)
        card_faces.card(canvas, place.x, y - cursor, size, place.card, look, shown=place.shown)
        if cursor:
            canvas.text(place.x + (place.shown or size.width) // 2, y - 1 + size.height, "▲", theme.inks.gold)
