"""Style sheets that are parsed once for all apps of a test run; Textual parses those of all widgets for each app."""

from collections.abc import Iterator
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_parse_rules = Stylesheet._parse_rules
_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}


def parse_rules_once(self: Stylesheet, css: str, *location: Any, **options: Any) -> list[RuleSet]:
    """Replace Textual's ``_parse_rules``; the rules depend on the arguments and on the variables of the theme."""
    key = (css, location, tuple(options.items()), tuple(self._variables.items()))
    if key not in _parsed:
        _parsed[key] = _parse_rules(self, css, *location, **options)
    return _parsed[key]


@pytest.fixture(autouse=True)
def stylesheet_cache() -> Iterator[None]:
    """Parse each style sheet once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_rules_once)
        yield
