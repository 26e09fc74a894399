"""Numbers of random trials, in ``make test`` and in ``make test-long``."""

import os
from collections.abc import Iterator
from typing import Final, NamedTuple

LONG: Final = float(os.environ.get("CARDTABLE_LONG", "0"))


class Budget(NamedTuple):
    """Number of random trials of one test."""

    usual: int
    long: int
    unit: str
    test_prefix: str
    """Beginning of the names of the tests, as pytest writes them."""

    @property
    def trials(self) -> int:
        """Number of trials in this run."""
        return self.count_trials(LONG) if LONG else self.usual

    def count_trials(self, share: float) -> int:
        """Return the number of trials in a long run of a part of its full size."""
        return max(round(self.long * share), self.usual)


_RULES_TESTS: Final = "tests/laws/test_rules.py::test_"
_SECRETS_TESTS: Final = "tests/laws/test_secrets.py::test_"
BUDGETS: Final = {
    "soak": Budget(12, 10_000, "sessions a game, checked and reloaded", f"{_RULES_TESTS}robot_soak"),
    "states": Budget(8, 2_000, "sessions a game: legal actions, copies, chance", f"{_RULES_TESTS}states_and_copies"),
    "illegal": Budget(5, 500, "sessions a game: what is not legal", f"{_RULES_TESTS}illegal_actions"),
    "undo": Budget(5, 500, "sessions a game: taking back", f"{_RULES_TESTS}undo"),
    "ways back": Budget(5, 500, "sessions a game: cards drawn unseen", f"{_RULES_TESTS}unseen_drawn_card"),
    "void": Budget(6, 1_000, "sessions a game: rounds dealt again", f"{_RULES_TESTS}void_round"),
    "beginnings": Budget(4, 500, "sessions a game: left early, shown again", f"{_RULES_TESTS}unfinished_sessions"),
    "deals": Budget(1, 50, "sessions each way to play: the same deals", f"{_RULES_TESTS}no_deal_depends"),
    "sources": Budget(4, 500, "sessions a game: chance from a source", f"{_RULES_TESTS}external_randomness"),
    "clocks": Budget(10, 1_000, "sessions a game: lost by a clock", f"{_RULES_TESTS}forfeit_on_time"),
    "endgames": Budget(60, 20_000, "decisions a game near the end of a round", "tests/laws/test_endgames.py::test_no"),
    "candidates": Budget(24, 20_000, "decisions a game: cards left out", "tests/laws/test_endgames.py::test_search"),
    "ways out": Budget(20, 4_000, "sessions a game: certain ways out", "tests/laws/test_endgames.py::test_certain"),
    "pairs": Budget(30, 10_000, "pairs of worlds a game: hidden cards", f"{_SECRETS_TESTS}hidden_cards_make"),
    "pairs of packages": Budget(
        20, 10_000, "pairs of worlds a game of a package: hidden cards", f"{_SECRETS_TESTS}hidden_cards_of"
    ),
    "twins": Budget(7, 500, "sessions a game: hidden cards exchanged", f"{_SECRETS_TESTS}no_seat"),
    "words": Budget(3, 500, "sessions a game: pictures and words", f"{_SECRETS_TESTS}zones"),
    "wire pairs": Budget(6, 3_000, "pairs of worlds a game, on the wire", "tests/club/test_secrets_on_the_wire.py"),
    "frames": Budget(2_000, 1_000_000, "hostile frames", "tests/club/test_hostile_frames.py"),
    "altered views": Budget(
        20, 10_000, "altered views a game, in plain text", "tests/club/test_altered_views.py::test_altered_views_in"
    ),
    "views on screen": Budget(
        4, 500, "altered views a game, on screens", "tests/club/test_altered_views.py::test_altered_views_on"
    ),
    "cuts": Budget(
        20,
        10_000,
        "connections cut in play",
        "tests/club/test_faults.py::test_bad_connection_loses_and_doubles_no_decision[cuts",
    ),
    "bad frames": Budget(
        200,
        100_000,
        "frames doubled, swapped, late",
        "tests/club/test_faults.py::test_bad_connection_loses_and_doubles_no_decision[bad",
    ),
    "tls cuts": Budget(20, 5_000, "TLS connections cut at any byte", "tests/club/test_faults.py::test_cut_tls"),
    "late frames": Budget(20, 2_000, "frames late by up to 10 s", "tests/club/test_faults.py::test_late_frames"),
    "hosts killed": Budget(4, 200, "hosts killed in play", "tests/club/test_faults.py::test_killed_host"),
    "hosts of programs killed": Budget(
        1, 100, "hosts of programs killed in play", "tests/club/test_killed_host.py::test_killed_host"
    ),
    "screen pairs": Budget(2, 100, "pairs of worlds a game, on screens", "tests/ui/test_secrets_on_screen.py"),
    "journals": Budget(1_500, 1_400_000, "inputs a game: journals", "tests/store/test_fuzz.py::test_fuzzed_journals"),
    "score tables": Budget(500, 300_000, "inputs a game: score tables", "tests/store/test_fuzz.py::test_fuzzed_score"),
    "settings": Budget(5_000, 1_000_000, "inputs: settings", "tests/store/test_fuzz.py::test_fuzzed_settings"),
    "players": Budget(5_000, 1_000_000, "inputs: players", "tests/store/test_fuzz.py::test_fuzzed_profiles"),
    "arguments": Budget(300, 100_000, "command lines", "tests/cli/test_any_arguments.py"),
    "wall clocks": Budget(10, 2_000, "sessions while the machine's clock jumps", "tests/cli/test_wrong_clocks.py"),
    "evenings": Budget(40, 2_000, "evenings of acts, crashes and full disks", "tests/store/test_machine.py"),
    "four programs": Budget(30, 2_000, "rounds of four programs on one home", "tests/store/test_four_programs.py"),
    "interruptions": Budget(
        300, 100_000, "calls that end as their time is over", "tests/workers/test_time_limit.py::test_no_interruption"
    ),
    "variables": Budget(12, 3_000, "commands with hostile variables", "tests/cli/test_hostile_variables.py"),
    "unlocked": Budget(60, 100_000, "rounds of two programs without locks", "tests/store/test_without_locks.py"),
    "synchronised": Budget(6, 2_000, "evenings at two synchronised homes", "tests/store/test_synchronised_homes.py"),
    "kills": Budget(4, 1_000, "kills at any moment", "tests/pty/test_kill.py"),
    "presses": Budget(5, 5_000, "quick presses a game at a hot seat", "tests/pty/test_quick_presses.py"),
    "start failures": Budget(4, 24, "starts of processes and threads that fail", "tests/pty/test_start_failures.py"),
    "input bytes": Budget(500, 500_000, "inputs of a terminal", "tests/ui/test_input_parser.py::test_parser_recovers"),
    "answers": Budget(24, 2_000, "answers of a terminal cut anywhere", "tests/pty/test_terminal_answers.py"),
    "stops": Budget(20, 2_000, "stops while something is typed", "tests/pty/test_held_up.py"),
    "bursts": Budget(3, 5_000, "bursts of keys and clicks a page", "tests/ui/test_bursts.py"),
    "faults": Budget(1, 60, "functions of the screens that fail at each page", "tests/ui/test_faults_everywhere.py"),
    "storms": Budget(4, 500, "storms of 400 sizes with keys", "tests/ui/test_resizing.py"),
    "painted sizes": Budget(
        15, 1_000, "sizes of a page, and of a table", "tests/ui/test_everywhere.py::test_many_sizes"
    ),
    "sizes": Budget(60, 1_000, "sizes of the window in a storm", "tests/pty/test_window.py"),
}


def get_trials(name: str) -> int:
    """Return the number of trials in this run."""
    return BUDGETS[name].trials


def format_summary(seconds: dict[str, float]) -> Iterator[str]:
    """Yield a row for each budget whose tests ran; ``seconds`` maps the names of tests to durations."""
    for budget in BUDGETS.values():
        took = [spent for test, spent in seconds.items() if test.startswith(budget.test_prefix)]
        if took:
            yield f"{budget.trials:>9}  {budget.unit:48}{sum(took):8.1f} s  {len(took):>4} tests"
