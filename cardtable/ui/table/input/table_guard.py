"""Input guard of the table: learns of new prompts from the frames, and of keys that are held down."""

from collections.abc import Callable
from math import inf

from cardtable.ui.keys.input_guard import Clock, InputGuard
from cardtable.ui.table.model.view_state import TableViewState


class TableGuard(InputGuard):
    """Filter for the keys and clicks at one table; distinguishes prompts that the player's own key has caused."""

    def __init__(
        self,
        get_delay: Callable[[], float],
        clock: Clock,
        call_after_repaint: Callable[[Callable[[], None]], object],
    ) -> None:
        """``call_after_repaint`` calls a function after the next repaint."""
        super().__init__(get_delay, clock)
        self._call_after_repaint = call_after_repaint
        self.is_key_held = False
        """True if the last key repeats because it is held down."""
        self._clicked_at = -inf
        """Time of the last press of a mouse button."""
        self._hidden = False
        self._last_prompt: tuple[object, ...] = ()
        """Prompt that was visible last; empty if there was none."""
        self._last_advice: object = None
        self._last_confirmation = False

    def press_key(self, key: str, age: float) -> float:
        """Register a press of a key that is ``age`` seconds old, and return its time."""
        pressed_at = self.compute_time(age)
        self.is_key_held = self.is_repeat(key, pressed_at)
        return pressed_at

    def press_button(self, age: float) -> None:
        """Register a press of a mouse button that is ``age`` seconds old."""
        self.is_key_held, self._clicked_at = False, self.compute_time(age)

    @property
    def accepts_click(self) -> bool:
        return self.accepts(self._clicked_at, click=True)

    def forget_prompt(self) -> None:
        """Treat the prompt as new when it is checked again, and the last key as released."""
        self._last_prompt, self.is_key_held = (), False

    def report_surprise(self, frame: TableViewState) -> None:
        """Report a picture that the player did not expect, or after which Enter or a click may be repeated in error."""
        if not frame.has_curtain:
            self._report_prompt()

    def check_prompt(self, frame: TableViewState, *, hidden: bool) -> None:
        """Compare the prompt of ``frame``, which has not been painted yet, with the one before, and report a new one.

        ``hidden`` is True if another screen or an overlay covers the prompt.
        """
        was_hidden, self._hidden = self._hidden, hidden
        if hidden:
            return
        prompt = frame.stage, frame.handover_seat, frame.shows_trick, frame.waiting, frame.view, frame.prompt
        advised, asked = frame.advice is not self._last_advice, frame.needs_confirmation is not self._last_confirmation
        curtain = frame.has_curtain and frame.human_count > 1
        is_shown_again = False
        if prompt != self._last_prompt:
            caused_by_player = bool(self._last_prompt) and frame.waiting and frame.is_predictable
        elif advised or asked:
            caused_by_player = not (advised or frame.needs_confirmation)
        elif curtain and was_hidden:
            caused_by_player, is_shown_again = False, True
        else:
            return
        self._last_prompt, self._last_advice, self._last_confirmation = prompt, frame.advice, frame.needs_confirmation
        self._report_prompt(curtain=curtain, is_shown_again=is_shown_again, caused_by_player=caused_by_player)

    def _report_prompt(
        self, *, curtain: bool = False, is_shown_again: bool = False, caused_by_player: bool = False
    ) -> None:
        self.on_new_prompt(curtain=curtain, is_shown_again=is_shown_again, caused_by_player=caused_by_player)
        self._call_after_repaint(self.on_painted)
