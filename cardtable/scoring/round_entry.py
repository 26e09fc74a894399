"""Entry of a round by keys: the current field, typed digits, and the validation of the entry."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from cardtable.engine.game import Seat
from cardtable.scoring.kit import AskedOption, ChoiceQuestion, CountQuestion, Round, RoundQuestions, Sheet

READY_TO_SAVE: Final = "Enter saves the round"


class EntryField(NamedTuple):
    """Field of the entry: a choice, or the count of a seat."""

    name: str
    seat: Seat | None = None
    """Seat whose count the field holds; ``None`` for a choice."""


_NO_FIELD: Final = EntryField("")


class EntryState(NamedTuple):
    """Validation result of a round that is being entered, with a message for the player."""

    message: str
    can_save: bool
    """True if the round can be saved."""
    is_excessive: bool = False
    """True if what has been entered must be corrected: no further entry can make the round valid."""


class RoundEntry:
    """State of the entry of one round, without a screen.

    The cursor moves on when a number is complete.
    """

    def __init__(self, sheet: Sheet[Any], names: Sequence[str], stored_round: Round | None = None) -> None:
        """Start the entry of a new round, or of a change to a stored one.

        ``sheet``: the sheet as it was before the round. ``names``: names of the players, by seat. ``stored_round``: the
        round to change; ``None`` for a new round.
        """
        self.sheet, self.names = sheet, names
        self._made_choices: dict[str, str] = {}
        self._typed: dict[EntryField, str] = {}
        self._stored_counts: dict[EntryField, str] = {}
        """Counts of the stored round that have not been typed again."""
        self._starts_number = True
        """True if the next digit starts a new number."""
        self._number_prefix = ""
        """Digits typed so far of an option's number, if another digit may follow; else empty."""
        self.complaint = ""
        """Reason why the last key had no effect; empty if it had one."""
        self.is_negative = False
        """True if the next digit starts a negative number."""
        for name, value in (stored_round or {}).items():
            if isinstance(value, str):
                self._made_choices[name] = value
            else:
                self._stored_counts.update({EntryField(name, seat): str(count) for seat, count in enumerate(value)})
        self.current_field = next(iter(self.fields), _NO_FIELD)
        self._original = self.build_round() if stored_round else None
        """Stored round that is being changed; ``None`` for a new round."""

    @property
    def has_entries(self) -> bool:
        return bool(self._made_choices or self._typed)

    @property
    def is_changed(self) -> bool:
        """True if leaving the entry would lose data: entries of a new round, or changes to a stored one."""
        return self.has_entries if self._original is None else self.build_round() != self._original

    @property
    def choices(self) -> dict[str, str]:
        """Key of the option chosen for each choice question, or of its default option if it has one."""
        chosen = dict(self._made_choices)
        for choice in self._get_questions(chosen).choices:
            if choice.name not in chosen and choice.default is not None:
                chosen[choice.name] = choice.default
        return chosen

    @property
    def questions(self) -> RoundQuestions:
        return self._get_questions(self.choices)

    def _get_questions(self, chosen: dict[str, str]) -> RoundQuestions:
        return (
            RoundQuestions(self.sheet.next_seat, "", (), ())
            if self.sheet.is_over
            else self.sheet.create_questions(chosen)
        )

    @property
    def fields(self) -> list[EntryField]:
        """All fields, in the order of the screen."""
        asked = self.questions
        counts = [EntryField(row.name, seat) for row in asked.rows for seat in row.seats]
        return [*[EntryField(choice.name) for choice in asked.choices], *counts]

    def get_typed_counts(self, row: CountQuestion) -> list[int | None]:
        """Return the counts of a row that were typed or stored, by seat; ``None`` for an empty one."""
        fields = [EntryField(row.name, seat) for seat in range(self.sheet.seats)]
        texts = [self._typed.get(field, self._stored_counts.get(field, "")) for field in fields]
        return [int(text) if text else None for text in texts]

    def get_counts(self, row: CountQuestion) -> list[int | None]:
        """Return the counts of a row by seat, including counts that follow from the others."""
        return row.fill_counts(self.get_typed_counts(row))

    def find_choice(self, field: EntryField) -> ChoiceQuestion | None:
        """Return the choice question of a field; ``None`` if the field holds a count."""
        return next((choice for choice in self.questions.choices if field == EntryField(choice.name)), None)

    def find_row(self, field: EntryField) -> CountQuestion | None:
        """Return the count question of a field; ``None`` if the field holds a choice."""
        return next((row for row in self.questions.rows if row.name == field.name and field.seat is not None), None)

    # Keys

    def move_to(self, field: EntryField) -> None:
        """Move to a field and clear the complaint; the cursor stays if there is no such field."""
        self.complaint, self._starts_number, self._number_prefix, self.is_negative = "", True, "", False
        if field in self.fields:
            self.current_field = field

    def move(self, direction: int) -> None:
        """Move to the next field (``direction`` 1) or the previous one (-1); stop at the ends."""
        fields = self.fields
        self.move_to(fields[max(0, min(fields.index(self.current_field) + direction, len(fields) - 1))])

    def move_to_end(self, direction: int) -> None:
        """Move to the first field (``direction`` -1) or the last one (1)."""
        self.move_to(self.fields[0 if direction < 0 else -1])

    def move_to_first_empty(self) -> None:
        self.move_to(next((field for field in self.fields if self._is_empty(field)), self.current_field))

    def select_adjacent(self, direction: int) -> None:
        """Choose the next (``direction`` 1) or previous (-1) available option, starting over at the ends.

        In a field for a count, move to the next or previous field instead.
        """
        choice = self.find_choice(self.current_field)
        if choice is None:
            self.move(direction)
            return
        self.complaint, self._starts_number, self._number_prefix = "", True, ""
        options = [option for option in choice.options if not option.closed_reason]
        keys = [option.key for option in options]
        before = self.choices.get(choice.name)
        index = keys.index(before) + direction if before in keys else 0 if direction > 0 else -1
        self._choose(choice, options[index % len(options)])

    def choose(self, name: str, key: str) -> None:
        """Choose an option by its key and move on.

        If the option is not available, ``complaint`` states the reason.
        """
        choice = self.find_choice(EntryField(name))
        option = choice.find_option(key) if choice else None
        self.move_to(EntryField(name))
        if choice and option:
            self._choose(choice, option)
            if not self.complaint:
                self._move_on()

    def _choose(self, choice: ChoiceQuestion, option: AskedOption) -> None:
        """Choose an option, or complain if it is not available."""
        if option.closed_reason:
            self.complaint = option.closed_reason
            return
        rows = self.questions.rows
        self._made_choices[choice.name] = option.key
        if self.questions.rows != rows:
            self._stored_counts.clear()

    def type_digit(self, digit: str, *, continues_number: bool = False) -> None:
        """Type a digit of an option's number or of a count; move on if no further digit can follow.

        ``continues_number``: True if the digit was typed soon enough after the last one to belong to the same option's
        number.
        """
        typed, choice = self._number_prefix, self.find_choice(self.current_field)
        if typed and not (continues_number and choice and int(typed + digit) <= len(choice.options)):
            self.finish_number()
            typed, choice = "", self.find_choice(self.current_field)
        self.complaint = ""
        if choice:
            self._choose_number(choice, typed + digit)
        elif row := self.find_row(self.current_field):
            self._type_count_digit(row, digit)

    def toggle_sign(self) -> None:
        """Toggle the sign of the count, or of the number that the next digit starts.

        Has no effect if the counts of the row cannot be negative.
        """
        row = self.find_row(self.current_field)
        if row is None or not row.signed:
            return
        if self._starts_number or self.current_field not in self._typed:
            self.is_negative = not self.is_negative
        else:
            self._typed[self.current_field] = str(-int(self._typed[self.current_field]))

    def finish_number(self) -> None:
        """Complete the number of an option, to which no further digit will be added, and move on."""
        if self._number_prefix and not self.complaint:
            self._move_on()
        self._number_prefix = ""

    @property
    def awaits_digit(self) -> bool:
        """True if the next digit may belong to the number of the option just chosen."""
        return bool(self._number_prefix)

    def _choose_number(self, choice: ChoiceQuestion, typed: str) -> None:
        """Choose an option by its number, starting at 1."""
        number, most = int(typed), len(choice.options)
        self._number_prefix = typed if 0 < number * 10 <= most else ""
        if not 1 <= number <= most:
            self.complaint = f"{choice.label.lower()}: 1 to {most}"
            return
        self._choose(choice, choice.options[number - 1])
        if not self.complaint and not self._number_prefix:
            self._move_on()

    def _type_count_digit(self, row: CountQuestion, digit: str) -> None:
        before = ("-" if self.is_negative else "") if self._starts_number else self._typed.get(self.current_field, "")
        count, seat = int(before + digit), self.current_field.seat
        assert seat is not None
        if abs(count) > row.max_count:
            self.complaint = row.limit_text
            return
        self._typed[self.current_field], self._starts_number, self.is_negative = str(count), False, False
        new_counts = [int(self._typed.get(EntryField(row.name, other), "0")) for other in range(self.sheet.seats)]
        if count == 0 or abs(count) * 10 > row.compute_max(new_counts, seat):
            self._move_on()

    def _move_on(self) -> None:
        """Move to the next empty field; if there is none, to the next field."""
        fields = self.fields
        after = fields[fields.index(self.current_field) + 1 :]
        self._starts_number = True
        self.current_field = next(
            (field for field in after if self._is_empty(field)), after[0] if after else self.current_field
        )

    def _is_empty(self, field: EntryField) -> bool:
        choice, row = self.find_choice(field), self.find_row(field)
        if choice:
            return choice.name not in self.choices
        assert row is not None
        assert field.seat is not None
        return self.get_counts(row)[field.seat] is None

    def delete_back(self) -> None:
        """Delete the last digit or the choice; in an empty field, move to the previous one."""
        self.complaint = self._number_prefix = ""
        if self.is_negative:
            self.is_negative = False
            return
        text = self._typed.pop(self.current_field, self._stored_counts.pop(self.current_field, ""))
        if self.find_choice(self.current_field):
            if self._made_choices.pop(self.current_field.name, None) is None:
                self.move(-1)
        elif text[:-1].strip("-"):
            self._typed[self.current_field], self._starts_number = text[:-1], False
        elif not text:
            self.move(-1)

    # Result

    def build_round(self) -> Round | None:
        """Return the round; ``None`` if it is not complete."""
        asked = self.questions
        entered: dict[str, str | Sequence[int]] = {}
        for choice in asked.choices:
            if choice.name not in self.choices:
                return None
            entered[choice.name] = self.choices[choice.name]
        for row in asked.rows:
            counts = [count for count in self.get_counts(row) if count is not None]
            if len(counts) < self.sheet.seats:
                return None
            entered[row.name] = tuple(counts)
        return entered

    def compute_points(self) -> tuple[list[int | None], int]:
        """Return the points of each seat as far as they are known, and the factor by which they count in the totals.

        Unknown points are ``None``.
        """
        asked, seats = self.questions, range(self.sheet.seats)
        known = [self._has_known_points(asked, seat) for seat in seats]
        if not asked.rows or any(choice.name not in self.choices for choice in asked.choices) or not any(known):
            return [None] * len(seats), 1
        counts = {row.name: tuple([count or 0 for count in self.get_counts(row)]) for row in asked.rows}
        scored = self.sheet.score_round({**{c.name: self.choices[c.name] for c in asked.choices}, **counts})
        return [scored.points[seat] if known[seat] else None for seat in seats], scored.weight

    def _has_known_points(self, asked: RoundQuestions, seat: Seat) -> bool:
        """Return True if all entries on which the points of ``seat`` depend are complete."""
        return all(
            counts[seat] is not None if seat in row.seats else None not in counts
            for row in asked.rows
            for counts in [self.get_counts(row)]
        )

    def validate(self) -> EntryState:
        """Return whether the round can be saved, and a message for the player.

        The message is the complaint about the last key, a missing entry, a fault of the round, or the sums of the
        counts.
        """
        if self.complaint:
            return EntryState(self.complaint, can_save=self.build_round() is not None, is_excessive=True)
        asked = self.questions
        waiting = next((choice for choice in asked.choices if choice.name not in self.choices), None)
        current = None if self.build_round() else self.find_choice(self.current_field)
        if choice := current or waiting:
            alternative = "or choose with the arrows" if choice == waiting else "or the arrows, then Tab"
            return EntryState(f"{choice.label}: 1 to {len(choice.options)}, {alternative}", can_save=False)
        warned = self.sheet.find_warning({row.name: self.get_counts(row) for row in asked.rows})
        entered = self.build_round()
        if entered is None:
            return self._validate_incomplete(asked, warned)
        if reason := self.sheet.validate(entered):
            is_excessive = any(row.is_exceeded(self.get_counts(row)) for row in asked.rows)
            return EntryState(reason, can_save=False, is_excessive=is_excessive)
        sums = [row.format_sum(self.get_counts(row)) for row in asked.rows if row.required_sum is not None]
        message = sums[-1] if sums else READY_TO_SAVE
        return EntryState(f"But {warned}. {message}" if warned else message, can_save=True)

    def _validate_incomplete(self, asked: RoundQuestions, warning: str | None) -> EntryState:
        """Return the state of an incomplete entry, with a message about the current row if it is incomplete."""
        rows = sorted(asked.rows, key=lambda row: row != self.find_row(self.current_field))
        for row in rows:
            counts = self.get_counts(row)
            is_started = row.required_sum is not None and any(count is not None for count in self.get_typed_counts(row))
            if is_started and (row.is_exceeded(counts) or None in counts):
                message = f"{warning}. {row.format_sum(counts)}" if warning else row.format_sum(counts)
                return EntryState(message, can_save=False, is_excessive=row.is_exceeded(counts))
        row = next(row for row in rows if None in self.get_counts(row))
        missing = [self.names[seat] for seat, count in enumerate(self.get_counts(row)) if count is None]
        players = "" if len(missing) == len(row.seats) else f" of {', '.join(missing)}"
        message = f"{row.label}{players}: still missing"
        return EntryState(f"{warning}. {message}" if warning else message, can_save=False)
