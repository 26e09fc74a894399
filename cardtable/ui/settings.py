"""Settings page, where changes take effect at once, and the page of the problems in the player's files."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from json import dumps
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.engine.cards import card
from cardtable.engine.text_format import MAX_PATH_LENGTH, capitalize_first, format_count, sanitize
from cardtable.store import paths
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.settings import KEYS, LOOK, SETTINGS, Setting
from cardtable.ui.keys.bindings import FILE_PROBLEMS, SETTINGS_PAGE, FooterKeys
from cardtable.ui.keys.keymap import apply_change, find_refusal, get_preset_keys, group_bindings_by_screen, list_screens
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_choice_row,
    make_heading_row,
    make_text_row,
)
from cardtable.ui.toolkit.page import TextPage, paint_page_header
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, cut_middle, truncate, wrap
from cardtable.ui.toolkit.painting.card_faces import SMALL, CardLook, Size
from cardtable.ui.toolkit.painting.layout import MARGIN, SIZES, Box, get_layout
from cardtable.ui.toolkit.painting.themes import Theme, compute_lowest_suit_contrast
from cardtable.ui.toolkit.preferences import Preferences, list_themes
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.wording.formatting import SUIT_SIGNS

_INDENT: Final = 2
_OTHER_ROWS: Final = 9
"""Number of rows of the preview that show no cards."""
_MAX_COLUMNS: Final = 72
_MAX_ROWS: Final = 33
"""Maximum width in columns and height in rows of the table in the preview, so that trick and hand stay close."""
_TRICK: Final = ("TH", "QH", "3H")
_HAND: Final = ("AS", "JS", "KH", "JH", "AD", "8D", "QC", "7C")
"""Cards of the preview; hearts were led, so that the other suits of the hand are dimmed."""
_BACKS: Final = 4
"""Number of cards face down in the preview."""
_STRIP_COLUMNS: Final = 10
"""Width of the strip of a card's back in the form, for terminals without room for the preview."""


class _TextWriter:
    """Writer of successive lines of text in a box; lines below the box are left out."""

    def __init__(self, canvas: Canvas, box: Box) -> None:
        canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.panel)
        self._canvas, self._box, self._y = canvas, box, box.y + 1
        self.inks = canvas.theme.inks

    def write(self, text: str, ink: str, *, bold: bool = False) -> None:
        """Write a text, wrapped to the width of the box."""
        for line in wrap(text, self._box.width - 2 * _INDENT):
            if self._y <= self._box.bottom:
                self._canvas.write(self._box.x + _INDENT, self._y, line, ink, bold=bold)
            self._y += 1

    def skip_row(self) -> None:
        self._y += 1


def paint_setting(canvas: Canvas, box: Box, setting: Setting, value: object, *, shows_help: bool) -> None:
    """Paint the explanation of a setting: its line in ``settings.toml``, the values it allows, and its default."""
    lines = _TextWriter(canvas, box)
    inks = lines.inks
    lines.write(setting.label, inks.text, bold=True)
    lines.skip_row()
    if shows_help:
        lines.write(setting.help_text, inks.soft)
        lines.skip_row()
    lines.write("In settings.toml", inks.muted)
    lines.write(f"{setting.name} = {_format_value(value)}", inks.text, bold=True)
    lines.skip_row()
    lines.write(f"Values: {setting.allowed}.", inks.soft)
    lines.write(f"Default: {_format_value(setting.default)}.", inks.soft)


def _format_value(value: object) -> str:
    return dumps(value, ensure_ascii=False)


def paint_preview(canvas: Canvas, box: Box, theme: Theme, seen: Theme, *, shows_backs: bool = False) -> None:
    """Paint the preview of a theme: its title, cards on the table, and the lowest contrast of its suits.

    ``seen`` is the theme as the other settings adapt it. With ``shows_backs``, cards face down replace the trick.
    """
    room = min(get_layout(canvas).card.height, (box.height - _OTHER_ROWS) // 2)
    size = next(size for size, _ in SIZES.values() if size.height <= room)
    look, grounds, inks = replace(canvas.appearance, theme=seen), seen.grounds, seen.inks
    preview = Canvas(box.width, box.height, look)
    preview.fill(0, 0, box.width, 1, grounds.panel)
    preview.write(_INDENT, 0, theme.title, inks.text, bold=True)
    preview.write_right(box.width - 1 - _INDENT, 0, "preview", inks.muted)
    preview.write(_INDENT, box.height - 1, f"lowest contrast {compute_lowest_suit_contrast(theme):.1f}", inks.muted)
    table = Canvas(min(box.width, _MAX_COLUMNS), min(box.height - 2, _MAX_ROWS), look)
    (_paint_backs if shows_backs else _paint_trick)(table, size)
    _paint_hand(table, size)
    preview.blit(table, (box.width - table.width) // 2, 1 + (box.height - 2 - table.height) // 2)
    canvas.blit(preview, box.x, box.y)


def _paint_trick(canvas: Canvas, size: Size) -> None:
    """Paint a trick of three cards on the mat, of which the middle one wins, and a plate above it."""
    theme, middle = canvas.theme, canvas.width // 2
    size = max(size, SMALL, key=lambda size: size.height)
    top, mat = 1 + _count_free_rows(canvas, size), 3 * size.width + 8
    canvas.fill(middle - mat // 2, top, mat, size.height + 3, theme.grounds.mat)
    canvas.fill(middle - 6, top - 1, 12, 1, theme.grounds.plate)
    x = canvas.write(middle - 5, top - 1, "Cy", theme.inks.text, bold=True)
    canvas.write(x + 2, top - 1, "1 of 2", theme.inks.role)
    for offset, name in enumerate(_TRICK, -1):
        x = middle - size.width // 2 + offset * (size.width + 2)
        card_faces.paint_card(canvas, x, top + 1 + abs(offset), size, card(name), CardLook(is_winning=offset == 0))


def _paint_backs(canvas: Canvas, size: Size) -> None:
    """Paint cards face down, where the preview has the trick."""
    size = max(size, SMALL, key=lambda size: size.height)
    for number in range(_BACKS):
        x = (canvas.width - _BACKS * (size.width + 1)) // 2 + number * (size.width + 1)
        card_faces.paint_back(canvas, x, 2 + _count_free_rows(canvas, size), size)


def _count_free_rows(canvas: Canvas, size: Size) -> int:
    """Return the number of free rows above the trick, and between trick and hand."""
    return (canvas.height + 2 - 2 * size.height - _OTHER_ROWS) // 3


def _paint_hand(canvas: Canvas, size: Size) -> None:
    """Paint the player's plate with a prompt, and the hand with the cursor on a heart and the other suits dimmed."""
    theme, y = canvas.theme, canvas.height - 1 - size.height
    row = y - (3 if _count_free_rows(canvas, size) else 2)
    canvas.fill(_INDENT, row, 13, 1, theme.inks.gold)
    x = canvas.write(_INDENT + 1, row, "Anna", theme.grounds.panel, bold=True)
    canvas.write(x + 1, row, "1 of 2", theme.grounds.panel)
    canvas.write(_INDENT + 15, row, "Follow hearts.", theme.inks.text, bold=True)
    for shown in card_faces.compute_fan([card(name) for name in _HAND], canvas.width, size, gaps=True):
        has_cursor = shown.card == card("KH")
        top = y - 1 if has_cursor else y
        look = CardLook(cursor=has_cursor, dimmed=shown.card not in (card("KH"), card("JH")))
        card_faces.paint_card(canvas, shown.x, top, size, shown.card, look, shown_columns=shown.shown_columns)
        if has_cursor:
            canvas.write(shown.x + (shown.shown_columns or size.width) // 2, top + size.height, "▲", theme.inks.gold)


FILES: Final = "Files"
TABS: Final = (*dict.fromkeys(setting.topic for setting in SETTINGS.values()), FILES)
"""Parts of the settings, in the order of the tabs."""
_CHANGE: Final = {"left right": "change", "rub_out": "default"}
_FELT, _MAT, _FACE = 3, 2, 9
"""Columns of a swatch: felt, mat, and a card's face with its four inks."""
_FILE_NOTES: Final = (
    "Changing a setting here removes comments from settings.toml; the previous file is saved as settings.toml.bak.",
    "The environment variable CARDTABLE_HOME sets another folder for everything.",
)


class SettingsRows:
    """Factory of the form rows of each part; the rows change the preferences."""

    def __init__(self, preferences: Preferences, themes: Mapping[str, Theme], files: Mapping[str, str]) -> None:
        """Prepare the rows; ``files`` maps the description of a file or folder to its path."""
        self.preferences, self.themes, self._files = preferences, themes, files
        self.awaited_binding: str | None = None
        """Name of the key binding to which the next key press is assigned; ``None`` if none is awaited."""
        self._adds_key = False
        """True if this key is added to the keys of the binding instead of replacing them."""
        self.refusal: str | None = None
        """Reason why the last key was refused; ``None`` if it was accepted."""

    @property
    def complaints(self) -> list[str]:
        return [*([self.preferences.save_error] if self.preferences.save_error else []), *self.preferences.problems]

    def list_rows(self, part: str, stops: ColumnStops, *, airy: bool) -> list[FormRow]:
        """Return the form rows of a part; ``airy`` rows have empty rows between them."""
        if part == KEYS:
            return self._list_key_rows(stops)
        if part == FILES:
            return self._list_file_rows()
        rows, gap = [], [EMPTY_ROW] if airy else []
        if part == LOOK:
            rows = [make_heading_row("Theme · contrast", 0), *gap]
            for name in self.themes:
                rows += [self._create_theme_row(name, stops), *(gap if len(self.themes) <= 8 else [])]
            rows.append(EMPTY_ROW)
        for setting in SETTINGS.values():
            if setting.topic == part and setting.values:
                row = self._create_setting_row(setting, stops)
                if part == LOOK:
                    is_back = setting.name == "card_back"
                    row.paint_aside = self._create_preview(self.preferences.theme_name, shows_backs=is_back)
                    row.draw = partial(_paint_back_setting, draw=row.draw, stops=stops) if is_back else row.draw
                rows += [row, *(gap if part == LOOK else [EMPTY_ROW])]
        return rows

    def _create_theme_row(self, name: str, stops: ColumnStops) -> FormRow:
        theme, preferences = self.themes[name], self.preferences
        return FormRow(
            name=("theme", name),
            draw=partial(_paint_theme, preferences=preferences, name=name, theme=theme, x=stops.value),
            on_press=partial(preferences.change, theme=name),
            on_backspace=partial(preferences.change, theme=SETTINGS["theme"].default),
            keys={"play": "use it", "rub_out": "default"},
            paint_aside=self._create_preview(name),
        )

    def _create_preview(self, name: str, *, shows_backs: bool = False) -> Callable[[Canvas, Box], None]:
        theme = self.themes.get(name, self.preferences.appearance.theme)
        return partial(paint_preview, theme=theme, seen=self.preferences.adapt_theme(theme), shows_backs=shows_backs)

    def _create_setting_row(self, setting: Setting, stops: ColumnStops, *, helps_beside: bool = False) -> FormRow:
        """Return the row of a setting; its help text is below it, or beside the form."""
        name, value = setting.name, getattr(self.preferences.chosen, setting.name)

        def step_value(step: int) -> None:
            self.preferences.change(**{name: setting.step_value(value, step)})

        line = make_choice_row(
            name, setting.label, setting.format_value(value), step_value, stops, bold=helps_beside,
            help_text="" if helps_beside else setting.help_text,
        )  # fmt: skip
        line.keys, line.on_backspace = _CHANGE, partial(self.preferences.change, **{name: setting.default})
        line.paint_aside = partial(paint_setting, setting=setting, value=value, shows_help=helps_beside)
        return line

    def _list_key_rows(self, stops: ColumnStops) -> list[FormRow]:
        rows = [self._create_setting_row(SETTINGS["key_preset"], stops, helps_beside=True)]
        for location, names in group_bindings_by_screen().items():
            rows += [EMPTY_ROW, make_heading_row(capitalize_first(location), 0)]
            rows += [self._create_key_row(name, stops) for name in names]
        return rows

    def _create_key_row(self, name: str, stops: ColumnStops) -> FormRow:
        usual = get_preset_keys(self.preferences.settings.key_preset, name)
        return FormRow(
            name=("key", name),
            draw=partial(self._paint_key, name=name, stops=stops),
            on_press=partial(self.begin_key_capture, name),
            on_backspace=partial(self._bind, name, usual),
            keys={"play": "new key", "choose": "one more", "rub_out": "default"},
            paint_aside=partial(self._paint_key_help, name=name, usual=usual),
        )

    def _paint_key_help(self, canvas: Canvas, box: Box, name: str, usual: str) -> None:
        """Paint the explanation of a key binding: what it does on each screen, and its line in ``settings.toml``.

        ``usual`` are the keys of the preset, separated by spaces.
        """
        keymap = self.preferences.appearance.keys
        writer, keys = _TextWriter(canvas, box), " ".join(keymap.find_keys(name))
        inks = writer.inks
        writer.write(f"{name.replace('_', ' ')}   {keymap.format_all_labels([name])}", inks.text, bold=True)
        writer.skip_row()
        if self.awaited_binding:
            writer.write("Press the new key. Esc keeps the old one.", inks.gold, bold=True)
            writer.skip_row()
        elif self.refusal:
            writer.write(self.refusal, inks.loss, bold=True)
            writer.skip_row()
        for location, label in list_screens(name):
            writer.write(f"{location}: {label}", inks.soft)
        writer.skip_row()
        if keys != usual:
            writer.write(f"Default: {usual}.", inks.soft)
            writer.skip_row()
        writer.write("In settings.toml", inks.muted)
        writer.write("[keys]", inks.soft)
        writer.write(f"{name} = {_format_value(keys)}", inks.soft)

    def begin_key_capture(self, name: str, *, in_addition: bool = False) -> None:
        """Await a key press for a binding; with ``in_addition``, its present keys are retained."""
        self.awaited_binding, self._adds_key, self.refusal = name, in_addition, None

    def assign_key(self, pressed: str) -> None:
        """Assign the pressed key to the awaited binding, unless it is refused; Escape cancels."""
        name, self.awaited_binding = self.awaited_binding, None
        if name and pressed != "escape":
            old_keys = self.preferences.appearance.keys.find_keys(name) if self._adds_key else ()
            self._bind(name, " ".join(dict.fromkeys([*old_keys, pressed])))

    def _bind(self, name: str, keys: str) -> None:
        settings = self.preferences.chosen
        refusal = find_refusal(self.preferences.appearance.keys, name, keys)
        self.refusal = refusal and f"{refusal}. Nothing changed."
        if not refusal:
            self.preferences.change(keys=apply_change(settings.keys, settings.key_preset, name, keys))

    def _paint_key(self, area: BlockArea, name: str, stops: ColumnStops) -> None:
        theme, x, label = area.canvas.theme, stops.value, name.replace("_", " ")
        area.write(stops.label, 0, label, theme.inks.text, max_width=x - stops.label - 1, bold=area.has_cursor)
        if self.awaited_binding == name:
            area.canvas.fill(area.x + x, area.y, stops.value_width, 1, theme.inks.gold)
            asked = "one more key …" if self._adds_key else "press the key …"
            area.write(x + 1, 0, asked, theme.grounds.panel, bold=True)
            return
        keymap = self.preferences.appearance.keys
        area.write(x, 0, keymap.format_all_labels([name]), theme.inks.text, max_width=stops.value_width, bold=True)
        if name in self.preferences.settings.keys:
            area.write(x - 2, 0, "•", theme.inks.gold, bold=True)
        if area.width > x + 2 * stops.value_width:  # in a narrow column, only the panel shows it
            area.write(x + stops.value_width + 1, 0, list_screens(name)[0][1], area.muted_ink)

    def _list_file_rows(self) -> list[FormRow]:
        problems = [make_text_row(line, is_error=True, name=("wrong", line)) for line in self.complaints]
        return [
            make_heading_row("Where your files are", 0),
            EMPTY_ROW,
            *[
                FormRow(name=("file", name), draw=partial(_paint_file, name=name, path=path))
                for name, path in self._files.items()
            ],
            EMPTY_ROW,
            *[make_text_row(text) for text in _FILE_NOTES if not is_hosted_client()],
            EMPTY_ROW,
            make_heading_row("Problems", 0),
            EMPTY_ROW,
            *(problems or [make_text_row("None in settings, themes or keys.")]),
        ]


def _paint_theme(area: BlockArea, preferences: Preferences, name: str, theme: Theme, x: int) -> None:
    canvas = area.canvas
    if name == preferences.theme_name:
        area.write(1 if area.has_cursor else 0, 0, "•", canvas.theme.inks.gold, bold=True)
    area.write(2, 0, theme.title, canvas.theme.inks.text, max_width=x - 3, bold=area.has_cursor)
    seen, left = preferences.adapt_theme(theme), area.x + x
    canvas.fill(left, area.y, _FELT, 1, seen.grounds.felt)
    canvas.fill(left + _FELT, area.y, _MAT, 1, seen.grounds.mat)
    canvas.fill(left + _FELT + _MAT, area.y, _FACE, 1, seen.cards.face)
    for index, suit in enumerate((3, 2, 1, 0)):
        canvas.write(left + _FELT + _MAT + 1 + 2 * index, area.y, SUIT_SIGNS[suit], seen.suits.face[suit], bold=True)
    area.write(x + _FELT + _MAT + _FACE + 1, 0, f"{compute_lowest_suit_contrast(theme):.1f}", area.quiet_ink)


def _paint_back_setting(area: BlockArea, draw: Callable[[BlockArea], object] | None, stops: ColumnStops) -> None:
    """Paint the row of the card backs, with a strip of the selected one below its value."""
    if draw:
        draw(area)
    x = area.x + stops.value + stops.value_width - _STRIP_COLUMNS
    card_faces.paint_back_strip(area.canvas, x, area.y + 1, _STRIP_COLUMNS)


def _paint_file(area: BlockArea, name: str, path: str) -> None:
    inks, x = area.canvas.theme.inks, 14
    area.write(2, 0, name, inks.text, bold=area.has_cursor)
    area.write(x, 0, cut_middle(path, area.width - x), area.muted_ink)


FORM_ROW: Final = 4
"""First row of the form, below header and tabs."""
FORM_WIDTH: Final = 45
LARGE_FORM_WIDTH: Final = 56
"""Width of the form in a normal and in a large terminal, in columns."""
_STOPS, _LARGE_STOPS = ColumnStops(2, 21, 18), ColumnStops(2, 24, 18)

_BULLET: Final = "• "
_NOTE: Final = "Invalid settings, keys and themes are ignored. The settings page lists them under Files."


class PointTab(NamedTuple):
    """Mouse target of the tab of a part."""

    part: str


class SettingsPage(FormPage):
    """Page of the settings, with a tab for each part, a form, and an explanation of the current row beside it."""

    SCOPE = SETTINGS_PAGE

    def __init__(self, context: PageContext) -> None:
        self.rows = SettingsRows(context.preferences, list_themes(), _list_files())
        super().__init__(context, ("theme", context.preferences.theme_name))
        self.part = TABS[0]

    def on_resumed(self) -> None:
        self.context.preferences.reload()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        left, large = self._compute_form_width(canvas), get_layout(canvas).large
        width = left - (MARGIN + 3 if left < canvas.width else 2 * MARGIN)
        rows = self.rows.list_rows(self.part, _LARGE_STOPS if large else _STOPS, airy=large)
        return [Column(MARGIN, width, rows, top=FORM_ROW)]

    def _compute_form_width(self, canvas: Canvas) -> int:
        """Return the width of the form in columns; it is the whole width if there is no explanation beside it."""
        layout = get_layout(canvas)
        if layout.tiny or self.part == FILES:
            return canvas.width
        return LARGE_FORM_WIDTH if layout.large else FORM_WIDTH

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        left, rows = self._compute_form_width(canvas), self.rows
        if left < canvas.width and self.current_row.paint_aside:
            box = Box(left, FORM_ROW, canvas.width - left, canvas.height - 1 - FORM_ROW)
            canvas.add_hit_box(box.x, box.y, box.width, box.height, None)
            self.current_row.paint_aside(canvas, box)
        self._paint_tabs(canvas)
        if left == canvas.width and rows.refusal:
            refusal = truncate(rows.refusal, left - 2 * MARGIN)
            canvas.write(MARGIN, FORM_ROW - 1, refusal, canvas.theme.inks.loss, bold=True)
        paint_page_header(canvas, "Settings", right=self._format_status())
        if rows.awaited_binding:
            return {"Esc": "keep the old key"}
        back = "back" if self.context.preferences.save_error else "back (saved)"
        return {"up down": "choose", **self.current_row.keys, **self.SCOPE.footer, "leave": back}

    def _paint_tabs(self, canvas: Canvas) -> None:
        theme, x = canvas.theme, MARGIN
        canvas.fill(0, 1, canvas.width, FORM_ROW - 1, theme.grounds.mat)
        canvas.add_hit_box(0, 1, canvas.width, FORM_ROW - 1, None)
        for part in TABS:
            is_selected, width = part == self.part, len(part) + 4
            if is_selected:
                canvas.fill(x, 2, width, 1, theme.grounds.bonus)
            canvas.write(x + 2, 2, part, theme.inks.text if is_selected else theme.inks.soft, bold=is_selected)
            canvas.add_hit_box(x, 1, width, FORM_ROW - 1, PointTab(part))
            x += width + 1

    def _format_status(self) -> str:
        if self.context.preferences.save_error:
            return "not saved: see Files"
        count = len(self.rows.complaints)
        return f"{format_count(count, 'problem')}: see Files" if count else "saved in settings.toml"

    def capture_key(self, pressed: str) -> bool:
        """Assign the pressed key to the awaited binding; return False if none is awaited."""
        if not self.rows.awaited_binding:
            return False
        self.rows.assign_key(pressed)
        self.repaint()
        return True

    def handle_character(self, character: str) -> bool:
        """Select the part with the typed number; return False if there is none."""
        if character not in map(str, range(1, len(TABS) + 1)):
            return False
        self._select_part(TABS[int(character) - 1])
        return True

    def action_part(self, step: int) -> None:
        self._select_part(TABS[(TABS.index(self.part) + step) % len(TABS)])

    def _select_part(self, part: str) -> None:
        self.part, self._offsets = part, [0, 0]
        names = [line.name for line in self.selectable_rows]
        theme = ("theme", self.context.preferences.theme_name)
        self.move_cursor_to(theme if theme in names else names[0])

    def move_cursor_to(self, name: Hashable) -> None:
        """Move the cursor to a row; an awaited key and an error message are dropped."""
        self.rows.awaited_binding = self.rows.refusal = None
        super().move_cursor_to(name)

    async def action_more(self) -> None:
        """Await a further key for the key binding under the cursor; on any other row, press the row."""
        if isinstance(self.cursor, tuple) and self.cursor[0] == "key":
            self.rows.begin_key_capture(self.cursor[1], in_addition=True)
            self.repaint()
        else:
            await self.action_press()

    def on_target_clicked(self, target: Hashable | None) -> None:
        if isinstance(target, PointTab):
            self._select_part(target.part)
        else:
            super().on_target_clicked(target)


class FileProblemsPage(TextPage):
    """Page with a scrollable list of problems."""

    SCOPE = FILE_PROBLEMS

    def __init__(self, context: PageContext, problems: Sequence[str]) -> None:
        super().__init__(context)
        self._problems = problems

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        rows = self._wrap_problems(canvas.width - 2 * MARGIN - 1)
        scrolls = self.paint_rows(canvas, rows, lambda y, row: canvas.write(MARGIN, y, *row))
        paint_page_header(canvas, "Problems in your files", right=str(len(self._problems)))
        return {"up down": "scroll" if scrolls else "", "leave": "close"}

    def _wrap_problems(self, width: int) -> list[tuple[str, str]]:
        """Return all rows with their inks; an empty row follows each problem."""
        inks, rows = self.appearance.theme.inks, []
        for complaint in self._problems:
            first, *others = wrap(complaint, width - len(_BULLET))
            rows += [(_BULLET + first, inks.text), *[(" " * len(_BULLET) + line, inks.text) for line in others]]
            rows.append(("", inks.text))
        return rows + [(line, inks.muted) for line in wrap(_NOTE, width)]


def _list_files() -> dict[str, str]:
    """Return where the files are, by their description; a guest of a club learns nothing about the host's folders."""
    if is_hosted_client():
        return {"Settings": "at the club, for this visit"}
    return {
        "Settings": _format_path(paths.settings_file()),
        "Sessions": _format_path(paths.sessions_folder()),
        "Archive": _format_path(paths.archive_folder()),
        "Own themes": _format_path(paths.user_themes_folder()),
    }


def _format_path(path: Path) -> str:
    return sanitize(str(path), MAX_PATH_LENGTH)
