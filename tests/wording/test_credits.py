"""Sentences about credits: stake, pot, payouts."""

import pytest
from msgspec.structs import replace

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import credit_ledger, profiles
from cardtable.store.session_setup import SessionSetup
from cardtable.wording.players import describe_payouts, describe_stake, describe_ties

TEN_DOWN = GAMES["ten_down"]


def create_header(*nicks, room=50):
    seats = tuple([Occupant(nick, None if nick in ("Anna", "Tom") else "random") for nick in nicks])
    session = SessionSetup(TEN_DOWN, seats, TEN_DOWN.options(room=room), 1, random_seating=False).begin()
    session.close()
    return session.header


@pytest.fixture(autouse=True)
def registered_players():
    for nick in ("Anna", "Tom"):
        profiles.register(nick)


def test_room_stake_and_pot():
    assert (
        describe_stake(create_header("Anna", "Tom", "Bo")) == "Room 50: everyone stakes 50 credits, and the pot is 150."
    )
    assert describe_stake(create_header("Anna", "Bo", room="training")) == ""


@pytest.mark.parametrize(
    ("ranks", "lines"),
    [
        ((1, 2, 3), ["You take the pot of 150 credits.", "You win 100 credits, and now have 1100."]),
        ((3, 2, 1), ["Bo takes the pot of 150 credits.", "You lose 50 credits, and now have 950."]),
    ],
)
def test_pot_winner_and_change_of_credits(ranks, lines):
    begun = create_header("Anna", "Ada", "Bo")
    assert [*describe_payouts(begun, ranks, ("You", "Ada", "Bo"))] == lines
    assert [*describe_payouts(create_header("Anna", "Bo", room="training"), (1, 2), ("You", "Bo"))] == []


@pytest.mark.parametrize(
    ("arrivals", "ranks", "reason"),
    [
        ((2, 0, 1), (2, 3, 1), "A tie goes to whoever came to the table first: Bo before you."),
        ((), (2, 3, 1), "A tie goes to the lower seat: Bo before you."),
    ],
)
def test_reason_why_a_tie_is_decided(arrivals, ranks, reason):
    state = TEN_DOWN.start(3, TEN_DOWN.options())
    state.totals, state.taken, names = (44, 50, 44), (14, 9, 14), ("You", "Ada", "Bo")
    head = replace(create_header("Anna", "Ada", "Tom", room="training"), arrivals=arrivals)
    assert [*describe_ties(head, state.view(0), ranks, names)] == [reason]
    state.totals = (44, 50, 45)
    assert [*describe_ties(head, state.view(0), ranks, names)] == []


def test_payout_of_several_players_with_a_gift():
    tom = profiles.find("Tom")
    poorer = profiles.Transaction(profiles.format_now(), "before", "lost", 52 - tom.credits)
    profiles.PROFILES.update(lambda store: credit_ledger._add_transactions(store, tom, [poorer]))
    assert [*describe_payouts(create_header("Anna", "Tom"), (1, 2), ("Anna", "Tom"))] == [
        "Anna takes the pot of 100 credits.",
        "Anna wins 50 credits, and now has 1050.",
        "Tom loses 50 credits, and now has 100, including a gift of 98.",
    ]
