"""The decision box: what there is to be chosen without pointing at cards, and how its cursor moves."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from cardtable.engine.game import Action

BID_COLUMNS: Final = 5
"""Columns of a grid of bids."""


class Option(msgspec.Struct, frozen=True):
    """A choice of the decision box; one without an action is forbidden."""

    label: str
    """What it is called."""
    action: Action | None
    effect: str = ""
    """What it does, at the right."""
    note: str = ""
    """What it leads to, or why it is forbidden; shown below while the cursor is on it."""
    worth: str = ""
    """What it counts, which the mat tells; shown below where the box lies on the mat."""
    marks: tuple[str, ...] = ()
    """A sign for each seat, in the columns of ``Decision.marks``."""
    asks: str = ""
    """What is asked before it is done, where it would cost much."""
    number: int | None = None
    """By which digits choose it, ``None`` where they do not."""


class Group(msgspec.Struct, frozen=True):
    """Options that belong together; a free row parts them from those before."""

    options: tuple[Option, ...]
    columns: int = 1
    heading: str = ""
    marks: tuple[str, ...] = ()
    """Signs beside the heading."""
    spun: bool = False
    """One option is shown at a time, after the heading: for numbers."""
    joins: bool = False
    """The heading parts them from those before, and no free row."""


class BoxRow(msgspec.Struct, frozen=True):
    """A row of the box below its title; without options the group's heading, without a group free."""

    group: Group | None = None
    options: tuple[int, ...] = ()


class Decision(msgspec.Struct, frozen=True):
    """The decision box at the foot of the panel."""

    title: str
    groups: tuple[Group, ...]
    marks: tuple[str, ...] = ()
    """Heads of the columns of signs."""
    note: str = ""
    """What stands below when the option under the cursor has no note."""
    start: int = 0
    """The option the cursor begins on."""
    cards_first: bool = False
    """Whether the cursor begins in the hand, not in the box."""
    choose: str = "choose"
    """What moving in the box is called in the footer."""
    commit: str = "say it"
    """What Enter does there."""
    keys: tuple[tuple[str, str], ...] = ()
    """Other keys for the footer, instead of digits."""
    on_mat: bool = False
    """Whether the mat shows what can be chosen, so that there is no box."""
    digits_go_to_cards: bool = False
    """Whether digits are ranks of cards while keys move in the box, since cards may be played instead."""

    @property
    def options(self) -> tuple[Option, ...]:
        """All options, in order."""
        return tuple([option for group in self.groups for option in group.options])

    @property
    def actions(self) -> list[Action | None]:
        """What each option does, in order."""
        return [option.action for option in self.options]

    def lines(self, at: int) -> tuple[BoxRow, ...]:
        """The rows of the box while the cursor is on option ``at``."""
        return tuple(self._lines(at))

    def _lines(self, at: int) -> Iterator[BoxRow]:
        first = 0
        for group in self.groups:
            if first and not group.joins:
                yield BoxRow()
            numbers = range(first, first + len(group.options))
            first = numbers.stop
            if group.spun:
                shown = at if at in numbers else self.start if self.start in numbers else numbers.start
                yield BoxRow(group, (shown,))
                continue
            if group.heading:
                yield BoxRow(group)
            for start in numbers[:: group.columns]:
                yield BoxRow(group, tuple(numbers[start - numbers.start :][: group.columns]))

    def group_of(self, at: int) -> tuple[Group, range]:
        """The group of option ``at``, and the numbers of its options."""
        first = 0
        for group in self.groups:
            numbers = range(first, first + len(group.options))
            if at in numbers:
                return group, numbers
            first = numbers.stop
        raise IndexError(at)

    def beside(self, at: int, step: int) -> int | None:
        """The option to the left (-1) or right (1) of ``at``; ``None`` where options stand in one column."""
        group, numbers = self.group_of(at)
        if group.columns == 1 and not group.spun:
            return None
        return max(numbers.start, min(at + step, numbers.stop - 1))

    def alone(self, at: int) -> bool:
        """Whether up and down have nowhere to go from ``at``: there is one option, or one is shown at a time."""
        return len(self.options) == 1 or self.group_of(at)[0].spun

    def below(self, at: int, step: int) -> int:
        """The option below (1) or above (-1) ``at``; round the ends in a list, and one more above in a number."""
        rows = [line.options for line in self.lines(at) if line.options]
        if len(rows) == 1 and self.groups[0].spun:
            return self.beside(at, -step) or 0
        row = next(i for i, options in enumerate(rows) if at in options)
        wanted = row + step
        if all(len(options) == 1 for options in rows):
            wanted %= len(rows)
        elif not 0 <= wanted < len(rows):
            return at
        column = rows[row].index(at)
        return rows[wanted][min(column, len(rows[wanted]) - 1)]

    def numbered(self, number: str, at: int) -> int | None:
        """The next option after ``at`` that has the number, if there is one."""
        found = [i for i, option in enumerate(self.options) if str(option.number) == number]
        return next((i for i in found if i > at), found[0]) if found else None

    def why_not_numbered(self, number: str) -> str:
        """Why an option cannot be chosen by this number, and by which ones one can."""
        able = sorted({option.number for option in self.options if option.action and option.number is not None})
        if not able:
            return "No numbers here: choose with the arrows"
        return f"{number} cannot be {'bid' if self.commit == 'bid' else 'chosen'}: {_ranges(able)} can"


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers that grow as one says them: ``0 to 4 or 6``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    return " or ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def listed(title: str, options: tuple[Option, ...], *, cards_first: bool = False) -> Decision:
    """A decision among options in one column, beside which cards may be played."""
    return Decision(title, (Group(options),), cards_first=cards_first, digits_go_to_cards=True)
