"""Entry of a round of Rummy into a score table."""

from tests.scoring.tables import get_column


def create_entry(_state, score):
    """Return the entry of a finished round."""
    return {"melds": get_column(score, 0), "hand": get_column(score, 1)}
