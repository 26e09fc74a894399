"""What keys do, by the names of methods."""

from collections.abc import Awaitable

from textual.actions import parse


class Acts:
    """Has a method ``action_NAME`` for each thing that keys do with it."""

    async def act(self, does: str) -> None:
        """Do what a key does, as a list of keys says it."""
        _, name, arguments = parse(does)
        done: Awaitable[None] | None = getattr(self, f"action_{name}")(*arguments)
        if done is not None:
            await done
