"""Names on a score table: complete beside the star where there is room, otherwise distinct."""

import pytest

from cardtable.games import GAMES
from cardtable.scoring.score_table import list_scoring_rules
from cardtable.store import score_tables
from cardtable.ui.picker.screen import Picker
from cardtable.ui.score_table.screen import NewScoresPage
from cardtable.ui.toolkit.dialog import Dialog
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.scoring.tables import play_session_with_entries
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until
from tests.ui.test_score_table import LARGE, SMALL, TINY, create_app, wait_for_page

LONG_NAMES = ["Wilhelma", "Friedric", "Waldemar", "Leopoldi", "Margaret", "Maximili"]
SIMILAR_NAMES = ["Ferdinan", "Ferdinal", "Ferdinar", "Ferdinas"]
DEFAULT_NAMES = ["Player1", "Player2", "Player3", "Player4", "Player5", "Player6"]


def create_score_table(game, names, seats=None, rounds=3):
    engine, first, entered = play_session_with_entries(game, 1)
    number = seats or engine.seats
    opened = score_tables.create(GAMES[game], names[:number], engine.options, first)
    for each in entered[: rounds if number == engine.seats else 0]:
        opened.enter_round(each)
    if number != engine.seats:
        opened.enter_round({"last": (14,) + (0,) * (number - 1)})
    opened.close()
    return opened.path


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY], ids=str)
@pytest.mark.parametrize("game", ["king", "rifki", "rikiki", "ten_down", "bridge"])
async def test_long_nick_fits_beside_star(game, size):
    path = create_score_table(game, LONG_NAMES)
    async with create_app(path).run_test(size=size) as pilot:
        await wait_for_page(pilot)
        rows = screen_text(pilot.app).split("\n")
        assert all(name in rows[2] for name in LONG_NAMES[:4]), rows[2]
        assert "★" in rows[3]


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_six_long_nicks_fit_beside_star(size):
    path = create_score_table("gurka", LONG_NAMES, 6)
    async with create_app(path).run_test(size=size) as pilot:
        await wait_for_page(pilot)
        rows = screen_text(pilot.app).split("\n")
        assert all(name in rows[2] for name in LONG_NAMES), rows[2]
        assert "★" in rows[3]


async def test_names_are_distinct_without_room():
    path = create_score_table("gurka", DEFAULT_NAMES, 6)
    async with create_app(path).run_test(size=TINY) as pilot:
        await wait_for_page(pilot)
        assert screen_text(pilot.app).split("\n")[2].split() == [f"Play…{n}" for n in range(1, 7)]


@pytest.mark.parametrize("game", ["rifki", "king"])
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY], ids=str)
async def test_similar_declarers_are_distinct(game, size):
    path = create_score_table(game, SIMILAR_NAMES)
    async with create_app(path).run_test(size=size) as pilot:
        await wait_for_page(pilot)
        rows = screen_text(pilot.app).split("\n")
        names = [row.split()[1] for row in rows[5:8] if row.split()[:1] and row.split()[0].isdigit()]
        assert len(names) == len(set(names)) > 0
        assert size == SMALL or set(names) < set(SIMILAR_NAMES), "at 80x24 the panel leaves no room for complete names"


@pytest.mark.parametrize("size", [SMALL, TINY], ids=str)
async def test_renaming_leaves_entry_in_progress(size):
    path = create_score_table("rifki", DEFAULT_NAMES)
    async with create_app(path).run_test(size=size) as pilot:
        table = await wait_for_page(pilot)
        await pilot.press("7", "5", "n")
        await wait_until(pilot, lambda: "names of the players" in screen_text(pilot.app))
        await pilot.press(*"zoe", "down", *"Zoe", "enter")
        assert "Zoe is already playing" in screen_text(pilot.app)
        await pilot.press("backspace", "x", "enter")
        await wait_until(pilot, lambda: "names of the players" not in screen_text(pilot.app))
        assert screen_text(pilot.app).split("\n")[2].split()[:4] == ["Zoe", "Zox", "Player3", "Player4"]
        assert table.model.entry.choices == {"contract": "koz"}
        await pilot.press("4", "4", "0", "enter")
        assert len(table.opened.table.rounds) == 4
    again = score_tables.resume(path)
    assert again.names == ["Zoe", "Zox", "Player3", "Player4"]
    again.close()


async def test_escape_discards_new_names():
    path = create_score_table("rifki", DEFAULT_NAMES)
    async with create_app(path).run_test(size=SMALL) as pilot:
        table = await wait_for_page(pilot)
        before = path.read_bytes()
        await pilot.press("n")
        await wait_until(pilot, lambda: "names of the players" in screen_text(pilot.app))
        await pilot.press(*"zoe", "escape", "escape")
        assert "Zoe" in screen_text(pilot.app), "Escape keeps typed names until they are discarded explicitly"
        await pilot.press("escape", "enter")
        await wait_until(pilot, lambda: "names of the players" not in screen_text(pilot.app))
        assert table.opened.names == DEFAULT_NAMES[:4]
        await pilot.press("n", "enter")
        await wait_until(pilot, lambda: pilot.app.screen is table.screen)
    assert path.read_bytes() == before


@pytest.mark.parametrize("keys", [["z"], ["up", "right"]], ids=["name", "game"])
async def test_changed_setup_asks_before_closing(keys):
    async with create_app("rifki").run_test(size=SMALL) as pilot:
        form = await wait_for_page(pilot, NewScoresPage)
        await pilot.press(*keys)
        filled = screen_text(pilot.app)
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(pilot.app, Dialog))
        await pilot.press("escape")
        await wait_until(pilot, lambda: pilot.app.screen is form.screen)
        assert screen_text(pilot.app) == filled
        await pilot.press("escape", "enter")
        await wait_until(pilot, lambda: is_shown(pilot.app, Picker))


async def test_unchanged_setup_closes_without_question():
    async with create_app("rifki").run_test(size=SMALL) as pilot:
        await wait_for_page(pilot, NewScoresPage)
        await pilot.press("right", "down", "up", "escape")
        await wait_until(pilot, lambda: is_shown(pilot.app, Picker))


async def test_typed_names_survive_switch_of_game():
    async with create_app("rifki").run_test(size=SMALL) as pilot:
        await wait_for_page(pilot, NewScoresPage)
        await pilot.press(*"zoe", "down", *"max", "up", "up", "right", "enter")
        table = await wait_for_page(pilot)
        assert table.opened.table.sheet.game is GAMES["gurka"]
        assert table.opened.names[:3] == ["Zoe", "Max", "Player3"]


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_setup_fits_without_scrolling(game, size):
    async with create_app(game).run_test(size=size) as pilot:
        form = await wait_for_page(pilot, NewScoresPage)
        text = screen_text(pilot.app)
        setup = form.setup.form
        assert all(f"Player {seat + 1}" in text for seat in range(setup.seats))
        assert all(rule.label in text for rule in list_scoring_rules(setup.game))
        assert "After each round you enter" in text
        if size == LARGE:
            assert (f"House rules of {setup.game.about.title}" in text) == bool(list_scoring_rules(setup.game))
            assert f"{form.setup.names[0]} starts" in text
