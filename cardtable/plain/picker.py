"""Entry point of the plain-text front end: the picker of games and sessions."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from cardtable.engine.errors import CardtableError, EndedBySignal
from cardtable.engine.game import GameInfo
from cardtable.games import ABOUT, GAMES, find_key, find_plugin_failure
from cardtable.plain import console, players, position_text, replay
from cardtable.plain.archive import PlainArchive
from cardtable.plain.console import (
    Commands,
    QuitRequested,
    UnknownCommand,
    alone,
    confirm,
    format_unknown,
    one_word,
    prepare_output,
    print_lines,
    read_line,
    request_quit,
    require_privacy,
)
from cardtable.plain.lessons import PlainLessons, PlainPuzzles
from cardtable.plain.score_table import NotBegun, create_table, run_score_table
from cardtable.plain.speech_text import format_by_seat, to_ascii, to_sentence
from cardtable.plain.table import play_session
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import (
    home_folder,
    profiles,
    score_tables,
    session_setup,
    sessions,
    settings,
    summaries,
    unfinished_tables,
)
from cardtable.store.errors import DamagedJournal, UnsavedDataError
from cardtable.store.profiles import find_seats
from cardtable.store.sessions import Session
from cardtable.store.summaries import Summary, read_session_id
from cardtable.store.unfinished_tables import AbandonedStack
from cardtable.wording.formatting import format_elapsed, get_local_time
from cardtable.wording.players import describe_level, list_seat_names
from cardtable.wording.tables import (
    AT_CLUB,
    OVER,
    describe_recovered,
    explain_abandonment,
    format_current_round,
    format_daily_result,
    format_table_title,
)


def run(
    session: Session | None, flags: settings.TerminalFlags, page: tuple[str, *tuple[object, ...]] | None = None
) -> None:
    """Play ``session``, or run the picker if it is ``None``; return when the user leaves.

    ``page`` is opened first: ``puzzles``, ``learn``, ``game_lessons`` with the key of the game, or ``score_table`` with
    the path of a score table, the key of a game for a new one, or ``None``, which lets the user choose the game. Raises
    ``UnsavedDataError`` if lines could not be saved in their place.
    """
    app_settings, complaints = settings.load()
    prepare_output(ascii_only="ascii" in flags or app_settings.ascii)
    copies = home_folder.merge_copies()
    print_lines(*complaints, *copies.added, *copies.ignored, *filter(None, [profiles.load()[1]]))
    if session is None and (save_error := home_folder.find_save_error()):  # a table says it by itself
        print_lines(save_error)
    home_folder.remove_stale_files()
    loss_messages: list[str] = []
    error_raised: Exception | None = None
    try:
        with console.exit_on_signals(), suppress(QuitRequested):
            if session is not None:
                _play_at_once(session, app_settings, loss_messages)
            else:
                _Picker(app_settings, loss_messages).run(page)
    except Exception as error:
        error_raised = error
        raise
    finally:
        if loss_messages:
            raise UnsavedDataError(loss_messages) from error_raised


def _play_at_once(session: Session, app_settings: settings.Settings, loss_messages: list[str]) -> None:
    print_lines(
        *unfinished_tables.set_aside_diverged(),
        *[f"{describe_recovered(stray)} The picker offers it." for stray in unfinished_tables.list_recoverable()],
    )
    play_session(session, app_settings, loss_messages)


class _Picker:
    """Dialog that lists sessions and games, and executes commands; these return True to have the list printed again."""

    def __init__(self, app_settings: settings.Settings, loss_messages: list[str]) -> None:
        self._settings, self._loss_messages = app_settings, loss_messages
        self._items: list[Summary | GameInfo] = []
        self._abandoned = AbandonedStack()
        self.commands = Commands(
            {
                "Type a number from the list, or the name of a game, to start or to continue.\n"
                "After a game you can choose the seats, the deal, and house rules as its rules page names them, "
                "for example: rikiki seats=me,novice,steady,novice seed=7 length=short. A seat is me, a robot's "
                "level, or "
                "person:NICK.": {},
                "levels GAME: how the robot levels play that game, and how well.": {"levels": one_word(_print_levels)},
                "day: start or continue the deal of the day. rules GAME: the rules of a game. "
                "words: the words of card games.": {
                    "day": alone(lambda: self._play(_open_daily_deal())),
                    "rules": one_word(lambda game: position_text.print_rules(_find_game(game).key)),
                    "words": alone(position_text.print_glossary),
                },
                "learn: short lessons. learn GAME: those of a game.": {"learn": self._open_lessons},
                "puzzles: endings of rounds, and the big mistakes in your last sessions, to solve.": {
                    "puzzles": alone(self._open_puzzles)
                },
                "watch GAME: robots play it for you. watch NUMBER: the position of a session, without playing.": {
                    "watch": one_word(self._watch)
                },
                "score GAME: keep the score of a game with real cards; a number opens a score table in the list.": {
                    "score": self._open_score_table
                },
                "archive: every session, finished or not. archive WORDS: those with all of these words.": {
                    "archive": self._open_archive
                },
                **players.STATISTICS_COMMANDS,
                "rename NUMBER NAME: name a table, or remove its name without NAME.": {"rename": self._rename},
                "give up NUMBER: abandon a session. undo: restore what you abandoned last, until you quit.": {
                    "give up": one_word(self._abandon),
                    "undo": alone(self._restore_last),
                },
                **players.COMMANDS,
                "join: how to join a club on another machine.": {"join": _explain_joining},
                "An empty line: the list again. quit: leave.": {"": lambda _: True, "quit": alone(request_quit)},
            }
        )

    def run(self, page: tuple[str, *tuple[object, ...]] | None) -> None:
        """Open a page, as ``run`` of this module; then execute commands until the user quits."""
        match page:
            case ("score_table", Path() | str() | None as target):
                self._open_table(target or "")
            case ("learn",):
                self._open_lessons("")
            case ("game_lessons", str(game)):
                self._open_lessons(game)
            case _:
                if page == ("puzzles",):
                    self._open_puzzles()
                self._offer_recovered_sessions()
        while True:
            self._run_commands()

    def _offer_recovered_sessions(self) -> None:
        """Offer to continue each session that was saved in an emergency folder."""
        print_lines(*unfinished_tables.set_aside_diverged())
        for stray in unfinished_tables.list_recoverable():
            if not confirm(describe_recovered(stray), "Type yes to continue it."):
                continue
            try:
                path = unfinished_tables.restore_recovered(stray)
                if stray.session.state == "over":
                    print_lines(OVER)
                elif stray.session.real_cards:
                    print_lines("The score table is restored.")
                else:
                    play_session(sessions.resume(path), self._settings, self._loss_messages)
            except CardtableError as error:
                print_lines(to_sentence(str(error)))

    def _open_table(self, target: str | Path) -> None:
        """Open the score table at the path ``target``, or create one for the game with this key; errors are printed.

        An empty key asks for the game.
        """
        try:
            opened = score_tables.resume(target) if isinstance(target, Path) else create_table(target)
        except NotBegun:
            print_lines("No score table was started.")
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
        else:
            run_score_table(opened, self._loss_messages)

    def _open_lessons(self, game: str) -> bool:
        """Open the lessons of a game; an empty name lists the games."""
        PlainLessons(self._settings).run(_find_game(game).key if game else "")
        return True

    def _open_puzzles(self) -> bool:
        PlainPuzzles(self._settings).run()
        return True

    def _run_commands(self) -> None:
        """Print the list, and execute commands until the list must be printed again."""
        self._print_list()
        while True:
            try:
                if self._execute(read_line()):
                    return
            except DamagedJournal as error:
                copy = (
                    f"; cardtable resume {error.path.stem} --copy continues from what comes before it"
                    if error.good
                    else ""
                )
                print_lines(f"{error}{copy}")
            except (CardtableError, ValueError) as error:
                print_lines(to_sentence(str(error)))
            except EndedBySignal:
                raise
            except (Exception, SystemExit) as error:
                if (failed := find_plugin_failure(error)) is None:
                    raise
                print_lines(to_sentence(str(failed)))

    def _print_list(self) -> None:
        """Print the list: the session to continue, the games, the other sessions, and the deal of the day.

        Settings are read first, since another program may have changed them.
        """
        with suppress(CardtableError):  # an unreadable file leaves the settings unchanged
            self._settings, _ = settings.read()
        listed, day = summaries.list_unfinished(), get_local_time().date()
        first = next((summary for summary in listed if not summary.is_club_only), None)
        others = [summary for summary in listed if summary is not first]
        self._items = [*([first] if first else []), *ABOUT.values(), *others]
        print_lines("cardtable: choose a number, or type help.")
        profile_store, me = profiles.load()[0], profiles.get_current_nick()
        deal = session_setup.find_daily_session(day, me)
        waits = deal.path if deal and deal.state == "open" else None
        texts = [_describe_item(item, profile_store, me, waits) for item in self._items]
        print_lines(*[f"{number}: {text}" for number, text in enumerate(texts, 1)])
        if waits is None:
            print_lines(
                f"day: the deal of the day, {ABOUT[session_setup.get_daily_game(day)].title}, "
                f"{to_ascii(format_daily_result(deal))}."
            )
        if last := self._abandoned.last:
            print_lines(f"undo: restores what you abandoned last, {read_session_id(last)}, until you quit.")

    def _execute(self, typed: str) -> bool:
        """Execute a command, or open the item of the list that the input names.

        Returns True if the list must be printed again.
        """
        try:
            return self.commands.execute(typed)
        except UnknownCommand:
            pass
        word, *more = typed.split()
        item = self._find_item(word.lower())
        if isinstance(item, GameInfo):
            return self._play(
                _begin_session(session_setup.parse_setup(GAMES[item.key], more, profiles.get_current_nick()))
            )
        if item and not more:
            return self._resume(item)
        print_lines(format_unknown(typed, "Type a number from the list, or help."))
        return False

    def _play(self, session: Session) -> bool:
        play_session(session, self._settings, self._loss_messages)
        return True

    def _resume(self, item: Summary) -> bool:
        """Resume a session, or open a score table."""
        if not item.real_cards:
            return self._play(sessions.resume(item.path))
        self._open_table(item.path)
        return True

    def _watch(self, word: str) -> bool:
        item = self._find_item(word.lower())
        if isinstance(item, GameInfo):
            return self._play(session_setup.create_robot_setup(GAMES[item.key]).begin())
        if item is None:
            raise UnknownCommand
        if item.header and not item.header.people:
            return self._play(sessions.resume(item.path))
        if item.real_cards:
            raise CardtableError("this is a score table for real cards; type its number to open it")
        replay.print_position(item.path)
        return False

    def _open_score_table(self, game: str) -> bool:
        if " " in game:
            raise UnknownCommand
        self._open_table(game)
        return True

    def _open_archive(self, words: str) -> bool:
        PlainArchive(self._resume).run(words)
        return True

    def _rename(self, rest: str) -> bool:
        number, *words = rest.split() or [""]
        unfinished_tables.rename(self._find_session(number), " ".join(words))
        return True

    def _restore_last(self) -> bool:
        if not self._abandoned.last:
            raise UnknownCommand
        self._abandoned.restore_last()
        return True

    def _abandon(self, number: str) -> bool:
        """Abandon a session.

        Confirmation is asked for if the settings require it, and the password of a player if one has a password. Raises
        ``CardtableError`` if the user does not confirm it.
        """
        table = self._find_session(number)
        if self._settings.confirm and not confirm(
            f"Abandon {format_table_title(table)}? {explain_abandonment(table)} undo restores it until you quit. "
            "Type yes to do it."
        ):
            raise CardtableError(players.UNCHANGED)
        nicks = unfinished_tables.list_nicks_allowed_to_abandon(table)
        if nicks and not players.ask_password(*nicks):
            raise CardtableError(players.UNCHANGED)
        self._abandoned.abandon(table.path)
        return True

    def _find_session(self, number: str) -> Summary:
        """Return the session with a number of the list. Raises ``UnknownCommand`` if there is none."""
        item = self._find_item(number)
        if not isinstance(item, Summary):
            raise UnknownCommand
        return item

    def _find_item(self, word: str) -> Summary | GameInfo | None:
        if word.isdecimal() and len(word) < 6:
            return self._items[int(word) - 1] if 1 <= int(word) <= len(self._items) else None
        key = find_key(word)
        return ABOUT[key] if key else None


def _describe_item(
    item: Summary | GameInfo, profile_store: profiles.ProfileStore, me: str, deal_of_day: Path | None
) -> str:
    if isinstance(item, GameInfo):
        return f"{item.title}, {item.summary}. {item.seats_in_words()} seats, {item.length}."
    if item.header is None:
        return f"A session that cannot be opened: {item.error}"
    when = format_elapsed(datetime.fromtimestamp(item.played, UTC), get_local_time())
    names = list_seat_names(item.header, replace_own=bool(find_seats(profile_store, me, item.header)))
    known_as = f"{format_table_title(item)}{', the deal of the day' if item.path == deal_of_day else ''}"
    standing = f"{known_as}, round {format_current_round(item)}, {when}. {format_by_seat(names, item.totals)}."
    if item.real_cards:
        return f"Score table for real cards: {standing}"
    if item.is_club_only:
        return to_sentence(f"{standing[:-1]}, {AT_CLUB}")
    return f"{'Continue' if item.header.people else 'Continue watching'} {standing}"


def _print_levels(game: str) -> None:
    about = _find_game(game)
    described = filter(None, [describe_level(about.key, level) for level in LEVELS[1:]])
    print_lines(*(list(described) or [f"The robot levels of {about.title} have not been measured."]))


def _open_daily_deal() -> Session:
    """Resume the deal of the day, or begin it if it has not been begun or is over."""
    day, me = get_local_time().date(), profiles.get_current_nick()
    known = session_setup.find_daily_session(day, me)
    return (
        sessions.resume(known.path)
        if known and known.state == "open"
        else _begin_session(session_setup.create_daily_setup(day, me))
    )


def _begin_session(setup: session_setup.SessionSetup) -> Session:
    """Begin a session.

    Raises ``CardtableError`` if a hand or a password could not be hidden, since there is no terminal.
    """
    people = [occupant.name for occupant in setup.seats if not occupant.robot]
    require_privacy(len(people))
    players.require_terminal(people)
    return players.begin_session(setup)


def _explain_joining(address: str) -> None:
    """Print how to join the club at ``address``: the lobby is a program of its own, which reads the input alone."""
    print_lines(f"To join a club, quit, and type: cardtable --plain join {address or 'ADDRESS'}")


def _find_game(word: str) -> GameInfo:
    """Return the game with the name ``word``. Raises ``UnknownCommand`` if there is none."""
    key = find_key(word)
    if key is None:
        raise UnknownCommand
    return ABOUT[key]
