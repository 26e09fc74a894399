"""A page of text as the rules are written: headings, paragraphs, lists, indented lines, bold and code.

The text is cut into rows of a width once; showing a row is then a matter of writing it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise, zip_longest
from typing import Final, TypeAlias

from rich.cells import cell_len

from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.wording.formatting import written

_MARKED: Final = re.compile(r"\*\*(.+?)\*\*|\*(.+?)\*|`([^`]+)`")
_HEADING: Final = re.compile(r"#+\s+(.*)")
_ITEM: Final = re.compile(r"(\s*)([-*+]|\d+\.)\s+(.*)")
_MARKS: Final = {"-": "•", "*": "·", "+": "•"}
"""How the items of lists are marked: an ordinary one, one that is not in force, and one that is."""
_IN_FORCE: Final = "+"
_FIXED: Final = "    "
"""What a line begins with that stays as it is written."""
_COLUMNS: Final = re.compile(r" {2,}")
"""What is between two columns of such lines."""
_BETWEEN: Final = 2
_LEAST_CELL: Final = 8


class Style(Enum):
    """How a piece of text looks."""

    PLAIN = "plain"
    BOLD = "bold"
    CODE = "code"
    FIXED = "fixed"
    """As it is written, cards in notation, too."""
    MARK = "mark"
    """The sign of what is in force."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text of one style that is not broken, and how many columns to the right it stands."""

    text: str
    style: Style
    x: int = 0

    @property
    def width(self) -> int:
        """Its columns as it is shown."""
        literal = self.style in (Style.CODE, Style.FIXED)
        return cell_len(self.text if literal else written(self.text))


Row: TypeAlias = tuple[TextRun, ...]
Word: TypeAlias = list[TextRun]
"""Pieces with no blank between them."""


class BlockKind(Enum):
    """What a block of lines is."""

    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    FIXED = "fixed"


@dataclass(slots=True)
class TextBlock:
    """Lines that belong together."""

    kind: BlockKind
    apart: bool
    """Whether a free line stands before it."""
    lines: list[str]
    mark: str = ""
    """What an item of a list begins with, indented."""
    in_force: bool = False


def rows(text: str, width: int) -> list[Row]:
    """The text in rows of at most ``width`` columns, if no single word is longer."""
    found: list[Row] = []
    before: BlockKind | None = None
    for block in _blocks(text):
        free = block.kind is BlockKind.HEADING or (block.apart and block.kind is not BlockKind.ITEM)
        if free and before not in (None, BlockKind.HEADING):
            found.append(())
        found += _rows_of(block, width)
        before = block.kind
    return found


def paint_row(canvas: Canvas, x: int, y: int, row: Row) -> None:
    """Write a row, cards and suits in their inks."""
    inks = canvas.theme.inks
    for piece in row:
        if piece.style is Style.CODE:
            canvas.text(x + piece.x, y, piece.text, inks.text, ground=canvas.theme.grounds.track)
        elif piece.style is Style.MARK:
            canvas.text(x + piece.x, y, piece.text, inks.gold, bold=True)
        elif piece.style is Style.FIXED:
            canvas.text(x + piece.x, y, piece.text, inks.text)
        else:
            bold = piece.style is Style.BOLD
            card_faces.words(canvas, x + piece.x, y, piece.text, inks.text if bold else inks.soft, bold=bold)


def _blocks(text: str) -> list[TextBlock]:
    found: list[TextBlock] = []
    apart = True
    for line in text.split("\n"):
        if not line.strip():
            apart = True
            continue
        block = _begun(line, apart)
        last = None if apart or not found else found[-1].kind
        if (block.kind is BlockKind.TEXT and last in (BlockKind.TEXT, BlockKind.ITEM)) or (
            block.kind is last is BlockKind.FIXED
        ):
            found[-1].lines.append(line)
        else:
            found.append(block)
        apart = False
    return found


def _begun(line: str, apart: bool) -> TextBlock:
    """The block that begins with this line, if it goes on with none."""
    if heading := _HEADING.match(line):
        return TextBlock(BlockKind.HEADING, apart, [heading[1]])
    if item := _ITEM.match(line):
        mark = f"{item[1]}{_MARKS.get(item[2], item[2])} "
        return TextBlock(BlockKind.ITEM, apart, [item[3]], mark, item[2] == _IN_FORCE)
    return TextBlock(BlockKind.FIXED if line.startswith(_FIXED) else BlockKind.TEXT, apart, [line])


def _rows_of(block: TextBlock, width: int) -> list[Row]:
    if block.kind is BlockKind.FIXED:
        return _fixed(block.lines, width)
    said = _words(" ".join(block.lines))
    if block.kind is BlockKind.HEADING:
        return _fill(_bold(said), width)
    indent = len(block.mark)
    filled = [_moved(row, indent) for row in _fill(said, width - indent)]
    if block.mark:
        filled[0] = (TextRun(block.mark, Style.MARK if block.in_force else Style.PLAIN), *filled[0])
    return filled


def _words(text: str) -> list[Word]:
    found: list[Word] = [[]]
    at = 0
    for marked in _MARKED.finditer(text):
        _add(found, text[at : marked.start()], Style.PLAIN)
        if marked[3]:
            found[-1].append(TextRun(marked[3], Style.CODE))
        else:
            _add(found, marked[1] or marked[2], Style.BOLD)
        at = marked.end()
    _add(found, text[at:], Style.PLAIN)
    return [word for word in found if word]


def _add(found: list[Word], text: str, style: Style) -> None:
    """Add text that goes on where the last word ends."""
    for i, part in enumerate(re.split(r"\s+", text)):
        if i:
            found.append([])
        if part:
            found[-1].append(TextRun(part, style))


def _bold(words: Sequence[Word]) -> list[Word]:
    return [[replace(piece, style=Style.BOLD) for piece in word] for word in words]


def _fill(words: Sequence[Word], width: int) -> list[Row]:
    """The words in rows; at least one row."""
    found: list[list[TextRun]] = [[]]
    x = 0
    for word in words:
        needed = sum(piece.width for piece in word)
        if found[-1] and x + 1 + needed > width:
            found.append([])
        x = x + 1 if found[-1] else 0
        for piece in word:
            found[-1].append(replace(piece, x=x))
            x += piece.width
    return [tuple(row) for row in found]


def _moved(row: Row, columns: int) -> Row:
    return tuple([replace(piece, x=piece.x + columns) for piece in row])


def _fixed(lines: Sequence[str], width: int) -> list[Row]:
    """Indented lines as they are; where they are too wide, their columns as a table."""
    if max(map(cell_len, lines)) <= width:
        return [(TextRun(line, Style.FIXED),) for line in lines]
    cells = [[_fixed_words(cell) for cell in line] for line in _cells(lines)]
    number = max(map(len, cells))
    widths = [max(_end(_fill(line[i], width)[0]) for line in cells if i < len(line)) for i in range(number)]
    while sum(widths) + _BETWEEN * (number - 1) > width and max(widths) > _LEAST_CELL:
        widths[widths.index(max(widths))] -= 1
    starts = [sum(widths[:i]) + _BETWEEN * i for i in range(number)]
    return [row for line in cells for row in _beside(line, widths, starts)]


def _cells(lines: Sequence[str]) -> list[list[str]]:
    """The cells of a table: what is between gaps that all its lines have, or else between those of each line."""
    starts = {gap.end() for line in lines for gap in _COLUMNS.finditer(line) if gap.start()}
    common = sorted(at for at in starts if not any(line[at - _BETWEEN : at].strip() for line in lines))
    if not common:
        return [_COLUMNS.split(line.strip()) for line in lines]
    return [[line[start:end].strip() for start, end in pairwise([0, *common, None])] for line in lines]


def _fixed_words(text: str) -> list[Word]:
    return [[TextRun(part, Style.FIXED)] for part in text.split()]


def _end(row: Row) -> int:
    """The columns up to the end of a row."""
    return row[-1].x + row[-1].width if row else 0


def _beside(cells: Sequence[Sequence[Word]], widths: Sequence[int], starts: Sequence[int]) -> list[Row]:
    """One line of a table, its cells broken into rows."""
    columns = [_fill(cell, width) for cell, width in zip(cells, widths, strict=False)]
    parts = [[_moved(row, start) for row in column] for column, start in zip(columns, starts, strict=False)]
    return [sum(row, ()) for row in zip_longest(*parts, fillvalue=())]
