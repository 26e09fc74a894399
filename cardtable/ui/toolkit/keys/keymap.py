"""Which keys have which names: as usual, in presets, and as the settings change them; how keys are shown."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cardtable.engine.text_format import unknown
from cardtable.ui.terminal.keyboard_layouts import us_key
from cardtable.ui.toolkit.keys.bindings import SCOPES, KeyBinding, KeyBindings

USUAL: Final[Mapping[str, str]] = {
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
"""The keys of everything that a key does, where the settings do not name others."""

VIM: Final[Mapping[str, str]] = {
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
"""What is otherwise for hands that know vi."""

PRESETS: Final[Mapping[str, Mapping[str, str]]] = {"default": {}, "vim": VIM}

_SIGNS: Final = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
}
"""How keys are shown that have another name in the terminal."""
_ARROWS: Final = frozenset("←→↑↓")
_NAME: Final = re.compile(r"\{(\w+)\}")
_NAMED: Final = (
    *("left", "right", "up", "down", "home", "end", "pageup", "pagedown"),
    *("insert", "delete", "backspace", "tab", "enter", "space", "escape"),
)


def sign(key: str) -> str:
    """A key as people call it: ``←``, ``Esc``, ``Ctrl+Z``."""
    if len(key) == 1:
        return key
    *held, last = key.split("+")
    last = _SIGNS.get(last, last.upper() if held and len(last) == 1 else last.capitalize())
    return "".join([*[f"{each.capitalize()}{'' if last in _ARROWS else '+'}" for each in held], last])


class Keymap:
    """Which keys do what, once settings are read."""

    def __init__(self, bound: Mapping[str, str]) -> None:
        """``bound``: keys by name, several with a space between."""
        self._bound = {name: tuple(keys.split()) for name, keys in bound.items()}

    def find(self, scope: KeyBindings, pressed: str) -> KeyBinding | None:
        """Return what the key does on a screen; a letter of another alphabet may stand for the key at its place."""
        found = next((key for key in scope if pressed in self._bound[key.name]), None)
        if found is None and (at_its_place := us_key(pressed)):
            return next((key for key in scope if at_its_place in self._bound[key.name]), None)
        return found

    def has(self, key: str) -> bool:
        """Whether a key does something on some screen."""
        return any(key in keys for keys in self._bound.values())

    def keys(self, name: str) -> tuple[str, ...]:
        """The keys of a name, as the settings file calls them."""
        return self._bound[name]

    def label(self, names: str) -> str:
        """The first key of each name, for footers; what is no name stands for itself."""
        return _joined([sign(self._bound[name][0]) if name in self._bound else name for name in names.split()])

    def format_keys(self, text: str) -> str:
        """A text with the first key of each name that stands in it in braces: ``{play} goes on``."""
        return _NAME.sub(lambda found: self.label(found[1]) if found[1] in self._bound else found[0], text)

    def every(self, names: Sequence[str]) -> str:
        """All keys of these names, for the key sheet: the first ones before the others."""
        keys = [self._bound[name] for name in names]
        longest = max(map(len, keys))
        return " ".join(_joined([sign(each[i]) for each in keys if i < len(each)]) for i in range(longest))


def _joined(signs: Sequence[str]) -> str:
    if len(signs) > 1 and all(each[-1:] in _ARROWS for each in signs):
        return signs[0] + "".join(each[-1] for each in signs[1:])
    return " ".join(signs)


def keymap(preset: str = "default", changed: Mapping[str, str] | None = None) -> tuple[Keymap, list[str]]:
    """The keys of a preset with those that are changed, and in a line each what is wrong with these.

    What is wrong is left out: an unknown name, a key that there is not, and a key that does
    something else on the same screen.
    """
    usual = {**USUAL, **PRESETS[preset]}
    bound, complaints = dict(usual), []
    for name, keys in (changed or {}).items():
        if why := wrong(name, keys):
            complaints.append(f"keys: {why}")
        else:
            bound[name] = keys
    for name in list(changed or {}):
        if found := clash(bound, name):
            bound[name] = usual[name]
            said = f"{found.key!r} is both {name} and {found.other.name} {found.where}"
            complaints.append(f"keys: {said}; {name} stays {usual[name]!r}")
    return Keymap(bound), complaints


def wrong(name: str, keys: str) -> str:
    """Why a name cannot have these keys, whatever the others have; empty if it can."""
    if name not in USUAL:
        return unknown("key", name, USUAL, "the settings page shows the name of every key")
    not_keys = [key for key in keys.split() if not _is_key(key)]
    if not_keys or not keys.split():
        return f"{name} cannot be {' '.join(not_keys)[:30]!r}; choose a character, ctrl+ a letter or a name such as f2"
    return ""


def _is_key(key: str) -> bool:
    """Whether a key can be chosen: digits cannot, they bid."""
    last = key.rpartition("+")[2] or key
    if len(last) == 1:
        return last.isprintable() and not last.isdigit() and key in (last, f"ctrl+{last}")
    return last in _NAMED or (last[0] == "f" and last[1:].isdigit() and 1 <= int(last[1:]) <= 24)


class BindingConflict(NamedTuple):
    """A key that would do two things on a screen."""

    key: str
    other: KeyBinding
    """What else it does."""
    where: str


def clash(bound: Mapping[str, str], name: str) -> BindingConflict | None:
    """What else a key of ``name`` does on one of its screens."""
    for where, scope in SCOPES.items():
        if name not in [key.name for key in scope]:
            continue
        for other in scope:
            both = set(bound[name].split()) & set(bound[other.name].split())
            if other.name != name and both:
                return BindingConflict(min(both), other, where)
    return None


DEFAULT: Final = Keymap(USUAL)
"""The keys as they are where nothing is set."""
