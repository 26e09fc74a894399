"""Unfinished tables, also those that go on elsewhere, and the deal of the day in a few words."""

from typing import Final

from cardtable.engine.text_format import MOST_PATH, counted, sanitize
from cardtable.games import ABOUT
from cardtable.store.credit_ledger import stake_of
from cardtable.store.recovered_sessions import RecoveredSession
from cardtable.store.summaries import Summary
from cardtable.wording.formatting import MINUS, ordinal

FINISHED_ONLY: Final = "The session is played at the club: only its finished rounds are shown."
AT_CLUB: Final = "at the club; open it to go on"
"""Of a session that the club alone plays on."""
OVER: Final = "The session is over and in the archive."
"""Of one that went on elsewhere."""


def round_among(number: int, rounds: int | None) -> str:
    """A round: ``9``, or ``9 of 28`` where their number is fixed."""
    return f"{number} of {rounds}" if rounds else str(number)


def round_of(summary: Summary) -> str:
    """The round that has come."""
    return round_among(summary.round, summary.rounds)


def title_of(summary: Summary) -> str:
    """The game's name; of a journal that cannot be opened the file's."""
    return ABOUT[summary.header.game].title if summary.header else sanitize(summary.id)


def why_shut(summary: Summary) -> str:
    """Why the journal cannot be opened, without its path."""
    return f"cannot be opened: {sanitize(summary.why)}"


def title(summary: Summary) -> str:
    """The game, and what its table is called: ``King``, ``King "Friday"``; of what cannot be opened the id."""
    if summary.header is None:
        return summary.id
    return ABOUT[summary.header.game].title + (f' "{summary.name}"' if summary.name else "")


def result(deal: Summary | None) -> str:
    """How it stands with the deal of the day."""
    if deal is None or deal.header is None:
        return "not played yet"
    if deal.state == "open":
        return f"round {round_of(deal)}"
    if deal.ranks is None:
        return "given up"
    me = deal.header.people[0]
    points = counted(deal.totals[me], "point").replace("-", MINUS)
    return f"{ordinal(deal.ranks[me])} of {len(deal.ranks)}, {points}"


def given_up(summary: Summary) -> str:
    """What it means to give a session up."""
    if summary.real_cards:
        return "The score table goes to the archive as it is."
    people = ", with its people in last place" if summary.header is None or summary.header.people else ""
    staked = summary.header is not None and stake_of(summary.header)
    lost = ", and what they have staked is lost" if people and staked else ""
    return f"The session goes to the archive as given up{people}{lost}."


def elsewhere(stray: RecoveredSession) -> str:
    """What it is, why it is not in its place, and where it is."""
    session = f"{title(stray.session)}, round {round_of(stray.session)}"
    where = sanitize(str(stray.path), MOST_PATH)
    return f"{session}: {stray.more} could not be saved when the program ended. All of it is kept as {where}."
