"""Copies of states, derived from the fields that their classes declare."""

import copy
from collections.abc import Callable, Sequence
from inspect import get_annotations
from typing import TypeVar

T = TypeVar("T")


def make_copier(kind: type) -> Callable[[T], T]:
    """Return a function that copies objects of a class: annotated lists are copied, the values of other fields shared.

    If all fields are in ``__slots__``, it is code with an assignment for each, which is as fast as written by hand.
    """
    annotations = [annotation for base in kind.__mro__[::-1] for annotation in get_annotations(base).items()]
    lists = [name for name, hint in dict(annotations).items() if hint is list or str(hint).startswith("list")]
    if any("__dict__" in vars(base) for base in kind.__mro__):
        return lambda state: _copy_all_fields(state, lists)
    slots = [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]
    lines = [f"clone.{name} = state.{name}{'[:]' if name in lists else ''}" for name in slots]
    source = "\n    ".join(["def copy(state):", "clone = create(state.__class__)", *lines, "return clone"])
    names: dict[str, object] = {"create": object.__new__}
    exec(source, names)  # noqa: S102 - the names of fields
    return names["copy"]  # type: ignore[return-value]  # the function of the source


def _copy_all_fields(state: T, lists: Sequence[str]) -> T:
    clone = copy.copy(state)
    for name in lists:
        setattr(clone, name, getattr(state, name)[:])
    return clone
