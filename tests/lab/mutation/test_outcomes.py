"""Outcomes of mutants, and the page that tells them."""

from tests.lab.mutation.outcomes import KILLS, PAGE, format_page, load_outcomes, load_verdicts


def test_page_is_current():
    """`python -m tests.lab.mutation --page` writes it again."""
    assert PAGE.read_text(encoding="utf-8") == format_page(load_outcomes(), load_verdicts())


def test_each_living_mutant_has_a_verdict():
    verdicts = load_verdicts()
    assert {verdict.kind for verdict in verdicts.values()} <= {"test", "equivalent", "harmless"}
    latest = {outcome.id: outcome for outcome in load_outcomes()}
    living = {id_ for id_, outcome in latest.items() if outcome.result not in KILLS}
    assert living - set(verdicts) == set()
    assert set(verdicts) - set(latest) == set(), "a verdict is on no mutant"
