"""No test touches the home of the person who runs it."""

import pytest

from cardtable.store import elsewhere


@pytest.fixture(autouse=True)
def home(tmp_path):
    """An empty home, not there yet; also where a test undoes what it has patched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARDTABLE_HOME", str(tmp_path / "home"))
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        patch.setattr(elsewhere, "_COMMON", ())
        yield tmp_path / "home"
