"""Line below the prompt that tells what the card under the cursor does."""

import pytest

from cardtable.engine.cards import card
from cardtable.engine.game import MAX_CARD_TEXT
from cardtable.games import GAMES
from cardtable.store import session_setup
from cardtable.ui.table.model.view_model import CardTexts
from cardtable.ui.toolkit.painting.layout import compute_layout
from tests.plain.conftest import plain  # noqa: F401 - a fixture
from tests.records.archive_sessions import archive_random_session, make_header
from tests.ui.driver import SIZES, sit_at
from tests.ui.table_host import create_session

has_newcomer = session_setup.has_newcomer
"""The real function; a fixture replaces it in other tests."""
SKIPS, NOTHING = "The next player is skipped.", "9\u2666 does nothing special now."


def list_effect_lines(table):
    """Return the lines on cards that the screen shows."""
    return [line.strip() for line in table.text.splitlines() if SKIPS in line or NOTHING in line]


async def move_to(table, text):
    for _ in table.frame.hand.cards:
        if table.frame.hand.at != card(text):
            await table.press("right")
    assert table.frame.hand.at == card(text)


async def test_first_sessions_explain_cards_until_hidden(home, monkeypatch):
    monkeypatch.setattr(session_setup, "has_newcomer", has_newcomer)
    async with sit_at(create_session("bridge", 7, seats=3)) as table:
        await table.wait_until(lambda: table.frame.card_texts is CardTexts.SPECIAL)
        await move_to(table, "AH")
        [line] = list_effect_lines(table)
        assert line.startswith(f"{SKIPS}  x hides this line")
        await move_to(table, "9D")
        assert list_effect_lines(table) == []
        await move_to(table, "AH")
        await table.press("x")
        assert list_effect_lines(table) == []
        await table.press("x")
        await move_to(table, "9D")
        assert list_effect_lines(table) == [f"{NOTHING}  x hides this line"]


async def test_key_explains_cards_after_first_sessions(home):
    async with sit_at(create_session("bridge", 7, seats=3)) as table:
        await move_to(table, "9D")
        assert list_effect_lines(table) == []
        await table.press("x")
        assert list_effect_lines(table) == [f"{NOTHING}  x hides this line"]
        await table.press("x")
        assert list_effect_lines(table) == []


async def test_key_says_why_no_card_is_explained(home):
    async with sit_at(create_session("ten_down", 7), until=lambda frame: frame.waiting) as table:
        await table.press("x")
        await table.sees("In Ten Down no card does anything special.")
        assert table.frame.card_text == ""


@pytest.mark.parametrize("size", SIZES)
async def test_line_fits_and_never_covers_prompt(home, size):
    async with sit_at(create_session("bridge", 7, seats=3), size) as table:
        await move_to(table, "AH")
        await table.press("x")
        assert SKIPS in table.text
        assert compute_layout(*size).board.width - compute_layout(*size).margin >= MAX_CARD_TEXT
        table.screen.cursor.show_message("Play one card at a time")
        await table.sees("Play one card at a time")
        assert SKIPS in table.text
        # a message that needs the row below the prompt at every size
        long = "Only a heart, as named, or a jack fits, and these are more words than there is room"
        table.screen.cursor.show_message(long)
        await table.reads("room")
        assert SKIPS not in table.text


def test_first_sessions_end_with_the_third_finished_one(home, monkeypatch):
    monkeypatch.setattr(session_setup, "has_newcomer", has_newcomer)
    bridge, header = GAMES["bridge"], make_header("bridge", "Anna steady")

    def list_levels(seed=None):
        setup = session_setup.create_setup(bridge, {}, None, seed, "Anna")
        return {occupant.robot for occupant in setup.seats if occupant.robot}

    for number, players in enumerate(["Anna steady", "Bob steady", "Anna steady", "steady Anna"]):
        assert session_setup.is_first_session(header, (0,)), number
        assert list_levels() == {"novice"}
        assert list_levels(seed=7) == {"steady"}, "a numbered deal is the same table for everyone"
        archive_random_session("gurka", "Anna steady steady steady", id_=f"2026-gurka-{number}", seed=number)
        archive_random_session("bridge", "Anna steady", id_=f"2026-bridge-a{number}", seed=number, rounds=0)
        archive_random_session("bridge", players, id_=f"2026-bridge-b{number}", seed=number)
    assert not session_setup.is_first_session(header, (0,))
    assert list_levels() == {"steady"}
    assert session_setup.is_first_session(make_header("bridge", "Anna Bob"), (0, 1)), "Bob is new"
    assert not session_setup.is_first_session(header, ()), "robots are watched"


def test_card_effects_in_plain_text(plain):  # noqa: F811
    typed = ["what AH", "what does the nine of diamonds do", "what 2C", "what", "quit"]
    lines = plain("play", "bridge", "--seed", "7", "--seats", "me,steady,steady", typed=typed).lines
    assert f"Ace of hearts: {SKIPS}" in lines
    assert "Nine of diamonds does nothing special now." in lines
    assert "You do not hold that card." in lines
    assert "Six of hearts: Cover it this turn with a heart, a jack or a 6." in lines
