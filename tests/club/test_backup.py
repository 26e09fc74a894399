"""Backup of a club while people play, and the restored club."""

import asyncio

from cardtable.engine import journal
from cardtable.store import home_backup
from tests.club.loopback_club import club, joined, play_until, poll_until, start_table
from tests.journal_lines import select_lines


async def test_backup_during_play(home, tmp_path, monkeypatch):
    async with club(code="sesame77") as (_, url), joined(url, "Anna", code="sesame77") as anna:
        async with joined(url, "Bob", code="sesame77") as bob:
            table = await start_table(anna, bob, game="king")
            playing = asyncio.create_task(play_until(lambda: False, anna, bob))
            acknowledged = []
            for number in range(5):
                await poll_until(lambda number=number: anna.update.at >= 4 * (number + 1))
                acknowledged.append(anna.update.at)
                await asyncio.to_thread(home_backup.write_backup, tmp_path / f"{number}.zip")
            playing.cancel()
        token = anna.welcome.token
    for number, decisions in enumerate(acknowledged):
        home_backup.restore_backup(tmp_path / f"{number}.zip", tmp_path / f"home{number}")
        saved = (tmp_path / f"home{number}/sessions/{table}.jsonl").read_bytes()
        assert len(select_lines(journal.ActionLine, journal.read(saved))) >= decisions
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / "home4"))
    async with club(code="sesame77") as (_, url), joined(url, "Anna", token=token) as anna:
        await anna.sit_down(table)
        assert anna.update.at >= acknowledged[-1]
