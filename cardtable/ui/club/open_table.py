"""A new table in a club: game, seats, house rules, and how long those who are away are waited for."""

from functools import partial
from typing import Final

from cardtable.club.wire import OpenTable
from cardtable.engine.options import Choice, choices
from cardtable.games import GAMES, KEYS, all_keys
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import MARGIN
from cardtable.ui.keys.club_scopes import CLUB_TABLE
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.form import Column, FormPage
from cardtable.ui.page.house_rules import HouseRules, label_of, stepped
from cardtable.ui.page.page import paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.rows import FREE, FormRow, Stops, choice, heading

STOPS: Final = Stops(3, 24, 24)
GRACES: Final = (30, 60, 120, 300)
"""Seconds for which those who are away are waited for."""


class OpenTablePage(FormPage):
    """The form; the result of its screen is the table that is wished for."""

    ABOUT = "at a new table of a club"
    SCOPE = CLUB_TABLE
    ASKS_BEFORE_LEAVING = True

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._key = KEYS[0]
        self._seats: dict[str, int] = {}
        self._rules = HouseRules()
        self._lot, self._grace = True, 60

    @property
    def _number(self) -> int:
        return self._seats.get(self._key, GAMES[self._key].about.usual_seats)

    def columns(self, canvas: Canvas) -> list[Column]:
        """All that is chosen."""
        game = GAMES[self._key]
        chosen = self._rules.options(game, self._number).items()
        lines = [
            choice("game", "Game", game.about.title, self._next_game, STOPS, bold=True),
            choice("seats", "Seats", str(self._number), self._next_number, STOPS, fixed=len(game.about.seats) == 1),
            choice("lot", "Seating", "by lot" if self._lot else "as you sit down", self._turn_lot, STOPS),
            choice("grace", "If somebody is away", f"wait {self._grace} s", self._next_grace, STOPS),
            FREE,
            heading("House rules"),
            *[self._rule(rule, str(chosen[rule.name])) for rule in choices(game.options) if rule.name != "seats"],
        ]
        return [Column(MARGIN, canvas.width - 2 * MARGIN, lines)]

    def _rule(self, rule: Choice, value: str) -> FormRow:
        return choice(rule.name, label_of(rule), value, partial(self._next_value, rule), STOPS)

    def fill(self, canvas: Canvas) -> Keys:
        """The form."""
        self.paint_lines(canvas)
        paint_page_header(canvas, "New table", "others sit down, you begin")
        return [("up down", "choose"), ("left right", "change"), ("play", "open it"), ("leave", "back")]

    def _next_game(self, step: int) -> None:
        keys = all_keys()
        self._key = keys[(keys.index(self._key) + step) % len(keys)]

    def _next_number(self, step: int) -> None:
        numbers = GAMES[self._key].about.seats
        self._seats[self._key] = numbers[(numbers.index(self._number) + step) % len(numbers)]

    def _turn_lot(self, _step: int) -> None:
        self._lot = not self._lot

    def _next_grace(self, step: int) -> None:
        self._grace = GRACES[(GRACES.index(self._grace) + step) % len(GRACES)]

    def _next_value(self, rule: Choice, step: int) -> None:
        game = GAMES[self._key]
        value = self._rules.options(game, self._number).items()[rule.name]
        self._rules.choose(game, rule, stepped(rule, value, step))

    def action_open(self) -> None:
        """Have it opened."""
        if self._covered:
            return
        options = self._rules.options(GAMES[self._key], self._number).items()
        self.screen.dismiss(OpenTable(self._key, self._number, options, grace=self._grace, lot=self._lot))
