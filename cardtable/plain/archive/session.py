"""Details and commands of one archived session in plain text."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

from cardtable.engine.cards import iter_cards
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MOST_PATH, sanitize, unknown_name_message, with_count
from cardtable.plain import info_commands, replay
from cardtable.plain.action_menu import parse_number
from cardtable.plain.console import QuitRequested, print_lines, read_line
from cardtable.plain.position_text import places
from cardtable.plain.speech_text import by_seat, hand, sentence, to_ascii, to_spoken
from cardtable.records.review import ReviewedSession, compare_same_deals
from cardtable.records.review_worker import ReviewJob
from cardtable.robots.kit.hint_spec import CLOSE, format_difference
from cardtable.session.round_replay import SessionReplay
from cardtable.store import folder_checks, profiles, session_files
from cardtable.store.errors import StillPlayed
from cardtable.store.profiles import seats_of
from cardtable.store.summaries import Summary
from cardtable.wording import archive_rows, score_sheet
from cardtable.wording.archive_rows import ArchivedSession
from cardtable.wording.export_formats import ENDINGS, Form, exported
from cardtable.wording.formatting import join_or
from cardtable.wording.players import seat_of
from cardtable.wording.review import (
    ReviewText,
    bid_status,
    choice,
    evaluated_decisions,
    facts,
    heading,
    on_the_same_deals,
    open_cards,
    per_round_text,
)
from cardtable.wording.tables import FINISHED_ONLY, open_error, title

_AT_ONCE: Final = 10
"""Number of decisions on a page."""
_PARTS: Final = 10
"""Number of progress messages during a review."""


def review(path: Path, who: str) -> None:
    """Review the decisions of a player, and show the results in a dialog.

    ``nick`` may be empty, for the signed-in player or else the first human player. Raises ``CardtableError`` if the
    session cannot be reviewed, and ``QuitRequested`` if the user quits.
    """
    it = ReviewJob(path, _seat(path, who))
    _complete_review(it)
    _ReviewDialog(it).stay()


def _seat(path: Path, who: str) -> int:
    header = session_files.parse_session(path, session_files.read_session(path)).header
    if who:
        return seat_of(header, who)
    return next(iter([*seats_of(profiles.load()[0], profiles.current_nick(), header), *header.people]), 0)


def _complete_review(it: ReviewJob) -> None:
    """Run the part of a review that is still missing, with progress messages; Ctrl+C interrupts it."""
    steps, before = it.session.steps, it.review.done
    if before == steps:
        return
    print_lines(
        "An expert looks at each decision and plays the same deals; this takes minutes. "
        "Ctrl+C stops it, and what is done is kept."
    )
    printed = before * _PARTS // steps
    try:
        for _ in it.steps():
            if it.review.done * _PARTS // steps > printed:
                printed = it.review.done * _PARTS // steps
                print_lines(f"{100 * printed // _PARTS} percent done.")
    except KeyboardInterrupt:
        print_lines("", "Stopped. review goes on from there.")


class _ReviewDialog:
    """Dialog that lists the decisions of a review that have a cost, and explains them."""

    def __init__(self, it: ReviewJob) -> None:
        self._it, self._printed = it, 0
        session: ReviewedSession = it.session
        self._found = evaluated_decisions(session, it.review)
        self._costly = [one for one in self._found if one.judgement.cost]
        self._names = session_files.names(session.header.seats)

    def stay(self) -> None:
        """Print the summary, and execute commands until ``back``.

        Returns at once if no decision has a cost. Raises ``QuitRequested`` if the user quits.
        """
        self._summary()
        self._more()
        while self._costly and (typed := read_line()).lower() != "back":
            number = parse_number(typed)
            if typed.lower() == "quit":
                raise QuitRequested
            if number is not None and 1 <= number <= len(self._costly):
                print_lines(*_decision(self._costly[number - 1], self._names))
            elif typed.lower() == "more":
                self._more()
            else:
                print_lines(f"Type a number from 1 to {len(self._costly)} for a decision, more, or back.")

    def _summary(self) -> None:
        session, who = self._it.session, self._names[self._it.session.seat]
        given_up = ", in a session that was given up" if session.given_up else ""
        if not self._found:
            print_lines(f"No decision of {who} has been looked at{given_up}.")
            return
        mean = sum(one.judgement.cost for one in self._found) / len(self._found)
        print_lines(
            f"{len(self._costly)} of {with_count(len(self._found), 'decision')} of {who} cost something{given_up}, "
            f"{mean:.1f} points each on average."
        )
        if same := compare_same_deals(session, self._it.review):
            comparison = on_the_same_deals(same, who), per_round_text(same)
            print_lines(to_ascii(sentence(", ".join(comparison))))

    def _more(self) -> None:
        """Print the next page of the decisions that have a cost."""
        first, self._printed = self._printed, min(self._printed + _AT_ONCE, len(self._costly))
        for number, one in enumerate(self._costly[first : self._printed], first + 1):
            cost = f"{one.chosen} cost {one.judgement.cost:.1f} points, {one.better} was better"
            print_lines(f"{number}: {sentence(to_spoken(f'{heading(one.game, one.decision)}: {cost}'))}")
        left = len(self._costly) - self._printed
        if self._costly:
            print_lines(
                f"Type a number for more of a decision, {f'more for the next of {left}, ' if left else ''}or back."
            )


def _decision(one: ReviewText, names: list[str]) -> list[str]:
    """Describe a decision in lines: its position, the value of each choice, and the reasons."""
    decision, measure = one.decision, one.measure
    heads = [
        heading(one.game, decision),
        bid_status(one.game, decision),
        *facts(one.game, decision),
    ]
    texts = [", ".join(filter(None, heads))]
    texts += [f"{who} {what}" for who, what in open_cards(one.game, decision, names) if what]
    texts.append(f"in hand: {hand(iter_cards(decision.view.hand))}")
    lines = [sentence(to_spoken(text)) for text in texts]
    lines.append(f"{measure.sentence}, error {one.judgement.error:.1f}:")
    for number in range(len(one.judgement.choices)):
        action = one.action(number)
        own = ", what was chosen" if action == decision.action else ""
        how = f", {CLOSE}" if one.is_close(number) else ""
        worth = f"{format_difference(one.lead(number), exact=True, first=not number)}{how}"
        lines.append(sentence(to_spoken(f"{choice(action)}: {worth}{own}")))
    return [*lines, *[sentence(to_spoken(why)) for why in one.judgement.why]]


_FORMS: Final = get_args(Form)


class _Back(Exception):
    """Raised if the user goes back to the list."""


class OneSession:
    """Dialog about one archived session: its result, score sheet, replay, review and export."""

    def __init__(self, row: ArchivedSession, go_on: Callable[[Summary], None]) -> None:
        self._row, self._summary, self._go_on = row, row.summary, go_on
        summary, known = row.summary, row.summary.header is not None
        goes_on = known and summary.state == "open" and not summary.is_club_only
        does: list[tuple[str, str, bool, Callable[[str], None]]] = [
            ("go on", "go on: play on from where it stands", goes_on, self._play_on),
            ("sheet", "sheet: the score sheet, round by round", known, self._sheet),
            (
                "replay",
                "replay: all rounds again, card by card. replay NUMBER: that round",
                known and not summary.real_cards,
                self._replay,
            ),
            (
                "review",
                "review: what an expert thinks of your decisions. review NICK: of hers",
                self._reviewable,
                self._review,
            ),
            ("export", f"export {join_or(_FORMS)}: save it in that form", known, self._export),
        ]
        self._commands = {word: do for word, _, possible, do in does if possible}
        self._help = [f"{what}." for _, what, possible, _ in does if possible]

    @property
    def path(self) -> Path:
        return self._summary.path

    @property
    def _reviewable(self) -> bool:
        return self._summary.header is not None and self._summary.state != "open" and not self._summary.real_cards

    def stay(self) -> None:
        """Print the summary of the session, and execute commands until ``back``.

        Also returns after the session has been continued. Raises ``QuitRequested`` if the user quits.
        """
        self._print_summary()
        while True:
            try:
                self._execute(read_line())
            except CardtableError as error:
                print_lines(sentence(error.why))
            except _Back:
                return

    def _print_summary(self) -> None:
        row, summary, header = self._row, self._summary, self._summary.header
        if header is None:
            print_lines(sentence(f"{summary.id} {open_error(summary)}"), "Type back for the list.")
            return
        parts = [title(summary), archive_rows.moment(row), *archive_rows.facts(row, archive_rows.read_course(summary))]
        print_lines(to_ascii(sentence(", ".join(parts))))
        seats = archive_rows.best_first(summary, header)
        names = [
            header.seats[seat].name + (f" ({header.seats[seat].robot})" if header.seats[seat].robot else "")
            for seat in seats
        ]
        if summary.ranks:
            totals = [summary.totals[seat] for seat in seats]
            print_lines(*places(names, [summary.ranks[seat] for seat in seats], totals, totals))
        elif summary.totals:
            print_lines(f"Totals: {by_seat(names, [summary.totals[seat] for seat in seats])}.")
        print_lines(f"Type {', '.join(self._commands)}, help or back.")

    def _execute(self, typed: str) -> None:
        if typed.lower() == "quit":
            raise QuitRequested
        if typed.lower() == "back":
            raise _Back
        small = typed.lower()
        for word, do in self._commands.items():
            if small == word or small.startswith(f"{word} "):
                do(typed[len(word) :].strip())
                return
        if small in ("help", "?"):
            print_lines(*self._help, "An empty line: what it came to. back: to the list. quit: leave.")
        elif not typed:
            self._print_summary()
        else:
            print_lines(f"There is no {typed[:40]} here. Type {', '.join(self._commands)}, help or back.")

    def _play_on(self, _rest: str) -> None:
        self._go_on(self._summary)
        raise _Back

    def _sheet(self, _rest: str) -> None:
        sheet = score_sheet.read(self.path)
        print_lines(*info_commands.rounds(sheet.scored, sheet.names))
        print_lines(
            sentence(
                score_sheet.standing(sheet.names, sheet.scored, given_up=sheet.given_up, timed_out=sheet.timed_out)
            )
        )

    def _replay(self, rest: str) -> None:
        number = parse_number(rest) if rest else None
        if rest and number is None:
            raise CardtableError("replay takes the number of a round, such as replay 3, or nothing for all rounds")
        replay.tell(SessionReplay(self.path), number)

    def _review(self, rest: str) -> None:
        review(self.path, rest)
        self._print_summary()

    def _export(self, rest: str) -> None:
        wanted, _, as_open = rest.lower().partition(" ")
        form = next((form for form in _FORMS if form == wanted and as_open in ("", "open")), None)
        if form is None:
            raise CardtableError(
                unknown_name_message("form", rest, _FORMS) if rest else f"say in which form: export {join_or(_FORMS)}"
            )
        try:
            data = exported(self.path, form, as_open=bool(as_open))
        except StillPlayed:
            raise CardtableError(
                "people still play this session, and the file shows everybody's cards; "
                f"type export {form} open to save it all the same"
            ) from None
        saved = folder_checks.save(f"{self._summary.id}{ENDINGS[form]}", data)
        print_lines(
            f"Saved as {sanitize(str(saved), MOST_PATH)}.", *([FINISHED_ONLY] if self._summary.is_club_only else [])
        )
