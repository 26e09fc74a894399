"""What a person has set, as the screens use it: one object that all of them share."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from cardtable.store import paths, settings
from cardtable.store.settings import Settings
from cardtable.ui import keys, themes
from cardtable.ui.look import Look
from cardtable.ui.themes import Theme


class Flags(NamedTuple):
    """What the command line says of the terminal, for this run only."""

    ascii: bool = False
    mono: bool = False
    mouse: bool = True


class Preferences:
    """The settings in force, and the look that follows from them.  Changed by ``change`` only."""

    def __init__(self, chosen: Settings, flags: Flags | None = None) -> None:
        """``flags`` say more than the settings do."""
        self.settings, self._flags = chosen, flags or Flags()
        self._found: list[str] = []
        self._wrong: list[str] = []
        self.look = self._look()
        self.trouble = ""
        """Why the last change could not be saved; empty if it was."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change; the app shows and saves it."""

    @classmethod
    def load(cls, flags: Flags | None = None) -> "Preferences":
        """Those of the settings file."""
        chosen, complaints = settings.load()
        preferences = cls(chosen, flags)
        preferences._found = _wrong_with(complaints)
        return preferences

    def saved(self, trouble: str) -> None:
        """The last change was saved, and files that were wrong may be right now; or with ``trouble`` it was not."""
        self.trouble = trouble
        if not trouble:
            self._found = _wrong_with(settings.load()[1])

    @property
    def complaints(self) -> list[str]:
        """What is wrong with the files and with what is chosen now, in a line each."""
        return list(dict.fromkeys([*self._found, *self._wrong]))

    @property
    def ascii(self) -> bool:
        """Whether nothing but ASCII is to be on the screen."""
        return self._flags.ascii or self.settings.ascii

    @property
    def mono(self) -> bool:
        """Whether there are to be no colours; the variable ``NO_COLOR`` says so, too."""
        return self._flags.mono or self.settings.mono or bool(os.environ.get("NO_COLOR"))

    @property
    def mouse(self) -> bool:
        """Whether the mouse is asked for."""
        return self._flags.mouse and self.settings.mouse

    def change(self, **values: Any) -> None:
        """Choose other values; from now on they are in force."""
        self.settings = msgspec.structs.replace(self.settings, **values)
        self.look = self._look()
        self.changed()

    def seen(self, theme: Theme) -> Theme:
        """A theme as the other settings let it be seen."""
        if not self.settings.four_colours:
            theme = msgspec.structs.replace(theme, suits=theme.suits.two_colours())
        return theme

    def _look(self) -> Look:
        theme, complaint = themes.named(self.settings.theme, paths.theme_files())
        keymap, wrong = keys.keymap(self.settings.key_preset, self.settings.keys)
        self._wrong = [line for line in (complaint, *wrong) if line]
        return Look(self.seen(theme), keymap, self.settings.card_size)


def _wrong_with(settings_file: list[str]) -> list[str]:
    """What is wrong with the settings file, and with themes of the person's own."""
    return [*settings_file, *themes.every(paths.own_theme_files())[1]]
