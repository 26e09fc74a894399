"""Dragging cards from the hand to the middle of the table, and the wheel over hand and messages."""

from types import SimpleNamespace

from textual import events

from cardtable.engine.cards import BIT, Card, iter_cards
from cardtable.engine.tricks import Play
from cardtable.games.rummy.rules.actions import Drop, Meld
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.hand_cursor import MAT, PointCard, to_first_copy
from cardtable.ui.table.paint.panel import ScrollMessages
from cardtable.ui.table.paint.table_widget import TableWidget
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, open_table, play_until, wait_for_input, wait_until

SIZE = (80, 24)


def locate_target(app, target):
    """Return a cell at the left end of a target, where no other card covers it."""
    spot = next(spot for spot in app.table.view.canvas.hit_boxes if spot.target == target)
    return spot.x + 1, spot.y + spot.height // 2


async def start_drag(pilot, app, card):
    view = app.table.view
    await pilot.mouse_down(view, offset=locate_target(app, PointCard(card)))
    await pilot.hover(view, offset=locate_target(app, MAT))


async def drag(pilot, app, card, to=None):
    """Drag a card to a place, by default to the middle of the table."""
    await start_drag(pilot, app, card)
    view, to = app.table.view, to or locate_target(app, MAT)
    await pilot.hover(view, offset=to)
    await pilot.mouse_up(view, offset=to)
    await pilot.pause()


def has_illegal_cards(frame):
    """Return True if some, but not all, cards of the hand are legal."""
    plays = [action for action in frame.view.legal if isinstance(action, Play)]
    return frame.waiting and 0 < len(plays) < len(frame.hand.cards)


async def test_drag_to_middle_plays_card():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, has_illegal_cards)
        before = app.table.session.referee.decisions
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        await drag(pilot, app, card)
        await wait_until(pilot, lambda: app.table.session.referee.decisions > before)
        await wait_for_input(pilot, app)
        assert card not in app.table.frame.hand.cards


async def test_dragged_card_follows_pointer():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, has_illegal_cards)
        view = app.table.view
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        await start_drag(pilot, app, card)
        hidden, dragged = view.shown_sprites
        place = view.canvas.card_bounds[card]
        assert hidden[:2] == (place.x, place.y)
        await pilot.hover(view, offset=(30, 8))
        assert view.shown_sprites[1][:2] == (27, 6)
        assert view.shown_sprites[1].canvas is dragged.canvas
        await pilot.mouse_up(view, offset=(0, 0))


async def test_release_outside_middle_plays_nothing():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, has_illegal_cards)
        before = app.table.session.referee.decisions
        card = next(card for card in reversed(app.table.frame.hand.cards) if app.table.frame.hand.can_select(card))
        await drag(pilot, app, card, (70, 20))
        assert not app.table.view.shown_sprites
        assert app.table.session.referee.decisions == before
        assert app.table.frame.waiting
        assert app.table.frame.hand.at == card, "the card is selected, but not played"


async def test_escape_cancels_drag():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, has_illegal_cards)
        view, before = app.table.view, app.table.session.referee.decisions
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        await start_drag(pilot, app, card)
        await pilot.press("escape")
        assert not view.shown_sprites
        await pilot.hover(view, offset=locate_target(app, MAT))
        await pilot.mouse_up(view, offset=locate_target(app, MAT))
        await pilot.pause()
        assert not view.shown_sprites
        assert app.screen is app.table
        assert app.table.session.referee.decisions == before
        await drag(pilot, app, card)
        await wait_until(pilot, lambda: app.table.session.referee.decisions > before)


async def test_drag_of_illegal_card_shows_reason():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, has_illegal_cards)
        before = app.table.session.referee.decisions
        card = next(card for card in app.table.frame.hand.cards if not app.table.frame.hand.can_select(card))
        await drag(pilot, app, card)
        assert app.table.frame.reason == app.table.frame.game.explain_illegal(app.table.frame.view, BIT[card]) != ""
        assert app.table.session.referee.decisions == before


async def test_drag_before_bid_plays_nothing():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, SIZE) as pilot:
        await drag(pilot, app, app.table.frame.hand.cards[0])
        assert app.table.frame.waiting
        assert app.table.frame.reason


async def test_drag_and_click_are_distinct():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(
            pilot, app, lambda frame: frame.waiting and sum(map(frame.hand.can_select, frame.hand.cards)) > 1
        )
        before = app.table.session.referee.decisions
        card = next(
            card
            for card in app.table.frame.hand.cards
            if app.table.frame.hand.can_select(card) and card != app.table.frame.hand.at
        )
        await pilot.click(app.table.view, offset=locate_target(app, PointCard(card)))
        assert app.table.frame.hand.at == card
        assert app.table.session.referee.decisions == before
        x, y = locate_target(app, PointCard(card))
        await drag(pilot, app, card, (x, y))
        assert app.table.session.referee.decisions == before, "a card dropped in its place does not count as clicked"
        await pilot.click(app.table.view, offset=(x, y))
        await wait_until(pilot, lambda: app.table.session.referee.decisions > before)


async def test_drag_to_stack_in_bridge():
    app = TableApp(create_session("bridge", 5, seats=3))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(
            pilot, app, lambda frame: frame.waiting and any(frame.hand.can_select(card) for card in frame.hand.cards)
        )
        before = app.table.session.referee.decisions
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        await drag(pilot, app, card)
        await wait_until(pilot, lambda: app.table.session.referee.decisions > before)
        await wait_for_input(pilot, app)
        assert card not in app.table.frame.hand.cards


async def test_drag_to_middle_discards_in_rummy():
    app = TableApp(create_session("rummy", 5, seats=2))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.drew and frame.view.must is None)
        dropped = next(action.card for action in app.table.frame.view.legal if isinstance(action, Drop))
        await drag(pilot, app, dropped)
        await wait_until(pilot, lambda: not app.table.frame.hand.cards or dropped not in app.table.frame.hand.cards)


async def test_drag_melds_selected_cards_in_rummy():
    app = TableApp(create_session("rummy", 5, seats=2, level="steady"))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, can_meld)
        meld = next(action for action in app.table.frame.view.legal if isinstance(action, Meld))
        cards = [to_first_copy(card) for card in iter_cards(meld.cards_used())]
        for card in cards:
            await pilot.click(app.table.view, offset=locate_target(app, PointCard(card)))
        laid = app.table.frame.view.laid[0]
        await drag(pilot, app, cards[0])
        await wait_until(pilot, lambda: app.table.frame.view.laid[0] > laid)


def can_meld(frame):
    """Return True if the player can lay a combination."""
    return frame.stage is Stage.PLAY and any(isinstance(action, Meld) for action in frame.view.legal)


async def test_wheel_scrolls_long_hand():
    app = TableApp(create_session("rummy", 5, seats=2))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.drew)
        short = app.table.frame.hand.at
        await turn_wheel(pilot, app, 1)
        assert app.table.frame.hand.at == short, "the wheel does not scroll a hand that is completely visible"
        app.table.cursor.reorder_hand(map(Card, range(26)))
        app.table.cursor.go_to_card(Card(0))
        app.table.show()
        await turn_wheel(pilot, app, 20)
        assert app.table.frame.hand.at == 20
        assert locate_target(app, PointCard(Card(20)))
        await turn_wheel(pilot, app, -1)
        assert app.table.frame.hand.at == 19
        await turn_wheel(pilot, app, 40)
        assert app.table.frame.hand.at == 25, "the wheel stops at the ends"
        await turn_wheel(pilot, app, -40)
        assert app.table.frame.hand.at == 0


async def test_wheel_steps_paint_once_and_precede_keys(monkeypatch):
    app = TableApp(create_session("rummy", 5, seats=2))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.drew)
        painted = []
        app.table.cursor.reorder_hand(map(Card, range(26)))
        app.table.cursor.go_to_card(Card(0))
        app.table.show()
        paint = TableWidget.paint
        monkeypatch.setattr(TableWidget, "paint", lambda *size: painted.append(1) or paint(*size))
        await turn_wheel(pilot, app, 15)
        assert app.table.frame.hand.at == 15
        assert len(painted) == 1
        for _ in range(4):
            app.table.on_mouse_scroll_down(SimpleNamespace(x=0, y=0))
        app.table.view.post_message(events.Key("shift+right", None))
        await pilot.pause()
        assert app.table.frame.hand.at == 20


async def test_wheel_over_panel_scrolls_messages():
    app = TableApp(create_session("gurka", 5))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and len(frame.messages) > 40)
        view, newest = app.table.view, screen_text(app)
        spot = next(spot for spot in view.canvas.hit_boxes if isinstance(spot.target, ScrollMessages))
        await turn_wheel(pilot, app, -1, spot)
        assert "\u2193 newer" in screen_text(app)
        await turn_wheel(pilot, app, -1000, spot)
        oldest = screen_text(app)
        await turn_wheel(pilot, app, -1, spot)
        assert screen_text(app) == oldest
        await turn_wheel(pilot, app, 1000, spot)
        assert screen_text(app) == newest
        await turn_wheel(pilot, app, -3, spot)
        await app.table.controller.say("hello", 0)
        await pilot.pause()
        assert "\u2193 newer" not in screen_text(app), "a new message scrolls to the end"


CORNER = SimpleNamespace(x=0, y=0)


async def turn_wheel(pilot, app, steps, at=CORNER):
    """Turn the wheel over the table faster than it is painted."""
    for _ in range(abs(steps)):
        if steps > 0:
            app.table.on_mouse_scroll_down(at)
        else:
            app.table.on_mouse_scroll_up(at)
    await pilot.pause()
