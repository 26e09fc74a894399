"""Hot seat with two to six people: the curtain between them and its contents."""

import re

import pytest

from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.table.overlays import PublicMessages, ScoreSheet
from cardtable.wording.formatting import format_card
from cardtable.wording.log_entries import get_sender
from tests.ui.driver import LARGE, SMALL, TINY, sit_at
from tests.ui.table_host import create_session


def sit_together(key="rikiki", size=SMALL):
    """Open a table of two people; Rummy has no robots."""
    return sit_at(create_session(key, 11, people=2, seats=2 if key == "rummy" else 4), size)


def is_curtain(frame, *, round_=1, seat=None):
    return (
        frame.stage is Stage.CURTAIN
        and frame.view.round == round_
        and frame.handover_seat in ({seat} - {None} or {0, 1, 2})
    )


RUMMY_TURN = ("meld", "add", "drop", "take 2", "stock")


@pytest.mark.parametrize(
    ("key", "condition"),
    [
        ("rikiki", lambda frame: is_curtain(frame, round_=7, seat=1)),
        ("rummy", lambda frame: is_curtain(frame) and frame.view.table),
    ],
    ids=["rikiki", "rummy"],
)
async def test_golden_curtain(key, condition):
    async with sit_together(key) as table:
        await table.act_until(condition, *RUMMY_TURN)
        await table.check_golden_in_sizes(f"curtain_{key}")


async def test_score_sheet_and_messages_at_curtain():
    async with sit_together() as table:
        await table.act_until(lambda frame: is_curtain(frame, round_=5))
        text = table.text
        for key, cover in (("s", ScoreSheet), ("m", PublicMessages)):
            await table.press(key)
            assert isinstance(table.overlay, cover)
            assert table.text != text
            await table.press("enter")
            assert table.text == text, "Enter closes the overlay and shows no hand"
        await table.press("enter")
        await table.wait_until(lambda: table.frame.waiting)


async def test_curtain_shows_only_public_messages():
    """The previous player may read them before leaving the keyboard."""
    async with sit_together("rummy", LARGE) as table:
        await table.act_until(lambda frame: frame.waiting)
        anna = table.view.seat
        table.act("stock")
        await table.wait_for_input()
        drawn = format_card(table.view.drawn)
        await table.sees(f"draws {drawn}")
        table.act("drop 2", "drop 3", "drop 4", "drop 5")
        await table.act_until(lambda frame: is_curtain(frame, seat=anna), "stock", "drop")
        await table.sees("Since your last turn", "draws a card and discards")
        await table.press("m")
        assert f"draws {drawn}" not in table.text
        await table.press("enter enter")
        await table.wait_until(lambda: table.frame.waiting)
        await table.press("m")
        assert f"draws {drawn}" in table.text, "the player reads private messages on their own turn"


@pytest.mark.parametrize("key", ["m", "l", "h"])
async def test_curtain_closes_overlay(key):
    async with sit_together() as table:
        await table.act_until(lambda frame: frame.waiting and frame.game_view.previous_trick(frame.view))
        await table.press(key)
        assert table.overlay
        await table.act_until(lambda frame: frame.stage is not Stage.PLAY)
        assert table.frame.stage is Stage.CURTAIN
        assert table.overlay is None


async def test_curtain_cancels_drag():
    async with sit_together("rummy") as table:
        await table.act_until(lambda frame: frame.waiting and frame.view.drew, "stock")
        await table.pilot.mouse_down(offset=table.locate(PointCard(table.frame.hand.cards[0])))
        await table.pilot.hover(offset=(30, 10))
        assert table.screen.view.shown_sprites
        table.act("drop")
        await table.wait_for_input()
        await table.pilot.hover(offset=(31, 10))
        assert table.frame.stage is Stage.CURTAIN
        assert not table.screen.view.shown_sprites
        await table.press("enter")
        await table.wait_until(lambda: table.frame.waiting)
        await table.pilot.hover(offset=(32, 10))
        assert not table.screen.view.shown_sprites


async def test_resumed_curtain_shows_same_messages():
    async with sit_together() as table:
        await table.act_until(lambda frame: is_curtain(frame, round_=5) and len(frame.missed.messages) > 3)
        before, path = table.frame, table.screen.session.path
    async with sit_at(sessions.resume(path)) as table:
        after = table.frame
        assert (after.stage, after.handover_seat) == (Stage.CURTAIN, before.handover_seat)
        assert (after.missed.has_acted, after.missed.messages) == (before.missed.has_acted, before.missed.messages)
        assert after.missed.since is None, "the time of the last turn is not stored"


async def test_all_people_are_called_by_name():
    async with sit_together() as table:
        assert table.frame.names[:2] == ["Anna", "Bob"]
        await table.act_until(lambda frame: frame.waiting and frame.view.round == 5 and not frame.decision)
        senders = {get_sender(note, table.frame.names) for note in table.frame.messages}
        assert senders == {"****", "Anna", "Bob", "Ada", "Bo"}
        for key in ("m", "s"):
            await table.press(key)
            await table.sees("Anna")
            assert "You" not in re.sub(r"You (lead|have your bid|must)", "", table.text)
            await table.press(key)


async def test_undo_is_refused_with_several_people():
    async with sit_together(size=TINY) as table:
        curtain = table.text
        await table.press("u")
        assert table.text == curtain, "nothing can be undone at a curtain"
        await table.act_until(lambda frame: frame.waiting)
        await table.press("u")
        await table.sees("Can't undo: several people are playing")
        assert table.referee.undone == 0
