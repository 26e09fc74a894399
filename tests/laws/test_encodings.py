"""Encodings of every game for programs that learn."""

import pytest

from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.view_encoder import ViewEncoder
from cardtable.testing.encoding_checks import check_encodings
from tests.laws.sessions import CASES_BY_GAME

OMITTED = {
    "rikiki": {"past"},
    "king": {"bargains"},
    "rifki": set(),
    "gurka": {"past"},
    "bridge": set(),
    "ten_down": set(),
    "rummy": {"past"},
}
"""Fields of views that are left out of observations, besides those that are left out in every game."""


@pytest.mark.promise(
    "For maintainers",
    "Codes of actions can be decoded, masks are the legal actions, and no hidden card changes an observation.",
)
@pytest.mark.parametrize("key", KEYS)
def test_codes_masks_and_observations(key):
    assert sum([check_encodings(case, 0) for case in CASES_BY_GAME[key]])


@pytest.mark.parametrize("key", KEYS)
def test_observations_contain_nearly_all_fields(key):
    game = GAMES[key]
    omitted = ViewEncoder(game, game.about.usual_seats).omitted
    assert {*omitted} == {"seat", "legal", "options"} | OMITTED[key]
