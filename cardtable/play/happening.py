"""What happened in a session: the answer to each change of it."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from cardtable.engine.contract import Event, Note, Seat, View


class EventSeen(msgspec.Struct, frozen=True):
    """An event of the game, as everybody saw it who is told of it."""

    event: Event
    before: Mapping[Seat, View]
    after: Mapping[Seat, View]


Happening: TypeAlias = EventSeen | Note
"""Something that happened: in the game, or else what everybody is told."""
