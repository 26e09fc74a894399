"""Views as they go over the wire: each game's own, with its kinds of actions by their tags."""

from functools import cache, reduce
from operator import or_
from typing import Any, Final

import msgspec
from msgspec.structs import FieldInfo, asdict, fields

from cardtable.engine.contract import AnyGame, View
from cardtable.games import GAMES

_ENCODER: Final = msgspec.json.Encoder()


def encode(view: View) -> msgspec.Raw:
    """A view as JSON."""
    return msgspec.Raw(_ENCODER.encode(view))


def decode(key: str, view: msgspec.Raw) -> View:
    """The view of a game that was encoded so.  Raises ``msgspec.ValidationError`` where it cannot be one."""
    return GAMES[key].view(**asdict(_decoder(key).decode(view)))


@cache
def _decoder(key: str) -> "msgspec.json.Decoder[msgspec.Struct]":
    game = GAMES[key]
    members = [(field.name, _kind(game, field), *_default(field)) for field in fields(game.view)]
    return msgspec.json.Decoder(msgspec.defstruct(game.view.__name__, members, frozen=True))


def _kind(game: AnyGame, field: FieldInfo) -> Any:
    """What a field holds: where any action may stand, one of the game's."""
    return tuple[reduce(or_, game.actions), ...] if field.name == "legal" else field.type  # type: ignore[misc]


def _default(field: FieldInfo) -> tuple[Any, ...]:
    return () if field.required else (field.default,)
