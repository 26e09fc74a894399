"""Passwords in lines: typed without being seen, before a hand is told or credits are staked."""

from collections.abc import Iterable
from getpass import getpass

from cardtable.plain.console import Left, on_terminal, say
from cardtable.plain.speech import sentence
from cardtable.store import ledgers, profiles
from cardtable.store.errors import CardtableError
from cardtable.store.sessions import Session
from cardtable.store.setup import Setup


def need_terminal(nicks: Iterable[str]) -> None:
    """Raise ``CardtableError`` where somebody has to give a password that could not be hidden."""
    for nick in nicks:
        if profiles.locked(nick) and not on_terminal():
            raise CardtableError(f"{nick} has a password, which cannot be asked for through a pipe; use a terminal")


def prove(nick: str) -> None:
    """Ask for the password of a nick until it is given; an empty line leaves.

    Raises ``Left``, and ``CardtableError`` as ``need_terminal`` does.
    """
    while profiles.locked(nick):
        need_terminal([nick])
        try:
            typed = getpass(f"Password of {nick}: ")
        except EOFError:
            raise Left from None
        if not typed:
            raise Left
        if why := profiles.give(nick, typed):
            say(sentence(why))


def new() -> tuple[str, str]:
    """A new password, typed twice; an empty line is none, and through a pipe none is asked for.  Raises ``Left``."""
    if not on_terminal():
        say("A password cannot be typed unseen through a pipe; there is none.")
        return "", ""
    try:
        password = getpass("Password, or an empty line: ")
        return password, getpass("Once more: ") if password else ""
    except EOFError:
        raise Left from None


def begun(how: Setup) -> Session:
    """Begin a session; whose credits are staked gives her password first.  Raises ``CardtableError``, and ``Left``."""
    for nick in ledgers.needed(how.seats, how.options.stake):
        prove(nick)
    return how.begin()
