"""Settings page, where changes take effect at once, and the page with the problems in the player's files."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.engine.text_format import MAX_PATH_LENGTH, format_count, sanitize
from cardtable.store import paths
from cardtable.store.club_tokens import is_hosted_client
from cardtable.ui.keys.bindings import FILE_PROBLEMS, SETTINGS_PAGE, FooterKeys
from cardtable.ui.settings.rows import FILES, TABS, SettingsRows
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import Column, ColumnStops, FormPage
from cardtable.ui.toolkit.page import PageScreen, TextPage, paint_page_header
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, Box, get_layout
from cardtable.ui.toolkit.painting.text_fit import truncate, wrap

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
        self._rows = SettingsRows(context.preferences, _load_themes(), _list_files())
        super().__init__(context, ("theme", context.preferences.theme_name))
        self.part = TABS[0]

    def on_resumed(self) -> None:
        """Reload the settings, which another program may have changed."""
        self.context.preferences.reload()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        left, large = self._compute_form_width(canvas), get_layout(canvas).large
        width = left - (MARGIN + 3 if left < canvas.width else 2 * MARGIN)
        return [
            Column(
                MARGIN,
                width,
                self._rows.list_rows(self.part, _LARGE_STOPS if large else _STOPS, airy=large),
                top=FORM_ROW,
            )
        ]

    def _compute_form_width(self, canvas: Canvas) -> int:
        """Return the width of the form in columns; it is the whole width if there is no explanation beside it."""
        grid = get_layout(canvas)
        return canvas.width if grid.tiny or self.part == FILES else LARGE_FORM_WIDTH if grid.large else FORM_WIDTH

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        left, lines = self._compute_form_width(canvas), self._rows
        if left < canvas.width and self.current_row.paint_aside:
            box = Box(left, FORM_ROW, canvas.width - left, canvas.height - 1 - FORM_ROW)
            canvas.add_hit_box(box.x, box.y, box.width, box.height, None)
            self.current_row.paint_aside(canvas, box)
        self._paint_tabs(canvas)
        if left == canvas.width and lines.refusal:
            canvas.write(
                MARGIN, FORM_ROW - 1, truncate(lines.refusal, left - 2 * MARGIN), canvas.theme.inks.loss, bold=True
            )
        paint_page_header(canvas, "Settings", right=self._format_status())
        if lines.awaited_binding:
            return {"Esc": "keep the old key"}
        back = "back" if self.context.preferences.save_error else "back (saved)"
        return {"up down": "choose", **self.current_row.keys, **self.SCOPE.footer, "leave": back}

    def _paint_tabs(self, canvas: Canvas) -> None:
        theme, x = canvas.theme, MARGIN
        canvas.fill(0, 1, canvas.width, FORM_ROW - 1, theme.grounds.mat)
        canvas.add_hit_box(0, 1, canvas.width, FORM_ROW - 1, None)
        for part in TABS:
            at, width = part == self.part, len(part) + 4
            if at:
                canvas.fill(x, 2, width, 1, theme.grounds.bonus)
            canvas.write(x + 2, 2, part, theme.inks.text if at else theme.inks.soft, bold=at)
            canvas.add_hit_box(x, 1, width, FORM_ROW - 1, PointTab(part))
            x += width + 1

    def _format_status(self) -> str:
        if self.context.preferences.save_error:
            return "not saved: see Files"
        wrong = len(self._rows.complaints)
        return f"{format_count(wrong, 'problem')}: see Files" if wrong else "saved in settings.toml"

    def capture_key(self, pressed: str) -> bool:
        """Assign the pressed key to the awaited binding; return False if none is awaited."""
        if not self._rows.awaited_binding:
            return False
        self._rows.assign_key(pressed)
        self.repaint()
        return True

    def handle_character(self, character: str) -> bool:
        """Select the part with the typed number; return False if there is none."""
        if character not in map(str, range(1, len(TABS) + 1)):
            return False
        self._select_part(TABS[int(character) - 1])
        return True

    def action_part(self, step: int) -> None:
        """Select the next (1) or previous (-1) part, wrapping around at the ends."""
        self._select_part(TABS[(TABS.index(self.part) + step) % len(TABS)])

    def _select_part(self, part: str) -> None:
        self.part, self._offsets = part, [0, 0]
        names = [line.name for line in self.selectable_rows]
        theme = ("theme", self.context.preferences.theme_name)
        self.move_cursor_to(theme if theme in names else names[0])

    def move_cursor_to(self, name: Hashable) -> None:
        """Move the cursor to a row; an awaited key and an error message are dropped."""
        self._rows.awaited_binding = self._rows.refusal = None
        super().move_cursor_to(name)

    async def action_more(self) -> None:
        """Await a further key for the key binding under the cursor; on any other row, press the row."""
        if isinstance(self.cursor, tuple) and self.cursor[0] == "key":
            self._rows.begin_key_capture(self.cursor[1], in_addition=True)
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
            for place, line in enumerate(wrap(complaint, width - len(_BULLET))):
                rows.append(((" " * len(_BULLET) if place else _BULLET) + line, inks.text))
            rows.append(("", inks.text))
        return rows + [(line, inks.muted) for line in wrap(_NOTE, width)]


def create_screen(context: PageContext) -> PageScreen:
    return PageScreen(SettingsPage(context))


def _load_themes() -> dict[str, themes.Theme]:
    """Return all themes by name: the default theme first, the others sorted by title."""
    by_name, _ = themes.load_themes(paths.theme_files())
    return dict(sorted(by_name.items(), key=lambda item: (item[0] != themes.DEFAULT_THEME, item[1].title)))


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
