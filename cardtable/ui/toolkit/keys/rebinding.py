"""Binding keys anew: all names with their keys, and why a key cannot be chosen."""

from collections.abc import Mapping
from typing import Final

from cardtable.ui.toolkit.keys.bindings import EVERYWHERE, SCOPES
from cardtable.ui.toolkit.keys.keymap import USUAL, Keymap, clash, keymap, sign, wrong

_EVERYWHERE: Final = "on every screen"
_SEVERAL: Final = "on several screens"


def places(name: str) -> list[tuple[str, str]]:
    """Where something works, and what it does there."""
    found = [(where, key.word) for where, scope in SCOPES.items() for key in scope if key.name == name]
    return found[:1] and [("everywhere", found[0][1])] if _everywhere(name) else found


def by_screen() -> dict[str, list[str]]:
    """All names that keys are bound to, each once."""
    groups: dict[str, list[str]] = {_EVERYWHERE: [], _SEVERAL: [], **{where: [] for where in SCOPES}}
    for name in USUAL:
        found = places(name)
        if found:
            groups[_EVERYWHERE if _everywhere(name) else _SEVERAL if len(found) > 1 else found[0][0]].append(name)
    return {where: names for where, names in groups.items() if names}


def _everywhere(name: str) -> bool:
    return name in [key.name for key in EVERYWHERE]


def refusal(bound: Keymap, name: str, keys: str) -> str:
    """Why ``name`` cannot have these keys, where the others have theirs; empty if it can."""
    if why := wrong(name, keys):
        return why
    found = clash({**{other: " ".join(bound.keys(other)) for other in USUAL}, name: keys}, name)
    return f"{sign(found.key)} is “{found.other.word}” {found.where} ({found.other.name})" if found else ""


def usual(preset: str, name: str) -> str:
    """The keys that a preset has for ``name``."""
    return " ".join(keymap(preset)[0].keys(name))


def changed(keys: Mapping[str, str], preset: str, name: str, bound: str) -> dict[str, str]:
    """The changed keys with one more, which is left out where it is as in the preset."""
    others = {other: its for other, its in keys.items() if other != name}
    return others if bound == usual(preset, name) else {**others, name: bound}
