"""Mixin for screens that ignores outdated resize events of Textual."""

from textual import events
from textual.message_pump import MessagePump


class ResizeFix(MessagePump):
    """Mixin for screens that ignores outdated resize events.

    A Textual screen posts a resize event to itself for each size that it adopts. If keys arrive between sizes that wait
    in the queue, the event with an older size is handled after the event with the latest size, and would determine the
    layout.
    """

    def on_resize(self, event: events.Resize) -> None:
        """Ignore the event if its size is not the present size of the app."""
        if event.size != self.app.size:
            event.prevent_default()
