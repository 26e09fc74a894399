"""Reasons why something cannot be chosen, and texts of plates, complete on the screen at every size."""

import ast
import inspect
import re
from functools import reduce
from itertools import chain, combinations, count, islice, product
from operator import or_
from textwrap import dedent

import pytest

from cardtable.engine.cards import BIT, CARDS, iter_cards
from cardtable.engine.presentation import explain_refusal
from cardtable.games import GAMES
from cardtable.testing.cases import iter_random_positions
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout, get_layout
from cardtable.wording.formatting import insert_suit_signs
from tests import golden_files
from tests.laws.sessions import CASES_BY_GAME
from tests.ui.canvas_rendering import APPEARANCE, get_rows, make_view_frame

SIZES = ((60, 18), (80, 24), (120, 40))
NAMES = ("Annabell", "Bartholo", "Clementi", "Desdemon", "Emmanuel", "Ferdinan")
"""Nicks of maximum length."""
MAX_VIEWS = 14_000
"""Number of views of a game that are tested."""
PARTS, A_PART = 10, 200
"""How many parts of a session are played, and how many events each has."""
RULE_WORDS = re.compile(
    r"must|may|can't|couldn't|first|Play|play|lead|Cover|declared|played|had|pick another|identical"
)
"""Words that state a rule: obligations, permissions and past actions."""
MAX_SELECTED = 6
"""Number of cards of a hand from which two and three are selected together, in games without tricks."""


@pytest.mark.parametrize("key", GAMES)
def test_every_reason_fits_on_the_screen(key):
    """Every sentence in the game's code occurs in play, and is painted where the rest of the row is longest.

    What a player holds, or an option shows, and may not choose now has a reason that names a rule.
    """
    met, rules = {}, set()
    for view in islice(iter_views(key), MAX_VIEWS):
        if view.turn == view.seat:
            rules |= {*list_notes(key, view), *explain_own_cards(key, view)}
        wide = measure_prompt_row(key, view)
        met |= {text: (wide, view) for text in list_refusals(key, view) if wide > met.get(text, (-1, view))[0]}
    sentences = {*list_return_patterns(GAMES[key].explain_illegal)}
    assert [sentence for sentence in sentences if not matches_any(sentence, met)] == []
    listed = sorted(sentence.replace("\\", "").replace(".+", "…") for sentence in sentences)
    golden_files.check_golden(f"reasons/{key}.txt", "\n".join(listed) + "\n")
    assert rules
    assert [
        text for text in rules if len(text.split()) < 3 or text != text.strip() or not RULE_WORDS.search(text)
    ] == []
    for text, (_, view) in met.items():
        for size in SIZES:
            assert_complete(text, paint_prompt(key, view, text, size))


@pytest.mark.parametrize("key", GAMES)
def test_texts_of_plates_fit_beside_the_table(key):
    """The plates of the seats to the left and right are the narrowest."""
    room = compute_layout(60, 18).side_width - 2
    for view in islice(iter_views(key), MAX_VIEWS // 10):
        plates = [get_game_view(key).plate(view, seat) for seat in range(len(view.totals))]
        texts = {text for plate in plates for text in (plate.fact, plate.role)}
        assert [text for text in texts if card_faces.measure_text(text) > room] == []


def matches_any(sentence, texts):
    """Return True if a pattern matches one of the texts."""
    return any(re.fullmatch(sentence, text) for text in texts)


def list_return_patterns(function):
    """Return patterns of the texts that a function may return: both alternatives of a condition, ".+" for values from
    elsewhere.
    """
    tree = ast.parse(dedent(inspect.getsource(function)))
    values = {ast.unparse(node.targets[0]): node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    scope = {**vars(inspect.getmodule(function)), "super": lambda: super(type(function.__self__), function.__self__)}

    def to_patterns(value):
        match value:
            case ast.Constant():
                return [re.escape(value.value)]
            case ast.IfExp():
                return [*to_patterns(value.body), *to_patterns(value.orelse)]
            case ast.JoinedStr():
                return ["".join(parts) for parts in product(*map(to_patterns, value.values))]
            case ast.FormattedValue(value=ast.IfExp() | ast.Name()):
                return to_patterns(value.value)
            case ast.Name() if value.id in values:
                return to_patterns(values[value.id])
        return [".+"]

    def to_return_patterns(value):
        if isinstance(value, ast.IfExp):
            return [*to_return_patterns(value.body), *to_return_patterns(value.orelse)]
        if isinstance(value, ast.Call):
            return list_return_patterns(eval(ast.unparse(value.func), scope))
        return to_patterns(value)

    return [text for node in ast.walk(tree) if isinstance(node, ast.Return) for text in to_return_patterns(node.value)]


def iter_views(key):
    """Yield the views of the seat on turn and of the next seat in random sessions, alternating between cases."""
    for seed in count():
        playing = [iter_random_positions(case, seed) for case in CASES_BY_GAME[key]]
        for _ in range(PARTS):
            for position in chain.from_iterable(islice(session, A_PART) for session in playing):
                state = position.state
                if state.turn >= 0:
                    yield (acts := state.view(state.turn))
                    yield state.view((state.turn + 1) % len(acts.totals))


def list_refusals(key, view):
    """Return the reasons for everything that can be selected or typed and is not legal."""
    game = GAMES[key]
    able = {action.cards_used() for action in view.legal}
    tried = [] if game.has_tricks and 0 in able else [0]
    tried += [BIT[card] for card in CARDS if BIT[card] not in able]
    if not game.has_tricks:
        hand = [BIT[card] for card in iter_cards(view.hand)][:MAX_SELECTED]
        several = [sum(cards) for number in (2, 3) for cards in combinations(hand, number)]
        tried += [cards for cards in several if cards not in able]
    closed = list_notes(key, view) if view.turn == view.seat else []
    return {*closed, *[explain_refusal(game, view, cards) for cards in tried]}


def list_notes(key, view):
    """Return the notes of the options that are closed to the seat on turn."""
    box = get_game_view(key).decision(view, NAMES[: len(view.totals)])
    return [option.note for option in box.options if option.action is None] if box else []


def explain_own_cards(key, view):
    """Return the reasons for the cards in the hand that no legal action uses."""
    able = reduce(or_, [action.cards_used() for action in view.legal], 0)
    return [GAMES[key].explain_illegal(view, BIT[card]) for card in iter_cards(view.hand & ~able)]


def measure_prompt_row(key, view):
    """Return the width of the other texts in the row of the prompt."""
    plate = get_game_view(key).plate(view, view.seat)
    return card_faces.measure_text(plate.fact) + 4 * len(plate.cards)


def paint_prompt(key, view, reason, size):
    """Return the rows of the prompt on a table that shows a reason."""
    about, acts, names = get_game_view(key), view.turn == view.seat, NAMES[: len(view.totals)]
    decision = about.decision(view, names) if acts else None
    seen = make_view_frame(GAMES[key], view, waiting=acts, reason=reason, decision=decision)
    canvas = Canvas(*size, APPEARANCE)
    paint_table(canvas, seen)
    at = get_layout(canvas).prompt_row
    first = at + 2 if decision and decision.is_row else at  # bids stand beside the plate, and the prompt below
    return get_rows(canvas)[first : first + 2]


def assert_complete(text, rows):
    """Assert that the words are in these rows, as many as fit in the first, and unbroken."""
    words = insert_suit_signs(text).split()
    parted = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(len(words) + 1)]
    assert any(first in rows[0] and second in rows[1] for first, second in parted), (text, rows)
