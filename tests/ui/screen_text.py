"""The text on the screen."""

import re
from typing import Any

from textual.app import App


def screen_text(app: App[Any]) -> str:
    """Return the rows of the current screen without trailing blanks; the text ends in one LF.

    Asserts that every key in braces has been replaced with its label.
    """
    strips = app.screen._compositor.render_strips()
    rows = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
    text = "\n".join(rows).rstrip("\n") + "\n"
    assert not re.search(r"\{\w+\}", text), text
    return text


def list_notices(app: App[Any]) -> list[str]:
    """Return the texts of the notices that are on the screen."""
    return [notice.message for notice in app._notifications]
