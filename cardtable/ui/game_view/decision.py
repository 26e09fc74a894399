"""The decision box: options that need no card, and the movement of its cursor."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from cardtable.engine.game import Action

BID_COLUMNS: Final = 5
"""Columns of a grid of bids."""


class Option(msgspec.Struct, frozen=True):
    """An option of the decision box; one without an action is forbidden."""

    label: str
    """Text of the option."""
    action: Action | None
    effect: str = ""
    """Consequence, right-aligned."""
    note: str = ""
    """Explanation, or the reason why the option is forbidden; shown below while the cursor is on the option."""
    worth: str = ""
    """Value of the option, which the mat shows; shown below if the box covers the mat."""
    marks: tuple[str, ...] = ()
    """A sign for each seat, in the columns of `Decision.marks`."""
    confirmation: str = ""
    """Question asked before the action is executed, for costly actions; empty for no question."""
    number: int | None = None
    """Number typed to choose the option; None if digits do not choose it."""


class Group(msgspec.Struct, frozen=True):
    """Options that belong together, separated from the previous group by a free row."""

    options: tuple[Option, ...]
    columns: int = 1
    heading: str = ""
    marks: tuple[str, ...] = ()
    """Signs beside the heading."""
    single_shown: bool = False
    """True if a single option is shown at a time, after the heading, as in a number field."""
    no_gap: bool = False
    """True if the heading alone separates the group from the previous one, without a free row."""


class BoxRow(msgspec.Struct, frozen=True):
    """A row of the box below its title: options, or the group's heading without options, or free without a group."""

    group: Group | None = None
    options: tuple[int, ...] = ()


class Decision(msgspec.Struct, frozen=True):
    """The decision box at the foot of the panel."""

    title: str
    groups: tuple[Group, ...]
    marks: tuple[str, ...] = ()
    """Headings of the columns of signs."""
    note: str = ""
    """Note shown if the option under the cursor has none."""
    start: int = 0
    """Index of the option on which the cursor starts."""
    cards_first: bool = False
    """True if the cursor starts in the hand, not in the box."""
    choose: str = "choose"
    """Word for moving in the box, for the footer."""
    commit: str = "say it"
    """Word for the effect of Enter, for the footer."""
    keys: tuple[tuple[str, str], ...] = ()
    """Other keys for the footer, instead of digits."""
    on_mat: bool = False
    """True if the mat shows the options, so that no box is painted."""
    digits_go_to_cards: bool = False
    """True if digits select cards by rank while keys move in the box, because cards can be played instead."""

    @property
    def options(self) -> tuple[Option, ...]:
        """All options, in order."""
        return tuple([option for group in self.groups for option in group.options])

    @property
    def actions(self) -> list[Action | None]:
        """Actions of all options, in order."""
        return [option.action for option in self.options]

    def lines(self, at: int) -> tuple[BoxRow, ...]:
        """Return the rows of the box while the cursor is on option `at`."""
        return tuple(self._lines(at))

    def _lines(self, at: int) -> Iterator[BoxRow]:
        first = 0
        for group in self.groups:
            if first and not group.no_gap:
                yield BoxRow()
            numbers = range(first, first + len(group.options))
            first = numbers.stop
            if group.single_shown:
                shown = at if at in numbers else self.start if self.start in numbers else numbers.start
                yield BoxRow(group, (shown,))
                continue
            if group.heading:
                yield BoxRow(group)
            for start in numbers[:: group.columns]:
                yield BoxRow(group, tuple(numbers[start - numbers.start :][: group.columns]))

    def group_of(self, at: int) -> tuple[Group, range]:
        """Return the group of option `at`, and the indices of its options. Raises IndexError without such an option."""
        first = 0
        for group in self.groups:
            numbers = range(first, first + len(group.options))
            if at in numbers:
                return group, numbers
            first = numbers.stop
        raise IndexError(at)

    def move_horizontal(self, at: int, step: int) -> int | None:
        """Return the option to the left (-1) or right (1) of `at`; None if the options are in one column."""
        group, numbers = self.group_of(at)
        if group.columns == 1 and not group.single_shown:
            return None
        return max(numbers.start, min(at + step, numbers.stop - 1))

    def is_single(self, at: int) -> bool:
        """Return True if Up and Down have no effect at `at`: a single option, or a group that shows one at a time."""
        return len(self.options) == 1 or self.group_of(at)[0].single_shown

    def move_vertical(self, at: int, step: int) -> int:
        """Return the option below (1) or above (-1) `at`; a list wraps around, and in a number field Up adds one."""
        rows = [line.options for line in self.lines(at) if line.options]
        if len(rows) == 1 and self.groups[0].single_shown:
            return self.move_horizontal(at, -step) or 0
        row = next(i for i, options in enumerate(rows) if at in options)
        wanted = row + step
        if all(len(options) == 1 for options in rows):
            wanted %= len(rows)
        elif not 0 <= wanted < len(rows):
            return at
        column = rows[row].index(at)
        return rows[wanted][min(column, len(rows[wanted]) - 1)]

    def find_number(self, number: str, at: int) -> int | None:
        """Return the next option after `at` with this number, wrapping around; None if no option has it."""
        matches = [i for i, option in enumerate(self.options) if str(option.number) == number]
        return next((i for i in matches if i > at), matches[0]) if matches else None

    def why_not_numbered(self, number: str) -> str:
        """Return the reason why no option has this number, with the numbers that can be typed."""
        able = sorted({option.number for option in self.options if option.action and option.number is not None})
        if not able:
            return "No numbers here: choose with the arrows"
        return f"{number} cannot be {'bid' if self.commit == 'bid' else 'chosen'}: {_ranges(able)} can"


def _ranges(numbers: Sequence[int]) -> str:
    """Format ascending numbers as text, runs abbreviated: ``0 to 4 or 6``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    return " or ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def list_decision(title: str, options: tuple[Option, ...], *, cards_first: bool = False) -> Decision:
    """Return a decision with options in one column, during which cards can be played instead."""
    return Decision(title, (Group(options),), cards_first=cards_first, digits_go_to_cards=True)
