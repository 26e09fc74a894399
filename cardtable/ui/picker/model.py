"""Model of the picker and its painting: the session to resume, games, other tables, and the deal of the day.

All items are blocks in one scrolling column. In a large terminal, everything but the session to resume and the games is
in a panel of its own.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import msgspec
from rich.cells import cell_len

from cardtable.engine.cards import Card, card
from cardtable.engine.errors import CardtableError
from cardtable.engine.faces import FRENCH, Faces
from cardtable.engine.game import OVER, GameInfo, Seat
from cardtable.engine.journal import Header
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import format_count
from cardtable.store import profiles, session_files, summaries
from cardtable.store.profiles import ProfileStore, find_seats, map_profile_nicks
from cardtable.store.seating import GUEST
from cardtable.store.summaries import Summary
from cardtable.ui.game_view.game_view import count_hand
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.keys.bindings import PICKER
from cardtable.ui.toolkit.page import KeyTarget
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, join_fitting, join_names, shorten_names_to_fit, truncate, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN, get_layout
from cardtable.ui.toolkit.scroll_list import GAP_BLOCK, INDENT, Block, BlockArea, paint_column
from cardtable.wording.formatting import format_day, format_elapsed, format_number
from cardtable.wording.players import list_own_seat_first, list_seat_names
from cardtable.wording.tables import (
    AT_CLUB,
    format_current_round,
    format_daily_result,
    format_open_error,
    format_round_number,
    get_game_title,
)


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
    game_view = get_game_view(referee.game.about.key)
    facts: tuple[str, ...] = ("nothing dealt yet",)
    if referee.round:
        shown_facts = game_view.header(view)
        round_number = format_round_number(referee.round, referee.options.rounds)
        facts = (f"round {round_number}", *shown_facts.before, *shown_facts.after)
    preview = SessionPreview(
        facts if referee.playing else facts[:1],
        _format_turn(turn, session_files.format_names(header.seats)),
        is_only_person=seats == [turn],
        faces=referee.game.about.faces,
    )
    if not referee.playing:
        return preview
    if len(seats) == 1 and not profiles.is_password_required(map_profile_nicks(header).get(seats[0], "")):
        return preview._replace(hand=tuple(game_view.order(view)))
    visible_seat = turn if turn in seats else seat
    return preview._replace(backs=count_hand(referee.game, referee.view(visible_seat), visible_seat))


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
    streak: int = 0
    """Number of days in a row whose deals the player has finished."""

    @property
    def is_unfinished(self) -> bool:
        return self.session is not None and self.session.state == "open"

    @property
    def result(self) -> str:
        """Result of the player in words; empty until the session has been looked up."""
        streak = f" · {self.streak} days in a row" if self.streak > 1 else ""
        return f"{format_daily_result(self.session)}{streak}" if self.known else ""


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
    preview: SessionPreview | None = None
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
    profile_store: ProfileStore = msgspec.field(default_factory=ProfileStore)
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
        return table.header is not None and bool(find_seats(self.profile_store, self.nick, table.header))

    def find_own_table(self, game: GameInfo) -> Summary | None:
        """Return the player's latest unfinished session of ``game`` against robots; ``None`` if there is none."""
        for table in [item for item in self.items if isinstance(item, Summary) and item.is_played_here]:
            header = table.header
            if header is None or header.game != game.key:
                continue
            if header.people == find_seats(self.profile_store, self.nick, header):
                return table
        return None

    def format_age(self, table: Summary) -> str:
        return format_elapsed(datetime.fromtimestamp(table.played, UTC), self.now)

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
            *([] if model.deal.is_unfinished else [_create_deal_block(model, 1, paint_deal_line)]),
            GAP_BLOCK,
            Block(1, partial(paint_key_line, model=model)),
        ]
        _paint_column(canvas, model, 0, blocks, MARGIN, canvas.width - 2 * MARGIN)
        return
    left = canvas.width - PANEL_WIDTH
    canvas.fill(left, 1, PANEL_WIDTH, canvas.height - 2, canvas.theme.grounds.panel)
    blocks = [*_list_resume_blocks(model, tall=True), *_list_game_blocks(model)]
    _paint_column(canvas, model, 0, blocks, MARGIN, left - 2 * MARGIN)
    _paint_column(canvas, model, 1, _list_panel_blocks(model), left, PANEL_WIDTH - MARGIN)


def _paint_column(canvas: Canvas, model: PickerModel, number: int, blocks: Sequence[Block], x: int, width: int) -> None:
    offset = model.offsets[number]
    model.offsets[number] = paint_column(
        canvas, blocks, x, width, cursor=model.cursor, offset=offset, follow_cursor=model.follow
    )


def _list_resume_blocks(model: PickerModel, *, tall: bool) -> list[Block]:
    if model.resumable is None:
        return []
    paint = partial(paint_resume_block, model=model, summary=model.resumable, tall=tall)
    return [Block(5 if tall else 3, paint, 0), GAP_BLOCK]


def _list_game_lines(model: PickerModel) -> list[Block]:
    return [
        Block(1, partial(paint_game_line, game=game, odd=bool(i % 2)), model.first_game_index + i)
        for i, game in enumerate(model.games)
    ]


def _list_game_blocks(model: PickerModel) -> list[Block]:
    blocks = []
    for i, game in enumerate(model.games, model.first_game_index):
        blocks += [Block(3, partial(paint_game_block, game=game), i), GAP_BLOCK]
    return blocks


def _list_table_lines(model: PickerModel) -> list[Block]:
    """Return the blocks of the other tables for a single column, with the hint on saving."""
    blocks = _list_hint_blocks(model, 2)
    if model.tables:
        blocks += [Block(1, paint_headings), *_list_table_blocks(model, 1, paint_table_line), GAP_BLOCK]
    return blocks


def _list_hint_blocks(model: PickerModel, height: int) -> list[Block]:
    """Return a hint that everything is saved, in an empty picker, or the reason why nothing can be saved."""
    is_empty = not model.tables and not model.resumable
    text = model.save_error or (_AUTOSAVE_HINT if is_empty and model.is_save_checked else "")
    hint = partial(paint_hint, text=text, is_warning=bool(model.save_error))
    return [Block(height, hint), GAP_BLOCK] if text or is_empty else []


def _create_deal_block(model: PickerModel, height: int, paint: Callable[..., None]) -> Block:
    return Block(height, partial(paint, deal=model.deal), len(model.items) - 1)


def _list_panel_blocks(model: PickerModel) -> list[Block]:
    """Return the blocks of the panel: the other tables, the deal of the day, and further keys."""
    tables = [block for table in _list_table_blocks(model, 3, paint_table_block) for block in (table, GAP_BLOCK)]
    if not tables and model.resumable:
        tables = [Block(3, partial(paint_hint, text=_NO_OTHER)), GAP_BLOCK]
    deal = []
    if not model.deal.is_unfinished:
        heading = Block(1, partial(paint_panel_heading, text="Deal of the day", aside=format_day(model.now)))
        deal = [heading, GAP_BLOCK, _create_deal_block(model, 3, paint_deal_block), GAP_BLOCK]
    return [
        Block(1, partial(paint_panel_heading, text="Unfinished tables")),
        GAP_BLOCK,
        *_list_hint_blocks(model, 3),
        *tables,
        *deal,
        Block(1, partial(paint_panel_heading, text="Also here")),
        GAP_BLOCK,
        Block(len(FOOTER_PAGES) + len(_FURTHER_KEYS), partial(paint_key_block, model=model)),
    ]


def _list_table_blocks(model: PickerModel, height: int, paint: Callable[..., None]) -> list[Block]:
    blocks = []
    for i, table in enumerate(model.tables, model.first_table_index):
        rows = height + (1 if model.describe_table(table) else 0)
        blocks.append(Block(rows, partial(paint, model=model, summary=table), i))
    return blocks


CARD_STEP: Final = 3
"""Width of the visible part of a card under another one, in columns."""
FULL_WIDTH: Final = 76
"""Minimum width, in columns, of a line that shows everything; a narrower line shows the name and one value."""
_TEXT_COLUMN: Final = 20
ROUND_COLUMN: Final = 38
TOTALS_COLUMN: Final = 47
"""Columns at which the text beside the title of a game, the round and the totals of a table begin."""
_FURTHER_KEYS: Final = ("learn", "puzzles", "players", "watch", "settings", "join_club", "score_table", "palette")
"""Names of the key bindings listed below the items; in a large terminal, ``FOOTER_PAGES`` are listed with them."""
FOOTER_PAGES: Final = ("archive", "rankings", "statistics")
"""Names of the pages that the footer offers."""
_MAX_TITLE_WIDTH: Final = 24
"""Maximum width of a game's title in a line, in columns."""
_SEATS_COLUMN: Final = 60
"""Column of the numbers of seats of a game in a line."""
_BESIDE_HAND: Final = 35
"""Width reserved for the text beside the hand, in columns."""


def list_emblem_cards(game: GameInfo) -> list[Card]:
    return [card(name) for name in game.emblem.split()]


def format_seats(game: GameInfo) -> str:
    """Format the possible numbers of seats: ``4``, ``2-4`` or ``4, 6``."""
    seats = game.seats
    if len(seats) > 1 and seats == tuple(range(seats[0], seats[-1] + 1)):
        return f"{seats[0]}-{seats[-1]}"
    return ", ".join(map(str, seats))


def paint_resume_block(area: BlockArea, model: PickerModel, summary: Summary, *, tall: bool) -> None:
    """Paint the session to resume: its game, totals and hand."""
    preview, known_as, is_own = model.preview, model.describe_table(summary), model.is_own_table(summary)
    size, top = (card_faces.FULL, 1) if tall else (card_faces.SMALL, 0)
    area.canvas.faces = preview.faces if preview else FRENCH
    room = area.width - INDENT
    if preview is not None and area.width >= FULL_WIDTH:
        room = _paint_hand(area, size, preview, area.width - (INDENT + 1 if tall else 1)) - INDENT - 1
    facts = preview.facts if preview else (f"round {format_current_round(summary)}",)
    title, ago = f"Continue: {get_game_title(summary)}, {facts[0]}", model.format_age(summary)
    standing = []
    if preview:
        standing = ["your turn" if preview.is_only_person and is_own else preview.turn, *facts[1:]]
    if not tall and cell_len(f"{title}, {ago}") <= room:
        title, rest = f"{title}, {ago}", standing
    else:
        rest = [*standing, ago] if known_as else [ago, *standing]
    rest = [known_as, *rest] if known_as else rest
    area.write(INDENT, top, title, area.name_ink, max_width=room, bold=True)
    area.write(INDENT, top + (1 if tall else 2), join_fitting(rest, " · ", room), area.muted_ink)
    area.canvas.faces = FRENCH
    _paint_totals(area, top + (2 if tall else 1), summary, room, replace_own=is_own)


def _paint_hand(area: BlockArea, size: card_faces.Size, preview: SessionPreview, end: int) -> int:
    """Paint the hand, or backs of cards, up to column ``end``; return the number of free columns before it.

    Cards that do not fit are counted, as in "+3".
    """
    number = len(preview.hand) or preview.backs
    shown_count = min(number, (end + 1 - _BESIDE_HAND - size.width) // CARD_STEP + 1)
    if not shown_count:
        return end + 1
    first = end + 1 - (shown_count - 1) * CARD_STEP - size.width
    for i in range(shown_count):
        x = area.x + first + CARD_STEP * i
        if preview.hand:
            card_faces.paint_card(
                area.canvas, x, area.y, size, preview.hand[i], shown_columns=CARD_STEP if i < shown_count - 1 else 0
            )
        else:
            card_faces.paint_back(area.canvas, x, area.y, size)
    more = f"+{number - shown_count}" if shown_count < number else ""
    area.write(first - len(more) - 1, size.height // 2, more, area.muted_ink)
    return first - len(more)


def _paint_totals(area: BlockArea, row: int, summary: Summary, room: int, *, replace_own: bool) -> None:
    """Paint the players' names with their totals, the current player first, as many as fit into ``room`` columns."""
    assert summary.header is not None
    names, order = list_seat_names(summary.header, replace_own=replace_own), list_own_seat_first(summary.header)
    own, totals = order[0] if len(summary.header.people) == 1 else None, list(map(format_number, summary.totals))
    short_names = shorten_names_to_fit(names, room - sum(map(len, totals)) - 3 * len(names) + 2)
    entries = [(short_names[seat], totals[seat]) for seat in order]
    widths = [cell_len(name) + 1 + len(total) for name, total in entries]
    gap = 3 if sum(widths) + 3 * (len(entries) - 1) <= room else 2
    text, x = area.canvas.theme.inks.text, INDENT
    for seat, (name, total), width in zip(order, entries, widths, strict=True):
        if x + width > INDENT + room:
            return
        is_own = seat == own
        area.write(x, row, name.capitalize() if is_own else name, text if is_own else area.muted_ink, bold=is_own)
        area.write(x + cell_len(name) + 1, row, total, text, bold=is_own)
        x += width + gap


def paint_game_line(area: BlockArea, game: GameInfo, *, odd: bool) -> None:
    """Paint a game in one row: a card, title, summary, seats and length. The cards of ``odd`` rows are indented."""
    full = area.width >= FULL_WIDTH
    chip = area.x + (5 if odd and full else 1)
    area.canvas.faces = game.faces
    card_faces.paint_card(area.canvas, chip, area.y, card_faces.CHIP, list_emblem_cards(game)[0])
    area.canvas.faces = FRENCH
    name, value = (10, _TEXT_COLUMN) if full else (6, 16)
    x = area.write(name, 0, game.title, area.name_ink, max_width=_MAX_TITLE_WIDTH, bold=True) - area.x
    value = max(value, x + 1)
    if not full:
        area.write(value, 0, game.summary, area.muted_ink)
        return
    area.write(value, 0, game.summary, area.muted_ink, max_width=_SEATS_COLUMN - 1 - value)
    x = area.write(_SEATS_COLUMN, 0, format_seats(game), area.canvas.theme.inks.text) - area.x + 1
    area.write_right(0, truncate(game.length, area.width - x), area.muted_ink)


def paint_game_block(area: BlockArea, game: GameInfo) -> None:
    """Paint a game in three rows, with the cards of its emblem."""
    cards = list_emblem_cards(game)
    area.canvas.faces = game.faces
    for i, which in enumerate(cards):
        shown_columns = CARD_STEP if i < len(cards) - 1 else 0
        card_faces.paint_card(
            area.canvas, area.x + INDENT + CARD_STEP * i, area.y, card_faces.SMALL, which, shown_columns=shown_columns
        )
    area.canvas.faces = FRENCH
    area.write(17, 0, game.title, area.name_ink, bold=True)
    area.write(17, 1, game.summary, area.muted_ink)
    area.write(17, 2, f"{format_seats(game)} seats · {game.length}", area.quiet_ink)


def paint_headings(area: BlockArea) -> None:
    """Paint the headings above the tables."""
    inks = area.canvas.theme.inks
    area.write(0, 0, "Tables", inks.text, bold=True)
    if area.width >= FULL_WIDTH:
        area.write(10, 0, area.canvas.appearance.keys.format_keys("{play} continues"), inks.quiet)
        area.write(ROUND_COLUMN, 0, "round", inks.quiet)
        area.write(TOTALS_COLUMN, 0, "totals", inks.quiet)


def paint_panel_heading(area: BlockArea, text: str, aside: str = "") -> None:
    area.write(INDENT, 0, text, area.canvas.theme.inks.text, bold=True)
    area.write_right(0, aside, area.quiet_ink)


def paint_hint(area: BlockArea, text: str, *, is_warning: bool = False) -> None:
    """Paint a hint where a list would be, wrapped."""
    x = 10 if area.width >= FULL_WIDTH else INDENT
    for row, line in enumerate(wrap(text, area.width - x)):
        area.write(x, row, line, area.canvas.theme.inks.warn if is_warning else area.quiet_ink)


def paint_table_line(area: BlockArea, model: PickerModel, summary: Summary) -> None:
    """Paint a table in one row (game, players, round, totals, age), and what distinguishes it in a second row.

    A file that cannot be opened has the reason instead.
    """
    full = area.width >= FULL_WIDTH
    name = 10 if full else INDENT
    value = _TEXT_COLUMN if full else name + 13
    if summary.header is None:
        x = area.write(name, 0, get_game_title(summary), area.name_ink, max_width=27, bold=True) - area.x
        area.write(x + 1, 0, format_open_error(summary), area.canvas.theme.inks.loss)
        return
    area.write(name, 0, get_game_title(summary), area.name_ink, max_width=value - name - 1, bold=True)
    area.write(name, 1, model.describe_table(summary), area.muted_ink)
    age, round_number, ink = model.format_age(summary), format_current_round(summary), area.canvas.theme.inks.text
    if not full:
        end = area.write_right(0, age, area.quiet_ink) - 1
        kind = "real cards, " if summary.real_cards else ""
        area.write(value, 0, f"{kind}round {round_number}", area.muted_ink, max_width=end - value)
        return
    room = ROUND_COLUMN - value - 1
    area.write(value, 0, _format_players(model, summary, summary.header, room), area.muted_ink, max_width=room)
    area.write(ROUND_COLUMN, 0, round_number, ink, max_width=TOTALS_COLUMN - ROUND_COLUMN - 1)
    x = area.write(TOTALS_COLUMN, 0, _format_totals(summary, summary.header), ink) - area.x + 1
    area.write_right(0, truncate(age, area.width - x), area.quiet_ink)


def paint_table_block(area: BlockArea, model: PickerModel, summary: Summary) -> None:
    """Paint a table in three rows of the panel, and what distinguishes it in a fourth row."""
    text = area.canvas.theme.inks.text
    if summary.header is None:
        area.write(INDENT, 0, get_game_title(summary), area.name_ink, bold=True)
        first, *rest = wrap(format_open_error(summary), area.width - INDENT)
        area.write(INDENT, 1, first, area.canvas.theme.inks.loss)
        area.write(INDENT, 2, " ".join(rest), area.canvas.theme.inks.loss)
        return
    start = area.write_right(0, model.format_age(summary), area.quiet_ink)
    area.write(INDENT, 0, get_game_title(summary), area.name_ink, max_width=start - INDENT - 1, bold=True)
    room = area.write_right(1, f"round {format_current_round(summary)}", area.muted_ink) - INDENT - 1
    area.write(INDENT, 1, _format_players(model, summary, summary.header, room), area.muted_ink, max_width=room)
    area.write(INDENT, 2, _format_totals(summary, summary.header), text)
    area.write(INDENT, 3, model.describe_table(summary), area.muted_ink)


def paint_deal_line(area: BlockArea, deal: DailyDeal) -> None:
    """Paint the deal of the day in one row: its game and its result."""
    full = area.width >= FULL_WIDTH
    name = 10 if full else INDENT
    if full:
        area.write(1 if area.has_cursor else 0, 0, "Today", area.canvas.theme.inks.text, bold=True)
    end = area.write_right(0, deal.result, area.quiet_ink)
    x = area.write(name, 0, deal.game.title, area.name_ink, max_width=_MAX_TITLE_WIDTH, bold=True) - area.x
    x = max(_TEXT_COLUMN if full else 0, x + 1)
    text = "deal of the day, same for everyone" if full else "deal of the day"
    area.write(x, 0, text, area.muted_ink, max_width=end - x - 1)


def paint_deal_block(area: BlockArea, deal: DailyDeal) -> None:
    """Paint the deal of the day in three rows of the panel."""
    area.write(INDENT, 0, deal.game.title, area.name_ink, bold=True)
    area.write(INDENT, 1, "the same cards for everyone", area.muted_ink)
    area.write(INDENT, 2, deal.result, area.quiet_ink)


def paint_key_line(area: BlockArea, model: PickerModel) -> None:
    """Paint the further keys in one row, as many as fit."""
    full = area.width >= FULL_WIDTH
    x = 10 if full else INDENT
    if full:
        area.write(0, 0, "Also", area.canvas.theme.inks.text, bold=True)
    labels = {**_label_keys(model, *_FURTHER_KEYS), "join_club": "club"}
    widths = [cell_len(f"{area.canvas.appearance.keys.format_label(name)} {label}") for name, label in labels.items()]
    needed = sum(width + 3 for name, width in zip(labels, widths, strict=True) if name != "palette") - 3
    gap = 3 if x + needed <= area.width else 2
    for (name, label), width in zip(labels.items(), widths, strict=True):
        if x + width > area.width:
            return
        x = _paint_key(area, x, 0, name, label) + gap


def paint_key_block(area: BlockArea, model: PickerModel) -> None:
    """Paint the keys of the footer's pages and the further keys, each in a row of the panel."""
    for row, (name, label) in enumerate(_label_keys(model, *FOOTER_PAGES, *_FURTHER_KEYS).items()):
        _paint_key(area, INDENT, row, name, label)


def can_be_watched(item: object) -> bool:
    """Return True if the item can be watched: a game, which robots then play, or a session that this program dealt."""
    if not isinstance(item, Summary):
        return True
    return item.header is not None and not item.real_cards and not item.is_club_only


def _label_keys(model: PickerModel, *names: str) -> dict[str, str]:
    """Return the labels of those keys that are enabled, by their names."""
    labels = {name: PICKER.find(name).label for name in names}
    if model.due_puzzles:
        labels["puzzles"] = f"{format_count(model.due_puzzles, 'puzzle')} due"
    labels["watch"] = "watch"
    if not can_be_watched(model.item):
        del labels["watch"]
    return labels


def _paint_key(area: BlockArea, x: int, row: int, name: str, label: str) -> int:
    """Paint a key with its label, which a click presses; return the column after it."""
    start, sign = area.x + x, area.canvas.appearance.keys.format_label(name)
    end = area.write(x, row, sign, area.canvas.theme.inks.text, bold=True) + 1
    end = area.write(end - area.x, row, label, area.muted_ink)
    area.canvas.add_hit_box(start, area.y + row, end - start, 1, KeyTarget(name))
    return end - area.x


def _format_players(model: PickerModel, summary: Summary, header: Header, width: int) -> str:
    names = list_seat_names(header, replace_own=model.is_own_table(summary))
    kind = "real cards: " if summary.real_cards else ""
    return kind + join_names([names[seat] for seat in list_own_seat_first(header)], width - len(kind))


def _format_totals(summary: Summary, header: Header) -> str:
    return " ".join([format_number(summary.totals[seat]) for seat in list_own_seat_first(header)])
