"""Rows of the long run: a promise each, with the tests or the command that tries it, and how often."""

from typing import Final, NamedTuple

from tests.budgets import BUDGETS, Budget

SECONDS_OF_FUZZING: Final = 3600
MINUTES_OF_ATTACK: Final = 60
ARCHIVED_SESSIONS: Final = 20_000
FUZZED: Final = {
    "journals": "journal",
    "profiles": "players' file",
    "frames": "frame of a club",
    "settings": "settings file",
}
"""Readers that are fuzzed, each with the word for what it reads."""


class Command(NamedTuple):
    """Command that tries a promise, instead of tests. Its last line of output is its result."""

    arguments: tuple[str, ...]
    """Arguments of Python; ``{size}`` stands for the size."""
    size: int
    """Size of the long run."""
    unit: str

    def compute_size(self, share: float) -> int:
        """Return the size of a run of a part of the long size, at least 1."""
        return max(round(self.size * share), 1)

    def build_arguments(self, share: float) -> list[str]:
        """Return the arguments of Python for a run of a part of the long size."""
        return [argument.format(size=self.compute_size(share)) for argument in self.arguments]


class Row(NamedTuple):
    """Promise that a long run tries: either ``tests`` or ``command`` is given."""

    name: str
    """Word by which the row is picked."""
    promise: str
    tests: tuple[str, ...] = ()
    """Files of tests, or tests in them, as pytest is given them."""
    command: Command | None = None

    @property
    def budgets(self) -> list[Budget]:
        """Budgets of random trials that the tests of this row use."""
        return [budget for budget in BUDGETS.values() if self.uses(budget)]

    def uses(self, budget: Budget) -> bool:
        """Return True if tests of this row use a budget."""
        return any(budget.test_prefix.startswith(test) or test.startswith(budget.test_prefix) for test in self.tests)

    def describe_size(self, share: float, case_count: int | None = None) -> str:
        """Return the size of a run of a part of the long size, in words.

        ``case_count`` is the number of tests that ran; it is the size if no test of the row is randomised.
        """
        if self.command:
            return f"{self.command.compute_size(share):,} {self.command.unit}"
        if self.budgets:
            return "; ".join(f"{budget.count_trials(share):,} {budget.unit}" for budget in self.budgets)
        return "every case" if case_count is None else f"every case: {case_count:,} tests"


def _rules(test: str) -> tuple[str, ...]:
    return (f"tests/laws/test_rules.py::test_{test}",)


def _club_faults(test: str) -> tuple[str, ...]:
    return (f"tests/club/test_faults.py::test_{test}",)


def _fuzzing(reader: str) -> Command:
    arguments = ("-m", "tests.lab.fuzz", reader, "--seconds", "{size}")
    return Command(arguments, SECONDS_OF_FUZZING, "seconds of coverage-guided fuzzing")


ROWS: Final = (
    # files
    Row(
        "damage",
        "A journal that is cut or changed at any byte, or loses, doubles or swaps lines, is reported as damaged or "
        "read up to its last whole line.",
        ("tests/store/test_damage.py",),
    ),
    Row(
        "power-failure",
        "Killed and without power at any call, two programs on one home lose nothing that was acknowledged.",
        ("tests/lab/store_model/test_model.py", "tests/store/test_durability.py"),
    ),
    Row(
        "kills",
        "Killed at any moment, the program loses no action that its player has seen.",
        ("tests/pty/test_kill.py",),
    ),
    Row(
        "failing-calls",
        "Whichever call of the system fails, a file is the old one or the new one, and play goes on.",
        ("tests/store/test_faults.py", "tests/store/test_moves.py", "tests/store/test_recovered_sessions.py"),
    ),
    Row(
        "evenings",
        "No acknowledged line is lost in any order of playing, taking back, crashes, full disks and resuming.",
        ("tests/store/test_machine.py",),
    ),
    Row(
        "four-programs",
        "Four programs that save settings, players and sessions in one home at once lose nothing of each other.",
        ("tests/store/test_four_programs.py",),
    ),
    Row(
        "without-locks",
        "Two programs that play one session where locks do not work lose no line without a word, and damage nothing.",
        ("tests/store/test_without_locks.py",),
    ),
    Row(
        "copies",
        "A copy that a synchronisation tool or a person makes of a session is counted once, and changes nothing.",
        ("tests/store/test_copies.py",),
    ),
    Row(
        "synchronised-homes",
        "Two machines whose homes are synchronised lose no session, and list each one once.",
        ("tests/store/test_synchronised_homes.py",),
    ),
    Row(
        "wrong-clocks",
        "A clock that is wrong, or jumps at any time, hinders no session and no command.",
        ("tests/cli/test_wrong_clocks.py",),
    ),
    Row(
        "json-files",
        "Files of players, clubs and reviews with any byte changed or missing are reported in a line, and never "
        "rewritten.",
        ("tests/store/test_json_files.py",),
    ),
    Row(
        "backups",
        "A backup restores everything; one that is cut, changed or hostile changes nothing.",
        ("tests/store/test_home_backup.py", "tests/club/test_backup.py"),
    ),
    Row(
        "early-ends",
        "Every command and page reads a session that was left or given up at any line.",
        (
            "tests/cli/test_unplayed_rounds.py",
            "tests/cli/test_abandoned.py",
            *_rules("unfinished_sessions_are_replayed"),
        ),
    ),
    # readers
    Row(
        "journals",
        "No content of a journal crashes the program; what is wrong is reported in one line.",
        ("tests/store/test_fuzz.py::test_fuzzed_journals",),
    ),
    Row(
        "score-tables",
        "No content of a score table crashes the program; what is wrong is reported in one line.",
        ("tests/store/test_fuzz.py::test_fuzzed_score_tables",),
    ),
    Row(
        "settings",
        "No content of the settings crashes the program; what is wrong is reported in one line.",
        (
            "tests/store/test_fuzz.py::test_fuzzed_settings",
            "tests/store/test_fuzz.py::test_unreadable_settings_are_reported_and_unchanged",
        ),
    ),
    Row(
        "profiles",
        "No content of the players' file crashes the program; what is wrong is reported in one line.",
        ("tests/store/test_fuzz.py::test_fuzzed_profiles",),
    ),
    *(
        Row(
            f"fuzzed-{reader}",
            f"No {description}, guided to every line of the program that reads it, is answered by more than an error.",
            command=_fuzzing(reader),
        )
        for reader, description in FUZZED.items()
    ),
    Row(
        "arguments",
        "A wrong command line is answered in one printable line, with exit code 1 or 2.",
        ("tests/cli/test_any_arguments.py",),
    ),
    Row(
        "hostile-variables",
        "With any environment variables, every command answers as without them, or says why in one line.",
        ("tests/cli/test_hostile_variables.py",),
    ),
    # rules and secrets
    Row("soak", "Robots play any options to the end, and a reloaded session is the same.", _rules("robot_soak")),
    Row(
        "states",
        "Legal actions, copies of states and chance agree with each other in every state.",
        _rules("states_and_copies"),
    ),
    Row(
        "illegal-actions",
        "What is not legal is refused, and changes nothing.",
        _rules("illegal_actions_change_nothing"),
    ),
    Row(
        "undo",
        "Taking back gives exactly the state before, and never takes back a card that was dealt.",
        _rules("undo_restores_state_and_stops_at_chance"),
    ),
    Row(
        "unseen-cards",
        "No action is taken back after which its player has seen a card.",
        _rules("unseen_drawn_card_limits_undo"),
    ),
    Row(
        "void-rounds",
        "A round that is void is dealt again by the same dealer.",
        _rules("void_round_is_dealt_again_by_the_same_dealer"),
    ),
    Row("deals", "No deal depends on how the deals before were played.", _rules("no_deal_depends_on_play")),
    Row(
        "sources-of-chance",
        "Chance from a source outside does not depend on the seed.",
        _rules("external_randomness_ignores_the_seed"),
    ),
    Row(
        "clocks",
        "A seat loses by its clock in a game that has one, and in no other.",
        _rules("forfeit_on_time_needs_a_clock"),
    ),
    Row(
        "time-limits",
        "A game or robot of another package that is interrupted as its time is over leaves nothing behind.",
        ("tests/workers/test_time_limit.py",),
    ),
    Row(
        "hidden-cards",
        "Cards that a seat must not see make no difference to its view, its choices and its robot.",
        (
            "tests/laws/test_secrets.py::test_hidden_cards_make_no_difference",
            "tests/laws/test_secrets.py::test_no_seat_can_tell_twin_worlds_apart",
            "tests/laws/test_secrets.py::test_zones_and_texts",
            "tests/laws/test_secrets.py::test_view_shows_only_own_hand",
        ),
    ),
    Row(
        "hidden-cards-of-packages",
        "Cards that a seat must not see make no difference in the games of the example packages.",
        ("tests/laws/test_secrets.py::test_hidden_cards_of_packages_make_no_difference",),
    ),
    Row(
        "hidden-cards-on-screen",
        "Cards that a player must not see change nothing on the screen.",
        ("tests/ui/test_secrets_on_screen.py",),
    ),
    Row(
        "hidden-cards-on-the-wire",
        "Cards that a guest must not see change no byte that a club sends to them.",
        ("tests/club/test_secrets_on_the_wire.py",),
    ),
    Row(
        "certain-results",
        "Near the end of a round no robot above novice plays what is certainly worse, or misses a certain way out.",
        ("tests/laws/test_endgames.py",),
    ),
    Row("planted-faults", "A fault that is planted in rules or views is found.", ("tests/laws/test_mutants.py",)),
    # terminals
    Row(
        "hostile-texts",
        "Names, talk and file names act on no screen and send nothing to the terminal.",
        (
            "tests/pty/test_hostile_text.py",
            "tests/ui/test_everywhere.py::test_hostile_nicks_from_picker",
            "tests/ui/test_everywhere.py::test_hostile_nicks_at_table",
        ),
    ),
    Row(
        "window-sizes",
        "A terminal of any size that changes at any time shows a correct screen in the end.",
        ("tests/pty/test_window.py",),
    ),
    Row("size-storms", "Keys between changes of size do no harm.", ("tests/ui/test_resizing.py",)),
    Row(
        "painted-sizes",
        "Every page and table is painted at every size.",
        (
            "tests/ui/test_everywhere.py::test_many_sizes_from_picker",
            "tests/ui/test_everywhere.py::test_many_sizes_at_table",
        ),
    ),
    Row(
        "signals",
        "A signal or a lost terminal loses nothing, and leaves the terminal as it was.",
        ("tests/pty/test_signals.py", "tests/pty/test_places.py", "tests/ui/test_ending.py"),
    ),
    Row(
        "unsaved",
        "No way out while saving fails loses a decision without a word.",
        ("tests/pty/test_unsaved.py", "tests/plain/test_unsaved.py", "tests/ui/test_unsaved_work.py"),
    ),
    Row(
        "faults",
        "An exception anywhere ends the program in order, with the terminal as before and the journal whole.",
        ("tests/pty/test_faults.py", "tests/ui/test_faults_everywhere.py"),
    ),
    Row(
        "start-failures",
        "Where no process or thread can be started, as with `ulimit -u`, play goes on, or a line gives the reason.",
        ("tests/pty/test_start_failures.py",),
    ),
    Row(
        "presses",
        "No quick second press or click shows a hand to the wrong person or plays a card that was not meant.",
        ("tests/pty/test_quick_presses.py",),
    ),
    Row(
        "stops",
        "Input while the program is stopped for 0.2 to 5 seconds opens no hand and plays nothing that was not meant.",
        ("tests/pty/test_held_up.py",),
    ),
    Row(
        "bursts-from-picker",
        "Bursts of keys, pastes and clicks crash no page that the picker opens.",
        ("tests/ui/test_bursts.py::test_bursts_from_picker",),
    ),
    Row(
        "bursts-at-tables",
        "Bursts of keys, pastes and clicks crash no table, and no page or overlay that it opens.",
        ("tests/ui/test_bursts.py::test_bursts_at_table",),
    ),
    Row(
        "bursts-elsewhere",
        "Bursts of keys, pastes and clicks crash no page that the program can begin with, and no prompt.",
        (
            "tests/ui/test_bursts.py::test_bursts_on_session_pages",
            "tests/ui/test_bursts.py::test_bursts_on_start_screens",
            "tests/ui/test_bursts.py::test_bursts_at_password_prompt",
            "tests/ui/test_bursts.py::test_bursts_while_hosting_club",
        ),
    ),
    Row(
        "terminal-answers",
        "Answers of a terminal, cut at any byte or without an end, are never taken for keys.",
        ("tests/pty/test_terminal_answers.py",),
    ),
    Row(
        "input-bytes",
        "Whatever bytes a terminal sends, keys work again afterwards.",
        ("tests/ui/test_input_parser.py",),
    ),
    # clubs
    Row(
        "cut-connections",
        "Connections that are cut, and frames that are doubled, swapped or late, lose and double no decision.",
        _club_faults("bad_connection_loses_and_doubles_no_decision"),
    ),
    Row(
        "late-frames",
        "Frames that are late lose and double no decision.",
        _club_faults("late_frames_lose_and_double_no_decision"),
    ),
    Row(
        "killed-hosts",
        "A host that is killed knows all that it has shown when it is started again.",
        _club_faults("killed_host_restarts_with_everything_shown"),
    ),
    Row(
        "browser-guests",
        "What no page of ours sends is refused, and a guest's program ends with the tab.",
        ("tests/club/test_browser_server.py", "tests/cli/test_serve.py"),
    ),
    Row(
        "ssh-guests",
        "A guest by ssh gets a terminal with the program and nothing else, and the program ends with the connection.",
        ("tests/club/test_ssh_server.py",),
    ),
    Row(
        "encrypted-connections",
        "With TLS guests come in past silent connections, passwords are accepted, and certificates are renewed.",
        (
            "tests/club/test_server.py::test_accepts_remote_password_with_tls",
            "tests/club/test_server.py::test_wrong_scheme_names_the_right_command",
            "tests/club/test_server.py::test_hangup_reloads_certificate",
            "tests/club/test_limits.py::test_returning_guest_enters_despite_silent_connections",
            "tests/club/test_browser_server.py::test_token_cookie_attributes",
            "tests/club/test_browser_server.py::test_browser_comes_in_past_idle_connections",
            "tests/club/test_faults.py::test_cut_tls_connections_lose_and_double_no_decision",
        ),
    ),
    Row(
        "killed-hosts-of-programs",
        "Guests by ssh and in browsers return to a host that was killed, and have lost nothing; their programs end.",
        ("tests/club/test_killed_host.py",),
    ),
    Row("full-disk-of-a-club", "A club shows nothing that is not on its disk.", ("tests/club/test_disk_full.py",)),
    Row(
        "hostile-frames",
        "Frames that no client of ours sends are refused and leave nothing in memory.",
        ("tests/club/test_hostile_frames.py",),
    ),
    Row(
        "any-numbers",
        "Messages with any numbers, to tables in every state, end no task of a club and freeze no table.",
        command=Command(
            ("-m", "tests.club.table_fuzz", "--seconds", "{size}"), SECONDS_OF_FUZZING, "seconds of messages"
        ),
    ),
    Row(
        "altered-views",
        "A view that a hostile host has altered ends a guest's visit to the table with one line, at most.",
        ("tests/club/test_altered_views.py",),
    ),
    Row("limits", "No guest uses up what a club shares.", ("tests/club/test_limits.py",)),
    Row(
        "hostile-guests",
        "Ten honest guests play on while a hostile guest of each kind attacks the club.",
        command=Command(("benchmarks/club_attack.py", "--minutes", "{size}"), MINUTES_OF_ATTACK, "minutes of attack"),
    ),
    # large homes
    Row(
        "large-archive",
        "With thousands of sessions every command answers within a minute and 1 GiB, once all are counted.",
        command=Command(("benchmarks/commands.py", "--sessions", "{size}"), ARCHIVED_SESSIONS, "archived sessions"),
    ),
)
"""All rows, in the order of the page."""


def find_rows(names: list[str]) -> list[Row]:
    """Return the rows of these names, or all rows if there are no names. Raises ValueError for an unknown name."""
    known = {row.name: row for row in ROWS}
    for name in names:
        if name not in known:
            raise ValueError(f"no row is named {name!r}; the rows are {', '.join(known)}")
    return [known[name] for name in names] or list(ROWS)
