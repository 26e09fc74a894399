"""Archive in plain text: the list of sessions, and showing, replaying, reviewing or exporting one of them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, get_args

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import iter_cards
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, find_name, format_count, format_unknown_name, sanitize
from cardtable.engine.tricks import Play
from cardtable.games import ABOUT, format_unknown_game
from cardtable.plain import position_text, replay
from cardtable.plain.console import LEAVE, Back, Commands, Handler, ListDialog, alone, parse_number, print_lines
from cardtable.plain.position_text import describe_ranking
from cardtable.plain.speech_text import format_by_seat, format_hand, to_ascii, to_sentence, to_spoken, use_faces
from cardtable.records.archive import (
    FILTERS,
    SORTS,
    ArchivedSession,
    filter_rows,
    list_player_names,
    read_course,
    sort_rows,
)
from cardtable.records.review import ReviewedSession, compare_same_deals
from cardtable.records.review_worker import ReviewJob
from cardtable.robots.kit.hint_spec import TOO_CLOSE_TEXT, format_as_subject, format_difference
from cardtable.session.round_replay import SessionReplay
from cardtable.store import home_folder, profiles, session_files
from cardtable.store.archive_index import Archive
from cardtable.store.errors import FileError, StillPlayed
from cardtable.store.profiles import find_seats
from cardtable.store.summaries import Summary
from cardtable.wording import archive_rows, score_sheet
from cardtable.wording.export_formats import SUFFIXES, ExportFormat, export_session
from cardtable.wording.formatting import format_elapsed, get_local_time, join_or
from cardtable.wording.players import find_seat
from cardtable.wording.review import (
    ReviewText,
    format_bid_status,
    format_heading,
    list_evaluated_decisions,
    list_facts,
    list_open_cards,
)
from cardtable.wording.tables import FINISHED_ONLY, format_open_error, format_table_title

_NOTICE_FILES: Final = 200
"""Number of unread files above which a notice of the delay is printed."""
_PROGRESS_STEPS: Final = 10
"""Number of progress messages during a review."""


class PlainArchive(ListDialog[ArchivedSession]):
    """Dialog that lists archived sessions and executes commands until the user goes back."""

    def __init__(self, resume: Callable[[Summary], object]) -> None:
        """Create the dialog; ``resume`` resumes a session or opens a score table."""
        self._resume_session = resume
        self._words, self._values, self._sort = "", dict.fromkeys(FILTERS, ""), SORTS[0]
        self._all: list[ArchivedSession] = []
        filters = ", ".join([f"{name} {join_or(row.examples)}" for name, row in FILTERS.items()])
        self.commands = Commands(
            {
                "Type the number of a session to see its result, score sheet, replay or review, or to continue it.": {},
                "find WORDS: only sessions with all of these words: games, nicks, robot levels, table names.": {
                    "find": self._find
                },
                f"{filters}: only those; without a value, all again.": {
                    name: partial(self._filter_by, name) for name in FILTERS
                },
                f"order {join_or(SORTS)}: the order of the list. all: all sessions again.": {
                    "order": self._change_order,
                    "all": alone(self._show_all),
                },
                "more: continue the list. An empty line: the list again. back: to the games. quit: leave.": {
                    "more": alone(self._print_next_page),
                    "": alone(self._print_list),
                    **LEAVE,
                },
            }
        )

    def run(self, search: str) -> None:
        """List the sessions that contain all words of ``search``, and execute commands until ``back``.

        Raises ``QuitRequested`` if the user quits.
        """
        self._find(search)
        self.read_until_back()

    def _print_list(self) -> None:
        """Apply the filter and the sort order to all sessions, and print the first page."""
        profile_store, me = profiles.load()[0], profiles.get_current_nick()
        self._all = [archive_rows.create_row(summary, me, profile_store) for summary in _load_sessions()]
        self.items = sort_rows(filter_rows(self._all, self._words, self._values, get_local_time().date()), self._sort)
        if not self._all:
            print_lines("There are no sessions yet. Type back, then the number of a game to start one.")
            return
        all_ = format_count(len(self._all), "session")
        words = f"with {self._words}" if self._words else ""
        chosen = ", ".join(filter(None, [words, *self._values.values()]))
        number = f"{len(self.items)} of {all_}, {chosen}" if chosen else all_
        print_lines(to_sentence(f"archive: {number}, {_ORDER_TEXTS.get(self._sort, f'by {self._sort}')}"))
        self.printed = 0
        self._print_next_page()

    def _print_next_page(self) -> None:
        """Print the next page and what can be typed."""
        page, now = self.take_page(), get_local_time()
        print_lines(*[to_ascii(f"{number}: {_describe_session(row, now)}") for number, row in page])
        left = len(self.items) - self.printed
        if not self.items:
            print_lines("No session matches. Type all to list all sessions again.")
        elif not page:
            print_lines("That is the whole list.")
        else:
            print_lines(f"Type more for the next of {format_count(left, 'session')}, a number, or help." if left else
                "Type a number, or help.")  # fmt: skip

    def open_item(self, row: ArchivedSession) -> None:
        """Open a session, and print the list again when the user goes back."""
        ArchivedSessionDialog(row, self._resume_session).run()
        self._print_list()

    def _find(self, words: str) -> None:
        self._words = words
        self._print_list()

    def _filter_by(self, name: str, typed: str) -> None:
        """Change a filter; without a value it matches every session."""
        row = FILTERS[name]
        self._values[name] = _match_name(row.correct(typed), row.list_values(self._all), row.noun)
        self._print_list()

    def _change_order(self, order: str) -> None:
        self._sort = _match_name(order, SORTS, "order") or SORTS[0]
        self._print_list()

    def _show_all(self) -> None:
        self._words, self._values, self._sort = "", dict.fromkeys(FILTERS, ""), SORTS[0]
        self._print_list()


_ORDER_TEXTS: Final = {"newest": "the newest first", "oldest": "the oldest first", "place": "by your place"}
"""Descriptions of the sort orders that are not described by ``by`` and their name."""


def _load_sessions() -> list[Summary]:
    """Return all sessions, the last played first; a notice is printed if many new files must be read."""
    archive = Archive()
    for progress in archive.read():
        if progress.unread > _NOTICE_FILES:
            print_lines(f"{progress.unread} new sessions are being read; this takes a moment.")
    return archive.list_sessions()


def _match_name(typed: str, known: Sequence[str], kind: str) -> str:
    """Return the name in ``known`` that equals the typed one, ignoring case; empty if nothing was typed.

    Raises ``CardtableError`` with the known names if there is none.
    """
    match = find_name(typed, known)
    if typed and match is None:
        unknown = format_unknown_game(typed) if kind == "game" else format_unknown_name(kind, typed, known)
        raise CardtableError(unknown)
    return match or ""


def _describe_session(row: ArchivedSession, now: datetime) -> str:
    """Describe a session in a sentence: title, age, place, result, players and properties."""
    summary = row.summary
    if summary.header is None:
        return to_sentence(f"{summary.id} {format_open_error(summary)}")
    when = format_elapsed(datetime.fromtimestamp(summary.played, UTC), now)
    result = archive_rows.format_result(row).replace(" : ", " to ")
    result = f"won by {result}" if row.seat is None and summary.state == "over" else result
    parts = [
        format_table_title(summary),
        when,
        archive_rows.format_place(row),
        result,
        ", ".join(list_player_names(row)),
        *archive_rows.list_properties(row.summary),
    ]
    return to_sentence(", ".join(filter(None, parts)))


def run_review(path: Path, nick: str) -> None:
    """Review the decisions of a player, and show the results in a dialog.

    ``nick`` may be empty, for the signed-in player or else the first human player. Raises ``CardtableError`` if the
    session cannot be reviewed, and ``QuitRequested`` if the user quits.
    """
    job = ReviewJob(path, _find_seat(path, nick))
    _complete_review(job)
    with use_faces(ABOUT[job.session.header.game].faces):
        _ReviewDialog(job).run()


def _find_seat(path: Path, nick: str) -> int:
    header = session_files.load_journal(path).header
    if nick:
        return find_seat(header, nick)
    return next(iter([*find_seats(profiles.load()[0], profiles.get_current_nick(), header), *header.people]), 0)


def _complete_review(job: ReviewJob) -> None:
    """Run the part of a review that is still missing, with progress messages; Ctrl+C interrupts it."""
    steps, before = job.session.step_count, job.review.done_count
    if before == steps:
        return
    print_lines(
        "An expert checks each decision and plays the same deals; this takes minutes. Ctrl+C stops it; results "
        "so far stay saved."
    )
    printed = before * _PROGRESS_STEPS // steps
    try:
        for _ in job.iter_pieces():
            if job.review.done_count * _PROGRESS_STEPS // steps > printed:
                printed = job.review.done_count * _PROGRESS_STEPS // steps
                print_lines(f"{100 * printed // _PROGRESS_STEPS} percent done.")
    except KeyboardInterrupt:
        print_lines("", "Stopped. Type review to continue from there.")


class _ReviewDialog(ListDialog[ReviewText]):
    """Dialog that lists the decisions of a review that have a cost, and explains them."""

    page_size = 5

    def __init__(self, job: ReviewJob) -> None:
        self._job = job
        session: ReviewedSession = job.session
        self._decisions = list_evaluated_decisions(session, job.review)
        self.items = [one for one in self._decisions if one.judgement.cost]
        self._names = [*session.names]
        how_to_choose = f"Type a number from 1 to {len(self.items)} to hear why"
        self.advice = f"{how_to_choose}, more, or back."
        self.commands = Commands(
            {
                f"{how_to_choose}. more: the next page. back: to the session. quit: leave.": {
                    "more": alone(self._print_next_page),
                    **LEAVE,
                }
            }
        )

    def run(self) -> None:
        """Print the summary, and execute commands until ``back``.

        Returns at once if no decision has a cost. Raises ``QuitRequested`` if the user quits.
        """
        self._print_summary()
        self._print_next_page()
        if self.items:
            self.read_until_back()

    def open_item(self, item: ReviewText) -> None:
        print_lines(*_describe_decision(item, self._names))

    def _print_summary(self) -> None:
        session, name = self._job.session, self._names[self._job.session.seat]
        remark = ", in an abandoned session" if session.is_abandoned else ""
        if not self._decisions:
            print_lines(f"No decision of {name} has been checked{remark}.")
            return
        mean = sum(one.judgement.cost for one in self._decisions) / len(self._decisions)
        print_lines(
            f"{len(self.items)} of {format_count(len(self._decisions), 'decision')} of {name} cost something{remark}: "
            f"{mean:.1f} points a decision on average."
        )
        if same := compare_same_deals(session, self._job.review):
            measure = ", in points ahead of the opponent" if same.is_difference else ""
            lead = f"{abs(same.lead_per_round):.1f} a round {'less' if same.lead_per_round < 0 else 'more'}"
            results = format_by_seat([name, "experts"], [same.own, round(same.experts)])
            print_lines(f"The same deals{measure}: {results}. {name} made {lead}.")

    def _print_next_page(self) -> None:
        """Print the next page of the decisions that have a cost."""
        for number, one in self.take_page():
            is_play = isinstance(one.decision.action, Play)
            when = format_heading(one.game, one.decision) if is_play else f"Round {one.decision.round}"
            own, better = [
                format_as_subject(action, one.pronouns, one.name_action(action))
                for action in (one.decision.action, one.find_action(0))
            ]
            cost = f"{own} cost {one.judgement.cost:.1f} points; {better} was better"
            print_lines(f"{number}: {to_sentence(to_spoken(f'{when}: {cost}'))}")
        left = len(self.items) - self.printed
        if self.items:
            print_lines(f"Type a number to hear why, {f'more for the other {left}, ' if left else ''}or back.")


def _describe_decision(review_text: ReviewText, names: list[str]) -> list[str]:
    """Describe a decision in lines: its position, the value of each choice, and the reasons."""
    decision, measure = review_text.decision, review_text.measure
    heads = [
        format_heading(review_text.game, decision),
        format_bid_status(review_text.game, decision),
        *list_facts(review_text.game, decision),
    ]
    texts = [", ".join(filter(None, heads))]
    colon = "" if isinstance(decision.action, Bid) else ":"
    texts += [f"{name}{colon} {cards}" for name, cards in list_open_cards(review_text.game, decision, names) if cards]
    order = review_text.game.card_order(decision.view)
    texts.append(f"in hand: {format_hand(iter_cards(decision.view.hand), order)}")
    lines = [to_sentence(to_spoken(text)) for text in texts]
    judgement = review_text.judgement
    lines.append(f"{', '.join(filter(None, (measure.list_heading, review_text.basis)))}:")
    for number in range(len(judgement.choices)):
        action = review_text.find_action(number)
        own = ", what was chosen" if action == decision.action else ""
        how = f", {TOO_CLOSE_TEXT}" if review_text.is_close(number) else ""
        worth = f"{format_difference(review_text.compute_lead(number), show_tenths=True, is_best=not number)}{how}"
        lines.append(to_sentence(to_spoken(f"{review_text.name_action(action)}: {worth}{own}")))
    return [*lines, *[to_sentence(to_spoken(reason)) for reason in judgement.why]]


_EXPORT_FORMS: Final = get_args(ExportFormat)


class ArchivedSessionDialog(ListDialog[None]):
    """Dialog about one archived session: its result, score sheet, replay, review and export."""

    def __init__(self, row: ArchivedSession, resume: Callable[[Summary], object]) -> None:
        self._row, self._summary, self._resume_session = row, row.summary, resume
        summary, known = row.summary, row.summary.header is not None
        goes_on = known and summary.state == "open" and not summary.is_club_only
        is_over = known and summary.state != "open"
        has_cards = known and not summary.real_cards
        offers: tuple[tuple[bool, str, str, Handler], ...] = (
            (goes_on, "go on", "go on: continue it.", self._execute_resume),
            (known, "sheet", "sheet: the score sheet, round by round.", self._print_sheet),
            (has_cards, "replay", "replay: all rounds, card by card. replay NUMBER: that round.", self._print_replay),
            (
                has_cards and is_over,
                "review",
                "review: what an expert thinks of your decisions. review NICK: of that player's.",
                self._run_review,
            ),
            (known, "export", f"export {join_or(_EXPORT_FORMS)}: save it in that format.", self._export),
        )
        rows = {help_text: {word: handler} for is_offered, word, help_text, handler in offers if is_offered}
        self.advice = f"Type {', '.join([*[word for row in rows.values() for word in row], 'help or back'])}."
        self.commands = Commands(
            rows,
            {"An empty line: the result. back: to the list. quit: leave.": {"": alone(self._print_summary), **LEAVE}},
        )

    @property
    def path(self) -> Path:
        return self._summary.path

    def run(self) -> None:
        """Print the summary of the session, and execute commands until ``back``.

        Also returns after the session has been continued. Raises ``QuitRequested`` if the user quits.
        """
        self._print_summary()
        self.read_until_back()

    def _print_summary(self) -> None:
        row, summary, header = self._row, self._summary, self._summary.header
        if header is None:
            print_lines(to_sentence(f"{summary.id} {format_open_error(summary)}"), "Type back for the list.")
            return
        parts = [
            format_table_title(summary),
            archive_rows.format_date_and_time(row),
            *archive_rows.list_facts(row, read_course(summary)),
        ]
        print_lines(to_ascii(to_sentence(", ".join(parts))))
        seats = archive_rows.list_seats_by_place(summary, header)
        names = [
            header.seats[seat].name + (f" ({header.seats[seat].robot})" if header.seats[seat].robot else "")
            for seat in seats
        ]
        if summary.ranks:
            totals = [summary.totals[seat] for seat in seats]
            print_lines(*describe_ranking(names, [summary.ranks[seat] for seat in seats], totals, totals))
        elif summary.totals:
            print_lines(f"Totals: {format_by_seat(names, [summary.totals[seat] for seat in seats])}.")
        print_lines(self.advice)

    def execute(self, typed: str) -> None:
        """Execute a command; an error in the file is printed without its path, which says nothing new."""
        try:
            super().execute(typed)
        except FileError as error:
            raise CardtableError(error.reason) from None

    def _execute_resume(self, _rest: str) -> None:
        self._resume_session(self._summary)
        raise Back

    def _print_sheet(self, _rest: str) -> None:
        stored = score_sheet.load(self.path)
        print_lines(*position_text.describe_rounds(stored.sheet, stored.names))
        print_lines(to_sentence(stored.format_standing()))

    def _print_replay(self, rest: str) -> None:
        number = parse_number(rest) if rest else None
        if rest and number is None:
            raise CardtableError("replay takes the number of a round, such as replay 3, or nothing for all rounds")
        replay.print_replay(SessionReplay(self.path), number)

    def _run_review(self, rest: str) -> None:
        run_review(self.path, rest)
        self._print_summary()

    def _export(self, rest: str) -> None:
        form_name, _, as_open = rest.lower().partition(" ")
        form = next((form for form in _EXPORT_FORMS if form == form_name and as_open in ("", "open")), None)
        if form is None:
            raise CardtableError(
                format_unknown_name("form", rest, _EXPORT_FORMS)
                if rest
                else f"say in which format: export {join_or(_EXPORT_FORMS)}"
            )
        try:
            data = export_session(self.path, form, as_open=bool(as_open))
        except StillPlayed:
            raise CardtableError(
                f"this game is still going on, and the file would reveal hands; type export {form} open to save "
                "it anyway"
            ) from None
        saved = home_folder.save_export(f"{self._summary.id}{SUFFIXES[form]}", data)
        print_lines(
            f"Saved as {sanitize(str(saved), MAX_PATH_LENGTH)}.",
            *([FINISHED_ONLY] if self._summary.is_club_only else []),
        )
