"""Texts about a round: its title, its lines, and the results of the seats."""

from cardtable.engine.game import Seat
from cardtable.engine.text_format import format_weighted
from cardtable.session.round_replay import RoundReplay, RoundRow, Step
from cardtable.wording.formatting import YOU, describe_title, format_figure, format_gain
from cardtable.wording.log_entries import format_message
from cardtable.wording.players import Names


def describe_round_title(replay: RoundReplay) -> str:
    return describe_title(replay.score.title) if replay.score else ""


def describe_starter(replay: RoundReplay, names: Names) -> str:
    """Return a phrase about the declarer or the dealer, else about the first player, such as ``dealer Ada``."""
    if by := replay.game.dealer_or_declarer(replay.dealt[0]):
        role, seat = by
        return f"{role} {names[seat]}"
    begun = [step.seat for step in replay.steps if step.seat is not None]
    first = begun[0] if begun else replay.get_views_after(len(replay.steps))[0].turn
    if first < 0:
        return "nobody has started"
    return "you start" if names[first] == YOU else f"{names[first]} starts"


def format_seat_result(replay: RoundReplay, seat: Seat) -> tuple[tuple[str, ...], str]:
    """Return the figures of a seat in a finished round, each with its heading, and the weighted points."""
    score = replay.score
    assert score is not None
    columns = zip(replay.game.columns, score.figures[seat], strict=True)
    figures = tuple([f"{head} {format_figure(head, number)}" for head, number in columns])
    return figures, format_weighted(format_gain(score.points[seat]), score.weight)


def describe_step(step: Step, names: Names) -> list[tuple[str, str]]:
    """Return the log entries of a step as pairs of name and text. Cards are in notation.

    The name is ``""`` for a log entry without a seat.
    """
    return [("" if note.seat is None else names[note.seat], format_message(note, names)) for note in step.notes]


def describe_row(replay: RoundReplay, row: RoundRow, names: Names) -> str:
    """Return a description of a line of the round: who led to and won a trick, or what the seats did."""
    if row.trick:
        led = f"Led by {names[row.cards[0][0]]}"
        if row.taker is None:
            return f"{led}, never finished"
        return f"{led}, taken by {names[row.taker]}" + (", played automatically" if not row.steps else "")
    if not row.steps:
        return "Cards left at the end"
    texts = [f"{name} {text}".strip() for step in row.steps for name, text in describe_step(replay.steps[step], names)]
    return ", ".join(texts)
