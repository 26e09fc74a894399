"""Settings changed at the table: order of the hand, card size, suit colours, beep."""

import pytest

from cardtable.engine.cards import RANK, SUIT
from cardtable.session.session_events import Stage
from cardtable.store.settings import SETTINGS, Settings
from cardtable.ui.game_view.game_view import sort_by_rank, sort_by_suit
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, TableApp, create_session, open_table, play_until, wait_for_input


async def play_until_cards(pilot, app):
    """Press Enter until one of several cards is to be played."""
    return await play_until(
        pilot, app, lambda frame: frame.waiting and not frame.decision and len(frame.hand.cards) > 4
    )


async def test_o_reorders_hand_and_cursor_follows_card():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_cards(pilot, app)
        usual = app.table.frame.hand.cards
        await pilot.press("right")
        at = app.table.frame.hand.at
        await pilot.press("o")
        assert app.table.frame.hand.cards == usual == tuple(sort_by_suit(sum(1 << card for card in usual)))
        assert "Order of the hand: by suit" in screen_text(app)
        await pilot.press("o")
        assert app.table.frame.hand.cards == tuple(sort_by_rank(sum(1 << card for card in usual))) != usual
        assert app.table.frame.hand.at == at
        assert not app.table.frame.has_suit_gaps, "there are no gaps between suits in this order"
        assert "Order of the hand: by rank" in screen_text(app)
        await pilot.press("right")
        assert "Order of the hand" not in screen_text(app), "the next key restores the prompt"
        assert app.table.frame.hand.cards.index(app.table.frame.hand.at) > usual.index(usual[0])
        await pilot.press("o")
        assert app.table.frame.hand.cards == usual
        assert app.preferences.settings.hand_order == "usual"


async def test_only_rummy_has_order_by_melds():
    app = TableApp(create_session("rummy", 5))
    async with open_table(app, (80, 24)) as pilot:
        app.preferences.change(hand_order="rank")
        at = app.table.frame.hand.at
        await pilot.press("o")
        assert "Order of the hand: by melds" in screen_text(app)
        cards = app.table.frame.hand.cards
        melds = app.table.frame.game_view.list_melded_cards(app.table.frame.view)
        assert melds
        assert cards[: len(melds)] == tuple(melds)
        assert app.table.frame.hand.at == at
    app = TableApp(create_session("rikiki", 11), app.preferences.settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_cards(pilot, app)
        assert app.table.frame.hand_order == "usual"
        usual = app.table.frame.hand.cards
        for word in ("suit", "rank", "usual"):
            await pilot.press("o")
            assert f"Order of the hand: {'by ' * (word != 'usual')}{word}" in screen_text(app)
        assert app.table.frame.hand.cards == usual


async def test_rank_order_persists_for_next_cards():
    app = TableApp(create_session("rikiki", 11), Settings(robot_pace=0, trick_pause=0, hand_order="rank"))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_cards(pilot, app)
        ranks = [RANK[card] for card in app.table.frame.hand.cards]
        assert ranks == sorted(ranks)
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert [RANK[card] for card in app.table.frame.hand.cards] == sorted(
            RANK[card] for card in app.table.frame.hand.cards
        )


async def test_bridge_up_plays_rightmost_card_as_sorted():
    app = TableApp(create_session("bridge", 5, seats=3), Settings(robot_pace=0, trick_pause=0, hand_order="suit"))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            await wait_for_input(pilot, app)
            able = [card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card)]
            if app.table.frame.waiting and not app.table.frame.decision and len({SUIT[card] for card in able}) > 1:
                break
            app.table.table_keys.action_commit()
        assert app.table.frame.game_view.shortcut(app.table.frame.view, app.table.frame.hand.cards, -1).card == able[-1]
        by_ranks = sort_by_rank(sum(1 << card for card in able))
        assert app.table.frame.game_view.shortcut(app.table.frame.view, by_ranks, -1).card == by_ranks[-1]


async def test_f_b_and_z_change_settings_and_report():
    app = TableApp(create_session("rikiki", 11), QUICK)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_cards(pilot, app)
        clubs, *_, spades = app.preferences.appearance.theme.suits.face
        assert clubs != spades
        for key, name, label in (
            ("f", "four_colours", "Suit colours: two"),
            ("b", "beep", "Beep on your turn: on"),
            ("z", "card_size", "Card size: 5x3"),
        ):
            before = getattr(app.preferences.settings, name)
            await pilot.press(key)
            assert label in screen_text(app)
            assert getattr(app.preferences.settings, name) != before
        clubs, *_, spades = app.preferences.appearance.theme.suits.face
        assert clubs == spades
        assert app.preferences.appearance.cards == "5x3"
        assert app.table.frame.waiting


async def test_z_cycles_through_fitting_card_sizes():
    for size, sizes in (((80, 24), ["5x3", "line", "auto"]), ((120, 40), ["7x5", "5x3", "line", "auto", "7x5"])):
        app = TableApp(create_session("rikiki", 11), Settings(robot_pace=0, trick_pause=0, card_size="9x7"))
        async with app.run_test(size=size) as pilot:
            await play_until_cards(pilot, app)
            for chosen in sizes:
                await pilot.press("z")
                assert app.preferences.settings.card_size == chosen
                value_text = SETTINGS["card_size"].format_value(chosen)
                assert f"Card size: {value_text}" in screen_text(app)
                assert ("auto, here " in screen_text(app)) == (chosen == "auto")


async def test_settings_are_reported_between_rounds():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            await wait_for_input(pilot, app)
            if app.table.frame.stage is Stage.ROUND_END:
                break
            app.table.table_keys.action_commit()
        await pilot.press("f")
        assert "Suit colours: two" in screen_text(app)
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert "Suit colours" not in screen_text(app)


async def test_settings_keys_are_disabled_at_curtain():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with open_table(app, (80, 24)) as pilot:
        assert app.table.frame.stage is Stage.CURTAIN
        await pilot.press("o", "z", "f", "b")
        assert app.preferences.settings == QUICK


@pytest.mark.parametrize(
    ("name", "value", "step", "then"),
    [
        ("robot_pace", 0.6, 1, 0.8),
        ("robot_pace", 0.65, 1, 0.8),
        ("robot_pace", 0.65, -1, 0.6),
        ("robot_pace", 2.0, 1, 0.0),
        ("trick_pause", 10.0, 1, "key"),
        ("trick_pause", "key", 1, 0.0),
        ("trick_pause", 0.0, -1, "key"),
        ("beep", False, 1, True),
        ("four_colours", True, 1, False),
        ("hand_order", "usual", -1, "melds"),
    ],
)
def test_setting_steps_to_next_value(name, value, step, then):
    assert SETTINGS[name].step_value(value, step) == then


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("robot_pace", 0.0, "at once"),
        ("robot_pace", 0.65, "0.65 s"),
        ("trick_pause", 0.0, "no time"),
        ("trick_pause", "key", "until a key"),
        ("card_size", "line", "one line"),
        ("hand_order", "suit", "by suit"),
        ("four_colours", False, "two"),
        ("beep", True, "on"),
    ],
)
def test_setting_values_are_formatted(name, value, text):
    assert SETTINGS[name].format_value(value) == text
