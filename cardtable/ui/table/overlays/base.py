"""Base classes of the overlays, which are painted over the table and may have key bindings of their own."""

from typing import Self

from cardtable.engine.game import View
from cardtable.ui.keys.bindings import ActionDispatcher, AnyKeyBinding, KeyBindings
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.text_input import TextInput


class Overlay(ActionDispatcher):
    """Content that covers the table, or part of it, until a key closes it."""

    hides_table = False
    """True if nothing of the table remains visible."""
    non_closing_keys: frozenset[str] = frozenset()
    """Names of the key bindings that do not close the overlay; all other keys do."""
    is_password_input = False
    """True for the password input, which is open while a curtain waits for a password."""
    view: View | None = None
    """View that the overlay is about, if play continues below it; a new view closes it."""
    below: "Overlay | None" = None
    """Overlay that is shown again after this one is closed."""

    @property
    def scope(self) -> KeyBindings[Self] | None:
        """Key bindings that are in force while the overlay is open; ``None`` for those of the table."""
        return None

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint the overlay; the canvas shows the table unless ``hides_table`` is True."""
        raise NotImplementedError

    def is_closed_by(self, name: str) -> bool:
        """Return True if a key closes the overlay; ``name`` is the name of its binding, "" if it has none."""
        return name not in self.non_closing_keys

    def should_yield_to(self, _name: str) -> bool:
        """Return True if a key of the table closes the overlay and has its usual effect, too."""
        return False

    def close_innermost(self) -> bool:
        """Close the innermost open part of the overlay; return False if no part is open."""
        return False

    def handle_click(self, _target: object) -> bool:
        """Handle a click on a mouse target; return False if it has no meaning, so that it closes the overlay."""
        return False

    def can_cover_curtain(self) -> bool:
        """Return True if the overlay may stay open over a curtain, because it shows no secrets of a player."""
        return False

    def handle_key(self, _key: str, _character: str | None, _binding: AnyKeyBinding | None) -> bool:
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

    def turn_over(self) -> bool:
        """Show the other side of the overlay; return False if it has only one."""
        return False


class TextInputOverlay(Overlay):
    """Overlay with a text input; only its own key bindings close it."""

    def __init__(self, text_input: TextInput) -> None:
        self.text_input = text_input

    def handle_key(self, key: str, character: str | None, binding: AnyKeyBinding | None) -> bool:
        return self.text_input.handle_key(key, character, binding)

    def paste(self, text: str) -> bool:
        self.text_input.insert(text)
        return True

    def action_edit_line(self, key: str) -> None:
        self.text_input.edit(key)

    def is_closed_by(self, _name: str) -> bool:
        return False
