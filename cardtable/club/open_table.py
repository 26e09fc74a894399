"""Questions before a table is opened at a club, on a page or as words of plain text."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable import games
from cardtable.club.protocol import OpenTable
from cardtable.engine.journal import DEFAULT_CLOCK, PlayerClock
from cardtable.engine.options import Value, has_open_hands, parse_pairs, read
from cardtable.engine.text_format import normalize_name, sanitize
from cardtable.games import ABOUT, find_key, format_unknown_game
from cardtable.store import seating
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.session_setup import Field, TableForm
from cardtable.wording.formatting import join_or
from cardtable.wording.terms import format_player_clock

OPEN_EXAMPLE: Final = "open rikiki seats=4 length=short"
PRIVATE_WORD: Final = "private"
"""Word that opens a table for invited people only."""
GRACE_RANGE: Final = range(5, 3601)
"""Allowed times, in seconds, that a table waits for an absent player."""
SEATING: Final = Field(
    "lot", "Seating", "on, for random seats, or off, to sit as you sat down", {"on": "random", "off": "as you sit down"}
)
GRACE: Final = Field(
    "grace", "If a player is away", f"a number of seconds from {GRACE_RANGE[0]} to {GRACE_RANGE[-1]}",
    {seconds: f"wait {seconds} s" for seconds in (60, 120, 300, 30)},
)  # fmt: skip
ACCESS: Final = Field("access", "Open to", "", {"all": "everybody", "invited": "people you invite"})
CLOCKS: Final = {
    "".join(format_player_clock(clock).split()): clock
    for clock in (DEFAULT_CLOCK, PlayerClock(30, 300), PlayerClock(15, 120), PlayerClock(120, 1800))
}
"""Clocks to choose from, by their names as words of plain text, such as ``30s+5min``; the usual one is the first."""
_SWITCHES: Final[Mapping[Value, bool]] = {"on": True, "off": False}
"""Answers by which the club does not decide."""
RATED: Final = Field("rated", "Rated", "on, or off", {"club": "if a season is open", "on": "yes", "off": "no"})
TIME: Final = Field(
    "time", "Time of each player", join_or([*CLOCKS]),
    {"club": "if it is rated", **{name: format_player_clock(clock) for name, clock in CLOCKS.items()}},
)  # fmt: skip
HINTS: Final = Field(
    "hints", "Hints", "on, or off", {"club": "if it is not rated", "on": "allowed", "off": "not allowed"}
)


class OpenTableForm(TableForm):
    """Form for a new table at a club."""

    @property
    def growth_field(self) -> Field:
        about = self.game.about
        words: dict[Value, str] = {"on": f"up to {about.seats[-1]} seats", "off": "no more seats"}
        values = words if about.grows else dict(reversed(words.items()))
        meaning = "on, for more seats if more people come, or off"
        return Field("grow", "When all are taken", meaning, values, of_game=True)

    def list_fields(self) -> list[Field]:
        growth = [self.growth_field] if self.seats < self.game.about.seats[-1] else []
        rated = [] if self.is_casual else [RATED]
        return [*super().list_fields(), *growth, SEATING, *rated, TIME, HINTS, GRACE, ACCESS]

    @property
    def is_private(self) -> bool:
        return self.get_value(ACCESS) == "invited"

    @property
    def is_casual(self) -> bool:
        """True if the session cannot be rated, since others cannot come, or all hands are open."""
        return self.is_private or has_open_hands(self.options.to_dict())

    def create_request(self, invited: Sequence[str], name: str = "") -> OpenTable:
        """Return the request to open the table; ``invited`` are nicks, which count only if it is private."""
        grows = self.get_value(self.growth_field)
        return OpenTable(
            game=self.game_key,
            seats=self.seats,
            options=self.options.to_header(),
            name=name,
            grace=int(self.get_value(GRACE)),
            draws_seats=self.get_value(SEATING) == "on",
            grows=None if grows == self.growth_field.default else grows == "on",
            private=self.is_private,
            invited=tuple(map(seating.normalize_nick, invited)) if self.is_private else (),
            rated=False if self.is_casual else _SWITCHES.get(self.get_value(RATED)),
            aids=_SWITCHES.get(self.get_value(HINTS)),
            clock=CLOCKS.get(str(self.get_value(TIME))),
        )


def find_loading_error(game: str) -> str | None:
    """Tell guests that the club has a game and cannot load it, without the reason; return None for other games."""
    keys = [plugin.key for plugin in games.find_plugins().rejected if plugin.key]
    key = next((key for key in keys if normalize_name(key) == normalize_name(game)), None)
    return key and f"the club cannot load the game {key}; its host can see why"


def parse_open_table(arguments: Sequence[str]) -> OpenTable:
    """Parse the arguments of the command ``open``: a game, and pairs of a field and its value.

    Missing fields have defaults; with a number of seats, the table does not grow. Raises ``ValueError`` with the reason
    if an argument is invalid.
    """
    if not arguments:
        raise ValueError(f"name a game, such as {OPEN_EXAMPLE}: {', '.join(about.title for about in ABOUT.values())}")
    game_key = find_key(arguments[0])
    if game_key is None:
        refusal = find_loading_error(arguments[0]) if is_hosted_client() else None
        raise ValueError(sanitize(refusal or format_unknown_game(arguments[0])))
    words = [word for word in arguments[1:] if word != PRIVATE_WORD]
    values = parse_pairs(words)
    form = OpenTableForm(game_key)
    name, invited = values.pop("name", ""), [nick for nick in values.pop("invite", "").split(",") if nick]
    if invited or len(words) < len(arguments) - 1:
        form.choose(ACCESS, "invited")
    if "seats" in values:
        values.setdefault("grow", "off")
    for field in (SEATING, GRACE, RATED, TIME, HINTS, form.growth_field, form.seats_field):
        if field.name in values:
            form.choose(field, _parse_answer(form, field, values.pop(field.name)))
        elif field == form.seats_field:
            form.choose(field, form.game.seats_for(read(form.game.options, values)))
    form.rules[game_key] = {**values}
    if form.is_casual and form.get_value(RATED) == "on":
        raise ValueError("a private table, or one with open hands, cannot be rated")
    return form.create_request(invited, name)


def _parse_answer(form: OpenTableForm, field: Field, text: str) -> Value:
    """Return a value from a text. Raises ``ValueError`` with the allowed values if it is none."""
    value = int(text[:6]) if text.isdecimal() else text
    if value in field.values or (field == GRACE and value in GRACE_RANGE):
        return value
    if field == form.seats_field:
        about = form.game.about
        raise ValueError(f"{about.title} has {about.seats_in_words()} seats, not {sanitize(text, 10)}")
    refused = f", not {sanitize(text, 20)}" if field == GRACE else ""
    raise ValueError(f"{field.name} is {field.meaning}{refused}")
