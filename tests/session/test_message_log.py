"""What somebody missed, in few lines, and as everybody may read it."""

from datetime import UTC, datetime, timedelta

import pytest

from cardtable.engine.cards import card
from cardtable.engine.log_entries import (
    TAKEN_BACK,
    CustomLogEntry,
    Dealt,
    Drew,
    MadeBid,
    MadePoints,
    PlayedCard,
    Said,
    TookTrick,
)
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.session.message_log import LoggedMessage, MessageLog, merge_public_entries
from cardtable.wording.formatting import WINNER_MARK
from cardtable.wording.missed import format_heading, format_missed_events, format_time_since

NAMES = ("Anna", "Tom", "Bo", "Dee")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def heard(*notes, trick=0):
    return [LoggedMessage(note, trick) for note in notes]


def plays(seat, text, manner=""):
    return PlayedCard(seat, card(text), manner)


def test_a_trick_is_one_line_with_a_star_after_the_card_that_took_it():
    trick = heard(plays(1, "9C"), plays(2, "4C"), plays(3, "AC"), plays(0, "2C"), TookTrick(3), trick=5)
    lead = heard(plays(3, "KD", "leads"), plays(0, "3D", "lowest"), trick=6)
    assert format_missed_events([*trick, *lead], NAMES) == [
        ("Trick 5", f"Tom 9C, Bo 4C, Dee AC {WINNER_MARK}, Anna 2C"),
        ("Trick 6", "Dee leads KD, Anna 3D, the lowest"),
    ]


def test_who_took_a_trick_with_a_card_played_before_is_named():
    assert format_missed_events(heard(plays(1, "9C"), TookTrick(3), trick=5), NAMES) == [
        ("Trick 5", "Tom 9C; Dee takes it")
    ]
    assert format_missed_events(heard(TookTrick(3, last=True), trick=5), NAMES) == [("Trick 5", "Dee takes it")]
    assert format_missed_events(heard(TookTrick(3), trick=5), (*NAMES[:3], "You")) == [("Trick 5", "You take it")]


def test_what_a_trick_costs_is_told():
    cost = heard(plays(1, "9H"), plays(2, "4H"), TookTrick(2, cards=(card("4H"), card("9H"))), trick=2)
    assert format_missed_events(cost, NAMES) == [("Trick 2", "Tom 9H, Bo 4H; Bo takes 4H and 9H")]


def test_bids_and_the_points_of_a_round_are_one_line_each():
    bids = heard(MadeBid(1, 2), MadeBid(2, 0), trick=1)
    points = heard(MadePoints(0, 12, 3), MadePoints(1, -4, 3, 4), MadePoints(2, 0, 3, 4), trick=9)
    deal = heard(Dealt(None, 4, 4, card("QH")), trick=9)
    assert format_missed_events([*points, *deal, *bids], NAMES) == [
        ("Round 3", "Anna +12, Tom \u22124 ×4, Bo 0"),
        ("Round 4", "4 cards each, QH is turned up"),
        ("Bids", "Tom 2, Bo 0"),
    ]
    assert format_missed_events(heard(Dealt(None, 5)), NAMES) == [("Round 5", "is dealt")]


def test_a_long_turn_is_one_line():
    turn = heard(Drew(1, 1), plays(1, "9C"), plays(1, "9D"), CustomLogEntry(2, "is passed over", "are passed over"))
    assert format_missed_events(turn, NAMES) == [("Tom", "draws a card, plays 9C 9D"), ("Bo", "is passed over")]
    assert format_missed_events(turn, ("Anna", "You", "Bo", "Dee"))[0] == ("You", "draw a card, play 9C 9D")


def test_talk_stands_alone_whatever_it_says():
    talk = heard(Said(1, "bids 3"), Said(1, "9C"), CustomLogEntry(1, "drops {}", "drop {}", (card("9C"),)))
    assert format_missed_events(talk, NAMES) == [("Tom", "says: bids 3"), ("Tom", "says: 9C"), ("Tom", "drops 9C")]


def test_the_program_s_own_messages_are_about_nobody():
    assert format_missed_events(heard(TAKEN_BACK), NAMES) == [("", "taken back")]


def test_of_what_somebody_did_everybody_hears_what_the_others_saw():
    seven, two = card("7S"), (card("2H"), card("3H"))
    seen = {0: [Drew(0, 1, (seven,)), Drew(1, 2)], 1: [Drew(0, 1), Drew(1, 2, two)]}
    assert merge_public_entries(seen) == [Drew(0, 1), Drew(1, 2)]


def test_what_only_she_was_told_of_whom_it_is_about_nobody_else_hears():
    passes = CustomLogEntry(2, "passes", "pass")
    seen = {0: [passes, Drew(0, 3)], 1: [passes, Drew(1, 3)], 2: [passes]}
    assert merge_public_entries(seen) == [passes]
    assert merge_public_entries({seat: seen[seat] for seat in (2, 1)}) == [passes]


@pytest.mark.promise(
    "Hot seat and hidden cards",
    "At a hot seat a curtain hides all hands between turns and lists what has happened since the last turn.",
)
def test_news_begin_after_one_s_own_last_action():
    game = GAMES["rummy"]
    table, news = Referee(game, 2, game.options(), 7), MessageLog([0, 1])
    before = {seat: table.view(seat) for seat in (0, 1)}

    def hear(event):
        after = {seat: table.view(seat) for seat in (0, 1)}
        news.log_event(game, event, before, after, NOON)
        before.update(after)

    table.on_event = hear
    table.advance()
    me = table.turn
    assert format_heading(news.get_missed_messages(me, NOON)) == "So far"
    for kind in ("stock", "drop", "stock", "drop"):
        seat = table.turn
        table.play(seat, next(action for action in table.view(seat).legal if str(action).startswith(kind)))
    missed = news.get_missed_messages(me, NOON + timedelta(minutes=4))
    assert (format_heading(missed), format_time_since(missed)) == ("Since your last turn", "4 minutes ago")
    [(who, what)] = format_missed_events(missed.messages, NAMES)
    assert who == NAMES[1 - me]
    assert what.startswith("draws a card, drops ")


def test_the_one_trick_of_a_round_that_plays_itself_after_the_last_bid_is_the_first():
    game = GAMES["rikiki"]
    table, news = Referee(game, 4, game.options(), 7), MessageLog([0])
    before = {0: table.view(0)}

    def hear(event):
        after = {0: table.view(0)}
        news.log_event(game, event, before, after)
        before.update(after)

    table.on_event = hear
    table.advance()
    while table.turn >= 0:
        table.play(table.turn, table.view(table.turn).legal[0])
    assert [who for who, _ in format_missed_events(news.public_messages, NAMES) if who.startswith("Trick")] == [
        "Trick 1"
    ]
