"""Text input: one line of text with a cursor, edited with the keys that are usual in terminals, painted on one row.

Positions in the text are boundaries between grapheme clusters, so that a letter with its marks, or an emoji made of
several characters, is one step and is deleted as a whole.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import Final, TypeAlias
from unicodedata import category

from rich.cells import cell_len

from cardtable.engine.text_format import JOINERS, sanitize, split_graphemes, to_one_line
from cardtable.ui.keys.bindings import AnyKeyBinding
from cardtable.ui.toolkit.painting.canvas import Canvas, truncate

MASK: Final = "•"
"""Character that is displayed for each character of a password."""


_MAX_CODE_POINTS: Final = 8
"""Average number of code points per grapheme cluster up to which inserted text is considered."""


class Clipboard:
    """Text that was cut last, or deleted by words or to the end of the line."""

    text = ""


CLIPBOARD: Final = Clipboard()
"""Clipboard shared by all text inputs of the program."""


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
        """Create a text input; the initial ``text`` is not checked.

        ``accepts`` returns True for a character that can be typed, and ``measure`` returns the length that is limited
        to ``max_length``. ``correct`` is applied to the text after each change and must preserve its length. A
        ``masked`` line is a secret: it has no words and is never copied. ``history`` is the list of lines to recall,
        newest last.
        """
        self.text = to_one_line(text)
        self.cursor = len(self.text)
        self.max_length, self.masked = max_length, masked
        self._accepts, self._measure, self._correct = accepts, measure, correct
        self._anchor: int | None = None
        """Other end of the selection; ``None`` if nothing is selected."""
        self._history = [*history]
        self._history_index: int | None = None
        """Index of the recalled line in the history.

        ``None`` while a new line is typed, which is kept in ``_draft`` meanwhile.
        """
        self._draft = ""

    @property
    def visible_clusters(self) -> list[str]:
        """Grapheme clusters to display; those of a masked line are all ``MASK``."""
        clusters = split_graphemes(self.text)
        return [MASK] * len(clusters) if self.masked else _sanitize_clusters(clusters)

    @property
    def has_history(self) -> bool:
        return bool(self._history)

    @property
    def remaining(self) -> int:
        return self.max_length - self._measure(self.text)

    @property
    def selection(self) -> tuple[int, int]:
        """Start and end of the selected text, both at the cursor if nothing is selected."""
        anchor = self.cursor if self._anchor is None else self._anchor
        return min(anchor, self.cursor), max(anchor, self.cursor)

    def set_text(self, text: str) -> None:
        """Replace the whole text without checking its characters, and put the cursor at its end."""
        self.text, self._anchor, self._history_index = to_one_line(text), None, None
        self.cursor = len(self.text)

    def clear(self) -> None:
        self.set_text("")

    def insert(self, text: str) -> bool:
        """Insert typed or pasted text in place of the selection; return False if any of it was rejected.

        Characters are rejected if ``accepts`` returns False, or if the text would become too long.
        """
        self._delete(*self.selection)
        clusters = split_graphemes(to_one_line(text[: _MAX_CODE_POINTS * (self.max_length + 1)]))
        accepted = [cluster for cluster in clusters if all(map(self._accepts, cluster))][: self.max_length]
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        while accepted and self._measure(to_one_line(f"{before}{''.join(accepted)}{after}")) > self.max_length:
            accepted.pop()
        self.text = self._correct(to_one_line(f"{before}{''.join(accepted)}{after}"))
        self.cursor = self._find_boundary(len(self.text) - len(after))
        return len(accepted) == len(clusters)

    def add_to_history(self) -> None:
        """Add the text to the history, unless it is its last line, and begin an empty line."""
        if self.text not in self._history[-1:]:
            self._history.append(self.text)
        self.clear()

    def recall(self, step: int) -> bool:
        """Show the previous (-1) or the next (1) line of the history; return False at its ends.

        The line that was being typed follows after the newest one.
        """
        index = (len(self._history) if self._history_index is None else self._history_index) + step
        if not 0 <= index <= len(self._history):
            return False
        draft = self.text if self._history_index is None else self._draft
        self.set_text(draft if index == len(self._history) else self._history[index])
        self._draft, self._history_index = draft, index if index < len(self._history) else None
        return True

    def handle_key(self, key: str, character: str | None, binding: AnyKeyBinding | None) -> bool:
        """Apply a key; return False if the key is not for the text input, or has no effect on an empty line.

        ``character`` is the text that the key types, or ``None``. ``binding`` is the binding of the key on the screen:
        editing keys work whatever the settings bind, but a key that has another meaning on the screen is not for the
        text input.
        """
        if key.startswith("alt+"):
            return self.edit(key) or (character is not None and _is_typeable(character))
        if character is not None and self.can_type(key, character):
            self.insert(character)
            return True
        if binding is not None and binding.name not in _KEYS_BY_NAME:
            return False
        return self.edit(key) or (binding is not None and self.edit(_KEYS_BY_NAME[binding.name]))

    def can_type(self, key: str, character: str | None) -> bool:
        """Return True if the key types a character that is accepted."""
        types = character is not None and _is_typeable(character) and not key.startswith("alt+")
        return types and self._accepts(character or "")

    def edit(self, key: str) -> bool:
        """Apply an editing key by its name in Textual; return False if it is none, or has no effect."""
        if key in ("up", "down"):
            return self.recall(-1 if key == "up" else 1)
        if key in _PASTE:
            self.insert(CLIPBOARD.text)
            return True
        if not self.text:
            return key in _DELETIONS or key in _CUT
        if motion := _MOTIONS.get(key):
            self._move_cursor(motion)
        elif motion := _SELECTIONS.get(key):
            self._anchor = self.cursor if self._anchor is None else self._anchor
            self.cursor = motion(self)
        elif key in _CUT:
            self._cut(*self.selection)
        elif motion := _DELETIONS.get(key):
            self._delete_to(motion)
        else:
            return False
        return True

    def _move_cursor(self, motion: "Motion") -> None:
        """Move the cursor and end the selection; an arrow key moves to the end of the selection on its side."""
        start, end = self.selection
        if start == end or motion not in (_find_previous_character, _find_next_character):
            self.cursor = motion(self)
        else:
            self.cursor = start if motion is _find_previous_character else end
        self._anchor = None

    def _delete_to(self, motion: "Motion") -> None:
        """Delete the selection, or the text up to the target of the motion.

        Text is also stored in the clipboard, unless it is the selection or a single character.
        """
        start, end = self.selection
        if start < end:
            self._delete(start, end)
        elif motion is _find_whole_line:
            self._cut(0, len(self.text))
        else:
            ends = sorted((self.cursor, motion(self)))
            (self._delete if motion in (_find_previous_character, _find_next_character) else self._cut)(*ends)

    def _cut(self, start: int, end: int) -> None:
        """Delete the text between two positions and store it in the clipboard, unless it is a secret."""
        if start < end and not self.masked:
            CLIPBOARD.text = self.text[start:end]
        self._delete(start, end)

    def _delete(self, start: int, end: int) -> None:
        self.text, self._anchor = self._correct(to_one_line(self.text[:start] + self.text[end:])), None
        self.cursor = self._find_boundary(start)

    def list_boundaries(self) -> list[int]:
        return [0, *accumulate(map(len, split_graphemes(self.text)))]

    def _find_boundary(self, position: int) -> int:
        return next((boundary for boundary in self.list_boundaries() if boundary >= position), len(self.text))


def _is_typeable(character: str) -> bool:
    """Return True if a typed character can be part of a line: a printable one, a blank of any width, or a joiner."""
    return character.isprintable() or character in JOINERS or category(character) == "Zs"


Motion: TypeAlias = Callable[[TextInput], int]
"""Function that returns the new position of the cursor."""


def _find_previous_character(line: TextInput) -> int:
    return max((boundary for boundary in line.list_boundaries() if boundary < line.cursor), default=0)


def _find_next_character(line: TextInput) -> int:
    return min((boundary for boundary in line.list_boundaries() if boundary > line.cursor), default=len(line.text))


def _find_word_start(line: TextInput) -> int:
    """Return the start of the word before the cursor; 0 in a masked line."""
    position = 0 if line.masked else line.cursor
    while position and not _is_in_word(line.text[position - 1]):
        position -= 1
    while position and _is_in_word(line.text[position - 1]):
        position -= 1
    return position


def _find_word_end(line: TextInput) -> int:
    """Return the end of the word after the cursor; the end of the text in a masked line."""
    position, end = line.cursor, len(line.text)
    if line.masked:
        return end
    while position < end and not _is_in_word(line.text[position]):
        position += 1
    while position < end and _is_in_word(line.text[position]):
        position += 1
    return position


def _is_in_word(char: str) -> bool:
    """Return True if a character belongs to a word: a letter, a digit, a mark or a joiner."""
    return char.isalnum() or (char >= "\u0300" and len(split_graphemes("x" + char)) == 1)


def _find_line_start(_line: TextInput) -> int:
    return 0


def _find_line_end(line: TextInput) -> int:
    return len(line.text)


def _find_whole_line(line: TextInput) -> int:
    """Return the end of the text, as the motion that stands for the whole line wherever the cursor is."""
    return len(line.text)


_MOTIONS: Final[Mapping[str, Motion]] = {
    "left": _find_previous_character,
    "right": _find_next_character,
    **dict.fromkeys(("ctrl+left", "alt+left", "alt+b"), _find_word_start),
    **dict.fromkeys(("ctrl+right", "alt+right", "alt+f"), _find_word_end),
    **dict.fromkeys(("home", "ctrl+a"), _find_line_start),
    **dict.fromkeys(("end", "ctrl+e"), _find_line_end),
}
_SELECTIONS: Final[Mapping[str, Motion]] = {
    "shift+left": _find_previous_character,
    "shift+right": _find_next_character,
    "ctrl+shift+left": _find_word_start,
    "ctrl+shift+right": _find_word_end,
    "shift+home": _find_line_start,
    "shift+end": _find_line_end,
}
_DELETIONS: Final[Mapping[str, Motion]] = {
    **dict.fromkeys(("backspace", "shift+backspace", "ctrl+h"), _find_previous_character),
    **dict.fromkeys(("delete", "ctrl+d"), _find_next_character),
    **dict.fromkeys(("ctrl+w", "alt+backspace", "ctrl+backspace"), _find_word_start),
    **dict.fromkeys(("alt+d", "alt+delete", "ctrl+delete"), _find_word_end),
    "ctrl+k": _find_line_end,
    "ctrl+u": _find_whole_line,
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
"""Editing keys by name of the key binding, whatever keys the settings bind to that name."""


def filter_line_keys(name: str, keys: Sequence[str]) -> list[str]:
    """Return those of ``keys`` that have the effect of the binding ``name`` in a text input.

    Backspace and Delete, for example, are keys of one binding but have different effects there.
    """
    editing_key = _KEYS_BY_NAME[name]
    own = {**_MOTIONS, **_DELETIONS}
    return [key for key in keys if own.get(key, own.get(editing_key)) is own.get(editing_key)]


EDITING_KEYS: Final[Sequence[tuple[str, str]]] = (
    ("Ctrl+← Ctrl+→", "word before or after"),
    ("Ctrl+A Ctrl+E", "start or end of the line"),
    ("Shift+← Shift+→", "select"),
    ("Delete Ctrl+D", "delete to the right"),
    ("Ctrl+W Alt+D", "delete a word to the left or right"),
    ("Ctrl+K Ctrl+U", "delete the rest, or all"),
    ("Ctrl+X Ctrl+V", "cut, and paste what was deleted"),
)
"""Editing keys that no setting changes, with their effects, for key sheets."""


def paint_text_input(
    canvas: Canvas,
    x: int,
    y: int,
    width: int,
    text_input: TextInput,
    placeholder: str,
    *,
    ink: str | None = None,
    has_focus: bool = True,
) -> None:
    """Paint the part of the text around the cursor, which is a gold block; an empty line shows the placeholder.

    Without the focus there is no cursor, and the text is shown from its start.
    """
    if width < 1:  # possible while the terminal is being resized
        return
    inks, grounds = canvas.theme.inks, canvas.theme.grounds
    canvas.fill(x, y, width, 1, grounds.panel)
    if not text_input.text:
        canvas.write(x + (2 if has_focus else 0), y, truncate(placeholder, width - 2), ink or inks.muted)
    if not has_focus:
        canvas.write(x, y, truncate("".join(text_input.visible_clusters), width), ink or inks.text)
        return
    clusters = [truncate(cluster, width) for cluster in text_input.visible_clusters]
    bounds = text_input.list_boundaries()
    cursor = bounds.index(text_input.cursor)
    selected = range(*map(bounds.index, text_input.selection))
    under = clusters[cursor] if cursor < len(clusters) else " "
    first, room = cursor, width - (cell_len(under) or 1)
    while first and cell_len(clusters[first - 1]) <= room:
        first -= 1
        room -= cell_len(clusters[first])
    end = x
    for index, cluster in enumerate([*clusters, " "][first:], first):
        if end + cell_len(cluster) > x + width:
            break
        if index == cursor:
            end = canvas.write(end, y, cluster or " ", grounds.panel, bold=True, ground=inks.gold)
        elif index < len(clusters):
            end = canvas.write(end, y, cluster, ink or inks.text, ground=grounds.bonus if index in selected else None)


def _sanitize_clusters(clusters: Sequence[str]) -> list[str]:
    """Return the clusters without characters that must not be displayed; U+200C is retained before a letter."""
    pairs = zip_longest(clusters, [cluster[0] for cluster in clusters[1:]], fillvalue="")
    return [sanitize(cluster + after).removesuffix(sanitize(after)) for cluster, after in pairs]
