"""What a person has set, as the screens use it: one object that all of them share."""

from collections.abc import Callable
from threading import Lock
from typing import Any

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, settings
from cardtable.store.settings import AUTOMATIC, Settings, TerminalFlags
from cardtable.ui.toolkit.keys import keymap
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.themes import Appearance, RenderOptions, Theme


class Preferences:
    """The settings in force, and the look that follows from them.

    Changed by ``change``, and by ``reload`` where another program has changed the file.
    """

    def __init__(self, chosen: Settings, flags: TerminalFlags | None = None, *, few_colours: bool = False) -> None:
        """``flags`` say more than the settings do; ``few_colours``: the terminal has sixteen."""
        self.settings, self._flags, self._few_colours = chosen, flags or TerminalFlags(), few_colours
        self._colours = settings.colour_choice()  # the terminal library takes NO_COLOR out of the environment
        self._kept = Settings()
        """As this program last found or left the file; what is in force otherwise was chosen here since."""
        self._using_file = Lock()
        self._in_file: list[str] = []
        self._in_themes: list[str] = []
        self._wrong: list[str] = []
        self.look = self._look()
        self.trouble = ""
        """Why the last change could not be saved; empty if it was."""
        self.listeners: list[Callable[[], None]] = []
        """Called when others are in force."""
        self.on_apply: Callable[[], None] = lambda: None
        """Called when others are in force, or something else is wrong with their file, to show it."""
        self.on_change: Callable[[], None] = lambda: None
        """Called after each change that is to be saved."""

    @classmethod
    def load(cls, flags: TerminalFlags | None = None, *, few_colours: bool = False) -> "Preferences":
        """Those of the settings file."""
        chosen, complaints = settings.load()
        preferences = cls(chosen, flags, few_colours=few_colours)
        preferences._kept, preferences._in_file = chosen, complaints
        preferences._look_at_themes()
        return preferences

    def save(self) -> str:
        """Write what was chosen since the file was seen last; what does not let it be done.  For another thread."""
        with self._using_file:
            chosen = self.settings
            try:
                settings.save(self._kept, chosen)
            except CardtableError as error:
                return error.whole
            self._kept = chosen
        return ""

    def save_rest(self) -> str:
        """Try again to write what could not be written so far; what does not let it be done."""
        return self.save() if self.settings != self._kept else ""

    def saved(self, trouble: str) -> None:
        """The last change was saved, and files that were wrong may be right now; or with ``trouble`` it was not."""
        self.trouble = trouble
        if not trouble:
            self._look_at_themes()
            self.reload()

    def reload(self) -> None:
        """Put in force what another program has changed in the file, but for what was chosen here and is not saved yet.

        While the file is written nothing is looked at: that is done after it.
        """
        if self._using_file.acquire(blocking=False):
            try:
                self._take_over()
            finally:
                self._using_file.release()

    def _take_over(self) -> None:
        before = self._in_file
        try:
            found, self._in_file = settings.read()
        except CardtableError as error:
            found, self._in_file = self._kept, [error.whole]
        chosen, self._kept = settings.merged(self._kept, self.settings, found), found
        if chosen != self.settings or self._in_file != before:
            self._put_in_force(chosen)

    def _look_at_themes(self) -> None:
        """What is wrong with themes of the person's own."""
        self._in_themes = themes.every(paths.own_theme_files())[1]

    @property
    def complaints(self) -> list[str]:
        """What is wrong with the files and with what is chosen now, in a line each."""
        return list(dict.fromkeys([*self._in_file, *self._in_themes, *self._wrong]))

    @property
    def ascii(self) -> bool:
        """Whether nothing but ASCII is to be on the screen."""
        return self._flags.ascii or self.settings.ascii

    @property
    def mono(self) -> bool:
        """Whether there are to be no colours."""
        return bool(self.why_mono)

    @property
    def why_mono(self) -> str:
        """What asks for no colours, if anything does: the command line, else the environment, else the setting."""
        if self._flags.mono:
            return "--mono"
        wanted, variable = self._colours
        if wanted is not None:
            return "" if wanted else variable
        return "the setting mono" if self.settings.mono else ""

    @property
    def mouse(self) -> bool:
        """Whether the mouse is asked for."""
        return self._flags.mouse and self.settings.mouse

    @property
    def needed(self) -> RenderOptions:
        """What is done with all that is painted before it is shown."""
        return RenderOptions(self.ascii, self.mono, self.settings.suit_letters)

    @property
    def theme(self) -> str:
        """The name of the theme that is chosen."""
        if self.settings.theme == AUTOMATIC:
            return themes.FOR_SIXTEEN if self._few_colours else themes.USUAL
        return self.settings.theme

    def change(self, **values: Any) -> None:
        """Choose other values; from now on they are in force."""
        self._put_in_force(msgspec.structs.replace(self.settings, **values))
        self.on_change()

    def _put_in_force(self, chosen: Settings) -> None:
        self.settings = chosen
        self.look = self._look()
        self.on_apply()
        for watcher in self.listeners:
            watcher()

    def seen(self, theme: Theme) -> Theme:
        """A theme as the other settings let it be seen; without colours it is the usual one."""
        if self.mono:
            theme, _ = themes.named(themes.USUAL, paths.shipped_theme_files())
        if not self.settings.four_colours:
            theme = msgspec.structs.replace(theme, suits=theme.suits.two_colours())
        return theme

    def _look(self) -> Appearance:
        theme, complaint = themes.named(self.theme, paths.theme_files())
        chosen, wrong = keymap.keymap(self.settings.key_preset, self.settings.keys)
        self._wrong = [line for line in (complaint, *wrong) if line]
        return Appearance(self.seen(theme), chosen, self.settings.card_size)
