"""Pages of the rankings and the statistics."""
