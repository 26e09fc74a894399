"""Checks of a host's messages about tables, seasons and the lobby, since a host may be faulty or hostile."""

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Final, NamedTuple

import msgspec

from cardtable.club.protocol import SeasonTables, Seated, SeenStep, Update
from cardtable.engine import plugin_values, replay
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, Seat, View
from cardtable.engine.options import Options
from cardtable.engine.plugin_guard import guard_game, locate_error
from cardtable.engine.plugin_values import MAX_NUMBER, WrongReturnValue
from cardtable.engine.view_codec import MAX_TEXT_LENGTH, decode_view, find_invalid_field
from cardtable.games import GAMES
from cardtable.session.session_events import Stage

MAX_ROUNDS: Final = 100_000
"""Maximum number of a round."""
MAX_DECIMALS: Final = 6
"""Maximum number of decimal places of a figure of a season."""
MAX_LOBBY_ROWS: Final = 5_000
"""Maximum number of people, of tables and of unfinished sessions in a lobby; a screen with more is too slow to use."""


class InvalidMessage(CardtableError):
    """The host has sent something that is no message, or one that no table can have."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the club sends something invalid: {reason}")


class UnshowablePosition(InvalidMessage):
    """The code of this program has raised an error for a position: it cannot occur, or there is a mistake here.

    The message blames neither the host nor this program, since the two look alike.
    """

    def __init__(self, error: BaseException) -> None:
        place = locate_error(error, __name__)
        name = f"{type(error).__name__}{f' in {place}' if place else ''}"
        CardtableError.__init__(self, f"its position cannot be shown ({name})")


class ReceivedUpdate(NamedTuple):
    """Valid update of the host, with its decoded views."""

    update: Update
    views: tuple[Mapping[Seat, View], ...]
    """Views after each step of the update, by seat; the one from which the client sees the table comes first."""


def check_lobby_size(kind: str, rows: Sized) -> None:
    """Raise ``InvalidMessage`` if a lobby has too many ``rows``; ``kind`` names them, such as ``tables``."""
    if len(rows) > MAX_LOBBY_ROWS:
        raise InvalidMessage(f"{len(rows)} {kind}")


def check_season(season: SeasonTables) -> None:
    """Raise ``InvalidMessage`` if the tables of a season cannot be shown."""
    for table in season.tables:
        texts = [
            table.title,
            *table.notes,
            *[text for column in table.columns for text in (column.heading, column.unit)],
        ]
        _require(all(len(text) <= MAX_TEXT_LENGTH for text in texts), "a text of a season")
        _require(all(0 <= column.decimals <= MAX_DECIMALS for column in table.columns), "decimals of a season")
        for row in table.rows:
            _require(len(row.figures) == len(table.columns), "figures of a season")
            _require(_are_numbers([row.place, *row.figures]), "a number of a season")


class TableMessages:
    """Checks of the messages about one table, which decode the views in them."""

    def __init__(self, seated: Seated) -> None:
        """Check the host's notice ``seated``.

        Raises ``InvalidMessage`` if its game is unknown, or its seats or house rules are not valid.
        """
        try:
            referee = replay.create_referee(seated.header, GAMES)
        except ValueError as error:
            raise InvalidMessage(str(error)) from None
        self.game: Final[AnyGame] = referee.game
        self._guarded_game: Final = guard_game(referee.game, UnshowablePosition)
        self._options: Final[Options] = referee.state.options
        self._seats: Final = range(len(seated.header.seats))
        self._own_seat: Final = seated.seat
        self._has_view = False
        """True once an update has had a view."""
        _require(seated.seat is None or seated.seat in self._seats, "seat")

    def check_update(self, update: Update) -> ReceivedUpdate:
        """Return an update with its decoded views.

        Raises ``InvalidMessage`` if a seat, a card or a number in it does not fit the table.
        """
        count = len(self._seats)
        _require(0 <= update.at <= MAX_NUMBER, "at")
        _require(update.stage is not Stage.CURTAIN, "stage")
        _require(update.steps or (self._has_view and not update.whole), "steps")
        for name, by_seat in (("seats", update.seats), ("seats_left", update.seats_left)):
            _require(len(by_seat) in (0, count), name)
        for name, numbers in (("ranks", update.ranks), ("results", update.results)):
            _require(numbers is None or (len(numbers) == count and _are_numbers(numbers)), name)
        _require(_are_numbers([update.round_left, *update.seats_left, *update.absences.values()]), "a time")
        voters = [seat for seats in update.substitute_votes.values() for seat in seats]
        named = {*update.waits_for, *update.absences, *update.rematch_seats, *update.substitute_votes, *voters}
        _require(named <= {*self._seats}, "a seat that is not at the table")
        for note in update.notes:
            _require_valid_fields(note, count)
        for score in update.scores:
            try:
                plugin_values.check_score(score, count, len(self.game.columns))
            except WrongReturnValue as error:
                raise InvalidMessage(str(error)) from None
        _require((update.ranks and update.results) or update.stage is not Stage.SESSION_END, "ranks")
        views = tuple([dict(self._iter_views(step)) for step in update.steps])
        self._has_view = True
        return ReceivedUpdate(update, views)

    def _iter_views(self, step: SeenStep) -> Iterator[tuple[Seat, View]]:
        """Yield the seats and decoded views of a step. Raises ``InvalidMessage`` if they are not valid."""
        if step.play:
            _require_valid_fields(step.play, len(self._seats))
        view = self._decode_view(step.view)
        _require(view.seat in self._seats and self._own_seat in (None, view.seat), "seat of a view")
        yield view.seat, view
        for seat, data in step.others.items():
            other = self._decode_view(data)
            _require(other.seat == seat != view.seat and seat in self._seats, "seat of a view")
            yield seat, other

    def _decode_view(self, data: msgspec.Raw) -> View:
        try:
            view = decode_view(self.game, data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InvalidMessage(str(error)) from None
        _require_valid_fields(view, len(self._seats))
        _require(len(view.totals) == len(view.active) == len(self._seats), "totals of a view")
        _require(view.options == self._options, "options of a view")
        _require(0 <= view.finished <= view.round <= MAX_ROUNDS, "round of a view")
        self._describe_view(view)
        return view

    def _describe_view(self, view: View) -> None:
        """Call the functions of the game that screens call for each view. Raises ``CardtableError`` if one fails."""
        game = self._guarded_game
        for describe in (game.scene, game.marks, game.trick, game.bids, game.contract, game.dealer_or_declarer):
            describe(view)


def _require(condition: object, name: str) -> None:
    if not condition:
        raise InvalidMessage(name)


def _require_valid_fields(value: msgspec.Struct, seats: int) -> None:
    """Raise ``InvalidMessage`` if a field of a view, an action or a log entry does not fit the table."""
    _require(not (name := find_invalid_field(value, seats)), f"{name} of {type(value).__name__}")


def _are_numbers(values: Iterable[float | None]) -> bool:
    return all(value is None or abs(value) <= MAX_NUMBER for value in values)
