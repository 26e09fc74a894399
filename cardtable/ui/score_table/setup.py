"""Form of a new score table (game, players, first player, house rules), and page of its players' names."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.options import Choice, Options
from cardtable.games import GAMES, list_keys
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.score_table import can_be_scored, get_sheet_class, list_scoring_rules
from cardtable.store import score_tables, seating
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    HouseRules,
    make_choice_row,
    make_heading_row,
    make_nick_input,
    make_single_column,
    make_text_row,
    step_value,
)
from cardtable.ui.toolkit.keys.bindings import NAMES, NEW_SCORES, FooterKeys
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
        """Names as typed, by seat."""
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
        """First invalid name; ``None`` if all names are valid."""
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
        self._nick, self.player_count = nick, 0
        self._rules = HouseRules()
        self._select_game(game_key)

    def _select_game(self, game_key: str) -> None:
        self.game_key = game_key
        before = self.names if self._is_typed else score_tables.find_previous_names(game_key)
        names, self.player_count = score_tables.suggest_names(self.game.about, before, self._nick)
        self.set_names(names)
        self.first_seat = 0

    @property
    def game(self) -> AnyGame:
        """Selected game."""
        return GAMES[self.game_key]

    @property
    def names(self) -> list[str]:
        """Names by seat, limited to the selected number of players."""
        return super().names[: self.player_count]

    @property
    def options(self) -> Options:
        """Options of the session, with the selected house rules."""
        return self._rules.build_options(self.game, self.player_count)

    @property
    def sheet(self) -> Sheet[Any]:
        """Empty sheet of the table that would be created."""
        return get_sheet_class(self.game_key)(self.game, self.options, self.player_count, self.first_seat)

    def list_rows(self, *, insisted: bool) -> list[FormRow]:
        """Return all form rows except the house rules; ``insisted`` is passed to ``list_name_rows``."""
        game = _create_choice("game", "Game", self.game.about.title, self._step_game)
        number = _create_choice("number", "Players", str(self.player_count), self._step_number)
        first = _create_choice("first", "Who starts", self.names[self.first_seat], self._step_first)
        several = [EMPTY_ROW, number] if len(self.game.about.seats) > 1 else []
        return [game, *several, EMPTY_ROW, *self.list_name_rows(insisted=insisted), EMPTY_ROW, first]

    def create_rule_row(self, rule: Choice) -> FormRow:
        """Return the form row of a house rule, with its meaning."""
        value = self.options.to_dict()[rule.name]
        steps = lambda step: self._rules.choose(self.game, rule, step_value(rule, value, step))  # noqa: E731
        return _create_choice(rule.name, rule.label, rule.format_value(value), steps, rule.meaning)

    def _step_game(self, step: int) -> None:
        keys = [key for key in list_keys() if can_be_scored(key)]
        self._select_game(keys[(keys.index(self.game_key) + step) % len(keys)])

    def _step_number(self, step: int) -> None:
        seats = self.game.about.seats
        self.player_count = seats[(seats.index(self.player_count) + step) % len(seats)]
        self.first_seat = min(self.first_seat, self.player_count - 1)

    def _step_first(self, step: int) -> None:
        self.first_seat = (self.first_seat + step) % self.player_count

    def create_plan_row(self, cursor: object) -> FormRow:
        """Return a row with the seating plan, which names the first player and the direction of play.

        ``cursor`` is the cursor of the form: if it is a seat, that seat is marked, otherwise the first player's.
        """
        back = self.player_count > 2 and self.sheet.find_round_seat(2) == (self.first_seat - 1) % self.player_count
        lines = f"{self.names[self.first_seat]} starts", "counter-clockwise" if back else "clockwise"
        seat = cursor if isinstance(cursor, int) else self.first_seat
        return FormRow(draw=partial(paint_plan, names=self.names, cursor=seat, lines=lines), rows=PLAN_ROWS)


def _create_choice(name: str, label: str, value: str, on_step: Callable[[int], None], help_text: str = "") -> FormRow:
    line = make_choice_row(name, label, value, on_step, STOPS, help_text=help_text, indent=STOPS.value)
    line.keys = _CHANGE
    return line


class NewScoresPage(FormPage):
    """Page with the form of a new score table."""

    SCOPE = NEW_SCORES
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, game_key: str | None) -> None:
        super().__init__(context, "game" if game_key is None else 0)
        self.setup = ScoreSetup(context.nick, game_key or USUAL_GAME)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        """Return the form and the house rules, which are side by side in a large terminal."""
        setup, large = self.setup, get_layout(canvas).large
        rules = [line for rule in list_scoring_rules(setup.game) for line in (setup.create_rule_row(rule), EMPTY_ROW)]
        notes, lines = (
            [make_text_row(text) for text in score_sheet.describe_entry_rules(setup.sheet)],
            setup.list_rows(insisted=self.shows_all_errors),
        )
        if not large:
            return make_single_column(canvas, [*lines, EMPTY_ROW, *rules, *notes])
        heads = [make_heading_row(f"House rules of {setup.game.about.title}"), EMPTY_ROW] if rules else []
        left = Column(
            MARGIN, _LARGE_LEFT - 2 * MARGIN, [*lines, EMPTY_ROW, EMPTY_ROW, setup.create_plan_row(self.cursor)]
        )
        width = canvas.width - _LARGE_LEFT - MARGIN
        return [left, Column(_LARGE_LEFT, width, [*heads, *rules, EMPTY_ROW, *notes], has_panel=True)]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "Score table", "a game with real cards", self.setup.game.about.title)
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
        setup = self.setup
        opened = score_tables.create(setup.game, setup.names, setup.options, setup.first_seat)
        if opened.save_error:
            self.app.notify(opened.save_error, markup=False, severity="error")
        self.context.show("score_table", opened)
