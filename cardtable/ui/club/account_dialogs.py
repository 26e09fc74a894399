"""Dialogs of the lobby of a club: credentials, passwords, and the word by which a guest joins on another device."""

from typing import Final

from cardtable.club.client.client import CREDENTIAL_QUESTIONS
from cardtable.club.protocol import ChangePassword, DeviceWord, Register, SignIn
from cardtable.club.table_text import explain_device_word
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.store import passwords
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.questions import ask

_STAY_GUEST_LABEL: Final = "stay a guest"
_KEEP_LABEL: Final = "keep the old one"


async def _ask_password(context: PageContext, title: str, text: str, yes_label: str, no_label: str) -> str | None:
    """Ask for a password; return ``None`` if the player cancels."""
    return await ask(
        Dialog(context.preferences.appearance, title, text, yes_label, no_label, initial_text="", masked=True)
    )


async def _ask_new_password(context: PageContext, text: str, yes_label: str, no_label: str) -> str | None:
    """Ask for a new password and its repetition until both are equal and acceptable, or the player cancels.

    ``text`` explains the purpose of the password. ``yes_label`` and ``no_label`` describe the effects of the last
    answer and of cancelling.
    """
    while True:
        password = await _ask_password(context, "Choose a password", text, "continue", no_label)
        if password is None:
            return None
        error = passwords.find_password_error(password, password)
        if not error:
            text = "Type the same password, so that a typing mistake does not lock you out."
            repetition = await _ask_password(context, "Repeat the password", text, yes_label, no_label)
            if repetition is None:
                return None
            error = passwords.find_password_error(password, repetition)
        if not error:
            return password
        text = f"{capitalize_first(error)}."


async def ask_credential(
    context: PageContext, credential: str, refusal: str, nick: str, empty_label: str
) -> str | None:
    """Ask the player for a credential that the club requires at log-in; return ``None`` if the player cancels.

    ``credential`` is a key of ``CREDENTIAL_QUESTIONS``. ``refusal`` is the reason why the previous answer was refused;
    it is empty at the first attempt. ``nick`` is the initial text if a nick is requested. ``empty_label`` describes the
    effect of an empty answer.
    """
    title, text = CREDENTIAL_QUESTIONS[credential]
    return await ask(
        Dialog(
            context.preferences.appearance,
            title,
            f"{capitalize_first(refusal)}." if refusal else text,
            "join",
            "leave",
            initial_text=nick if credential == "nick" else "",
            empty_label=empty_label,
            masked=credential == "password",
        )
    )


async def ask_registration(context: PageContext, nick: str) -> Register | None:
    """Ask a guest for a password to become a player under ``nick``; return ``None`` if the guest cancels."""
    text = f"With it {nick} is yours here, and your sessions are rated."
    password = await _ask_new_password(context, text, "register", _STAY_GUEST_LABEL)
    return None if password is None else Register(password)


async def ask_sign_in(context: PageContext) -> SignIn | None:
    """Ask a guest for the nick and the password of a player; return ``None`` if the guest cancels."""
    text = "The nick that you have as a player here."
    nick = await ask(
        Dialog(context.preferences.appearance, "Who are you?", text, "continue", _STAY_GUEST_LABEL, initial_text="")
    )
    if nick is None:
        return None
    text = "The one that you have at this club."
    password = await _ask_password(context, "What is your password?", text, "sign in", _STAY_GUEST_LABEL)
    return None if password is None else SignIn(nick, password)


async def ask_password_change(context: PageContext) -> ChangePassword | None:
    """Ask a player for the old and a new password; return ``None`` if the player cancels."""
    text = "The password that you have at this club now."
    old = await _ask_password(context, "What is your password?", text, "continue", _KEEP_LABEL)
    if old is None:
        return None
    text = "A password has at least 8 characters and no spaces."
    password = await _ask_new_password(context, text, "continue", _KEEP_LABEL)
    if password is None:
        return None
    text = "They then need the new password, and so do browsers and ssh on this one."
    revokes = await context.confirm("Log out your other devices?", text, "log them out", "leave them logged in")
    return ChangePassword(old, password, revoke_others=revokes)


def show_device_word(context: PageContext, word: DeviceWord) -> None:
    """Show a word by which the guest joins on another device, with the ways to use it."""
    text = "\n\n".join(explain_device_word(word, "it"))
    context.app.push_screen(Dialog(context.preferences.appearance, sanitize(word.word, 40), text, "done", "close"))
