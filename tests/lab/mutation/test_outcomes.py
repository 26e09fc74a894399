"""Outcomes of mutants."""

from tests.lab.mutation.outcomes import KILLS, load_outcomes, load_verdicts


def test_each_living_mutant_has_a_verdict():
    verdicts = load_verdicts()
    assert {verdict.kind for verdict in verdicts.values()} <= {"test", "equivalent", "harmless"}
    latest = {outcome.id: outcome.result for outcome in load_outcomes()}
    living = {id_ for id_, result in latest.items() if result not in KILLS}
    assert living - set(verdicts) == set()
    assert set(verdicts) - set(latest) == set(), "a verdict is on no mutant"
