"""Names on a score table: complete beside the star where there is room, otherwise distinct."""

import pytest

from cardtable.games import GAMES
from cardtable.scoring.score_table import list_scoring_rules
from cardtable.store import score_tables
from cardtable.ui.picker.screen import Picker
from cardtable.ui.score_table.setup import NewScoresPage
from cardtable.ui.toolkit.dialog import Dialog
from tests.every_game import WITH_A_SHEET
from tests.scoring.tables import played
from tests.ui.screen_text import screen_text
from tests.ui.shown import shows
from tests.ui.table_host import until
from tests.ui.test_score_table import LARGE, SMALL, TINY, app, page

LONG = ["Wilhelma", "Friedric", "Waldemar", "Leopoldi", "Margaret", "Maximili"]
ALIKE = ["Ferdinan", "Ferdinal", "Ferdinar", "Ferdinas"]
USUAL = ["Player1", "Player2", "Player3", "Player4", "Player5", "Player6"]


def begun(game, names, seats=None, rounds=3):
    engine, first, entered = played(game, 1)
    number = seats or engine.seats
    opened = score_tables.create(GAMES[game], names[:number], engine.options, first)
    for each in entered[: rounds if number == engine.seats else 0]:
        opened.enter_round(each)
    if number != engine.seats:
        opened.enter_round({"last": (14,) + (0,) * (number - 1)})
    opened.close()
    return opened.path


@pytest.mark.promise(
    "Scores of real card games",
    "Nicks of 8 letters fit beside the star of a score sheet, and declarers with similar nicks stay distinct.",
)
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY], ids=str)
@pytest.mark.parametrize("game", ["king", "rifki", "rikiki", "ten_down", "bridge"])
async def test_a_nick_of_8_letters_is_whole_beside_the_star(game, size):
    path = begun(game, LONG)
    async with app(path).run_test(size=size) as pilot:
        await page(pilot)
        rows = screen_text(pilot.app).split("\n")
        assert all(name in rows[2] for name in LONG[:4]), rows[2]
        assert "★" in rows[3]


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_so_it_is_with_six_players(size):
    path = begun("gurka", LONG, 6)
    async with app(path).run_test(size=size) as pilot:
        await page(pilot)
        rows = screen_text(pilot.app).split("\n")
        assert all(name in rows[2] for name in LONG), rows[2]
        assert "★" in rows[3]


async def test_where_there_is_no_room_for_six_names_they_are_still_told_apart():
    path = begun("gurka", USUAL, 6)
    async with app(path).run_test(size=TINY) as pilot:
        await page(pilot)
        assert screen_text(pilot.app).split("\n")[2].split() == [f"Play…{n}" for n in range(1, 7)]


@pytest.mark.promise(
    "Scores of real card games",
    "Nicks of 8 letters fit beside the star of a score sheet, and declarers with similar nicks stay distinct.",
)
@pytest.mark.parametrize("game", ["rifki", "king"])
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY], ids=str)
async def test_declarers_whose_names_begin_alike_are_told_apart_and_whole_where_there_is_room(game, size):
    path = begun(game, ALIKE)
    async with app(path).run_test(size=size) as pilot:
        await page(pilot)
        rows = screen_text(pilot.app).split("\n")
        whose = [row.split()[1] for row in rows[5:8] if row.split()[:1] and row.split()[0].isdigit()]
        assert len(whose) == len(set(whose)) > 0
        assert size == SMALL or set(whose) < set(ALIKE), "only beside the panel of 80 columns is there no room"


@pytest.mark.promise(
    "Scores of real card games", "Players of a score table can be renamed later, and have the new name everywhere."
)
@pytest.mark.parametrize("size", [SMALL, TINY], ids=str)
async def test_names_are_changed_later_and_what_is_being_entered_stays(size):
    path = begun("rifki", USUAL)
    async with app(path).run_test(size=size) as pilot:
        table = await page(pilot)
        await pilot.press("7", "5", "n")
        await until(pilot, lambda: "names of the players" in screen_text(pilot.app))
        await pilot.press(*"zoe", "down", *"Zoe", "enter")
        assert "Zoe plays already" in screen_text(pilot.app)
        await pilot.press("backspace", "x", "enter")
        await until(pilot, lambda: "names of the players" not in screen_text(pilot.app))
        assert screen_text(pilot.app).split("\n")[2].split()[:4] == ["Zoe", "Zox", "Player3", "Player4"]
        assert table.model.entry.choices == {"contract": "koz"}
        await pilot.press("4", "4", "0", "enter")
        assert len(table.opened.table.rounds) == 4
    again = score_tables.resume(path)
    assert again.names == ["Zoe", "Zox", "Player3", "Player4"]
    again.close()


async def test_esc_leaves_the_names_as_they_are():
    path = begun("rifki", USUAL)
    async with app(path).run_test(size=SMALL) as pilot:
        table = await page(pilot)
        before = path.read_bytes()
        await pilot.press("n")
        await until(pilot, lambda: "names of the players" in screen_text(pilot.app))
        await pilot.press(*"zoe", "escape", "escape")
        assert "Zoe" in screen_text(pilot.app), "what is typed is not thrown away by the way"
        await pilot.press("escape", "enter")
        await until(pilot, lambda: "names of the players" not in screen_text(pilot.app))
        assert table.opened.names == USUAL[:4]
        await pilot.press("n", "enter")
        await until(pilot, lambda: pilot.app.screen is table.screen)
    assert path.read_bytes() == before


@pytest.mark.parametrize("keys", [["z"], ["up", "right"]], ids=["name", "game"])
async def test_a_new_score_table_is_not_thrown_away_unasked(keys):
    async with app("rifki").run_test(size=SMALL) as pilot:
        form = await page(pilot, NewScoresPage)
        await pilot.press(*keys)
        filled = screen_text(pilot.app)
        await pilot.press("escape")
        await until(pilot, lambda: shows(pilot.app, Dialog))
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is form.screen)
        assert screen_text(pilot.app) == filled
        await pilot.press("escape", "enter")
        await until(pilot, lambda: shows(pilot.app, Picker))


async def test_an_empty_new_score_table_is_left_at_once():
    async with app("rifki").run_test(size=SMALL) as pilot:
        await page(pilot, NewScoresPage)
        await pilot.press("right", "down", "up", "escape")
        await until(pilot, lambda: shows(pilot.app, Picker))


async def test_names_that_are_typed_stay_when_another_game_is_chosen():
    async with app("rifki").run_test(size=SMALL) as pilot:
        await page(pilot, NewScoresPage)
        await pilot.press(*"zoe", "down", *"max", "up", "up", "right", "enter")
        table = await page(pilot)
        assert table.opened.table.sheet.game is GAMES["gurka"]
        assert table.opened.names[:3] == ["Zoe", "Max", "Player3"]


@pytest.mark.parametrize("game", WITH_A_SHEET)
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_the_form_is_whole_without_scrolling(game, size):
    async with app(game).run_test(size=size) as pilot:
        form = await page(pilot, NewScoresPage)
        text = screen_text(pilot.app)
        setup = form.setup
        assert all(f"Player {seat + 1}" in text for seat in range(setup.player_count))
        assert all(rule.name.replace("_", " ").capitalize() in text for rule in list_scoring_rules(setup.game))
        assert "After each round you enter" in text
        if size == LARGE:
            assert (f"House rules of {setup.game.about.title}" in text) == bool(list_scoring_rules(setup.game))
            assert f"{setup.names[0]} begins" in text
