"""The deal of the day: everybody who looks on the same day finds the same game and the same cards."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from cardtable.engine.journal import Header
from cardtable.games import GAMES, KEYS
from cardtable.store import paths, profiles, seating, setup, summaries
from cardtable.store.setup import Setup
from cardtable.store.summaries import State, Summary
from cardtable.store.whose_seat import seats_of

_FIRST_DAY: Final = date(1970, 1, 1)
_FIRST: Final[Sequence[State]] = ("open", "over", "given-up")
"""Of several sessions of one deal."""


class DailySetup(Setup):
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
    return DailySetup(*setup.usual(game, me)._replace(seed=seed_of(day), by_lot=False))


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
    found = [summaries.of(path) for path in files if path]
    deals = [summary for summary in found if summary.header and _is_deal_of(day, me, summary.header)]
    return min(deals, key=lambda summary: (_FIRST.index(summary.state), summary.id), default=None)


def _is_deal_of(day: date, me: str, header: Header) -> bool:
    """Whether the session has this day's cards, house rules and robots, and this person."""
    deal, its_deal = table_of(day, me), None if header.host else (header.game, header.seed)
    if its_deal != (deal.game.about.key, deal.seed) or header.options != deal.options.items():
        return False
    same = [who.robot for who in header.seats] == [who.robot for who in deal.seats]
    return same and seats_of(profiles.load()[0], me, header) == header.people
