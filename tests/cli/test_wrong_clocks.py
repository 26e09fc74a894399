"""Clocks of the machine that are wrong, or jump while a session is played: every command works all the same."""

import json
import os
from datetime import UTC, datetime
from random import Random

from cardtable.games import GAMES
from cardtable.games.rikiki import rules as rikiki
from cardtable.store import archive_index, home_folder, profiles, score_tables, session_setup, sessions
from cardtable.store.session_setup import create_default_setup
from tests.budgets import get_trials
from tests.store.playing import play_randomly

TIMES = (0, 1, 10**9, 1_795_000_000, 2**31 - 1, 2**31, 2**32, 32_503_680_000, 253_402_300_799)
"""Seconds since 1970: then, 2001, 2026, the ends of 32 bits, the years 3000 and 9999."""
ZONES = ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin")
COMMANDS = (["list"], ["list", "--json"], ["statistics"], ["statistics", "--json"], ["rankings", "--json"], ["doctor"])


class Clock:
    """Clock of the machine."""

    def __init__(self, monkeypatch, set_zone, rng):
        self._set_zone, self.rng, self.seconds = set_zone, rng, 0
        clock = self

        class SetDatetime(datetime):
            @classmethod
            def now(cls, zone=None):
                return datetime.fromtimestamp(clock.seconds, UTC).astimezone(zone)

        for module in (sessions, score_tables, archive_index, home_folder):
            monkeypatch.setattr(module, "time", lambda: float(self.seconds))
        for module in (sessions, score_tables, session_setup):
            monkeypatch.setattr(module, "datetime", SetDatetime)

    def jump(self, path=None):
        """Set any time in any zone; the file at ``path`` was changed then."""
        self.seconds = self.rng.choice(TIMES)
        self._set_zone(self.rng.choice(ZONES))
        if path:
            os.utime(path, (self.seconds, self.seconds))


def test_clock_that_jumps(cardtable, set_zone, monkeypatch):
    monkeypatch.setattr(rikiki, "FULL_SESSION", (2, 1))
    rng = Random("clocks")
    clock, finished = Clock(monkeypatch, set_zone, rng), set()
    profiles.register("Anna")
    for _ in range(get_trials("wall clocks")):
        clock.jump()
        session = create_default_setup(GAMES["rikiki"], "Anna").begin()
        play_randomly(session.referee, rng, rng.randint(1, 5))
        session.close()
        clock.jump(session.path)
        session = sessions.resume(session.path)
        clock.jump()
        play_randomly(session.referee, rng, rng.choice((3, 10_000)))
        session.close()
        assert session.save_error is None
        clock.jump(session.path)
        id_ = session.header.id
        if session.referee.ended:
            finished.add(id_)
        command = rng.choice(COMMANDS)
        assert cardtable(*command).code == 0, command
        for command in ("show", "verify"):
            result = cardtable(command, id_)
            assert result.code == 0, (command, result.err)
    assert {summary.header.created[:4] for summary in archive_index.list_summaries()} >= {"1970", "2106"}
    listed = json.loads(cardtable("list", "--json").out)
    assert {row["id"] for row in listed if row["state"] == "over"} == finished
