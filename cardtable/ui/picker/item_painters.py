"""Painters of the picker's items: a session to resume, a game, a table, the deal of the day, and keys."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from cardtable.engine.cards import Card, card
from cardtable.engine.game import GameInfo
from cardtable.engine.journal import Header
from cardtable.store.sessions import Summary
from cardtable.ui.toolkit.footer import Press
from cardtable.ui.toolkit.keys.bindings import PICKER, find_binding
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.text_fit import in_a_line, join_fitting, shorten_names_to_fit, wrap
from cardtable.ui.toolkit.scroll_list import INDENT, Place
from cardtable.wording.formatting import age, signed
from cardtable.wording.players import own_first, seat_names
from cardtable.wording.tables import open_error, result, round_of, title_of

if TYPE_CHECKING:
    from cardtable.ui.picker.paint import SessionPreview

STEP: Final = 3
"""Columns shown of a card that lies under another one."""
FULL: Final = 76
"""Width from which a line has all its columns; a narrower line has the name and one value."""
ROUND: Final = 37
TOTALS: Final = 47
"""Columns at which a table's round and totals start."""
_ALSO: Final = ("score_table", "players", "watch", "settings", "palette")
"""Names of further keys; the panel lists the pages of the footer, too."""
PAGES: Final = ("archive", "rankings", "statistics")
"""Names of the pages in the footer."""
_BESIDE_HAND: Final = 35
"""Columns reserved for the text beside the hand."""


def emblem(game: GameInfo) -> list[Card]:
    """Return the three cards of a game's emblem."""
    return [card(name) for name in game.emblem.split()]


def seats_of(game: GameInfo) -> str:
    """Return the possible numbers of seats in short: ``4``, ``2-4`` or ``4, 6``."""
    seats = game.seats
    if len(seats) > 1 and seats == tuple(range(seats[0], seats[-1] + 1)):
        return f"{seats[0]}-{seats[-1]}"
    return ", ".join(map(str, seats))


def age_of(summary: Summary, now: datetime) -> str:
    """Return the time since the session was last played, in words."""
    return age(datetime.fromtimestamp(summary.played, UTC), now)


def paint_go_on(
    where: Place,
    summary: Summary,
    preview: "SessionPreview | None",
    known_as: str,
    now: datetime,
    *,
    mine: bool,
    tall: bool,
) -> None:
    """Paint the session to resume: its position, totals and hand."""
    size, top = (card_faces.FULL, 1) if tall else (card_faces.SMALL, 0)
    room = where.width - INDENT
    if preview is not None and where.width >= FULL:
        room = _paint_hand(where, size, preview, where.width - (INDENT + 1 if tall else 1)) - INDENT - 1
    facts = preview.facts if preview else (f"round {round_of(summary)}",)
    title, ago = f"Go on: {title_of(summary)}, {facts[0]}", age_of(summary, now)
    together = f"{title}, {ago}"
    if tall or cell_len(together) > room:
        together, rest = title, [ago]
    else:
        rest = []
    if preview:
        rest += ["your turn" if preview.alone and mine else preview.turn, *facts[1:]]
    elif summary.real_cards:
        rest.append("real cards")
    rest = [known_as, *rest] if known_as else rest
    where.text(INDENT, top, together, where.name, most=room, bold=True)
    where.text(INDENT, top + (1 if tall else 2), join_fitting(rest, " · ", room), where.muted)
    _paint_totals(where, top + (2 if tall else 1), summary, room, mine=mine)


def _paint_hand(where: Place, size: card_faces.Size, preview: "SessionPreview", end: int) -> int:
    """Paint the own hand, or card backs, up to column `end`; return the number of free columns before it."""
    number = len(preview.hand) or preview.backs
    shown = min(number, (end + 1 - _BESIDE_HAND - size.width) // STEP + 1)
    if not shown:
        return end + 1
    first = end + 1 - (shown - 1) * STEP - size.width
    for i in range(shown):
        x = where.x + first + STEP * i
        if preview.hand:
            card_faces.card(where.canvas, x, where.y, size, preview.hand[i], shown=STEP if i < shown - 1 else 0)
        else:
            card_faces.back(where.canvas, x, where.y, size)
    more = f"+{number - shown}" if shown < number else ""
    where.text(first - len(more) - 1, size.height // 2, more, where.muted)
    return first - len(more)


def _paint_totals(where: Place, row: int, summary: Summary, room: int, *, mine: bool) -> None:
    """Paint the names with their totals, the own first; as many as fit."""
    assert summary.header is not None
    names, order = seat_names(summary.header, mine=mine), own_first(summary.header)
    own, totals = order[0] if len(summary.header.people) == 1 else None, list(map(signed, summary.totals))
    short_names = shorten_names_to_fit(names, room - sum(map(len, totals)) - 3 * len(names) + 2)
    said = [(short_names[seat], totals[seat]) for seat in order]
    widths = [cell_len(name) + 1 + len(total) for name, total in said]
    apart = 3 if sum(widths) + 3 * (len(said) - 1) <= room else 2
    text, x = where.canvas.theme.inks.text, INDENT
    for seat, (name, total), width in zip(order, said, widths, strict=True):
        if x + width > INDENT + room:
            return
        mine = seat == own
        where.text(x, row, name.capitalize() if mine else name, text if mine else where.muted, bold=mine)
        where.text(x + cell_len(name) + 1, row, total, text, bold=mine)
        x += width + apart


def paint_game_line(where: Place, game: GameInfo, *, odd: bool) -> None:
    """Paint a game on one row: a card, the name, a description, seats and length."""
    full = where.width >= FULL
    chip = where.x + (5 if odd and full else 1)
    card_faces.card(where.canvas, chip, where.y, card_faces.CHIP, emblem(game)[0])
    where.text(10 if full else 6, 0, game.title, where.name, bold=True)
    if not full:
        where.text(16, 0, game.summary, where.muted)
        return
    where.text(21, 0, game.summary, where.muted, most=38)
    where.text(60, 0, seats_of(game), where.canvas.theme.inks.text)
    where.right(0, game.length, where.muted)


def paint_game_block(where: Place, game: GameInfo) -> None:
    """Paint a game on three rows, with the three cards of its emblem."""
    cards = emblem(game)
    for i, which in enumerate(cards):
        shown = STEP if i < len(cards) - 1 else 0
        card_faces.card(where.canvas, where.x + INDENT + STEP * i, where.y, card_faces.SMALL, which, shown=shown)
    where.text(17, 0, game.title, where.name, bold=True)
    where.text(17, 1, game.summary, where.muted)
    where.text(17, 2, f"{seats_of(game)} seats · {game.length}", where.quiet)


def paint_headings(where: Place) -> None:
    """Paint the headings of the table columns."""
    inks = where.canvas.theme.inks
    where.text(0, 0, "Tables", inks.text, bold=True)
    if where.width >= FULL:
        where.text(10, 0, where.canvas.look.keys.format_keys("unfinished; {play} goes on"), inks.quiet)
        where.text(ROUND, 0, "round", inks.quiet)
        where.text(TOTALS, 0, "totals", inks.quiet)


def paint_panel_heading(where: Place, text: str, aside: str = "") -> None:
    """Paint a heading of the panel."""
    where.text(INDENT, 0, text, where.canvas.theme.inks.text, bold=True)
    where.right(0, aside, where.quiet)


def paint_hint(where: Place, text: str) -> None:
    """Paint a hint in place of an empty list."""
    x = 10 if where.width >= FULL else INDENT
    for row, line in enumerate(wrap(text, where.width - x)):
        where.text(x, row, line, where.quiet)


def paint_table_line(where: Place, summary: Summary, known_as: str, now: datetime, *, mine: bool) -> None:
    """Paint a table on one row (game, players, round, totals, age), and its name on a second one.

    For a file that cannot be opened, the row has the reason.
    """
    full = where.width >= FULL
    name = 10 if full else INDENT
    value = name + (11 if full else 13)
    if summary.header is None:
        x = where.text(name, 0, title_of(summary), where.name, most=27, bold=True) - where.x
        where.text(x + 1, 0, open_error(summary), where.canvas.theme.inks.loss)
        return
    where.text(name, 0, title_of(summary), where.name, most=value - name - 1, bold=True)
    where.text(name, 1, known_as, where.muted)
    ago = where.right(0, age_of(summary, now), where.quiet)
    if not full:
        where.text(value, 0, f"round {round_of(summary)}", where.muted, most=ago - value - 1)
        return
    room = ROUND - value - 1
    where.text(value, 0, _players(summary, summary.header, room, mine=mine), where.muted, most=room)
    where.text(ROUND, 0, round_of(summary), where.canvas.theme.inks.text, most=TOTALS - ROUND - 1)
    where.text(TOTALS, 0, _totals(summary, summary.header), where.canvas.theme.inks.text, most=ago - TOTALS - 1)


def paint_table_block(where: Place, summary: Summary, known_as: str, now: datetime, *, mine: bool) -> None:
    """Paint a table on three rows of the panel, its name on a fourth one."""
    text = where.canvas.theme.inks.text
    if summary.header is None:
        where.text(INDENT, 0, title_of(summary), where.name, bold=True)
        first, *rest = wrap(open_error(summary), where.width - INDENT)
        where.text(INDENT, 1, first, where.canvas.theme.inks.loss)
        where.text(INDENT, 2, " ".join(rest), where.canvas.theme.inks.loss)
        return
    ago = where.right(0, age_of(summary, now), where.quiet)
    where.text(INDENT, 0, title_of(summary), where.name, most=ago - INDENT - 1, bold=True)
    at = where.right(1, f"round {round_of(summary)}", where.muted)
    room = at - INDENT - 1
    where.text(INDENT, 1, _players(summary, summary.header, room, mine=mine), where.muted, most=room)
    where.text(INDENT, 2, _totals(summary, summary.header), text)
    where.text(INDENT, 3, known_as, where.muted)


def paint_deal_line(where: Place, game: GameInfo, session: Summary | None, *, known: bool) -> None:
    """Paint the deal of the day on one row: the game and the result."""
    full = where.width >= FULL
    name = 10 if full else INDENT
    if full:
        where.text(int(where.at), 0, "Today", where.canvas.theme.inks.text, bold=True)
    said = where.right(0, result(session) if known else "", where.quiet)
    x = where.text(name, 0, game.title, where.name, bold=True) - where.x
    x = 21 if full else x + 1
    where.text(x, 0, "deal of the day, the same for all" if full else "deal of the day", where.muted, most=said - x - 1)


def paint_deal_block(where: Place, game: GameInfo, session: Summary | None, *, known: bool) -> None:
    """Paint the deal of the day on three rows of the panel."""
    where.text(INDENT, 0, game.title, where.name, bold=True)
    where.text(INDENT, 1, "the same cards for everybody", where.muted)
    where.text(INDENT, 2, result(session) if known else "", where.quiet)


def picker_keys(names: Sequence[str]) -> list[str]:
    """Return those of the names that are keys of the picker."""
    there = {key.name for key in PICKER}
    return [name for name in names if name in there]


def paint_also_line(where: Place, item: object) -> None:
    """Paint the further keys on one row, as many as fit."""
    full = where.width >= FULL
    x = 10 if full else INDENT
    if full:
        where.text(0, 0, "Also", where.canvas.theme.inks.text, bold=True)
    words = {name: _word(name, item) for name in _working(_ALSO, item)}
    widths = [cell_len(f"{where.canvas.look.keys.label(name)} {word}") for name, word in words.items()]
    together = sum(width + 3 for name, width in zip(words, widths, strict=True) if name != "palette") - 3
    gap = 3 if x + together <= where.width else 2
    for (name, word), width in zip(words.items(), widths, strict=True):
        if x + width > where.width:
            return
        x = _key(where, x, 0, name, word) + gap


def also_rows() -> int:
    """Return the number of rows of the keys in the panel."""
    return len(picker_keys((*PAGES, *_ALSO)))


def paint_also_block(where: Place, item: object) -> None:
    """Paint the further keys and the pages of the footer, each on a row of the panel."""
    for row, name in enumerate(_working((*PAGES, *_ALSO), item)):
        _key(where, INDENT, row, name, _word(name, item))


def can_be_watched(item: object) -> bool:
    """Return True if the item can be watched: robots, or a session dealt by this program."""
    if not isinstance(item, Summary):
        return True
    return item.header is not None and not item.real_cards and not item.is_club_only


def _working(names: Sequence[str], item: object) -> list[str]:
    """Return those of the names that are keys of the picker and have an effect on `item`, the item under the cursor."""
    return [name for name in picker_keys(names) if name != "watch" or can_be_watched(item)]


def _word(name: str, item: object) -> str:
    if name == "watch":
        return "watch it" if isinstance(item, Summary) else "watch robots"
    return find_binding(PICKER, name).label


def _key(where: Place, x: int, row: int, name: str, word: str) -> int:
    """Paint a clickable key with its label; return the column after it."""
    start, sign = where.x + x, where.canvas.look.keys.label(name)
    end = where.text(x, row, sign, where.canvas.theme.inks.text, bold=True) + 1
    end = where.text(end - where.x, row, word, where.muted)
    where.canvas.add_hit_box(start, where.y + row, end - start, 1, Press(name))
    return end - where.x


def _players(summary: Summary, header: Header, width: int, *, mine: bool) -> str:
    names = seat_names(header, mine=mine)
    kind = "real cards: " if summary.real_cards else ""
    return kind + in_a_line([names[seat] for seat in own_first(header)], width - len(kind))


def _totals(summary: Summary, header: Header) -> str:
    return " ".join([signed(summary.totals[seat]) for seat in own_first(header)])
