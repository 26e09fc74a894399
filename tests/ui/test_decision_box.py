"""Decision box: rows, movement of the cursor, and the sign of a list that is too long."""

import re

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import card
from cardtable.engine.tricks import PLAY
from cardtable.ui.game_view.decision import Decision, Group, Option, create_bid_row, create_list_decision
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.hand_cursor import PointOption
from tests.toy import eights
from tests.toy.game_plugins import plug_in
from tests.ui.canvas_rendering import NAMES, make_view_frame, render_table
from tests.ui.driver import SIZES
from tests.ui.positions import deal_cards

ACTION = PLAY[card("AS")]


def create_options(*labels):
    numbers = [label.split()[0] for label in labels]
    return tuple(
        Option(label, ACTION, number=int(number) if number.isdigit() else None)
        for label, number in zip(labels, numbers, strict=True)
    )


BIDS = Decision("Your bid", (Group(create_options(*map(str, range(8))), columns=5),))
CONTRACTS = Decision(
    "Your contract",
    (
        Group(create_options("No Tricks", "No Hearts")),
        Group(create_options("Neg Jar")),
        Group(create_options("clubs", "diamonds", "hearts"), columns=2, heading="Two positive"),
    ),
)
OFFER = Decision(
    "Offer", (Group(create_options(*map(str, range(1, 37))), heading="I take", single_shown=True),), start=11
)
LIST = create_list_decision("Your turn", create_options("done", "bridge", "draw"))


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, eights)


@pytest.mark.parametrize(
    ("decision", "at", "rows"),
    [
        (BIDS, 0, [(0, 1, 2, 3, 4), (5, 6, 7)]),
        (CONTRACTS, 0, [(0,), (1,), None, (2,), None, "Two positive", (3, 4), (5,)]),
        (OFFER, 30, [(30,)]),
    ],
    ids=["bids in a grid", "groups with gaps and headings", "one row of numbers"],
)
def test_rows(decision, at, rows):
    assert [line.options or (line.group and line.group.heading) for line in decision.list_rows(at)] == rows


@pytest.mark.parametrize(
    ("decision", "at", "left", "right", "up", "down"),
    [
        (BIDS, 0, 0, 1, 0, 5),
        (BIDS, 4, 3, 5, 4, 7),
        (BIDS, 7, 6, 7, 2, 7),
        (CONTRACTS, 0, None, None, 0, 1),
        (CONTRACTS, 1, None, None, 0, 2),
        (CONTRACTS, 2, None, None, 1, 3),
        (CONTRACTS, 3, 3, 4, 2, 5),
        (CONTRACTS, 4, 3, 5, 2, 5),
        (CONTRACTS, 5, 4, 5, 3, 5),
        (LIST, 0, None, None, 2, 1),
        (LIST, 2, None, None, 1, 0),
        (OFFER, 11, 10, 12, 12, 10),
        (OFFER, 0, 0, 1, 1, 0),
        (OFFER, 35, 34, 35, 35, 34),
    ],
)
def test_arrows_move_between_options(decision, at, left, right, up, down):
    assert decision.move_horizontal(at, -1) == left
    assert decision.move_horizontal(at, 1) == right
    assert decision.move_vertical(at, -1) == up
    assert decision.move_vertical(at, 1) == down


def test_find_number():
    assert OFFER.find_number("12", 0) == 11
    assert OFFER.find_number("37", 0) is None
    adding = create_list_decision("Add", create_options("2 KS", "2 9S", "4 7D"))
    assert [adding.find_number("2", at) for at in (0, 1, 2)] == [1, 0, 0], "equal numbers in turn"
    assert adding.find_number("4", 0) == 2


def bid(*able):
    options = tuple([Option(str(n), ACTION if n in able else None, number=n) for n in range(8)])
    return Decision("Your bid", (Group(options, columns=5),), commit="bid")


@pytest.mark.parametrize(
    ("decision", "number", "text"),
    [
        (bid(0, 1, 2, 3, 4, 5), "9", "You can't bid 9 – only 0 to 5"),
        (bid(0, 1, 2, 4, 5, 6), "3", "You can't bid 3 – only 0 to 2 or 4 to 6"),
        (bid(0, 2, 3, 5, 6, 7), "1", "You can't bid 1 – only 0, 2, 3 or 5 to 7"),
        (bid(1), "8", "You can't bid 8 – only 1"),
        (OFFER, "0", "You can't choose 0 – only 1 to 36"),
        (LIST, "2", "No numbers here: choose with the arrow keys"),
    ],
)
def test_invalid_number_explains_valid_range(decision, number, text):
    assert decision.explain_invalid_number(number) == text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("note", ["", "the note below"])
@pytest.mark.parametrize("title", ["Your choice", "What you say to this offer"])
@pytest.mark.parametrize("at", [0, 20, 59])
def test_long_list_names_its_visible_part(size, note, title, at):
    decision = create_list_decision(title, create_options(*[f"say {number}" for number in range(1, 61)]))
    text = paint_box(size, replace(decision, note=note), at)
    first, last, count = map(int, re.search(r"(\d+)–(\d+) of (\d+)\b", text).groups())
    visible = [int(number) for number in re.findall(r"\bsay (\d+)", text)]
    assert visible == list(range(first, last + 1))
    assert at + 1 in visible
    assert count == 60
    assert note in text


def paint_box(size, decision, at):
    state, game_view = deal_cards(eights.GAME), DefaultView(eights.GAME)
    about = {"game_view": game_view, "decision": decision, "waiting": True, "in_box": True, "option": at}
    return str(render_table(make_view_frame(eights.GAME, state.view(state.turn), NAMES[:4], **about), size))


@pytest.mark.parametrize("size", SIZES)
def test_row_of_bids_shows_where_more_follow(size):
    state, bids = deal_cards(eights.GAME), create_bid_row(create_options(*map(str, range(30))), 0)
    for option, before, after in ((0, "", "›"), (15, "‹", "›"), (29, "‹", "")):
        about = {"decision": bids, "waiting": True, "in_box": True, "option": option}
        frame = make_view_frame(eights.GAME, state.view(state.turn), NAMES[:4], **about)
        canvas = render_table(frame, size)
        signs = [(spot.target.index, canvas.chars[spot.y][spot.x]) for spot in canvas.hit_boxes
                 if isinstance(spot.target, PointOption) and canvas.chars[spot.y][spot.x] in "‹›"]  # fmt: skip
        assert "".join(sign for _, sign in signs) == before + after
        assert option not in [index for index, _ in signs]


@pytest.mark.parametrize("size", SIZES)
def test_long_message_reads_on_below_the_bids(size):
    text = "the coach speaks up after each mistake and coached games do not count in any of the rankings"
    state, decision = deal_cards(eights.GAME), create_bid_row(create_options(*map(str, range(8))), 0)
    about = {"game_view": DefaultView(eights.GAME), "decision": decision, "waiting": True, "in_box": True}
    frame = make_view_frame(eights.GAME, state.view(state.turn), NAMES[:4], reason=text, **about)
    seen = [word for word in re.findall(r"[a-z]+", str(render_table(frame, size))) if word in text.split()]
    assert text in " ".join(seen)


@pytest.mark.parametrize("size", SIZES)
def test_cut_choice_is_whole_below_the_box(size):
    words = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "iota")
    decision = create_list_decision("Your choice", create_options(" ".join(words), "draw"))
    visible = [all(word in paint_box(size, decision, at) for word in words) for at in (0, 1)]
    assert visible == [True, False]
