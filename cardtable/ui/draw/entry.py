"""A line of text that is being typed, painted on one row."""

from itertools import accumulate
from typing import Final

from rich.cells import cell_len

from cardtable.engine.text import clean
from cardtable.ui.draw.canvas import Canvas


class Entry:
    """What is typed so far, and where the next character goes."""

    def __init__(self, most: int) -> None:
        self.text = ""
        self.at = 0
        self.most = most
        """How many characters it may have."""

    @property
    def left(self) -> int:
        """How many characters can still be typed."""
        return self.most - len(self.text)

    def insert(self, text: str) -> bool:
        """Type or paste text, line ends as blanks, as much of it as there is room for; whether that was all."""
        line = " ".join(text.splitlines())
        fits = clean(line[: self.left], len(line))
        self.text = self.text[: self.at] + fits + self.text[self.at :]
        self.at += len(fits)
        return len(fits) == len(line)

    def rub_out(self) -> None:
        """Take away the character before the cursor."""
        if self.at:
            self.text = self.text[: self.at - 1] + self.text[self.at :]
            self.at -= 1

    def move(self, step: int) -> None:
        """Go a character to the left or right."""
        self.at = max(0, min(self.at + step, len(self.text)))

    def end(self, step: int) -> None:
        """Go to the beginning or the end."""
        self.at = 0 if step < 0 else len(self.text)

    def clear(self) -> None:
        """Begin anew."""
        self.text, self.at = "", 0


MASK: Final = "•"
"""Stands for each character of a password."""


def masked(entry: Entry) -> Entry:
    """The line as it may be shown where it is a secret."""
    hidden = Entry(entry.most)
    hidden.text, hidden.at = MASK * len(entry.text), entry.at
    return hidden


def paint_entry(canvas: Canvas, x: int, y: int, width: int, entry: Entry, empty: str, ink: str | None = None) -> None:
    """The part of the line around the cursor, which is a gold block; ``empty`` stands where nothing is typed."""
    if width < 1:  # while a window is dragged
        return
    inks, grounds = canvas.theme.inks, canvas.theme.grounds
    canvas.fill(x, y, width, 1, grounds.panel)
    ends = [0, *accumulate(cell_len(character) for character in entry.text)]
    first = next(i for i in range(entry.at + 1) if ends[entry.at] - ends[i] < width)
    shown = entry.text[first:]
    while cell_len(shown) > width:
        shown = shown[:-1]
    canvas.text(x, y, shown, ink or inks.text)
    if not entry.text:
        canvas.text(x + 2, y, empty[: width - 2], inks.muted)
    under = entry.text[entry.at : entry.at + 1] or " "
    canvas.text(x + ends[entry.at] - ends[first], y, under, grounds.panel, bold=True, ground=inks.gold)
