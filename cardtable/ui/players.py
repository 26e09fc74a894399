"""Page of the players' profiles: registering, signing in and out, passwords, credits and removal."""

import asyncio
from collections.abc import Hashable, Mapping
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Final, NamedTuple, assert_never
from unicodedata import normalize

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import passwords, profiles, seating
from cardtable.store.profiles import INITIAL_CREDITS, InvalidProfile, Profile, ProfileStore
from cardtable.ui.keys.bindings import PLAYERS, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    FormPage,
    FormRow,
    make_heading_row,
    make_single_column,
    make_text_row,
)
from cardtable.ui.toolkit.page import paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas, truncate, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN, Layout, get_layout
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.formatting import format_day, format_gain, join_or
from cardtable.wording.players import PASSWORD_NOTE, PASSWORD_REMOVAL_WARNING, REMOVAL_WARNING, TRANSACTION_TEXTS


class LineKind(Enum):
    """Kind of a line in the list of players; the value is its description."""

    PROFILE = ""
    GUEST = "no profile"
    ROBOT = "robots of this level"


class PlayerLine(NamedTuple):
    """Line of the list of players."""

    kind: LineKind
    name: str


class PlayersModel(msgspec.Struct):
    """List of profiles, the guest and robot levels, with a cursor."""

    nick: str
    """Nick of the current player."""
    profile_store: ProfileStore = msgspec.field(default_factory=ProfileStore)
    load_error: str | None = None
    """Error message about the profiles file; ``None`` if it was read."""
    cursor: int = 0
    ledger_offset: int = 0
    """Number of rows scrolled away in the ledger."""

    def reload(self) -> None:
        """Read the profiles file again; the cursor stays within the list."""
        self.profile_store, self.load_error = profiles.load()
        self.cursor = min(self.cursor, len(self.lines) - 1)

    @property
    def lines(self) -> list[PlayerLine]:
        """All lines: profiles sorted by nick, the guest, and robot levels."""
        nicks = sorted([player.nick for player in self.profile_store.players], key=str.casefold)
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
        return self.profile_store.find(self.line.name) if self.line.kind is LineKind.PROFILE else None

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
    def can_register(self) -> bool:
        """True if Enter opens the form for a new player: the cursor is on the guest, who is the current player."""
        return self.line.kind is LineKind.GUEST and self.nick == seating.GUEST

    @property
    def has_enter_action(self) -> bool:
        return self.can_sign_in or self.can_sign_out or self.can_register

    def move_to(self, line: int) -> None:
        self.cursor, self.ledger_offset = line, 0


def paint_facts(canvas: Canvas, model: PlayersModel, x: int, width: int) -> None:
    """Paint the facts and the ledger of the profile under the cursor.

    For the guest and for robot levels, a description is painted.
    """
    inks, profile, y = canvas.theme.inks, model.profile, 2
    canvas.write(x, y, model.line.name, inks.text, bold=True)
    y += 2
    if profile is None:
        _paint_text(canvas, x, y, width, _describe_line(model.line), inks.muted)
        return
    for label, fact in _list_facts(profile):
        canvas.write(x, y, label, inks.muted)
        canvas.write(x + LABEL_WIDTH, y, truncate(fact, width - LABEL_WIDTH), inks.text)
        y += 1
    y = _paint_ledger(canvas, model, profile, x, y + 1, width)
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


def _paint_ledger(canvas: Canvas, model: PlayersModel, profile: Profile, x: int, y: int, width: int) -> int:
    """Paint the rows of the ledger that fit from row ``y``; return the first row below them."""
    inks, rows = canvas.theme.inks, _list_ledger_rows(profile)
    canvas.write(x, y, "Ledger", inks.text, bold=True)
    room = canvas.height - y - 3
    model.ledger_offset = max(min(model.ledger_offset, len(rows) - room), 0)
    shown_rows = rows[model.ledger_offset :][:room]
    if len(rows) > room:
        which = f"{model.ledger_offset + 1} to {model.ledger_offset + len(shown_rows)} of {len(rows)}"
        canvas.write_right(x + width - 1, y, which, inks.quiet)
    for row in shown_rows:
        y += 1
        is_loss = row.change < 0
        canvas.write(x, y, row.when, inks.quiet)
        canvas.write(x + 8, y, row.reason, inks.muted)
        ink = inks.loss if is_loss else inks.text
        canvas.write_right(x + width - 1, y, format_gain(row.change), ink, bold=is_loss)
    return y + 1


def _paint_text(canvas: Canvas, x: int, y: int, width: int, text: str, ink: str) -> None:
    """Paint a text, wrapped, as far as it fits above the footer."""
    for row, line in enumerate(wrap(text, width), y):
        if row < canvas.height - 1:
            canvas.write(x, row, line, ink)


LABEL_WIDTH: Final = 13
"""Width of the labels of facts and fields, in columns."""
REMOVE_PASSWORD: Final = "remove password"  # noqa: S105 - a name
"""Name of the row by which a player removes their password."""


class Purpose(Enum):
    """Purpose of a form; the value is the form's heading."""

    REGISTER = "A new player"
    SIGN_IN = "Sign in"
    TELL = "Nick, name, address"
    PASSWORD = "Password"  # noqa: S105 - a heading
    ASK_ONCE = "Ask only once"


class TypedField(NamedTuple):
    """Text field of a form."""

    name: str
    """Name of the field, as in ``InvalidProfile.field``."""
    label: str
    max_length: int
    secret: bool = False


_MAX_NICK_TYPED: Final = 20
"""Maximum number of characters typed as a nick: more than a nick may have, so that a long one is refused, not cut off.
"""
_NICK: Final = TypedField("nick", "Nick", _MAX_NICK_TYPED)
_NAME: Final = TypedField("name", "Real name", profiles.MAX_NAME_LENGTH)
_EMAIL: Final = TypedField("email", "E-mail", profiles.MAX_EMAIL_LENGTH)
_OLD: Final = TypedField("old", "Password", passwords.MAX_CHARACTERS, secret=True)
_NEW: Final = TypedField("password", "Password", passwords.MAX_CHARACTERS, secret=True)
_AGAIN: Final = TypedField("again", "Repeat", passwords.MAX_CHARACTERS, secret=True)
_FIELDS: Final[Mapping[Purpose, tuple[TypedField, ...]]] = {
    Purpose.REGISTER: (_NICK, _NAME, _EMAIL, _NEW, _AGAIN),
    Purpose.SIGN_IN: (_OLD,),
    Purpose.TELL: (_NICK, _NAME, _EMAIL),
    Purpose.PASSWORD: (_NEW._replace(label="New"), _AGAIN),
    Purpose.ASK_ONCE: (_OLD,),
}


class PlayerForm:
    """Form for one purpose, with its cursor; each row is named by its field."""

    def __init__(self, purpose: Purpose, profile: Profile | None) -> None:
        """Prepare the form for ``profile``; ``None`` for a new player.

        If the profile has a password that must be proved for this purpose, the form asks for it.
        """
        self.purpose, self.nick, self._fields = purpose, profile.nick if profile else "", _FIELDS[purpose]
        if profile and profile.password and purpose is Purpose.PASSWORD:
            self._fields = (_OLD._replace(label="Old"), *self._fields)
        elif profile and profile.is_locked and purpose is Purpose.TELL:
            self._fields = (*self._fields, _OLD)
        before: dict[str, str] = {}
        if profile and purpose is Purpose.TELL:
            before = {"nick": profile.nick, "name": profile.name, "email": profile.email}
        self._entries = {
            field.name: TextInput(
                field.max_length,
                before.get(field.name, ""),
                masked=field.secret,
                correct=capitalize_first if field.name == _NICK.name else str,
            )
            for field in self._fields
        }
        self.cursor = self._fields[0].name
        """Name of the field under the cursor."""
        self._general_error: str | None = None
        """Error message that does not concern a single field; ``None`` if there is none."""
        self.errors: dict[str, str] = {}
        """Error messages by field name."""

    @property
    def message(self) -> str | None:
        """Error message to show; ``None`` if there is none.

        A general error has priority, then the error of the field under the cursor, then the first error of any field.
        """
        names = [self.cursor, *self._entries]
        return self._general_error or next((self.errors[name] for name in names if name in self.errors), None)

    def get_text(self, name: str) -> str:
        return self._entries[name].text if name in self._entries else ""

    def move_to(self, name: str) -> None:
        """Move the cursor to another field, after validating the field that it leaves."""
        self._validate(self.cursor)
        self.cursor = name

    def list_rows(self, layout: Layout) -> list[FormRow]:
        """Return the form rows: heading, fields, error message and hint, spaced according to ``layout``."""
        lines = [make_heading_row(f"{self.purpose.value}: {self.nick}" if self.nick else self.purpose.value, INDENT)]
        is_after_secret = False
        for field in self._fields:
            begins_secrets = field.secret and not is_after_secret and not layout.tiny
            has_gap = layout.large or len(lines) == 1 or begins_secrets
            lines += [*([EMPTY_ROW] if has_gap else []), self._create_row(field)]
            is_after_secret = field.secret
        if self.purpose is Purpose.PASSWORD and _OLD.name in self._entries:
            lines += [EMPTY_ROW, FormRow(name=REMOVE_PASSWORD, draw=_paint_removal)]
        message_rows = [make_text_row(self.message, INDENT, is_error=True), EMPTY_ROW] if self.message else []
        return [*lines, EMPTY_ROW, *message_rows, make_text_row(self._get_hint(), INDENT)]

    def _create_row(self, field: TypedField) -> FormRow:
        return FormRow(
            name=field.name,
            draw=partial(self._paint_field, field=field),
            text_input=self._entries[field.name],
            on_edit=partial(self._revalidate, field.name),
        )

    def _paint_field(self, area: BlockArea, field: TypedField) -> None:
        inks, entry, x = area.canvas.theme.inks, self._entries[field.name], INDENT + LABEL_WIDTH
        area.write(INDENT, 0, field.label, inks.loss if field.name in self.errors else area.name_ink, bold=True)
        width = area.width - x
        if area.has_cursor:
            paint_text_input(area.canvas, area.x + x, area.y, width, entry, "")
        else:
            area.canvas.fill(area.x + x, area.y, width, 1, area.canvas.theme.grounds.track)
            area.write(x, 0, truncate("".join(entry.visible_clusters), width), inks.text)

    def _get_hint(self) -> str:
        if self.purpose is Purpose.ASK_ONCE:
            return "At a hot seat, you are then asked for the password only once until you quit, not before every turn."
        if "nick" in self._entries:
            return f"Only the nick is needed. {PASSWORD_NOTE}"
        return PASSWORD_NOTE if "password" in self._entries else ""

    def _revalidate(self, name: str) -> None:
        """Validate an invalid field again after an edit; with a new password, also its repetition."""
        self._general_error = None
        for affected in (name, _AGAIN.name) if name == _NEW.name else (name,):
            if affected in self.errors:
                self._validate(affected)

    def _validate(self, name: str) -> None:
        """Validate a field and update ``errors``; an empty field counts as valid."""
        text, error = self.get_text(name).strip(), None
        if text and name == _NEW.name:
            error = passwords.find_password_error(text, text)
        elif text and name == _AGAIN.name:
            error = passwords.find_password_error(self.get_text(_NEW.name), text)
        elif text and name == _NICK.name:
            error = _find_nick_error(text, self.nick)
        elif text and name != _OLD.name:
            error = profiles.find_field_error(name, normalize("NFC", text))
        self.errors.pop(name, None)
        if error:
            self.errors[name] = capitalize_first(error)

    def submit(self) -> str | None:
        """Carry out the form and return the nick that its player has now.

        After an error, which the form then shows, returns ``None``. Call it in a thread, since hashing a password takes
        time.
        """
        if not self._validate_all():
            return None
        try:
            self._execute()
        except InvalidProfile as error:
            self._show_rejection(error)
        except CardtableError as error:
            self._general_error = error.full_message
        else:
            return seating.normalize_nick(self.get_text("nick")) or self.nick
        return None

    def _validate_all(self) -> bool:
        """Validate all fields except passwords; if one is invalid, move the cursor to it and return False."""
        names = [field.name for field in self._fields if not field.secret]
        for name in names:
            self._validate(name)
        first = next((name for name in names if name in self.errors), None)
        self.cursor = first or self.cursor
        return first is None

    def _execute(self) -> None:
        texts = [entry.text for entry in self._entries.values()]
        proves = "old" in self._entries and self.purpose is not Purpose.PASSWORD
        if proves and (reason := profiles.verify_password(self.nick, self.get_text("old"))):
            raise InvalidProfile("old", reason)
        match self.purpose:
            case Purpose.REGISTER:
                profiles.register(*texts)
            case Purpose.SIGN_IN:
                profiles.sign_in(self.nick)
            case Purpose.TELL:
                profiles.update_profile(self.nick, *texts[:3])
            case Purpose.PASSWORD if self.cursor == REMOVE_PASSWORD:
                profiles.remove_password(self.nick, self.get_text("old"))
            case Purpose.PASSWORD:
                profiles.set_password(self.nick, self.get_text("old"), *texts[-2:])
            case Purpose.ASK_ONCE:
                profiles.set_ask_once(self.nick, once=True)
            case _:
                assert_never(self.purpose)

    def _show_rejection(self, error: InvalidProfile) -> None:
        """Show the reason why the profile store rejected a field, and move the cursor to that field.

        A rejected password is cleared, a rejected new password together with its repetition.
        """
        field = next((field for field in self._fields if field.name == error.field), None)
        self.cursor = field.name if field else self.cursor
        self.errors[self.cursor] = str(error)
        if field and field.secret:
            for name in (_NEW.name, _AGAIN.name) if field.name == _NEW.name else (field.name,):
                self._entries[name].clear()


def _paint_removal(area: BlockArea) -> None:
    area.write(INDENT, 0, "Remove the password", area.name_ink, bold=area.has_cursor)


def _find_nick_error(nick: str, exclude_nick: str) -> str | None:
    """Return the reason why a nick cannot be used; ``None`` if it can.

    ``exclude_nick`` is the nick of the profile being renamed, which does not count as taken. An unreadable profiles
    file is not reported here but when the profile is saved.
    """
    try:
        profiles.check_new_nick(nick, exclude_nick)
    except InvalidProfile as error:
        return error.reason
    except CardtableError:
        pass
    return None


_KEEPS: Final = "keep the player"
_LIST_WIDTH: Final = 42
_LARGE_LIST_WIDTH: Final = 66
"""Width of the list in a normal and in a large terminal, in columns."""
_DESCRIPTION_OFFSET: Final = 10
"""Distance between the beginning of a name and of its description, in columns."""


class PlayersPage(FormPage):
    """Page with the list of players at the left, and facts or a form at the right.

    In a small terminal the form replaces the list. Rows of the list are named by their index.
    """

    SCOPE = PLAYERS

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.model = PlayersModel(context.nick)
        self.form: PlayerForm | None = None
        """Open form; ``None`` while the cursor is in the list."""
        self.model.reload()
        self._select_player(context.nick)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        layout = get_layout(canvas)
        form = self.form.list_rows(layout) if self.form else []
        if layout.tiny:
            return make_single_column(canvas, form or self._create_list_rows())
        left = _LARGE_LIST_WIDTH if layout.large else _LIST_WIDTH
        panel = Column(left, canvas.width - left - MARGIN, form, has_panel=True)
        return [Column(MARGIN, left - 2 * MARGIN, self._create_list_rows()), panel]

    def _create_list_rows(self) -> list[FormRow]:
        model, lines = self.model, [FormRow(draw=self._paint_heading), EMPTY_ROW]
        for number, line in enumerate(model.lines):
            lines += [EMPTY_ROW] if number > 0 and line.kind is not model.lines[number - 1].kind else []
            on_press = self.action_use if model.has_enter_action else None
            name = None if self.form else number
            lines.append(FormRow(name=name, draw=partial(self._paint_line, line=line), on_press=on_press))
        if not model.profile_store.players and not model.load_error and not self.form:
            enter = self.appearance.keys.format_label("play")
            text = f"{enter} on Guest gives you a nick: ratings, statistics and credits are kept under it."
            lines += [EMPTY_ROW, make_text_row(text, INDENT)]
        if model.load_error:
            lines += [EMPTY_ROW, make_text_row(model.load_error, INDENT, is_error=True)]
        return lines

    def _paint_heading(self, area: BlockArea) -> None:
        area.write(INDENT, 0, "Players", area.canvas.theme.inks.text, bold=True)
        area.write_right(0, "credits" if self.model.profile_store.players else "", area.quiet_ink)

    def _paint_line(self, area: BlockArea, line: PlayerLine) -> None:
        inks, model = area.canvas.theme.inks, self.model
        if line.name == model.nick:
            area.write(1, 0, "\u2022", inks.text, bold=True)
        area.write(INDENT, 0, line.name, area.name_ink, bold=True)
        profile = model.profile_store.find(line.name) if line.kind is LineKind.PROFILE else None
        if profile:
            area.write_right(0, str(profile.credits), inks.text)
        status = "signed in" if profile and line.name == model.nick else line.kind.value
        area.write(INDENT + _DESCRIPTION_OFFSET, 0, status, area.muted_ink)

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        columns, model = self.get_columns(canvas), self.model
        if len(columns) > 1 and not self.form:
            paint_facts(canvas, model, columns[1].x + INDENT, columns[1].width - INDENT)
        paint_page_header(canvas, "Players", right=model.nick)
        if self.form:
            return {"up down": "line", "play": "do it", "leave": "back"}
        enter = "sign in" if model.can_sign_in else "sign out" if model.can_sign_out else ""
        if model.can_register:
            return {**self.SCOPE.footer, "play": "new player", "new": ""}
        return {**self.SCOPE.footer, "play": enter, "new": "new" if model.profile else "new player"}

    @property
    def shows_list(self) -> bool:
        return self.form is None

    @property
    def selected_profile(self) -> Profile | None:
        return self.model.profile if self.form is None else None

    @property
    def can_use(self) -> bool:
        return self.form is not None or self.model.has_enter_action

    def move_cursor_to(self, name: Hashable) -> None:
        if isinstance(name, int):
            self.model.move_to(name)
        elif self.form and isinstance(name, str):
            self.form.move_to(name)
        super().move_cursor_to(name)

    def _show_form(self, form: PlayerForm | None) -> None:
        """Open a form; with ``None``, return to the list."""
        self.is_edited = self.is_edited and form is self.form
        self.form, self.cursor = form, form.cursor if form else self.model.cursor
        self.on_changed()

    def _select_player(self, nick: str) -> None:
        self.model.move_to(next((i for i, line in enumerate(self.model.lines) if line.name == nick), 0))
        self._show_form(None)

    def action_page(self, step: int) -> None:
        """Scroll the ledger by half the height of the screen, up (-1) or down (1)."""
        self.model.ledger_offset = max(self.model.ledger_offset + step * (self.size.height // 2), 0)
        self.repaint()

    def action_ask(self, form: str) -> None:
        """Open the form of a purpose; ``form`` is the name of a member of ``Purpose``."""
        purpose = Purpose[form]
        self._show_form(PlayerForm(purpose, None if purpose is Purpose.REGISTER else self.model.profile))

    async def action_ask_once(self) -> None:
        """Toggle whether the player's password is asked for once per run or at each turn.

        Asking for it once requires the password.
        """
        profile = self.model.profile
        if profile is None or not profile.ask_once:
            self.action_ask("ASK_ONCE")
            return
        try:
            await asyncio.to_thread(partial(profiles.set_ask_once, profile.nick, once=False))
        except CardtableError as error:
            self.app.notify(str(error), markup=False, severity="error")
        self.model.reload()
        self.repaint()

    async def action_remove(self) -> None:
        """Remove the player under the cursor after two questions; if it was the current one, continue as a guest."""
        profile = self.model.profile
        if profile is None or not await self._confirm_removal(profile):
            return
        self.model.reload()
        if profile.nick == self.model.nick:
            self._switch_player(seating.GUEST)
        self._show_form(None)

    async def _confirm_removal(self, profile: Profile) -> bool:
        """Ask twice whether to remove a player, at last for the password or the nick; return True if they are gone."""
        nick, has_password = profile.nick, profile.password is not None
        text = REMOVAL_WARNING.format(profile.credits)
        if not await self.context.confirm(f"Remove {nick}?", text, "continue", _KEEPS):
            return False

        def remove(typed: str) -> str | None:
            if not has_password and typed != nick:
                return "That is not the nick"
            try:
                profiles.remove(nick, typed)
            except InvalidProfile as error:
                if error.field != "old":
                    raise
                return str(error)
            return None

        text = f"This cannot be undone. Type {f'the password of {nick}' if has_password else nick} to confirm."
        try:
            return await self.context.ask_until_accepted(
                f"Really remove {nick}?", text, "removes", _KEEPS, remove, masked=has_password
            )
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
            return isinstance(error, InvalidProfile)

    async def action_use(self) -> None:
        """Submit the open form; in the list, sign in the player under the cursor, sign out or register.

        A player with a password gets a form that asks for it.
        """
        model, form = self.model, self.form
        if form:
            if form.cursor != REMOVE_PASSWORD or await self._confirm_password_removal(form):
                await self._submit(form)
        elif model.can_register:
            self.action_ask("REGISTER")
        elif model.profile and model.profile.is_locked:
            self.action_ask("SIGN_IN")
        else:
            await self._sign_in(seating.GUEST if model.can_sign_out else model.line.name)

    async def _confirm_password_removal(self, form: PlayerForm) -> bool:
        text = PASSWORD_REMOVAL_WARNING.format(form.nick)
        return await self.context.confirm("Remove the password?", text, "remove it", "keep it")

    async def _submit(self, form: PlayerForm) -> None:
        nick = await asyncio.to_thread(form.submit)
        if nick is None:
            self._show_form(form)
            return
        self.model.reload()
        if form.nick == self.model.nick or form.purpose in (Purpose.REGISTER, Purpose.SIGN_IN):
            self._switch_player(nick)
        else:
            self._select_player(nick)

    async def _sign_in(self, name: str) -> None:
        """Sign in a player without a password, or the guest.

        If this cannot be saved, it lasts until the program ends.
        """
        try:
            await asyncio.to_thread(profiles.sign_in, None if name == seating.GUEST else name)
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
        self.model.reload()
        self._switch_player(name)

    def _switch_player(self, nick: str) -> None:
        self.model.nick = nick
        self._select_player(nick)
        self.context.player.switch_to(nick)

    async def action_leave(self) -> None:
        """Return from the form to the list, after a confirmation if fields were edited.

        From the list, leave the page.
        """
        if self.form:
            if not self.is_edited or await self.confirm_discard():
                self._show_form(None)
        else:
            await super().action_leave()
