"""What is known of a player: at the right side of the players' page."""

from datetime import datetime
from typing import NamedTuple

from cardtable.engine.text import clean
from cardtable.store.profiles import FIRST_CREDITS, Profile
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import cut, wrap
from cardtable.ui.players.form import LABELS
from cardtable.ui.players.players import Kind, PlayerLine, Players
from cardtable.wording.players import MOVED, TRUTH
from cardtable.wording.words import day, gained


def paint_facts(canvas: Canvas, players: Players, x: int, width: int) -> None:
    """Facts and ledger, or what a guest and robots are."""
    inks, profile, y = canvas.theme.inks, players.profile, 2
    canvas.text(x, y, players.line.name, inks.text, bold=True)
    y += 2
    if profile is None:
        _paint_words(canvas, x, y, width, _about(players.line), inks.muted)
        return
    for label, fact in _facts(profile):
        canvas.text(x, y, label, inks.muted)
        canvas.text(x + LABELS, y, cut(fact, width - LABELS), inks.text)
        y += 1
    y = _paint_ledger(canvas, players, profile, x, y + 1, width)
    truth = wrap(TRUTH, width)
    if y + 1 + len(truth) < canvas.height:
        _paint_words(canvas, x, y + 1, width, TRUTH, inks.quiet)


def _about(line: PlayerLine) -> str:
    if line.kind is Kind.GUEST:
        return "You are Guest until you sign in. A guest may play everything except for credits, and is not rated."
    return f"Robots of the level {line.name}. At a table robots of any level are called Ada, Bo, Cy, Dee, Eve or Fay."


def _facts(profile: Profile) -> list[tuple[str, str]]:
    password = "none" if profile.password is None else "not given yet" if profile.locked else "given since the start"
    return [
        ("Real name", clean(profile.name) or "not told"),
        ("E-mail", profile.email or "not told"),
        ("Password", password),
        *[("Taking turns", "asked only once" if profile.ask_once else "asked each turn")]
        * (profile.password is not None),
        ("Credits", str(profile.credits)),
    ]


class _Row(NamedTuple):
    """A row of the ledger."""

    when: str
    what: str
    change: int


def _rows(profile: Profile) -> list[_Row]:
    """The movements, the newest first, and what there was before them: together they are what there is."""
    moves = [_Row(_day(move.at), MOVED[move.why], move.change) for move in reversed(profile.ledger)]
    return [*moves, _Row("", "to begin with", FIRST_CREDITS)]


def _day(at: str) -> str:
    """Return the day of a movement, in the local time zone."""
    try:
        return day(datetime.fromisoformat(at).astimezone())
    except (ValueError, OverflowError):
        return "no date"


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


def _paint_words(canvas: Canvas, x: int, y: int, width: int, text: str, ink: str) -> None:
    """As much of the text as there is room for above the footer."""
    for row, line in enumerate(wrap(text, width), y):
        if row < canvas.height - 1:
            canvas.text(x, row, line, ink)
