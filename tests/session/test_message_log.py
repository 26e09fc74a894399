"""Message log: missed messages in few lines, and the entries that every player may read."""

from datetime import UTC, datetime, timedelta

import pytest

from cardtable.engine.cards import card
from cardtable.engine.journal import SENTENCES, MarkLine
from cardtable.engine.log_entries import (
    CustomLogEntry,
    Dealt,
    Drew,
    MadeBid,
    MadePoints,
    PlayedCard,
    Said,
    SeatChanged,
    SystemLogEntry,
    TookTrick,
)
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.plain.speech_text import format_log_entries, format_log_entry
from cardtable.session.session_events import (
    MAX_TALK_LENGTH,
    LoggedMessage,
    MessageLog,
    create_line_entries,
    create_talk_entry,
    merge_public_entries,
)
from cardtable.wording.formatting import WINNER_MARK, YOU
from cardtable.wording.log_entries import SYSTEM_SENDER, format_messages
from cardtable.wording.missed import format_heading, format_missed_events, format_time_since

NAMES = ("Anna", "Tom", "Bo", "Dee")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def log_messages(*notes, trick=0):
    return [LoggedMessage(note, trick) for note in notes]


def make_play(seat, text, manner=""):
    return PlayedCard(seat, card(text), manner)


def test_trick_is_one_line_with_winner_marked():
    trick = log_messages(
        make_play(1, "9C"), make_play(2, "4C"), make_play(3, "AC"), make_play(0, "2C"), TookTrick(3), trick=5
    )
    lead = log_messages(make_play(3, "KD", "leads"), make_play(0, "3D", "lowest"), trick=6)
    assert format_missed_events([*trick, *lead], NAMES) == [
        ("Trick 5", f"Tom 9C, Bo 4C, Dee AC {WINNER_MARK}, Anna 2C"),
        ("Trick 6", "Dee leads KD, Anna plays 3D (lowest)"),
    ]


def test_taker_of_partly_missed_trick_is_named():
    assert format_missed_events(log_messages(make_play(1, "9C"), TookTrick(3), trick=5), NAMES) == [
        ("Trick 5", "Tom 9C; Dee takes it")
    ]
    assert format_missed_events(log_messages(TookTrick(3, last=True), trick=5), NAMES) == [("Trick 5", "Dee takes it")]
    assert format_missed_events(log_messages(TookTrick(3), trick=5), (*NAMES[:3], "You")) == [
        ("Trick 5", "You take it")
    ]


def test_missed_talk_of_a_spectator_names_them_once():
    talk = log_messages(Said(1, "Kay says: well"), Said(None, "Kay: I am: out"), Said(None, "hello"))
    assert format_missed_events(talk, NAMES) == [
        ("Tom", "says: Kay says: well"),
        ("Spectator", "Kay says: I am: out"),
        ("Somebody", "says: hello"),
    ]


def test_late_decision_is_a_message_of_its_own():
    """What a player did before and after the time was up is not one sentence with it."""
    notes = [make_play(0, "9C"), SystemLogEntry(0, "late"), make_play(0, "9D"), make_play(0, "9S")]
    assert [message.text for message in format_messages(notes, NAMES, joins=True)] == [
        "plays 9C",
        "has no time left: a robot decides",
        "plays 9D 9S",
    ]


@pytest.mark.parametrize("joins", [True, False])
def test_spectator_never_looks_like_a_seated_player(joins):
    forged = [Said(None, "Kay: Tom: I pass"), Said(None, "Tom: I pass"), Said(1, "I pass")]
    assert [each[:2] for each in format_messages(forged, NAMES, joins=joins)] == [
        ("Spectator", "Kay: Tom: I pass"),
        ("Spectator", "Tom: I pass"),
        ("Tom:", "I pass"),
    ]


def test_bids_and_points_keep_the_name_of_who_made_them():
    notes = [
        MadeBid(1, 2),
        MadePoints(1, 12, 3),
        MadeBid(3, 0),
        SeatChanged(None, "Cy", "steady", "Tom", 1),
        SeatChanged(None, "Ada", "steady", "Dee", 3),
        MadeBid(1, 1),
        SeatChanged(None, "Dee", None, "Ada", 3),
        MadeBid(3, 4),
    ]
    messages = format_messages(notes, ("Anna", "Tom's robot", "Bo", YOU), joins=True)
    assert [(each.sender, each.text) for each in messages if not each.quiet] == [
        ("Tom", "bids 2"),
        ("Tom", "+12 in round 3"),
        (YOU, "bid 0"),
        ("Tom's robot", "bids 1"),
        (YOU, "bid 4"),
    ]
    assert [*format_log_entries(notes[:2] + notes[3:4], ("Anna", "Cy", "Bo", YOU))] == [
        "Tom bids 2.",
        "Points: Tom plus 12.",
        "Cy, a steady robot, takes Tom's seat.",
    ]


def test_spectator_may_say_as_much_as_a_player():
    words = "x" * MAX_TALK_LENGTH
    assert create_talk_entry(f"Kay: {words}", None) == Said(None, f"Kay: {words}")
    assert create_talk_entry(f"{words}x", 1) == Said(1, f"{words[:-1]}…")


def test_bids_and_points_are_one_line_each():
    bids = log_messages(MadeBid(1, 2), MadeBid(2, 0), trick=1)
    points = log_messages(MadePoints(0, 12, 3), MadePoints(1, -4, 3, 4), MadePoints(2, 0, 3, 4), trick=9)
    deal = log_messages(Dealt(None, 4, 4, card("QH")), trick=9)
    assert format_missed_events([*points, *deal, *bids], NAMES) == [
        ("Round 3", "Anna +12, Tom \u22124 ×4, Bo 0"),
        ("Round 4", "4 cards each, QH is turned up"),
        ("Bids", "Tom 2, Bo 0"),
    ]
    assert format_missed_events(log_messages(Dealt(None, 5)), NAMES) == [("Round 5", "is dealt")]


def test_a_long_turn_is_one_line():
    turn = log_messages(
        *(Drew(1, 1), Drew(1, 2), make_play(1, "9C"), make_play(1, "9D"), CustomLogEntry(1, "goes out", "go out")),
        CustomLogEntry(2, "is skipped", "are skipped"),
    )
    assert format_missed_events(turn, NAMES) == [
        ("Tom", "draws 3 cards, plays 9C 9D and goes out"),
        ("Bo", "is skipped"),
    ]
    assert format_missed_events(turn, ("Anna", "You", "Bo", "Dee"))[0] == ("You", "draw 3 cards, play 9C 9D and go out")


def test_talk_is_never_merged_with_actions():
    talk = log_messages(Said(1, "bids 3"), Said(1, "9C"), CustomLogEntry(1, "discards {}", "discard {}", (card("9C"),)))
    assert format_missed_events(talk, NAMES) == [("Tom", "says: bids 3"), ("Tom", "says: 9C"), ("Tom", "discards 9C")]


@pytest.mark.parametrize(("mark", "text"), SENTENCES.items())
def test_mark_has_no_sender_and_talk_of_the_same_words_has_one(mark, text):
    [entry] = create_line_entries(MarkLine(mark))
    assert format_messages([entry], NAMES, joins=True) == [(SYSTEM_SENDER, text, True)]
    assert format_log_entry(entry, NAMES) == text
    for said, seat in ((text, None), (f"Kay: {text}", None), (text, 1)):
        [(sender, _, quiet)] = format_messages([create_talk_entry(said, seat)], NAMES, joins=True)
        assert sender not in (SYSTEM_SENDER, f"{SYSTEM_SENDER}:")
        assert not quiet
        assert format_log_entry(create_talk_entry(said, seat), NAMES) != text


def test_merged_entries_hide_drawn_cards():
    seven, two = card("7S"), (card("2H"), card("3H"))
    seen = {0: [Drew(0, 1, (seven,)), Drew(1, 2)], 1: [Drew(0, 1), Drew(1, 2, two)]}
    assert merge_public_entries(seen) == [Drew(0, 1), Drew(1, 2)]


def test_merged_entries_omit_private_entries():
    passes = CustomLogEntry(2, "passes", "pass")
    seen = {0: [passes, Drew(0, 3)], 1: [passes, Drew(1, 3)], 2: [passes]}
    assert merge_public_entries(seen) == [passes]
    assert merge_public_entries({seat: seen[seat] for seat in (2, 1)}) == [passes]


def test_missed_messages_begin_after_own_last_action():
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
    [(name, line)] = format_missed_events(missed.messages, NAMES)
    assert name == NAMES[1 - me]
    assert line.startswith("draws a card and discards ")


def test_forced_trick_after_last_bid_is_trick_1():
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
    assert [name for name, _ in format_missed_events(news.public_messages, NAMES) if name.startswith("Trick")] == [
        "Trick 1"
    ]
