"""All that a session is begun with."""

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
    """All that a session is begun with."""

    game: AnyGame
    seats: tuple[Occupant, ...]
    options: Options
    seed: int | None
    """The number of the deal; ``None``: drawn by lot."""
    by_lot: bool
    """Whether places are drawn."""

    @property
    def is_deal_chosen(self) -> bool:
        """True if the deal was asked for by its number, or is played again."""
        return self.seed is not None

    def begin(self, id_: str | None = None, *, proved: bool = False, host: str | None = None) -> Session:
        """Begin the session; the stakes are taken first.  Raises ``CardtableError`` where they cannot be.

        ``id_`` is one of ``unused_id``, if it had to be known before; ``proved``: nobody has to give a password
        first; ``host``: the id of the club that plays it.
        """
        seed = SystemRandom().randrange(MOST_SEED + 1) if self.seed is None else self.seed
        seats = seating.drawn(self.seats, seed) if self.by_lot else self.seats
        now = datetime.now(UTC)
        id_ = id_ or sessions.unused_id(now, self.game.about.key)
        credit_ledger.take(id_, seats, self.options.stake, proved=proved)
        chosen = self.is_deal_chosen
        session = sessions.create(self.game, seats, self.options, seed, now=now, id_=id_, chosen=chosen, host=host)
        session.new_deal = self.seed is None
        return session


def usual(game: AnyGame, me: str = seating.GUEST) -> SessionSetup:
    """One person and steady robots with the usual house rules; the deal and the places by lot."""
    options = game.options()
    return SessionSetup(game, seating.usual(game, options, me), options, None, by_lot=True)


def again(session: Session, *, same_deal: bool) -> SessionSetup:
    """Return the setup with the same people and robots in the same seats, and the same house rules.

    With ``same_deal`` the deal is the same, too.  Raises ``CardtableError`` where there is no such deal.
    """
    if same_deal and not session.can_deal_again:
        raise CardtableError("this session was begun at a club, where no deal is played again")
    table = session.table
    return SessionSetup(
        table.game, for_another(session.header), table.options, table.seed if same_deal else None, by_lot=False
    )


def robots(game: AnyGame) -> SessionSetup:
    """A table to be watched: steady robots in all seats, the usual house rules; the deal by lot."""
    table = usual(game)
    return table._replace(seats=seating.robots(len(table.seats)), by_lot=False)


def parse_setup(game: AnyGame, words: Iterable[str], me: str = seating.GUEST) -> SessionSetup:
    """A table of words such as ``seats=me,steady seed=7 length=short``; what is not told is as usual.

    Raises ``ValueError`` with one line that says what is wrong.
    """
    given = pairs(words)
    sitting = seating.parse(given.pop("seats"), game, me) if "," in given.get("seats", "") else None
    seed = _seed(given.pop("seed")) if "seed" in given else None
    options = read(game.options, given, len(sitting) if sitting else None)
    return SessionSetup(game, sitting or seating.usual(game, options, me), options, seed, by_lot=sitting is None)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_SEED))):
        raise ValueError(f"the number of a deal is a whole one up to {MOST_SEED}, not {sanitize(text, 40)}")
    return int(text)


_FIRST_DAY: Final = date(1970, 1, 1)
_FIRST: Final[Sequence[State]] = ("open", "over", "given-up")
"""Of several sessions of one deal."""


class DailySetup(SessionSetup):
    """Setup of a deal of the day: it has a number, but nobody has chosen it."""

    __slots__ = ()

    @property
    def is_deal_chosen(self) -> bool:
        """False: the deal is the same for everybody."""
        return False


def game_of(day: date) -> str:
    """The key of the game that this day is for; they take turns in the picker's order."""
    return KEYS[(day - _FIRST_DAY).days % len(KEYS)]


def seed_of(day: date) -> int:
    """The number of this day's deal: 20261120 on the 20th of November 2026."""
    return int(f"{day:%Y%m%d}")


def table_of(day: date, me: str = seating.GUEST) -> DailySetup:
    """The deal that everybody finds on this day: the person in seat 0, steady robots, the usual house rules."""
    game = GAMES[game_of(day)]
    return DailySetup(*usual(game, me)._replace(seed=seed_of(day), by_lot=False))


def session(day: date, me: str) -> Summary | None:
    """The session of this day's deal that ``me`` plays: one that goes on, else the first that is over or given up.

    Of all sessions those only are read that were begun on this day, wherever on earth.
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
    """Whether the session has this day's cards, house rules and robots, and this person."""
    deal, its_deal = table_of(day, me), None if header.host else (header.game, header.seed)
    if its_deal != (deal.game.about.key, deal.seed) or header.options != deal.options.items():
        return False
    same = [who.robot for who in header.seats] == [who.robot for who in deal.seats]
    return same and seats_of(profiles.load()[0], me, header) == header.people


_MOST_BYTES: Final = 64 * 1024


def first_start(game: GameInfo) -> str:
    """The aim of a game that is started for the first time here, else nothing; from now on it is known."""
    known = _known()
    if game.key in known:
        return ""
    with suppress(OSError):  # then it is told once more
        paths.make(paths.home())
        atomic_io.write_whole(atomic_io.real(paths.known_games_file()), "\n".join([*known, game.key, ""]).encode())
    return game.aim


def _known() -> list[str]:
    try:
        return atomic_io.read(paths.known_games_file(), _MOST_BYTES, links=True).decode().split()
    except (OSError, UnicodeError):
        return []
