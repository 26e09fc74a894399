"""Hands of others that lie open, in their places: suits in rows, or what else finds room there."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import SUIT, Card
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.card_faces import Size
from cardtable.ui.draw.layout import Box, Layout
from cardtable.wording.cards import SUIT_SIGNS, label

HALF: Final = Size(6, 2)
"""A card of which the lower part is out of sight."""
MOST_AT_TINY: Final = 4
"""Seats whose hands can lie open on the least screens."""


class Word(NamedTuple):
    """A piece of text, and the suit whose ink it has."""

    text: str
    suit: int


Line: TypeAlias = list[Word]


def fits(grid: Layout, seats: int) -> bool:
    """Whether all hands of so many seats can lie open on the table."""
    return not grid.tiny or seats <= MOST_AT_TINY


def paint_side(canvas: Canvas, room: Box, cards: Sequence[Card], *, by_suit: bool, up: bool) -> None:
    """A hand beside the mat, at the foot of its room (``up``) or at the head."""
    pad, lines = _fitting(cards, room, by_suit=by_suit)
    y = room.bottom + 1 - len(lines) if up else room.y
    for row, line in enumerate(lines, y):
        canvas.fill(room.x, row, room.width, 1, canvas.theme.cards.face)
        _paint(canvas, room.x + pad, row, line)


def paint_top(canvas: Canvas, room: Box, cards: Sequence[Card], *, by_suit: bool) -> None:
    """A hand before the seat opposite, in the middle of its room."""
    pad, lines = _fitting(cards, room, by_suit=by_suit)
    width = max(map(_width, lines), default=0) + 2 * pad
    for row, line in enumerate(lines, room.y):
        x = room.centre[0] - width // 2
        canvas.fill(x, row, width, 1, canvas.theme.cards.face)
        _paint(canvas, x + pad, row, line)


def paint_fan(canvas: Canvas, room: Box, cards: Sequence[Card]) -> bool:
    """The same as a fan of cards; whether there is room for that."""
    if card_faces.LEAST_STEP * (len(cards) - 1) + HALF.width > room.width:
        return False
    x = room.centre[0] - (card_faces.LEAST_STEP * (len(cards) - 1) + HALF.width) // 2
    for i, card in enumerate(cards):
        shown = 0 if i == len(cards) - 1 else card_faces.LEAST_STEP
        card_faces.card(canvas, x + card_faces.LEAST_STEP * i, room.y, HALF, card, shown=shown)
    return True


def told(cards: Sequence[Card], *, by_suit: bool) -> str:
    """A hand in a line, as it would lie open."""
    lines = _suits(cards, " ") if by_suit else [_line(cards, " ")]
    return "  ".join("".join(word.text for word in line) for line in lines)


def _fitting(cards: Sequence[Card], room: Box, *, by_suit: bool) -> tuple[int, list[Line]]:
    """The most legible way to write a hand for which there is room, and the columns free before it."""
    for pad, lines in _ways(cards, room.width, by_suit=by_suit):
        if len(lines) <= room.height:
            return pad, lines
    return 0, _cut(lines, room, len(cards))


def _ways(cards: Sequence[Card], width: int, *, by_suit: bool) -> Iterator[tuple[int, list[Line]]]:
    """Ways to write a hand, the most legible first."""
    wide, tight = (_suits(cards, " "), _suits(cards, "")) if by_suit else ([_line(cards, " ")], [_line(cards, "")])
    if by_suit or all(_width(line) < width for line in wide):
        for pad in (1, 0):
            rows = [_wrapped(line, width - pad) for line in wide]
            closer = [_wrapped(line, width - 2 * pad) for line in tight]
            yield pad, [row for a, b in zip(rows, closer, strict=True) for row in (a if len(a) == 1 else b)]
    yield 1, _wrapped(_running(wide, "  "), width - 2)
    for pad in (1, 0):
        yield pad, _wrapped(_running(tight, " "), width - 2 * pad)


def _running(lines: Sequence[Line], gap: str) -> Line:
    """All suits in one line."""
    return [word for number, line in enumerate(lines) for word in [Word(gap, 0)] * bool(number) + line]


def _suits(cards: Sequence[Card], space: str) -> list[Line]:
    """A line for each suit: its sign, and the ranks."""
    lines = []
    for suit, held in groupby(cards, key=lambda card: SUIT[card]):
        ranks = [Word(space + card_faces.rank(card), suit) for card in held]
        lines.append([Word(SUIT_SIGNS[suit], suit), *ranks])
    return lines


def _line(cards: Sequence[Card], space: str) -> Line:
    """The cards one by one."""
    return [Word(space * bool(number) + label(card), SUIT[card]) for number, card in enumerate(cards)]


def _wrapped(words: Sequence[Word], width: int) -> list[Line]:
    """Words in as many rows as they need; none begins with a space."""
    rows: list[Line] = [[]]
    for word in words:
        if _width(rows[-1]) + len(word.text) > width:
            rows.append([])
        if rows[-1] or word.text.strip():
            rows[-1].append(word if rows[-1] else Word(word.text.lstrip(), word.suit))
    return rows


def _cut(lines: list[Line], room: Box, number: int) -> list[Line]:
    """As many rows as there is room for, with the number of cards that are left out."""
    kept = [*lines[: room.height]]
    while True:
        shown = sum(word.text.strip() not in ("", *SUIT_SIGNS) for line in kept for word in line)
        left = Word(f"+{number - shown}", kept[-1][-1].suit) if kept[-1] else Word(f"+{number - shown}", 0)
        if _width([*kept[-1], left]) <= room.width or not kept[-1]:
            return [*kept[:-1], [*kept[-1], left]]
        kept[-1] = kept[-1][:-1]


def _width(line: Sequence[Word]) -> int:
    return sum(len(word.text) for word in line)


def _paint(canvas: Canvas, x: int, y: int, line: Line) -> None:
    for word in line:
        x = canvas.text(x, y, word.text, canvas.theme.suits.face[word.suit], bold=True)
