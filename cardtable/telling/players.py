"""What is told of players in the same words everywhere."""

from collections.abc import Mapping
from typing import Final

from cardtable.store.profiles import Why

TRUTH: Final = (
    "A password is asked for once a run, before your hand is shown or your credits are staked. It keeps others at "
    "this keyboard from playing as you. It does not lock the files: they can be read without it."
)
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
