"""Keys of the games that have a certain part, for parametrised tests."""

from cardtable.games import GAMES, KEYS, import_submodule
from cardtable.store import paths

TRICK_GAMES = [key for key, game in GAMES.items() if game.has_tricks]
GAMES_WITH_RULES = [key for key in KEYS if paths.rules_file(key).exists()]
GAMES_WITH_SCORE_SHEET = [key for key in KEYS if import_submodule(key, "score_sheet")]
GAMES_WITH_LEVEL_STRENGTH = [key for key in KEYS if import_submodule(key, "level_strength")]
USUAL_SEATS = {key: game.about.usual_seats for key, game in GAMES.items()}
"""Usual number of seats of each game."""
