"""Table screen of Rummy: depth of a draw, selecting cards, additions, the two clocks."""

import re

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from cardtable.cli.main import commands
from cardtable.engine import journal
from cardtable.engine.cards import JACK, NAME, card, cards
from cardtable.engine.game import OVER
from cardtable.engine.log_entries import SystemLogEntry
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.games.rummy.rules.actions import DROP, STOCK, TAKE, Meld
from cardtable.games.rummy.rules.legal_turns import list_actions_after_draw
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.store import archive_index, sessions, summaries
from cardtable.ui.game_view.hand_cursor import CursorState, PointAction, PointCard
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.keys.keymap import DEFAULT_KEYMAP
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import SIZES as CARD_SIZES
from cardtable.wording import archive_rows
from tests.games.moments import open_saved
from tests.games.rummy.test_legal_turns import find_combinations
from tests.journal_times import ManualClock
from tests.ui.canvas_rendering import APPEARANCE, THEME, find_text, get_rows, make_view_frame
from tests.ui.driver import SIZES, sit_at
from tests.ui.table_host import create_session

RUMMY = GAMES["rummy"]


def read_pointed_action(table):
    """Return the action under the cursor in notation."""
    return str(table.frame.pointed.action)


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


# By keys and mouse


async def test_right_and_digits_choose_usable_depth():
    async with sit_at(open_saved("rummy-deep-pile")) as table:
        met = [read_pointed_action(table)]
        for _ in range(6):
            await table.press("right")
            met.append(read_pointed_action(table))
        assert met == ["stock", "take 12", "take 11", "take 5", "take 3", "take 1", "take 1"]
        await table.press("1 1")
        await table.sees("you must meld A♠ with Q♠ K♠")
        assert read_pointed_action(table) == "take 11"
        await table.press("enter")
        await table.wait_until(lambda: table.view.must == card("AS"))


async def test_space_selects_cards_and_enter_melds():
    async with sit_at(open_saved("rummy-deep-pile")) as table:
        await table.press("5 enter")
        await table.wait_until(lambda: table.frame.hand.at == table.view.must == card("KS"))
        await table.wait_for_input()
        await table.press("space j enter")
        assert len(table.view.table) == 7, "two cards are no combination"
        await table.press("space q space")
        await table.sees("J♠ Q♠ K♠: Enter scores 30")
        await table.press("enter")
        await table.wait_until(lambda: len(table.view.table) == 8)
        await table.wait_for_input()
        await table.press("space")
        assert table.frame.hand.chosen
        await table.sees("Esc clear marks")
        await table.press("escape")
        assert not table.frame.hand.chosen
        assert table.app.requests == [], "Escape clears the selection and does not leave"
        before = table.decisions
        await table.press("space u")
        assert (table.frame.hand.chosen, table.decisions) == (0, before), "so does the key that undoes"
        await table.sees_no_more("Esc clear marks")


def begin_turn(hand, *melds, drawn="6C"):
    """Return a frame of a player who has drawn, with these melds on the table, all of the other player."""
    view = create_view(f"{hand} {drawn}", "KD", melds, (1,) * len(melds), drew=True, drawn=card(drawn), playing=True)
    return replace(view, legal=list_actions_after_draw(view.hand, view.table, None, 0), turn=0)


def sit_with(view):
    """Return the cursor of a player with this view."""
    cursor = Cursor(RUMMY, lambda: None)
    cursor.update_hand(view, get_game_view("rummy").order(view), view.legal)
    cursor.begin_decision(get_game_view("rummy").decision(view, ("You", "Ada")))
    return cursor


def test_bar_has_what_fits_and_enter_performs_what_it_shows():
    view = begin_turn("5H 6H 7H KS AS", "TS JS QS")
    cursor = sit_with(view)
    assert dict(get_game_view("rummy").bar(view)) == {"meld": "Meld", "add": "Lay off", "drop": "Discard"}
    assert (cursor.hand.at, cursor.hand.active_kind) == (card("6C"), ""), "on the drawn card, but it is not chosen"
    for step in (1, -1):
        cursor.move_vertical(step)
        assert (cursor.hand.at, cursor.hand.active_kind) == (card("6C"), "drop"), "no other card's lay-off"
    cursor.go_to_card(card("6H"))
    assert cursor.hand.offer == cards("5H 6H 7H")
    assert cursor.confirm() is None, "Enter on a card of a meld only marks its cards"
    assert str(cursor.confirm()) == "meld 5H 6H 7H"
    cursor.clear_selection()
    cursor.move_vertical(1)
    assert cursor.hand.active_kind == "meld", "the first step chooses the card, which is never discarded directly"
    cursor.move_vertical(1)
    assert str(cursor.confirm()) == "drop 6H", "a card of a meld is discarded by choice"
    cursor.go_to_card(card("7H"))
    assert cursor.hand.active_kind == "meld", "another card is not discarded because the last one was to be"


@pytest.mark.parametrize("drawn", ["TC", "7H", "KS"])
def test_enter_alone_neither_discards_nor_melds_nor_lays_off(drawn):
    """The drawn card can be discarded, melded or laid off; a second Enter after that of the draw does none of these."""
    cursor = sit_with(begin_turn("5H 6H 2D", "TS JS QS", drawn=drawn))
    for _ in range(3):
        assert cursor.confirm() is None
        assert cursor.hand.chosen == 0
        assert cursor.reason.startswith("Choose a card")
    cursor.move_vertical(1)
    assert cursor.confirm() or cursor.hand.chosen, "after Down, Enter acts on the drawn card"


def test_cards_that_must_be_used_need_no_choice():
    view = create_view("TD JD QD 2C 3H", "KD", drew=True, taken=cards("QD 2C"), must=card("QD"), playing=True)
    cursor = sit_with(replace(view, legal=list_actions_after_draw(view.hand, (), card("QD"), 0), turn=0))
    assert cursor.confirm() is None
    assert str(cursor.confirm()) == "meld TD JD QD"


def test_focus_stays_while_more_cards_can_be_laid_off():
    cursor = sit_with(begin_turn("KS AS 2D", "TS JS QS", "8C 8D 8S", drawn="8H"))
    cursor.move_vertical(1)
    assert str(cursor.confirm()) == "add 8H 2"
    view = begin_turn("AS 2D", "TS JS QS", "8C 8D 8H 8S", drawn="KS")
    cursor.update_hand(view, get_game_view("rummy").order(view), view.legal)
    cursor.move_vertical(1)
    assert (cursor.hand.at, cursor.hand.active_kind) == (card("KS"), "add"), "not on a card to discard"


@pytest.mark.parametrize("move", [lambda cursor: cursor.go_to_rank(JACK), lambda cursor: cursor.move_vertical(1)])
def test_after_a_lay_off_a_card_is_melded_first(move):
    cursor = sit_with(begin_turn("TH JH QH 2D", "JC JD JS", "6C 7C 8C", drawn="9C"))
    cursor.move_vertical(1)
    assert str(cursor.confirm()) == "add 9C 2"
    view = begin_turn("TH JH 2D", "JC JD JS", "6C 7C 8C 9C", drawn="QH")
    cursor.update_hand(view, get_game_view("rummy").order(view), view.legal)
    assert cursor.hand.at == card("JH"), "which can be laid off, too"
    move(cursor)
    assert (cursor.hand.active_kind, cursor.hand.offer) == ("meld", cards("TH JH QH"))
    kinds = []
    if not cursor.hand.stepped:
        cursor.move_vertical(1)
    for step in (1, 1, 1, -1):
        cursor.move_vertical(step)
        kinds.append((cursor.hand.at, cursor.hand.active_kind))
    assert kinds == [(card("JH"), kind) for kind in ("add", "drop", "drop", "add")]


def test_space_marks_only_cards_of_melds():
    cursor = sit_with(begin_turn("5H 6H 7H KS AS", "TS JS QS"))
    cursor.toggle_card()
    assert cursor.hand.chosen == 0
    assert cursor.reason == "6♣ fits no meld now"
    cursor.go_to_card(card("5H"))
    cursor.toggle_card()
    cursor.move_vertical(1)
    assert cursor.confirm() is None, "a marked card is not discarded"
    assert (cursor.hand.chosen, cursor.reason) == (cards("5H"), "A meld needs at least three cards")


@pytest.mark.parametrize(
    ("hand", "prompt"), [("7C 5C", "you must meld 6♣ with 5♣ 7♣"), ("6D KS", "you must meld 6♣ with 6♦ 6♥")]
)
def test_prompt_names_whole_meld_of_deepest_card(hand, prompt):
    view = create_view(hand, "6C 6H")
    assert get_game_view("rummy").prompt(view, CursorState(TAKE[2]))[1] == prompt


def test_low_ace_stands_first_in_meld_to_be_marked():
    cursor = sit_with(begin_turn("AS 2S 3S KD", drawn="4S"))
    pointed = CursorState(kind="meld", at=card("4S"), offer=cards("AS 2S 3S 4S"))
    assert get_game_view("rummy").prompt(cursor._view, pointed)[0] == "Meld A♠ 2♠ 3♠ 4♠?"


def test_plus_marks_what_can_be_laid_off_now():
    """5♣ and 5♦ fit only a meld of the hand; 4♥ is in one, too."""
    view = begin_turn("5C 5D 5S 4C 4H 4S KD", "5H 6H 7H", drawn="6S")
    shape = get_game_view("rummy")
    assert shape.fitting_cards(view) == cards("4H")
    canvas = Canvas(160, 50, APPEARANCE)
    paint_table(canvas, make_view_frame(RUMMY, view, waiting=True, hand=sit_with(view).hand))
    assert "+ to lay off" in "\n".join(get_rows(canvas))


def test_prompt_names_the_discard_and_a_drawn_card_of_the_hand():
    shape, drawn = get_game_view("rummy"), card("KS")
    view = begin_turn("5H 6H 2D", "TS JS QS", drawn="KS")
    discard = shape.prompt(view, CursorState(DROP[drawn], at=drawn, kind="drop"))
    assert discard == ("Discard K♠:", "a discard ends your turn")
    assert shape.prompt(view, CursorState(at=drawn))[0] == "You drew K♠:"
    laid_off = replace(view, hand=cards("5H 6H 2D"))
    assert shape.prompt(laid_off, CursorState(at=card("5H")))[0] == "Choose a card:"


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_bar_and_drawn_card_are_shown(width, height):
    view = begin_turn("5H 6H 7H KS AS", "TS JS QS")
    canvas = Canvas(width, height, APPEARANCE)
    paint_table(canvas, make_view_frame(RUMMY, view, waiting=True, hand=sit_with(view).hand))
    text = "\n".join(get_rows(canvas))
    assert "[Meld] [Lay off] [Discard]" in text
    assert find_text(canvas, r"\[Discard").ground != THEME.inks.gold
    assert re.search("You drew 6♣: +↓ chooses it, ←→ another", text)
    assert height == 18 or "new" in text


# The clocks


def begin_with_clock(**fields):
    """Return a session with five minutes for each player, and the clock."""
    session, clock = create_session("rummy", 3, seats=2, clock=5, **fields), ManualClock()
    session.clocks.set_time_source(clock)
    return session, clock


async def test_player_without_time_left_loses():
    session, clock = begin_with_clock()
    async with sit_at(session) as table:
        await table.sees("You 0  5:00")
        assert "Ada 0 " not in table.text.splitlines()[0], "a robot's clock never runs"
        clock.seconds = 301.0
        await table.wait_until(lambda: table.frame.stage is Stage.SESSION_END)
        assert table.frame.messages[-1] == SystemLogEntry(0, "lost")
        assert table.frame.ranks == (2, 1)
        for size in SIZES:
            assert "You lost on time; Ada wins with" in str(table.app.table.view.paint(*size))
        await table.press("s s")
        lines = [entry.line for entry in journal.read(session.path.read_bytes()).entries]
        assert (lines[-2].seat, lines[-2].reason) == (0, "clock")
        assert lines[-1].result.ranks == (2, 1)
        assert session.path.parent.name == "archive"
    [summary] = archive_index.list_finished()
    assert archive_index.list_finished() == [summary], "the summary from the index is equal"
    assert summary.timed_out == summaries.summarize_full(summary.path).timed_out == 0
    assert archive_rows.list_properties(summary)[0] == "Anna lost on time"
    assert CliRunner().invoke(commands, ["show", summary.id]).output.endswith(", Anna lost on time\n")


async def test_used_time_survives_resume():
    session, clock = begin_with_clock()
    async with sit_at(session) as table:
        clock.seconds = 100.0
        await table.press_and_play("down enter")
        await table.wait_for_input()
    again = sessions.resume(session.path)
    assert round(again.clocks.get_seat_time_left(0)) == 200
    assert again.clocks.get_seat_time_left(1) is None
    again.close()


def test_only_clock_of_player_on_turn_runs():
    begun, clock = begin_with_clock(people=2)
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
