"""Codec between a view and JSON, for views that leave the program."""

from functools import cache, reduce
from operator import or_
from typing import Any, Final

import msgspec
from msgspec.structs import FieldInfo, asdict, fields

from cardtable.engine.game import Action, AnyGame, View
from cardtable.engine.options import Options

_ENCODER: Final = msgspec.json.Encoder()


def encode_view(view: View) -> msgspec.Raw:
    return msgspec.Raw(_ENCODER.encode(view))


def decode_view(game: AnyGame, data: msgspec.Raw) -> View:
    """Decode a view of a game.

    Raises ``msgspec.DecodeError`` if ``data`` is not a view of that game, and ``RecursionError`` if it is nested too
    deeply.
    """
    decoder = _get_decoder(game.view, game.actions, game.options)  # type: ignore[arg-type] # classes are hashable
    return game.view(**asdict(decoder.decode(data)))


@cache
def _get_decoder(
    view: type[View], actions: tuple[type[Action], ...], options: type[Options]
) -> "msgspec.json.Decoder[msgspec.Struct]":
    members = [
        (field.name, _get_field_type(actions, options, field), *_get_field_default(field)) for field in fields(view)
    ]
    return msgspec.json.Decoder(msgspec.defstruct(view.__name__, members, frozen=True))


def _get_field_type(actions: tuple[type[Action], ...], options: type[Options], field: FieldInfo) -> Any:
    """Return the type for decoding a field of a game's view.

    The legal actions and the house rules have the game's own types, since ``View`` declares only their base classes.
    """
    if field.name == "options":
        return options
    return tuple[reduce(or_, actions), ...] if field.name == "legal" else field.type  # type: ignore[misc]


def _get_field_default(field: FieldInfo) -> tuple[Any, ...]:
    """Return a tuple of the field's default for ``msgspec.defstruct``, or an empty tuple if the field is required."""
    return () if field.required else (field.default,)
