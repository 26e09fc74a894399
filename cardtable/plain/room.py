"""Where plain lines begin and end: at a session, or at the picker with numbers."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from cardtable.engine.contract import About
from cardtable.games import ABOUT, GAMES
from cardtable.plain import reading
from cardtable.plain.console import Left, ask, need_privacy, say
from cardtable.plain.facts import by_seat
from cardtable.plain.speech import sentence
from cardtable.plain.table import play
from cardtable.store import daily, sessions, settings, setup
from cardtable.store.errors import CardtableError, DamagedJournal
from cardtable.store.sessions import Session, Summary
from cardtable.telling.names import called
from cardtable.telling.words import YOU, age

HELP: Final = (
    "Type a number from the list, or the name of a game, to begin or to go on.",
    "Behind a game you may choose who sits where, the deal, and house rules as its rules name them, such as: rikiki "
    "seats=me,novice,steady,novice seed=7 length=short. A seat is me, a robot's level, or person:NICK.",
    "day: the deal of the day. rules GAME: the rules of a game. An empty line: the list again. quit: leave.",
)


def run(session: Session | None) -> None:
    """Play a session, or let the person choose one; returns when the person has left."""
    if sys.stdin and hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    chosen, complaints = settings.load()
    say(*complaints)
    with suppress(Left):
        if session is not None:
            play(session, chosen)
            return
        while True:
            _choose(chosen)


def _choose(chosen: settings.Settings) -> None:
    """List what there is until a table has been found and played at."""
    items = _items()
    say("The Table. Choose a number, or type help.")
    say(*[f"{number}: {_told(item)}" for number, item in enumerate(items, 1)])
    say(f"day: the deal of the day, {ABOUT[daily.game_of(_now().date())].title}.")
    while typed := ask():
        try:
            session = _found(typed, items)
            if session is not None:
                play(session, chosen)
                return
        except DamagedJournal as error:
            copy = f"; cardtable resume {error.path.stem} --copy goes on from what is before" * bool(error.good)
            say(f"{error}{copy}")
        except (CardtableError, ValueError) as error:
            say(sentence(str(error)))


def _items() -> list[Summary | About]:
    """The session to go on with, the games, the other sessions: as on the screen."""
    found = sessions.listing()
    return [*found[:1], *ABOUT.values(), *found[1:]]


def _told(item: Summary | About) -> str:
    if isinstance(item, About):
        return f"{item.title}, {item.line}. {item.seats_in_words()} seats, {item.length}."
    if item.header is None:
        return f"A session that cannot be opened: {item.trouble}"
    title, when = ABOUT[item.header.game].title, age(datetime.fromtimestamp(item.played, UTC), _now())
    standing = by_seat(called(item.header, YOU), item.totals)
    return f"Go on with {title}, round {item.round}, {when}. {standing}."


def _found(typed: str, items: Sequence[Summary | About]) -> Session | None:
    """The session that is chosen by what is typed, begun or gone on with; ``None`` if that was something else."""
    word, *more = typed.split()
    item = _item(word.lower(), items)
    if [word.lower(), *more] == ["quit"]:
        raise Left
    if isinstance(item, About):
        return _begun(setup.told(GAMES[item.key], more))
    if item and not more:
        return sessions.resume(item.path)
    if word.lower() == "day" and not more:
        return setup.of_the_day(_now().date()).begin()
    if word.lower() == "rules" and len(more) == 1 and (about := _game(more[0].lower())):
        reading.rules(about.key, GAMES[about.key].options())
    elif word.lower() in ("help", "?"):
        say(*HELP)
    else:
        say(f"There is no {typed[:40]} here. Type a number from the list, or help.")
    return None


def _begun(table: setup.Setup) -> Session:
    """A new session, unless its people could not play here."""
    need_privacy(len([who for who in table.seats if not who.robot]))
    return table.begin()


def _now() -> datetime:
    """The time as the clocks show it here."""
    return datetime.now(UTC).astimezone()


def _item(word: str, items: Sequence[Summary | About]) -> Summary | About | None:
    if word.isdecimal() and len(word) < 6:
        return items[int(word) - 1] if 1 <= int(word) <= len(items) else None
    return _game(word)


def _game(word: str) -> About | None:
    """The game of a name as it is typed: ``Ten Down`` is ``ten_down`` or ``tendown``."""
    return next((about for about in ABOUT.values() if about.key.replace("_", "") == word.replace("_", "")), None)
