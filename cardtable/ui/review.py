"""Page of the review, where the expert evaluates a player's decisions in a worker process."""

import asyncio
from collections.abc import Hashable, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Action, Seat
from cardtable.engine.journal import Header, replace_occupants
from cardtable.engine.text_format import capitalize_first
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.records import review_worker
from cardtable.records.review import (
    NOT_OVER,
    Alternative,
    DuplicateResult,
    Review,
    ReviewedSession,
    compare_same_deals,
    load_reviewed_session,
)
from cardtable.robots.kit.hint_spec import TOO_CLOSE_TEXT
from cardtable.session.round_replay import SessionReplay
from cardtable.store import profiles, session_files, visibility
from cardtable.store.archive_index import Fingerprint, compute_fingerprint
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.profiles import find_seats
from cardtable.store.session_files import find_last_played
from cardtable.ui.keys.bindings import REVIEW, FooterKeys
from cardtable.ui.round_view.board import paint_hand
from cardtable.ui.round_view.playhead import PlateContents
from cardtable.ui.table.paint.advice import ALIKE_MARK
from cardtable.ui.toolkit.context import PageContext, SessionEvaluator, fork_session
from cardtable.ui.toolkit.page import Page, paint_loading, paint_page_header
from cardtable.ui.toolkit.painting import card_faces, charts
from cardtable.ui.toolkit.painting.canvas import ELLIPSIS, Canvas, centre_window, join_fitting, truncate, wrap
from cardtable.ui.toolkit.painting.layout import Box
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar
from cardtable.wording import review
from cardtable.wording.formatting import format_elapsed, format_number, format_ordinal, format_tenths, get_local_time
from cardtable.wording.players import list_seat_names
from cardtable.wording.review import ReviewText, list_evaluated_decisions


class ReviewModel(msgspec.Struct):
    """Review of one seat of a session, and the cursor in the list of its decisions."""

    path: Path
    file_fingerprint: Fingerprint
    """Fingerprint of the journal file at the time it was read."""
    session: ReviewedSession
    seats: tuple[Seat, ...]
    """Seats that can be reviewed: the seats of persons, or all seats if only robots played."""
    is_current_player: bool
    """True if the reviewed seat is the current player's, or the only one of a person."""
    rank: int | None
    """Final rank of the reviewed seat, from 1; ``None`` if the session was given up."""
    total: int
    last_play: float
    """Time at which the session was last played, as a POSIX timestamp."""
    review: Review = msgspec.field(default_factory=lambda: Review([], []))
    by_round: bool = False
    selected: int | None = None
    """Number of the decision under the cursor, in session order; ``None`` for the first of the list, whichever that is.
    """

    @property
    def header(self) -> Header:
        return session_files.sanitize_header(self.session.header)

    @property
    def names(self) -> list[str]:
        """Names of the seats; "you" for the reviewed seat if it is the current player's."""
        names = list_seat_names(self.header)
        if self.is_current_player:
            names[self.session.seat] = "you"
        return names

    @property
    def player_name(self) -> str:
        """Name of the reviewed player, with those of others who made rounds at the seat."""
        return (self.names if self.is_current_player else self.session.names)[self.session.seat]

    @property
    def is_complete(self) -> bool:
        return self.review.done_count == self.session.step_count

    @property
    def duplicate_result(self) -> DuplicateResult | None:
        return compare_same_deals(self.session, self.review)

    @property
    def lines(self) -> list[ReviewText]:
        return list_evaluated_decisions(self.session, self.review, by_round=self.by_round)

    @property
    def cursor_row(self) -> int:
        """Index in ``lines`` of the decision under the cursor; 0 if that is not evaluated."""
        numbers = [line.decision.decisions for line in self.lines]
        return numbers.index(self.selected) if self.selected in numbers else 0

    @property
    def current(self) -> ReviewText | None:
        """Decision under the cursor; ``None`` while the list is empty."""
        lines = self.lines
        return lines[self.cursor_row] if lines else None

    def save(self) -> None:
        """Save the review for the next time. A failure is ignored, since the review can be computed again."""
        with suppress(OSError):
            review_worker.save(self.path, self.file_fingerprint, self.session.seat, self.review)

    def move_to_row(self, row: int) -> None:
        """Move the cursor to a line, limited to the ends of the list."""
        lines = self.lines
        if lines:
            self.selected = lines[max(0, min(row, len(lines) - 1))].decision.decisions


def load_review(path: Path, seat: Seat | None, nick: str) -> ReviewModel:
    """Read a journal and return the model of the review of one seat.

    If ``seat`` is ``None``, it is the seat of ``nick``, else the first seat of a person, else the first seat. Raises
    CardtableError if the file cannot be read, or if the session is neither over nor given up.
    """
    try:
        fingerprint = compute_fingerprint(path.stat())
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None
    data = session_files.read_session(path)
    journal = session_files.parse_session(path, data)
    referee = session_files.replay_journal(path, journal)
    is_abandoned = session_files.is_abandoned(path, referee.turn)
    if referee.turn != OVER and not is_abandoned:
        raise FileError(path, NOT_OVER)
    header = replace_occupants(journal.header, referee.occupants.changed)
    people = header.people
    seats = tuple(people or range(referee.seats))
    own = find_seats(profiles.load()[0], nick, header)
    if seat is None:
        seat = (*own, *seats)[0]
    return ReviewModel(
        path=path,
        file_fingerprint=fingerprint,
        session=load_reviewed_session(
            visibility.extract_viewable_part(journal, referee.turn), seat, is_abandoned=is_abandoned
        ),
        seats=seats,
        is_current_player=seat in own or people == [seat],
        rank=referee.ranks[seat] if referee.ranks else None,
        total=referee.totals[seat],
        last_play=find_last_played(data),
    )


TEXT_COLUMN: Final = 3
"""First column of the texts."""
LIST_ROW: Final = 4
"""First row of the list."""
COSTLY: Final = 1.0
"""Cost in points from which a decision is painted in the colour of a loss."""
_COST_WIDTH: Final = 6
"""Width of a decision's cost, in columns."""
_COST_HEADINGS: Final = ("cost in points", "cost")
"""Headings for the column of costs; the first one that fits is used."""
_MAX_KIND_WIDTH: Final = 8
_MAX_CHOSEN_WIDTH: Final = 14
_BAR_WIDTH: Final = 20
_BETTER_WIDTH: Final = 60
"""Width of the list, in columns, from which on it always has the better choices."""
_MIN_BAR_WIDTH: Final = 8
"""Width, in columns, that the bars keep beside the better choices in a narrower list."""
_NARROW_REASON_ROWS: Final = 3
"""Rows for the reasons of the decision under the cursor where it has no panel."""
PANEL_COLUMNS: Final = 80
"""Minimum width of a terminal, in columns, in which the decision under the cursor has a panel."""


_SPACED_HEIGHT: Final = 36
"""Minimum height of a terminal, in rows, in which lines are spaced."""


class PointAt(NamedTuple):
    """Mouse target of a line of the list, by its index."""

    row: int


def count_list_rows(canvas: Canvas) -> int:
    """Return the rows of the list, below which are free rows, reasons, results on the same deals, and the footer."""
    foot = 9 if canvas.height >= _SPACED_HEIGHT else 4
    return canvas.height - LIST_ROW - (foot if canvas.width >= PANEL_COLUMNS else 4 + _NARROW_REASON_ROWS)


def paint_list(canvas: Canvas, model: ReviewModel, width: int) -> None:
    """Paint a heading and a line for each evaluated decision in the first ``width`` columns.

    The list is scrolled to show the cursor.
    """
    inks, lines = canvas.theme.inks, model.lines
    end = width - 4
    heading = truncate(
        "Your decisions" if model.is_current_player else f"Decisions of {model.player_name}", end - TEXT_COLUMN
    )
    after = canvas.write(TEXT_COLUMN, 2, heading, inks.text, bold=True) + _COST_WIDTH
    canvas.write_right(end, 2, next((text for text in _COST_HEADINGS if after + len(text) <= end), ""), inks.muted)
    if lines:
        canvas.write_right(TEXT_COLUMN + 2, LIST_ROW - 1, "rd", inks.muted)
        if good := sum(not line.judgement.cost for line in lines):
            canvas.write(TEXT_COLUMN + 5, LIST_ROW - 1, f"{good} of {len(lines)} cost nothing", inks.muted)
    if not model.session.decisions:
        canvas.write(TEXT_COLUMN, LIST_ROW, "No decisions to review.", inks.muted)
    elif not lines:
        canvas.write(TEXT_COLUMN, LIST_ROW, "The expert is checking the first one ...", inks.muted)
    room = count_list_rows(canvas)
    offset = centre_window(model.cursor_row, room, len(lines))
    columns = _Columns(
        end=end,
        kind=min(max([len(_format_kind(line)) for line in lines], default=0), _MAX_KIND_WIDTH),
        chosen=min(max([card_faces.measure_text(line.chosen) for line in lines], default=0), _MAX_CHOSEN_WIDTH),
        highest_cost=max([line.judgement.cost for line in lines], default=0.0),
    )
    for row, line in enumerate(lines[offset : offset + room], offset):
        y = LIST_ROW + row - offset
        _paint_line(canvas, y, line, columns, has_cursor=row == model.cursor_row)
        canvas.add_hit_box(0, y, width, 1, PointAt(row))
    if len(lines) > room:
        paint_scroll_bar(canvas, width - 1, offset, len(lines) + canvas.height - 1 - LIST_ROW - room, LIST_ROW)
    if canvas.width < PANEL_COLUMNS and model.current:
        top = canvas.height - 3 - _NARROW_REASON_ROWS
        _paint_reason_lines(canvas, Box(TEXT_COLUMN, top, end - TEXT_COLUMN, _NARROW_REASON_ROWS), model.current)
    _paint_same_deals(canvas, model, end)


class _Columns(NamedTuple):
    """Positions in a line of the list, and the highest cost, which has the longest bar."""

    end: int
    kind: int
    chosen: int
    highest_cost: float


def _format_kind(evaluation: ReviewText) -> str:
    return review.format_decision_kind(evaluation.game, evaluation.decision)


def _paint_line(canvas: Canvas, y: int, evaluation: ReviewText, columns: _Columns, *, has_cursor: bool) -> None:
    theme, cost, end = canvas.theme, evaluation.judgement.cost, columns.end
    inks = theme.inks
    if has_cursor:
        canvas.fill(TEXT_COLUMN - 1, y, end - TEXT_COLUMN + 2, 1, theme.grounds.row)
        canvas.write(TEXT_COLUMN - 1, y, "▌", inks.gold)
    canvas.write_right(TEXT_COLUMN + 2, y, str(evaluation.decision.round), inks.soft)
    x = TEXT_COLUMN + 5
    canvas.write(x, y, truncate(_format_kind(evaluation), columns.kind), inks.text)
    x += columns.kind + 2
    card_faces.paint_text(canvas, x, y, evaluation.chosen, inks.text, bold=has_cursor, max_width=columns.chosen)
    x += columns.chosen + 2
    better_width = len("better ") + columns.chosen + 2
    if end >= _BETTER_WIDTH or x + better_width + _MIN_BAR_WIDTH + _COST_WIDTH <= end:
        if evaluation.better:
            after = canvas.write(x, y, "better ", inks.soft if has_cursor else inks.quiet)
            card_faces.paint_text(canvas, after, y, evaluation.better, inks.text, max_width=columns.chosen)
        x += better_width
    width = min(end - _COST_WIDTH - x, _BAR_WIDTH)
    bar_ink = inks.loss if cost >= COSTLY else inks.soft if has_cursor else inks.muted
    if cost:
        halves = _count_halves(width, cost / columns.highest_cost)
        charts.paint_bar(canvas, x, y, width, halves, bar_ink, has_track=False)
    cost_ink = inks.text if cost else inks.soft if has_cursor else inks.quiet
    canvas.write_right(end, y, evaluation.cost or "·", cost_ink, bold=has_cursor)


def _count_halves(width: int, share: float) -> int:
    """Return the length of a bar over a fraction ``share`` (0 to 1) of the width, in half columns; at least 1 if the
    share is above 0.
    """
    return max(1, round(2 * width * share)) if width > 0 < share else 0


def _paint_same_deals(canvas: Canvas, model: ReviewModel, end: int) -> None:
    """Paint the results on the same deals, or the progress of the review until they are known."""
    inks, same = canvas.theme.inks, model.duplicate_result
    y = canvas.height - 3
    if not model.is_complete or same is None:
        progress = review.format_progress(model.session, model.review)
        canvas.write(TEXT_COLUMN, y, truncate(progress, end - TEXT_COLUMN), inks.quiet)
        return
    text = review.format_same_deals(same, model.player_name)
    if canvas.height < _SPACED_HEIGHT or canvas.width < PANEL_COLUMNS:
        canvas.write(TEXT_COLUMN, y, truncate(text, end - TEXT_COLUMN), inks.muted)
        return
    y = canvas.height - 8
    canvas.write(TEXT_COLUMN, y, "On the same deals", inks.text, bold=True)
    rows = [(capitalize_first(model.player_name), float(same.own), "as played"),
            ("Experts in this seat", same.experts, f"over {review.format_runs(same)}")]  # fmt: skip
    highest = max(abs(points) for _, points, _ in rows) or 1.0
    x = TEXT_COLUMN + 21
    for row, (name, points, remark) in enumerate(rows, y + 2):
        canvas.write(TEXT_COLUMN, row, truncate(name, 20), inks.muted)
        halves = _count_halves(_BAR_WIDTH, max(points, 0.0) / highest)
        charts.paint_bar(canvas, x, row, _BAR_WIDTH, halves, inks.soft)
        canvas.write_right(x + _BAR_WIDTH + 6, row, format_number(round(points)), inks.text, bold=True)
        start = x + _BAR_WIDTH + 8
        canvas.write(start, row, truncate(remark, end - start + 1), inks.quiet)
    luckless = f"{review.format_per_round(same)}{review.format_error(same)}"
    canvas.write(TEXT_COLUMN, y + 5, f"Without luck: {luckless}", inks.muted)


_INDENT: Final = 3
_MAX_NAME_WIDTH: Final = 14
"""Maximum width of a choice's name, in columns."""
_LABEL_WIDTH: Final = 6
"""Width of the labels "best" and "yours", in columns."""
_FIGURE_WIDTH: Final = 6


def paint_panel(canvas: Canvas, model: ReviewModel, x: int) -> None:
    """Paint the panel about the decision under the cursor, from column ``x`` to the right edge."""
    canvas.fill(x, 1, canvas.width - x, canvas.height - 2, canvas.theme.grounds.panel)
    evaluation = model.current
    if evaluation is None:
        return
    box = Box(x + _INDENT, 2, canvas.width - x - _INDENT - 2, canvas.height - 4)
    y = _paint_situation(canvas, box, model, evaluation)
    y = _paint_choices(canvas, Box(box.x, y, box.width, box.bottom - y), evaluation)
    y = _paint_reasons(canvas, Box(box.x, y, box.width, box.bottom - y), evaluation)
    if canvas.height >= _SPACED_HEIGHT:
        _paint_shares(canvas, Box(box.x, y, box.width, box.bottom - y), evaluation)
    has_close_choices = any(map(evaluation.is_close, range(len(evaluation.judgement.choices))))
    notes = (f", {ALIKE_MARK} {TOO_CLOSE_TEXT}", f", {ALIKE_MARK} too close") if has_close_choices else ("",)
    note = next((text for text in notes if len(evaluation.basis + text) <= box.width), notes[-1])
    canvas.write(box.x, canvas.height - 3, evaluation.basis + note, canvas.theme.inks.quiet)


def _paint_situation(canvas: Canvas, box: Box, model: ReviewModel, evaluation: ReviewText) -> int:
    """Paint the situation of a decision (round, trick, contract, open cards and hand); return the next free row."""
    inks, game, decision = canvas.theme.inks, evaluation.game, evaluation.decision
    view, aims = decision.view, review.format_bid_status(evaluation.game, decision)
    left = canvas.write_right(box.right, box.y, aims, inks.muted) if aims else box.right
    canvas.write(box.x, box.y, truncate(review.format_heading(game, decision), left - box.x), inks.text, bold=True)
    canvas.write(box.x, box.y + 1, join_fitting(review.list_facts(game, decision), ", ", box.width), inks.muted)
    open_cards = review.list_open_cards(game, decision, model.names)
    text = ", ".join(f"{name} {cards_text}" for name, cards_text in open_cards if cards_text)
    y = box.y + 3
    for line in wrap(text, box.width, card_faces.measure_text)[:2] if text else []:
        card_faces.paint_text(canvas, box.x, y, line, inks.soft, max_width=box.width)
        y += 1
    if text:
        y += 1
    playable = 0
    for action in view.legal:
        playable |= action.cards_used()
    used, order = decision.action.cards_used() & view.hand, game.card_order(view)
    plate = PlateContents((), view.hand, playable or view.hand, used, unseen=0, taken=0, card_order=order)
    paint_hand(canvas, Box(box.x, y, box.width, 1), plate)
    return y + (3 if canvas.height >= _SPACED_HEIGHT else 2)


def _paint_choices(canvas: Canvas, box: Box, evaluation: ReviewText) -> int:
    """Paint the value of each choice, the best first, as many as fit; return the next free row."""
    inks = canvas.theme.inks
    choices, own = evaluation.judgement.choices, str(evaluation.decision.action)
    reason_rows = len(_wrap_reasons(evaluation, box.width))
    shown_choices = _select_choices(choices, max(2, box.height - 3 - min(reason_rows, 8)), own)
    end = canvas.write(box.x, box.y, "Each choice", inks.text, bold=True)
    heading = evaluation.measure.column_heading
    fits = len(heading) < box.right - end
    canvas.write_right(box.right, box.y, heading if fits else heading.rpartition(", ")[2], inks.quiet)
    named = {str(action): action for action in evaluation.decision.view.legal}
    width = min(max(_measure_choice(evaluation, named[choice.action]) for choice in shown_choices), _MAX_NAME_WIDTH)
    low, high = min(choice.worth for choice in choices), max(choice.worth for choice in choices)
    is_spaced = canvas.height >= _SPACED_HEIGHT
    step = 2 if is_spaced and len(shown_choices) <= 6 else 1
    y = box.y + (2 if is_spaced else 1)
    for index, choice in enumerate(shown_choices):
        row = y + index * step
        best, yours = choice is choices[0], choice.action == own
        _paint_name(canvas, box.x, row, evaluation, named[choice.action], width)
        label = "yours" if yours else "best" if best else ""
        ink = inks.loss if yours and not best and evaluation.judgement.cost else inks.text
        canvas.write(box.x + width + 1, row, label, ink, bold=best)
        x = box.x + width + 1 + _LABEL_WIDTH
        share = 0.1 + 0.9 * (choice.worth - low) / (high - low) if high > low else 1.0
        bar = ink if yours and not best else inks.soft if best else inks.bar
        room = box.right - _FIGURE_WIDTH - x
        charts.paint_bar(canvas, x, row, room, _count_halves(room, share), bar)
        rank = choices.index(choice)
        lead = format_tenths(evaluation.measure.apply_sheet_sign(evaluation.compute_lead(rank)))
        start = canvas.write_right(box.right, row, lead, inks.text if best or yours else inks.muted, bold=best)
        if evaluation.is_close(rank):
            canvas.write(start - 2, row, ALIKE_MARK, inks.muted)
    return y + len(shown_choices) * step + 1


def _select_choices(choices: Sequence[Alternative], max_count: int, own_action: str) -> list[Alternative]:
    """Return the best ``max_count`` choices; the last one gives way to ``own_action`` if that is not among them."""
    selected = list(choices[:max_count])
    if own_action not in [choice.action for choice in selected]:
        selected[-1:] = [choice for choice in choices if choice.action == own_action]
    return selected


def _measure_choice(evaluation: ReviewText, action: Action) -> int:
    if isinstance(action, Play):
        return card_faces.CHIP.width
    return card_faces.measure_text(evaluation.format_choice(action))


def _paint_name(canvas: Canvas, x: int, y: int, evaluation: ReviewText, action: Action, width: int) -> None:
    if isinstance(action, Play):
        card_faces.paint_card(canvas, x, y, card_faces.CHIP, action.card)
    else:
        card_faces.paint_text(canvas, x, y, evaluation.format_choice(action), canvas.theme.inks.text, max_width=width)


def _wrap_reasons(evaluation: ReviewText, width: int) -> list[str]:
    return [line for text in evaluation.judgement.why for line in wrap(f"{text}.", width, card_faces.measure_text)]


def _paint_reasons(canvas: Canvas, box: Box, evaluation: ReviewText) -> int:
    """Paint the expert's reasons, as far as they fit; return the next free row."""
    inks = canvas.theme.inks
    if box.height < 2:
        return box.y
    canvas.write(box.x, box.y, "Why", inks.text, bold=True)
    return box.y + 3 + _paint_reason_lines(canvas, Box(box.x, box.y + 1, box.width, box.height - 1), evaluation)


def _paint_reason_lines(canvas: Canvas, box: Box, evaluation: ReviewText) -> int:
    """Paint the expert's reasons, with an ellipsis where they do not fit; return the number of rows used."""
    inks = canvas.theme.inks
    lines = _wrap_reasons(evaluation, box.width)
    if len(lines) > box.height:
        lines[box.height - 1 :] = [wrap(lines[box.height - 1], box.width - 1, card_faces.measure_text)[0] + ELLIPSIS]
    for row, line in enumerate(lines):
        card_faces.paint_text(canvas, box.x, box.y + row, line, inks.muted, max_width=box.width)
    return len(lines)


def _paint_shares(canvas: Canvas, box: Box, evaluation: ReviewText) -> None:
    """Paint how often each choice reaches the aim of the game, such as an exact bid.

    Nothing is painted in games without such an aim, or without room for two choices.
    """
    inks = canvas.theme.inks
    shares = [(i, choice) for i, choice in enumerate(evaluation.judgement.choices) if choice.share is not None]
    room = box.height - 3
    if not evaluation.judgement.aim or room < 2 or len(shares) < 2:
        return
    heading = f"How often {evaluation.judgement.aim}"
    canvas.write(box.x, box.y, truncate(heading, box.width), inks.text, bold=True)
    width = min(max(_measure_choice(evaluation, evaluation.find_action(i)) for i, _ in shares), _MAX_NAME_WIDTH)
    for row, (i, choice) in enumerate(shares[:room], box.y + 2):
        assert choice.share is not None
        _paint_name(canvas, box.x, row, evaluation, evaluation.find_action(i), width)
        x = box.x + width + 1 + _LABEL_WIDTH
        bar = box.right - _FIGURE_WIDTH - x
        charts.paint_bar(canvas, x, row, bar, _count_halves(bar, choice.share), inks.bar)
        canvas.write_right(box.right, row, f"{100 * choice.share:.0f}%", inks.text)


class ReviewPage(Page):
    """Page of a review, which starts the worker process and shows the evaluations as they arrive."""

    SCOPE = REVIEW

    def __init__(self, context: PageContext, path: Path, seat: Seat | None = None, selected: int | None = None) -> None:
        """Show the review of ``seat``, by default the current player's.

        The cursor is on the decision ``selected``, numbered as in ``PastDecision.decisions``, by default on the first.
        """
        super().__init__(context)
        self._path, self._seat, self._selected = path, seat, selected
        self._evaluator = SessionEvaluator()
        self.error: str | None = None
        """Reason why there is no review, or why it has stopped."""
        self.model: ReviewModel | None = None

    def on_mount(self) -> None:
        self._run_review()

    async def on_unmount(self) -> None:
        """Stop the worker process, after the evaluations have been saved."""
        await self.stop_workers()
        await self._evaluator.stop()

    @work(group="review", exclusive=True)
    async def _run_review(self) -> None:
        try:
            model = await asyncio.to_thread(load_review, self._path, self._seat, self.context.nick)
            model.by_round = self.model.by_round if self.model else False
            model.selected, self._selected = self._selected, None
            self.model = model
            self.repaint()
            with suppress(ChildProcessError):
                pieces = self._evaluator.complete_review(self._path, model.session.seat, model.review, model.save)
                async with aclosing(pieces):
                    async for _ in pieces:
                        self.repaint()
        except CardtableError as error:
            self.error = str(error)
        except OSError as error:
            self.error = f"The review failed: {error.strerror}"
        else:
            self.error = None if model.is_complete else "The review has stopped; open it again to continue."
        self.repaint()

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        """Paint the list of decisions and, unless the terminal is narrow, the decision under the cursor beside it."""
        model, width = self.model, canvas.width
        if model is None:
            return paint_loading(canvas, "Review", self.error)
        about = GAMES[model.header.game].about
        canvas.faces = about.faces
        left = width if width < PANEL_COLUMNS else 66 if width >= _WIDE_COLUMNS else 42
        if left < width:
            paint_panel(canvas, model, left)
        paint_list(canvas, model, left)
        age = format_elapsed(datetime.fromtimestamp(model.last_play, UTC), get_local_time())
        rank = format_ordinal(model.rank) if model.rank else "abandoned"
        facts = [age, f"{rank} with {format_number(model.total)}"]
        paint_page_header(canvas, "Review", about.title, self._format_header_right(model), facts)
        return {**self.SCOPE.footer, "by_round": "by cost" if model.by_round else "by round"}

    def _format_header_right(self, model: ReviewModel) -> str:
        same = model.duplicate_result
        if model.is_complete:
            return review.format_per_round(same) if same else self.error or ""
        return self.error or f"{100 * model.review.done_count // max(model.session.step_count, 1)}% done"

    @property
    def has_several_seats(self) -> bool:
        return self.model is not None and len(self.model.seats) > 1

    def action_move(self, by: int) -> None:
        if self.model:
            self.model.move_to_row(self.model.cursor_row + by)
            self.repaint()

    def action_end(self, end: int) -> None:
        """Move the cursor to the first (0) or the last (-1) decision."""
        if self.model:
            self.model.move_to_row(len(self.model.lines) - 1 if end else 0)
            self.repaint()

    def action_page(self, by: int) -> None:
        self.action_move(by * max(count_list_rows(self.canvas) - 1, 1))

    def action_by_round(self) -> None:
        """Sort the decisions by round, or back by cost."""
        if self.model:
            self.model.by_round = not self.model.by_round
            self.repaint()

    def action_whose(self, step: int) -> None:
        """Review the next (1) or previous (-1) player of the session."""
        if self.model:
            seats = self.model.seats
            self._seat = seats[(seats.index(self.model.session.seat) + step) % len(seats)]
            self._run_review()

    def action_replay(self) -> None:
        self._open_replay()

    @work(group="replay", exclusive=True)
    async def _open_replay(self) -> None:
        model = self.model
        if model is None or model.current is None:
            return
        number, decisions = model.current.decision.round, model.current.decision.decisions
        try:
            session = await asyncio.to_thread(SessionReplay, self._path)
        except CardtableError as error:  # the file may have been removed
            self.app.notify(error.full_message, markup=False, severity="error")
            return
        replay = await asyncio.to_thread(session.get_round, number)
        steps = [i for i, step in enumerate(replay.steps) if step.seat is not None and step.decisions == decisions]
        viewer, as_open = "", False
        self.show("replay", self._path, number, steps[0] if steps else None, viewer, as_open, model.session.seat)

    async def action_go_on(self) -> None:
        """Start a new session before the decision under the cursor, after a confirmation."""
        if self.model is None or self.model.current is None:
            return
        model, decision = self.model, self.model.current.decision
        when = f"before this decision of round {decision.round}"
        owner = "your own seat" if model.is_current_player else f"{model.player_name}'s seat"
        seat, lines = model.session.seat, decision.line - 1
        await fork_session(self.context, self._path, model.header, lines, when, seat, owner)

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked line; open the replay if it is already there."""
        if not isinstance(target, PointAt) or self.model is None:
            return
        if target.row == self.model.cursor_row:
            self.action_replay()
        else:
            self.model.move_to_row(target.row)
            self.repaint()

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_move(step)


_WIDE_COLUMNS = 110
"""Minimum width of a terminal, in columns, in which list and panel have their full width."""
