"""A round of Rikiki as people with real cards would enter it."""

from tests.scoring.tables import bids_entered as entered

__all__ = ["entered"]
