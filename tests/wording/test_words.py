"""List of all texts of the program, and phrases that must not be in it."""

import re

import pytest

from tests.words import place, spoken, texts

PLACES = {
    "games/king/rules/game.py": "King",
    "ui/archive/screen.py": "Screen: archive",
    "ui/table/screen.py": "The table in all games",
    "plain/table.py": "Plain lines",
    "plain/club/lobby.py": "The club in plain lines",
    "cli/show.py": "Commands",
    "store/settings.py": "Everywhere",
}


def test_words_are_listed_by_screen_and_game():
    assert {file: place(file) for file in PLACES} == PLACES


def test_names_for_the_program_are_not_words_and_what_is_put_in_is_named():
    source = '"""A page."""\nwho: "Names" = at["key_of"]\nsay(f"{who[0]} deals.", "", "10 points")\n'
    assert texts(source) == [(3, "10 points"), (3, "{who[0]} deals.")]


NOT_SAID = {
    "whomever": r"\bwhomever\b|\bWhoever\b|[Ff]or whoever",
    "leave it, for what Esc does": r"\bEsc(ape)? leaves? it\b",
    "an ace lies": r"\b[Aa]n ace lies\b",
    "there is no 'x', and no word on what to do": r"^[Tt]here is no '?\{[^}]*\}'?\.?$",
    "American spelling": r"\b([Cc]olor|[Ff]avor)(s|ed)?\b(?! ?:|:)|\bcenter\b(?! (top|middle))",
    "two words of one": r"\b(can not|any one else)\b",
    "two blanks": r"^[^ ].*[a-z,.;]  [a-z]+ [a-z]",
    "a blank before a stop": r"\w [,.;:!](\s|$)",
    "a word twice": r"\b(the|a|an|to|of|is|you|your) \1\b",
}


@pytest.fixture(scope="module")
def all_texts():
    return list(spoken())


@pytest.mark.parametrize("phrase", NOT_SAID)
def test_nobody_says(phrase, all_texts):
    said = [words for words in all_texts if re.search(NOT_SAID[phrase], words.text)]
    assert not said
