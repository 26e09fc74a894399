"""Rebinding of keys: all bindings by screen, and the reason why a key is refused."""

from collections.abc import Mapping
from typing import Final

from cardtable.ui.toolkit.keys.bindings import GLOBAL_KEYS, SCOPES
from cardtable.ui.toolkit.keys.keymap import (
    DEFAULT_KEYS,
    Keymap,
    build_keymap,
    check_binding,
    find_conflict,
    format_key,
)

_EVERYWHERE: Final = "on every screen"
_SEVERAL: Final = "on several screens"


def list_screens(name: str) -> list[tuple[str, str]]:
    """Return the screens on which a binding exists, each with the label of the binding there.

    A binding of every screen has a single entry, "everywhere".
    """
    screens = [(where, key.label) for where, scope in SCOPES.items() for key in scope if key.name == name]
    return screens[:1] and [("everywhere", screens[0][1])] if _is_everywhere(name) else screens


def group_bindings_by_screen() -> dict[str, list[str]]:
    """Return the names of all bindings grouped by screen.

    Each name occurs once; bindings of several screens, or of every screen, have groups of their own.
    """
    groups: dict[str, list[str]] = {_EVERYWHERE: [], _SEVERAL: [], **{where: [] for where in SCOPES}}
    for name in DEFAULT_KEYS:
        screens = list_screens(name)
        if screens:
            groups[_EVERYWHERE if _is_everywhere(name) else _SEVERAL if len(screens) > 1 else screens[0][0]].append(
                name
            )
    return {where: names for where, names in groups.items() if names}


def _is_everywhere(name: str) -> bool:
    return name in [key.name for key in GLOBAL_KEYS]


def find_refusal(keymap: Keymap, name: str, keys: str) -> str:
    """Return why the binding ``name`` cannot have these keys beside the other bindings; "" if it can."""
    if why := check_binding(name, keys):
        return why
    conflict = find_conflict({**{other: " ".join(keymap.find_keys(other)) for other in DEFAULT_KEYS}, name: keys}, name)
    return (
        f"{format_key(conflict.key)} is “{conflict.other.label}” {conflict.where} ({conflict.other.name})"
        if conflict
        else ""
    )


def get_preset_keys(preset: str, name: str) -> str:
    """Return the keys of a binding in a preset, separated by spaces."""
    return " ".join(build_keymap(preset)[0].find_keys(name))


def apply_change(changes: Mapping[str, str], preset: str, name: str, new_keys: str) -> dict[str, str]:
    """Return ``changes``, the player's keys by name, with one more change; keys equal to the preset's are removed."""
    others = {other: its for other, its in changes.items() if other != name}
    return others if new_keys == get_preset_keys(preset, name) else {**others, name: new_keys}
