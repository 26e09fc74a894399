"""Renderer for the markup of the rules: headings, paragraphs, lists, indented lines, bold and code.

The text is broken into rows once for each width, so that painting a row is cheap.
"""

import re
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise, zip_longest
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len

from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.wording.formatting import insert_suit_signs

_MARKUP: Final = re.compile(r"\*\*(.+?)\*\*|\*(.+?)\*|`([^`]+)`")
_HEADING: Final = re.compile(r"#+\s+(.*)")
_ITEM: Final = re.compile(r"(\s*)([-*+]|\d+\.)\s+(.*)")
_MARKS: Final = {"-": "•", "*": "·", "+": "•"}
"""Markers of list items: an ordinary item, a house rule that is not in force, and a house rule in force."""
_IN_FORCE: Final = "+"
_FIXED_PREFIX: Final = "    "
"""Prefix of a preformatted line."""
_COLUMN_GAP: Final = re.compile(r" {2,}")
"""Gap between two columns of preformatted lines."""
_CELL_GAP: Final = 2
_MIN_CELL_WIDTH: Final = 8


class TextStyle(Enum):
    PLAIN = "plain"
    BOLD = "bold"
    CODE = "code"
    FIXED = "fixed"
    """Preformatted text, in which cards stay in notation."""
    MARK = "mark"
    """Marker of a house rule in force."""


class TextRun(msgspec.Struct, frozen=True):
    """Unbreakable text of one style; ``x`` is its column in the row."""

    text: str
    style: TextStyle
    x: int = 0

    @property
    def width(self) -> int:
        literal = self.style in (TextStyle.CODE, TextStyle.FIXED)
        return cell_len(self.text if literal else insert_suit_signs(self.text))


Row: TypeAlias = tuple[TextRun, ...]
Word: TypeAlias = list[TextRun]
"""Pieces of text without a space between them."""


class BlockKind(Enum):
    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    FIXED = "fixed"


class TextBlock(msgspec.Struct):
    """Lines of one paragraph, heading, list item or preformatted block."""

    kind: BlockKind
    follows_gap: bool
    """True if an empty line precedes the block."""
    lines: list[str]
    mark: str = ""
    """Marker of a list item, with its indentation."""
    in_force: bool = False


def layout_rows(text: str, width: int) -> list[Row]:
    """Return the text in rows of at most ``width`` columns; only a single longer word makes its row longer."""
    return layout_sections(text, width)[0]


def layout_sections(text: str, width: int) -> tuple[list[Row], list[int]]:
    """Return the rows of ``layout_rows``, and the index of the first row of each heading."""
    result: list[Row] = []
    headings: list[int] = []
    before: BlockKind | None = None
    for block in _parse_blocks(text):
        free = block.kind is BlockKind.HEADING or (block.follows_gap and block.kind is not BlockKind.ITEM)
        if free and before not in (None, BlockKind.HEADING):
            result.append(())
        if block.kind is BlockKind.HEADING:
            headings.append(len(result))
        result += _layout_block(block, width)
        before = block.kind
    return result, headings


def paint_row(canvas: Canvas, x: int, y: int, row: Row) -> None:
    """Paint a row, with cards and suit signs in their suit colours."""
    inks = canvas.theme.inks
    for piece in row:
        if piece.style is TextStyle.CODE:
            canvas.write(x + piece.x, y, piece.text, inks.text, ground=canvas.theme.grounds.track)
        elif piece.style is TextStyle.MARK:
            canvas.write(x + piece.x, y, piece.text, inks.gold, bold=True)
        elif piece.style is TextStyle.FIXED:
            canvas.write(x + piece.x, y, piece.text, inks.text)
        else:
            bold = piece.style is TextStyle.BOLD
            card_faces.paint_text(canvas, x + piece.x, y, piece.text, inks.text if bold else inks.soft, bold=bold)


def _parse_blocks(text: str) -> list[TextBlock]:
    result: list[TextBlock] = []
    apart = True
    for line in text.split("\n"):
        if not line.strip():
            apart = True
            continue
        block = _parse_line(line, apart)
        last = None if apart or not result else result[-1].kind
        if (block.kind is BlockKind.TEXT and last in (BlockKind.TEXT, BlockKind.ITEM)) or (
            block.kind is last is BlockKind.FIXED
        ):
            result[-1].lines.append(line)
        else:
            result.append(block)
        apart = False
    return result


def _parse_line(line: str, follows_gap: bool) -> TextBlock:
    """Return a new block that begins with this line."""
    if heading := _HEADING.match(line):
        return TextBlock(BlockKind.HEADING, follows_gap, [heading[1]])
    if item := _ITEM.match(line):
        mark = f"{item[1]}{_MARKS.get(item[2], item[2])} "
        return TextBlock(BlockKind.ITEM, follows_gap, [item[3]], mark, item[2] == _IN_FORCE)
    return TextBlock(BlockKind.FIXED if line.startswith(_FIXED_PREFIX) else BlockKind.TEXT, follows_gap, [line])


def _layout_block(block: TextBlock, width: int) -> list[Row]:
    if block.kind is BlockKind.FIXED:
        return _layout_preformatted(block.lines, width)
    words = _parse_words(" ".join(block.lines))
    if block.kind is BlockKind.HEADING:
        return _fill_rows([[replace(piece, style=TextStyle.BOLD) for piece in word] for word in words], width)
    indent = len(block.mark)
    filled = [_shift_row(row, indent) for row in _fill_rows(words, width - indent)]
    if block.mark:
        filled[0] = (TextRun(block.mark, TextStyle.MARK if block.in_force else TextStyle.PLAIN), *filled[0])
    return filled


def _parse_words(text: str) -> list[Word]:
    words: list[Word] = [[]]
    end = 0
    for marked in _MARKUP.finditer(text):
        _append_text(words, text[end : marked.start()], TextStyle.PLAIN)
        if marked[3]:
            words[-1].append(TextRun(marked[3], TextStyle.CODE))
        else:
            _append_text(words, marked[1] or marked[2], TextStyle.BOLD)
        end = marked.end()
    _append_text(words, text[end:], TextStyle.PLAIN)
    return [word for word in words if word]


def _append_text(words: list[Word], text: str, style: TextStyle) -> None:
    """Append text to the words; its first part continues the last word unless it begins with a space."""
    for i, part in enumerate(re.split(r"\s+", text)):
        if i:
            words.append([])
        if part:
            words[-1].append(TextRun(part, style))


def _fill_rows(words: Sequence[Word], width: int) -> list[Row]:
    """Return the words in rows, at least one."""
    result: list[list[TextRun]] = [[]]
    x = 0
    for word in words:
        needed = sum(piece.width for piece in word)
        if result[-1] and x + 1 + needed > width:
            result.append([])
        x = x + 1 if result[-1] else 0
        for piece in word:
            result[-1].append(replace(piece, x=x))
            x += piece.width
    return [tuple(row) for row in result]


def _shift_row(row: Row, columns: int) -> Row:
    return tuple([replace(piece, x=piece.x + columns) for piece in row])


def _layout_preformatted(lines: Sequence[str], width: int) -> list[Row]:
    """Return preformatted lines as rows; lines that are too wide are laid out as a table with wrapped cells."""
    if max(map(cell_len, lines)) <= width:
        return [(TextRun(line, TextStyle.FIXED),) for line in lines]
    cells = [[_split_preformatted(cell) for cell in line] for line in _split_cells(lines)]
    number = max(map(len, cells))
    widths = [
        max(_measure_row(_fill_rows(line[i], width)[0]) for line in cells if i < len(line)) for i in range(number)
    ]
    while sum(widths) + _CELL_GAP * (number - 1) > width and max(widths) > _MIN_CELL_WIDTH:
        widths[widths.index(max(widths))] -= 1
    starts = [sum(widths[:i]) + _CELL_GAP * i for i in range(number)]
    return [row for line in cells for row in _layout_table_line(line, widths, starts)]


def _split_cells(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of each line, split at the gaps that all lines share, or else at the gaps of each line."""
    starts = {gap.end() for line in lines for gap in _COLUMN_GAP.finditer(line) if gap.start()}
    common = sorted(x for x in starts if not any(line[x - _CELL_GAP : x].strip() for line in lines))
    if not common:
        return [_COLUMN_GAP.split(line.strip()) for line in lines]
    return [[line[start:end].strip() for start, end in pairwise([0, *common, None])] for line in lines]


def _split_preformatted(text: str) -> list[Word]:
    return [[TextRun(part, TextStyle.FIXED)] for part in text.split()]


def _measure_row(row: Row) -> int:
    return row[-1].x + row[-1].width if row else 0


def _layout_table_line(cells: Sequence[Sequence[Word]], widths: Sequence[int], starts: Sequence[int]) -> list[Row]:
    """Return one line of a table as rows, with its cells wrapped to ``widths`` and placed at ``starts``."""
    columns = [_fill_rows(cell, width) for cell, width in zip(cells, widths, strict=False)]
    parts = [[_shift_row(row, start) for row in column] for column, start in zip(columns, starts, strict=False)]
    return [sum(row, ()) for row in zip_longest(*parts, fillvalue=())]
