"""Dialog of a score table: setting it up, entering and correcting rounds, and the end of a session."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.options import Choice, Value
from cardtable.engine.text_format import fold, format_count
from cardtable.games import find_key, format_unknown_game
from cardtable.plain import position_text
from cardtable.plain.console import (
    LEAVE,
    Back,
    Commands,
    QuitRequested,
    UnknownCommand,
    defer_signals,
    parse_number,
    print_lines,
    read_line,
)
from cardtable.plain.position_text import describe_ranking
from cardtable.plain.speech_text import format_by_seat, to_ascii, to_sentence
from cardtable.plain.table_dialog import SavePrompts
from cardtable.scoring.kit import AskedOption, ChoiceQuestion, CountQuestion, RemainingTable, Round, Sheet
from cardtable.scoring.score_table import explain_missing_score_table
from cardtable.store import profiles, score_tables, seating
from cardtable.store.score_tables import OpenScoreTable, ScoreTableForm
from cardtable.wording import score_sheet as sheets
from cardtable.wording.players import Names
from cardtable.wording.score_sheet import describe_entry_rules, find_invalid_name
from cardtable.wording.tables import format_round_number

COUNTS_HINT: Final = "Type the numbers in that order with spaces between them, or each after its name"
Answer: TypeAlias = Callable[[str], str]
"""Function that prints a question and returns the answer; commands typed instead are executed first."""


def ask_choice(
    question: str,
    names: Sequence[str],
    answer: Answer,
    default: int | None = 0,
    closed_reasons: Mapping[int, str] | None = None,
) -> int:
    """Ask for one of several names, and return its index.

    The answer is a number or an unambiguous beginning of a name. An empty line chooses index ``default``, if not
    ``None``. ``closed_reasons`` maps the indices of names that cannot be chosen to the reasons.
    """
    closed = closed_reasons or {}
    between = " for" if any(not name[0].isalpha() for name in names) else ""
    open_ = [f"{index + 1}{between} {name}" for index, name in enumerate(names) if index not in closed]
    are_numbers = all(name == str(index) for index, name in enumerate(names, 1))
    separator = "; " if any("," in name for name in names) else ", "
    offered = "" if default is None else f" An empty line means {names[default]}."
    while True:
        typed = answer(f"{question} {f'1 to {len(names)}' if are_numbers else separator.join(open_)}.{offered}")
        index = default if not typed else _match_name(typed, names)
        if index is None:
            print_lines(f"Type a number from 1 to {len(names)}.")
        elif index in closed:
            print_lines(to_sentence(closed[index]))
        else:
            return index


def _match_name(typed: str, names: Sequence[str]) -> int | None:
    number, small = parse_number(typed), fold(typed)
    exact = [index for index, name in enumerate(names) if fold(name) == small]
    beginning = [index for index, name in enumerate(names) if fold(name).startswith(small)]
    if exact or (len(beginning) == 1 and number is None):
        return (exact or beginning)[0]
    return number - 1 if number is not None and 1 <= number <= len(names) else None


def ask_round(sheet: Sheet[Any], names: Names, answer: Answer) -> Round:
    """Ask the questions about the next round, and return the answers; invalid ones are asked for again."""
    chosen: dict[str, str] = {}
    while choice := next(
        (question for question in sheet.create_questions(chosen).choices if question.name not in chosen), None
    ):
        chosen[choice.name] = _ask_option(choice, names, answer)
    while True:
        counts: dict[str, tuple[int, ...]] = {}
        for row in sheet.create_questions(chosen).rows:
            before = sheet.find_warning(counts)
            counts[row.name] = _ask_counts(row, names, answer)
            if (warned := sheet.find_warning(counts)) != before:
                print_lines(to_sentence(f"but {warned}"))
        entries: Round = {**chosen, **counts}
        if not (wrong := sheet.validate(entries)):
            return entries
        print_lines(to_sentence(wrong))


def _ask_option(choice: ChoiceQuestion, names: Names, answer: Answer) -> str:
    """Ask for one of a question's options, and return its key."""
    keys = [option.key for option in choice.options]
    closed = {index: option.closed_reason for index, option in enumerate(choice.options) if option.closed_reason}
    default = None if choice.default is None else keys.index(choice.default)
    labels = [_format_option(option, names) for option in choice.options]
    return keys[ask_choice(f"{choice.label}:", labels, answer, default, closed)]


def _format_option(option: AskedOption, names: Names) -> str:
    label = option.long_label or option.label.removeprefix("×")
    return to_ascii(label) if option.seat is None else names[option.seat]


def _ask_counts(row: CountQuestion, names: Names, answer: Answer) -> tuple[int, ...]:
    """Ask for the counts of all seats until they are complete and valid; a single missing one follows from the sum."""
    counts: list[int | None] = [None] * len(names)
    while True:
        known = row.fill_counts(counts)
        filled_counts = [count for count in known if count is not None]
        if row.is_exceeded(known):
            is_one_too_high = row.required_sum is None or max(filled_counts) > row.max_count
            print_lines(to_sentence(row.limit_text if is_one_too_high else row.format_sum(known)))
            known = counts = [None] * len(names)
        elif len(filled_counts) == len(names):
            return tuple(filled_counts)
        elif row.required_sum is not None and counts.count(None) < len(names):
            print_lines(to_sentence(row.format_sum(known)))
        missing = [seat for seat in row.seats if known[seat] is None]
        whole = f", {row.required_sum} in all" if row.required_sum is not None else ""
        blank = f" Anyone left out has {row.default}." if row.default is not None else ""
        typed = answer(f"{row.label}{whole}: {', '.join([names[seat] for seat in missing])}?{blank}")
        counts = _parse_counts(row, typed, names, missing, counts)


def _parse_counts(
    row: CountQuestion, typed: str, names: Names, missing: Sequence[Seat], counts: list[int | None]
) -> list[int | None]:
    """Return ``counts`` completed with typed numbers, in the order of the missing seats or each after a name.

    If the input is not understood, print this and return ``counts``.
    """
    result, named_seat, free = [*counts], None, [*missing]
    seats = {fold(names[seat]): seat for seat in missing}
    for word in typed.replace(",", " ").split():
        number = parse_number(word.removeprefix("-") if row.signed else word)
        if number is not None and word.startswith("-"):
            number = -number
        if number is None and named_seat is None and fold(word) in seats:
            named_seat = seats[fold(word)]
        elif number is not None and (named_seat is not None or free):
            seat = free[0] if named_seat is None else named_seat
            result[seat], named_seat = number, None
            free = [other for other in free if other != seat]
        else:
            print_lines(f"{COUNTS_HINT}, such as {names[missing[0]]} 2.")
            return counts
    return result


class NotBegun(Exception):
    """Raised if the user cancels the creation of a score table."""


def create_table(game_name: str = "") -> OpenScoreTable:
    """Create a score table after asking for the players and house rules.

    An empty ``game_name`` asks for the game as well. Raises ``CardtableError`` if the game cannot be scored or the file
    cannot be written, ``NotBegun`` if the user goes back, and ``QuitRequested`` if the user quits.
    """
    form = ScoreTableForm(_find_scorable_game(game_name) if game_name else _ask_game())
    names = _ask_player_names(form.game)
    form.choose(form.seats_field, len(names))
    form.first_seat = ask_choice("Who starts?", names, _ask_line)
    for rule in form.list_rules():
        form.choose(rule, _ask_rule(rule))
    print_lines(*describe_entry_rules(form.sheet))
    return score_tables.create(form.game, names, form.options, form.first_seat)


def _find_scorable_game(word: str) -> str:
    """Return the key of the game named ``word``.

    Raises ``CardtableError`` if there is none, or it cannot be scored with real cards.
    """
    key = find_key(word)
    if key is None:
        raise CardtableError(format_unknown_game(word))
    if reason := explain_missing_score_table(key):
        raise CardtableError(reason)
    return key


def _ask_game() -> str:
    games = ScoreTableForm().game_field.values
    question = "Which game do you play with real cards?"
    return [*map(str, games)][ask_choice(question, [*games.values()], _ask_line, default=None)]


def _ask_line(question: str) -> str:
    """Ask a question while a score table is set up.

    Raises ``QuitRequested`` after ``quit``, and ``NotBegun`` after ``back``.
    """
    print_lines(question)
    typed = read_line()
    if typed.lower() == "quit":
        raise QuitRequested
    if typed.lower() == "back":
        raise NotBegun
    return typed


def _ask_player_names(game: AnyGame) -> list[str]:
    """Ask for the players' names, and return them by seat."""
    kind = game.about
    usual, number = score_tables.suggest_names(
        kind, score_tables.find_previous_names(kind.key), profiles.get_current_nick()
    )
    print_lines(f"{kind.title} with real cards, for {kind.seats_in_words()} players. back: no score table.")
    return ask_names(usual[:number], kind.seats, _ask_line)


def ask_names(default_names: Sequence[str], numbers: Sequence[int], answer: Answer) -> list[str]:
    """Ask for names until they are valid and their number is in ``numbers``; an empty line means ``default_names``."""
    while True:
        prompt = "Type the names in seat order, clockwise, with spaces between them."
        typed = answer(f"{prompt} An empty line means {', '.join(default_names)}.")
        names = [seating.normalize_nick(word) for word in typed.replace(",", " ").split()] or [*default_names]
        if len(names) not in numbers:
            print_lines(f"You typed {format_count(len(names), 'name')}; {' or '.join(map(str, numbers))} can play.")
        elif wrong := find_invalid_name(names):
            print_lines(to_sentence(f"{names[wrong.seat]}: {wrong.reason}"))
        else:
            return names


def _ask_rule(rule: Choice) -> Value:
    """Ask for the value of a house rule, by its number, its label or as it is written in files."""
    values = [*rule.values]
    labels = {str(value): to_ascii(rule.format_value(value)) for value in values}

    def answer(question: str) -> str:
        typed = _ask_line(question)
        return labels.get(typed, typed)

    return values[ask_choice(f"{to_ascii(rule.meaning)}:", [*labels.values()], answer)]


class _Restart(Exception):
    """Raised if the question on the screen is obsolete, since another round is to be entered."""


def run_score_table(opened: OpenScoreTable, loss_messages: list[str]) -> None:
    """Run the dialog of a score table until the user goes back.

    The file is closed in any case. If lines could not be saved in their place, a message is appended to
    ``loss_messages``. Raises ``QuitRequested`` if the user quits.
    """
    try:
        _ScoreTableDialog(opened).run()
    finally:
        with defer_signals():
            opened.close()
        if opened.file.loss_message:
            loss_messages.append(opened.file.loss_message)


class _ScoreTableDialog:
    """Dialog that asks for the rounds of one open score table."""

    def __init__(self, opened: OpenScoreTable) -> None:
        self._opened, self._save_prompts = opened, SavePrompts(opened)
        self._number: int | None = None
        """Number of the round that is corrected; ``None`` if the next round is entered."""
        self._has_answers = False
        """True if a question about the round has been answered."""
        self.commands = Commands(
            {
                "Answer each question with a number or a name from its list; an empty line means what the "
                "question says.\n"
                f"Counts: {COUNTS_HINT[:1].lower()}{COUNTS_HINT[1:]}, such as Anna 3 Tom 1. A single count that is "
                "left out follows from the sum.": {},
                "undo: drop the round that you are entering, or else undo the last round or change.": {
                    "undo": self._undo
                },
                "round NUMBER: enter that round again. sheet: all rounds, and what is left to be played. rules: the "
                "rules.": {
                    "round": self._correct_round,
                    "sheet": lambda _: self._print_sheet(),
                    "rules": self._print_rules,
                },
                "names: change the names of the players. rename NAME: name the table, or remove its name without "
                "NAME.": {
                    "names": self._rename_players,
                    "rename": self._rename_table,
                },
                "finish: move the sheet to the archive once the last round is entered.": {"finish": self._finish},
                "back: to the list of games and sessions. quit: leave. Everything is saved, unless a line says that it "
                "is not.": LEAVE,
                "": {"save": self._save_prompts.execute_save},
            }
        )

    @property
    def _current_sheet(self) -> Sheet[Any]:
        return self._opened.table.sheet

    def run(self) -> None:
        """Ask for rounds until the user goes back; a read-only score table is only printed.

        Raises ``QuitRequested`` if the user quits.
        """
        self._print_welcome()
        if self._opened.read_only:
            self._print_sheet()
            print_lines(to_sentence(f"this score table is read-only: {self._opened.read_only}"))
            return
        while True:
            try:
                self._ask_round()
            except _Restart:
                continue
            except Back:
                if not self._save_prompts.confirm_staying():
                    return
            except QuitRequested:
                if not self._confirm_staying():
                    print_lines("Everything is saved." if not self._opened.save_error else "Not everything is saved.")
                    raise

    def _confirm_staying(self) -> bool:
        try:
            return self._save_prompts.confirm_staying()
        except QuitRequested:
            return False

    def _print_welcome(self) -> None:
        opened, sheet = self._opened, self._current_sheet
        name = f' "{opened.table.name}"' if opened.table.name else ""
        print_lines(f"{sheet.game.about.title} with real cards{name}: {', '.join(opened.names)}.")
        if opened.notice:
            print_lines(to_sentence(opened.notice))
        if not opened.read_only:
            print_lines("Type help for what can be typed.")
            self._print_totals()

    def _ask_round(self) -> None:
        """Ask for a round and record it; after the last round ask how to continue."""
        self._has_answers = False
        if self._number is None and self._current_sheet.is_over:
            self._print_end()
            while True:
                self._answer("Type finish to move the sheet to the archive, or undo to undo the last round.")
        opened, number = self._opened, self._number
        sheet = opened.table.build_sheet_before(number or self._current_sheet.finished + 1)
        which = format_round_number(number or sheet.finished + 1, sheet.rounds)
        first = sheet.create_questions({})
        print_lines(
            to_ascii(f"Round {which}{' again' if number else ''}: {opened.names[first.seat]} {first.seat_action}.")
        )
        entries = ask_round(sheet, opened.names, self._answer_round_question)
        if self._change(partial(opened.enter_round, entries, number)):
            self._number = None
            print_lines(position_text.describe_rounds(self._current_sheet, opened.names)[(number or 0) - 1])

    def _print_end(self) -> None:
        sheet = self._current_sheet
        print_lines(
            "The session is over.",
            *describe_ranking(self._opened.names, sheet.compute_ranks(), sheet.totals, sheet.running_totals),
        )

    def _print_totals(self) -> None:
        if self._current_sheet.finished:
            print_lines(f"Totals: {format_by_seat(self._opened.names, self._current_sheet.running_totals)}.")

    def _answer_round_question(self, question: str) -> str:
        typed = self._answer(question)
        self._has_answers = self._has_answers or bool(typed)
        return typed

    def _answer(self, question: str) -> str:
        """Ask a question, execute commands typed instead of an answer, and return the answer.

        Raises ``QuitRequested`` after ``quit``, ``Back`` after ``back``, and ``_Restart`` if a command makes the
        question obsolete.
        """
        while True:
            print_lines(question)
            typed = read_line()
            try:
                self.commands.execute(typed)
            except UnknownCommand:
                return typed

    def _print_rules(self, _rest: str) -> None:
        position_text.print_rules(self._current_sheet.game.about.key, self._current_sheet.options)

    def _change(self, change: Callable[[], None]) -> bool:
        """Execute a change; if it fails, print the error and return False."""
        try:
            with defer_signals():
                change()
        except (ValueError, CardtableError) as error:
            print_lines(to_sentence(str(error)))
            return False
        self._save_prompts.report_error()
        return True

    def _undo(self, _rest: str) -> None:
        if self._has_answers or self._number is not None:
            print_lines("What you were entering was dropped.")
        elif not self._opened.table.can_undo:
            print_lines("There is nothing to undo.")
        elif self._change(self._opened.undo):
            print_lines("The last round or change has been undone.")
            self._print_totals()
        self._number = None
        raise _Restart

    def _correct_round(self, rest: str) -> None:
        finished = self._current_sheet.finished
        if not rest.isdecimal() or not 1 <= int(rest[:6]) <= finished:
            hint = f"Type round and a number from 1 to {finished}." if finished else "No round has been entered yet."
            print_lines(hint)
            return
        self._number = int(rest)
        raise _Restart

    def _print_sheet(self) -> None:
        opened = self._opened
        print_lines(*position_text.describe_rounds(self._current_sheet, opened.names))
        for left in self._current_sheet.create_remaining_tables():
            print_lines(*[to_ascii(line) for line in _describe_remaining(left, opened.names)])
        print_lines(to_sentence(sheets.format_standing(opened.names, self._current_sheet)))

    def _rename_players(self, _rest: str) -> None:
        before = self._opened.names
        names = ask_names(before, (len(before),), self._answer)
        if names != before and self._change(partial(self._opened.rename_players, names)):
            print_lines(f"At the table: {', '.join(names)}.")
            raise _Restart

    def _rename_table(self, rest: str) -> None:
        if self._change(partial(self._opened.rename, rest)):
            print_lines(f'The table is now called "{rest}".' if rest else "The table has no name any more.")

    def _finish(self, _rest: str) -> None:
        if not self._current_sheet.is_over:
            print_lines(to_sentence(f"this session is not over: it {self._current_sheet.end_condition}"))
            return
        if self._change(self._opened.end):
            print_lines("The sheet has moved to the archive.")
            raise Back


def _describe_remaining(left: RemainingTable, names: list[str]) -> list[str]:
    """Describe a table of what is left to play: a line for each row, or a single line if it has one column."""
    labels = [names[row.label] if isinstance(row.label, int) else row.label for row in left.rows]
    heads = [names[head] if isinstance(head, int) else head for head in left.column_headings]
    figures = [[number for number, _ in row.remaining] for row in left.rows]
    if not heads:
        return [f"{left.heading}: {format_by_seat(labels, [number for numbers in figures for number in numbers])}."]
    rows = zip(labels, figures, strict=True)
    return [f"{left.heading}, {label}: {format_by_seat(heads, numbers)}." for label, numbers in rows]
