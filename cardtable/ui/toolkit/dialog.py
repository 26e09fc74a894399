"""Modal dialogs: a question that is answered by a key or a line of text, and those before unsaved work is closed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widgets import Static

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, sanitize
from cardtable.store import paths
from cardtable.store.journal_file import JournalFile
from cardtable.ui.keys.bindings import LESSON_END, QUESTION
from cardtable.ui.keys.input_guard import AcceptsForwardedKeys, copy_key_event, find_clicked_widget, is_shown
from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.toolkit.page import KeyTarget, ResizeFix, ask, find_key_name, paint_footer
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget, erase_cut_text, split_cells
from cardtable.ui.toolkit.painting.layout import MARGIN, MIN_SCREEN_SIZE, is_too_small
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

MAX_ANSWER_LENGTH: Final = 1000
"""Default maximum length of the answer in characters."""
REPEAT: Final = "repeat"
"""Answer of a dialog with a third key."""


class _Line(CanvasWidget):
    """Widget that paints the text input of a dialog."""

    DEFAULT_CSS = "_Line { height: 1; margin-bottom: 1; }"

    def __init__(self, appearance: Appearance, text_input: TextInput) -> None:
        super().__init__(appearance)
        self._input = text_input

    def paint(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height, self.appearance)
        paint_text_input(canvas, 0, 0, width, self._input, "")
        return canvas


class GuardedQuestion(ResizeFix, AcceptsForwardedKeys):
    """Modal screen with a question that ignores keys and clicks from before it was shown."""

    _shown_at = inf
    """Monotonic time, in seconds, at which the question was shown; infinite until then."""

    def on_mount(self) -> None:
        """Record the time at which the question is shown.

        Input that already waits at the terminal is recorded, too, since it is no answer. If none waits once the
        question has been painted, later input is an answer, even if a busy machine reads it late.
        """
        note_waiting_input(self.app)
        self._shown_at = monotonic()
        self.call_after_refresh(note_waiting_input, self.app)

    def is_early(self, event: events.InputEvent) -> bool:
        return event.time < self._shown_at


class _ScreenBelow(NamedTuple):
    """Darkened screen below boxes, without the texts that they cut."""

    screen: BackgroundScreen
    boxes: Sequence[Region]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for y, line in enumerate(Segment.split_lines(console.render(self.screen, options))):
            cells = split_cells("".join([segment.text for segment in line]))
            for box in self.boxes:
                if box.y <= y < box.bottom:
                    erase_cut_text(cells, box.x, box.right - 1)
            start = 0
            for segment in line:
                end = start + segment.cell_length
                yield Segment("".join(cells[start:end]), segment.style)
                start = end
            yield Segment.line()


class BoxScreen(ModalScreen[ScreenResultType]):
    """Modal screen with a box over the darkened screen below."""

    def render(self) -> RenderableType:
        below = super().render()
        if not isinstance(below, BackgroundScreen):
            return below
        return _ScreenBelow(below, [child.region for child in self.children])


class Dialog(GuardedQuestion, BoxScreen[str | None]):
    """Dialog with a question; its result is the typed line ("" without a text input), or ``None`` for no.

    ``yes_label`` and ``no_label`` describe the effects of the two keys, as in "deal the cards" and "keep playing".
    ``initial_text`` is the text in the text input; ``None`` for a dialog without one. An empty line cannot be submitted
    unless ``empty_label`` describes its effect. ``max_length`` limits the characters, and ``masked`` hides them. With
    ``repeat_label`` a third key gives the answer ``REPEAT``.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; background: #081c15 62%; }
    Dialog Vertical { width: 72; max-width: 92%; height: auto; padding: 1 2; }
    Dialog Static { height: auto; margin-bottom: 1; }
    Dialog Horizontal { height: 1; }
    Dialog Horizontal Static { width: auto; margin: 0; }
    Dialog #footer { dock: bottom; height: 1; margin: 0; tint: #081c15 62%; }
    """

    def __init__(
        self,
        appearance: Appearance,
        title: str,
        text: str,
        yes_label: str,
        no_label: str,
        *,
        initial_text: str | None = None,
        empty_label: str = "",
        max_length: int = MAX_ANSWER_LENGTH,
        masked: bool = False,
        repeat_label: str = "",
    ) -> None:
        super().__init__()
        self._appearance, self._heading, self._text = appearance, title, text
        self._yes_label, self._no_label, self._empty_label = yes_label, no_label, empty_label
        self._repeat_label, self._scope = repeat_label, LESSON_END if repeat_label else QUESTION
        self._has_input = initial_text is not None
        self._input = TextInput(max_length, initial_text or "", masked=masked)
        self._line = _Line(appearance, self._input)

    def compose(self) -> ComposeResult:
        inks, grounds = self._appearance.theme.inks, self._appearance.theme.grounds
        footer = Static(id="footer")  # covers the keys of the screen below, which have no effect
        footer.styles.background = grounds.panel
        yield footer
        if self._repeat_label:
            self.styles.align_vertical = "bottom"  # the score of the lesson stays in sight
        box = Vertical()
        box.styles.background = grounds.mat
        with box:
            yield Static(Text(self._heading, style=f"bold {inks.text}"))
            yield Static(Text(self._text, style=inks.soft))
            if self._has_input:
                yield self._line
            with Horizontal():
                yield Static(self._format_key("play", self._play_label), id="play")
                yield Static(Text(" · ", inks.muted))
                if self._repeat_label:
                    yield Static(self._format_key("replay", self._repeat_label), id="replay")
                    yield Static(Text(" · ", inks.muted))
                yield Static(self._format_key("leave", self._no_label), id="leave")
            if self._has_input:
                with Horizontal():
                    yield Static(self._format_key("clear", "clear the line"), id="clear")

    def _format_key(self, name: str, label: str) -> Text:
        inks = self._appearance.theme.inks
        return Text.assemble((self._appearance.keys.format_label(name), f"bold {inks.text}"), (f" {label}", inks.muted))

    @property
    def _play_label(self) -> str:
        return self._yes_label if self._input.text.strip() or not self._empty_label else self._empty_label

    def _update_input(self) -> None:
        self._line.repaint()
        if self._empty_label:
            self.query_one("#play", Static).update(self._format_key("play", self._play_label))

    async def on_key(self, event: events.Key) -> None:
        """Edit the text input or answer the question; keys after the answer are ignored."""
        if not is_shown(self):
            return
        key = self._appearance.keys.find(self._scope, find_key_name(event))
        if self._has_input and self._input.handle_key(event.key, event.character, key):
            pass
        elif key is not None:
            if key.name != "play" or not self.is_early(event):
                await self.app.run_action(key.action, self)
        else:
            return
        self._update_input()
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        if not is_shown(self):
            return
        self._input.insert(event.text)
        self._update_input()
        event.stop()

    def action_edit_line(self, key: str) -> None:
        self._input.edit(key)
        self._update_input()

    def action_answer(self) -> None:
        """Answer yes, or submit the typed line; an empty line is refused unless it has a meaning."""
        answer = self._input.text.strip()
        if answer or self._empty_label or not self._has_input:
            self._submit_answer(answer)

    def action_repeat(self) -> None:
        self._submit_answer(REPEAT)

    def action_refuse(self) -> None:
        self._submit_answer(None)

    def _submit_answer(self, answer: str | None) -> None:
        """Close with this answer.

        Only the first answer counts: further keys may arrive before the screen below is active.
        """
        if is_shown(self):
            self.dismiss(answer)

    async def on_click(self, event: events.Click) -> None:
        widget = None if self.is_early(event) else find_clicked_widget(event, self)
        for key in self._scope.keys:
            if widget is not None and widget.id == key.name:
                await self.app.run_action(key.action, self)


class HasUnsavedWork(Protocol):
    """Session or score table that is open on a screen."""

    @property
    def file(self) -> JournalFile:
        """File to which each line is written."""

    async def save(self) -> str:
        """Retry writing unsaved lines; return a description of those that are still unsaved, or ""."""

    async def save_into(self, folder: Path) -> None:
        """Write everything to another folder and continue there; the old file is left unchanged.

        Raises ``CardtableError`` if writing to that folder fails, too.
        """


class UnsavedWorkGuard:
    """Registry of the open sessions and score tables of an app; asks before one with unsaved lines is closed."""

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        self._app, self._preferences = app, preferences
        self._open_work: list[tuple[Screen[Any], HasUnsavedWork]] = []
        self._is_asking = False
        self._lock = asyncio.Lock()

    def register(self, screen: Screen[Any], work: HasUnsavedWork) -> None:
        """Register an open session or score table, and forget those that have been closed without a loss."""
        self._open_work = [(other, before) for other, before in self._open_work if not before.file.closed_cleanly]
        self._open_work.append((screen, work))

    async def confirm_closing(self, screens: Sequence[Screen[Any]] | None = None) -> bool:
        """Return True if ``screens`` (``None`` for all) may be closed, because no work on them is unsaved.

        The player is asked to save it elsewhere or to accept its loss, and may refuse. Returns False while another call
        asks.
        """
        async with self._lock:
            if self._is_asking:
                return False
            unsaved = await self._find_unsaved(screens)
            self._is_asking = bool(unsaved)
        try:
            while unsaved:
                if not await self._save_elsewhere(*unsaved[0]):
                    return False
                unsaved = await self._find_unsaved(screens)
        finally:
            self._is_asking = False
        return True

    async def has_unsaved(self) -> bool:
        return bool(await self._find_unsaved())

    def list_save_errors(self) -> list[str]:
        return [work.file.save_error for _, work in self._open_work if work.file.save_error]

    def withdraw_accepted_losses(self) -> None:
        """Withdraw all accepted losses, after the player has decided to stay."""
        for _, work in self._open_work:
            work.file.accept_loss = False

    async def _find_unsaved(self, screens: Sequence[Screen[Any]] | None = None) -> list[tuple[HasUnsavedWork, str]]:
        """Return the work on ``screens`` that cannot be saved after a retry, with descriptions of the unsaved part.

        Work whose loss is accepted is not included. A failed write that a later line has repeated counts as saved.
        """
        candidates = [work for screen, work in self._open_work if screens is None or screen in screens]
        results = [(work, await work.save()) for work in candidates]
        return [
            (work, unsaved)
            for work, unsaved in results
            if unsaved and work.file.save_error and not work.file.accept_loss
        ]

    async def _save_elsewhere(self, work: HasUnsavedWork, unsaved: str) -> bool:
        """Ask in which folder to save ``work`` before it is closed, or after an empty answer whether it may be lost.

        ``unsaved`` describes the unsaved part. Returns False if the player refuses both.
        """
        look, home, error = self._preferences.appearance, paths.expand_home("~"), work.file.save_error
        while True:
            title = f"Not on the disk: {unsaved}"
            text = (
                f"{error}. In which folder should everything be saved before you leave? "
                "If you leave the line empty, what is not on the disk is lost."
            )
            empty = "leave without saving"
            folder = await ask(
                Dialog(look, title, text, "save and leave", "stay", initial_text=home, empty_label=empty)
            )
            if folder is None:
                return False
            if folder:
                try:
                    await work.save_into(Path(folder))
                except CardtableError as failure:
                    error = failure.full_message
                    continue
                path = sanitize(str(work.file.path), MAX_PATH_LENGTH)
                self._app.notify(f"Everything is saved as {path}", markup=False)
                return True
            text = f"This is lost then: {unsaved}."
            if await ask(Dialog(look, "Leave without saving?", text, "leave without saving", "go back")) is not None:
                work.file.accept_loss = True
                return True
            error = work.file.save_error

    async def ask_folder(self, save_error: str, save_into: Callable[[Path], Awaitable[None]]) -> None:
        """Ask in which folder a session continues after saving has failed, and stay on its screen."""
        text = f"{save_error}. In which folder should the session continue? All of it is written there."
        look, home = self._preferences.appearance, paths.expand_home("~")
        folder = await ask(Dialog(look, "Saving failed", text, "save it there", "go back", initial_text=home))
        if folder is None:
            return
        try:
            await save_into(Path(folder))
        except CardtableError as error:
            self._app.notify(error.full_message, markup=False, severity="error")

    def save_to_emergency_folder(self) -> bool:
        """Write every unsaved file to the emergency folder at once; return True if there was nothing to write."""
        for _, work in self._open_work:
            work.file.save_to_emergency_folder()
        return not any(work.file.loss_message for _, work in self._open_work)

    def finalize_all(self) -> list[str]:
        """Close all files that are still open after a crash; return a message for each loss."""
        for _, work in self._open_work:
            work.file.finalize()
        return [work.file.loss_message for _, work in self._open_work if work.file.loss_message]


class QuitLine(CanvasWidget):
    """Question that replaces the footer; the keys of the screen have no effect while it is shown."""

    DEFAULT_CSS = "QuitLine { dock: bottom; height: 1; }"

    def __init__(self, appearance: Appearance, *, is_all_saved: bool) -> None:
        super().__init__(appearance)
        self._is_all_saved = is_all_saved

    def paint(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height, self.appearance)
        is_wide = width >= MIN_SCREEN_SIZE[0]
        question = "Quit?   " if is_wide else ""
        keys = {"play": f"quit{' (all is saved)' if self._is_all_saved and is_wide else ''}", "leave": "stay"}
        paint_footer(canvas, keys, MARGIN + len(question), with_help=False)
        canvas.write(MARGIN, 0, question, canvas.theme.inks.gold, bold=True)
        return canvas


class Quitting(GuardedQuestion, ModalScreen[bool]):
    """Modal screen of the question "Quit?", which ignores all keys except the answers."""

    DEFAULT_CSS = "Quitting { background: transparent; }"

    def __init__(self, appearance: Appearance, *, is_all_saved: bool) -> None:
        super().__init__()
        self._line = QuitLine(appearance, is_all_saved=is_all_saved)

    def compose(self) -> ComposeResult:
        yield self._line

    def on_key(self, event: events.Key) -> None:
        """Answer the question; a key that arrives after it is forwarded to the screen below, if that can be read."""
        event.stop()
        event.prevent_default()
        if self.app.screen is not self:
            if not is_too_small(*self.app.size):
                (self.app.focused or self.app.screen).post_message(copy_key_event(event))
            return
        key = self._line.appearance.keys.find(QUESTION, find_key_name(event))
        if key is not None and (key.name == "leave" or (key.name == "play" and not self.is_early(event))):
            self.answer(yes=key.name == "play")

    def on_click(self, event: events.Click) -> None:
        """Give the answer on which the player clicked; a click anywhere else means no."""
        on_it = self._line.region.contains(event.screen_x, event.screen_y)
        target = self._line.canvas.hit_test(event.screen_x, 0) if on_it else None
        self.answer(yes=target == KeyTarget("play"))

    def answer(self, *, yes: bool) -> None:
        """Close with this answer.

        Only the first answer counts: further keys may arrive before the screen below is active.
        """
        if self.app.screen is self:
            self.dismiss(yes)
