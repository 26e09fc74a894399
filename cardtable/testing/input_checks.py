"""Checks that every legal action can be chosen by keys, on the table screen at every size, and in plain text."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Final

from cardtable.engine.cards import NAME, Card, iter_cards
from cardtable.engine.game import Action, AnyGame, View
from cardtable.games import GAMES
from cardtable.plain.action_menu import AmbiguousInput, choose_action
from cardtable.plain.position_text import make_action_menu
from cardtable.store import paths
from cardtable.testing.cases import Case, describe_phase, iter_random_positions
from cardtable.testing.failures import LawFailure
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.game_view import AnyGameView
from cardtable.ui.game_view.hand_cursor import PointOption
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance

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
    menu = make_action_menu(case.game, view)
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
    """Return an empty canvas of a size."""
    return Canvas(*size, _load_appearance())


def choose_game_view(game: AnyGame) -> AnyGameView:
    """Return the presentation of a game; the default one if the game is not installed."""
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
        self._cursor.begin_decision(self._game_view.decision(view, self._names))

    def choose(self, action: Action) -> None:
        """Choose an action: its option of the box, or its cards one after the other.

        Raises ``LawFailure`` if no keys choose it, or if what the cursor is on is not on the screen.
        """
        decision = self._cursor.decision
        shortcuts = [self._game_view.shortcut(self._view, self._cursor.hand.cards, step) for step in (-1, 1)]
        if decision and action in decision.actions:
            if not self._cursor.in_box:
                self._cursor.switch_area()
            self._choose_option(action)
        elif action in shortcuts and not action.cards_used():
            self._perform(self._cursor.move_vertical(1 if shortcuts[1] == action else -1))
        else:
            if self._cursor.in_box:
                self._cursor.switch_area()
            several = self._cursor.hand.selects_cards
            for card in iter_cards(action.cards_used()):
                self._go_to_card(action, card)
                if several:
                    self._perform(self._cursor.toggle_card())
            self._perform(self._cursor.confirm())
            if not self._performed and self._cursor.in_box:
                self._choose_option(action)
        if self._performed != [action]:
            done = ", ".join(map(repr, map(str, self._performed))) or f"nothing ({self._cursor.reason})"
            self._fail(action, f"its cards and Enter choose {done}", "let `cards_used` tell the actions apart")

    def _go_to_card(self, action: Action, card: Card) -> None:
        cursor = self._cursor
        if (card in cursor.hand.table) != cursor.hand.is_on_table:
            self._perform(cursor.move_vertical(-1 if card in cursor.hand.table else 1))
        for _ in cursor.hand.distinct_cards:
            if cursor.hand.at != card:
                self._perform(cursor.move(1))
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
        draws = self._game_view.draws  # Up and Down then leave a box with one option, or with one at a time
        for is_vertical, step in _find_path(decision, cursor.option, decision.actions.index(action), draws=draws):
            self._perform((cursor.move_vertical if is_vertical else cursor.move)(step))
        if not cursor.in_box or cursor.decision is None or cursor.decision.actions[cursor.option] != action:
            self._fail(action, "no arrow keys reach its option", "offer fewer actions without cards")
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
            TableViewState(
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


def _find_path(decision: Decision, start: int, end: int, *, draws: bool) -> list[tuple[bool, int]]:
    """Return the arrow keys from one option of a box to another, each as whether it is vertical, and its step.

    Empty if there is no way.
    """
    paths: dict[int, list[tuple[bool, int]]] = {start: []}
    queue = deque([start])
    while queue and end not in paths:
        at = queue.popleft()
        for is_vertical, step in product((False, True), (1, -1)):
            if is_vertical and draws and decision.is_single(at):
                continue
            to = decision.move_vertical(at, step) if is_vertical else decision.move_horizontal(at, step)
            if to is not None and to not in paths:
                paths[to] = [*paths[at], (is_vertical, step)]
                queue.append(to)
    return paths.get(end, [])
