"""Questions about who she is at a club: to be let in, to become a player of it, to sign in."""

from collections.abc import Callable
from typing import Any, Final

from textual.app import App

from cardtable.club.visiting import QUESTIONS
from cardtable.club.wire import FromGuest, Register, SignIn
from cardtable.store import passwords
from cardtable.ui.draw.look import Look
from cardtable.ui.page.dialog import Dialog

REGISTER: Final = "register"
SIGN_IN: Final = "sign in"
WAYS: Final = (
    (REGISTER, "Become a player of this club, with a password"),
    (SIGN_IN, "Sign in as the player you are"),
)
"""What a guest can do: names of lines of the lobby, and their words."""
_STAYS: Final = "stays a guest"


def ask_missing(
    app: App[Any], look: Look, missing: str, why: str, nick: str, answered: Callable[[str | None], None]
) -> None:
    """Ask for what she has to say to be let in; ``why`` what she said was of no use, if she said anything."""
    title, text = QUESTIONS[missing]
    field = nick if missing == "nick" else ""
    said = f"{why[:1].upper()}{why[1:]}." if why else text
    secret = missing == "password"
    app.push_screen(Dialog(look, title, said, "comes in", "leaves", field=field, secret=secret), answered)


def ask_way(app: App[Any], look: Look, way: str, nick: str, say: Callable[[FromGuest], None]) -> None:
    """Ask a guest for what makes her a player of the club."""
    if way == REGISTER:
        text = f"With it {nick} is yours here, and your sessions are rated."
        _ask_new_password(app, look, text, lambda password: say(Register(password)))
        return

    def named(nick: str | None) -> None:
        if nick is not None:
            title, text = QUESTIONS["password"]
            _ask_password(app, look, title, text, "signs in", lambda password: say(SignIn(nick, password)))

    text = "The nick that you have as a player here."
    app.push_screen(Dialog(look, "Who are you?", text, "goes on", _STAYS, field=""), named)


def _ask_new_password(app: App[Any], look: Look, text: str, then: Callable[[str], None]) -> None:
    """Ask for a new password twice, until both are the same and it can be taken; `text` says what it is for."""

    def typed(password: str) -> None:
        if wrong := passwords.why_not(password, password):
            ask_again(wrong)
        else:
            text = "The same password again, so that no slip of a finger locks you out."
            _ask_password(app, look, "Once more", text, "registers", lambda again: typed_twice(password, again))

    def typed_twice(password: str, again: str) -> None:
        if wrong := passwords.why_not(password, again):
            ask_again(wrong)
        else:
            then(password)

    def ask_again(wrong: str) -> None:
        _ask_new_password(app, look, f"{wrong[:1].upper()}{wrong[1:]}.", then)

    _ask_password(app, look, "Choose a password", text, "goes on", typed)


def _ask_password(app: App[Any], look: Look, title: str, text: str, yes: str, then: Callable[[str], None]) -> None:
    def typed(password: str | None) -> None:
        if password is not None:
            then(password)

    app.push_screen(Dialog(look, title, text, yes, _STAYS, field="", secret=True), typed)
