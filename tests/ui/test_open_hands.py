"""Open hands: in practice and at tables of robots only, each hand in its place."""

import asyncio
import re
from random import Random

import pytest

from cardtable.engine.cards import PACK_52, iter_cards
from cardtable.engine.faces import FRENCH
from cardtable.games import ABOUT, KEYS
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.game_view.game_view import sort_by_rank, sort_by_suit
from cardtable.ui.table.paint import board
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.layout import Box, compute_layout
from cardtable.wording.formatting import SUIT_SIGNS, format_card
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    InProcessRobotClient,
    TableApp,
    create_session,
    open_table,
    play_until_trick_pause,
    wait_for_input,
    wait_until,
)

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
WORDS = {"D": "extra card", "F": "finish"}


def watch_frames(app, look):
    """Call `look` with the frame each time it is shown."""
    show = app.table.view_model.on_change

    def watch():
        look(app.table.frame)
        show()

    app.table.view_model.on_change = watch


async def play_decisions(pilot, app, decisions):
    """Press Enter until the session has the given number of decisions or ends."""
    for _ in range(4 * decisions):
        await wait_for_input(pilot, app)
        if app.table.session.referee.decisions >= decisions or app.table.frame.stage is Stage.SESSION_END:
            return
        app.table.table_keys.action_commit()
        await asyncio.sleep(0.002)


@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize("key", KEYS)
async def test_frame_holds_no_other_view_without_house_rule(key, people):
    app = TableApp(create_session(key, 3, seats=max(ABOUT[key].seats), people=people))
    view_counts = []
    async with app.run_test(size=SMALL) as pilot:
        watch_frames(app, lambda frame: view_counts.append(len(frame.others)))
        await play_decisions(pilot, app, 20)
        await wait_for_input(pilot, app)
        await pilot.press("v")
        assert not app.table.frame.shows_open_hands or not app.table.frame.others
        assert "hands" not in screen_text(app).splitlines()[-1]
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
    async with app.run_test(size=SMALL) as pilot:
        others = []
        watch_frames(app, lambda frame: others.append((frame.seat, set(frame.others))))
        await play_decisions(pilot, app, 20)
    assert all(open_seats == {*range(seats)} - {me} for me, open_seats in others)
    assert all(received_view == own_view for received_view, own_view in seen)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
@pytest.mark.parametrize("key", ["rifki", "gurka", "bridge", "rummy"])
async def test_open_hands_golden(key, size):
    app = TableApp(create_session(key, 7, seats=max(ABOUT[key].seats), open_hands="on"))
    async with app.run_test(size=size) as pilot:
        await play_decisions(pilot, app, 12)
        await wait_until(pilot, lambda: app.table.frame.waiting)
        golden_files.check_golden(f"open_{key}_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_v_toggles_open_hands():
    app = TableApp(create_session("rikiki", 11, open_hands="on"))
    async with open_table(app, LARGE) as pilot:
        before = screen_text(app)
        await pilot.press("v")
        assert screen_text(app) != before
        await pilot.press("v")
        assert screen_text(app) == before


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_extra_cards_and_finish_of_a_round_in_practice(size):
    app = TableApp(create_session("bridge", 7, seats=2, open_hands="on"))
    async with open_table(app, size) as pilot:
        before = app.table.frame
        await pilot.press("D")
        await wait_until(pilot, lambda: len(app.table.frame.own_cards) == len(before.own_cards) + 1)
        await wait_for_input(pilot, app)
        extra = app.table.frame
        await pilot.press("F")
        await wait_until(pilot, lambda: app.table.frame.stage is not Stage.PLAY)
        assert app.table.frame.stage is Stage.ROUND_END
        assert app.table.session.referee.decisions > 3
        for expected in (extra, before):
            await pilot.press("u")
            await wait_until(pilot, lambda expected=expected: app.table.frame.view == expected.view)
            await wait_for_input(pilot, app)
        assert app.table.frame.others == before.others


@pytest.mark.parametrize(
    ("key", "open_hands", "keys"),
    [("bridge", "on", "D F"), ("bridge", "off", ""), ("king", "on", "F"), ("king", "off", "")],
)
async def test_keys_of_practice_are_offered_with_open_hands_only(key, open_hands, keys):
    app = TableApp(create_session(key, 7, open_hands=open_hands))
    async with open_table(app, LARGE) as pilot:
        assert [each for each in ("D", "F") if f"{each} {WORDS[each]}" in screen_text(app)] == keys.split()
        await pilot.press("?")
        text = screen_text(app)
        assert ("an extra card (practice)" in text, "let robots finish the round" in text) == ("D" in keys, "F" in keys)
        await pilot.press("escape")
        view = app.table.frame.view
        for each in set("DF") - set(keys):
            await pilot.press(each)
        assert app.table.frame.view is view


async def test_finished_trick_shows_hands_of_its_moment():
    app = TableApp(create_session("king", 5, open_hands="on"), Settings(robot_pace=0, trick_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        await play_until_trick_pause(pilot, app)
        views = [app.table.frame.view, *app.table.frame.others.values()]
        assert len(app.table.frame.view.trick) == 4
        assert {len(iter_cards(view.hand)) for view in views} == {8}
        together = [card for view in views for card in iter_cards(view.hand)]
        assert len({*together, *app.table.frame.view.trick}) == 36


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


def test_gurka_hand_fits_beside_six_seats():
    rng = Random(7)
    for _ in range(300):
        cards = sort_by_rank(sum(1 << c for c in rng.sample(iter_cards(PACK_52), 7)))
        text = fit_hand_text(Box(0, 0, 10, 2), cards, suits=False).replace(" ", "")
        assert text == "".join(map(format_card, cards))


def test_too_long_hand_shows_count_of_rest():
    cards = sort_by_rank(sum(1 << c for c in iter_cards(PACK_52)[:30]))
    text = fit_hand_text(Box(0, 0, 10, 3), cards, suits=False)
    card_count = len(re.findall(f"[{SUIT_SIGNS}]", text))
    assert text.endswith(f"+{30 - card_count}")


def test_six_hands_do_not_fit_least_size():
    assert not board.has_room_for_hands(compute_layout(*TINY), 6)
    assert board.has_room_for_hands(compute_layout(*TINY), 4)
    assert board.has_room_for_hands(compute_layout(*SMALL), 6)


@pytest.mark.parametrize("size", [LARGE, (200, 60), (150, 45)])
async def test_hand_opposite_is_above_its_plate(size):
    app = TableApp(create_session("rikiki", 3, people=0))
    async with app.run_test(size=size) as pilot:
        await wait_until(pilot, lambda: app.table.frame.view.playing)
        await pilot.press("p", "v")
        grid, canvas = compute_layout(*size), app.table.query_one("#table").canvas
        opposite = (app.table.frame.seat + 2) % 4
        cards = app.table.frame.find_open_hand(opposite)
        text = str(canvas).split("\n")[grid.top_plate.y - 2]
        edges = [i for i, char in enumerate(text) if char in "▏▕"]
        assert len(cards) == 1
        assert abs((edges[0] + edges[-1]) // 2 - grid.top_plate.centre[0]) <= 1
