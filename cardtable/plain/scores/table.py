"""Dialog of a score table: setting it up, entering and correcting rounds, and the end of a session."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from cardtable.engine import options as house
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.options import Choice, Value
from cardtable.games import ABOUT, GAMES, all_keys, key_of, unknown_game_message
from cardtable.plain import info_commands
from cardtable.plain.action_menu import parse_number
from cardtable.plain.console import QuitRequested, defer_signals, print_lines, read_line
from cardtable.plain.position_text import places
from cardtable.plain.save_prompts import SavePrompts
from cardtable.plain.speech_text import by_seat, sentence, to_ascii
from cardtable.plain.table_commands import words_of
from cardtable.scoring.kit.questions import AskedOption, ChoiceQuestion, CountQuestion, RemainingTable, Round
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.score_table import asked_rules, can_be_scored, sheet_of
from cardtable.store import profiles, score_tables, seating
from cardtable.store.score_tables import OpenScoreTable
from cardtable.wording import score_sheet as sheets
from cardtable.wording.players import Names
from cardtable.wording.score_sheet import entry_rules, first_invalid_name
from cardtable.wording.tables import round_among

HOW: Final = "Type the numbers in that order with blanks between them, or each after its name"
Answer: TypeAlias = Callable[[str], str]
"""Function that prints a question and returns the answer; commands typed instead are executed first."""


def ask_choice(
    question: str, names: Sequence[str], answer: Answer, usual: int | None = 0, closed: Mapping[int, str] | None = None
) -> int:
    """Ask for one of several names, and return its index.

    The answer is a number or an unambiguous beginning of a name. An empty line chooses index ``default``, if not
    ``None``. ``closed_reasons`` maps the indices of names that cannot be chosen to the reasons.
    """
    shut = closed or {}
    between = " for" if any(not name[0].isalpha() for name in names) else ""
    open_ = [f"{place + 1}{between} {name}" for place, name in enumerate(names) if place not in shut]
    itself = all(name == str(place) for place, name in enumerate(names, 1))
    apart = "; " if any("," in name for name in names) else ", "
    offered = "" if usual is None else f" An empty line means {names[usual]}."
    while True:
        typed = answer(f"{question} {f'1 to {len(names)}' if itself else apart.join(open_)}.{offered}")
        place = usual if not typed else _match_name(typed, names)
        if place is None:
            print_lines(f"Type a number from 1 to {len(names)}.")
        elif place in shut:
            print_lines(sentence(shut[place]))
        else:
            return place


def _match_name(typed: str, names: Sequence[str]) -> int | None:
    number, small = parse_number(typed), typed.casefold()
    exact = [place for place, name in enumerate(names) if name.casefold() == small]
    begun = [place for place, name in enumerate(names) if name.casefold().startswith(small)]
    if exact or (len(begun) == 1 and number is None):
        return (exact or begun)[0]
    return number - 1 if number is not None and 1 <= number <= len(names) else None


def ask_round(sheet: Sheet[Any], names: Names, answer: Answer) -> Round:
    """Ask the questions about the next round, and return the answers; invalid ones are asked for again."""
    chosen: dict[str, str] = {}
    while choice := next((each for each in sheet.next_questions(chosen).choices if each.name not in chosen), None):
        chosen[choice.name] = _ask_option(choice, names, answer)
    while True:
        counts: dict[str, tuple[int, ...]] = {}
        for row in sheet.next_questions(chosen).rows:
            before = sheet.warning(counts)
            counts[row.name] = _ask_counts(row, names, answer)
            if (warned := sheet.warning(counts)) != before:
                print_lines(sentence(f"but {warned}"))
        entries: Round = {**chosen, **counts}
        if not (wrong := sheet.validate(entries)):
            return entries
        print_lines(sentence(wrong))


def _ask_option(choice: ChoiceQuestion, names: Names, answer: Answer) -> str:
    """Ask for one of a question's options, and return its key."""
    options = choice.options
    keys, closed = [option.key for option in options], {p: o.closed for p, o in enumerate(options) if o.closed}
    usual = None if choice.usual is None else keys.index(choice.usual)
    called = [_option_name(option, names) for option in options]
    return keys[ask_choice(f"{choice.label}:", called, answer, usual, closed)]


def _option_name(option: AskedOption, names: Names) -> str:
    label = option.words or option.label.removeprefix("×")
    return to_ascii(label) if option.seat is None else names[option.seat]


def _ask_counts(row: CountQuestion, names: Names, answer: Answer) -> tuple[int, ...]:
    """Ask for the counts of all seats until they are complete and valid; a single missing one follows from the sum."""
    counts: list[int | None] = [None] * len(names)
    while True:
        known = row.filled(counts)
        given = [count for count in known if count is not None]
        if row.exceeds(known):
            print_lines(
                sentence(row.limit if row.required_sum is None or max(given) > row.most else row.sum_message(known))
            )
            known = counts = [None] * len(names)
        elif len(given) == len(names):
            return tuple(given)
        elif row.required_sum is not None and counts.count(None) < len(names):
            print_lines(sentence(row.sum_message(known)))
        missing = [seat for seat in row.seats if known[seat] is None]
        typed = answer(_question(row, [names[seat] for seat in missing]))
        counts = _parse_counts(row, typed, names, missing, counts)


def _question(row: CountQuestion, of: Sequence[str]) -> str:
    whole = f", {row.required_sum} in all" if row.required_sum is not None else ""
    blank = f" Anyone left out has {row.default}." if row.default is not None else ""
    return f"{row.label}{whole}: {', '.join(of)}?{blank}"


def _number(row: CountQuestion, word: str) -> int | None:
    number = parse_number(word.removeprefix("-") if row.signed else word)
    return -number if number is not None and word.startswith("-") else number


def _parse_counts(
    row: CountQuestion, typed: str, names: Names, missing: Sequence[Seat], counts: list[int | None]
) -> list[int | None]:
    """Return ``counts`` completed with typed numbers, in the order of the missing seats or each after a name.

    If the input is not understood, print this and return ``counts``.
    """
    result, at, free = [*counts], None, [*missing]
    seats = {names[seat].casefold(): seat for seat in missing}
    for word in typed.replace(",", " ").split():
        number = _number(row, word)
        if number is None and at is None and word.casefold() in seats:
            at = seats[word.casefold()]
        elif number is not None and (at is not None or free):
            seat = free[0] if at is None else at
            result[seat], at = number, None
            free = [other for other in free if other != seat]
        else:
            print_lines(f"{HOW}, such as {names[missing[0]]} 2.")
            return counts
    return result


class NotBegun(Exception):
    """Raised if the user cancels the creation of a score table."""


def create_table(word: str = "") -> OpenScoreTable:
    """Create a score table after asking for the players and house rules.

    An empty ``game_name`` asks for the game as well. Raises ``CardtableError`` if the game cannot be scored or the file
    cannot be written, ``NotBegun`` if the user goes back, and ``QuitRequested`` if the user quits.
    """
    game = GAMES[_scored(word) if word else _game()]
    names = _names(game)
    first = ask_choice("Who begins?", names, _answer)
    rules = house.read(game.options, {rule.name: _rule(rule) for rule in asked_rules(game)}, len(names))
    print_lines(*entry_rules(sheet_of(game.about.key)(game, rules, len(names), first)))
    return score_tables.create(game, names, rules, first)


def _scored(word: str) -> str:
    """Return the key of the game named ``word``.

    Raises ``CardtableError`` if there is none, or it cannot be scored with real cards.
    """
    key = key_of(word)
    if key is None:
        raise CardtableError(unknown_game_message(word))
    if not can_be_scored(key):
        raise CardtableError(f"{ABOUT[key].title} cannot be scored with real cards")
    return key


def _game() -> str:
    keys = [key for key in all_keys() if can_be_scored(key)]
    titles = [ABOUT[key].title for key in keys]
    return keys[ask_choice("Which game do you play with real cards?", titles, _answer, usual=None)]


def _answer(question: str) -> str:
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


def _names(game: AnyGame) -> list[str]:
    """Ask for the players' names, and return them by seat."""
    kind = game.about
    usual, number = score_tables.usual_names(kind, score_tables.names_before(kind.key), profiles.current_nick())
    print_lines(f"{kind.title} with real cards, for {kind.seats_in_words()} players. back begins no score table.")
    return named(usual[:number], kind.seats, _answer)


def named(usual: Sequence[str], numbers: Sequence[int], answer: Answer) -> list[str]:
    """Ask for names until they are valid and their number is in ``numbers``; an empty line means ``default_names``."""
    while True:
        prompt = "Type the names in the order of the seats, clockwise, with blanks between them."
        typed = answer(f"{prompt} An empty line means {', '.join(usual)}.")
        names = [seating.as_nick(word) for word in typed.replace(",", " ").split()] or [*usual]
        if len(names) not in numbers:
            print_lines(f"These are {len(names)} names; {' or '.join(map(str, numbers))} can play.")
        elif wrong := first_invalid_name(names):
            print_lines(sentence(f"{names[wrong.seat]}: {wrong.why}"))
        else:
            return names


def _rule(rule: Choice) -> Value:
    values = [*rule.values]
    labels = [text if str(value) in text else f"{value}, {text}" for value, text in rule.values.items()]
    return values[ask_choice(f"{to_ascii(rule.meaning)}:", [*map(to_ascii, labels)], _answer)]


HELP: Final = (
    "Answer each question by a number or a name of its list; an empty line means what the question says.",
    f"Counts: {HOW[:1].lower()}{HOW[1:]}, such as Anna 3 Tom 1. A single count that is left out follows from the sum.",
    "undo: drop the round that you are entering; where none is begun, take the last round or change back.",
    "round NUMBER: enter that round again. sheet: all rounds, and what is left to be played. rules: the rules.",
    "names: other names for the players. rename NAME: a name for the table; without NAME it has none again.",
    "finish: put the sheet into the archive once the last round is entered.",
    "back: to the list of games and sessions. quit: leave. Everything is kept.",
)


class _Restart(Exception):
    """Raised if the question on the screen is obsolete, since another round is to be entered."""


class _Back(Exception):
    """Raised if the user goes back from the score table."""


def keep(opened: OpenScoreTable, not_kept: list[str]) -> None:
    """Run the dialog of a score table until the user goes back.

    The file is closed in any case. If lines could not be saved in their place, a message is appended to
    ``loss_messages``. Raises ``QuitRequested`` if the user quits.
    """
    try:
        _Scoring(opened).run()
    finally:
        with defer_signals():
            opened.close()
        if opened.file.loss_message:
            not_kept.append(opened.file.loss_message)


class _Scoring:
    """Dialog that asks for the rounds of one open score table."""

    def __init__(self, opened: OpenScoreTable) -> None:
        self._opened, self._save_prompts = opened, SavePrompts(opened)
        self._number: int | None = None
        """Number of the round that is corrected; ``None`` if the next round is entered."""
        self._has_answers = False
        """True if a question about the round has been answered."""
        self._commands: dict[str, Callable[[str], None]] = {
            "undo": self._undo,
            "round": self._correct_round,
            "sheet": lambda _: self._sheet(),
            "names": self._names,
            "rename": self._rename,
            "finish": self._finish,
            "rules": lambda _: info_commands.rules(self._current_sheet.game.about.key, self._current_sheet.options),
            "help": lambda _: print_lines(*HELP),
            "?": lambda _: print_lines(*HELP),
        }

    @property
    def _current_sheet(self) -> Sheet[Any]:
        return self._opened.table.sheet

    def run(self) -> None:
        """Ask for rounds until the user goes back; a read-only score table is only printed.

        Raises ``QuitRequested`` if the user quits.
        """
        self._welcome()
        if self._opened.read_only:
            self._sheet()
            print_lines(sentence(f"this score table can only be read: {self._opened.read_only}"))
            return
        while True:
            try:
                self._ask()
            except _Restart:
                continue
            except _Back:
                if not self._save_prompts.confirm_staying():
                    return
            except QuitRequested:
                if not self._stays():
                    print_lines("Everything is kept." if not self._opened.save_error else "Not everything is kept.")
                    raise

    def _stays(self) -> bool:
        try:
            return self._save_prompts.confirm_staying()
        except QuitRequested:
            return False

    def _welcome(self) -> None:
        opened, sheet = self._opened, self._current_sheet
        name = f' "{opened.table.name}"' if opened.table.name else ""
        print_lines(f"{sheet.game.about.title} with real cards{name}: {', '.join(opened.names)}.")
        if opened.notice:
            print_lines(sentence(opened.notice))
        if not opened.read_only:
            print_lines("Type help for what can be typed.")
            self._tell_totals()

    def _ask(self) -> None:
        """Ask for a round and record it; after the last round ask how to continue."""
        self._has_answers = False
        if self._number is None and self._current_sheet.ended:
            self._tell_end()
            while True:
                self._answer("Type finish to put the sheet into the archive, or undo to take the last round back.")
        opened, number = self._opened, self._number
        sheet = opened.table.sheet_before(number or self._current_sheet.finished + 1)
        which = round_among(number or sheet.finished + 1, sheet.rounds)
        first = sheet.next_questions({})
        print_lines(to_ascii(f"Round {which}{' again' if number else ''}: {opened.names[first.who]} {first.does}."))
        entries = ask_round(sheet, opened.names, self._answer_of_round)
        if self._change(partial(opened.count, entries, number)):
            self._number = None
            print_lines(info_commands.rounds(self._current_sheet, opened.names)[(number or 0) - 1])

    def _tell_end(self) -> None:
        sheet = self._current_sheet
        print_lines("The session is over.", *places(self._opened.names, sheet.places(), sheet.totals, sheet.running))

    def _tell_totals(self) -> None:
        if self._current_sheet.finished:
            print_lines(f"Totals: {by_seat(self._opened.names, self._current_sheet.running)}.")

    def _answer_of_round(self, question: str) -> str:
        typed = self._answer(question)
        self._has_answers = self._has_answers or bool(typed)
        return typed

    def _answer(self, question: str) -> str:
        """Ask a question, execute commands typed instead of an answer, and return the answer.

        Raises ``QuitRequested`` after ``quit``, ``_Back`` after ``back``, and ``_Restart`` if a command makes the
        question obsolete.
        """
        while True:
            print_lines(question)
            typed = read_line()
            word, rest = words_of(typed)
            if typed.lower() == "quit":
                raise QuitRequested
            if typed.lower() == "back":
                raise _Back
            if word == "save" and rest and self._opened.save_error:
                self._save_prompts.save_into(Path(rest))
            elif word in self._commands:
                self._commands[word](rest)
            else:
                return typed

    def _change(self, change: Callable[[], None]) -> bool:
        """Execute a change; if it fails, print the error and return False."""
        try:
            with defer_signals():
                change()
        except (ValueError, CardtableError) as error:
            print_lines(sentence(str(error)))
            return False
        self._save_prompts.tell_trouble()
        return True

    def _undo(self, _rest: str) -> None:
        if self._has_answers or self._number is not None:
            print_lines("What you were entering is dropped.")
        elif not self._opened.table.can_undo:
            print_lines("There is nothing to take back.")
        elif self._change(self._opened.undo):
            print_lines("The last round or change is taken back.")
            self._tell_totals()
        self._number = None
        raise _Restart

    def _correct_round(self, rest: str) -> None:
        finished = self._current_sheet.finished
        if not rest.isdecimal() or not 1 <= int(rest[:6]) <= finished:
            print_lines(f"Type round and a number from 1 to {finished}." if finished else "No round is entered yet.")
            return
        self._number = int(rest)
        raise _Restart

    def _sheet(self) -> None:
        opened = self._opened
        print_lines(*info_commands.rounds(self._current_sheet, opened.names))
        for left in self._current_sheet.remaining_tables():
            print_lines(*[to_ascii(line) for line in _left(left, opened.names)])
        print_lines(sentence(sheets.standing(opened.names, self._current_sheet)))

    def _names(self, _rest: str) -> None:
        before = self._opened.names
        names = named(before, (len(before),), self._answer)
        if names != before and self._change(partial(self._opened.call, names)):
            print_lines(f"At the table: {', '.join(names)}.")
            raise _Restart

    def _rename(self, rest: str) -> None:
        if self._change(partial(self._opened.rename, rest)):
            print_lines(f'The table is called "{rest}" now.' if rest else "The table has no name now.")

    def _finish(self, _rest: str) -> None:
        if not self._current_sheet.ended:
            print_lines(sentence(f"this session is not over: it {self._current_sheet.over_words}"))
            return
        if self._change(self._opened.end):
            print_lines("The sheet is in the archive.")
            raise _Back


def _left(left: RemainingTable, names: list[str]) -> list[str]:
    """Describe a table of what is left to play: a line for each row, or a single line if it has one column."""
    labels = [names[row.label] if isinstance(row.label, int) else row.label for row in left.rows]
    heads = [names[head] if isinstance(head, int) else head for head in left.heads]
    figures = [[number for number, _ in row.left] for row in left.rows]
    if not heads:
        return [f"{left.heading}: {by_seat(labels, [number for numbers in figures for number in numbers])}."]
    rows = zip(labels, figures, strict=True)
    return [f"{left.heading}, {label}: {by_seat(heads, numbers)}." for label, numbers in rows]
