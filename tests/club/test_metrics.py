"""Metrics and health of a host, as another program reads them."""

import asyncio
import contextlib
import urllib.error
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from cardtable.club import protocol
from cardtable.club.server import metrics_endpoint, server
from cardtable.club.server.host_events import SaveFailed
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.server_options import ServerOptions
from tests.club.guests import choose_randomly
from tests.club.loopback_club import joined, play_until, read_refusal, silent_connection, start_table, wait_until_closed
from tests.waiting import TIMEOUT

OPTIONS = ServerOptions("Fridays", port=0, code="sesame77", metrics_port=0)


def read_page(club, page, **headers):
    """Return the status and the text of a page of the metrics endpoint; this blocks the event loop."""
    request = urllib.request.Request(f"http://127.0.0.1:{club.metrics_port}/{page}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


async def read_metrics(club):
    """Return the text of the metrics, and their values by name and labels."""
    status, text = await asyncio.to_thread(read_page, club, "metrics")
    assert status == 200
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return text, {(sample.name, *sample.labels.values()): sample.value for sample in samples}


async def test_metrics_count_without_nicks(monkeypatch):
    monkeypatch.setattr(metrics_endpoint, "CACHE_SECONDS", 0)
    async with server.open_club(OPTIONS, think=choose_randomly) as club:
        url = f"ws://{club.address}"
        _, before = await read_metrics(club)
        assert await read_refusal(url, "Zaphod", code="wrong")
        async with joined(url, "Zaphod", code="sesame77") as guest:
            await start_table(guest)
            await guest.send(protocol.Say("Zarniwoop"))
            await play_until(lambda: guest.update.at >= 5, guest)
            await guest.send(protocol.Act(guest.update.table, 0, "Zarniwoop"), until=lambda: guest.refused)
            text, after = await read_metrics(club)
    assert "Za" not in text
    assert after["cardtable_connections", "join"] == after["cardtable_people", "guest"] == 1
    assert after["cardtable_tables", "rikiki", "playing"] == after["cardtable_healthy",] == 1
    assert after["process_resident_memory_bytes",] > 1e7
    grown = {key: value - before.get(key, 0) for key, value in after.items()}
    assert grown["cardtable_logins_total", "code", "join"] == 1
    assert grown["cardtable_login_failures_total", "code", "join"] == 1
    assert grown["cardtable_refusals_total", "illegal", "act"] == 1
    decided = [grown["cardtable_decisions_total", by, "rikiki"] for by in ("person", "robot")]
    assert sum(decided) >= 5
    assert min(decided) > 0
    assert grown["cardtable_save_seconds_count",] >= 5


async def test_metrics_count_what_happens_while_the_club_opens(monkeypatch):
    open_lobby = ClubLobby.open

    async def fail_to_save_once(lobby):
        lobby.emit(SaveFailed("session"))
        await open_lobby(lobby)

    monkeypatch.setattr(ClubLobby, "open", fail_to_save_once)
    async with server.open_club(OPTIONS, think=choose_randomly) as club:
        assert (await read_metrics(club))[1]["cardtable_save_errors_total", "session"] == 1


async def test_unhealthy_while_saving_fails_or_the_loop_is_stuck(monkeypatch):
    monkeypatch.setattr(metrics_endpoint, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(metrics_endpoint, "LOAD_TIMEOUT", 0.1)
    async with server.open_club(OPTIONS, think=choose_randomly) as club:

        async def wait_for_health(expected):
            async with asyncio.timeout(TIMEOUT):
                while (health := await asyncio.to_thread(read_page, club, "healthz")) != expected:
                    assert health[1] in ("ok\n", "saving fails: the disk is full\n")

        await wait_for_health((200, "ok\n"))
        club.lobby.accounts.save_error = "the disk is full"
        await wait_for_health((503, "saving fails: the disk is full\n"))
        club.lobby.accounts.save_error = ""
        await wait_for_health((200, "ok\n"))
        monkeypatch.setattr(metrics_endpoint, "STUCK_SECONDS", 0.0)
        assert read_page(club, "healthz") == (503, "the event loop has not answered for 0 s\n")
        assert read_page(club, "metrics") == (503, "the event loop does not answer\n")


async def test_slow_connections_do_not_block_the_metrics(monkeypatch):
    async with server.open_club(OPTIONS, think=choose_randomly) as club, contextlib.AsyncExitStack() as stack:
        slow = [
            await stack.enter_async_context(
                silent_connection(club.metrics_port, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
            )
            for _ in range(3 * metrics_endpoint.MAX_CONNECTIONS)
        ]
        assert await asyncio.to_thread(read_page, club, "healthz") == (200, "ok\n")
        await wait_until_closed(slow[0])
        monkeypatch.setattr(metrics_endpoint, "CONNECTION_SECONDS", 0.01)
        await wait_until_closed(await stack.enter_async_context(silent_connection(club.metrics_port)))


async def test_metrics_refuse_foreign_names_and_other_pages():
    async with server.open_club(OPTIONS, think=choose_randomly) as club:
        assert (await asyncio.to_thread(read_page, club, "metrics", Host="evil.example"))[0] == 403
        assert (await asyncio.to_thread(read_page, club, "tables"))[0] == 404
