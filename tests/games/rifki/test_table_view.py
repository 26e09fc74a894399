"""Table screen of Rifki: contracts and the numbers left, direction of play, cards taken."""

import pytest

from cardtable.games.rifki.plain_text import PLAIN_TEXT
from cardtable.games.rifki.rules import RifkiContract
from cardtable.games.rifki.table_view import TABLE_VIEW
from cardtable.ui.game_view.hand_cursor import NO_CURSOR, CursorState
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from tests.games.rifki.test_rules import play_round, start_contract, start_session
from tests.ui.canvas_rendering import APPEARANCE, get_rows, make_view_frame
from tests.ui.driver import SMALL

NAMES = ("You", "Ada", "Bo", "Cy")


def paint_text(view, size=SMALL):
    """Paint the table from a view, as text."""
    canvas = Canvas(*size, APPEARANCE)
    paint_table(canvas, make_view_frame(start_contract("kiz").game, view))
    return "\n".join(get_rows(canvas))


def test_contract_is_explained_until_first_lead():
    game = start_session().deal(number=13)
    assert "Kiz" not in paint_text(game.view(1)), "nothing is declared"
    text = paint_text(game.do("contract kiz").view(1))
    assert "\u2212100 for a queen" in text
    assert "a queen" not in paint_text(game.do(game.legal()[-1]).view(1)).split("\n")[6]


@pytest.mark.parametrize(
    ("contract", "options", "explanation"),
    [
        ("kupa", {}, "No heart may be led until one was discarded."),
        ("rifki", {"hearts_unlock": "any"}, "No heart may be led until one was played."),
        ("spades", {}, "must trump when you can't follow suit, even below a trump in it."),
        (
            "spades",
            {"must_overruff": "on"},
            "must trump when you can't follow suit, above the trumps in it if you can.",
        ),
    ],
)
def test_contract_explanation_follows_house_rules(contract, options, explanation):
    view = start_session(**options).deal(number=13).do(f"contract {contract}").view()
    mat = compute_layout(*SMALL).mat
    words = " ".join(row[mat.x + 1 : mat.right] for row in paint_text(view).split("\n")).split()
    assert explanation in " ".join(words)


def test_contract_under_cursor_is_explained():
    view = start_session().deal(number=13).view(0)
    for contract in [action for action in view.legal if isinstance(action, RifkiContract)]:
        canvas = Canvas(*SMALL, APPEARANCE)
        TABLE_VIEW.middle(canvas, compute_layout(*SMALL), view, CursorState(contract, in_box=True), NAMES)
        title = TABLE_VIEW.decision(view, NAMES).options[view.legal.index(contract)].label.split(" ")[0]
        assert title in "\n".join(get_rows(canvas))


def test_decision_box_counts_contracts_left():
    game = play_round(play_round(play_round(start_session(), "kiz"), "kiz"), "clubs")
    decision = TABLE_VIEW.decision(game.deal(number=13).view(1), ("Ada", "You", "Cy", "Bo"))
    assert decision.marks == ("Y", "C", "B", "A")
    negative, koz = decision.groups
    assert (negative.marks, koz.marks) == (("3", "3", "2", "2"), ("2", "1", "2", "2"))
    assert [option.effect for option in negative.options][:3] == ["2 left", "0 left", "2 left"]
    kiz = negative.options[1]
    assert (kiz.action, kiz.note) == (None, "Kiz has been played twice already")


def test_short_session_shows_remaining_contracts():
    game = start_session(length="short")
    for contract in ("kiz", "spades", "clubs", "clubs"):
        play_round(game, contract)
    view = game.deal(number=13).view(0)
    assert TABLE_VIEW.header(view).round == "round 5 of 12"
    negative, koz = TABLE_VIEW.decision(view, NAMES).groups
    assert (negative.marks[0], koz.marks) == ("1", ("1", "0", "0", "0"))
    left = {row.label: row.values for row in TABLE_VIEW.contracts_left(view)}
    assert (left["Negative"][0], left["Koz"][0], left["Kiz"]) == ("●·", "●", ("●·",))
    assert next(PLAIN_TEXT.contracts_left(view)) == "1 negative, 1 Koz"


def test_roles_at_plates():
    view = start_session().deal(number=13).view(2)
    assert [TABLE_VIEW.plate(view, seat).role for seat in range(4)] == ["declarer", "dealer", "cuts", ""]
    view = start_session(direction="clockwise").deal(number=13).view(2)
    assert [TABLE_VIEW.plate(view, seat).role for seat in range(4)] == ["declarer", "", "cuts", "dealer"]


@pytest.mark.parametrize(("direction", "has_arrows"), [("counter-clockwise", True), ("clockwise", False)])
def test_arrows_show_counter_clockwise_play(direction, has_arrows):
    text = paint_text(start_contract("kiz", first=1, direction=direction).view(0))
    assert ("play goes" in text) == has_arrows
    assert [sign in text for sign in "\u2199\u2196\u2198\u2197"] == [has_arrows] * 4


@pytest.mark.parametrize(
    ("game", "prompt"),
    [
        (start_contract("kiz", "QS 5S", "KS", first=1).do("play KS"), ("Play QS:", "a higher spade was played")),
        (start_contract("kiz", "6S 5S", "KS", first=1).do("play KS"), ("Follow spades.", "QS is still out")),
        (start_contract("kiz", "QS 5S", "TS", first=1).do("play TS"), ("Follow spades.", "")),
        (
            start_contract("erkek", "KD JD 3D", "AD", first=1).do("play AD"),
            ("Play KD or JD:", "a higher diamond was played"),
        ),
    ],
)
def test_prompt_names_duty(game, prompt):
    assert TABLE_VIEW.prompt(game.view(), NO_CURSOR) == prompt
