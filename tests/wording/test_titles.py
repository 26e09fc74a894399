"""Titles, tables and terms in words."""

from pathlib import Path

import pytest

from cardtable.engine.cards import HEARTS, KING
from cardtable.engine.game import CardsTitle, Contract, EndingTitle, HighTitle
from cardtable.engine.journal import Header, Occupant, PlayerClock, Terms
from cardtable.games.king.rules.actions import CONTRACTS
from cardtable.games.rifki.rules import NEGATIVE_CONTRACTS, TRUMP_CONTRACTS
from cardtable.session.session_events import ClockLeft
from cardtable.store.summaries import Summary
from cardtable.wording import tables, terms
from cardtable.wording.formatting import describe_title, format_round_title
from cardtable.wording.statistics import parse_contract


@pytest.mark.parametrize(
    ("title", "text", "sign", "words"),
    [
        (CardsTitle(10, HEARTS), "10H", "10♥", "10 cards, hearts are trump"),
        (CardsTitle(13, no_trump=True), "13", "13–", "13 cards, no trump"),
        (CardsTitle(1), "1", "1", "1 card"),
        (Contract("Trump", HEARTS), "Trump H", "Trump ♥", "Trump hearts"),
        (Contract("No Queens", short="Queens"), "No Queens", "No Queens", "No Queens"),
        (EndingTitle("out"), "out", "out", ""),
        (EndingTitle("bridge", 3), "bridge ×3", "bridge ×3", ""),
        (HighTitle(KING, HEARTS), "KH", "K high", ""),
        (HighTitle(KING), "K high", "K high", ""),
    ],
)
def test_round_titles(title, text, sign, words):
    assert (str(title), format_round_title(title), describe_title(title)) == (text, sign, words)


def test_short_names_of_contracts():
    titles = [Contract("No Queens", short="Queens"), Contract("No Trump"), Contract("Trump", HEARTS)]
    assert [format_round_title(title, short=True) for title in titles] == ["Queens", "No Trump", "Trump ♥"]


@pytest.mark.parametrize("one", [*CONTRACTS, *NEGATIVE_CONTRACTS, *TRUMP_CONTRACTS], ids=str)
def test_contract_is_parsed_from_its_text(one):
    parsed = parse_contract(str(one.named))
    assert (parsed.name, parsed.trump) == (one.named.name, one.named.trump) == (one.named.name, one.trump)


# --- titles of tables and results of the deal of the day


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


# --- terms of a session at a club, clocks and lost seats in words


RATED = Terms(rated=True, aids=False, clock=PlayerClock(30, 300))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, ""),
        (Terms(), ""),
        (RATED, "rated, 30 s + 5 min, no hints"),
        (Terms(clock=PlayerClock(20)), "20 s"),
        (Terms(aids=False, clock=PlayerClock(10, 90)), "10 s + 90 s, no hints"),
    ],
)
def test_terms_in_a_few_words(given, words):
    assert terms.format_terms(given) == words


def test_terms_in_sentences():
    assert terms.describe_terms(None) == []
    assert terms.describe_terms(Terms()) == []
    assert terms.describe_terms(RATED) == [
        "it is rated",
        "each player has 30 seconds for a decision, and 5 minutes in reserve",
        "there are no hints and no last deal before its end",
    ]


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (ClockLeft(24.9, 300), "0:24"),
        (ClockLeft(0, 277), "+4:37"),
        (ClockLeft(9, 300), "0:09"),
        (ClockLeft(9, 0), "0:09!"),
        (ClockLeft(0, 9), "+0:09!"),
    ],
)
def test_clock_is_marked_before_it_runs_out(left, text):
    assert terms.format_clock_left(left) == text


def test_clock_in_words():
    assert (
        terms.describe_clock_left(ClockLeft(1, 61)) == "1 second for a decision, and 1 minute and 1 second in reserve"
    )


def test_loss_fits_the_seat():
    assert terms.format_loss("clock") == "lost on time"
    assert [terms.format_loss(reason, 8) for reason in ("clock", "left")] == ["lost", "left"]
