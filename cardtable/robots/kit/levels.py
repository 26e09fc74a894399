"""How good robots are, in words; what plays at a level is in ``robot.py``."""

from typing import Final

LEVELS: Final = ("random", "novice", "steady", "expert")
"""The levels, weakest first.  ``random`` is for tests and simulation."""
