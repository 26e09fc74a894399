"""Form of a new score table (game, players, first player, house rules), and page of its players' names."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from cardtable.engine.game import Seat
from cardtable.engine.options import Choice
from cardtable.store import score_tables, seating
from cardtable.store.score_tables import ScoreTableForm
from cardtable.ui.keys.bindings import NAMES, NEW_SCORES, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_choice_row,
    make_field_row,
    make_heading_row,
    make_nick_input,
    make_single_column,
    make_text_row,
)
from cardtable.ui.toolkit.page import paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, get_layout
from cardtable.ui.toolkit.painting.seating_plan import PLAN_ROWS, paint_plan
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.ui.toolkit.text_input import paint_text_input
from cardtable.wording import score_sheet
from cardtable.wording.score_sheet import InvalidName, find_invalid_name

STOPS: Final = ColumnStops(2, 18, 22)
_NAME_WIDTH: Final = seating.MAX_NICK_LENGTH + 3
"""Width of a name with the cursor after it, in columns."""


class PlayerNames:
    """Text inputs for the names of the players; each form row is named by its seat."""

    def __init__(self, names: Sequence[str]) -> None:
        self.set_names(names)
        self._is_typed = False
        """True once the user has typed a name."""

    def set_names(self, names: Sequence[str]) -> None:
        self._inputs = [make_nick_input(name) for name in names]

    @property
    def names(self) -> list[str]:
        return [each.text for each in self._inputs]

    def list_name_rows(self, *, insisted: bool) -> list[FormRow]:
        """Return a form row for each player.

        With ``insisted``, an invalid name is marked even while the cursor is on it.
        """
        hint = make_text_row("Type the names in seat order, clockwise.")
        return [hint, *[self._create_name_row(seat, insisted=insisted) for seat in range(len(self.names))]]

    def _create_name_row(self, seat: Seat, *, insisted: bool) -> FormRow:
        return FormRow(
            name=seat,
            draw=partial(self._paint_name, seat=seat, insisted=insisted),
            text_input=self._inputs[seat],
            on_edit=self._mark_typed,
            replaces_text=True,
            keys={"rub_out": "delete"},
        )

    def _mark_typed(self) -> None:
        self._is_typed = True

    def _paint_name(self, area: BlockArea, seat: Seat, *, insisted: bool) -> None:
        inks, x = area.canvas.theme.inks, STOPS.value
        area.write(STOPS.label, 0, f"Player {seat + 1}", inks.text, bold=area.has_cursor)
        area.canvas.fill(area.x + x, area.y, _NAME_WIDTH, 1, area.canvas.theme.grounds.panel)
        paint_text_input(
            area.canvas, area.x + x + 1, area.y, _NAME_WIDTH - 1, self._inputs[seat], "", has_focus=area.has_cursor
        )
        wrong = self.invalid_name
        if wrong and wrong.seat == seat and (insisted or not area.has_cursor):
            area.write(x + _NAME_WIDTH + 1, 0, wrong.reason, inks.loss)

    @property
    def invalid_name(self) -> InvalidName | None:
        return find_invalid_name(self.names)


class NamesPage(FormPage):
    """Page to change the names of the players; the result of its screen is the list of names."""

    SCOPE = NAMES
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, names: list[str]) -> None:
        super().__init__(context)
        self._names = PlayerNames(names)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        return make_single_column(canvas, self._names.list_name_rows(insisted=self.shows_all_errors))

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "Score table", "names of the players")
        return {**self.SCOPE.footer, **self.current_row.keys}

    def action_keep(self) -> None:
        """Close the page with the names as its result, or show the first invalid one."""
        if wrong := self._names.invalid_name:
            self.show_errors(wrong.seat)
        elif not self._is_inactive:
            self.screen.dismiss(self._names.names)


USUAL_GAME: Final = "rifki"
"""Key of the game that is selected at first."""
_LARGE_LEFT: Final = 66
"""Width of the form in a large terminal, where the house rules are beside it, in columns."""
_CHANGE: Final = {"left right": "change"}


class ScoreSetup(PlayerNames):
    """Form of a new score table; by default it has the players of the last table of the same game."""

    def __init__(self, nick: str, game_key: str) -> None:
        super().__init__([])
        self._nick = nick
        self.form: Final = ScoreTableForm(game_key)
        self._suggest_names([])

    def _suggest_names(self, typed_names: Sequence[str]) -> None:
        form = self.form
        before = typed_names or score_tables.find_previous_names(form.game_key)
        names, seats = score_tables.suggest_names(form.game.about, before, self._nick)
        self.set_names(names)
        form.choose(form.seats_field, seats)

    @property
    def names(self) -> list[str]:
        return super().names[: self.form.seats]

    def list_rows(self, *, insisted: bool) -> list[FormRow]:
        """Return all form rows except the house rules; ``insisted`` is passed to ``list_name_rows``."""
        form = self.form
        game = self._create_field_row(form.game_field)
        game.on_step = self._step_game
        several = [EMPTY_ROW, self._create_field_row(form.seats_field)] if len(form.game.about.seats) > 1 else []
        first = make_choice_row("first", "Who starts", self.names[form.first_seat], self._step_first, STOPS)
        first.keys = _CHANGE
        return [game, *several, EMPTY_ROW, *self.list_name_rows(insisted=insisted), EMPTY_ROW, first]

    def list_rule_rows(self) -> list[FormRow]:
        return [row for rule in self.form.list_rules() for row in (self._create_field_row(rule), EMPTY_ROW)]

    def _create_field_row(self, field: Choice) -> FormRow:
        row = make_field_row(self.form, field, STOPS)
        row.help_text, row.indent, row.keys = field.meaning, STOPS.value, _CHANGE
        return row

    def _step_game(self, step: int) -> None:
        typed_names = self.names if self._is_typed else []
        self.form.step(self.form.game_field, step)
        self._suggest_names(typed_names)

    def _step_first(self, step: int) -> None:
        self.form.first_seat = (self.form.first_seat + step) % self.form.seats

    def create_plan_row(self, cursor: object) -> FormRow:
        """Return a row with the seating plan, which names the first player and the direction of play.

        ``cursor`` is the cursor of the form: if it is a seat, that seat is marked, otherwise the first player's.
        """
        first_seat, seats = self.form.first_seat, self.form.seats
        back = seats > 2 and self.form.sheet.find_round_seat(2) == (first_seat - 1) % seats
        lines = f"{self.names[first_seat]} starts", "counter-clockwise" if back else "clockwise"
        seat = cursor if isinstance(cursor, int) else first_seat
        return FormRow(draw=partial(paint_plan, names=self.names, cursor=seat, lines=lines), rows=PLAN_ROWS)


class NewScoresPage(FormPage):
    """Page with the form of a new score table."""

    SCOPE = NEW_SCORES
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, game_key: str | None) -> None:
        super().__init__(context, "game" if game_key is None else 0)
        self.setup = ScoreSetup(context.nick, game_key or USUAL_GAME)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        """Return the form and the house rules, which are side by side in a large terminal."""
        setup, large, rules = self.setup, get_layout(canvas).large, self.setup.list_rule_rows()
        notes, lines = (
            [make_text_row(text) for text in score_sheet.describe_entry_rules(setup.form.sheet)],
            setup.list_rows(insisted=self.shows_all_errors),
        )
        if not large:
            return make_single_column(canvas, [*lines, EMPTY_ROW, *rules, *notes])
        heads = [make_heading_row(f"House rules of {setup.form.game.about.title}"), EMPTY_ROW] if rules else []
        left = Column(
            MARGIN, _LARGE_LEFT - 2 * MARGIN, [*lines, EMPTY_ROW, EMPTY_ROW, setup.create_plan_row(self.cursor)]
        )
        width = canvas.width - _LARGE_LEFT - MARGIN
        return [left, Column(_LARGE_LEFT, width, [*heads, *rules, EMPTY_ROW, *notes], has_panel=True)]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "Score table", "a game with real cards", self.setup.form.game.about.title)
        change, rub = (self.current_row.keys, {}) if self.current_row.on_step else ({}, self.current_row.keys)
        return {"up down": "choose", **change, **self.SCOPE.footer, **rub}

    def action_begin(self) -> None:
        """Begin the score table, or show the first invalid name.

        Only the first of several quick key presses counts.
        """
        if wrong := self.setup.invalid_name:
            self.show_errors(wrong.seat)
        else:
            self.navigate(self._begin)

    def _begin(self) -> None:
        form = self.setup.form
        opened = score_tables.create(form.game, self.setup.names, form.options, form.first_seat)
        if opened.save_error:
            self.app.notify(opened.save_error, markup=False, severity="error")
        self.context.show("score_table", opened)
