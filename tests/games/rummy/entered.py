"""A round of Rummy as people with real cards would enter it."""

from tests.scoring.tables import column


def entered(_state, score):
    """What is entered after it."""
    return {"melds": column(score, 0), "hand": column(score, 1)}
