"""Command palette: a searchable list of commands, such as those of the key bindings of a screen."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol

from textual import events
from textual.screen import ModalScreen

from cardtable.engine.text_format import capitalize_first, fold, sanitize
from cardtable.ui.keys.bindings import LINE_TOPIC, MOVE_TOPIC, PALETTE, AnyKeyBinding, AnyKeyBindings
from cardtable.ui.keys.input_guard import find_clicked_widget
from cardtable.ui.keys.keymap import USUAL_KEYS, Keymap
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import WHEEL_ROWS
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.ui.toolkit.scroll_list import INDENT, Block, BlockArea, paint_column
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input


class Command(NamedTuple):
    """Entry of the palette."""

    name: str
    run: Callable[[], object]
    key: str = ""
    """Label of the key that executes the command on the screen below the palette; empty if there is none."""
    synonyms: str = ""
    """Other words by which the command is found, separated by blanks."""


class HasKeyBindings(Protocol):
    """Screen or page with key bindings."""

    @property
    def SCOPE(self) -> AnyKeyBindings:  # noqa: N802 - a constant of each screen
        ...

    def is_enabled(self, key: AnyKeyBinding) -> bool:
        """Return True if pressing the key would have an effect now."""

    def label_for(self, key: AnyKeyBinding) -> str:
        """Return the label of the key's command on this screen, such as "undo"."""

    def press(self, key: AnyKeyBinding) -> Awaitable[None]:
        """Run the key's command if it is enabled."""


def list_screen_commands(owner: HasKeyBindings, keymap: Keymap) -> list[Command]:
    """Return a command for each enabled key of a screen, except keys that move the cursor or edit text.

    Of several keys with the same label only the first is listed.
    """
    keys = [
        key
        for key in owner.SCOPE.keys
        if key.topic not in (MOVE_TOPIC, LINE_TOPIC) and key.name != "palette" and owner.is_enabled(key)
    ]
    commands: dict[str, Command] = {}
    for key in keys:
        word = capitalize_first(owner.label_for(key))
        label, others = keymap.format_label(key.name), USUAL_KEYS[key.name].words
        commands.setdefault(word, Command(word, partial(owner.press, key), label, others))
    return list(commands.values())


def search_commands(commands: Sequence[Command], text: str) -> list[Command]:
    """Return the commands that have every word of ``text``, ignoring case.

    Names that begin with the whole text come first, then names in which every word of the text begins a word, then
    other names that contain the words, then commands for which some words begin synonyms. Each group has the order of
    ``commands``.
    """
    search_words = fold(text).split()
    typed = " ".join(search_words)

    def rank(command: Command) -> int | None:
        name = fold(command.name)
        if name.startswith(typed):
            return 0
        words, synonyms = name.split(), command.synonyms.split()
        if all(any(word.startswith(part) for word in words) for part in search_words):
            return 1
        if all(part in name for part in search_words):
            return 2
        if all(part in name or any(word.startswith(part) for word in synonyms) for part in search_words):
            return 3
        return None

    ranked = [(number, command) for command in commands if (number := rank(command)) is not None]
    return [command for _, command in sorted(ranked, key=itemgetter(0))]


TOP: Final = 2
"""Height of the area above the list, in rows."""
EDGE: Final = 2
"""Width of the margin at each side of the list, in columns."""
MAX_TYPED: Final = 40
"""Maximum length of the search text, in characters."""


class PalettePage(Page):
    """Page with a search field and the list of matching commands."""

    DEFAULT_CSS = "PalettePage { width: 72; max-width: 92%; height: 70%; margin-top: 2; }"
    SCOPE = PALETTE

    def __init__(
        self, context: PageContext, commands: Sequence[Command], list_more: Callable[[], Sequence[Command]]
    ) -> None:
        """Create the page; ``list_more`` returns commands that are found by their words, but not listed before.

        It is called when something is typed for the first time, since it may read files.
        """
        super().__init__(context)
        self._commands, self._matches = commands, [*commands]
        self._list_more, self._all_commands = list_more, list[Command]()
        self._entry = TextInput(MAX_TYPED)
        self._cursor = self._offset = 0
        self._follow = True

    def paint(self, width: int, height: int) -> Canvas:
        """Paint the search field and the matching commands; there is no footer."""
        canvas = Canvas(width, height, self.appearance)
        inks, grounds = canvas.theme.inks, canvas.theme.grounds
        canvas.fill(0, 0, width, height, grounds.mat)
        blocks = [Block(1, partial(_paint_command, command), number) for number, command in enumerate(self._matches)]
        self._offset = paint_column(
            canvas, blocks, EDGE, width - 2 * EDGE,
            cursor=self._cursor, offset=self._offset, follow_cursor=self._follow, top=TOP,
        )  # fmt: skip
        canvas.fill(0, 0, width, TOP + 1, grounds.mat)
        room = max(width - 2 * (EDGE + INDENT), 2)
        paint_text_input(canvas, EDGE + INDENT, 1, room, self._entry, "What would you like to do?")
        if not self._matches:
            keys = self.appearance.keys.format_keys("{rub_out} deletes, {clear} clears, {leave} closes.")
            message = f'No command matches "{sanitize(self._entry.text)}". {keys}'
            for row, line in enumerate(wrap(message, room), TOP + 1):
                canvas.write(EDGE + INDENT, row, line, inks.muted)
        return canvas

    @property
    def text_input(self) -> TextInput:
        return self._entry

    def on_edited(self, _before: str) -> None:
        """Search again; if the matches have changed, the cursor moves to the first of them."""
        before, self._matches = self._matches, self.find_commands(self._entry.text)
        self._go_to(0 if self._matches != before else self._cursor)

    def find_commands(self, text: str) -> list[Command]:
        """Return the commands that are shown once ``text`` is typed."""
        if not text.strip():
            return [*self._commands]
        self._all_commands = self._all_commands or [*self._commands, *self._list_more()]
        return search_commands(self._all_commands, text)

    def _go_to(self, line: int) -> None:
        self._cursor, self._follow = line, True
        self.repaint()

    def action_move(self, step: int) -> None:
        self._go_to((self._cursor + step) % max(len(self._matches), 1))

    def action_end(self, line: int) -> None:
        """Move the cursor to the first (0) or the last (-1) command."""
        self._go_to(line % max(len(self._matches), 1))

    def action_page(self, step: int) -> None:
        """Move the cursor by the height of the list, up (-1) or down (1), stopping at the ends."""
        rows = max(self.size.height - TOP - 2, 1)
        self._go_to(max(0, min(self._cursor + step * rows, len(self._matches) - 1)))

    def action_use(self) -> None:
        """Close the palette, then run the command under the cursor on the screen below."""
        if not self._matches:
            return
        command = self._matches[self._cursor]
        self.screen.dismiss()
        self.app.call_later(command.run)

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Run the clicked command."""
        if isinstance(target, int):
            self._cursor = target
            self.action_use()

    def on_wheel(self, step: int, _x: int) -> None:
        self._offset, self._follow = self._offset + step * WHEEL_ROWS, False
        self.repaint()


def _paint_command(command: Command, area: BlockArea) -> None:
    inks = area.canvas.theme.inks
    end = area.write_right(0, command.key, area.muted_ink)
    area.write(INDENT, 0, command.name, inks.text, max_width=end - INDENT - 1, bold=area.has_cursor)


class PaletteScreen(PageScreen, ModalScreen[Any]):
    """Modal screen of the palette; a click outside the palette closes it."""

    DEFAULT_CSS = "PaletteScreen { align: center top; background: #081c15 62%; }"

    async def on_click(self, event: events.Click) -> None:
        if find_clicked_widget(event, self) is self:
            await self.page.action_leave()
