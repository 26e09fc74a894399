"""The picker's picture: the session to go on with, the games, the other tables, the deal of the day.

Everything stands in columns of blocks: in one column, or with much room all but the games in a
panel of its own.  A column that is longer than the screen scrolls.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.cards import Card
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, GameInfo, Seat
from cardtable.engine.journal import Header
from cardtable.engine.referee import Referee
from cardtable.store import profiles, session_files, summaries
from cardtable.store.profiles import ProfileStore, players_at, seats_of
from cardtable.store.seating import GUEST
from cardtable.store.sessions import Summary
from cardtable.ui.game_view.game_view import HeaderFacts, hand_size
from cardtable.ui.game_view.registry import piece
from cardtable.ui.picker import item_painters
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, grid_of
from cardtable.ui.toolkit.scroll_list import GAP, Block, paint_column
from cardtable.wording.formatting import day
from cardtable.wording.tables import AT_CLUB, round_among


class SessionPreview(NamedTuple):
    """What the picker tells of the session to go on with."""

    facts: tuple[str, ...]
    """Where it stands, as the table screen has it at the top, the round first."""
    turn: str
    """Who is to act."""
    alone: bool = False
    """Whether that is the only person."""
    hand: tuple[Card, ...] = ()
    """The own hand in its order, if exactly one person plays, and has given the password that she may have."""
    backs: int = 0
    """Cards of a hand that is not to be seen here."""


def recall(summary: Summary) -> SessionPreview | None:
    """Where the session stands; ``None`` if its journal cannot be read, its game fails, or the club alone plays it."""
    if summary.is_club_only:
        return None
    try:
        table = summaries.table(summary.path)
        return recalled(table, summary.header) if summary.header else None
    except CardtableError:
        return None


def recalled(table: Referee, header: Header) -> SessionPreview:
    """Where the session of ``table`` stands, without anything that two people must not both see."""
    seats, turn = header.people, table.turn
    seat = seats[0] if seats else max(turn, 0)
    view = table.view(seat)
    shape = piece(table.game.about.key)
    facts = _facts(table, shape.header(view)) if table.round else ("nothing dealt yet",)
    told, alone = _turn(turn, session_files.names(header.seats)), seats == [turn]
    if not table.playing:
        return SessionPreview(facts[:1], told, alone)
    if len(seats) == 1 and not profiles.locked(players_at(header).get(seats[0], "")):
        return SessionPreview(facts, told, alone, tuple(shape.order(view)))
    shown = turn if turn in seats else seat
    return SessionPreview(facts, told, alone, backs=hand_size(table.game, table.view(shown), shown))


def _facts(table: Referee, header: HeaderFacts) -> tuple[str, ...]:
    """The round, and what the table screen has beside it at the top."""
    return f"round {round_among(table.round, table.options.rounds)}", *header.before, *header.after


def _turn(turn: Seat, names: list[str]) -> str:
    if turn == OVER:
        return "all rounds are played"
    if turn < 0:
        return "the next round is still to be dealt"
    return f"{names[turn]}'s turn"


class DailyDeal(NamedTuple):
    """The deal of the day."""

    game: GameInfo
    known: bool = False
    """Whether its session has been looked for."""
    found: Summary | None = None
    """Its session, if there is one."""

    @property
    def waits(self) -> bool:
        """Whether its session is among the tables, as it is not over."""
        return self.found is not None and self.found.state == "open"


Item: TypeAlias = Summary | GameInfo | DailyDeal
"""What the cursor can be on: a session, a game to begin, or the deal of the day."""

PANEL: Final = 34
"""Columns of the panel with the other tables."""
_NO_OTHER: Final = "No other table is waiting."
_KEPT: Final = "Every move is kept at once: leave when you like, and go on from here."


class Lobby(msgspec.Struct):
    """What the picker shows, and where the cursor is."""

    games: Sequence[GameInfo]
    now: datetime
    deal: DailyDeal
    first: Summary | None = None
    """The session to go on with."""
    recalled: "SessionPreview | None" = None
    """Where it stands."""
    tables: list[Summary] = msgspec.field(default_factory=list)
    """The other sessions, and those that cannot be opened."""
    cursor: int = 0
    """The item that Enter opens."""
    me: str = GUEST
    """The nick of who has signed in."""
    book: ProfileStore = msgspec.field(default_factory=ProfileStore)
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
        blocks.append(Block(1, partial(item_painters.paint_also_line, item=lobby.item)))
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
        item_painters.paint_go_on,
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
        Block(1, partial(item_painters.paint_game_line, game=game, odd=bool(i % 2)), lobby.games_from + i)
        for i, game in enumerate(lobby.games)
    ]


def _game_blocks(lobby: Lobby) -> list[Block]:
    blocks = []
    for i, game in enumerate(lobby.games, lobby.games_from):
        blocks += [Block(3, partial(item_painters.paint_game_block, game=game), i), GAP]
    return blocks


def _tables(lobby: Lobby) -> list[Block]:
    """The other tables, a row each, and a second one for a name."""
    if lobby.tables:
        return [Block(1, item_painters.paint_headings), *_each_table(lobby, 1, item_painters.paint_table_line), GAP]
    return [] if lobby.first else [Block(2, partial(item_painters.paint_hint, text=_KEPT)), GAP]


def _deal_line(lobby: Lobby) -> list[Block]:
    """The deal of the day on a row, unless it is a table already."""
    deal = lobby.deal
    if deal.waits:
        return []
    paint = partial(item_painters.paint_deal_line, game=deal.game, known=deal.known, found=deal.found)
    return [Block(1, paint, len(lobby.items) - 1)]


def _panel(lobby: Lobby) -> list[Block]:
    """The other tables, three rows each, the deal of the day, and keys for more."""
    tables = [each for table in _each_table(lobby, 3, item_painters.paint_table_block) for each in (table, GAP)]
    if not tables:
        tables = [Block(3, partial(item_painters.paint_hint, text=_NO_OTHER if lobby.first else _KEPT)), GAP]
    deal = lobby.deal
    paint = partial(item_painters.paint_deal_block, game=deal.game, known=deal.known, found=deal.found)
    heading = Block(1, partial(item_painters.paint_panel_heading, text="Deal of the day", aside=day(lobby.now)))
    return [
        *(Block(1, partial(item_painters.paint_panel_heading, text="Unfinished tables")), GAP, *tables),
        *([] if deal.waits else [heading, GAP, Block(3, paint, len(lobby.items) - 1), GAP]),
        *(Block(1, partial(item_painters.paint_panel_heading, text="Also here")), GAP),
        Block(item_painters.also_rows(), partial(item_painters.paint_also_block, item=lobby.item)),
    ]


def _each_table(lobby: Lobby, height: int, paint: Callable[..., None]) -> list[Block]:
    blocks = []
    for i, table in enumerate(lobby.tables, lobby.tables_from):
        known_as = lobby.known_as(table)
        told = partial(paint, summary=table, known_as=known_as, now=lobby.now, mine=lobby.mine(table))
        blocks.append(Block(height + bool(known_as), told, i))
    return blocks
