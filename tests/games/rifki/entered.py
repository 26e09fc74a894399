"""A round of Rifki as people with real cards would enter it."""

from tests.scoring.tables import column


def entered(state, score):
    """What is entered after it."""
    contract = state.declared[-1]
    return {"contract": "koz" if contract.trump is not None else contract.name, "taken": column(score, 0)}
