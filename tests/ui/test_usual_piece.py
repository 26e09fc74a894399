"""The table, and the words of plain lines, of a game that has no part for them: shown with games that have."""

from random import Random

import pytest

from cardtable.engine.cards import NAME
from cardtable.games import GAMES, KEYS
from cardtable.plain import facts
from cardtable.testing.sessions import positions
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.kit.usual_piece import usual_piece
from cardtable.ui.table.paint.table_view import paint_table
from tests.laws.sessions import CASES_OF
from tests.ui.painted import LOOK, NAMES, framed, rows

SIZES = [(60, 18), (80, 24), (120, 40)]


def looked_at(key):
    """Some views of who is to act."""
    rng = Random(key)
    for position in positions(CASES_OF[key][0], 1):
        if position.state.turn >= 0 and rng.random() < 0.03:
            yield position.state.view(position.state.turn)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", KEYS)
def test_it_can_be_played_from_every_position(key, size):
    game, shape = GAMES[key], usual_piece(GAMES[key])
    for view in looked_at(key):
        shown = framed(game, view, piece=shape, decision=shape.decision(view, NAMES[: len(view.totals)]))
        canvas = Canvas(*size, LOOK)
        paint_table(canvas, shown)
        assert game.about.title in rows(canvas)[0]
        said = [option.action for option in shown.decision.options] if shown.decision else []
        assert {*said, *[action for action in view.legal if action.uses()]} == set(view.legal)


@pytest.mark.parametrize("key", KEYS)
def test_what_lies_open_is_told_in_plain_lines(key, monkeypatch):
    monkeypatch.setattr(facts, "part", lambda *_: None)
    game = GAMES[key]
    for view in looked_at(key):
        told = " ".join(facts.situation(game, view, NAMES[: len(view.totals)]))
        for zone in game.scene(view):
            if zone.seat is None and zone.name not in ("trick", "hand"):
                for card in [card for card in zone.cards[-1:] if card is not None]:
                    assert facts.card(card) in told, (zone.name, NAME[card])
