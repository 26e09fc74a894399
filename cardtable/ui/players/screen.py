"""The players: who there is, who has signed in, and what is kept of them."""

import asyncio
from collections.abc import Hashable
from functools import partial

from textual import events, work

from cardtable.store import profiles, seating
from cardtable.store.errors import CardtableError
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.keys.scopes import PLAYERS, Key
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.page import Page, paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.players import removing
from cardtable.ui.players.form import Form, Players
from cardtable.ui.players.paint import Line, paint_players


class PlayersPage(Page):
    """Paints list and form, and does what is asked for."""

    ABOUT = "among the players"
    SCOPE = PLAYERS

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.players = Players(room.me)
        self.players.read()
        self.players.find(room.me)

    def fill(self, canvas: Canvas) -> Keys:
        """List and form."""
        paint_players(canvas, self.players)
        paint_page_header(canvas, "Players", right=self.players.me)
        if self.players.asked:
            return [("up down", "line"), ("play", "do it"), ("leave", "leave it")]
        profile = self.players.profile
        known, asks = profile is not None, [("ask_once", "hot seat")] * bool(profile and profile.password)
        enter = [("play", "sign in")] * self.players.signs_in + [("play", "sign out")] * self.players.signs_out
        own = [("new", "new"), ("rename", "nick"), ("password", "password"), ("remove", "remove")]
        return [*enter, *(own if known else [("new", "new player")]), ("leave", "back"), *asks]

    def works(self, key: Key) -> bool:
        """Whether the key does something now."""
        players = self.players
        if key.name in ("left", "right", "rub_out", "clear", "next_field", "field_before"):
            return players.asked is not None
        if key.name == "ask_once":
            return players.asked is None and players.profile is not None and players.profile.password is not None
        if key.name in ("new", "rename", "password", "remove", "page_up", "page_down", "close"):
            known = players.profile is not None or key.name in ("new", "close")
            return players.asked is None and known
        return key.name not in ("play", "choose") or players.asked is not None or players.enters

    def typed(self, character: str) -> bool:
        """What is typed goes into the form, where one is open."""
        asked = self.players.asked
        if asked is None:
            return False
        asked.entry.insert(character)
        self._shown()
        return True

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is typed at once."""
        self.typed(event.text)

    def _shown(self) -> None:
        if self.players.asked:
            self.players.asked.changed()
        self.repaint()

    def action_move(self, step: int) -> None:
        """To another line of the list or of the form, round the ends."""
        asked = self.players.asked
        if asked:
            asked.go(asked.at + step)
        else:
            self.players.go(self.players.cursor + step)
        self.repaint()

    def action_end(self, line: int) -> None:
        """To the first (0) or the last (-1) line; in a line that is typed, to its beginning or end."""
        if self.players.asked:
            self.players.asked.entry.end(-1 if line == 0 else 1)
        else:
            self.players.go(line)
        self.repaint()

    def action_page(self, step: int) -> None:
        """Scroll the ledger."""
        self.players.back = max(self.players.back + step * (self.size.height // 2), 0)
        self.repaint()

    def action_step(self, step: int) -> None:
        """Within the line that is typed."""
        if self.players.asked:
            self.players.asked.entry.move(step)
            self.repaint()

    def action_rub_out(self) -> None:
        """Take away the character before the cursor."""
        if self.players.asked:
            self.players.asked.entry.rub_out()
            self._shown()

    def action_clear(self) -> None:
        """Begin the line anew."""
        if self.players.asked:
            self.players.asked.entry.clear()
            self._shown()

    def action_ask(self, form: str) -> None:
        """Open a form."""
        self.players.ask(Form[form])
        self.repaint()

    async def action_ask_once(self) -> None:
        """At a hot seat the password is asked for once a run, which is asked for it first, or each time again."""
        profile = self.players.profile
        if profile is None or not profile.ask_once:
            self.action_ask("ASK_ONCE")
            return
        try:
            await asyncio.to_thread(partial(profiles.ask_once, profile.nick, once=False))
        except CardtableError as error:
            self.app.notify(str(error), markup=False, severity="error")
        self.players.read()
        self.repaint()

    def action_remove(self) -> None:
        """Remove the player, who is asked for twice."""
        if self.players.profile:
            removing.ask(self.app, self.look, self.players.profile, self._removed)

    def _removed(self, nick: str) -> None:
        """The player is gone; if she had signed in a guest plays."""
        self._signed_in(seating.GUEST if nick == self.players.me else "")

    async def action_use(self) -> None:
        """Do what the form is for; sign in, or be a guest."""
        players = self.players
        if players.asked:
            self._signed_in(await asyncio.to_thread(players.answer))
        elif players.profile and players.profile.locked:
            self.action_ask("SIGN_IN")
        else:
            await self._sign_in(seating.GUEST if players.signs_out else players.line.name)

    async def _sign_in(self, name: str) -> None:
        """Sign in who has no password to give; where that cannot be kept it holds for this run."""
        try:
            await asyncio.to_thread(profiles.sign_in, None if name == seating.GUEST else name)
        except CardtableError as error:
            self.app.notify(error.whole, markup=False, severity="error")
        self._signed_in(name)

    def _signed_in(self, nick: str) -> None:
        players = self.players
        players.read()
        if nick:
            players.me = nick
            players.find(nick)
            self.room.player.become(nick)
        self.repaint()

    def action_leave(self) -> None:
        """From the form to the list, from there to the screen below."""
        if self.players.asked:
            self.players.asked = None
            self.repaint()
        else:
            super().action_leave()

    @work(group="sign in", exclusive=True)
    async def _use_clicked(self) -> None:
        await self.action_use()

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses a line; a second one on a name does what Enter does."""
        if isinstance(target, Line) and self.players.asked:
            self.players.asked.go(target.number)
        elif isinstance(target, int) and not self.players.asked:
            if target == self.players.cursor and self.players.enters:
                self._use_clicked()
            self.players.go(target)
        self.repaint()


def screen(room: Room) -> PageScreen:
    """The page."""
    return PageScreen(PlayersPage(room))
