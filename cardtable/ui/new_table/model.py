"""Model of the form for a new table: game, seats, house rules and deal. It is independent of the screen."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from cardtable.engine.game import MAX_SEATS, AnyGame, Seat
from cardtable.engine.journal import MAX_SEED, Occupant
from cardtable.engine.options import Choice, Options, Value
from cardtable.engine.text_format import fold, format_count
from cardtable.games import GAMES
from cardtable.records.ratings import Player, Ratings
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import credit_ledger, seating, session_setup
from cardtable.store.profiles import ProfileStore
from cardtable.store.session_setup import MAX_MINUTES, Field, SessionSetup, TableForm, is_minutes
from cardtable.ui.toolkit.form import make_nick_input
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording.formatting import YOU
from cardtable.wording.players import format_side

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
        """Nick as typed so far, or ``""`` for a guest."""
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
        """True if there are robots only."""
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
