"""Passwords in lines: typed without being seen, before a hand is told or credits are staked."""

from collections.abc import Callable, Iterable
from getpass import getpass
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.plain.console import Left, on_terminal, say, typed_text
from cardtable.plain.speech import sentence
from cardtable.store import ledgers, profiles
from cardtable.store.sessions import Session
from cardtable.store.setup import Setup
from cardtable.wording.words import either

UNSEEN: Final = "(it is not shown)"
"""Follows each question for a password."""


def need_terminal(nicks: Iterable[str]) -> None:
    """Raise ``CardtableError`` where somebody has to give a password that could not be hidden."""
    for nick in filter(profiles.locked, nicks):
        need_hiding(nick)


def need_hiding(nick: str) -> None:
    """Raise ``CardtableError`` where the password of a nick could not be hidden."""
    if not on_terminal():
        raise CardtableError(f"{nick} has a password, which cannot be asked for through a pipe; use a terminal")


def prove(nick: str) -> None:
    """Ask for the password of a nick, if it was not given in this run; an empty line leaves.

    Raises ``Left``, and ``CardtableError`` as ``need_terminal`` does.
    """
    if profiles.locked(nick) and not given(nick):
        raise Left


def given(*nicks: str, give: Callable[[str], str] | None = None) -> bool:
    """Ask for the password of one of these until ``give`` takes it; an empty line is no for an answer.

    Raises ``Left`` at the end of what can be read, and ``CardtableError`` as ``need_terminal`` does.
    """
    need_terminal(nicks)
    while typed := asked(f"Password of {either(nicks)} {UNSEEN}: "):
        if not (why := give(typed) if give else profiles.give_one(nicks, typed)):
            return True
        say(sentence(why))
    return False


def asked(prompt: str) -> str:
    """What is typed unseen.  Raises ``Left`` at the end of what can be read."""
    try:
        return typed_text(getpass(prompt))
    except EOFError:
        raise Left from None


def new() -> tuple[str, str]:
    """A new password, typed twice; an empty line is none, and through a pipe none is asked for.  Raises ``Left``."""
    if not on_terminal():
        say("A password cannot be typed unseen through a pipe; there is none.")
        return "", ""
    password = asked(f"Password {UNSEEN}, or an empty line for none: ")
    return password, asked("The same once more: ") if password else ""


def begun(how: Setup) -> Session:
    """Begin a session; whose credits are staked gives her password first.  Raises ``CardtableError``, and ``Left``."""
    for nick in ledgers.needed(how.seats, how.options.stake):
        prove(nick)
    return how.begin()
