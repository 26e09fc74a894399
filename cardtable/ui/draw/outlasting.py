"""What goes on where a game from another package fails while something of it is shown or done."""

from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

from cardtable.engine.errors import GameFailed
from cardtable.games import blamed


class GameBroke(Message):
    """A game has failed; the app leaves its page."""

    def __init__(self, failed: GameFailed) -> None:
        super().__init__()
        self.failed = failed


class Outlasting(MessagePump):
    """Part of the screen that goes on after its game has failed; without that it would take no more messages."""

    async def on_event(self, event: events.Event) -> None:
        """What the event leads to; of a failure the app is told."""
        try:
            await super().on_event(event)
        except Exception as error:
            self.fails(error)

    def fails(self, error: Exception) -> None:
        """Tell the app that a game has failed; any other error is raised."""
        if (failed := blamed(error)) is None:
            raise error
        self.app.post_message(GameBroke(failed))
