"""Grid of terminal cells to paint on, and the base class of the widgets that show one.

Each repaint paints the whole picture at absolute positions; only the cells that differ from the previous picture are
sent to the terminal. This makes a full repaint cheap, which a Textual widget for each card would not be.
"""

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.color import Color
from textual.geometry import Region
from textual.message import Message
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.widget import Widget

from cardtable.engine.errors import GameFailed
from cardtable.engine.faces import FRENCH, Faces
from cardtable.engine.text_format import replace_control_chars
from cardtable.games import find_plugin_failure
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording.formatting import replace_faces


class GameFailedMessage(Message):
    """Message to the app that a game has raised an exception, so that its page has to be closed."""

    def __init__(self, failed: GameFailed) -> None:
        super().__init__()
        self.failed = failed


class ErrorBoundary(MessagePump):
    """Message pump that survives exceptions for which its page is left, after which Textual would stop the pump."""

    async def on_event(self, event: events.Event) -> None:
        """Handle the event; an exception is reported."""
        try:
            await super().on_event(event)
        except Exception as error:
            self.report_error(error)

    def report_error(self, error: Exception) -> None:
        """Leave the page for which ``error`` is the end; re-raise an error that is the end of the program."""
        if not (self.leave_after(error) or leave_after_error(self.app, error)):
            raise error

    def leave_after(self, error: Exception) -> bool:  # noqa: ARG002 - for screens that show data of a host
        """Leave this screen if the data of a host may have caused ``error``; return False if they cannot have."""
        return False


def leave_after_error(app: App[Any], error: Exception) -> bool:
    """Leave the page that shows data of a host, or else the page of the game that has raised ``error``.

    Return False if there is no such page or game, so that ``error`` is a fault of this program.
    """
    if any(screen.leave_after(error) for screen in app.screen_stack if isinstance(screen, ErrorBoundary)):
        return True
    if failed := find_plugin_failure(error):
        app.post_message(GameFailedMessage(failed))
    return failed is not None


Row = tuple[list[str], list[str], list[str], list[bool]]
_DARK: Final = Color.parse("#081c15")


@cache
def darken(colour: str, share: float) -> str:
    """Return the colour blended with near black: unchanged at a ``share`` of 0, near black at 1."""
    return Color.parse(colour).blend(_DARK, share).hex.lower()


@cache
def _make_style(ink: str, ground: str, bold: bool) -> Style:
    return Style(color=ink, bgcolor=ground, bold=bold)


class HitBox(msgspec.Struct, frozen=True):
    """Rectangle of the canvas that reacts to the mouse, with its target."""

    x: int
    y: int
    width: int
    height: int
    target: Hashable

    def contains(self, x: int, y: int) -> bool:
        """Return True if a cell is in the rectangle."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class CardBounds(NamedTuple):
    """Rectangle of a card or name plate in a picture."""

    x: int
    y: int
    width: int
    height: int
    shown_columns: int = 0
    """Number of visible columns; 0 for all of them."""
    is_in_hand: bool = False
    """True if it is a card of the viewing seat's hand."""

    @property
    def visible_width(self) -> int:
        return self.shown_columns or self.width


class Canvas:
    """Grid of cells, each with a character, an ink, a background and a weight; painting outside is clipped."""

    faces: Faces
    """Names and signs of the cards that are painted; texts are written with the French ones, which they replace."""

    def __init__(self, width: int, height: int, appearance: Appearance, faces: Faces = FRENCH) -> None:
        self.width, self.height, self.appearance, self.theme = width, height, appearance, appearance.theme
        self.faces = faces
        ink, ground = self.theme.inks.text, self.theme.grounds.felt
        self.chars = [[" "] * width for _ in range(height)]
        self.inks = [[ink] * width for _ in range(height)]
        self.grounds = [[ground] * width for _ in range(height)]
        self.bold = [[False] * width for _ in range(height)]
        self.hit_boxes: list[HitBox] = []
        self.card_bounds: dict[Hashable, CardBounds] = {}
        """Rectangles of cards, and of other places from or to which cards can move, by card or name."""

    def fill(self, x: int, y: int, width: int, height: int, ground: str) -> None:
        """Fill a rectangle with a background colour and spaces."""
        left, right = max(x, 0), min(x + width, self.width)
        for row in range(max(y, 0), min(y + height, self.height)):
            if right > left:
                self.chars[row][left:right] = [" "] * (right - left)
                self.grounds[row][left:right] = [ground] * (right - left)

    def write(self, x: int, y: int, text: str, ink: str, *, bold: bool = False, ground: str | None = None) -> int:
        """Write on row ``y`` from column ``x``; return the next column.

        ``ground`` replaces the existing background. Invisible characters are displayed as U+FFFD.
        """
        if not 0 <= y < self.height:
            return x + cell_len(text)
        if self.faces is not FRENCH:
            text = replace_faces(text, self.faces, as_letters=self.appearance.ascii or self.appearance.suit_letters)
        for char in replace_control_chars(text):
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

    def write_right(self, x: int, y: int, text: str, ink: str, *, bold: bool = False) -> int:
        """Write right-aligned, ending at column ``x``; return the column in which the text begins."""
        start = x - cell_len(text) + 1
        self.write(start, y, text, ink, bold=bold)
        return start

    def write_centred(self, x: int, y: int, text: str, ink: str, *, bold: bool = False) -> None:
        """Write centred at column ``x``."""
        self.write(x - cell_len(text) // 2, y, text, ink, bold=bold)

    def add_hit_box(self, x: int, y: int, width: int, height: int, target: Hashable) -> None:
        """Add a mouse target; later hit boxes lie above earlier ones."""
        self.hit_boxes.append(HitBox(x, y, width, height, target))

    def hit_test(self, x: int, y: int) -> Hashable | None:
        """Return the mouse target of a cell, or ``None``."""
        return next((box.target for box in reversed(self.hit_boxes) if box.contains(x, y)), None)

    def dim(self, x: int = 0, y: int = 0, width: int | None = None, height: int | None = None) -> None:
        """Darken a rectangle, by default the whole canvas, and remove its mouse targets, to paint an overlay on it."""
        right = self.width if width is None else min(x + width, self.width)
        bottom = self.height if height is None else min(y + height, self.height)
        for row in range(y, bottom):
            self.inks[row][x:right] = [darken(ink, 0.74) for ink in self.inks[row][x:right]]
            self.grounds[row][x:right] = [darken(ground, 0.62) for ground in self.grounds[row][x:right]]
            self.bold[row][x:right] = [False] * (right - x)
        self.hit_boxes = [box for box in self.hit_boxes if not (x <= box.x < right and y <= box.y < bottom)]

    def blit(self, other: "Canvas", x: int, y: int) -> None:
        """Copy another canvas, without its mouse targets, to this one, which must contain it."""
        end = x + other.width
        for row in range(other.height):
            self.chars[y + row][x:end] = other.chars[row]
            self.inks[y + row][x:end] = other.inks[row]
            self.grounds[y + row][x:end] = other.grounds[row]
            self.bold[y + row][x:end] = other.bold[row]

    def crop(self, x: int, y: int, width: int, height: int) -> "Canvas":
        """Return a copy of a rectangle, which must lie inside the canvas."""
        copy = Canvas(width, height, self.appearance, self.faces)
        for row in range(height):
            for own, cells in zip(copy.row(row), self.row(y + row), strict=True):
                own[:] = cells[x : x + width]  # type: ignore[index]
        return copy

    def row(self, y: int) -> Row:
        """Return the characters, inks, backgrounds and weights of a row, not copied."""
        return self.chars[y], self.inks[y], self.grounds[y], self.bold[y]

    def render_row(self, y: int, sprites: Sequence["Sprite"] = ()) -> Strip:
        """Return a row as a Textual strip, covered by the sprites."""
        row = self.row(y)
        covering = [sprite for sprite in sprites if sprite.y <= y < sprite.y + sprite.canvas.height]
        if covering:
            row = (row[0].copy(), row[1].copy(), row[2].copy(), row[3].copy())
        for sprite in covering:
            sprite.paint_onto(row, y)
        return _make_strip(row)

    def __str__(self) -> str:
        """Return the picture as text; tests read the screen this way."""
        return "\n".join("".join(row).rstrip() for row in self.chars)


class Sprite(NamedTuple):
    """Small picture over another one, for animations; it may lie partly or wholly outside."""

    x: int
    y: int
    canvas: Canvas

    def paint_onto(self, row: Row, y: int) -> None:
        """Copy the sprite's cells of row ``y`` into ``row``, a row of the picture below it."""
        left, right = self.clip_columns(len(row[0]))
        for cells, own in zip(row, self.canvas.row(y - self.y), strict=True):
            cells[left:right] = own[left - self.x : right - self.x]  # type: ignore[index]

    def clip_columns(self, width: int) -> tuple[int, int]:
        """Return the first column and the column after the last one, clipped to ``width`` columns."""
        left = min(max(self.x, 0), width)
        return left, max(left, min(self.x + self.canvas.width, width))


def _make_strip(row: Row) -> Strip:
    chars, inks, grounds, bold = row
    segments: list[Segment] = []
    if not chars:  # possible while the terminal is being resized
        return Strip(segments, 0)
    start, look = 0, (inks[0], grounds[0], bold[0])
    for x in range(1, len(chars)):
        cell_look = (inks[x], grounds[x], bold[x])
        if cell_look != look:
            segments.append(Segment("".join(chars[start:x]), _make_style(*look)))
            start, look = x, cell_look
    segments.append(Segment("".join(chars[start:]), _make_style(*look)))
    return Strip(segments, len(chars))


def _list_covered_regions(sprites: Sequence[Sprite], width: int, height: int) -> list[Region]:
    """Return the regions that the sprites cover, at most one per row."""
    spans: dict[int, tuple[int, int]] = {}
    for sprite in sprites:
        left, right = sprite.clip_columns(width)
        for y in range(max(sprite.y, 0), min(sprite.y + sprite.canvas.height, height)):
            other = spans.get(y, (left, right))
            spans[y] = min(left, other[0]), max(right, other[1])
    return [Region(left, y, right - left, 1) for y, (left, right) in spans.items() if right > left]


def find_changed_regions(old: Canvas, new: Canvas) -> list[Region]:
    """Return the regions, at most one per row, in which two canvases of the same size differ."""
    regions = []
    for y in range(new.height):
        before, after = old.row(y), new.row(y)
        if before == after:
            continue
        cells = zip(zip(*before, strict=True), zip(*after, strict=True), strict=True)
        columns = [x for x, (old_cell, new_cell) in enumerate(cells) if old_cell != new_cell]
        # One more cell at each end, so that no wide character (two cells) is cut.
        left, right = max(columns[0] - 1, 0), min(columns[-1] + 2, new.width)
        regions.append(Region(left, y, right - left, 1))
    return regions


class CanvasWidget(ErrorBoundary, Widget):
    """Widget that paints itself on a canvas of its size."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "CanvasWidget { width: 1fr; height: 1fr; }"

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.appearance = appearance
        self.canvas = Canvas(1, 1, appearance)
        self._is_painted_early = False
        """True if the picture was painted before the resize event arrived, and may not have been sent yet."""
        self._strips: dict[int, Strip] = {}
        self.shown_sprites: Sequence[Sprite] = ()

    def paint(self, width: int, height: int) -> Canvas:
        """Return the picture for this size."""
        raise NotImplementedError

    def _paint_safely(self, width: int, height: int) -> Canvas:
        """Return the picture; an empty one if a game has raised an exception, which is reported to the app."""
        try:
            return self.paint(width, height)
        except Exception as error:
            self.report_error(error)
            return Canvas(width, height, self.appearance)

    def set_appearance(self, appearance: Appearance) -> None:
        self.appearance = appearance
        self.repaint()

    def repaint(self) -> None:
        """Paint the picture, and send the regions that have changed."""
        width, height = self.size
        if not (width and height):
            return
        old, self.canvas = self.canvas, self._paint_safely(width, height)
        if self._is_painted_early or (old.width, old.height) != (width, height):
            self._is_painted_early = False
            self._strips.clear()
            self.refresh()
            return
        regions = find_changed_regions(old, self.canvas)
        for region in regions:
            self._strips.pop(region.y, None)
        if regions:
            self.refresh(*regions)

    def set_sprites(self, sprites: Sequence[Sprite]) -> None:
        """Replace the sprites over the picture, and send the regions that change; the picture is not painted again."""
        old, self.shown_sprites = self.shown_sprites, sprites
        staying = {id(sprite) for sprite in old} & {id(sprite) for sprite in sprites}
        moved = [sprite for sprite in (*old, *sprites) if id(sprite) not in staying]
        regions = _list_covered_regions(moved, self.canvas.width, self.canvas.height)
        for region in regions:
            self._strips.pop(region.y, None)
        if regions:
            self.refresh(*regions)

    def on_resize(self) -> None:
        """Repaint for the new size, unless ``render_line`` has painted that size already."""
        if self._is_painted_early and (self.canvas.width, self.canvas.height) == self.size:
            self._is_painted_early = False
            self.refresh()
        else:
            self.repaint()

    def render_line(self, y: int) -> Strip:
        """Return one row of the picture; Textual may ask for a row before the resize event has been handled."""
        width, height = self.size
        if (self.canvas.width, self.canvas.height) != (width, height):
            self._is_painted_early = True
            self._strips.clear()
            self.canvas = self._paint_safely(width, height)
        strip = self._strips.get(y)
        if strip is None:
            strip = self._strips[y] = self.canvas.render_row(y, self.shown_sprites)
        return strip
