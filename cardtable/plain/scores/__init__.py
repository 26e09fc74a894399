"""The score table of a game with real cards, in lines: set up, and entered question by question."""
