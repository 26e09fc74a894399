"""Where plain lines begin and end: at a session, or at the picker with numbers."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import GameInfo
from cardtable.games import ABOUT, GAMES, blamed, key_of
from cardtable.plain import console, info_commands, players, replay, statistics
from cardtable.plain.archive.browse import PlainArchive
from cardtable.plain.console import QuitRequested, ask, need_privacy, print_ascii_only, say
from cardtable.plain.scores import table as scoring
from cardtable.plain.scores.table import NotBegun, begun
from cardtable.plain.speech_text import by_seat, letters, sentence
from cardtable.plain.table import play
from cardtable.store import (
    profiles,
    recovered_sessions,
    score_tables,
    session_setup,
    sessions,
    settings,
    table_names,
    temp_cleanup,
)
from cardtable.store.errors import DamagedJournal, UnsavedDataError
from cardtable.store.profiles import seats_of
from cardtable.store.sessions import GivenUpStack, Session, Summary
from cardtable.store.summaries import session_id
from cardtable.wording.formatting import YOU, age
from cardtable.wording.players import called, level_strength_text
from cardtable.wording.tables import AT_CLUB, OVER, elsewhere, given_up, result, round_of, title

HELP: Final = (
    "Type a number from the list, or the name of a game, to begin or to go on.",
    "Behind a game you may choose who sits where, the deal, and house rules as its rules name them, such as: rikiki "
    "seats=me,novice,steady,novice seed=7 length=short. A seat is me, a robot's level, or person:NICK.",
    "levels GAME: how far the levels of robots are apart in that game.",
    "day: the deal of the day, begun or gone on with. rules GAME: the rules of a game.",
    "watch GAME: robots play it, and you hear it. watch NUMBER: how a session stands, without playing.",
    "score GAME: keep the score of a game with real cards; a score table in the list is opened by its number.",
    "archive: every session, finished or not. archive WORDS: those with all of these words.",
    *statistics.HELP,
    "rename NUMBER NAME: the table's name; without NAME it has none again.",
    "give up NUMBER: put a session away before it is over. undo: take back what was given up, until you quit.",
    *players.HELP,
    "An empty line: the list again. quit: leave.",
)


def run(session: Session | None, flags: settings.TerminalFlags, opens: str | Path | None = None) -> None:
    """Play a session, or let the person choose one; returns when the person has left.  Raises ``UnsavedDataError``.

    ``opens``: the score table of a file, or a new one for a game, if its key is given, is kept first.
    """
    if sys.stdin and hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    chosen, complaints = settings.load()
    if flags.ascii or chosen.ascii:
        print_ascii_only()
    say(*complaints, *filter(None, [profiles.load()[1]]))
    temp_cleanup.remove_stale()
    not_kept: list[str] = []
    wrong: Exception | None = None
    try:
        with console.in_order(), suppress(QuitRequested):
            _play(session, chosen, not_kept, opens)
    except Exception as error:
        wrong = error
        raise
    finally:
        if not_kept:
            raise UnsavedDataError(not_kept) from wrong


def _play(session: Session | None, chosen: settings.Settings, not_kept: list[str], opens: str | Path | None) -> None:
    if session is not None:
        say(
            *recovered_sessions.put_aside(),
            *[f"{elsewhere(stray)} The picker offers it." for stray in recovered_sessions.offered()],
        )
        play(session, chosen, not_kept)
        return
    room = _Room(chosen, not_kept)
    if opens is None:
        room.offer_strays()
    else:
        room.keep_score(opens)
    while True:
        room.choose()


class _Room:
    """The picker: lists what there is, and does what is typed."""

    def __init__(self, chosen: settings.Settings, not_kept: list[str]) -> None:
        self._settings, self._not_kept = chosen, not_kept
        self._items: list[Summary | GameInfo] = []
        self._put_away = GivenUpStack()

    def offer_strays(self) -> None:
        """Ask of each session that goes on elsewhere whether it is to be gone on with."""
        say(*recovered_sessions.put_aside())
        for stray in recovered_sessions.offered():
            say(elsewhere(stray), "Type yes to go on with it.")
            if ask().lower() not in ("yes", "y"):
                continue
            try:
                path = recovered_sessions.bring_back(stray)
                if stray.session.state == "over":
                    say(OVER)
                elif stray.session.real_cards:
                    say("The score table is in its place again.")
                else:
                    play(sessions.resume(path), self._settings, self._not_kept)
            except CardtableError as error:
                say(sentence(str(error)))

    def keep_score(self, opens: str | Path) -> None:
        """Keep the score in a file, or in a new score table for the game that is called so."""
        try:
            opened = score_tables.resume(opens) if isinstance(opens, Path) else begun(opens)
        except NotBegun:
            say("No score table is begun.")
        except CardtableError as error:
            say(sentence(str(error)))
        else:
            scoring.keep(opened, self._not_kept)

    def choose(self) -> None:
        """List what there is until a table has been found and played at, or something has changed."""
        self._list()
        while typed := ask():
            try:
                if self._does(typed):
                    return
            except DamagedJournal as error:
                copy = f"; cardtable resume {error.path.stem} --copy goes on from what is before" * bool(error.good)
                say(f"{error}{copy}")
            except (CardtableError, ValueError) as error:
                say(sentence(str(error)))
            except Exception as error:
                if (failed := blamed(error)) is None:
                    raise
                say(sentence(str(failed)))

    def _list(self) -> None:
        """The session to go on with, the games, the other sessions, as on the screen; then the deal of the day.

        What another program has set meanwhile holds from here on.
        """
        with suppress(CardtableError):  # of a file that cannot be read nothing is taken
            self._settings, _ = settings.read()
        found, day = sessions.listing(), _now().date()
        first = next((each for each in found if not each.is_club_only), None)
        others = [each for each in found if each is not first]
        self._items = [*([first] if first else []), *ABOUT.values(), *others]
        say("The Table. Choose a number, or type help.")
        book, me = profiles.load()[0], profiles.me()
        deal = session_setup.session(day, me)
        waits = deal.path if deal and deal.state == "open" else None
        say(*[f"{number}: {_told(item, book, me, waits)}" for number, item in enumerate(self._items, 1)])
        if waits is None:
            say(f"day: the deal of the day, {ABOUT[session_setup.game_of(day)].title}, {letters(result(deal))}.")
        if last := self._put_away.last:
            say(f"undo: takes back what was given up last, {session_id(last)}, until you quit.")

    def _does(self, typed: str) -> bool:
        """Do what is typed; whether the list is wanted again then."""
        word, *more = typed.split()
        word = word.lower()
        if [word, *more] == ["quit"]:
            raise QuitRequested
        if self._opens(word, more):
            return True
        if session := self._found(word, more):
            play(session, self._settings, self._not_kept)
            return True
        if (about_players := players.does(word, more)) is not None:
            return about_players
        if word == "undo" and not more and self._put_away.last:
            self._put_away.take_back()
            return True
        if word == "rename" and (table := self._table(more[:1])):
            table_names.rename(table, " ".join(more[1:]))
            return True
        if [word, *more[:1]] == ["give", "up"] and (table := self._table(more[1:])):
            return self._give_up(table)
        if word == "watch" and len(more) == 1 and (table := self._table(more)):
            replay.look(_dealt_here(table))
        elif word == "rules" and len(more) == 1 and (about := _game(more[0].lower())):
            info_commands.rules(about.key, GAMES[about.key].options())
        elif word == "levels" and len(more) == 1 and (about := _game(more[0].lower())):
            say(level_strength_text(about.key) or f"How far they are apart in {about.title} was not measured.")
        elif word in ("help", "?"):
            say(*HELP)
        elif not statistics.does(word, more):
            say(f"There is no {typed[:40]} here. Type a number from the list, or help.")
        return False

    def _opens(self, word: str, more: list[str]) -> bool:
        """Open a session, a score table or the archive, if that is typed; whether it is."""
        if word == "archive":
            PlainArchive(self._go_on).stay(" ".join(more))
        elif word == "score" and len(more) < 2:
            self.keep_score(more[0] if more else "")
        elif table := self._table([word, *more]):
            self._go_on(table)
        else:
            return False
        return True

    def _go_on(self, item: Summary) -> None:
        """Go on with a session or a score table."""
        if item.real_cards:
            self.keep_score(item.path)
        else:
            play(sessions.resume(item.path), self._settings, self._not_kept)

    def _found(self, word: str, more: list[str]) -> Session | None:
        """The session that is begun or gone on with; ``None`` if something else is wanted."""
        item = self._item(word)
        if isinstance(item, GameInfo):
            return _begun(session_setup.parse_setup(GAMES[item.key], more, profiles.me()))
        if word == "day" and not more:
            return _deal()
        if word == "watch" and len(more) == 1:
            robots = self._item(more[0].lower())
            if isinstance(robots, GameInfo):
                return session_setup.robots(GAMES[robots.key]).begin()
            if robots and robots.header and not robots.header.people:
                return sessions.resume(robots.path)
        return None

    def _give_up(self, table: Summary) -> bool:
        """Give a session up, after a question if the settings want one; whether it was."""
        if self._settings.confirm:
            say(f"Give up {title(table)}? {given_up(table)} undo takes it back until you quit. Type yes to do it.")
            if ask().lower() not in ("yes", "y"):
                say(players.LEFT)
                return False
        nicks = sessions.nicks_requiring_password(table)
        if nicks and not players.given(*nicks):
            say(players.LEFT)
            return False
        self._put_away.give_up(table.path)
        return True

    def _table(self, words: list[str]) -> Summary | None:
        """The session whose number is the only word."""
        item = self._item(words[0]) if len(words) == 1 else None
        return item if isinstance(item, Summary) else None

    def _item(self, word: str) -> Summary | GameInfo | None:
        if word.isdecimal() and len(word) < 6:
            return self._items[int(word) - 1] if 1 <= int(word) <= len(self._items) else None
        return _game(word)


def _told(item: Summary | GameInfo, book: profiles.ProfileStore, me: str, deal_of_day: Path | None) -> str:
    if isinstance(item, GameInfo):
        return f"{item.title}, {item.line}. {item.seats_in_words()} seats, {item.length}."
    if item.header is None:
        return f"A session that cannot be opened: {item.trouble}"
    when = age(datetime.fromtimestamp(item.played, UTC), _now())
    names = called(item.header, YOU, mine=bool(seats_of(book, me, item.header)))
    known_as = f"{title(item)}{', the deal of the day' * (item.path == deal_of_day)}"
    standing = f"{known_as}, round {round_of(item)}, {when}. {by_seat(names, item.totals)}."
    if item.real_cards:
        return f"Score table for real cards: {standing}"
    if item.is_club_only:
        return sentence(f"{standing[:-1]}, {AT_CLUB}")
    return f"{'Go on with' if item.header.people else 'Go on watching'} {standing}"


def _dealt_here(item: Summary) -> Path:
    """The journal of a session whose cards are dealt here.  Raises ``CardtableError`` for a score table."""
    if item.real_cards:
        raise CardtableError("this is a score table for real cards; type its number to open it")
    return item.path


def _deal() -> Session:
    """The deal of the day: gone on with, or begun."""
    day, me = _now().date(), profiles.me()
    found = session_setup.session(day, me)
    return sessions.resume(found.path) if found and found.state == "open" else _begun(session_setup.table_of(day, me))


def _begun(table: session_setup.SessionSetup) -> Session:
    """A new session, unless its people could not play here."""
    people = [who.name for who in table.seats if not who.robot]
    need_privacy(len(people))
    players.need_terminal(people)
    return players.begun(table)


def _now() -> datetime:
    """The time as the clocks show it here."""
    return datetime.now(UTC).astimezone()


def _game(word: str) -> GameInfo | None:
    """The game of a name as it is typed."""
    key = key_of(word)
    return ABOUT[key] if key else None
