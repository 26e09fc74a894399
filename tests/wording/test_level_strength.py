"""Measured differences between robot levels, and their description."""

from pathlib import Path

import pytest

from benchmarks import ladder
from cardtable.games import import_submodule
from cardtable.robots.kit.levels import LEVELS, StrengthGap, StrengthLadder
from cardtable.wording import players
from cardtable.wording.players import describe_level, describe_level_strength
from tests.every_game import GAMES_WITH_LEVEL_STRENGTH


@pytest.mark.parametrize("key", GAMES_WITH_LEVEL_STRENGTH)
def test_each_level_beats_the_one_below(key):
    ladder = import_submodule(key, "level_strength").LADDER
    assert LEVELS[2:] == ladder._fields
    for step in ladder:
        assert step.points > 2 * step.error > 0, "by more than chance"


@pytest.mark.parametrize("key", GAMES_WITH_LEVEL_STRENGTH)
def test_benchmark_writes_the_module_as_it_is(key):
    module = import_submodule(key, "level_strength")
    assert ladder.format_file(key, module.LADDER) == Path(module.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "steady", "expert", "description"),
    [
        ("king", (3.04, 0.1), (0.96, 0.12), "Novice: 3.0 points a round behind steady; expert: 1.0 ahead."),
        ("rifki", (37.3, 1.0), (9.96, 0.4), "Novice: 37 points a round behind steady; expert: 10.0 ahead."),
        ("rummy", (35.8, 1.8), (77.8, 11.2), "Novice: 36 points a round behind steady; expert: 80 ahead."),
        ("gurka", (1.5, 0.02), (2, 0.1), "Novice: 1.5 points a round behind steady; expert: 2.0 ahead (4 seats)."),
    ],
)
def test_description_has_digits_as_the_error_allows(monkeypatch, key, steady, expert, description):
    monkeypatch.setattr(
        import_submodule(key, "level_strength"),
        "LADDER",
        StrengthLadder(StrengthGap(*steady, 1000), StrengthGap(*expert, 100)),
    )
    assert describe_level_strength(key) == description


def test_game_without_measurement(monkeypatch):
    monkeypatch.setattr(players, "import_submodule", lambda _key, _name: None)
    assert describe_level_strength("gurka") == describe_level("gurka", "expert") == ""
