"""A session that goes on elsewhere, in words."""

from typing import Final

from cardtable.store.strays import Stray
from cardtable.store.text import MOST_PATH, clean
from cardtable.wording.tables import round_of, title

OVER: Final = "The session is over and lies in the archive."


def elsewhere(stray: Stray) -> str:
    """What it is, why it is not in its place, and where it is."""
    session = f"{title(stray.session)}, round {round_of(stray.session)}"
    where = clean(str(stray.path), MOST_PATH)
    return f"{session}: {stray.more} could not be saved when the program ended. All of it is kept as {where}."
