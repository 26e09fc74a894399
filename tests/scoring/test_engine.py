"""Sessions of the engine entered into score tables: equal points, totals and places."""

import pytest

from cardtable.games import GAMES
from cardtable.scoring.score_table import ScoreTableLine
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.scoring.tables import create_table, play_session_with_entries

OTHERS = [
    ("rikiki", None, {"length": "short", "hook": "never"}),
    ("rikiki", None, {"bonuses": "off"}),
    ("rifki", None, {"direction": "clockwise"}),
    ("gurka", 6, {"limit": 50}),
    ("bridge", 2, {"jacks": "plus"}),
    ("bridge", 3, {"jacks": "off"}),
    ("bridge", 3, {}),
    ("ten_down", 2, {"room": 50}),
    ("ten_down", 3, {"room": 5, "hook": "on"}),
    ("king", None, {"offers": "off"}),
]


@pytest.mark.parametrize(
    ("game", "seats", "options"), [*[(game, None, {}) for game in GAMES_WITH_SCORE_SHEET], *OTHERS]
)
def test_score_table_matches_engine(game, seats, options):
    for seed in range(3):
        engine, first, rounds = play_session_with_entries(game, seed, seats, **options)
        table = create_table(game, engine.seats, first, **options)
        for number, (entered, score) in enumerate(zip(rounds, engine.scores, strict=True), 1):
            table.apply(ScoreTableLine(round=entered))
            assert (table.sheet.scores[-1].points, table.sheet.scores[-1].totals) == (score.points, score.totals), (
                number
            )
            assert table.sheet.scores[-1].bonuses == score.bonuses
            if game not in ("rifki", "gurka"):  # of which suits are not asked
                assert table.sheet.scores[-1].title == score.title
        assert table.sheet.is_over
        assert table.sheet.totals == engine.totals
        assert table.sheet.ranks == engine.ranks
        assert table.sheet.rounds == engine.options.rounds
        assert table.sheet.columns == GAMES[game].columns or game == "king"
