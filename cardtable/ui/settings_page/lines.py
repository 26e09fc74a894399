"""What can be set, line by line: part after part, with what is beside each line."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from cardtable.store.settings import Settings
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import Place
from cardtable.ui.draw.fitting import cut_middle
from cardtable.ui.draw.layout import Box
from cardtable.ui.draw.themes import Theme, lowest
from cardtable.ui.keys import rebinding
from cardtable.ui.keys.keymap import PRESETS
from cardtable.ui.page.rows import FREE, FormRow, Stops, choice, heading, words
from cardtable.ui.settings.catalogue import PARTS, Setting
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.settings_page import panel
from cardtable.wording.cards import SUIT_SIGNS

KEYS: Final = "Keys"
FILES: Final = "Files"
TABS: Final = (*PARTS, KEYS, FILES)
"""The parts, in order."""
PRESET: Final = "key_preset"
_USUAL: Final = Settings()
_PRESETS: Final = "The keys that you have not changed. With vim h j k l move, and capitals do what these letters did."
_CHANGE: Final = (("left right", "change"), ("rub_out", "usual"))
_FELT, _MAT, _FACE = 3, 2, 9
"""Columns of a swatch: felt, mat, and the face of a card with its four inks."""
_KEPT: Final = (
    "Changing a setting here removes comments from settings.toml; the file as it was is kept as settings.toml.bak.",
    "The environment variable CARDTABLE_HOME names another folder for everything.",
)


class SettingsLines:
    """The lines of every part; they change the preferences, nothing else."""

    def __init__(self, preferences: Preferences, themes: Mapping[str, Theme], files: Mapping[str, str]) -> None:
        """``files``: folders and files by what lies there."""
        self.preferences, self.themes, self._files = preferences, themes, files
        self.asks = ""
        """Which name the next key that is pressed is for."""
        self._beside = False
        """Whether it is to be one more, beside those that there are."""
        self.refused = ""
        """Why the last key could not be chosen."""

    @property
    def complaints(self) -> list[str]:
        """What is wrong with settings, themes and keys, and that nothing can be saved."""
        return [*([self.preferences.trouble] if self.preferences.trouble else []), *self.preferences.complaints]

    def of(self, part: str, stops: Stops, *, airy: bool) -> list[FormRow]:
        """The lines of a part."""
        if part == KEYS:
            return self._keys(stops)
        if part == FILES:
            return self._about_files()
        themes = list(self.themes) if part == TABS[0] else []
        lines = [heading("Theme, its suits, its lowest contrast", 0), *[FREE] * airy] if themes else []
        for name in themes:
            lines += [self._theme(name, stops), *[FREE] * (airy and len(themes) <= 8)]
        lines += [FREE] * bool(themes)
        for setting in PARTS[part]:
            line = self._setting(setting, stops)
            if themes:
                line.beside = self._preview(self.preferences.theme)
            lines += [line, *[FREE] * (airy or not themes)]
        return lines

    def _theme(self, name: str, stops: Stops) -> FormRow:
        theme, preferences = self.themes[name], self.preferences
        return FormRow(
            name=("theme", name),
            draw=partial(_paint_theme, preferences=preferences, name=name, theme=theme, x=stops.value),
            does=partial(preferences.change, theme=name),
            rubs_out=partial(preferences.change, theme=_USUAL.theme),
            keys=(("play", "use it"), ("rub_out", "usual")),
            beside=self._preview(name),
        )

    def _preview(self, name: str) -> Callable[[Canvas, Box], None]:
        theme = self.themes.get(name, self.preferences.look.theme)
        return partial(panel.paint_preview, theme=theme, seen=self.preferences.seen(theme))

    def _setting(self, setting: Setting, stops: Stops) -> FormRow:
        value = getattr(self.preferences.settings, setting.name)
        steps = lambda step: self._change(setting.name, setting.after(value, step))  # noqa: E731
        line = choice(setting.name, setting.label, setting.told(value), steps, stops, says=setting.meaning)
        return self._with_usual(line, setting.name, setting.label)

    def _with_usual(self, line: FormRow, name: str, label: str, about: str = "") -> FormRow:
        """The line of a setting with what else there is to it."""
        line.keys, line.rubs_out = _CHANGE, partial(self._change, name, getattr(_USUAL, name))
        settings = self.preferences.settings
        line.beside = partial(panel.paint_setting, settings=settings, name=name, label=label, about=about)
        return line

    def _change(self, name: str, value: object) -> None:
        self.preferences.change(**{name: value})

    def _keys(self, stops: Stops) -> list[FormRow]:
        presets, now = list(PRESETS), self.preferences.settings.key_preset
        steps = lambda step: self._change(PRESET, presets[(presets.index(now) + step) % len(presets)])  # noqa: E731
        line = choice(PRESET, "Preset", now, steps, stops, bold=True)
        lines = [self._with_usual(line, PRESET, "Preset", _PRESETS)]
        for where, names in rebinding.by_screen().items():
            lines += [FREE, heading(where[:1].upper() + where[1:], 0), *[self._key(name, stops) for name in names]]
        return lines

    def _key(self, name: str, stops: Stops) -> FormRow:
        usual = rebinding.usual(self.preferences.settings.key_preset, name)
        return FormRow(
            name=("key", name),
            draw=partial(self._paint_key, name=name, stops=stops),
            does=partial(self.ask, name),
            rubs_out=partial(self._bind, name, usual),
            keys=(("play", "new key"), ("choose", "one more"), ("rub_out", "usual")),
            beside=partial(
                panel.paint_key,
                keymap=self.preferences.look.keys,
                name=name,
                usual=usual,
                asks=bool(self.asks),
                refused=self.refused,
            ),
        )

    def ask(self, name: str, *, beside: bool = False) -> None:
        """Have the next key that is pressed be the key of a name (``beside``: one more)."""
        self.asks, self._beside, self.refused = name, beside, ""

    def answer(self, pressed: str) -> None:
        """The key that was asked for; Escape leaves things as they are."""
        name, self.asks = self.asks, ""
        if pressed != "escape":
            there = self.preferences.look.keys.keys(name) if self._beside else ()
            self._bind(name, " ".join(dict.fromkeys([*there, pressed])))

    def _bind(self, name: str, keys: str) -> None:
        settings = self.preferences.settings
        why = rebinding.refusal(self.preferences.look.keys, name, keys)
        self.refused = why and f"Not changed: {why}."
        if not why:
            self.preferences.change(keys=rebinding.changed(settings.keys, settings.key_preset, name, keys))

    def _paint_key(self, where: Place, name: str, stops: Stops) -> None:
        theme, x = where.canvas.theme, stops.value
        where.text(stops.label, 0, name.replace("_", " "), theme.inks.text, most=x - stops.label - 1, bold=where.at)
        if self.asks == name:
            where.canvas.fill(where.x + x, where.y, stops.wide, 1, theme.inks.gold)
            asked = "one key more …" if self._beside else "press the key …"
            where.text(x + 1, 0, asked, theme.grounds.panel, bold=True)
            return
        keymap = self.preferences.look.keys
        where.text(x, 0, keymap.every([name]), theme.inks.text, most=stops.wide, bold=True)
        if name in self.preferences.settings.keys:
            where.text(x - 2, 0, "•", theme.inks.gold, bold=True)
        if where.width > x + 2 * stops.wide:  # else the panel tells it
            where.text(x + stops.wide + 1, 0, rebinding.places(name)[0][1], where.muted)

    def _about_files(self) -> list[FormRow]:
        lines = [heading("Where things are", 0), FREE]
        for name, path in self._files.items():
            lines.append(FormRow(name=("file", name), draw=partial(_paint_file, name=name, path=path)))
        lines += [FREE, *[words(text) for text in _KEPT], FREE, heading("What is wrong", 0), FREE]
        wrong = [words(line, loss=True, name=("wrong", line)) for line in self.complaints]
        return [*lines, *(wrong or [words("Nothing: settings, themes and keys are as they should be.")])]


def _paint_theme(where: Place, preferences: Preferences, name: str, theme: Theme, x: int) -> None:
    canvas = where.canvas
    if name == preferences.theme:
        where.text(int(where.at), 0, "•", canvas.theme.inks.gold, bold=True)
    where.text(2, 0, theme.title, canvas.theme.inks.text, most=x - 3, bold=where.at)
    seen, left = preferences.seen(theme), where.x + x
    canvas.fill(left, where.y, _FELT, 1, seen.grounds.felt)
    canvas.fill(left + _FELT, where.y, _MAT, 1, seen.grounds.mat)
    canvas.fill(left + _FELT + _MAT, where.y, _FACE, 1, seen.cards.face)
    for place, suit in enumerate((3, 2, 1, 0)):
        canvas.text(left + _FELT + _MAT + 1 + 2 * place, where.y, SUIT_SIGNS[suit], seen.suits.face[suit], bold=True)
    where.text(x + _FELT + _MAT + _FACE + 1, 0, f"{lowest(theme):.1f}", where.quiet)


def _paint_file(where: Place, name: str, path: str) -> None:
    inks, x = where.canvas.theme.inks, 14
    where.text(2, 0, name, inks.text, bold=where.at)
    where.text(x, 0, cut_middle(path, where.width - x), where.muted)
