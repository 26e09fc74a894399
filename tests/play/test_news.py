"""What somebody missed, in few lines, and as everybody may read it."""

from datetime import UTC, datetime, timedelta

from cardtable.engine.contract import Note
from cardtable.engine.table import Table
from cardtable.games import GAMES
from cardtable.play.news import STAR, News, Told, by_all, lines
from cardtable.wording.words import Said

NAMES = ("Anna", "Tom", "Bo", "Dee")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def told(*notes, trick=0):
    return [Told(Note(seat, text), trick) for seat, text in notes]


def test_a_trick_is_one_line_with_a_star_after_the_card_that_took_it():
    trick = told((1, "9C"), (2, "4C"), (3, "AC"), (0, "2C"), (3, "takes the trick"), trick=5)
    lead = told((3, "KD"), (0, "3D"), trick=6)
    assert lines([*trick, *lead], NAMES) == [
        ("Trick 5", f"Tom 9C, Bo 4C, Dee AC {STAR}, Anna 2C"),
        ("Trick 6", "Dee KD, Anna 3D"),
    ]


def test_who_took_a_trick_with_a_card_played_before_is_named():
    assert lines(told((1, "9C"), (3, "takes the trick"), trick=5), NAMES) == [("Trick 5", "Tom 9C; Dee takes it")]
    assert lines(told((3, "takes the last trick"), trick=5), NAMES) == [("Trick 5", "Dee takes it")]


def test_what_a_trick_costs_is_told():
    cost = told((1, "9H"), (2, "4H"), (2, "takes 4H and 9H"), trick=2)
    assert lines(cost, NAMES) == [("Trick 2", "Tom 9H, Bo 4H; Bo takes 4H and 9H")]


def test_bids_and_the_points_of_a_round_are_one_line_each():
    bids = told((1, "bids 2"), (2, "bids 0"), trick=1)
    points = told((0, "+12 in round 3"), (1, "-4 in round 3"), trick=9)
    deal = told((None, "round 4: 4 cards each, QH is turned up"), trick=9)
    assert lines([*points, *deal, *bids], NAMES) == [
        ("Round 3", "Anna +12, Tom -4"),
        ("Round 4", "4 cards each, QH is turned up"),
        ("Bids", "Tom 2, Bo 0"),
    ]


def test_a_long_turn_is_one_line():
    turn = told((1, "draws a card"), (1, "9C"), (1, "9D"), (2, "is passed over"))
    assert lines(turn, NAMES) == [("Tom", "draws a card, plays 9C 9D"), ("Bo", "is passed over")]


def test_talk_stands_alone_whatever_it_says():
    talk = [Told(Said(1, "bids 3"), 0), Told(Said(1, "9C"), 0), *told((1, "drops 9C"))]
    assert lines(talk, NAMES) == [("Tom", "says: bids 3"), ("Tom", "says: 9C"), ("Tom", "drops 9C")]


def test_the_program_s_own_messages_begin_with_stars():
    assert lines(told((None, "taken back")), NAMES) == [("****", "taken back")]


def test_of_what_somebody_did_everybody_hears_what_the_others_saw():
    seen = {0: [Note(0, "draws 7S"), Note(1, "draws 2 cards")], 1: [Note(0, "draws a card"), Note(1, "draws 2H 3H")]}
    assert by_all(seen) == [Note(0, "draws a card"), Note(1, "draws 2 cards")]


def test_news_begin_after_one_s_own_last_action():
    game = GAMES["rummy"]
    table, news = Table(game, 2, game.options(), 7), News([0, 1])
    before = {seat: table.view(seat) for seat in (0, 1)}

    def hear(event):
        after = {seat: table.view(seat) for seat in (0, 1)}
        news.hear(game, event, before, after, NOON)
        before.update(after)

    table.watch = hear
    table.go_on()
    me = table.turn
    assert news.missed(me, NOON).heading == "So far"
    for kind in ("stock", "drop", "stock", "drop"):
        seat = table.turn
        table.play(seat, next(action for action in table.view(seat).legal if str(action).startswith(kind)))
    missed = news.missed(me, NOON + timedelta(minutes=4))
    assert (missed.heading, missed.ago) == ("Since your last turn", "4 minutes ago")
    [(who, what)] = lines(missed.told, NAMES)
    assert who == NAMES[1 - me]
    assert what.startswith("draws a card, drops ")


def test_the_one_trick_of_a_round_that_plays_itself_after_the_last_bid_is_the_first():
    game = GAMES["rikiki"]
    table, news = Table(game, 4, game.options(), 7), News([0])
    before = {0: table.view(0)}

    def hear(event):
        after = {0: table.view(0)}
        news.hear(game, event, before, after)
        before.update(after)

    table.watch = hear
    table.go_on()
    while table.turn >= 0:
        table.play(table.turn, table.view(table.turn).legal[0])
    assert [who for who, _ in lines(news.told, NAMES) if who.startswith("Trick")] == ["Trick 1"]
