"""Robots for a front end without an event loop, such as plain text, which loads none of asyncio for built-in games."""

from typing import TYPE_CHECKING

from cardtable.games import KEYS
from cardtable.session.session_events import RobotChoice

if TYPE_CHECKING:  # not imported before the first question
    from cardtable.robots.worker import ChooseRequest
    from cardtable.session.robot_client import RobotClient


class LocalRobots:
    """Robots that choose in this process, but for those of other packages, which have a process of their own."""

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
