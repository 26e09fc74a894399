"""What is on the screen, as text."""

from typing import Any

from textual.app import App


def screen_text(app: App[Any]) -> str:
    """The rows of the screen as it is shown now, without trailing blanks; ends in one LF."""
    strips = app.screen._compositor.render_strips()
    rows = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
    return "\n".join(rows).rstrip("\n") + "\n"


def list_notices(app: App[Any]) -> list[str]:
    """Return the texts of the notices that are on the screen."""
    return [notice.message for notice in app._notifications]
