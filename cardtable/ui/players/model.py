"""Model and painting of the players page: the list of players, and the facts and the ledger of a profile."""

from datetime import datetime
from enum import Enum
from typing import NamedTuple

import msgspec

from cardtable.engine.text_format import sanitize
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import profiles, seating
from cardtable.store.profiles import INITIAL_CREDITS, Profile, ProfileStore
from cardtable.ui.players.form import LABEL_WIDTH
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.text_fit import truncate, wrap
from cardtable.wording.formatting import format_day, format_gain, join_or
from cardtable.wording.players import PASSWORD_NOTE, TRANSACTION_TEXTS


class LineKind(Enum):
    """Kind of a line in the list of players; the value is its description."""

    PROFILE = ""
    GUEST = "no profile"
    ROBOT = "robots of this level"


class PlayerLine(NamedTuple):
    """Line of the list of players."""

    kind: LineKind
    name: str


class Players(msgspec.Struct):
    """List of profiles, the guest and robot levels, with a cursor."""

    nick: str
    """Nick of the current player."""
    book: ProfileStore = msgspec.field(default_factory=ProfileStore)
    trouble: str | None = None
    """Error message about the profiles file; ``None`` if it was read."""
    cursor: int = 0
    ledger_offset: int = 0
    """Number of rows scrolled away in the ledger."""

    def reload(self) -> None:
        """Read the profiles file again; the cursor stays within the list."""
        self.book, self.trouble = profiles.load()
        self.cursor = min(self.cursor, len(self.lines) - 1)

    @property
    def lines(self) -> list[PlayerLine]:
        """All lines: profiles sorted by nick, the guest, and robot levels."""
        nicks = sorted([player.nick for player in self.book.players], key=str.casefold)
        robots = [PlayerLine(LineKind.ROBOT, level) for level in LEVELS if level != "random"]
        return [
            *[PlayerLine(LineKind.PROFILE, nick) for nick in nicks],
            PlayerLine(LineKind.GUEST, seating.GUEST),
            *robots,
        ]

    @property
    def line(self) -> PlayerLine:
        return self.lines[self.cursor]

    @property
    def profile(self) -> Profile | None:
        """Profile under the cursor; ``None`` for the guest and for robots."""
        return self.book.find(self.line.name) if self.line.kind is LineKind.PROFILE else None

    @property
    def can_sign_in(self) -> bool:
        """True if Enter signs in the player under the cursor.

        This is another player, or the current one while their password has not been entered.
        """
        return self.profile is not None and (self.profile.nick != self.nick or self.profile.is_locked)

    @property
    def can_sign_out(self) -> bool:
        """True if Enter signs out the current player: the cursor is on them or on the guest."""
        if self.nick == seating.GUEST or self.can_sign_in:
            return False
        return self.line.kind is LineKind.GUEST or (self.profile is not None and self.profile.nick == self.nick)

    @property
    def has_enter_action(self) -> bool:
        return self.can_sign_in or self.can_sign_out

    def move_to(self, line: int) -> None:
        self.cursor, self.ledger_offset = line, 0

    def move_to_name(self, name: str) -> None:
        self.move_to(next((i for i, line in enumerate(self.lines) if line.name == name), 0))


def paint_facts(canvas: Canvas, players: Players, x: int, width: int) -> None:
    """Paint the facts and the ledger of the profile under the cursor.

    For the guest and for robot levels, a description is painted.
    """
    inks, profile, y = canvas.theme.inks, players.profile, 2
    canvas.write(x, y, players.line.name, inks.text, bold=True)
    y += 2
    if profile is None:
        _paint_text(canvas, x, y, width, _describe_line(players.line), inks.muted)
        return
    for label, fact in _list_facts(profile):
        canvas.write(x, y, label, inks.muted)
        canvas.write(x + LABEL_WIDTH, y, truncate(fact, width - LABEL_WIDTH), inks.text)
        y += 1
    y = _paint_ledger(canvas, players, profile, x, y + 1, width)
    if profile.password and y + 1 + len(wrap(PASSWORD_NOTE, width)) < canvas.height:
        _paint_text(canvas, x, y + 1, width, PASSWORD_NOTE, inks.quiet)


def _describe_line(line: PlayerLine) -> str:
    if line.kind is LineKind.GUEST:
        return "You are Guest until you sign in. A guest can play everything except for credits, and is not rated."
    return f"Robots of level {line.name}. At a table robots of any level are called {join_or(seating.ROBOT_NAMES)}."


def _list_facts(profile: Profile) -> list[tuple[str, str]]:
    password = "none" if profile.password is None else "not entered yet" if profile.is_locked else "entered"
    turns = [("Hot seat", "asked once" if profile.ask_once else "asked every turn")]
    return [
        ("Real name", sanitize(profile.name) or "not given"),
        ("E-mail", profile.email or "not given"),
        ("Password", password),
        *(turns if profile.password is not None else []),
        ("Credits", str(profile.credits)),
    ]


class _LedgerRow(NamedTuple):
    """Row of the ledger; ``change`` is in credits."""

    when: str
    reason: str
    change: int


def _list_ledger_rows(profile: Profile) -> list[_LedgerRow]:
    """Return the movements of credits, the newest first, and last the initial credits; their sum is the balance."""
    moves = [
        _LedgerRow(_format_day(move.at), TRANSACTION_TEXTS[move.why], move.change) for move in reversed(profile.ledger)
    ]
    return [*moves, _LedgerRow("", "starting credits", INITIAL_CREDITS)]


def _format_day(time: str) -> str:
    """Format the day of an ISO 8601 time in the local time zone; "no date" if it is invalid."""
    try:
        return format_day(datetime.fromisoformat(time).astimezone())
    except (ValueError, OverflowError):
        return "no date"


def _paint_ledger(canvas: Canvas, players: Players, profile: Profile, x: int, y: int, width: int) -> int:
    """Paint the rows of the ledger that fit from row ``y``; return the first row below them."""
    inks, rows = canvas.theme.inks, _list_ledger_rows(profile)
    canvas.write(x, y, "Ledger", inks.text, bold=True)
    room = canvas.height - y - 3
    players.ledger_offset = max(min(players.ledger_offset, len(rows) - room), 0)
    shown_rows = rows[players.ledger_offset :][:room]
    if len(rows) > room:
        which = f"{players.ledger_offset + 1} to {players.ledger_offset + len(shown_rows)} of {len(rows)}"
        canvas.write_right(x + width - 1, y, which, inks.quiet)
    for at, row in enumerate(shown_rows, y + 1):
        lost = row.change < 0
        canvas.write(x, at, row.when, inks.quiet)
        canvas.write(x + 8, at, row.reason, inks.muted)
        canvas.write_right(x + width - 1, at, format_gain(row.change), inks.loss if lost else inks.text, bold=lost)
    return y + 1 + len(shown_rows)


def _paint_text(canvas: Canvas, x: int, y: int, width: int, text: str, ink: str) -> None:
    """Paint a text, wrapped, as far as it fits above the footer."""
    for row, line in enumerate(wrap(text, width), y):
        if row < canvas.height - 1:
            canvas.write(x, row, line, ink)
