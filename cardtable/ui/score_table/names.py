"""The names of the players of a score table: typed seat by seat, before it begins or later."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from cardtable.engine.contract import Seat
from cardtable.store import seating
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import Place
from cardtable.ui.draw.layout import MARGIN
from cardtable.ui.keys.scopes import NAMES
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.form import Column, FormPage
from cardtable.ui.page.page import paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.rows import FormRow, Stops, nick_input, words
from cardtable.ui.toolkit.text_input import paint_text_input
from cardtable.wording.scores import WrongName, wrong_name

STOPS: Final = Stops(2, 18, 22)
_WIDE: Final = seating.MOST_LETTERS + 3
"""Columns of a name, with the cursor after it."""


class PlayerNames:
    """The names as they are typed; their lines are named by the seats."""

    def __init__(self, names: Sequence[str]) -> None:
        self.set_names(names)
        self._own = False
        """Whether a name was typed."""

    def set_names(self, names: Sequence[str]) -> None:
        """Begin anew with these names."""
        self._inputs = [nick_input(name) for name in names]

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return [each.text for each in self._inputs]

    def name_lines(self, *, insisted: bool) -> list[FormRow]:
        """A line for each player; what is wrong is told while it is typed only if that is ``insisted`` on."""
        said = words("Type the names in the order of the seats, clockwise.")
        return [said, *[self._line(seat, insisted=insisted) for seat in range(len(self.names))]]

    def _line(self, seat: Seat, *, insisted: bool) -> FormRow:
        return FormRow(
            name=seat,
            draw=partial(self._paint, seat=seat, insisted=insisted),
            text_input=self._inputs[seat],
            edited=self._edited,
            replaces=True,
            keys=(("rub_out", "delete"),),
        )

    def _edited(self) -> None:
        self._own = True

    def _paint(self, where: Place, seat: Seat, *, insisted: bool) -> None:
        inks, x = where.canvas.theme.inks, STOPS.value
        where.text(STOPS.label, 0, f"Player {seat + 1}", inks.text, bold=where.at)
        where.canvas.fill(where.x + x, where.y, _WIDE, 1, where.canvas.theme.grounds.panel)
        paint_text_input(where.canvas, where.x + x + 1, where.y, _WIDE - 1, self._inputs[seat], "", has_focus=where.at)
        wrong = self.wrong
        if wrong and wrong.seat == seat and (insisted or not where.at):
            where.text(x + _WIDE + 1, 0, wrong.why, inks.loss)

    @property
    def wrong(self) -> WrongName | None:
        """What has to be put right first."""
        return wrong_name(self.names)


class NamesPage(FormPage):
    """The names of a score table, to be changed; the result of its screen are the new ones."""

    ABOUT = "at the names of a score table"
    SCOPE = NAMES
    ASKS_BEFORE_LEAVING = True

    def __init__(self, room: Room, names: list[str]) -> None:
        super().__init__(room)
        self._names = PlayerNames(names)

    def columns(self, canvas: Canvas) -> list[Column]:
        """The names."""
        return [Column(MARGIN, canvas.width - 2 * MARGIN, self._names.name_lines(insisted=self.insisted))]

    def fill(self, canvas: Canvas) -> Keys:
        """The form."""
        self.paint_lines(canvas)
        paint_page_header(canvas, "Score table", "names of the players")
        return [("up down", "choose"), ("play", "keep names"), ("leave", "back"), *self.line.keys]

    def action_keep(self) -> None:
        """Have them called so, if nothing is wrong."""
        if wrong := self._names.wrong:
            self.insist(wrong.seat)
        elif not self._covered:
            self.screen.dismiss(self._names.names)
