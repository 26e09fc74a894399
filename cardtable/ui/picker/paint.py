"""Model and painting of the picker: the session to resume, games, other tables, and the deal of the day.

All items are blocks in one scrolling column. In a large terminal, everything but the session to resume and the games is
in a panel of its own.
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
from cardtable.ui.game_view.registry import game_view
from cardtable.ui.picker import item_painters
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, grid_of
from cardtable.ui.toolkit.scroll_list import GAP, Block, paint_column
from cardtable.wording.formatting import day
from cardtable.wording.tables import AT_CLUB, round_among


class SessionPreview(NamedTuple):
    """What the picker shows of the session to resume."""

    facts: tuple[str, ...]
    """Facts from the header of the table, the number of the round first."""
    turn: str
    """Text that names the seat to act."""
    alone: bool = False
    """True if the seat to act belongs to the only person at the table."""
    hand: tuple[Card, ...] = ()
    """Cards of the only person at the table, sorted; empty if they must stay hidden.

    They are hidden if several persons play, or if the person's password has not been entered.
    """
    backs: int = 0
    """Number of face-down cards to show, for a hand that must stay hidden here."""


def load_preview(summary: Summary) -> SessionPreview | None:
    """Replay the journal of a session up to its present position and return the preview.

    Returns ``None`` if the journal cannot be read, the game fails, or only the club can continue the session.
    """
    if summary.is_club_only:
        return None
    try:
        table = summaries.table(summary.path)
        return make_preview(table, summary.header) if summary.header else None
    except CardtableError:
        return None


def make_preview(table: Referee, header: Header) -> SessionPreview:
    """Return the preview of a session at its present position; it reveals no cards if several people play."""
    seats, turn = header.people, table.turn
    seat = seats[0] if seats else max(turn, 0)
    view = table.view(seat)
    shape = game_view(table.game.about.key)
    facts = _facts(table, shape.header(view)) if table.round else ("nothing dealt yet",)
    turn_text, alone = _turn_text(turn, session_files.names(header.seats)), seats == [turn]
    if not table.playing:
        return SessionPreview(facts[:1], turn_text, alone)
    if len(seats) == 1 and not profiles.locked(players_at(header).get(seats[0], "")):
        return SessionPreview(facts, turn_text, alone, tuple(shape.order(view)))
    shown = turn if turn in seats else seat
    return SessionPreview(facts, turn_text, alone, backs=hand_size(table.game, table.view(shown), shown))


def _facts(table: Referee, header: HeaderFacts) -> tuple[str, ...]:
    return f"round {round_among(table.round, table.options.rounds)}", *header.before, *header.after


def _turn_text(turn: Seat, names: list[str]) -> str:
    if turn == OVER:
        return "all rounds are played"
    if turn < 0:
        return "the next round is still to be dealt"
    return f"{names[turn]}'s turn"


class DailyDeal(NamedTuple):
    """The deal of the day."""

    game: GameInfo
    known: bool = False
    """True once the player's session of this deal has been looked up."""
    found: Summary | None = None
    """The player's session of this deal; ``None`` if there is none."""

    @property
    def waits(self) -> bool:
        """True if the session of this deal is unfinished, so that it is listed among the tables."""
        return self.found is not None and self.found.state == "open"


Item: TypeAlias = Summary | GameInfo | DailyDeal
"""Item of the picker: a session to resume, a game to begin, or the deal of the day."""

PANEL: Final = 34
"""Width of the panel, in columns."""
_NO_OTHER: Final = "No other table is waiting."
_KEPT: Final = "Every move is kept at once: leave when you like, and go on from here."


class Lobby(msgspec.Struct):
    """Model of the picker, with its cursor."""

    games: Sequence[GameInfo]
    now: datetime
    deal: DailyDeal
    first: Summary | None = None
    """Session that is offered first, to be resumed; ``None`` if there is none."""
    recalled: "SessionPreview | None" = None
    """Preview of ``resumable``; ``None`` if it cannot be previewed."""
    tables: list[Summary] = msgspec.field(default_factory=list)
    """Other unfinished sessions, including those that cannot be opened."""
    cursor: int = 0
    """Index into ``items`` of the item that Enter opens."""
    me: str = GUEST
    """Nick of the current player."""
    book: ProfileStore = msgspec.field(default_factory=ProfileStore)
    """Profiles of all players in this home."""
    offsets: list[int] = msgspec.field(default_factory=lambda: [0, 0])
    """Number of rows scrolled away in each of the two columns."""
    follow: bool = True
    """True if the columns scroll to keep the cursor visible; False after the mouse wheel was turned."""

    @property
    def items(self) -> list[Item]:
        """All items in the order in which the cursor moves through them."""
        deal = [] if self.deal.waits else [self.deal]
        return [*([self.first] if self.first else []), *self.games, *self.tables, *deal]

    @property
    def item(self) -> Item:
        """Item under the cursor."""
        return self.items[self.cursor]

    def mine(self, table: Summary) -> bool:
        """Return True if the current player sits at the table."""
        return table.header is not None and bool(seats_of(self.book, self.me, table.header))

    def known_as(self, table: Summary) -> str:
        """Return the text that distinguishes a table from others of the same game; may be empty.

        It consists of the club, the name of the table, and a remark on the deal of the day.
        """
        is_deal = self.deal.found is not None and self.deal.found.path == table.path
        club, name = AT_CLUB if table.is_club_only else "", f'"{table.name}"' if table.name else ""
        return " · ".join(filter(None, (club, name, "deal of the day" if is_deal else "")))

    @property
    def games_from(self) -> int:
        """Index of the first game in ``items``."""
        return int(self.first is not None)

    @property
    def tables_from(self) -> int:
        """Index in ``items`` of the first item after the games: a table, or the deal of the day."""
        return self.games_from + len(self.games)


def wide(canvas: Canvas) -> bool:
    """Return True if the terminal is large enough for a panel with the other tables."""
    return grid_of(canvas).large


def paint_lobby(canvas: Canvas, lobby: Lobby) -> None:
    """Paint all items between header and footer; updates the scroll offsets of ``model`` to keep the cursor visible."""
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
        preview=lobby.recalled,
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
    """Return the blocks of the other tables for a single column, or a hint in an empty picker."""
    if lobby.tables:
        return [Block(1, item_painters.paint_headings), *_each_table(lobby, 1, item_painters.paint_table_line), GAP]
    return [] if lobby.first else [Block(2, partial(item_painters.paint_hint, text=_KEPT)), GAP]


def _deal_line(lobby: Lobby) -> list[Block]:
    """Return the block of the deal of the day; empty if its session is among the tables."""
    deal = lobby.deal
    if deal.waits:
        return []
    paint = partial(item_painters.paint_deal_line, game=deal.game, known=deal.known, session=deal.found)
    return [Block(1, paint, len(lobby.items) - 1)]


def _panel(lobby: Lobby) -> list[Block]:
    """Return the blocks of the panel: the other tables, the deal of the day, and further keys."""
    tables = [each for table in _each_table(lobby, 3, item_painters.paint_table_block) for each in (table, GAP)]
    if not tables:
        tables = [Block(3, partial(item_painters.paint_hint, text=_NO_OTHER if lobby.first else _KEPT)), GAP]
    deal = lobby.deal
    paint = partial(item_painters.paint_deal_block, game=deal.game, known=deal.known, session=deal.found)
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
        painter = partial(paint, summary=table, known_as=known_as, now=lobby.now, mine=lobby.mine(table))
        blocks.append(Block(height + bool(known_as), painter, i))
    return blocks
