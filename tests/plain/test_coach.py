"""Coach in plain text: its line comes below the prompt, from its own process, while the next input is awaited."""

import asyncio
import re
from threading import Event

import pytest

from cardtable.plain import console
from cardtable.plain.table_dialog import PlainCoach
from cardtable.session.robot_client import CoachClient
from tests.golden_files import check_golden


@pytest.fixture
def verdict_printed(monkeypatch):
    """Return an event that is set once the coach has spoken; it speaks while the third line of input is awaited."""
    awaited, printed, lines = Event(), Event(), []
    read_chunk, ask, on_verdict = console._read_chunk, CoachClient._ask, PlainCoach._on_verdict

    async def ask_in_time(self, decision):
        verdict = await ask(self, decision)
        await asyncio.to_thread(awaited.wait, 60)
        return verdict

    def speak(self):
        on_verdict(self)
        printed.set()

    def read_in_time():
        if len(lines) == 2:
            awaited.set()
            assert printed.wait(60), "the coach never spoke"
        lines.append(read_chunk())
        return lines[-1]

    monkeypatch.setattr(CoachClient, "_ask", ask_in_time)
    monkeypatch.setattr(PlainCoach, "_on_verdict", speak)
    monkeypatch.setattr(console, "_read_chunk", read_in_time)
    return printed


def test_coach_in_plain_text(plain, verdict_printed):
    typed = ["coach big", "2C", "undo", "coach off", "quit"]
    result = plain("play", "gurka", "--seats", "me,steady,steady,steady", "--seed", 11, typed=typed)
    assert verdict_printed.is_set()
    check_golden("plain_coach.txt", re.sub(r"resume \S+", "resume ID", result.out))


def test_coach_is_for_one_player(plain):
    typed = ["coach big", "coach", "coach loud", "quit"]
    watched = plain("play", "gurka", "--seats", "steady,steady,steady,steady", "--seed", 3, typed=typed)
    assert 'I don\'t know "coach big" here. Type help.' in watched.out
    alone = plain("play", "gurka", "--seats", "me,steady,steady,steady", typed=typed)
    assert alone.out.count("The coach is on for big mistakes.\nCoached games do not count in the rankings.") == 2
    assert 'I don\'t know "coach loud" here.' in alone.out
