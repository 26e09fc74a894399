"""Keys that were pressed, and clicks that were made, before the screen was there that they are for."""

from typing import Any

from textual import events
from textual.errors import NoWidget
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget


class TakesEarlyKeys(MessagePump):
    """A screen for which keys are meant, too, that the one below it got since they came so quickly."""


def handed_on(event: events.Key, below: Screen[Any]) -> bool:
    """Give a key that came to a screen to the one that lies over it by now; whether there is one."""
    shown = below.app.screen
    if shown is below:
        return False
    event.stop()
    event.prevent_default()
    if isinstance(shown, TakesEarlyKeys):
        shown.post_message(events.Key(event.key, event.character))
    return True


def clicked(event: events.Click, screen: Screen[Any]) -> Widget | None:
    """What of the screen is clicked; nothing where it is not laid out yet."""
    try:
        return screen.get_widget_at(event.screen_x, event.screen_y)[0]
    except NoWidget:
        return None
