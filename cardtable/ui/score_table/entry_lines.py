"""The lines of the form in which a round is entered: what is asked, what it comes to, and what is wrong."""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from cardtable.scoring.entry import EntryField
from cardtable.scoring.kit.asked import AskedChoice, AskedCount
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.column import Place
from cardtable.ui.draw.fitting import cut
from cardtable.ui.page.rows import FREE, FormRow
from cardtable.ui.score_table.paint import FIELD, LARGE_ENTRY, ScorePlaces
from cardtable.ui.score_table.scoring import EDGE, Scoring, labelled, option_lines, options_x, told
from cardtable.wording.words import MINUS, signed

_NOTE: Final = "If you leave one count out, it follows from the sum."
_GAPS: Final = (0, 2, 1, 3, -1, 2, -1, -1, -1)
"""Where one free row after the other goes: above the heading (0), below it, above the counts, above the verdict (3), or
below all (-1)."""


class Chosen(NamedTuple):
    """The mouse's target: an option."""

    name: str
    key: str


class EntryLines:
    """Makes the lines; each is named by a field of it, the one under the cursor or what is above or below that."""

    def __init__(self, it: Scoring, places: ScorePlaces, types: Callable[[str, bool], bool]) -> None:
        self._it, self._places, self._types = it, places, types

    def made(self) -> list[FormRow]:
        """All of them, with as many free rows as there is room for."""
        asked, height = self._it.entry.asked, self._places.height
        choices, counts = [self._choice(each) for each in asked.choices], [self._count(row) for row in asked.rows]
        gaps = _GAPS[: max(height - sum(line.rows for line in (*choices, *counts)) - 3, 0)]
        free = [[FREE] * gaps.count(place) for place in range(4)]
        heading, gains, verdict = [FormRow(draw=draw) for draw in (self._head, self._gains, self._verdict)]
        lines = [*free[0], heading, *free[1], *choices, *free[2], *counts, gains, *free[3], verdict]
        rows = sum(line.rows for line in lines)
        if height >= LARGE_ENTRY and rows + 2 <= height and any(row.together for row in asked.rows):
            lines += [FREE, FormRow(draw=_paint_note)]
        return lines

    def _field(self, name: EntryField, draw: Callable[[Place], None], rows: int = 1) -> FormRow:
        entry = self._it.entry
        return FormRow(
            name=name, draw=draw, rows=rows, lit=False,
            steps=entry.step, types=self._types, rubs_out=entry.rub_out, ends=entry.end,
        )  # fmt: skip

    def _head(self, where: Place) -> None:
        it, asked = self._it, self._it.entry.asked
        again = " again" if it.again else ""
        heading = f"Round {it.number}{again}: {it.names[asked.who]} {asked.does}"
        where.text(EDGE, 0, heading, where.canvas.theme.inks.text, bold=True)

    def _choice(self, choice: AskedChoice) -> FormRow:
        rows = len(option_lines(self._it, choice, self._places.width))
        return self._field(EntryField(choice.name), partial(self._paint_choice, choice=choice), rows)

    def _paint_choice(self, where: Place, choice: AskedChoice) -> None:
        canvas, theme, it, x = where.canvas, where.canvas.theme, self._it, options_x(choice)
        if labelled(choice):
            where.text(EDGE, 0, choice.label, theme.inks.text if where.at else theme.inks.soft, bold=where.at)
        for y, options in enumerate(option_lines(it, choice, self._places.width), where.y):
            if where.at:
                canvas.text(EDGE - 2, y, "▌", theme.inks.gold)
            end = x
            for option in options:
                words = told(it, option)
                wide = card_faces.shown_width(words)
                canvas.spot(end - 1, y, wide + 2, 1, Chosen(choice.name, option.key))
                if it.entry.chosen.get(choice.name) == option.key:
                    canvas.fill(end - 1, y, wide + 2, 1, theme.cards.face)
                    card_faces.words(canvas, end, y, words, theme.suits.face[3], bold=True, suits=theme.suits.face)
                else:
                    card_faces.words(canvas, end, y, words, theme.inks.off if option.closed else theme.inks.text)
                end += wide + 2

    def _count(self, row: AskedCount) -> FormRow:
        seat = self._it.entry.at.seat
        name = EntryField(row.name, seat if seat in row.seats else row.seats[0])
        return self._field(name, partial(self._paint_count, row=row))

    def _paint_count(self, where: Place, row: AskedCount) -> None:
        canvas, theme, entry, places, y = where.canvas, where.canvas.theme, self._it.entry, self._places, where.y
        where.text(EDGE, 0, row.label, theme.inks.text, most=places.ends[0] - FIELD - EDGE)
        typed, counts, width = entry.typed(row), entry.counts(row), min(FIELD, places.step - 1)
        for seat in row.seats:
            end, field = places.ends[seat], EntryField(row.name, seat)
            at = entry.at == field
            canvas.fill(end + 1 - width, y, width, 1, theme.inks.gold if at else theme.grounds.panel)
            canvas.spot(end + 1 - width, y, width, 1, field)
            if (count := counts[seat]) is not None:
                sure = typed[seat] is not None
                ink = theme.grounds.panel if at else theme.inks.text if sure else theme.inks.muted
                canvas.right(end - 1, y, signed(count), ink, bold=sure)
            if at and entry.minus:
                canvas.text(end + 1 - width, y, MINUS, theme.grounds.panel, bold=True)

    def _gains(self, where: Place) -> None:
        gains, weight = self._it.entry.gains()
        if weight > 1:
            where.text(EDGE, 0, f"counts ×{weight}", where.muted)
        for end, points in zip(self._places.ends, gains, strict=True):
            if points is not None:
                where.canvas.right(end, where.y, signed(points), where.canvas.theme.inks.soft)

    def _verdict(self, where: Place) -> None:
        inks, verdict = where.canvas.theme.inks, self._it.entry.verdict()
        words = cut(verdict.words[:1].upper() + verdict.words[1:], self._places.width - EDGE - 1)
        where.canvas.text(EDGE, where.y, words, inks.loss if verdict.too_much else inks.text, bold=True)


def _paint_note(where: Place) -> None:
    where.text(EDGE, 0, _NOTE, where.muted)
