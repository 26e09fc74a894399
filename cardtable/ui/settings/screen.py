"""Settings page, where changes take effect at once and are saved."""

from collections.abc import Hashable
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.engine.text_format import MOST_PATH, sanitize
from cardtable.store import paths
from cardtable.ui.settings.rows import FILES, TABS, SettingsLines
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import Column, ColumnStops, FormPage
from cardtable.ui.toolkit.keys.bindings import SETTINGS, KeyBinding
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, Box, grid_of
from cardtable.ui.toolkit.painting.text_fit import truncate

BAND: Final = 4
"""First row of the form, below header and tabs."""
LEFT: Final = 45
LARGE_LEFT: Final = 56
"""Width of the form in a normal and in a large terminal, in columns."""
_STOPS, _LARGE_STOPS = ColumnStops(2, 21, 18), ColumnStops(2, 24, 18)


class Tab(NamedTuple):
    """Mouse target of the tab of a part."""

    part: str


class SettingsPage(FormPage):
    """Page of the settings, with a tab for each part, a form, and an explanation of the current row beside it."""

    ABOUT = "in the settings"
    SCOPE = SETTINGS

    def __init__(self, context: PageContext) -> None:
        self._lines = SettingsLines(context.preferences, _themes(), _files())
        super().__init__(context, ("theme", context.preferences.theme))
        self.part = TABS[0]

    def on_resumed(self) -> None:
        """Reload the settings, which another program may have changed."""
        self.context.preferences.reload()

    def columns(self, canvas: Canvas) -> list[Column]:
        left, large = self._left(canvas), grid_of(canvas).large
        width = left - (MARGIN + 3 if left < canvas.width else 2 * MARGIN)
        return [
            Column(MARGIN, width, self._lines.of(self.part, _LARGE_STOPS if large else _STOPS, airy=large), top=BAND)
        ]

    def _left(self, canvas: Canvas) -> int:
        """Return the width of the form in columns; it is the whole width if there is no explanation beside it."""
        grid = grid_of(canvas)
        return canvas.width if grid.tiny or self.part == FILES else LARGE_LEFT if grid.large else LEFT

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        left, lines = self._left(canvas), self._lines
        if left < canvas.width and self.line.paint_aside:
            box = Box(left, BAND, canvas.width - left, canvas.height - 1 - BAND)
            canvas.add_hit_box(box.x, box.y, box.width, box.height, None)
            self.line.paint_aside(canvas, box)
        self._paint_band(canvas)
        if left == canvas.width and lines.refused:
            canvas.text(MARGIN, BAND - 1, truncate(lines.refused, left - 2 * MARGIN), canvas.theme.inks.loss, bold=True)
        paint_page_header(canvas, "Settings", right=self._kept())
        if lines.asks:
            return [("Esc", "keep the old key")]
        back = "back" if self.context.preferences.save_error else "back, kept"
        return [("up down", "choose"), *self.line.keys, ("next_field", "part"), ("leave", back)]

    def _paint_band(self, canvas: Canvas) -> None:
        theme, x = canvas.theme, MARGIN
        canvas.fill(0, 1, canvas.width, BAND - 1, theme.grounds.mat)
        canvas.add_hit_box(0, 1, canvas.width, BAND - 1, None)
        for part in TABS:
            at, width = part == self.part, len(part) + 4
            if at:
                canvas.fill(x, 2, width, 1, theme.grounds.bonus)
            canvas.text(x + 2, 2, part, theme.inks.text if at else theme.inks.soft, bold=at)
            canvas.add_hit_box(x, 1, width, BAND - 1, Tab(part))
            x += width + 1

    def _kept(self) -> str:
        if self.context.preferences.save_error:
            return "not saved: see Files"
        wrong = len(self._lines.complaints)
        return f"{wrong} wrong: see Files" if wrong else "kept in settings.toml"

    def is_enabled(self, key: KeyBinding) -> bool:
        if key.name in ("left", "right"):
            return self.line.on_step is not None
        return key.name not in ("play", "choose", "rub_out") or bool(self.line.keys)

    def capture_key(self, pressed: str) -> bool:
        """Assign the pressed key to the awaited binding; return False if none is awaited."""
        if not self._lines.asks:
            return False
        self._lines.answer(pressed)
        self.repaint()
        return True

    def handle_text(self, character: str) -> bool:
        """Select the part with the typed number; return False if there is none."""
        if character not in map(str, range(1, len(TABS) + 1)):
            return False
        self._turn_to(TABS[int(character) - 1])
        return True

    def action_part(self, step: int) -> None:
        """Select the next (1) or previous (-1) part, wrapping around at the ends."""
        self._turn_to(TABS[(TABS.index(self.part) + step) % len(TABS)])

    def _turn_to(self, part: str) -> None:
        self.part, self._offsets = part, [0, 0]
        names = [line.name for line in self.lines]
        theme = ("theme", self.context.preferences.theme)
        self.move_cursor_to(theme if theme in names else names[0])

    def move_cursor_to(self, name: Hashable) -> None:
        """Move the cursor to a row; an awaited key and an error message are dropped."""
        self._lines.asks = self._lines.refused = ""
        super().move_cursor_to(name)

    def action_more(self) -> None:
        """Await a further key for the key binding under the cursor; on any other row, press the row."""
        if isinstance(self.cursor, tuple) and self.cursor[0] == "key":
            self._lines.ask(self.cursor[1], in_addition=True)
            self.repaint()
        else:
            self.action_press()

    def on_target_clicked(self, target: Hashable | None) -> None:
        if isinstance(target, Tab):
            self._turn_to(target.part)
        else:
            super().on_target_clicked(target)


def screen(context: PageContext) -> PageScreen:
    return PageScreen(SettingsPage(context))


def _themes() -> dict[str, themes.Theme]:
    """Return all themes by name: the default theme first, the others sorted by title."""
    by_name, _ = themes.load_all(paths.theme_files())
    return dict(sorted(by_name.items(), key=lambda item: (item[0] != themes.USUAL, item[1].title)))


def _files() -> dict[str, str]:
    return {
        "Settings": _path(paths.settings_file()),
        "Sessions": _path(paths.sessions()),
        "Archive": _path(paths.archive()),
        "Own themes": _path(paths.own_themes()),
    }


def _path(path: Path) -> str:
    return sanitize(str(path), MOST_PATH)
