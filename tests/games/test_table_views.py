"""Table screens of the games at chosen moments, compared with golden files; those of Rikiki are in tests/ui."""

import pytest

from cardtable.session.session_events import Stage
from tests.games.moments import add_to_meld, answer_offer, finish_neg_jar, name_contract, open_saved, play_until
from tests.ui.driver import LARGE, SIZES, SMALL, TINY, sit_at
from tests.ui.table_host import create_session

TWO = (SMALL, LARGE)


def at_round_end(frame):
    return frame.stage is Stage.ROUND_END


def at_session_end(frame):
    return frame.stage is Stage.SESSION_END


def at_end(frame):
    return at_round_end(frame) or at_session_end(frame)


def follows_suit(frame):
    """Return True in the middle of a trick of the second round, to which some cards cannot be played."""
    return (frame.waiting and not frame.decision and frame.view.trick and frame.view.round == 2
            and len(frame.view.legal) < len(frame.hand.cards))  # fmt: skip


def play_four_rounds():
    return play_until(create_session("rummy", 9, seats=2, limit=500), lambda table: len(table.scores) == 4)


MOMENTS = [
    # Session, golden files between the keys that lead to them, sizes, and the position that Enter is pressed for
    ("gurka-last-of-six", "=gurka_six", SIZES, None),
    (lambda: create_session("gurka", 3, level="steady"), "=gurka_ace", SIZES,
     lambda frame: frame.waiting and frame.view.bound),
    ("gurka-last-of-six", "=gurka_round_end s =gurka_sheet", TWO, at_end),
    ("gurka-last-of-six", "=gurka_session_end", TWO, at_session_end),
    (lambda: name_contract(13), "down =king_contract s =king_sheet_naming", SIZES, None),
    (lambda: name_contract(13), "s tab =king_contracts_left tab =king_sheet_naming", (SMALL, TINY), None),
    ("king-of-hearts", "=king_play", SIZES, None),
    ("king-of-hearts", "enter =king_round_end s =king_sheet", (SMALL,), None),
    (answer_offer, "=king_answer", SIZES, None),
    (finish_neg_jar, "=king_jar", TWO, None),
    ("rifki-girls", "=rifki_girls", SIZES, None),
    (lambda: create_session("rifki", 4), "down =rifki_declare enter =rifki_lead", SIZES,
     lambda frame: frame.waiting and frame.view.contract is None and frame.view.round > 4),
    ("rifki-girls", "=rifki_round_end s =rifki_sheet", TWO, at_round_end),
    ("rifki-girls", "s tab =rifki_contracts_left", (SMALL,), at_round_end),
    ("rummy-deep-pile", "5 =rummy_draw enter =rummy_must j space q space k space =rummy_meld", SIZES, None),
    (add_to_meld, "up =rummy_add", SIZES, None),
    (play_four_rounds, "=rummy_round_end s =rummy_sheet", TWO, None),
    ("ten_down-two-aces", "=ten_down_two_aces", SIZES, None),
    (lambda: create_session("ten_down", 11, room=500), "=ten_down_bid", SIZES,
     lambda frame: frame.waiting and frame.decision and frame.view.round == 3),
    (lambda: create_session("ten_down", 3, seats=2), "=ten_down_2_seats", TWO, follows_suit),
    (lambda: create_session("ten_down", 3, seats=3), "=ten_down_3_seats", (SMALL,), follows_suit),
    (lambda: create_session("ten_down", 11, room=5), "=ten_down_round_end s =ten_down_sheet", (SMALL,),
     lambda frame: at_round_end(frame) and frame.view.round == 3),
    (lambda: create_session("ten_down", 11, room=5), "=ten_down_session_end", (SMALL, TINY), at_session_end),
]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "steps", "condition", "size"),
    [
        pytest.param(start, steps, condition, size, id=f"{steps} {size}")
        for start, steps, sizes, condition in MOMENTS
        for size in sizes
    ],
)
async def test_golden_moments(start, steps, condition, size):
    session = open_saved(start) if isinstance(start, str) else start()
    session.clocks.set_time_source(lambda: 0.0)
    async with sit_at(session, size) as table:
        if condition:
            await table.play_until(condition)
        for step in steps.split():
            if step.startswith("="):
                table.check_golden(step[1:])
            else:
                await table.press(step)
                await table.wait_for_input()
