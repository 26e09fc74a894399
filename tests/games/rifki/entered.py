"""Entry of a round of Rifki into a score table."""

from tests.scoring.tables import get_column


def create_entry(state, score):
    """Return the entry of a finished round."""
    contract = state.declared[-1]
    return {"contract": "koz" if contract.trump is not None else contract.name, "taken": get_column(score, 0)}
