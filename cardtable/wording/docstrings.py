"""Docstrings that the program prints, which ``python -OO`` removes from the running code."""

import ast
import inspect
from collections.abc import Callable
from textwrap import dedent
from types import ModuleType


def read_docstring(documented: ModuleType | type | Callable[..., object]) -> str:
    """Return the docstring of a module, class or function without indentation; empty if there is none.

    It is read from the source if the running code has none.
    """
    docstring = _read_from_source(documented) if documented.__doc__ is None else documented.__doc__
    return inspect.cleandoc(docstring) if isinstance(docstring, str) else ""  # a module may set it to anything


def read_summary(documented: type | Callable[..., object]) -> str:
    """Return the first sentence of a docstring."""
    return read_docstring(documented).partition("\n")[0]


def _read_from_source(documented: ModuleType | type | Callable[..., object]) -> str | None:
    try:
        tree = ast.parse(dedent(inspect.getsource(documented)))
    except (OSError, SyntaxError, TypeError):
        return None
    node = tree if isinstance(documented, ModuleType) else tree.body[0]
    assert isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    return ast.get_docstring(node)
