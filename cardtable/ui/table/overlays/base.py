"""Base classes of the overlays, which are painted over the table and may have key bindings of their own."""

from cardtable.engine.game import View
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.toolkit.keys.bindings import LINE, TABLE, ActionDispatcher, KeyBinding, KeyBindings
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.text_input import TextInput


class Overlay(ActionDispatcher):
    """Content that covers the table, or part of it, until a key closes it."""

    hides_table = False
    """True if nothing of the table remains visible."""
    other_keys: frozenset[str] = frozenset()
    """Names of the key bindings that do not close the overlay; all other keys do."""
    scope: KeyBindings = TABLE
    """Key bindings that are in force while the overlay is open."""
    at_curtain = False
    """True for the password input, which is open while a curtain waits for a password."""
    view: View | None = None
    """View that the overlay is about, if play continues below it; a new view closes it."""
    below: "Overlay | None" = None
    """Overlay that is shown again after this one is closed."""

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint the overlay; the canvas shows the table unless ``hides_table`` is True."""
        raise NotImplementedError

    def closed_by(self, name: str) -> bool:
        """Return True if a key closes the overlay; ``name`` is the name of its binding, "" if it has none."""
        return name not in self.other_keys

    def should_yield_to(self, _name: str) -> bool:
        """Return True if a key of the table closes the overlay and has its usual effect, too."""
        return False

    def step_back(self) -> bool:
        """Close the innermost open part of the overlay; return False if no part is open."""
        return False

    def works(self, _key: KeyBinding) -> bool:
        """Return True if a key of the overlay's scope has an effect now."""
        return True

    def pointed_at(self, _target: object) -> bool:
        """Handle a click on a mouse target; return False if it has no meaning, so that it closes the overlay."""
        return False

    def over_curtain(self) -> bool:
        """Return True if the overlay may stay open over a curtain, because it shows no secrets of a player."""
        return False

    def press(self, _key: str, _character: str | None, _bound: KeyBinding | None) -> bool:
        """Apply a key to the overlay's text input; return False if the key has another meaning.

        The arguments are Textual's name of the key, the character it types, and its binding in the scope.
        """
        return False

    def paste(self, _text: str) -> bool:
        """Insert text into the overlay's text input; return False if it has none."""
        return False

    def scroll(self, _rows: int) -> bool:
        """Scroll down by ``_rows`` rows, or up if negative; return False if the overlay does not scroll."""
        return False

    def turn(self) -> bool:
        """Show the other side of the overlay; return False if it has only one."""
        return False


class LineCover(Overlay):
    """Overlay with a text input; only its own key bindings close it."""

    def __init__(self, line: TextInput) -> None:
        self.line = line

    def works(self, key: KeyBinding) -> bool:
        """Return False for Enter and editing keys while the text input is empty."""
        return (key.name != "play" and key.topic != LINE) or bool(self.line.text)

    def press(self, key: str, character: str | None, bound: KeyBinding | None) -> bool:
        return self.line.press(key, character, bound)

    def paste(self, text: str) -> bool:
        self.line.insert(text)
        return True

    def action_edit_line(self, key: str) -> None:
        self.line.edit(key)

    def closed_by(self, _name: str) -> bool:
        return False
