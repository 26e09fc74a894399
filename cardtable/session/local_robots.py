"""Robots for a front end without an event loop, such as plain text, which loads none of asyncio for built-in games.

Robots of built-in games choose and advise in this process, those of other packages in a process of their own.
"""

from typing import TYPE_CHECKING

from cardtable.games import KEYS
from cardtable.session.session_events import RobotChoice
from cardtable.store.club_tokens import wait_for_thinking_lock

if TYPE_CHECKING:  # not imported before the first question
    from cardtable.robots.hints import Advice
    from cardtable.robots.worker import ChooseRequest, HintRequest
    from cardtable.session.robot_client import RobotClient


class LocalRobots:
    """Robots of one table."""

    def __init__(self) -> None:
        self._client: RobotClient | None = None

    def choose(self, request: "ChooseRequest") -> RobotChoice:
        """Return the choice of the robot as ``RobotClient.choose`` does."""
        if request.game in KEYS:
            from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup

            return RobotChoice(worker.choose(request))
        from asyncio import Runner  # noqa: PLC0415 - lazy: startup

        from cardtable.session.robot_client import RobotClient  # noqa: PLC0415 - lazy: startup

        if self._client is None:
            self._loop, self._client = Runner(), RobotClient()
        return self._loop.run(self._client.choose(request))

    def stop(self) -> None:
        """End the process, if there is one."""
        if self._client:
            self._loop.run(self._client.stop())
            self._loop.close()


def advise(request: "HintRequest") -> "Advice":
    """Return a hint as ``RobotClient.advise`` does."""
    if request.game in KEYS:
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup

        with wait_for_thinking_lock():
            return worker.compute_hint(request)
    from asyncio import run  # noqa: PLC0415 - lazy: startup

    return run(_advise_in_own_process(request))


async def _advise_in_own_process(request: "HintRequest") -> "Advice":
    from cardtable.session.robot_client import RobotClient  # noqa: PLC0415 - lazy: startup

    client = RobotClient()
    try:
        return await client.advise(request)
    finally:
        await client.stop()
