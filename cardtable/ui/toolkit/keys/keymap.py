"""Mapping of key bindings to keys, from defaults, presets and settings; and labels of keys."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cardtable.engine.text_format import format_unknown_name
from cardtable.ui.terminal.keyboard_layouts import find_us_key
from cardtable.ui.toolkit.keys.bindings import SCOPES, KeyBinding, KeyBindings

DEFAULT_KEYS: Final[Mapping[str, str]] = {
    "left": "left",
    "right": "right",
    "left_any": "shift+left",
    "right_any": "shift+right",
    "up": "up",
    "down": "down",
    "first": "home",
    "last": "end",
    "page_up": "pageup",
    "page_down": "pagedown",
    "play": "enter",
    "choose": "space",
    "switch": "tab shift+tab",
    "rub_out": "backspace delete",
    "clear": "ctrl+u ctrl+l",
    "clear_messages": "ctrl+l",
    "ten": "t",
    "jack": "j",
    "queen": "q",
    "king": "k",
    "ace": "a",
    "hint": "h",
    "why": "w",
    "previous_trick": "l",
    "last_deal": "d",
    "sheet": "s",
    "messages": "m",
    "rules": "i",
    "rest": "c",
    "stand_in": "y",
    "take_back": "u ctrl+z",
    "order": "o",
    "card_size": "z",
    "four_colours": "f",
    "beep": "b",
    "again": "=",
    "new": "n",
    "pause": "p",
    "step": ".",
    "faster": "+",
    "slower": "-",
    "open_hands": "v",
    "give_up": "g",
    "rename": "e",
    "edit": "e",
    "names": "n",
    "next_field": "tab",
    "field_before": "shift+tab",
    "score_table": "c",
    "password": "w",
    "ask_once": "o",
    "remove": "d",
    "players": "p",
    "watch": "w",
    "archive": "a",
    "find": "/",
    "sort": "o",
    "review": "v",
    "export": "e",
    "go_on": "g",
    "replay": "r",
    "statistics": "t",
    "rankings": "r",
    "player": "p",
    "plot": "p",
    "figures": "v",
    "session_review": "e",
    "by_round": "f",
    "settings": ",",
    "save_elsewhere": "f2",
    "screenshot": "f3",
    "help": "? f1",
    "palette": "ctrl+p",
    "leave": "escape",
    "close": "q",
    "quit": "ctrl+q",
}
"""Default keys by name of the key binding, several separated by spaces."""

VIM_KEYS: Final[Mapping[str, str]] = {
    "left": "left h",
    "right": "right l",
    "left_any": "shift+left b",
    "right_any": "shift+right e",
    "up": "up k",
    "down": "down j",
    "first": "home ^",
    "last": "end $",
    "page_up": "pageup ctrl+b",
    "page_down": "pagedown ctrl+f",
    "jack": "J",
    "king": "K",
    "queen": "Q",
    "ace": "A",
    "ten": "T",
    "hint": "H",
    "previous_trick": "L",
    "beep": "B",
    "rename": "E",
    "session_review": "E",
}
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
_KEY_NAMES: Final = (
    *("left", "right", "up", "down", "home", "end", "pageup", "pagedown"),
    *("insert", "delete", "backspace", "tab", "enter", "space", "escape"),
)


def format_key(key: str) -> str:
    """Return the label of a key given by Textual's name, such as ``←``, ``Esc`` or ``Ctrl+Z``."""
    if len(key) == 1:
        return key
    *held, last = key.split("+")
    last = _SIGNS.get(last, last.upper() if held and len(last) == 1 else last.capitalize())
    return "".join([*[f"{each.capitalize()}{'' if last in _ARROWS else '+'}" for each in held], last])


class Keymap:
    """Keys of all bindings, as defined by the settings."""

    def __init__(self, keys_by_name: Mapping[str, str]) -> None:
        """``keys_by_name`` has the keys of each binding, several separated by spaces."""
        self._keys_by_name = {name: tuple(keys.split()) for name, keys in keys_by_name.items()}

    def find(self, scope: KeyBindings, pressed: str) -> KeyBinding | None:
        """Return the binding of a key in a scope, or ``None``.

        An unbound letter of another alphabet is looked up as the key at its position on a US keyboard.
        """
        binding = next((key for key in scope if pressed in self._keys_by_name[key.name]), None)
        if binding is None and (us_position := find_us_key(pressed)):
            return next((key for key in scope if us_position in self._keys_by_name[key.name]), None)
        return binding

    def is_bound(self, key: str) -> bool:
        """Return True if the key is bound on any screen."""
        return any(key in keys for keys in self._keys_by_name.values())

    def find_keys(self, name: str) -> tuple[str, ...]:
        """Return the keys of a binding, as the settings file names them."""
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
        keys = [self._keys_by_name[name] for name in names]
        longest = max(map(len, keys))
        return " ".join(_join_signs([format_key(each[i]) for each in keys if i < len(each)]) for i in range(longest))


def _join_signs(signs: Sequence[str]) -> str:
    if len(signs) > 1 and all(each[-1:] in _ARROWS for each in signs):
        return signs[0] + "".join(each[-1] for each in signs[1:])
    return " ".join(signs)


def build_keymap(preset: str = "default", changes: Mapping[str, str] | None = None) -> tuple[Keymap, list[str]]:
    """Return the keymap of a preset with the player's changes, and an error message for each invalid change.

    A change is ignored if it names an unknown binding or key, or a key that has another meaning on the same screen.
    """
    usual = {**DEFAULT_KEYS, **PRESETS[preset]}
    bound, complaints = dict(usual), []
    for name, keys in (changes or {}).items():
        if why := check_binding(name, keys):
            complaints.append(f"keys: {why}")
        else:
            bound[name] = keys
    for name in list(changes or {}):
        if conflict := find_conflict(bound, name):
            bound[name] = usual[name]
            text = f"{conflict.key!r} is both {name} and {conflict.other.name} {conflict.where}"
            complaints.append(f"keys: {text}; {name} stays {usual[name]!r}")
    return Keymap(bound), complaints


def check_binding(name: str, keys: str) -> str:
    """Return why these keys, separated by spaces, are invalid for a binding; "" if they are valid.

    Other bindings are not considered.
    """
    if name not in DEFAULT_KEYS:
        return format_unknown_name("key", name, DEFAULT_KEYS, "the settings page shows the name of every key")
    not_keys = [key for key in keys.split() if not _is_key(key)]
    if not_keys or not keys.split():
        return f"{name} cannot be {' '.join(not_keys)[:30]!r}; choose a character, ctrl+ a letter or a name such as f2"
    return ""


def _is_key(key: str) -> bool:
    """Return True if a key can be bound; digits cannot, since they select cards and bids."""
    last = key.rpartition("+")[2] or key
    if len(last) == 1:
        return last.isprintable() and not last.isdigit() and key in (last, f"ctrl+{last}")
    return last in _KEY_NAMES or (last[0] == "f" and last[1:].isdigit() and 1 <= int(last[1:]) <= 24)


class BindingConflict(NamedTuple):
    """Key with two meanings on one screen."""

    key: str
    other: KeyBinding
    """Binding that has the key, too."""
    where: str


def find_conflict(keys_by_name: Mapping[str, str], name: str) -> BindingConflict | None:
    """Return the first conflict of the keys of ``name`` with another binding on the same screen, or ``None``."""
    for where, scope in SCOPES.items():
        if name not in [key.name for key in scope]:
            continue
        for other in scope:
            both = set(keys_by_name[name].split()) & set(keys_by_name[other.name].split())
            if other.name != name and both:
                return BindingConflict(min(both), other, where)
    return None


DEFAULT_KEYMAP: Final = Keymap(DEFAULT_KEYS)
"""Keymap with the default keys."""
