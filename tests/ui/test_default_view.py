"""Table and plain text of a game without a view of its own, at every size, with two to eight seats."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import NAME, card
from cardtable.engine.game import MAX_SEATS, Zone, competition_ranks
from cardtable.engine.referee import Referee
from cardtable.games import GAMES, KEYS
from cardtable.plain import position_text
from cardtable.session.session_events import Stage
from cardtable.testing.cases import Case, iter_random_positions
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.motion import format_plate_key
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.toolkit.painting.canvas import CardBounds
from cardtable.ui.toolkit.painting.layout import choose_trick_card_size, compute_layout, compute_trick_positions
from tests.every_game import TRICK_GAMES
from tests.laws.sessions import CASES_BY_GAME
from tests.overriding import override
from tests.toy import eights, layaway, scopetta
from tests.toy.game_plugins import plug_in
from tests.ui.canvas_rendering import (
    NAMES,
    get_rows,
    make_view_frame,
    render_default_view,
    render_table,
)
from tests.ui.driver import SIZES, at_screen, sit_at
from tests.ui.table_host import create_session
from tests.ui.test_new_table import Host


def iter_views(key):
    """Yield some views of seats on turn."""
    rng = Random(key)
    for position in iter_random_positions(CASES_BY_GAME[key][0], 1):
        if position.state.turn >= 0 and rng.random() < 0.03:
            yield position.state.view(position.state.turn)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", KEYS)
def test_every_position_is_playable(key, size):
    game, shape = GAMES[key], DefaultView(GAMES[key])
    for view in iter_views(key):
        frame = make_view_frame(game, view, game_view=shape, decision=shape.decision(view, NAMES[: len(view.totals)]))
        assert game.about.title in get_rows(render_table(frame, size))[0]
        actions = [option.action for option in frame.decision.options] if frame.decision else []
        assert {*actions, *[action for action in view.legal if action.cards_used()]} == set(view.legal)


@pytest.mark.parametrize("key", TRICK_GAMES)
def test_trick_facts_match_own_view(key):
    own, usual = get_game_view(key), DefaultView(GAMES[key])
    for view in iter_views(key):
        for seat in range(len(view.totals)):
            assert usual.plate(view, seat).cards == own.plate(view, seat).cards
        number = [fact for fact in own.header(view).after if view.trick and fact.startswith("trick ")]
        assert [*usual.header(view).after][-len(number) :] == number or not number


@pytest.mark.parametrize("key", KEYS)
def test_plain_text_describes_open_cards(key, monkeypatch):
    monkeypatch.setattr(position_text, "import_submodule", lambda *_: None)
    game = GAMES[key]
    for view in iter_views(key):
        text = " ".join(position_text.describe_position(game, view, NAMES[: len(view.totals)]))
        for zone in game.scene(view):
            if zone.seat is None and zone.name not in ("trick", "hand"):
                for card in [card for card in zone.cards[-1:] if card is not None]:
                    assert position_text.format_card(card) in text, (zone.name, NAME[card])


@pytest.mark.parametrize("size", SIZES)
def test_contract_is_shown_at_every_size(size):
    views = [view for view in iter_views("king") if GAMES["king"].contract(view)]
    for view in views:
        words = GAMES["king"].contract(view).words
        assert any(words in row for row in get_rows(render_default_view(GAMES["king"], view, size))), words


@pytest.fixture
def partners(monkeypatch):
    """Return a session of partners in a game without tricks, bids and figures, after its first deal."""
    plug_in(monkeypatch, scopetta)
    referee = Referee(scopetta.GAME, 4, scopetta.Options(), 5)
    referee.advance()
    return referee


@pytest.mark.parametrize("size", SIZES)
def test_partners_without_tricks_have_their_totals(size, partners):
    view, shape = replace(partners.view(0), totals=(5, 7, 5, 7)), DefaultView(scopetta.GAME)
    (section,) = shape.sections(view, NAMES[:4])
    assert [" ".join([row.label, *row.values]) for row in section.rows] == [" total", "You & Bo 5", "Ada & Cy 7"]
    canvas = render_default_view(scopetta.GAME, view, size)
    assert "You & Bo 5  Ada & Cy 7" in get_rows(canvas)[0]
    assert "partner" in str(canvas)


CRIB = Zone("crib", None, (card("8D"), card("AD"), None, None), label="Crib")


@pytest.mark.parametrize(
    ("zone", "heading", "count_text"),
    [
        (CRIB, "Crib 4", "Crib: eight and ace of diamonds and 2 face down."),
        (replace(CRIB, seat=1), "Crib, Ada 4", "Crib, Ada: eight and ace of diamonds and 2 face down."),
        (replace(CRIB, cards=(None,) * 4), "Crib 4", "Crib: 4 face down."),
        (replace(CRIB, cards=CRIB.cards[:2]), "Crib", "Crib: eight and ace of diamonds."),
        (replace(CRIB, name="taken", seat=1), "", "Crib by Ada: eight and ace of diamonds and 2 face down."),
        (replace(CRIB, name="stock"), "Crib 4", "The Crib: eight and ace of diamonds and 2 face down."),
        (replace(CRIB, name="pile", cards=CRIB.cards[1:]), "Crib 3",
         "The Crib, its top first: ace of diamonds and 2 face down."),
        (replace(CRIB, cards=()), "", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", SIZES)
def test_zone_counts_open_and_hidden_cards(size, zone, heading, count_text, partners):
    game = override(scopetta.GAME, scene=lambda view: (*scopetta.GAME.scene(view)[:4], zone))
    view = partners.view(0)
    headings = re.findall(r"Crib(?:, Ada)?(?: \d)?", str(render_default_view(game, view, size)))
    assert heading in headings or not heading
    texts = position_text.describe_position(game, view, NAMES[:4])
    assert [text for text in texts if "Crib" in text] == ([count_text] if count_text else [])


SEATS = range(2, MAX_SEATS + 1)
EIGHT_NAMES = ("You", "Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Guy")
MODULES = [eights, layaway]


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, *MODULES)


def iter_frames(game, seats):
    """Yield frames of a session: some positions of the play, and the end of each round and of the session."""
    shape, names, scores, rng = DefaultView(game), EIGHT_NAMES[:seats], [], Random(seats)
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


@pytest.mark.parametrize("seats", SEATS)
async def test_new_table_has_every_seat(seats):
    app = Host("eights")
    while len(app.table.names) != seats:
        app.table.step(app.table.seats_field, 1)
    assert len({*app.table.positions}) == len({*app.table.names}) == len(app.table.players)
    async with at_screen(app) as form:
        async for _ in form.in_sizes():
            await form.sees(*[name[:3] for name in app.table.names])


@pytest.mark.parametrize("seats", [5, 8])
async def test_session_is_played_to_its_end(seats):
    session = create_session("eights", 7, seats=seats, length=1)
    async with sit_at(session, until=lambda frame: frame.stage is Stage.SESSION_END) as table:
        for key, words in (("s", "Score sheet"), ("d", "Last deal")):
            await table.press(key)
            async for _ in table.in_sizes():
                await table.sees(words)
            await table.press("escape")
