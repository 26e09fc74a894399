"""All that is said, as it is listed to be read."""

from tests.words import place, texts

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
