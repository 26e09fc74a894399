"""Keys that were pressed, and clicks that were made, before the screen was there that they are for, or after it."""

from typing import Any

from textual import events
from textual.errors import NoWidget
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget


class TakesEarlyKeys(MessagePump):
    """A screen for which keys are meant, too, that the one below it got since they came so quickly."""


def is_shown(widget: Widget) -> bool:
    """Whether its screen is the one that is shown: nothing lies over it, and it was not taken away."""
    return widget.is_attached and widget.app.screen is widget.screen


def handed_on(event: events.Key, below: Widget) -> bool:
    """Give a key that came to a screen to the one that lies over it by now; whether it is for another or for none."""
    if is_shown(below):
        return False
    event.stop()
    event.prevent_default()
    if below.is_attached and isinstance(shown := below.app.screen, TakesEarlyKeys):
        (below.app.focused or shown).post_message(copied(event))
    return True


def copied(event: events.Key) -> events.Key:
    """Return the same key for another screen, pressed at the same moment."""
    copy = event.copy()
    copy.time = event.time
    return copy


def clicked(event: events.Click, screen: Screen[Any]) -> Widget | None:
    """What of the screen is clicked; nothing where it is not laid out yet."""
    try:
        return screen.get_widget_at(event.screen_x, event.screen_y)[0]
    except NoWidget:
        return None
