"""The key sheet as it is now: what works on a screen, by topic; scrolled where a screen is too small for all."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.keys.keymap import Keymap, sign
from cardtable.ui.keys.scopes import LINE, Key, Scope
from cardtable.ui.page.overlay import Groups, paint_help
from cardtable.ui.toolkit.text_input import EDITING_KEYS, keys_in_line

WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""
_SCROLL: Final = {"up": -1, "down": 1, "page_up": -8, "page_down": 8, "first": -100, "last": 100}
"""Rows that keys scroll, more than there are for those that go to an end."""


class KeySheet:
    """What lies over a screen until a key is pressed that does not scroll it."""

    def __init__(self) -> None:
        self._at = self._most = 0

    def paint(self, canvas: Canvas, aside: str, groups: Groups) -> None:
        """The rows that fit; ``aside`` says where the keys work."""
        self._most = paint_help(canvas, "Keys", aside, groups, self._at)
        self._at = min(self._at, self._most)

    def scrolled_by(self, name: str) -> bool:
        """Whether a key scrolls it, by its name: there is more than is seen."""
        return self._most > 0 and name in _SCROLL

    def press(self, keymap: Keymap, pressed: str) -> bool:
        """Scroll it, if that is what the key does."""
        name = next((name for name in _SCROLL if pressed in keymap.keys(name)), "")
        scrolls = self.scrolled_by(name)
        if scrolls:
            self.scroll(_SCROLL[name])
        return scrolls

    def turn(self, steps: int) -> None:
        """Turn the mouse wheel."""
        self.scroll(steps * WHEEL)

    def scroll(self, rows: int) -> None:
        """Some rows on or back, no further than the ends."""
        self._at = max(0, min(self._at + rows, self._most))


def sheet(
    keymap: Keymap,
    scope: Scope,
    works: Callable[[Key], bool],
    words: Mapping[str, str] | None = None,
    *,
    is_typing: bool = False,
) -> Groups:
    """Keys by topic with what they do; those with the same word share a line.

    ``words`` say what some do just here: by name, or by a sign that is no name. The keys of a line are among them
    where one is being edited.
    """
    scope = [key for key in scope if key.topic != LINE or is_typing]
    topics: dict[str, dict[str, list[str]]] = {}
    special = dict(words or {})
    for key in scope:
        if works(key):
            word = special.pop(key.name, key.word)
            topics.setdefault(key.topic, {}).setdefault(word, []).append(key.name)
    first = next(iter(topics), "")
    groups = [
        (topic, [(_label(keymap, topic, names), word) for word, names in rows.items()])
        for topic, rows in topics.items()
    ]
    others = [(sign, word) for sign, word in special.items() if keymap.label(sign) == sign]
    more = {first: others, LINE: EDITING_KEYS}
    return [(topic, [*rows, *more.get(topic, ())]) for topic, rows in groups]


def _label(keymap: Keymap, topic: str, names: Sequence[str]) -> str:
    """Return the keys of names that do the same; in a line some keys do not what they do elsewhere."""
    if topic != LINE:
        return keymap.every(names)
    return " ".join([sign(key) for name in names for key in keys_in_line(name, keymap.keys(name))])
