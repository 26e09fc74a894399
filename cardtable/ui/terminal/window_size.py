"""Which of several sizes a screen has after the window has changed again and again."""

from textual import events
from textual.message_pump import MessagePump


class LatestSize(MessagePump):
    """A screen that is as large as the window is now, whatever it is told late.

    Textual's screens tell themselves each size that they take on.  Where keys come between sizes
    that wait, an older one is told after the newest, and would stay.
    """

    def on_resize(self, event: events.Resize) -> None:
        """Leave out a size that the window has no longer."""
        if event.size != self.app.size:
            event.prevent_default()
