"""Games of the tests as plug-ins, as if their packages were installed."""

from cardtable import games
from cardtable.workers.time_limit import TimeLimit


def plug_in(monkeypatch, *modules):
    """Add the games of these modules to the list of all games, until the end of the test."""
    found = {
        module.GAME.about.key: games.PluginGame(
            module.__name__, f"{module.GAME.about.key} 1.0", module.GAME, TimeLimit()
        )
        for module in modules
    }
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan(found, ()))
