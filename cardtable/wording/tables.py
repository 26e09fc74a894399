"""Short texts about unfinished tables, recovered sessions and the deal of the day."""

from typing import Final

from cardtable.engine.text_format import MOST_PATH, sanitize, with_count
from cardtable.games import ABOUT
from cardtable.store.credit_ledger import stake_of
from cardtable.store.recovered_sessions import RecoveredSession
from cardtable.store.summaries import Summary
from cardtable.wording.formatting import MINUS, ordinal

FINISHED_ONLY: Final = "The session is played at the club: only its finished rounds are shown."
AT_CLUB: Final = "at the club; open it to go on"
"""Text for a session that only the club can continue."""
OVER: Final = "The session is over and in the archive."
"""Text for a recovered session that has ended."""


def round_among(number: int, rounds: int | None) -> str:
    """Format a round: ``9``, or ``9 of 28`` if the number of rounds is fixed."""
    return f"{number} of {rounds}" if rounds else str(number)


def round_of(summary: Summary) -> str:
    """Return the number of the current round as text."""
    return round_among(summary.round, summary.rounds)


def title_of(summary: Summary) -> str:
    """Return the name of the game; the file's id for a journal that cannot be opened."""
    return ABOUT[summary.header.game].title if summary.header else sanitize(summary.id)


def open_error(summary: Summary) -> str:
    """Return the reason why the journal cannot be opened, without its path."""
    return f"cannot be opened: {sanitize(summary.why)}"


def title(summary: Summary) -> str:
    """Return game and table name: ``King``, ``King "Friday"``; the id for a journal that cannot be opened."""
    if summary.header is None:
        return summary.id
    return ABOUT[summary.header.game].title + (f' "{summary.name}"' if summary.name else "")


def result(deal: Summary | None) -> str:
    """Return the state or result of the deal of the day."""
    if deal is None or deal.header is None:
        return "not played yet"
    if deal.state == "open":
        return f"round {round_of(deal)}"
    if deal.ranks is None:
        return "given up"
    me = deal.header.people[0]
    points = with_count(deal.totals[me], "point").replace("-", MINUS)
    return f"{ordinal(deal.ranks[me])} of {len(deal.ranks)}, {points}"


def given_up(summary: Summary) -> str:
    """Return the consequences of giving a session up."""
    if summary.real_cards:
        return "The score table goes to the archive as it is."
    people = ", with its people in last place" if summary.header is None or summary.header.people else ""
    staked = summary.header is not None and stake_of(summary.header)
    lost = ", and what they have staked is lost" if people and staked else ""
    return f"The session goes to the archive as given up{people}{lost}."


def recovered_text(stray: RecoveredSession) -> str:
    """Return a description of a recovered session: the session, the reason, and its file."""
    session = f"{title(stray.session)}, round {round_of(stray.session)}"
    where = sanitize(str(stray.path), MOST_PATH)
    return (
        f"{session}: {stray.unsaved_description} could not be saved "
        f"when the program ended. All of it is kept as {where}."
    )
