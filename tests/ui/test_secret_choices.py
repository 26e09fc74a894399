"""Table of a game in which seats choose at once: who is ready, who is awaited, and the cards chosen so far."""

import pytest

from cardtable.engine.cards import iter_cards
from cardtable.engine.referee import Referee
from cardtable.plain.position_text import describe_open_hands, describe_position
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.table.model.cursor import Cursor
from cardtable.wording.players import describe_seats_to_act, format_wait
from tests.toy import blind
from tests.toy.game_plugins import plug_in
from tests.ui.canvas_rendering import get_rows, render_default_view

SIZES = [(60, 18), (80, 24), (120, 40)]
NAMES = ("You", "Ada", "Bo", "Cy")


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, blind)


def choose(*seats, table=None):
    """Return the referee of a session in which these seats have chosen."""
    table = table or Referee(blind.GAME, 4, blind.Options(), 3)
    table.advance()
    for seat in seats:
        table.play(seat, table.view(seat).legal[0])
    return table


def paint(view, size, **fields):
    """Return the rows of the table screen."""
    return get_rows(render_default_view(blind.GAME, view, size, NAMES, **fields))


@pytest.mark.parametrize("size", SIZES)
def test_choosing_player_sees_ready_players(size):
    rows = paint(choose(1, 3).view(0), size, waiting=True)
    assert sum(row.count("ready") for row in rows) == 2
    assert any("Lay one or two cards away" in row or "Space mark" in row for row in rows)
    assert not any("Waiting" in row for row in rows)


@pytest.mark.parametrize("size", SIZES)
def test_ready_player_sees_awaited_players(size):
    rows = paint(choose(0, 1).view(0), size)
    assert any("Waiting for Bo and Cy" in row for row in rows)


def test_plain_text_names_ready_and_awaited_players():
    view = choose(0, 2).view(0)
    assert "Ready: You, Bo." in describe_position(blind.GAME, view, NAMES)
    assert format_wait(view, NAMES) == "Waiting for Ada and Cy"
    assert format_wait(choose(1).view(0), NAMES) == ""
    assert describe_seats_to_act(choose(0).view(1), NAMES) == "Ada, Bo and Cy are to choose"
    assert describe_seats_to_act(choose(0, 1, 2).view(0), NAMES) == "Cy is to act"


def test_plain_text_leaves_out_an_open_hand_with_a_secret_choice():
    table = choose(1)
    views = [table.view(1).public_view(), table.view(2)]
    assert [line.partition(":")[0] for line in describe_open_hands(blind.GAME, views, NAMES)] == ["Bo"]


def test_selected_cards_stay_selected_when_another_seat_chooses():
    table = choose()
    cursor = Cursor(blind.GAME, lambda: None, DefaultView(blind.GAME))
    view = table.view(0)
    cursor.update_hand(view, iter_cards(view.hand), view.legal)
    cursor.begin_decision(None)
    cursor.toggle_card()
    selected = cursor.hand.chosen
    assert selected
    choose(1, table=table)
    view = table.view(0)
    cursor.update_hand(view, iter_cards(view.hand), view.legal)
    assert cursor.hand.chosen == selected
    table.void("clock")
    table.advance()
    view = table.view(0)
    cursor.update_hand(view, iter_cards(view.hand), ())
    assert cursor.hand.chosen == 0
