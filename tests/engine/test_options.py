"""House rules: what may be chosen, and the one line that says so."""

from dataclasses import dataclass, replace

import pytest

from cardtable.engine import options
from cardtable.engine.game import Game, GameInfo
from tests.engine.toy import Options


@dataclass(frozen=True, slots=True)
class Sized(Options):
    """House rules that tell how many play."""

    seats: int = options.choice("Seats at the table", {4: "four", 6: "six"})

    def for_seats(self, seats):
        return replace(self, seats=seats)


def test_every_option_is_named_with_its_values_the_default_first():
    stakes, clock = options.list_choices(Options)
    assert (stakes.name, stakes.default, list(stakes.values), stakes.minutes) == (
        "stakes",
        "low",
        ["low", "high", 5],
        False,
    )
    assert (clock.name, clock.default, clock.minutes) == ("round_clock", "off", True)
    assert clock.format_allowed() == "off or a whole number of minutes"


def test_options_that_are_not_given_have_their_defaults():
    assert options.read(Options, {}) == Options() == Options("low", "off")
    assert options.read(Options, {"stakes": "high"}).to_dict() == {"stakes": "high", "round_clock": "off"}


@pytest.mark.parametrize(
    ("name", "given", "value"),
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
def test_a_value_is_given_as_itself_or_as_its_text(name, given, value):
    assert options.read(Options, {name: given}).to_dict()[name] == value


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("stakes", "HIGH"),
        ("stakes", ""),
        ("stakes", 6),
        ("stakes", 5.0),
        ("stakes", True),
        ("stakes", None),
        ("stakes", ["low"]),
        ("stakes", "7"),
        ("round_clock", 0),
        ("round_clock", -1),
        ("round_clock", 10_000),
        ("round_clock", "0"),
        ("round_clock", "-1"),
        ("round_clock", "1.5"),
        ("round_clock", "1_0"),
        ("round_clock", "¹"),
        ("round_clock", "٣"),
        ("round_clock", 1.0),
        ("round_clock", True),
        ("round_clock", "9" * 5000),
    ],
)
def test_any_other_value_is_refused_with_what_is_allowed(name, given):
    with pytest.raises(
        ValueError, match=f"option {name} cannot be .*; it can be (low, high or 5|off or a whole number)"
    ) as caught:
        options.read(Options, {name: given})
    assert len(str(caught.value)) <= 200


def test_an_option_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(ValueError, match="no option is called 'hook'; the options are stakes, round_clock"):
        options.read(Options, {"hook": "over-four"})


# The number of seats


def test_house_rules_follow_the_number_of_seats():
    assert options.read(Sized, {"stakes": "high"}, 6) == Sized(stakes="high", seats=6)
    assert options.read(Sized, {"seats": "6"}, 6) == Sized(seats=6)
    assert options.read(Sized, {"seats": 6}) == Sized(seats=6)
    assert options.read(Options, {"stakes": "high"}, 6) == Options("high"), "most games have no such option"


@pytest.mark.parametrize(("told", "seats"), [(4, 6), ("6", 4)])
def test_an_option_that_tells_another_number_of_seats_is_refused(told, seats):
    with pytest.raises(
        ValueError, match=f"^option seats is {told}, but there are {seats} seats; one of the two has to change$"
    ):
        options.read(Sized, {"seats": told}, seats)


def test_where_nobody_says_how_many_the_options_do():
    about = GameInfo("toy", "Toy", "", "", (4, 6), 4)
    game = Game(about, Sized, None, (), (), None, None, None, None, None)
    assert [game.seats_for(Sized()), game.seats_for(Sized(seats=6))] == [4, 6]
    assert Game(about, Options, None, (), (), None, None, None, None, None).seats_for(Options()) == 4
