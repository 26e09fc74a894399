"""The decision box, which offers actions that use no card, and the movement of its cursor."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from cardtable.engine.game import Action
from cardtable.wording.formatting import format_ranges, join_or


class Option(msgspec.Struct, frozen=True):
    """Option of the decision box."""

    label: str
    action: Action | None
    effect: str = ""
    """Consequence of the option, right-aligned in its row."""
    note: str = ""
    """Explanation of the option, or the reason why it is forbidden.

    It is shown below the box while the cursor is on the option.
    """
    worth: str = ""
    """Value of the option in words; shown below the box if the box covers the mat, which shows it otherwise."""
    marks: tuple[str, ...] = ()
    """One sign for each heading of ``Decision.marks``, usually one per seat."""
    confirmation: str = ""
    """Question that the player must confirm before a costly action; empty if the action needs no confirmation."""
    number: int | None = None
    """Number that selects the option when typed; ``None`` if the option cannot be selected by a number."""


class Group(msgspec.Struct, frozen=True):
    """Options that belong together; a free row separates the group from the one before."""

    options: tuple[Option, ...]
    columns: int = 1
    heading: str = ""
    marks: tuple[str, ...] = ()
    """Signs in the row of the heading."""
    single_shown: bool = False
    """True if only one option is shown at a time, beside the heading, as in a number field."""
    no_gap: bool = False
    """True if no free row separates the group from the one before."""
    span: int = 0
    """Number of options between which Left and Right move if ``Decision.is_joint``; 0 for all of them."""
    stride: int = 1
    """Distance between two of these options."""

    @property
    def is_grid(self) -> bool:
        """True if the options are painted as a grid of short labels, such as bids, without effects and marks."""
        return self.columns > 2


class BoxRow(msgspec.Struct, frozen=True):
    """Row of the box below its title.

    A row with a group and no options shows the group's heading; a row without a group is free. ``options`` are indices
    into ``Decision.options``.
    """

    group: Group | None = None
    options: tuple[int, ...] = ()


class Decision(msgspec.Struct, frozen=True):
    """Contents of the decision box at the foot of the panel."""

    title: str
    groups: tuple[Group, ...]
    marks: tuple[str, ...] = ()
    """Headings of the columns in which the options show their marks."""
    note: str = ""
    """Note below the box while the option under the cursor has no note of its own."""
    start: int = 0
    """Index of the option on which the cursor starts, counted over all groups."""
    cards_first: bool = False
    """True if the cursor starts in the hand instead of the box."""
    switch: str = "options"
    """Label of the key that leads from the hand to the box, for the footer."""
    choose: str = "option"
    """Label of the keys that move the cursor in the box, for the footer."""
    commit: str = "choose"
    """Verb for the effect of Enter, for the footer."""
    keys: tuple[tuple[str, str], ...] = ()
    """Further keys for the footer, as pairs of key and label, instead of the digits."""
    on_mat: bool = False
    """True if the mat shows the options, so that no box is painted."""
    digits_go_to_cards: bool = False
    """True if typed digits select cards by rank even while the cursor is in the box.

    This suits decisions during which cards can be played instead.
    """

    @property
    def is_row(self) -> bool:
        """True if the options are one row of short labels, such as bids, which stands beside the player's plate."""
        fits = len(self.groups) == 1 and len(self.options) <= self.groups[0].columns
        return fits and self.groups[0].is_grid and not self.cards_first

    @property
    def is_joint(self) -> bool:
        """True if each group is a decision of its own, with an option for each combination with the others."""
        return self.groups[0].span > 0

    @property
    def options(self) -> tuple[Option, ...]:
        return tuple([option for group in self.groups for option in group.options])

    @property
    def actions(self) -> list[Action | None]:
        return [option.action for option in self.options]

    def list_rows(self, index: int) -> tuple[BoxRow, ...]:
        """Return the rows of the box while the cursor is on the option with this index."""
        return tuple(self._iter_rows(index))

    def _iter_rows(self, index: int) -> Iterator[BoxRow]:
        first = 0
        for group in self.groups:
            if first and not group.no_gap:
                yield BoxRow()
            numbers = range(first, first + len(group.options))
            first = numbers.stop
            if group.single_shown:
                shown_index = index if index in numbers else self.start if self.start in numbers else numbers.start
                if self.is_joint:
                    shown_index = numbers.start + index % len(numbers)
                yield BoxRow(group, (shown_index,))
                continue
            if group.heading:
                yield BoxRow(group)
            for start in numbers[:: group.columns]:
                yield BoxRow(group, tuple(numbers[start - numbers.start :][: group.columns]))

    def find_group(self, index: int) -> tuple[Group, range]:
        """Return the group of the option with this index, and the range of indices of the group's options.

        Raises IndexError if there is no such option.
        """
        first = 0
        for group in self.groups:
            numbers = range(first, first + len(group.options))
            if index in numbers:
                return group, numbers
            first = numbers.stop
        raise IndexError(index)

    def move_horizontal(self, index: int, step: int) -> int | None:
        """Return the index of the option to the left (-1) or right (1), stopping at the ends of the group.

        Returns ``None`` if the group has a single column, so that the key is free for another purpose.
        """
        group, numbers = self.find_group(index)
        if group.columns == 1 and not group.single_shown:
            return None
        span, target = group.span or len(numbers), index + step * group.stride
        first = index - (index - numbers.start) % span
        return target if first <= target < first + span else index

    def is_single(self, index: int) -> bool:
        """Return True if Up and Down have no effect.

        There is one option only, or the group shows one option at a time.
        """
        return len(self.options) == 1 or (self.find_group(index)[0].single_shown and not self.is_joint)

    def move_vertical(self, index: int, step: int) -> int:
        """Return the index of the option below (1) or above (-1).

        A list with one option per row wraps around; a grid stops at its ends. In a number field, Up selects the next
        higher option.
        """
        rows = [line.options for line in self.list_rows(index) if line.options]
        if len(rows) == 1 and self.groups[0].single_shown:
            return self.move_horizontal(index, -step) or 0
        row = next(i for i, options in enumerate(rows) if index in options)
        target = row + step
        if all(len(options) == 1 for options in rows):
            target %= len(rows)
        elif not 0 <= target < len(rows):
            return index
        column = rows[row].index(index)
        return rows[target][min(column, len(rows[target]) - 1)]

    def find_number(self, number: str, index: int) -> int | None:
        """Return the index of the next option after ``index`` with this number, wrapping around.

        Returns ``None`` if no option has the number.
        """
        matches = [i for i, option in enumerate(self.options) if str(option.number) == number]
        return next((i for i in matches if i > index), matches[0]) if matches else None

    def explain_invalid_number(self, number: str) -> str:
        """Explain to the player why no option has this number; the sentence lists the numbers that can be typed."""
        able = sorted({option.number for option in self.options if option.action and option.number is not None})
        if not able:
            return "No numbers here: choose with the arrow keys"
        return f"You can't {self.commit.removesuffix(' it')} {number} – only {join_or(format_ranges(able))}"


def create_bid_row(options: tuple[Option, ...], start: int, *, cards_first: bool = False) -> Decision:
    """Return a decision with bids in one row, in which the cursor starts on the option with index ``start``."""
    group = Group(options, columns=max(len(options), 3))
    return Decision("Your bid", (group,), start=start, choose="bid", commit="bid", cards_first=cards_first)


def create_list_decision(title: str, options: tuple[Option, ...], *, cards_first: bool = False) -> Decision:
    """Return a decision with its options in one column, in which typed digits select cards.

    ``cards_first`` is True if the cursor starts in the hand.
    """
    return Decision(title, (Group(options),), cards_first=cards_first, digits_go_to_cards=True)


def create_joint_decision(
    title: str, lines: Sequence[tuple[str, Sequence[str]]], options: Sequence[Option]
) -> Decision:
    """Return a box with a line for each of several decisions, which are confirmed together.

    ``lines`` are the heading of each decision and the labels of its choices. ``options`` are the combinations of these;
    the choice of the last line changes first.
    """
    groups, span = list[Group](), len(options)
    noted = [replace(option, note=". ".join(filter(None, [option.effect, option.note]))) for option in options]
    for heading, labels in lines:
        stride = span // len(labels)
        named = [replace(option, label=labels[i % span // stride]) for i, option in enumerate(noted)]
        groups.append(Group(tuple(named), heading=heading, single_shown=True, no_gap=True, span=span, stride=stride))
        span = stride
    return Decision(title, tuple(groups), choose="change", commit="confirm", digits_go_to_cards=True)
