"""Where plain lines begin and end at a club: somebody comes in, and leaves."""

import sys
from typing import Final

from msgspec.structs import replace

from cardtable.club.link import Login
from cardtable.club.visiting import QUESTIONS
from cardtable.engine.errors import CardtableError
from cardtable.plain import console, passwords
from cardtable.plain.club.ears import Ears
from cardtable.plain.club.lobby import PlainLobby
from cardtable.plain.club.presence import ClubOver, Presence
from cardtable.plain.console import Left, say
from cardtable.plain.speech import sentence
from cardtable.store import seating, settings

LEFT_CLUB: Final = "You have left the club. Your seats there stay yours."


def run(url: str, login: Login, flags: settings.Flags) -> None:
    """Be at the club of an address until the person leaves, or it is over.  Raises ``CardtableError``."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)  # what comes is heard at once, through a pipe, too
    chosen, complaints = settings.load()
    if flags.ascii or chosen.ascii:
        console.print_ascii_only()
    say(*complaints)
    presence = Presence(url, Ears())
    try:
        with console.in_order():
            _come_in(presence, login)
            PlainLobby(presence, chosen).stay()
    except Left:
        say(LEFT_CLUB)
    except ClubOver as over:
        say(sentence(str(over)))
    except KeyboardInterrupt:
        say("", LEFT_CLUB)
        raise
    finally:
        presence.leave()


def _come_in(presence: Presence, login: Login) -> None:
    """Come in, and say what is asked for.  Raises ``Left``, and ``CardtableError`` where she cannot come in."""
    presence.come(login)
    while not (visiting := presence.visiting).there:
        if not visiting.over:
            raise CardtableError(f"the club cannot be reached: {visiting.trouble}")
        if not visiting.missing:
            raise CardtableError(visiting.over)
        tried = visiting.login
        if tried.nick:
            say(sentence(visiting.over))
        presence.come(_answered(presence, tried, visiting.missing))


def _answered(presence: Presence, login: Login, missing: str) -> Login:
    """With what she says when she is asked for what is missing; an empty line leaves.  Raises ``Left``."""
    if missing == "password":
        passwords.need_hiding(login.nick)
        said = passwords.asked(f"Password of {login.nick} {passwords.UNSEEN}: ")
    else:
        say(" ".join(QUESTIONS[missing]))
        said = presence.ears.line()
    if not said:
        raise Left
    answer = {missing: seating.as_nick(said) if missing == "nick" else said}
    return replace(login, token="", refused_tokens=(*login.refused_tokens, login.token), **answer)
