"""The score table of a game with real cards."""
