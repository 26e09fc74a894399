"""Inference from plays: groups of cards that could have been played instead."""

import pytest

from cardtable.engine.cards import card, iter_cards, names
from cardtable.engine.tricks import order
from cardtable.robots.kit.search import iter_unplayed_groups

NONE, SPADES = None, 3


@pytest.mark.parametrize(
    ("trick", "trump", "groups"),
    [
        ("4C", NONE, ["0: 2C 3C"]),
        ("TC 7C", NONE, ["1: 2C 3C 4C 5C 6C", "1: 8C 9C", "1: JC QC KC AC"]),
        ("9C QC", NONE, ["1: 2C 3C 4C 5C 6C 7C 8C", "1: TC JC"]),
        ("4C 3D", NONE, ["1: 2D"]),
        ("4C 3S", SPADES, ["1: 2S"]),
        ("4C 3S 5S", SPADES, ["1: 2S", "2: 2S", "2: 4S"]),
        ("4C 3S 5C", SPADES, ["1: 2S", "2: 2C 3C 4C", "2: 6C 7C 8C 9C TC JC QC KC AC"]),
        ("4C 6C 5C", NONE, ["1: 2C 3C", "1: 5C", "2: 2C 3C 4C", "2: 7C 8C 9C TC JC QC KC AC"]),
    ],
    ids=["led", "not headed", "headed", "thrown away", "ruffed", "ruffed higher", "after a ruff", "between"],
)
def test_unplayed_groups(trick, trump, groups):
    unplayed = iter_unplayed_groups([card(word) for word in trick.split()], 0, order(trump), 4)
    assert [f"{seat}: {names(iter_cards(group))}" for seat, group in unplayed if seat or " " not in trick] == groups
