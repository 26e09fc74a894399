"""Dragging cards from the hand to the middle of the table, and the wheel over hand and messages."""

from types import SimpleNamespace

import pytest
from textual import events

from cardtable.engine.cards import BIT, Card, iter_cards
from cardtable.engine.tricks import Play
from cardtable.games.rummy.rules.actions import Drop, Meld
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.hand_cursor import MAT, PointCard, to_first_copy
from cardtable.ui.table.paint.panel import ScrollMessages
from cardtable.ui.table.paint.table_widget import TableWidget
from tests.ui.driver import sit_at
from tests.ui.table_host import create_session


async def start_drag(table, card):
    await table.pilot.mouse_down(offset=table.locate(PointCard(card)))
    await table.pilot.hover(offset=table.locate(MAT))


async def drag(table, card, to=None):
    """Drag a card to a place, by default to the middle of the table."""
    await start_drag(table, card)
    to = to or table.locate(MAT)
    await table.pilot.hover(offset=to)
    await table.pilot.mouse_up(offset=to)
    await table.pilot.pause()


def list_playable_cards(frame):
    return [card for card in frame.hand.cards if frame.hand.can_select(card)]


def has_illegal_cards(frame):
    """Return True if some, but not all, cards of the hand are legal."""
    plays = [action for action in frame.view.legal if isinstance(action, Play)]
    return frame.waiting and 0 < len(plays) < len(frame.hand.cards)


def can_discard(frame):
    return frame.waiting and any(isinstance(action, Drop) for action in frame.view.legal)


def can_meld(frame):
    return frame.stage is Stage.PLAY and any(isinstance(action, Meld) for action in frame.view.legal)


def sit_at_rikiki(until=has_illegal_cards):
    return sit_at(create_session("rikiki", 11), until=until)


@pytest.mark.parametrize(
    ("key", "seats", "until"), [("rikiki", 4, has_illegal_cards), ("bridge", 3, list_playable_cards)]
)
async def test_drag_to_middle_plays_card(key, seats, until):
    async with sit_at(create_session(key, 5, seats=seats), until=until) as table:
        before, card = table.referee.decisions, list_playable_cards(table.frame)[0]
        await drag(table, card)
        await table.wait_for_decision(before + 1)
        await table.wait_for_input()
        assert card not in table.frame.hand.cards


async def test_drag_to_middle_discards_in_rummy():
    async with sit_at(create_session("rummy", 5, seats=2), until=can_discard) as table:
        dropped = next(action.card for action in table.view.legal if isinstance(action, Drop))
        await drag(table, dropped)
        await table.wait_until(lambda: dropped not in (table.frame.hand.cards or ()))


async def test_drag_melds_selected_cards_in_rummy():
    async with sit_at(create_session("rummy", 5, seats=2, level="steady"), until=can_meld) as table:
        meld = next(action for action in table.view.legal if isinstance(action, Meld))
        cards, laid = [to_first_copy(card) for card in iter_cards(meld.cards_used())], table.view.laid[0]
        for card in cards:
            await table.click_on(PointCard(card))
        await drag(table, cards[0])
        await table.wait_until(lambda: table.view.laid[0] > laid)


async def test_dragged_card_follows_pointer():
    async with sit_at_rikiki() as table:
        view, card = table.screen.view, list_playable_cards(table.frame)[0]
        await start_drag(table, card)
        hidden, dragged = view.shown_sprites
        place = view.canvas.card_bounds[card]
        assert hidden[:2] == (place.x, place.y)
        await table.pilot.hover(offset=(30, 8))
        assert view.shown_sprites[1][:2] == (27, 6)
        assert view.shown_sprites[1].canvas is dragged.canvas
        await table.pilot.mouse_up(offset=(0, 0))


async def test_release_outside_middle_plays_nothing():
    async with sit_at_rikiki() as table:
        before, card = table.referee.decisions, list_playable_cards(table.frame)[-1]
        await drag(table, card, (70, 20))
        assert not table.screen.view.shown_sprites
        assert table.referee.decisions == before
        assert table.frame.waiting
        assert table.frame.hand.at == card, "the card is selected, but not played"


async def test_escape_cancels_drag():
    async with sit_at_rikiki() as table:
        before, card = table.referee.decisions, list_playable_cards(table.frame)[0]
        await start_drag(table, card)
        await table.press("escape")
        assert not table.screen.view.shown_sprites
        await table.pilot.hover(offset=table.locate(MAT))
        await table.pilot.mouse_up(offset=table.locate(MAT))
        await table.pilot.pause()
        assert not table.screen.view.shown_sprites
        assert table.app.screen is table.screen
        assert table.referee.decisions == before
        await drag(table, card)
        await table.wait_for_decision(before + 1)


async def test_drag_of_illegal_card_shows_reason():
    async with sit_at_rikiki() as table:
        before, frame = table.referee.decisions, table.frame
        card = next(card for card in frame.hand.cards if not frame.hand.can_select(card))
        await drag(table, card)
        assert table.frame.reason == frame.game.explain_illegal(frame.view, BIT[card]) != ""
        assert table.referee.decisions == before


async def test_drag_before_bid_plays_nothing():
    async with sit_at_rikiki(until=lambda frame: frame.decision) as table:
        await drag(table, table.frame.hand.cards[0])
        assert table.frame.waiting
        assert table.frame.reason


async def test_drag_and_click_are_distinct():
    async with sit_at_rikiki(until=lambda frame: frame.waiting and len(list_playable_cards(frame)) > 1) as table:
        before = table.referee.decisions
        card = next(card for card in list_playable_cards(table.frame) if card != table.frame.hand.at)
        await table.click_on(PointCard(card))
        assert table.frame.hand.at == card
        assert table.referee.decisions == before
        await drag(table, card, table.locate(PointCard(card)))
        assert table.referee.decisions == before, "a card dropped in its place does not count as clicked"
        await table.click_on(PointCard(card))
        await table.wait_for_decision(before + 1)


def sit_at_rummy():
    return sit_at(create_session("rummy", 5, seats=2), until=lambda frame: frame.waiting and frame.view.drew)


def show_26_cards(table):
    table.screen.cursor.reorder_hand(map(Card, range(26)))
    table.screen.cursor.go_to_card(Card(0))
    table.screen.show()


async def test_wheel_scrolls_long_hand():
    async with sit_at_rummy() as table:
        short = table.frame.hand.at
        await turn_wheel(table, 1)
        assert table.frame.hand.at == short, "the wheel does not scroll a hand that is completely visible"
        show_26_cards(table)
        await turn_wheel(table, 20)
        assert table.frame.hand.at == 20
        assert table.locate(PointCard(Card(20)))
        await turn_wheel(table, -1)
        assert table.frame.hand.at == 19
        await turn_wheel(table, 40)
        assert table.frame.hand.at == 25, "the wheel stops at the ends"
        await turn_wheel(table, -40)
        assert table.frame.hand.at == 0


async def test_wheel_steps_paint_once_and_precede_keys(monkeypatch):
    async with sit_at_rummy() as table:
        painted = []
        show_26_cards(table)
        paint = TableWidget.paint
        monkeypatch.setattr(TableWidget, "paint", lambda *size: painted.append(1) or paint(*size))
        await turn_wheel(table, 15)
        assert table.frame.hand.at == 15
        assert len(painted) == 1
        for _ in range(4):
            table.screen.on_mouse_scroll_down(SimpleNamespace(x=0, y=0))
        table.screen.view.post_message(events.Key("shift+right", None))
        await table.pilot.pause()
        assert table.frame.hand.at == 20


async def test_wheel_over_panel_scrolls_messages():
    async with sit_at(create_session("gurka", 5), until=lambda f: f.waiting and len(f.messages) > 40) as table:
        view, newest = table.screen.view, table.text
        spot = next(spot for spot in view.canvas.hit_boxes if isinstance(spot.target, ScrollMessages))
        await turn_wheel(table, -1, spot)
        await table.sees("\u2193 newer")
        await turn_wheel(table, -1000, spot)
        oldest = table.text
        await turn_wheel(table, -1, spot)
        assert table.text == oldest
        await turn_wheel(table, 1000, spot)
        assert table.text == newest
        await turn_wheel(table, -3, spot)
        await table.screen.controller.say("hello", 0)
        await table.pilot.pause()
        assert "\u2193 newer" not in table.text, "a new message scrolls to the end"


CORNER = SimpleNamespace(x=0, y=0)


async def turn_wheel(table, steps, at=CORNER):
    """Turn the wheel over the table faster than it is painted."""
    for _ in range(abs(steps)):
        if steps > 0:
            table.screen.on_mouse_scroll_down(at)
        else:
            table.screen.on_mouse_scroll_up(at)
    await table.pilot.pause()
