"""Whether the deal of the day has been begun or played, as the unfinished sessions and the archive have it."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from cardtable.engine.journal import Header
from cardtable.store import daily, paths, profiles, setup, summaries
from cardtable.store.summaries import State, Summary
from cardtable.store.whose_seat import seats_of

_FIRST: Final[Sequence[State]] = ("open", "over", "given-up")


def session(day: date, me: str) -> Summary | None:
    """The session of this day's deal that ``me`` plays: one that goes on, else the first that is over or given up.

    Of all sessions those only are read that were begun on this day, wherever on earth.
    """
    days = {f"{day + timedelta(days=shift):%Y%m%d}" for shift in (-1, 0, 1)}
    folders = (paths.sessions(), paths.archive())
    begun = [path for folder in folders for path in summaries.journals(folder) if path.stem[:8] in days]
    found = [summaries.of(path) for path in begun if f"-{daily.game_of(day)}-" in path.stem]
    deals = [summary for summary in found if summary.header and _is_deal_of(day, me, summary.header)]
    return min(deals, key=lambda summary: (_FIRST.index(summary.state), summary.id), default=None)


def _is_deal_of(day: date, me: str, header: Header) -> bool:
    """Whether the session has this day's cards, house rules and robots, and this person."""
    deal = setup.of_the_day(day, me)
    if (header.game, header.seed) != (deal.game.about.key, deal.seed) or header.options != deal.options.items():
        return False
    same = [who.robot for who in header.seats] == [who.robot for who in deal.seats]
    return same and seats_of(profiles.load()[0], me, header) == header.people
