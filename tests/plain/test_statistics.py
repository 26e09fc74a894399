"""Statistics and rankings in plain text."""

import pytest

from cardtable.games import ABOUT
from cardtable.store import profiles
from tests.plain.answers import split_answers
from tests.records.archive_sessions import archive_random_session


@pytest.fixture
def sample_sessions():
    """Archive three finished sessions and an abandoned one."""
    archive_random_session("king", "Anna Tom novice steady", id_="20261119-120000-king-0001", seed=1)
    archive_random_session("rikiki", "Anna steady steady novice", id_="20261119-120000-rikiki-0002", seed=2)
    archive_random_session("gurka", "expert steady steady steady", id_="20261118-120000-gurka-0003", seed=3)
    archive_random_session("gurka", "Anna steady steady steady", id_="20261118-120000-gurka-0004", seed=4, rounds=1)
    profiles.sign_in("Anna")


def read_answer(plain, *typed):
    """Return the lines printed after the last of these lines."""
    return split_answers(plain(typed=typed))[len(typed) - 1]


def test_no_sessions_yet(plain):
    assert read_answer(plain, "statistics") == [
        "You have not finished a session yet.",
        "A session counts once it is over or abandoned, unless its deal was known before."
    ]  # fmt: skip
    assert read_answer(plain, "statistics king")[0] == "You have not finished a session of King yet."
    nobody, rules = read_answer(plain, "rankings")
    assert nobody == "Nobody is rated yet."
    assert rules.startswith("A session counts once it is over or abandoned, unless hands were open")
    assert read_answer(plain, "rankings ten_down")[0] == "Nobody is rated in Ten Down yet."


def test_statistics_of_all_games(plain, sample_sessions):
    lines = read_answer(plain, "statistics")
    assert lines[0].startswith("Statistics of Anna, all games: 3 sessions, 1 abandoned, won ")
    assert [line.split(":")[0] for line in lines[1:4]] == ["Rikiki", "King", "Gurka"]
    assert all(", rating " in line for line in lines[1:3])
    assert lines[-1] == "Other players: Tom, Expert, Steady, Novice. Type statistics and a name for one of them."


def test_statistics_of_one_game(plain, sample_sessions):
    king = read_answer(plain, "statistics king")
    assert king[0].startswith("Statistics of Anna, King: rating ")
    assert king[1].startswith("Places: ")
    assert king[2:4] == ["Sessions: 1.", "Abandoned: 0."]
    assert any(line.startswith("Points by contract, average per round: ") for line in king)
    rikiki = read_answer(plain, "statistics STEADY Rikiki")
    assert rikiki[0].startswith("Statistics of Steady, Rikiki: rating ")
    assert any(line.startswith("Exact bids by cards dealt: 1 card ") for line in rikiki)
    assert read_answer(plain, "statistics tom gurka")[0] == "Tom has not finished a session of Gurka yet."


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (
            "statistics Zoe",
            "Neither a player nor a game is called 'Zoe'; players are Anna, Tom, Expert, Steady or Novice.",
        ),
        ("rankings whist", f"Type rankings and a game: {', '.join([*ABOUT][:-1])} or {[*ABOUT][-1]}."),
    ],
)
def test_unknown_player_or_game(plain, sample_sessions, typed, expected):
    assert read_answer(plain, typed) == [expected]


def test_rankings_of_all_games_and_of_one(plain, sample_sessions):
    lines = read_answer(plain, "rankings")
    assert [line.split(":")[0] for line in lines[:-1]] == ["Rikiki", "King", "Gurka"]
    king = next(line for line in lines if line.startswith("King: "))
    assert king.endswith("; 4 players rated, 1 session.")
    ranking = read_answer(plain, "rankings King")
    assert ranking[0] == "Rankings of King, by rating; 1 session."
    assert [line.split(":")[0] for line in ranking[1:5]] == ["1", "2", "3", "4"]
    assert any(": Anna, you, rating " in line for line in ranking)
    assert any(": Novice, robot, rating " in line for line in ranking)
    assert ranking[5].startswith("A player rated 100 points higher finishes ahead in 64% of sessions;")
