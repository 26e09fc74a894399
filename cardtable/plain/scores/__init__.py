"""Score table of a game with real cards in plain text: set up, and filled in question by question."""
