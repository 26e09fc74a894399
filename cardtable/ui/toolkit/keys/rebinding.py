"""Rebinding of keys: all bindings by screen, and the reason why a key is refused."""

from collections.abc import Mapping
from typing import Final

from cardtable.ui.toolkit.keys.bindings import EVERYWHERE, SCOPES
from cardtable.ui.toolkit.keys.keymap import DEFAULT_KEYS, Keymap, binding_error, find_conflict, key_label, keymap

_EVERYWHERE: Final = "on every screen"
_SEVERAL: Final = "on several screens"


def screens_of(name: str) -> list[tuple[str, str]]:
    """Return the screens on which a binding exists, each with the label of the binding there.

    A binding of every screen has a single entry, "everywhere".
    """
    screens = [(where, key.label) for where, scope in SCOPES.items() for key in scope if key.name == name]
    return screens[:1] and [("everywhere", screens[0][1])] if _is_everywhere(name) else screens


def by_screen() -> dict[str, list[str]]:
    """Return the names of all bindings grouped by screen.

    Each name occurs once; bindings of several screens, or of every screen, have groups of their own.
    """
    groups: dict[str, list[str]] = {_EVERYWHERE: [], _SEVERAL: [], **{where: [] for where in SCOPES}}
    for name in DEFAULT_KEYS:
        screens = screens_of(name)
        if screens:
            groups[_EVERYWHERE if _is_everywhere(name) else _SEVERAL if len(screens) > 1 else screens[0][0]].append(
                name
            )
    return {where: names for where, names in groups.items() if names}


def _is_everywhere(name: str) -> bool:
    return name in [key.name for key in EVERYWHERE]


def refusal(bound: Keymap, name: str, keys: str) -> str:
    """Return why the binding ``name`` cannot have these keys beside the other bindings; "" if it can."""
    if why := binding_error(name, keys):
        return why
    conflict = find_conflict({**{other: " ".join(bound.keys(other)) for other in DEFAULT_KEYS}, name: keys}, name)
    return (
        f"{key_label(conflict.key)} is “{conflict.other.label}” {conflict.where} ({conflict.other.name})"
        if conflict
        else ""
    )


def preset_keys(preset: str, name: str) -> str:
    """Return the keys of a binding in a preset, separated by spaces."""
    return " ".join(keymap(preset)[0].keys(name))


def changed(keys: Mapping[str, str], preset: str, name: str, bound: str) -> dict[str, str]:
    """Return ``changes``, the player's keys by name, with one more change; keys equal to the preset's are removed."""
    others = {other: its for other, its in keys.items() if other != name}
    return others if bound == preset_keys(preset, name) else {**others, name: bound}
