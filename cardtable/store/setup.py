"""All that a session is begun with."""

from collections.abc import Iterable
from datetime import UTC, datetime
from random import SystemRandom
from typing import NamedTuple

from cardtable.engine.contract import AnyGame
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MOST_SEED, SeatOf
from cardtable.engine.options import Options, pairs, read
from cardtable.engine.text import clean
from cardtable.store import ledgers, seating, sessions
from cardtable.store.sessions import Session
from cardtable.store.whose_seat import for_another


class Setup(NamedTuple):
    """All that a session is begun with."""

    game: AnyGame
    seats: tuple[SeatOf, ...]
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
        ledgers.take(id_, seats, self.options.stake, proved=proved)
        chosen = self.is_deal_chosen
        session = sessions.create(self.game, seats, self.options, seed, now=now, id_=id_, chosen=chosen, host=host)
        session.new_deal = self.seed is None
        return session


def usual(game: AnyGame, me: str = seating.GUEST) -> Setup:
    """One person and steady robots with the usual house rules; the deal and the places by lot."""
    options = game.options()
    return Setup(game, seating.usual(game, options, me), options, None, by_lot=True)


def again(session: Session, *, same_deal: bool) -> Setup:
    """Return the setup with the same people and robots in the same seats, and the same house rules.

    With ``same_deal`` the deal is the same, too.  Raises ``CardtableError`` where there is no such deal.
    """
    if same_deal and not session.can_deal_again:
        raise CardtableError("this session was begun at a club, where no deal is played again")
    table = session.table
    return Setup(
        table.game, for_another(session.header), table.options, table.seed if same_deal else None, by_lot=False
    )


def robots(game: AnyGame) -> Setup:
    """A table to be watched: steady robots in all seats, the usual house rules; the deal by lot."""
    table = usual(game)
    return table._replace(seats=seating.robots(len(table.seats)), by_lot=False)


def told(game: AnyGame, words: Iterable[str], me: str = seating.GUEST) -> Setup:
    """A table of words such as ``seats=me,steady seed=7 length=short``; what is not told is as usual.

    Raises ``ValueError`` with one line that says what is wrong.
    """
    given = pairs(words)
    sitting = seating.parse(given.pop("seats"), game, me) if "," in given.get("seats", "") else None
    seed = _seed(given.pop("seed")) if "seed" in given else None
    options = read(game.options, given, len(sitting) if sitting else None)
    return Setup(game, sitting or seating.usual(game, options, me), options, seed, by_lot=sitting is None)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_SEED))):
        raise ValueError(f"the number of a deal is a whole one up to {MOST_SEED}, not {clean(text, 40)}")
    return int(text)
