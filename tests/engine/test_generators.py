"""Which generator each outcome comes from: no deal depends on play, on a resume or on undo."""

from random import Random

import pytest

from cardtable.engine.chance import Deal, FirstSeatDraw, Trump
from tests.engine.toy import GAME, Options, Recorded, after_the_session, dealt

pytestmark = pytest.mark.promise("For maintainers", "No deal depends on play, undo or resuming.")


def drawn(seed, round_, voids, number, owed):
    """What the generator of (seed, round, voids, number of the outcome) gives for this kind."""
    state = GAME.start(2, Options())
    state.order, state.owed = (12, 25, 38, 51), owed
    return str(state.draw_chance(Random(f"{seed} {round_} {voids} {number}")))


def test_each_outcome_has_a_generator_of_its_own():
    table = dealt(77)
    table.keep(4)
    table.advance()
    table.void("clock")
    table.advance()
    assert table.chances() == [
        drawn(77, 0, 0, 0, FirstSeatDraw),
        drawn(77, 1, 0, 0, Deal),
        drawn(77, 1, 0, 1, Trump),
        drawn(77, 2, 0, 0, Deal),
        drawn(77, 2, 0, 1, Trump),
        drawn(77, 2, 1, 0, Deal),
        drawn(77, 2, 1, 1, Trump),
    ]


def test_deals_depend_neither_on_play_nor_on_undo_nor_on_a_resume():
    plain = after_the_session().chances()
    table = dealt()
    table.mix()
    table.keep(2)
    table.undo(1)
    table.keep(2)
    resumed = Recorded()
    for line in table.lines:
        resumed.apply_line(line)
    resumed.advance()
    assert [text for text in table.chances() + resumed.chances() if not text.startswith("shuffle")] == plain


def test_the_deal_after_a_void_depends_on_the_voids_of_its_round_only():
    def voided(rounds):
        table = dealt()
        for times in rounds:
            for _ in range(times):
                table.void("clock")
                table.advance()
            table.keep(4)
            table.advance()
        return [text for text in table.chances() if text.startswith("deal")]

    plain, first, second, twice = voided((0, 0)), voided((1, 0)), voided((0, 1)), voided((2, 1))
    assert first == [plain[0], first[1], plain[1]]
    assert second == [*plain, second[2]]
    assert twice == [plain[0], first[1], twice[2], plain[1], second[2]]
    assert len(set(twice)) == 5


def test_a_resumed_table_counts_voids_and_outcomes_of_its_round():
    def play(table):
        table.void("clock")
        table.advance()
        table.mix()

    def finish(table):
        table.mix()
        table.void("clock")
        table.advance()

    whole = dealt()
    play(whole)
    resumed = Recorded()
    for line in whole.lines:
        resumed.apply_line(line)
    known = len(whole.lines)
    finish(whole)
    finish(resumed)
    assert whole.lines[known:] == resumed.lines
