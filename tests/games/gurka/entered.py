"""A round of Gurka as people with real cards would enter it."""

from tests.scoring.tables import column


def entered(_state, score):
    """What is entered after it."""
    return {"last": column(score, 0)}
