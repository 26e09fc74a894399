"""Table screen of Rummy: depth of a draw, selecting cards, additions, the two clocks."""

import re
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from cardtable.cli.main import commands
from cardtable.engine import journal
from cardtable.engine.cards import NAME, card, cards
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.log_entries import SystemLogEntry
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.games.rummy.rules.actions import STOCK, TAKE, Add, Drop, Meld, Take
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.store import archive_index, sessions, summaries
from cardtable.ui.game_view.hand_cursor import CursorState, PointAction, PointCard
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.keys.keymap import DEFAULT_KEYMAP
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import SIZES as CARD_SIZES
from cardtable.wording import archive_rows
from tests import golden_files
from tests.games.rummy.test_legal_turns import find_combinations
from tests.journal_times import ManualClock
from tests.ui.canvas_rendering import APPEARANCE, THEME, find_text, get_rows, make_view_frame
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, open_table, wait_for_input, wait_until

SIZES = [(80, 24), (120, 40), (60, 18)]
SMALL, LARGE, TINY = SIZES
SAVE = Path(__file__).parents[3] / "cardtable" / "saves" / "rummy-deep-pile.jsonl"
RUMMY = GAMES["rummy"]


async def press_and_wait(pilot, app, *keys):
    """Press keys and wait until a decision is due."""
    await pilot.press(*keys)
    await pilot.pause()
    await wait_for_input(pilot, app)


def read_pointed_action(app):
    """Return the action under the cursor in notation."""
    return str(app.table.frame.pointed.action)


# Melds in the hand


def make_hand_frame(hand, order="usual", **fields):
    """Return the frame of a player with this hand, who has drawn."""
    view = RUMMY.start(2, RUMMY.options()).view(0)
    view = replace(view, hand=cards(hand), playing=True, round=1, turn=0, drew=True, **fields)
    frame = make_view_frame(RUMMY, view, waiting=True, hand_order=order)
    return replace(frame, hand=frame.hand.with_hand(frame.own_cards, ()))


def list_hand(frame):
    return " ".join(NAME[card] for card in frame.hand.cards)


@pytest.mark.parametrize("size", CARD_SIZES)
@pytest.mark.parametrize("order", ["usual", "melds"])
def test_cards_of_melds_are_marked(size, order):
    canvas = Canvas(160, 50, replace(APPEARANCE, cards=size))
    paint_table(canvas, make_hand_frame("7C 4D TD 7S TH TS 3H 7H JS QS", order))
    hand = canvas.chars[-CARD_SIZES[size][0].height - 2 :]
    assert sum(row.count("✓") for row in hand) == 6


def test_hand_sorted_by_melds():
    frame = make_hand_frame("7C 4D TD 7S TH TS 3H 7H JS QS", "melds")
    assert list_hand(frame) == "TS JS QS 7C 7H 7S 4D TD 3H TH"
    assert list_hand(make_hand_frame("2C 9C 3D", "melds")) == "2C 9C 3D"


@pytest.mark.parametrize(("meld", "melds"), [("4C 5C 6C", "7S 8S 9S"), ("4S 5S 6S", "9C 9D 9S")])
def test_melds_of_hand_use_card_that_must_be_melded(meld, melds):
    frame = make_hand_frame("9C 9D 9S 7S 8S", must=card("7S"), table=find_combinations(meld), owners=(1,))
    assert [" ".join(NAME[card] for card in meld) for meld in frame.game_view.melds(frame.view)] == [melds]


# How it looks


@pytest.mark.parametrize("size", SIZES)
async def test_golden_phases_of_turn(size):
    app, name = TableApp(sessions.fork(SAVE)), f"{size[0]}x{size[1]}.txt"
    app.table.session.clocks.set_time_source(lambda: 0.0)
    async with open_table(app, size) as pilot:
        await pilot.press("5")
        golden_files.check_golden(f"rummy_draw_{name}", screen_text(app))
        await press_and_wait(pilot, app, "enter")
        golden_files.check_golden(f"rummy_must_{name}", screen_text(app))
        await pilot.press("j", "space", "q", "space", "k", "space")
        golden_files.check_golden(f"rummy_meld_{name}", screen_text(app))


@pytest.mark.parametrize("size", SIZES)
async def test_golden_addition(size):
    app = TableApp(play_until_state(create_session("rummy", 5, seats=2), can_add))
    async with open_table(app, size) as pilot:
        await pilot.press("tab")
        golden_files.check_golden(f"rummy_add_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_golden_round_end_and_score_sheet(size):
    app = TableApp(
        play_until_state(create_session("rummy", 9, seats=2, limit=500), lambda table: len(table.scores) == 4)
    )
    async with open_table(app, size) as pilot:
        assert app.table.frame.stage is Stage.ROUND_END
        golden_files.check_golden(f"rummy_round_end_{size[0]}x{size[1]}.txt", screen_text(app))
        await pilot.press("s")
        golden_files.check_golden(f"rummy_sheet_{size[0]}x{size[1]}.txt", screen_text(app))


def can_add(table):
    """Return True if the player at seat 0 can add a card and need not."""
    view = table.view(0)
    return table.turn == 0 and view.drew and view.must is None and any(isinstance(action, Add) for action in view.legal)


def play_until_state(started, condition):
    """Let novice robots play the session until `condition` is true; return the session."""
    table, robot = started.referee, make_robot("novice", "rummy")
    while not condition(table):
        if table.turn == CHANCE:
            table.advance()
        view = table.view(table.turn)
        table.play(view.turn, decide(robot, view, table.seed, table.decisions))
    return started


def paint_view(view, width, height, *, depth=0):
    """Paint a view with the cursor `depth` cards deep in the face-up pile."""
    decision = get_game_view("rummy").decision(view, ("You", "Ada"))
    option = decision.actions.index(TAKE[depth]) if depth else 0
    seen = make_view_frame(RUMMY, view, waiting=True, decision=decision, in_box=bool(depth), option=option)
    canvas = Canvas(width, height, APPEARANCE)
    paint_table(canvas, seen)
    return canvas


def create_view(hand="AC", pile="KD", table=(), owners=None, **facts):
    """Return the view of seat 0 before its draw."""
    state = RUMMY.start(2, RUMMY.options())
    state.first, state.round, state.playing, state.turn = 0, 1, True, 0
    state.hands = (cards(hand), 0)
    state.pile = tuple(map(card, pile.split()))
    state.table = find_combinations(*table)
    state.owners = owners or (0,) * len(table)
    return replace(state.view(0), sizes=(len(hand.split()), 9), stock=9, **facts)


LONG = "2C 4C 6C 8C TC QC AC 3D 5D 7D 9D JD KD 2H 4H 6H 8H TH QH AH 3S 5S 7S"


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_long_pile_shows_cards_around_selection(width, height):
    view = create_view("3H 3C 2S 2D KC KH", LONG)
    top = "\n".join(get_rows(paint_view(view, width, height, depth=1)))
    assert "‹" in top
    assert "›" not in top
    assert "▲ take 1" in top or "▲ 1" in top
    deep = paint_view(view, width, height, depth=23)
    assert "▲ take 23" in "\n".join(get_rows(deep))
    assert "›" in "\n".join(get_rows(deep))
    assert {spot.target for spot in deep.hit_boxes} >= {
        PointAction(TAKE[23]),
        PointCard(card("8C")),
        PointAction(STOCK),
    }


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_many_and_long_combinations_fit(width, height):
    hearts = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    groups = [f"{rank}C {rank}D {rank}S" for rank in "23456789TJQ"]
    few = get_rows(paint_view(create_view("AC", "KD", (*groups[:2], hearts)), width, height))
    assert any(re.search(r"^ *3 ▏2.*\+\d.*▏K", row) for row in few)
    many = "\n".join(get_rows(paint_view(create_view("AC", "KD", (*groups, hearts)), width, height)))
    if height < 40:
        assert "11 ▏Q♣♦♠▕" in many
        assert "12 ▏2♥–K♥▕" in many
    else:
        assert "12 ▏2♥" in many


def test_large_hand_scrolls():
    view = create_view("2C 4C 6C 8C TC QC AC 3D 5D 7D 9D JD KD 2H 4H 6H 8H TH QH AH 3S 5S", "7S", drew=True)
    text = "\n".join(get_rows(paint_view(replace(view, legal=()), 80, 24)))
    assert "›" in text


def test_exhausted_stock_is_shown_empty():
    assert "empty" in "\n".join(get_rows(paint_view(replace(create_view(), stock=0), 120, 40)))


# By keys


async def test_down_draws_and_enter_drops():
    app = TableApp(create_session("rummy", 3, seats=2))
    async with open_table(app, SMALL) as pilot:
        assert read_pointed_action(app) == "take 1"
        before = app.view
        await press_and_wait(pilot, app, "down")
        assert app.view.stock == before.stock - 1
        assert f"You drew {NAME[app.view.drawn][0].replace('T', '10')}" in screen_text(app)
        await press_and_wait(pilot, app, "home", "enter")
        assert app.view.turns == before.turns + 2
        assert app.view.hand.bit_count() == 13


async def test_left_and_digits_choose_usable_depth():
    app = TableApp(sessions.fork(SAVE))
    async with open_table(app, SMALL) as pilot:
        met = [read_pointed_action(app)]
        for _ in range(6):
            await pilot.press("left")
            met.append(read_pointed_action(app))
        assert met == ["take 1", "take 3", "take 5", "take 11", "take 12", "stock", "stock"]
        await pilot.press("1", "1")
        assert read_pointed_action(app) == "take 11"
        assert "you must use A♠" in screen_text(app)
        await press_and_wait(pilot, app, "enter")
        assert app.view.must == card("AS")


async def test_space_selects_cards_and_enter_melds():
    app = TableApp(sessions.fork(SAVE))
    async with open_table(app, SMALL) as pilot:
        await press_and_wait(pilot, app, "5", "enter")
        assert app.table.frame.hand.at == app.view.must == card("KS")
        await pilot.press("space", "j", "enter")
        assert len(app.view.table) == 7, "two cards are no combination"
        await pilot.press("space", "q", "space")
        assert "J♠ Q♠ K♠: a sequence." in screen_text(app)
        assert "Enter: +30" in screen_text(app)
        await press_and_wait(pilot, app, "enter")
        assert len(app.view.table) == 8
        await pilot.press("space")
        assert app.table.frame.hand.chosen
        await pilot.press("escape")
        assert not app.table.frame.hand.chosen
        assert app.requests == [], "Escape clears the selection and does not leave"


async def test_tab_and_digit_choose_meld_to_add_to():
    app = TableApp(play_until_state(create_session("rummy", 5, seats=2), can_add))
    async with open_table(app, SMALL) as pilot:
        add = [action for action in app.view.legal if isinstance(action, Add)][-1]
        while app.table.frame.hand.at != add.card:
            await pilot.press("right")
        await pilot.press("tab")
        assert app.table.frame.pointed.action.card == add.card
        await pilot.press(*str(add.number))
        assert f"on meld {add.number}:" in screen_text(app)
        laid = app.view.laid[0]
        await press_and_wait(pilot, app, "enter")
        assert app.view.laid[0] > laid
        assert not app.view.hand & add.cards_used()


async def test_click_on_useless_depth_shows_reason():
    app = TableApp(sessions.fork(SAVE))
    async with open_table(app, SMALL) as pilot:
        useless = next(target for target in list_targets(app) if isinstance(target, PointCard))
        await click_target(pilot, app, useless)
        assert "You couldn't meld or lay off" in screen_text(app)


# By mouse


def list_targets(app):
    return [spot.target for spot in app.table.view.canvas.hit_boxes]


async def click_target(pilot, app, target):
    """Click the middle of the leftmost column of a target."""
    canvas = app.table.view.canvas
    y, x = next((y, x) for x in range(canvas.width) for y in range(canvas.height) if canvas.hit_test(x, y) == target)
    await pilot.click(offset=(x, y))
    await pilot.pause()


async def test_two_clicks_draw():
    app = TableApp(sessions.fork(SAVE))
    async with open_table(app, SMALL) as pilot:
        await click_target(pilot, app, PointAction(TAKE[5]))
        assert read_pointed_action(app) == "take 5"
        await click_target(pilot, app, PointAction(STOCK))
        assert read_pointed_action(app) == "stock"
        assert "Draw an unseen card" in screen_text(app)
        before = app.view
        await click_target(pilot, app, PointAction(STOCK))
        await wait_for_input(pilot, app)
        assert app.view.stock == before.stock - 1


def list_cells(app, target):
    canvas = app.table.view.canvas
    return [(x, y) for x in range(canvas.width) for y in range(canvas.height) if canvas.hit_test(x, y) == target]


@pytest.mark.parametrize("size", SIZES)
async def test_second_click_on_same_cell_hits_same_pile(size):
    app = TableApp(sessions.fork(SAVE))
    async with open_table(app, size) as pilot:
        for action, place in product(app.view.legal, (0, -1)):
            target = PointAction(action)
            app.table.cursor.point_at(next(other for other in app.view.legal if other != action))
            app.table.show()
            await pilot.pause()
            cell = list_cells(app, target)[place]
            await pilot.click(offset=cell)
            assert read_pointed_action(app) == str(action)
            assert app.table.view.canvas.hit_test(*cell) == target


async def test_click_on_combination_adds_card():
    app = TableApp(play_until_state(create_session("rummy", 5, seats=2), can_add))
    async with open_table(app, SMALL) as pilot:
        add = next(action for action in app.view.legal if isinstance(action, Add))
        app.table.cursor.go_to_card(add.card)
        app.table.show()
        await click_target(pilot, app, PointAction(add))
        assert read_pointed_action(app) == str(add)
        await click_target(pilot, app, PointAction(add))
        await wait_for_input(pilot, app)
        assert not app.view.hand & add.cards_used()


async def act_by_keys(pilot, app, action):
    """Take the action by keys."""
    cursor = app.table.cursor
    if action == STOCK:
        await pilot.press("down")
    elif isinstance(action, Take):
        await pilot.press(*str(action.number), "enter")
    elif isinstance(action, Meld):
        for each in list_cards(action.cards_used()):
            while cursor.hand.at != each:
                await pilot.press("right")
            await pilot.press("space")
        await pilot.press("enter")
    elif isinstance(action, Add):
        await pilot.press("tab")
        while read_pointed_action(app) != str(action):
            await pilot.press("down")
        await pilot.press("enter")
    elif isinstance(action, Drop):
        while cursor.hand.at != action.card:
            await pilot.press("right")
        await pilot.press("enter")


async def act_by_mouse(pilot, app, action):
    """Take the action by mouse."""
    if action == STOCK or isinstance(action, Take):
        await click_target(pilot, app, PointAction(action))
        if app.table.controller.is_awaiting_input and action in app.view.legal:
            await click_target(pilot, app, PointAction(action))
    elif isinstance(action, Meld):
        for each in list_cards(action.cards_used()):
            await click_target(pilot, app, PointCard(each))
        await click_target(pilot, app, "mat")
    elif isinstance(action, Add):
        app.table.cursor.go_to_card(action.card)
        app.table.show()
        await click_target(pilot, app, PointAction(action))
        await click_target(pilot, app, PointAction(action))
    elif isinstance(action, Drop):
        await click_target(pilot, app, PointCard(action.card))
        await pilot.press("enter")


def list_cards(mask):
    return [c for c in range(52) if mask >> c & 1]


@pytest.mark.parametrize("hands_on", [act_by_keys, act_by_mouse])
async def test_round_by_keys_and_by_mouse(hands_on):
    app, novice = (
        TableApp(play_until_state(create_session("rummy", 5, seats=2), is_late)),
        make_robot("novice", "rummy"),
    )
    kinds = set()
    async with open_table(app, SMALL) as pilot:
        while app.table.frame.stage is Stage.PLAY:
            before = app.view
            action = decide(novice, before, 1, app.table.session.referee.decisions)
            kinds.add(type(action))
            await hands_on(pilot, app, action)
            await wait_for_input(pilot, app)
            assert app.view != before
        assert app.table.session.referee.turn in (CHANCE, OVER)
        assert kinds >= {Meld, Add, Drop}


def is_late(table):
    """Return True if the player at seat 0 is on turn and the round is near its end."""
    return table.turn == 0 and table.view(0).stock < 15


def read_lines(app):
    """Return the lines of the journal."""
    return [entry.line for entry in journal.read(app.table.session.path.read_bytes()).entries]


# The clocks


async def test_player_without_time_left_loses():
    app, clock = TableApp(create_session("rummy", 3, seats=2, clock=5)), ManualClock()
    app.table.session.clocks.set_time_source(clock)
    async with open_table(app, SMALL) as pilot:
        assert "You 0  5:00" in screen_text(app)
        assert "Ada 0 " not in screen_text(app).splitlines()[0], "a robot's clock never runs"
        clock.seconds = 301.0
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.SESSION_END)
        assert app.table.frame.messages[-1] == SystemLogEntry(0, "lost")
        assert app.table.frame.ranks == (2, 1)
        for size in ((60, 18), (80, 24), (120, 40)):
            assert "You lost on time; Ada wins with" in str(app.table.view.paint(*size))
        await pilot.press("s")
        await pilot.press("s")
        lines = read_lines(app)
        assert (lines[-2].seat, lines[-2].reason) == (0, "clock")
        assert lines[-1].result.ranks == (2, 1)
        assert app.table.session.path.parent.name == "archive"
    [summary] = archive_index.list_finished()
    assert archive_index.list_finished() == [summary], "the summary from the index is equal"
    assert summary.timed_out == summaries.summarize_full(summary.path).timed_out == 0
    assert archive_rows.list_properties(summary)[0] == "Anna lost on time"
    assert CliRunner().invoke(commands, ["show", summary.id]).output.endswith(", Anna lost on time\n")


async def test_used_time_survives_resume():
    app, clock = TableApp(create_session("rummy", 3, seats=2, clock=5)), ManualClock()
    app.table.session.clocks.set_time_source(clock)
    async with open_table(app, SMALL) as pilot:
        clock.seconds = 100.0
        await press_and_wait(pilot, app, "down")
        path = app.table.session.path
    again = sessions.resume(path)
    assert round(again.clocks.get_seat_time_left(0)) == 200
    assert again.clocks.get_seat_time_left(1) is None
    again.close()


def test_running_clock_is_gold():
    seen = make_view_frame(RUMMY, create_view(), ("Anna", "Bob"), seats_left=(760, 555), waiting=True)
    canvas = Canvas(80, 24, APPEARANCE)
    paint_table(canvas, seen)
    assert get_rows(canvas)[0].endswith("Anna 0  12:40   Bob 0  9:15")
    assert find_text(canvas, "12:40").ink == THEME.inks.gold
    assert find_text(canvas, "9:15").ink == THEME.inks.text
    assert "Bob  9 cards  9:15" in get_rows(canvas)[1]


def test_only_clock_of_player_on_turn_runs():
    begun = create_session("rummy", 3, seats=2, people=2, clock=5)
    clock = ManualClock()
    begun.clocks.set_time_source(clock)
    begun.referee.advance()
    turn = begun.referee.turn
    clock.seconds = 60.0
    assert begun.clocks.get_seat_time_left(turn) == 240
    assert begun.clocks.get_seat_time_left(1 - turn) == 300
    begun.close()


def test_prompt_fits_beside_own_plate():
    """The smallest table with a panel leaves 39 columns beside ``You 14 cards``."""
    shape, robot, longest = get_game_view("rummy"), make_robot("novice", "rummy"), 0
    for seed in range(4):
        table = Referee(RUMMY, 2, RUMMY.options(), seed)
        while table.turn != OVER:
            table.advance()
            if table.turn < 0:
                continue
            view = table.view(table.turn)
            box = shape.decision(view, ("You", "Ada"))
            pointed = [CursorState(option.action, in_box=True) for option in box.options] if box else []
            pointed += [CursorState(chosen=action.cards_used()) for action in view.legal if isinstance(action, Meld)]
            for at in (CursorState(), *pointed):
                prompt, reason = [
                    card_faces.measure_text(DEFAULT_KEYMAP.format_keys(text)) for text in shape.prompt(view, at)
                ]
                longest = max(longest, prompt + 2 + reason)
            table.play(view.turn, decide(robot, view, seed, table.decisions))
    assert longest <= 39
