"""House rules: allowed values, defaults, error messages and the number of seats."""

from dataclasses import dataclass, replace
from typing import get_type_hints

import msgspec
import pytest

from cardtable.engine import options
from cardtable.engine.game import GameInfo
from cardtable.games import GAMES, KEYS
from tests.engine.toy import GAME, Options
from tests.overriding import override


@dataclass(frozen=True, slots=True)
class OptionsWithSeats(Options):
    """House rules that include the number of seats."""

    seats: int = options.choice("Seats at the table", {4: "four", 6: "six"})

    def for_seats(self, seats):
        return replace(self, seats=seats)


def test_list_choices_puts_default_first():
    stakes, clock = options.list_choices(Options)
    assert (stakes.name, stakes.default, list(stakes.values), stakes.minutes) == (
        "stakes",
        "low",
        ["low", "high", 5],
        False,
    )
    assert (clock.name, clock.default, clock.minutes) == ("round_clock", "off", True)
    assert clock.format_allowed() == "off or a whole number of minutes"


def test_missing_options_have_their_defaults():
    assert options.read(Options, {}) == Options() == Options("low", "off")
    assert options.read(Options, {"stakes": "high"}).to_dict() == {"stakes": "high", "round_clock": "off"}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("stakes", "high", "high"),
        ("stakes", 5, 5),
        ("stakes", "5", 5),
        ("round_clock", "off", "off"),
        ("round_clock", 1, 1),
        ("round_clock", "10", 10),
        ("round_clock", 9999, 9999),
    ],
)
def test_option_value_as_itself_or_as_text(name, value, expected):
    assert options.read(Options, {name: value}).to_dict()[name] == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("stakes", value) for value in ("HIGH", "", 6, 5.0, True, None, ["low"], "7")],
        *[
            ("round_clock", value)
            for value in (0, -1, 10_000, "0", "-1", "1.5", "1_0", "¹", "٣", 1.0, True, "9" * 5000)
        ],
    ],
)
def test_invalid_option_value_is_refused(name, value):
    with pytest.raises(
        ValueError, match=f"option {name} cannot be .*; it can be (low, high or 5|off or a whole number)"
    ) as caught:
        options.read(Options, {name: value})
    assert len(str(caught.value)) <= 200


def test_unknown_option_is_refused():
    with pytest.raises(ValueError, match="no option is called 'hook'; the options are stakes, round_clock"):
        options.read(Options, {"hook": "over-four"})


# The number of seats


def test_seats_option_follows_seat_count():
    assert options.read(OptionsWithSeats, {"stakes": "high"}, 6) == OptionsWithSeats(stakes="high", seats=6)
    assert options.read(OptionsWithSeats, {"seats": "6"}, 6) == OptionsWithSeats(seats=6)
    assert options.read(OptionsWithSeats, {"seats": 6}) == OptionsWithSeats(seats=6)
    assert options.read(Options, {"stakes": "high"}, 6) == Options("high"), "most games have no such option"


@pytest.mark.parametrize(("option", "seats"), [(4, 6), ("6", 4)])
def test_contradicting_seats_option_is_refused(option, seats):
    with pytest.raises(
        ValueError, match=f"^option seats is {option}, but there are {seats} seats; one of the two has to change$"
    ):
        options.read(OptionsWithSeats, {"seats": option}, seats)


def test_seat_count_defaults_to_seats_option():
    about = GameInfo("toy", "Toy", "", "", (4, 6), 4)
    game = override(GAME, about=about, options=OptionsWithSeats)
    assert [game.seats_for(OptionsWithSeats()), game.seats_for(OptionsWithSeats(seats=6))] == [4, 6]
    assert override(game, options=Options).seats_for(Options()) == 4


@dataclass(frozen=True, slots=True)
class OptionsOfAGame(options.CommonOptions):
    """House rules of a game with the options that all games share."""

    length: str = options.choice("How long a session is", {"full": "four rounds", "short": "one round"})


def test_common_options_follow_those_of_the_game():
    assert [option.name for option in options.list_choices(OptionsOfAGame)] == ["length", "round_clock", "open_hands"]
    chosen = OptionsOfAGame("short", open_hands="on")
    assert list(chosen.to_dict().items()) == [("length", "short"), ("round_clock", "off"), ("open_hands", "on")]
    assert list(chosen.to_header()) == ["length", "round_clock", "open_hands"]
    assert options.read(OptionsOfAGame, {"round_clock": "10"}) == OptionsOfAGame(round_clock=10)


@pytest.mark.parametrize(
    "create",
    [
        lambda word: OptionsOfAGame(open_hands=word),
        lambda word: replace(OptionsOfAGame(), open_hands=word),
        lambda word: options.read(OptionsOfAGame, {"open_hands": word}),
        lambda word: options.read_unchecked(OptionsOfAGame, {"open_hands": word}, 4),
        lambda word: msgspec.json.decode(f'{{"open_hands":"{word}"}}', type=OptionsOfAGame),
    ],
)
def test_on_off_option_is_true_or_false_in_code_and_a_word_in_files(create):
    for word, value in (("on", True), ("off", False)):
        chosen = create(word)
        assert bool(chosen.open_hands) is value
        assert options.has_open_hands(chosen.to_header()) is value
        assert msgspec.json.decode(msgspec.json.encode(chosen))["open_hands"] == word
        assert (str(chosen.open_hands), chosen.to_header()) == (
            word,
            {**OptionsOfAGame().to_header(), "open_hands": word},
        )


@pytest.mark.parametrize("key", KEYS)
def test_types_of_house_rules_have_all_their_words(key):
    types = get_type_hints(GAMES[key].options)
    for option in options.list_choices(GAMES[key].options):
        for value in option.values:
            assert msgspec.convert(value, types[option.name]) == value
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert("no such word", types[option.name])


def test_word_of_an_older_version_is_taken_as_it_is():
    assert options.read_unchecked(OptionsOfAGame, {"open_hands": "hearts"}, 4).open_hands == "hearts"


def test_options_without_the_common_ones_have_only_their_own():
    assert list(OptionsWithSeats().to_header()) == ["stakes", "round_clock", "seats"]
