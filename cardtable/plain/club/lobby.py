"""The lobby of a club in lines: who is here, the tables, talk; sitting down, opening and beginning a table."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Final

from cardtable.club.guest_run import PATIENCE
from cardtable.club.link import Login
from cardtable.club.shown import TableRow
from cardtable.club.table_words import game_title, offered
from cardtable.club.wire import (
    FromGuest,
    Leave,
    LookOn,
    Register,
    Say,
    SignIn,
    SitDown,
    Start,
    TakeUp,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.options import read
from cardtable.games import ABOUT, GAMES, key_of
from cardtable.plain import passwords, reading
from cardtable.plain.club.lobby_words import here, people_changed, session_told, table_told, tables_changed
from cardtable.plain.club.opening import EXAMPLE, wished
from cardtable.plain.club.presence import ClubOver, Presence
from cardtable.plain.club.table import PlainClubTable
from cardtable.plain.commands import too_long, words_of
from cardtable.plain.console import Left, say
from cardtable.plain.speech import sentence
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import seating
from cardtable.store.passwords import why_not
from cardtable.store.seating import USUAL_LEVEL
from cardtable.store.settings import Settings
from cardtable.wording.words import either

HELP: Final = (
    "sit NUMBER: sit down at the table of that number, or go on at it; its number alone does the same.",
    "sit NUMBER SEAT: sit down in that seat.",
    "watch NUMBER: watch a table.",
    f"open GAME: open a table; you are its game master. House rules may follow, such as {EXAMPLE}, and name=NAME, "
    "grace=SECONDS for how long the table waits for somebody who is away, and lot=off to sit as you sit down.",
    f"begin: begin; steady robots take free seats. begin LEVEL: robots of that level do: {either(LEVELS[1:])}.",
    "stand up: leave your seat at a table that has not begun.",
    "go on NUMBER: call the others back to your unfinished session of that number.",
    "talk TEXT: say something to all. rules NUMBER, or rules GAME: the rules, as they hold at a table.",
    "wait, for scripts: wait until a seat is free somewhere; once you sit, until your table begins, or you can begin "
    "it with all seats taken.",
    "register: become a player of this club, with a password. sign in NICK: come in as the player you are.",
    "An empty line: who is here, and the tables.",
    "quit: leave the club; your seats stay yours, also at the end of input and after Ctrl+C.",
)
NO_TABLE: Final = f"No table is open yet. Open one, such as {EXAMPLE}, and others can sit down."
UNCLEAR: Final = "There is no {} here. Type help."


class PlainLobby:
    """One club, as long as she is there."""

    def __init__(self, presence: Presence, settings: Settings) -> None:
        self._presence, self._settings = presence, settings
        self._numbers: dict[str, int] = {}
        """By what number each table and unfinished session is known; it stays so."""
        self._next_number = count(1)
        self._people: tuple[str, ...] = ()
        self._tables: Mapping[str, TableRow] = {}
        self._unfinished: Sequence[TableRow] = ()
        """As they were told of last."""
        self._waits = False
        self._does: dict[str, Callable[[str], object]] = {
            "help": lambda _: say(*HELP),
            "?": lambda _: say(*HELP),
            "sit": self._sit,
            "watch": self._watch,
            "open": self._open,
            "begin": self._begin,
            "stand": self._stand_up,
            "go": self._take_up,
            "talk": self._talk,
            "rules": self._rules,
            "register": self._register,
            "sign": self._sign_in,
            "wait": self._wait,
        }

    def stay(self) -> None:
        """Be in the lobby, and at tables.  Raises ``Left`` and ``ClubOver``."""
        self._tell_all()
        say("Type help for what can be typed.")
        while True:
            self._tell_news()
            if self._presence.seated:
                self._at_table()
                continue
            typed = self._presence.next(asked=not self._waits or self._has_something_to_do())
            if typed is not None:
                self._waits = False
                self._do(typed)

    # What is to be heard

    def _tell_all(self) -> None:
        visiting = self._presence.visiting
        self._people, self._tables = visiting.people, visiting.tables
        say(f"{visiting.club}. You are {visiting.nick}{'' if visiting.member else ', a guest'}.", here(visiting))
        say(*[table_told(visiting, self._number(table), row) for table, row in self._tables.items()])
        say(*[NO_TABLE] * (not self._tables))
        self._unfinished = visiting.unfinished
        say(*[session_told(self._number(row.table), row) for row in self._unfinished])

    def _tell_news(self) -> None:
        """What has changed since it was told of last."""
        visiting = self._presence.visiting
        say(*self._presence.news())
        people, before = self._people, self._tables
        self._people, self._tables = visiting.people, visiting.tables
        say(*people_changed(people, visiting), *tables_changed(before, visiting, self._number))
        told, self._unfinished = {row.table for row in self._unfinished}, visiting.unfinished
        new = [row for row in self._unfinished if row.table not in told]
        say(*[session_told(self._number(row.table), row) for row in new])
        if self._presence.entry:
            self._come_anew(*self._presence.entry)

    def _number(self, table: str) -> int:
        if table not in self._numbers:
            self._numbers[table] = next(self._next_number)
        return self._numbers[table]

    def _has_something_to_do(self) -> bool:
        """Whether a seat is free, or where she sits all are taken and she can begin."""
        visiting = self._presence.visiting
        if mine := self._sat_at():
            return any(row.master == visiting.nick and _is_full(row) for row in mine)
        return any(not row.playing and not row.taken_up and not _is_full(row) for row in visiting.tables.values())

    def _at_table(self) -> None:
        """Be at a table until she leaves it; then hear how the lobby stands."""
        presence = self._presence
        run = presence.seated.popleft()
        if run.table not in presence.visiting.runs:  # another session has taken its place
            return
        PlainClubTable(run, presence, self._settings).stay()
        before = presence.visiting.tables
        run.close()
        presence.ears.until(lambda: presence.visiting.tables is not before or not presence.visiting.there, PATIENCE)
        if not presence.seated:
            self._tell_all()

    def _come_anew(self, nick: str, token: str) -> None:
        """She has become a player of the club."""
        self._presence.entry = None
        self._presence.come(Login(nick, token=token))
        if self._presence.visiting.over:
            raise ClubOver(self._presence.visiting.over)
        self._tell_all()

    # What she does

    def _do(self, typed: str) -> None:
        word, rest = words_of(typed)
        if word.isdecimal():
            word, rest = "sit", typed
        if typed.lower() in ("", "who"):
            self._tell_all()
        elif typed.lower() == "quit":
            raise Left
        elif word in self._does:
            try:
                self._does[word](rest)
            except (CardtableError, ValueError) as error:
                say(sentence(str(error)))
        else:
            say(UNCLEAR.format(typed[:40]))

    def _ask(self, message: FromGuest, done: Callable[[], bool]) -> None:
        """Ask the club for something; what comes of it, or why nothing does, is told as news."""
        presence = self._presence
        asked = presence.ask(message, lambda: done() or bool(presence.seated))
        if not asked and presence.visiting.there and not presence.visiting.refused:
            say("The club does not answer. Try again.")

    def _row(self, text: str) -> TableRow:
        """The table of a number.  Raises ``ValueError``."""
        for table, row in self._presence.visiting.tables.items():
            if str(self._number(table)) == text:
                return row
        raise ValueError(
            f"no table has the number {text[:10]}; an empty line lists them"
            if text
            else "say which table, by its number"
        )

    def _to_enter(self, text: str) -> TableRow:
        """The table of a number, which can be entered.  Raises ``ValueError``."""
        row = self._row(text)
        if lacks := self._presence.visiting.lacks(row.game):
            raise ValueError(f"{game_title(row.game)} cannot be played here: it {lacks}")
        return row

    def _sit(self, rest: str) -> None:
        visiting = self._presence.visiting
        number, _, seat = rest.removeprefix("down").strip().partition(" ")
        row = self._to_enter(number)
        if seat and not (seat.isdecimal() and 1 <= int(seat[:3]) <= len(row.places)):
            raise ValueError(f"table {number} has seats 1 to {len(row.places)}")
        wanted = int(seat) - 1 if seat else offered(visiting, row)
        mine = visiting.seat_at(row)
        if mine is not None and not row.playing and not row.places[mine].away and wanted in (None, mine):
            raise ValueError("you already sit there")

        def sits() -> bool:
            now = visiting.tables.get(row.table, row)
            own = visiting.seat_at(now)
            return own is not None and not now.playing and not now.places[own].away and wanted in (None, own)

        self._ask(SitDown(row.table, wanted), sits)

    def _watch(self, rest: str) -> None:
        row = self._to_enter(rest)
        if not row.playing:
            raise ValueError("there is nothing to watch before it begins")
        self._ask(LookOn(row.table), lambda: False)

    def _open(self, rest: str) -> None:
        visiting = self._presence.visiting
        wish, before = wished(rest.split()), visiting.tables
        if lacks := visiting.lacks(wish.game):
            raise ValueError(f"{ABOUT[wish.game].title} cannot be played here: it {lacks}")
        self._ask(wish, lambda: any(row.master == visiting.nick for row in self._new(before)))

    def _new(self, before: Mapping[str, TableRow]) -> list[TableRow]:
        return [row for table, row in self._presence.visiting.tables.items() if table not in before]

    def _sat_at(self) -> list[TableRow]:
        """Tables that have not begun at which she sits."""
        visiting = self._presence.visiting
        waiting = [(row, visiting.seat_at(row)) for row in visiting.tables.values() if not row.playing]
        return [row for row, seat in waiting if seat is not None and not row.places[seat].away]

    def _own(self, number: str = "") -> TableRow:
        """The table that has not begun at which she sits.  Raises ``ValueError``."""
        rows = [row for row in self._sat_at() if number in ("", str(self._number(row.table)))]
        if not rows:
            raise ValueError("you do not sit at a table that is still to begin; sit down at one, or open one")
        if len(rows) > 1:
            raise ValueError("you sit at several tables; say which, by its number")
        return rows[0]

    def _begin(self, rest: str) -> None:
        words = rest.split()
        row = self._own(words.pop(0) if words and words[0].isdecimal() else "")
        level = words[0] if words else USUAL_LEVEL
        if len(words) > 1 or level not in LEVELS:
            raise ValueError(f"robots are {either(LEVELS[1:])}")
        if row.taken_up:
            self._presence.say(Start(row.table, level))
        else:
            self._ask(Start(row.table, level), lambda: False)

    def _stand_up(self, rest: str) -> None:
        visiting = self._presence.visiting
        table = self._own(rest.removeprefix("up").strip()).table

        def stands() -> bool:
            row = visiting.tables.get(table)
            own = visiting.seat_at(row) if row else None
            return row is None or own is None or row.places[own].away

        self._ask(Leave(table), stands)

    def _take_up(self, rest: str) -> None:
        visiting, number = self._presence.visiting, rest.removeprefix("on").strip()
        table = next((row.table for row in visiting.unfinished if str(self._number(row.table)) == number), None)
        if not visiting.unfinished:
            raise ValueError("you have no unfinished session here")
        if table is None:
            raise ValueError("say go on and the number of one of your unfinished sessions")
        self._ask(TakeUp(table), lambda: table in visiting.tables)

    def _talk(self, rest: str) -> None:
        if wrong := too_long(rest):
            say(wrong)
        elif rest:
            self._presence.say(Say(rest))
        else:
            say("Type what you want to say after talk, such as talk Good evening.")

    def _rules(self, rest: str) -> None:
        key = key_of(rest)
        if key is not None:
            reading.rules(key, GAMES[key].options())
            return
        row = self._to_enter(rest)
        reading.rules(row.game, read(GAMES[row.game].options, row.options, len(row.places)))

    def _refuse_readable(self) -> None:
        """Raise ``ValueError`` if others can read what is sent: no password is asked for then."""
        if not self._presence.visiting.passwords_pass:
            raise ValueError("others could read your password on this connection; come in by ssh or with TLS")

    def _register(self, _rest: str) -> None:
        self._refuse_readable()
        password, again = passwords.new()
        if not password:
            say("You stay a guest.")
            return
        if wrong := why_not(password, again):
            say(sentence(wrong), "You stay a guest.")
            return
        self._ask(Register(password), lambda: self._presence.entry is not None)

    def _sign_in(self, rest: str) -> None:
        nick = seating.as_nick(rest.removeprefix("in"))
        if not nick:
            raise ValueError("say your nick, too: sign in NICK")
        self._refuse_readable()
        passwords.need_hiding(nick)
        if password := passwords.asked(f"Password of {nick}: "):
            self._ask(SignIn(nick, password), lambda: self._presence.entry is not None)

    def _wait(self, _rest: str) -> None:
        self._waits = True


def _is_full(row: TableRow) -> bool:
    return all(place.name for place in row.places)
