"""Short texts about unfinished tables, recovered sessions and the deal of the day."""

from typing import Final

from cardtable.engine.text_format import MAX_PATH_LENGTH, format_count, sanitize
from cardtable.games import ABOUT
from cardtable.store.credit_ledger import get_stake
from cardtable.store.summaries import Summary
from cardtable.store.unfinished_tables import RecoveredSession
from cardtable.wording.formatting import MINUS, format_ordinal

FINISHED_ONLY: Final = "The session is played at the club: only its finished rounds are shown."
AT_CLUB: Final = "at the club; open it to play"
"""Text about a session that can be continued at the club only."""
OVER: Final = "The session is over and in the archive."
"""Text about a recovered session that has ended."""


def format_round_number(number: int, rounds: int | None) -> str:
    return f"{number} of {rounds}" if rounds else str(number)


def format_current_round(summary: Summary) -> str:
    return format_round_number(summary.round, summary.rounds)


def get_game_title(summary: Summary) -> str:
    return ABOUT[summary.header.game].title if summary.header else sanitize(summary.id)


def format_open_error(summary: Summary) -> str:
    """Return the reason why a file cannot be opened, without its path."""
    return f"cannot be opened: {sanitize(summary.reason)}"


def format_table_title(summary: Summary) -> str:
    """Return the title of the game and the table name: ``King``, ``King "Friday"``.

    For a file that cannot be opened, the id is returned.
    """
    if summary.header is None:
        return summary.id
    return ABOUT[summary.header.game].title + (f' "{summary.name}"' if summary.name else "")


def format_daily_result(summary: Summary | None) -> str:
    """Return the state or the result of the deal of the day. ``summary`` is ``None`` if it has not been played."""
    if summary is None or summary.header is None:
        return "not played yet"
    if summary.state == "open":
        return f"round {format_current_round(summary)}"
    if summary.ranks is None:
        return "abandoned"
    me = summary.header.people[0]
    points = format_count(summary.totals[me], "point").replace("-", MINUS)
    return f"{format_ordinal(summary.ranks[me])} of {len(summary.ranks)}, {points}"


def explain_abandonment(summary: Summary) -> str:
    """Return a sentence about the consequences of abandoning a session."""
    if summary.real_cards:
        return "The score table moves to the archive as it is."
    people = None if summary.header is None else len(summary.header.people)
    if people == 0:
        return "It moves to the archive as abandoned."
    staked = summary.header is not None and get_stake(summary.header)
    if people == 1:
        consequence, loss = "you count as last", " and lose your stake"
    else:
        consequence, loss = "its human players count as last", " and lose their stakes"
    return f"It moves to the archive as abandoned; {consequence}{loss if staked else ''}."


def describe_recovered(recovered: RecoveredSession) -> str:
    """Return a description of a recovered session: game and round, the unsaved lines, and the path of its file."""
    session = f"{format_table_title(recovered.session)}, round {format_current_round(recovered.session)}"
    path = sanitize(str(recovered.path), MAX_PATH_LENGTH)
    return (
        f"{session}: {recovered.unsaved_description} could not be saved when the program ended. Everything is "
        f"saved as {path}."
    )
