"""Time limit of robots' moves in games of other packages, and what is played if a robot exceeds it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # not imported before the first frame
    pass
