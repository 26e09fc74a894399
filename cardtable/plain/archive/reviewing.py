"""The review of a session in lines: what each decision cost, the worst first, and why."""

from pathlib import Path
from typing import Final

from cardtable.engine.cards import each
from cardtable.engine.words import counted
from cardtable.plain.console import Left, ask, say
from cardtable.plain.speech import hand, letters, sentence, spoken
from cardtable.plain.typed import number_of
from cardtable.records.review import Played, same_deals
from cardtable.records.reviewing import Reviewing
from cardtable.robots.kit.measure import CLOSE, better
from cardtable.store import files, profiles
from cardtable.store.whose_seat import seats_of
from cardtable.wording import reviewed, situation
from cardtable.wording.names import seat_of
from cardtable.wording.reviewed import Judged

_AT_ONCE: Final = 10
"""Decisions that are told before one has to ask for more."""
_PARTS: Final = 10
"""How often it is told how far the expert is."""


def review(path: Path, who: str) -> None:
    """Review the decisions of ``who``, else of who plays now, or of the first person, and tell of them.

    Raises ``CardtableError`` where that cannot be, and ``Left``.
    """
    it = Reviewing(path, _seat(path, who))
    _done(it)
    _Told(it).stay()


def _seat(path: Path, who: str) -> int:
    header = files.one(path, files.read_session(path)).header
    if who:
        return seat_of(header, who)
    return next(iter([*seats_of(profiles.load()[0], profiles.me(), header), *header.people]), 0)


def _done(it: Reviewing) -> None:
    """Have the expert do what is missing; Ctrl+C stops that."""
    steps, before = it.session.steps, it.review.done
    if before == steps:
        return
    say("An expert looks at each decision and plays the same deals; this takes minutes. Ctrl+C stops it, and what is "
        "done is kept.")  # fmt: skip
    told = before * _PARTS // steps
    try:
        for _ in it.steps():
            if it.review.done * _PARTS // steps > told:
                told = it.review.done * _PARTS // steps
                say(f"{100 * told // _PARTS} percent done.")
    except KeyboardInterrupt:
        say("", "Stopped. review goes on from there.")


class _Told:
    """What is told of a review."""

    def __init__(self, it: Reviewing) -> None:
        self._it, self._told = it, 0
        session: Played = it.session
        self._found = reviewed.judged(session, it.review)
        self._costly = [one for one in self._found if one.judgement.cost]
        self._names = files.names(session.header.seats)

    def stay(self) -> None:
        """Tell what it comes to, and more of what is asked for.  Raises ``Left``."""
        self._summary()
        self._more()
        while self._costly and (typed := ask()).lower() != "back":
            number = number_of(typed)
            if typed.lower() == "quit":
                raise Left
            if number is not None and 1 <= number <= len(self._costly):
                say(*_decision(self._costly[number - 1], self._names))
            elif typed.lower() == "more":
                self._more()
            else:
                say(f"Type a number from 1 to {len(self._costly)} for a decision, more, or back.")

    def _summary(self) -> None:
        session, who = self._it.session, self._names[self._it.session.seat]
        given_up = ", in a session that was given up" if session.given_up else ""
        if not self._found:
            say(f"No decision of {who} has been looked at{given_up}.")
            return
        mean = sum(one.judgement.cost for one in self._found) / len(self._found)
        say(f"{len(self._costly)} of {counted(len(self._found), 'decision')} of {who} cost something{given_up}, "
            f"{mean:.1f} points each on average.")  # fmt: skip
        if same := same_deals(session, self._it.review):
            told = reviewed.on_the_same_deals(same, who), reviewed.a_round(same)
            say(letters(sentence(", ".join(told))))

    def _more(self) -> None:
        """The next of the decisions that cost something."""
        first, self._told = self._told, min(self._told + _AT_ONCE, len(self._costly))
        for number, one in enumerate(self._costly[first : self._told], first + 1):
            cost = f"{one.chosen} cost {one.judgement.cost:.1f} points, {one.better} was better"
            say(f"{number}: {sentence(spoken(f'{situation.heading(one.game, one.decision)}: {cost}'))}")
        left = len(self._costly) - self._told
        if self._costly:
            say(f"Type a number for more of a decision, {f'more for the next of {left}, ' * bool(left)}or back.")


def _decision(one: Judged, names: list[str]) -> list[str]:
    """How it stood, what each choice was worth, and why."""
    decision, measure = one.decision, one.measure
    heads = [
        situation.heading(one.game, decision),
        situation.aims(one.game, decision),
        *situation.facts(one.game, decision),
    ]
    told = [", ".join(filter(None, heads))]
    told += [f"{who} {what}" for who, what in situation.lying(one.game, decision, names) if what]
    told.append(f"in hand: {hand(each(decision.view.hand))}")
    lines = [sentence(spoken(text)) for text in told]
    lines.append(f"{measure.sentence}, error {one.judgement.error:.1f}:")
    for number in range(len(one.judgement.choices)):
        action = one.action(number)
        own = ", what was chosen" if action == decision.action else ""
        how = f", {CLOSE}" * one.is_close(number)
        worth = f"{better(one.lead(number), exact=True, first=not number)}{how}"
        lines.append(sentence(spoken(f"{reviewed.choice(action)}: {worth}{own}")))
    return [*lines, *[sentence(spoken(why)) for why in one.judgement.why]]
