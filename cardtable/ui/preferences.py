"""What a person has set, as the screens use it: one object that all of them share."""

import os
from collections.abc import Callable
from typing import Any

import msgspec

from cardtable.store import paths, settings
from cardtable.store.settings import AUTOMATIC, Flags, Settings
from cardtable.ui import keymap, themes
from cardtable.ui.filters import Needed
from cardtable.ui.look import Look
from cardtable.ui.themes import Theme


class Preferences:
    """The settings in force, and the look that follows from them.  Changed by ``change`` only."""

    def __init__(self, chosen: Settings, flags: Flags | None = None, *, few_colours: bool = False) -> None:
        """``flags`` say more than the settings do; ``few_colours``: the terminal has sixteen."""
        self.settings, self._flags, self._few_colours = chosen, flags or Flags(), few_colours
        self._found: list[str] = []
        self._wrong: list[str] = []
        self.look = self._look()
        self.trouble = ""
        """Why the last change could not be saved; empty if it was."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change; the app shows and saves it."""

    @classmethod
    def load(cls, flags: Flags | None = None, *, few_colours: bool = False) -> "Preferences":
        """Those of the settings file."""
        chosen, complaints = settings.load()
        preferences = cls(chosen, flags, few_colours=few_colours)
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

    @property
    def needed(self) -> Needed:
        """What is done with all that is painted before it is shown."""
        return Needed(self.ascii, self.mono, self.settings.suit_letters)

    @property
    def theme(self) -> str:
        """The name of the theme that is chosen."""
        if self.settings.theme == AUTOMATIC:
            return themes.FOR_SIXTEEN if self._few_colours else themes.USUAL
        return self.settings.theme

    def change(self, **values: Any) -> None:
        """Choose other values; from now on they are in force."""
        self.settings = msgspec.structs.replace(self.settings, **values)
        self.look = self._look()
        self.changed()

    def seen(self, theme: Theme) -> Theme:
        """A theme as the other settings let it be seen; without colours it is the usual one."""
        if self.mono:
            theme, _ = themes.named(themes.USUAL, paths.shipped_theme_files())
        if not self.settings.four_colours:
            theme = msgspec.structs.replace(theme, suits=theme.suits.two_colours())
        return theme

    def _look(self) -> Look:
        theme, complaint = themes.named(self.theme, paths.theme_files())
        chosen, wrong = keymap.keymap(self.settings.key_preset, self.settings.keys)
        self._wrong = [line for line in (complaint, *wrong) if line]
        return Look(self.seen(theme), chosen, self.settings.card_size)


def _wrong_with(settings_file: list[str]) -> list[str]:
    """What is wrong with the settings file, and with themes of the person's own."""
    return [*settings_file, *themes.every(paths.own_theme_files())[1]]
