"""A cover with a line into which something is typed."""

from cardtable.ui.draw.entry import Entry
from cardtable.ui.keys.scopes import Key
from cardtable.ui.table.overlays.cover import Cover


class LineCover(Cover):
    """Its own keys move in the line, and put it away."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry

    def works(self, key: Key) -> bool:
        """An empty line can be neither said nor rubbed out."""
        return key.name not in ("play", "rub_out") or bool(self.entry.text)

    def closed_by(self, _name: str) -> bool:
        """Its own keys put it away."""
        return False

    def action_move(self, step: int) -> None:
        """Within the line."""
        self.entry.move(step)

    def action_end(self, step: int) -> None:
        """To the beginning or the end of the line."""
        self.entry.end(step)

    def action_rub_out(self) -> None:
        """Take away the character before the cursor."""
        self.entry.rub_out()
