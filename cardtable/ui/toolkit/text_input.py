"""Text input: a line of text with a cursor, edited by the keys that people know from terminals, painted on one row.

Positions in the text are indexes between grapheme clusters, so that a letter with its marks or an emoji made of several
characters is one step and is deleted as one.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import Final, TypeAlias
from unicodedata import category

from rich.cells import cell_len

from cardtable.engine.text_format import JOINERS, graphemes, one_line, sanitize
from cardtable.ui.toolkit.keys.bindings import KeyBinding
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.text_fit import truncate

MASK: Final = "•"
"""Stands for each character of a password."""


_LONGEST_CHARACTER: Final = 8
"""Code points that are accepted of a character that a person sees, on average."""


class Clipboard:
    """Text that was cut last, or deleted by words or lines."""

    text = ""


CLIPBOARD: Final = Clipboard()
"""Shared by all lines of the program."""


class TextInput:
    """One line of text with a cursor, a selection and a history."""

    def __init__(
        self,
        max_length: int,
        text: str = "",
        *,
        masked: bool = False,
        accepts: Callable[[str], bool] = bool,
        measure: Callable[[str], int] = len,
        correct: Callable[[str], str] = str,
        history: Sequence[str] = (),
    ) -> None:
        """`accepts` tells whether a character can be typed; `max_length` is compared with `measure` of the text.

        `correct` is applied to the text after each change and keeps its length.

        A masked line is a secret: it has no words and is never copied. `history` are lines to recall, the newest last.
        Neither is asked of the text to begin with.
        """
        self.text = one_line(text)
        self.cursor = len(self.text)
        self.max_length, self.masked = max_length, masked
        self._accepts, self._measure, self._correct = accepts, measure, correct
        self._anchor: int | None = None
        """The other end of the selection."""
        self._history = [*history]
        self._recalled: int | None = None
        """Index of the line of the history that is shown; the line that was being typed is kept as draft meanwhile."""
        self._draft = ""

    @property
    def shown(self) -> list[str]:
        """What is shown of each character that a person sees; of a secret only how many there are."""
        clusters = graphemes(self.text)
        return [MASK] * len(clusters) if self.masked else _cleaned(clusters)

    @property
    def has_history(self) -> bool:
        """Return whether there are lines to recall."""
        return bool(self._history)

    @property
    def remaining(self) -> int:
        """Characters that can still be typed."""
        return self.max_length - self._measure(self.text)

    @property
    def selection(self) -> tuple[int, int]:
        """Start and end of the selected text; equal where nothing is selected."""
        anchor = self.cursor if self._anchor is None else self._anchor
        return min(anchor, self.cursor), max(anchor, self.cursor)

    def set(self, text: str) -> None:
        """Replace the whole text, whatever can be typed; the cursor is at its end."""
        self.text, self._anchor, self._recalled = one_line(text), None, None
        self.cursor = len(self.text)

    def clear(self) -> None:
        """Delete the whole text."""
        self.set("")

    def insert(self, text: str) -> bool:
        """Insert typed or pasted text instead of the selection; return whether all of it was accepted and had room."""
        self._delete(*self.selection)
        wanted = graphemes(one_line(text[: _LONGEST_CHARACTER * (self.max_length + 1)]))
        accepted = [each for each in wanted if all(map(self._accepts, each))][: self.max_length]
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        while accepted and self._measure(one_line(f"{before}{''.join(accepted)}{after}")) > self.max_length:
            accepted.pop()
        self.text = self._correct(one_line(f"{before}{''.join(accepted)}{after}"))
        self.cursor = self._boundary(len(self.text) - len(after))
        return len(accepted) == len(wanted)

    def remember(self) -> None:
        """Add the text to the history, and begin a new line."""
        if self.text not in self._history[-1:]:
            self._history.append(self.text)
        self.clear()

    def recall(self, step: int) -> bool:
        """Show the line before (-1) or after (1) in the history; return False if there is none."""
        at = len(self._history) if self._recalled is None else self._recalled
        wanted = at + step
        if not 0 <= wanted <= len(self._history):
            return False
        draft = self.text if self._recalled is None else self._draft
        self.set(draft if wanted == len(self._history) else self._history[wanted])
        self._draft, self._recalled = draft, wanted if wanted < len(self._history) else None
        return True

    def press(self, key: str, character: str | None, bound: KeyBinding | None) -> bool:
        """Apply a key to the line; return False if it is not for the line, or changes nothing of an empty one.

        `character` is what the key types, if anything. `bound` is what the key does on the screen otherwise: the line
        has its own keys also where the settings name others, and yields to keys that have another meaning there.
        """
        if key.startswith("alt+"):
            return self.edit(key) or (character is not None and _is_text(character))
        if character is not None and self.is_typed_by(key, character):
            self.insert(character)
            return True
        if bound is not None and bound.name not in _KEYS_BY_NAME:
            return False
        return self.edit(key) or (bound is not None and self.edit(_KEYS_BY_NAME[bound.name]))

    def is_typed_by(self, key: str, character: str | None) -> bool:
        """Return whether a key types a character that is accepted."""
        types = character is not None and _is_text(character) and not key.startswith("alt+")
        return types and self._accepts(character or "")

    def edit(self, key: str) -> bool:
        """Do what an editing key does; return False if it is none, or has nothing to do."""
        if key in ("up", "down"):
            return self.recall(-1 if key == "up" else 1)
        if key in _PASTE:
            self.insert(CLIPBOARD.text)
            return True
        if not self.text:
            return key in _DELETIONS or key in _CUT
        if motion := _MOTIONS.get(key):
            self._go(motion)
        elif motion := _SELECTIONS.get(key):
            self._anchor = self.cursor if self._anchor is None else self._anchor
            self.cursor = motion(self)
        elif key in _CUT:
            self._take(*self.selection)
        elif motion := _DELETIONS.get(key):
            self._delete_to(motion)
        else:
            return False
        return True

    def _go(self, motion: "Motion") -> None:
        """Move the cursor; an arrow first goes to that end of the selection."""
        start, end = self.selection
        if start == end or motion not in (_character_before, _character_after):
            self.cursor = motion(self)
        else:
            self.cursor = start if motion is _character_before else end
        self._anchor = None

    def _delete_to(self, motion: "Motion") -> None:
        """Delete the selection, or as far as the cursor would go; more than a character can be pasted again."""
        start, end = self.selection
        if start < end:
            self._delete(start, end)
        elif motion is _whole:
            self._take(0, len(self.text))
        else:
            ends = sorted((self.cursor, motion(self)))
            (self._delete if motion in (_character_before, _character_after) else self._take)(*ends)

    def _take(self, start: int, end: int) -> None:
        """Delete text that can be pasted again."""
        if start < end and not self.masked:
            CLIPBOARD.text = self.text[start:end]
        self._delete(start, end)

    def _delete(self, start: int, end: int) -> None:
        self.text, self._anchor = self._correct(one_line(self.text[:start] + self.text[end:])), None
        self.cursor = self._boundary(start)

    def boundaries(self) -> list[int]:
        """Return the positions between characters that a person sees, the start and the end among them."""
        return [0, *accumulate(map(len, graphemes(self.text)))]

    def _boundary(self, position: int) -> int:
        """Return the next boundary at or after a position."""
        return next((each for each in self.boundaries() if each >= position), len(self.text))


def _is_text(character: str) -> bool:
    """Return whether a character that a key types can be in a line: not Enter, but blanks of any width and joiners."""
    return character.isprintable() or character in JOINERS or category(character) == "Zs"


Motion: TypeAlias = Callable[[TextInput], int]
"""Where the cursor goes."""


def _character_before(line: TextInput) -> int:
    return max((each for each in line.boundaries() if each < line.cursor), default=0)


def _character_after(line: TextInput) -> int:
    return min((each for each in line.boundaries() if each > line.cursor), default=len(line.text))


def _word_before(line: TextInput) -> int:
    """Return the start of the word before the cursor; that of the whole line if it is a secret."""
    at = 0 if line.masked else line.cursor
    while at and not _is_in_word(line.text[at - 1]):
        at -= 1
    while at and _is_in_word(line.text[at - 1]):
        at -= 1
    return at


def _word_after(line: TextInput) -> int:
    """Return the end of the word after the cursor; that of the whole line if it is a secret."""
    at, end = line.cursor, len(line.text)
    if line.masked:
        return end
    while at < end and not _is_in_word(line.text[at]):
        at += 1
    while at < end and _is_in_word(line.text[at]):
        at += 1
    return at


def _is_in_word(char: str) -> bool:
    """Return whether a character belongs to a word: a letter, a digit, a mark or a joiner."""
    return char.isalnum() or (char >= "\u0300" and len(graphemes("x" + char)) == 1)


def _start(_line: TextInput) -> int:
    return 0


def _end(line: TextInput) -> int:
    return len(line.text)


def _whole(line: TextInput) -> int:
    """Stand for the whole line, wherever the cursor is."""
    return len(line.text)


_MOTIONS: Final[Mapping[str, Motion]] = {
    "left": _character_before,
    "right": _character_after,
    **dict.fromkeys(("ctrl+left", "alt+left", "alt+b"), _word_before),
    **dict.fromkeys(("ctrl+right", "alt+right", "alt+f"), _word_after),
    **dict.fromkeys(("home", "ctrl+a"), _start),
    **dict.fromkeys(("end", "ctrl+e"), _end),
}
_SELECTIONS: Final[Mapping[str, Motion]] = {
    "shift+left": _character_before,
    "shift+right": _character_after,
    "ctrl+shift+left": _word_before,
    "ctrl+shift+right": _word_after,
    "shift+home": _start,
    "shift+end": _end,
}
_DELETIONS: Final[Mapping[str, Motion]] = {
    **dict.fromkeys(("backspace", "shift+backspace", "ctrl+h"), _character_before),
    **dict.fromkeys(("delete", "ctrl+d"), _character_after),
    **dict.fromkeys(("ctrl+w", "alt+backspace", "ctrl+backspace"), _word_before),
    **dict.fromkeys(("alt+d", "alt+delete", "ctrl+delete"), _word_after),
    "ctrl+k": _end,
    "ctrl+u": _whole,
}
_CUT: Final = ("ctrl+x",)
_PASTE: Final = ("ctrl+v", "ctrl+y")
_KEYS_BY_NAME: Final[Mapping[str, str]] = {
    "left": "left",
    "right": "right",
    "up": "up",
    "down": "down",
    "first": "home",
    "last": "end",
    "rub_out": "backspace",
    "clear": "ctrl+u",
}
"""What the keys of these names do in a line, whatever the settings bind them to."""


def keys_in_line(name: str, keys: Sequence[str]) -> list[str]:
    """Return those keys of a name that do in a line what the name says: Delete does not what Backspace does."""
    meant = _KEYS_BY_NAME[name]
    own = {**_MOTIONS, **_DELETIONS}
    return [key for key in keys if own.get(key, own.get(meant)) is own.get(meant)]


EDITING_KEYS: Final[Sequence[tuple[str, str]]] = (
    ("Ctrl+← Ctrl+→", "word before or after"),
    ("Ctrl+A Ctrl+E", "start or end of the line"),
    ("Shift+← Shift+→", "select"),
    ("Delete Ctrl+D", "delete to the right"),
    ("Ctrl+W Alt+D", "delete a word to the left or right"),
    ("Ctrl+K Ctrl+U", "delete the rest, or all"),
    ("Ctrl+X Ctrl+V", "cut, and paste what was deleted"),
)
"""The keys that a line has whatever the settings say, with what they do; for key sheets."""


def paint_text_input(
    canvas: Canvas,
    x: int,
    y: int,
    width: int,
    line: TextInput,
    placeholder: str,
    *,
    ink: str | None = None,
    has_focus: bool = True,
) -> None:
    """Paint the part of the line around the cursor, which is a gold block; an empty line shows the placeholder.

    Without the focus there is no cursor, and the line is shown from its start.
    """
    if width < 1:  # while a window is dragged
        return
    inks, grounds = canvas.theme.inks, canvas.theme.grounds
    canvas.fill(x, y, width, 1, grounds.panel)
    if not line.text:
        canvas.text(x + 2 * has_focus, y, truncate(placeholder, width - 2), ink or inks.muted)
    if not has_focus:
        canvas.text(x, y, truncate("".join(line.shown), width), ink or inks.text)
        return
    shown, bounds = [truncate(cluster, width) for cluster in line.shown], line.boundaries()
    at = bounds.index(line.cursor)
    selected = range(*map(bounds.index, line.selection))
    under = shown[at] if at < len(shown) else " "
    first, room = at, width - (cell_len(under) or 1)
    while first and cell_len(shown[first - 1]) <= room:
        first -= 1
        room -= cell_len(shown[first])
    end = x
    for place, cluster in enumerate([*shown, " "][first:], first):
        if end + cell_len(cluster) > x + width:
            break
        if place == at:
            end = canvas.text(end, y, cluster or " ", grounds.panel, bold=True, ground=inks.gold)
        elif place < len(shown):
            end = canvas.text(end, y, cluster, ink or inks.text, ground=grounds.bonus if place in selected else None)


def _cleaned(clusters: Sequence[str]) -> list[str]:
    """Return the clusters as they may be shown; U+200C stays where a letter follows."""
    pairs = zip_longest(clusters, [cluster[0] for cluster in clusters[1:]], fillvalue="")
    return [sanitize(cluster + after).removesuffix(sanitize(after)) for cluster, after in pairs]
