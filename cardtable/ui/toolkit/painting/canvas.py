"""Grid of terminal cells to paint on, texts that fit into its columns, and the base class of widgets that show one.

Each repaint paints the whole picture at absolute positions; only the cells that differ from the previous picture are
sent to the terminal. This makes a full repaint cheap, which a Textual widget for each card would not be.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
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

ELLIPSIS: Final = "…"


def truncate(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns; an ellipsis replaces an omitted end."""
    if cell_len(text) <= width:
        return text
    fitting = cut_prefix(text, max(width - 1, 0)).rstrip()
    return fitting + ELLIPSIS if width > 0 else ""


def join_fitting(facts: Sequence[str], separator: str, width: int) -> str:
    """Join as many facts, from the first one, as fit into ``width`` columns; truncate the first if it does not fit."""
    fitting = list(facts)
    while len(fitting) > 1 and cell_len(separator.join(fitting)) > width:
        fitting.pop()
    return truncate(separator.join(fitting), width)


def cut_middle(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns; an ellipsis replaces an omitted middle."""
    if cell_len(text) <= width:
        return text
    end = cut_prefix(text[::-1], width * 2 // 3)[::-1]
    return truncate(cut_prefix(text, max(width - cell_len(end) - 1, 0)) + ELLIPSIS + end, width)


def wrap(text: str, width: int, measure: Callable[[str], int] = cell_len) -> list[str]:
    """Wrap the text into lines of at most ``width`` columns, between words if possible.

    Line breaks in the text are preserved. Returns at least one line; ``width`` must be at least 2. ``measure`` returns
    the displayed width of text that is painted differently from its source.
    """
    return [line for part in text.split("\n") for line in _wrap_words(part.split(), width, measure)]


def _wrap_words(parts: Iterable[str], width: int, measure: Callable[[str], int]) -> list[str]:
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]} {part}" if lines[-1] else part
        if measure(joined) <= width:
            lines[-1] = joined
            continue
        rest = part
        while cell_len(rest) > width:
            start = cut_prefix(rest, width)
            lines.append(start)
            rest = rest[len(start) :]
        lines.append(rest)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def cut_prefix(text: str, width: int) -> str:
    """Return the longest prefix of the text that fits into ``width`` columns, including combining marks."""
    used = 0
    for index, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return text[:index]
    return text


MIN_NAME_WIDTH: Final = 3
"""Minimum number of letters that remain of a shortened name."""
NICK_WIDTH: Final = 8
"""Width of the longest nick in columns; longer names are shortened."""
_MIN_ELLIPSIS_WIDTH: Final = 5
"""Width, in columns, below which one more letter is more useful than an ellipsis."""


def shorten_names(names: Sequence[str], width: int) -> list[str]:
    """Return the names in at most ``width`` columns each: unchanged, or all long ones shortened in the same way.

    Distinct names stay distinct. They are shortened to their beginnings, to beginning and end, to two letters, or to
    the initial and the number of the seat, whichever suffices first. The last two have two columns even if ``width`` is
    1.
    """
    if all(cell_len(name) <= width for name in names):
        return list(names)
    seats = [f"{name[:1]}{number}" for number, name in enumerate(names, 1)]
    return next((cut for cut in _iter_shortenings(names, width) if len(set(cut)) == len(set(names))), seats)


def _iter_shortenings(names: Sequence[str], width: int) -> Iterator[list[str]]:
    """Yield the names shortened in each way, in order of preference."""
    cut_end = truncate if width >= _MIN_ELLIPSIS_WIDTH else cut_prefix
    yield [cut_end(name, width) for name in names]
    for end in range(1, max(width - 1, 1)):
        yield [_cut_before_end(name, width, end) for name in names]
    for index in range(1, max(map(len, names))):
        yield [name[:1] + name[index : index + 1] for name in names]


def _cut_before_end(name: str, width: int, end: int) -> str:
    """Return the name, or its beginning and its last ``end`` columns if it is too long."""
    if cell_len(name) <= width:
        return name
    last = cut_prefix(name[::-1], end)[::-1]
    return cut_prefix(name, width - 1 - end) + ELLIPSIS + last


def shorten_names_to_fit(names: Sequence[str], total_width: int) -> list[str]:
    """Shorten names that share ``total_width`` columns, as ``shorten_names`` does.

    At least ``MIN_NAME_WIDTH`` columns of each remain, even if the names are then too long together.
    """
    longest = max(map(cell_len, names), default=0)
    for width in range(max(longest, MIN_NAME_WIDTH), MIN_NAME_WIDTH, -1):
        cut = shorten_names(names, width)
        if sum(map(cell_len, cut)) <= total_width:
            return cut
    return shorten_names(names, MIN_NAME_WIDTH)


def join_names(names: Sequence[str], width: int) -> str:
    """Join the shortened names with spaces in ``width`` columns; longer if three letters of each name do not fit."""
    return " ".join(shorten_names_to_fit(names, width - max(len(names) - 1, 0)))


def centre_window(cursor: int, rows: int, total: int) -> int:
    """Return the first of ``rows`` visible entries of ``total``, with the cursor in the middle if possible."""
    return max(0, min(cursor - rows // 2, total - rows))


def scroll_window(first: int, rows: int, total: int, cursor: int | None = None) -> int:
    """Return the first of ``rows`` visible entries of a list of ``total``, within the limits of the list.

    It is ``first`` if possible. With a ``cursor`` the list is scrolled as little as necessary to make it visible.
    """
    if cursor is not None:
        first = max(min(first, cursor), cursor - rows + 1)
    return max(0, min(first, total - rows))


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


def split_cells(text: str) -> list[str]:
    """Return the characters by column; the second column of a wide one is ``""``, and combining marks follow theirs."""
    cells: list[str] = []
    for char in text:
        width = cell_len(char)
        if width:
            cells += [char, ""][:width]
        elif cells:
            cells[-1] += char
    return cells


def erase_cut_text(cells: list[str], first: int, last: int) -> None:
    """Blank the texts that something from column ``first`` to ``last`` cuts; two blanks separate texts.

    The row may be narrower than that, while the size of the terminal changes.
    """
    for columns in (range(min(first, len(cells)) - 1, -1, -1), range(last + 1, len(cells))):
        blanks = 0
        for x in columns:
            blanks = blanks + 1 if cells[x] == " " else 0
            if blanks == 2:
                break
            cells[x] = " "


class HitBox(msgspec.Struct, frozen=True):
    """Rectangle of the canvas that reacts to the mouse, with its target."""

    x: int
    y: int
    width: int
    height: int
    target: Hashable

    def contains(self, x: int, y: int) -> bool:
        """Return True if the cell at column ``x`` and row ``y`` is in the box."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class CardBounds(NamedTuple):
    """Rectangle of a card, or of another thing that moves, in a picture."""

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
        """Rectangles of cards, of places from or to which cards can move, and of other things that move, by key."""
        self.has_panel = True
        """False at a table whose panel is hidden, in the first lessons of a game."""
        self.has_bar = False
        """True if the table leaves a row for a bar above the hand."""

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
        """Write a text whose middle is at column ``x``."""
        self.write(x - cell_len(text) // 2, y, text, ink, bold=bold)

    def add_hit_box(self, x: int, y: int, width: int, height: int, target: Hashable) -> None:
        """Add a mouse target; later hit boxes lie above earlier ones."""
        self.hit_boxes.append(HitBox(x, y, width, height, target))

    def hit_test(self, x: int, y: int) -> Hashable | None:
        """Return the mouse target at a cell, or ``None`` if there is none."""
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
    for x, cell_look in enumerate(zip(inks, grounds, bold, strict=True)):
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
        staying = {*old} & {*sprites}
        moved = [sprite for sprite in (*old, *sprites) if sprite not in staying]
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
