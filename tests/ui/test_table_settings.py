"""Settings changed at the table: order of the hand, card size, suit colours, beep."""

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import RANK
from cardtable.session.session_events import Stage
from cardtable.store.settings import SETTINGS
from cardtable.ui.game_view.game_view import sort_by_rank, sort_by_suit
from tests.ui.driver import at_table, sit_at
from tests.ui.table_host import QUICK, TableApp, create_session


async def play_until_cards(table):
    """Press Enter until one of several cards is to be played."""
    return await table.play_until(lambda frame: frame.waiting and not frame.decision and len(frame.hand.cards) > 4)


async def test_o_reorders_hand_and_cursor_follows_card():
    async with sit_at(create_session("rikiki", 11)) as table:
        await play_until_cards(table)
        usual = table.frame.hand.cards
        await table.press("right")
        at = table.frame.hand.at
        await table.press("o")
        assert table.frame.hand.cards == usual == tuple(sort_by_suit(sum(1 << card for card in usual)))
        await table.sees("Order of the hand: by suit")
        await table.press("o")
        assert table.frame.hand.cards == tuple(sort_by_rank(sum(1 << card for card in usual))) != usual
        assert table.frame.hand.at == at
        assert not table.frame.has_suit_gaps, "there are no gaps between suits in this order"
        await table.sees("Order of the hand: by rank")
        await table.press("right")
        assert "Order of the hand" not in table.text, "the next key restores the prompt"
        assert table.frame.hand.cards.index(table.frame.hand.at) > usual.index(usual[0])
        await table.press("o")
        assert table.frame.hand.cards == usual
        assert table.app.preferences.settings.hand_order == "usual"


async def test_only_rummy_has_order_by_melds():
    async with sit_at(create_session("rummy", 5)) as table:
        table.app.preferences.change(hand_order="rank")
        at = table.frame.hand.at
        await table.press("o")
        await table.sees("Order of the hand: by melds")
        cards = table.frame.hand.cards
        melds = table.frame.game_view.list_melded_cards(table.frame.view)
        assert melds
        assert cards[: len(melds)] == tuple(melds)
        assert table.frame.hand.at == at
    async with at_table(TableApp(create_session("rikiki", 11), table.app.preferences.settings)) as table:
        await play_until_cards(table)
        assert table.frame.hand_order == "usual"
        usual = table.frame.hand.cards
        for word in ("suit", "rank", "usual"):
            await table.press("o")
            await table.sees(f"Order of the hand: {'by ' * (word != 'usual')}{word}")
        assert table.frame.hand.cards == usual


async def test_rank_order_persists_for_next_cards():
    async with sit_at(create_session("rikiki", 11), settings=replace(QUICK, hand_order="rank")) as table:
        await play_until_cards(table)
        ranks = [RANK[card] for card in table.frame.hand.cards]
        assert ranks == sorted(ranks)
        await table.press("enter")
        await table.wait_for_input()
        ranks = [RANK[card] for card in table.frame.hand.cards]
        assert ranks == sorted(ranks)


async def test_f_b_and_z_change_settings_and_report():
    async with sit_at(create_session("rikiki", 11)) as table:
        await play_until_cards(table)
        clubs, *_, spades = table.app.preferences.appearance.theme.suits.face
        assert clubs != spades
        for key, name, label in (
            ("f", "four_colours", "Suit colours: two"),
            ("b", "beep", "Beep on your turn: on"),
            ("z", "card_size", "Card size: 5x3"),
        ):
            before = getattr(table.app.preferences.settings, name)
            await table.press(key)
            await table.sees(label)
            assert getattr(table.app.preferences.settings, name) != before
        clubs, *_, spades = table.app.preferences.appearance.theme.suits.face
        assert clubs == spades
        assert table.app.preferences.appearance.cards == "5x3"
        assert table.frame.waiting


async def test_z_cycles_through_fitting_card_sizes():
    for size, sizes in (((80, 24), ["5x3", "line", "auto"]), ((120, 40), ["7x5", "5x3", "line", "auto", "7x5"])):
        async with sit_at(create_session("rikiki", 11), size, settings=replace(QUICK, card_size="9x7")) as table:
            await play_until_cards(table)
            for chosen in sizes:
                await table.press("z")
                assert table.app.preferences.settings.card_size == chosen
                value_text = SETTINGS["card_size"].format_value(chosen)
                await table.sees(f"Card size: {value_text}")
                assert ("auto, here " in table.text) == (chosen == "auto")


async def test_settings_are_reported_between_rounds():
    async with sit_at(create_session("rikiki", 11), until=lambda frame: frame.stage is Stage.ROUND_END) as table:
        await table.press("f")
        await table.sees("Suit colours: two")
        await table.press("enter")
        await table.wait_for_input()
        assert "Suit colours" not in table.text


async def test_settings_keys_are_disabled_at_curtain():
    async with sit_at(create_session("rikiki", 11, people=2)) as table:
        assert table.frame.stage is Stage.CURTAIN
        await table.press("o z f b")
        assert table.app.preferences.settings == QUICK


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
