"""The players' page: the list at the left, what is known of one of them or a form at the right."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from cardtable.store.profiles import FIRST_CREDITS, Profile
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import GAP, INDENT, Block, Place, paint_column
from cardtable.ui.draw.entry import masked, paint_entry
from cardtable.ui.draw.fitting import cut, wrap
from cardtable.ui.draw.layout import MARGIN, grid_of
from cardtable.ui.players.form import Asked, Field, Form, Kind, Player, Players
from cardtable.wording.players import MOVED, TRUTH
from cardtable.wording.words import day, gained

_LEFT: Final = 42
_LARGE_LEFT: Final = 66
_LABELS: Final = 13
"""Columns of what a fact or a line is called."""
_WHAT: Final = {Kind.PROFILE: "", Kind.GUEST: "plays without a profile", Kind.ROBOT: "robots of this level"}


class Line(NamedTuple):
    """The mouse's target: a line of the form."""

    number: int


def paint_players(canvas: Canvas, players: Players) -> None:
    """Everything between header and footer."""
    grid = grid_of(canvas)
    if grid.tiny and players.asked:
        _paint_form(canvas, players.asked, MARGIN, canvas.width - 2 * MARGIN)
        return
    left = canvas.width if grid.tiny else _LARGE_LEFT if grid.large else _LEFT
    width = left - 2 * MARGIN
    blocks = _list(players, width)
    at = Line(-1) if players.asked else players.cursor
    paint_column(canvas, blocks, MARGIN, width, cursor=at, offset=0, follow=True)
    if grid.tiny:
        return
    canvas.fill(left, 1, canvas.width - left, canvas.height - 2, canvas.theme.grounds.panel)
    room = canvas.width - left - MARGIN
    if players.asked:
        _paint_form(canvas, players.asked, left, room)
    else:
        _paint_facts(canvas, players, left + INDENT, room - INDENT)


def _list(players: Players, width: int) -> list[Block]:
    blocks = [Block(1, partial(_paint_heading, text="Players")), GAP]
    for number, line in enumerate(players.lines):
        if number and line.kind is not players.lines[number - 1].kind:
            blocks.append(GAP)
        blocks.append(Block(1, partial(_paint_line, players=players, line=line), number))
    words = wrap(players.trouble, width - INDENT) if players.trouble else []
    return [*blocks, *([GAP, Block(len(words), partial(_paint_trouble, words=words))] if words else [])]


def _paint_heading(where: Place, text: str) -> None:
    where.text(INDENT, 0, text, where.canvas.theme.inks.text, bold=True)


def _paint_trouble(where: Place, words: Sequence[str]) -> None:
    for row, line in enumerate(words):
        where.text(INDENT, row, line, where.canvas.theme.inks.loss)


def _paint_line(where: Place, players: Players, line: Player) -> None:
    inks = where.canvas.theme.inks
    if line.name == players.me:
        where.text(1, 0, "\u2022", inks.text, bold=True)
    where.text(INDENT, 0, line.name, where.name, bold=True)
    profile = players.book.find(line.name) if line.kind is Kind.PROFILE else None
    if profile:
        where.right(0, str(profile.credits), inks.text)
    what = "signed in" if profile and line.name == players.me else _WHAT[line.kind]
    where.text(INDENT + 10, 0, what, where.muted)


def _paint_facts(canvas: Canvas, players: Players, x: int, width: int) -> None:
    inks, profile, y = canvas.theme.inks, players.profile, 2
    canvas.text(x, y, players.line.name, inks.text, bold=True)
    y += 2
    if profile is None:
        _paint_words(canvas, x, y, width, _about(players.line), inks.muted)
        return
    for label, fact in _facts(profile):
        canvas.text(x, y, label, inks.muted)
        canvas.text(x + _LABELS, y, cut(fact, width - _LABELS), inks.text)
        y += 1
    y = _paint_ledger(canvas, players, profile, x, y + 1, width)
    truth = wrap(TRUTH, width)
    if y + 1 + len(truth) < canvas.height:
        _paint_words(canvas, x, y + 1, width, TRUTH, inks.quiet)


def _about(line: Player) -> str:
    if line.kind is Kind.GUEST:
        return "Whoever has not signed in. A guest may play everything but for credits, and is not rated."
    return (
        f"Robots that play {line.name}. At a table they are called Ada, Bo, Cy, Dee, Eve and Fay, whatever their level."
    )


def _facts(profile: Profile) -> list[tuple[str, str]]:
    password = "none" if profile.password is None else "not given yet" if profile.locked else "given in this run"
    return [
        ("Real name", profile.name or "not told"),
        ("E-mail", profile.email or "not told"),
        ("Password", password),
        *[("Hot seat", "asked once a run" if profile.ask_once else "asked each time")] * (profile.password is not None),
        ("Credits", str(profile.credits)),
    ]


class _Row(NamedTuple):
    """A row of the ledger."""

    when: str
    what: str
    change: int


def _rows(profile: Profile) -> list[_Row]:
    """The movements, the newest first, and what there was before them: together they are what there is."""
    moves = [
        _Row(day(datetime.fromisoformat(move.at).astimezone()), MOVED[move.why], move.change)
        for move in reversed(profile.ledger)
    ]
    return [*moves, _Row("", "to begin with", FIRST_CREDITS)]


def _paint_ledger(canvas: Canvas, players: Players, profile: Profile, x: int, y: int, width: int) -> int:
    """The rows that fit; the first row of the screen below them."""
    inks, rows = canvas.theme.inks, _rows(profile)
    canvas.text(x, y, "Ledger", inks.text, bold=True)
    room = canvas.height - y - 3
    players.back = max(min(players.back, len(rows) - room), 0)
    shown = rows[players.back :][:room]
    if len(rows) > room:
        which = f"{players.back + 1} to {players.back + len(shown)} of {len(rows)}"
        canvas.right(x + width - 1, y, which, inks.quiet)
    for at, row in enumerate(shown, y + 1):
        lost = row.change < 0
        canvas.text(x, at, row.when, inks.quiet)
        canvas.text(x + 8, at, row.what, inks.muted)
        canvas.right(x + width - 1, at, gained(row.change), inks.loss if lost else inks.text, bold=lost)
    return y + 1 + len(shown)


def _paint_form(canvas: Canvas, asked: Asked, x: int, width: int) -> None:
    inks, grid = canvas.theme.inks, grid_of(canvas)
    large, roomy = grid.large, not (grid.large or grid.tiny)
    title = f"{asked.form.value}: {asked.nick}" if asked.nick else asked.form.value
    canvas.text(x + INDENT, 2, title, inks.text, bold=True)
    y = 4
    for number, each in enumerate(asked.fields):
        y += roomy and number > 0 and each.secret > asked.fields[number - 1].secret
        _paint_field(Place(canvas, x, y, width, number == asked.at), asked, each, number)
        y += 2 if large else 1
    y += not large
    words = wrap(asked.said, width - INDENT) if asked.said else []
    for row, line in enumerate(words, y):
        canvas.text(x + INDENT, row, line, inks.loss)
    hints = _hints(asked)
    _paint_words(canvas, x + INDENT, y + len(words) + bool(words), width - INDENT, hints, inks.quiet)


def _hints(asked: Asked) -> str:
    if asked.form is Form.ASK_ONCE:
        return "Where people take turns, too, it is asked for once a run then, and not each time the hand is shown."
    names = [each.name for each in asked.fields]
    if "nick" in names:
        return f"All but the nick may stay empty. {TRUTH}"
    return f"Without a new one there is none any more. {TRUTH}" if "password" in names else ""


def _paint_field(where: Place, asked: Asked, each: Field, number: int) -> None:
    if where.at:
        where.ground(1)
    where.canvas.spot(where.x, where.y, where.width, 1, Line(number))
    inks, entry, column = where.canvas.theme.inks, asked.entries[each.name], where.x + INDENT + _LABELS
    where.text(INDENT, 0, each.label, inks.loss if each.name in asked.wrong else where.name, bold=True)
    shown, width = masked(entry) if each.secret else entry, where.width - INDENT - _LABELS
    if where.at:
        paint_entry(where.canvas, column, where.y, width, shown, "")
    else:
        where.canvas.fill(column, where.y, width, 1, where.canvas.theme.grounds.track)
        where.canvas.text(column, where.y, cut(shown.text, width), inks.text)


def _paint_words(canvas: Canvas, x: int, y: int, width: int, text: str, ink: str) -> None:
    """As much of the text as there is room for above the footer."""
    for row, line in enumerate(wrap(text, width), y):
        if row < canvas.height - 1:
            canvas.text(x, row, line, ink)
