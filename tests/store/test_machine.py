"""State machine: play, undo, talk, disk faults, crashes, closing and resuming in any order."""

import shutil
import tempfile
from contextlib import suppress
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cardtable.engine import journal
from cardtable.engine.referee import IllegalAction
from cardtable.games import KEYS
from cardtable.games.rikiki import rules as rikiki
from cardtable.store import sessions
from tests.budgets import LONG, get_trials
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import capture_views, create_session, get_data, play_randomly


class SessionMachine(RuleBasedStateMachine):
    """Plays one session after another; lines acknowledged as saved are never lost."""

    def __init__(self):
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.home = tempfile.mkdtemp()
        self.patch.setenv("CARDTABLE_HOME", self.home)
        self.patch.setattr(rikiki, "FULL_SESSION", (2, 1))
        self.disk = FaultyDisk(self.patch)
        self.session = None

    @initialize(game=st.sampled_from(KEYS), seed=st.integers(0, 3))
    def sit_down(self, game, seed):
        self.game, self.session = game, create_session(game, seed)
        self.safe = b""

    def check_saved_lines(self):
        """Check that the file contains all acknowledged lines, and nothing that the session does not have."""
        saved = self.session.path.read_bytes() if self.session.path.exists() else b""
        if self.session.save_error is None:
            assert saved == get_data(self.session)
            self.safe = get_data(self.session)
        assert saved.startswith(self.safe)
        assert get_data(self.session).startswith(self.safe)

    @rule(choice=st.integers(0, 10**6), decisions=st.integers(1, 5))
    def act(self, choice, decisions):
        play_randomly(self.session.referee, Random(choice), decisions)

    @rule(decisions=st.integers(1, 3))
    def undo(self, decisions):
        with suppress(IllegalAction):
            self.session.referee.undo(decisions)

    @rule()
    def void(self):
        with suppress(IllegalAction):
            self.session.referee.void("clock")

    @rule(text=st.text(max_size=40))
    def talk(self, text):
        with suppress(IllegalAction):
            self.session.referee.say(text)

    @rule(fails=st.integers(0, 3), only=st.sampled_from([("write",), ("fdatasync", "fsync"), ("write", "ftruncate")]))
    def the_disk_fails(self, fails, only):
        self.disk.count, self.disk.fails, self.disk.lasting, self.disk.only = 0, fails, True, only

    @precondition(lambda self: self.disk.fails is not None)
    @rule()
    def the_disk_works_again(self):
        self.disk.fails = None

    @rule()
    def leave_and_come_back(self):
        self.session.close()
        self.check_saved_lines()
        self.come_back()

    @rule(tail=st.binary(max_size=12), zeros=st.integers(0, 600), of_line=st.integers(0, 80))
    def crash_and_come_back(self, tail, zeros, of_line):
        """Kill the program; a part of the last line may be in the file, followed by zeros."""
        self.session.file.close()
        if self.session.path.exists():
            line = b'{"say":"' + tail.hex().encode() + b'","at":1,"crc":"00000000"}'
            with self.session.path.open("ab") as file:
                file.write(line[:of_line] + bytes(zeros))
        self.come_back()

    def come_back(self):
        path = self.session.path
        if not path.exists() or self.session.referee.ended:
            assert not self.safe or path.read_bytes().startswith(self.safe)
            self.sit_down(self.game, 1)
            return
        assert path.read_bytes().startswith(self.safe)
        self.session = sessions.resume(path)
        read = journal.read(get_data(self.session))
        assert not read.torn
        assert capture_views(self.session.referee) == capture_views(sessions.session_files.replay_journal(path, read))

    @invariant()
    def nothing_acknowledged_is_lost(self):
        if self.session is not None:
            self.check_saved_lines()
            self.session.referee.state.assert_invariants()

    def teardown(self):
        if self.session is not None:
            self.session.close()
        self.patch.undo()
        shutil.rmtree(self.home)


TestSessionMachine = SessionMachine.TestCase
TestSessionMachine.settings = settings(
    max_examples=get_trials("evenings"),
    stateful_step_count=50 if LONG else 40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
