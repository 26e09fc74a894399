"""The room that pages are opened in: what they all share, and the ways out of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cardtable.store.seating import GUEST
from cardtable.store.sessions import Session
from cardtable.ui.processes.reckoner import Reckoner
from cardtable.ui.processes.robots import Thinker
from cardtable.ui.settings.preferences import Preferences


@dataclass(slots=True)
class Room:
    """What a page gets of the program.

    A page is a module in ``screens`` with a function ``screen(room, *about)`` that makes its screen.
    """

    preferences: Preferences
    thinker: Thinker
    """The robots' process."""
    show: Callable[..., None]
    """Opens the page of a name over what is shown, with what it is about: ``show("replay", path)``."""
    sit_down: Callable[[Callable[[], Session]], None]
    """Leaves all pages and the table, then sits down at the session that it is given a way to open.

    What makes that fail is told.
    """
    go_on: Callable[[Path], None]
    """The same for the session of a journal; where it is played below the pages already, that is gone back to."""
    me: str = GUEST
    """The nick of who has signed in."""
    reckoner: Reckoner = field(default_factory=Reckoner)
    """Reckons ratings and statistics."""
