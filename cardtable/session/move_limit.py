"""Time limit of robots' moves in games of other packages, and what is played if a robot exceeds it."""

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action
from cardtable.games import format_plugin_name
from cardtable.store.seating import DEFAULT_LEVEL
from cardtable.workers.time_limit import LIMIT_SECONDS

if TYPE_CHECKING:  # not imported before the first frame
    from cardtable.robots.worker import ChooseRequest
