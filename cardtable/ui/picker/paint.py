"""The picker's picture: the session to go on with, the games, the other tables, the deal of the day.

Everything stands in columns of blocks: in one column, or with much room all but the games in a
panel of its own.  A column that is longer than the screen scrolls.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.about import About
from cardtable.store.profiles import Book
from cardtable.store.seating import GUEST
from cardtable.store.sessions import Summary
from cardtable.store.whose_seat import seats_of
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import GAP, Block, paint_column
from cardtable.ui.draw.layout import MARGIN, grid_of
from cardtable.ui.picker import items
from cardtable.wording.tables import AT_CLUB
from cardtable.wording.words import day

if TYPE_CHECKING:
    from cardtable.ui.picker.preview import Recalled


class DailyDeal(NamedTuple):
    """The deal of the day."""

    game: About
    known: bool = False
    """Whether its session has been looked for."""
    found: Summary | None = None
    """Its session, if there is one."""

    @property
    def waits(self) -> bool:
        """Whether its session is among the tables, as it is not over."""
        return self.found is not None and self.found.state == "open"


Item: TypeAlias = Summary | About | DailyDeal
"""What the cursor can be on: a session, a game to begin, or the deal of the day."""

PANEL: Final = 34
"""Columns of the panel with the other tables."""
_NO_OTHER: Final = "No other table is waiting."
_KEPT: Final = "Every move is kept at once: leave when you like, and go on from here."


class Lobby(msgspec.Struct):
    """What the picker shows, and where the cursor is."""

    games: Sequence[About]
    now: datetime
    deal: DailyDeal
    first: Summary | None = None
    """The session to go on with."""
    recalled: "Recalled | None" = None
    """Where it stands."""
    tables: list[Summary] = msgspec.field(default_factory=list)
    """The other sessions, and those that cannot be opened."""
    cursor: int = 0
    """The item that Enter opens."""
    me: str = GUEST
    """The nick of who has signed in."""
    book: Book = msgspec.field(default_factory=Book)
    """All players."""
    offsets: list[int] = msgspec.field(default_factory=lambda: [0, 0])
    """Rows of each column that are scrolled away."""
    follow: bool = True
    """Whether the cursor is kept in sight; not while the wheel is turned."""

    @property
    def items(self) -> list[Item]:
        """Everything the cursor can be on, in order."""
        deal = [] if self.deal.waits else [self.deal]
        return [*([self.first] if self.first else []), *self.games, *self.tables, *deal]

    @property
    def item(self) -> Item:
        """What the cursor is on."""
        return self.items[self.cursor]

    def mine(self, table: Summary) -> bool:
        """Whether who has signed in sits there."""
        return table.header is not None and bool(seats_of(self.book, self.me, table.header))

    def known_as(self, table: Summary) -> str:
        """Return what tells the table from others of its game: the club, its name, the deal of the day."""
        is_deal = self.deal.found is not None and self.deal.found.path == table.path
        said = [AT_CLUB] * table.is_club_only + [f'"{table.name}"'] * bool(table.name) + ["deal of the day"] * is_deal
        return " · ".join(said)

    @property
    def games_from(self) -> int:
        """The first item that is a game."""
        return int(self.first is not None)

    @property
    def tables_from(self) -> int:
        """The first item beside the games: another table, or else the deal of the day."""
        return self.games_from + len(self.games)


def wide(canvas: Canvas) -> bool:
    """Whether the tables have a panel of their own."""
    return grid_of(canvas).large


def paint_lobby(canvas: Canvas, lobby: Lobby) -> None:
    """Everything between header and footer; scrolls ``lobby`` where the cursor would be out of sight."""
    if not wide(canvas):
        blocks = [*_go_on(lobby, tall=False), *_game_lines(lobby), GAP, *_tables(lobby), *_deal_line(lobby), GAP]
        blocks.append(Block(1, partial(items.paint_also_line, item=lobby.item)))
        _paint_column(canvas, lobby, 0, blocks, MARGIN, canvas.width - 2 * MARGIN)
        return
    left = canvas.width - PANEL
    canvas.fill(left, 1, PANEL, canvas.height - 2, canvas.theme.grounds.panel)
    _paint_column(canvas, lobby, 0, [*_go_on(lobby, tall=True), *_game_blocks(lobby)], MARGIN, left - 2 * MARGIN)
    _paint_column(canvas, lobby, 1, _panel(lobby), left, PANEL - MARGIN)


def _paint_column(canvas: Canvas, lobby: Lobby, number: int, blocks: Sequence[Block], x: int, width: int) -> None:
    offset = lobby.offsets[number]
    lobby.offsets[number] = paint_column(
        canvas, blocks, x, width, cursor=lobby.cursor, offset=offset, follow=lobby.follow
    )


def _go_on(lobby: Lobby, *, tall: bool) -> list[Block]:
    if lobby.first is None:
        return []
    paint = partial(
        items.paint_go_on,
        summary=lobby.first,
        told=lobby.recalled,
        known_as=lobby.known_as(lobby.first),
        now=lobby.now,
        mine=lobby.mine(lobby.first),
        tall=tall,
    )
    return [Block(5 if tall else 3, paint, 0), GAP]


def _game_lines(lobby: Lobby) -> list[Block]:
    return [
        Block(1, partial(items.paint_game_line, game=game, odd=bool(i % 2)), lobby.games_from + i)
        for i, game in enumerate(lobby.games)
    ]


def _game_blocks(lobby: Lobby) -> list[Block]:
    blocks = []
    for i, game in enumerate(lobby.games, lobby.games_from):
        blocks += [Block(3, partial(items.paint_game_block, game=game), i), GAP]
    return blocks


def _tables(lobby: Lobby) -> list[Block]:
    """The other tables, a row each, and a second one for a name."""
    if lobby.tables:
        return [Block(1, items.paint_headings), *_each_table(lobby, 1, items.paint_table_line), GAP]
    return [] if lobby.first else [Block(2, partial(items.paint_hint, text=_KEPT)), GAP]


def _deal_line(lobby: Lobby) -> list[Block]:
    """The deal of the day on a row, unless it is a table already."""
    deal = lobby.deal
    if deal.waits:
        return []
    paint = partial(items.paint_deal_line, game=deal.game, known=deal.known, found=deal.found)
    return [Block(1, paint, len(lobby.items) - 1)]


def _panel(lobby: Lobby) -> list[Block]:
    """The other tables, three rows each, the deal of the day, and keys for more."""
    tables = [each for table in _each_table(lobby, 3, items.paint_table_block) for each in (table, GAP)]
    if not tables:
        tables = [Block(3, partial(items.paint_hint, text=_NO_OTHER if lobby.first else _KEPT)), GAP]
    deal = lobby.deal
    paint = partial(items.paint_deal_block, game=deal.game, known=deal.known, found=deal.found)
    heading = Block(1, partial(items.paint_panel_heading, text="Deal of the day", aside=day(lobby.now)))
    return [
        *(Block(1, partial(items.paint_panel_heading, text="Unfinished tables")), GAP, *tables),
        *([] if deal.waits else [heading, GAP, Block(3, paint, len(lobby.items) - 1), GAP]),
        *(Block(1, partial(items.paint_panel_heading, text="Also here")), GAP),
        Block(items.also_rows(), partial(items.paint_also_block, item=lobby.item)),
    ]


def _each_table(lobby: Lobby, height: int, paint: Callable[..., None]) -> list[Block]:
    blocks = []
    for i, table in enumerate(lobby.tables, lobby.tables_from):
        known_as = lobby.known_as(table)
        told = partial(paint, summary=table, known_as=known_as, now=lobby.now, mine=lobby.mine(table))
        blocks.append(Block(height + bool(known_as), told, i))
    return blocks
