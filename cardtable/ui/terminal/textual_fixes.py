"""Mixins that correct faults of Textual."""

from textual import events
from textual.message_pump import MessagePump
from textual.timer import Timer, TimerCallback


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


class TimerFix(MessagePump):
    """Mixin for apps and screens whose timers that run once are never left out.

    A Textual timer leaves out calls that are late, also its only one. This happens if the system lets the program wait
    while the timer begins. An app waits with such a timer before it adopts a new size of the window, and would never
    adopt one again.
    """

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None, pause: bool = False
    ) -> Timer:
        timer = super().set_timer(delay, callback, name=name, pause=pause)
        timer._skip = False
        return timer
