"""Checks of a game at the table, on the screen at every size and in plain text: choices, ends of rounds, and texts."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Final

from cardtable.engine.cards import NAME, Card, iter_cards
from cardtable.engine.game import (
    MAX_CHOICE_LENGTH,
    MAX_MARK_NAME,
    MAX_MARK_NUMBER,
    MAX_MARK_VALUE,
    MAX_MARKS,
    MAX_ZONE_LABEL,
    MAX_ZONE_SUMMARY,
    Action,
    AnyGame,
    Mark,
    Seat,
    View,
)
from cardtable.engine.journal import Line
from cardtable.engine.referee import Referee
from cardtable.games import ABOUT, GAMES
from cardtable.plain.action_menu import AmbiguousInput, choose_action
from cardtable.plain.position_text import make_action_menu
from cardtable.session.session_events import Stage
from cardtable.store import paths
from cardtable.testing.cases import (
    Case,
    LawFailure,
    describe_phase,
    explain_failures,
    iter_random_positions,
    play_random_action,
)
from cardtable.testing.session_checks import assert_not_endless
from cardtable.testing.worlds import is_identical
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.game_view import AnyGameView
from cardtable.ui.game_view.hand_cursor import PointOption
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.score_sheet import has_reverse_side, paint_contracts, paint_sheet
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting import card_faces, themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording.rules_page import find_unsupported_markup, mark_options, read_rules

SIZES: Final = ((60, 18), (80, 24), (120, 40))
"""Sizes of the terminal for which the table screen is painted."""
_FIRST_OF_PHASE: Final = 2
"""Number of positions of each phase that are all examined; later ones are sampled."""
_ACTIONS_PER_KIND: Final = 3
"""Maximum number of actions of each kind that are tried in a position."""


def check_input(case: Case, seed: int) -> None:
    """Play a session, and choose legal actions by keys at every size and in plain text, at some of its positions."""
    rng, phases = Random(f"composing {case} {seed}"), Counter[str]()
    for position in iter_random_positions(case, seed):
        state = position.state
        phase = describe_phase(state)
        phases[phase] += 1
        if state.turn >= 0 and (phases[phase] <= _FIRST_OF_PHASE or rng.random() < 0.02):
            view = state.view(state.turn)
            for action in _sample_actions(_list_choices(case, view), rng):
                _ActionChooser(case, view).choose(action)
                check_plain_text(case, view, action)


def _list_choices(case: Case, view: View) -> list[Action]:
    """Return the legal actions, or in place of one what the box offers together with the next one."""
    decision = choose_game_view(case.game).decision(view, _name_seats(case))
    offered = {action.steps[0]: action for action in decision.actions if action} if decision else {}
    return [offered.get(action, action) for action in view.legal]


def _name_seats(case: Case) -> list[str]:
    return [f"Seat{seat}" for seat in range(case.seats)]


def _sample_actions(choices: Sequence[Action], rng: Random) -> Iterator[Action]:
    kinds: dict[str, list[Action]] = {}
    for action in choices:
        kinds.setdefault(action.kind, []).append(action)
    for actions in kinds.values():
        yield from rng.sample(actions, min(len(actions), _ACTIONS_PER_KIND))


def check_plain_text(case: Case, view: View, action: Action) -> None:
    """Check that an action is chosen in plain text by its number and by its words.

    Raises ``LawFailure`` if it is not.
    """
    menu = make_action_menu(case.game, view, _name_seats(case))
    for typed in (menu.find_shortest_input(action), menu.format_action(action)):
        try:
            chosen, reason = choose_action(typed, case.game, view, menu), ""
        except AmbiguousInput as error:
            chosen, reason = None, str(error)
        if chosen != action:
            raise LawFailure(
                f"seat {view.seat} cannot choose {str(action)!r} in plain text: {typed!r} means "
                f"{str(chosen) if chosen else 'nothing'} {reason}".rstrip(),
                seat=view.seat,
                field="notation",
                advice="let `kind` and `notation` tell the actions of a position apart, with all cards that they use",
            )


@cache
def _load_appearance() -> Appearance:
    theme, _ = themes.load_theme("classic", paths.theme_files())
    return Appearance(theme)


def create_canvas(size: tuple[int, int]) -> Canvas:
    return Canvas(*size, _load_appearance())


def choose_game_view(game: AnyGame) -> AnyGameView:
    return get_game_view(game.about.key) if game.about.key in GAMES else DefaultView(game)


class _ActionChooser:
    """Cursor of a seat, which chooses an action by keys."""

    def __init__(self, case: Case, view: View) -> None:
        self._case, self._view = case, view
        self._names: Final = _name_seats(case)
        self._game_view: Final = choose_game_view(case.game)
        self._performed: list[Action] = []
        self._cursor: Final = Cursor(case.game, lambda: None, self._game_view)
        self._cursor.update_hand(view, self._game_view.order(view), view.legal)
        self._cursor.begin_decision(self._game_view.decision(view, self._names), self._names)

    def choose(self, action: Action) -> None:
        """Choose an action: its option of the box, or its cards one after the other.

        Raises ``LawFailure`` if no keys choose it, or if what the cursor is on is not on the screen.
        """
        decision = self._cursor.decision
        if decision and action in decision.actions:
            if not self._cursor.in_box:
                self._cursor.switch_area()
            self._choose_option(action)
        else:
            if self._cursor.in_box:
                self._cursor.switch_area()
            cards = iter_cards(action.cards_used())
            several = self._cursor.hand.selects_cards and (len(cards) > 1 or not self._cursor.hand.bar)
            for card in cards:
                self._go_to_card(action, card)
                if several:
                    self._cursor.toggle_card()
            self._choose_kind(action)
            self._perform(self._cursor.confirm())
            if not self._performed and self._cursor.in_box:
                self._choose_option(action)
        if self._performed != [action]:
            done = ", ".join(map(repr, map(str, self._performed))) or f"nothing ({self._cursor.reason})"
            self._fail(action, f"its cards and Enter choose {done}", "let `cards_used` tell the actions apart")

    def _choose_kind(self, action: Action) -> None:
        """Choose the kind of an action in the bar above the hand, if there is one."""
        cursor = self._cursor
        for step in [-1, 1] if cursor.hand.bar and not cursor.hand.chosen else []:
            for _ in cursor.hand.bar:
                if cursor.hand.active_kind != action.kind:
                    cursor.move_vertical(step)

    def _go_to_card(self, action: Action, card: Card) -> None:
        cursor = self._cursor
        if (card in cursor.hand.table) != cursor.hand.is_on_table:
            cursor.move_vertical(-1 if card in cursor.hand.table else 1)
        for _ in cursor.hand.distinct_cards:
            if cursor.hand.at != card:
                cursor.move(1)
        if cursor.hand.at != card:
            self._fail(action, f"no key reaches {NAME[card]}", "let `scene` show the cards of `cards_used` face up")
        for size in SIZES:
            if card not in self._paint(size).card_bounds:
                self._fail(
                    action,
                    f"{NAME[card]} is not on the screen of {size[0]}x{size[1]}",
                    "show fewer zones, or the zones with cards to choose first",
                )

    def _choose_option(self, action: Action) -> None:
        """Move to the option of an action by the arrow keys, and press Enter until it is confirmed."""
        cursor, decision = self._cursor, self._cursor.decision
        assert decision is not None
        for is_vertical, step in _find_path(decision, cursor.option, decision.actions.index(action)):
            (cursor.move_vertical if is_vertical else cursor.move)(step)
        if not cursor.in_box or cursor.decision is None or cursor.decision.actions[cursor.option] != action:
            self._fail(action, "no arrow keys reach its option", "offer fewer actions without cards")
        if (length := card_faces.measure_text(decision.options[cursor.option].label)) > MAX_CHOICE_LENGTH:
            advice = f"write at most {MAX_CHOICE_LENGTH} in `label`, `description` or `argument_text`"
            self._fail(action, f"its text has {length} characters, and is cut", advice)
        for size in SIZES if not decision.on_mat else ():
            if PointOption(cursor.option) not in {spot.target for spot in self._paint(size).hit_boxes}:
                self._fail(
                    action, f"its option is not on the screen of {size[0]}x{size[1]}", "offer fewer or shorter options"
                )
        self._perform(cursor.confirm())
        if cursor.needs_confirmation:
            self._perform(cursor.confirm())

    def _perform(self, action: Action | None) -> None:
        if action is not None:
            self._performed.append(action)

    def _paint(self, size: tuple[int, int]) -> Canvas:
        cursor, canvas = self._cursor, create_canvas(size)
        paint_table(
            canvas,
            TableFrame(
                view=self._view,
                game=self._case.game,
                game_view=self._game_view,
                names=self._names,
                hand=cursor.hand,
                decision=cursor.decision,
                option=cursor.option,
                in_box=cursor.in_box,
                waiting=True,
            ),
        )
        return canvas

    def _fail(self, action: Action, reason: str, advice: str) -> None:
        raise LawFailure(
            f"seat {self._view.seat} cannot choose {str(action)!r} by keys: {reason}",
            seat=self._view.seat,
            field="cards_used",
            advice=advice,
        )


def _find_path(decision: Decision, start: int, end: int) -> list[tuple[bool, int]]:
    """Return the arrow keys from one option of a box to another, each as whether it is vertical, and its step.

    Empty if there is no way.
    """
    paths: dict[int, list[tuple[bool, int]]] = {start: []}
    queue = deque([start])
    while queue and end not in paths:
        option = queue.popleft()
        for is_vertical, step in product((False, True), (1, -1)):
            target = decision.move_vertical(option, step) if is_vertical else decision.move_horizontal(option, step)
            if target is not None and target not in paths:
                paths[target] = [*paths[option], (is_vertical, step)]
                queue.append(target)
    return paths.get(end, [])


def check_rules_page(game: AnyGame) -> None:
    """Check that the page of rules shows no raw markup and names each option with its values; raises ``LawFailure``."""
    if game.about.key not in ABOUT:
        return  # the game is not installed
    page, options = read_rules(game.about.key), game.options()
    if line := find_unsupported_markup(page):
        raise LawFailure(
            f"players would read markup in the page of rules: {line!r}",
            field="rules.md",
            advice="write headings, paragraphs, lists, `**bold**`, code in backticks, and tables as columns in lines "
            "that begin with four spaces; the ten of diamonds is `10♦`",
        )
    if mark_options(page, options).count("\n+ ") != len(options.to_dict()):
        raise LawFailure(
            "the section on options in the page of rules lacks an option or a value, or has one twice",
            field="rules.md",
            advice="list them as in the rules of cardtable's own games, or leave the section out: it is then written "
            "for you",
        )


_FIRST_ROUNDS: Final = 2
"""Number of rounds whose end is painted; after the last one, the end of the session is."""


def check_round_ends(case: Case, seed: int) -> None:
    """Play a session, and paint what each seat sees after its first rounds and at its end."""
    lines: list[Line] = []
    rng, referee, painted = Random(f"round ends {case} {seed}"), case.create_referee(seed, lines.append), 0
    while not referee.ended:
        play_random_action(referee, rng)
        assert_not_endless(lines)
        if painted < len(referee.scores) <= _FIRST_ROUNDS or referee.ended:
            painted = len(referee.scores)
            for seat in range(case.seats):
                _paint_everything(_create_frame(case, referee, seat))


def _create_frame(case: Case, referee: Referee, seat: Seat) -> TableFrame:
    return TableFrame(
        view=referee.view(seat),
        game=case.game,
        game_view=choose_game_view(case.game),
        names=[f"Seat{number}" for number in range(case.seats)],
        stage=Stage.SESSION_END if referee.ended else Stage.ROUND_END,
        scores=tuple(referee.scores),
        ranks=referee.ranks if referee.ended else None,
        results=referee.totals if referee.ended else None,
    )


def _paint_everything(frame: TableFrame) -> None:
    """Paint the table and the score sheet, with its reverse side, at every size."""
    for size in SIZES:
        paint_table(create_canvas(size), frame)
        paint_sheet(create_canvas(size), frame, 0)
        if has_reverse_side(canvas := create_canvas(size), frame):
            paint_contracts(canvas, frame)


_SHARE: Final = 0.2
"""Part of the positions of a session that are tested."""


def check_table_texts(case: Case, seed: int) -> None:
    """Play a session, and assert that marks and texts of zones are valid and reveal no hidden card.

    They must be the same in a state that the seat cannot distinguish from the true one, and for its spectators.
    """
    rng = Random(f"marks {case} {seed}")
    for position in iter_random_positions(case, seed):
        if not position.state.playing or rng.random() > _SHARE:
            continue
        for seat in range(case.seats):
            view = position.state.view(seat)
            other = case.game.imagine(view, rng).view(seat)
            for worlds in ((view, other), (view.public_view(), other.public_view())):
                with explain_failures(f"seat {seat}"):
                    texts = [list_table_texts(case.game, world) for world in worlds]
                if not is_identical(*texts):
                    name = "scene" if texts[0][0] == texts[1][0] else "marks"
                    raise LawFailure(
                        f"a mark or a zone's text differs: seat {seat} can tell two worlds apart by `{name}`",
                        seat=seat, field=name, worlds=[repr(text[name == "scene"]) for text in texts],
                        advice="make it from the view alone",
                    )  # fmt: skip


def list_table_texts(game: AnyGame, view: View) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Return the marks of a view, and the labels and summaries of its zones; assert that they are valid."""
    marks, zones = game.marks(view), game.scene(view)
    assert isinstance(marks, tuple), "marks gives no tuple"
    for mark in marks:
        _assert_mark_valid(mark, len(view.totals))
    for seat in (None, *range(len(view.totals))):
        number = sum(mark.seat == seat for mark in marks)
        assert number <= MAX_MARKS, f"{number} marks are at one place, and {MAX_MARKS} are shown"
    for zone in zones:
        _assert_text_valid("label", zone.label, MAX_ZONE_LABEL)
        _assert_text_valid("summary", zone.summary, MAX_ZONE_SUMMARY)
    return marks, tuple([(zone.name, zone.seat, zone.label, zone.summary) for zone in zones])


def _assert_mark_valid(mark: Mark, seats: int) -> None:
    assert isinstance(mark, Mark), f"marks gives something that is no mark: {mark!r}"
    assert mark.name, "a mark has no name"
    _assert_text_valid("name", mark.name, MAX_MARK_NAME)
    assert mark.seat is None or 0 <= mark.seat < seats, f"the mark {mark.name!r} is at no seat"
    if isinstance(mark.value, str):
        _assert_text_valid("value", mark.value, MAX_MARK_VALUE)
        assert mark.of is None, f"the track {mark.name!r} has no number"
        return
    assert abs(mark.value) <= MAX_MARK_NUMBER, f"the value of {mark.name!r} is too large"
    assert mark.of is None or 0 < mark.of <= MAX_MARK_NUMBER, f"the track {mark.name!r} has no valid end"


def _assert_text_valid(kind: str, text: str, max_length: int) -> None:
    assert isinstance(text, str), f"a {kind} is no text: {text!r}"
    assert text.isprintable(), f"the {kind} {text!r} has characters that cannot be shown"
    assert text == text.strip(), f"the {kind} {text!r} begins or ends with a blank"
    assert len(text) <= max_length, f"the {kind} {text!r} is longer than {max_length} characters"
