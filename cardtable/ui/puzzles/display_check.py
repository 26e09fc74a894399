"""Check that a position from a file can be displayed, since no rule can tell all that the screens rely on."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from cardtable.session.puzzle_session import PuzzleSession
from cardtable.store.puzzle_file import PuzzlePosition
from cardtable.ui.table.input.enabled_keys import build_labels
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.model.view_state import CardTexts, TableViewState
from cardtable.ui.table.overlays.simple import PreviousTrick, ScoreSheet
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences

_SIZES: Final = ((60, 18), (80, 24), (120, 40))


def can_be_displayed(position: PuzzlePosition, preferences: Preferences) -> bool:
    """Return True if the table screen can display the position, its question and its verdict."""
    session = PuzzleSession(position, "", is_own=False, count_attempt=lambda _is_right: "")
    try:
        frames = list(_iter_frames(session, preferences))
        for size in _SIZES:
            for frame in frames if size == _SIZES[0] else (frames[0], frames[-1]):
                paint_table(Canvas(*size, preferences.appearance), frame)
                build_labels(frame)
            for overlay in (ScoreSheet(), PreviousTrick()):
                overlay.paint(Canvas(*size, preferences.appearance), frames[0])
        for action in position.actions:
            PuzzleSession(position, "", is_own=False, count_attempt=lambda _is_right: "").play(action)
    except Exception:  # a game may raise anything for a position that cannot occur
        return False
    return True


def _iter_frames(session: PuzzleSession, preferences: Preferences) -> Iterator[TableViewState]:
    """Yield the table with the cursor on each choice and each card, and with a text to read."""
    cursor = Cursor(session.game, lambda _action: None, lambda: None)
    model = TableViewModel(session, preferences, cursor)
    model.card_texts = CardTexts.ALL
    frame = model.build_frame()
    cursor.begin_decision(frame.game_view.decision(frame.view, frame.names))
    for action in frame.view.legal:
        cursor.point_at(action)
        yield model.build_frame()
    for card in frame.own_cards:
        cursor.go_to_card(card)
        yield model.build_frame()
        cursor.show_cards_error(1 << card)
    cursor.end_decision()
    assert frame.prompt is not None
    yield replace(model.build_frame(), prompt=replace(frame.prompt, text="..."))
