"""Cards dragged with the mouse: from the hand to the middle of the table."""

from textual import events

from cardtable.engine.cards import BIT, Card, each
from cardtable.engine.tricks import Play
from cardtable.games.rummy.rules import Drop, Meld
from cardtable.ui.kit.pointing import MAT, PointCard, choice
from cardtable.ui.table.model.sight import Stage
from cardtable.ui.table.paint.table_view import TableView
from tests.ui.table_host import Host, asked, session, until

SIZE = (80, 24)


def place(app, target):
    """The left end of what the mouse finds as ``target``: of a card the columns that no other covers."""
    spot = next(spot for spot in app.table._view.canvas.spots if spot.target == target)
    return spot.x + 1, spot.y + spot.height // 2


async def take_up(pilot, app, card):
    view = app.table._view
    await pilot.mouse_down(view, offset=place(app, PointCard(card)))
    await pilot.hover(view, offset=place(app, MAT))


async def drag(pilot, app, card, to=None):
    """Drag a card to a place, or else to the mat."""
    await take_up(pilot, app, card)
    view, to = app.table._view, to or place(app, MAT)
    await pilot.hover(view, offset=to)
    await pilot.mouse_up(view, offset=to)
    await pilot.pause()


async def reach(pilot, app, holds):
    """Play on by Enter until something holds."""
    await asked(pilot, app)
    while not holds(app.table.sight):
        await pilot.press("enter")
        await asked(pilot, app)


def following(sight):
    """Some cards of the hand may be played, and others not."""
    plays = [action for action in sight.view.legal if isinstance(action, Play)]
    return sight.waiting and 0 < len(plays) < len(sight.hand.cards)


async def test_a_card_dragged_to_the_middle_is_played():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, following)
        sight, before = app.table.sight, app.table.session.table.decisions
        card = next(card for card in sight.hand.cards if sight.hand.may(card))
        await drag(pilot, app, card)
        await until(pilot, lambda: app.table.session.table.decisions > before)
        await asked(pilot, app)
        assert card not in sight.hand.cards


async def test_the_card_follows_the_pointer_and_is_gone_from_the_hand():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, following)
        sight, view = app.table.sight, app.table._view
        card = next(card for card in sight.hand.cards if sight.hand.may(card))
        await take_up(pilot, app, card)
        hidden, held = view._over
        lain = view.canvas.lain[card]
        assert hidden[:2] == (lain.x, lain.y)
        await pilot.hover(view, offset=(30, 8))
        assert view._over[1][:2] == (27, 6)
        assert view._over[1].canvas is held.canvas
        await pilot.mouse_up(view, offset=(0, 0))


async def test_released_anywhere_else_nothing_happens():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, following)
        sight, before = app.table.sight, app.table.session.table.decisions
        card = next(card for card in reversed(sight.hand.cards) if sight.hand.may(card))
        await drag(pilot, app, card, (70, 20))
        assert not app.table._view._over
        assert app.table.session.table.decisions == before
        assert sight.waiting
        assert sight.hand.at == card, "it is only pointed at"


async def test_esc_lays_the_card_back_and_leaves_nothing_else():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, following)
        sight, view, before = app.table.sight, app.table._view, app.table.session.table.decisions
        card = next(card for card in sight.hand.cards if sight.hand.may(card))
        await take_up(pilot, app, card)
        await pilot.press("escape")
        assert not view._over
        await pilot.hover(view, offset=place(app, MAT))
        await pilot.mouse_up(view, offset=place(app, MAT))
        await pilot.pause()
        assert not view._over
        assert app.screen is app.table
        assert app.table.session.table.decisions == before
        await drag(pilot, app, card)
        await until(pilot, lambda: app.table.session.table.decisions > before)


async def test_a_card_that_may_not_be_played_says_why():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, following)
        sight, before = app.table.sight, app.table.session.table.decisions
        card = next(card for card in sight.hand.cards if not sight.hand.may(card))
        await drag(pilot, app, card)
        assert sight.reason == sight.game.why_not(sight.view, BIT[card]) != ""
        assert app.table.session.table.decisions == before


async def test_before_the_bid_no_card_is_played():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app)
        sight = app.table.sight
        await drag(pilot, app, sight.hand.cards[0])
        assert sight.waiting
        assert sight.reason


async def test_a_drag_is_no_click_and_a_click_no_drag():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, lambda sight: sight.waiting and sum(map(sight.hand.may, sight.hand.cards)) > 1)
        sight, before = app.table.sight, app.table.session.table.decisions
        card = next(card for card in sight.hand.cards if sight.hand.may(card) and card != sight.hand.at)
        await pilot.click(app.table._view, offset=place(app, PointCard(card)))
        assert sight.hand.at == card
        assert app.table.session.table.decisions == before
        x, y = place(app, PointCard(card))
        await drag(pilot, app, card, (x, y))
        assert app.table.session.table.decisions == before, "back in its place it is not clicked a second time"
        await pilot.click(app.table._view, offset=(x, y))
        await until(pilot, lambda: app.table.session.table.decisions > before)


async def test_in_bridge_a_card_is_dragged_to_the_stack():
    app = Host(session("bridge", 5, seats=3))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, lambda sight: sight.waiting and any(sight.hand.may(card) for card in sight.hand.cards))
        sight, before = app.table.sight, app.table.session.table.decisions
        card = next(card for card in sight.hand.cards if sight.hand.may(card))
        await drag(pilot, app, card)
        await until(pilot, lambda: app.table.session.table.decisions > before)
        await asked(pilot, app)
        assert card not in sight.hand.cards


async def test_in_rummy_a_card_dragged_to_the_mat_is_dropped():
    app = Host(session("rummy", 5, seats=2))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, lambda sight: sight.waiting and sight.view.drew and sight.view.must is None)
        sight = app.table.sight
        dropped = next(action.card for action in sight.view.legal if isinstance(action, Drop))
        await drag(pilot, app, dropped)
        await until(pilot, lambda: not sight.hand.cards or dropped not in sight.hand.cards)


async def test_in_rummy_chosen_cards_go_together():
    app = Host(session("rummy", 5, seats=2, level="steady"))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, melding)
        sight = app.table.sight
        meld = next(action for action in sight.view.legal if isinstance(action, Meld))
        cards = [choice(card) for card in each(meld.uses())]
        for card in cards:
            await pilot.click(app.table._view, offset=place(app, PointCard(card)))
        laid = sight.view.laid[0]
        await drag(pilot, app, cards[0])
        await until(pilot, lambda: sight.view.laid[0] > laid)


def melding(sight):
    """The person can lay a combination."""
    return sight.stage is Stage.PLAY and any(isinstance(action, Meld) for action in sight.view.legal)


async def test_a_hand_longer_than_the_screen_goes_by_under_the_wheel():
    app = Host(session("rummy", 5, seats=2))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, lambda sight: sight.waiting and sight.view.drew)
        sight, short = app.table.sight, app.table.sight.hand.at
        await turn(pilot, app, 1)
        assert sight.hand.at == short, "of a short hand all is seen"
        sight.hand.cards = [Card(card) for card in range(26)]
        sight.hand.at = Card(0)
        app.table._show()
        await turn(pilot, app, 20)
        assert sight.hand.at == 20
        assert place(app, PointCard(Card(20)))
        await turn(pilot, app, -1)
        assert sight.hand.at == 19
        await turn(pilot, app, 40)
        assert sight.hand.at == 25, "a wheel does not go round the ends"
        await turn(pilot, app, -40)
        assert sight.hand.at == 0


async def test_what_a_wheel_has_turned_is_painted_once_and_comes_before_a_key(monkeypatch):
    app = Host(session("rummy", 5, seats=2))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, app, lambda sight: sight.waiting and sight.view.drew)
        sight, painted = app.table.sight, []
        sight.hand.cards = [Card(card) for card in range(26)]
        sight.hand.at = Card(0)
        app.table._show()
        paint = TableView.paint
        monkeypatch.setattr(TableView, "paint", lambda *size: painted.append(1) or paint(*size))
        await turn(pilot, app, 15)
        assert sight.hand.at == 15
        assert len(painted) == 1
        for _ in range(4):
            app.table.on_mouse_scroll_down()
        app.table._view.post_message(events.Key("shift+right", None))
        await pilot.pause()
        assert sight.hand.at == 20


async def turn(pilot, app, steps):
    """Turn the wheel over the table, faster than it is painted."""
    for _ in range(abs(steps)):
        if steps > 0:
            app.table.on_mouse_scroll_down()
        else:
            app.table.on_mouse_scroll_up()
    await pilot.pause()
