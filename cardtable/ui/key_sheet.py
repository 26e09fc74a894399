"""The key sheet as it is now: what works on a screen, by topic."""

from collections.abc import Callable, Mapping

from cardtable.ui.keymap import Keymap
from cardtable.ui.keys import Key, Scope
from cardtable.ui.widgets.overlay import Groups


def sheet(keymap: Keymap, scope: Scope, works: Callable[[Key], bool], words: Mapping[str, str] | None = None) -> Groups:
    """Keys by topic with what they do; those with the same word share a line.

    ``words`` say what some do just here: by name, or by a sign that is no name.
    """
    topics: dict[str, dict[str, list[str]]] = {}
    special = dict(words or {})
    for key in scope:
        if works(key):
            word = special.pop(key.name, key.word)
            topics.setdefault(key.topic, {}).setdefault(word, []).append(key.name)
    first = next(iter(topics), "")
    groups = [(topic, [(keymap.every(names), word) for word, names in rows.items()]) for topic, rows in topics.items()]
    others = [(sign, word) for sign, word in special.items() if keymap.label(sign) == sign]
    return [(topic, [*rows, *others] if topic == first else rows) for topic, rows in groups]
