"""Tables of two to eight seats: every seat has its place on the screen, at every size."""

from random import Random

import pytest

from cardtable.engine.game import MAX_SEATS, competition_ranks
from cardtable.session.session_events import Stage
from cardtable.testing.cases import Case, iter_random_positions
from cardtable.ui.game_view.card_animation import format_plate_key
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.new_table.model import NewTableForm
from cardtable.ui.toolkit.painting.canvas import CardBounds
from cardtable.ui.toolkit.painting.layout import choose_trick_card_size, compute_layout, compute_trick_positions
from tests.toy import eights, layaway
from tests.toy.game_plugins import plug_in
from tests.ui.canvas_rendering import get_rows, make_view_frame, render_table
from tests.ui.driver import SIZES, TINY, at_screen, sit_at
from tests.ui.table_host import create_session
from tests.ui.test_new_table_screen import TODAY, Host

SEATS = range(2, MAX_SEATS + 1)
NAMES = ("You", "Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Guy")
MODULES = [eights, layaway]


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, *MODULES)


def iter_frames(game, seats):
    """Yield frames of a session: some positions of the play, and the end of each round and of the session."""
    shape, names, scores, rng = DefaultView(game), NAMES[:seats], [], Random(seats)
    for position in iter_random_positions(Case(game, seats, game.options()), 1):
        state = position.state
        view = state.view(0)
        if state.finished > len(scores):
            scores.append(state.score)
            stage = Stage.ROUND_END if state.turn != -2 else Stage.SESSION_END
            ranks = competition_ranks(state.totals) if stage is Stage.SESSION_END else None
            yield make_view_frame(game, view, names, game_view=shape, stage=stage, scores=tuple(scores), ranks=ranks)
        elif state.playing and rng.random() < 0.2:
            yield make_view_frame(game, view, names, game_view=shape, decision=shape.decision(view, names))


def overlap(one, other):
    """Return True if two rectangles have a cell in common."""
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("module", MODULES)
def test_every_player_is_on_the_screen(module, seats, size):
    for frame in iter_frames(module.GAME, seats):
        canvas = render_table(frame, size)
        text = "\n".join(get_rows(canvas)[1:])
        if frame.stage is not Stage.SESSION_END:
            assert [name for name in frame.names if name not in text] == []
        if frame.stage is Stage.PLAY:
            plates = [canvas.card_bounds[format_plate_key(seat)] for seat in range(seats)]
            pairs = [(one, other) for one in plates for other in plates if one is not other]
            assert not any(overlap(one, other) for one, other in pairs)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("seats", SEATS)
def test_cards_of_a_trick_lie_before_their_seats(seats, size):
    layout = compute_layout(*size)
    places, card = compute_trick_positions(layout, seats), choose_trick_card_size(layout, seats)
    assert len({*places}) == seats
    boxes = [CardBounds(x, y, card.width, card.height) for x, y in places]
    for number, one in enumerate(boxes):
        assert layout.mat.x <= one.x
        assert one.x + one.width - 1 <= layout.mat.right
        assert layout.mat.y <= one.y
        assert one.y + one.height - 1 <= layout.mat.bottom
        assert not any(overlap(one, other) for other in boxes[:number])


def test_pile_is_shown_before_the_cards_at_seats():
    for frame in iter_frames(layaway.GAME, 8):
        if frame.stage is Stage.PLAY:
            assert frame.view.pile[-1] in render_table(frame, TINY).card_bounds


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("seats", SEATS)
async def test_new_table_has_every_seat(seats, size):
    app = Host("eights")
    while len(app.table.names) != seats:
        app.table.step(app.table.seats_field, 1)
    async with at_screen(app, size) as form:
        await form.sees(*[name[:3] for name in app.table.names])


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("seats", [5, 7, 8])
async def test_session_is_played_to_its_end(seats, size):
    session = create_session("eights", 7, seats=seats, length=1)
    async with sit_at(session, size, until=lambda frame: frame.stage is Stage.SESSION_END) as table:
        for key, words in (("s", "Score sheet"), ("d", "Last deal")):
            await table.press(key)
            await table.sees(words)
            await table.press("escape")


def test_positions_at_new_table_are_named_apart():
    table = NewTableForm("eights", today=TODAY)
    for _ in SEATS:
        table.step(table.seats_field, 1)
        assert len({*table.positions}) == len({*table.names}) == len(table.players)
