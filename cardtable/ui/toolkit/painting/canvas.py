"""A grid of character cells to paint on, and the one kind of widget that shows it.

Painting is absolute and whole; what is sent to the terminal is only what differs from the
picture before.  A full repaint is cheap this way, where a widget for each card is not.
"""

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Final, NamedTuple

import msgspec
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.geometry import Region
from textual.message import Message
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.widget import Widget

from cardtable.engine.errors import GameFailed
from cardtable.engine.text_format import without_control
from cardtable.games import blamed
from cardtable.ui.toolkit.painting.themes import Appearance


class GameFailedMessage(Message):
    """A game has failed; the app leaves its page."""

    def __init__(self, failed: GameFailed) -> None:
        super().__init__()
        self.failed = failed


class ErrorBoundary(MessagePump):
    """Part of the screen that goes on after its game has failed; without that it would take no more messages."""

    async def on_event(self, event: events.Event) -> None:
        """What the event leads to; of a failure the app is told."""
        try:
            await super().on_event(event)
        except Exception as error:
            self.report_error(error)

    def report_error(self, error: Exception) -> None:
        """Tell the app that a game has failed; any other error is raised."""
        if (failed := blamed(error)) is None:
            raise error
        self.app.post_message(GameFailedMessage(failed))


Row = tuple[list[str], list[str], list[str], list[bool]]
_DARK: Final = Color.parse("#081c15")


@cache
def darken(colour: str, share: float) -> str:
    """The colour with a share of near black in it."""
    return Color.parse(colour).blend(_DARK, share).hex.lower()


@cache
def _style(ink: str, ground: str, bold: bool) -> Style:
    return Style(color=ink, bgcolor=ground, bold=bold)


class HitBox(msgspec.Struct, frozen=True):
    """A place on the canvas that a mouse can point at, and what it means."""

    x: int
    y: int
    width: int
    height: int
    target: Hashable

    def holds(self, x: int, y: int) -> bool:
        """Whether the cell lies in the spot."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class CardBounds(NamedTuple):
    """Where a card or a plate lies in a picture."""

    x: int
    y: int
    width: int
    height: int
    shown: int = 0
    """Columns that are seen; 0 for all of them."""
    hand: bool = False
    """Whether it is a card of the own hand."""

    @property
    def seen(self) -> int:
        """Columns that are seen."""
        return self.shown or self.width


class Canvas:
    """Cells with a character, an ink, a ground and a weight each.  What lies outside is cut off."""

    def __init__(self, width: int, height: int, look: Appearance) -> None:
        self.width, self.height, self.look, self.theme = width, height, look, look.theme
        ink, ground = self.theme.inks.text, self.theme.grounds.felt
        self.chars = [[" "] * width for _ in range(height)]
        self.inks = [[ink] * width for _ in range(height)]
        self.grounds = [[ground] * width for _ in range(height)]
        self.bold = [[False] * width for _ in range(height)]
        self.spots: list[HitBox] = []
        self.lain: dict[Hashable, CardBounds] = {}
        """Where cards lie, and what else they can come from or go to."""

    def fill(self, x: int, y: int, width: int, height: int, ground: str) -> None:
        """A rectangle of bare ground."""
        left, right = max(x, 0), min(x + width, self.width)
        for row in range(max(y, 0), min(y + height, self.height)):
            if right > left:
                self.chars[row][left:right] = [" "] * (right - left)
                self.grounds[row][left:right] = [ground] * (right - left)

    def text(self, x: int, y: int, text: str, ink: str, *, bold: bool = False, ground: str | None = None) -> int:
        """Write on row ``y`` from column ``x``, on the ground that is there; returns the next column."""
        if not 0 <= y < self.height:
            return x + cell_len(text)
        for char in without_control(text):
            width = 1 if char < "\u0300" else cell_len(char)
            if width == 0:
                if 0 < x <= self.width:
                    self.chars[y][x - 1] += char
                continue
            if x >= 0 and x + width <= self.width:
                self.chars[y][x] = char
                self.inks[y][x] = ink
                self.bold[y][x] = bold
                if ground is not None:
                    self.grounds[y][x] = ground
                if width == 2:
                    self.chars[y][x + 1] = ""
            x += width
        return x

    def right(self, x: int, y: int, text: str, ink: str, *, bold: bool = False) -> int:
        """Write so that the text ends at column ``x``; returns the column where it begins."""
        start = x - cell_len(text) + 1
        self.text(start, y, text, ink, bold=bold)
        return start

    def centre(self, x: int, y: int, text: str, ink: str, *, bold: bool = False) -> None:
        """Write with the middle at column ``x``."""
        self.text(x - cell_len(text) // 2, y, text, ink, bold=bold)

    def add_hit_box(self, x: int, y: int, width: int, height: int, target: Hashable) -> None:
        """Let the mouse find ``target`` here; later spots lie above earlier ones."""
        self.spots.append(HitBox(x, y, width, height, target))

    def hit_test(self, x: int, y: int) -> Hashable | None:
        """What the mouse points at in this cell."""
        return next((spot.target for spot in reversed(self.spots) if spot.holds(x, y)), None)

    def dim(self, x: int = 0, y: int = 0, width: int | None = None, height: int | None = None) -> None:
        """Darken a rectangle or else everything, for what lies under an overlay; the mouse finds nothing there."""
        right = self.width if width is None else min(x + width, self.width)
        bottom = self.height if height is None else min(y + height, self.height)
        for row in range(y, bottom):
            self.inks[row][x:right] = [darken(ink, 0.74) for ink in self.inks[row][x:right]]
            self.grounds[row][x:right] = [darken(ground, 0.62) for ground in self.grounds[row][x:right]]
            self.bold[row][x:right] = [False] * (right - x)
        self.spots = [spot for spot in self.spots if not (x <= spot.x < right and y <= spot.y < bottom)]

    def blit(self, other: "Canvas", x: int, y: int) -> None:
        """Lay another picture on this one, which has room for it; the mouse finds nothing on it."""
        end = x + other.width
        for row in range(other.height):
            self.chars[y + row][x:end] = other.chars[row]
            self.inks[y + row][x:end] = other.inks[row]
            self.grounds[y + row][x:end] = other.grounds[row]
            self.bold[y + row][x:end] = other.bold[row]

    def crop(self, x: int, y: int, width: int, height: int) -> "Canvas":
        """A copy of a rectangle that lies on the canvas."""
        copy = Canvas(width, height, self.look)
        for row in range(height):
            for own, cells in zip(copy.row(row), self.row(y + row), strict=True):
                own[:] = cells[x : x + width]  # type: ignore[index]
        return copy

    def row(self, y: int) -> Row:
        """The characters, inks, grounds and weights of a row."""
        return self.chars[y], self.inks[y], self.grounds[y], self.bold[y]

    def render_row(self, y: int, over: Sequence["Sprite"] = ()) -> Strip:
        """A row as Textual wants it, with what lies over it."""
        row = self.row(y)
        covering = [stamp for stamp in over if stamp.y <= y < stamp.y + stamp.canvas.height]
        if covering:
            row = (row[0].copy(), row[1].copy(), row[2].copy(), row[3].copy())
        for stamp in covering:
            stamp.cover(row, y)
        return _strip(row)

    def __str__(self) -> str:
        """The picture as text, for tests that read the screen."""
        return "\n".join("".join(row).rstrip() for row in self.chars)


class Sprite(NamedTuple):
    """A small picture that lies over another one for a while."""

    x: int
    y: int
    canvas: Canvas

    def cover(self, row: Row, y: int) -> None:
        """Put its cells over those of row ``y``."""
        left, right = self.columns(len(row[0]))
        for cells, own in zip(row, self.canvas.row(y - self.y), strict=True):
            cells[left:right] = own[left - self.x : right - self.x]  # type: ignore[index]

    def columns(self, width: int) -> tuple[int, int]:
        """Its columns within the width, from and to."""
        left = min(max(self.x, 0), width)
        return left, max(left, min(self.x + self.canvas.width, width))


def _strip(row: Row) -> Strip:
    chars, inks, grounds, bold = row
    segments: list[Segment] = []
    if not chars:  # while a window is dragged a widget may have no columns
        return Strip(segments, 0)
    start, look = 0, (inks[0], grounds[0], bold[0])
    for x in range(1, len(chars)):
        here = (inks[x], grounds[x], bold[x])
        if here != look:
            segments.append(Segment("".join(chars[start:x]), _style(*look)))
            start, look = x, here
    segments.append(Segment("".join(chars[start:]), _style(*look)))
    return Strip(segments, len(chars))


def _cells_of(stamps: Sequence[Sprite], width: int, height: int) -> list[Region]:
    """The regions, at most one a row, that some stamps cover."""
    spans: dict[int, tuple[int, int]] = {}
    for stamp in stamps:
        left, right = stamp.columns(width)
        for y in range(max(stamp.y, 0), min(stamp.y + stamp.canvas.height, height)):
            other = spans.get(y, (left, right))
            spans[y] = min(left, other[0]), max(right, other[1])
    return [Region(left, y, right - left, 1) for y, (left, right) in spans.items() if right > left]


def changed(old: Canvas, new: Canvas) -> list[Region]:
    """The regions, at most one a row, in which two canvases of one size differ."""
    regions = []
    for y in range(new.height):
        before, after = old.row(y), new.row(y)
        if before == after:
            continue
        columns = [
            x
            for x, (a, b) in enumerate(zip(zip(*before, strict=True), zip(*after, strict=True), strict=True))
            if a != b
        ]
        # A wide character is two cells: begin and end one further out, so that none is cut.
        left, right = max(columns[0] - 1, 0), min(columns[-1] + 2, new.width)
        regions.append(Region(left, y, right - left, 1))
    return regions


class CanvasWidget(ErrorBoundary, Widget):
    """A widget that paints itself on a canvas of its size."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "CanvasWidget { width: 1fr; height: 1fr; }"

    def __init__(self, look: Appearance, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.look = look
        self.canvas = Canvas(1, 1, look)
        self._ahead = False
        """Whether the picture was painted before the widget was told of its size, and may not have been sent."""
        self._strips: dict[int, Strip] = {}
        self._over: Sequence[Sprite] = ()

    def paint(self, width: int, height: int) -> Canvas:
        """The picture at this size."""
        raise NotImplementedError

    def _painted(self, width: int, height: int) -> Canvas:
        """The picture; an empty one where a game of another package has failed, of which the app is told."""
        try:
            return self.paint(width, height)
        except Exception as error:
            self.report_error(error)
            return Canvas(width, height, self.look)

    def set_appearance(self, look: Appearance) -> None:
        """Be painted in another look from now on."""
        self.look = look
        self.repaint()

    def repaint(self) -> None:
        """Paint anew and send what has changed."""
        width, height = self.size
        if not (width and height):
            return
        old, self.canvas = self.canvas, self._painted(width, height)
        if self._ahead or (old.width, old.height) != (width, height):
            self._ahead = False
            self._strips.clear()
            self.refresh()
            return
        regions = changed(old, self.canvas)
        for region in regions:
            self._strips.pop(region.y, None)
        if regions:
            self.refresh(*regions)

    def set_sprites(self, stamps: Sequence[Sprite]) -> None:
        """Let these lie over the picture instead of others, and send what that changes: the picture stays below."""
        old, self._over = self._over, stamps
        staying = {id(stamp) for stamp in old} & {id(stamp) for stamp in stamps}
        moved = [stamp for stamp in (*old, *stamps) if id(stamp) not in staying]
        regions = _cells_of(moved, self.canvas.width, self.canvas.height)
        for region in regions:
            self._strips.pop(region.y, None)
        if regions:
            self.refresh(*regions)

    def on_resize(self) -> None:
        """A new size is a new picture, unless that was painted ahead: every other change since has painted it anew."""
        if self._ahead and (self.canvas.width, self.canvas.height) == self.size:
            self._ahead = False
            self.refresh()
        else:
            self.repaint()

    def render_line(self, y: int) -> Strip:
        """One row of the picture, which is asked for before the widget is told of a new size."""
        width, height = self.size
        if (self.canvas.width, self.canvas.height) != (width, height):
            self._ahead = True
            self._strips.clear()
            self.canvas = self._painted(width, height)
        strip = self._strips.get(y)
        if strip is None:
            strip = self._strips[y] = self.canvas.render_row(y, self._over)
        return strip
