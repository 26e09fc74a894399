"""Dialog that starts a new session at a position of a finished one."""

from pathlib import Path
from typing import NamedTuple

from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.store import seating, sessions
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.page import Page


class Moment(NamedTuple):
    """Position of a session at which a new one starts, and the player's seat in the new one."""

    path: Path
    header: Header
    lines: int
    """Number of lines of the journal that are copied into the new session."""
    when: str
    """Position in words, such as "at this moment of round 3"."""
    seat: Seat
    place: str
    """Player's seat in words, such as "the place of Ada"."""


def play_on(page: Page, context: PageContext, heading: str, moment: Moment) -> None:
    """Start a new session at a position, with robots in all seats but the player's.

    The player is asked for confirmation, in a dialog with ``heading``, if the settings require it.
    """
    seats = seating.with_robots_except(moment.header.seats, moment.seat, context.nick)

    def answered(answer: str | None) -> None:
        if answer is not None:
            context.open_session(lambda: sessions.fork(moment.path, moment.lines, seats))

    if not context.preferences.settings.confirm:
        answered("")
        return
    text = (
        f"A new session begins {moment.when}. You sit in {moment.place}, and robots in all others. "
        "It does not count in rankings, and the session you look at stays as it is."
    )
    page.app.push_screen(Dialog(page.look, heading, text, "begins it", "goes back"), answered)
