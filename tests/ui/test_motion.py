"""Motion: what moves, from where and when; nothing waits for it."""

from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE
from cardtable.store.settings import Settings
from cardtable.ui.game_view import motion
from cardtable.ui.table.paint import table_widget
from cardtable.ui.toolkit.painting.canvas import Canvas, Sprite
from cardtable.ui.toolkit.painting.layout import compute_layout, compute_trick_positions
from tests.ui.canvas_rendering import APPEARANCE, make_frame, make_view_frame, parse_rounds, render_table
from tests.ui.driver import SMALL as SIZE
from tests.ui.driver import TINY, at_table, sit_at
from tests.ui.table_host import TableApp, create_session, play_to_round

ANIMATED = Settings(robot_pace=0.01, trick_pause=0.01)


def paint_view(game, view, size=SIZE):
    return render_table(make_view_frame(GAMES[game], view), size)


def animate_between(game, before, after, taker=None):
    return motion.animate_moves(paint_view(game, before), paint_view(game, after), before.turn, taker)


def get_plate_area(canvas, seat):
    place = canvas.card_bounds[motion.format_plate_key(seat)]
    return range(place.x - 2, place.x + place.width), range(place.y - 2, place.y + place.height)


def play_until_trick_card(seat=0):
    """Return the views of seat 0 in Rikiki before and after ``seat`` plays a card, and the card."""
    game, robot = GAMES["rikiki"], make_robot("random", "rikiki")
    table = Referee(game, 4, game.options(), 3)
    while True:
        if table.turn == CHANCE:
            table.advance()
            continue
        before, view = table.view(0), table.view(table.turn)
        action = decide(robot, view, 1, table.decisions)
        acts = table.turn
        table.play(acts, action)
        if isinstance(action, Play) and acts == seat and view.cards > 4 and table.view(0).trick:
            return before, table.view(0), action.card


def test_own_card_moves_from_hand_to_trick():
    before, after, card = play_until_trick_card(seat=0)
    (flight,) = animate_between("rikiki", before, after)
    hand = paint_view("rikiki", before).card_bounds[card]
    assert flight.start == (hand.x, hand.y)
    assert flight.end == compute_trick_positions(compute_layout(*SIZE))[0]


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_card_of_other_seat_starts_at_its_plate(seat):
    before, after, _ = play_until_trick_card(seat)
    (flight,) = animate_between("rikiki", before, after)
    columns, rows = get_plate_area(paint_view("rikiki", before), seat)
    assert flight.start[0] in columns
    assert flight.start[1] in rows
    assert flight.end == compute_trick_positions(compute_layout(*SIZE))[seat]


def test_trick_moves_to_winner():
    _, after, _ = play_until_trick_card(seat=3)
    cards = (0, 14, 28, 42)
    full = replace(after, trick=cards, leader=1, turn=-1, hand=0)
    gathered = animate_between("rikiki", full, replace(after, trick=(), turn=2, hand=0), taker=2)
    assert len(gathered) == 4
    columns, rows = get_plate_area(paint_view("rikiki", after), 2)
    assert all(flight.end[0] in columns and flight.end[1] in rows for flight in gathered)
    assert [flight.start for flight in gathered] == [
        compute_trick_positions(compute_layout(*SIZE))[seat] for seat in (1, 2, 3, 0)
    ]


def test_deal_goes_around_the_table():
    _, after, _ = play_until_trick_card()
    canvas = paint_view("rikiki", after)
    pack, *others = motion.animate_deal(canvas, (1, 2, 3))
    backs, hand = [move for move in others if not move.cover], [move for move in others if move.cover]
    assert len(hand) == after.hand.bit_count()
    assert [move.delay for move in hand] == sorted({move.delay for move in backs})
    assert len(backs) == 3 * len(hand)
    for seat, move in zip((1, 2, 3), backs, strict=False):
        columns, rows = get_plate_area(canvas, seat)
        assert move.end[0] in columns
        assert move.end[1] in rows
        assert (move.start, move.pictures) == (pack.start, pack.pictures)


def test_cards_lie_in_the_hand_as_they_arrive():
    _, after, _ = play_until_trick_card()
    moves = motion.animate_hand(paint_view("rikiki", after), step=1)
    number = len(moves)
    assert len(motion.create_sprites(moves, 0)) == number + 1, "every place is covered, and one card is on its way"
    assert motion.create_sprites(moves, 0.9)[-1][:2] == moves[0].end
    assert [sprite[:2] for sprite in motion.create_sprites(moves, number)] == [move.end for move in moves]


def test_totals_count_up_wherever_they_are():
    first, last = parse_rounds("1H 0/0 1/0 1/1", "2H 0/1 1/1 1/1")
    moves = motion.count_totals(render_table(make_frame([first, last], seats=3)), first.totals, last.totals)
    ends = [[str(move.pictures[n]).strip() for n in (0, -1)] for move in moves]
    you, ada, bo = ["9", "8"], ["−2", "10"], ["12", "24"]  # 10 has no room where 8 is painted
    assert ends == [you, ada, bo, you, bo, ada, you], "in the header, beside the prompt, and in the panel"


def test_sprites_leave_canvas_unchanged():
    canvas = Canvas(20, 5, APPEARANCE)
    canvas.write(0, 2, "what lies below", APPEARANCE.theme.inks.text)
    small = Canvas(4, 3, APPEARANCE)
    small.write(0, 1, "card", APPEARANCE.theme.inks.text)
    for x, seen in ((2, "whcardies below"), (-2, "rdat lies below"), (18, "what lies below   ca")):
        strip = canvas.render_row(2, [Sprite(x, 1, small)])
        assert strip.text.rstrip() == seen
        assert strip.cell_length == 20
    assert canvas.render_row(2).text.rstrip() == "what lies below"


# At the table


def has_led_next(frame):
    """Return True if the player has won the last trick, which moves to them."""
    return frame.waiting and not frame.in_box and frame.view.turn == 0 and not frame.view.trick and frame.view.won[0]


MOTIONS = {
    "deal": (0, lambda frame: frame.waiting and frame.view.bids == (None,) * 4),
    "card": (6, lambda frame: frame.waiting and frame.view.trick),
    "trick": (6, has_led_next),
    "totals": (6, lambda frame: frame.stage is Stage.ROUND_END),
    "podium": (28, lambda frame: frame.stage is Stage.SESSION_END),
}
"""What moves: the round of Rikiki that has been dealt before, 0 for none, and when it moves."""


@pytest.fixture
def stopped_clock(monkeypatch):
    """Stop the clock of all motion, which then ends only if something ends it."""
    monkeypatch.delenv("SSH_TTY", raising=False)
    monkeypatch.setattr(table_widget, "monotonic", lambda: 0.0)


@asynccontextmanager
async def sit_at_motion(what, size=SIZE):
    """Open a table at which something moves."""
    number, until = MOTIONS[what]
    session = create_session("rikiki", 11)
    if number:
        play_to_round(session, number)
    settings = replace(ANIMATED, round_pause=0.01) if what == "podium" else ANIMATED  # the only trick of a round stays
    async with at_table(TableApp(session, settings), size) as table:
        await table.play_until(until)
        yield table


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize("what", MOTIONS)
async def test_key_ends_motion_and_has_effect(what):
    async with sit_at_motion(what) as table:
        assert table.screen.view.shown_sprites
        await table.press("m")
        assert not table.screen.view.shown_sprites
        assert table.overlay is not None


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize("what", ["card", "podium"])
async def test_window_resized_and_closed_in_motion(what):
    async with sit_at_motion(what) as table:
        await table.resize(100, 30)
        assert not table.screen.view.shown_sprites
    async with sit_at_motion(what) as table:
        await table.pilot.pause(2 * motion.FRAME_SECONDS)
        assert table.screen.view.shown_sprites


@pytest.mark.usefixtures("stopped_clock")
async def test_held_key_moves_on_while_a_card_flies():
    async with sit_at_motion("card") as table:
        cards = [card for card in table.frame.hand.cards if table.frame.hand.can_select(card)]
        await table.press(*["right"] * (len(cards) + 1))
        assert table.frame.hand.at == cards[1 % len(cards)]


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize("what", ["deal", "totals", "podium"])
@pytest.mark.parametrize("where", ["small screen", "ssh", "guest of a club"])
async def test_only_cards_move_where_little_can_be_shown(what, where, monkeypatch):
    if where != "small screen":
        monkeypatch.setenv("SSH_TTY" if where == "ssh" else ADMISSION_TOKEN_VARIABLE, "anything")
    async with sit_at_motion(what, TINY if where == "small screen" else SIZE) as table:
        covers_and_cards = 2 * len(table.frame.hand.cards) if what == "deal" else 0
        assert len(table.screen.view.shown_sprites) == covers_and_cards


@pytest.mark.parametrize("still", [{"animation": False}, {"robot_pace": 0.0}, {"trick_pause": 0.0}])
async def test_no_animation_without_delays(still, monkeypatch):
    monkeypatch.setattr(motion, "create_sprites", lambda *_: pytest.fail("a card moves"))
    settings = Settings(**{"robot_pace": 0.01, "trick_pause": 0.01, **still})
    async with sit_at(create_session("ten_down", 11), settings=settings) as table:
        await table.play_until(lambda frame: frame.stage is Stage.ROUND_END)
