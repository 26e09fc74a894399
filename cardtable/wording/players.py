"""What is told of players in the same words everywhere."""

from collections.abc import Mapping
from typing import Final

from cardtable.records.players import Player
from cardtable.store.profiles import Why
from cardtable.store.seating import GUEST

TRUTH: Final = (
    "A password is asked for before your hand is shown or your credits are staked. It keeps others at this keyboard "
    "from playing as you. It does not lock the files: they can be read without it."
)
REMOVED: Final = (
    "Name, address, password and {} credits with the ledger go. Sessions stay, under the nick that they have."
)
"""What it means to remove a player with so many credits."""
MOVED: Final[Mapping[Why, str]] = {
    "stake": "stake",
    "won": "pot won",
    "lost": "session lost",
    "given up": "given up",
    "taken back": "taken up again",
    "returned": "not begun",
    "gift": "present",
}
"""Why credits came or went."""


def label(player: Player) -> str:
    """What a player is called in a list of players: robots by their level, strangers as what they are."""
    if player.robot:
        return player.name.capitalize()
    if not player.stranger:
        return player.name
    return f"{player.name} ({'guest' if player.stranger == GUEST else 'former'})"
