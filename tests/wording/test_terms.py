"""Terms of a session at a club, clocks and lost seats in words."""

import pytest

from cardtable.engine.journal import PlayerClock, Terms
from cardtable.session.session_events import ClockLeft
from cardtable.wording import terms

RATED = Terms(rated=True, aids=False, clock=PlayerClock(30, 300))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, ""),
        (Terms(), "casual"),
        (RATED, "rated, 30 s + 5 min, no hints"),
        (Terms(clock=PlayerClock(20)), "casual, 20 s"),
        (Terms(aids=False, clock=PlayerClock(10, 90)), "casual, 10 s + 90 s, no hints"),
    ],
)
def test_terms_in_a_few_words(given, words):
    assert terms.format_terms(given) == words


def test_terms_in_sentences():
    assert terms.describe_terms(None) == []
    assert terms.describe_terms(Terms()) == ["it is not rated"]
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
