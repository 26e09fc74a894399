"""Base classes of overlays, which are painted over the table and may have keys of their own."""

from cardtable.engine.game import View
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.toolkit.keys.bindings import LINE, TABLE, ActionDispatcher, KeyBinding, KeyBindings
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.text_input import TextInput


class Overlay(ActionDispatcher):
    """Overlay on the table, open until a key closes it."""

    hides_table = False
    """True if the overlay hides the whole table."""
    other_keys: frozenset[str] = frozenset()
    """Names of keys that keep their function; all other keys close the overlay."""
    scope: KeyBindings = TABLE
    """Key bindings while the overlay is open."""
    at_curtain = False
    """True for an overlay on a curtain that lets the called player identify themselves."""
    view: View | None = None
    """View that the overlay belongs to, if play continues below it; a new view closes it."""
    below: "Overlay | None" = None
    """Overlay that is shown again after this one is closed."""

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint the overlay on the canvas."""
        raise NotImplementedError

    def closed_by(self, name: str) -> bool:
        """Return True if the key closes the overlay; ``name`` is "" for an unbound key."""
        return name not in self.other_keys

    def should_yield_to(self, _name: str) -> bool:
        """Return True if the key closes the overlay and also has its usual effect on the table."""
        return False

    def step_back(self) -> bool:
        """Close the innermost part of the overlay; return False if it has no open part."""
        return False

    def works(self, _key: KeyBinding) -> bool:
        """Return True if a key of the overlay's scope has an effect now."""
        return True

    def pointed_at(self, _target: object) -> bool:
        """Handle a click on a mouse target of the overlay; return False if it has no meaning."""
        return False

    def over_curtain(self) -> bool:
        """Return True if the overlay stays open over a curtain: it shows no secrets of the table."""
        return False

    def press(self, _key: str, _character: str | None, _bound: KeyBinding | None) -> bool:
        """Apply a key to the overlay's text input; return False if the key is not for it.

        The arguments are the key, the character that it types, and its binding on the screen.
        """
        return False

    def paste(self, _text: str) -> bool:
        """Insert text into the overlay's text input; return False if it has none."""
        return False

    def scroll(self, _rows: int) -> bool:
        """Scroll by rows; return False if the overlay does not scroll."""
        return False

    def turn(self) -> bool:
        """Show the reverse side of the overlay; return False if it has none."""
        return False


class LineCover(Overlay):
    """Overlay with a text input; only its own key bindings close it."""

    def __init__(self, line: TextInput) -> None:
        self.line = line

    def works(self, key: KeyBinding) -> bool:
        """Return False for Enter and editing keys while the line is empty."""
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
