"""Whose is what on a score table: names whole beside the star, and told apart where there is room for letters only."""

import pytest

from cardtable.games import GAMES
from cardtable.store import score_tables
from cardtable.ui.scoring import told_apart
from tests.scoring.tables import played
from tests.ui.screen_text import screen_text
from tests.ui.test_score_table import LARGE, SMALL, TINY, app, page

LONG = ["Wilhelma", "Friedric", "Waldemar", "Leopoldi", "Margaret", "Maximili"]
USUAL = ["Player1", "Player2", "Player3", "Player4", "Player5", "Player6"]


def begun(game, names, seats=None, rounds=3):
    engine, first, entered = played(game, 1)
    number = seats or engine.seats
    opened = score_tables.create(GAMES[game], names[:number], engine.options, first)
    for each in entered[: rounds if number == engine.seats else 0]:
        opened.count(each)
    if number != engine.seats:
        opened.count({"last": (14,) + (0,) * (number - 1)})
    opened.close()
    return opened.path


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["Anna", "Tom", "Ida", "Lea"], ["A", "T", "I", "L"]),
        (["Anna", "Tom", "Anton", "Lea"], ["An", "Tm", "At", "La"]),
        (USUAL[:4], ["P1", "P2", "P3", "P4"]),
        (["Tom", "Tomas"], ["T", "Ta"]),
        (["Anna", "Anna", ""], ["A1", "A2", "3"]),
    ],
)
def test_names_are_told_apart_by_two_letters(names, told):
    assert told_apart(names, 1) == told


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
        assert screen_text(pilot.app).split("\n")[2].split() == ["P1", "P2", "P3", "P4", "P5", "P6"]


@pytest.mark.parametrize("game", ["rifki", "king"])
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY], ids=str)
async def test_declarers_with_the_same_initial_are_told_apart(game, size):
    path = begun(game, USUAL)
    async with app(path).run_test(size=size) as pilot:
        await page(pilot)
        rows = screen_text(pilot.app).split("\n")
        whose = [row.split()[1] for row in rows[5:8] if row.split()[:1] and row.split()[0].isdigit()]
        assert len(whose) == len(set(whose)) > 0
