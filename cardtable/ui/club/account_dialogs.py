"""Dialogs of the lobby of a club: credentials, passwords, and the word by which a guest joins on another device."""

from collections.abc import Callable
from typing import Any, Final

from textual.app import App

from cardtable.club.client.client import CREDENTIAL_QUESTIONS
from cardtable.club.protocol import ChangePassword, ClientMessage, DeviceWord
from cardtable.club.table_text import explain_device_word
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.store import passwords
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.painting.themes import Appearance

_KEEP_LABEL: Final = "keep the old one"


def ask_new_password(
    app: App[Any],
    appearance: Appearance,
    text: str,
    yes_label: str,
    no_label: str,
    on_password: Callable[[str], None],
) -> None:
    """Ask for a new password and its repetition until both are equal and acceptable, or the player cancels.

    ``text`` explains the purpose of the password, or why the last one was refused. ``yes_label`` and ``no_label``
    describe the effects of the last answer and of cancelling.
    """

    def on_first(password: str) -> None:
        if wrong := passwords.find_password_error(password, password):
            ask_again(wrong)
        else:
            text = "Type the same password, so that a typing mistake does not lock you out."
            ask_password(
                app,
                appearance,
                "Repeat the password",
                text,
                yes_label,
                no_label,
                lambda again: on_second(password, again),
            )

    def on_second(password: str, repetition: str) -> None:
        if wrong := passwords.find_password_error(password, repetition):
            ask_again(wrong)
        else:
            on_password(password)

    def ask_again(error: str) -> None:
        ask_new_password(app, appearance, f"{capitalize_first(error)}.", yes_label, no_label, on_password)

    ask_password(app, appearance, "Choose a password", text, "continue", no_label, on_first)


def ask_password(
    app: App[Any],
    appearance: Appearance,
    title: str,
    text: str,
    yes_label: str,
    no_label: str,
    on_password: Callable[[str], None],
) -> None:
    """Ask for a password; nothing happens if the player cancels."""

    def on_answer(password: str | None) -> None:
        if password is not None:
            on_password(password)

    app.push_screen(Dialog(appearance, title, text, yes_label, no_label, initial_text="", masked=True), on_answer)


def ask_credential(
    app: App[Any],
    appearance: Appearance,
    credential: str,
    refusal: str,
    nick: str,
    empty_label: str,
    on_answer: Callable[[str | None], None],
) -> None:
    """Ask the player for a credential that the club requires at log-in.

    ``credential`` is a key of ``CREDENTIAL_QUESTIONS``. ``refusal`` is the reason why the previous answer was refused;
    it is empty at the first attempt. ``nick`` is the initial text if a nick is requested. ``empty_label`` describes the
    effect of an empty answer. ``on_answer`` is called with the text that the player has typed, or with ``None`` if the
    player cancels.
    """
    title, text = CREDENTIAL_QUESTIONS[credential]
    field = nick if credential == "nick" else ""
    message = f"{capitalize_first(refusal)}." if refusal else text
    app.push_screen(
        Dialog(
            appearance,
            title,
            message,
            "join",
            "leave",
            initial_text=field,
            empty_label=empty_label,
            masked=credential == "password",
        ),
        on_answer,
    )


def ask_password_change(app: App[Any], appearance: Appearance, send: Callable[[ClientMessage], None]) -> None:
    """Ask a player for the old and a new password, and pass the request to ``send``, unless the player cancels."""

    def on_old(old: str) -> None:
        text = "A password has at least 8 characters and no spaces."
        ask_new_password(app, appearance, text, "continue", _KEEP_LABEL, lambda password: ask_scope(old, password))

    def ask_scope(old: str, password: str) -> None:
        def on_answer(answer: str | None) -> None:
            send(ChangePassword(old, password, revoke_others=answer is not None))

        text = "They then need the new password, and so do browsers and ssh on this one."
        app.push_screen(
            Dialog(appearance, "Log out your other devices?", text, "log them out", "leave them logged in"), on_answer
        )

    text = "The password that you have at this club now."
    ask_password(app, appearance, "What is your password?", text, "continue", _KEEP_LABEL, on_old)


def show_device_word(app: App[Any], appearance: Appearance, word: DeviceWord) -> None:
    """Show a word by which the guest joins on another device, with the ways to use it."""
    text = "\n\n".join(explain_device_word(word, "it"))
    app.push_screen(Dialog(appearance, sanitize(word.word, 40), text, "done", "close"))
