"""A host for an evening whose play is known in advance: ``python -m tests.club.tournament_host PORT SSH WEB``.

It opens all doors, each at its port. Its robots choose the first legal action, and the deals are those of a known key.
From SIGUSR1 on, `LEAVER` is away for too long as soon as they leave a table.
"""

import asyncio
import signal
import sys
from pathlib import Path

from msgspec.structs import replace

from cardtable.club import web_terminal
from cardtable.club.server import hosted_clients, server
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.server_options import ServerOptions
from cardtable.club.server.session_people import SessionPeople
from cardtable.session.session_events import RobotChoice
from cardtable.store import paths, tournaments
from tests.club.account_logins import CODE
from tests.club.loopback_club import poll_until
from tests.store.tournament_tables import KEY

LEAVER = "Dan"
QUICK_SETTINGS = "animation = false\nrobot_pace = 0\ntrick_pause = 0\n"


async def choose_first(request):
    return RobotChoice(request.view.legal[0])


def quicken_programs():
    """Let the programs of guests play without pauses, and have their share of a busy machine."""
    build_environment = hosted_clients.build_environment

    def build_environment_with_settings(variables):
        Path(variables["CARDTABLE_HOME"], "settings.toml").write_text(QUICK_SETTINGS)
        return build_environment(variables)

    hosted_clients.build_environment = build_environment_with_settings
    for module in (hosted_clients, web_terminal):
        module.lower_priority = lambda _pid: None


def end_wait_for_leaver():
    count_seconds = SessionPeople.absences.fget
    SessionPeople.absences = property(
        lambda people: {
            seat: seconds if people.owners[seat].name != LEAVER else 0
            for seat, seconds in count_seconds(people).items()
        }
    )


async def run_host(port, ssh_port, web_port):
    LIMITS.messages = LIMITS.address_messages = replace(LIMITS.messages, number=1_000_000)
    tournaments.generate_key = lambda: KEY
    quicken_programs()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, end_wait_for_leaver)
    paths.club_status_file().unlink(missing_ok=True)  # of a host that was killed
    options = ServerOptions("The club", port=port, ssh_port=ssh_port, web_port=web_port, code=CODE)
    async with server.open_club(options, think=choose_first):
        await poll_until(paths.club_status_file().exists)
        print("open", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(run_host(*map(int, sys.argv[1:])))
