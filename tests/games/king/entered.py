"""Entry of a round of King into a score table."""

from cardtable.engine.cards import OF_RANK, QUEEN
from cardtable.games.king.rules.actions import Kind
from tests.scoring.tables import get_column


def create_entry(state, score):
    """Return the entry of a finished round."""
    contract = state.declared[state.dealer][-1]
    answers = {"contract": contract.text}
    if contract.kind is Kind.POSITIVE:
        tricks = get_column(score, 0)
        return answers | {"tricks": tuple(n if seat == state.dealer else 0 for seat, n in enumerate(tricks))}
    if _match_points(state, contract):
        return answers | {"by": "cards"} | _count_cards_taken(state, contract)
    return answers | {"by": "points", "points": tuple(map(abs, score.points))}


def _match_points(state, contract):
    """Return True if the cards and tricks taken account for all points; they do not after a claim or an offer."""
    taken_counts = _count_cards_taken(state, contract)
    return all(
        sum(counts) == number
        for (counts, number) in zip(taken_counts.values(), _list_card_counts(contract), strict=True)
    )


def _list_card_counts(contract):
    return [9] * bool(contract.tricks) + [some.bit_count() for some, _ in contract.cards] + [2] * bool(contract.last)


def _count_cards_taken(state, contract):
    taken_counts = {}
    if contract.tricks:
        taken_counts["tricks"] = state.tricks()
    for some, _ in contract.cards:
        name = {9: "hearts", 1: "king_of_hearts"}.get(some.bit_count()) or (
            "queens" if some & OF_RANK[QUEEN] else "jacks"
        )
        taken_counts[name] = tuple((taken & some).bit_count() for taken in state.taken)
    if contract.last:
        last = [0] * 4
        if sum(state.tricks()) == 9:
            last[state.last_leader] += 1
            last[state.leader] += 1
        taken_counts["last_tricks"] = tuple(last)
    return taken_counts
