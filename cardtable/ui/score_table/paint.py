"""The score table of a game with real cards: the sheet, below it the round that is entered, beside it what is left."""

from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.contract import Score, Seat
from cardtable.scoring.entry import EntryState, Field
from cardtable.scoring.kit.asked import AskedChoice, AskedCount, AskedOption
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import cut, wrap
from cardtable.ui.draw.layout import grid_of
from cardtable.ui.score_table.panel import GONE, paint_panel
from cardtable.ui.score_table.scoring import Scoring, told_apart
from cardtable.wording.cards import SUIT_SIGNS
from cardtable.wording.titles import deal
from cardtable.wording.words import gained, ordinal, signed

PANEL: Final = 26
LARGE_PANEL: Final = 34
"""Columns of the panel, and where there is much room."""
TOP: Final = 5
"""The first row of the rounds."""
_ENTRY: Final = 10
_LARGE_ENTRY: Final = 14
"""Rows of the entry block; more where more is asked."""
_FIELD: Final = 6
"""Columns of a count."""
_X: Final = 3
"""Where words begin."""
_STAR: Final = "★"
_NAME: Final = 9
"""Columns of a name, with one free before it."""
_NOTE: Final = "A single count left out is filled in from the sum."


class Chosen(NamedTuple):
    """The mouse's target: an option."""

    name: str
    key: str


class Again(NamedTuple):
    """The mouse's target: a round that was entered."""

    number: int


class _Plan(NamedTuple):
    """Where columns and rows lie."""

    large: bool
    width: int
    """Columns without the panel."""
    entry: int
    """The first row of the entry block."""
    round_end: int
    who: int
    whose: list[str]
    """Names or what tells them apart, as they stand before a round."""
    title: int
    title_width: int
    ends: tuple[int, ...]
    """Where each player's points end."""
    step: int


def paint_scoring(canvas: Canvas, it: Scoring) -> None:
    """Everything between header and footer."""
    plan = _plan(canvas, it)
    _paint_band(canvas, plan, it)
    it.rows = max(plan.entry - TOP, 0)
    lines = it.sheet.rounds if plan.large and it.sheet.rounds and it.sheet.rounds <= it.rows else it.sheet.finished
    if it.follow:
        aim = min(it.number, lines)
        it.offset = max(min(it.offset, aim - 1), aim - it.rows)
    it.offset = max(0, min(it.offset, lines - it.rows))
    for place, number in enumerate(range(it.offset + 1, min(it.offset + it.rows, lines) + 1)):
        _paint_round(canvas, plan, it, TOP + place, number)
    _paint_entry(canvas, plan, it)
    if plan.width < canvas.width:
        paint_panel(canvas, it, canvas.width - plan.width, large=plan.large)


def _plan(canvas: Canvas, it: Scoring) -> _Plan:
    grid, seats = grid_of(canvas), it.sheet.seats
    round_end, who, edge = (7, 10, 9) if grid.large else (4, 6, 1)
    whose = [cut(name, 8) for name in it.names] if grid.large else told_apart(it.names, 1)
    title = who + max(map(cell_len, whose)) + 1
    longest = max([len("deal"), *[card_faces.shown_width(deal(score, short=True)) for score in it.sheet.scores]])
    titles = max(longest, 8) if it.sheet.left() else longest

    def steps(width: int) -> int:
        """Columns a player, if the panel leaves so many for all."""
        return (width - edge - (title + titles) - _FIELD - 1) // (seats - 1)

    panel = 0 if grid.tiny else LARGE_PANEL if grid.large else PANEL
    if not it.sheet.left() and steps(canvas.width - panel) < _NAME:
        panel = 0  # it tells what the band does
    width = canvas.width - panel
    step = max(min(steps(width), 14 if grid.large else _NAME), 5)
    first = min(width - 1 - edge - step * (seats - 1), title + titles + (9 if grid.large else 8))
    ends = tuple([first + step * seat for seat in range(seats)])
    needed = 1 + len(_choice_lines(it, width)) + len(it.entry.asked.rows) + 2
    height = max(_LARGE_ENTRY if grid.large else _ENTRY, needed)
    entry = canvas.height - 1 - min(height, canvas.height - 1 - TOP)
    return _Plan(grid.large, width, entry, round_end, who, whose, title, titles, ends, step)


def _paint_band(canvas: Canvas, plan: _Plan, it: Scoring) -> None:
    """Names and totals, which never scroll."""
    inks = canvas.theme.inks
    canvas.fill(0, 1, plan.width, 3, canvas.theme.grounds.mat)
    canvas.text(_X, 3, "round", inks.muted)
    canvas.text(max(plan.who, _X + 6), 3, "contract" if it.sheet.left() else "deal", inks.muted)
    leads = it.sheet.places() if it.sheet.finished else ()
    names = [cut(name, plan.step - 1) for name in it.names]
    if len(set(names)) < len(names):
        names = told_apart(it.names, 1)
    for seat, end in enumerate(plan.ends):
        canvas.right(end, 2, names[seat], inks.text, bold=True)
        start = canvas.right(end, 3, signed(it.sheet.totals[seat]), inks.text, bold=True)
        if leads and leads[seat] == 1:
            canvas.right(start - 2, 3, _STAR, inks.gold)


def _paint_round(canvas: Canvas, plan: _Plan, it: Scoring, y: int, number: int) -> None:
    inks, sheet = canvas.theme.inks, it.sheet
    here = number == it.number and not it.shut
    done = number <= sheet.finished
    if here and done:
        canvas.fill(0, y, plan.width, 1, canvas.theme.grounds.row)
        canvas.text(0, y, "▌", inks.text)
    who = sheet.whose[number - 1] if done else sheet.turn(number)
    ink = inks.text if here else inks.muted if done else inks.quiet
    canvas.right(plan.round_end, y, str(number), ink, bold=here)
    if who is not None:
        canvas.text(plan.who, y, plan.whose[who], ink)
    if not done:
        return
    canvas.spot(0, y, plan.width, 1, Again(number))
    score = sheet.scores[number - 1]
    card_faces.words(canvas, plan.title, y, deal(score, short=True), inks.soft, most=max(plan.title_width, 1))
    for seat, end in enumerate(plan.ends):
        _paint_points(canvas, end, y, score, seat)
        if plan.large and plan.step >= 12:
            canvas.right(end + 6, y, signed(score.totals[seat]), inks.quiet)


def _paint_points(canvas: Canvas, end: int, y: int, score: Score, seat: Seat) -> None:
    inks, points = canvas.theme.inks, score.points[seat]
    ink = inks.loss if points < 0 else inks.text if points else inks.quiet
    canvas.right(end, y, gained(points) if points else GONE, ink, bold=bool(score.bonuses[seat]))


def _paint_entry(canvas: Canvas, plan: _Plan, it: Scoring) -> None:
    theme, top = canvas.theme, plan.entry
    height = canvas.height - 1 - top
    canvas.fill(0, top, plan.width, height, theme.grounds.mat)
    canvas.spot(0, top, plan.width, height, None)
    if it.over or it.shut:
        _paint_over(canvas, plan, it)
        return
    choices, rows = _choice_lines(it, plan.width), it.entry.asked.rows
    above, after_heading, before_rows, before_verdict = _gaps(height - (1 + len(choices) + len(rows) + 2))
    y = top + above
    canvas.text(_X, y, cut(_heading(it), plan.width - _X - 2), theme.inks.text, bold=True)
    y += 1 + after_heading
    for line in choices:
        _paint_choices(canvas, y, it, line)
        y += 1
    y += before_rows
    for row in rows:
        _paint_row(canvas, plan, it, y, row)
        y += 1
    _paint_gains(canvas, plan, it, y)
    y += 1 + before_verdict
    verdict = it.entry.verdict()
    _paint_verdict(canvas, plan, y, verdict)
    if height >= _LARGE_ENTRY and y + 2 < top + height and any(row.together for row in rows):
        canvas.text(_X, y + 2, _NOTE, theme.inks.muted)


def _gaps(spare: int) -> tuple[int, int, int, int]:
    """Free rows above the heading, below it, before the counts and before the verdict; one is left below all."""
    gaps = [0, 0, 0, 0]
    for place in (0, 2, 1, 3, -1, 2, -1, -1, -1)[: max(spare, 0)]:
        if place >= 0:
            gaps[place] += 1
    return gaps[0], gaps[1], gaps[2], gaps[3]


def _heading(it: Scoring) -> str:
    asked = it.entry.asked
    does = f"{it.names[asked.who]} {asked.does}"
    return f"Round {it.number} again: {does}" if it.again else f"Round {it.number}: {does}"


def _paint_over(canvas: Canvas, plan: _Plan, it: Scoring) -> None:
    """The places of a session that is over, or why nothing can be entered."""
    inks, y = canvas.theme.inks, plan.entry + 1
    heading = "The session is over" if it.sheet.ended else "This score table can only be looked at"
    canvas.text(_X, y, heading, inks.text, bold=True)
    if not it.sheet.ended:
        canvas.text(_X, y + 2, cut(it.shut, plan.width - _X - 2), inks.muted)
        return
    x, y = _X, y + 2
    for place, seat in sorted(zip(it.sheet.places(), range(it.sheet.seats), strict=True)):
        said = f"{ordinal(place)} {it.names[seat]} {signed(it.sheet.totals[seat])}"
        if x > _X and x + cell_len(said) > plan.width - 2:
            x, y = _X, y + 1
        x = canvas.text(x, y, said, inks.text, bold=place == 1) + 3
    enter, undo = canvas.look.keys.label("play"), canvas.look.keys.label("take_back")
    said = "" if it.shut else f"{enter} puts the sheet into the archive; {undo} takes the last round back."
    for line in wrap(said, plan.width - _X - 2):
        y += 1
        canvas.text(_X, y + 1, line, inks.muted)


class _Line(NamedTuple):
    """A line of options, and the label before them."""

    choice: AskedChoice
    label: str
    options: list[AskedOption]


def _choice_lines(it: Scoring, width: int) -> list[_Line]:
    """The options in lines of the block; what the block is mostly about needs no label."""
    lines: list[_Line] = []
    for choice in it.entry.asked.choices:
        bare = choice.name == "contract"
        lines.append(_Line(choice, "" if bare else choice.label, []))
        used = start = _X + (0 if bare else _LABEL)
        for option in choice.options:
            wide = card_faces.shown_width(_told(it, option)) + 2
            if used + wide > width and lines[-1].options:
                lines.append(_Line(choice, "", []))
                used = start
            lines[-1].options.append(option)
            used += wide
    return lines


_LABEL: Final = 10
"""Columns of a label before options."""


def _told(it: Scoring, option: AskedOption) -> str:
    """What an option is called: a seat by its name, a suit by its sign."""
    if option.suit is not None:
        return SUIT_SIGNS[option.suit]
    return option.label if option.seat is None else cut(it.names[option.seat], 8)


def _paint_choices(canvas: Canvas, y: int, it: Scoring, line: _Line) -> None:
    theme, choice = canvas.theme, line.choice
    at = it.entry.at == Field(choice.name)
    if at:
        canvas.text(_X - 2, y, "▌", theme.inks.gold)
    canvas.text(_X, y, line.label, theme.inks.text if at else theme.inks.soft, bold=at)
    x = _X + (0 if choice.name == "contract" else _LABEL)
    for option in line.options:
        told = _told(it, option)
        wide = card_faces.shown_width(told)
        canvas.spot(x - 1, y, wide + 2, 1, Chosen(choice.name, option.key))
        if it.entry.chosen.get(choice.name) == option.key:
            canvas.fill(x - 1, y, wide + 2, 1, theme.cards.face)
            card_faces.words(canvas, x, y, told, theme.suits.face[3], bold=True, suits=theme.suits.face)
        else:
            card_faces.words(canvas, x, y, told, theme.inks.off if option.closed else theme.inks.text)
        x += wide + 2


def _paint_row(canvas: Canvas, plan: _Plan, it: Scoring, y: int, row: AskedCount) -> None:
    theme = canvas.theme
    canvas.text(_X, y, cut(row.label, plan.ends[0] - _FIELD - _X), theme.inks.text)
    typed, counts = it.entry.typed(row), it.entry.counts(row)
    for seat in row.seats:
        x = plan.ends[seat] - _FIELD + 1
        at = it.entry.at == Field(row.name, seat)
        width = min(_FIELD, plan.step - 1)
        canvas.fill(x + _FIELD - width, y, width, 1, theme.inks.gold if at else theme.grounds.panel)
        canvas.spot(x + _FIELD - width, y, width, 1, Field(row.name, seat))
        if counts[seat] is None:
            continue
        ink = theme.grounds.panel if at else theme.inks.text if typed[seat] is not None else theme.inks.muted
        canvas.right(plan.ends[seat] - 1, y, str(counts[seat]), ink, bold=typed[seat] is not None)


def _paint_gains(canvas: Canvas, plan: _Plan, it: Scoring, y: int) -> None:
    inks = canvas.theme.inks
    gains, weight = it.entry.gains()
    if weight > 1:
        canvas.text(_X, y, f"counts ×{weight}", inks.muted)
    for end, points in zip(plan.ends, gains, strict=True):
        if points is not None:
            canvas.right(end, y, signed(points), inks.soft)


def _paint_verdict(canvas: Canvas, plan: _Plan, y: int, verdict: EntryState) -> None:
    inks = canvas.theme.inks
    ink = inks.loss if verdict.too_much else inks.text
    words = verdict.words[:1].upper() + verdict.words[1:]
    canvas.text(_X, y, cut(words, plan.width - _X - 1), ink, bold=True)
