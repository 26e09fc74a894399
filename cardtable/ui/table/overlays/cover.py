"""What is laid over the table without leaving it: it is painted over the frame and may have keys of its own."""

from cardtable.engine.contract import View
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.entry import Entry
from cardtable.ui.keys.acts import Acts
from cardtable.ui.keys.scopes import TABLE, Key, Scope
from cardtable.ui.table.model.frame import Frame


class Cover(Acts):
    """Something laid over the table until a key is pressed."""

    alone = False
    """Whether it hides the table altogether."""
    other_keys: frozenset[str] = frozenset()
    """Keys by their names that do what they do; every other one puts it away."""
    scope: Scope = TABLE
    """The keys that work while it is there."""
    at_curtain = False
    """Whether it is how the person who is called shows who she is."""
    view: View | None = None
    """What it was laid over, if play goes on below it and the next move puts it away."""
    below: "Cover | None" = None
    """What is there again when it is put away."""

    def paint(self, canvas: Canvas, frame: Frame) -> None:
        """Paint it."""
        raise NotImplementedError

    def closed_by(self, name: str) -> bool:
        """Whether a key puts it away; ``name`` is empty for one that does nothing."""
        return name not in self.other_keys

    def step_back(self) -> bool:
        """Put away what lies on it; whether there was anything."""
        return False

    def works(self, _key: Key) -> bool:
        """Whether a key of its own does something now."""
        return True

    def pointed_at(self, _target: object) -> bool:
        """A click on something of it; whether that means anything."""
        return False

    def over_curtain(self) -> bool:
        """Whether it stays where a curtain falls: it shows nothing of the table."""
        return False

    def typed(self, _text: str) -> bool:
        """Whether what is typed goes into a line of it, and so is no key."""
        return False

    def scroll(self, _rows: int) -> bool:
        """Scroll it by rows; whether it can."""
        return False

    def turn(self) -> bool:
        """Show its other side; whether it has one."""
        return False


class LineCover(Cover):
    """One with a line into which something is typed: its own keys move in the line, and put it away."""

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
