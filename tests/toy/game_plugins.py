"""Games of the tests as plug-ins, as if their packages were installed."""

import sys
from contextlib import contextmanager
from pathlib import Path

from cardtable import games
from cardtable.robots import worker
from cardtable.ui.game_view.registry import get_game_view
from cardtable.workers.time_limit import TimeLimit
from tests.overriding import override
from tests.toy import layaway


def plug_in(monkeypatch, *modules):
    """Add the games of these modules to the list of all games, until the end of the test."""
    plugins = {
        module.GAME.about.key: games.PluginGame(
            module.__name__, f"{module.GAME.about.key} 1.0", module.GAME, TimeLimit()
        )
        for module in modules
    }
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan(plugins, ()))


def plug_in_from(monkeypatch, module, package, **changes):
    """Add the game of this module to the list of all games, as one of this package, with changed members."""
    game = override(module.GAME, package=package, **changes)
    plugin = games.PluginGame(module.__name__, package, game, TimeLimit())
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan({game.about.key: plugin}, ()))


def break_plugin(monkeypatch, key, package=""):
    """Let the game with this key be of an installed package that cannot be loaded, until the end of the test."""
    package = package or f"cardtable-{key} 1.0"
    rejected = games.RejectedPlugin(key, package, "SyntaxError: invalid syntax")
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan({}, (rejected,)))


@contextmanager
def install_layaway(monkeypatch, folder, **parts):
    """Plug in Layaway as a package with these submodules, given by their sources, which child processes find, too."""
    package, metadata = folder / "layaway_with_parts", folder / "layaway-1.0.dist-info"
    package.mkdir()
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: layaway\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{games.ENTRY_POINT_GROUP}]\nlayaway = {package.name}\n")
    (package / "__init__.py").write_text(Path(layaway.__file__).read_text())
    for name, source in parts.items():
        (package / f"{name}.py").write_text(source)
    names = [package.name, *[f"{package.name}.{name}" for name in parts]]
    monkeypatch.syspath_prepend(folder)
    _forget(names)
    plug_in(monkeypatch, __import__(package.name))
    yield
    _forget(names)


def _forget(modules):
    for name in modules:
        sys.modules.pop(name, None)
    worker._get_robot.cache_clear()
    get_game_view.cache_clear()
