"""A finished round in words: what it was, what each line of it says, what everybody made."""

from cardtable.engine.game import Score, Seat
from cardtable.engine.text_format import weighted
from cardtable.session.round_replay import RoundLine, RoundReplay, Step
from cardtable.wording.formatting import YOU, figure, gained, in_words
from cardtable.wording.log_entries import told
from cardtable.wording.players import Names


def what(finished: RoundReplay) -> str:
    """What was played: cards each and trump, or the contract; nothing where all rounds are alike, or of one in play."""
    return in_words(finished.score.title) if finished.score else ""


def begins(finished: RoundReplay, names: Names) -> str:
    """Who declares, deals or begins, within a line."""
    if by := finished.game.dealer_or_declarer(finished.dealt[0]):
        role, seat = by
        return f"{role} {names[seat]}"
    begun = [step.seat for step in finished.steps if step.seat is not None]
    first = begun[0] if begun else finished.after(len(finished.steps))[0].turn
    if first < 0:
        return "nobody has begun"
    return "you begin" if names[first] == YOU else f"{names[first]} begins"


def made(finished: RoundReplay, seat: Seat) -> tuple[tuple[str, ...], str]:
    """What a seat did in a round that is over, each figure after its heading, and its points."""
    assert finished.score is not None
    points = weighted(gained(finished.score.points[seat]), finished.score.weight)
    return _figures(finished.game.columns, finished.score, seat), points


def figures(columns: tuple[str, ...], score: Score, seat: Seat) -> str:
    """What a seat did, each figure after its heading: ``bid 1 won 2``."""
    return " ".join(_figures(columns, score, seat))


def _figures(columns: tuple[str, ...], score: Score, seat: Seat) -> tuple[str, ...]:
    return tuple([f"{head} {figure(head, number)}" for head, number in zip(columns, score.figures[seat], strict=True)])


def step_words(step: Step, names: Names) -> list[tuple[str, str]]:
    """What a step looked like: who, and what; nobody (``""``) for what nobody does.  Cards in notation."""
    return [("" if note.seat is None else names[note.seat], told(note, names)) for note in step.notes]


def row_words(finished: RoundReplay, row: RoundLine, names: Names) -> str:
    """What is to be said of a line beside what it shows."""
    if row.trick:
        led = f"Led by {names[row.cards[0][0]]}"
        if row.taker is None:
            return f"{led}, never finished"
        return f"{led}, taken by {names[row.taker]}" + (", the last cards fell by themselves" if not row.steps else "")
    if not row.steps:
        return "What was left at the end"
    said = [f"{who} {what}".strip() for step in row.steps for who, what in step_words(finished.steps[step], names)]
    return ", ".join(said)
