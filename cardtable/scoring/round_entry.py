"""Entry of a round by keys: the current field, typed digits, and the validation of the entry."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from cardtable.engine.game import Seat
from cardtable.scoring.kit.questions import AskedOption, ChoiceQuestion, CountQuestion, Round, RoundQuestions
from cardtable.scoring.kit.sheet import Sheet

KEPT: Final = "Enter keeps the round"


class EntryField(NamedTuple):
    """Field of the entry: a choice, or the count of a seat."""

    name: str
    seat: Seat | None = None
    """Seat whose count the field holds; ``None`` for a choice."""


_NO_FIELD: Final = EntryField("")


class EntryState(NamedTuple):
    """Validation result of a round that is being entered, with a message for the player."""

    words: str
    fits: bool
    """True if the round can be saved."""
    too_much: bool = False
    """True if what has been entered must be corrected: no further entry can make the round valid."""


class RoundEntry:
    """State of the entry of one round, without a screen.

    The cursor moves on when a number is complete.
    """

    def __init__(self, sheet: Sheet[Any], names: Sequence[str], entered: Round | None = None) -> None:
        """Start the entry of a new round, or of a change to a stored one.

        ``sheet``: the sheet as it was before the round. ``names``: names of the players, by seat. ``stored_round``: the
        round to change; ``None`` for a new round.
        """
        self.sheet, self.names = sheet, names
        self._chosen: dict[str, str] = {}
        self._typed: dict[EntryField, str] = {}
        self._before: dict[EntryField, str] = {}
        """Counts of the stored round that have not been typed again."""
        self._fresh = True
        """True if the next digit starts a new number."""
        self._number_prefix = ""
        """Digits typed so far of an option's number, if another digit may follow; else empty."""
        self.complaint = ""
        """Reason why the last key had no effect; empty if it had one."""
        self.minus = False
        """True if the next digit starts a negative number."""
        for name, value in (entered or {}).items():
            if isinstance(value, str):
                self._chosen[name] = value
            else:
                self._before.update({EntryField(name, seat): str(count) for seat, count in enumerate(value)})
        self.at = next(iter(self.fields), _NO_FIELD)
        self._original = self.round() if entered else None
        """Stored round that is being changed; ``None`` for a new round."""

    @property
    def has_entries(self) -> bool:
        """True if any choice or count has been entered."""
        return bool(self._chosen or self._typed)

    @property
    def is_changed(self) -> bool:
        """True if leaving the entry would lose data: entries of a new round, or changes to a stored one."""
        return self.has_entries if self._original is None else self.round() != self._original

    @property
    def chosen(self) -> dict[str, str]:
        """Key of the option chosen for each choice question, or of its default option if it has one."""
        chosen = dict(self._chosen)
        for choice in self._asked(chosen).choices:
            if choice.name not in chosen and choice.usual is not None:
                chosen[choice.name] = choice.usual
        return chosen

    @property
    def asked(self) -> RoundQuestions:
        """Questions about the round, which depend on the choices made."""
        return self._asked(self.chosen)

    def _asked(self, chosen: dict[str, str]) -> RoundQuestions:
        return (
            RoundQuestions(self.sheet.next_seat, "", (), ()) if self.sheet.ended else self.sheet.next_questions(chosen)
        )

    @property
    def fields(self) -> list[EntryField]:
        """All fields, in the order of the screen."""
        asked = self.asked
        counts = [EntryField(row.name, seat) for row in asked.rows for seat in row.seats]
        return [*[EntryField(choice.name) for choice in asked.choices], *counts]

    def typed(self, row: CountQuestion) -> list[int | None]:
        """Return the counts of a row that were typed or stored, by seat; ``None`` for an empty one."""
        fields = [EntryField(row.name, seat) for seat in range(self.sheet.seats)]
        texts = [self._typed.get(field, self._before.get(field, "")) for field in fields]
        return [int(text) if text else None for text in texts]

    def counts(self, row: CountQuestion) -> list[int | None]:
        """Return the counts of a row by seat, including counts that follow from the others."""
        return row.filled(self.typed(row))

    def choice(self, field: EntryField) -> ChoiceQuestion | None:
        """Return the choice question of a field; ``None`` if the field holds a count."""
        return next((choice for choice in self.asked.choices if field == EntryField(choice.name)), None)

    def row(self, field: EntryField) -> CountQuestion | None:
        """Return the count question of a field; ``None`` if the field holds a choice."""
        return next((row for row in self.asked.rows if row.name == field.name and field.seat is not None), None)

    # Keys

    def move_to(self, field: EntryField) -> None:
        """Move to a field and clear the complaint; the cursor stays if there is no such field."""
        self.complaint, self._fresh, self._number_prefix, self.minus = "", True, "", False
        if field in self.fields:
            self.at = field

    def move(self, step: int) -> None:
        """Move to the next field (``direction`` 1) or the previous one (-1); stop at the ends."""
        fields = self.fields
        self.move_to(fields[max(0, min(fields.index(self.at) + step, len(fields) - 1))])

    def move_to_end(self, step: int) -> None:
        """Move to the first field (``direction`` -1) or the last one (1)."""
        self.move_to(self.fields[0 if step < 0 else -1])

    def move_to_first_empty(self) -> None:
        """Move to the first empty field; stay if there is none."""
        self.move_to(next((field for field in self.fields if self._is_empty(field)), self.at))

    def step(self, step: int) -> None:
        """Choose the next (``direction`` 1) or previous (-1) available option, starting over at the ends.

        In a field for a count, move to the next or previous field instead.
        """
        choice = self.choice(self.at)
        if choice is None:
            self.move(step)
            return
        self.complaint, self._fresh, self._number_prefix = "", True, ""
        options = [option for option in choice.options if not option.closed]
        keys = [option.key for option in options]
        before = self.chosen.get(choice.name)
        at = keys.index(before) + step if before in keys else 0 if step > 0 else -1
        self._choose(choice, options[at % len(options)])

    def choose(self, name: str, key: str) -> None:
        """Choose an option by its key and move on.

        If the option is not available, ``complaint`` states the reason.
        """
        choice = self.choice(EntryField(name))
        option = choice.option(key) if choice else None
        self.move_to(EntryField(name))
        if choice and option and self._choose(choice, option):
            self._move_on()

    def _choose(self, choice: ChoiceQuestion, option: AskedOption) -> bool:
        if option.closed:
            self.complaint = option.closed
            return False
        rows = self.asked.rows
        self._chosen[choice.name] = option.key
        if self.asked.rows != rows:
            self._before.clear()
        return True

    def digit(self, digit: str, *, joins: bool = False) -> None:
        """Type a digit of an option's number or of a count; move on if no further digit can follow.

        ``continues_number``: True if the digit was typed soon enough after the last one to belong to the same option's
        number.
        """
        typed, choice = self._number_prefix, self.choice(self.at)
        if typed and not (joins and choice and int(typed + digit) <= len(choice.options)):
            self.settle()
            typed, choice = "", self.choice(self.at)
        self.complaint = ""
        if choice:
            self._number(choice, typed + digit)
        elif row := self.row(self.at):
            self._count(row, digit)

    def sign(self) -> None:
        """Toggle the sign of the count, or of the number that the next digit starts.

        Has no effect if the counts of the row cannot be negative.
        """
        row = self.row(self.at)
        if row is None or not row.signed:
            return
        if self._fresh or self.at not in self._typed:
            self.minus = not self.minus
        else:
            self._typed[self.at] = str(-int(self._typed[self.at]))

    def settle(self) -> None:
        """Complete the number of an option, to which no further digit will be added, and move on."""
        if self._number_prefix and not self.complaint:
            self._move_on()
        self._number_prefix = ""

    @property
    def awaits_digit(self) -> bool:
        """True if the next digit may belong to the number of the option just chosen."""
        return bool(self._number_prefix)

    def _number(self, choice: ChoiceQuestion, typed: str) -> None:
        """Choose an option by its number, starting at 1."""
        number, most = int(typed), len(choice.options)
        self._number_prefix = typed if 0 < number * 10 <= most else ""
        if not 1 <= number <= most:
            self.complaint = f"{choice.label.lower()}: 1 to {most}"
        elif self._choose(choice, choice.options[number - 1]) and not self._number_prefix:
            self._move_on()

    def _count(self, row: CountQuestion, digit: str) -> None:
        before = ("-" if self.minus else "") if self._fresh else self._typed.get(self.at, "")
        count, seat = int(before + digit), self.at.seat
        assert seat is not None
        if abs(count) > row.most:
            self.complaint = row.limit
            return
        self._typed[self.at], self._fresh, self.minus = str(count), False, False
        anew = [int(self._typed.get(EntryField(row.name, other), "0")) for other in range(self.sheet.seats)]
        if count == 0 or abs(count) * 10 > row.max_for(anew, seat):
            self._move_on()

    def _move_on(self) -> None:
        """Move to the next empty field; if there is none, to the next field."""
        fields = self.fields
        after = fields[fields.index(self.at) + 1 :]
        self._fresh = True
        self.at = next((field for field in after if self._is_empty(field)), after[0] if after else self.at)

    def _is_empty(self, field: EntryField) -> bool:
        choice, row = self.choice(field), self.row(field)
        if choice:
            return choice.name not in self.chosen
        assert row is not None
        assert field.seat is not None
        return self.counts(row)[field.seat] is None

    def delete_back(self) -> None:
        """Delete the last digit or the choice; in an empty field, move to the previous one."""
        self.complaint = self._number_prefix = ""
        if self.minus:
            self.minus = False
            return
        text = self._typed.pop(self.at, self._before.pop(self.at, ""))
        if self.choice(self.at):
            if self._chosen.pop(self.at.name, None) is None:
                self.move(-1)
        elif text[:-1].strip("-"):
            self._typed[self.at], self._fresh = text[:-1], False
        elif not text:
            self.move(-1)

    # Result

    def round(self) -> Round | None:
        """Return the round; ``None`` if it is not complete."""
        asked = self.asked
        entered: dict[str, str | Sequence[int]] = {}
        for choice in asked.choices:
            if choice.name not in self.chosen:
                return None
            entered[choice.name] = self.chosen[choice.name]
        for row in asked.rows:
            counts = [count for count in self.counts(row) if count is not None]
            if len(counts) < self.sheet.seats:
                return None
            entered[row.name] = tuple(counts)
        return entered

    def points(self) -> tuple[list[int | None], int]:
        """Return the points of each seat as far as they are known, and the factor by which they count in the totals.

        Unknown points are ``None``.
        """
        asked, seats = self.asked, range(self.sheet.seats)
        known = [self._known(asked, seat) for seat in seats]
        if not asked.rows or any(choice.name not in self.chosen for choice in asked.choices) or not any(known):
            return [None] * len(seats), 1
        counts = {row.name: tuple([count or 0 for count in self.counts(row)]) for row in asked.rows}
        counted = self.sheet.score_round({**{c.name: self.chosen[c.name] for c in asked.choices}, **counts})
        return [counted.points[seat] if known[seat] else None for seat in seats], counted.weight

    def _known(self, asked: RoundQuestions, seat: Seat) -> bool:
        """Return True if all entries on which the points of ``seat`` depend are complete."""
        return all(
            counts[seat] is not None if seat in row.seats else None not in counts
            for row in asked.rows
            for counts in [self.counts(row)]
        )

    def validate(self) -> EntryState:
        """Return whether the round can be saved, and a message for the player.

        The message is the complaint about the last key, a missing entry, a fault of the round, or the sums of the
        counts.
        """
        if self.complaint:
            return EntryState(self.complaint, fits=self.round() is not None, too_much=True)
        asked = self.asked
        waiting = next((choice for choice in asked.choices if choice.name not in self.chosen), None)
        here = None if self.round() else self.choice(self.at)
        if choice := here or waiting:
            how = "or choose with the arrows" if choice == waiting else "or the arrows, then Tab"
            return EntryState(f"{choice.label}: 1 to {len(choice.options)}, {how}", fits=False)
        warned = self.sheet.warning({row.name: self.counts(row) for row in asked.rows})
        entered = self.round()
        if entered is None:
            return self._missing(asked, warned)
        wrong = self.sheet.validate(entered)
        if wrong:
            return EntryState(wrong, fits=False, too_much=any(row.exceeds(self.counts(row)) for row in asked.rows))
        sums = [row.sum_message(self.counts(row)) for row in asked.rows if row.required_sum is not None]
        return EntryState(". ".join([*([f"But {warned}"] if warned else []), *(sums[-1:] or [KEPT])]), fits=True)

    def _missing(self, asked: RoundQuestions, warned: str) -> EntryState:
        """Return the state of an incomplete entry, with a message about the current row if it is incomplete."""
        rows = sorted(asked.rows, key=lambda row: row != self.row(self.at))
        for row in rows:
            counts = self.counts(row)
            begun = row.required_sum is not None and any(count is not None for count in self.typed(row))
            if begun and (row.exceeds(counts) or None in counts):
                said = f"{warned}. {row.sum_message(counts)}" if warned else row.sum_message(counts)
                return EntryState(said, fits=False, too_much=row.exceeds(counts))
        row = next(row for row in rows if None in self.counts(row))
        missing = [self.names[seat] for seat, count in enumerate(self.counts(row)) if count is None]
        players = "" if len(missing) == len(row.seats) else f" of {', '.join(missing)}"
        said = f"{row.label}{players}: still missing"
        return EntryState(f"{warned}. {said}" if warned else said, fits=False)
