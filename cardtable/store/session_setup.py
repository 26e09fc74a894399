"""Setup of a new session: players, house rules and deal, the deal of the day, and the form for a new table."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, UTC, date, datetime, timedelta
from pathlib import Path
from random import SystemRandom
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, GameInfo, Seat
from cardtable.engine.journal import MAX_SEED, Header, Occupant, Terms
from cardtable.engine.options import Choice, Options, Value, list_choices, parse_pairs, read
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, GAMES, KEYS, list_keys
from cardtable.store import atomic_io, credit_ledger, home_folder, paths, profiles, seating, sessions, summaries
from cardtable.store.profiles import find_seats, list_rematch_occupants
from cardtable.store.session_files import State
from cardtable.store.sessions import Session
from cardtable.store.summaries import Summary


class SessionSetup(NamedTuple):
    """Parameters of a new session."""

    game: AnyGame
    seats: tuple[Occupant, ...]
    options: Options
    seed: int | None
    """Seed of the session, or ``None`` for a random one. Players know it as the number of the deal."""
    random_seating: bool
    """True if the players are seated at random."""
    came: tuple[Occupant, ...] = ()
    """The people in the order in which they came to the table; empty if that is their order in ``seats``."""

    @property
    def is_deal_chosen(self) -> bool:
        """True if the player has chosen the deal by its number, or plays it again."""
        return self.seed is not None

    def begin(
        self,
        id_: str | None = None,
        *,
        authenticated: bool = False,
        host_id: str | None = None,
        terms: Terms | None = None,
    ) -> Session:
        """Take the stakes and begin the session.

        ``id_`` is an id from ``sessions.generate_id``, for a caller that needs it in advance. ``authenticated`` is True
        if no player has to enter a password first. ``host_id`` is the id of the club that plays the session, on
        ``terms``. Raises ``CardtableError`` if a stake cannot be taken.
        """
        seed = SystemRandom().randrange(MAX_SEED + 1) if self.seed is None else self.seed
        seats = seating.shuffle_seats(self.seats, seed) if self.random_seating else self.seats
        now = datetime.now(UTC)
        id_ = id_ or sessions.generate_id(now, self.game.about.key)
        credit_ledger.take_stakes(id_, seats, self.options.stake, authenticated=authenticated)
        session = sessions.create(
            self.game,
            seats,
            self.options,
            seed,
            now=now,
            id_=id_,
            deal_chosen=self.is_deal_chosen,
            host_id=host_id,
            terms=terms,
            arrivals=seating.list_arrivals(seats, self.came or self.seats),
        )
        session.new_deal = self.seed is None
        return session


def create_default_setup(game: AnyGame, me: str = seating.GUEST) -> SessionSetup:
    """Return a setup with ``me``, robots, default house rules, and a random deal and seating."""
    return create_setup(game, {}, None, None, me)


def create_rematch(session: Session, *, same_deal: bool) -> SessionSetup:
    """Return a setup with the same occupants in the same seats and the same house rules.

    With ``same_deal`` the deals are the same, too. Raises ``CardtableError`` if they do not follow from the seed.
    """
    if same_deal and not session.can_deal_again:
        raise CardtableError("this session was started at a club, where no deal is played again")
    referee, occupants = session.referee, list_rematch_occupants(session.header)
    return SessionSetup(
        referee.game,
        occupants,
        referee.options,
        referee.seed if same_deal else None,
        random_seating=False,
        came=tuple([occupants[seat] for seat in session.header.arrivals]),
    )


def create_robot_setup(game: AnyGame) -> SessionSetup:
    """Return a setup without human players: robots of the default level, default house rules, and a random deal."""
    options = game.options()
    return SessionSetup(game, seating.create_robots(game.seats_for(options)), options, None, random_seating=False)


def parse_setup(game: AnyGame, parameters: Iterable[str], me: str = seating.GUEST) -> SessionSetup:
    """Parse a setup such as ``seats=me,steady seed=7 length=short``.

    ``parameters`` are its words; parameters that are not named have their defaults. The seating is random unless the
    seats are listed. Raises ``ValueError``, with a reason in one line, if a parameter is invalid.
    """
    pairs = parse_pairs(parameters)
    seats = pairs.pop("seats") if "," in pairs.get("seats", "") else None
    seed = _parse_seed(pairs.pop("seed")) if "seed" in pairs else None
    return create_setup(game, pairs, seats, seed, me)


def create_setup(
    game: AnyGame, house_rules: Mapping[str, str], seats: str | None, seed: int | None, me: str = seating.GUEST
) -> SessionSetup:
    """Return a setup with these house rules; the seating is random unless ``seats`` lists the occupants.

    Otherwise ``me`` plays against robots: novices if ``me`` is new to the game, unless ``seed`` names a deal, which is
    the same table for everyone. Raises ``ValueError``, with a reason in one line, if a house rule or an occupant is
    invalid.
    """
    occupants = None if seats is None else seating.parse_seats(seats, game, me)
    options = read(game.options, house_rules, len(occupants) if occupants else None)
    eased = occupants is None and seed is None and has_newcomer(game.about.key, [me])
    level = seating.NEWCOMER_LEVEL if eased else seating.DEFAULT_LEVEL
    return SessionSetup(
        game,
        occupants or seating.create_default_seats(game, options, me, level),
        options,
        seed,
        random_seating=occupants is None,
    )


def _parse_seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_SEED))):
        raise ValueError(f"a deal has a whole number up to {MAX_SEED}, not {sanitize(text, 40)}")
    return int(text)


_DAY_ZERO: Final = date(1970, 1, 1)
_STATE_PREFERENCE: Final[Sequence[State]] = ("open", "over", "abandoned")
"""States in order of preference, if there are several sessions with the same deal."""


class DailySetup(SessionSetup):
    """Setup of the deal of the day. The seed is fixed but was not chosen by the player."""

    __slots__ = ()

    @property
    def is_deal_chosen(self) -> bool:
        return False


def get_daily_game(day: date) -> str:
    """Return the key of the game of a day. The games alternate in the order of the picker."""
    return KEYS[(day - _DAY_ZERO).days % len(KEYS)]


def get_daily_seed(day: date) -> int:
    """Return the seed of a day's deal, such as 20261120 for 20 November 2026."""
    return int(f"{day:%Y%m%d}")


def create_daily_setup(day: date, me: str = seating.GUEST) -> DailySetup:
    """Return the setup of a day's deal: ``me`` in seat 0, robots of the default level, and the default house rules."""
    game = GAMES[get_daily_game(day)]
    return DailySetup(*create_setup(game, {}, None, get_daily_seed(day), me)._replace(random_seating=False))


class DailyProgress(NamedTuple):
    """Session of a player with a day's deal, and the player's run of such deals."""

    session: Summary | None
    """Session as ``find_daily_session`` returns it."""
    streak: int
    """Number of days in a row whose deals the player has finished, up to the day or the day before."""


def find_daily_session(day: date, me: str) -> Summary | None:
    """Return the session in which ``me`` plays a day's deal, or ``None`` if there is none.

    An unfinished session is preferred to a finished one, and that to an abandoned one; the earliest of each is chosen.
    """
    return _choose_session(_list_daily_sessions(day, me, summaries.list_all_journals()))


def _choose_session(deals: Iterable[Summary]) -> Summary | None:
    return min(deals, key=lambda summary: (_STATE_PREFERENCE.index(summary.state), summary.id), default=None)


def load_daily_progress(day: date, me: str) -> DailyProgress:
    journals, streak = summaries.list_all_journals(), 0

    def has_finished(deal_day: date) -> bool:
        return any(session.state == "over" for session in _list_daily_sessions(deal_day, me, journals))

    last = day if has_finished(day) else day - timedelta(days=1)
    while has_finished(last - timedelta(days=streak)):
        streak += 1
    return DailyProgress(_choose_session(_list_daily_sessions(day, me, journals)), streak)


def _list_daily_sessions(day: date, me: str, journals: Sequence[Path]) -> list[Summary]:
    """Return the sessions among these journals in which ``me`` plays a day's deal.

    Only those are read whose ids have the date of this day or of a neighbouring one, since time zones differ.
    """
    days = {f"{day + timedelta(days=shift):%Y%m%d}" for shift in (-1, 0, 1)}
    paths_by_id: dict[str, list[Path]] = {}
    for path in journals:
        if f"-{get_daily_game(day)}-" in path.stem and any(date_ in path.stem for date_ in days):
            paths_by_id.setdefault(summaries.read_session_id(path), []).append(path)
    files = [summaries.find_session_file(id_, files_of_id) for id_, files_of_id in paths_by_id.items()]
    candidates = [summaries.summarize(path) for path in files if path]
    return [summary for summary in candidates if summary.header and _is_deal_of(day, me, summary.header)]


def find_deal_day(header: Header) -> date | None:
    """Return the day whose deal a session has, or ``None`` if it has no deal of the day.

    The session must have been begun on that day, or on a neighbouring one, since time zones differ.
    """
    try:
        day, created = _parse_daily_seed(header.seed), date.fromisoformat(header.created[:10])
    except ValueError:
        return None
    return day if abs(day - created) <= timedelta(days=1) and _has_deal_of(day, header) else None


def _parse_daily_seed(seed: int) -> date:
    """Return the day with this seed. Raises ``ValueError`` if there is none."""
    month, day = divmod(seed % 10_000, 100)
    return date(min(seed // 10_000, MAXYEAR + 1), month, day)


def _has_deal_of(day: date, header: Header) -> bool:
    """Return True if a session has the deal, the house rules and the robots of a day."""
    if header.host or (header.game, header.seed) != (get_daily_game(day), get_daily_seed(day)):
        return False
    deal = create_daily_setup(day)
    same = [occupant.robot for occupant in header.seats] == [occupant.robot for occupant in deal.seats]
    house_rules = deal.options.to_dict()  # rules that the header does not name have their defaults
    return same and {**house_rules, **header.options} == house_rules


def _is_deal_of(day: date, me: str, header: Header) -> bool:
    return _has_deal_of(day, header) and find_seats(profiles.load()[0], me, header) == header.people


_MAX_KNOWN_GAMES_BYTES: Final = 64 * 1024


def take_aim_at_first_start(game: GameInfo) -> str:
    """Return the aim of a game when it is started for the first time in this home, or ``""`` later.

    The game is recorded as known.
    """
    known = _read_known_games()
    if game.key in known:
        return ""
    _save_known_games([*known, game.key])
    return game.aim


def _save_known_games(keys: Sequence[str]) -> None:
    with suppress(OSError):  # the aim, or the welcome, is shown again at the next start
        paths.create_folder(paths.home())
        atomic_io.write_atomically(atomic_io.resolve_links(paths.known_games_file()), "\n".join([*keys, ""]).encode())


def is_new_home() -> bool:
    """Return True if nobody has used this home yet, and something can be saved in it."""
    used = (*paths.journal_folders(), paths.settings_file(), paths.profiles_file(), paths.known_games_file())
    return not any(map(os.path.lexists, used)) and home_folder.find_save_error() is None


def note_welcome() -> None:
    """Note that this home is no longer new."""
    _save_known_games([])


FIRST_SESSIONS: Final = 3
"""Number of finished sessions of a game after which a player knows its cards."""
_MAX_SESSIONS_READ: Final = 40


def is_first_session(header: Header, seats: Iterable[Seat]) -> bool:
    """Return True if a player in ``seats`` has finished fewer than ``FIRST_SESSIONS`` sessions of the game before."""
    nicks = profiles.map_profile_nicks(header)
    return has_newcomer(header.game, [nicks.get(seat, header.seats[seat].name) for seat in seats])


def has_newcomer(game: str, players: Iterable[str]) -> bool:
    """Return True if one of the players has finished fewer than ``FIRST_SESSIONS`` sessions of the game.

    Only the game's newest sessions in the archive of this home are read, so that the answer takes a few milliseconds.
    """
    profile_store, left = profiles.load()[0], dict.fromkeys(players, FIRST_SESSIONS)
    named = [path for path in summaries.list_journals(paths.archive_folder()) if f"-{game}-" in path.stem]
    for path in named[: -_MAX_SESSIONS_READ - 1 : -1]:
        summary = summaries.summarize_fast(path)
        if summary.header and summary.state == "over" and not summary.real_cards:
            for nick in left:
                if find_seats(profile_store, nick, summary.header):
                    left[nick] -= 1
        if all(number <= 0 for number in left.values()):
            return False
    return bool(left)


def _read_known_games() -> list[str]:
    try:
        return atomic_io.read(paths.known_games_file(), _MAX_KNOWN_GAMES_BYTES, follow_links=True).decode().split()
    except (OSError, UnicodeError):
        return []


_MINUTE_STEP: Final = 5
"""Number of minutes by which one step changes a clock."""
MAX_MINUTES: Final = 999
GAME: Final = "game"
"""Name of the field of the game."""
_SEATS: Final = "seats"
"""Name of the field, and of the house rule of some games that follows from it."""


@dataclass(frozen=True, slots=True)
class Field(Choice):
    """Field of a form other than a house rule."""

    of_game: bool = False
    """True if the answer is remembered for each game; else it holds for every game."""


class TableForm(msgspec.Struct):
    """Form for a new table: a list of fields and house rules, and the answers."""

    game_key: str = KEYS[0]
    """Key of the selected game."""
    rules: dict[str, dict[str, Value]] = {}
    """Chosen house rules by key of the game; those that are missing have their default."""
    _answers: dict[tuple[str, str], Value] = {}
    """Answers to fields by key of the game, which is empty if they hold for every game, and name of the field."""

    @property
    def game(self) -> AnyGame:
        return GAMES[self.game_key]

    def list_game_keys(self) -> Sequence[str]:
        return list_keys()

    @property
    def game_field(self) -> Field:
        return Field(GAME, "Game", "", {key: ABOUT[key].title for key in self.list_game_keys()})

    @property
    def seats_field(self) -> Field:
        about = self.game.about
        usual_first = sorted(about.seats, key=lambda number: number < about.usual_seats)
        return Field(_SEATS, "Seats", "", {number: str(number) for number in usual_first}, of_game=True)

    def list_fields(self) -> list[Field]:
        """Return all fields in order, except the house rules."""
        return [self.game_field, self.seats_field]

    def list_rules(self) -> list[Choice]:
        """Return the house rules of the game, except the one that follows from the number of seats."""
        return [rule for rule in list_choices(self.game.options) if rule.name != _SEATS]

    @property
    def seats(self) -> int:
        return int(self._answers.get((self.game_key, _SEATS), self.game.about.usual_seats))

    @property
    def default_options(self) -> Options:
        return read(self.game.options, {}, self.seats)

    @property
    def options(self) -> Options:
        """Options with the chosen house rules. Raises ``ValueError`` if they are invalid."""
        return read(self.game.options, self.rules.get(self.game_key, {}), self.seats)

    def get_value(self, field: Choice) -> Value:
        """Return the answer to a field, by default its first value, or the value of a house rule."""
        if not isinstance(field, Field):
            return self.options.to_dict()[field.name]
        if field.name == GAME:
            return self.game.about.key
        return self._answers.get(self._find_key(field), field.default)

    def format_value(self, field: Choice) -> str:
        return field.format_value(self.get_value(field))

    def choose(self, field: Choice, value: Value) -> None:
        """Answer a field, or choose the value of a house rule."""
        if not isinstance(field, Field):
            self.rules.setdefault(self.game_key, {})[field.name] = value
        elif field.name == GAME:
            self.game_key = str(value)
        else:
            self._answers[self._find_key(field)] = value

    def step(self, field: Choice, step: int) -> None:
        """Select the next (1) or the previous (-1) value of a field or house rule, wrapping around."""
        self.choose(field, step_value(field, self.get_value(field), step))

    def _find_key(self, field: Field) -> tuple[str, str]:
        return self.game_key if field.of_game else "", field.name


def is_minutes(rule: Choice, value: Value) -> bool:
    """Return True if the value is a number of minutes that is not among the rule's listed values."""
    return rule.minutes and value not in rule.values


def step_value(field: Choice, value: Value, step: int) -> Value:
    """Return the next (1) or the previous (-1) value of a field, wrapping around.

    Minutes change to the next or the previous multiple of 5. Beyond ``MAX_MINUTES``, and below 5, the default follows.
    """
    if not field.minutes:
        values = tuple(field.values)
        return values[(values.index(value) + step) % len(values)]
    minutes = int(value) if is_minutes(field, value) else 0
    minutes = (minutes // _MINUTE_STEP + 1 if step > 0 else -(-minutes // _MINUTE_STEP) - 1) * _MINUTE_STEP
    return minutes if 0 < minutes <= MAX_MINUTES else field.default
