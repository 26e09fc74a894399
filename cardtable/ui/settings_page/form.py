"""The settings as a form: parts, lines in which a cursor moves, and what can be done with each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from cardtable.store.settings import Settings
from cardtable.ui.draw.themes import Theme
from cardtable.ui.keys import rebinding
from cardtable.ui.keys.keymap import PRESETS
from cardtable.ui.settings.catalogue import PARTS, SETTINGS, Setting
from cardtable.ui.settings.preferences import Preferences

KEYS: Final = "Keys"
FILES: Final = "Files"
TABS: Final = (*PARTS, KEYS, FILES)
"""The parts, in order."""
_USUAL: Final = Settings()


class Kind(Enum):
    """What a line is about."""

    THEME = "theme"
    SETTING = "setting"
    PRESET = "preset"
    KEY = "key"
    FILE = "file"
    COMPLAINT = "complaint"


class Line(NamedTuple):
    """A line that the cursor can be on."""

    kind: Kind
    name: str


PRESET: Final = Line(Kind.PRESET, "key_preset")


@dataclass(slots=True)
class Form:
    """What the screen shows, and where the cursor is.  Changes the preferences, nothing else."""

    preferences: Preferences
    themes: Mapping[str, Theme]
    files: Mapping[str, str]
    """Folders and files by what lies there."""
    part: str = TABS[0]
    cursor: Line = field(init=False)
    offset: int = 0
    """Rows that are scrolled away."""
    follow: bool = True
    """Whether the cursor is kept in sight; not while the wheel is turned."""
    asks: bool = False
    """Whether the next key that is pressed is to be the key of the line."""
    beside: bool = False
    """Whether it is to be one more, beside those that there are."""
    refused: str = ""
    """Why the last key could not be chosen."""

    def __post_init__(self) -> None:
        self.cursor = Line(Kind.THEME, self.preferences.theme)
        if self.cursor not in self.lines:
            self.cursor = self.lines[0]

    @property
    def lines(self) -> list[Line]:
        """Everything the cursor can be on, in order."""
        if self.part == KEYS:
            return [PRESET, *[Line(Kind.KEY, name) for names in rebinding.by_screen().values() for name in names]]
        if self.part == FILES:
            complaints = [Line(Kind.COMPLAINT, line) for line in self.complaints]
            return [*[Line(Kind.FILE, name) for name in self.files], *complaints]
        settings = [Line(Kind.SETTING, setting.name) for setting in PARTS[self.part]]
        return [*[Line(Kind.THEME, name) for name in self.themes if self.part == TABS[0]], *settings]

    @property
    def complaints(self) -> list[str]:
        """What is wrong with settings, themes and keys, and that nothing can be saved."""
        return [*([self.preferences.trouble] if self.preferences.trouble else []), *self.preferences.complaints]

    def go(self, line: Line) -> None:
        """Put the cursor on a line."""
        self.cursor, self.follow, self.asks, self.refused = line, True, False, ""

    def turn_to(self, part: str) -> None:
        """Go to a part."""
        self.part, self.offset = part, 0
        self.go(self.lines[0])
        theme = Line(Kind.THEME, self.preferences.theme)
        if theme in self.lines:
            self.go(theme)

    @property
    def label(self) -> str:
        """What the line under the cursor is called."""
        return "Preset" if self.cursor == PRESET else self.setting(self.cursor).label

    def value(self, line: Line) -> str:
        """The value in force, in words."""
        settings = self.preferences.settings
        return settings.key_preset if line == PRESET else self.setting(line).told(getattr(settings, line.name))

    def setting(self, line: Line) -> Setting:
        """The setting of a line."""
        return SETTINGS[line.name]

    def step(self, step: int) -> None:
        """Another value of the line under the cursor, if it has values; it is in force at once."""
        line, settings = self.cursor, self.preferences.settings
        if line.kind is Kind.SETTING:
            self.preferences.change(**{line.name: self.setting(line).after(getattr(settings, line.name), step)})
        elif line == PRESET:
            presets = list(PRESETS)
            following = presets[(presets.index(settings.key_preset) + step) % len(presets)]
            self.preferences.change(key_preset=following)

    def use(self, *, beside: bool = False) -> None:
        """Put the theme in force, ask for a key (``beside``: for one more), or take the next value."""
        if self.cursor.kind is Kind.THEME:
            self.preferences.change(theme=self.cursor.name)
        elif self.cursor.kind is Kind.KEY:
            self.asks, self.beside, self.refused = True, beside, ""
        else:
            self.step(1)

    def usual(self) -> None:
        """As usual again: the theme, the value of a setting, the keys of a name."""
        name = self.cursor.name
        if self.cursor.kind is Kind.KEY:
            self._bind(rebinding.usual(self.preferences.settings.key_preset, name))
        elif self.cursor.kind is Kind.THEME:
            self.preferences.change(theme=_USUAL.theme)
        elif self.cursor.kind in (Kind.SETTING, Kind.PRESET):
            self.preferences.change(**{name: getattr(_USUAL, name)})

    def answer(self, pressed: str) -> None:
        """The key that was asked for; Escape leaves things as they are."""
        self.asks = False
        if pressed != "escape":
            there = self.preferences.look.keys.keys(self.cursor.name) if self.beside else ()
            self._bind(" ".join(dict.fromkeys([*there, pressed])))

    def _bind(self, keys: str) -> None:
        settings, name = self.preferences.settings, self.cursor.name
        self.refused = rebinding.refusal(self.preferences.look.keys, name, keys)
        if not self.refused:
            self.preferences.change(keys=rebinding.changed(settings.keys, settings.key_preset, name, keys))
