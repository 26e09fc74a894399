"""The last deal read out: hands, tricks or turns, points; and why somebody did what he did in it."""

from collections.abc import Iterator, Mapping

from cardtable.engine.cards import iter_cards
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.text_format import counted
from cardtable.plain.console import say
from cardtable.plain.speech_text import card, figures, hand, letters, message, sentence, spoken
from cardtable.robots import worker
from cardtable.session.round_replay import RoundLine, RoundReplay, replay_round
from cardtable.session.session_protocol import PlayableSession
from cardtable.wording import review
from cardtable.wording.players import Names
from cardtable.wording.rounds import begins, made, what


class LastRound:
    """What can be typed about the round that was finished last."""

    def __init__(self, run: PlayableSession, names: Names) -> None:
        self._run, self._names = run, names

    def command(self, word: str, rest: str) -> bool:
        """Do what is typed, if it is about the last deal; whether it was."""
        if not (word == "deal" and not rest) and not (word == "why" and (rest.isdecimal() or not rest)):
            return False
        try:
            finished = replay_round(self._run.journal(), len(self._run.seen(self._run.initial_seat).scores))
        except CardtableError as error:
            say(sentence(str(error)))
            return True
        if finished is None:
            say("No round is over yet.")
        else:
            say(*(_lines(finished, self._names) if word == "deal" else self._why(finished, int(rest[:5] or "0"))))
        return True

    def _why(self, finished: RoundReplay, number: int) -> list[str]:
        steps = [finished.steps[step] for step in _numbers(finished)]
        if not 1 <= number <= len(steps):
            return [f"Type why and a number from 1 to {len(steps)}, such as why 1. deal tells the numbers."]
        step, header = steps[number - 1], self._run.header
        if review.forced(step):
            told = review.no_choice(step, self._names)
        else:
            advice = worker.advised(review.question(finished, step, header, self._names))
            told = review.reasons(step, header, self._names, advice)
        assert step.seat is not None
        held = sentence(f"{self._names[step.seat]} had {hand(iter_cards(step.view.hand))}")
        return [held, *[sentence(spoken(text)) for text in told]]


def _lines(finished: RoundReplay, names: Names) -> Iterator[str]:
    """The round in sentences; what somebody decided has its number before it."""
    yield title(finished, names)
    for seat in finished.seats:
        yield result(finished, seat, names)
        yield sentence(f"dealt: {hand(iter_cards(finished.hand(seat, 0)))}")
    numbers = _numbers(finished)
    for row in finished.rows:
        yield row_line(finished, row, names, numbers)
    yield "why NUMBER: why it was done."


def title(told: RoundReplay, names: Names) -> str:
    """Which round it is, what was played, and who begins."""
    return sentence(", ".join(filter(None, [f"round {told.number}", what(told), begins(told, names)])))


def result(told: RoundReplay, seat: Seat, names: Names) -> str:
    """What a seat made in a round that is over."""
    assert told.score is not None
    did, (_, points) = figures(told.game.columns, told.score.figures[seat]), made(told, seat)
    return sentence(f"{names[seat]}: {', '.join([*did, f'points {letters(points)}'])}")


def dealt(told: RoundReplay, seat: Seat, names: Names) -> str:
    """The hand that a seat was dealt, as far as it may be seen."""
    return sentence(f"{names[seat]} is dealt {_held(told, seat, 0)}")


def _held(told: RoundReplay, seat: Seat, at: int) -> str:
    """The hand of a seat after so many steps, as far as it may be seen."""
    cards, unseen = told.hand(seat, at), told.unseen(seat, at)
    return ", ".join(
        [*[hand(iter_cards(cards))] * bool(cards or not unseen), *[counted(unseen, "hidden card")] * bool(unseen)]
    )


def row_line(told: RoundReplay, row: RoundLine, names: Names, numbers: Mapping[int, int]) -> str:
    """A line of the round as a sentence, with the numbers of its steps before them where there are any."""
    return sentence(_trick(row, names, numbers) if row.trick else _steps(told, row, names, numbers))


def _numbers(finished: RoundReplay) -> dict[int, int]:
    """The numbers of the steps that somebody decided and that are told, in order."""
    told = [step for row in finished.rows for step in row.steps if finished.steps[step].seat is not None]
    return {step: number for number, step in enumerate(told, 1)}


def _trick(row: RoundLine, names: Names, numbers: Mapping[int, int]) -> str:
    """Who played what, and who took it; without numbers a trick that played itself."""
    steps = [_number(step, numbers) for step in row.steps] or [""] * len(row.cards)
    played = [f"{step}{names[seat]} {card(c)}" for step, (seat, c) in zip(steps, row.cards, strict=True)]
    taken = "never finished" if row.taker is None else f"taken by {names[row.taker]}"
    return f"trick {row.trick}: {', '.join(played)}; {taken}"


def _number(step: int, numbers: Mapping[int, int]) -> str:
    return f"({numbers[step]}) " if step in numbers else ""


def _steps(finished: RoundReplay, row: RoundLine, names: Names, numbers: Mapping[int, int]) -> str:
    """What was done; at the end what was left."""
    if not row.steps:
        left = [f"{names[seat]} {_held(finished, seat, len(finished.steps))}" for seat in finished.seats]
        return f"at the end: {'; '.join(left)}"
    told = []
    for step in row.steps:
        said = [message(note, names).removesuffix(".") for note in finished.steps[step].notes]
        told.append(_number(step, numbers) + "; ".join(said))
    return ", ".join(told)
