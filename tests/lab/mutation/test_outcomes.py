"""Outcomes of mutants, and the page that tells them."""

from tests.lab.mutation import outcomes
from tests.lab.mutation.outcomes import KILLS, PAGE, Outcome, Result, Verdict, format_page, load_outcomes, load_verdicts


def create_outcome(**changes):
    values = {
        "id": "1a2b3c4d",
        "module": "cardtable/engine/cards.py",
        "line": 7,
        "operator": "AddNot",
        "before": "if wins:",
        "after": "if not wins:",
        "result": Result.SURVIVED,
        "test": "",
        "seconds": 1.5,
        "tests": 20,
        "fingerprint": "abc",
    }
    return Outcome(**{**values, **changes})


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


def test_outcomes_are_stored_and_loaded(tmp_path):
    file = tmp_path / "outcomes.jsonl"
    stored = [create_outcome(), create_outcome(id="2", result=Result.KILLED, test="tests/engine/test_cards.py::test_x")]
    for outcome in stored:
        outcomes.store_outcome(outcome, file)
    assert load_outcomes(file) == stored


def test_figures_are_those_of_the_latest_outcomes():
    page = format_page(
        [
            create_outcome(),
            create_outcome(result=Result.KILLED),
            create_outcome(id="2", module="cardtable/store/paths.py", result=Result.HUNG),
            create_outcome(id="3", module="cardtable/store/paths.py", result=Result.TIME_LIMIT),
        ],
        {},
    )
    assert "| `cardtable/engine/` | 1 | 1 | 0 | 0 | 0 | 0 | 100.0% |" in page
    assert "| `cardtable/store/` | 2 | 0 | 1 | 0 | 1 | 0 | 50.0% |" in page
    assert "| all | 3 | 1 | 1 | 0 | 1 | 0 | 66.7% |" in page


def test_mutants_are_listed_with_their_verdicts():
    verdicts = {
        "1a2b3c4d": Verdict("test", "A test of wins is missing."),
        "2": Verdict("equivalent", "Nobody wins."),
    }
    page = format_page([create_outcome(), create_outcome(id="2"), create_outcome(id="3")], verdicts)
    _, _, same = page.partition("## Not killed, without a difference")
    assert "Nobody wins." in same
    _, _, missing = page.partition("## Not killed, and a test is missing")
    assert "- `1a2b3c4d` cardtable/engine/cards.py:7, AddNot, survived" in missing
    assert "- mutant: `if not wins:`" in missing
    _, _, unread = page.partition("## Not killed, and not looked at")
    assert "`3`" in unread


def test_mutant_killed_by_a_test_written_for_it():
    verdicts = {"1a2b3c4d": Verdict("test", "A test of wins was missing.")}
    page = format_page([create_outcome(), create_outcome(result=Result.KILLED)], verdicts)
    assert "1 of the mutants that are killed survived until" in page
    _, _, mended = page.partition("## Killed by tests that were written for them")
    assert "A test of wins was missing." in mended
