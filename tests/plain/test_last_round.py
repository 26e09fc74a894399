"""Last deal in plain text, with reasons for its actions."""

import re

import pytest

from cardtable.games import KEYS
from tests.every_game import TRICK_GAMES
from tests.plain.test_sessions import SEATS, play_arguments

MIN_CHOICES = {key: 14 if key in TRICK_GAMES else 40 for key in KEYS}
"""Number of the player's choices after which a round is over."""


def read_answers(plain, key, *typed, seed=7):
    """Return the answers to the last typed lines."""
    long = ("--option", "limit=500") if key == "rummy" else ()
    result = plain(*play_arguments(key, *long, seed=seed), typed=["1"] * MIN_CHOICES[key] + [*typed])
    assert (result.code, result.err) == (0, "")
    return (
        result.out.split("> \n")[MIN_CHOICES[key] + 1 :]
        if "> \n" in result.out
        else result.out.split("> ")[MIN_CHOICES[key] + 1 :]
    )


@pytest.mark.parametrize("key", KEYS)
def test_last_deal_of_every_game(plain, key):
    lines = read_answers(plain, key, "deal", "why 1")[0].splitlines()
    assert re.match(r"Round \d+, .*\.", lines[0]), "the round has ended after MIN_CHOICES inputs"
    assert sum(line.startswith("Dealt: ") for line in lines) == SEATS[key]
    assert sum(bool(re.match(r"\w+: .*, points ", line)) for line in lines) == SEATS[key]
    numbers = [int(number) for number in re.findall(r"\((\d+)\)", "\n".join(lines))]
    assert numbers == list(range(1, len(numbers) + 1))
    assert any(line.startswith("Trick 1: ") for line in lines) == (key in TRICK_GAMES)
    assert all(line.isascii() for line in lines)


def test_why_command_states_hand_and_reason(plain):
    deal, explanation, none, far = read_answers(plain, "gurka", "deal", "why 2", "why", "why 99")[:4]
    name = re.search(r"\(2\) (\w+) ", deal)[1]
    lines = explanation.splitlines()
    assert lines[0].startswith(f"{name} had ")
    assert lines[1].startswith(f"{name} played ")
    assert lines[-2:] != lines[:2]
    assert any("plays at random" in line for line in lines)
    assert "Type why and a number from 1 to 24" in none
    assert none == far


def test_no_round_is_over(plain):
    result = plain(*play_arguments("rifki"), typed=["deal", "why 3"])
    assert result.out.count("No round is over yet.") == 2
