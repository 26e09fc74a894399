"""What every picture depends on, whatever it shows: colours, keys, the size of cards."""

from typing import NamedTuple

import msgspec

from cardtable.store.settings import CardSize
from cardtable.ui.draw.themes import Theme
from cardtable.ui.keys.keymap import DEFAULT, Keymap


class Look(msgspec.Struct, frozen=True):
    """How pictures are painted."""

    theme: Theme
    keys: Keymap = DEFAULT
    cards: CardSize = "auto"


class Needed(NamedTuple):
    """What is to be done with all that is painted."""

    ascii: bool
    mono: bool
    suit_letters: bool
