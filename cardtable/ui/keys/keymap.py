"""Keys in force, from presets and settings; labels of keys; and the rules for other keys than the usual ones."""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from cardtable.engine.text_format import format_unknown_name
from cardtable.ui.keys import bindings as pages
from cardtable.ui.keys import table_keys as table
from cardtable.ui.keys.bindings import GLOBAL_KEYS, SHARED_KEYS, AnyKeyBinding, AnyKeyBindings, Keys
from cardtable.ui.terminal.keyboard_layouts import find_us_key

SCOPES: Final[Sequence[AnyKeyBindings]] = (
    *(pages.PICKER, pages.NEW_TABLE, pages.ARCHIVE, pages.RULES, pages.FILE_PROBLEMS, pages.EXPORT, table.TABLE),
    *(table.MESSAGES, table.PUBLIC_MESSAGES, pages.SETTINGS_PAGE, table.PASSWORD, pages.PLAYERS, table.LAST_DEAL),
    *(pages.REPLAY, pages.STATISTICS, pages.RANKINGS, pages.NEW_SCORES, pages.SCORES, pages.NAMES, pages.REVIEW),
    *(pages.CLUB, pages.NEW_CLUB_TABLE, pages.COMPANY, pages.CLUB_PEOPLE, pages.OPEN_TO_OTHERS, pages.JOIN_CLUB),
    *(pages.LESSONS, pages.PUZZLES, pages.SEASONS, pages.RESULTS, pages.WELCOME),
)
"""Screens on which the settings bind keys, in the order of the settings page: all but question and palette."""
USUAL_KEYS: Final[Mapping[str, Keys]] = {
    **SHARED_KEYS,
    **{key.name: key.keys for scope in SCOPES for key in scope.keys if key.keys},
}
"""Usual keys by name of the binding."""
DEFAULT_KEYS: Final = {name: usual.default for name, usual in USUAL_KEYS.items()}
"""Default keys by name of the key binding, several separated by spaces."""
VIM_KEYS: Final = {name: usual.vim for name, usual in USUAL_KEYS.items() if usual.vim}
"""Keys of the preset "vim" that differ from the defaults."""
PRESETS: Final[Mapping[str, Mapping[str, str]]] = {"default": {}, "vim": VIM_KEYS}

_SIGNS: Final = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
}
"""Labels of keys for which Textual's name would be long or unclear."""
_ARROWS: Final = frozenset("←→↑↓")
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_BINDABLE: Final = (
    r"\D|ctrl\+[a-gj-ln-z]|backspace|(?:shift\+)?tab|enter|space|escape|(?:alt\+)?(?:ctrl\+)?(?:shift\+)?(?:super\+)?"
    r"(?:left|right|up|down|home|end|pageup|pagedown|insert|delete|f[1-9]|f1\d|f2[0-4])"
)
"""Pattern of the keys that can be bound; terminals without the kitty keyboard protocol, too, can tell them apart.

Digits are excluded because they select cards and bids. The pattern is compiled on first use, to shorten the start-up.
"""
_ALIKE: Final = {
    "ctrl+h": "backspace",
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+[": "escape",
    "ctrl+left_square_bracket": "escape",
    "ctrl+@": "ctrl+space",
    "ctrl+space": "ctrl+@",
}
"""Keys that other terminals send as the same character as another key."""


def format_key(key: str) -> str:
    """Return the label of a key given by Textual's name, such as ``←``, ``Esc`` or ``Ctrl+Z``."""
    if len(key) == 1:
        return key
    *modifiers, last = key.split("+")
    last = _SIGNS.get(last, last.upper() if modifiers and len(last) == 1 else last.capitalize())
    return "".join([*[f"{modifier.capitalize()}{'' if last in _ARROWS else '+'}" for modifier in modifiers], last])


class Keymap:
    """Keys of all bindings, as defined by the settings."""

    def __init__(self, keys_by_name: Mapping[str, str]) -> None:
        """``keys_by_name`` has the keys of each binding, several separated by spaces."""
        self._keys_by_name = {name: tuple(keys.split()) for name, keys in keys_by_name.items()}

    def find(self, scope: AnyKeyBindings, pressed: str) -> AnyKeyBinding | None:
        """Return the binding of a key in a scope, or ``None``.

        An unbound letter of another alphabet is looked up as the key at its position on a US keyboard.
        """
        binding = next((key for key in scope.keys if pressed in self._keys_by_name[key.name]), None)
        if binding is None and (us_position := find_us_key(pressed)):
            return next((key for key in scope.keys if us_position in self._keys_by_name[key.name]), None)
        return binding

    def is_bound(self, key: str) -> bool:
        return any(key in keys for keys in self._keys_by_name.values())

    def find_keys(self, name: str) -> tuple[str, ...]:
        return self._keys_by_name[name]

    def format_label(self, names: str) -> str:
        """Return the label of the first key of each binding, for footers; words that name no binding are kept."""
        return _join_signs(
            [format_key(self._keys_by_name[name][0]) if name in self._keys_by_name else name for name in names.split()]
        )

    def format_keys(self, text: str) -> str:
        """Replace names of bindings in braces, as in ``{play} goes on``, with the label of their first key."""
        return _PLACEHOLDER.sub(
            lambda match: self.format_label(match[1]) if match[1] in self._keys_by_name else match[0], text
        )

    def format_all_labels(self, names: Sequence[str]) -> str:
        """Return the labels of all keys of these bindings, for the key sheet: first keys before alternative ones."""
        ranks = zip_longest(*[map(format_key, self._keys_by_name[name]) for name in names])
        return " ".join(_join_signs([*filter(None, signs)]) for signs in ranks)


def _join_signs(signs: Sequence[str]) -> str:
    if len(signs) > 1 and all(sign[-1:] in _ARROWS for sign in signs):
        return signs[0] + "".join(sign[-1] for sign in signs[1:])
    return " ".join(signs)


def build_keymap(preset: str = "default", changes: Mapping[str, str] | None = None) -> tuple[Keymap, list[str]]:
    """Return the keymap of a preset with the player's changes, and an error message for each invalid change.

    A change is ignored if it names an unknown binding or key, or a key that has another meaning on the same screen.
    """
    usual = {**DEFAULT_KEYS, **PRESETS[preset]}
    bound, complaints = dict(usual), []
    for name, keys in (changes or {}).items():
        if reason := find_binding_error(name, keys):
            complaints.append(f"keys: {reason}")
        else:
            bound[name] = keys
    _use_fallbacks(bound)
    for name in list(changes or {}):
        if conflict := find_conflict(bound, name):
            bound[name] = usual[name]
            text = f"{conflict.key!r} is both {name} and {conflict.other.name} ({conflict.location})"
            complaints.append(f"keys: {text}; {name} stays {usual[name]!r}")
    return Keymap(bound), complaints


def _use_fallbacks(bound: dict[str, str]) -> None:
    """Move bindings with a fallback to it in ``bound`` if another binding has their usual key on the same screen."""
    for name, usual_keys in USUAL_KEYS.items():
        if usual_keys.fallback and bound[name] == usual_keys.default and find_conflict(bound, name):
            bound[name] = usual_keys.fallback


def find_binding_error(name: str, keys: str) -> str | None:
    """Return why these keys, separated by spaces, are invalid for a binding; ``None`` if they are valid.

    Other bindings are not considered.
    """
    if name not in DEFAULT_KEYS:
        return format_unknown_name("key", name, DEFAULT_KEYS, "the settings page shows the name of every key")
    refused = [key for key in keys.split() or [""] if not (re.fullmatch(_BINDABLE, key) and key.isprintable())]
    if not refused:
        return None
    key, reason = refused[0], ""
    if key in _ALIKE:
        reason = f", which most terminals cannot tell from {_ALIKE[key]}"
    elif "+" in key:
        reason = ", which most terminals cannot send"
    return f"{name} cannot be {key[:30]!r}{reason}; choose a character, ctrl+ a letter or a name such as f2"


class BindingConflict(NamedTuple):
    """Key with two meanings on one screen."""

    key: str
    other: AnyKeyBinding
    """Binding that has the key, too."""
    location: str


def find_conflict(keys_by_name: Mapping[str, str], name: str) -> BindingConflict | None:
    """Return the first conflict of the keys of ``name`` with another binding on the same screen, or ``None``."""
    for scope in SCOPES:
        if name not in [key.name for key in scope.keys]:
            continue
        for other in scope.keys:
            both = set(keys_by_name[name].split()) & set(keys_by_name[other.name].split())
            if other.name != name and both:
                return BindingConflict(min(both), other, scope.location)
    return None


DEFAULT_KEYMAP: Final = Keymap(DEFAULT_KEYS)
"""Keymap with the default keys."""


_EVERYWHERE: Final = "on every screen"
_SEVERAL: Final = "on several screens"


def list_screens(name: str) -> list[tuple[str, str]]:
    """Return the screens on which a binding exists, each with the label of the binding there.

    A binding of every screen has a single entry, "everywhere".
    """
    screens = [(scope.location, key.label) for scope in SCOPES for key in scope.keys if key.name == name]
    return [("everywhere", screens[0][1])] if _is_everywhere(name) else screens


def group_bindings_by_screen() -> dict[str, list[str]]:
    """Return the names of all bindings grouped by screen.

    Each name occurs once; bindings of several screens, or of every screen, have groups of their own.
    """
    groups: dict[str, list[str]] = {_EVERYWHERE: [], _SEVERAL: [], **{scope.location: [] for scope in SCOPES}}
    for name in DEFAULT_KEYS:
        screens = list_screens(name)
        if screens:
            location = _EVERYWHERE if _is_everywhere(name) else _SEVERAL if len(screens) > 1 else screens[0][0]
            groups[location].append(name)
    return {location: names for location, names in groups.items() if names}


def _is_everywhere(name: str) -> bool:
    return name in [key.name for key in GLOBAL_KEYS]


def find_refusal(keymap: Keymap, name: str, keys: str) -> str | None:
    """Return why the binding ``name`` cannot have these keys beside the other bindings; ``None`` if it can."""
    if reason := find_binding_error(name, keys):
        return reason
    bound = {**{other: " ".join(keymap.find_keys(other)) for other in DEFAULT_KEYS}, name: keys}
    _use_fallbacks(bound)
    if not (conflict := find_conflict(bound, name)):
        return None
    other = conflict.other
    return f"{format_key(conflict.key)} is already “{other.label}” ({conflict.location}; {other.name})"


def get_preset_keys(preset: str, name: str) -> str:
    return PRESETS[preset].get(name, DEFAULT_KEYS[name])


def apply_change(changes: Mapping[str, str], preset: str, name: str, new_keys: str) -> dict[str, str]:
    """Return ``changes``, the player's keys by name, with one more change; keys equal to the preset's are removed."""
    others = {other: its for other, its in changes.items() if other != name}
    return others if new_keys == get_preset_keys(preset, name) else {**others, name: new_keys}
