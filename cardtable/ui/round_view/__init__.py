"""A finished round told again: in the replay, as the last deal, and why somebody did what he did."""
