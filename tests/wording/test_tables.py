"""Titles of tables and results of the deal of the day."""

from pathlib import Path

import pytest

from cardtable.engine.journal import Header, Occupant
from cardtable.store.summaries import Summary
from cardtable.wording import tables

GUEST, ADA = Occupant("Guest"), Occupant("Ada", "steady")


def create_summary(
    state="open", *, seats=(ADA, GUEST), totals=(3, -1), ranks=None, rounds=None, name="", game="bridge", options=None
):
    header = Header(cardtable=3, id="one", game=game, created="", seed=1, options=options or {}, seats=seats)
    return Summary("one", Path("one.jsonl"), header, state, 9, totals, ranks, 0.0, None, name, rounds)


def test_round_number_with_total_if_fixed():
    assert tables.format_current_round(create_summary(rounds=28)) == "9 of 28"
    assert tables.format_current_round(create_summary()) == "9"


def test_title_with_name_of_the_table():
    assert tables.format_table_title(create_summary()) == "Bridge"
    assert tables.format_table_title(create_summary(name="Friday")) == 'Bridge "Friday"'


@pytest.mark.parametrize(
    ("deal", "result"),
    [
        (None, "not played yet"),
        (create_summary(rounds=10), "round 9 of 10"),
        (create_summary("abandoned"), "abandoned"),
        (create_summary("over", ranks=(2, 1)), "1st of 2, \u22121 points"),
        (create_summary("over", ranks=(1, 2), totals=(3, 1)), "2nd of 2, 1 point"),
    ],
)
def test_daily_result_has_place_and_points(deal, result):
    assert tables.format_daily_result(deal) == result


def test_abandonment_puts_people_last():
    assert tables.explain_abandonment(create_summary()) == "It moves to the archive as abandoned; you count as last."
    staked = create_summary(game="ten_down", options={"room": 50})
    assert "you count as last and lose your stake." in tables.explain_abandonment(staked)
    assert "stake" not in tables.explain_abandonment(create_summary(game="ten_down"))
    assert tables.explain_abandonment(create_summary(seats=(ADA, ADA))) == "It moves to the archive as abandoned."
