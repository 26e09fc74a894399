"""Entry point of the plain-text front end: the picker of games and sessions."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import GameInfo
from cardtable.games import ABOUT, GAMES, key_of, plugin_failure_of
from cardtable.plain import console, info_commands, players, replay, statistics
from cardtable.plain.archive.browse import PlainArchive
from cardtable.plain.console import QuitRequested, print_ascii_only, print_lines, read_line, require_privacy
from cardtable.plain.scores import table as scoring
from cardtable.plain.scores.table import NotBegun, create_table
from cardtable.plain.speech_text import by_seat, sentence, to_ascii
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
from cardtable.store.sessions import AbandonedStack, Session, Summary
from cardtable.store.summaries import session_id
from cardtable.wording.formatting import YOU, age
from cardtable.wording.players import level_strength_text, seat_names
from cardtable.wording.tables import AT_CLUB, OVER, given_up, recovered_text, result, round_of, title

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
    """Play ``session``, or run the picker if it is ``None``; return when the user leaves.

    ``score_table`` is opened first: the path of a score table, or the key of a game for a new one. Raises
    ``UnsavedDataError`` if lines could not be saved in their place.
    """
    if sys.stdin and hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    chosen, complaints = settings.load()
    if flags.ascii or chosen.ascii:
        print_ascii_only()
    print_lines(*complaints, *filter(None, [profiles.load()[1]]))
    temp_cleanup.remove_stale()
    not_kept: list[str] = []
    wrong: Exception | None = None
    try:
        with console.exit_on_signals(), suppress(QuitRequested):
            _play(session, chosen, not_kept, opens)
    except Exception as error:
        wrong = error
        raise
    finally:
        if not_kept:
            raise UnsavedDataError(not_kept) from wrong


def _play(session: Session | None, chosen: settings.Settings, not_kept: list[str], opens: str | Path | None) -> None:
    if session is not None:
        print_lines(
            *recovered_sessions.set_aside_diverged(),
            *[f"{recovered_text(stray)} The picker offers it." for stray in recovered_sessions.list_recoverable()],
        )
        play(session, chosen, not_kept)
        return
    room = _Picker(chosen, not_kept)
    if opens is None:
        room.offer_strays()
    else:
        room.keep_score(opens)
    while True:
        room.choose()


class _Picker:
    """Dialog that lists sessions and games, and executes commands."""

    def __init__(self, chosen: settings.Settings, not_kept: list[str]) -> None:
        self._settings, self._not_kept = chosen, not_kept
        self._items: list[Summary | GameInfo] = []
        self._given_up_stack = AbandonedStack()

    def offer_strays(self) -> None:
        """Offer to continue each session that was saved in an emergency folder."""
        print_lines(*recovered_sessions.set_aside_diverged())
        for stray in recovered_sessions.list_recoverable():
            print_lines(recovered_text(stray), "Type yes to go on with it.")
            if read_line().lower() not in ("yes", "y"):
                continue
            try:
                path = recovered_sessions.restore(stray)
                if stray.session.state == "over":
                    print_lines(OVER)
                elif stray.session.real_cards:
                    print_lines("The score table is in its place again.")
                else:
                    play(sessions.resume(path), self._settings, self._not_kept)
            except CardtableError as error:
                print_lines(sentence(str(error)))

    def keep_score(self, opens: str | Path) -> None:
        """Open the score table at the path ``target``, or create one for the game with this key; errors are printed.

        An empty key asks for the game.
        """
        try:
            opened = score_tables.resume(opens) if isinstance(opens, Path) else create_table(opens)
        except NotBegun:
            print_lines("No score table is begun.")
        except CardtableError as error:
            print_lines(sentence(str(error)))
        else:
            scoring.keep(opened, self._not_kept)

    def choose(self) -> None:
        """Print the list, and execute commands until the list must be printed again."""
        self._list()
        while typed := read_line():
            try:
                if self._execute(typed):
                    return
            except DamagedJournal as error:
                copy = f"; cardtable resume {error.path.stem} --copy goes on from what is before" if error.good else ""
                print_lines(f"{error}{copy}")
            except (CardtableError, ValueError) as error:
                print_lines(sentence(str(error)))
            except Exception as error:
                if (failed := plugin_failure_of(error)) is None:
                    raise
                print_lines(sentence(str(failed)))

    def _list(self) -> None:
        """Print the list: the session to continue, the games, the other sessions, and the deal of the day.

        Settings are read first, since another program may have changed them.
        """
        with suppress(CardtableError):  # an unreadable file leaves the settings unchanged
            self._settings, _ = settings.read()
        listed, day = sessions.listing(), _now().date()
        first = next((each for each in listed if not each.is_club_only), None)
        others = [each for each in listed if each is not first]
        self._items = [*([first] if first else []), *ABOUT.values(), *others]
        print_lines("The Table. Choose a number, or type help.")
        book, me = profiles.load()[0], profiles.current_nick()
        deal = session_setup.find_daily_session(day, me)
        waits = deal.path if deal and deal.state == "open" else None
        print_lines(
            *[f"{number}: {_describe_item(item, book, me, waits)}" for number, item in enumerate(self._items, 1)]
        )
        if waits is None:
            print_lines(
                f"day: the deal of the day, {ABOUT[session_setup.game_of(day)].title}, {to_ascii(result(deal))}."
            )
        if last := self._given_up_stack.last:
            print_lines(f"undo: takes back what was given up last, {session_id(last)}, until you quit.")

    def _execute(self, typed: str) -> bool:
        """Execute a command; return True if the list must be printed again."""
        word, *more = typed.split()
        word = word.lower()
        if [word, *more] == ["quit"]:
            raise QuitRequested
        if self._open(word, more):
            return True
        if session := self._choose_session(word, more):
            play(session, self._settings, self._not_kept)
            return True
        if (about_players := players.execute_command(word, more)) is not None:
            return about_players
        if word == "undo" and not more and self._given_up_stack.last:
            self._given_up_stack.take_back()
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
            print_lines(level_strength_text(about.key) or f"How far they are apart in {about.title} was not measured.")
        elif word in ("help", "?"):
            print_lines(*HELP)
        elif not statistics.does(word, more):
            print_lines(f"There is no {typed[:40]} here. Type a number from the list, or help.")
        return False

    def _open(self, word: str, more: list[str]) -> bool:
        """Execute a command that opens the archive, a score table or a session by its number.

        Return False if the input is no such command.
        """
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
        """Resume a session, or open a score table."""
        if item.real_cards:
            self.keep_score(item.path)
        else:
            play(sessions.resume(item.path), self._settings, self._not_kept)

    def _choose_session(self, word: str, more: list[str]) -> Session | None:
        """Begin or resume the session that the input names; return ``None`` if it names none."""
        item = self._item(word)
        if isinstance(item, GameInfo):
            return _begin(session_setup.parse_setup(GAMES[item.key], more, profiles.current_nick()))
        if word == "day" and not more:
            return _open_deal_of_day()
        if word == "watch" and len(more) == 1:
            robots = self._item(more[0].lower())
            if isinstance(robots, GameInfo):
                return session_setup.robots(GAMES[robots.key]).begin()
            if robots and robots.header and not robots.header.people:
                return sessions.resume(robots.path)
        return None

    def _give_up(self, table: Summary) -> bool:
        """Abandon a session; return False if the user does not confirm it.

        Confirmation is asked for if the settings require it, and the password of a player if one has a password.
        """
        if self._settings.confirm:
            print_lines(
                f"Give up {title(table)}? {given_up(table)} undo takes it back until you quit. Type yes to do it."
            )
            if read_line().lower() not in ("yes", "y"):
                print_lines(players.LEFT)
                return False
        nicks = sessions.nicks_requiring_password(table)
        if nicks and not players.ask_password(*nicks):
            print_lines(players.LEFT)
            return False
        self._given_up_stack.give_up(table.path)
        return True

    def _table(self, words: list[str]) -> Summary | None:
        """Return the session with the number that is the only word; ``None`` if there is none."""
        item = self._item(words[0]) if len(words) == 1 else None
        return item if isinstance(item, Summary) else None

    def _item(self, word: str) -> Summary | GameInfo | None:
        if word.isdecimal() and len(word) < 6:
            return self._items[int(word) - 1] if 1 <= int(word) <= len(self._items) else None
        return _game(word)


def _describe_item(item: Summary | GameInfo, book: profiles.ProfileStore, me: str, deal_of_day: Path | None) -> str:
    if isinstance(item, GameInfo):
        return f"{item.title}, {item.summary}. {item.seats_in_words()} seats, {item.length}."
    if item.header is None:
        return f"A session that cannot be opened: {item.trouble}"
    when = age(datetime.fromtimestamp(item.played, UTC), _now())
    names = seat_names(item.header, YOU, mine=bool(seats_of(book, me, item.header)))
    known_as = f"{title(item)}{', the deal of the day' if item.path == deal_of_day else ''}"
    standing = f"{known_as}, round {round_of(item)}, {when}. {by_seat(names, item.totals)}."
    if item.real_cards:
        return f"Score table for real cards: {standing}"
    if item.is_club_only:
        return sentence(f"{standing[:-1]}, {AT_CLUB}")
    return f"{'Go on with' if item.header.people else 'Go on watching'} {standing}"


def _dealt_here(item: Summary) -> Path:
    """Return the path of a session's journal.

    Raises ``CardtableError`` if the item is a score table, whose cards were not dealt here.
    """
    if item.real_cards:
        raise CardtableError("this is a score table for real cards; type its number to open it")
    return item.path


def _open_deal_of_day() -> Session:
    """Resume the deal of the day, or begin it if it has not been begun or is over."""
    day, me = _now().date(), profiles.current_nick()
    known = session_setup.find_daily_session(day, me)
    return (
        sessions.resume(known.path) if known and known.state == "open" else _begin(session_setup.daily_setup(day, me))
    )


def _begin(table: session_setup.SessionSetup) -> Session:
    """Begin a session.

    Raises ``CardtableError`` if a hand or a password could not be hidden, since there is no terminal.
    """
    people = [who.name for who in table.seats if not who.robot]
    require_privacy(len(people))
    players.need_terminal(people)
    return players.begin_session(table)


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


def _game(word: str) -> GameInfo | None:
    """Return the game with the name ``word``; ``None`` if there is none."""
    key = key_of(word)
    return ABOUT[key] if key else None
