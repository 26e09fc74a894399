"""Keys of the games that have a certain part, for parametrised tests."""

from cardtable.engine.game import no_feature
from cardtable.games import GAMES, KEYS, import_submodule
from cardtable.store import paths

IN_TRICKS = [key for key, game in GAMES.items() if game.trick is not no_feature]
WITH_A_PAGE = [key for key in KEYS if paths.rules_file(key).exists()]
WITH_A_SHEET = [key for key in KEYS if import_submodule(key, "score_sheet")]
WITH_A_LADDER = [key for key in KEYS if import_submodule(key, "level_strength")]
SEATS = {key: game.about.usual_seats for key, game in GAMES.items()}
"""Usual number of seats of each game."""
