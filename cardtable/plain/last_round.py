"""Last finished round in plain text: hands, tricks or turns, points, and explanations of decisions."""

from collections.abc import Iterator, Mapping

from cardtable.engine.cards import iter_cards
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.engine.text_format import format_count
from cardtable.plain.speech_text import (
    format_card,
    format_figures,
    format_hand,
    format_log_entry,
    to_ascii,
    to_possessive,
    to_sentence,
    to_spoken,
)
from cardtable.robots import worker
from cardtable.session.round_replay import RoundReplay, RoundRow
from cardtable.wording import review
from cardtable.wording.players import Names
from cardtable.wording.rounds import describe_round_title, describe_starter, format_seat_result


def explain_decision(finished: RoundReplay, number: int, header: Header, names: Names) -> list[str]:
    """Explain a decision of a round by its number, in sentences; if there is none, say which numbers there are."""
    steps = [finished.steps[step] for step in _number_decisions(finished)]
    if not 1 <= number <= len(steps):
        return [f"Type why and a number from 1 to {len(steps)}, such as why 1. deal shows the numbers."]
    step = steps[number - 1]
    if review.is_forced(step):
        texts = review.explain_forced_step(step, names)
    else:
        advice = worker.compute_hint(review.create_hint_request(finished, step, header, names))
        texts = review.explain_decision(step, header, names, advice)
    assert step.seat is not None
    hand_text = to_sentence(f"{names[step.seat]} had {format_hand(iter_cards(step.view.hand), finished.card_order)}")
    return [hand_text, *[to_sentence(to_spoken(text)) for text in texts]]


def describe_round(finished: RoundReplay, names: Names) -> Iterator[str]:
    """Yield the description of a round: its title, results and deals, and its lines with numbered decisions."""
    yield describe_title(finished, names)
    for seat in finished.seats:
        yield describe_result(finished, seat, names)
        yield to_sentence(f"dealt: {format_hand(iter_cards(finished.get_hand(seat, 0)), finished.card_order)}")
    numbers = _number_decisions(finished)
    for row in finished.rows:
        yield describe_row(finished, row, names, numbers)
    yield "why NUMBER: the reason for that move."


def describe_title(finished: RoundReplay, names: Names) -> str:
    """Describe a round by its number, its title and the seat that starts, in a sentence."""
    return to_sentence(
        ", ".join(
            filter(
                None, [f"round {finished.number}", describe_round_title(finished), describe_starter(finished, names)]
            )
        )
    )


def describe_result(finished: RoundReplay, seat: Seat, names: Names) -> str:
    """Describe the figures and points of a seat in a finished round, in a sentence."""
    assert finished.score is not None
    did, (_, points) = (
        format_figures(finished.game.columns, finished.score.figures[seat]),
        format_seat_result(finished, seat),
    )
    return to_sentence(f"{names[seat]}: {', '.join([*did, f'points {to_ascii(points)}'])}")


def describe_deal(finished: RoundReplay, seat: Seat, names: Names) -> str:
    """Describe the visible cards that a seat was dealt, in a sentence."""
    return to_sentence(f"{to_possessive(names[seat])} hand: {_describe_hand(finished, seat, 0)}")


def _describe_hand(finished: RoundReplay, seat: Seat, step: int) -> str:
    """Describe the visible cards in a seat's hand after ``step`` steps, and the number of hidden ones."""
    cards, unseen = finished.get_hand(seat, step), finished.count_hidden_cards(seat, step)
    return ", ".join(
        [
            *([format_hand(iter_cards(cards), finished.card_order)] if cards or not unseen else []),
            *([format_count(unseen, "hidden card")] if unseen else []),
        ]
    )


def describe_row(finished: RoundReplay, row: RoundRow, names: Names, numbers: Mapping[int, int]) -> str:
    """Describe a line of the round in a sentence; ``numbers`` maps steps to the numbers printed before them."""
    return to_sentence(
        _describe_trick(row, names, numbers) if row.trick else _describe_steps(finished, row, names, numbers)
    )


def _number_decisions(finished: RoundReplay) -> dict[int, int]:
    """Return the number of each step that is a decision, counted from 1."""
    decisions = [step for row in finished.rows for step in row.steps if finished.steps[step].seat is not None]
    return {step: number for number, step in enumerate(decisions, 1)}


def _describe_trick(row: RoundRow, names: Names, numbers: Mapping[int, int]) -> str:
    """Describe a trick by its cards and its winner; cards that were played automatically have no numbers."""
    steps = [_format_number(step, numbers) for step in row.steps] or [""] * len(row.cards)
    played = [f"{step}{names[seat]} {format_card(c)}" for step, (seat, c) in zip(steps, row.cards, strict=True)]
    taken = "never finished" if row.taker is None else f"taken by {names[row.taker]}"
    return f"trick {row.trick}: {', '.join(played)}; {taken}"


def _format_number(step: int, numbers: Mapping[int, int]) -> str:
    return f"({numbers[step]}) " if step in numbers else ""


def _describe_steps(finished: RoundReplay, row: RoundRow, names: Names, numbers: Mapping[int, int]) -> str:
    """Describe the steps of a line; the last line of a round has no steps and lists the remaining cards."""
    if not row.steps:
        left = [f"{names[seat]} {_describe_hand(finished, seat, len(finished.steps))}" for seat in finished.seats]
        return f"at the end: {'; '.join(left)}"
    parts = []
    for step in row.steps:
        entries = [format_log_entry(note, names).removesuffix(".") for note in finished.steps[step].notes]
        parts.append(_format_number(step, numbers) + "; ".join(entries))
    return ", ".join(parts)
