"""A host in a process of its own: ``python -m tests.club.host_to_kill PORT`` (0 for any) prints its port."""

import asyncio
import sys

from msgspec.structs import replace

from cardtable.club.server.limits import LIMITS
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.server_options import ServerOptions
from cardtable.club.server.websocket_endpoint import WebSocketEndpoint
from tests.club.guests import choose_randomly


async def run_host(port):
    LIMITS.messages = LIMITS.address_messages = replace(LIMITS.messages, number=1_000_000)
    room = ClubLobby(ServerOptions("The club"), choose_randomly)
    await room.open()
    async with WebSocketEndpoint(room).serve("127.0.0.1", port) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(run_host(int(sys.argv[1])))
