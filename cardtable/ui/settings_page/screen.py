"""The settings: every one can be changed, is in force at once, and is kept."""

from collections.abc import Hashable
from pathlib import Path
from typing import Final

from cardtable.store import paths
from cardtable.store.text import MOST_PATH, clean
from cardtable.ui.draw import themes
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.keys.scopes import SETTINGS, Key
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.page import Page, paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.settings_page.form import TABS, Form, Kind, Line
from cardtable.ui.settings_page.paint import Step, Tab, paint_settings

WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""


class SettingsPage(Page):
    """Paints the form, and sends keys and mouse to it."""

    ABOUT = "in the settings"
    SCOPE = SETTINGS

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.form = Form(room.preferences, _themes(), _files())

    def resumed(self) -> None:
        """Another program may have set something else."""
        self.form.preferences.look_again()

    def fill(self, canvas: Canvas) -> Keys:
        """The form."""
        paint_settings(canvas, self.form)
        paint_page_header(canvas, "Settings", right=self._kept())
        return self._keys_now()

    def _kept(self) -> str:
        if self.form.preferences.trouble:
            return "not saved: see Files"
        return f"{len(self.form.complaints)} wrong: see Files" if self.form.complaints else "kept in settings.toml"

    def _keys_now(self) -> list[tuple[str, str]]:
        back = "back" if self.form.preferences.trouble else "back, kept"
        kind, end = self.form.cursor.kind, [("next_field", "part"), ("leave", back)]
        if self.form.asks:
            return [("Esc", "leave it as it is")]
        if kind is Kind.THEME:
            return [("up down", "choose"), ("play", "use it"), ("rub_out", "usual"), *end]
        if kind is Kind.KEY:
            return [("up down", "choose"), ("play", "new key"), ("choose", "one more"), ("rub_out", "usual"), *end]
        if kind in (Kind.SETTING, Kind.PRESET):
            return [("up down", "choose"), ("left right", "change"), ("rub_out", "usual"), *end]
        return [("up down", "choose"), *end]

    def works(self, key: Key) -> bool:
        """Whether the key does something on this line."""
        kind = self.form.cursor.kind
        if key.name in ("left", "right"):
            return kind in (Kind.SETTING, Kind.PRESET)
        return key.name not in ("play", "choose", "rub_out") or kind not in (Kind.FILE, Kind.COMPLAINT)

    def asked_for(self, pressed: str) -> bool:
        """The key that was asked for."""
        if not self.form.asks:
            return False
        self.form.answer(pressed)
        self.repaint()
        return True

    def typed(self, character: str) -> bool:
        """Digits go to the parts."""
        if character not in map(str, range(1, len(TABS) + 1)):
            return False
        self._turn_to(TABS[int(character) - 1])
        return True

    def action_part(self, step: int) -> None:
        """To the next part, round the end."""
        self._turn_to(TABS[(TABS.index(self.form.part) + step) % len(TABS)])

    def _turn_to(self, part: str) -> None:
        self.form.turn_to(part)
        self.repaint()

    def action_move(self, step: int) -> None:
        """To the next line, round the ends."""
        lines = self.form.lines
        self._go(lines[(self._at + step) % len(lines)])

    def action_page(self, step: int) -> None:
        """Half a screen up or down, no further than the ends."""
        lines = self.form.lines
        self._go(lines[max(0, min(self._at + step * (self.size.height // 2), len(lines) - 1))])

    def action_end(self, line: int) -> None:
        """To the first (0) or the last (-1) line."""
        self._go(self.form.lines[line])

    @property
    def _at(self) -> int:
        lines = self.form.lines
        return lines.index(self.form.cursor) if self.form.cursor in lines else 0

    def _go(self, line: Line) -> None:
        self.form.go(line)
        self.repaint()

    def action_step(self, step: int) -> None:
        """Another value."""
        self.form.step(step)
        self.repaint()

    def action_use(self) -> None:
        """Put the theme in force, ask for a new key, or take the next value."""
        self.form.use()
        self.repaint()

    def action_more(self) -> None:
        """The same, but a key is to be one more."""
        self.form.use(beside=True)
        self.repaint()

    def action_usual(self) -> None:
        """As usual again."""
        self.form.usual()
        self.repaint()

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses a part or a line, or takes another value; a second one does what Enter does."""
        if isinstance(target, Tab):
            self._turn_to(target.part)
        elif isinstance(target, Step):
            self.form.go(target.line)
            self.action_step(target.step)
        elif isinstance(target, Line):
            again = target == self.form.cursor and target.kind in (Kind.THEME, Kind.KEY)
            self._go(target)
            if again:
                self.action_use()

    def wheel(self, step: int, _x: int) -> None:
        """The wheel scrolls the lines."""
        self.form.follow = False
        self.form.offset += step * WHEEL
        self.repaint()


def screen(room: Room) -> PageScreen:
    """All that can be set."""
    return PageScreen(SettingsPage(room))


def _themes() -> dict[str, themes.Theme]:
    """Themes by name, the usual one first, the others by title."""
    found, _ = themes.every(paths.theme_files())
    return dict(sorted(found.items(), key=lambda item: (item[0] != themes.USUAL, item[1].title)))


def _files() -> dict[str, str]:
    return {
        "Settings": _path(paths.settings_file()),
        "Sessions": _path(paths.sessions()),
        "Archive": _path(paths.archive()),
        "Own themes": _path(paths.own_themes()),
    }


def _path(path: Path) -> str:
    return clean(str(path), MOST_PATH)
