"""The table screen: keys and mouse to a driver, its sight to the one widget."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker

from cardtable.engine.cards import RANK, RANKS
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.ui import covers
from cardtable.ui.driver import Driver
from cardtable.ui.pieces.piece import GRID_COLUMNS
from cardtable.ui.sight import Sight, Stage
from cardtable.ui.themes import Theme
from cardtable.ui.thinking import Thinker
from cardtable.ui.widgets.board import MAT, PointCard, PointOption
from cardtable.ui.widgets.frame import Press
from cardtable.ui.widgets.table_view import TableView

JOIN_SECONDS: Final = 1.0
"""A second digit within this time joins the first."""
RANK_KEYS: Final = dict(zip("234567890jqka", range(len(RANKS)), strict=True)) | {"t": RANKS.index("T")}


class TableScreen(Screen[None]):
    """Plays one session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", id="left"),
        Binding("right", "move(1)", id="right"),
        Binding("shift+left", "walk(-1)", id="left_any"),
        Binding("shift+right", "walk(1)", id="right_any"),
        Binding("home", "end(-1)", id="first"),
        Binding("end", "end(1)", id="last"),
        Binding("up", "climb(-1)", id="up"),
        Binding("down", "climb(1)", id="down"),
        Binding("pageup", "page(-1)", id="page_up"),
        Binding("pagedown", "page(1)", id="page_down"),
        Binding("enter,space", "commit", id="play"),
        Binding("tab", "switch", id="switch", priority=True),
        Binding("l", "cover('last_trick')", id="last_trick"),
        Binding("s", "cover('sheet')", id="sheet"),
        Binding("m", "cover('messages')", id="messages"),
        Binding("question_mark,f1", "cover('keys')", id="help"),
        Binding("i", "rules", id="rules"),
        Binding("u,ctrl+z", "take_back", id="take_back"),
        Binding("n", "new_session", id="new"),
        Binding("escape", "leave", id="leave"),
        Binding("f2", "save_elsewhere", id="save_elsewhere"),
    ]

    class Leave(Message):
        """The person goes back to the picker."""

    class NewSession(Message):
        """The person wants another session with the same seats and options."""

        def __init__(self, session: Session) -> None:
            super().__init__()
            self.session = session

    class Rules(Message):
        """The person wants to read the rules of the game."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Elsewhere(Message):
        """Saving fails; the person wants another folder."""

        def __init__(self, trouble: str, save_into: Callable[[Path], Awaitable[None]]) -> None:
            super().__init__()
            self.trouble, self.save_into = trouble, save_into

    def __init__(self, session: Session, settings: Settings, theme: Theme, thinker: Thinker) -> None:
        super().__init__()
        self.session, self.settings = session, settings
        self._view = TableView(theme)
        self.driver = Driver(session, settings, thinker, self._show)
        self._playing: Worker[None] | None = None
        self._left = False
        self._digits: tuple[str, float] = ("", 0.0)
        self._was_waiting = False

    @property
    def sight(self) -> Sight:
        """What is shown."""
        return self.driver.sight

    def compose(self) -> ComposeResult:
        """One widget."""
        self._view.sight = self.sight
        yield self._view

    def on_mount(self) -> None:
        """Begin, or go on."""
        self._view.focus()
        self._playing = self.run_worker(self.driver.run())

    async def on_unmount(self) -> None:
        """Let the journal go."""
        if self._playing:
            self._playing.cancel()
        await self.driver.close()

    def _show(self) -> None:
        if self.sight.stage is Stage.CURTAIN and not isinstance(self._view.cover, covers.Keys):
            self._view.cover = None
        if self.sight.waiting and not self._was_waiting and self.settings.beep:
            self.app.bell()
        self._was_waiting = self.sight.waiting
        self._view.repaint()

    def on_key(self, event: events.Key) -> None:
        """Any key ends a look at a cover; digits bid, rank keys jump."""
        if self._view.cover is not None:
            if event.key not in self._view.cover.other_keys:
                self._uncover()
                event.stop()
                event.prevent_default()
        elif event.character and event.character.isascii() and event.character.isalnum():
            self._point(event.character.lower())

    def _point(self, key: str) -> None:
        sight = self.sight
        if not sight.waiting:
            return
        if sight.in_box and sight.decision and sight.decision.grid and key.isdigit():
            self._type_digit(key)
        elif key in RANK_KEYS:
            self._point_at(RANK_KEYS[key])
        self._show()

    def _point_at(self, rank: int) -> None:
        """Go to a card of a rank; where none may be played, say why."""
        sight = self.sight
        if sight.hand.jump(rank):
            sight.in_box, sight.reason = False, ""
            return
        held = [card for card in sight.hand.cards if RANK[card] == rank]
        if held:
            sight.reason = sight.game.why_not(sight.view, 1 << held[0])

    def _type_digit(self, digit: str) -> None:
        decision = self.sight.decision
        assert decision is not None
        typed, since = self._digits
        now = monotonic()
        labels = [option.label for option in decision.options]
        joined = typed + digit if now - since < JOIN_SECONDS else digit
        found = joined if joined in labels else digit
        if found in labels:
            self.sight.option = labels.index(found)
            self._digits = (found, now)

    def action_move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid."""
        sight = self.sight
        if sight.in_box and sight.decision:
            if sight.decision.grid:
                self._step_option(step)
            elif step > 0 and sight.hand.able:
                sight.in_box = False
        else:
            sight.hand.move(step)
        self._moved()

    def action_walk(self, step: int) -> None:
        """Among all cards of the hand."""
        self.sight.in_box = False
        self.sight.hand.move(step, every=True)
        self._moved()
        self._say_why_not()

    def action_end(self, step: int) -> None:
        """To the first or last card that may be played."""
        self.sight.hand.end(step)
        self._moved()

    def action_climb(self, step: int) -> None:
        """Up and down: in the decision box, in a cover, or what the game has for them."""
        sight = self.sight
        if self._view.cover is not None:
            self._scroll(step)
        elif sight.in_box and sight.decision and len(sight.decision.options) > 1:
            self._step_option(step * (GRID_COLUMNS if sight.decision.grid else 1))
            self._moved()
        elif sight.waiting:
            action = sight.piece.shortcut(sight.view, step)
            if action is not None:
                self.driver.act(action)
            elif step > 0 and sight.piece.draws:
                sight.reason = sight.game.why_not(sight.view, 0)
                self._show()

    def action_page(self, step: int) -> None:
        """Scroll a cover by half a screen."""
        self._scroll(step * (self.size.height // 2))

    def _scroll(self, rows: int) -> None:
        if self._view.cover is not None and self._view.cover.scroll(rows):
            self._show()

    def _step_option(self, step: int) -> None:
        sight = self.sight
        assert sight.decision is not None
        options = sight.decision.options
        if sight.decision.grid:
            sight.option = max(0, min(sight.option + step, len(options) - 1))
            return
        sight.option = (sight.option + step) % len(options)

    def _moved(self) -> None:
        self.sight.reason = ""
        self._show()

    def action_switch(self) -> None:
        """From the decision box to the cards and back."""
        sight = self.sight
        if sight.waiting and sight.decision and sight.hand.able:
            sight.in_box = not sight.in_box
            self._moved()

    def action_commit(self) -> None:
        """Enter and Space: play the card, say the bid, or go on."""
        sight = self.sight
        if self.driver.hurry():
            return
        if sight.stage is Stage.SESSION_END:
            self._stand_up(self.Leave())
        elif sight.stage is not Stage.PLAY:
            self.driver.act(None)
        elif sight.waiting:
            self._commit(sight)

    def _commit(self, sight: Sight) -> None:
        if sight.in_box and sight.decision:
            option = sight.decision.options[sight.option]
            if option.action is None:
                sight.reason = option.note
                self._show()
            else:
                self.driver.act(option.action)
            return
        actions = sight.hand.actions() or (list(sight.view.legal) if len(sight.view.legal) == 1 else [])
        if actions:
            self.driver.act(actions[0])
        else:
            self._say_why_not()

    def _say_why_not(self) -> None:
        sight = self.sight
        if sight.waiting and sight.hand.at is not None and not sight.hand.may(sight.hand.at):
            sight.reason = sight.game.why_not(sight.view, 1 << sight.hand.at)
            self._show()

    def action_cover(self, name: str) -> None:
        """Look at something laid over the table, but keys only over the curtain; the same key puts it away."""
        cover = covers.make(name, self.sight)
        self._view.cover = None if type(self._view.cover) is type(cover) else cover
        self._show()

    def _uncover(self) -> None:
        self._view.cover = None
        self._show()

    def action_rules(self) -> None:
        """The rules of the game."""
        self.post_message(self.Rules(self.sight.game.about.key))

    def action_take_back(self) -> None:
        """Take back the last own decision."""
        self.driver.take_back()

    def action_new_session(self) -> None:
        """Another session, once this one is over."""
        if self.sight.stage is Stage.SESSION_END:
            self._stand_up(self.NewSession(self.session))

    def action_save_elsewhere(self) -> None:
        """Another folder, while saving fails where the session is."""
        if self.session.trouble:
            self.post_message(self.Elsewhere(self.session.trouble, self.driver.save_into))

    def action_leave(self) -> None:
        """Back to the picker; all is kept."""
        self._stand_up(self.Leave())

    def _stand_up(self, message: Message) -> None:
        """Say once that the table is left: a key may be pressed again before it is."""
        if not self._left:
            self._left = True
            self.post_message(message)

    async def on_click(self, event: events.Click) -> None:
        """A click selects, a second one plays; anywhere it ends a pause."""
        if self._view.cover is not None:
            self._uncover()
            return
        if self.driver.hurry():
            return
        target = self._view.canvas.at(event.x, event.y)
        sight = self.sight
        if isinstance(target, Press):
            if target in _ACTIONS:
                await self.app.run_action(_ACTIONS[target], self)
        elif sight.stage is not Stage.PLAY:
            self.action_commit()
        elif isinstance(target, PointOption):
            self._click_option(target.index)
        elif isinstance(target, PointCard):
            self._click_card(target, event.chain)
        elif target == MAT and sight.waiting and len(sight.view.legal) == 1:
            self.action_commit()

    def _click_option(self, index: int) -> None:
        sight = self.sight
        again = sight.in_box and sight.option == index
        sight.in_box, sight.option = True, index
        self._moved()
        if again:
            self.action_commit()

    def _click_card(self, target: PointCard, chain: int) -> None:
        sight = self.sight
        if not sight.waiting:
            return
        again = sight.hand.at == target.card and (not sight.in_box or chain > 1)
        sight.in_box, sight.hand.at = False, target.card
        self._moved()
        if again:
            self.action_commit()
        else:
            self._say_why_not()

    def on_mouse_scroll_down(self) -> None:
        """The wheel scrolls a cover."""
        self._scroll(2)

    def on_mouse_scroll_up(self) -> None:
        """The wheel scrolls a cover."""
        self._scroll(-2)


_ACTIONS: Final = {
    "Enter": "commit",
    "Esc": "leave",
    "Tab": "switch",
    "\u2192": "move(1)",
    "?": "cover('keys')",
    "l": "cover('last_trick')",
    "s": "cover('sheet')",
    "m": "cover('messages')",
    "u": "take_back",
    "n": "new_session",
}
"""What the keys named in the footer do, for the mouse."""
