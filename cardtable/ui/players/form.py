"""The players as their page has them: who there is, and what is being typed.  Knows no screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple
from unicodedata import normalize

from cardtable.robots.kit.levels import LEVELS
from cardtable.store import passwords, player_rules, profiles, seating
from cardtable.store.errors import CardtableError
from cardtable.store.player_rules import Refused
from cardtable.store.profiles import Book, Profile
from cardtable.ui.draw.entry import Entry


class Kind(Enum):
    """What a line of the list is."""

    PROFILE = "profile"
    GUEST = "guest"
    ROBOT = "robot"


class Player(NamedTuple):
    """A line of the list: who plays."""

    kind: Kind
    name: str


class Form(Enum):
    """What is asked for, by the heading."""

    REGISTER = "A new player"
    SIGN_IN = "Sign in"
    TELL = "Nick, name, address"
    PASSWORD = "Password"  # noqa: S105 - a heading
    ASK_ONCE = "Ask once a run"


class Field(NamedTuple):
    """A line that is typed."""

    name: str
    """As ``Refused`` has it."""
    label: str
    most: int
    secret: bool = False


_MOST_TYPED: Final = 20
"""Of a nick: more than it may have, since one that is cut unasked would be kept."""
_NICK: Final = Field("nick", "Nick", _MOST_TYPED)
_NAME: Final = Field("name", "Real name", player_rules.MOST_NAME)
_EMAIL: Final = Field("email", "E-mail", player_rules.MOST_EMAIL)
_OLD: Final = Field("old", "Password", passwords.MOST_CHARACTERS, secret=True)
_NEW: Final = Field("password", "Password", passwords.MOST_CHARACTERS, secret=True)
_AGAIN: Final = Field("again", "Once more", passwords.MOST_CHARACTERS, secret=True)
_FIELDS: Final[Mapping[Form, tuple[Field, ...]]] = {
    Form.REGISTER: (_NICK, _NAME, _EMAIL, _NEW, _AGAIN),
    Form.SIGN_IN: (_OLD,),
    Form.TELL: (_NICK, _NAME, _EMAIL),
    Form.PASSWORD: (_NEW._replace(label="New one"), _AGAIN),
    Form.ASK_ONCE: (_OLD,),
}


@dataclass(slots=True)
class Asked:
    """A form as it is filled in."""

    form: Form
    nick: str
    """Whom it is about; nobody for a new player."""
    fields: tuple[Field, ...]
    entries: dict[str, Entry]
    at: int = 0
    """The line that is typed into."""
    failed: str = ""
    """Why it could not be done, if that is about no line of it."""
    wrong: dict[str, str] = field(default_factory=dict)
    """What is wrong with its lines, by their names."""

    @property
    def entry(self) -> Entry:
        """What is typed into now."""
        return self.entries[self.fields[self.at].name]

    @property
    def said(self) -> str:
        """What is wrong with it, first of all with the line that is typed into."""
        names = [self.fields[self.at].name, *[each.name for each in self.fields]]
        return self.failed or next((self.wrong[name] for name in names if name in self.wrong), "")

    def holds(self) -> bool:
        """Judge every line that can be read; if one is wrong go to the first of those."""
        open_lines = [(i, each.name) for i, each in enumerate(self.fields) if not each.secret]
        for _, name in open_lines:
            self._judge(name)
        first = next((i for i, name in open_lines if name in self.wrong), None)
        self.at = self.at if first is None else first
        return first is None

    def go(self, line: int) -> None:
        """To another line, round the ends; the one that is left is judged."""
        self._judge(self.fields[self.at].name)
        self.at = line % len(self.fields)

    def changed(self) -> None:
        """Something was typed: a line that was wrong may be right by now."""
        self.failed, name = "", self.fields[self.at].name
        if name in self.wrong:
            self._judge(name)
        if name == _NEW.name and _AGAIN.name in self.wrong:
            self._judge(_AGAIN.name)

    def _judge(self, name: str) -> None:
        """Say what is wrong with a line, if it can be told from what is typed; an empty one may stay so."""
        text, wrong = self.told(name).strip(), ""
        if text and name == _NEW.name:
            wrong = passwords.why_not(text, text)
        elif text and name == _AGAIN.name:
            wrong = passwords.why_not(self.told(_NEW.name), text)
        elif text and name == _NICK.name:
            wrong = _refusal(text, self.nick)
        elif text and name != _OLD.name:
            wrong = player_rules.why_not(name, normalize("NFC", text))
        self.wrong.pop(name, None)
        if wrong:
            self.wrong[name] = wrong[:1].upper() + wrong[1:]

    def refused(self, error: Refused) -> None:
        """Go to the line that is wrong, and say why; a wrong password is typed anew, a new one both times."""
        self.at = next((i for i, each in enumerate(self.fields) if each.name == error.field), self.at)
        self.wrong[self.fields[self.at].name] = str(error)
        twice = (_NEW.name, _AGAIN.name)
        for name in twice if error.field in twice else (error.field,):
            if name in self.entries and self.fields[self.at].secret:
                self.entries[name].clear()

    def told(self, name: str) -> str:
        """What is typed so far on a line; nothing where it is not asked for."""
        return self.entries[name].text if name in self.entries else ""


def _refusal(nick: str, but: str) -> str:
    """Why no new player, nor the one whose nick is ``but``, can have the nick.

    What is wrong with the file of the players is told when it is kept.
    """
    try:
        profiles.refuse_nick(nick, but)
    except Refused as error:
        return error.why
    except CardtableError:
        pass
    return ""


@dataclass(slots=True)
class Players:
    """The list, the cursor, and the form that is open."""

    me: str
    """Who has signed in."""
    book: Book = field(default_factory=Book)
    trouble: str = ""
    """What is wrong with the file of the players."""
    cursor: int = 0
    back: int = 0
    """Lines of the ledger that are scrolled away."""
    asked: Asked | None = None

    def read(self) -> None:
        """Look who there is."""
        self.book, self.trouble = profiles.load()
        self.cursor = min(self.cursor, len(self.lines) - 1)

    @property
    def lines(self) -> list[Player]:
        """Everybody who may sit at a table: players by name, whoever has none, robots."""
        nicks = sorted([player.nick for player in self.book.players], key=str.casefold)
        robots = [Player(Kind.ROBOT, level) for level in LEVELS if level != "random"]
        return [*[Player(Kind.PROFILE, nick) for nick in nicks], Player(Kind.GUEST, seating.GUEST), *robots]

    @property
    def line(self) -> Player:
        """Where the cursor is."""
        return self.lines[self.cursor]

    @property
    def profile(self) -> Profile | None:
        """The profile under the cursor."""
        return self.book.find(self.line.name) if self.line.kind is Kind.PROFILE else None

    @property
    def signs_in(self) -> bool:
        """Whether who is under the cursor can sign in; who has done so already need not, but for a password."""
        return self.profile is not None and (self.profile.nick != self.me or self.profile.locked)

    @property
    def signs_out(self) -> bool:
        """Whether who plays can sign out: under the cursor are they, or the guest who plays then."""
        if self.me == seating.GUEST or self.signs_in:
            return False
        return self.line.kind is Kind.GUEST or (self.profile is not None and self.profile.nick == self.me)

    @property
    def enters(self) -> bool:
        """Whether Enter does something with who is under the cursor."""
        return self.signs_in or self.signs_out

    def go(self, line: int) -> None:
        """To another line."""
        self.cursor, self.back = line % len(self.lines), 0

    def find(self, name: str) -> None:
        """To the line of somebody."""
        self.go(next((i for i, line in enumerate(self.lines) if line.name == name), 0))

    def ask(self, form: Form) -> None:
        """Open a form for whoever is under the cursor."""
        profile, fields = self.profile, _FIELDS[form]
        about = None if form is Form.REGISTER else profile
        if about and about.password and (form is Form.PASSWORD or (form is Form.TELL and about.locked)):
            fields = (_OLD._replace(label="Old one"), *fields) if form is Form.PASSWORD else (*fields, _OLD)
        entries = {each.name: Entry(each.most) for each in fields}
        if form is Form.TELL and about:
            entries["nick"].insert(about.nick)
            entries["name"].insert(about.name)
            entries["email"].insert(about.email)
        self.asked = Asked(form, about.nick if about else "", fields, entries)

    def answer(self) -> str:
        """Do what the form is for; the nick of who is signed in then, if that may be another one.

        Takes a while where a password is reckoned.  What is wrong stands in the form, which
        stays open then.
        """
        asked = self.asked
        if asked is None or not asked.holds():
            return ""
        try:
            nick = _DOES[asked.form](asked)
        except Refused as error:
            asked.refused(error)
        except CardtableError as error:
            asked.failed = error.whole
        else:
            self.asked = None
            self.read()
            self.find(nick)
            return nick if asked.form in (Form.REGISTER, Form.SIGN_IN) or asked.nick == self.me else ""
        return ""


def _register(asked: Asked) -> str:
    """Each of these returns the nick of whom it was about, as it is then."""
    profiles.register(*[asked.told(name) for name in ("nick", "name", "email", "password", "again")])
    return asked.told("nick").strip()


def _sign_in(asked: Asked) -> str:
    _prove(asked)
    profiles.sign_in(asked.nick)
    return asked.nick


def _tell(asked: Asked) -> str:
    if "old" in asked.entries:
        _prove(asked)
    profiles.tell(asked.nick, asked.told("nick"), asked.told("name"), asked.told("email"))
    return asked.told("nick").strip()


def _set_password(asked: Asked) -> str:
    profiles.set_password(asked.nick, asked.told("old"), asked.told("password"), asked.told("again"))
    return asked.nick


def _ask_once(asked: Asked) -> str:
    _prove(asked)
    profiles.ask_once(asked.nick, once=True)
    return asked.nick


def _prove(asked: Asked) -> None:
    """Raise ``Refused`` where the password is not the one."""
    if why := profiles.give(asked.nick, asked.told("old")):
        raise Refused("old", why)


_DOES: Final[Mapping[Form, Callable[[Asked], str]]] = {
    Form.REGISTER: _register,
    Form.SIGN_IN: _sign_in,
    Form.TELL: _tell,
    Form.PASSWORD: _set_password,
    Form.ASK_ONCE: _ask_once,
}
