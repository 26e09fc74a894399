"""Settings in force, shared by all screens, and the appearance that follows from them."""

from collections.abc import Callable
from threading import Lock
from typing import Any

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, settings
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.settings import AUTO_THEME, Settings, TerminalFlags
from cardtable.ui.keys import keymap
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.themes import Appearance, RenderOptions, Theme


def _format_error(error: CardtableError) -> str:
    """Return the message about a file; a guest of a club learns nothing about the host's folders."""
    return error.reason if is_hosted_client() else error.full_message


class Preferences:
    """Settings in force, and the appearance that follows from them.

    They are changed by ``change``, and by ``reload`` if another program has changed the file.
    """

    def __init__(
        self, initial: Settings, flags: TerminalFlags | None = None, *, few_colours: bool = False, in_file: bool = False
    ) -> None:
        """``flags`` of the command line override settings; ``few_colours`` is True for a terminal with 16 colours.

        ``in_file`` is True for a picture in a file, for which variables that are about terminals do not count.
        """
        self.chosen, self._flags, self._few_colours = initial, flags or {}, few_colours
        """Settings as the player has chosen them, which the settings page shows and the file has."""
        # read now: Textual removes NO_COLOR from the environment
        self._colours = (None, "") if in_file else settings.read_colour_choice()
        self._saved_settings = Settings()
        """Settings in the file after the last read or write; those that differ from ``chosen`` have unsaved changes.
        """
        self._file_lock = Lock()
        self._file_problems: list[str] = []
        self._theme_problems: list[str] = []
        self._choice_problems: list[str] = []
        self.appearance = self._make_appearance()
        self.save_error: str | None = None
        """Why the last change could not be saved; ``None`` if it was saved."""
        self.listeners: list[Callable[[], None]] = []
        """Functions called after the settings in force have changed."""
        self.on_apply: Callable[[], None] = lambda: None
        """Called to display changed settings, or changed problems in the settings file."""
        self.on_change: Callable[[], None] = lambda: None
        """Called after each change that has to be saved."""

    @classmethod
    def load(
        cls, flags: TerminalFlags | None = None, *, few_colours: bool = False, in_file: bool = False
    ) -> "Preferences":
        """Return the preferences of the settings file."""
        chosen, complaints = settings.load()
        preferences = cls(chosen, flags, few_colours=few_colours, in_file=in_file)
        preferences._saved_settings, preferences._file_problems = chosen, complaints
        preferences._check_themes()
        return preferences

    def save(self) -> str | None:
        """Write the unsaved changes; return the error, if there is one. Must be called in a worker thread."""
        with self._file_lock:
            chosen = self.chosen
            try:
                settings.save(self._saved_settings, chosen)
            except CardtableError as error:
                return _format_error(error)
            self._saved_settings = chosen
        return None

    def save_pending(self) -> str | None:
        return self.save() if self.chosen != self._saved_settings else None

    def on_saved(self, error: str | None) -> None:
        """Register the end of a save with its error, if there was one; read all files again after a success."""
        self.save_error = error
        if not error:
            self._check_themes()
            self.reload()

    def reload(self) -> None:
        """Adopt changes that another program has made to the file, except in settings with unsaved changes here.

        While the file is being written, the call has no effect; the end of the save reloads it.
        """
        if self._file_lock.acquire(blocking=False):
            try:
                self._adopt_file()
            finally:
                self._file_lock.release()

    def _adopt_file(self) -> None:
        before = self._file_problems
        try:
            read, self._file_problems = settings.read()
        except CardtableError as error:
            read, self._file_problems = self._saved_settings, [_format_error(error)]
        chosen, self._saved_settings = settings.merge_changes(self._saved_settings, self.chosen, read), read
        if chosen != self.chosen or self._file_problems != before:
            self._apply(chosen)

    def _check_themes(self) -> None:
        self._theme_problems = themes.load_themes(paths.user_theme_files())[1]

    @property
    def problems(self) -> list[str]:
        return list(dict.fromkeys([*self._file_problems, *self._theme_problems, *self._choice_problems]))

    @property
    def settings(self) -> Settings:
        """Settings in force: those chosen, unless the command line or the environment overrides them."""
        return msgspec.structs.replace(self.chosen, **{**self._flags, "mono": bool(self.mono_reason)})

    @property
    def mono_reason(self) -> str | None:
        """Command-line flag, environment variable or setting that turns colours off; ``None`` if there are colours."""
        if "mono" in self._flags:
            return "--mono"
        colour_choice, variable = self._colours
        if colour_choice is not None:
            return None if colour_choice else variable
        return "the setting mono" if self.chosen.mono else None

    @property
    def render_options(self) -> RenderOptions:
        """Line filters for everything that is painted."""
        in_force = self.settings
        return RenderOptions(in_force.ascii, in_force.mono, in_force.suit_letters)

    @property
    def theme_name(self) -> str:
        """Name of the selected theme; for "auto" a default that depends on the number of colours."""
        if self.settings.theme == AUTO_THEME:
            return themes.SIXTEEN_COLOUR_THEME if self._few_colours else themes.DEFAULT_THEME
        return self.settings.theme

    def change(self, **values: Any) -> None:
        """Change settings by name; they are in force at once, and ``on_change`` is called to save them."""
        self._apply(msgspec.structs.replace(self.chosen, **values))
        self.on_change()

    def _apply(self, chosen: Settings) -> None:
        self.chosen = chosen
        self.appearance = self._make_appearance()
        self.on_apply()
        for listener in self.listeners:
            listener()

    def adapt_theme(self, theme: Theme) -> Theme:
        """Return the theme as other settings change it.

        If no colours may be displayed, it is the default theme. If the setting ``four_colours`` is off, the suits have
        two colours.
        """
        if self.settings.mono:
            theme, _ = themes.load_theme(themes.DEFAULT_THEME, paths.shipped_theme_files())
        if not self.settings.four_colours:
            theme = msgspec.structs.replace(theme, suits=theme.suits.to_two_colours())
        return theme

    def _make_appearance(self) -> Appearance:
        theme, complaint = themes.load_theme(self.theme_name, paths.theme_files())
        chosen, wrong = keymap.build_keymap(self.settings.key_preset, self.settings.keys)
        self._choice_problems = [line for line in (complaint, *wrong) if line]
        return Appearance(
            self.adapt_theme(theme),
            chosen,
            self.settings.card_size,
            self.settings.ascii,
            self.settings.suit_letters,
            self.settings.card_back,
        )


def list_themes() -> dict[str, Theme]:
    """Return all themes by name: the default theme first, the others sorted by title."""
    by_name, _ = themes.load_themes(paths.theme_files())
    return dict(sorted(by_name.items(), key=lambda item: (item[0] != themes.DEFAULT_THEME, item[1].title)))
