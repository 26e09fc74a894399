"""Setup of a new session: players, house rules and deal, including the deal of the day."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import SystemRandom
from typing import Final, NamedTuple

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, GameInfo
from cardtable.engine.journal import MOST_SEED, Header, Occupant
from cardtable.engine.options import Options, pairs, read
from cardtable.engine.text_format import sanitize
from cardtable.games import GAMES, KEYS
from cardtable.store import atomic_io, credit_ledger, paths, profiles, seating, sessions, summaries
from cardtable.store.profiles import for_another, seats_of
from cardtable.store.sessions import Session
from cardtable.store.summaries import State, Summary


class SessionSetup(NamedTuple):
    """All parameters of a new session."""

    game: AnyGame
    seats: tuple[Occupant, ...]
    options: Options
    seed: int | None
    """Number of the deal (the session's seed); ``None`` for a random one."""
    random_seating: bool
    """True if players are seated at random."""

    @property
    def is_deal_chosen(self) -> bool:
        """True if the deal was chosen by its number, or is played again."""
        return self.seed is not None

    def begin(self, id_: str | None = None, *, proved: bool = False, host: str | None = None) -> Session:
        """Take the stakes and begin the session.  Raises ``CardtableError`` if a stake cannot be taken.

        ``id_``: an id from ``unused_id``, if the caller needs it in advance. ``proved``: True if no player has to
        enter a password first. ``host``: id of the club that plays the session.
        """
        seed = SystemRandom().randrange(MOST_SEED + 1) if self.seed is None else self.seed
        seats = seating.shuffled(self.seats, seed) if self.random_seating else self.seats
        now = datetime.now(UTC)
        id_ = id_ or sessions.unused_id(now, self.game.about.key)
        credit_ledger.take_stakes(id_, seats, self.options.stake, proved=proved)
        chosen = self.is_deal_chosen
        session = sessions.create(self.game, seats, self.options, seed, now=now, id_=id_, chosen=chosen, host=host)
        session.new_deal = self.seed is None
        return session


def default_setup(game: AnyGame, me: str = seating.GUEST) -> SessionSetup:
    """Return the setup with one person, robots of level steady, the default house rules, random deal and seating."""
    options = game.options()
    return SessionSetup(game, seating.usual(game, options, me), options, None, random_seating=True)


def rematch(session: Session, *, same_deal: bool) -> SessionSetup:
    """Return the setup with the same occupants in the same seats and the same house rules.

    With ``same_deal`` the deal is the same as well. Raises ``CardtableError`` if the deal does not follow from a
    seed.
    """
    if same_deal and not session.can_deal_again:
        raise CardtableError("this session was begun at a club, where no deal is played again")
    table = session.table
    return SessionSetup(
        table.game, for_another(session.header), table.options, table.seed if same_deal else None, random_seating=False
    )


def robots(game: AnyGame) -> SessionSetup:
    """Return the setup of a table to watch: robots of level steady, the default house rules, a random deal."""
    table = default_setup(game)
    return table._replace(seats=seating.robots(len(table.seats)), random_seating=False)


def parse_setup(game: AnyGame, words: Iterable[str], me: str = seating.GUEST) -> SessionSetup:
    """Parse a setup such as ``seats=me,steady seed=7 length=short``; missing parameters have their defaults.

    Raises ``ValueError`` with a one-line reason.
    """
    given = pairs(words)
    sitting = seating.parse(given.pop("seats"), game, me) if "," in given.get("seats", "") else None
    seed = _seed(given.pop("seed")) if "seed" in given else None
    options = read(game.options, given, len(sitting) if sitting else None)
    return SessionSetup(
        game, sitting or seating.usual(game, options, me), options, seed, random_seating=sitting is None
    )


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_SEED))):
        raise ValueError(f"the number of a deal is a whole one up to {MOST_SEED}, not {sanitize(text, 40)}")
    return int(text)


_FIRST_DAY: Final = date(1970, 1, 1)
_FIRST: Final[Sequence[State]] = ("open", "over", "given-up")
"""Order of preference among several sessions of the same deal."""


class DailySetup(SessionSetup):
    """Setup of the deal of the day: its number is fixed, but not chosen by the player."""

    __slots__ = ()

    @property
    def is_deal_chosen(self) -> bool:
        return False


def game_of(day: date) -> str:
    """Return the key of the game of a day; games alternate in the picker's order."""
    return KEYS[(day - _FIRST_DAY).days % len(KEYS)]


def seed_of(day: date) -> int:
    """Return the deal number of a day: 20261120 on 20 November 2026."""
    return int(f"{day:%Y%m%d}")


def daily_setup(day: date, me: str = seating.GUEST) -> DailySetup:
    """Return the setup of a day's deal: the person in seat 0, robots of level steady, the default house rules."""
    game = GAMES[game_of(day)]
    return DailySetup(*default_setup(game, me)._replace(seed=seed_of(day), random_seating=False))


def find_daily_session(day: date, me: str) -> Summary | None:
    """Return the session of a day's deal that ``me`` plays; ``None`` if there is none.

    An unfinished session is preferred, then a finished one, then an abandoned one, of each the first. Only sessions
    whose id has the date of this day, give or take one day for time zones, are read.
    """
    days = {f"{day + timedelta(days=shift):%Y%m%d}" for shift in (-1, 0, 1)}
    folders = (paths.sessions(), paths.archive())
    named = [path for folder in folders for path in summaries.journals(folder) if f"-{game_of(day)}-" in path.stem]
    begun: dict[str, list[Path]] = {}
    for path in named:
        if any(day_ in path.stem for day_ in days):
            begun.setdefault(summaries.session_id(path), []).append(path)
    files = [summaries.session_file(id_, several) for id_, several in begun.items()]
    found = [summaries.summarize(path) for path in files if path]
    deals = [summary for summary in found if summary.header and _is_deal_of(day, me, summary.header)]
    return min(deals, key=lambda summary: (_FIRST.index(summary.state), summary.id), default=None)


def _is_deal_of(day: date, me: str, header: Header) -> bool:
    """Return True if a session has the day's cards, house rules and robots, and ``me`` as its only person."""
    deal, its_deal = daily_setup(day, me), None if header.host else (header.game, header.seed)
    if its_deal != (deal.game.about.key, deal.seed) or header.options != deal.options.items():
        return False
    same = [who.robot for who in header.seats] == [who.robot for who in deal.seats]
    return same and seats_of(profiles.load()[0], me, header) == header.people


_MOST_BYTES: Final = 64 * 1024


def first_start(game: GameInfo) -> str:
    """Return the aim of a game at its first start in this home, ``""`` later; remembers the game."""
    known = _known()
    if game.key in known:
        return ""
    with suppress(OSError):  # the aim is shown again at the next start
        paths.make(paths.home())
        atomic_io.write_whole(atomic_io.real(paths.known_games_file()), "\n".join([*known, game.key, ""]).encode())
    return game.aim


def _known() -> list[str]:
    try:
        return atomic_io.read(paths.known_games_file(), _MOST_BYTES, links=True).decode().split()
    except (OSError, UnicodeError):
        return []
