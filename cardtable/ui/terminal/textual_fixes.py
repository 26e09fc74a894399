"""Corrections of faults of Textual: a mixin for screens, and timers, which are corrected by the import."""

from typing import Final

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


_set_timer: Final = MessagePump.set_timer


def _set_reliable_timer(
    pump: MessagePump,
    delay: float,
    callback: TimerCallback | None = None,
    *,
    name: str | None = None,
    pause: bool = False,
) -> Timer:
    """Start a timer that runs once as Textual does, but never leave out its call.

    A Textual timer leaves out calls that are late, also its only one. This happens if the system lets the program wait
    while the timer begins. An app waits with such a timer before it adopts a new size of the window, and would never
    adopt one again; a toast would never end.
    """
    timer = _set_timer(pump, delay, callback, name=name, pause=pause)
    timer._skip = False
    return timer


MessagePump.set_timer = _set_reliable_timer  # type: ignore[assignment, method-assign] # also for toasts
