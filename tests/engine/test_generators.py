"""Random generators of the chance outcomes: no deal depends on play, resuming or undo."""

from random import Random

from cardtable.engine.chance import Deal, FirstSeatDraw, Trump
from tests.engine.toy import GAME, Options, RecordingReferee, deal_first_round


def draw_outcome(seed, round_, voids, number, owed):
    """Return the outcome of this kind from the generator of (seed, round, voids, number of the outcome)."""
    state = GAME.start(2, Options())
    state.order, state.owed = (12, 25, 38, 51), owed
    return str(state.draw_chance(Random(f"{seed} {round_} {voids} {number}")))


def test_each_outcome_has_its_own_generator():
    table = deal_first_round(77)
    table.keep(4)
    table.advance()
    for _ in range(2):
        table.void("clock")
        table.advance()
    assert table.list_outcomes() == [
        draw_outcome(77, 0, 0, 0, FirstSeatDraw),
        draw_outcome(77, 1, 0, 0, Deal),
        draw_outcome(77, 1, 0, 1, Trump),
        draw_outcome(77, 2, 0, 0, Deal),
        draw_outcome(77, 2, 0, 1, Trump),
        draw_outcome(77, 2, 1, 0, Deal),
        draw_outcome(77, 2, 1, 1, Trump),
        draw_outcome(77, 2, 2, 0, Deal),
        draw_outcome(77, 2, 2, 1, Trump),
    ]


def test_resumed_referee_counts_voids_and_outcomes():
    def play(table):
        table.void("clock")
        table.advance()
        table.mix()

    def finish(table):
        table.mix()
        table.void("clock")
        table.advance()

    whole = deal_first_round()
    play(whole)
    resumed = RecordingReferee.replay(whole.lines)
    known = len(whole.lines)
    finish(whole)
    finish(resumed)
    assert whole.lines[known:] == resumed.lines
