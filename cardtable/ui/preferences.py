"""What a person has set, as the screens use it: one object that all of them share."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from cardtable.store import paths, settings
from cardtable.store.settings import Settings
from cardtable.ui import keys, themes
from cardtable.ui.look import Look


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
        self.complaints: list[str] = []
        """What is wrong with what was chosen, in a line each."""
        self.look = self._look()
        self.changed: Callable[[], None] = lambda: None
        """Called after each change; the app shows and saves it."""

    @classmethod
    def load(cls, flags: Flags | None = None) -> "Preferences":
        """Those of the settings file."""
        chosen, complaints = settings.load()
        preferences = cls(chosen, flags)
        preferences.complaints[:0] = complaints
        return preferences

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
        self.complaints = []
        self.look = self._look()
        self.changed()

    def _look(self) -> Look:
        theme, complaint = themes.named(self.settings.theme, paths.theme_files())
        if not self.settings.four_colours:
            theme = msgspec.structs.replace(theme, suits=theme.suits.two_colours())
        keymap, wrong = keys.keymap(self.settings.key_preset, self.settings.keys)
        self.complaints += [line for line in (complaint, *wrong) if line]
        return Look(theme, keymap, self.settings.card_size)
