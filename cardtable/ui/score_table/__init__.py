"""Pages of the score table of a game with real cards."""
