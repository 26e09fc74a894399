"""The table screen: keys and mouse to a driver, its frames to the one widget."""

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Final

from textual import events, work
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker

from cardtable.engine.contract import Action
from cardtable.play.seen import Stage
from cardtable.store.sessions import Session
from cardtable.ui.draw.layout import layout
from cardtable.ui.keys.early_keys import handed_on, is_shown
from cardtable.ui.keys.guard import Clock, Guard
from cardtable.ui.keys.scopes import TABLE, Key, Scope, named
from cardtable.ui.page.footer import Press
from cardtable.ui.page.page import pressed
from cardtable.ui.page.room import Room
from cardtable.ui.table import another_session
from cardtable.ui.table.input import working_keys
from cardtable.ui.table.input.dragging import Dragging
from cardtable.ui.table.input.mouse import Mouse
from cardtable.ui.table.input.quick_settings import turn
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.driver import Driver
from cardtable.ui.table.model.frame import Frame
from cardtable.ui.table.model.prompt import Prompt
from cardtable.ui.table.model.watching import Watch
from cardtable.ui.table.overlays.covers import Covers
from cardtable.ui.table.paint import open_hands
from cardtable.ui.table.paint.table_view import TableView
from cardtable.ui.terminal.window_size import LatestSize

LEFT: Final = 1
RIGHT: Final = 3
"""Buttons of the mouse."""
DIGITS: Final = frozenset("0123456789")
WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""
MOST_ROWS: Final = 1_000_000
"""More than there are to scroll."""
_IN_COVERS: Final = ("up", "down", "page_up", "page_down", "first", "last", "switch")
"""What scrolls or turns a cover."""
_ENTER: Final = ("play", "choose")
"""The keys that do what is pointed at: Enter and Space, whatever they are bound to."""


class TableScreen(LatestSize, Screen[None]):
    """Plays one session."""

    def __init__(self, room: Room, session: Session, clock: Clock = monotonic) -> None:
        """``clock`` tells when something was pressed."""
        super().__init__()
        preferences, thinker = room.preferences, room.thinker
        self.session, self._room, self._preferences = session, room, preferences
        self._view = TableView(preferences.look)
        self._cursor = Cursor(lambda: self.frame, self._act, self._show)
        self.driver = Driver(session, preferences, thinker, self._cursor, self._show)
        self._covers = Covers(self._view, self.driver, thinker, self._show)
        self._guard = Guard(lambda: preferences.settings.guard, clock)
        self._prompt = Prompt(self._guard)
        self._held = False
        """Whether the key that is handled is held down."""
        self._mouse_down = 0.0
        """When a button of the mouse was pressed."""
        self._mouse = Mouse(lambda: self.frame, self._cursor, self._act)
        self._dragging = Dragging(lambda: self.frame, self._cursor, self._act)
        self._playing: Worker[None] | None = None
        self._turned = 0
        """Steps of the wheel that are still to be done."""
        self._goes = False
        """Whether a way is gone that leads elsewhere: keys are not for this table meanwhile."""
        self._was_wanted = False
        """Whether a person was asked for when the table was shown last."""

    @property
    def frame(self) -> Frame:
        """What is shown now."""
        return self.driver.frame

    def compose(self) -> ComposeResult:
        """One widget."""
        self._view.frame = self.frame
        yield self._view

    def on_mount(self) -> None:
        """Begin, or go on."""
        self._view.focus()
        self._playing = self.run_worker(self.driver.run())
        self._view.call_after_refresh(self.driver.painted.set)

    async def on_unmount(self) -> None:
        """Let the journal go."""
        self._covers.stop()
        if self._playing:
            self._playing.cancel()
        await self.driver.close()

    def _show(self) -> None:
        frame = self.frame
        self._covers.follow(frame)
        if not frame.waiting and self._dragging.drop():
            self._view.lay_over(())
        wanted = frame.called is not None if frame.stage is Stage.CURTAIN else frame.waiting
        if wanted and not self._was_wanted and self._preferences.settings.beep:
            self.app.bell()
        self._was_wanted = wanted
        self._view.moves = self.driver.pacing.cards_move
        self._view.frame = frame
        self._view.repaint()
        if self._prompt.changes(frame, hidden=not (self.is_current and self._covers.at_the_table)):
            self._view.call_after_refresh(self._guard.shown)

    def _guard_anew(self) -> None:
        """What is seen now came as a surprise, or the same Enter or click might come twice."""
        if self.frame.stage is not Stage.CURTAIN:
            self._guard.asks()
            self._view.call_after_refresh(self._guard.shown)

    def _act(self, action: Action) -> None:
        """What the person does; a key that is held down does it once."""
        if not self._held:
            self.driver.act(action)

    async def on_key(self, event: events.Key) -> None:
        """Keys end a look at a cover; digits bid or go to a rank; the others do what their list says."""
        if self._goes or handed_on(event, self):
            return
        self._roll()
        self._view.land()
        at, said, cover = self._guard.moment(_ago(event)), pressed(event), self._view.cover
        key = self._preferences.look.keys.find(self.SCOPE, said)
        enter = key is not None and key.name in _ENTER
        self._held = self._guard.repeats("enter" if enter else said, at)
        over = not self._covers.playing_on
        enters = enter or (key is not None and self._confirms(key))
        if self._guard.deaf(at) and self._covers.at_the_table:
            pass
        elif cover is not None and event.is_printable and event.character and cover.typed(event.character):
            self._show()
        elif enters and (self._held or not self._guard.takes(at)):
            pass
        elif cover is not None and cover.closed_by(key.name if key else ""):
            self._covers.uncover()
        elif key:
            await self._do(key)
        elif said in DIGITS and self._covers.playing_on and self.frame.waiting:
            self._cursor.digit(said)
        else:
            return
        event.stop()
        event.prevent_default()
        if enter and over and self._covers.playing_on:
            self._guard_anew()

    def _confirms(self, key: Key) -> bool:
        """Whether it is a key that does here what Enter does: Right in Bridge."""
        frame = self.frame
        here = frame.stage is Stage.ROUND_END or (frame.waiting and frame.in_box)
        return key.name == "right" and frame.piece.right_confirms and self._covers.playing_on and here

    @property
    def _away(self) -> bool:
        """Whether something else is shown, or will be: quick clicks come here that are not for this table."""
        return self._goes or not is_shown(self)

    @property
    def SCOPE(self) -> Scope:  # noqa: N802 - a constant of other screens
        """The keys that can be pressed now."""
        return self._covers.scope

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is typed at once."""
        if self._guard.deaf(self._guard.moment(_ago(event))) and self._covers.at_the_table:
            return
        if self._view.cover is not None and self._view.cover.typed(event.text):
            self._show()

    async def press(self, key: Key) -> None:
        """Do what the key does, if it works for mouse and palette now."""
        if self.works(key):
            await self._do(key)

    async def _do(self, key: Key) -> None:
        """Do what the key does, if it works now."""
        cover = self._view.cover
        if not self._works(key):
            if key.name == "take_back" and self._covers.playing_on:
                self.driver.take_back()  # says why not
            return
        if cover is not None and key.does.startswith("cover."):
            await cover.press(key.does)
            self._show()
        else:
            await self.app.run_action(key.does, self)

    def works(self, key: Key) -> bool:
        """Whether mouse and palette can do now what the key does: all that it does but to open a curtain."""
        lifts = self.frame.stage is Stage.CURTAIN and self._covers.at_the_table and key.name in _ENTER
        return not lifts and self._works(key)

    def _works(self, key: Key) -> bool:
        """Whether the key does something now."""
        cover = self._view.cover
        if key not in self.SCOPE:  # what was on the screen when the palette was opened is gone
            return False
        if cover is not None and cover.scope is not TABLE:
            return cover.works(key)
        return working_keys.works(key, self.frame) or (key.name in _IN_COVERS and not self._covers.playing_on)

    def word(self, key: Key) -> str:
        """What the key does here."""
        here = working_keys.words(self.frame) if self.SCOPE is TABLE else {}
        return here.get(key.name, key.word)

    def action_move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid; from seat to seat for who watches."""
        if self.frame.watch:
            self.driver.look_from(step)
        elif self.frame.stage is Stage.ROUND_END:
            self.action_commit()
        else:
            self._cursor.move(step)

    def action_walk(self, step: int) -> None:
        """Among all cards of the hand."""
        self._cursor.walk(step)

    def action_end(self, step: int) -> None:
        """To the first or last card that may be played, or option, or to the ends of a cover that scrolls."""
        if self._covers.playing_on:
            self._cursor.end(step)
        else:
            self._covers.scroll(step * MOST_ROWS)

    def action_climb(self, step: int) -> None:
        """Up and down: in the decision box, in a cover, or what the game has for them."""
        if self._covers.playing_on:
            self._cursor.climb(step)
        else:
            self._covers.scroll(step)

    def action_page(self, step: int) -> None:
        """Scroll a cover by half a screen."""
        self._covers.scroll(step * (self.size.height // 2))

    def action_rank(self, rank: int) -> None:
        """To a card of a rank."""
        self._cursor.rank(rank)

    def action_switch(self) -> None:
        """From the decision box to the cards and back; a cover's other side; to the next seat for who watches."""
        if not self._covers.playing_on:
            self._covers.turn()
        elif self.frame.watch:
            self.driver.look_from(1)
        else:
            self._cursor.switch()

    def action_choose(self) -> None:
        """Space: choose the card to go with others, where cards go together; else what Enter does."""
        if self._goes_on():
            return
        self._cursor.choose()

    def action_commit(self) -> None:
        """Enter: play the card or the cards, say the bid, or go on."""
        if self._goes_on():
            return
        self._cursor.commit()

    def _goes_on(self) -> bool:
        """Whether there was a pause to end, or a picture to go on from."""
        if self.driver.hurry():
            return True
        stage = self.frame.stage
        if stage is Stage.SESSION_END:
            self._leave()
        elif stage is not Stage.PLAY:
            self.driver.act(None)
        return stage is not Stage.PLAY

    def action_rest(self) -> None:
        """Have the rest played out, where it cannot change the points any more."""
        self.run_worker(self.driver.play_out(), group="rest")

    def action_clear(self) -> None:
        """Choose no cards any more."""
        self._cursor.clear()

    def action_look_at(self, name: str) -> None:
        """Look at something laid over the table; the same key puts it away."""
        self._covers.look_at(name)

    def action_uncover(self) -> None:
        """Put away what is laid over the table, or over something else."""
        self._covers.uncover()

    def action_step_back(self) -> None:
        """Put away the innermost of what is laid over the table."""
        self._covers.step_back()

    def action_last_deal(self) -> None:
        """All hands of the round before, and what was done with them; the session is read in a thread."""
        self._look_back()

    @work(group="last deal", exclusive=True)
    async def _look_back(self) -> None:
        if await self._covers.last_deal():
            self._guard_anew()

    def action_replay(self) -> None:
        """The session again, from what is under the cursor of the last deal, or from its beginning."""
        from cardtable.ui.table.overlays.last_deal import LastDeal  # noqa: PLC0415 - after the first picture

        cover = self._view.cover
        if isinstance(cover, LastDeal):
            steps = cover.cursor.row.steps
            step = steps[min(cover.cursor.column, len(steps) - 1)] if steps else len(cover.round.steps)
            self._open("replay", self.session.path, cover.round.number, step)
        else:
            self._open("replay", self.session.path, 1)

    def action_review(self) -> None:
        """What the expert thinks of the decisions in the session."""
        self._open("review", self.session.path)

    def action_messages(self) -> None:
        """What was said and done, and a line to say something, for who sits at the keyboard."""
        self._covers.messages()

    def action_help(self) -> None:
        """The keys that work now."""
        self._covers.help()

    def action_hint(self) -> None:
        """What the expert would do, and why."""
        self._covers.hint()

    def action_rules(self) -> None:
        """The rules of the game."""
        self._open("rules", self.frame.game.about.key, self.session.table.options)

    def action_take_back(self) -> None:
        """Take back the last own decision."""
        self.driver.take_back()

    def action_turn(self, name: str) -> None:
        """The next value of a setting of the table; the prompt says what is in force now."""
        self._cursor.say(turn(self._preferences, name, self.size))

    def on_screen_resume(self) -> None:
        """The settings may have changed, also in another program; what is asked for is seen again."""
        self._preferences.look_again()
        self._prompt.forget()
        self._held = False
        self._show()

    def action_open_hands(self) -> None:
        """Show the hands that lie open, or not; where the table has no room for them, over it."""
        showing, fits = self.driver.showing, open_hands.fits(layout(*self.size), len(self.frame.names))
        showing.open_hands = not (fits and showing.open_hands)
        if fits:
            self._show()
        else:
            self._covers.look_at("open_hands")

    def action_pause(self) -> None:
        """Let the robots that are watched stand still, or go on."""
        self.driver.watch(Watch.turned)

    def action_step(self) -> None:
        """One decision of the robots that are watched, or one outcome of chance."""
        self.driver.hurry()
        self.driver.watch(Watch.stepping)

    def action_faster(self, by: int) -> None:
        """The robots that are watched go faster, or slower."""
        self.driver.watch(lambda watch: watch.faster(by))

    def action_new_session(self, same_deal: bool) -> None:
        """Another session; where this one is not over, that may be asked first."""
        self._go(partial(self.app.call_later, another_session.begin, self._room, self, same_deal))

    def action_save_elsewhere(self) -> None:
        """Another folder, while saving fails where the session is."""
        assert self.session.trouble is not None
        self._go(partial(self._room.leaving.ask_folder, self.session.trouble, self.driver.save_into))

    def action_leave(self) -> None:
        """Back to the picker, all is kept; but first from a card that is dragged and from cards that were chosen."""
        if self._dragging.drop():
            self._view.lay_over(())
            return
        if self.frame.waiting and (self.frame.hand.chosen or self.frame.asking):
            self._cursor.clear()
            return
        self._leave()

    def _leave(self) -> None:
        self._go(partial(self._room.leave, self))

    def _open(self, page: str, *about: object) -> None:
        self._go(partial(self._room.show, page, *about))

    def _go(self, way: Callable[[], object]) -> None:
        """Go a way of the room once: a key may be pressed again before it is gone."""
        if not self._goes:
            self._goes = True
            way()
            self.app.call_later(self._gone)

    def _gone(self) -> None:
        self._goes = False

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A card of the hand can be dragged from here."""
        if self._away:
            return
        self._roll()
        self._view.land()
        self._mouse_down, self._held = self._guard.moment(_ago(event)), False
        self._dragging.dragged = False
        if self._view.cover is None and event.button == 1 and self._guard.takes(self._mouse_down, click=True):
            self._dragging.press(self._view.canvas.at(event.x, event.y), event.x, event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """A card that is dragged follows the pointer."""
        stamps = self._dragging.move(self._view.canvas, event.x, event.y)
        if stamps is not None:
            self._view.lay_over(stamps)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """A card that was dragged to the middle is played."""
        if self._dragging.release(self._view.canvas, event.x, event.y):
            self._view.lay_over(())

    async def on_click(self, event: events.Click) -> None:
        """A click selects, a second one plays; anywhere it ends a pause.  The end of a drag is none."""
        if self._dragging.dragged or self._away or not self._guard.takes(self._mouse_down, click=True):
            return
        target, cover = self._view.canvas.at(event.x, event.y), self._view.cover
        if self.SCOPE is not TABLE and isinstance(target, Press):
            if target in [key.name for key in self.SCOPE]:
                await self.press(named(self.SCOPE, target))
            return
        if cover is not None and cover.pointed_at(target):
            self._show()
            return
        if cover is not None:
            self._covers.uncover()
            self._guard_anew()
            if cover.view is None or target in (None, Press("hint")):
                return
        if self.driver.hurry():
            return
        if isinstance(target, Press):
            await self.press(named(TABLE, target))
        elif self.frame.stage is Stage.PLAY and event.button == RIGHT:
            self._mouse.confirm()
        elif self.frame.stage is Stage.PLAY and event.button == LEFT:
            self._mouse.click(target, event.chain)
        elif self.frame.stage not in (Stage.PLAY, Stage.CURTAIN):
            self.action_commit()

    def on_mouse_scroll_down(self) -> None:
        """The wheel scrolls a cover, or a hand that is longer than the screen."""
        self._wheel(1)

    def on_mouse_scroll_up(self) -> None:
        """The wheel scrolls a cover, or a hand that is longer than the screen."""
        self._wheel(-1)

    def _wheel(self, step: int) -> None:
        """A wheel turns faster than a table is painted: what has come together is done at once."""
        if not self._turned:
            self.call_later(self._roll)
        self._turned += step

    def _roll(self) -> None:
        """Do what the wheel has turned."""
        steps, self._turned = self._turned, 0
        if not steps:
            return
        self._view.land()
        if not self._covers.playing_on:
            self._covers.scroll(steps * WHEEL)
        else:
            self._mouse.wheel(self._view.canvas, steps)


def _ago(event: Message) -> float:
    """How many seconds ago an event came from the terminal."""
    return Message().time - event.time


def screen(room: Room, session: Session) -> TableScreen:
    """The table of a session."""
    table = TableScreen(room, session)
    room.leaving.opened(table, table.driver)
    return table
