"""Entry of a round of Bridge into a score table."""

from cardtable.games.bridge.rules.actions import find_next_starter
from tests.scoring.tables import get_column


def create_entry(state, score):
    """Return the entry of a finished round."""
    by = state.finisher
    if by is None:
        by = next(seat for seat in range(len(state.totals)) if find_next_starter(state.totals, seat) == state.starter)
    answers = {"ended": score.title.how, "by": str(by), "times": str(score.title.times), "hands": get_column(score, 0)}
    jacks = get_column(score, 1)
    if state.options.jacks != "off" and score.title.how != "no cards":
        number = max(map(abs, jacks)) // 20
        answers["jacks"] = f"{number} {'minus' if min(jacks) < 0 else 'plus'}" if number else "none"
    return answers
