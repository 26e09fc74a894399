"""Entry of a round of Rikiki into a score table."""

from tests.scoring.tables import create_bid_entry as entered

__all__ = ["entered"]
