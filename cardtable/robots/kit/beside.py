"""What lies beside a robot's file: its robots import it, and no others, since theirs may have the same names."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import ModuleType


class Folders:
    """The folders of robots, of which one at a time can be imported from."""

    def __init__(self) -> None:
        self._turn = RLock()
        self._now: Path | None = None
        self._place = ""
        """The entry of the path that was added for it: it may be there for another reason, too."""
        self._before = set[str]()
        """The names of the modules that were there when it was its turn."""
        self._aside: dict[Path, dict[str, ModuleType]] = {}
        """What the others have imported from theirs."""

    @contextmanager
    def importing_from(self, folder: Path) -> Iterator[None]:
        """Meanwhile this is the one; other threads wait if they want another, and what has been imported stays."""
        with self._turn:
            if folder != self._now:
                self._turn_to(folder)
            yield

    def _turn_to(self, folder: Path) -> None:
        if self._now is not None:
            self._aside[self._now] = own = self._imported(self._now)
            for name in own:
                del sys.modules[name]
            sys.path[:] = [each for each in sys.path if each is not self._place]
        self._place = str(folder)
        sys.path.append(self._place)  # last, so that nothing that lies there is taken for something else
        self._now, self._before = folder, {*sys.modules}
        sys.modules.update(self._aside.pop(folder, {}))

    def _imported(self, folder: Path) -> dict[str, ModuleType]:
        new = {name: sys.modules[name] for name in sys.modules.keys() - self._before}
        return {name: module for name, module in new.items() if _lies_in(folder, name.partition(".")[0])}


def _lies_in(folder: Path, name: str) -> bool:
    """Whether a module, or a package with all that is in it, lies in a folder."""
    spec = sys.modules[name].__spec__ if name in sys.modules else None
    places = [*([spec.origin] if spec and spec.origin else []), *((spec and spec.submodule_search_locations) or ())]
    return any(Path(place).parent == folder for place in places)


FOLDERS = Folders()
