"""How long tests wait, and what they say that they waited for."""

import inspect
from collections.abc import Callable

TIMEOUT = 60.0
"""Seconds after which a wait fails; other work on the machine may come first."""


def describe_condition(condition: str | Callable[..., object]) -> str:
    """Return a text, the line of source with a lambda, or the name of a function, for which a test has waited."""
    if isinstance(condition, str):
        return repr(condition)
    if getattr(condition, "__name__", "") == "<lambda>":
        return inspect.getsource(condition).strip()
    return getattr(condition, "__qualname__", repr(condition))
