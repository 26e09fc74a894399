"""The table screen: keys and mouse to a driver, its sight to the one widget."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker

from cardtable.engine.cards import BIT, RANK, RANKS, Card
from cardtable.engine.options import Options
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.ui import covers
from cardtable.ui.driver import Driver
from cardtable.ui.pointing import MAT, PointAction, PointCard, PointOption
from cardtable.ui.sight import Sight, Stage
from cardtable.ui.themes import Theme
from cardtable.ui.thinking import Thinker
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
        Binding("enter", "commit", id="play"),
        Binding("space", "choose", id="choose"),
        Binding("tab", "switch", id="switch", priority=True),
        Binding("h", "hint", id="hint"),
        Binding("l", "cover('last_trick')", id="last_trick"),
        Binding("s", "cover('sheet')", id="sheet"),
        Binding("m", "cover('messages')", id="messages"),
        Binding("question_mark,f1", "cover('keys')", id="help"),
        Binding("i", "rules", id="rules"),
        Binding("u,ctrl+z", "take_back", id="take_back"),
        Binding("n", "new_session", id="new"),
        Binding("escape", "leave", id="leave"),
        Binding("backspace", "clear", id="clear"),
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
        """The person wants to read the rules of the game, those of this table marked."""

        def __init__(self, key: str, options: Options) -> None:
            super().__init__()
            self.key, self.options = key, options

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
        cover, sight = self._view.cover, self.sight
        hidden = sight.stage is Stage.CURTAIN and not isinstance(cover, covers.Keys)
        if cover and (hidden or (cover.view is not None and cover.view is not sight.view)):
            self._view.cover = None
        if self.sight.waiting and not self._was_waiting and self.settings.beep:
            self.app.bell()
        self._was_waiting = self.sight.waiting
        self._view.repaint()

    def on_key(self, event: events.Key) -> None:
        """Keys end a look at a cover; digits bid, rank keys jump."""
        cover = self._view.cover
        if cover is not None and cover.closed_by(event.key):
            self._uncover()
            event.stop()
            event.prevent_default()
        elif self._playing_on and event.character and event.character.isascii() and event.character.isalnum():
            self._point(event.character.lower())

    @property
    def _playing_on(self) -> bool:
        """Whether nothing is laid over the table that holds the keys."""
        return self._view.cover is None or self._view.cover.view is not None

    def _point(self, key: str) -> None:
        sight = self.sight
        if not sight.waiting:
            return
        if sight.in_box and key.isdigit() and self._type_digit(key):
            pass
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
            sight.reason = sight.game.why_not(sight.view, BIT[held[0]])

    def _type_digit(self, digit: str) -> bool:
        """Go to the option of a number; whether there is one."""
        sight, (typed, since), now = self.sight, self._digits, monotonic()
        assert sight.decision is not None
        joined = typed + digit if now - since < JOIN_SECONDS else digit
        for number in (joined, digit):
            found = sight.decision.numbered(number, sight.option)
            if found is not None:
                sight.option, self._digits = found, (number, now)
                return True
        return False

    def action_move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid."""
        sight = self.sight
        if sight.in_box and sight.decision:
            beside = sight.decision.beside(sight.option, step)
            if beside is not None:
                sight.option = beside
            elif step > 0 and sight.hand.able:
                sight.in_box = False
        else:
            sight.hand.move(step)
        self._moved()

    def action_walk(self, step: int) -> None:
        """Among all cards of the hand."""
        if self._only_box(self.sight.hand.cards):
            return
        self.sight.in_box = False
        self.sight.hand.move(step, every=True)
        self._moved()
        self._say_why_not()

    def _only_box(self, wanted: Sequence[Card]) -> bool:
        """Whether no card may be played before something is said in the box; then the first one wanted tells why."""
        sight = self.sight
        if not (sight.waiting and sight.decision and wanted) or sight.hand.able:
            return False
        sight.reason = sight.game.why_not(sight.view, BIT[wanted[0]])
        self._show()
        return True

    def action_end(self, step: int) -> None:
        """To the first or last card that may be played."""
        self.sight.hand.end(step)
        self._moved()

    def action_climb(self, step: int) -> None:
        """Up and down: in the decision box, in a cover, or what the game has for them."""
        sight = self.sight
        if not self._playing_on:
            self._scroll(step)
        elif sight.in_box and sight.decision and not self._takes_shortcut(step):
            sight.option = sight.decision.below(sight.option, step)
            self._moved()
        elif sight.waiting:
            action = sight.piece.shortcut(sight.view, step)
            if action is not None:
                self.driver.act(action)
            elif step > 0 and sight.piece.draws:
                sight.reason = sight.game.why_not(sight.view, 0)
                self._show()

    def _takes_shortcut(self, step: int) -> bool:
        """Whether Up or Down in the box is what the game has for it: with one option, or one shown at a time."""
        sight = self.sight
        assert sight.decision is not None
        alone = len(sight.decision.options) == 1 or sight.decision.group_of(sight.option)[0].spun
        return alone and (sight.piece.draws or sight.piece.shortcut(sight.view, step) is not None)

    def action_page(self, step: int) -> None:
        """Scroll a cover by half a screen."""
        self._scroll(step * (self.size.height // 2))

    def _scroll(self, rows: int) -> None:
        if self._view.cover is not None and self._view.cover.scroll(rows):
            self._show()

    def _moved(self) -> None:
        self.sight.reason = ""
        self._show()

    def action_switch(self) -> None:
        """From the decision box to the cards and back."""
        sight = self.sight
        if sight.waiting and sight.decision and sight.hand.able:
            sight.in_box = not sight.in_box
            if sight.in_box and sight.hand.at is not None:
                bit = BIT[sight.hand.at]
                about = [i for i, action in enumerate(sight.boxed) if action is not None and action.uses() == bit]
                sight.option = about[0] if about else sight.option
            self._moved()

    def action_choose(self) -> None:
        """Space: choose the card to go with others, where cards go together; else what Enter does."""
        sight = self.sight
        if not sight.waiting or sight.in_box or not sight.hand.several:
            self.action_commit()
            return
        if sight.hand.toggle():
            self._moved()
        else:
            self._say_why_not()

    def action_clear(self) -> None:
        """Choose no cards any more."""
        self.sight.hand.chosen = 0
        self._moved()

    def action_commit(self) -> None:
        """Enter: play the card or the cards, say the bid, or go on."""
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
        action = sight.commits
        if action is None and len(sight.view.legal) == 1 and sight.hand.at is None:
            action = sight.view.legal[0]
        if action is not None:
            self.driver.act(action)
        else:
            self._say_why_not()

    def _say_why_not(self) -> None:
        """Why the cards that are pointed at cannot be played."""
        sight, hand = self.sight, self.sight.hand
        if sight.waiting and hand.at is not None and not hand.actions():
            sight.reason = sight.game.why_not(sight.view, hand.chosen or BIT[hand.at])
            self._show()

    def action_cover(self, name: str) -> None:
        """Look at something laid over the table, but keys only over the curtain; the same key puts it away."""
        cover = covers.make(name, self.sight)
        self._view.cover = None if type(self._view.cover) is type(cover) else cover
        self._show()

    def _uncover(self) -> None:
        self._view.cover = None
        self._show()

    def action_hint(self) -> None:
        """What the expert would do, and why."""
        self.action_cover("hint")
        if self._view.cover is not None:
            self.driver.advise()

    def action_rules(self) -> None:
        """The rules of the game."""
        self.post_message(self.Rules(self.sight.game.about.key, self.session.table.options))

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
        """Back to the picker, all is kept; but first from cards that were chosen."""
        if self.sight.waiting and self.sight.hand.chosen:
            self.action_clear()
            return
        self._stand_up(self.Leave())

    def _stand_up(self, message: Message) -> None:
        """Say once that the table is left: a key may be pressed again before it is."""
        if not self._left:
            self._left = True
            self.post_message(message)

    async def on_click(self, event: events.Click) -> None:
        """A click selects, a second one plays; anywhere it ends a pause."""
        target, cover = self._view.canvas.at(event.x, event.y), self._view.cover
        if cover is not None:
            self._uncover()
            if cover.view is None or target in (None, Press("h")):
                return
        if self.driver.hurry():
            return
        sight = self.sight
        if isinstance(target, Press):
            if target in _ACTIONS:
                await self.app.run_action(_ACTIONS[target], self)
        elif sight.stage is not Stage.PLAY:
            self.action_commit()
        elif isinstance(target, PointOption):
            self._click_option(target.index)
        elif isinstance(target, PointAction):
            self._click_action(target)
        elif isinstance(target, PointCard):
            self._click_card(target, event.chain)
        elif target == MAT and sight.waiting and (len(sight.view.legal) == 1 or sight.hand.chosen):
            self.action_commit()

    def _click_option(self, index: int) -> None:
        sight = self.sight
        again = sight.in_box and sight.option == index
        sight.in_box, sight.option = True, index
        self._moved()
        if again:
            self.action_commit()

    def _click_action(self, target: PointAction) -> None:
        """What lies on the mat stands for an option of the box, or else is done at once."""
        sight = self.sight
        if not sight.waiting or target.action not in sight.view.legal:
            return
        if target.action in sight.boxed:
            self._click_option(sight.boxed.index(target.action))
        else:
            self.driver.act(target.action)

    def _click_card(self, target: PointCard, chain: int) -> None:
        sight = self.sight
        if not sight.waiting or self._only_box([target.card]):
            return
        if target.card not in sight.hand.cards:
            sight.reason = sight.game.why_not(sight.view, BIT[target.card])
            self._show()
            return
        if sight.hand.several and (chain == 1 or sight.hand.chosen & ~BIT[target.card]):
            sight.in_box, sight.hand.at = False, target.card
            self.action_choose()
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
    "Space": "choose",
    "Esc": "leave",
    "Tab": "switch",
    "\u2192": "move(1)",
    "?": "cover('keys')",
    "h": "hint",
    "l": "cover('last_trick')",
    "s": "cover('sheet')",
    "m": "cover('messages')",
    "u": "take_back",
    "n": "new_session",
}
"""What the keys named in the footer do, for the mouse."""
