"""Bridge in plain lines."""

from collections.abc import Iterator
from typing import Final

from cardtable.games.bridge.rules.view import BridgeView
from cardtable.plain.speech import SUIT_NAMES
from cardtable.plain.spoken import Spoken
from cardtable.wording.names import Names


def about(view: BridgeView, names: Names) -> Iterator[str]:
    """What counts several times, the suit that was named, and the bridge monitor."""
    if view.multiplier > 1:
        yield f"points count {view.multiplier} times"
    if view.named is not None:
        who = "" if view.named_by is None else f", named by {names[view.named_by]}"
        yield f"{SUIT_NAMES[view.named]} must follow{who}"
    yield f"cards of one rank in a row on the stack: {view.run}"


SPOKEN: Final = Spoken(about)
