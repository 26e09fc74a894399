"""What every picture depends on, whatever it shows: colours, keys, the size of cards."""

from dataclasses import dataclass

from cardtable.store.settings import CardSize
from cardtable.ui.keymap import DEFAULT, Keymap
from cardtable.ui.themes import Theme


@dataclass(frozen=True, slots=True)
class Look:
    """How pictures are painted."""

    theme: Theme
    keys: Keymap = DEFAULT
    cards: CardSize = "auto"
