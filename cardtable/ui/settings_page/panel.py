"""Beside the settings: cards in the theme under the cursor, what a setting can be, where a key works."""

from json import dumps
from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import card
from cardtable.store import settings
from cardtable.store.settings import Settings
from cardtable.ui.draw import card_faces, fitting
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.card_faces import SMALL, Look, Size
from cardtable.ui.draw.layout import SIZES, Box, grid_of
from cardtable.ui.draw.themes import Theme, lowest
from cardtable.ui.keys import rebinding
from cardtable.ui.settings_page.form import PRESET, TABS, Form, Kind

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
_PRESETS: Final = "The keys where none is changed; with vim hjkl move, and capitals have what these did."


def paint_panel(canvas: Canvas, box: Box, form: Form) -> None:
    """What belongs to the line under the cursor."""
    canvas.spot(box.x, box.y, box.width, box.height, None)
    if form.part == TABS[0]:
        name = form.cursor.name if form.cursor.kind is Kind.THEME else form.preferences.theme
        theme = form.themes.get(name, canvas.theme)
        _lay_preview(canvas, box, theme, form.preferences.seen(theme))
        return
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.panel)
    if form.cursor.kind is Kind.KEY:
        _paint_key(_Lines(canvas, box), form)
    else:
        _paint_setting(_Lines(canvas, box), form)


class _Lines:
    """Lines of words below each other on the panel."""

    def __init__(self, canvas: Canvas, box: Box) -> None:
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


def _paint_setting(lines: _Lines, form: Form) -> None:
    """What the file calls it, what it can be, and what is usual."""
    inks, name = lines.inks, form.cursor.name
    lines.say(form.label, inks.text, bold=True)
    lines.gap()
    if form.cursor == PRESET:
        lines.say(_PRESETS, inks.soft)
        lines.gap()
    lines.say("In settings.toml", inks.muted)
    lines.say(f"{name} = {_in_file(getattr(form.preferences.settings, name))}", inks.text, bold=True)
    lines.gap()
    lines.say(f"It can be {settings.ALLOWED[name]}.", inks.soft)
    lines.say(f"Usual is {_in_file(getattr(_USUAL, name))}.", inks.soft)


def _in_file(value: object) -> str:
    """A value as the settings file has it."""
    return dumps(value, ensure_ascii=False)


def not_changed(form: Form) -> str:
    """Why the key last chosen was refused."""
    return f"Not changed: {form.refused}."


def _paint_key(lines: _Lines, form: Form) -> None:
    """What was wrong with the key last chosen, where it works and what for, and the preset's keys."""
    inks, name, keymap = lines.inks, form.cursor.name, form.preferences.look.keys
    lines.say(f"{name}   {keymap.every([name])}", inks.text, bold=True)
    lines.gap()
    if form.asks:
        lines.say("Press the key that it shall have; Esc leaves it as it is.", inks.gold, bold=True)
        lines.gap()
    elif form.refused:
        lines.say(not_changed(form), inks.loss, bold=True)
        lines.gap()
    for where, word in rebinding.places(name):
        lines.say(f"{where}: {word}", inks.soft)
    lines.gap()
    preset = rebinding.usual(form.preferences.settings.key_preset, name)
    if " ".join(keymap.keys(name)) != preset:
        lines.say(f"The preset has {preset}.", inks.soft)
        lines.gap()
    lines.say("In settings.toml", inks.muted)
    lines.say("[keys]", inks.soft)
    lines.say(f"{name} = {_in_file(' '.join(keymap.keys(name)))}", inks.soft)


def _lay_preview(canvas: Canvas, box: Box, theme: Theme, seen: Theme) -> None:
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
        card_faces.card(canvas, x, top + 1 + abs(place), size, card(name), Look(leads=place == 0))


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
        look = Look(cursor=cursor, dimmed=not heart)
        card_faces.card(canvas, place.x, y - cursor, size, place.card, look, shown=place.shown)
        if cursor:
            canvas.text(place.x + (place.shown or size.width) // 2, y - 1 + size.height, "▲", theme.inks.gold)
