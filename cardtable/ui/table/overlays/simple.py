"""What can be laid over the table: hint, previous trick, score sheet, keys."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from msgspec.structs import replace

from cardtable.engine.game import View
from cardtable.session.session_events import Stage
from cardtable.store.passwords import MOST_CHARACTERS
from cardtable.ui.table.input import enabled_actions
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import LineCover, Overlay
from cardtable.ui.table.paint import score_sheet
from cardtable.ui.table.paint.board import told
from cardtable.ui.table.paint.curtain import paint_password
from cardtable.ui.table.paint.hint import paint_hint
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit import overlay
from cardtable.ui.toolkit.footer import paint_footer
from cardtable.ui.toolkit.keys.bindings import PASSWORD, SCOPES, TABLE, TOLD, KeyBinding, KeyBindings
from cardtable.ui.toolkit.page import too_small
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import grid_of
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording.log_entries import messages


class PreviousTrick(Overlay):
    """The previous trick where it lay."""

    alone = True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """The table as it was, with the keys that lead back."""
        view = frame.piece.previous_trick(frame.view)
        if view is None:  # new cards have come meanwhile
            paint_table(canvas, frame)
            return
        then = replace(frame, view=view, stage=Stage.PLAY, waiting=False, decision=None, reason="The previous trick")
        paint_table(canvas, then)
        paint_footer(canvas, [("leave", "back to the table")], grid_of(canvas).margin, sheet=False)


class ScoreSheet(Overlay):
    """The score sheet."""

    alone = True
    other_keys = frozenset({"up", "down", "page_up", "page_down", "first", "last", "sheet"})

    def __init__(self) -> None:
        self._at: int | None = None
        self._most = 0
        self._turned = False
        """Whether it is asked for with its other side up."""
        self._turns = False

    def closed_by(self, name: str) -> bool:
        """Any key that neither scrolls nor turns it."""
        return super().closed_by(name) and not (name == "switch" and self._turns)

    def over_curtain(self) -> bool:
        """It is the same for everybody."""
        return True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """The sheet from the row it is scrolled to."""
        if self._at is None:
            self._at = score_sheet.opening(canvas, frame)
        self._turns = score_sheet.turns(canvas, frame)
        if self._turned and self._turns:
            score_sheet.paint_contracts(canvas, frame)
            return
        self._most = score_sheet.paint_sheet(canvas, frame, self._at)

    def scroll(self, rows: int) -> bool:
        """Scroll within the sheet."""
        self._at = max(0, min((self._at or 0) + rows, self._most))
        return True

    def turn(self) -> bool:
        """The other side up, where there is one: the contracts that are left."""
        self._turned = not self._turned
        return True


class PublicMessages(Overlay):
    """What everybody was told, to be read before a hand is shown; who would speak is not known yet."""

    scope = TOLD

    def __init__(self) -> None:
        self._back = 0

    def closed_by(self, _name: str) -> bool:
        """Its own keys put it away."""
        return False

    def press(self, _key: str, character: str | None, _bound: KeyBinding | None) -> bool:
        """Ignore what is typed as if there were a line."""
        return character is not None and character.isprintable()

    def over_curtain(self) -> bool:
        """Everybody may read it."""
        return True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """The newest that fit, or earlier ones when scrolled."""
        lines = [f"{who} {what}" for who, what, _ in messages(frame.messages, frame.names, joins=frame.piece.joins)]
        self._back = max(min(self._back, len(lines) - 1), 0)
        overlay.paint_box(canvas, "Messages", lines[: len(lines) - self._back] or ["Nothing has been said yet"])
        paint_footer(canvas, [("leave", "close"), ("up down", "scroll")], grid_of(canvas).margin, sheet=False)

    def scroll(self, rows: int) -> bool:
        """Scroll to earlier messages."""
        self._back = max(0, self._back - rows)
        return True


class OpenHands(Overlay):
    """All hands in lines, where the table has no room for them."""

    other_keys = frozenset({"open_hands", "pause", "step", "faster", "slower"})

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """A hand in a line, or as many as it needs; those of the others where they lie open."""
        lines = []
        for seat, name in enumerate(frame.names):
            cards = frame.own_cards if seat == frame.me else frame.open_hand(seat)
            lines.append(f"{name}  {told(cards or (), by_suit=frame.gaps)}")
        overlay.paint_box(canvas, "All hands", lines)


class Hint(Overlay):
    """What the expert would do, and why."""

    def __init__(self, view: View) -> None:
        self.view = view

    def closed_by(self, name: str) -> bool:
        """Play goes on below it."""
        return name in ("hint", "leave")

    def should_yield_to(self, name: str) -> bool:
        """Choosing something else below ends the hint, so that Enter never has two meanings."""
        return name in enabled_actions.CHOOSING

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """The advice on the mat; hand, prompt and panel stay as they are."""
        if too_small(canvas):
            return
        paint_hint(canvas, frame)
        keys = [("play", "do it"), ("leave", "back to the table")]
        paint_footer(
            canvas,
            keys[frame.hinted is None :],
            grid_of(canvas).margin,
            frame.banner,
        )


class Keys(Overlay):
    """The key sheet."""

    def __init__(self, works: Callable[[KeyBinding], bool], below: Overlay | None = None) -> None:
        """``works``: which keys of the table do something; ``below``: what has keys of its own and lies under it."""
        self.below = below
        self.alone = below is not None and below.alone
        self._sheet = overlay.KeySheet()
        self._works = below.works if below else works

    def over_curtain(self) -> bool:
        """It is the same for everybody."""
        return self.below is None or self.below.over_curtain()

    def closed_by(self, name: str) -> bool:
        """Any key that does not scroll it."""
        return not self._sheet.scrolled_by(name)

    def scroll(self, rows: int) -> bool:
        """Scroll it, where there is more than is seen."""
        self._sheet.scroll(rows)
        return True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """The keys that work now, by topic."""
        keys, title = canvas.look.keys, frame.game.about.title
        if self.below:
            self.below.paint(canvas, frame)
            where = _where(self.below.scope)
            groups = overlay.sheet(keys, self.below.scope, self._works, is_typing=isinstance(self.below, LineCover))
        else:
            where, groups = "at the table", overlay.sheet(keys, TABLE, self._works, enabled_actions.labels(frame))
        self._sheet.paint(canvas, f"{where}, {title}", groups)


def _where(scope: KeyBindings) -> str:
    """Where the keys of a scope work, in words."""
    return next(where for where, keys in SCOPES.items() if keys is scope)


_COVERS: Final[Mapping[str, Callable[[], Overlay]]] = {
    "previous_trick": PreviousTrick,
    "sheet": ScoreSheet,
    "open_hands": OpenHands,
    "told": PublicMessages,
}


def make(name: str, frame: TableViewState) -> Overlay | None:
    """The cover of a name; ``None`` where there is nothing to see."""
    if name == "previous_trick" and frame.piece.previous_trick(frame.view) is None:
        return None
    return Hint(frame.view) if name == "hint" else _COVERS[name]()


class PasswordLine(LineCover):
    """Lies over the curtain until the password is given; nothing of it is shown but how long it is."""

    scope = PASSWORD
    alone = True
    at_curtain = True

    def __init__(self, give: Callable[[str], Awaitable[str]], come_in: Callable[[], None]) -> None:
        """``give`` tries a password and says why it is not taken; once it is, ``come_in`` is called."""
        super().__init__(TextInput(MOST_CHARACTERS, masked=True))
        self.said = ""
        """Why the last one was not taken."""
        self._give, self._come_in = give, come_in

    def over_curtain(self) -> bool:
        """It is made for it."""
        return True

    def press(self, key: str, character: str | None, bound: KeyBinding | None) -> bool:
        """Apply a key to the line; why the last password was not taken is no longer shown then."""
        pressed = super().press(key, character, bound)
        if pressed:
            self.said = ""
        return pressed

    async def action_give(self) -> None:
        """Try what is typed."""
        if not self.line.text:
            return
        self.said = await self._give(self.line.text)
        self.line.clear()
        if not self.said:
            self._come_in()

    def pointed_at(self, _target: object) -> bool:
        """A click beside the keys does nothing."""
        return True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """The curtain with the line."""
        if too_small(canvas):
            return
        paint_table(canvas, frame)
        paint_password(canvas, self.line, self.said)
        keys = [("play", "show my hand"), ("leave", "leave, all is kept")]
        paint_footer(canvas, keys, grid_of(canvas).margin, frame.banner, sheet=False)
