"""Footers: every page names the way out at every width; keys at the end of a session."""

import pytest
from msgspec.structs import replace

from cardtable.session.session_events import Stage
from cardtable.store import passwords, profiles, sessions
from cardtable.ui.table.input.enabled_keys import TableConditions, list_footer_keys
from cardtable.ui.toolkit.footer import KeyTarget, paint_footer
from cardtable.ui.toolkit.keys.bindings import TABLE as TABLE_SCOPE
from cardtable.ui.toolkit.keys.keymap import build_keymap
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget
from cardtable.ui.toolkit.painting.themes import Appearance
from tests.session.session_player import NOW
from tests.ui import test_bursts as places
from tests.ui.painted import LOOK, THEME, frame, many, rows
from tests.ui.table_host import Host, session

SIZES = ((60, 18), (80, 24), (120, 40))
WITHOUT = (
    *("keys of", "palette", "picture", "another session", "the same deal"),
    *("removing", "giving up", "a table's name", "leaving what"),
)
"""Dialogs and lists that name their exit themselves, and places whose keys have led away by then."""
PICKER = {place: ((), keys) for place, keys in places.FROM_THE_PICKER.items() if not place.startswith(WITHOUT)}
TABLE = {place: about for place, about in places.FROM_THE_TABLE.items() if not place.startswith(WITHOUT)}
ELSEWHERE = {
    **{
        place: about
        for place, about in (places.ABOUT_A_SESSION | places.FIRST_OF_ALL).items()
        if not place.startswith(WITHOUT)
    },
    "watching robots think": (lambda: (session("king", 3, people=0),), ""),
    "hot seat": (lambda: (session("rikiki", 11, people=2),), "enter"),
    "open to others": (lambda: (None, ("open_to_others",)), ""),
}
KEYS = {"up down": "decision", "play": "replay", "go_on": "play on there", "leave": "back", "names": "names"}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    places.settings_say()
    monkeypatch.setattr(places.input_guard, "CURTAIN_SECONDS", 0)
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))


def ways_out(canvas):
    """Return the keys in the last row that leave the page; Enter counts if it is labelled so."""
    row = [canvas.hit_test(x, canvas.height - 1) for x in range(canvas.width)]
    said = rows(canvas)[-1]
    leads = {"leave", "close", *(["play"] if "Enter leave" in said else [])}
    return {str(target) for target in row if isinstance(target, KeyTarget)} & leads


async def holds(first, keys):
    app = places.begun(*first)
    app.context.statistics_client = places.Soon()
    async with app.run_test(size=(80, 24)) as pilot:
        await places.settled(pilot)
        for key in keys.split():
            await pilot.press(key)
            await places.settled(pilot)
        painting = app.screen.query(CanvasWidget).last()
        for size in SIZES:
            assert ways_out(painting.paint(*size)), str(painting.paint(*size))


@pytest.mark.parametrize("place", PICKER)
async def test_in_the_lobby(place):
    profiles.register("Anna", password="sesame77", again="sesame77")
    places.saved("rikiki").close()
    places.over()
    await holds(*PICKER[place])


@pytest.mark.parametrize("place", TABLE)
async def test_at_the_table(place):
    game, keys = TABLE[place]
    await holds((places.saved(game),), keys)


@pytest.mark.parametrize("place", ELSEWHERE)
async def test_on_pages_about_a_session_and_at_ends(place):
    first, keys = ELSEWHERE[place]
    await holds(first(), keys)


def footer(keys, width, look=LOOK, **more):
    canvas = Canvas(width, 3, look)
    paint_footer(canvas, keys, 2, **more)
    return canvas


@pytest.mark.parametrize("bound", [{}, {"leave": "ctrl+backspace", "play": "ctrl+pagedown"}], ids=["usual", "long"])
@pytest.mark.parametrize("sheet", [True, False])
def test_what_has_no_room_goes_from_the_end_and_the_way_out_last(bound, sheet):
    keys, _ = build_keymap(changes=bound)
    before = list(KEYS)
    for width in range(120, 30, -1):
        canvas = footer(KEYS, width, Appearance(THEME, keys=keys), with_help=sheet)
        targets = [canvas.hit_test(x, 2) for x in range(width)]
        kept = [name for name in KEYS if KeyTarget(name.split()[-1]) in targets]
        assert "leave" in kept
        assert kept == [name for name in before if name in kept]
        assert [name for name in kept if name != "leave"] == [n for n in KEYS if n != "leave"][: len(kept) - 1]
        before = kept


@pytest.mark.parametrize(("width", "named"), [(60, "Enter leave  r replay  e review  n new deal"), (80, "= same deal")])
def test_the_end_of_a_session_names_replay_and_review(width, named):
    end = replace(frame(many(28), stage=Stage.SESSION_END), is_recorded=True)
    said = rows(footer(list_footer_keys(end), width))[-1]
    assert named in said
    assert "r replay" in said
    assert "e review" in said


def test_no_same_deal_after_a_club_session():
    end = replace(frame(many(28), stage=Stage.SESSION_END), has_same_deal=False)
    assert "same deal" not in rows(footer(list_footer_keys(end), 120))[-1]
    assert "n new deal" in rows(footer(list_footer_keys(end), 120))[-1]
    again = TABLE_SCOPE.find("again")
    assert not TableConditions(end).enables(again)
    assert TableConditions(replace(end, has_same_deal=True)).enables(again)


def test_frame_of_a_club_session_has_no_same_deal():
    at_home = session("gurka")
    at_club = sessions.create(
        at_home.referee.game, at_home.header.seats, at_home.referee.options, 1, now=NOW, host_id="abcdefghjkmnpqrs"
    )
    frames = [Host(each).table.frame for each in (at_home, at_club)]
    assert [each.has_same_deal for each in frames] == [True, False]
