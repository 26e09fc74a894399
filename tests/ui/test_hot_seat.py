"""Hot seat with two to six people: the curtain between them and its contents."""

import re

import pytest

from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.table.overlays.simple import PublicMessages, ScoreSheet
from cardtable.wording.formatting import format_card
from cardtable.wording.log_entries import get_sender
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import Host, asked, session, until

SIZES = [(80, 24), (120, 40), (60, 18)]
SMALL = SIZES[0]


def wish(view, *kinds):
    """Return the first legal action of the first kind that is possible, or else the first legal action."""
    found = [a for kind in kinds for a in view.legal if str(a).startswith(kind)]
    return (found or [*view.legal])[0]


async def play_until(pilot, app, holds, *kinds):
    """Let all players take the first action, preferably of these kinds, until a condition of the frame is true."""
    for _ in range(2000):
        await asked(pilot, app)
        if holds(app.table.frame):
            return
        app.table.controller.submit(
            None if app.table.frame.stage is not Stage.PLAY else wish(app.table.frame.view, *kinds)
        )
    raise AssertionError("it never came")


def curtain(frame, *, round_=1, seat=None):
    return (
        frame.stage is Stage.CURTAIN
        and frame.view.round == round_
        and frame.handover_seat in ({seat} - {None} or {0, 1, 2})
    )


@pytest.mark.promise(
    "Hot seat and hidden cards",
    "At a hot seat a curtain hides all hands between turns and lists what has happened since the last turn.",
)
@pytest.mark.parametrize("size", SIZES)
async def test_the_curtain_of_a_trick_game_looks_as_drawn(size):
    app = Host(session("rikiki", 11, people=2))
    async with app.run_test(size=size) as pilot:
        await play_until(pilot, app, lambda frame: curtain(frame, round_=7, seat=1))
        golden_files.check(f"curtain_rikiki_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", SIZES)
async def test_the_curtain_of_rummy_looks_as_drawn(size):
    app = Host(session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=size) as pilot:
        turns = ("meld", "add", "drop", "take 2", "stock")
        await play_until(pilot, app, lambda frame: curtain(frame) and frame.view.table, *turns)
        golden_files.check(f"curtain_rummy_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_who_acts_again_meets_no_curtain():
    app = Host(session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting)
        seat = app.view.seat
        for kind in ("stock", "drop"):
            assert (app.table.frame.stage, app.view.seat) == (Stage.PLAY, seat)
            app.table.controller.submit(wish(app.view, kind))
            await asked(pilot, app)
        assert (app.table.frame.stage, app.table.frame.handover_seat) == (Stage.CURTAIN, 1 - seat)


async def test_who_plays_against_robots_never_meets_a_curtain():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.CURTAIN or frame.view.round == 4)
        assert app.table.frame.stage is not Stage.CURTAIN


async def test_after_a_round_s_end_which_all_have_looked_at_there_is_a_curtain_for_whoever_acts():
    app = Host(session("rikiki", 12, people=2))
    async with app.run_test(size=SMALL) as pilot:
        twice = 0
        for round_ in range(1, 8):
            await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
            last = app.view.seat
            app.table.controller.submit(None)
            await asked(pilot, app)
            assert app.table.frame.stage is Stage.CURTAIN
            assert app.view.round == round_ + 1
            twice += app.table.frame.handover_seat == last
        assert twice


async def test_sheet_and_messages_can_be_looked_at_before_the_hand():
    app = Host(session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: curtain(frame, round_=5))
        text = screen_text(app)
        for key, cover in (("s", ScoreSheet), ("m", PublicMessages)):
            await pilot.press(key)
            assert isinstance(app.table.view.overlay, cover)
            assert screen_text(app) != text
            await pilot.press("enter")
            assert screen_text(app) == text, "Enter puts it away and shows no hand"
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.waiting)


@pytest.mark.promise("Hot seat and hidden cards", "No screen shows another player's hand before the round has ended.")
async def test_the_curtain_and_its_messages_tell_what_everybody_was_told():
    """The previous player may read them before leaving the keyboard."""
    app = Host(session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=(120, 40)) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting)
        anna = app.view.seat
        app.table.controller.submit(wish(app.view, "stock"))
        await asked(pilot, app)
        drawn = format_card(app.view.drawn)
        assert f"draws {drawn}" in screen_text(app)
        app.table.controller.submit(wish(app.view, *[f"drop {card}" for card in ("2", "3", "4", "5")]))
        await play_until(pilot, app, lambda frame: curtain(frame, seat=anna), "stock", "drop")
        assert "Since your last turn" in screen_text(app)
        assert "draws a card, drops" in screen_text(app)
        await pilot.press("m")
        assert f"draws {drawn}" not in screen_text(app)
        await pilot.press("enter", "enter")
        await until(pilot, lambda: app.table.frame.waiting)
        await pilot.press("m")
        assert f"draws {drawn}" in screen_text(app), "at her turn she reads what only she was told"


@pytest.mark.parametrize("key", ["m", "l", "h"])
async def test_what_lies_over_the_table_goes_when_the_curtain_falls(key):
    app = Host(session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.game_view.previous_trick(frame.view))
        await pilot.press(key)
        assert app.table.view.overlay
        while app.table.frame.stage is Stage.PLAY:
            app.table.controller.submit(wish(app.view))
            await asked(pilot, app)
        assert app.table.frame.stage is Stage.CURTAIN
        assert app.table.view.overlay is None


async def test_a_card_in_the_mouse_s_hand_is_not_carried_to_the_next_person():
    app = Host(session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.drew, "stock")
        await pilot.pause()
        spots = app.table.view.canvas.hit_boxes
        spot = next(spot for spot in spots if spot.target == PointCard(app.table.frame.hand.cards[0]))
        await pilot.mouse_down(offset=(spot.x, spot.y + 1))
        await pilot.hover(offset=(30, 10))
        assert app.table.view.shown_sprites
        app.table.controller.submit(wish(app.view, "drop"))
        await asked(pilot, app)
        await pilot.hover(offset=(31, 10))
        assert app.table.frame.stage is Stage.CURTAIN
        assert not app.table.view.shown_sprites
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.waiting)
        await pilot.hover(offset=(32, 10))
        assert not app.table.view.shown_sprites


async def test_after_a_resume_the_curtain_tells_the_same():
    app = Host(session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: curtain(frame, round_=5) and len(frame.missed.messages) > 3)
        before, path = app.table.frame.missed, app.table.session.path
        called = app.table.frame.handover_seat
    again = Host(sessions.resume(path))
    async with again.run_test(size=SMALL) as pilot:
        await asked(pilot, again)
        assert (again.table.frame.stage, again.table.frame.handover_seat) == (Stage.CURTAIN, called)
        assert (again.table.frame.missed.has_acted, again.table.frame.missed.messages) == (
            before.has_acted,
            before.messages,
        )
        assert again.table.frame.missed.since is None, "how long it is ago is known in one run of the program"


async def test_while_robots_begin_nobody_s_hand_is_shown_and_nobody_is_called():
    app = Host(session("rikiki", 11, people=2))
    shown = []
    async with app.run_test(size=SMALL) as pilot:
        show = app.table.show

        def watch():
            show()
            shown.append((app.table.frame.stage, app.table.frame.handover_seat, screen_text(app)))

        app.table.controller.show = watch
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END and frame.view.round == 6)
        shown.clear()
        app.table.controller.submit(None)
        await asked(pilot, app)
        assert any(called is None for _, called, _ in shown), "robots have bid first"
        for stage, called, text in shown:
            assert stage is Stage.CURTAIN
            assert ("press Enter" in text) == (called is not None)


async def test_everybody_is_called_by_name():
    app = Host(session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        assert app.table.frame.names[:2] == ["Anna", "Bob"]
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.round == 5 and not frame.decision)
        assert {get_sender(note, app.table.frame.names) for note in app.table.frame.messages} == {
            "****",
            "Anna",
            "Bob",
            "Ada",
            "Bo",
        }
        for key in ("m", "s"):
            await pilot.press(key)
            text = screen_text(app)
            assert "Anna" in text
            assert "You" not in re.sub(r"You (lead|have your bid|must)", "", text)
            await pilot.press(key)


@pytest.mark.promise(
    "The table",
    "If all others are robots, `u` takes back the last decision, but no deal and no card that was drawn unseen.",
)
@pytest.mark.parametrize("size", SIZES)
async def test_take_back_says_that_several_people_play(size):
    app = Host(session("rikiki", 11, people=2))
    async with app.run_test(size=size) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting)
        await pilot.pause()
        await pilot.press("u")
        await pilot.pause()
        assert "No way back: several people play" in screen_text(app)
        assert app.table.session.referee.undone == 0


async def test_take_back_at_a_curtain_does_nothing():
    app = Host(session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, curtain)
        await pilot.pause()
        before = screen_text(app)
        await pilot.press("u")
        await pilot.pause()
        assert screen_text(app) == before
