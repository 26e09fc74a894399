"""Painters of the picker's items: the session to resume, games, tables, the deal of the day, and further keys."""

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
"""Width of the visible part of a card under another one, in columns."""
FULL: Final = 76
"""Minimum width, in columns, of a line that shows everything; a narrower line shows the name and one value."""
ROUND: Final = 37
TOTALS: Final = 47
"""Columns at which the round and the totals of a table begin."""
_ALSO: Final = ("score_table", "players", "watch", "settings", "palette")
"""Names of the key bindings listed below the items; in a large terminal, ``FOOTER_PAGES`` are listed with them."""
PAGES: Final = ("archive", "rankings", "statistics")
"""Names of the pages that the footer offers."""
_BESIDE_HAND: Final = 35
"""Width reserved for the text beside the hand, in columns."""


def emblem(game: GameInfo) -> list[Card]:
    """Return the three cards of the game's emblem."""
    return [card(name) for name in game.emblem.split()]


def seats_of(game: GameInfo) -> str:
    """Format the possible numbers of seats: ``4``, ``2-4`` or ``4, 6``."""
    seats = game.seats
    if len(seats) > 1 and seats == tuple(range(seats[0], seats[-1] + 1)):
        return f"{seats[0]}-{seats[-1]}"
    return ", ".join(map(str, seats))


def age_of(summary: Summary, now: datetime) -> str:
    """Format the time since the session was last played."""
    return age(datetime.fromtimestamp(summary.played, UTC), now)


def paint_go_on(
    area: Place,
    summary: Summary,
    preview: "SessionPreview | None",
    known_as: str,
    now: datetime,
    *,
    mine: bool,
    tall: bool,
) -> None:
    """Paint the session to resume: its game, totals and hand.

    ``preview`` is ``None`` if the journal cannot be previewed; ``known_as`` distinguishes the session from others of
    the same game, if not empty; ``mine`` is True if the current player sits at the table.
    """
    size, top = (card_faces.FULL, 1) if tall else (card_faces.SMALL, 0)
    room = area.width - INDENT
    if preview is not None and area.width >= FULL:
        room = _paint_hand(area, size, preview, area.width - (INDENT + 1 if tall else 1)) - INDENT - 1
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
    area.text(INDENT, top, together, area.name, most=room, bold=True)
    area.text(INDENT, top + (1 if tall else 2), join_fitting(rest, " · ", room), area.muted)
    _paint_totals(area, top + (2 if tall else 1), summary, room, mine=mine)


def _paint_hand(area: Place, size: card_faces.Size, preview: "SessionPreview", end: int) -> int:
    """Paint the hand, or backs of cards, up to column ``end``; return the number of free columns before it.

    Cards that do not fit are counted, as in "+3".
    """
    number = len(preview.hand) or preview.backs
    shown = min(number, (end + 1 - _BESIDE_HAND - size.width) // STEP + 1)
    if not shown:
        return end + 1
    first = end + 1 - (shown - 1) * STEP - size.width
    for i in range(shown):
        x = area.x + first + STEP * i
        if preview.hand:
            card_faces.card(area.canvas, x, area.y, size, preview.hand[i], shown=STEP if i < shown - 1 else 0)
        else:
            card_faces.back(area.canvas, x, area.y, size)
    more = f"+{number - shown}" if shown < number else ""
    area.text(first - len(more) - 1, size.height // 2, more, area.muted)
    return first - len(more)


def _paint_totals(area: Place, row: int, summary: Summary, room: int, *, mine: bool) -> None:
    """Paint the players' names with their totals, the current player first, as many as fit into ``room`` columns."""
    assert summary.header is not None
    names, order = seat_names(summary.header, mine=mine), own_first(summary.header)
    own, totals = order[0] if len(summary.header.people) == 1 else None, list(map(signed, summary.totals))
    short_names = shorten_names_to_fit(names, room - sum(map(len, totals)) - 3 * len(names) + 2)
    said = [(short_names[seat], totals[seat]) for seat in order]
    widths = [cell_len(name) + 1 + len(total) for name, total in said]
    apart = 3 if sum(widths) + 3 * (len(said) - 1) <= room else 2
    text, x = area.canvas.theme.inks.text, INDENT
    for seat, (name, total), width in zip(order, said, widths, strict=True):
        if x + width > INDENT + room:
            return
        mine = seat == own
        area.text(x, row, name.capitalize() if mine else name, text if mine else area.muted, bold=mine)
        area.text(x + cell_len(name) + 1, row, total, text, bold=mine)
        x += width + apart


def paint_game_line(area: Place, game: GameInfo, *, odd: bool) -> None:
    """Paint a game in one row: a card, title, summary, seats and length. The cards of ``odd`` rows are indented."""
    full = area.width >= FULL
    chip = area.x + (5 if odd and full else 1)
    card_faces.card(area.canvas, chip, area.y, card_faces.CHIP, emblem(game)[0])
    area.text(10 if full else 6, 0, game.title, area.name, bold=True)
    if not full:
        area.text(16, 0, game.summary, area.muted)
        return
    area.text(21, 0, game.summary, area.muted, most=38)
    area.text(60, 0, seats_of(game), area.canvas.theme.inks.text)
    area.right(0, game.length, area.muted)


def paint_game_block(area: Place, game: GameInfo) -> None:
    """Paint a game in three rows, with the cards of its emblem."""
    cards = emblem(game)
    for i, which in enumerate(cards):
        shown = STEP if i < len(cards) - 1 else 0
        card_faces.card(area.canvas, area.x + INDENT + STEP * i, area.y, card_faces.SMALL, which, shown=shown)
    area.text(17, 0, game.title, area.name, bold=True)
    area.text(17, 1, game.summary, area.muted)
    area.text(17, 2, f"{seats_of(game)} seats · {game.length}", area.quiet)


def paint_headings(area: Place) -> None:
    """Paint the headings above the tables."""
    inks = area.canvas.theme.inks
    area.text(0, 0, "Tables", inks.text, bold=True)
    if area.width >= FULL:
        area.text(10, 0, area.canvas.look.keys.format_keys("unfinished; {play} goes on"), inks.quiet)
        area.text(ROUND, 0, "round", inks.quiet)
        area.text(TOTALS, 0, "totals", inks.quiet)


def paint_panel_heading(area: Place, text: str, aside: str = "") -> None:
    area.text(INDENT, 0, text, area.canvas.theme.inks.text, bold=True)
    area.right(0, aside, area.quiet)


def paint_hint(area: Place, text: str) -> None:
    """Paint a hint where a list would be, wrapped."""
    x = 10 if area.width >= FULL else INDENT
    for row, line in enumerate(wrap(text, area.width - x)):
        area.text(x, row, line, area.quiet)


def paint_table_line(area: Place, summary: Summary, known_as: str, now: datetime, *, mine: bool) -> None:
    """Paint a table in one row (game, players, round, totals, age), and ``known_as`` in a second row.

    A file that cannot be opened has the reason instead.
    """
    full = area.width >= FULL
    name = 10 if full else INDENT
    value = name + (11 if full else 13)
    if summary.header is None:
        x = area.text(name, 0, title_of(summary), area.name, most=27, bold=True) - area.x
        area.text(x + 1, 0, open_error(summary), area.canvas.theme.inks.loss)
        return
    area.text(name, 0, title_of(summary), area.name, most=value - name - 1, bold=True)
    area.text(name, 1, known_as, area.muted)
    ago = area.right(0, age_of(summary, now), area.quiet)
    if not full:
        area.text(value, 0, f"round {round_of(summary)}", area.muted, most=ago - value - 1)
        return
    room = ROUND - value - 1
    area.text(value, 0, _players(summary, summary.header, room, mine=mine), area.muted, most=room)
    area.text(ROUND, 0, round_of(summary), area.canvas.theme.inks.text, most=TOTALS - ROUND - 1)
    area.text(TOTALS, 0, _totals(summary, summary.header), area.canvas.theme.inks.text, most=ago - TOTALS - 1)


def paint_table_block(area: Place, summary: Summary, known_as: str, now: datetime, *, mine: bool) -> None:
    """Paint a table in three rows of the panel, and ``known_as`` in a fourth row."""
    text = area.canvas.theme.inks.text
    if summary.header is None:
        area.text(INDENT, 0, title_of(summary), area.name, bold=True)
        first, *rest = wrap(open_error(summary), area.width - INDENT)
        area.text(INDENT, 1, first, area.canvas.theme.inks.loss)
        area.text(INDENT, 2, " ".join(rest), area.canvas.theme.inks.loss)
        return
    ago = area.right(0, age_of(summary, now), area.quiet)
    area.text(INDENT, 0, title_of(summary), area.name, most=ago - INDENT - 1, bold=True)
    at = area.right(1, f"round {round_of(summary)}", area.muted)
    room = at - INDENT - 1
    area.text(INDENT, 1, _players(summary, summary.header, room, mine=mine), area.muted, most=room)
    area.text(INDENT, 2, _totals(summary, summary.header), text)
    area.text(INDENT, 3, known_as, area.muted)


def paint_deal_line(area: Place, game: GameInfo, session: Summary | None, *, known: bool) -> None:
    """Paint the deal of the day in one row: its game, and the result once the session has been looked up (``known``)."""
    full = area.width >= FULL
    name = 10 if full else INDENT
    if full:
        area.text(int(area.at), 0, "Today", area.canvas.theme.inks.text, bold=True)
    said = area.right(0, result(session) if known else "", area.quiet)
    x = area.text(name, 0, game.title, area.name, bold=True) - area.x
    x = 21 if full else x + 1
    area.text(x, 0, "deal of the day, the same for all" if full else "deal of the day", area.muted, most=said - x - 1)


def paint_deal_block(area: Place, game: GameInfo, session: Summary | None, *, known: bool) -> None:
    """Paint the deal of the day in three rows of the panel."""
    area.text(INDENT, 0, game.title, area.name, bold=True)
    area.text(INDENT, 1, "the same cards for everybody", area.muted)
    area.text(INDENT, 2, result(session) if known else "", area.quiet)


def picker_keys(names: Sequence[str]) -> list[str]:
    """Filter ``names``: return the ones that are key bindings of the picker, in the same order."""
    there = {key.name for key in PICKER}
    return [name for name in names if name in there]


def paint_also_line(area: Place, item: object) -> None:
    """Paint the further keys in one row, as many as fit."""
    full = area.width >= FULL
    x = 10 if full else INDENT
    if full:
        area.text(0, 0, "Also", area.canvas.theme.inks.text, bold=True)
    words = {name: _word(name, item) for name in _working(_ALSO, item)}
    widths = [cell_len(f"{area.canvas.look.keys.label(name)} {word}") for name, word in words.items()]
    together = sum(width + 3 for name, width in zip(words, widths, strict=True) if name != "palette") - 3
    gap = 3 if x + together <= area.width else 2
    for (name, word), width in zip(words.items(), widths, strict=True):
        if x + width > area.width:
            return
        x = _key(area, x, 0, name, word) + gap


def also_rows() -> int:
    """Return the number of rows that ``paint_key_block`` needs."""
    return len(picker_keys((*PAGES, *_ALSO)))


def paint_also_block(area: Place, item: object) -> None:
    """Paint the keys of the footer's pages and the further keys, each in a row of the panel."""
    for row, name in enumerate(_working((*PAGES, *_ALSO), item)):
        _key(area, INDENT, row, name, _word(name, item))


def can_be_watched(item: object) -> bool:
    """Return True if the item can be watched: a game, which robots then play, or a session that this program dealt."""
    if not isinstance(item, Summary):
        return True
    return item.header is not None and not item.real_cards and not item.is_club_only


def _working(names: Sequence[str], item: object) -> list[str]:
    """Filter ``names``: return the key bindings of the picker that have an effect on ``item``."""
    return [name for name in picker_keys(names) if name != "watch" or can_be_watched(item)]


def _word(name: str, item: object) -> str:
    if name == "watch":
        return "watch it" if isinstance(item, Summary) else "watch robots"
    return find_binding(PICKER, name).label


def _key(area: Place, x: int, row: int, name: str, word: str) -> int:
    """Paint a key with its label, which a click presses; return the column after it."""
    start, sign = area.x + x, area.canvas.look.keys.label(name)
    end = area.text(x, row, sign, area.canvas.theme.inks.text, bold=True) + 1
    end = area.text(end - area.x, row, word, area.muted)
    area.canvas.add_hit_box(start, area.y + row, end - start, 1, Press(name))
    return end - area.x


def _players(summary: Summary, header: Header, width: int, *, mine: bool) -> str:
    names = seat_names(header, mine=mine)
    kind = "real cards: " if summary.real_cards else ""
    return kind + in_a_line([names[seat] for seat in own_first(header)], width - len(kind))


def _totals(summary: Summary, header: Header) -> str:
    return " ".join([signed(summary.totals[seat]) for seat in own_first(header)])
