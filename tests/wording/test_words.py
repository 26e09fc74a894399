"""List of all texts of the program, and phrases that must not be in it."""

import re

import pytest

from tests.words import PACKAGE, SECTIONS, extract_texts, get_section, iter_texts

FILES = {
    "games/king/rules/__init__.py": "King",
    "ui/archive/screen.py": "Screen: archive",
    "ui/table/screen.py": "The table in all games",
    "ui/game_view/trick_game.py": "The table in all games",
    "ui/round_view/board.py": "Finished rounds, looked at again",
    "ui/keys/bindings.py": "Keys",
    "ui/toolkit/form.py": "All screens",
    "ui/app.py": "All screens",
    "ui/club/lobby.py": "Screen: club",
    "plain/table.py": "Plain lines",
    "plain/club/lobby.py": "The club in plain lines",
    "cli/main.py": "Commands",
    "store/settings.py": "Everywhere",
}


def test_sections_of_files():
    assert {file: get_section(file) for file in FILES} == FILES
    assert [path for path in (*SECTIONS, *FILES) if not (PACKAGE / path).exists()] == []


def test_extracts_texts_but_no_identifiers():
    source = '"""A page."""\nwho: "Names" = at["key_of"]\nsay(f"{who[0]} deals.", "", "10 points")\n'
    assert extract_texts(source) == [(3, "10 points"), (3, "{who[0]} deals.")]


FORBIDDEN_PHRASES = {
    "whomever": r"\bwhomever\b|\bWhoever\b|[Ff]or whoever",
    "leave it, for what Esc does": r"\bEsc(ape)? leaves? it\b",
    "an ace lies": r"\b[Aa]n ace lies\b",
    "there is no 'x', and no word on what to do": r"^[Tt]here is no '?\{[^}]*\}'?\.?$",
    "American spelling": r"\b([Cc]olor|[Ff]avor)(s|ed)?\b(?! ?:|:| colour)|\bcenter\b(?! (top|middle))",
    "two words of one": r"\b(can not|any one else)\b",
    "two blanks": r"^[^ ].*[a-z,.;]  [a-z]+ [a-z]",
    "a blank before a stop": r"\w [,.;:!](\s|$)",
    "a word twice": r"\b(the|a|an|to|of|is|you|your) \1\b",
    "a card falls, or a bid": r"\b(must|need not|has) fall(en)?\b|\b[Ff]alls, at most\b|\b[Ff]alls in a row\b",
}


@pytest.fixture(scope="module")
def all_texts():
    return list(iter_texts())


@pytest.mark.parametrize("phrase", FORBIDDEN_PHRASES)
def test_phrase_is_not_used(phrase, all_texts):
    matches = [words for words in all_texts if re.search(FORBIDDEN_PHRASES[phrase], words.text)]
    assert not matches
