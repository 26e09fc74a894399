"""Entry of a round of Ten Down into a score table."""

from tests.scoring.tables import create_bid_entry as entered

__all__ = ["entered"]
