"""The names of the players of a score table: typed seat by seat, before it begins or later."""

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
from cardtable.ui.page.rows import FormRow, Stops, words
from cardtable.wording.scores import WrongName, wrong_name

STOPS: Final = Stops(2, 18, 22)
_WIDE: Final = seating.MOST_LETTERS + 3
"""Columns of a name, with the cursor after it."""


class PlayerNames:
    """The names as they are typed; their lines are named by the seats."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._own = False
        """Whether a name was typed."""

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return self._names

    def name_lines(self, *, insisted: bool) -> list[FormRow]:
        """A line for each player; what is wrong is told while it is typed only if that is ``insisted`` on."""
        said = words("Type the names in the order of the seats, clockwise.")
        return [said, *[self._line(seat, insisted=insisted) for seat in range(len(self.names))]]

    def _line(self, seat: Seat, *, insisted: bool) -> FormRow:
        return FormRow(
            name=seat,
            draw=partial(self._paint, seat=seat, insisted=insisted),
            types=partial(self._type, seat),
            rubs_out=partial(self._rub_out, seat),
            keys=(("rub_out", "delete"),),
        )

    def _type(self, seat: Seat, char: str, anew: bool) -> bool:
        """Type into a name, which takes the place of the one that was there."""
        if not char.isalnum():
            return False
        before = "" if anew else self._names[seat]
        self._names[seat], self._own = seating.capital(before + char)[: seating.MOST_LETTERS], True
        return True

    def _rub_out(self, seat: Seat) -> None:
        self._names[seat], self._own = self._names[seat][:-1], True

    def _paint(self, where: Place, seat: Seat, *, insisted: bool) -> None:
        inks, x = where.canvas.theme.inks, STOPS.value
        where.text(STOPS.label, 0, f"Player {seat + 1}", inks.text, bold=where.at)
        where.canvas.fill(where.x + x, where.y, _WIDE, 1, where.canvas.theme.grounds.panel)
        end = where.text(x + 1, 0, self._names[seat], inks.text, bold=where.at)
        if where.at:
            where.canvas.text(end, where.y, " ", inks.text, ground=inks.gold)
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
