"""Play at the table screen, by keys and by mouse."""

import asyncio
import errno
from math import inf
from time import sleep
from types import SimpleNamespace

import pytest
from textual.events import Paste

from cardtable.engine.cards import iter_cards
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.log_entries import DEALT_AGAIN, Dealt, Drew
from cardtable.games import KEYS
from cardtable.games.bridge.rules.actions import DONE
from cardtable.session.robot_time_limit import StandInChosen
from cardtable.session.session_events import Stage
from cardtable.store import atomic_io, sessions
from cardtable.store.settings import Settings
from cardtable.ui.game_view.hand_cursor import PointCard, PointOption
from cardtable.ui.keys import input_guard
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import format_card
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    QUICK,
    InProcessRobotClient,
    TableApp,
    create_session,
    open_table,
    play_to_round,
    play_until,
    play_until_trick_pause,
    wait_for_input,
    wait_until,
)

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)


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


async def check_golden_in_sizes(pilot, app, name, sizes=(SMALL, LARGE, TINY)):
    """Compare the screen with its golden file in each size; leave it in the last one."""
    for size in sizes:
        await pilot.resize_terminal(*size)
        await pilot.pause()
        golden_files.check_golden(f"{name}_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_round_golden():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_bidding(frame) and frame.view.round == 6)
        await check_golden_in_sizes(pilot, app, "rikiki_bid")
        await play_until(pilot, app, lambda frame: is_following(frame) and frame.view.round == 6)
        await check_golden_in_sizes(pilot, app, "rikiki_follow")
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END and frame.view.round == 6)
        await check_golden_in_sizes(pilot, app, "rikiki_round_end")
        await pilot.press("s")
        await check_golden_in_sizes(pilot, app, "rikiki_sheet")


async def test_session_end_golden():
    app = TableApp(create_session("rikiki", 11, length="short"))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.SESSION_END)
        await check_golden_in_sizes(pilot, app, "rikiki_session_end", (SMALL, LARGE))
        assert app.table.session.path.parent.name == "archive"
        await pilot.press("enter")
        await pilot.pause()
        assert app.requests, "Enter leads back to the picker"


async def test_bridge_run_and_suit_choice_golden():
    app = TableApp(create_session("bridge", 5, seats=3))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.run > 1)
        await check_golden_in_sizes(pilot, app, "bridge_run")
        await play_until(pilot, app, lambda frame: frame.waiting and frame.decision)
        await check_golden_in_sizes(pilot, app, "bridge_suit")


async def test_turn_without_options_ends_automatically():
    app = TableApp(create_session("bridge", 5, seats=3))
    async with app.run_test(size=SMALL) as pilot:
        choices = []
        await play_until(pilot, app, lambda frame: choices.append(frame.view.legal) or frame.view.round > 2)
        assert (DONE,) not in choices


async def test_resumed_session_replays_messages_of_round():
    begun = create_session("rikiki", 11)
    app = TableApp(begun)
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_following(frame) and frame.view.round == 6)
        messages = list(app.table.frame.messages)
    app = TableApp(sessions.resume(begun.path))
    async with open_table(app, SMALL) as pilot:
        dealt = max(i for i, note in enumerate(messages) if isinstance(note, Dealt) and note.round == 6)
        assert app.table.frame.messages == tuple(messages[dealt:])


async def test_bridge_draw_golden_and_down_draws():
    app = TableApp(create_session("bridge", 5, seats=3))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and str(frame.view.legal) == "(Draw(),)")
        await check_golden_in_sizes(pilot, app, "bridge_draw", (SMALL, LARGE))
        before = len(app.table.frame.hand.cards)
        await pilot.press("down")
        await wait_for_input(pilot, app)
        assert len(app.table.frame.hand.cards) >= before, "Down draws"


async def test_two_digits_select_bid_of_ten():
    session = create_session("rikiki", 11)
    play_to_round(session, 11)
    app = TableApp(session)
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_bidding(frame) and frame.view.cards >= 11)
        await pilot.press("1", "0")
        assert app.table.frame.decision.options[app.table.frame.option].label == "10"
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.bids[app.view.seat] == 10


async def test_forbidden_bid_shows_reason():
    app = TableApp(create_session("rikiki", 0, hook="always"))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(
            pilot, app, lambda frame: is_bidding(frame) and any(o.action is None for o in frame.decision.options)
        )
        app.table.cursor.go_to_option(app.table.frame.decision.actions.index(None))
        await pilot.press("enter")
        assert "the bids can't total" in screen_text(app)
        assert app.view.bids[app.view.seat] is None


async def test_cursor_visits_playable_cards_and_shift_all():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_following(frame) and len(frame.view.legal) > 1)
        cursor = app.table.cursor
        for _ in range(len(cursor.hand.cards)):
            await pilot.press("right")
            assert cursor.hand.can_select(cursor.hand.at)
        await pilot.press(*["shift+right"] * len(cursor.hand.cards))
        while cursor.hand.can_select(cursor.hand.at):
            await pilot.press("shift+right")
        assert "You must follow" in screen_text(app)
        at = cursor.hand.at
        await pilot.press("enter")
        assert at in app.table.frame.hand.cards, "a card that may not be played stays"


async def test_rank_key_selects_rank():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and not frame.decision and len(frame.view.legal) > 2)
        cursor = app.table.cursor
        card = cursor.hand.cards[-1]
        await pilot.press("23456789tjqka"[card % 13])
        assert cursor.hand.at % 13 == card % 13


async def test_mouse_selects_then_bids_and_plays():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_bidding(frame) and frame.view.round == 3)
        view = app.table.query_one("#table")
        spot = next(s for s in view.canvas.hit_boxes if s.target == PointOption(1))
        await pilot.click(offset=(spot.x, spot.y))
        await pilot.click(offset=(spot.x, spot.y))
        await play_until(pilot, app, lambda frame: frame.waiting and not frame.decision and frame.view.round == 3)
        assert app.view.bids[app.view.seat] == 1
        card = next(c for c in reversed(app.table.frame.hand.cards) if app.table.frame.hand.can_select(c))
        spot = next(s for s in view.canvas.hit_boxes if s.target == PointCard(card))
        await pilot.click(offset=(spot.x, spot.y + 1))
        await pilot.click(offset=(spot.x, spot.y + 1))
        await wait_for_input(pilot, app)
        assert card not in app.table.frame.hand.cards


async def test_previous_trick_toggles():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(
            pilot,
            app,
            lambda frame: frame.waiting and not frame.decision and frame.view.last_trick and not is_bidding(frame),
        )
        table = screen_text(app)
        await pilot.press("l")
        assert "The previous trick" in screen_text(app)
        await pilot.press("l")
        assert screen_text(app) == table


async def test_take_back_restores_position():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_bidding(frame) and frame.view.round == 5)
        before = app.view
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view != before
        await pilot.press("u")
        await wait_until(pilot, lambda: app.view == before and app.table.frame.waiting)
        assert app.table.session.referee.undone > 0


async def test_take_back_stops_at_deal():
    app = TableApp(create_session("rikiki", 12))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_bidding(frame) and frame.view.round == 2)
        assert "u undo" not in screen_text(app), "the footer names no key that does nothing"
        await pilot.press("u")
        await pilot.pause()
        assert "Can't undo" in screen_text(app)
        assert app.table.session.referee.undone == 0


async def test_take_back_before_first_decision():
    app = TableApp(create_session("rikiki", 12))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, is_bidding)
        await pilot.press("u")
        await pilot.pause()
        assert "Nothing to undo yet" in screen_text(app)


async def test_take_back_stops_at_drawn_card():
    app = TableApp(create_session("rummy", 12, seats=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and not frame.view.drew)
        app.table.controller.submit(app.view.legal[0])
        await wait_until(pilot, lambda: app.table.frame.waiting and app.view.drawn is not None)
        drawn = app.view.drawn
        assert "u undo" not in screen_text(app), "the footer names no key that does nothing"
        await pilot.press("u")
        await pilot.pause()
        assert "Can't undo: you have seen what you drew" in screen_text(app)
        assert (app.view.drawn, app.table.session.referee.undone) == (drawn, 0)


async def test_help_messages_rules_and_leaving():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, SMALL) as pilot:
        await pilot.press("question_mark")
        assert "score sheet" in screen_text(app)
        assert "half a screen" not in screen_text(app), "there is nothing to scroll"
        await pilot.press("escape")
        await pilot.press("s")
        assert "Score sheet" in screen_text(app)
        assert "? help" not in screen_text(app), "any key closes the score sheet"
        await pilot.press("s", "m")
        assert "Messages" in screen_text(app)
        await pilot.press("escape", "i", "escape")
        await pilot.pause()
        assert [name for name, *_ in app.requests] == ["rules", "leave"]


async def test_resizing_at_any_moment():
    app = TableApp(create_session("bridge", 5, seats=4))
    async with app.run_test(size=SMALL) as pilot:
        for size in [(30, 8), (60, 18), (200, 60), (1, 1), (79, 24), (110, 36), (80, 23), LARGE]:
            await pilot.resize_terminal(*size)
            await pilot.press("enter")
            await pilot.pause()
        await pilot.resize_terminal(30, 8)
        await wait_until(pilot, lambda: "Window too small (30x8)." in screen_text(app))
        assert "Needs 60x18." in screen_text(app)


@pytest.mark.parametrize("opens", ["question_mark", "m", "s", "h", "l", "d", "m question_mark", "d question_mark"])
async def test_overlays_survive_every_size(opens):
    app = TableApp(create_session("gurka", 5), Settings(robot_pace=0, trick_pause=0, key_guard=0))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(
            pilot, app, lambda frame: frame.waiting and frame.scores and frame.game_view.previous_trick(frame.view)
        )
        await pilot.press(*opens.split())
        await wait_until(pilot, lambda: app.table.view.overlay)
        for size in [(30, 8), (60, 18), (200, 60), (1, 1), (5, 2), (79, 24), (2, 30), (60, 3), SMALL]:
            await pilot.resize_terminal(*size)
            await pilot.press("down", "pagedown", "up")
            await pilot.pause()


async def test_key_sheet_scrolls_at_least_size():
    app = TableApp(create_session("king", 5))
    async with open_table(app, (60, 18)) as pilot:
        await pilot.press("question_mark")
        assert "these keys" not in screen_text(app)
        await pilot.press("pagedown", "end")
        assert "these keys" in screen_text(app)
        assert "\u2193 more" not in screen_text(app)
        await pilot.press("home")
        above = screen_text(app)
        assert "\u2193 more" in above
        app.table.on_mouse_scroll_down(SimpleNamespace(x=0, y=0))
        await pilot.pause()
        assert screen_text(app) != above
        await pilot.press("x")
        assert "scroll" not in screen_text(app)


async def test_curtain_hides_hands_at_hot_seat():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.CURTAIN and frame.view.round == 5)
        text = screen_text(app)
        assert "'s turn" in text
        assert not any(
            format_card(one) in text for hand in app.table.session.referee.state.hands for one in iter_cards(hand)
        )
        await pilot.press("l")
        assert screen_text(app) == text, "no previous trick, and no hand below it"
        await pilot.press("question_mark")
        assert "any key closes" in screen_text(app)
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        assert app.view.seat == app.view.turn


async def test_first_player_also_meets_curtain():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with open_table(app, SMALL) as pilot:
        assert "Anna's turn" in screen_text(app)
        path = app.table.session.path
        await play_until(pilot, app, lambda frame: frame.waiting and frame.seat == 0 and len(frame.hand.cards) > 1)
    again = TableApp(sessions.resume(path))
    async with open_table(again, SMALL) as pilot:
        assert "Anna's turn" in screen_text(again)
        hands = again.table.session.referee.state.hands
        assert not any(format_card(one) in screen_text(again) for hand in hands for one in iter_cards(hand))


async def test_drawn_cards_are_hidden_from_other_players():
    app = TableApp(create_session("bridge", 11, seats=3, people=2))
    draws = set()
    async with app.run_test(size=SMALL) as pilot:

        def collect_draws(frame):
            if frame.waiting:
                draws.update((frame.seat, note.seat, note.cards) for note in frame.messages if isinstance(note, Drew))
            return frame.view.round == 3

        await play_until(pilot, app, collect_draws)
    assert {(0, 0, ()), (1, 1, ())}.isdisjoint(draws), "players see which cards they draw themselves"
    assert {cards for reader, seat, cards in draws if reader != seat} == {()}


async def test_key_that_ends_trick_pause_does_nothing_else():
    app = TableApp(create_session("rikiki", 11), Settings(robot_pace=0, trick_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        await play_until_trick_pause(pilot, app)
        decisions = app.table.session.referee.decisions
        assert "Enter continues" in screen_text(app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: not app.table.frame.shows_trick or app.table.controller.is_awaiting_input)
        assert app.table.session.referee.decisions == decisions


@pytest.mark.parametrize("seats", [2, 4])
async def test_whole_session_by_enter_alone(seats, home):
    app = TableApp(create_session("bridge", 8, seats=seats))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.SESSION_END)
        assert app.table.session.referee.turn == OVER
        assert app.table.session.path.parent.name == "archive"
        assert list((home / "sessions").glob("*.jsonl")) == []


async def test_resumed_session_restores_view():
    first = create_session("bridge", 9)
    app = TableApp(first)
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.round == 2)
        seen, path = app.view, first.path
    again = TableApp(sessions.resume(path))
    async with open_table(again, SMALL) as pilot:
        assert again.view == seen


async def test_resume_between_rounds_shows_round_end():
    first = create_session("rikiki", 11)
    app = TableApp(first)
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
        path = first.path
    again = TableApp(sessions.resume(path), QUICK)
    async with open_table(again, SMALL) as pilot:
        assert again.table.session.referee.turn == CHANCE
        assert "Round 1 is over" in screen_text(again)


async def test_round_clock_deals_round_again():
    app = TableApp(create_session("rikiki", 11, round_clock=10))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.round == 5)
        await wait_until(pilot, lambda: "9:5" in screen_text(app) or "10:00" in screen_text(app))
        hand, dealer = app.view.hand, app.view.dealer
        app.table.session.clocks._start_time -= 601
        await wait_until(pilot, lambda: app.view.hand != hand)
        await wait_for_input(pilot, app)
        assert app.view.round == 5
        assert app.view.dealer == dealer
        assert DEALT_AGAIN in app.table.frame.messages
        assert app.table.session.clocks.round_time_left > 590


async def test_play_continues_while_saving_fails(tmp_path, monkeypatch):
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, SMALL) as pilot:

        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("os.write", full)
            await pilot.press("enter")
            await wait_for_input(pilot, app)
            assert "No space left" in screen_text(app)
            assert app.table.session.referee.decisions > 0
        await pilot.press("f2")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        other = tmp_path / "other"
        await pilot.press("ctrl+u")
        app.screen.post_message(Paste(str(other)))
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.screen is app.table)
        assert "No space left" not in screen_text(app)
        again = sessions.resume(next(other.iterdir()))
        assert again.read_only_reason, "the copy is locked by this program"
        assert again.referee.decisions == app.table.session.referee.decisions


async def test_leaving_waits_for_pending_save(monkeypatch):
    whole = atomic_io.flush

    def slow(descriptor):
        sleep(0.1)
        whole(descriptor)

    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, SMALL):
        monkeypatch.setattr(atomic_io, "flush", slow)
        path, decisions = app.table.session.path, app.table.session.referee.decisions
        app.table.table_keys.action_commit()
        await asyncio.sleep(0.05)
        await app.pop_screen()
        again = sessions.resume(path)
        assert again.read_only_reason is None
        assert again.save_error is None
        assert again.referee.decisions > decisions  # robots may have answered already
        again.close()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)], ids=str)
async def test_enter_retries_failed_robot(size, monkeypatch):
    monkeypatch.setattr(input_guard, "BOUNCE_SECONDS", 0)
    robots = FailingRobots(failures=2)
    app = TableApp(create_session("rikiki", 11), Settings(robot_pace=0, trick_pause=0, key_guard=0), robots)
    async with open_table(app, size) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.robot_failed)
        assert "Enter try again  the robots' process does not" in screen_text(app).splitlines()[-1]
        await pilot.press("c", "right", "1")
        assert app.table.session.referee.decisions == 1
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.robot_failed and robots.request_count == 2)
        await pilot.pause()
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.session.referee.decisions > 1)
        assert "try again" not in screen_text(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)], ids=str)
async def test_notice_of_late_robot_lasts_until_next_decision(size):
    class Late(InProcessRobotClient):
        async def choose(self, request):
            if self.asked:
                return await super().choose(request)
            self.asked = True
            raise StandInChosen("Gurka (gurka-game 1.0) gave no move within 10 seconds", request.view.legal[-1])

        asked = False

    app = TableApp(create_session("gurka", 11), robot_client=Late())
    async with open_table(app, size) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.controller.robot_client.asked)
        await wait_for_input(pilot, app)
        assert screen_text(app).splitlines()[-1].strip().startswith("Gurka (gurka-game 1.0) gave no move")
        assert any("gave no move" in str(each) for each in app.table.controller.local.message_log.notes)
        await pilot.press("enter")
        await wait_until(pilot, lambda: "gave no move" not in screen_text(app).splitlines()[-1])


async def test_take_back_while_robot_fails():
    app = TableApp(create_session("rikiki", 11), robot_client=FailingRobots())
    async with open_table(app, SMALL) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.robot_failed)
        await pilot.press("u")
        await wait_until(pilot, lambda: app.table.session.referee.decisions == 0 and app.table.frame.waiting)


async def test_robot_failure_is_shown_and_nothing_is_lost():
    app = TableApp(create_session("rikiki", 11), robot_client=FailingRobots())
    async with open_table(app, SMALL) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: "the robots' process does not answer" in screen_text(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.requests)
        assert app.table.session.referee.decisions == 1


async def test_footer_keys_are_clickable():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, SMALL) as pilot:
        await pilot.click(offset=(74, 23))
        await wait_until(pilot, lambda: "any key closes" in screen_text(app))
        await pilot.click(offset=(40, 10))
        await wait_until(pilot, lambda: "any key closes" not in screen_text(app))
        sheet = screen_text(app).splitlines()[-1].index("s score")
        await pilot.click(offset=(sheet, 23))
        await wait_until(pilot, lambda: "Score sheet" in screen_text(app))


@pytest.mark.parametrize(
    ("key", "seats", "reason"), [("rikiki", 4, "Bid"), ("king", 4, "Name"), ("rummy", 2, "raw first")]
)
async def test_cards_explain_why_only_box_decides(key, seats, reason):
    app = TableApp(create_session(key, 11, seats=seats))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.decision and not frame.hand.selectable)
        await pilot.press("shift+right")
        assert reason in screen_text(app)
        assert app.table.frame.in_box
        await pilot.click(offset=(4, 20))
        assert reason in screen_text(app)
        before = app.view
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.view != before)


async def test_forbidden_card_is_not_replaced_by_only_legal_one():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.hand.selectable.bit_count() == 1)
        hand = app.table.frame.view.hand
        await pilot.press("shift+right")
        assert not app.table.frame.hand.can_select(app.table.frame.hand.at)
        await pilot.press("enter")
        assert app.table.frame.reason.startswith("You must follow")
        assert app.table.frame.view.hand == hand


async def test_digit_of_forbidden_bid_is_explained():
    app = TableApp(create_session("rikiki", 0, hook="always"))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_bidding(frame) and None in frame.decision.actions)
        wrong = app.table.frame.decision.actions.index(None)
        await pilot.press("9", str(wrong))
        assert f"You can't bid {wrong} – only " in screen_text(app)
        assert (app.table.frame.in_box, app.table.frame.option) == (True, wrong), "the cursor is on the forbidden bid"
        await pilot.press("9")
        assert "You can't bid 9 – only " in screen_text(app)
        assert app.table.frame.in_box


async def test_enter_after_forbidden_number_bids_nothing():
    app = TableApp(create_session("rikiki", 0))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, is_bidding)
        view = app.table.frame.view
        await pilot.press("9", "enter")
        assert app.table.frame.view is view
        assert "You can't bid 9 – only " in screen_text(app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.view is not view)


@pytest.mark.parametrize("game", KEYS)
def test_no_round_is_shown_before_first_deal(game):
    begun = create_session(game, 5)
    canvas = Canvas(80, 24, Preferences(QUICK).appearance)
    paint_table(canvas, TableApp(begun).table.frame)
    assert "round" not in str(canvas).lower()
    begun.close()


@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize("rules", [{}, {"open_hands": "on"}], ids=["rated", "open hands"])
async def test_take_back_warns_once_about_rating(size, rules):
    app = TableApp(create_session("ten_down", 7, **rules))
    notices = []
    async with open_table(app, size) as pilot:
        for _ in range(2):
            await pilot.press("enter")
            await wait_for_input(pilot, app)
            undone = app.table.session.referee.undone
            await pilot.press("u")
            await wait_until(pilot, lambda before=undone: app.table.session.referee.undone > before)
            await wait_for_input(pilot, app)
            notices.append("Undone: this session no longer counts" in screen_text(app))
    assert notices == [not rules, False]
