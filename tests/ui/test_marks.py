"""Marks on the table screen and in a replay: count, track and passes at every size, and piles with their summaries."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import NAME, card, cards, iter_cards
from cardtable.engine.chance import Deal
from cardtable.engine.game import Mark, Zone
from cardtable.engine.tricks import Play
from cardtable.plain.position_text import describe_position
from cardtable.plain.speech_text import describe_trick_turn
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import ScoreScale, format_action
from cardtable.testing.cases import Case, iter_random_positions
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.hand_cursor import NO_CURSOR
from cardtable.ui.round_view.board import format_piles, paint_board
from cardtable.ui.round_view.playhead import Playhead, StopSnapshot
from cardtable.ui.table.paint.advice import paint_hint
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.wording.formatting import insert_suit_signs
from tests.overriding import override
from tests.session.test_round_replay import RecordedSession
from tests.toy import eights, loner, pegging
from tests.toy.game_plugins import plug_in, plug_in_from
from tests.ui.canvas_rendering import (
    APPEARANCE,
    get_rows,
    make_view_frame,
    render_default_view,
    render_table,
)

SIZES = [(60, 18), (80, 24), (120, 40)]
NAMES = ("You", "Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus")


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, pegging, loner)


def iter_views(seats, share=0.3):
    rng = Random(seats)
    for position in iter_random_positions(Case(pegging.GAME, seats, pegging.Options()), 1):
        if position.state.playing and rng.random() < share:
            yield position.state.view(0)


def paint(view, size, game=pegging.GAME, **fields):
    return render_default_view(game, view, size, NAMES, **fields)


@pytest.mark.parametrize("seats", pegging.SEATS)
@pytest.mark.parametrize("size", SIZES)
def test_count_tracks_and_passes_are_on_the_screen(size, seats):
    for view in iter_views(seats):
        text = str(paint(view, size))
        assert re.search(rf"count ▅{{4,16}} {view.count} of 31\b", text)
        for seat in range(seats):
            assert f"{view.totals[seat]}/11" in text
        assert text.count("passed") == sum(view.passed)


@pytest.mark.parametrize("size", SIZES)
def test_every_pile_is_shown_with_its_label(size):
    for view in iter_views(3):
        text = str(paint(view, size))
        for name in NAMES[:3]:
            assert f"Played, {name}" in text


@pytest.mark.parametrize("size", [(60, 18), (80, 24)])
def test_summary_replaces_cards_without_room(size):
    view = list(iter_views(6))[-1]
    rows = get_rows(paint(view, size))
    for name, zone in zip(NAMES, pegging.GAME.scene(view)[6:], strict=False):
        assert any(f"Played, {name} {zone.summary}" in row for row in rows)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("value", [77, 102, 9999, "160NT", "all-in"])
def test_value_of_a_mark_is_cut_on_no_plate(size, value):
    marks = tuple(Mark("points taken", seat, value) for seat in (None, 0, 1, 2, 3))
    view = next(view for view in iter_views(4) if view.legal)
    text = str(paint(view, size, override(pegging.GAME, marks=lambda _: marks)))
    assert len(re.findall(rf"(?<![\w/]){value}\b", text)) == 5


def play_round(seats):
    return RecordedSession("pegging", seats, 1, "random").play_through_round(1).replay(1)


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_replay_shows_marks_and_piles(size, seats):
    head = Playhead(play_round(seats))
    head.move_by_stops(2 * seats)
    view = head.stop.views[0]
    canvas = Canvas(*size, APPEARANCE)
    snapshot = StopSnapshot(head, NAMES[:seats], 0)
    paint_board(canvas, compute_layout(*size), snapshot)
    text = str(canvas)
    assert re.search(rf"count .*\b{view.count}( of |/)31\b", text)
    assert f"count {view.count} of 31 · " in format_piles(snapshot)
    assert f"Played {pegging.GAME.scene(view)[seats].summary}" in format_piles(snapshot)
    for total in view.totals:
        assert f"{total}/11" in text
    assert "Played " in text


def iter_lone_views(seats):
    """Yield views of Loner with AH turned up and the suit hearts: before the first lead, and to the second card."""
    state = loner.GAME.start(seats, loner.Options())
    state.apply(Deal((*iter_cards(loner.LonerState.pack & ~cards("AH")), card("AH"))))
    yield state.view(0)
    state.apply(loner.ALONE)
    yield state.view(0)
    state.apply(state.legal()[0])
    yield state.view(state.turn)


@pytest.mark.parametrize("seats", loner.SEATS)
@pytest.mark.parametrize("size", [*SIZES, (200, 60)])
def test_card_turned_up_is_shown_before_the_lead_and_beside_the_trick(size, seats):
    for view in iter_lone_views(seats):
        text = str(render_default_view(loner.GAME, view, size, NAMES))
        assert "Turned up" in text
        assert "trump ♥" in text
        assert re.search(r"Turned up  ▏A♥" if view.trick else r"▏A +▕", text)


@pytest.mark.parametrize("seats", loner.SEATS)
@pytest.mark.parametrize("size", SIZES)
def test_stock_leaves_room_for_the_card_turned_up_beside_the_trick(size, seats):
    stock = Zone("stock", None, (None,) * 27)
    game = override(loner.GAME, scene=lambda view: (stock, *loner.GAME.scene(view)))
    *_, view = iter_lone_views(seats)
    text = str(render_default_view(game, view, size, NAMES))
    assert re.search(r"Turned up  ▏A♥", text)
    assert "stock 27" in text


def test_replay_of_a_trick_game_shows_the_card_turned_up():
    head = Playhead(RecordedSession("loner", 4, 1, "random").play_through_round(1).replay(1))
    snapshot = StopSnapshot(head, NAMES[:4], 0)
    turned = NAME[head.stop.views[0].turned[0]]
    canvas = Canvas(120, 40, APPEARANCE)
    paint_board(canvas, compute_layout(120, 40), snapshot)
    assert f"Turned up {insert_suit_signs(turned)}" in str(canvas)
    assert format_piles(snapshot).endswith(f"Turned up {turned}")


def test_jack_of_the_other_suit_is_a_trump_in_sentences():
    *_, view = iter_lone_views(3)
    led = replace(view, trick=(card("JD"),), led=loner.find_trumps(2), hand=cards("9D AH"), legal=())
    assert DefaultView(loner.GAME).prompt(led, NO_CURSOR)[0] == "Follow trumps."
    assert loner.GAME.explain_illegal(led, cards("9D")) == "You must follow suit: play a trump"
    text = " ".join(describe_position(loner.GAME, led, NAMES[:3]))
    assert "Trump: hearts." in text
    assert "Turned up: ace of hearts." in text


def test_nobody_is_told_to_follow_where_nobody_has_to():
    *_, view = iter_lone_views(3)
    led = replace(view, trick=(card("9D"),), led=0, hand=cards("TD AD"), legal=(Play(card("TD")), Play(card("AD"))))
    assert DefaultView(loner.GAME).prompt(led, NO_CURSOR)[0] == "Play a card."
    leader = NAMES[led.leader]
    assert [*describe_trick_turn(loner.GAME, led, NAMES[:3])] == [f"{leader} led the nine of diamonds"]


def test_plain_text_describes_marks_and_piles_with_the_position():
    view = next(view for view in iter_views(3) if any(view.passed))
    text = " ".join(describe_position(pegging.GAME, view, NAMES[:3]))
    passed = ", ".join(name for name, passed in zip(NAMES, view.passed, strict=False) if passed)
    assert f"Count: {view.count} of 31." in text
    assert f"Pegs: You {view.totals[0]} of 11, Ada {view.totals[1]} of 11, Bo {view.totals[2]} of 11." in text
    assert f"Passed: {passed}." in text
    assert f"Played, Ada: {pegging.GAME.scene(view)[4].summary}." in text
    assert text.isascii()


def make_advice(view, sentence):
    lines = [AdviceLine(action, format_action(action), 1.0, 0.5, False, None) for action in view.legal]
    return Advice(sentence, tuple(lines), "", ScoreScale())


@pytest.mark.parametrize("size", SIZES)
def test_hint_leaves_named_cards_on_the_mat_visible(size):
    view = next(view for view in iter_views(2) if view.legal and view.played[1])
    named = view.played[1][-1]
    sentence = f"Play it: {NAME[named]} brings the count to 15."
    before = paint(view, size)
    shape = DefaultView(pegging.GAME)
    frame = make_view_frame(
        pegging.GAME, view, NAMES[:2], game_view=shape, waiting=True, advice=make_advice(view, sentence)
    )
    canvas = render_table(frame, size)
    paint_hint(canvas, frame)
    bounds = before.card_bounds[named]
    assert "Play it: " in str(canvas)
    area = (bounds.x, bounds.y, bounds.visible_width, bounds.height)
    assert str(canvas.crop(*area)) == str(before.crop(*area))
    assert canvas.crop(*area).grounds == before.crop(*area).grounds, "it is not dimmed"


@pytest.mark.parametrize("seats", eights.GAME.about.seats)
def test_replay_shows_the_trick_and_the_card_turned_up(monkeypatch, seats):
    zone, mark = Zone("turned", None, (card("2C"),), "Turned up"), Mark("trump", None, suit=2)
    scene = eights.GAME.scene
    plug_in_from(monkeypatch, eights, "", scene=lambda view: (*scene(view), zone), marks=lambda _view: (mark,))
    head = Playhead(RecordedSession("eights", seats, 1, "random").play_through_round(1).replay(1))
    for size in SIZES[1:]:
        for position in range(len(head.stops)):
            head.position = position
            canvas, snapshot = Canvas(*size, APPEARANCE), StopSnapshot(head, NAMES[:seats], 0)
            paint_board(canvas, compute_layout(*size), snapshot)
            assert re.search(r"Turned up\s+2♣|Turned up [^♣]*\n.* 2♣", str(canvas))
            boxes = [canvas.card_bounds[played] for _, played in snapshot.get_table_cards().cards]
            cells = {(box.x + i, box.y + j) for box in boxes for i in range(box.width) for j in range(box.height)}
            assert len(cells) == sum(box.width * box.height for box in boxes), f"cards overlap: {boxes}"
