"""The settings: parts as tabs, lines at the left, beside them what the line under the cursor is about."""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from cardtable.ui.draw import fitting
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.choice import paint_choice
from cardtable.ui.draw.column import GAP, Block, Place, paint_column
from cardtable.ui.draw.layout import MARGIN, Box, layout
from cardtable.ui.draw.themes import lowest
from cardtable.ui.keys.rebinding import by_screen, places
from cardtable.ui.settings_page.form import FILES, KEYS, PRESET, TABS, Form, Kind, Line
from cardtable.ui.settings_page.panel import not_changed, paint_panel
from cardtable.wording.cards import SUIT_SIGNS

BAND: Final = 4
"""The first row below header and tabs."""
LEFT: Final = 45
LARGE_LEFT: Final = 56
"""Columns of the lines, and where there is much room."""
_LABEL: Final = 2
_VALUE: Final = 21
_LARGE_VALUE: Final = 24
"""How far in labels and values stand."""
_WIDE: Final = 18
"""Columns of a value."""
_FELT: Final = 3
_MAT: Final = 2
_FACE: Final = 9
"""Columns of a swatch: felt, mat, and the face of a card with its four inks."""
_KEPT: Final = (
    "Comments in settings.toml are lost when a setting is changed here; the file as it was is settings.toml.bak.",
    "CARDTABLE_HOME in the environment names another folder for all of it.",
)


class Step(NamedTuple):
    """The mouse's target: one of the two ends of a value."""

    line: Line
    step: int


class Tab(NamedTuple):
    """The mouse's target: a part."""

    part: str


def paint_settings(canvas: Canvas, form: Form) -> None:
    """Everything between header and footer; scrolls ``form`` where the cursor would be out of sight."""
    grid = layout(canvas.width, canvas.height)
    alone = grid.tiny or form.part == FILES
    left = canvas.width if alone else LARGE_LEFT if grid.large else LEFT
    width = left - (MARGIN + 3 if not alone else 2 * MARGIN)
    blocks = _blocks(form, width, _LARGE_VALUE if grid.large else _VALUE, airy=grid.large)
    form.offset = paint_column(
        canvas, blocks, MARGIN, width, cursor=form.cursor, offset=form.offset, follow=form.follow, top=BAND
    )
    if not alone:
        paint_panel(canvas, Box(left, BAND, canvas.width - left, canvas.height - 1 - BAND), form)
    _paint_band(canvas, form)
    if alone and form.refused:
        canvas.text(MARGIN, BAND - 1, fitting.cut(not_changed(form), width), canvas.theme.inks.loss, bold=True)


def _paint_band(canvas: Canvas, form: Form) -> None:
    theme, x = canvas.theme, MARGIN
    canvas.fill(0, 1, canvas.width, BAND - 1, theme.grounds.mat)
    canvas.spot(0, 1, canvas.width, BAND - 1, None)
    for part in TABS:
        at, width = part == form.part, len(part) + 4
        if at:
            canvas.fill(x, 2, width, 1, theme.grounds.bonus)
        canvas.text(x + 2, 2, part, theme.inks.text if at else theme.inks.soft, bold=at)
        canvas.spot(x, 1, width, BAND - 1, Tab(part))
        x += width + 1


def _blocks(form: Form, width: int, value: int, *, airy: bool) -> list[Block]:
    if form.part == KEYS:
        return _keys(form, value)
    if form.part == FILES:
        return _files(form, width)
    themes = [line for line in form.lines if line.kind is Kind.THEME]
    air = [GAP] * (airy and len(themes) <= 8)
    blocks = [_heading("Theme"), *[GAP] * airy] if themes else []
    for line in themes:
        blocks += [Block(1, partial(_paint_theme, form=form, line=line, x=value), line), *air]
    blocks += [GAP] * bool(themes)
    for line in form.lines:
        if line.kind is Kind.SETTING:
            said = fitting.wrap(form.setting(line).meaning, width - _LABEL)
            paint = partial(_paint_setting, form=form, line=line, x=value, said=said)
            blocks += [Block(1 + len(said), paint, line, lit=1), *[GAP] * (airy or not themes)]
    return blocks


def _heading(text: str) -> Block:
    def paint(where: Place) -> None:
        where.text(0, 0, text, where.canvas.theme.inks.text, bold=True)

    return Block(1, paint)


def _paint_theme(where: Place, form: Form, line: Line, x: int) -> None:
    canvas, theme = where.canvas, form.themes[line.name]
    ink = canvas.theme.inks.text
    if line.name == form.preferences.theme and not where.at:
        where.text(0, 0, "•", canvas.theme.inks.gold, bold=True)
    elif line.name == form.preferences.theme:
        where.text(1, 0, "•", canvas.theme.inks.gold, bold=True)
    where.text(_LABEL, 0, theme.title, ink, most=x - _LABEL - 1, bold=where.at)
    seen, left = form.preferences.seen(theme), where.x + x
    canvas.fill(left, where.y, _FELT, 1, seen.grounds.felt)
    canvas.fill(left + _FELT, where.y, _MAT, 1, seen.grounds.mat)
    canvas.fill(left + _FELT + _MAT, where.y, _FACE, 1, seen.cards.face)
    for place, suit in enumerate((3, 2, 1, 0)):
        canvas.text(left + _FELT + _MAT + 1 + 2 * place, where.y, SUIT_SIGNS[suit], seen.suits.face[suit], bold=True)
    where.text(x + _FELT + _MAT + _FACE + 1, 0, f"{lowest(theme):.1f}", where.quiet)


def _paint_setting(where: Place, form: Form, line: Line, x: int, said: list[str]) -> None:
    where.text(_LABEL, 0, form.setting(line).label, where.canvas.theme.inks.text, most=x - _LABEL - 1, bold=where.at)
    paint_choice(where, x, _WIDE, form.value(line), (Step(line, -1), Step(line, 1)))
    for row, text in enumerate(said, 1):
        where.text(_LABEL, row, text, where.canvas.theme.inks.quiet)


def _keys(form: Form, value: int) -> list[Block]:
    blocks = [Block(1, partial(_paint_preset, form=form, x=value), PRESET)]
    for where, names in by_screen().items():
        blocks += [GAP, _heading(where[:1].upper() + where[1:])]
        blocks += [_key(form, Line(Kind.KEY, name), value) for name in names]
    return blocks


def _key(form: Form, line: Line, value: int) -> Block:
    return Block(1, partial(_paint_key, form=form, line=line, x=value), line)


def _paint_preset(where: Place, form: Form, x: int) -> None:
    where.text(_LABEL, 0, "Preset", where.canvas.theme.inks.text, bold=True)
    paint_choice(where, x, _WIDE, form.value(PRESET), (Step(PRESET, -1), Step(PRESET, 1)))


def _paint_key(where: Place, form: Form, line: Line, x: int) -> None:
    theme, keymap = where.canvas.theme, form.preferences.look.keys
    changed = line.name in form.preferences.settings.keys
    where.text(_LABEL, 0, line.name, theme.inks.text, most=x - _LABEL - 1, bold=where.at)
    if where.at and form.asks:
        where.canvas.fill(where.x + x, where.y, _WIDE, 1, theme.inks.gold)
        asked = "one key more …" if form.beside else "press the key …"
        where.text(x + 1, 0, asked, theme.grounds.panel, bold=True)
        return
    where.text(x, 0, keymap.every([line.name]), theme.inks.text, most=_WIDE, bold=True)
    if changed:
        where.text(x - 2, 0, "•", theme.inks.gold, bold=True)
    if where.width > x + 2 * _WIDE:  # else the panel tells it
        where.text(x + _WIDE + 1, 0, places(line.name)[0][1], where.muted)


def _files(form: Form, width: int) -> list[Block]:
    blocks = [_heading("Where things are"), GAP]
    for name, path in form.files.items():
        blocks.append(Block(1, partial(_paint_file, name=name, path=path), Line(Kind.FILE, name)))
    blocks += [GAP, *[_said(text, width) for text in _KEPT], GAP, _heading("What is wrong"), GAP]
    if not form.complaints:
        return [*blocks, _said("Nothing: settings, themes and keys are as they should be.", width)]
    for line in form.lines:
        if line.kind is Kind.COMPLAINT:
            said = fitting.wrap(line.name, width - _LABEL)
            blocks.append(Block(len(said), partial(_paint_lines, said=said, ink=_loss), line))
    return blocks


def _said(text: str, width: int) -> Block:
    said = fitting.wrap(text, width - _LABEL)
    return Block(len(said), partial(_paint_lines, said=said, ink=_quiet))


def _quiet(where: Place) -> str:
    return where.canvas.theme.inks.quiet


def _loss(where: Place) -> str:
    return where.canvas.theme.inks.loss


def _paint_lines(where: Place, said: list[str], ink: Callable[[Place], str]) -> None:
    for row, text in enumerate(said):
        where.text(_LABEL, row, text, ink(where))


def _paint_file(where: Place, name: str, path: str) -> None:
    inks, x = where.canvas.theme.inks, 14
    where.text(_LABEL, 0, name, inks.text, bold=where.at)
    where.text(x, 0, fitting.cut_middle(path, where.width - x), where.muted)
