"""Entry of a round of Ten Down into a score table."""

from tests.scoring.tables import create_bid_entry as create_entry

__all__ = ["create_entry"]
