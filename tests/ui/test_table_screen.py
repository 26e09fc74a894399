"""Play at the table screen, by keys and by mouse."""

import asyncio
import errno
from math import inf
from time import sleep

import pytest

from cardtable.engine.cards import BIT, QUEEN, RANK, RANKS
from cardtable.engine.drawing import DRAW
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE
from cardtable.engine.log_entries import Dealt, TookTrick
from cardtable.games import GAMES, KEYS
from cardtable.games.bridge.rules.actions import DONE
from cardtable.session.session_events import RobotChoice, Stage
from cardtable.store import atomic_io, sessions
from cardtable.store.settings import Settings
from cardtable.ui.keys import input_guard
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from tests.ui.canvas_rendering import render_table
from tests.ui.driver import LARGE, SMALL, TINY, at_table, sit_at
from tests.ui.table_host import (
    InProcessRobotClient,
    TableApp,
    create_session,
    play_to_round,
)


class FailingRobots(InProcessRobotClient):
    """Robots that fail the first `failures` times, by default always; `request_count` counts their requests."""

    def __init__(self, failures=inf):
        super().__init__()
        self.failures, self.request_count = failures, 0

    async def choose(self, request):
        self.request_count += 1
        if self.request_count <= self.failures:
            raise CardtableError("the robots' process does not answer")
        return await super().choose(request)


def is_bidding(frame):
    return frame.waiting and frame.decision is not None


def is_following(frame):
    return frame.waiting and not frame.decision and len(frame.view.legal) < len(frame.hand.cards) and frame.view.trick


async def test_round_golden():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.play_until(lambda frame: is_bidding(frame) and frame.view.round == 6)
        await table.check_golden_in_sizes("rikiki_bid")
        await table.play_until(lambda frame: is_following(frame) and frame.view.round == 6)
        await table.check_golden_in_sizes("rikiki_follow")
        await table.play_until(lambda frame: frame.stage is Stage.ROUND_END and frame.view.round == 6)
        await table.check_golden_in_sizes("rikiki_round_end")
        await table.press("s")
        await table.check_golden_in_sizes("rikiki_sheet")


@pytest.mark.parametrize(("key", "options"), [("rikiki", {"length": "short"}), ("bridge", {"seats": 2})])
async def test_whole_session_by_enter_alone(key, options, home):
    async with sit_at(create_session(key, 11, **options)) as table:
        await table.play_until(lambda frame: frame.stage is Stage.SESSION_END)
        if key == "rikiki":
            await table.check_golden_in_sizes("rikiki_session_end", (SMALL, LARGE))
        assert table.screen.session.path.parent == home / "archive"
        assert not list((home / "sessions").glob("*.jsonl"))
        await table.press("enter")
        assert table.app.requests, "Enter leads back to the picker"


async def test_bridge_run_and_suit_choice_golden():
    async with sit_at(create_session("bridge", 5, seats=3)) as table:
        await table.play_until(lambda frame: frame.waiting and frame.view.run > 1)
        await table.check_golden_in_sizes("bridge_run")
        await table.play_until(lambda frame: frame.waiting and frame.decision)
        await table.check_golden_in_sizes("bridge_suit")


async def test_turn_without_options_ends_automatically():
    async with sit_at(create_session("bridge", 5, seats=3)) as table:
        choices = []
        await table.play_until(lambda frame: choices.append(frame.view.legal) or frame.view.round > 2)
        assert (DONE,) not in choices


async def test_bridge_draw_golden_and_enter_draws():
    async with sit_at(create_session("bridge", 5, seats=3)) as table:
        await table.play_until(lambda frame: frame.waiting and str(frame.view.legal) == "(Draw(),)")
        await table.check_golden_in_sizes("bridge_draw", (SMALL, LARGE))
        await table.press("space")
        await table.sees("Press Enter to draw")
        await table.press_and_play("enter")
        assert table.frame.messages[-1] is not None


async def test_two_digits_select_bid_of_ten():
    session = create_session("rikiki", 11)
    play_to_round(session, 11)
    async with at_table(TableApp(session)) as table:
        await table.play_until(lambda frame: is_bidding(frame) and frame.view.cards >= 11)
        for keys, bid in [
            ("1", "1"),
            ("0", "10"),
            ("0", "0"),
            ("1", "1"),
            ("left", "0"),
            ("1 left 0", "0"),
            ("1 0", "10"),
        ]:
            await table.press(keys)
            assert table.frame.decision.options[table.frame.option].label == bid, keys
        await table.press("enter")
        await table.wait_for_input()
        assert table.view.bids[table.view.seat] == 10


async def test_cursor_visits_playable_cards_and_shift_all():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.play_until(lambda frame: is_following(frame) and len(frame.view.legal) > 1)
        cursor = table.screen.cursor
        for _ in range(len(cursor.hand.cards)):
            await table.press("right")
            assert cursor.hand.can_select(cursor.hand.at)
        await table.press(*["shift+right"] * len(cursor.hand.cards))
        while cursor.hand.can_select(cursor.hand.at):
            await table.press("shift+right")
        await table.sees("You must follow")
        at = cursor.hand.at
        await table.press("enter")
        assert at in table.frame.hand.cards, "a card that may not be played stays"


async def test_previous_trick_toggles():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.play_until(
            lambda frame: frame.waiting and not frame.decision and frame.view.last_trick and not is_bidding(frame)
        )
        before = table.text
        await table.press("l")
        await table.sees("The previous trick")
        await table.press("l")
        assert table.text == before


async def test_take_back_restores_position():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.play_until(lambda frame: is_bidding(frame) and frame.view.round == 5)
        before = table.view
        await table.press("enter")
        await table.wait_for_input()
        assert table.view != before
        await table.press("u escape")
        assert table.referee.undone == 0
        await table.press("u enter")
        await table.wait_until(lambda: table.view == before and table.frame.waiting)
        assert table.referee.undone > 0


async def check_undo_is_refused(table, reason):
    view = table.view
    assert "u undo" not in table.text, "the footer names no key that does nothing"
    await table.press("u")
    await table.sees(reason)
    assert (table.view, table.referee.undone) == (view, 0)


@pytest.mark.parametrize(("round_number", "reason"), [(1, "Nothing to undo yet"), (2, "Can't undo")])
async def test_take_back_stops_at_deal(round_number, reason):
    async with sit_at(create_session("rikiki", 12)) as table:
        await table.play_until(lambda frame: is_bidding(frame) and frame.view.round == round_number)
        await check_undo_is_refused(table, reason)


async def test_take_back_stops_at_drawn_card():
    async with sit_at(create_session("rummy", 12, seats=2)) as table:
        await table.play_until(lambda frame: frame.waiting and not frame.view.drew)
        table.screen.controller.submit(table.view.legal[0])
        await table.wait_until(lambda: table.frame.waiting and table.view.drawn is not None)
        await check_undo_is_refused(table, "Can't undo: you have seen a new card")


async def test_key_that_ends_trick_pause_does_nothing_else():
    async with sit_at(create_session("rikiki", 11), settings=Settings(robot_pace=0, trick_pause="key")) as table:
        await table.play_until_trick_pause()
        decisions = table.decisions
        await table.sees("Enter continues")
        await table.press("enter")
        await table.wait_until(lambda: not table.frame.shows_trick or table.screen.controller.is_awaiting_input)
        assert table.decisions == decisions


@pytest.mark.parametrize("key", [key for key in KEYS if GAMES[key].has_tricks])
async def test_messages_end_with_the_trick_on_the_table(key):
    async with sit_at(create_session(key, 11), settings=Settings(robot_pace=0, trick_pause="key")) as table:
        shown = []
        while not table.frame.is_round_over and table.frame.stage is not Stage.SESSION_END:
            if table.frame.shows_trick:
                assert isinstance(table.frame.messages[-1], TookTrick)
                shown.append(sum(isinstance(note, TookTrick) for note in table.frame.messages))
            table.commit()
            view = table.view
            await table.wait_until(lambda view=view: table.view is not view or not table.frame.shows_trick)
            await table.wait_until(lambda: table.screen.controller.is_awaiting_input or table.frame.shows_trick)
        assert shown == [*range(1, shown[-1] + 1)]


async def test_resume_between_rounds_shows_round_end():
    session = create_session("rikiki", 11)
    async with sit_at(session, until=lambda frame: frame.stage is Stage.ROUND_END):
        pass
    async with sit_at(sessions.resume(session.path)) as table:
        assert table.referee.turn == CHANCE
        await table.sees("Round 1 is over")


async def test_resumed_session_has_view_and_messages_of_its_round():
    session = create_session("rikiki", 11)
    async with sit_at(session, until=lambda frame: is_following(frame) and frame.view.round == 6) as table:
        view, messages = table.view, table.frame.messages
    dealt = max(i for i, note in enumerate(messages) if isinstance(note, Dealt))
    async with sit_at(sessions.resume(session.path)) as table:
        assert (table.view, table.frame.messages) == (view, messages[dealt:])


async def test_play_continues_while_saving_fails(tmp_path, monkeypatch):
    async with sit_at(create_session("rikiki", 11)) as table:

        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("os.write", full)
            await table.press("enter")
            await table.wait_for_input()
            await table.sees("No space left")
            assert table.decisions > 0
        await table.press("f2")
        await table.is_at(Dialog)
        await table.press("ctrl+u")
        await table.paste(str(tmp_path / "other"))
        await table.press("enter")
        await table.is_at(TableScreen)
        assert "No space left" not in table.text
        again = sessions.resume(next((tmp_path / "other").iterdir()))
        assert again.read_only_reason, "the copy is locked by this program"
        assert again.referee.decisions == table.decisions


async def test_leaving_waits_for_pending_save(monkeypatch):
    whole = atomic_io.flush

    def slow(descriptor):
        sleep(0.1)
        whole(descriptor)

    async with sit_at(create_session("rikiki", 11)) as table:
        monkeypatch.setattr(atomic_io, "flush", slow)
        path, decisions = table.screen.session.path, table.decisions
        table.screen.table_keys.action_commit()
        await asyncio.sleep(0.05)
        await table.app.pop_screen()
        again = sessions.resume(path)
        assert again.read_only_reason is None
        assert again.save_error is None
        assert again.referee.decisions > decisions  # robots may have answered already
        again.close()


async def test_enter_retries_failed_robot(monkeypatch):
    monkeypatch.setattr(input_guard, "BOUNCE_SECONDS", 0)
    robots = FailingRobots(failures=2)
    async with sit_at(
        create_session("rikiki", 11), settings=Settings(robot_pace=0, trick_pause=0, key_guard=0), robot_client=robots
    ) as table:
        await table.press("enter")
        await table.wait_until(lambda: table.frame.robot_failed)
        async for _ in table.in_sizes():
            assert "Enter try again  the robots' process does not" in table.rows[-1]
        await table.press("c right 1")
        assert table.decisions == 1
        await table.press("enter")
        await table.wait_until(lambda: table.frame.robot_failed and robots.request_count == 2)
        await table.press("enter")
        await table.wait_until(lambda: table.decisions > 1)
        assert "try again" not in table.text


async def test_undo_and_leaving_while_a_robot_fails():
    async with sit_at(create_session("rikiki", 11), robot_client=FailingRobots()) as table:
        await table.press("enter")
        await table.sees("the robots' process does not answer")
        await table.press("u enter")
        await table.wait_until(lambda: table.decisions == 0 and table.frame.waiting)
        await table.press("enter")
        await table.wait_until(lambda: table.frame.robot_failed)
        await table.press("escape")
        await table.wait_until(lambda: table.app.requests)
        assert table.decisions == 1


async def test_notice_of_late_robot_lasts_until_next_decision():
    class Late(InProcessRobotClient):
        async def choose(self, request):
            if self.asked:
                return await super().choose(request)
            self.asked = True
            notice = "Gurka (gurka-game 1.0) gave no answer within 10 seconds"
            return RobotChoice(request.view.legal[-1], notice=notice)

        asked = False

    async with sit_at(create_session("gurka", 11), robot_client=Late()) as table:
        await table.press("enter")
        await table.wait_until(lambda: table.screen.controller.robot_client.asked)
        await table.wait_for_input()
        async for _ in table.in_sizes():
            assert table.rows[-1].strip().startswith("Gurka (gurka-game 1.0) gave no answer")
        assert any("gave no answer" in str(each) for each in table.screen.controller.local.message_log.notes)
        await table.press("enter")
        await table.wait_until(lambda: "gave no answer" not in table.rows[-1])


@pytest.mark.parametrize(
    ("key", "seats", "reason"), [("rikiki", 4, "Bid"), ("king", 4, "Name"), ("rummy", 2, "raw first")]
)
async def test_cards_explain_why_only_box_decides(key, seats, reason):
    async with sit_at(create_session(key, 11, seats=seats)) as table:
        await table.play_until(lambda frame: frame.decision and not frame.hand.selectable)
        await table.press("shift+right")
        await table.sees(reason)
        assert table.frame.in_box
        await table.click(4, 20)
        await table.sees(reason)
        before = table.view
        await table.press("enter")
        await table.wait_until(lambda: table.view != before)


async def test_forbidden_card_is_not_replaced_by_only_legal_one():
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and frame.hand.selectable.bit_count() == 1)
        hand = table.frame.view.hand
        await table.press("shift+right")
        assert not table.frame.hand.can_select(table.frame.hand.at)
        await table.press("enter")
        assert table.frame.reason.startswith("You must follow")
        assert table.frame.view.hand == hand


def list_forbidden_ranks(frame):
    """Return the keys of the ranks of which the hand has no card that may be played."""
    allowed = {RANK[card] for card in frame.hand.cards if frame.hand.can_select(card)}
    return [RANKS[RANK[card]].lower() for card in frame.hand.cards if RANK[card] not in allowed]


async def test_rank_key_of_a_forbidden_card_plays_no_other():
    async with sit_at(create_session("gurka", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and list_forbidden_ranks(frame))
        view, key = table.view, list_forbidden_ranks(table.frame)[0]
        await table.press(key)
        assert RANKS[RANK[table.frame.hand.at]].lower() == key
        await table.press("enter")
        assert table.frame.reason == table.frame.game.explain_illegal(view, BIT[table.frame.hand.at])
        assert table.view is view


async def test_forced_draw_needs_only_enter_after_any_card():
    async with sit_at(create_session("bridge", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and frame.view.legal == (DRAW,))
        await table.press("shift+right")
        assert table.frame.hand.at is not None
        await table.press_and_play("enter")


async def test_key_of_the_queen_says_how_to_leave():
    async with sit_at(create_session("gurka", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and QUEEN not in [RANK[card] for card in frame.hand.cards])
        await table.press("q")
        await table.sees("You hold no queen. Esc leaves the table")
        await table.play_until(lambda frame: frame.stage is Stage.ROUND_END)
        await table.press("q")
        await table.sees("Esc leaves the table")


async def test_trick_of_one_card_each_stays_until_a_key():
    async with sit_at(create_session("rikiki", 11), settings=Settings(robot_pace=0, trick_pause=0.01)) as table:
        await table.press("enter")
        await table.sees("the trick.", "Enter continues")
        assert len(table.view.trick) == 4
        await table.press("enter")
        await table.wait_until(lambda: table.frame.stage is Stage.ROUND_END)


async def test_forbidden_bid_shows_reason():
    async with sit_at(create_session("rikiki", 0, hook="always")) as table:
        await table.play_until(lambda frame: is_bidding(frame) and None in frame.decision.actions)
        view, wrong = table.view, table.frame.decision.actions.index(None)
        await table.press("9", str(wrong))
        assert table.find_row("You bid ?").split()[3:][: view.cards + 1] == [*map(str, range(view.cards + 1))], (
            "bids beside the plate"
        )
        await table.sees(f"You can't bid {wrong} – only ")
        assert (table.frame.in_box, table.frame.option) == (True, wrong), "the cursor is on the forbidden bid"
        await table.press("enter")
        await table.sees(f"Not {wrong}: the bids can't")
        await table.press("9 enter")
        await table.sees("You can't bid 9 – only ")
        assert table.view is view
        await table.press("0 enter")
        await table.wait_until(lambda: table.view is not view)


@pytest.mark.parametrize("game", KEYS)
def test_no_round_is_shown_before_first_deal(game):
    begun = create_session(game, 5)
    assert "round" not in str(render_table(TableApp(begun).table.frame)).lower()
    begun.close()


@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize(
    ("rules", "asked"),
    [({}, True), ({"open_hands": "on"}, False), ({"nick": "Guest"}, False)],
    ids=["rated", "open hands", "guest"],
)
async def test_take_back_asks_once_before_a_session_no_longer_counts(size, rules, asked):
    questions = []
    async with sit_at(create_session("ten_down", 7, **rules), size) as table:
        for _ in range(2):
            await table.press("enter")
            await table.wait_for_input()
            undone = table.referee.undone
            await table.press("u")
            questions.append("no longer counts" in table.text and table.referee.undone == undone)
            if questions[-1]:
                await table.press("enter")
            await table.wait_until(lambda before=undone: table.referee.undone > before)
            await table.wait_for_input()
    assert questions == [asked, False]


async def test_low_panel_says_that_the_session_is_no_longer_rated():
    async with sit_at(create_session("king", 3), until=lambda frame: frame.waiting and frame.view.trick) as table:
        await table.press_and_play("enter")
        await table.wait_for_input()
        await table.press("u enter")
        await table.wait_until(lambda: table.referee.undone and table.frame.waiting)
        await table.sees("— no longer rated")


async def test_take_back_asks_between_rounds_too():
    async with sit_at(create_session("rikiki", 11), until=lambda frame: frame.is_round_over) as table:
        await table.press("u")
        await table.sees("Undo?", "Enter yes")
        await table.press("escape")
        assert (table.referee.undone, table.referee.round) == (0, 1)
        await table.press("u enter")
        await table.wait_until(lambda: table.referee.undone and table.frame.waiting)
        assert table.referee.round == 1
