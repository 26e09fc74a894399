"""Open hands: in practice and at tables of robots only, each hand in its place."""

import asyncio
import re
from random import Random

import pytest

from cardtable.engine.cards import PACK_52, iter_cards
from cardtable.engine.faces import FRENCH
from cardtable.games import ABOUT, KEYS
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.game_view import sort_by_suit
from cardtable.ui.table.paint import board
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.layout import Box
from cardtable.wording.formatting import SUIT_SIGNS
from tests.ui.driver import LARGE, at_table, sit_at
from tests.ui.table_host import InProcessRobotClient, TableApp, create_session

WORDS = {"D": "extra card", "F": "finish"}


def watch_frames(app, look):
    """Call `look` with the frame each time it is shown."""
    show = app.table.view_model.on_change

    def watch():
        look(app.table.frame)
        show()

    app.table.view_model.on_change = watch


async def play_decisions(table, decisions):
    """Press Enter until the session has the given number of decisions or ends."""
    for _ in range(4 * decisions):
        await table.wait_for_input()
        if table.decisions >= decisions or table.frame.stage is Stage.SESSION_END:
            return
        table.commit()
        await asyncio.sleep(0.002)


@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize("key", KEYS)
async def test_frame_holds_no_other_view_without_house_rule(key, people):
    app = TableApp(create_session(key, 3, seats=max(ABOUT[key].seats), people=people))
    view_counts = []
    async with at_table(app) as table:
        watch_frames(app, lambda frame: view_counts.append(len(frame.others)))
        await play_decisions(table, 20)
        await table.wait_for_input()
        await table.press("v")
        assert not table.frame.shows_open_hands or not table.frame.others
        assert "hands" not in table.rows[-1]
    assert set(view_counts) == {0}


@pytest.mark.parametrize("key", KEYS)
async def test_practice_opens_all_hands_but_not_to_robots(key):
    seen = []

    class Watched(InProcessRobotClient):
        async def choose(self, request):
            seen.append((request.view, app.table.session.referee.view(request.view.seat)))
            return await super().choose(request)

    seats = max(ABOUT[key].seats)
    app = TableApp(create_session(key, 3, seats=seats, open_hands="on"), robot_client=Watched())
    async with at_table(app) as table:
        others = []
        watch_frames(app, lambda frame: others.append((frame.seat, set(frame.others))))
        await play_decisions(table, 20)
    assert all(open_seats == {*range(seats)} - {me} for me, open_seats in others)
    assert all(received_view == own_view for received_view, own_view in seen)


@pytest.mark.parametrize("key", ["rifki", "gurka", "bridge", "rummy"])
async def test_open_hands_golden(key):
    async with at_table(TableApp(create_session(key, 7, seats=max(ABOUT[key].seats), open_hands="on"))) as table:
        await play_decisions(table, 12)
        await table.wait_until(lambda: table.frame.waiting)
        await table.check_golden_in_sizes(f"open_{key}")


async def test_extra_cards_and_finish_of_a_round_in_practice():
    async with sit_at(create_session("bridge", 7, seats=2, open_hands="on")) as table:
        before = table.frame
        await table.press("D")
        await table.sees("Take an extra card?", "Enter yes")
        assert table.frame.view == before.view, "only Enter commits"
        await table.press("enter")
        await table.wait_until(lambda: len(table.frame.own_cards) == len(before.own_cards) + 1)
        await table.wait_for_input()
        extra = table.frame
        await table.press("F escape F right")
        assert not table.frame.needs_confirmation, "Esc and moves withdraw the question"
        await table.press("F enter")
        await table.wait_until(lambda: table.frame.stage is not Stage.PLAY)
        assert table.frame.stage is Stage.ROUND_END
        assert table.decisions > 3
        for expected in (extra, before):
            await table.press("u")
            await table.wait_until(lambda expected=expected: table.frame.view == expected.view)
            await table.wait_for_input()
        assert table.frame.others == before.others


@pytest.mark.parametrize(
    ("key", "open_hands", "keys"),
    [("bridge", "on", "D F"), ("bridge", "off", ""), ("king", "on", "F"), ("king", "off", "")],
)
async def test_keys_of_practice_are_offered_with_open_hands_only(key, open_hands, keys):
    async with sit_at(create_session(key, 7, open_hands=open_hands), LARGE) as table:
        assert [each for each in ("D", "F") if f"{each} {WORDS[each]}" in table.text] == keys.split()
        await table.press("?")
        text = table.text
        assert ("an extra card (practice)" in text, "let robots finish the round" in text) == ("D" in keys, "F" in keys)
        await table.press("escape")
        view = table.frame.view
        for each in set("DF") - set(keys):
            await table.press(each)
        assert table.frame.view is view


def fit_hand_text(room, cards, *, suits):
    """Return the text of a hand fitted into a box."""
    _, lines = board.fit_hand(cards, room, FRENCH, by_suit=suits)
    assert all(sum(len(word.text) for word in line) <= room.width for line in lines)
    assert len(lines) <= room.height
    return "".join(word.text for line in lines for word in line)


@pytest.mark.parametrize(
    ("width", "height", "number"), [(10, 5, 13), (10, 4, 13), (14, 10, 13), (33, 1, 13), (36, 1, 13), (33, 1, 9)]
)
def test_thirteen_cards_fit_every_box(width, height, number):
    rng = Random(7)
    for _ in range(300):
        cards = sort_by_suit(sum(1 << c for c in rng.sample(iter_cards(PACK_52), number)))
        text = fit_hand_text(Box(0, 0, width, height), cards, suits=True).replace(" ", "")
        suits = re.findall(f"[{SUIT_SIGNS}][^{SUIT_SIGNS}]+", text)
        assert sorted(suits) == sorted(format_suits(cards))


def format_suits(cards):
    return [
        glyph + "".join(card_faces.format_rank(c) for c in cards if card_faces.get_suit_sign(c) == glyph)
        for glyph in SUIT_SIGNS
        if any(card_faces.get_suit_sign(c) == glyph for c in cards)
    ]
