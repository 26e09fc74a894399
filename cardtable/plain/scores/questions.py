"""What is asked of real cards, in lines: one of several by number or name, and counts of all players in one line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from cardtable.engine.contract import Seat
from cardtable.plain.console import say
from cardtable.plain.speech import letters, sentence
from cardtable.plain.typed import number_of
from cardtable.scoring.kit.asked import AskedChoice, AskedCount, AskedOption, Round
from cardtable.scoring.kit.sheet import Sheet
from cardtable.wording.names import Names

HOW: Final = "Type the numbers in that order with blanks between them, or each after its name"
Answer: TypeAlias = Callable[[str], str]
"""What is typed to a question; what is no answer to any is done before, and the question asked once more."""


def picked(
    question: str, names: Sequence[str], answer: Answer, usual: int | None = 0, closed: Mapping[int, str] | None = None
) -> int:
    """The place of what is meant, by its number or by as much of its name as no other has.

    An empty line means the ``usual`` one, if there is one; ``closed`` says of those that cannot be chosen why.
    """
    shut = closed or {}
    between = " for" if any(not name[0].isalpha() for name in names) else ""
    open_ = [f"{place + 1}{between} {name}" for place, name in enumerate(names) if place not in shut]
    itself = all(name == str(place) for place, name in enumerate(names, 1))
    apart = "; " if any("," in name for name in names) else ", "
    offered = "" if usual is None else f" An empty line means {names[usual]}."
    while True:
        typed = answer(f"{question} {f'1 to {len(names)}' if itself else apart.join(open_)}.{offered}")
        place = usual if not typed else _meant(typed, names)
        if place is None:
            say(f"Type a number from 1 to {len(names)}.")
        elif place in shut:
            say(sentence(shut[place]))
        else:
            return place


def _meant(typed: str, names: Sequence[str]) -> int | None:
    number, small = number_of(typed), typed.casefold()
    exact = [place for place, name in enumerate(names) if name.casefold() == small]
    begun = [place for place, name in enumerate(names) if name.casefold().startswith(small)]
    if exact or (len(begun) == 1 and number is None):
        return (exact or begun)[0]
    return number - 1 if number is not None and 1 <= number <= len(names) else None


def entered(sheet: Sheet[Any], names: Names, answer: Answer) -> Round:
    """The next round, asked question by question."""
    chosen: dict[str, str] = {}
    while choice := next((each for each in sheet.asked(chosen).choices if each.name not in chosen), None):
        chosen[choice.name] = _chosen(choice, names, answer)
    while True:
        counts: dict[str, tuple[int, ...]] = {}
        for row in sheet.asked(chosen).rows:
            before = sheet.warning(counts)
            counts[row.name] = _counts(row, names, answer)
            if (warned := sheet.warning(counts)) != before:
                say(sentence(f"but {warned}"))
        found: Round = {**chosen, **counts}
        if not (wrong := sheet.wrong(found)):
            return found
        say(sentence(wrong))


def _chosen(choice: AskedChoice, names: Names, answer: Answer) -> str:
    """The key of the option that is meant."""
    options = choice.options
    keys, closed = [option.key for option in options], {p: o.closed for p, o in enumerate(options) if o.closed}
    usual = None if choice.usual is None else keys.index(choice.usual)
    called = [_called(option, names) for option in options]
    return keys[picked(f"{choice.label}:", called, answer, usual, closed)]


def _called(option: AskedOption, names: Names) -> str:
    told = option.words or option.label.removeprefix("×")
    return letters(told) if option.seat is None else names[option.seat]


def _counts(row: AskedCount, names: Names, answer: Answer) -> tuple[int, ...]:
    """The counts of all seats; a single one that is left out follows from the sum."""
    counts: list[int | None] = [None] * len(names)
    while True:
        known = row.filled(counts)
        told = [count for count in known if count is not None]
        if row.exceeds(known):
            say(sentence(row.limit if row.together is None or max(told) > row.most else row.told(known)))
            known = counts = [None] * len(names)
        elif len(told) == len(names):
            return tuple(told)
        elif row.together is not None and counts.count(None) < len(names):
            say(sentence(row.told(known)))
        missing = [seat for seat in row.seats if known[seat] is None]
        typed = answer(_question(row, [names[seat] for seat in missing]))
        counts = _typed(row, typed, names, missing, counts)


def _question(row: AskedCount, of: Sequence[str]) -> str:
    whole = f", {row.together} in all" if row.together is not None else ""
    blank = f" Anyone left out has {row.blank}." if row.blank is not None else ""
    return f"{row.label}{whole}: {', '.join(of)}?{blank}"


def _number(row: AskedCount, word: str) -> int | None:
    number = number_of(word.removeprefix("-") if row.signed else word)
    return -number if number is not None and word.startswith("-") else number


def _typed(
    row: AskedCount, typed: str, names: Names, missing: Sequence[Seat], counts: list[int | None]
) -> list[int | None]:
    """The counts with those that are typed: in the order of who is missing, or each after a name."""
    found, at, free = [*counts], None, [*missing]
    seats = {names[seat].casefold(): seat for seat in missing}
    for word in typed.replace(",", " ").split():
        number = _number(row, word)
        if number is None and at is None and word.casefold() in seats:
            at = seats[word.casefold()]
        elif number is not None and (at is not None or free):
            seat = free[0] if at is None else at
            found[seat], at = number, None
            free = [other for other in free if other != seat]
        else:
            say(f"{HOW}, such as {names[missing[0]]} 2.")
            return counts
    return found
