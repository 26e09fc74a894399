"""Texts about a round: its title, its lines, and the results of the seats."""

from cardtable.engine.game import Score, Seat
from cardtable.engine.text_format import weighted
from cardtable.session.round_replay import RoundLine, RoundReplay, Step
from cardtable.wording.formatting import YOU, figure, in_words, signed_plus
from cardtable.wording.log_entries import message_text
from cardtable.wording.players import Names


def title_in_words(finished: RoundReplay) -> str:
    """Return the title of a finished round in words, or ``""`` if it has none or the round is in progress."""
    return in_words(finished.score.title) if finished.score else ""


def starter_text(finished: RoundReplay, names: Names) -> str:
    """Return a phrase about the declarer or the dealer, else about the first player, such as ``dealer Ada``."""
    if by := finished.game.dealer_or_declarer(finished.dealt[0]):
        role, seat = by
        return f"{role} {names[seat]}"
    begun = [step.seat for step in finished.steps if step.seat is not None]
    first = begun[0] if begun else finished.views_after(len(finished.steps))[0].turn
    if first < 0:
        return "nobody has begun"
    return "you begin" if names[first] == YOU else f"{names[first]} begins"


def seat_result(finished: RoundReplay, seat: Seat) -> tuple[tuple[str, ...], str]:
    """Return the figures of a seat in a finished round, each with its heading, and the weighted points."""
    assert finished.score is not None
    points = weighted(signed_plus(finished.score.points[seat]), finished.score.weight)
    return _figures(finished.game.columns, finished.score, seat), points


def figures(columns: tuple[str, ...], score: Score, seat: Seat) -> str:
    """Return the figures of a seat, each with its heading: ``bid 1 won 2``. ``columns`` are the headings."""
    return " ".join(_figures(columns, score, seat))


def _figures(columns: tuple[str, ...], score: Score, seat: Seat) -> tuple[str, ...]:
    return tuple([f"{head} {figure(head, number)}" for head, number in zip(columns, score.figures[seat], strict=True)])


def step_words(step: Step, names: Names) -> list[tuple[str, str]]:
    """Return the log entries of a step as pairs of name and text. Cards are in notation.

    The name is ``""`` for a log entry without a seat.
    """
    return [("" if note.seat is None else names[note.seat], message_text(note, names)) for note in step.notes]


def row_words(finished: RoundReplay, row: RoundLine, names: Names) -> str:
    """Return a description of a line of the round: who led to and won a trick, or what the seats did."""
    if row.trick:
        led = f"Led by {names[row.cards[0][0]]}"
        if row.taker is None:
            return f"{led}, never finished"
        return f"{led}, taken by {names[row.taker]}" + (", the last cards fell by themselves" if not row.steps else "")
    if not row.steps:
        return "What was left at the end"
    said = [f"{who} {what}".strip() for step in row.steps for who, what in step_words(finished.steps[step], names)]
    return ", ".join(said)
