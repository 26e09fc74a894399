"""Pages of a club at another machine."""
