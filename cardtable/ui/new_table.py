"""Page for a new table: the form, with game, seats, house rules and deal, and a plan of the seats."""

import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len
from textual import work

from cardtable.engine.game import MAX_SEATS, AnyGame, Seat
from cardtable.engine.journal import MAX_SEED, Occupant
from cardtable.engine.options import Choice, Options, Value
from cardtable.engine.text_format import capitalize_first, fold, format_count
from cardtable.games import GAMES
from cardtable.records.aggregation import AggregationProgress
from cardtable.records.ratings import Player, Ratings
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import credit_ledger, profiles, seating, session_setup
from cardtable.store.profiles import ProfileStore
from cardtable.store.session_setup import MAX_MINUTES, Field, SessionSetup, TableForm, is_minutes
from cardtable.ui.keys.bindings import NEW_TABLE, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    ARROWS_WIDTH,
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_field_row,
    make_heading_row,
    make_nick_input,
    make_single_column,
    make_text_row,
    paint_button,
    paint_value,
)
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN, get_layout
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.ui.toolkit.seat_plan import PLAN_ROWS, paint_plan
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.formatting import YOU, format_day, get_local_time
from cardtable.wording.players import describe_level, describe_level_strength, format_side

PERSON: Final = "person"
KINDS: Final = (PERSON, *[level for level in LEVELS if level != "random"])
"""Kinds of players: a human player, or a robot by its level."""
PRACTICE: Final = "open_hands"
"""House rule that is shown next to the deal, since every game has it."""
_MAX_DIGITS: Final = len(str(MAX_SEED))
_POSITIONS: Final = {
    2: (YOU, "Opposite"),
    3: (YOU, "Left", "Right"),
    4: (YOU, "Left", "Opposite", "Right"),
    5: (YOU, "Left", "Far left", "Far right", "Right"),
    6: (YOU, "Left", "Far left", "Opposite", "Far right", "Right"),
    7: (YOU, "Left", "Mid left", "Far left", "Far right", "Mid right", "Right"),
    8: (YOU, "Left", "Mid left", "Far left", "Opposite", "Far right", "Mid right", "Right"),
}


NEW: Final = "new"
BY_NUMBER: Final = "by number"
OF_THE_DAY: Final = "of the day"
SEATING: Final = Field("seating", "Seating", "", {"random": "random", "listed": "as listed"})
DEAL: Final = Field("deal", "Deal", "", {value: value for value in (NEW, BY_NUMBER, OF_THE_DAY)})


class SeatChoice(msgspec.Struct):
    """Player selected for a seat. The typed nick is preserved while a robot is selected."""

    kind: str
    nick_input: TextInput = msgspec.field(default_factory=make_nick_input)
    """Text input for the nick, which is empty for a guest."""

    @property
    def nick(self) -> str:
        return self.nick_input.text

    @nick.setter
    def nick(self, nick: str) -> None:
        self.nick_input.set_text(nick)


class InvalidRow(NamedTuple):
    """Invalid row of the form, and the reason. ``name`` is a seat or the name of another row."""

    name: Seat | str
    reason: str


class NewTableForm(TableForm):
    """State of the form. The deal of the day has its own game, seats and house rules, and changes no answer."""

    today: date = date.min
    number_input: TextInput = msgspec.field(default_factory=lambda: TextInput(_MAX_DIGITS, accepts=_is_digit))
    """Text input for the number of the deal."""
    profile_store: ProfileStore = msgspec.field(default_factory=ProfileStore)
    """Profiles of all players."""
    ratings: Mapping[str, Ratings] = msgspec.field(default_factory=dict)
    """Ratings by key of the game, as far as they are known."""
    _players: list[SeatChoice] = msgspec.field(
        default_factory=lambda: [SeatChoice(PERSON), *[SeatChoice(seating.DEFAULT_LEVEL) for _ in range(MAX_SEATS - 1)]]
    )

    def open(self, key: str, today: date, profile_store: ProfileStore | None = None) -> None:
        """Prepare the form for a game.

        ``today`` selects the deal of the day. If another player has signed in since, they take the seat of the previous
        one.
        """
        self.game_key, self.today = key, today
        if profile_store is not None:
            old_nick, new_nick = self.profile_store.signed_in or "", profile_store.signed_in or ""
            own = next((player for player in self._players if player.kind == PERSON and player.nick == old_nick), None)
            if own and new_nick not in [player.nick for player in self._players]:
                own.nick = new_nick
            self.profile_store = profile_store
        if self.is_daily:
            self.choose(DEAL, NEW)

    @property
    def is_daily(self) -> bool:
        """True if the deal of the day is selected, which determines game, seats and house rules."""
        return self._answers.get(("", DEAL.name)) == OF_THE_DAY

    @property
    def game(self) -> AnyGame:
        return GAMES[session_setup.get_daily_game(self.today) if self.is_daily else self.game_key]

    @property
    def players(self) -> Sequence[SeatChoice]:
        """Players in the order in which the form lists the seats."""
        if not self.is_daily:
            return self._players[: self.seats]
        robots = [SeatChoice(seating.DEFAULT_LEVEL) for _ in range(self.seats - 1)]
        return [replace(self._daily_player, kind=PERSON), *robots]

    @property
    def _daily_player(self) -> SeatChoice:
        """Human player of the deal of the day: the first one in the form."""
        return next((player for player in self._players if player.kind == PERSON), self._players[0])

    @property
    def names(self) -> list[str]:
        """Names of the players, by seat."""
        robots = iter(seating.ROBOT_NAMES)
        return [(player.nick or seating.GUEST) if player.kind == PERSON else next(robots) for player in self.players]

    def get_rating(self, seat: int) -> int | None:
        """Return the rating of the player in a seat, in the selected game, or ``None`` if it is unknown, as for
        guests.
        """
        seat_choice = self.players[seat]
        player = Player(self.names[seat]) if seat_choice.kind == PERSON else Player(seat_choice.kind, robot=True)
        ratings = self.ratings.get(self.game.about.key)
        rating = ratings.players.get(player) if ratings else None
        return round(rating.mu) if rating else None

    @property
    def random_seats(self) -> bool:
        return self.get_value(SEATING) == "random"

    @property
    def own_seat(self) -> int | None:
        """Seat of the only human player, or ``None`` if there are none or several."""
        people = [seat for seat, player in enumerate(self.players) if player.kind == PERSON]
        return people[0] if len(people) == 1 else None

    @property
    def is_watched(self) -> bool:
        return all(player.kind != PERSON for player in self.players)

    @property
    def positions(self) -> list[str]:
        """Positions of the seats relative to the only human player, or their numbers if there is no such player."""
        number, own = len(self.players), self.own_seat
        if own is None:
            return [f"Seat {seat + 1}" for seat in range(number)]
        return [_POSITIONS[number][(seat - own) % number] for seat in range(number)]

    @property
    def own_side_name(self) -> str:
        """Name of the partnership of the only human player, or else of the first seat.

        It is ``""`` in games without partnerships.
        """
        sides = self.game.sides(len(self.players), self.options)
        own = next(side for side in sides if (self.own_seat or 0) in side)
        return format_side(self.names, own) if len(own) > 1 else ""

    def list_fields(self) -> list[Field]:
        return [*super().list_fields(), SEATING, DEAL]

    def get_value(self, field: Choice) -> Value:
        return "listed" if field is SEATING and self.is_daily else super().get_value(field)

    @property
    def seats(self) -> int:
        return self.game.about.usual_seats if self.is_daily else super().seats

    @property
    def options(self) -> Options:
        return self.default_options if self.is_daily else super().options

    @property
    def has_default_rules(self) -> bool:
        return self.options == self.default_options

    @property
    def length_text(self) -> str:
        """Length of the session under the selected house rules, such as ``20 rounds``."""
        rounds = self.options.rounds
        return format_count(rounds, "round") if rounds else self.game.about.length

    def step_seat(self, seat: Seat, step: int) -> None:
        """Select the next (1) or the previous (-1) player for a seat, wrapping around.

        The order is: the typed nick or a guest, the registered players who have no other seat, and the robots by level.
        """
        sitter = self._players[seat]
        others = [player.nick for player in self.players if player.kind == PERSON and player is not sitter]
        nicks = [player.nick for player in self.profile_store.players]
        typed = "" if sitter.nick in nicks else sitter.nick
        people = [
            (PERSON, nick) for nick in (typed, *[nick for nick in nicks if nick == sitter.nick or nick not in others])
        ]
        robots = [(kind, sitter.nick) for kind in KINDS if kind != PERSON]
        choices = [*people, *robots]
        index = choices.index((sitter.kind, sitter.nick)) + step
        sitter.kind, sitter.nick = choices[index % len(choices)]

    def get_nick_input(self, seat: Seat) -> TextInput:
        return (self._daily_player if self.is_daily else self._players[seat]).nick_input

    def enter_deal_number(self, char: str, _anew: bool) -> bool:
        """Select a deal by its number, which begins with the digit ``char``.

        Return False if the key is not used, because it is no digit or the deal of the day is selected.
        """
        if not _is_digit(char) or self.is_daily:
            return False
        self.choose(DEAL, BY_NUMBER)
        self.number_input.set_text(char)
        return True

    def append_minutes_digit(self, rule: Choice, char: str, start_over: bool) -> bool:
        """Append a digit to the minutes of a clock, or replace them by it if ``start_over`` is True.

        The value is limited to ``MAX_MINUTES``, and 0 restores the default. Return False if ``char`` is no digit.
        """
        if not _is_digit(char):
            return False
        value = self.get_value(rule)
        digits = str(value) if is_minutes(rule, value) and not start_over else ""
        self.choose(rule, min(int(digits + char), MAX_MINUTES) or rule.default)
        return True

    def delete_minutes_digit(self, rule: Choice) -> None:
        """Delete the last digit of the minutes of a clock. Without a digit the default is restored."""
        value = self.get_value(rule)
        if is_minutes(rule, value):
            self.choose(rule, int(str(value)[:-1] or 0) or rule.default)

    @property
    def first_error(self) -> InvalidRow | None:
        """First invalid row of the form, or ``None`` if the session can begin."""
        names = self.names
        for seat, player in enumerate(self.players):
            if player.kind != PERSON:
                continue
            if player.nick and (reason := seating.find_nick_error(player.nick)):
                return InvalidRow(seat, reason)
            if fold(names[seat]) in map(fold, names[:seat]):
                if player.nick:
                    return InvalidRow(seat, f"{player.nick} sits in two seats: type another nick")
                return InvalidRow(seat, "only one seat can be Guest: type a nick")
            others = [name for other, name in enumerate(names) if other < seat or self.players[other].kind != PERSON]
            if alike := seating.find_confusable(names[seat], others):
                return InvalidRow(seat, f"{names[seat]} looks like {alike}: type another nick")
            if reason := credit_ledger.find_stake_error(self.profile_store, names[seat], self.options.stake):
                return InvalidRow(seat, reason)
        if self.get_value(DEAL) == BY_NUMBER and not self.number_input.text:
            return InvalidRow("deal", "type the number of the deal")
        return None

    def create_setup(self) -> SessionSetup:
        """Return the setup of the session. The form must have no ``first_error``."""
        robots = [None if player.kind == PERSON else player.kind for player in self.players]
        seats = tuple(map(Occupant, map(seating.normalize_nick, self.names), robots))
        if self.is_daily:
            seed = session_setup.get_daily_seed(self.today)
            return session_setup.DailySetup(self.game, seats, self.options, seed, self.random_seats)
        number = int(self.number_input.text) if self.get_value(DEAL) == BY_NUMBER else None
        return SessionSetup(self.game, seats, self.options, number, self.random_seats)


def _is_digit(char: str) -> bool:
    return char.isascii() and char.isdigit()


_STOPS: Final = ColumnStops(2, 12, 18)
_LEVEL_COLUMN: Final = 22
_LEVEL_WIDTH: Final = 12
"""First column of the robot levels, and their width in columns."""
_MAX_MEANING_WIDTH: Final = 52
_MIN_LABEL_WIDTH: Final = 8
"""Columns that the name of a house rule keeps beside values of any length."""
_DAILY_NOTE: Final = "The deal of the day has its own game, seats and house rules."
_NICK_NOTE: Final = "Type a nick; without one the seat is Guest's."
_WATCHED_NOTE: Final = "Only robots play: you watch."
_DEFAULTS_NOTE: Final = "These are the default house rules; a table keeps the rules it started with."


class NewTableRows:
    """Factory for the rows of the form, in the present state and with the present cursor."""

    def __init__(
        self, form: NewTableForm, cursor: Hashable, begin: Callable[[], None], *, show_all_errors: bool
    ) -> None:
        """Prepare the rows.

        ``cursor`` is the name of the row at the cursor. ``begin`` is called by the start button. If ``show_all_errors``
        is True, an invalid row is marked even while the cursor is on it.
        """
        self._form, self._cursor, self._begin = form, cursor, begin
        error = form.first_error
        self._invalid_row = error.name if error and (show_all_errors or error.name != cursor) else None
        """Name of the row that is marked as invalid, or ``None`` while the player is still typing in it."""

    def create_single_column(self, width: int) -> list[FormRow]:
        """Return all rows in one column, as compact as possible. Only the row at the cursor has its explanation."""
        lines = [*self.create_left_rows(0), *self.create_right_rows(0, width), *self.create_defaults_note()]
        for line in lines:
            if line.name not in (None, self._cursor):
                line.help_text = ""
        return lines

    def create_left_rows(self, spacing: int) -> list[FormRow]:
        """Return all rows except the house rules.

        ``spacing`` is 0 for no free rows, 1 for a free row between settings, and 2 for one between seats as well.
        """
        form = self._form
        setting_gap = [EMPTY_ROW] if spacing else []
        seat_gap = [EMPTY_ROW] if spacing > 1 else []
        game = self._create_field_row(form.game_field, "")
        seats = [line for seat in range(len(form.players)) for line in (self._create_seat_row(seat), *seat_gap)]
        seating_text = "drawn when you deal" if form.random_seats else "clockwise, as above"
        settings = [self._create_field_row(SEATING, seating_text), self._create_deal_row()]
        settings += [
            self._create_field_row(dataclasses.replace(rule, label="Practice"), "open hands, never ranked")
            for rule in form.list_rules()
            if rule.name == PRACTICE
        ]
        text, is_error = self._compute_note(spacing)
        note = FormRow(draw=partial(self._paint_note, text=text, is_error=is_error), rows=2 if spacing or text else 0)
        x, width = _STOPS.value, _STOPS.value_width
        draw_button = partial(paint_button, x=x, width=width, text="Deal the cards", name="begin")
        begin = FormRow(name="begin", draw=draw_button, on_press=self._begin)
        return [
            game, *setting_gap, self._create_seat_count_row(), *seat_gap, *seats,
            note, *seat_gap, *[line for setting in settings for line in (setting, *setting_gap)], begin,
        ]  # fmt: skip

    def create_plan_rows(self) -> list[FormRow]:
        """Return the rows with the plan of the seats."""
        form = self._form
        lines = form.length_text, "random seats" if form.random_seats else "seats as listed"
        seat = self._cursor if isinstance(self._cursor, int) else None
        paint = partial(paint_plan, names=form.names, cursor=seat, lines=lines, own_seat=form.own_seat or 0)
        return [EMPTY_ROW, FormRow(draw=paint, rows=PLAN_ROWS)]

    def create_right_rows(self, spacing: int, width: int) -> list[FormRow]:
        """Return the house rules for a column of this width, with explanations, and free rows after each of them."""
        rules = [self._create_rule_row(rule, width) for rule in self._form.list_rules() if rule.name != PRACTICE]
        title = make_heading_row(f"House rules of {self._form.game.about.title}", INDENT)
        return [title, EMPTY_ROW, *[line for rule in rules for line in (rule, *[EMPTY_ROW] * spacing)]]

    def create_defaults_note(self) -> list[FormRow]:
        """Return the note below the house rules, or no row if one of them has been changed."""
        note = make_text_row(_DEFAULTS_NOTE, INDENT)
        note.right_margin = 1
        return [note] if self._form.has_default_rules else []

    def _create_field_row(self, field: Choice, help_text: str) -> FormRow:
        fixed = self._form.is_daily and field is not DEAL
        row = make_field_row(self._form, field, _STOPS, bold=True, read_only=fixed)
        row.help_text, row.indent = help_text, _STOPS.value
        return row

    def _create_seat_count_row(self) -> FormRow:
        form, field = self._form, self._form.seats_field
        several = len(field.values) > 1 and not form.is_daily
        if form.random_seats:
            remarks = ["random seats", "random"]
        else:
            remarks = [form.own_side_name, *(["clockwise from you"] if form.own_seat == 0 else []), "clockwise"]

        def draw(area: BlockArea) -> None:
            area.write(_STOPS.label, 0, field.label, area.canvas.theme.inks.text, bold=True)
            x = _STOPS.value
            if several:
                paint_value(area, x, _LEVEL_WIDTH - 2, form.format_value(field), field.name)
                x += _LEVEL_WIDTH - 1
            has_ratings = any(form.get_rating(seat) is not None for seat in range(len(form.players)))
            end = area.write_right(0, "rating" if has_ratings else "", area.quiet_ink)
            area.write(x, 0, next((text for text in remarks if text and x + len(text) < end), ""), area.quiet_ink)

        return FormRow(name=field.name if several else None, draw=draw, on_step=partial(form.step, field))

    def _create_seat_row(self, seat: Seat) -> FormRow:
        form, player = self._form, self._form.players[seat]
        is_editable = seat == 0 or not form.is_daily
        return FormRow(
            name=seat if is_editable else None,
            draw=partial(self._paint_seat, seat=seat),
            value=player.kind,
            on_step=None if form.is_daily else partial(form.step_seat, seat),
            text_input=form.get_nick_input(seat) if player.kind == PERSON and is_editable else None,
        )

    def _paint_seat(self, area: BlockArea, seat: Seat) -> None:
        inks, form = area.canvas.theme.inks, self._form
        player, is_invalid = form.players[seat], self._invalid_row == seat
        area.write(_STOPS.label, 0, form.positions[seat], area.muted_ink)
        name, x = form.names[seat], _STOPS.value
        if player.kind == PERSON:
            _paint_input(area, x, 0, seating.MAX_NICK_LENGTH + 1, player.nick_input, name, is_invalid=is_invalid)
        else:
            area.write(x, 0, name, inks.loss if is_invalid else inks.text, bold=True)
        paint_value(area, _LEVEL_COLUMN, _LEVEL_WIDTH, player.kind, None if form.is_daily else seat)
        if (rating := form.get_rating(seat)) is not None:
            area.write_right(0, str(rating), area.quiet_ink)

    def _compute_note(self, spacing: int) -> tuple[str, bool]:
        """Return the note below the seats, and True if it is an error.

        It is an error in a seat, a hint, or how the robots play. Without any of these it is ``""``.
        """
        form, error = self._form, self._form.first_error
        if error and isinstance(error.name, int):
            return capitalize_first(error.reason), True
        if form.is_daily:
            return _DAILY_NOTE, False
        if form.is_watched:
            return _WATCHED_NOTE, False
        kind = form.players[self._cursor].kind if isinstance(self._cursor, int) else None
        if kind == PERSON:
            return _NICK_NOTE, False
        key = form.game.about.key
        if kind:
            return describe_level(key, kind, len(form.players)), False
        return describe_level_strength(key) if spacing else "", False

    def _paint_note(self, area: BlockArea, text: str, *, is_error: bool) -> None:
        inks = area.canvas.theme.inks
        ink = inks.quiet if not is_error else inks.soft if self._invalid_row is None else inks.loss
        for row, line in enumerate(wrap(text, area.width - _STOPS.label)[:2]):
            area.write(_STOPS.label, row, line, ink)

    def _create_deal_row(self) -> FormRow:
        form = self._form
        if form.get_value(DEAL) == BY_NUMBER:
            row = self._create_field_row(DEAL, "")
            row.text_input, row.paint_below = form.number_input, self._paint_number
        else:
            day = f"{format_day(form.today)}, the same for everyone"
            row = self._create_field_row(DEAL, day if form.is_daily else "new, by number, of the day")
            row.on_text = form.enter_deal_number
        return row

    def _paint_number(self, area: BlockArea) -> None:
        width, number_input, is_invalid = _STOPS.value_width, self._form.number_input, self._invalid_row == "deal"
        _paint_input(area, _STOPS.value, 1, width, number_input, "type a number", is_invalid=is_invalid)

    def _create_rule_row(self, rule: Choice, column_width: int) -> FormRow:
        """Return the row of a house rule, whose value is at the right edge of the column."""
        form, room, label_width = self._form, column_width - 1 - INDENT, cell_len(rule.label) + 1
        longest = max([cell_len(label) for label in rule.values.values()])
        width = max(longest + ARROWS_WIDTH, min(_STOPS.value_width, room - label_width))
        width = min(width, room - min(_MIN_LABEL_WIDTH, label_width))
        stops = ColumnStops(INDENT, column_width - 1 - width, width)
        row = make_field_row(form, rule, stops, bold=True, read_only=form.is_daily)
        row.help_text, row.indent, row.max_width, row.right_margin = rule.meaning, INDENT, _MAX_MEANING_WIDTH, 1
        if rule.minutes:
            row.on_text = partial(form.append_minutes_digit, rule)
            row.on_backspace = partial(form.delete_minutes_digit, rule)
        return row


def _paint_input(
    area: BlockArea, x: int, row: int, width: int, text_input: TextInput, placeholder: str, *, is_invalid: bool
) -> None:
    """Paint a text input, with ``placeholder`` while it is empty."""
    ink = area.canvas.theme.inks.loss if is_invalid else None
    paint_text_input(
        area.canvas, area.x + x, area.y + row, width, text_input, placeholder, ink=ink, has_focus=area.has_cursor
    )


LEFT_WIDTH: Final = 42
LARGE_LEFT_WIDTH: Final = 55
"""Width of the left column, in a normal and in a large terminal."""


class NewTablePage(FormPage):
    """Page with the form for a new table."""

    SCOPE = NEW_TABLE

    def __init__(self, context: PageContext, form: NewTableForm) -> None:
        super().__init__(context, "game")
        self.form = form
        self._previous_row: Hashable = None

    def on_mount(self) -> None:
        """Request the ratings of the players in the background. Closing the page cancels the request."""
        self._ratings_request = self._request_ratings()

    @work
    async def _request_ratings(self) -> None:
        with suppress(OSError):  # ratings are not required
            await self.context.statistics_client.compute_records(self._handle_progress)

    def _handle_progress(self, progress: AggregationProgress) -> None:
        """Store the ratings and cancel the aggregation.

        The first results contain all ratings; later ones would only complete the statistics.
        """
        if progress.records:
            self.form.ratings = progress.records.ratings
            self.repaint()
            self._ratings_request.cancel()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        """Return the seats and the house rules side by side, with as much spacing as fits.

        In a small terminal everything is in one column.
        """
        rows = NewTableRows(self.form, self.cursor, self.action_begin, show_all_errors=self.shows_all_errors)
        layout = get_layout(canvas)
        if layout.tiny:
            return make_single_column(canvas, rows.create_single_column(canvas.width - 2 * MARGIN))
        edge, room = LARGE_LEFT_WIDTH if layout.large else LEFT_WIDTH, canvas.height - 3
        width = canvas.width - edge - MARGIN
        plan, rules = rows.create_plan_rows(), [rows.create_right_rows(spacing, width) for spacing in (2, 1, 0)]
        left = [
            [*rows.create_left_rows(2), *plan],
            [*rows.create_left_rows(1), *plan],
            rows.create_left_rows(1),
            rows.create_left_rows(0),
        ]
        note = rows.create_defaults_note()
        right = [column for rule_rows in rules for column in ([*rule_rows, *note], rule_rows)]
        return [
            _fit_column(MARGIN, edge - 2 * MARGIN, left, room),
            _fit_column(edge, width, right, room)._replace(has_panel=True),
        ]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        title, seats = self.form.game.about.title, len(self.form.players)
        paint_page_header(canvas, "New table", title, f"{seats} seats, {self.form.length_text}")
        columns = [[line.name for line in column.rows] for column in self.get_columns(canvas)]
        if len(columns) == 1:
            return {**self.SCOPE.footer, "switch": "", "rules": ""}
        other_column = "seats" if self.cursor in columns[1] else "options"
        is_typing = isinstance(self.cursor, int) and self.current_row.text_input
        return {
            **self.SCOPE.footer,
            "switch": "" if self.form.is_daily else other_column,
            "rules": "" if is_typing else "rules",
        }

    def on_changed(self) -> None:
        self.shows_all_errors = False
        super().on_changed()

    def action_aside(self) -> None:
        """Move the cursor from the seats to the house rules or back, to the row at which it was before."""
        names = [line.name for line in self.selectable_rows]
        rules = [rule.name for rule in self.form.list_rules() if rule.name in names and rule.name != PRACTICE]
        others = [name for name in names if (name in rules) != (self.cursor in rules)]
        if others:
            previous_row, self._previous_row = self._previous_row, self.cursor
            self.move_cursor_to(previous_row if previous_row in others else others[0])

    def action_begin(self) -> None:
        """Begin the session. If a row is invalid, move the cursor to it instead."""
        if error := self.form.first_error:
            self.show_errors(error.name)
        else:
            self.navigate(partial(self.context.begin, self.form.create_setup()))

    def action_rules(self) -> None:
        self.show("rules", self.form.game.about.key, self.form.options)


def _fit_column(x: int, width: int, alternatives: list[list[FormRow]], max_height: int) -> Column:
    """Return a column with the first of the ``alternatives`` that is not too high, or else with the last one."""
    fitting = (rows for rows in alternatives if sum(row.to_block(width).height for row in rows) <= max_height)
    return Column(x, width, next(fitting, alternatives[-1]))


def create_screen(context: PageContext, game_key: str) -> PageScreen:
    """Return the page for a new table of a game. Earlier selections in this run of the program are preserved."""
    form = context.get_page_state(NewTableForm)
    form.open(game_key, get_local_time().date(), profiles.load()[0])
    return PageScreen(NewTablePage(context, form))
