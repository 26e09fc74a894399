"""The text on the screen."""

from typing import Any

from textual.app import App


def screen_text(app: App[Any]) -> str:
    """Return the rows of the current screen without trailing blanks; the text ends in one LF."""
    strips = app.screen._compositor.render_strips()
    rows = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
    return "\n".join(rows).rstrip("\n") + "\n"


def list_notices(app: App[Any]) -> list[str]:
    """Return the texts of the notices that are on the screen."""
    return [notice.message for notice in app._notifications]
