"""Footers: every page names the way out at every width; keys at the end of a session."""

import pytest
from msgspec.structs import replace

from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.keys.keymap import build_keymap
from cardtable.ui.keys.table_keys import TABLE as TABLE_SCOPE
from cardtable.ui.keys.table_keys import TableKeyState, list_footer_keys
from cardtable.ui.toolkit.page import KeyTarget, paint_footer
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget
from cardtable.ui.toolkit.painting.themes import Appearance
from tests.session.session_player import NOW
from tests.ui import screen_routes
from tests.ui.canvas_rendering import APPEARANCE, THEME, generate_rounds, get_rows, make_frame
from tests.ui.driver import SIZES, at_screen
from tests.ui.screen_routes import fast_program
from tests.ui.table_host import TableApp, create_session

__all__ = ["fast_program"]  # a fixture

EXCLUDED_PLACES = (
    *("keys of", "palette", "picture", "another session", "the same deal"),
    *("removing", "giving up", "a table's name", "leaving what"),
)
"""Dialogs and lists that name their exit themselves, and places whose keys have led away by then."""
PLACES = {
    **{place: about for place, about in screen_routes.PLACES.items() if not place.startswith(EXCLUDED_PLACES)},
    "watching robots think": (lambda: (create_session("king", 3, people=0),), ""),
    "hot seat": (lambda: (create_session("rikiki", 11, people=2),), "enter"),
    "open to others": (lambda: (None, ("open_to_others",)), ""),
    "joining a club": (lambda: (None, ("join_club",)), ""),
}
KEYS = {"up down": "decision", "play": "replay", "go_on": "play here", "leave": "back", "names": "names"}


def find_exit_keys(canvas):
    """Return the keys in the last row that leave the page; Enter counts if it is labelled so."""
    row = [canvas.hit_test(x, canvas.height - 1) for x in range(canvas.width)]
    footer = get_rows(canvas)[-1]
    leads = {"leave", "close", *(["play"] if "Enter leave" in footer else [])}
    return {str(target) for target in row if isinstance(target, KeyTarget)} & leads


@pytest.mark.parametrize("place", PLACES)
async def test_exit_keys(place):
    screen_routes.write_home(place)
    first, keys = PLACES[place]
    app = screen_routes.create_app(*first())
    app.context.statistics_client = screen_routes.DelayedStatistics()
    async with at_screen(app) as program:
        await screen_routes.wait_until_idle(program.pilot)
        for key in keys.split():
            await program.press(key)
            await screen_routes.wait_until_idle(program.pilot)
        painting = app.screen.query(CanvasWidget).last()
        for size in SIZES:
            assert find_exit_keys(painting.paint(*size)), str(painting.paint(*size))


def paint_keys(keys, width, look=APPEARANCE, **more):
    canvas = Canvas(width, 3, look)
    paint_footer(canvas, keys, 2, **more)
    return canvas


@pytest.mark.parametrize("bound", [{}, {"leave": "ctrl+backspace", "play": "ctrl+pagedown"}], ids=["usual", "long"])
@pytest.mark.parametrize("sheet", [True, False])
def test_narrow_footer_drops_keys_but_leave(bound, sheet):
    keys, _ = build_keymap(changes=bound)
    before = list(KEYS)
    for width in range(120, 30, -1):
        canvas = paint_keys(KEYS, width, Appearance(THEME, keys=keys), with_help=sheet)
        targets = [canvas.hit_test(x, 2) for x in range(width)]
        names = [name for name in KEYS if KeyTarget(name.split()[-1]) in targets]
        assert "leave" in names
        assert names == [name for name in before if name in names]
        assert [name for name in names if name != "leave"] == [n for n in KEYS if n != "leave"][: len(names) - 1]
        before = names


@pytest.mark.parametrize(("width", "named"), [(60, "Enter leave  r replay  e review  n new deal"), (80, "= same deal")])
def test_session_end_names_replay_and_review(width, named):
    end = replace(make_frame(generate_rounds(28), stage=Stage.SESSION_END), is_recorded=True)
    footer = get_rows(paint_keys(list_footer_keys(end), width))[-1]
    assert named in footer
    assert "r replay" in footer
    assert "e review" in footer


def test_no_same_deal_after_club_session():
    at_home = create_session("gurka")
    at_club = sessions.create(
        at_home.referee.game, at_home.header.seats, at_home.referee.options, 1, now=NOW, host_id="abcdefghjkmnpqrs"
    )
    for session, has_same_deal in ((at_home, True), (at_club, False)):
        assert TableApp(session).table.frame.has_same_deal is has_same_deal
        end = replace(make_frame(generate_rounds(28), stage=Stage.SESSION_END), has_same_deal=has_same_deal)
        footer = get_rows(paint_keys(list_footer_keys(end), 120))[-1]
        assert ("same deal" in footer) is has_same_deal
        assert "n new deal" in footer
        assert TABLE_SCOPE.is_enabled("again", TableKeyState(end)) is has_same_deal
