"""Form of a new score table (game, players, first player, house rules), and page of its players' names."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.options import Choice, Options
from cardtable.games import GAMES, all_keys
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.score_table import asked_rules, can_be_scored, sheet_of
from cardtable.store import score_tables, seating
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    HouseRules,
    choice,
    heading,
    label_of,
    next_value,
    nick_input,
    words,
)
from cardtable.ui.toolkit.keys.bindings import NAMES, NEW_SCORES
from cardtable.ui.toolkit.page import paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, grid_of
from cardtable.ui.toolkit.painting.seating_plan import PLAN_ROWS, paint_plan
from cardtable.ui.toolkit.scroll_list import Place
from cardtable.ui.toolkit.text_input import paint_text_input
from cardtable.wording import score_sheet
from cardtable.wording.score_sheet import InvalidName, first_invalid_name

STOPS: Final = ColumnStops(2, 18, 22)
_WIDE: Final = seating.MOST_LETTERS + 3
"""Width of a name with the cursor after it, in columns."""


class PlayerNames:
    """Text inputs for the names of the players; each form row is named by its seat."""

    def __init__(self, names: Sequence[str]) -> None:
        self.set_names(names)
        self._own = False
        """True once the user has typed a name."""

    def set_names(self, names: Sequence[str]) -> None:
        self._inputs = [nick_input(name) for name in names]

    @property
    def names(self) -> list[str]:
        """Names as typed, by seat."""
        return [each.text for each in self._inputs]

    def name_lines(self, *, insisted: bool) -> list[FormRow]:
        """Return a form row for each player.

        With ``insisted``, an invalid name is marked even while the cursor is on it.
        """
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

    def _paint(self, area: Place, seat: Seat, *, insisted: bool) -> None:
        inks, x = area.canvas.theme.inks, STOPS.value
        area.text(STOPS.label, 0, f"Player {seat + 1}", inks.text, bold=area.at)
        area.canvas.fill(area.x + x, area.y, _WIDE, 1, area.canvas.theme.grounds.panel)
        paint_text_input(area.canvas, area.x + x + 1, area.y, _WIDE - 1, self._inputs[seat], "", has_focus=area.at)
        wrong = self.wrong
        if wrong and wrong.seat == seat and (insisted or not area.at):
            area.text(x + _WIDE + 1, 0, wrong.why, inks.loss)

    @property
    def wrong(self) -> InvalidName | None:
        """First invalid name; ``None`` if all names are valid."""
        return first_invalid_name(self.names)


class NamesPage(FormPage):
    """Page to change the names of the players; the result of its screen is the list of names."""

    ABOUT = "at the names of a score table"
    SCOPE = NAMES
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, names: list[str]) -> None:
        super().__init__(context)
        self._names = PlayerNames(names)

    def columns(self, canvas: Canvas) -> list[Column]:
        return [Column(MARGIN, canvas.width - 2 * MARGIN, self._names.name_lines(insisted=self.insisted))]

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        paint_page_header(canvas, "Score table", "names of the players")
        return [("up down", "choose"), ("play", "keep names"), ("leave", "back"), *self.line.keys]

    def action_keep(self) -> None:
        """Close the page with the names as its result, or show the first invalid one."""
        if wrong := self._names.wrong:
            self.show_errors(wrong.seat)
        elif not self._covered:
            self.screen.dismiss(self._names.names)


USUAL_GAME: Final = "rifki"
"""Key of the game that is selected at first."""
_LARGE_LEFT: Final = 66
"""Width of the form in a large terminal, where the house rules are beside it, in columns."""
_CHANGE: Final = (("left right", "change"),)


class ScoreSetup(PlayerNames):
    """Form of a new score table; by default it has the players of the last table of the same game."""

    def __init__(self, me: str, game_key: str) -> None:
        super().__init__([])
        self._me, self.number = me, 0
        self._rules = HouseRules()
        self._open(game_key)

    def _open(self, game_key: str) -> None:
        self.key = game_key
        before = self.names if self._own else score_tables.names_before(game_key)
        names, self.number = score_tables.usual_names(self.game.about, before, self._me)
        self.set_names(names)
        self.first = 0

    @property
    def game(self) -> AnyGame:
        """Selected game."""
        return GAMES[self.key]

    @property
    def names(self) -> list[str]:
        """Names by seat, limited to the selected number of players."""
        return super().names[: self.number]

    @property
    def options(self) -> Options:
        """Options of the session, with the selected house rules."""
        return self._rules.options(self.game, self.number)

    @property
    def sheet(self) -> Sheet[Any]:
        """Empty sheet of the table that would be created."""
        return sheet_of(self.key)(self.game, self.options, self.number, self.first)

    def lines(self, *, insisted: bool) -> list[FormRow]:
        """Return all form rows except the house rules; ``insisted`` is passed to ``list_name_rows``."""
        game = _choice("game", "Game", self.game.about.title, self._step_game)
        number = _choice("number", "Players", str(self.number), self._step_number)
        first = _choice("first", "Begins", self.names[self.first], self._step_first)
        several = [EMPTY_ROW, number] if len(self.game.about.seats) > 1 else []
        return [game, *several, EMPTY_ROW, *self.name_lines(insisted=insisted), EMPTY_ROW, first]

    def rule_line(self, rule: Choice) -> FormRow:
        """Return the form row of a house rule, with an explanation of the selected value."""
        value = self.options.items()[rule.name]
        steps = lambda step: self._rules.choose(self.game, rule, next_value(rule, value, step))  # noqa: E731
        return _choice(rule.name, label_of(rule), str(value), steps, f"{rule.meaning}: {rule.values[value]}")

    def _step_game(self, step: int) -> None:
        keys = [key for key in all_keys() if can_be_scored(key)]
        self._open(keys[(keys.index(self.key) + step) % len(keys)])

    def _step_number(self, step: int) -> None:
        seats = self.game.about.seats
        self.number = seats[(seats.index(self.number) + step) % len(seats)]
        self.first = min(self.first, self.number - 1)

    def _step_first(self, step: int) -> None:
        self.first = (self.first + step) % self.number

    def plan(self, cursor: object) -> FormRow:
        """Return a row with the seating plan, which names the first player and the direction of play.

        ``cursor`` is the cursor of the form: if it is a seat, that seat is marked, otherwise the first player's.
        """
        back = self.number > 2 and self.sheet.turn(2) == (self.first - 1) % self.number
        said = f"{self.names[self.first]} begins", "counter-clockwise" if back else "clockwise"
        seat = cursor if isinstance(cursor, int) else self.first
        return FormRow(draw=partial(paint_plan, names=self.names, cursor=seat, said=said), rows=PLAN_ROWS)


def _choice(name: str, label: str, value: str, steps: Callable[[int], None], says: str = "") -> FormRow:
    line = choice(name, label, value, steps, STOPS, says=says, indent=STOPS.value)
    line.keys = _CHANGE
    return line


class NewScoresPage(FormPage):
    """Page with the form of a new score table."""

    ABOUT = "at a new score table"
    SCOPE = NEW_SCORES
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, game_key: str | None) -> None:
        super().__init__(context, "game" if game_key is None else 0)
        self.setup = ScoreSetup(context.nick, game_key or USUAL_GAME)

    def columns(self, canvas: Canvas) -> list[Column]:
        """Return the form and the house rules, which are side by side in a large terminal."""
        setup, large = self.setup, grid_of(canvas).large
        rules = [line for rule in asked_rules(setup.game) for line in (setup.rule_line(rule), EMPTY_ROW)]
        notes, lines = (
            [words(text) for text in score_sheet.entry_rules(setup.sheet)],
            setup.lines(insisted=self.insisted),
        )
        if not large:
            return [Column(MARGIN, canvas.width - 2 * MARGIN, [*lines, EMPTY_ROW, *rules, *notes])]
        heads = [heading(f"House rules of {setup.game.about.title}"), EMPTY_ROW] if rules else []
        left = Column(MARGIN, _LARGE_LEFT - 2 * MARGIN, [*lines, EMPTY_ROW, EMPTY_ROW, setup.plan(self.cursor)])
        width = canvas.width - _LARGE_LEFT - MARGIN
        return [left, Column(_LARGE_LEFT, width, [*heads, *rules, EMPTY_ROW, *notes], panel=True)]

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        paint_page_header(canvas, "Score table", "a game with real cards", self.setup.game.about.title)
        change, rub = (self.line.keys, ()) if self.line.on_step else ((), self.line.keys)
        return [("up down", "choose"), *change, ("play", "begin"), ("leave", "back"), *rub]

    def action_begin(self) -> None:
        """Begin the score table, or show the first invalid name.

        Only the first of several quick key presses counts.
        """
        if wrong := self.setup.wrong:
            self.show_errors(wrong.seat)
        else:
            self.navigate(self._begin)

    def _begin(self) -> None:
        setup = self.setup
        opened = score_tables.create(setup.game, setup.names, setup.options, setup.first)
        if opened.save_error:
            self.app.notify(opened.save_error, markup=False, severity="error")
        self.context.show("score_table", opened)
