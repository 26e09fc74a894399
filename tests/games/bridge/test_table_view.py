"""Table screen of Bridge: golden screens of decisions about eights, jacks and bridge."""

import pytest

from cardtable.engine.cards import NAME
from cardtable.engine.journal import ActionLine
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from tests import golden_files
from tests.games.bridge.sessions import begin_session
from tests.games.bridge.test_rules import go_out_with_two_jacks, start_session
from tests.journal_lines import select_lines
from tests.ui.canvas_rendering import APPEARANCE, make_view_frame
from tests.ui.driver import SIZES, SMALL, TINY, sit_at

NAMES = ("You", "Ada", "Bo")
MOMENTS = {
    "eights": lambda: start_session().deal("8C 8D 8H").do("play 8C, play 8D"),
    "jacks": go_out_with_two_jacks,
    "with_eights": lambda: play_four("8C 8D 8H 8S AS"),
    "with_jacks": lambda: play_four("JC JD JH JS AS"),
    "call": lambda: start_session().deal("9C 9D 9H 9S").do("play 9C, play 9D, play 9H, play 9S"),
}


def play_four(hand):
    """Deal a hand and play its first four cards, after which bridge can be called."""
    return start_session().deal(hand).do(", ".join([f"play {card}" for card in hand.split()[:4]]))


def paint_decision(game, size):
    """Paint the table as seen by the seat on turn, which is named You."""
    shape, view = get_game_view("bridge"), game.view()
    seated = NAMES[-view.seat :] + NAMES[: -view.seat]
    seen = make_view_frame(game.game, view, seated, waiting=True, decision=shape.decision(view, seated), in_box=True)
    canvas = Canvas(*size, APPEARANCE)
    paint_table(canvas, seen)
    return str(canvas)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_golden_decisions(moment, size):
    text = paint_decision(MOMENTS[moment](), size)
    golden_files.check_golden(f"bridge_{moment}_{size[0]}x{size[1]}.txt", text)


def create_box(game):
    return get_game_view("bridge").decision(game.view(), NAMES)


def test_bridge_and_eights_have_a_line_each():
    box = create_box(play_four("8C 8D 8H 8S AS"))
    assert [(group.heading, [option.label for option in group.options]) for group in box.groups] == [
        ("bridge", ["no", "no", "yes", "yes"]),
        ("8s", ["next", "share", "next", "share"]),
    ]
    combinations = ["eights next", "eights share", "bridge eights next", "bridge eights share"]
    assert list(map(str, box.actions)) == 2 * combinations
    for index, text in enumerate(map(str, box.actions)):
        rows = [box.options[row.options[0]] for row in box.list_rows(index)]
        assert {str(option.action) for option in rows} == {text}, "both lines show the same combination"
        bridge, eights = rows
        assert (bridge.label == "yes", eights.label == "share") == ("bridge" in text, "share" in text)
        assert str(box.actions[box.move_vertical(index, 1)]) == text


@pytest.mark.parametrize(
    ("hand", "options", "actions"),
    [
        ("8C 8D 8H 8S AS", {"eights": "share"}, "bridge, done"),
        ("9C 9D 9H 9S AS", {}, "bridge, done"),
        ("JC JD JH JS AS", {"jacks": "plus"}, "suit C, suit D, suit H, suit S, bridge"),
        ("JC JD JH JS AS", {}, "suit C, suit D, suit H, suit S, bridge jacks minus, bridge jacks plus"),
    ],
)
def test_decisions_that_exclude_each_other_are_a_list(hand, options, actions):
    game = start_session(**options).deal(hand).do(", ".join([f"play {card}" for card in hand.split()[:4]]))
    box = create_box(game)
    assert not box.is_joint
    assert set(map(str, box.actions)) == set(actions.split(", "))


@pytest.mark.parametrize(
    ("hand", "suit"), [("JC KD QD AH", "D"), ("JC JD KH QS AS", "S"), ("JC 6C AC KS", "C"), ("JS JH JD", "C")]
)
def test_cursor_starts_on_the_suit_held_most(hand, suit):
    box = create_box(start_session().deal(hand).do(f"play {hand[:2]}"))
    assert str(box.actions[box.start]) == f"suit {suit}"


def test_two_players_decide_about_bridge_only():
    box = create_box(start_session(2).deal("8C 8D 8H 8S AS").do("play 8C, play 8D, play 8H, play 8S"))
    assert set(map(str, box.actions)) == {"bridge", "done"}


@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("enter", ["eights next"]),
        ("down right enter", ["eights share"]),
        ("right down right enter", ["bridge", "eights share"]),
        ("right enter", ["bridge", "eights next"]),
        ("right right left up right left enter", ["eights next"]),
    ],
)
async def test_bridge_and_eights_are_confirmed_once(size, keys, lines):
    session = begin_session("8C 8D 8H 8S AS", 4)
    async with sit_at(session, size) as table:
        before = table.view
        await table.press(keys)
        await table.wait_until(lambda: list_later_actions(session)[: len(lines)] == lines)
        if "bridge" in lines:
            await table.wait_until(lambda: table.frame.stage is Stage.ROUND_END)
            await table.press("u enter")
            await table.wait_until(lambda: table.view == before)
            assert table.frame.decision.is_joint


@pytest.mark.parametrize(
    ("hand", "number", "pointed"),
    [("JC KC KD QS AH", 0, "QS"), ("6C JC KC QS AH", 1, "KC"), ("KC KD JC 7S 8S", 1, "KD"), ("JC JD 7C 8C 9C", 1, "")],
)
async def test_cursor_starts_on_a_card_to_get_rid_of(hand, number, pointed):
    async with sit_at(begin_session(hand, number)) as table:
        frame = table.frame
        assert pointed == ("" if frame.in_box else NAME[frame.hand.at])


async def test_second_enter_plays_the_pair():
    session = begin_session("KC KD JC 7S 8S", 0)
    async with sit_at(session) as table:
        await table.press("k enter")
        await table.wait_until(lambda: table.frame.view.played)
        await table.press("enter")
        await table.wait_until(
            lambda: "play KD" in [str(line.action) for line in select_lines(ActionLine, session.journal())]
        )


def list_later_actions(session):
    """Return the actions after the four that the session began with."""
    return [line.action for line in select_lines(ActionLine, session.journal())][4:]
