"""What is laid over the table without leaving it: it is painted over the frame and may have keys of its own."""

from cardtable.engine.game import View
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.toolkit.keys.bindings import LINE, TABLE, ActionDispatcher, KeyBinding, KeyBindings
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.text_input import TextInput


class Overlay(ActionDispatcher):
    """Something laid over the table until a key is pressed."""

    alone = False
    """Whether it hides the table altogether."""
    other_keys: frozenset[str] = frozenset()
    """Keys by their names that do what they do; every other one puts it away."""
    scope: KeyBindings = TABLE
    """The keys that work while it is there."""
    at_curtain = False
    """Whether it is how the person who is called shows who she is."""
    view: View | None = None
    """What it was laid over, if play goes on below it and the next move puts it away."""
    below: "Overlay | None" = None
    """What is there again when it is put away."""

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint it."""
        raise NotImplementedError

    def closed_by(self, name: str) -> bool:
        """Whether a key puts it away; ``name`` is empty for one that does nothing."""
        return name not in self.other_keys

    def should_yield_to(self, _name: str) -> bool:
        """Return True if a key both puts the cover away and does what it does at the table."""
        return False

    def step_back(self) -> bool:
        """Put away what lies on it; whether there was anything."""
        return False

    def works(self, _key: KeyBinding) -> bool:
        """Whether a key of its own does something now."""
        return True

    def pointed_at(self, _target: object) -> bool:
        """A click on something of it; whether that means anything."""
        return False

    def over_curtain(self) -> bool:
        """Whether it stays where a curtain falls: it shows nothing of the table."""
        return False

    def press(self, _key: str, _character: str | None, _bound: KeyBinding | None) -> bool:
        """Apply a key to a line of the cover; return False if there is none, or the key is not for it.

        The arguments are the key, the character that it types, and what it does otherwise.
        """
        return False

    def paste(self, _text: str) -> bool:
        """Insert text into a line of the cover; return False if there is none."""
        return False

    def scroll(self, _rows: int) -> bool:
        """Scroll it by rows; whether it can."""
        return False

    def turn(self) -> bool:
        """Show its other side; whether it has one."""
        return False


class LineCover(Overlay):
    """A cover with a line of text; only its own keys put it away."""

    def __init__(self, line: TextInput) -> None:
        self.line = line

    def works(self, key: KeyBinding) -> bool:
        """Return False for keys of a line that is empty."""
        return (key.name != "play" and key.topic != LINE) or bool(self.line.text)

    def press(self, key: str, character: str | None, bound: KeyBinding | None) -> bool:
        """Apply a key to the line."""
        return self.line.press(key, character, bound)

    def paste(self, text: str) -> bool:
        """Insert text into the line."""
        self.line.insert(text)
        return True

    def action_edit_line(self, key: str) -> None:
        """Do what an editing key does in the line."""
        self.line.edit(key)

    def closed_by(self, _name: str) -> bool:
        """Its own keys put it away."""
        return False
