"""Players in lines: who plays here, registering, signing in and out, and the ledger."""

from typing import Final

from cardtable.plain import passwords
from cardtable.plain.console import ask, say
from cardtable.plain.speech import sentence
from cardtable.store import profiles
from cardtable.store.profiles import Refused
from cardtable.store.seating import GUEST
from cardtable.telling.players import MOVED, TRUTH

HELP: Final = (
    "players: who plays here, and with how many credits. ledger NICK: where they came from and went.",
    "register NICK: a new player, who plays then. sign in NICK: play as a player who has registered; sign out: as a "
    "guest.",
)
_ASKED: Final = {"name": "Real name, or an empty line:", "email": "E-mail address, or an empty line:"}


def does(word: str, more: list[str]) -> bool | None:
    """Do what is typed, if it is about players: whether the list is wanted again; ``None`` if it is not about them.

    Raises ``CardtableError``, and ``Left``.
    """
    if word == "players" and not more:
        return _list()
    if word == "ledger" and len(more) == 1:
        return _ledger(more[0])
    if word == "register" and len(more) == 1:
        return _register(more[0])
    if word == "sign" and more[:1] in (["in"], ["out"]):
        return _sign(more)
    return None


def _list() -> bool:
    book, trouble = profiles.load()
    say(*[trouble] * bool(trouble))
    for player in sorted(book.players, key=lambda player: player.nick.casefold()):
        say(f"{player.nick}: {player.credits} credits{', plays now' * (player.nick == book.signed_in)}.")
    if book.signed_in is None:
        say(f"{GUEST} plays now, who has no credits. register NICK makes a player.")
    return False


def _ledger(nick: str) -> bool:
    player = profiles.find(nick)
    if player is None:
        say(f"There is no player {nick}. players tells who there is.")
        return False
    say(f"{player.nick} began with {profiles.FIRST_CREDITS} credits.")
    for move in player.ledger:
        say(f"{move.at[:10]}: {move.change:+d}, {MOVED[move.why]}, {move.session}.")
    say(f"Now: {player.credits}.")
    return False


def _register(nick: str) -> bool:
    """Ask for what else there is of a player; what cannot be taken is asked for again."""
    profiles.refuse_nick(nick)
    given, wrong = dict.fromkeys((*_ASKED, "password", "again"), ""), {*_ASKED, "password"}
    while wrong:
        for field in _ASKED:
            if field in wrong:
                say(_ASKED[field])
                given[field] = ask()
        if wrong & {"password", "again"}:
            given["password"], given["again"] = passwords.new()
        wrong = _refused(nick, given)
    say(f"{profiles.me()} plays now.", TRUTH)
    return True


def _refused(nick: str, given: dict[str, str]) -> set[str]:
    """Register a player: what has to be told again, if anything."""
    try:
        profiles.register(nick, **given)
    except Refused as error:
        if error.field == "nick":
            raise
        say(sentence(str(error)))
        return {error.field}
    return set()


def _sign(words: list[str]) -> bool:
    nick = words[1] if words[0] == "in" and len(words) == 2 else None
    if (words[0] == "in") != (nick is not None) or (nick is not None and profiles.find(nick) is None):
        say("sign in NICK, with the nick of a player who has registered, or sign out.")
        return False
    if nick is not None:
        passwords.prove(nick)
    profiles.sign_in(nick)
    say(f"{profiles.me()} plays now.")
    return True
