"""A round of Bridge as people with real cards would enter it."""

from cardtable.games.bridge.rules.actions import find_next_starter
from tests.scoring.tables import column


def entered(state, score):
    """What is entered after it."""
    by = state.finisher
    if by is None:
        by = next(seat for seat in range(len(state.totals)) if find_next_starter(state.totals, seat) == state.starter)
    told = {"ended": score.title.how, "by": str(by), "times": str(score.title.times), "hands": column(score, 0)}
    jacks = column(score, 1)
    if state.options.jacks != "off" and score.title.how != "no cards":
        number = max(map(abs, jacks)) // 20
        told["jacks"] = f"{number} {'minus' if min(jacks) < 0 else 'plus'}" if number else "none"
    return told
