"""Removing a player: asked twice, the second time for her password or, without one, for her nick."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from textual.app import App

from cardtable.engine.errors import CardtableError
from cardtable.store import passwords, profiles
from cardtable.store.player_rules import Refused
from cardtable.store.profiles import Profile
from cardtable.ui.draw.look import Look
from cardtable.ui.page.dialog import Dialog
from cardtable.wording.players import REMOVED

_KEEPS: Final = "keeps the player"


def ask(app: App[Any], look: Look, profile: Profile, removed: Callable[[str], None]) -> None:
    """Ask whether the player is to be removed, and whether really; ``removed`` is called with the nick once she is."""

    def answered(yes: str | None) -> None:
        if yes is not None:
            _ask_again(app, look, profile, removed)

    text = REMOVED.format(profile.credits)
    app.push_screen(Dialog(look, f"Remove {profile.nick}?", text, "goes on", _KEEPS), answered)


def _ask_again(app: App[Any], look: Look, profile: Profile, removed: Callable[[str], None], said: str = "") -> None:
    """``said``: why the last password was not taken."""
    nick, secret = profile.nick, profile.password is not None

    async def answered(typed: str | None) -> None:
        if typed is None:
            return
        if not secret and typed != nick:
            _ask_again(app, look, profile, removed, "That is not the nick. ")
            return
        try:
            await asyncio.to_thread(profiles.remove, nick, typed)
        except Refused as error:
            if error.field == "old":
                _ask_again(app, look, profile, removed, f"{error}. ")
                return
            app.notify(error.whole, markup=False, severity="error")
        except CardtableError as error:
            app.notify(error.whole, markup=False, severity="error")
            return
        removed(nick)

    takes = f"Type the password of {nick} to confirm." if secret else f"Type {nick} to confirm."
    text, most = f"{said}Nothing brings the player back. {takes}", passwords.MOST_CHARACTERS
    dialog = Dialog(look, f"Really remove {nick}?", text, "removes", _KEEPS, field="", most=most, secret=secret)
    app.push_screen(dialog, answered)
