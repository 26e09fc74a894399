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
"""Text about a session that can be continued at the club only."""
OVER: Final = "The session is over and in the archive."
"""Text about a recovered session that has ended."""


def round_among(number: int, rounds: int | None) -> str:
    """Format the number of a round: ``9``, or ``9 of 28`` if the session has a fixed number of rounds."""
    return f"{number} of {rounds}" if rounds else str(number)


def round_of(summary: Summary) -> str:
    """Return the number of rounds that have been dealt, as text: ``9``, or ``9 of 28``."""
    return round_among(summary.round, summary.rounds)


def title_of(summary: Summary) -> str:
    """Return the title of the game, or the id for a file that cannot be opened."""
    return ABOUT[summary.header.game].title if summary.header else sanitize(summary.id)


def open_error(summary: Summary) -> str:
    """Return the reason why a file cannot be opened, without its path."""
    return f"cannot be opened: {sanitize(summary.why)}"


def title(summary: Summary) -> str:
    """Return the title of the game and the table name: ``King``, ``King "Friday"``.

    For a file that cannot be opened, the id is returned.
    """
    if summary.header is None:
        return summary.id
    return ABOUT[summary.header.game].title + (f' "{summary.name}"' if summary.name else "")


def result(deal: Summary | None) -> str:
    """Return the state or the result of the deal of the day. ``summary`` is ``None`` if it has not been played."""
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
    """Return a sentence about the consequences of abandoning a session."""
    if summary.real_cards:
        return "The score table goes to the archive as it is."
    people = ", with its people in last place" if summary.header is None or summary.header.people else ""
    staked = summary.header is not None and stake_of(summary.header)
    lost = ", and what they have staked is lost" if people and staked else ""
    return f"The session goes to the archive as given up{people}{lost}."


def recovered_text(stray: RecoveredSession) -> str:
    """Return a description of a recovered session: game and round, the unsaved lines, and the path of its file."""
    session = f"{title(stray.session)}, round {round_of(stray.session)}"
    where = sanitize(str(stray.path), MOST_PATH)
    return (
        f"{session}: {stray.unsaved_description} could not be saved "
        f"when the program ended. All of it is kept as {where}."
    )
