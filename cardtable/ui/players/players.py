"""The players as their page lists them.  Knows no screen."""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from cardtable.robots.kit.levels import LEVELS
from cardtable.store import profiles, seating
from cardtable.store.profiles import Book, Profile


class Kind(Enum):
    """What a line of the list is, and what it says of itself."""

    PROFILE = ""
    GUEST = "plays without a nick"
    ROBOT = "robots of this level"


class PlayerLine(NamedTuple):
    """A line of the list: who plays."""

    kind: Kind
    name: str


@dataclass(slots=True)
class Players:
    """The list, and whom the page is about."""

    me: str
    """Who has signed in."""
    book: Book = field(default_factory=Book)
    trouble: str = ""
    """What is wrong with the file of the players."""
    cursor: int = 0
    back: int = 0
    """Lines of the ledger that are scrolled away."""

    def read(self) -> None:
        """Look who there is."""
        self.book, self.trouble = profiles.load()
        self.cursor = min(self.cursor, len(self.lines) - 1)

    @property
    def lines(self) -> list[PlayerLine]:
        """Everybody who may sit at a table: players by name, whoever has none, robots."""
        nicks = sorted([player.nick for player in self.book.players], key=str.casefold)
        robots = [PlayerLine(Kind.ROBOT, level) for level in LEVELS if level != "random"]
        return [*[PlayerLine(Kind.PROFILE, nick) for nick in nicks], PlayerLine(Kind.GUEST, seating.GUEST), *robots]

    @property
    def line(self) -> PlayerLine:
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
        self.cursor, self.back = line, 0

    def find(self, name: str) -> None:
        """To the line of somebody."""
        self.go(next((i for i, line in enumerate(self.lines) if line.name == name), 0))
