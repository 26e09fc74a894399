"""On from a moment of a session that is looked back at, in a new session."""

from pathlib import Path
from typing import NamedTuple

from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.store import seating, sessions
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.page import Page


class Moment(NamedTuple):
    """Where the new session begins, and who the person is in it."""

    path: Path
    header: Header
    lines: int
    """How many lines of the journal it has."""
    when: str
    """The moment in words: ``at this moment of round 3``."""
    seat: Seat
    place: str
    """Whose seat that is, in words."""


def play_on(page: Page, room: PageContext, heading: str, moment: Moment) -> None:
    """Sit down at that moment, with robots in the places of others; first that is said."""
    seats = seating.alone(moment.header.seats, moment.seat, room.me)

    def answered(answer: str | None) -> None:
        if answer is not None:
            room.sit_down(lambda: sessions.fork(moment.path, moment.lines, seats))

    if not room.preferences.settings.confirm:
        answered("")
        return
    text = (
        f"A new session begins {moment.when}. You sit in {moment.place}, and robots in all others. "
        "It does not count in rankings, and the session you look at stays as it is."
    )
    page.app.push_screen(Dialog(page.look, heading, text, "begins it", "goes back"), answered)
