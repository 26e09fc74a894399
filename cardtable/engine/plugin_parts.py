"""Wrapper for optional parts of games from other packages: values and results have to be of the annotated types."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import isabstract
from types import NoneType, UnionType
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from cardtable.engine.cards import Card
from cardtable.engine.errors import INTERRUPTIONS, CardtableError
from cardtable.engine.game import Action, State, View
from cardtable.engine.plugin_guard import CallFunction, ErrorFactory
from cardtable.engine.plugin_values import WrongReturnValue, is_card, name_type

P = ParamSpec("P")
T = TypeVar("T")
Part = TypeVar("Part")
Check: TypeAlias = Callable[[object], bool]
_UNCHECKED_INSIDE: Final = (Action, State, View)
"""Types whose fields are not checked, since their values come from the wrapped game."""


def guard_part(name: str, part: Part, kind: object, make_error: ErrorFactory, call: CallFunction) -> Part:
    """Return a part of a game, with the functions in its fields wrapped.

    They raise only errors that ``make_error`` returns, also if they return a value of another type than the annotation
    says; a ``CardtableError`` passes unchanged. ``call`` calls each function. Raises such an error at once if the part
    is not of the annotated type ``kind``.
    """
    if (wrong := _find_wrong_value(name, part, kind)) is not None:
        raise make_error(WrongReturnValue(wrong))
    if not isinstance(part, msgspec.Struct):
        return part
    hints = _get_hints(type(part))
    functions = {
        field: _guard_function(f"{name}.{field}", value, _find_result_type(hints[field]), make_error, call)
        for field, value in msgspec.structs.asdict(part).items()
        if callable(value)
    }
    return msgspec.structs.replace(part, **functions)


@cache
def _get_hints(kind: type) -> Mapping[str, object]:
    """Return the annotated types of the fields of a structure."""
    return get_type_hints(kind)


def _find_wrong_value(name: str, value: object, annotation: object) -> str | None:
    """Return which value is not of its annotated type, the field if there is one; ``None`` if all values are."""
    if make_check(annotation)(value):
        return None
    wrong_field = None
    if isinstance(value, msgspec.Struct) and isinstance(value, _get_class(annotation)):
        hints, fields = _get_hints(type(value)), msgspec.structs.asdict(value)
        wrong_fields = [_find_wrong_value(f"{name}.{field}", fields[field], hints[field]) for field in fields]
        wrong_field = next(filter(None, wrong_fields), None)
    return wrong_field or f"{name} is {name_type(value)} in place of {_format_type(annotation)}"


def _guard_function(
    name: str, function: Callable[P, T], result: object, make_error: ErrorFactory, call: CallFunction
) -> Callable[P, T]:
    """Return the function with a check of its result; one that is to be iterated over is made a tuple for this."""
    has_right_type, is_iterable = make_check(result), get_origin(result) is Iterable

    def compute(*args: P.args, **kwargs: P.kwargs) -> T:
        value = function(*args, **kwargs)
        if is_iterable and isinstance(value, Iterator):
            value = tuple(value)  # type: ignore[assignment]  # iterable as well
        if not has_right_type(value):
            raise WrongReturnValue(f"{name} gives {name_type(value)} in place of {_format_type(result)}")
        return value

    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(compute, *args, **kwargs)
        except (CardtableError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise make_error(error) from error

    return guarded


def _find_result_type(annotation: object) -> object:
    """Return the annotated result of a function, which may be one of several annotated types."""
    if get_origin(annotation) is Callable:
        return get_args(annotation)[-1]
    return next((_find_result_type(each) for each in get_args(annotation) if get_origin(each) is Callable), object)


def _format_type(annotation: object) -> str:
    """Return an annotation as in Python, without the names of modules: ``tuple[Row, ...]``."""
    is_class = isinstance(annotation, type) and not get_args(annotation)
    return _get_class(annotation).__name__ if is_class else re.sub(r"~|\b[a-z_]\w*\.(?=\w)", "", str(annotation))


def _get_class(annotation: object) -> type:
    """Return the class of an annotation with or without arguments; ``object`` if it is none."""
    origin = get_origin(annotation) or annotation
    return origin if isinstance(origin, type) else object


@cache
def make_check(annotation: object) -> Check:
    """Return a function that returns True for values of an annotated type whose contents are of theirs.

    Elements of iterators are not checked, nor arguments and results of functions, nor what a function returns that
    has no result.
    """
    if annotation is Any:
        return lambda _value: True
    if annotation is Card:
        return is_card
    if isinstance(annotation, TypeVar):
        return make_check(annotation.__bound__ or object)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        checks = [*map(make_check, arguments)]
        return lambda value: any(check(value) for check in checks)
    if origin is tuple:
        return _make_tuple_check(arguments)
    if isinstance(origin, type):
        return _make_generic_check(origin, arguments)
    return _make_class_check(annotation) if isinstance(annotation, type) else lambda _value: True


def _make_tuple_check(arguments: tuple[object, ...]) -> Check:
    if arguments[1:] == (...,):
        check = make_check(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(check, value))
    checks = [*map(make_check, arguments)]
    return lambda value: isinstance(value, tuple) and _are_right(checks, value)


def _make_generic_check(origin: type, arguments: tuple[object, ...]) -> Check:
    if issubclass(origin, Mapping):
        keys, values = map(make_check, arguments)
        return lambda value: (
            isinstance(value, Mapping) and all(map(keys, value.keys())) and all(map(values, value.values()))
        )
    if issubclass(origin, Sequence) or origin is Iterable:
        check = make_check(arguments[0])
        return lambda value: isinstance(value, origin) and not isinstance(value, str) and all(map(check, value))
    if origin is type:
        base = _get_class(arguments[0])
        return lambda value: isinstance(value, type) and issubclass(value, base) and not isabstract(value)
    return _make_class_check(origin)


def _make_class_check(kind: type) -> Check:
    if kind is NoneType:
        return lambda value: value is None
    if kind is float:
        return lambda value: isinstance(value, int | float)
    if issubclass(kind, tuple) and kind is not tuple:  # a named tuple
        checks = [*map(make_check, get_type_hints(kind).values())]
        return lambda value: isinstance(value, kind) and _are_right(checks, value)
    if issubclass(kind, msgspec.Struct) and not issubclass(kind, _UNCHECKED_INSIDE):
        hints = get_type_hints(kind)
        checks = [make_check(hints[field]) for field in kind.__struct_fields__]
        return lambda value: isinstance(value, kind) and _are_right(checks, msgspec.structs.astuple(value))
    return lambda value: isinstance(value, kind)


def _are_right(checks: Sequence[Check], values: tuple[object, ...]) -> bool:
    return len(checks) == len(values) and all(check(value) for check, value in zip(checks, values, strict=True))
