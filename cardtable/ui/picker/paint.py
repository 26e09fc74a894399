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
from cardtable.engine.faces import FRENCH, Faces
from cardtable.engine.game import OVER, GameInfo, Seat
from cardtable.engine.journal import Header
from cardtable.engine.referee import Referee
from cardtable.store import profiles, session_files, summaries
from cardtable.store.profiles import ProfileStore, find_seats, map_profile_nicks
from cardtable.store.seating import GUEST
from cardtable.store.summaries import Summary
from cardtable.ui.game_view.game_view import HeaderFacts, count_hand
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.picker import item_painters
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, get_layout
from cardtable.ui.toolkit.scroll_list import GAP_BLOCK, Block, paint_column
from cardtable.wording.formatting import format_day
from cardtable.wording.tables import AT_CLUB, format_round_number


class SessionPreview(NamedTuple):
    """Facts, turn and hand of the session to resume, as the picker shows them."""

    facts: tuple[str, ...]
    """Facts from the header of the table, the number of the round first."""
    turn: str
    """Text that names the seat to act."""
    is_only_person: bool = False
    """True if the seat to act belongs to the only person at the table."""
    hand: tuple[Card, ...] = ()
    """Cards of the only person at the table, sorted; empty if they must stay hidden.

    They are hidden if several persons play, or if the person's password has not been entered.
    """
    backs: int = 0
    """Number of face-down cards to show, for a hand that must stay hidden here."""
    faces: Faces = FRENCH


def load_preview(summary: Summary) -> SessionPreview | None:
    """Replay the journal of a session up to its present position and return the preview.

    Returns ``None`` if the journal cannot be read, the game fails, or only the club can continue the session.
    """
    if summary.is_club_only:
        return None
    try:
        referee = summaries.load_referee(summary.path)
        return make_preview(referee, summary.header) if summary.header else None
    except CardtableError:
        return None


def make_preview(referee: Referee, header: Header) -> SessionPreview:
    """Return the preview of a session at its present position; it reveals no cards if several people play."""
    seats, turn = header.people, referee.turn
    seat = seats[0] if seats else max(turn, 0)
    view = referee.view(seat)
    shape = get_game_view(referee.game.about.key)
    facts = _list_facts(referee, shape.header(view)) if referee.round else ("nothing dealt yet",)
    turn_text, alone = _format_turn(turn, session_files.format_names(header.seats)), seats == [turn]
    faces = referee.game.about.faces
    if not referee.playing:
        return SessionPreview(facts[:1], turn_text, alone, faces=faces)
    if len(seats) == 1 and not profiles.is_password_required(map_profile_nicks(header).get(seats[0], "")):
        return SessionPreview(facts, turn_text, alone, tuple(shape.order(view)), faces=faces)
    visible_seat = turn if turn in seats else seat
    backs = count_hand(referee.game, referee.view(visible_seat), visible_seat)
    return SessionPreview(facts, turn_text, alone, backs=backs, faces=faces)


def _list_facts(referee: Referee, header: HeaderFacts) -> tuple[str, ...]:
    return f"round {format_round_number(referee.round, referee.options.rounds)}", *header.before, *header.after


def _format_turn(turn: Seat, names: list[str]) -> str:
    if turn == OVER:
        return "all rounds are played"
    if turn < 0:
        return "the next round has not been dealt yet"
    return f"{names[turn]}'s turn"


class DailyDeal(NamedTuple):
    """The deal of the day."""

    game: GameInfo
    known: bool = False
    """True once the player's session of this deal has been looked up."""
    session: Summary | None = None
    """The player's session of this deal; ``None`` if there is none."""

    @property
    def is_unfinished(self) -> bool:
        return self.session is not None and self.session.state == "open"


Item: TypeAlias = Summary | GameInfo | DailyDeal
"""Item of the picker: a session to resume, a game to begin, or the deal of the day."""

PANEL_WIDTH: Final = 34
"""Width of the panel, in columns."""
_NO_OTHER: Final = "No other unfinished tables."
_AUTOSAVE_HINT: Final = "Every move is saved. Quit any time and continue here."


class PickerModel(msgspec.Struct):
    """Model of the picker, with its cursor."""

    games: Sequence[GameInfo]
    now: datetime
    deal: DailyDeal
    resumable: Summary | None = None
    """Session that is offered first, to be resumed; ``None`` if there is none."""
    preview: "SessionPreview | None" = None
    """Preview of ``resumable``; ``None`` if it cannot be previewed."""
    tables: list[Summary] = msgspec.field(default_factory=list)
    """Other unfinished sessions, including those that cannot be opened."""
    cursor: int = 0
    """Index into ``items`` of the item that Enter opens."""
    nick: str = GUEST
    """Nick of the current player."""
    due_puzzles: int = 0
    """Number of puzzles that are due for the current player; 0 until they have been counted."""
    save_error: str | None = None
    """Reason why nothing can be saved; ``None`` if it can be, and until that is known."""
    is_save_checked: bool = False
    """True once it is known whether anything can be saved."""
    book: ProfileStore = msgspec.field(default_factory=ProfileStore)
    """Profiles of all players in this home."""
    offsets: list[int] = msgspec.field(default_factory=lambda: [0, 0])
    """Number of rows scrolled away in each of the two columns."""
    follow: bool = True
    """True if the columns scroll to keep the cursor visible; False after the mouse wheel was turned."""

    @property
    def items(self) -> list[Item]:
        """All items in the order in which the cursor moves through them."""
        deal = [] if self.deal.is_unfinished else [self.deal]
        return [*([self.resumable] if self.resumable else []), *self.games, *self.tables, *deal]

    @property
    def item(self) -> Item:
        return self.items[self.cursor]

    def is_own_table(self, table: Summary) -> bool:
        return table.header is not None and bool(find_seats(self.book, self.nick, table.header))

    def describe_table(self, table: Summary) -> str:
        """Return the text that distinguishes a table from others of the same game; may be empty.

        It consists of the club, the name of the table, and a remark on the deal of the day.
        """
        is_deal = self.deal.session is not None and self.deal.session.path == table.path
        club, name = AT_CLUB if table.is_club_only else "", f'"{table.name}"' if table.name else ""
        return " · ".join(filter(None, (club, name, "deal of the day" if is_deal else "")))

    @property
    def first_game_index(self) -> int:
        return 0 if self.resumable is None else 1

    @property
    def first_table_index(self) -> int:
        """Index in ``items`` of the first item after the games: a table, or the deal of the day."""
        return self.first_game_index + len(self.games)


def has_panel(canvas: Canvas) -> bool:
    return get_layout(canvas).large


def paint_picker(canvas: Canvas, model: PickerModel) -> None:
    """Paint all items between header and footer; updates the scroll offsets of ``model`` to keep the cursor visible."""
    if not has_panel(canvas):
        blocks = [
            *_list_resume_blocks(model, tall=False),
            *_list_game_lines(model),
            GAP_BLOCK,
            *_list_table_lines(model),
            *_list_deal_lines(model),
            GAP_BLOCK,
        ]
        blocks.append(Block(1, partial(item_painters.paint_key_line, item=model.item, due_puzzles=model.due_puzzles)))
        _paint_column(canvas, model, 0, blocks, MARGIN, canvas.width - 2 * MARGIN)
        return
    left = canvas.width - PANEL_WIDTH
    canvas.fill(left, 1, PANEL_WIDTH, canvas.height - 2, canvas.theme.grounds.panel)
    _paint_column(
        canvas, model, 0, [*_list_resume_blocks(model, tall=True), *_list_game_blocks(model)], MARGIN, left - 2 * MARGIN
    )
    _paint_column(canvas, model, 1, _list_panel_blocks(model), left, PANEL_WIDTH - MARGIN)


def _paint_column(canvas: Canvas, model: PickerModel, number: int, blocks: Sequence[Block], x: int, width: int) -> None:
    offset = model.offsets[number]
    model.offsets[number] = paint_column(
        canvas, blocks, x, width, cursor=model.cursor, offset=offset, follow_cursor=model.follow
    )


def _list_resume_blocks(model: PickerModel, *, tall: bool) -> list[Block]:
    if model.resumable is None:
        return []
    paint = partial(
        item_painters.paint_resume_block,
        summary=model.resumable,
        preview=model.preview,
        known_as=model.describe_table(model.resumable),
        now=model.now,
        mine=model.is_own_table(model.resumable),
        tall=tall,
    )
    return [Block(5 if tall else 3, paint, 0), GAP_BLOCK]


def _list_game_lines(model: PickerModel) -> list[Block]:
    return [
        Block(1, partial(item_painters.paint_game_line, game=game, odd=bool(i % 2)), model.first_game_index + i)
        for i, game in enumerate(model.games)
    ]


def _list_game_blocks(model: PickerModel) -> list[Block]:
    blocks = []
    for i, game in enumerate(model.games, model.first_game_index):
        blocks += [Block(3, partial(item_painters.paint_game_block, game=game), i), GAP_BLOCK]
    return blocks


def _list_table_lines(model: PickerModel) -> list[Block]:
    """Return the blocks of the other tables for a single column, with the hint on saving."""
    hint, tables = _list_hint_blocks(model, 2), []
    if model.tables:
        tables = [
            Block(1, item_painters.paint_headings),
            *_list_table_blocks(model, 1, item_painters.paint_table_line),
            GAP_BLOCK,
        ]
    return [*hint, *tables]


def _list_hint_blocks(model: PickerModel, height: int) -> list[Block]:
    """Return a hint that everything is saved, in an empty picker, or the reason why nothing can be saved."""
    is_empty = not model.tables and not model.resumable
    text = model.save_error or (_AUTOSAVE_HINT if is_empty and model.is_save_checked else "")
    hint = partial(item_painters.paint_hint, text=text, is_warning=bool(model.save_error))
    return [Block(height, hint), GAP_BLOCK] if text or is_empty else []


def _list_deal_lines(model: PickerModel) -> list[Block]:
    """Return the block of the deal of the day; empty if its session is among the tables."""
    deal = model.deal
    if deal.is_unfinished:
        return []
    paint = partial(item_painters.paint_deal_line, game=deal.game, known=deal.known, session=deal.session)
    return [Block(1, paint, len(model.items) - 1)]


def _list_panel_blocks(model: PickerModel) -> list[Block]:
    """Return the blocks of the panel: the other tables, the deal of the day, and further keys."""
    tables = [
        each for table in _list_table_blocks(model, 3, item_painters.paint_table_block) for each in (table, GAP_BLOCK)
    ]
    if not tables and model.resumable:
        tables = [Block(3, partial(item_painters.paint_hint, text=_NO_OTHER)), GAP_BLOCK]
    tables = [*_list_hint_blocks(model, 3), *tables]
    deal = model.deal
    paint = partial(item_painters.paint_deal_block, game=deal.game, known=deal.known, session=deal.session)
    heading = Block(1, partial(item_painters.paint_panel_heading, text="Deal of the day", aside=format_day(model.now)))
    further_keys = partial(item_painters.paint_key_block, item=model.item, due_puzzles=model.due_puzzles)
    return [
        *(Block(1, partial(item_painters.paint_panel_heading, text="Unfinished tables")), GAP_BLOCK, *tables),
        *([] if deal.is_unfinished else [heading, GAP_BLOCK, Block(3, paint, len(model.items) - 1), GAP_BLOCK]),
        *(Block(1, partial(item_painters.paint_panel_heading, text="Also here")), GAP_BLOCK),
        Block(item_painters.count_key_rows(), further_keys),
    ]


def _list_table_blocks(model: PickerModel, height: int, paint: Callable[..., None]) -> list[Block]:
    blocks = []
    for i, table in enumerate(model.tables, model.first_table_index):
        known_as = model.describe_table(table)
        painter = partial(paint, summary=table, known_as=known_as, now=model.now, mine=model.is_own_table(table))
        blocks.append(Block(height + (1 if known_as else 0), painter, i))
    return blocks
