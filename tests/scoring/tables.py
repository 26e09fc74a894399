"""Score tables to test with, and sessions of the engine as people with real cards would enter them."""

from random import Random

from cardtable.engine import options as house
from cardtable.engine.cards import OF_RANK, QUEEN, SUITS
from cardtable.engine.contract import CHANCE, OVER
from cardtable.engine.journal import SeatOf
from cardtable.engine.table import Table
from cardtable.games import GAMES
from cardtable.games.bridge.rules.actions import next_starter
from cardtable.games.king.rules.contracts import Kind
from cardtable.scoring.score_table import ScoreTable, ScoreTableHeader, ScoreTableLine

NAMES = ("Anna", "Tom", "Ida", "Lea", "Max", "Eva")


def header(game, seats=None, first=0, **options):
    seats = seats or GAMES[game].about.usual_seats
    rules = house.read(GAMES[game].options, options, seats)
    return ScoreTableHeader(
        cardtable_scores=1,
        id=f"20261122-120000-{game}-cards-7f3a",
        game=game,
        created="2026-11-22T12:00:00Z",
        first=first,
        options=rules.items(),
        seats=tuple([SeatOf(name) for name in NAMES[:seats]]),
    )


def table(game, seats=None, first=0, **options):
    return ScoreTable(header(game, seats, first, **options))


def enter(score_table, **entered):
    """Count a round."""
    score_table.take(ScoreTableLine(round=entered))
    return score_table.sheet.scores[-1]


def refused(score_table, **entered):
    """Why a round is not counted; nothing has changed."""
    before = list(score_table.rounds), score_table.sheet.running
    try:
        score_table.take(ScoreTableLine(round=entered))
    except ValueError as error:
        assert (list(score_table.rounds), score_table.sheet.running) == before
        return str(error)
    raise AssertionError("it was counted")


def played(game, seed, seats=None, **options):
    """A session of random play, and its rounds as they would be entered; the header's ``first`` besides."""
    seats = seats or GAMES[game].about.usual_seats
    rng = Random(seed)
    engine = Table(GAMES[game], seats, house.read(GAMES[game].options, options, seats), seed=seed)
    rounds, first = [], 0
    while engine.turn != OVER:
        if engine.turn == CHANCE:
            engine.go_on()
            continue
        state, before = engine._state, len(engine.scores)
        if engine.round == 1:
            first = FIRSTS.get(game, lambda _: 0)(state)
        engine.play(engine.turn, rng.choice(engine.view(engine.turn).legal))
        if len(engine.scores) > before:
            rounds.append(ENTERED[game](engine._state, engine.scores[-1]))
    return engine, first, rounds


FIRSTS = {"rifki": lambda state: state.starter, "rummy": lambda state: state.first}


def column(score, place):
    return tuple(figures[place] for figures in score.figures)


def rifki(state, score):
    contract = state.declared[-1]
    return {"contract": "koz" if contract.trump is not None else contract.name, "taken": column(score, 0)}


def king(state, score):
    contract = state.declared[state.dealer][-1]
    entered = {"contract": contract.text}
    if contract.kind is Kind.POSITIVE:
        tricks = column(score, 0)
        return entered | {"tricks": tuple(n if seat == state.dealer else 0 for seat, n in enumerate(tricks))}
    if _all_fell(state, contract):
        return entered | {"by": "cards"} | _taken(state, contract)
    return entered | {"by": "points", "points": tuple(map(abs, score.points))}


def _all_fell(state, contract):
    """Whether the points are those of cards and tricks taken; after a claim or an offer they are not."""
    found = _taken(state, contract)
    return all(sum(counts) == number for (counts, number) in zip(found.values(), _numbers(contract), strict=True))


def _numbers(contract):
    return [9] * bool(contract.tricks) + [some.bit_count() for some, _ in contract.cards] + [2] * bool(contract.last)


def _taken(state, contract):
    found = {}
    if contract.tricks:
        found["tricks"] = state.tricks()
    for some, _ in contract.cards:
        name = {9: "hearts", 1: "king_of_hearts"}.get(some.bit_count()) or (
            "queens" if some & OF_RANK[QUEEN] else "jacks"
        )
        found[name] = tuple((taken & some).bit_count() for taken in state.taken)
    if contract.last:
        last = [0] * 4
        if sum(state.tricks()) == 9:
            last[state.last_leader] += 1
            last[state.leader] += 1
        found["last_tricks"] = tuple(last)
    return found


def exact(_state, score):
    entered = {"bids": column(score, 0), "tricks": column(score, 1)}
    return entered if score.title.no_trump else {"trump": SUITS[score.title.trump]} | entered


def gurka(_state, score):
    return {"last": column(score, 0)}


def bridge(state, score):
    by = state.finisher
    if by is None:
        by = next(seat for seat in range(len(state.totals)) if next_starter(state.totals, seat) == state.starter)
    entered = {"ended": score.title.how, "by": str(by), "times": str(score.title.times), "hands": column(score, 0)}
    jacks = column(score, 1)
    if state.options.jacks != "off" and score.title.how != "no cards":
        number = max(map(abs, jacks)) // 20
        entered["jacks"] = f"{number} {'minus' if min(jacks) < 0 else 'plus'}" if number else "none"
    return entered


def rummy(_state, score):
    return {"melds": column(score, 0), "hand": column(score, 1)}


ENTERED = {
    "rifki": rifki,
    "king": king,
    "rikiki": exact,
    "ten_down": exact,
    "gurka": gurka,
    "bridge": bridge,
    "rummy": rummy,
}
