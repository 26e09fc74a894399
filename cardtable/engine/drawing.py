"""Drawing a card from the stock."""

from typing import Final

from cardtable.engine.game import Action


class Draw(Action, frozen=True, tag="draw"):
    """Drawing the top card of the stock."""

    kind = "draw"


DRAW: Final = Draw()
"""The only value of ``Draw``."""
