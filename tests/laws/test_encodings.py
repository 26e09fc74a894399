"""Encodings of every game for programs that learn."""

import re

import pytest
from msgspec.structs import replace

from cardtable.games import GAMES, KEYS
from cardtable.games.gurka.rules import GurkaState
from cardtable.robots.kit.encoding import ActionCodec, ViewEncoder
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


@pytest.mark.parametrize("key", KEYS)
def test_codes_masks_and_observations(key):
    for case in CASES_BY_GAME[key]:
        check_encodings(case, 0)


@pytest.mark.parametrize("key", KEYS)
def test_observations_contain_nearly_all_fields(key):
    game = GAMES[key]
    omitted = ViewEncoder(game, game.about.usual_seats).omitted
    assert {*omitted} == {"seat", "legal"} | OMITTED[key]


class TestPlantedFaults:
    """The checks detect wrong codes, masks and observations."""

    @pytest.fixture
    def find_violation(self, monkeypatch):
        """Return a function that replaces a method and returns the message of the check."""

        def check(owner, name, wrap, key="rummy"):
            right = getattr(owner, name)
            monkeypatch.setattr(owner, name, lambda *arguments: wrap(right, *arguments))
            with pytest.raises(AssertionError) as violation:
                check_encodings(CASES_BY_GAME[key][0], 0)
            return str(violation.value)

        return check

    def test_mask_allows_too_much(self, find_violation):
        def allow_discards(right, codec, legal, path=()):
            return bytes([(path == () and codec.labels[i] == "drop 2C") or allowed
                          for i, allowed in enumerate(right(codec, legal, path))])  # fmt: skip

        assert "the masks" in find_violation(ActionCodec, "mask", allow_discards)

    def test_mask_lacks_an_action(self, find_violation):
        def forbid_last(right, codec, legal, path=()):
            return right(codec, legal[:-1] or legal, path)

        assert "the masks" in find_violation(ActionCodec, "mask", forbid_last)

    def test_two_actions_have_one_code(self, find_violation):
        assert "decoded as" in find_violation(
            ActionCodec, "encode", lambda right, codec, action: right(codec, action) if action.kind != "drop" else (0,)
        )

    def test_view_shows_a_hidden_card(self, find_violation):
        def leak(right, state, seat):
            return replace(right(state, seat), drawn=state.hands[(seat + 1) % 4].bit_length() - 1)

        message = find_violation(GurkaState, "view", leak, "gurka")
        assert re.match(r"hidden cards change an observation or a mask of seat \d: the field drawn", message)
